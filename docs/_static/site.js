// Headings, landmarks and scrolling blocks, as screen readers and keyboards need them.
const reach = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    const scrolls = target.scrollWidth > target.clientWidth;
    const attributes = { tabindex: "0", role: "group", "aria-label": "scrolls sideways" };
    for (const [name, value] of Object.entries(attributes)) {
      if (scrolls) target.setAttribute(name, value);
      else target.removeAttribute(name);
    }
  }
});

addEventListener("DOMContentLoaded", () => {
  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);
  each(".caption[role=heading]", (caption) => caption.setAttribute("aria-level", "2"));
  each(".sidebar-drawer", (drawer) => drawer.setAttribute("aria-label", "all pages"));
  each(".toc-drawer", (drawer) => drawer.setAttribute("aria-label", "on this page"));
  const blocks = "pre, .table-wrapper, div.math, p:has(> img)";
  each(blocks, (block) => reach.observe(block));
});

// In tables names may break within, and results between percentage, interval and time.
addEventListener("DOMContentLoaded", () => {
  const inNames = /(?<=[/_])(?=\w)|(?<=[a-z])(?=[A-Z])/;
  const interval = /(\[-?[\d.]+, -?[\d.]+\])/;
  const made = (tag, words, kind) => {
    const node = document.createElement(tag);
    node.className = kind;
    node.textContent = words;
    return node;
  };
  for (const cell of document.querySelectorAll("td, th")) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      if (text.parentElement.closest("code")) {
        const [first, ...rest] = text.data.split(inNames);
        text.replaceWith(first, ...rest.flatMap((part) => [document.createElement("wbr"), part]));
      } else if (interval.test(text.data)) {
        // 100.0% [99.8, 100.0], 3.6 s: three parts, and no comma where a line ends
        const parts = text.data.split(interval);
        const isResult = /^, [\d.]+ s$/.test(parts.at(-1)) && parts.length === 3;
        if (isResult) parts[2] = ` ${parts[2].slice(2).replace(" ", "\u00a0")}`;
        text.replaceWith(
          ...parts.map((part, number) => (number % 2 ? made("span", part, "interval") : part)),
        );
      }
    }
  }
});

// The theme reaches the boards that play: each listens for it.
addEventListener("DOMContentLoaded", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const boards = document.querySelectorAll(".live iframe");
  const tell = (board) => {
    const { theme } = document.body.dataset; // light, dark or auto
    const shown = theme === "auto" || !theme ? (dark.matches ? "dark" : "light") : theme;
    board.contentWindow.postMessage({ type: "steer-env-theme", theme: shown }, "*");
  };
  const tellAll = () => boards.forEach(tell);
  boards.forEach((board) => board.addEventListener("load", () => tell(board)));
  new MutationObserver(tellAll).observe(document.body, { attributeFilter: ["data-theme"] });
  dark.addEventListener("change", tellAll);
  tellAll();
});

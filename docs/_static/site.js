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

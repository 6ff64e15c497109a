// What scrolls sideways can be reached with the keyboard.
addEventListener("load", () => {
  for (const element of document.querySelectorAll("div.highlight pre, .table-wrapper")) {
    if (element.scrollWidth > element.clientWidth) {
      element.tabIndex = 0;
      element.setAttribute("role", "region");
      element.setAttribute("aria-label", "scrolls sideways");
    }
  }
});

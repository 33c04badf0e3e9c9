// Brings the blocks under listings to life. Nothing is fetched before a reader touches one.

import { Machine } from "./machine.js";
import { Panel } from "./panel.js";
import { Slide } from "./slide.js";

const kernel = (block) => new URL(block.dataset.kernel, new URL(path_to_root, document.baseURI));

for (const block of document.querySelectorAll(".wb-live")) {
    new Panel(block, kernel(block));
}
for (const block of document.querySelectorAll(".wb-slide")) {
    new Slide(block, kernel(block));
}
for (const table of document.querySelectorAll(".wb-machine .wb-sass")) {
    new Machine(table);
}

// Brings the blocks under listings to life. Nothing is fetched before a reader touches one.

import { Comparison } from "./comparison.js";
import { Exercise } from "./exercise.js";
import { Machine } from "./machine.js";
import { Panel } from "./panel.js";
import { follow } from "./progress.js";
import { served } from "./server.js";
import { Slide } from "./slide.js";

const kernel = (block) => new URL(block.dataset.kernel, new URL(path_to_root, document.baseURI));

const panels = new Map();
for (const block of document.querySelectorAll(".wb-live")) {
    panels.set(block, new Panel(block, kernel(block)));
}
for (const block of document.querySelectorAll(".wb-slide")) {
    new Slide(block, kernel(block));
}
for (const table of document.querySelectorAll(".wb-machine .wb-sass")) {
    new Machine(table);
}
if (served) {
    follow().catch(() => {});
    for (const card of document.querySelectorAll("[data-exercise]")) {
        new Exercise(card);
    }
    for (const line of document.querySelectorAll("[data-check]")) {
        // The better kernel's panel: its copy is what is compared.
        const better = line.previousElementSibling?.querySelector(":scope > :last-child .wb-live");
        new Comparison(line, panels.get(better)?.scratch);
    }
}

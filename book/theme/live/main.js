// Brings the blocks of a page to life. Nothing is fetched before a reader touches one, but for what a served page does more.

import { Machine } from "./machine.js";
import { all, make } from "./make.js";
import { Panel } from "./run/panel.js";
import { Slide } from "./slide.js";
import { Steps } from "./steps.js";

const kernel = (block) => new URL(block.dataset.kernel, new URL(path_to_root, document.baseURI));

const panels = new Map();
for (const block of all(".wb-live")) {
    panels.set(block, new Panel(block, kernel(block)));
}
for (const block of all(".wb-slide")) {
    new Slide(block, kernel(block));
}
for (const block of all("div.wb-steps")) {
    new Steps(block);
}
for (const table of all(".wb-machine .wb-sass")) {
    new Machine(table);
}

const pair = document.querySelector("[data-check]");
if (pair && panels.size === 0) {
    const build = make("code", {}, "scripts/wasm.sh --page");
    pair.after(make("p", { class: "wb-caption" }, "Kernels do not run on this page: the book was built without the simulator for it, which ", build, " makes."));
}
if (document.querySelector('meta[name="warpbook"][content="served"]')) {
    import("./served/served.js").then(({ begin }) => begin(panels));
}

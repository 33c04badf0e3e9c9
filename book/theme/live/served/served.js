// What a page does more where `checker book serve` answers it: exercises, comparisons, copies of kernels, what is solved.

import { Comparison } from "./comparison.js";
import { Exercise } from "./exercise.js";
import { all } from "../make.js";
import { follow } from "./progress.js";
import { Scratch } from "./scratch.js";

/** @param {Map<HTMLElement, import("../run/panel.js").Panel>} panels the page's, by their block */
export function begin(panels) {
    // Who has no token is told by the exercises.
    follow().catch(() => {});
    const copies = new Map([...panels].map(([block, panel]) => [block, new Scratch(panel)]));
    for (const card of all("[data-exercise]")) {
        new Exercise(card);
    }
    for (const line of all("[data-check]")) {
        // The better kernel's: its copy is what is compared.
        const better = line.previousElementSibling?.querySelector(":scope > :last-child .wb-live");
        new Comparison(line, copies.get(better));
    }
}

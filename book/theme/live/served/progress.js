// What is solved, in the contents: as `checker list` has it.

import { all, make } from "../make.js";
import { ask, kept, ownSolved, state } from "./server.js";

let exercises = [];
let solved = new Set();
let guest = false;

function mark(element, text, words) {
    let sign = element.querySelector(":scope > .wb-mark");
    if (!text) return sign?.remove();
    if (!sign) {
        sign = make("span", { class: "wb-mark" });
        element.append(sign);
    }
    sign.textContent = ` ${text}`;
    sign.title = words;
    sign.setAttribute("aria-label", words);
    sign.setAttribute("role", "img");
}

function draw() {
    for (const link of all("#mdbook-sidebar .chapter a[href], .sidebar .chapter a[href]")) {
        const page = new URL(link.href, document.baseURI).pathname.split("/").pop().replace(/\.html$/, "");
        const own = exercises.filter((exercise) => exercise.page === page);
        const done = own.filter(({ name }) => solved.has(name)).length;
        const whole = own.length > 0 && done === own.length;
        mark(link, whole ? "✓" : done > 0 ? `${done}/${own.length}` : "", `${done} of ${own.length} exercises solved`);
    }
    for (const code of all("main table code")) {
        if (exercises.some(({ name }) => name === code.firstChild?.nodeValue)) mark(code, solved.has(code.firstChild.nodeValue) ? "✓" : "", "solved");
    }
    for (const card of all(".wb-exercise[data-exercise]")) {
        mark(card.querySelector("h4"), solved.has(card.dataset.exercise) ? "✓" : "", "solved");
    }
}

function take(found) {
    exercises = found.exercises;
    guest = found.role === "guest";
    solved = new Set(guest ? ownSolved() : found.solved);
    draw();
}

/** An exercise that its check has passed. The server has noted it; of a guest only the browser does. */
export function passed(name) {
    solved.add(name);
    if (guest) kept.set("warpbook-solved", JSON.stringify([...solved]));
    draw();
}

/** One that begins anew. */
export function begun(name) {
    solved.delete(name);
    if (guest) kept.set("warpbook-solved", JSON.stringify([...solved]));
    draw();
}

/** The page of an exercise, relative to the book. */
export const pageOf = (name) => exercises.find((exercise) => exercise.name === name)?.page;

/** Shows what is solved, and again when the reader comes back from the terminal. */
export async function follow() {
    take(await state);
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden) ask("GET", "state").then(take, () => {});
    });
}

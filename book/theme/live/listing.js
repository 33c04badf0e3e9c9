// A listing whose lines can be marked: counts beside them, findings under them, the line that runs.

import { make } from "./make.js";

/** Wraps every line of a highlighted code block in an element of its own. */
function split(code) {
    const lines = [];
    const open = [];
    let tip;
    const begin = () => {
        const line = make("span", { class: "wb-line" });
        lines.push(line);
        tip = line;
        for (const shell of open) tip = tip.appendChild(shell.cloneNode(false));
    };
    const walk = (node) => {
        for (const child of node.childNodes) {
            if (child.nodeType === Node.TEXT_NODE) {
                child.data.split("\n").forEach((text, index) => {
                    if (index > 0) begin();
                    tip.append(text);
                });
            } else if (child.nodeType === Node.ELEMENT_NODE) {
                open.push(child);
                tip = tip.appendChild(child.cloneNode(false));
                walk(child);
                open.pop();
                tip = tip.parentNode;
            }
        }
    };
    begin();
    walk(code);
    if (lines.length > 1 && lines.at(-1).textContent === "") lines.pop();
    code.replaceChildren(...lines);
    return lines;
}

const known = new WeakMap();

export class Listing {
    /** The listing of a code block, which is cut into lines once. */
    static of(code) {
        if (!known.has(code)) known.set(code, new Listing(code));
        return known.get(code);
    }

    /** @param {HTMLElement} code a `code` element that holds the file; what stands in a paragraph before it are its first lines */
    constructor(code) {
        code.classList.add("wb-lines-marked");
        /** @type {HTMLElement | null | undefined} */
        const head = code.closest("pre")?.parentElement?.querySelector(":scope > .wb-head");
        this.before = Number(head?.dataset.lines ?? 0);
        this.lines = split(code);
        this.texts = this.lines.map((line) => line.textContent);
    }

    text(number) {
        return this.texts[number - 1 - this.before] ?? "";
    }

    /** The line that runs; 0 for none. */
    now(number) {
        this.running?.classList.remove("wb-now");
        this.running = this.line(number);
        this.running?.classList.add("wb-now");
    }

    line(number) {
        return this.lines[number - 1 - this.before];
    }

    /** Calls with every line and its number in the file. */
    each(call) {
        this.lines.forEach((line, index) => call(line, this.before + index + 1));
    }

    clear() {
        this.now(0);
        for (const line of this.lines) {
            line.classList.remove("wb-bad");
            delete line.dataset.note;
        }
    }

    /** Counts beside the lines, the largest the darkest. */
    heat(counts) {
        const most = Math.max(1, ...Object.values(counts ?? {}));
        this.each((line, number) => {
            const count = counts?.[number];
            line.style.setProperty("--wb-heat", count ? String(0.12 + 0.88 * (count / most)) : "0");
            if (counts) line.dataset.count = count ? short(count) : "";
            else delete line.dataset.count;
        });
    }

    /** A place that a finding names, with what happened there. */
    mark(number, label) {
        const line = this.line(number);
        if (!line) return;
        line.classList.add("wb-bad");
        // Text that is not the kernel's stays out of what a reader copies.
        const notes = new Set(line.dataset.note?.split("\n") ?? []);
        if (label) line.dataset.note = [...notes.add(label)].join("\n");
    }

    /** Goes to a line. */
    show(number) {
        const line = this.line(number);
        if (!line) return;
        line.tabIndex = -1;
        line.focus({ preventScroll: true });
        const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
        line.scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
    }
}

/** A count in a few characters. */
export function short(count) {
    /** @type {[number, string][]} */
    const units = [[1e9, "G"], [1e6, "M"], [1e4, "k"]];
    for (const [size, letter] of units) {
        if (count >= size) return (count / (letter === "k" ? 1e3 : size)).toPrecision(3).replace(/\.?0+$/, "") + letter;
    }
    return String(count);
}

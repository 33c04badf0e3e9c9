// Machine code beside each other that answers: what an instruction does, how it is scheduled, where in the source it comes from,
// and which instructions a source line became. What is folded unfolds.

import { Listing } from "./listing.js";
import { all, make } from "./make.js";

/** The listing of a file, if the page has it. */
function listing(file) {
    const name = [...document.querySelectorAll(".wb-name")].find((element) => element.textContent.includes(file));
    const code = name?.parentElement.querySelector("pre code");
    return code ? Listing.of(code) : null;
}

/** The cell with this attribute in which something happened. */
const cellOf = ({ target }, attribute) => (target instanceof Element ? target.closest(`td[${attribute}]`) : null);

export class Machine {
    /** @param {HTMLTableElement} table a diff */
    constructor(table) {
        this.table = table;
        this.cells = all("td[data-says]", table);
        this.says = make("p", { class: "wb-says wb-caption" }, "Point at an instruction, or go through them with the arrow keys.");
        const control = make("input", { type: "checkbox", change: () => table.classList.toggle("wb-scheduled", control.checked) });
        table.after(this.says, make("label", { class: "wb-check wb-caption" }, control, " control fields"));
        for (const skip of table.querySelectorAll("td.skip")) this.#unfolds(skip);
        for (const cell of this.cells) cell.tabIndex = -1;
        const first = this.cells.find((cell) => !cell.parentElement.hidden);
        if (first) first.tabIndex = 0;
        table.addEventListener("pointerover", (event) => this.#explain(cellOf(event, "data-says")));
        table.addEventListener("focusin", (event) => this.#explain(cellOf(event, "data-says")));
        table.addEventListener("click", (event) => this.#toSource(cellOf(event, "data-line")));
        table.addEventListener("keydown", (event) => this.#key(event));
        for (const side of ["old", "new"]) this.#fromSource(side);
    }

    /** Which version a cell is of. */
    #side(cell) {
        return cell.cellIndex === 0 ? "old" : "new";
    }

    #unfolds(skip) {
        const rows = [];
        for (let row = skip.parentElement.nextElementSibling; row?.hidden; row = row.nextElementSibling) rows.push(row);
        const words = skip.textContent;
        const button = make("button", { type: "button", "aria-expanded": "false" }, words);
        button.addEventListener("click", () => {
            const open = button.getAttribute("aria-expanded") !== "true";
            button.setAttribute("aria-expanded", String(open));
            for (const row of rows) row.hidden = !open;
        });
        skip.replaceChildren(button);
    }

    #explain(cell) {
        if (!cell || cell === this.at) return;
        this.at = cell;
        const { line, says, control, scheduling } = cell.dataset;
        // All of it: a phone's cell cuts it.
        this.says.replaceChildren(make("code", {}, cell.textContent.trim()), ` ${says}. `, make("code", {}, control), ` ${scheduling}.`, line ? ` From line ${line}.` : "");
        this.#mark(this.#side(cell), line);
    }

    /** Marks what comes from a line, and the line. */
    #mark(side, line) {
        for (const cell of this.cells) cell.classList.toggle("wb-from", Boolean(line) && cell.dataset.line === line && this.#side(cell) === side);
        for (const other of ["old", "new"]) listing(this.table.dataset[other])?.now(other === side ? Number(line ?? 0) : 0);
    }

    #toSource(cell) {
        if (cell) listing(this.table.dataset[this.#side(cell)])?.show(Number(cell.dataset.line));
    }

    /** A click on a line of the listing shows what became of it. */
    #fromSource(side) {
        const source = listing(this.table.dataset[side]);
        source?.each((element, number) => {
            element.addEventListener("click", () => {
                const line = String(number);
                const mine = this.cells.filter((cell) => cell.dataset.line === line && this.#side(cell) === side);
                if (mine.length === 0) return;
                this.at = null;
                this.says.replaceChildren(`Line ${line} became ${mine.length} of these instructions.`);
                this.#mark(side, line);
            });
        });
    }

    #key(event) {
        const cell = event.target.closest("td[data-says]");
        if (!cell) return;
        if (event.key === "Enter") {
            this.#toSource(event.target.closest("td[data-line]"));
            return;
        }
        const [down, across] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
        if (!down && !across) return;
        event.preventDefault();
        let row = cell.parentElement;
        let to = across ? row.cells[cell.cellIndex + across] : null;
        while (down && (row = down > 0 ? row.nextElementSibling : row.previousElementSibling)) {
            to = row.hidden ? null : row.cells[cell.cellIndex];
            if (to?.dataset.says) break;
        }
        if (!to?.dataset.says) return;
        cell.tabIndex = -1;
        to.tabIndex = 0;
        to.focus();
    }
}

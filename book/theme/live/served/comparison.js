// A pair compared as `checker NAME` does it, with the reader's copy of the better kernel where there is one.

import { Check } from "./check.js";
import { places } from "./checked.js";
import { make } from "../make.js";
import { state } from "./server.js";

export class Comparison {
    /**
     * @param {HTMLElement} line the build's line with the command
     * @param {import("./scratch.js").Scratch?} scratch the better kernel's copy
     */
    constructor(line, scratch) {
        const check = new Check(() => this.work(), {
            told: ({ report }) => scratch?.editor?.mark(places(report)),
            show: (at) => scratch?.editor?.show(at),
        });
        check.go.textContent = "▶ Compare";
        check.bar.append(check.state);
        this.scratch = scratch;
        this.name = line.dataset.check;
        state.then((found) => {
            // In a class room only a text of one's own is checked.
            this.guest = found.role === "guest";
            line.after(make("div", { class: "wb-live" }, check.bar, check.report));
        }, () => {});
    }

    async work() {
        if (this.scratch?.text != null) return { name: this.name, text: this.scratch.text };
        if (!this.guest) return { name: this.name };
        throw new Error("edit the better kernel first: in a class room a text of your own is compared");
    }
}

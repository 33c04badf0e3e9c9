// A picture that is drawn in steps, as the tree of a reduction by rounds: a slider shows them one after the other. The picture is the
// build's; nothing is simulated.

import { all, make } from "./make.js";

export class Steps {
    /** @param {HTMLElement} block the build's `div`, in the picture's figure */
    constructor(block) {
        /** @type {SVGGElement[]} */
        this.parts = all("svg [data-step]", block.closest("figure"));
        const last = String(Math.max(...this.parts.map((part) => Number(part.dataset.step))));
        this.word = block.dataset.step;
        this.slider = make("input", { type: "range", min: "0", max: last, value: last, step: "1", input: () => this.show() });
        this.at = make("output");
        this.says = make("p", { class: "wb-caption" });
        block.append(make("label", { class: "wb-field" }, make("span", {}, this.word), this.slider, this.at), this.says);
        block.hidden = false;
        this.show();
    }

    /** Shows the picture up to the step of the slider; the later ones stay as a shadow. */
    show() {
        const { value, max } = this.slider;
        for (const part of this.parts) part.classList.toggle("later", Number(part.dataset.step) > Number(value));
        const words = this.parts.find((part) => part.dataset.step === value && part.dataset.says)?.dataset.says ?? "";
        this.at.textContent = `${value} of ${max}`;
        this.says.textContent = words;
        this.slider.setAttribute("aria-valuetext", words || `before ${this.word} 1`);
    }
}

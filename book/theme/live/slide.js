// Sliders under a picture: one access of a warp, simulated and drawn anew at the sizes that are chosen.

import * as engine from "./run/engine.js";

let pictures = 0;

export class Slide {
    #kernel = null;
    #busy = false;
    #again = false;

    /**
     * @param {HTMLElement} block the build's `div`, in the picture's figure
     * @param {URL} kernel where the kernel is
     */
    constructor(block, kernel) {
        this.block = block;
        this.url = kernel;
        this.figure = block.closest("figure");
        this.id = `slide-${pictures++}`;
        block.hidden = false;
        block.addEventListener("input", () => this.draw());
        block.addEventListener("focusin", () => engine.warm(), { once: true });
    }

    /** Draws the picture at the sizes of now. While one is drawn the sliders go on, and only the last place is drawn after it. */
    async draw() {
        const sizes = {};
        for (const input of this.block.querySelectorAll("input")) {
            sizes[input.name] = Number(input.value);
            input.nextElementSibling.textContent = input.value;
        }
        if (this.#busy) {
            this.#again = true;
            return;
        }
        this.#busy = true;
        const caption = this.figure.querySelector("figcaption");
        try {
            this.#kernel ??= await (await fetch(this.url)).json();
            const told = await engine.run(this.#kernel, { sizes, watch: true, picture: JSON.parse(this.block.dataset.picture) });
            if (told.picture) {
                this.#show(told.picture.svg);
                caption.textContent = told.picture.caption;
            } else {
                caption.textContent = told.report.reasons[0]?.text ?? "nothing ran";
            }
        } catch (error) {
            if (!(error instanceof engine.Stopped)) caption.textContent = error.message;
        } finally {
            this.#busy = false;
        }
        if (this.#again) {
            this.#again = false;
            this.draw();
        }
    }

    /** The simulator's picture, parsed as what it is. */
    #show(svg) {
        const picture = new DOMParser().parseFromString(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '), "image/svg+xml").documentElement;
        for (const part of picture.querySelectorAll("title, desc")) part.id = `${this.id}${part.id.slice("live".length)}`;
        picture.setAttribute("aria-labelledby", `${this.id}-t ${this.id}-d`);
        this.figure.querySelector("svg").replaceWith(document.adoptNode(picture));
    }
}

// What stands under a listing: Run, Stop, the order, the settings, and what became of the run.

import * as engine from "./engine.js";
import { Listing } from "./listing.js";
import { make } from "./make.js";
import { draw } from "./report.js";
import { Settings } from "./settings.js";

export class Panel {
    #kernel = null;
    #listing = null;

    /**
     * @param {HTMLElement} block the build's `div`
     * @param {URL} kernel where the kernel is
     */
    constructor(block, kernel) {
        this.block = block;
        this.url = kernel;
        this.settings = new Settings(block.dataset.order);
        this.go = make("button", { type: "button", class: "wb-go", click: () => this.run() }, "▶ Run");
        this.halt = make("button", { type: "button", class: "wb-stop", hidden: true, click: () => this.stop() }, "■ Stop");
        this.state = make("span", { class: "wb-state", role: "status" });
        this.report = make("div", { class: "wb-told" });
        const details = make(
            "details",
            { class: "wb-settings", toggle: () => this.kernel().then(() => {}, (error) => this.fail(error)) },
            make("summary", {}, "Sizes, seed, launch lines"),
            this.settings.element,
        );
        block.append(
            make("div", { class: "wb-bar" }, this.go, this.halt, make("label", { class: "wb-field" }, make("span", {}, "order"), this.settings.order), this.state),
            details,
            this.report,
        );
        // What is likely to be wanted next is fetched ahead.
        for (const event of ["pointerenter", "focusin"]) block.addEventListener(event, () => engine.warm(), { once: true });
    }

    /** The kernel, fetched at first use. */
    async kernel() {
        if (!this.#kernel) {
            const response = await fetch(this.url);
            if (!response.ok) throw new Error(`the kernel is missing: ${response.status} ${response.url}`);
            this.#kernel = await response.json();
            this.settings.fill(this.#kernel);
        }
        return this.#kernel;
    }

    /** The listing whose lines are marked. */
    listing(kernel) {
        this.#listing ??= new Listing(this.block.dataset.listing === "above" ? this.above() : this.own(kernel));
        return this.#listing;
    }

    above() {
        let before = this.block.previousElementSibling;
        while (before && !before.querySelector("code")) before = before.previousElementSibling;
        return before.querySelector("code");
    }

    own(kernel) {
        const code = make("code", { class: "language-cpp hljs" }, kernel.code.text.trimEnd());
        globalThis.hljs?.highlightBlock?.(code);
        const title = make("p", { class: "wb-name" }, kernel.file);
        this.block.insertBefore(make("div", { class: "wb-own" }, title, make("pre", {}, code)), this.report);
        return code;
    }

    async run() {
        this.busy(true, "fetching the simulator");
        try {
            const kernel = await this.kernel();
            const listing = this.listing(kernel);
            this.busy(true, "running");
            const told = await engine.run(kernel, this.settings.ask());
            this.tell(told, listing);
        } catch (error) {
            this.fail(error);
        } finally {
            this.busy(false);
        }
    }

    stop() {
        engine.stop();
    }

    tell(told, listing) {
        const took = `${told.seconds < 10 ? told.seconds.toFixed(2) : Math.round(told.seconds)} s in this browser`;
        this.state.replaceChildren(make("b", { class: told.good ? "wb-good" : "wb-fault" }, told.badge), ` ${took}`);
        this.report.replaceChildren(...draw(told, listing, (witness) => {
            this.settings.replay(witness);
            this.run();
        }).filter(Boolean));
    }

    fail(error) {
        const stopped = error instanceof engine.Stopped;
        this.state.replaceChildren(make("b", { class: "wb-fault" }, stopped ? "STOPPED" : "NOT RUN"), stopped ? "" : ` ${error.message}`);
        this.report.replaceChildren();
    }

    busy(is, words) {
        // Whoever pressed the one goes on with the other.
        const focused = [this.go, this.halt].includes(document.activeElement);
        this.halt.hidden = !is;
        this.go.hidden = is;
        if (is) this.state.textContent = `${words} …`;
        if (focused) (is ? this.halt : this.go).focus({ preventScroll: true });
    }
}

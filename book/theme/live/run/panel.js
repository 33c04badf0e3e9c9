// What stands under a listing: Run, Stop, the order, the settings, and what became of the run.

import * as engine from "./engine.js";
import { Listing } from "../listing.js";
import { make } from "../make.js";
import { Player } from "./player.js";
import { draw, reason } from "./report.js";
import { Settings } from "./settings.js";

export class Panel {
    #kernel = null;
    #listing = null;
    #code = null;
    /** The reader's copy of the kernel, and the editor it is in. */
    #copy = null;

    /**
     * @param {HTMLElement} block the build's `div`
     * @param {URL?} kernel where the kernel is
     * @param {() => Promise<[object, object]>} source or who has one, with its listing
     */
    constructor(block, kernel, source = null) {
        this.block = block;
        this.url = kernel;
        this.source = source;
        this.settings = new Settings(block.dataset.order);
        this.go = make("button", { type: "button", class: "wb-go", click: () => this.run() }, "▶ Run");
        this.look = make("button", { type: "button", class: "wb-look", click: () => this.run([[0, 0]]) }, "Steps");
        this.halt = make("button", { type: "button", class: "wb-stop", hidden: true, click: () => this.stop() }, "■ Stop");
        this.state = make("span", { class: "wb-state", role: "status" });
        this.report = make("div", { class: "wb-told" });
        const details = make(
            "details",
            { class: "wb-settings", toggle: () => this.kernel().then(() => {}, (error) => this.fail(error)) },
            make("summary", {}, "Sizes, seed, launch lines"),
            this.settings.element,
        );
        this.details = details;
        this.bar = make("div", { class: "wb-bar" }, this.go, this.halt, this.look, make("label", { class: "wb-field" }, make("span", {}, "order"), this.settings.order), this.state);
        block.append(this.bar, details, this.report);
        // What is likely to be wanted next is fetched ahead.
        for (const event of ["pointerenter", "focusin"]) block.addEventListener(event, () => engine.warm(), { once: true });
    }

    /** The kernel, fetched at first use. */
    async kernel() {
        if (this.source) {
            const [kernel, listing] = await this.source();
            if (this.#copy?.kernel !== kernel) this.edited(kernel, listing);
        }
        if (this.#copy) return this.#copy.kernel;
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
        if (this.#copy) return this.#copy.listing;
        this.#listing ??= Listing.of(this.code(kernel));
        return this.#listing;
    }

    /** The code block of the listing. */
    code(kernel) {
        this.#code ??= this.block.dataset.listing === "above" ? this.above() : this.own(kernel);
        return this.#code;
    }

    /** Another kernel in the place of the book's, in a listing of its own; neither: the book's again. */
    edited(kernel, listing) {
        this.#copy = kernel && { kernel, listing };
        this.report.replaceChildren();
        this.state.replaceChildren();
        if (kernel ?? this.#kernel) this.settings.refill(kernel ?? this.#kernel);
    }

    /** What the compiler has against a copy. */
    refused({ badge, report }, editor) {
        this.state.replaceChildren(make("b", { class: "wb-fault" }, badge));
        this.report.replaceChildren(...report.reasons.map((one) => reason(one, report.versions[0].file, editor)));
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

    /** Runs, and records these warps: linear block index, warp within the block. */
    async run(warps = [], side = null) {
        this.busy(true, "fetching the simulator");
        try {
            const kernel = await this.kernel();
            const listing = this.listing(kernel);
            this.busy(true, "running");
            const told = await engine.run(kernel, this.settings.ask(warps));
            // A copy lies in no file that a command could name.
            if (this.#copy) told.report.repeat = "";
            this.tell(told, listing);
            if (warps.length > 0) this.player(told, kernel, listing, side);
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
        const replay = (witness) => {
            this.settings.replay(witness);
            this.run([[0, 0]]);
        };
        const visit = (sides, side) => {
            const warps = [...new Map(sides.map(({ block, warp }) => [`${block}:${warp}`, [block, warp]])).values()];
            this.run(warps, side);
        };
        this.report.replaceChildren(...draw(told, listing, { replay, visit }).filter(Boolean));
    }

    /** The steps of what was recorded, above the report. */
    player(told, kernel, listing, side) {
        if (told.report.traces.length === 0) return;
        // Orders made by hand begin with the plain one.
        const plain = ["its", "replay"].includes(this.settings.order.value);
        const byHand = plain && ((items) => {
            this.settings.replay([...this.settings.preemptions(), ...items].join(","));
            this.run(told.report.traces[0].warps.map(({ block, warp }) => [block, warp]));
        });
        const player = new Player(told, { listing, ptx: kernel.code.ptx, file: kernel.file, byHand });
        this.report.prepend(player.element);
        if (side) player.find(side);
        player.slider.focus({ preventScroll: true });
    }

    fail(error) {
        const stopped = error instanceof engine.Stopped;
        this.state.replaceChildren(make("b", { class: "wb-fault" }, stopped ? "STOPPED" : "NOT RUN"), stopped ? "" : ` ${error.message}`);
        this.report.replaceChildren();
    }

    busy(is, words) {
        // Whoever pressed the one goes on with the other.
        const focused = [this.go, this.look, this.halt].includes(document.activeElement);
        this.halt.hidden = !is;
        this.go.hidden = is;
        this.look.hidden = is;
        if (is) this.state.textContent = `${words} …`;
        if (focused) (is ? this.halt : this.go).focus({ preventScroll: true });
    }
}

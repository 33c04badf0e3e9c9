// How a kernel is run: order, seed, checks, sizes, and its `//@` lines, which are text of the kernel file.

import { make } from "../make.js";

/** Orders that a page offers; the numbers are seeds of their own. */
const ORDERS = [
    ["its", "its: as GPUs since Volta"],
    ["pre-volta", "pre-volta: a warp in lockstep"],
    ["adversarial:0", "adversarial:0"],
    ["adversarial:1", "adversarial:1"],
    ["adversarial:2", "adversarial:2"],
    ["adversarial:3", "adversarial:3"],
    ["adversarial", "adversarial, drawn by the seed"],
    ["pct", "pct, drawn by the seed"],
    ["replay", "replay a witness"],
];

/** A labelled field. */
const field = (label, input) => make("label", { class: "wb-field" }, make("span", {}, label), input);

export class Settings {
    /** @param {string} order the schedule that the page names */
    constructor(order) {
        const known = ORDERS.some(([name]) => name === order);
        const options = known ? ORDERS : [...ORDERS, [order, order]];
        this.order = make(
            "select",
            { change: () => this.#replays() },
            options.map(([name, words]) => make("option", { value: name, selected: name === order }, words)),
        );
        this.seed = make("input", { type: "number", min: "0", max: "999999999", step: "1", value: "1", inputmode: "numeric" });
        this.watch = make("input", { type: "checkbox", checked: true });
        this.witness = make("input", { type: "text", spellcheck: "false", autocomplete: "off", placeholder: "b0.w0.l0@3" });
        this.witnessField = field("witness", this.witness);
        this.sizes = new Map();
        this.lines = new Map();
        this.more = make("div", { class: "wb-fields" });
        this.own = make("div", {});
        this.element = make(
            "div",
            {},
            make("div", { class: "wb-fields" }, field("seed", this.seed), this.witnessField, make("label", { class: "wb-check" }, this.watch, " races, uninitialised reads, barriers")),
            this.more,
            this.own,
        );
        this.#replays();
    }

    #replays() {
        this.witnessField.hidden = this.order.value !== "replay";
    }

    /** Fields for another kernel: sizes that both have keep what the reader gave them. */
    refill(kernel) {
        const given = new Map([...this.sizes].filter(([name, input]) => input.value !== String(this.kernel.sizes[name])).map(([name, input]) => [name, input.value]));
        this.sizes.clear();
        this.lines.clear();
        this.more.replaceChildren();
        this.own.replaceChildren();
        this.kernel = null;
        this.fill(kernel);
        for (const [name, value] of given) if (this.sizes.has(name)) this.sizes.get(name).value = value;
    }

    /** Fields for what the kernel has: its sizes, its lines. */
    fill(kernel) {
        if (this.kernel) return;
        this.kernel = kernel;
        for (const [name, value] of Object.entries(kernel.sizes)) {
            const input = make("input", { type: "number", value: String(value), inputmode: "numeric" });
            this.sizes.set(name, input);
            this.more.append(field(name, input));
        }
        const lines = kernel.code.text.split("\n").map((text, index) => [index + 1, text]);
        const own = lines.filter(([, text]) => text.trimStart().startsWith("//@"));
        for (const [number, text] of own) {
            const input = make("input", { type: "text", value: text, spellcheck: "false", autocomplete: "off", "aria-label": `line ${number}` });
            this.lines.set(number, [input, text]);
        }
        if (own.length > 0) {
            const inputs = [...this.lines.values()].map(([input]) => input);
            this.own.append(make("div", { class: "wb-statements", role: "group", "aria-label": "//@ lines" }, inputs));
        }
        const names = Object.keys(kernel.code.names).filter((name) => name.includes("<"));
        if (names.length > 1) {
            this.own.append(make("p", { class: "wb-caption" }, "compiled for this page: ", make("code", {}, names.join(", "))));
        }
    }

    /** The preemptions that are replayed, where that is chosen. */
    preemptions() {
        const text = this.order.value === "replay" ? this.witness.value.trim().replace(/^replay:/, "") : "";
        return text.split(",").map((item) => item.trim()).filter((item) => item && item !== "plain");
    }

    /** Replays an order. */
    replay(witness) {
        this.order.value = "replay";
        this.witness.value = witness;
        this.#replays();
    }

    /** What is asked of the simulator; `trace` says which warps are recorded. */
    ask(trace) {
        const changed = {};
        for (const [name, input] of this.sizes) {
            const value = Number(input.value);
            if (Number.isInteger(value) && input.value !== "" && value !== this.kernel.sizes[name]) changed[name] = value;
        }
        const lines = {};
        for (const [number, [input, text]] of this.lines) {
            if (input.value !== text) lines[number] = input.value;
        }
        const order = this.order.value;
        const schedule = order === "replay" ? `replay:${this.witness.value.trim().replace(/^replay:/, "")}` : order;
        const explored = !["its", "pre-volta", "replay"].includes(order);
        return {
            sizes: changed,
            lines,
            seed: Math.max(0, Math.trunc(Number(this.seed.value)) || 0),
            schedule,
            watch: this.watch.checked,
            trace,
            shortest: explored ? 200 : 0,
        };
    }
}

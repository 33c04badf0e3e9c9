// A trace as a player: step, play, back, a slider; lanes as cells, the line that runs marked in source and PTX.

import { grouped, make } from "../make.js";
import { STATES, Trace, banks, lanesOf, ranges } from "./trace.js";

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

/** Milliseconds a step is shown when it plays. */
const PACE = 350;

export class Player {
    #at = 0;
    #timer = null;

    /**
     * @param {object} told the simulator's answer
     * @param {{listing: import("../listing.js").Listing, ptx: string, file: string, byHand: ((stop: object) => void) | null}} around
     */
    constructor(told, around) {
        this.around = around;
        this.traces = told.report.traces.map((traced) => new Trace(traced));
        this.launch = make(
            "select",
            { change: () => this.#choose() },
            this.traces.map(({ traced }, index) => make("option", { value: String(index) }, `${traced.kernel}, line ${traced.line}`)),
        );
        this.grain = make("select", { change: () => this.#choose() }, make("option", { value: "line" }, "source lines"), make("option", { value: "ptx" }, "PTX instructions"));
        this.slider = make("input", { type: "range", min: "0", step: "1", class: "wb-slider", "aria-label": "step", input: () => this.go(Number(this.slider.value)) });
        this.play = make("button", { type: "button", click: () => (this.#timer ? this.pause() : this.start()) }, "Play");
        this.back = make("button", { type: "button", "aria-label": "one step back", click: () => this.step(-1) }, "◀");
        this.next = make("button", { type: "button", "aria-label": "one step on", click: () => this.step(1) }, "▶");
        this.where = make("p", { class: "wb-where" });
        this.lanes = make("div", { class: "wb-warps" });
        this.waits = make("ul", { class: "wb-waits" });
        this.memory = make("div", { class: "wb-memory" });
        this.ptxLines = around.ptx.split("\n").map((text) => make("span", { class: "wb-ptx-line" }, `${text}\n`));
        this.ptx = make("pre", { class: "wb-ptx", tabindex: "0", "aria-label": "PTX" }, make("code", { class: "nohighlight" }, this.ptxLines));
        this.hand = around.byHand && make("button", { type: "button", click: () => this.#stopHere() }, "Stop the chosen lanes here");
        this.element = make(
            "div",
            { class: "wb-player", role: "group", "aria-label": "trace" },
            make("div", { class: "wb-fields" }, this.back, this.play, this.next, this.#field("steps", this.grain), this.traces.length > 1 && this.#field("launch", this.launch)),
            this.slider,
            this.where,
            this.lanes,
            make("p", { class: "wb-legend wb-caption" }, Object.values(STATES).filter(([mark]) => mark.trim()).map(([mark, words]) => make("span", {}, make("b", { "aria-hidden": "true" }, mark), ` ${words}`))),
            this.waits,
            this.memory,
            this.hand && make("div", { class: "wb-fields" }, this.hand, make("span", { class: "wb-caption" }, "choose lanes by their cells; they go on when nobody else can")),
            make("details", { class: "wb-ptx-box", toggle: () => this.go(this.#at) }, make("summary", {}, "PTX"), this.ptx),
        );
        // The launch with the most to see.
        const most = Math.max(...this.traces.map(({ traced }) => traced.steps.length));
        this.launch.value = String(this.traces.findIndex(({ traced }) => traced.steps.length === most));
        this.#choose();
    }

    #field(words, input) {
        return make("label", { class: "wb-field" }, make("span", {}, words), input);
    }

    get trace() {
        return this.traces[Number(this.launch.value) || 0];
    }

    get steps() {
        return this.grain.value === "ptx" ? this.trace.byInstruction : this.trace.byLine;
    }

    #choose() {
        this.pause();
        this.slider.max = String(Math.max(0, this.steps.length - 1));
        this.lanes.replaceChildren(...this.trace.traced.warps.map((warp, index) => this.#warp(warp, index)));
        this.go(0);
    }

    /** A warp's cells. Each is a button that chooses its lane; arrows go from one to the next. */
    #warp({ block, warp, lanes }, index) {
        const cells = Array.from({ length: 32 }, (_, lane) =>
            make("button", {
                type: "button",
                class: "wb-lane",
                disabled: !((lanes >>> lane) & 1),
                tabindex: lane === 0 ? "0" : "-1",
                "aria-pressed": "false",
                click: (event) => event.currentTarget.setAttribute("aria-pressed", String(event.currentTarget.getAttribute("aria-pressed") !== "true")),
            }),
        );
        const row = make("div", { class: "wb-cells", role: "group", "aria-label": `lanes of warp ${warp} of block ${block}` }, cells);
        row.addEventListener("keydown", (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 16, ArrowUp: -16 }[event.key];
            const to = cells[cells.indexOf(document.activeElement) + (step ?? NaN)];
            if (!to || to.disabled) return;
            event.preventDefault();
            cells.forEach((cell) => (cell.tabIndex = -1));
            to.tabIndex = 0;
            to.focus();
        });
        return make("div", { class: "wb-warp", "data-warp": String(index) }, make("span", { class: "wb-caption" }, `block ${block}, warp ${warp}`), row);
    }

    start() {
        if (this.#at >= this.steps.length - 1) this.go(0);
        this.play.textContent = "Pause";
        this.#timer = setInterval(() => {
            if (this.#at >= this.steps.length - 1 || !this.element.isConnected) this.pause();
            else this.go(this.#at + 1);
        }, PACE);
    }

    pause() {
        clearInterval(this.#timer);
        this.#timer = null;
        this.play.textContent = "Play";
    }

    step(by) {
        this.pause();
        this.go(this.#at + by);
    }

    /** Goes to a step and draws it. */
    go(to) {
        const { steps, trace } = this;
        this.#at = Math.min(Math.max(0, to), steps.length - 1);
        const step = steps[this.#at];
        if (!step) return;
        const place = trace.place(step);
        const mine = place.line > 0;
        const runs = lanesOf(step.active);
        const dropped = trace.traced.dropped > 0 ? ` (${grouped(trace.traced.dropped)} more are not kept)` : "";
        this.slider.value = String(this.#at);
        this.back.disabled = this.#at === 0;
        this.next.disabled = this.#at === steps.length - 1;
        const text = this.grain.value === "ptx" ? trace.traced.texts[step.place] : this.around.listing.text(place.line) || trace.traced.texts[step.place];
        const who = runs.length === 1 ? `lane ${runs[0]}` : `lanes ${ranges(runs)}`;
        const words = `step ${this.#at + 1} of ${steps.length}${dropped}: `;
        this.where.replaceChildren(words, make("code", {}, `${mine ? `${place.line}: ` : ""}${text.trim()}`), runs.length > 0 ? `, ${who}` : ", no lane");
        this.slider.setAttribute("aria-valuetext", this.where.textContent);
        this.around.listing.now(mine ? place.line : 0);
        this.#ptx(step, place);
        const waits = [];
        for (const row of this.lanes.children) {
            const warp = Number(row.dataset.warp);
            const states = trace.states(steps, this.#at, warp);
            row.querySelectorAll(".wb-lane").forEach((cell, lane) => {
                const state = states[lane];
                cell.dataset.state = state ?? "none";
                cell.textContent = state ? STATES[state][0] : "";
                cell.setAttribute("aria-label", state ? `lane ${lane} ${STATES[state][1]}` : `no lane ${lane}`);
                cell.title = state ? `lane ${lane} ${STATES[state][1]}` : "";
            });
            for (const [at, lanes] of trace.waiting(steps, this.#at, warp, states)) {
                const which = lanes.length === 1 ? `lane ${lanes[0]} waits` : `lanes ${ranges(lanes)} wait`;
                const there = at?.line > 0 ? `, last at line ${at.line}: ${this.around.listing.text(at.line).trim()}` : "";
                waits.push(make("li", {}, which + there));
            }
        }
        this.waits.replaceChildren(...waits);
        this.memory.replaceChildren(...trace.accesses(step).slice(0, 3).map((access) => this.#access(access)));
    }

    #access({ space, kind, bytes, addresses, lanes }) {
        const who = `${kind} of ${bytes} bytes per lane in ${space} memory, ${count(lanesOf(lanes).length, "lane")}`;
        if (space === "shared") {
            const touched = banks({ addresses, bytes });
            const passes = Math.max(...touched);
            const row = touched.map((words, bank) => make("span", { "data-words": String(Math.min(words, 9)), title: `bank ${bank}: ${words} words` }, words || ""));
            const says = bytes > 4 ? "" : passes > 1 ? `: ${passes} passes, for one bank has ${passes} words` : ": one pass";
            return make("div", {}, make("p", { class: "wb-caption" }, `${who}${says}; words by bank:`), make("div", { class: "wb-banks", role: "img", "aria-label": `words by bank: ${touched.join(" ")}` }, row));
        }
        if (space === "global") {
            const sectors = new Set(addresses.flatMap((address) => [Math.floor(address / 32), Math.floor((address + bytes - 1) / 32)]));
            return make("p", { class: "wb-caption" }, `${who}: ${count(sectors.size, "sector")} of 32 bytes`);
        }
        return make("p", { class: "wb-caption" }, who);
    }

    #ptx(step, place) {
        this.marked?.classList.remove("wb-now");
        const last = this.trace.traced.steps[step.last];
        this.marked = this.ptxLines[(this.trace.place(last)?.ptx_line ?? place.ptx_line) - 1];
        if (!this.marked) return;
        this.marked.classList.add("wb-now");
        this.ptx.scrollTop = this.marked.offsetTop - this.ptx.offsetTop - this.ptx.clientHeight / 2;
    }

    /** The chosen lanes stop before the first thing at or after this step that others can see. */
    #stopHere() {
        const { trace, steps } = this;
        const step = steps[this.#at];
        const { block, warp } = trace.traced.warps[step.warp];
        const row = this.lanes.children[step.warp];
        const chosen = [...row.querySelectorAll(".wb-lane")].map((cell, lane) => (cell.getAttribute("aria-pressed") === "true" ? lane : -1)).filter((lane) => lane >= 0);
        const done = trace.done(step);
        const counts = new Map();
        for (const lane of chosen) counts.set(done[lane], [...(counts.get(done[lane]) ?? []), lane]);
        const launch = Number(this.launch.value) || 0;
        const items = [...counts].map(([before, lanes]) =>
            `${launch > 0 ? `k${launch}.` : ""}b${block}.w${warp}.l${ranges(lanes).replaceAll(", ", "+")}@${before}`);
        if (items.length > 0) this.around.byHand(items);
    }

    /** Goes to one side of a finding, in whichever launch it was recorded. */
    find(side) {
        for (const [index, trace] of this.traces.entries()) {
            const at = trace.find(trace.byLine, side);
            if (at < 0) continue;
            this.launch.value = String(index);
            this.grain.value = "line";
            this.#choose();
            this.go(at);
            return true;
        }
        return false;
    }
}

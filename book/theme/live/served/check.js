// Check, Stop, the GPU's switch, what is being done, and the report: under an exercise and under a pair.

import { draw } from "./checked.js";
import { make } from "../make.js";
import { pageOf } from "./progress.js";
import { job, Refused, state } from "./server.js";

export class Check {
    #stop = null;

    /**
     * @param {() => Promise<object>?} work what is to be checked, when it is ready to be
     * @param {{told: (told: object) => void, show: (line: number) => void}} act what else follows a report; goes to a line
     */
    constructor(work, act) {
        this.work = work;
        this.act = act;
        this.go = make("button", { type: "button", class: "wb-go", click: () => this.run() }, "▶ Check");
        this.halt = make("button", { type: "button", class: "wb-stop", hidden: true, click: () => this.stop() }, "■ Stop");
        this.gpu = make("input", { type: "checkbox", change: () => this.run() });
        this.gpuField = make("label", { class: "wb-check", hidden: true }, this.gpu, " measure");
        this.state = make("span", { class: "wb-state", role: "status" });
        this.bar = make("div", { class: "wb-bar" }, this.go, this.halt, this.gpuField);
        this.report = make("div", { class: "wb-told" });
        state.then((found) => {
            this.gpuField.hidden = !found.gpu;
            this.gpuField.lastChild.data = ` measure on ${found.gpu}`;
        }, () => {});
    }

    /** Checks; what was under way gives up its place. */
    async run() {
        this.#stop?.abort("newer");
        const stop = new AbortController();
        this.#stop = stop;
        this.busy(true);
        this.say("starting …");
        try {
            const work = await this.work();
            if (stop.signal.aborted || !work) return;
            const { told } = await job({ do: "check", gpu: this.gpu.checked, ...work }, (step) => this.say(`${step} …`), stop.signal);
            if (stop.signal.aborted) return;
            this.state.replaceChildren(make("b", { class: told.good ? "wb-good" : "wb-fault" }, told.badge));
            const follow = (name) => pageOf(name) && `${path_to_root}${pageOf(name)}.html`;
            this.report.replaceChildren(...draw(told.report, { show: this.act.show, follow }));
            this.act.told(told);
        } catch (error) {
            if (!stop.signal.aborted) this.fail(error);
        } finally {
            if (this.#stop === stop) {
                this.#stop = null;
                this.busy(false);
            }
        }
    }

    stop() {
        this.#stop?.abort("stopped");
        this.#stop = null;
        this.busy(false);
        this.state.replaceChildren(make("b", { class: "wb-fault" }, "STOPPED"));
    }

    say(words) {
        this.state.textContent = words;
    }

    fail(error) {
        this.state.replaceChildren(make("b", { class: "wb-fault" }, "NOT CHECKED"), ` ${error.message}`);
        if (!(error instanceof Refused)) console.error(error);
    }

    busy(is) {
        const focused = [this.go, this.halt].includes(document.activeElement);
        this.halt.hidden = !is;
        this.go.hidden = is;
        if (focused) (is ? this.halt : this.go).focus({ preventScroll: true });
    }
}

// An exercise on its page: the kernel file in an editor, checked as it is typed, hints one by one, the starter again, the answer.

import { Check } from "./check.js";
import { places } from "./checked.js";
import { Draft } from "./draft.js";
import { EditedListing, Editor, warm } from "./editor.js";
import { make } from "../make.js";
import { Panel } from "../run/panel.js";
import { begun, passed } from "./progress.js";
import { ask, job, kept, state } from "./server.js";

const button = (words, click) => make("button", { type: "button", click }, words);

export class Exercise {
    #hints = 0;

    /** @param {HTMLElement} card the build's `div` */
    constructor(card) {
        this.card = card;
        this.name = card.dataset.exercise;
        this.place = make("div", { class: "wb-editor" });
        this.edit = button(`✎ Edit exercises/${this.name}/kernel.cu here`, () => this.open());
        this.notice = make("div", { class: "wb-notice", role: "alert" });
        this.hints = make("ol", { class: "wb-hints" });
        this.answer = make("div", {});
        this.trouble = make("p", { class: "wb-fault", role: "alert", hidden: true });
        this.check = new Check(() => this.work(), { told: (told) => this.told(told), show: (line) => this.editor?.show(line) });
        this.hint = button("Hint", () => this.more());
        this.again = button("Reset", () => this.reset());
        this.solve = button("Solution", () => this.question());
        this.check.bar.append(this.hint, this.again, this.solve, this.check.state);
        this.desk = make("div", { class: "wb-live wb-desk" }, this.edit);
        this.desk.addEventListener("pointerenter", () => warm().catch(() => {}), { once: true });
        card.append(this.desk);
        state.then((found) => this.known(found), (error) => this.desk.replaceChildren(make("p", { class: "wb-detail" }, error.message)));
    }

    known(found) {
        this.guest = found.role === "guest";
        this.of = found.exercises.find(({ name }) => name === this.name)?.hints ?? 0;
        this.#hints = found.hints[this.name] ?? Number(this.guest && kept.get(`warpbook-hints:${this.name}`)) ?? 0;
        this.label();
    }

    label() {
        this.hint.textContent = this.#hints < this.of ? `Hint (${this.#hints} of ${this.of})` : this.of ? "No more hints" : "No hints";
        this.hint.disabled = this.#hints >= this.of;
    }

    /** The editor in place of its button. */
    async open() {
        this.edit.disabled = true;
        try {
            await state;
            this.draft = new Draft(this.name, this.guest, {
                text: () => this.editor.text,
                take: (text) => this.editor.set(text),
                saved: () => this.check.run(),
                conflict: (theirs) => this.conflict(theirs),
                trouble: (error) => this.failed(error),
            });
            const text = await this.draft.begin();
            this.editor = await Editor.open(this.place, {
                text,
                label: `exercises/${this.name}/kernel.cu`,
                changed: () => this.draft.changed(),
                run: () => this.check.run(),
            });
        } catch (error) {
            this.edit.disabled = false;
            this.edit.after(make("p", { class: "wb-fault", role: "alert" }, error.message));
            return;
        }
        this.card.querySelector(".wb-by-hand")?.remove();
        this.desk.replaceChildren(this.place, this.trouble, this.notice, this.check.bar, this.hints, this.answer, this.check.report, this.steps());
        if (this.#hints > 0) this.shown(await ask("POST", `hints/${this.name}`, { first: this.#hints }));
        this.editor.focus();
        this.draft.follow();
        this.offer();
        this.check.run();
    }

    /** What another page of this browser has typed for this exercise, and nobody has written. */
    offer() {
        const [draft] = this.draft.others();
        if (!draft || this.notice.hasChildNodes()) return;
        const next = () => {
            this.say();
            this.offer();
            this.editor.focus();
        };
        const show = () => {
            this.draft.adopt(draft);
            this.editor.set(draft.text);
            this.draft.changed();
            next();
        };
        const forget = () => {
            this.draft.forget(draft);
            next();
        };
        this.say(
            make("p", {}, make("strong", {}, `Another text of yours for ${this.name} was never written`), `, of ${new Date(draft.at).toLocaleString()}. Undo in the editor brings this one back.`),
            make("p", { class: "wb-fields" }, button("Show it", show), button("Forget it", forget)),
        );
    }

    /** The text run in this browser, where the starter is: orders, counts beside the lines, steps. */
    steps() {
        if (!this.card.parentElement.querySelector(`.wb-starter .wb-live[data-kernel*="exercises.${this.name}."]`)) return "";
        let made = null;
        /** @returns {Promise<[object, EditedListing]>} */
        const source = async () => {
            const text = this.editor.text;
            if (made?.text !== text) {
                const { kernel } = await job({ do: "compile", file: `exercises/${this.name}/kernel.cu`, text }, () => {});
                if (!kernel) throw new Error("it does not compile: the check says why");
                made = { text, kernel, listing: new EditedListing(this.editor) };
            }
            return [made.kernel, made.listing];
        };
        const block = make("div", { class: "wb-live", "data-order": "its" });
        new Panel(block, null, source);
        return make("details", { class: "wb-settings" }, make("summary", {}, "Run it in this browser: orders, counts beside the lines, steps"), block);
    }

    /** What is checked: the file, once it is what the page shows; of a guest the text. */
    async work() {
        if (this.guest) return { name: this.name, text: this.editor.text };
        if (!(await this.draft.save())) {
            this.check.say(this.draft.theirs ? "not checked: the file has changed, see above" : "");
            return null;
        }
        return { name: this.name };
    }

    told({ report }) {
        this.editor.mark(places(report));
        if (report.verdict === "passed") passed(this.name);
    }

    failed(error) {
        this.trouble.hidden = !error;
        this.trouble.textContent = error ? `Not saved: ${error.message}` : "";
    }

    say(...parts) {
        this.notice.replaceChildren(...parts);
    }

    /** Somebody else wrote the file since this page read it. */
    conflict(theirs) {
        const mine = async () => {
            await this.draft.save(true);
            this.say(make("p", {}, "Yours is written", this.draft.kept && `; the other is kept: ${this.draft.kept}`, "."));
            this.check.run();
        };
        const other = async () => {
            const { kept: where } = await ask("POST", "keep", { name: this.name, text: this.editor.text });
            this.draft.take(theirs);
            this.say(make("p", {}, `The file's text is shown; yours is kept: ${where}. Undo in the editor brings it back, too.`));
            this.check.run();
        };
        const act = (what) => () => what().catch((error) => this.failed(error));
        this.say(
            make("p", {}, make("strong", {}, "The file was changed elsewhere while you typed here."), " Nothing is written until you choose; what gives way is kept."),
            make("p", { class: "wb-fields" }, button("Write mine", act(mine)), button("Take the file's", act(other))),
        );
    }

    async more() {
        try {
            this.shown(await ask("POST", `hints/${this.name}`, { first: this.#hints + 1 }));
        } catch (error) {
            this.say(make("p", { class: "wb-fault" }, error.message));
        }
    }

    shown({ hints, of }) {
        [this.#hints, this.of] = [hints.length, of];
        if (this.guest) kept.set(`warpbook-hints:${this.name}`, String(hints.length));
        this.hints.replaceChildren(...hints.map((hint) => make("li", {}, hint)));
        // Read out, and read first.
        this.hints.lastElementChild?.setAttribute("tabindex", "-1");
        this.hints.lastElementChild?.focus({ preventScroll: true });
        this.label();
    }

    /** The starter again; one press takes it back. */
    async reset() {
        try {
            const before = this.editor.text;
            if (!(await this.draft.save())) return;
            const starter = await ask("POST", `reset/${this.name}`);
            this.draft.take(starter);
            begun(this.name);
            this.#hints = 0;
            this.hints.replaceChildren();
            this.answer.replaceChildren();
            this.label();
            const undo = button("Undo", async () => {
                this.editor.set(before);
                this.say();
                if (this.guest) this.draft.changed();
                this.editor.focus();
                this.check.run();
            });
            this.say(make("p", { class: "wb-fields" }, `The starter is back${starter.kept ? `; yours is kept: ${starter.kept}` : ""}.`, undo));
            undo.focus();
            this.check.run();
        } catch (error) {
            this.failed(error);
        }
    }

    /** The worked answer, for who really wants it. */
    question() {
        const close = () => {
            this.say();
            this.solve.focus();
        };
        const show = async () => {
            try {
                const { text } = await ask("GET", `solution/${this.name}`);
                const code = make("code", { class: "language-cpp hljs", tabindex: "0" }, text.trimEnd());
                globalThis.hljs?.highlightBlock?.(code);
                this.answer.replaceChildren(make("details", { open: true }, make("summary", { tabindex: "0" }, "The worked answer"), make("pre", {}, code)));
                close();
                this.answer.querySelector("summary").focus();
            } catch (error) {
                this.say(make("p", { class: "wb-fault" }, error.message));
            }
        };
        const left = this.of - this.#hints;
        const words = left > 0 ? `${left} ${left === 1 ? "hint is" : "hints are"} left.` : this.of ? "You have seen all hints." : "There are no hints.";
        const no = button("Not yet", close);
        this.say(make("p", { class: "wb-fields" }, `${words} Show the worked answer?`, button("Show it", show), no));
        no.focus();
    }
}

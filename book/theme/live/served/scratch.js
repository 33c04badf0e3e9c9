// A kernel of the book as a scratch copy: edited on its page, compiled by the server, run by the simulator in this browser. It can be
// kept in the workbook; the book's own text stays as it is.

import { places } from "./checked.js";
import { EditedListing, Editor } from "./editor.js";
import { make } from "../make.js";
import { ask, job, kept, state } from "./server.js";

/** Milliseconds without a key after which a text is compiled. */
const PAUSE = 600;

const button = (words, click) => make("button", { type: "button", click }, words);

export class Scratch {
    #timer = null;
    #compiling = null;
    /** @type {string | null} the file's text, once it is known */
    original = null;

    /** @param {import("../run/panel.js").Panel} panel where the kernel runs */
    constructor(panel) {
        this.panel = panel;
        this.edit = button("✎ Edit", () => this.open());
        this.close = button("The book's again", () => this.shut());
        this.keep = button("Keep", () => this.putAway());
        this.says = make("p", { class: "wb-detail", role: "status" });
        this.place = make("div", { class: "wb-editor" });
        state.then((found) => {
            this.guest = found.role === "guest";
            panel.bar.insertBefore(this.edit, panel.state);
        }, () => {});
    }

    get key() {
        return `warpbook-scratch:${this.file}`;
    }

    /** The edited text, while there is one. */
    get text() {
        return this.editor?.text ?? null;
    }

    async open() {
        this.edit.disabled = true;
        try {
            const kernel = await this.panel.kernel();
            this.file = kernel.file;
            this.original ??= kernel.code.text;
            this.shown = this.panel.code(kernel).closest("pre");
            this.shown.hidden = true;
            this.shown.after(this.place);
            this.editor = await Editor.open(this.place, { text: kept.get(this.key) ?? kernel.code.text, label: `a copy of ${this.file}`, changed: () => this.changed(), run: () => this.compile() });
        } catch (error) {
            this.place.remove();
            if (this.shown) this.shown.hidden = false;
            this.panel.fail(error);
            return;
        } finally {
            this.edit.disabled = false;
        }
        this.edit.replaceWith(this.close);
        if (!this.guest) this.close.after(this.keep);
        this.panel.bar.after(this.says);
        this.panel.edited(await this.panel.kernel(), new EditedListing(this.editor));
        this.editor.focus();
        if (kept.get(this.key)) this.compile();
    }

    changed() {
        kept.set(this.key, this.editor.text === this.original ? null : this.editor.text);
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.compile(), PAUSE);
    }

    /** Compiles the text, and runs it. */
    async compile() {
        clearTimeout(this.#timer);
        this.#compiling?.abort("newer");
        const stop = new AbortController();
        this.#compiling = stop;
        this.panel.stop();
        const text = this.editor.text;
        try {
            const { kernel, told } = await job({ do: "compile", file: this.file, text }, (step) => (this.says.textContent = `${step} …`), stop.signal);
            if (stop.signal.aborted) return;
            this.says.textContent = "";
            if (kernel) {
                this.panel.edited(kernel, new EditedListing(this.editor));
                await this.panel.run();
            } else {
                this.editor.mark(places(told.report));
                this.panel.refused(told, this.editor);
            }
        } catch (error) {
            if (!stop.signal.aborted) this.says.textContent = error.message;
        } finally {
            if (this.#compiling === stop) this.#compiling = null;
        }
    }

    async putAway() {
        try {
            const { kept: where } = await ask("POST", "keep", { file: this.file, text: this.editor.text });
            this.says.replaceChildren("Kept: ", make("code", {}, where), "; ", make("code", {}, `checker run ${where}`), " runs it.");
        } catch (error) {
            this.says.textContent = error.message;
        }
    }

    /** The book's text again. What was typed stays in the browser: `Edit` shows it. */
    shut() {
        clearTimeout(this.#timer);
        this.#compiling?.abort("closed");
        this.editor.close();
        this.editor = null;
        this.place.replaceChildren();
        this.place.remove();
        this.shown.hidden = false;
        this.close.replaceWith(this.edit);
        this.keep.remove();
        this.says.remove();
        this.panel.edited(null, null);
        this.edit.focus();
    }
}

// The text of an exercise between the page and its kernel file, which the reader's own editor may write, too. Nothing is written over
// that this page has not seen, and nothing typed is lost: until it is written the browser keeps it, for each page by itself, because an
// exercise may be open in several.

import { ask, kept, page as own } from "./server.js";

/** Milliseconds without a key after which a text is written; and between looks at the file. */
const PAUSE = 600;
const LOOK = 1500;

export class Draft {
    #timer = null;
    #saving = null;
    #failed = false;
    /** Names of drafts whose text this page shows. */
    #shown = [];

    /**
     * @param {string} name the exercise
     * @param {boolean} guest in a class room the text stays in the browser
     * @param {{text: () => string, take: (text: string) => void, saved: () => void, conflict: (theirs: object) => void, trouble: (error: Error?) => void}} page
     */
    constructor(name, guest, page) {
        this.name = name;
        this.guest = guest;
        this.page = page;
        this.all = `warpbook-draft:${name}:`;
        this.key = this.all + own;
        this.seen = "";
        this.theirs = null;
    }

    /** The text to begin with. */
    async begin() {
        const file = await ask("GET", `kernel/${this.name}`);
        this.seen = file.hash;
        this.written = file.text;
        // Typed, and never written: the page was closed, or the disk was full. The last of them is shown.
        const [draft] = this.others();
        if (!draft) return file.text;
        this.#shown.push(draft.key);
        if (this.guest || draft.seen === file.hash) return draft.text;
        this.theirs = file;
        this.seen = draft.seen;
        return draft.text;
    }

    /** Texts that the browser keeps and nobody has written, which this page does not show; the newest first. */
    others() {
        const hidden = [this.key, ...this.#shown];
        const drafts = kept.names(this.all).filter((key) => !hidden.includes(key)).map((key) => ({ key, ...JSON.parse(kept.get(key)) }));
        return drafts.filter(({ text }) => text !== this.written).sort((a, b) => b.at - a.at);
    }

    /** This page shows it from now on. */
    adopt(draft) {
        this.#shown.push(draft.key);
    }

    /** Nobody wants it. */
    forget(draft) {
        kept.set(draft.key, null);
    }

    /** After `begin`, when the page shows its text. */
    follow() {
        if (this.guest) return;
        if (this.theirs) this.page.conflict(this.theirs);
        else if (this.page.text() !== this.written) this.save();
        const look = () => document.hidden || this.#look().catch((error) => this.page.trouble(error));
        setInterval(look, LOOK);
        document.addEventListener("visibilitychange", look);
        addEventListener("pagehide", () => this.dirty && this.#keep());
    }

    get dirty() {
        return this.page.text() !== this.written;
    }

    #keep() {
        kept.set(this.key, JSON.stringify({ text: this.page.text(), seen: this.seen, at: Date.now() }));
        this.#settle();
    }

    /** What was shown lives on in the page's own draft, or in the file. */
    #settle() {
        this.#shown.splice(0).forEach((key) => kept.set(key, null));
    }

    #done() {
        kept.set(this.key, null);
        this.#settle();
    }

    /** A key was pressed. */
    changed() {
        this.#keep();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.save().then((is) => is && this.page.saved(), () => {}), PAUSE);
    }

    /** Writes what is not written yet: is the file now what the page shows? `anyway`: over what somebody else wrote, which is kept. */
    async save(anyway = false) {
        clearTimeout(this.#timer);
        while (this.#saving) await this.#saving.catch(() => {});
        if (this.guest) {
            this.#keep();
            return true;
        }
        if (this.theirs && !anyway) return false;
        if (!this.dirty && !anyway) return true;
        this.#saving = this.#write(anyway);
        return this.#saving;
    }

    async #write(anyway) {
        const text = this.page.text();
        try {
            const answer = await ask("PUT", `kernel/${this.name}`, { text, seen: this.seen, anyway });
            if (answer.conflict) {
                this.theirs = answer.conflict;
                this.page.conflict(this.theirs);
                return false;
            }
            this.theirs = null;
            this.seen = answer.hash;
            this.written = text;
            this.kept = answer.kept;
            if (!this.dirty) this.#done();
            this.#failed = false;
            this.page.trouble(null);
            return true;
        } catch (error) {
            this.#failed = true;
            this.page.trouble(error);
            throw error;
        } finally {
            this.#saving = null;
        }
    }

    /** Has another editor written the file? */
    async #look() {
        if (this.#saving || this.theirs) return;
        if (this.#failed) return void (await this.save().then((is) => is && this.page.saved()));
        const seen = this.seen;
        const file = await ask("GET", `kernel/${this.name}`);
        // Something was written meanwhile: the next look sees it.
        if (this.#saving || this.theirs || this.seen !== seen || file.hash === seen) return;
        if (this.dirty) {
            this.theirs = file;
            this.page.conflict(file);
        } else {
            this.take(file);
            this.page.saved();
        }
    }

    /** Shows a text that the file has. */
    take({ text, hash }) {
        this.seen = hash;
        this.written = text;
        this.theirs = null;
        this.page.take(text);
        this.#done();
    }
}

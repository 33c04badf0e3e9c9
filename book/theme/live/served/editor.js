// An editor: CodeMirror, fetched when a reader first wants one.

import { short } from "../listing.js";
import { make } from "../make.js";

let loading = null;

/** Fetches the editor ahead. */
export function warm() {
    loading ??= import("./codemirror.js");
    loading.catch(() => (loading = null));
    return loading;
}

/** CUDA's own words, which C++ does not know. */
const WORDS = /\b(?:__(?:global|device|host|shared|constant|restrict|managed|forceinline|noinline|launch_bounds|grid_constant)__|(?:threadIdx|blockIdx|blockDim|gridDim)(?:\.[xyz])?|warpSize|__(?:syncthreads|syncwarp|threadfence)\w*)\b/g;

function dress({ EditorView, HighlightStyle, syntaxHighlighting, tags: t, Decoration, MatchDecorator, ViewPlugin }) {
    const style = HighlightStyle.define([
        { tag: [t.keyword, t.controlKeyword, t.modifier, t.operatorKeyword], color: "var(--s3)" },
        { tag: [t.number, t.bool, t.null], color: "var(--s1)" },
        { tag: [t.string, t.character], color: "var(--s2)" },
        { tag: [t.comment], color: "var(--wb-quiet)", fontStyle: "italic" },
        { tag: [t.typeName, t.standard(t.typeName)], color: "var(--s5)" },
        { tag: [t.processingInstruction, t.meta], color: "var(--s4)" },
        { tag: [t.function(t.definition(t.variableName))], fontWeight: "600" },
    ]);
    const marked = (regexp, className) => {
        const decorator = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: className }) });
        return ViewPlugin.define(
            (view) => ({ marks: decorator.createDeco(view), update(update) { this.marks = decorator.updateDeco(update, this.marks); } }),
            { decorations: (plugin) => plugin.marks },
        );
    };
    const theme = EditorView.theme({
        "&": { color: "var(--fg)", backgroundColor: "var(--bg)", border: "1px solid var(--wb-quiet)", borderRadius: "4px", fontSize: "0.82em" },
        "&.cm-focused": { outline: "2px solid var(--wb-accent)" },
        ".cm-scroller": { fontFamily: "var(--mono-font)", lineHeight: "1.45", maxHeight: "70vh" },
        ".cm-content": { caretColor: "var(--fg)" },
        ".cm-cursor": { borderLeftColor: "var(--fg)" },
        ".cm-gutters": { backgroundColor: "var(--wb-soft)", color: "var(--wb-quiet)", border: "0" },
        ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--wb-accent) 9%, transparent)" },
        "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--wb-accent) 30%, transparent)" },
        ".cm-cuda": { color: "var(--s0)" },
        ".cm-launch, .cm-launch *": { color: "var(--s4) !important", fontStyle: "normal !important" },
        ".cm-panels, .cm-tooltip": { backgroundColor: "var(--wb-soft)", color: "var(--fg)", border: "1px solid var(--wb-rule)" },
        ".cm-diagnostic": { whiteSpace: "pre-line" },
        ".cm-counts span": { display: "block", padding: "0 4px", textAlign: "right", background: "color-mix(in srgb, var(--s1) calc(var(--wb-heat, 0) * 26%), transparent)" },
        ".cm-now": { outline: "2px solid var(--wb-accent)", outlineOffset: "-1px" },
    });
    return [syntaxHighlighting(style), theme, marked(WORDS, "cm-cuda"), marked(/^\s*\/\/@.*/g, "cm-launch")];
}

export class Editor {
    /**
     * @param {HTMLElement} host where it goes
     * @param {{text: string, label: string, changed: () => void, run: () => void}} wish
     */
    static async open(host, wish) {
        return new Editor(await warm(), host, wish);
    }

    constructor(parts, host, { text, label, changed, run }) {
        const { EditorState, EditorView, keymap, Annotation } = parts;
        this.parts = parts;
        this.crlf = text.includes("\r\n");
        this.foreign = Annotation.define();
        this.counts = new parts.Compartment();
        this.runs = parts.StateEffect.define();
        this.Count = class extends parts.GutterMarker {
            constructor(count, share) {
                super();
                Object.assign(this, { count, share });
            }

            toDOM() {
                return make("span", { style: `--wb-heat: ${this.share ? 0.12 + 0.88 * this.share : 0}` }, short(this.count));
            }
        };
        const running = parts.StateField.define({
            create: () => parts.Decoration.none,
            update: (marks, transaction) => {
                const told = transaction.effects.find((effect) => effect.is(this.runs));
                if (!told) return marks.map(transaction.changes);
                return told.value == null ? parts.Decoration.none : parts.Decoration.set([parts.Decoration.line({ class: "cm-now" }).range(told.value)]);
            },
            provide: (field) => EditorView.decorations.from(field),
        });
        const help = make("p", { class: "wb-caption", id: `wb-keys-${Math.random().toString(36).slice(2)}` }, "Ctrl-Enter checks, F8 goes to the next mark; Esc and then Tab leaves the editor.");
        host.append(help);
        this.view = new EditorView({
            doc: text,
            parent: host,
            extensions: [
                parts.lineNumbers(), parts.lintGutter(), parts.history(), parts.highlightSpecialChars(), parts.drawSelection(), parts.indentOnInput(), parts.bracketMatching(),
                parts.highlightActiveLine(), parts.highlightActiveLineGutter(), parts.highlightSelectionMatches(), parts.search({ top: true }), parts.indentUnit.of("    "),
                parts.cpp(), dress(parts), EditorView.lineWrapping, this.counts.of([]), running,
                EditorState.allowMultipleSelections.of(true),
                EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": help.id, autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
                keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, ...parts.lintKeymap, ...parts.searchKeymap, ...parts.historyKeymap, parts.indentWithTab, ...parts.defaultKeymap]),
                EditorView.updateListener.of((update) => {
                    const foreign = update.transactions.some((transaction) => transaction.annotation(this.foreign));
                    if (update.docChanged && !foreign) changed();
                }),
            ],
        });
        host.append(help);
    }

    get text() {
        const text = this.view.state.doc.toString();
        return this.crlf ? text.replaceAll("\n", "\r\n") : text;
    }

    /** Another text in its place; undo brings back what was there. Of equal parts nothing changes, so that the cursor stays. */
    set(text) {
        const old = this.view.state.doc.toString();
        this.crlf = text.includes("\r\n");
        const next = text.replace(/\r\n?/g, "\n");
        if (old === next) return;
        let from = 0;
        while (from < old.length && old[from] === next[from]) from += 1;
        let end = 0;
        while (end < Math.min(old.length, next.length) - from && old.at(-1 - end) === next.at(-1 - end)) end += 1;
        this.view.dispatch({
            changes: { from, to: old.length - end, insert: next.slice(from, next.length - end) },
            annotations: [this.foreign.of(true), this.parts.Transaction.addToHistory.of(true)],
            userEvent: "input.replace",
        });
    }

    /** Marks places: line and column from 1, how many characters, how grave, and what is to be said. */
    mark(places) {
        const { doc } = this.view.state;
        const diagnostics = places.filter(({ line }) => line >= 1 && line <= doc.lines).map(({ line, column, length, severity, message }) => {
            const of = doc.line(line);
            const indent = of.length - of.text.trimStart().length;
            const from = Math.min(of.from + (column ? column - 1 : indent), of.to);
            const word = column && !length ? /^\w*/.exec(of.text.slice(column - 1))[0].length : length;
            const to = word ? Math.min(from + word, of.to) : of.to;
            return { from, to: Math.max(to, from), severity, message };
        });
        this.view.dispatch(this.parts.setDiagnostics(this.view.state, diagnostics));
    }

    /** Goes to a line. */
    show(line) {
        const { doc } = this.view.state;
        const at = doc.line(Math.max(1, Math.min(line, doc.lines)));
        this.view.dispatch({ selection: { anchor: at.from }, effects: this.parts.EditorView.scrollIntoView(at.from, { y: "center" }) });
        this.focus();
    }

    /** Marks the line that runs; 0: none. */
    now(line) {
        const { doc } = this.view.state;
        this.view.dispatch({ effects: this.runs.of(line >= 1 && line <= doc.lines ? doc.line(line).from : null) });
    }

    /** Counts beside the lines. */
    beside(counts) {
        const most = Math.max(1, ...Object.values(counts ?? {}));
        const marker = (line) => counts?.[line] && new this.Count(counts[line], counts[line] / most);
        const { doc } = this.view.state;
        const column = this.parts.gutter({
            class: "cm-counts",
            lineMarker: (view, block) => marker(view.state.doc.lineAt(block.from).number) || null,
            initialSpacer: () => new this.Count(most, 0),
        });
        this.view.dispatch({ effects: this.counts.reconfigure(counts && doc.lines > 0 ? column : []) });
    }

    focus() {
        this.view.focus();
    }

    close() {
        this.view.destroy();
    }
}

/** An editor where a run marks a listing's lines. */
export class EditedListing {
    constructor(editor) {
        this.editor = editor;
        this.clear();
    }

    clear() {
        this.marks = [];
        this.editor.mark([]);
        this.now(0);
    }

    mark(line, message) {
        this.marks.push({ line, severity: "error", message: message || "here" });
        this.editor.mark(this.marks);
    }

    show(line) {
        this.editor.show(line);
    }

    text(line) {
        return this.editor.text.split("\n")[line - 1] ?? "";
    }

    now(line) {
        this.editor.now(line);
    }

    heat(counts) {
        this.editor.beside(counts);
    }
}

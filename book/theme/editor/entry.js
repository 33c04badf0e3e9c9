// What the book's pages need of CodeMirror; book/theme/live/editor.js puts it together.
export { defaultKeymap, history, historyKeymap, indentWithTab, undo } from "@codemirror/commands";
export { cpp } from "@codemirror/lang-cpp";
export { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export { Annotation, Compartment, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
export {
    Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, MatchDecorator, ViewPlugin,
} from "@codemirror/view";
export { tags } from "@lezer/highlight";

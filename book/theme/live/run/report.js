// A report drawn: verdict, reasons with their places, what was counted.

import { grouped, make } from "../make.js";

const number = (value) => (value == null ? "" : Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(4))));

/** Reasons shown at once: the first of a kind says most. */
const SHOWN = 2;

/** A place in the listing as a button that goes there, in words elsewhere. */
function place(excerpt, file, listing) {
    const words = `line ${excerpt.line}: ${excerpt.label || "here"}`;
    if (excerpt.file !== file) return make("li", {}, `${excerpt.file}, ${words}`);
    return make("li", {}, make("button", { type: "button", class: "wb-place", click: () => listing.show(excerpt.line) }, words));
}

/** One of a report's reasons, with its places. */
export function reason(reason, file, listing) {
    return make(
        "div",
        { class: "wb-reason" },
        make("p", {}, make("strong", {}, reason.text)),
        reason.excerpts.length > 0 && make("ul", {}, reason.excerpts.map((excerpt) => place(excerpt, file, listing))),
        reason.details.map((text) => make("p", { class: "wb-detail" }, text)),
    );
}

function outputs(report) {
    if (report.outputs.length === 0) return null;
    const rows = report.outputs.map((output) =>
        make("tr", {}, make("th", { scope: "row" }, `${output.name}: ${output.dtype}[${grouped(output.len)}]`), make("td", {}, output.head.join("  ") + (output.len > output.head.length ? " …" : ""))));
    return make("table", { class: "wb-outputs" }, make("tbody", {}, rows));
}

function table(report) {
    const rows = report.table.filter((row) => !row.detail);
    if (rows.length === 0) return null;
    return make(
        "table",
        { class: "wb-counts" },
        make("tbody", {}, rows.map((row) =>
            make("tr", {}, make("th", { scope: "row" }, row.quantity), make("td", {}, `${number(row.candidate)}${row.unit ? ` ${row.unit}` : ""}`)))),
    );
}

/** The sides of a finding that a trace can go to: whose lane, at which line. */
export function sides({ first, second, access, place }, shape) {
    const of = (place, address, what) => {
        const linear = ([x, y, z], [w, h]) => x + w * (y + h * z);
        const thread = linear(place.thread, shape.block);
        return { what, block: linear(place.block, shape.grid), warp: Math.floor(thread / 32), lane: thread % 32, line: place.line, address };
    };
    const both = [first, second].filter(Boolean).map((side) => of(side.place, side.address, side.what));
    return both.length > 0 || !(place?.line > 0) ? both : [of(place, access?.address, access?.what ?? "here")];
}

/** Buttons that lead to the steps of the gravest finding. */
function steps(told, visit) {
    const [finding] = told.report.findings;
    if (!finding || told.shapes.length === 0) return null;
    // A finding does not say which launch it is of: that of its own launch line is tried where several differ.
    const found = sides(finding, told.shapes[0]);
    if (found.length === 0) return null;
    return make("p", { class: "wb-fields" }, "Go to the step:", found.map((side) =>
        make("button", { type: "button", click: () => visit(found, side) }, `${side.what} by lane ${side.lane}, line ${side.line}`)));
}

function shortest(order, replay) {
    if (!order) return null;
    return make(
        "div",
        { class: "wb-shortest" },
        make("p", {}, make("strong", {}, order.minimal ? "The shortest order that fails" : "A short order that fails")),
        make("ol", {}, order.steps.map((step) => make("li", {}, step))),
        make("p", {}, make("code", {}, `--witness ${order.witness}`), " ", make("button", { type: "button", click: () => replay(order.witness) }, "Replay it")),
    );
}

/** Counts beside the listing's lines: which one is chosen here. */
function heat(told, listing) {
    if (told.heat.length === 0) return null;
    const select = make(
        "select",
        { change: () => listing.heat(told.heat[Number(select.value)]?.lines) },
        told.heat.map((one, index) => make("option", { value: String(index) }, one.words)),
        make("option", { value: "" }, "nothing"),
    );
    listing.heat(told.heat[0].lines);
    return make("label", { class: "wb-field" }, make("span", {}, "beside the lines"), select);
}

/**
 * @param {object} told the simulator's answer
 * @param {import("../listing.js").Listing} listing
 * @param {{replay: (witness: string) => void, visit: (sides: object[], side: object) => void}} act
 */
export function draw(told, listing, { replay, visit }) {
    const { report } = told;
    const file = report.versions[0].file;
    listing.clear();
    listing.heat(null);
    for (const { excerpts } of report.reasons) {
        for (const excerpt of excerpts) if (excerpt.file === file) listing.mark(excerpt.line, excerpt.label);
    }
    const right = report.stages.find((stage) => stage.name === "results" && stage.status === "passed");
    return [
        right && make("p", {}, `${right.summary}: the same as the oracle`),
        report.reasons.slice(0, SHOWN).map((one) => reason(one, file, listing)),
        report.reasons.length > SHOWN && make(
            "details",
            {},
            make("summary", {}, `${report.reasons.length - SHOWN} more`),
            report.reasons.slice(SHOWN).map((one) => reason(one, file, listing)),
        ),
        report.try_first && make("p", {}, report.try_first),
        steps(told, visit),
        shortest(report.shortest_order, replay),
        outputs(report),
        report.printf && make("pre", { class: "wb-printf", tabindex: "0", "aria-label": "what the kernel printed" }, report.printf),
        make("div", { class: "wb-fields" }, heat(told, listing)),
        table(report),
        report.notes.map((note) => make("p", { class: "wb-detail" }, note)),
        report.repeat && make("p", { class: "wb-caption" }, "The same in a terminal: ", make("code", {}, report.repeat)),
    ].flat();
}

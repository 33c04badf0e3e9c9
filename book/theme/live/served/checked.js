// A check's report drawn: the verdict's reasons, goals that turn green, the comparison, machine code.

import { grouped, make } from "../make.js";

const SIGNS = { met: ["✓", "met"], "not-met": ["✗", "not met"], "not-judged": ["·", "not judged here"], passed: ["✓", "passed"], failed: ["✗", "failed"], skipped: ["·", "skipped"] };
/** Verdicts that ask for more rather than find a fault. */
const SOFT = ["not-yet"];
/** Reasons, and places of one, that are shown at once. */
const SHOWN = 3;

/** Stages in words, where their name is not. */
const STAGES = { sass: "machine code", counters: "counts" };

/** Text in which what stands between backticks is code. */
const words = (text) => text.split(/`([^`]*)`/).map((part, index) => (index % 2 ? make("code", {}, part) : part));

const sign = (status) => make("span", { class: "wb-sign", role: "img", "aria-label": SIGNS[status][1] }, SIGNS[status][0]);

const number = (value) => (value == null ? "–" : Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(4))));

/** The name of the candidate's file in a report. */
const own = (report) => report.versions.at(-1)?.file;

/** The places of a report in the text that was checked, for an editor. */
export function places(report) {
    const file = own(report);
    return report.reasons.flatMap((reason) => {
        const severity = SOFT.includes(reason.verdict) ? "warning" : "error";
        return reason.excerpts
            .filter((excerpt) => excerpt.file === file)
            .map(({ line, column, length, label }) => ({ line, column, length, severity, message: label ? `${reason.text}\n${label}` : reason.text }));
    });
}

function reason(reason, file, show) {
    const at = reason.excerpts.slice(0, SHOWN).map((excerpt) => {
        const words = `line ${excerpt.line}${excerpt.label ? `: ${excerpt.label}` : ""}`;
        const here = excerpt.file === file;
        return make("li", {}, here ? make("button", { type: "button", class: "wb-place", click: () => show(excerpt.line) }, words) : `${excerpt.file}, ${words}`);
    });
    return make(
        "div",
        { class: "wb-reason" },
        make("p", {}, make("strong", {}, words(reason.text))),
        at.length > 0 && make("ul", {}, at),
        reason.details.map((text) => make("p", { class: "wb-detail" }, words(text))),
    );
}

function goals(report, show) {
    if (report.goals.length === 0) return null;
    const at = (goal) => {
        const reason = report.reasons.find((reason) => reason.verdict === "not-yet" && reason.text.includes(goal.quantity) && reason.excerpts.length > 0);
        const place = reason?.excerpts.find((excerpt) => excerpt.file === own(report));
        return goal.status === "not-met" && place && make("button", { type: "button", class: "wb-place", click: () => show(place.line) }, `line ${place.line}`);
    };
    const values = ({ baseline_text: before, value_text: now }) => (now == null ? "" : before == null ? now : `${before} → ${now}`);
    const order = ["not-met", "met", "not-judged"];
    const sorted = report.goals.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
    const met = report.goals.filter((goal) => goal.status === "met").length;
    const judged = report.goals.filter((goal) => goal.status !== "not-judged").length;
    return make(
        "div",
        {},
        make("p", {}, make("strong", {}, `Goals: ${met} of ${judged} met`), judged < report.goals.length && `, ${report.goals.length - judged} not judged here`),
        make("ul", { class: "wb-goals" }, sorted.map((goal) =>
            make("li", { "data-status": goal.status, title: goal.why }, sign(goal.status), " ", words(goal.quantity), " ", make("b", {}, values(goal)), make("span", { class: "wb-detail" }, ` ${goal.demand}`), " ", at(goal)))),
    );
}

const from = (provenance) => ({ simulated: "counted", compiler: "compiler", measured: `measured on ${provenance.device}`, recorded: `recorded on ${provenance.device}` })[provenance.source];

/** @param {string} whose what was recorded, where nothing was measured now */
function time(speedup, whose) {
    if (!speedup) return null;
    const x = (value) => `${value.toFixed(2)}×`;
    const shown = `${x(speedup.ratio)}, 99 % between ${x(speedup.low)} and ${x(speedup.high)}, ${grouped(speedup.samples)} pairs of runs`;
    // What was measured elsewhere and earlier is no result of now, and no verdict on this kernel.
    if (speedup.provenance.source !== "measured") return make("p", {}, `${whose}, ${from(speedup.provenance)}: ${shown}`);
    return make("p", {}, make("strong", {}, speedup.verdict), `, ${from(speedup.provenance)}: ${shown}`);
}

function table(report) {
    const rows = report.table.filter((row) => !row.detail);
    if (rows.length === 0) return null;
    const labels = report.versions.map((version) => version.label);
    const unit = (row) => (row.unit ? ` ${row.unit}` : "");
    return make(
        "details",
        { open: report.speedup != null },
        make("summary", {}, "The numbers side by side"),
        make("table", { class: "wb-counts" },
            make("thead", {}, make("tr", {}, make("th", { scope: "col" }, ""), labels.map((label) => make("th", { scope: "col" }, label)), make("th", { scope: "col" }, "from"))),
            make("tbody", {}, rows.map((row) =>
                make("tr", {}, make("th", { scope: "row" }, words(row.quantity)), make("td", {}, number(row.baseline) + unit(row)), make("td", {}, number(row.candidate) + unit(row)), make("td", { class: "wb-detail" }, from(row.provenance)))))),
    );
}

function code(diff, show) {
    if (!diff || diff.lines.length === 0) return null;
    const signs = { same: " ", removed: "-", added: "+", skipped: " " };
    const classes = { removed: "gone", added: "new", skipped: "skip" };
    const rows = diff.lines.map(({ change, text, line }) => {
        const row = make("div", { class: classes[change] ?? false }, `${signs[change]} ${text}`);
        if (line && change === "added") row.append(" ", make("button", { type: "button", class: "wb-place", click: () => show(line) }, `line ${line}`));
        return row;
    });
    return make(
        "details",
        {},
        make("summary", {}, `Machine code for ${diff.arch}: ${diff.removed} instructions gone, ${diff.added} new`),
        make("pre", { class: "wb-diff", tabindex: "0", "aria-label": "difference of the machine code" }, rows),
    );
}

/**
 * @param {object} report as `checker NAME --json` has it
 * @param {{show: (line: number) => void, follow: (name: string) => string?}} act goes to a line; the address of an exercise
 */
export function draw(report, { show, follow }) {
    const told = report.reasons.filter((reason) => !SOFT.includes(reason.verdict) || report.goals.length === 0);
    const next = report.next && /^checker (ex\w+)$/.exec(report.next.command)?.[1];
    const link = next && follow(next);
    return [
        make("p", { class: "wb-stages" }, report.stages.map((stage) => make("span", { "data-status": stage.status, title: stage.summary }, sign(stage.status), ` ${STAGES[stage.name] ?? stage.name} `))),
        told.slice(0, SHOWN).map((one) => reason(one, own(report), show)),
        told.length > SHOWN && make("details", {}, make("summary", {}, `${told.length - SHOWN} more`), told.slice(SHOWN).map((one) => reason(one, own(report), show))),
        goals(report, show),
        time(report.speedup ?? report.recorded, report.subject.kind === "exercise" ? "The worked answer" : "The optimised version"),
        report.try_first && make("p", {}, make("strong", {}, "Try first: "), words(report.try_first)),
        report.learned && report.verdict === "passed" && make("p", { class: "wb-learned" }, words(report.learned)),
        link && report.verdict === "passed" && make("p", {}, "Next: ", make("a", { href: link }, report.next.text)),
        table(report),
        code(report.diff, show),
        report.printf && make("pre", { class: "wb-printf", tabindex: "0", "aria-label": "what the kernel printed" }, report.printf),
        report.notes.map((note) => make("p", { class: "wb-detail" }, note)),
        report.repeat && make("p", { class: "wb-caption" }, "The same in a terminal: ", make("code", {}, report.repeat)),
    ].flat().filter(Boolean);
}

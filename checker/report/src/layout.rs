//! The order in which a report is told: verdict, reasons, what was checked, goals, and last what to do next, nearest to the
//! prompt. All that fits on one screen; the comparison, the machine code and the rest come with all the details.

use super::model::*;
use super::room::{BRIEF_ROWS, ROWS, Room};
use super::{
    Face, Pen, Tone, Verdict, diff, excerpt, goals, ladder, lines, orders, pad, schedules, stages, sweep, table, trace,
};
use system::text::Screen;

/// How much of the report to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Verdict, reasons and what to do next.
    Brief,
    /// What a reader needs, on one screen.
    Normal,
    /// Everything.
    Full,
}

/// The report as text.
pub fn render(report: &Report, face: Face, detail: Detail) -> Screen {
    match detail {
        Detail::Brief => brief(report, face),
        Detail::Full => full(report, face),
        // What is asked for (counts by line, a trace, a table) takes the rows that it takes.
        Detail::Normal if has_tables(report) => page(report, face, &Room::TWO),
        Detail::Normal => first_that_fits(|room| page(report, face, room), ROWS),
    }
}

/// As much as leaves room for a hint below it.
fn brief(report: &Report, face: Face) -> Screen {
    let part = |room: &Room| {
        let mut pen = Pen::new(face);
        head(&mut pen, report);
        reasons(&mut pen, report, room);
        printf(&mut pen, report, room);
        notes(&mut pen, report, room);
        ending(&mut pen, report);
        pen.gap();
        pen.finish()
    };
    first_that_fits(part, BRIEF_ROWS)
}

/// The most generous page of so many rows at most, else the thriftiest.
fn first_that_fits(page: impl Fn(&Room) -> Screen, rows: usize) -> Screen {
    let mut least = Screen::default();
    for room in &Room::STEPS {
        least = page(room);
        if least.lines().count() <= rows {
            break;
        }
    }
    least
}

/// Does the report have tables that are its point?
fn has_tables(report: &Report) -> bool {
    let ran = report.subject.kind == SubjectKind::File && report.verdict.is_good();
    let sweep = report.sweep.is_some() || report.recorded_sweep.is_some();
    ran || sweep || report.ladder.is_some() || !report.lines.is_empty() || !report.traces.is_empty()
}

/// One screen.
fn page(report: &Report, face: Face, room: &Room) -> Screen {
    let mut pen = Pen::new(face);
    head(&mut pen, report);
    stages::row(&mut pen, report);
    if !goals::tell_the_reasons(report) {
        reasons(&mut pen, report, room);
    }
    orders::write(&mut pen, report, room);
    orders::shortest(&mut pen, report);
    goals::write(&mut pen, report, room, false);
    table::speedups(&mut pen, report, Detail::Normal);
    sweep::write(&mut pen, report);
    ladder::write(&mut pen, report, Detail::Normal);
    if report.subject.kind == SubjectKind::File && report.verdict.is_good() {
        table::write(&mut pen, report, Detail::Normal);
        outputs(&mut pen, report);
        lines::launches(&mut pen, report);
    }
    lines::write(&mut pen, report, Detail::Normal);
    trace::write(&mut pen, report);
    printf(&mut pen, report, room);
    notes(&mut pen, report, room);
    ending(&mut pen, report);
    repeat(&mut pen, report, &left_out(report));
    pen.gap();
    pen.finish()
}

/// All there is.
fn full(report: &Report, face: Face) -> Screen {
    let (mut pen, room) = (Pen::new(face), &Room::ALL);
    head(&mut pen, report);
    if !goals::tell_the_reasons(report) {
        reasons(&mut pen, report, room);
    }
    stages::list(&mut pen, report);
    orders::write(&mut pen, report, room);
    orders::shortest(&mut pen, report);
    cases(&mut pen, report);
    sweep::write(&mut pen, report);
    ladder::write(&mut pen, report, Detail::Full);
    table::write(&mut pen, report, Detail::Full);
    table::speedups(&mut pen, report, Detail::Full);
    diff::write(&mut pen, report, Detail::Full);
    goals::write(&mut pen, report, room, true);
    outputs(&mut pen, report);
    lines::launches(&mut pen, report);
    lines::write(&mut pen, report, Detail::Full);
    trace::write(&mut pen, report);
    printf(&mut pen, report, room);
    notes(&mut pen, report, room);
    ending(&mut pen, report);
    repeat(&mut pen, report, &[]);
    pen.gap();
    pen.finish()
}

/// `{n: 1000, m: 3}` as "n = 1000, m = 3".
pub fn sizes(sizes: &Sizes) -> String {
    sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

fn head(pen: &mut Pen, report: &Report) {
    let tone = match report.verdict {
        verdict if verdict.is_good() => Tone::GoodBadge,
        Verdict::NotYet => Tone::WarnBadge,
        _ => Tone::BadBadge,
    };
    let badge =
        if pen.face.colour { format!(" {} ", report.verdict.label()) } else { report.verdict.label().to_owned() };
    let title = if report.subject.title.is_empty() { String::new() } else { format!("  {}", report.subject.title) };
    pen.blank();
    pen.line(&[
        (Tone::Text, "  "),
        (tone, &badge),
        (Tone::Text, "  "),
        (Tone::Strong, &report.subject.name),
        (Tone::Text, &title),
    ]);
    pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, &machine(report));
}

fn machine(report: &Report) -> String {
    match &report.machine {
        RanOn::Gpu { device, driver } => format!("on {device}, driver {driver}"),
        RanOn::Sim { schedules } if schedules.is_empty() => "nothing was run".to_owned(),
        RanOn::Sim { schedules } => format!("on the simulator, {}", schedules::told(schedules)),
    }
}

fn reasons(pen: &mut Pen, report: &Report, room: &Room) {
    let mut short = false;
    for (index, reason) in report.reasons.iter().take(room.reasons).enumerate() {
        let whole = index < room.whole;
        // One-liners stand together.
        let now_short = !whole || (reason.excerpts.is_empty() && reason.details.is_empty());
        if !(short && now_short) {
            pen.gap();
        }
        short = now_short;
        let (tone, mark) = match reason.verdict {
            verdict if verdict.is_good() => (Tone::Good, pen.face.glyph("✓", "+")),
            Verdict::NotYet => (Tone::Warn, pen.face.glyph("✗", "x")),
            _ => (Tone::Bad, pen.face.glyph("✗", "x")),
        };
        pen.wrapped(&[(Tone::Text, "  "), (tone, mark), (Tone::Text, " ")], Tone::Strong, &reason.text);
        if !whole {
            continue;
        }
        for place in &reason.excerpts {
            excerpt::write(pen, place, tone, room.context);
        }
        let all = &reason.details;
        let (head, last) = match room.details {
            few if few >= 2 && few < all.len() => (few - 1, all.last()),
            few => (few, None),
        };
        for line in all.iter().take(head).chain(last) {
            pen.wrapped(&[(Tone::Text, "    ")], Tone::Text, line);
        }
    }
    let left = report.reasons.len().saturating_sub(room.reasons);
    if left > 0 {
        pen.line(&[(Tone::Dim, &format!("    and {left} more; --verbose shows {}", them(left)))]);
    }
}

fn cases(pen: &mut Pen, report: &Report) {
    if report.cases.is_empty() {
        return;
    }
    pen.heading("cases", "error as a fraction of its tolerance");
    for case in &report.cases {
        let tone = if case.verdict.is_good() { Tone::Good } else { Tone::Bad };
        let mark = if case.verdict.is_good() { pen.face.glyph("✓", "ok") } else { pen.face.glyph("✗", "x ") };
        let error = case.error.map(|error| format!("  {error:.3}")).unwrap_or_default();
        let text = pad(&sizes(&case.sizes), 30, false);
        pen.line(&[(Tone::Text, "  "), (tone, mark), (Tone::Text, " "), (Tone::Text, &text), (Tone::Dim, &error)]);
    }
}

fn outputs(pen: &mut Pen, report: &Report) {
    if report.outputs.is_empty() {
        return;
    }
    pen.heading("outputs", "");
    for output in &report.outputs {
        let mut head = output.head.join("  ");
        if output.len > output.head.len() as u64 {
            head.push_str(pen.face.glyph("  …", "  ..."));
        }
        let name = format!("{}: {}[{}]", output.name, output.dtype, output.len);
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Strong, &name), (Tone::Text, "  ")], Tone::Text, &head);
        let mut facts = Vec::new();
        for (label, value) in [("min", output.min), ("max", output.max), ("mean", output.mean)] {
            facts.extend(value.map(|value| format!("{label} {}", pen.face.number(value))));
        }
        if output.nans > 0 {
            facts.push(format!("{} NaN", output.nans));
        }
        if output.unwritten > 0 {
            facts.push(format!("{} never written", output.unwritten));
        }
        pen.wrapped(&[(Tone::Text, "    ")], Tone::Dim, &facts.join(", "));
    }
}

fn printf(pen: &mut Pen, report: &Report, room: &Room) {
    if report.printf.is_empty() || room.printf == 0 {
        return;
    }
    pen.heading("printf", "");
    let lines: Vec<&str> = report.printf.lines().collect();
    for line in lines.iter().take(room.printf) {
        pen.line(&[(Tone::Dim, pen.face.glyph("  │ ", "  | ")), (Tone::Text, line)]);
    }
    if lines.len() > room.printf {
        let all = if room.printf < Room::ALL.printf { "--verbose shows more" } else { "--json has them" };
        pen.line(&[(Tone::Dim, &format!("    and {} lines more; {all}", lines.len() - room.printf))]);
    }
}

/// So many things that are not shown, in one word.
fn them(count: usize) -> &'static str {
    if count == 1 { "it" } else { "them" }
}

fn notes(pen: &mut Pen, report: &Report, room: &Room) {
    let (mut left_out, mut left) = (Vec::new(), 0);
    if room.printf == 0 && !report.printf.is_empty() {
        left = report.printf.lines().count();
        left_out.push(format!("{left} {} of printf", if left == 1 { "line" } else { "lines" }));
    }
    let notes = report.notes.len().saturating_sub(room.notes);
    match notes {
        0 => {}
        1 => left_out.push("1 more note".to_owned()),
        many => left_out.push(format!("{many} more notes")),
    }
    if report.notes.is_empty() && left_out.is_empty() {
        return;
    }
    pen.gap();
    for note in report.notes.iter().take(room.notes) {
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Warn, "note"), (Tone::Text, "  ")], Tone::Text, note);
    }
    if !left_out.is_empty() {
        pen.line(&[(Tone::Dim, &format!("  {}; --verbose shows {}", left_out.join(", "), them(left + notes)))]);
    }
}

/// Width of the labels at the end.
const fn label(report: &Report) -> usize {
    if report.try_first.is_some() { 11 } else { 9 }
}

fn ending(pen: &mut Pen, report: &Report) {
    pen.gap();
    if let Some(text) = &report.learned {
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Good, "learned  ")], Tone::Text, text);
    }
    if let Some(text) = &report.try_first {
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Warn, "try first  ")], Tone::Text, text);
    }
    if let Some(next) = &report.next {
        pen.line(&[
            (Tone::Text, "  "),
            (Tone::Strong, &pad("next", label(report), false)),
            (Tone::Accent, &next.command),
            (Tone::Text, "  "),
            (Tone::Dim, &next.text),
        ]);
    }
}

const MORE: &str = "--verbose: more";

/// How to see the same again, and how to see what is `left_out` here, as far as there is room for that.
fn repeat(pen: &mut Pen, report: &Report, left_out: &[&str]) {
    let ran = !matches!(&report.machine, RanOn::Sim { schedules } if schedules.is_empty());
    let command = orders::repeat(report);
    let (label, command) = match (ran && !command.is_empty(), left_out) {
        (true, _) => ("repeat", command),
        (false, []) => return,
        (false, _) => ("more", ""),
    };
    let label = pad(label, self::label(report), false);
    let blanks = if left_out.is_empty() || command.is_empty() { "" } else { "   " };
    let used = 2 + label.len() + command.len() + blanks.len();
    let more = match (left_out, format!("--verbose: {}", left_out.join(", "))) {
        ([], _) => String::new(),
        (_, names) if used + names.len() <= pen.face.width => names,
        _ if used + MORE.len() <= pen.face.width => MORE.to_owned(),
        _ => String::new(),
    };
    pen.line(&[(Tone::Text, "  "), (Tone::Dim, &label), (Tone::Dim, command), (Tone::Dim, blanks), (Tone::Dim, &more)]);
}

/// What there is beyond one screen.
fn left_out(report: &Report) -> Vec<&'static str> {
    let all = [
        (!report.table.is_empty() && !has_tables(report), "counts"),
        (report.diff.is_some(), "machine code"),
        (!report.goals.is_empty(), "why each goal"),
        (report.cases.len() > 1, "sizes"),
        (report.reasons.len() > 1 && !goals::tell_the_reasons(report), "all reasons"),
    ];
    all.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect()
}

//! The order in which a report is told: verdict, reasons, what was checked, the comparison, the machine code, goals,
//! and last what to do next, nearest to the prompt.

use super::model::*;
use super::{Face, Pen, Tone, Verdict, diff, excerpt, ladder, lines, pad, sweep, table, trace};
use system::text::Screen;

/// How much of the report to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Verdict, reasons and what to do next.
    Brief,
    /// What a reader needs.
    Normal,
    /// Everything.
    Full,
}

/// The report as text.
pub fn render(report: &Report, face: Face, detail: Detail) -> Screen {
    let mut pen = Pen::new(face);
    pen.gap();
    head(&mut pen, report);
    reasons(&mut pen, report, detail);
    if detail > Detail::Brief {
        stages(&mut pen, report);
        orders(&mut pen, report);
        shortest_order(&mut pen, report);
        if detail == Detail::Full {
            cases(&mut pen, report);
        }
        sweep::write(&mut pen, report);
        ladder::write(&mut pen, report);
        table::write(&mut pen, report, detail);
        diff::write(&mut pen, report, detail);
        goals(&mut pen, report);
        outputs(&mut pen, report);
        lines::launches(&mut pen, report);
        lines::write(&mut pen, report, detail);
        trace::write(&mut pen, report);
    }
    printf(&mut pen, report);
    notes(&mut pen, report);
    ending(&mut pen, report, detail);
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
    pen.line(&[(Tone::Text, "  "), (Tone::Dim, &machine(report))]);
    if let [meaning] = report.meanings.as_slice() {
        pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, meaning);
    }
}

fn machine(report: &Report) -> String {
    match &report.machine {
        Machine::Gpu { device, driver } => format!("on {device}, driver {driver}"),
        Machine::Sim { schedules } => match schedules.as_slice() {
            [] => "nothing was run".to_owned(),
            [one] => format!("on the simulator, schedule {one}"),
            [first, more @ ..] => {
                // One kind is `adversarial:...`, another `pct:...`; of many only the number is said.
                let (adversarial, others): (Vec<_>, Vec<_>) =
                    more.iter().partition(|name| name.starts_with("adversarial"));
                let (random, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|name| name.starts_with("pct"));
                let mut names = vec![first.clone()];
                names.extend(others.into_iter().cloned());
                for (kind, of_kind) in [("adversarial ones", adversarial), ("with random priorities", random)] {
                    match of_kind.len() {
                        0..=2 => names.extend(of_kind.into_iter().cloned()),
                        many => names.push(format!("{many} {kind}")),
                    }
                }
                format!("on the simulator, schedules {}", names.join(", "))
            }
        },
    }
}

fn reasons(pen: &mut Pen, report: &Report, detail: Detail) {
    let shown = if detail == Detail::Full { report.reasons.len() } else { 2 };
    let mut short = false;
    for reason in report.reasons.iter().take(shown) {
        // One-liners stand together.
        let now_short = reason.excerpts.is_empty() && reason.details.is_empty();
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
        for place in &reason.excerpts {
            excerpt::write(pen, place, tone);
        }
        for line in &reason.details {
            pen.wrapped(&[(Tone::Text, "    ")], Tone::Text, line);
        }
    }
    let left = report.reasons.len().saturating_sub(shown);
    if left > 0 {
        pen.line(&[(Tone::Dim, &format!("    and {left} more; --verbose shows them"))]);
    }
}

fn stages(pen: &mut Pen, report: &Report) {
    if report.stages.is_empty() {
        return;
    }
    pen.gap();
    let width = report.stages.iter().map(|stage| stage.name.label().len()).max().unwrap_or(0);
    for stage in &report.stages {
        let (tone, mark) = match stage.status {
            StageStatus::Passed => (Tone::Good, pen.face.glyph("✓", "ok")),
            StageStatus::Failed => (Tone::Bad, pen.face.glyph("✗", "x ")),
            StageStatus::Skipped => (Tone::Dim, pen.face.glyph("·", "--")),
        };
        let text = if stage.status == StageStatus::Skipped { Tone::Dim } else { Tone::Text };
        let name = pad(stage.name.label(), width, false);
        let first = [(Tone::Text, "  "), (tone, mark), (Tone::Text, " "), (text, name.as_str()), (Tone::Text, "  ")];
        pen.wrapped(&first, text, &stage.summary);
    }
}

/// Orders that are shown one by one; of more only those that fail, and as many of these.
const ORDERS: usize = 8;

/// Which orders of execution are right and which are not.
fn orders(pen: &mut Pen, report: &Report) {
    if report.orders.len() < 2 {
        return;
    }
    let good = report.orders.iter().filter(|order| order.verdict.is_good()).count();
    let untried = match report.untried.len() {
        0 => String::new(),
        untried => format!(", {untried} not tried"),
    };
    pen.heading("schedules", &format!("{good} of {} clean{untried}", report.orders.len()));
    // A single one stands at the top.
    for line in report.meanings.iter().filter(|_| report.meanings.len() > 1) {
        pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, line);
    }
    let few = report.orders.len() <= ORDERS;
    let shown: Vec<&Order> =
        report.orders.iter().filter(|order| few || !order.verdict.is_good()).take(ORDERS).collect();
    let width = shown.iter().map(|order| order.schedule.len()).max().unwrap_or(0);
    for order in &shown {
        let good = order.verdict.is_good();
        let tone = if good { Tone::Good } else { Tone::Bad };
        let mark = if good { pen.face.glyph("✓", "ok") } else { pen.face.glyph("✗", "x ") };
        let name = pad(&order.schedule, width, false);
        let verdict = if good { String::new() } else { format!("  {}", order.verdict.label().to_lowercase()) };
        pen.line(&[(Tone::Text, "  "), (tone, mark), (Tone::Text, " "), (Tone::Text, &name), (tone, &verdict)]);
    }
    let left = report.orders.len() - good - shown.iter().filter(|order| !order.verdict.is_good()).count();
    if left > 0 {
        pen.line(&[(Tone::Dim, &format!("  and {left} more that fail"))]);
    }
    // The others' commands differ in the schedule's name only.
    if let Some(failed) = report.orders.iter().find(|order| !order.verdict.is_good()) {
        pen.line(&[(Tone::Dim, "  repeat one  "), (Tone::Dim, &failed.repeat)]);
    }
}

/// The shortest order that fails, in words.
fn shortest_order(pen: &mut Pen, report: &Report) {
    let Some(order) = &report.shortest_order else { return };
    let known = if order.minimal { "nothing can be left out" } else { "the shortest that was found" };
    pen.heading("an order that shows it", known);
    for step in &order.steps {
        pen.wrapped(&[(Tone::Text, "  ")], Tone::Text, step);
    }
    pen.line(&[(Tone::Text, "  "), (Tone::Dim, &order.repeat)]);
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

fn goals(pen: &mut Pen, report: &Report) {
    if report.goals.is_empty() {
        return;
    }
    let met = report.goals.iter().filter(|goal| goal.status == GoalStatus::Met).count();
    let judged = report.goals.iter().filter(|goal| goal.status != GoalStatus::NotJudged).count();
    let left = match report.goals.len() - judged {
        0 => String::new(),
        left => format!(", {left} not judged here"),
    };
    pen.heading("goals", &format!("{met} of {judged} met{left}"));
    let width = report.goals.iter().map(|goal| goal.text.chars().count()).max().unwrap_or(0).min(44);
    for goal in &report.goals {
        let (tone, mark) = match goal.status {
            GoalStatus::Met => (Tone::Good, pen.face.glyph("✓", "ok")),
            GoalStatus::NotMet => (Tone::Bad, pen.face.glyph("✗", "x ")),
            GoalStatus::NotJudged => (Tone::Dim, pen.face.glyph("·", "--")),
        };
        let value = match (goal.status, &goal.value_text, &goal.baseline_text) {
            (GoalStatus::NotJudged, ..) | (_, None, _) => String::new(),
            (_, Some(value), Some(baseline)) => format!("{baseline} {} {value}", pen.face.glyph("→", "->")),
            (_, Some(value), None) => value.clone(),
        };
        let text = pad(&goal.text, width, false);
        pen.line(&[
            (Tone::Text, "  "),
            (tone, mark),
            (Tone::Text, " "),
            (if goal.status == GoalStatus::NotJudged { Tone::Dim } else { Tone::Text }, &text),
            (Tone::Text, "  "),
            (Tone::Strong, &value),
        ]);
        if !goal.why.is_empty() {
            pen.wrapped(&[(Tone::Text, "    ")], Tone::Dim, &goal.why);
        }
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

fn printf(pen: &mut Pen, report: &Report) {
    if report.printf.is_empty() {
        return;
    }
    pen.heading("printf", "");
    let shown = 20;
    let lines: Vec<&str> = report.printf.lines().collect();
    for line in lines.iter().take(shown) {
        pen.line(&[(Tone::Dim, pen.face.glyph("  │ ", "  | ")), (Tone::Text, line)]);
    }
    if lines.len() > shown {
        pen.line(&[(Tone::Dim, &format!("    and {} lines more; --json has them", lines.len() - shown))]);
    }
}

fn notes(pen: &mut Pen, report: &Report) {
    if report.notes.is_empty() {
        return;
    }
    pen.gap();
    for note in &report.notes {
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Warn, "note"), (Tone::Text, "  ")], Tone::Text, note);
    }
}

fn ending(pen: &mut Pen, report: &Report, detail: Detail) {
    pen.gap();
    if let Some(text) = &report.learned {
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Good, "learned  ")], Tone::Text, text);
    }
    if let Some(text) = &report.try_first {
        pen.wrapped(&[(Tone::Text, "  "), (Tone::Warn, "try first  ")], Tone::Text, text);
    }
    if let Some(next) = &report.next {
        let label = pad("next", if report.try_first.is_some() { 11 } else { 9 }, false);
        pen.line(&[
            (Tone::Text, "  "),
            (Tone::Strong, &label),
            (Tone::Accent, &next.command),
            (Tone::Text, "  "),
            (Tone::Dim, &next.text),
        ]);
    }
    let ran = !matches!(&report.machine, Machine::Sim { schedules } if schedules.is_empty());
    if ran && !report.repeat.is_empty() && detail > Detail::Brief {
        let label = pad("repeat", if report.try_first.is_some() { 11 } else { 9 }, false);
        pen.line(&[(Tone::Text, "  "), (Tone::Dim, &label), (Tone::Dim, &report.repeat)]);
    }
    pen.gap();
}

//! Orders of execution that were tried, and the shortest one that fails.

use crate::model::*;
use crate::room::Room;
use crate::{Pen, Tone, pad};

/// Orders that are shown one by one; of more only those that fail, and as many of these.
const SHOWN: usize = 8;

/// Which orders of execution are right and which are not.
pub fn write(pen: &mut Pen, report: &Report, room: &Room) {
    if report.orders.len() < 2 {
        return;
    }
    let good = report.orders.iter().filter(|order| order.verdict.is_good()).count();
    let untried = match report.untried.len() {
        0 => String::new(),
        untried => format!(", {untried} not tried"),
    };
    let clean = format!("{good} of {} clean{untried}", report.orders.len());
    if room.orders {
        pen.heading("schedules", &clean);
        return one_by_one(pen, report, good);
    }
    let failed: Vec<&str> =
        report.orders.iter().filter(|order| !order.verdict.is_good()).map(|order| order.schedule.as_str()).collect();
    let named = failed[..failed.len().min(2)].join(", ");
    let text = match failed.len() {
        0 => clean,
        1 | 2 => format!("{clean}, not {named}"),
        many => format!("{clean}, not {named} and {} more", many - 2),
    };
    pen.gap();
    pen.wrapped(&[(Tone::Text, "  "), (Tone::Strong, "schedules  ")], Tone::Text, &text);
}

/// The command that repeats the run: of several orders the first that fails. The others' differ in the schedule's name only.
pub fn repeat(report: &Report) -> &str {
    let failed = report.orders.iter().find(|order| report.orders.len() > 1 && !order.verdict.is_good());
    failed.map_or(&report.repeat, |order| &order.repeat)
}

fn one_by_one(pen: &mut Pen, report: &Report, good: usize) {
    // A single one stands at the top.
    for line in report.meanings.iter().filter(|_| report.meanings.len() > 1) {
        pen.wrapped(&[(Tone::Text, "  ")], Tone::Dim, line);
    }
    let few = report.orders.len() <= SHOWN;
    let shown: Vec<&TriedOrder> =
        report.orders.iter().filter(|order| few || !order.verdict.is_good()).take(SHOWN).collect();
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
}

/// The shortest order that fails, in words.
pub fn shortest(pen: &mut Pen, report: &Report) {
    let Some(order) = &report.shortest_order else { return };
    let known = if order.minimal { "nothing can be left out" } else { "the shortest that was found" };
    pen.heading("an order that shows it", known);
    for step in &order.steps {
        pen.wrapped(&[(Tone::Text, "  ")], Tone::Text, step);
    }
    pen.line(&[(Tone::Text, "  "), (Tone::Dim, &order.repeat)]);
}

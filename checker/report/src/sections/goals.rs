//! Goals: each a row with its name, from what to what, and what is asked; a goal's numbers stand here and nowhere else.

use crate::model::*;
use crate::room::Room;
use crate::{Pen, Tone, excerpt, pad};
use console::measure_text_width;

/// A goal's row, before widths are known.
struct Line<'r> {
    goal: &'r GoalResult,
    name: &'r str,
    values: String,
    demand: String,
    /// The same where there is little room: how a bound comes about says again what stands before it.
    shorter: String,
    /// What speaks against it, with its places.
    reason: Option<&'r Reason>,
}

/// Are the report's reasons its goals that are not met? Then they are told as goals.
pub fn tell_the_reasons(report: &Report) -> bool {
    unmet(report).count() > 0 && report.reasons.iter().all(|reason| reason.verdict == crate::Verdict::NotYet)
}

fn unmet(report: &Report) -> impl Iterator<Item = &GoalResult> {
    report.goals.iter().filter(|goal| goal.status == GoalStatus::NotMet)
}

/// Writes the goals: those that are not met first, with their places, then the others. `whys`: with each the reason why it
/// is asked for.
pub fn write(pen: &mut Pen, report: &Report, room: &Room, whys: bool) {
    if report.goals.is_empty() {
        return;
    }
    let (met, judged) = met(report);
    let left = match report.goals.len() - judged {
        0 => String::new(),
        left => format!(", {left} not judged here"),
    };
    let labels: Vec<&str> = report.versions.iter().map(|version| version.label.as_str()).collect();
    let remark = format!("{met} of {judged} met{left}; {}", labels.join(pen.face.glyph(" → ", " -> ")));
    pen.heading("goals", &remark);
    let told = tell_the_reasons(report);
    let mut reasons = report.reasons.iter();
    let mut lines: Vec<Line<'_>> = report
        .goals
        .iter()
        .map(|goal| {
            let reason = if told && goal.status == GoalStatus::NotMet { reasons.next() } else { None };
            line(pen, report, goal, reason, whys)
        })
        .collect();
    lines.sort_by_key(|line| match line.goal.status {
        GoalStatus::NotMet => 0,
        GoalStatus::Met => 1,
        GoalStatus::NotJudged => 2,
    });
    let of = |status| lines.iter().filter(move |line| line.goal.status == status).count();
    let (missing, met) = (of(GoalStatus::NotMet), of(GoalStatus::Met));
    // A row that says that one more is left out saves none.
    let few = |count: usize, room: usize| if count.checked_sub(1) == Some(room) { count } else { count.min(room) };
    let (some_missing, some_met) = (few(missing, room.unmet), few(met, room.met));
    let shown: Vec<&Line<'_>> = lines
        .iter()
        .enumerate()
        .filter(|(index, line)| match line.goal.status {
            GoalStatus::NotMet => *index < some_missing,
            GoalStatus::Met => *index - missing < some_met,
            GoalStatus::NotJudged => room.unjudged,
        })
        .map(|(_, line)| line)
        .collect();
    let widest = |text: for<'l> fn(&'l Line<'_>) -> &'l str| {
        shown.iter().map(|line| measure_text_width(text(line))).max().unwrap_or(0)
    };
    let widths = [widest(|line| line.name).min(32), widest(|line| &line.values)];
    for (index, line) in shown.iter().enumerate() {
        row(pen, line, widths);
        if whys && !line.goal.why.is_empty() {
            pen.wrapped(&[(Tone::Text, "     ")], Tone::Dim, &line.goal.why);
        }
        let Some(reason) = line.reason.filter(|_| index < room.whole) else { continue };
        for place in &reason.excerpts {
            excerpt::write(pen, place, Tone::Warn, room.context);
        }
        for text in reason.details.iter().take(room.details) {
            pen.wrapped(&[(Tone::Text, "     ")], Tone::Text, text);
        }
    }
    for (hidden, what) in [(missing - some_missing, "not met"), (met - some_met, "met")] {
        if hidden > 0 {
            pen.line(&[(Tone::Dim, &format!("     {hidden} more {what}"))]);
        }
    }
}

/// Goals that are met, and that were judged.
fn met(report: &Report) -> (usize, usize) {
    let of = |wanted: &dyn Fn(GoalStatus) -> bool| report.goals.iter().filter(|goal| wanted(goal.status)).count();
    (of(&|status| status == GoalStatus::Met), of(&|status| status != GoalStatus::NotJudged))
}

fn line<'r>(pen: &Pen, report: &'r Report, goal: &'r GoalResult, reason: Option<&'r Reason>, whys: bool) -> Line<'r> {
    let there = goal.elsewhere.as_ref();
    let value = there.map_or(goal.value_text.as_ref(), |there| Some(&there.value_text));
    let baseline = there.map_or(goal.baseline_text.as_ref(), |there| Some(&there.baseline_text));
    let values = match (goal.status, value, baseline) {
        (GoalStatus::NotJudged, ..) | (_, None, _) => String::new(),
        (_, Some(value), Some(baseline)) => format!("{baseline} {} {value}", pen.face.glyph("→", "->")),
        (_, Some(value), None) => value.clone(),
    };
    // Reports that are older than it have none.
    let bounds = if goal.bounds.is_empty() { &goal.demand } else { &goal.bounds };
    let (mut demand, mut shorter) = (goal.demand.clone(), bounds.clone());
    if let Some(there) = there {
        // The bound is that of another size than these numbers.
        demand = format!("these are at {}; {bounds} where it is counted", crate::layout::sizes(&there.sizes));
        shorter.clone_from(&demand);
    }
    if goal.status == GoalStatus::NotJudged {
        // With all the details the recorded time has a row of its own.
        let elsewhere = report.recorded.as_ref().filter(|_| goal.metric == "speedup" && !whys);
        if let Some(recorded) = elsewhere {
            demand.push_str(if demand.is_empty() { "" } else { "; " });
            demand.push_str(&crate::table::recorded(pen.face, report, recorded));
        }
    }
    Line { goal, name: &goal.quantity, values, demand, shorter, reason }
}

fn row(pen: &mut Pen, line: &Line<'_>, [name, values]: [usize; 2]) {
    let (tone, mark) = match line.goal.status {
        GoalStatus::Met => (Tone::Good, pen.face.glyph("✓ ", "ok")),
        GoalStatus::NotMet => (Tone::Warn, pen.face.glyph("✗ ", "x ")),
        GoalStatus::NotJudged => (Tone::Dim, pen.face.glyph("· ", "--")),
    };
    let text = match line.goal.status {
        GoalStatus::NotMet => Tone::Strong,
        GoalStatus::Met => Tone::Text,
        GoalStatus::NotJudged => Tone::Dim,
    };
    let (wide, value) = (pad(line.name, name, false), pad(&line.values, values, false));
    // What is not judged has no values, and more to say.
    let value = match (line.goal.status, line.demand.is_empty()) {
        (GoalStatus::NotJudged, _) => String::new(),
        (_, true) => line.values.clone(),
        (_, false) => format!("{value}  "),
    };
    let left = 5 + measure_text_width(&wide) + 2 + measure_text_width(&value);
    let room = pen.face.width.saturating_sub(left);
    let is_long = line.goal.bounds != line.goal.demand && measure_text_width(&line.demand) > room;
    let demand = if is_long { &line.shorter } else { &line.demand };
    let first = [(Tone::Text, "  "), (tone, mark), (Tone::Text, " "), (text, wide.as_str()), (Tone::Text, "  ")];
    let first: Vec<(Tone, &str)> = first.into_iter().chain([(Tone::Strong, value.as_str())]).collect();
    pen.wrapped(&first, Tone::Dim, demand);
}

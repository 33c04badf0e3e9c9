//! Outputs that are not the oracle's: how many elements, the first of them, and what the wrong ones have in common.

use super::run::only_under;
use crate::orders::schedule_name;
use execution::backend::{Checked, WrongOutput};
use report::{Pattern, Reason, Verdict};
use simulator::Schedule;
use values::{LooksLike, Mismatch};

pub(super) fn wrong_outputs(outputs: &[WrongOutput], checked: &Checked, mut details: Vec<String>) -> Vec<Reason> {
    let only_under = only_under(checked);
    if only_under.is_some() {
        details.push("in the usual order it comes out right".into());
    }
    let waits = matches!(only_under, Some(Schedule::Patient { .. })).then_some(Pattern::LongWait);
    let reason = |output| {
        let reason = wrong(output, &details);
        Reason { only_under: only_under.as_ref().map(schedule_name), pattern: waits.or(reason.pattern), ..reason }
    };
    outputs.iter().map(reason).collect()
}

fn wrong(output: &WrongOutput, run: &[String]) -> Reason {
    let WrongOutput { name, len, wrong, first, .. } = output;
    let text = match (wrong, len) {
        (0, len) => format!("the {len} elements of `{name}` are off by too much on average"),
        (1, 1) => format!("`{name}` is wrong"),
        (2, 2) => format!("both elements of `{name}` are wrong"),
        (wrong, len) if wrong == len => format!("all {len} elements of `{name}` are wrong"),
        (1, len) => format!("1 of the {len} elements of `{name}` is wrong"),
        (wrong, len) => format!("{wrong} of the {len} elements of `{name}` are wrong"),
    };
    let mut details: Vec<String> = first.iter().take(3).map(|mismatch| element(output, mismatch)).collect();
    details.extend(looks_like(output));
    details.extend(run.iter().cloned());
    let pattern = pattern(output.looks_like);
    let reason = Reason { pattern, ..Reason::new(Verdict::WrongResult, text).with_details(details) };
    match first.first() {
        Some(mismatch) => reason.with_element(name, mismatch.index),
        None => reason,
    }
}

fn element(output: &WrongOutput, mismatch: &Mismatch) -> String {
    let Mismatch { index, got, want, bound } = mismatch;
    let off = if *bound > 0.0 { format!(" (may be off by {bound:.2e})") } else { String::new() };
    format!("{}[{index}] is {got}, should be {want}{off}", output.name)
}

/// A small whole number, or one over one.
fn is_simple(factor: f64) -> bool {
    let whole = |value: f64| (value - value.round()).abs() < 1e-4 && (1.0..=64.0).contains(&value);
    whole(factor) || whole(1.0 / factor)
}

/// The same as one of the patterns that have a question of their own.
fn pattern(looks_like: LooksLike) -> Option<Pattern> {
    Some(match looks_like {
        LooksLike::NeverWritten => Pattern::NeverWritten,
        LooksLike::Tail { .. } => Pattern::Tail,
        LooksLike::Digits { .. } | LooksLike::OffOnAverage { .. } => Pattern::Digits,
        LooksLike::SecondRunOnly { .. } => Pattern::SecondRun,
        LooksLike::Nothing
        | LooksLike::Zero
        | LooksLike::Nan
        | LooksLike::EveryKth { .. }
        | LooksLike::From { .. }
        | LooksLike::Scaled { .. } => return None,
    })
}

fn looks_like(output: &WrongOutput) -> Option<String> {
    Some(match output.looks_like {
        LooksLike::Nothing => return None,
        LooksLike::NeverWritten => "the wrong elements were never written".into(),
        LooksLike::Zero => "every wrong element is 0".into(),
        LooksLike::Nan => "every wrong element is NaN".into(),
        LooksLike::Tail { from } => format!("everything from element {from} on is wrong: is the tail missing?"),
        LooksLike::From { from } => format!("everything from element {from} on is wrong, and nothing before it"),
        LooksLike::EveryKth { step, first } => format!("exactly every {step}th element from {first} on is wrong"),
        // A single number is always some multiple of another: only a simple one says something.
        LooksLike::Scaled { factor } if output.wrong == 1 && !is_simple(factor) => return None,
        LooksLike::Digits { right } => {
            format!(
                "right to {right} binary digits: is something rounded to a shorter type, once too often, or left out of a sum?"
            )
        }
        LooksLike::Scaled { factor } => format!("every wrong element is {factor:.4} times the right one"),
        LooksLike::OffOnAverage { times } => format!(
            "each is within its bound, but their errors' root mean square is {times:.1} times what independent roundings come \
             to: is something left out, or rounded to a shorter type?"
        ),
        LooksLike::SecondRunOnly { unwritten } => format!(
            "right at first, {} when it runs again, after a run at another size perhaps: something is left over from the run \
             before, or is never set to its start value",
            if unwritten { "never written" } else { "wrong" }
        ),
    })
}

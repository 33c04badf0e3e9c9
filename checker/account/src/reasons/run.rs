//! Which of a version's runs failed, in words.

use super::Scene;
use crate::orders::schedule_with_words;
use execution::backend::{Checked, RunId, TurnedInputs};
use simulator::Schedule;
use values::fill::Values;

/// Elements that are named, of inputs that were found.
const TURNED: usize = 4;

/// Which run failed: "at n = 33, schedule its (usual order), when it runs again".
pub(super) fn run(checked: &Checked, scene: &Scene<'_>) -> String {
    let mut text = format!("at {}", scene.case);
    if let Some(run) = checked.failed_run() {
        if let Some(schedule) = &run.schedule {
            text.push_str(&format!(", schedule {}", schedule_with_words(schedule)));
        }
        // Elsewhere the order tells the runs apart.
        if run.number > 0 && run.schedule.is_none_or(|schedule| schedule == Schedule::Its) {
            text.push_str(match run.values {
                Values::AsStated => ", when it runs again",
                Values::Edges => ", where inputs hold the ends of their intervals, and numbers of the code",
                Values::Ends => ", where all elements of an input lie at one end of its interval",
                Values::Alike => ", where neighbouring elements of an input are the same",
                Values::ExactIntegers => ", where inputs are small multiples of a power of two",
                Values::Repeating => ", where inputs repeat every 32 elements",
                Values::Delicate => ", where inputs are of one sign and need all their digits",
                Values::Sizes => ", where inputs are of all orders of magnitude",
                Values::Tiny | Values::Minute => ", where inputs are of one sign, tiny, and need all their digits",
            });
        }
    }
    if let Some(inputs) = &checked.turned {
        text.push_str(&format!(", {}", chosen(inputs)));
    }
    text
}

/// Inputs that were found by what the code asks of them.
pub(super) fn chosen(inputs: &TurnedInputs) -> String {
    let TurnedInputs { line, elements, .. } = inputs;
    let shown = elements.iter().take(TURNED).map(|(name, index, value)| format!("`{name}[{index}]` is {value}"));
    let more = if elements.len() > TURNED { ", and others" } else { "" };
    let line = if *line > 0 { format!(" in line {line}") } else { String::new() };
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("where inputs are chosen so that a condition{line} comes out the other way: {shown}{more}")
}

/// The schedule of the run that failed, if the usual order passed with the same inputs.
pub(super) fn only_under(checked: &Checked) -> Option<Schedule> {
    let failed = checked.failed_run()?;
    let same =
        |run: &RunId| run.schedule == Some(Schedule::Its) && (run.seed, run.values) == (failed.seed, failed.values);
    let passed = checked.runs.iter().any(|result| result.status.passed() && same(&result.run));
    failed.schedule.filter(|_| passed)
}

//! Whether what was simulated is what is judged: the simulator runs PTX, and goals on instructions, registers and memory are about the
//! machine code that was made of it. Who finds something that the assembler works out otherwise than the simulator can have
//! one program run and another one judged.

use crate::build::Built;
use crate::verify::Results;
use execution::backend::Checked;
use problem::Sizes;
use report::{GoalResult, GoalStatus, Provenance, at_sizes};
use sass::kept;

/// Of what ran, the least that has to be in the machine code. At their worst sizes 204 right kernels come to 0.78 and more, most to
/// 1: what the assembler can work out, or does once for two places, is left out.
const LEAST: f64 = 0.5;

/// That it is not, at a size where it is least so, as a goal that is not met.
pub fn broken(built: &Built, results: &Results) -> Option<GoalResult> {
    let made = kept::made_of(&built.compiled.cubin).ok().flatten()?;
    let cases = results.cases.iter().chain(&results.besides.elsewhere);
    let part = |(sizes, checked): &'_ (Sizes, Checked)| Some((kept::part(&checked.coverage, &made)?, sizes.clone()));
    let (part, sizes) = cases.filter_map(part).min_by(|a, b| a.0.total_cmp(&b.0))?;

    if part >= LEAST {
        return None;
    }
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let quantity = "part of what ran that is in the machine code".to_owned();
    let bounds = format!("at least {}", percent(LEAST));
    Some(GoalResult {
        metric: "kept".to_owned(),
        text: format!("{quantity}: {bounds}"),
        quantity,
        demand: bounds.clone(),
        bounds,
        at_most: false,
        why: "what is simulated is what the machine code does".to_owned(),
        status: GoalStatus::NotMet,
        value: Some(part),
        value_text: Some(format!("{}{}", percent(part), at_sizes(&sizes))),
        baseline: None,
        baseline_text: None,
        provenance: Some(Provenance::Simulated),
        unexecuted: None,
        elsewhere: None,
    })
}

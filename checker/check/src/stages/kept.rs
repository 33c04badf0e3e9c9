//! Whether what was simulated is what is judged: the simulator runs PTX, and goals on instructions, registers and memory are about the
//! machine code that was made of it. Who finds something that the assembler works out otherwise than the simulator can have
//! one program run and another one judged.

use crate::build::Built;
use crate::verify::Results;
use execution::backend::Checked;
use problem::Sizes;
use report::{GoalResult, GoalStatus, Provenance, at_sizes};
use sass::kept::Parts;

/// Such a goal's metric.
pub const METRIC: &str = "kept";

/// What it is for.
const WHY: &str = "what is simulated is what the machine code does";

/// So many lines are named.
const MOST_LINES: usize = 4;

/// Warp instructions of a size at which a warp or two do little but begin and end.
const FEW: f64 = 2048.0;

/// What is asked of a part, and the least that it has to be, also where few instructions ran.
struct Rule {
    quantity: &'static str,
    least: f64,
    of_few: f64,
    part: fn(&Parts) -> Option<f64>,
}

/// What the assembler can work out, or does once for two places, is left out. At their worst sizes 309 right kernels come to the figures
/// behind each.
const RULES: [Rule; 3] = [
    // 0.53, all but one 0.80;
    Rule {
        quantity: "part of what ran that is in the machine code",
        least: 0.5,
        of_few: 0.5,
        part: |parts| parts.needed,
    },
    // 0.90; of few instructions 0.70, most of which a library's barrier has for cases that are not this one's;
    Rule {
        quantity: "part of what ran in blocks that are in the machine code",
        least: 0.75,
        of_few: 0.6,
        part: |parts| parts.blocks,
    },
    // 0.50.
    Rule {
        quantity: "part of all instructions that ran whose lines are in the machine code",
        least: 0.3,
        of_few: 0.3,
        part: |parts| parts.lines,
    },
];

/// That one is not, at a size where it is least so, as a goal that is not met.
pub fn broken(built: &Built, results: &Results) -> Option<GoalResult> {
    let made = built.made()?;
    let cases = results.cases.iter().chain(&results.besides.elsewhere);
    let all: Vec<(Parts, &(Sizes, Checked))> = cases.map(|case| (made.parts(&case.1.coverage), case)).collect();
    RULES.iter().find_map(|rule| {
        let least = |parts: &Parts| if parts.ran < FEW { rule.of_few } else { rule.least };
        let parts = all.iter().filter_map(|(parts, case)| Some(((rule.part)(parts)?, least(parts), case)));
        let (part, least, (sizes, checked)) = parts.min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
        (part < least).then(|| {
            let missing = made.missing(&checked.coverage);
            not_met(rule, (part, least), sizes, why(built, &missing))
        })
    })
}

/// The rule's reason, and the lines that it is about.
fn why(built: &Built, missing: &[(String, u32)]) -> String {
    let called = compiler::compile::name_of(built.file.path());
    let mut lines: Vec<u32> =
        missing.iter().filter(|(file, _)| *file == called).map(|(_, line)| *line).take(MOST_LINES).collect();
    lines.sort_unstable();
    let numbers: Vec<String> = lines.iter().map(u32::to_string).collect();
    match numbers.as_slice() {
        [] => WHY.to_owned(),
        [one] => format!("{WHY}; the compiler left out most of line {one}"),
        [all @ .., last] => format!("{WHY}; the compiler left out most of lines {} and {last}", all.join(", ")),
    }
}

fn not_met(rule: &Rule, (part, least): (f64, f64), sizes: &Sizes, why: String) -> GoalResult {
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let quantity = rule.quantity.to_owned();
    let bounds = format!("at least {}", percent(least));
    GoalResult {
        metric: METRIC.to_owned(),
        text: format!("{quantity}: {bounds}"),
        quantity,
        demand: bounds.clone(),
        bounds,
        at_most: false,
        why,
        status: GoalStatus::NotMet,
        value: Some(part),
        value_text: Some(format!("{}{}", percent(part), at_sizes(sizes))),
        baseline: None,
        baseline_text: None,
        provenance: Some(Provenance::Simulated),
        unexecuted: None,
        elsewhere: None,
    }
}

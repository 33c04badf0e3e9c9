//! The machine code's difference where it matters: the kernels that ran most, their hottest loops.

use crate::build::Built;
use plan::Plan;
use report::{Change, DiffLine, SassDiff};
use sass::{self, Kernel, diff};
use simulator::Counters;

/// Instructions shown around a change.
const CONTEXT: usize = 2;
/// Lines kept in a report.
const KEPT: usize = 400;

/// The kernel of a version that executed most, by the simulator's counts where there are some, else the longest.
pub fn hottest<'a>(built: &'a Built, plan: &Plan, counts: &[(String, Counters)]) -> Option<&'a Kernel> {
    let most = |name: &str| -> u64 {
        counts.iter().filter(|(kernel, _)| kernel == name).map(|(_, counters)| counters.instructions).sum()
    };
    let mut names: Vec<&str> = plan.launches.iter().map(|launch| launch.kernel.as_str()).collect();
    names.sort_by_key(|name| std::cmp::Reverse(most(name)));
    if counts.is_empty() {
        names.sort_by_key(|name| std::cmp::Reverse(built.kernel(name).map_or(0, |kernel| kernel.code().len())));
    }
    names.into_iter().find_map(|name| built.kernel(name))
}

/// Compares two kernels. `whole` compares all of them, otherwise their hottest loops if both have one.
pub fn compare(arch: &str, old: &Kernel, new: &Kernel, whole: bool) -> SassDiff {
    let compared = if whole { diff::diff(old, new) } else { diff::diff_hot(old, new) };
    let mut lines: Vec<DiffLine> = Vec::new();
    let (mut removed, mut added, mut same) = (0, 0, 0);
    for row in &compared.rows {
        let mut push = |change: Change, side: Option<&sass::Instruction>| {
            if let Some(instruction) = side {
                lines.push(line(change, instruction));
            }
        };
        match row.change {
            diff::Change::Same | diff::Change::MovedHere => {
                same += 1;
                push(Change::Same, row.new);
            }
            diff::Change::MovedAway => {}
            diff::Change::Changed => {
                (removed, added) = (removed + 1, added + 1);
                push(Change::Removed, row.old);
                push(Change::Added, row.new);
            }
            diff::Change::Removed => {
                removed += 1;
                push(Change::Removed, row.old);
            }
            diff::Change::Added => {
                added += 1;
                push(Change::Added, row.new);
            }
        }
    }
    let mut lines = fold(lines);
    let omitted = lines.len().saturating_sub(KEPT);
    lines.truncate(KEPT);
    SassDiff {
        arch: arch.to_owned(),
        baseline_kernel: old.demangled.clone(),
        candidate_kernel: new.demangled.clone(),
        removed,
        added,
        same,
        lines,
        omitted,
    }
}

fn line(change: Change, instruction: &sass::Instruction) -> DiffLine {
    let guard = sass::render::guard(instruction);
    let guard = if guard.is_empty() { guard } else { format!("{guard} ") };
    DiffLine {
        change,
        text: format!("{guard}{}", instruction.text),
        line: instruction.source.map(|source| source.line),
    }
}

/// Leaves out the middle of long equal stretches.
fn fold(lines: Vec<DiffLine>) -> Vec<DiffLine> {
    let near_change = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        lines[from..lines.len().min(at + CONTEXT + 1)].iter().any(|line| line.change != Change::Same)
    };
    let keep: Vec<bool> = (0..lines.len()).map(near_change).collect();
    let mut folded = Vec::new();
    let mut skipped = 0;
    let flush = |skipped: &mut usize, folded: &mut Vec<DiffLine>| {
        if *skipped > 0 {
            let text = format!("{skipped} in common");
            folded.push(DiffLine { change: Change::Skipped, text, line: None });
            *skipped = 0;
        }
    };
    for (line, keep) in lines.into_iter().zip(keep) {
        if keep {
            flush(&mut skipped, &mut folded);
            folded.push(line);
        } else {
            skipped += 1;
        }
    }
    flush(&mut skipped, &mut folded);
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_equal_stretches_are_folded() {
        let same = |n: u32| DiffLine { change: Change::Same, text: format!("I{n}"), line: None };
        let mut lines: Vec<DiffLine> = (0..10).map(same).collect();
        lines[6].change = Change::Removed;
        let texts: Vec<String> = fold(lines).into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["4 in common", "I4", "I5", "I6", "I7", "I8", "1 in common"]);
    }
}

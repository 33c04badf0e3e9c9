//! What is known of a size from some of its blocks, or from the clock alone: what a version leaves out there.

use super::Scene;
use super::place::excerpt;
use execution::backend::{Status, Untried};
use report::{Excerpt, Reason, Sources, Verdict};
use simulator::{Place, Question};
use system::text;

/// Blocks wait for others that begin later: of a launch at `sizes`, and of the run that shows it, the blocks that are
/// resident at once, and all.
pub(super) fn waits_for_later(
    sizes: &str,
    [held, blocks]: [u64; 2],
    [some, all]: [u64; 2],
    mut details: Vec<String>,
) -> Reason {
    details.push(format!("tried with {some} of its {all} blocks resident at once; earlier blocks may be waited for"));
    let text = format!(
        "blocks wait for others that have not begun: {blocks} are launched at {sizes}, and the device holds {held} at once"
    );
    Reason::new(Verdict::Livelock, text).with_details(details)
}

/// How little of its inputs it reads, or of its outputs it writes.
pub(super) fn leaves_out(reads: bool, part: f64, scene: &Scene<'_>) -> String {
    let (does, what) = if reads { ("reads", "inputs") } else { ("writes", "outputs") };
    let how_much = match 100.0 * part {
        0.0 => "none".to_owned(),
        // Not all of it.
        percent if percent > 99.0 => format!("about {:.2} %", percent.min(99.99)),
        percent => format!("about {:.0} %", percent.max(1.0)),
    };
    format!("it {does} {how_much} of its {what} at {}", scene.case)
}

/// What a version never does, and how that is known.
pub(super) fn never(status: &Status) -> (String, &'static str) {
    match status {
        Status::NeverReached { buffer, index, reads, block } => {
            let does = if *reads { "reads" } else { "writes" };
            let why = match block {
                Some(block) => format!("going by the other blocks, it falls to block {block}, which leaves it out"),
                None => "the blocks of the grid end before it".to_owned(),
            };
            let detail = "some blocks of that size were simulated, and those around are where they should be";
            (format!("nothing {does} {buffer}[{index}]: {why}"), detail)
        }
        Status::NeverReads { buffer, first, count } => {
            let others = if *count == 1 { String::new() } else { format!(" and {} more elements", count - 1) };
            let detail = "the right outputs hang on what is there; of so few it may be less than roundings";
            (format!("it never reads {buffer}[{first}]{others}"), detail)
        }
        Status::NoEffect { buffer, index, block, some } => {
            let detail = "some blocks of that size were simulated, and once more with another number there; at smaller sizes more follows";
            let what = if *some { "only a part of what it writes follows" } else { "nothing that it writes follows" };
            (format!("block {block} reads {buffer}[{index}], and {what} from that"), detail)
        }
        Status::DoesLess { reads, block, bytes, others } => {
            let detail = "some blocks of that size were simulated; at smaller sizes all do the same";
            let [bytes, others] = [bytes, others].map(|count| text::grouped(*count as i64));
            let does = if *reads { "reads" } else { "writes" };
            (format!("block {block} {does} {bytes} bytes, and others before it and behind it {others}"), detail)
        }
        Status::Miscounts { buffer, block, used, read } => {
            let detail = "some blocks of that size were simulated, with the same number everywhere; at smaller sizes all that is read counts";
            let of_them = if used < read { "of them go into what it writes" } else { "make what it writes" };
            let [used, read] = [used, read].map(|count| text::grouped(*count as i64));
            (format!("block {block} reads {read} elements of {buffer}, and {used} {of_them}"), detail)
        }
        Status::OtherEffect { buffer, index, block, changes, others } => {
            let detail =
                "some blocks of that size were simulated, with the same number everywhere and then another one there";
            let [changes, others] = [changes, others].map(|changes| told(changes, "by", |by| format!("{by:+}")));
            (
                format!(
                    "a change of {buffer}[{index}] moves {changes} in block {block}; a change elsewhere moves {others}"
                ),
                detail,
            )
        }
        Status::LeavesOther { block, left, others } => {
            let detail = "some blocks of that size were simulated, with the same number everywhere; at smaller sizes all leave the same";
            let [left, others] = [left, others].map(|numbers| told(numbers, "=", |number| format!("{number}")));
            (format!("block {block} leaves {left} where another that reads as much leaves {others}"), detail)
        }
        Status::Unread { buffer, index, block } => {
            let detail = "some blocks of that size were simulated, and all of the launches that follow; at smaller sizes all is read";
            (format!("block {block} writes {buffer}[{index}], and no later launch reads that"), detail)
        }
        Status::NeverUses { elements } => {
            let named: Vec<String> = elements.iter().map(|(buffer, index)| format!("{buffer}[{index}]")).collect();
            let detail = "its outputs keep every bit where that changes, and the right ones do not";
            (format!("it never uses {}", named.join(", nor ")), detail)
        }
        _ => (String::new(), ""),
    }
}

/// The first few numbers, and what is said of each.
fn told(numbers: &[(String, u64, f64)], word: &str, tell: impl Fn(f32) -> String) -> String {
    const FIRST: usize = 3;
    // As a sum in single precision tells it.
    let one =
        |(buffer, index, number): &(String, u64, f64)| format!("{buffer}[{index}] {word} {}", tell(*number as f32));
    let mut told: Vec<String> = numbers.iter().take(FIRST).map(one).collect();
    if numbers.len() > FIRST {
        told.push(format!("{} more numbers", numbers.len() - FIRST));
    }
    if told.is_empty() { "nothing".into() } else { told.join(", ") }
}

pub(super) fn impossible(us: f64, least_us: f64) -> String {
    format!("timed, it takes {us:.1} us, and its work takes {least_us:.1} us at least: some of it is left out")
}

/// What happens at this size only, and where.
pub(super) fn untried(what: &Untried, scene: &Scene<'_>, sources: &mut Sources) -> (String, Option<Excerpt>) {
    match what {
        Untried::Condition { file, line, question, holds, .. } => {
            let place = Place { file: file.clone(), line: *line, ..Place::default() };
            let case = &scene.case;
            let (text, label) = match (question, holds) {
                (Question::True, _) => (
                    format!("a condition is {holds} at {case} that is {} wherever it was verified", !holds),
                    "this condition",
                ),
                (Question::Less, true) => (
                    format!("a number is below another at {case} that is not wherever it was verified"),
                    "compared here",
                ),
                (Question::Less, false) => (
                    format!("a number reaches another at {case} that it is below wherever it was verified"),
                    "compared here",
                ),
                (Question::NotZero, true) => {
                    (format!("a number is not 0 at {case} that is 0 wherever it was verified"), "computed here")
                }
                (Question::NotZero, false) => {
                    (format!("a number is 0 at {case} that is not wherever it was verified"), "computed here")
                }
                (Question::Kept, true) => (
                    format!("a number stays as it is at {case} that is cut off wherever it was verified"),
                    "cut off here",
                ),
                (Question::Kept, false) => (
                    format!("a number is cut off or overflows at {case} that stays as it is wherever it was verified"),
                    "cut off here",
                ),
                (Question::Argument, _) => (
                    format!("a number is one of the kernel's arguments wherever it was verified, and is not at {case}"),
                    "computed here",
                ),
                (Question::Equal, _) => (
                    format!(
                        "two numbers are equal at {case} of which one was below the other wherever it was verified"
                    ),
                    "compared here",
                ),
                (Question::Varies, _) => (
                    format!("a number is another at {case} that was always the same wherever it was verified"),
                    "computed here",
                ),
            };
            // What belongs to no instruction is an expression of the kernel file's own lines.
            let shown = match file.is_empty() && *line > 0 {
                true => Some(sources.excerpt(scene.file, *line, None, label)),
                false => excerpt(&place, label, scene, sources),
            };
            (text, shown)
        }
        Untried::Kernel { kernel, line } => {
            let text = format!("`{kernel}` is launched at {} and nowhere where it was verified", scene.case);
            (text, Some(sources.excerpt(scene.file, *line, None, "this launch")))
        }
    }
}

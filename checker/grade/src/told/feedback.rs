//! What a student is told of a grade. Until grades are released nothing in it says which inputs were drawn: no seed, no size, no
//! element, or the next submission could be made for them.

use crate::grade::{Grade, State};
use crate::points::{Came, Item, Part, Points};
use report::{Excerpt, Reason, Verdict};

/// Characters of a line of source that are quoted.
const LONGEST_LINE: usize = 400;

/// How the sentence of a failed assert begins.
const ASSERT: &str = "an assert failed";

/// How much may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Nothing of what was drawn.
    Guarded,
    /// All, after `grade release`.
    Released,
}

/// Feedback on a grade.
#[derive(Debug, Clone, PartialEq)]
pub struct Feedback {
    /// "RACE", "not graded".
    pub verdict: String,
    /// Nothing that this says is for the student to mend.
    pub open: bool,
    /// What was found, a text each.
    pub reasons: Vec<String>,
    /// Where, in the student's own file.
    pub places: Vec<Excerpt>,
    /// What the points are made of, with no more said of why than the student may know.
    pub lines: Vec<Item>,
    /// "2 days late: 1.5 points less".
    pub late: Option<String>,
    /// What counts.
    pub total: Points,
    /// Possible.
    pub of: Points,
}

/// Says it.
pub fn of(grade: &Grade, told: Told) -> Feedback {
    let say = |text: &str| label(text, told);
    let report = grade.report.as_ref();
    let (verdict, open) = match &grade.state {
        State::Graded => (report.map_or("", |report| report.verdict.label()).to_owned(), false),
        State::NoKernel { .. } => ("NO KERNEL".to_owned(), false),
        State::NotGraded { .. } => ("not graded yet".to_owned(), true),
    };
    let mut reasons: Vec<String> = Vec::new();
    let mut places: Vec<Excerpt> = Vec::new();
    match &grade.state {
        State::NoKernel { why } => reasons.push(why.clone()),
        State::NotGraded { .. } => reasons.push("your teacher is told, and it is graded again".to_owned()),
        State::Graded => {
            for reason in report.map(|report| report.reasons.as_slice()).unwrap_or_default() {
                reasons.push(sentence(reason, told));
                if told == Told::Released {
                    reasons.extend(reason.details.iter().cloned());
                }
                let own = reason.excerpts.iter().filter(|excerpt| excerpt.file == "kernel.cu");
                places.extend(own.map(|excerpt| Excerpt {
                    label: label(&excerpt.label, told),
                    lines: excerpt.lines.iter().map(|line| shortened(line)).collect(),
                    ..excerpt.clone()
                }));
            }
        }
    }
    let points = grade.points.as_ref();
    let lines = points.map(|points| points.items.as_slice()).unwrap_or_default().iter().map(|item| {
        let counted = matches!(&item.part, Part::Goal { metric } if is_counted(metric))
            || matches!(item.part, Part::Speed { .. });
        let why = if counted && item.came != Came::Missed || told == Told::Released {
            item.why.clone()
        } else {
            say(&item.why)
        };
        Item { why, ..item.clone() }
    });
    Feedback {
        verdict,
        open,
        reasons,
        places,
        lines: lines.collect(),
        late: points
            .and_then(|points| points.late.as_ref())
            .map(|late| format!("{}: {} points less", late.why, late.points)),
        total: points.map(|points| points.total).unwrap_or_default(),
        of: points.map(|points| points.of).unwrap_or_default(),
    }
}

/// A line of source: a file may be one line of a million characters.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// A reason's sentence.
pub fn sentence(reason: &Reason, told: Told) -> String {
    match (told, reason.verdict) {
        // What the compiler says hangs on the file alone, and goals name counts at a size that everybody knows.
        (Told::Released, _) | (_, Verdict::DoesNotCompile | Verdict::BadFile | Verdict::BadKernelFile) => {
            reason.text.clone()
        }
        (Told::Guarded, Verdict::NotYet) => reason.text_without_sizes(),
        (Told::Guarded, _) => label(&reason.text, told),
    }
}

/// What stands beside a place.
pub fn label(text: &str, told: Told) -> String {
    match told {
        Told::Released => text.to_owned(),
        // What an assert says is the kernel's, made of whatever it has read: numbers may stand there in letters.
        Told::Guarded => masked(text.find(ASSERT).map_or(text, |at| &text[..at + ASSERT.len()])),
    }
}

fn is_counted(metric: &str) -> bool {
    problem::Metric::parse(metric).is_ok_and(|metric| !metric.source().is_time())
}

/// A text without its numbers, but for those in names: `float4`, `sm_90`. A hexadecimal one has letters, too.
fn masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut in_name = false;
    let mut in_number = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '0' && !in_name && !in_number && rest.next_if(|next| matches!(next, 'x' | 'X')).is_some() {
            masked.push('#');
            while rest.next_if(char::is_ascii_hexdigit).is_some() {}
            continue;
        }
        let goes_on = rest.peek().is_some_and(char::is_ascii_digit);
        let digit = c.is_ascii_digit() || in_number && goes_on && matches!(c, '.' | ',' | 'e');
        if digit && !in_name {
            if !in_number {
                masked.push('#');
            }
            in_number = true;
            continue;
        }
        in_number = false;
        in_name = c.is_alphabetic() || c == '_' || in_name && c.is_ascii_digit();
        masked.push(c);
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_told_but_those_in_names() {
        assert_eq!(masked("12 of the 4711 elements of `b2` are wrong"), "# of the # elements of `b2` are wrong");
        assert_eq!(masked("it reads 50 % of its inputs at n = 134,217,601"), "it reads # % of its inputs at n = #");
        assert_eq!(masked("b[4711] is 1.5e-3, float4 of sm_90"), "b[#] is #e-#, float4 of sm_90");
        assert_eq!(masked("a jump to 0xabc000000811, 0x2044; 0 of 10x"), "a jump to #, #; # of #x");
    }

    #[test]
    fn what_an_assert_says_is_told_after_the_release() {
        let failed = Reason::new(Verdict::Assert, "an assert failed: k.cu:3: f: assertion `aaaab` failed");
        assert_eq!(sentence(&failed, Told::Guarded), "an assert failed");
        assert_eq!(sentence(&failed, Told::Released), failed.text);
        assert_eq!(label(&format!("not judged: {}", failed.text), Told::Guarded), "not judged: an assert failed");
    }

    #[test]
    fn a_goal_is_told_without_the_size_that_was_drawn() {
        let goal = |text: &str, sizes: &[(&str, i64)]| {
            let drawn = sizes.iter().map(|(name, value)| ((*name).into(), *value)).collect();
            sentence(&Reason { drawn, ..Reason::new(Verdict::NotYet, text) }, Told::Guarded)
        };
        let text = "loads: 12 at n = 4711, and the goal is at most 4";
        assert_eq!(goal(text, &[("n", 4711)]), "loads: 12, and the goal is at most 4");
        let text = "loads at once: 12 at m = 3, n = 4711, and the goal is at most 4";
        assert_eq!(goal(text, &[("m", 3), ("n", 4711)]), "loads at once: 12, and the goal is at most 4");
        let text = "loads: 12, and the goal is at most 4 at most";
        assert_eq!(goal(text, &[]), text);
    }
}

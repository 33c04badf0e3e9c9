//! Submissions that look alike in machine code, which other names, comments and another order of lines do not change. What the
//! starter has too says nothing, and neither do short kernels: there is one good answer to a small exercise.

use crate::grade::Grade;
use crate::hash;
use std::collections::BTreeSet;

/// Instructions in a row that are compared as one.
const WINDOW: usize = 5;
/// Rows of instructions that are a submission's own, below which nothing is said.
const FEWEST: usize = 12;
/// Part of the smaller one's rows that both have, from which on a pair is worth a look.
pub const ALIKE: f64 = 0.8;
/// Most pairs that are shown for an exercise.
const MOST: usize = 50;

/// Two submissions that look alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'a> {
    /// One.
    pub one: &'a Grade,
    /// The other.
    pub other: &'a Grade,
    /// Part of the smaller one's own rows that both have, 0 to 1.
    pub alike: f64,
    /// Whether both are the same file, byte by byte.
    pub same_file: bool,
}

/// What is compared of a listing.
fn rows(code: &[String]) -> BTreeSet<String> {
    code.windows(WINDOW).map(|window| hash(window.iter().map(String::as_bytes))).collect()
}

/// The pairs of one exercise, the most alike first. `starter` is the code that everybody begins with.
pub fn pairs<'a>(grades: &[&'a Grade], starter: &[String]) -> Vec<Pair<'a>> {
    let given = rows(starter);
    let own: Vec<BTreeSet<String>> =
        grades.iter().map(|grade| rows(&grade.code).difference(&given).cloned().collect()).collect();
    let mut pairs = Vec::new();
    for (at, one) in grades.iter().enumerate() {
        for (beside, other) in grades.iter().enumerate().skip(at + 1) {
            if one.student == other.student {
                continue;
            }
            let same_file = one.submitted.sha256 == other.submitted.sha256;
            let fewer = own[at].len().min(own[beside].len());
            let shared = own[at].intersection(&own[beside]).count();
            let alike = if fewer >= FEWEST { shared as f64 / fewer as f64 } else { 0.0 };
            if alike >= ALIKE {
                pairs.push(Pair { one, other, alike, same_file });
            }
        }
    }
    pairs.sort_by(|a, b| {
        (b.same_file, b.alike).partial_cmp(&(a.same_file, a.alike)).unwrap_or(std::cmp::Ordering::Equal)
    });
    pairs.truncate(MOST);
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::MadeBy;
    use crate::intake::{Student, Submission};

    fn grade(student: &str, code: &[&str]) -> Grade {
        let submission = Submission {
            student: Student::named(student),
            exercise: "ex01".into(),
            file: String::new(),
            kernel: Ok(student.as_bytes().to_vec()),
            time: None,
        };
        let code = code.iter().map(ToString::to_string).collect();
        Grade { code, ..Grade::without_kernel(&submission, "", MadeBy::default()) }
    }

    #[test]
    fn what_only_two_have_counts_and_what_all_have_does_not() {
        let names: Vec<String> = (0..60).map(|n| format!("OP{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let starter: Vec<String> = names[..20].iter().map(ToString::to_string).collect();
        let copy = [&names[..20], &names[20..50]].concat();
        let (ada, bob) = (grade("ada", &copy), grade("bob", &copy));
        let (cyd, dan) = (grade("cyd", &names[..20]), grade("dan", &names[..20]));
        let eve = grade("eve", &[&names[..20], &names[50..60], &names[20..32]].concat());
        let found = pairs(&[&ada, &bob, &cyd, &dan, &eve], &starter);
        let found: Vec<_> = found
            .iter()
            .map(|pair| (pair.one.student.name.as_str(), pair.other.student.name.as_str(), pair.alike))
            .collect();
        assert_eq!(found, [("ada", "bob", 1.0)]);
    }

    #[test]
    fn two_files_of_one_student_are_no_pair() {
        let names: Vec<String> = (0..60).map(|n| format!("OP{n}")).collect();
        let code: Vec<&str> = names.iter().map(String::as_str).collect();
        let (one, two) = (grade("ada", &code), grade("ada", &code));
        assert!(pairs(&[&one, &two], &[]).is_empty());
    }
}

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
    /// One; of several that are the same file the first.
    pub one: &'a Grade,
    /// The other; likewise.
    pub other: &'a Grade,
    /// Part of the smaller one's own rows that both have, 0 to 1.
    pub alike: f64,
}

/// What looks alike among the submissions for an exercise.
#[derive(Debug, Default, PartialEq)]
pub struct Alike<'a> {
    /// Submissions that are the same file, byte by byte; two at least.
    pub same: Vec<Vec<&'a Grade>>,
    /// Pairs of different files, the most alike first.
    pub pairs: Vec<Pair<'a>>,
    /// Pairs beyond those.
    pub more: usize,
}

/// What is compared of a listing.
fn rows(code: &[String]) -> BTreeSet<String> {
    code.windows(WINDOW).map(|window| hash(window.iter().map(String::as_bytes))).collect()
}

/// What looks alike of one exercise. `starter` is the code that everybody begins with.
pub fn alike<'a>(grades: &[&'a Grade], starter: &[String]) -> Alike<'a> {
    let given = rows(starter);
    let mut files: Vec<(Vec<&'a Grade>, BTreeSet<String>)> = Vec::new();
    for &grade in grades {
        match files.iter_mut().find(|(same, _)| same[0].submitted.sha256 == grade.submitted.sha256) {
            Some((same, _)) if same.iter().any(|other| other.student == grade.student) => {}
            Some((same, _)) => same.push(grade),
            None => {
                let own: BTreeSet<String> = rows(&grade.code).difference(&given).cloned().collect();
                if own.len() >= FEWEST {
                    files.push((vec![grade], own));
                }
            }
        }
    }
    let mut pairs = Vec::new();
    for (at, (one, own)) in files.iter().enumerate() {
        for (other, others) in &files[at + 1..] {
            let fewer = own.len().min(others.len());
            let alike = own.intersection(others).count() as f64 / fewer as f64;
            if alike >= ALIKE && one[0].student != other[0].student {
                pairs.push(Pair { one: one[0], other: other[0], alike });
            }
        }
    }
    pairs.sort_by(|a, b| b.alike.total_cmp(&a.alike));
    let more = pairs.len().saturating_sub(MOST);
    pairs.truncate(MOST);
    let same = files.into_iter().map(|(same, _)| same).filter(|same| same.len() > 1).collect();
    Alike { same, pairs, more }
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
        let found = alike(&[&ada, &bob, &cyd, &dan, &eve], &starter);
        let found: Vec<_> = found
            .pairs
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
        assert_eq!(alike(&[&one, &two], &[]), Alike::default());
    }

    #[test]
    fn the_same_file_is_told_once_and_what_is_not_shown_is_counted() {
        let names: Vec<String> = (0..60).map(|n| format!("OP{n}")).collect();
        let code: Vec<&str> = names.iter().map(String::as_str).collect();
        let students: Vec<String> = (0..14).map(|n| format!("s{n:02}")).collect();
        let mut grades: Vec<Grade> = students.iter().map(|student| grade(student, &code)).collect();
        for copy in 1..3 {
            grades[copy].submitted.sha256 = grades[0].submitted.sha256.clone();
        }
        let grades: Vec<&Grade> = grades.iter().collect();
        let found = alike(&grades, &[]);
        let same: Vec<Vec<&str>> =
            found.same.iter().map(|same| same.iter().map(|grade| grade.student.name.as_str()).collect()).collect();
        assert_eq!(same, [["s00", "s01", "s02"]]);
        // Twelve files: 66 pairs.
        assert_eq!((found.pairs.len(), found.more), (50, 16));
        assert!(found.pairs.iter().all(|pair| !["s01", "s02"].contains(&pair.other.student.name.as_str())));
    }
}

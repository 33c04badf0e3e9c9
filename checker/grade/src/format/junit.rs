//! JUnit XML: one level of suites, an exercise each, a case a part.

use super::{Entry, earned};
use crate::points::Came;
use quick_xml::se::Serializer;
use serde::Serialize;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename = "testsuites")]
struct Suites {
    #[serde(rename = "testsuite")]
    suites: Vec<Suite>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Suite {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@tests")]
    tests: usize,
    #[serde(rename = "@failures")]
    failures: usize,
    #[serde(rename = "@errors")]
    errors: usize,
    #[serde(rename = "@skipped")]
    skipped: usize,
    #[serde(rename = "@time")]
    time: String,
    #[serde(rename = "testcase")]
    cases: Vec<Case>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Case {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@classname")]
    classname: String,
    #[serde(rename = "@time")]
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Message>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Message {
    #[serde(rename = "@message")]
    message: String,
    #[serde(rename = "$text")]
    text: String,
}

/// The file.
pub fn xml(entries: &[Entry<'_>]) -> String {
    let suites = Suites { suites: entries.iter().map(suite).collect() };
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut serializer = Serializer::new(&mut text);
    serializer.indent(' ', 2);
    // Into memory, of plain data: it cannot fail.
    let _ = suites.serialize(serializer);
    text + "\n"
}

fn suite(entry: &Entry<'_>) -> Suite {
    let first_missed = entry.feedback.lines.iter().position(|line| !earned(line.came));
    let mut cases: Vec<Case> = entry
        .feedback
        .lines
        .iter()
        .enumerate()
        .map(|(index, line)| {
            // All of it once is enough.
            let whole = first_missed == Some(index);
            let message = || Message {
                message: plain(&line.why),
                text: if whole { plain(&entry.text()) } else { String::new() },
            };
            let (failure, skipped) = match line.came {
                came if earned(came) => (None, None),
                Came::NotJudged => (None, Some(message())),
                _ => (Some(message()), None),
            };
            Case {
                name: plain(&line.text),
                classname: entry.grade.exercise.clone(),
                time: "0".to_owned(),
                failure,
                error: None,
                skipped,
            }
        })
        .collect();
    if entry.feedback.open {
        let error = Some(Message { message: plain(&entry.feedback.verdict), text: plain(&entry.text()) });
        let (name, classname) = ("grading".to_owned(), entry.grade.exercise.clone());
        cases.push(Case { name, classname, time: "0".to_owned(), failure: None, error, skipped: None });
    }
    let count = |has: fn(&Case) -> bool| cases.iter().filter(|case| has(case)).count();
    Suite {
        name: entry.grade.exercise.clone(),
        tests: cases.len(),
        failures: count(|case| case.failure.is_some()),
        errors: count(|case| case.error.is_some()),
        skipped: count(|case| case.skipped.is_some()),
        time: format!("{:.3}", entry.grade.seconds),
        cases,
    }
}

/// XML has no place for most control characters, escaped or not; and who reads it looks at a terminal, too.
fn plain(text: &str) -> String {
    system::text::clean(text).into_owned()
}

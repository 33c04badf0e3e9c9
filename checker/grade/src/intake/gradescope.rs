//! `submission_metadata.yml`, which Gradescope puts beside the folders `submission_7` that it exports: who handed each of them in, alone or
//! as a group, and when.

use super::Student;
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::HashMap;

/// Its name.
pub const NAME: &str = "submission_metadata.yml";
/// Largest one in bytes: it has the results of every autograder run in it.
pub const LARGEST: u64 = 64 << 20;

/// Who handed in what, by folder.
#[derive(Debug, Default)]
pub struct Metadata {
    entries: HashMap<String, Entry>,
    /// How many folders are around those that it speaks of: what is called so further down is a student's.
    depth: usize,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(rename = ":submitters", default)]
    submitters: Vec<Submitter>,
    #[serde(rename = ":created_at", default)]
    created_at: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Submitter {
    #[serde(rename = ":name", default)]
    name: Option<String>,
    #[serde(rename = ":sid", default)]
    sid: Option<Number>,
    #[serde(rename = ":email", default)]
    email: Option<String>,
}

/// A student's number, which may be written as one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Digits(u64),
    Text(String),
}

/// The folders around all of an export: none, or the one that Gradescope makes, `assignment_4711_export`, if everything lies in it.
/// A folder by another name may be a student's.
pub fn export<'a>(mut paths: impl Iterator<Item = &'a [String]>) -> &'a [String] {
    let Some(first) = paths.next().and_then(|path| path.get(..1)) else { return &[] };
    if is_export(&first[0]) && paths.all(|path| path.starts_with(first)) { first } else { &[] }
}

/// Is a folder called as Gradescope calls the one around an export?
pub fn is_export(folder: &str) -> bool {
    let number = folder.strip_prefix("assignment_").and_then(|rest| rest.strip_suffix("_export"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Metadata {
    /// Reads one with so many folders around it.
    pub fn read(bytes: &[u8], depth: usize) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        serde_saphyr::from_str(text).map(|entries| Self { entries, depth }).map_err(|error| error.to_string())
    }

    /// The same as [`Self::of`], for a file in such a folder.
    pub fn of_path(&self, path: &[String]) -> Option<(Vec<Student>, Option<Timestamp>)> {
        path.get(self.depth).and_then(|folder| self.of(folder))
    }

    /// Everybody who handed that folder in, and when; nothing where it is not known.
    pub fn of(&self, folder: &str) -> Option<(Vec<Student>, Option<Timestamp>)> {
        let entry = self.entries.get(folder)?;
        let students: Vec<Student> = entry.submitters.iter().filter_map(Submitter::student).collect();
        (!students.is_empty()).then(|| (students, entry.created_at.as_deref().and_then(time)))
    }
}

/// `submission_metadata.json`, which an autograder finds beside the submission that it grades: when it was handed in.
///
/// # Errors
/// It is none.
pub fn handed_in(bytes: &[u8]) -> Result<Timestamp, String> {
    #[derive(Deserialize)]
    struct Autograder {
        created_at: Timestamp,
    }
    serde_json::from_slice(bytes).map(|about: Autograder| about.created_at).map_err(|error| error.to_string())
}

impl Submitter {
    fn student(&self) -> Option<Student> {
        let some =
            |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let sid = match &self.sid {
            Some(Number::Digits(number)) => Some(number.to_string()),
            Some(Number::Text(text)) => some(&Some(text.clone())),
            None => None,
        };
        let id = sid.or_else(|| some(&self.email));
        let name = some(&self.name).or_else(|| id.clone())?;
        Some(Student { name, id })
    }
}

/// `2026-04-26 17:34:00.861687000 Z`, as Ruby writes it.
fn time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    // No space before the zone.
    let (moment, zone) = text.rsplit_once(' ')?;
    let joined = format!("{moment}{zone}");
    [text, &joined].iter().find_map(|text| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---
submission_7:
  :submitters:
  - :name: Jane Doe
    :sid: '0471'
    :email: jane@example.org
  :created_at: 2026-04-26 17:34:00.861687000 Z
  :score: 2.0
  :results:
    output: |-
      ====
      Final: 2
submission_8:
  :submitters:
  - :name: Ann
    :sid: 12
  - :name: 'Bo: B'
    :email: bo@example.org
  :created_at: 2026-04-26 19:34:00 +0200
submission_9:
  :submitters: []
";

    #[test]
    fn who_and_when() {
        let read = Metadata::read(FILE.as_bytes(), 0).unwrap();
        let student = |name: &str, id: &str| Student { name: name.into(), id: Some(id.into()) };
        let time = |text: &str| Some(text.parse::<Timestamp>().unwrap());
        assert_eq!(
            read.of("submission_7"),
            Some((vec![student("Jane Doe", "0471")], time("2026-04-26T17:34:00.861687Z")))
        );
        let group = vec![student("Ann", "12"), student("Bo: B", "bo@example.org")];
        assert_eq!(read.of("submission_8"), Some((group, time("2026-04-26T17:34:00Z"))));
        assert_eq!((read.of("submission_9"), read.of("submission_1")), (None, None));
        assert!(Metadata::read(b"submission_7: [", 0).is_err() && Metadata::read(b"\xff", 0).is_err());
    }
}

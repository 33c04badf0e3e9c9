//! A list of submissions: CSV or JSON with student, exercise and path, and where wanted an id and the time of handing in. Paths are
//! below the list's folder, and no link is followed there.

use super::{Hints, Intake, IntakeError, LARGEST_KERNEL, Passed, Student, Submission};
use crate::table;
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use system::files::{self, Folder};
use system::text;

/// Largest list in bytes.
const LARGEST: u64 = 64 << 20;

/// A line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    student: String,
    exercise: Option<String>,
    path: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    time: Option<Timestamp>,
}

/// Reads the list and what it names.
pub fn take(path: &Path, hints: &Hints) -> Result<Intake, IntakeError> {
    let read = |source| IntakeError::Read { path: path.to_path_buf(), source };
    let bytes = files::read_named(path, LARGEST).map_err(read)?;
    let rows = rows(path, &bytes)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::trusted(parent).map_err(read)?;
    let mut intake = Intake { notes: namesakes(&rows), ..Intake::default() };
    for (number, row) in rows.into_iter().enumerate() {
        let line = || format!("row {} ({})", number + 1, text::line(&row.path));
        let exercise = row.exercise.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let exercise = match exercise.or(hints.exercise.as_deref()) {
            None => Err("no exercise: fill that column, or say --exercise exNN".to_owned()),
            Some(name) => match hints.exercises.iter().find(|known| known.eq_ignore_ascii_case(name)) {
                Some(known) => Ok(known.clone()),
                None => {
                    let near = problem::nearest(name, hints.exercises.iter().map(String::as_str));
                    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                    Err(format!("there is no exercise {}{near}", text::line(name)))
                }
            },
        };
        let exercise = match exercise {
            Ok(_) if row.student.trim().is_empty() => Err("no student".to_owned()),
            other => other,
        };
        match exercise {
            Err(why) => intake.passed_over.push(Passed { file: line(), why }),
            Ok(exercise) => {
                let kernel = folder.read(Path::new(&row.path), LARGEST_KERNEL).map_err(|error| error.to_string());
                let id = row.id.filter(|id| !id.is_empty());
                let student = Student { name: row.student.trim().to_owned(), id };
                intake.submissions.push(Submission { student, exercise, file: row.path, kernel, time: row.time });
            }
        }
    }
    Ok(intake)
}

/// Two rows of one name and one exercise are two tries of one student. Without a number and a time they may be two students.
fn namesakes(rows: &[Row]) -> Vec<String> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let silent = |row: &&Row| row.time.is_none() && row.id.as_deref().is_none_or(str::is_empty);
    for row in rows.iter().filter(silent) {
        *counts.entry((row.student.trim(), row.exercise.as_deref().unwrap_or_default())).or_default() += 1;
    }
    let several = counts.into_iter().filter(|(_, count)| *count > 1);
    let note = |((student, exercise), count): ((&str, &str), usize)| {
        let (student, exercise) = (text::line(student), text::line(exercise));
        format!(
            "{student} {exercise}: {count} rows are taken for tries of one student; if two have this name, fill the column id"
        )
    };
    several.map(note).collect()
}

fn rows(path: &Path, bytes: &[u8]) -> Result<Vec<Row>, IntakeError> {
    let wrong = |message: String| IntakeError::List { path: path.to_path_buf(), message };
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        return serde_json::from_slice(bytes).map_err(|error| {
            wrong(format!("{error}; it is an array of objects with student, exercise, path, and perhaps id and time"))
        });
    }
    let text = table::decode(bytes).map_err(|why| wrong(why.to_owned()))?;
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.trim(csv::Trim::Headers).delimiter(table::delimiter(&text)).from_reader(text.as_bytes());
    let rows: Result<Vec<Row>, csv::Error> = reader.deserialize().collect();
    rows.map_err(|error| {
        wrong(format!("{error}; its first line names the columns student,exercise,path and perhaps id,time"))
    })
}

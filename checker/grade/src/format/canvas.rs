//! Canvas: a gradebook that was exported, with the assignment's column filled in.

use crate::grade::Grade;
use crate::intake::Student;
use crate::points::Points;
use std::collections::{BTreeMap, BTreeSet};

/// Columns that every exported gradebook begins with.
const COLUMNS: [&str; 2] = ["Student", "ID"];

/// What stands for a name in the row of the points that are possible.
const POSSIBLE: &str = "Points Possible";

/// Why a gradebook cannot be filled in.
#[derive(Debug, thiserror::Error)]
pub enum CanvasError {
    /// It is no CSV.
    #[error("the gradebook cannot be read: {0}")]
    Csv(#[from] csv::Error),
    /// It lacks a column.
    #[error("the gradebook has no column `{0}`: export it from Canvas as CSV, with the assignment in it")]
    Column(String),
}

/// A gradebook with points, and who of the graded is not in it.
#[derive(Debug, PartialEq, Eq)]
pub struct Filled {
    /// The file.
    pub csv: String,
    /// Students without a row of their own, and how that is.
    pub missing: Vec<String>,
}

/// Fills in the column that begins with `assignment`: Canvas writes the assignment's number behind its title. Students are found by
/// the number that Canvas gives, which its export of submissions has in each file's name, else by name.
///
/// # Errors
/// It is no gradebook, or lacks the column.
pub fn fill(gradebook: &str, assignment: &str, grades: &[(&Student, Vec<&Grade>)]) -> Result<Filled, CanvasError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(gradebook.as_bytes());
    let head = reader.headers()?.clone();
    let find = |name: &str| head.iter().position(|column| column.trim() == name);
    let [student, id] = [COLUMNS[0], COLUMNS[1]].map(find);
    let (Some(student), Some(id)) = (student, id) else {
        let missing = if student.is_none() { COLUMNS[0] } else { COLUMNS[1] };
        return Err(CanvasError::Column(missing.to_owned()));
    };
    let titled = |column: &str| {
        column.strip_prefix(assignment).is_some_and(|rest| rest.trim().is_empty() || rest.trim_start().starts_with('('))
    };
    let column = head.iter().position(titled).ok_or_else(|| CanvasError::Column(assignment.to_owned()))?;
    let mut rows: Vec<Vec<String>> = vec![head.iter().map(str::to_owned).collect()];
    for record in reader.records() {
        let mut row: Vec<String> = record?.iter().map(str::to_owned).collect();
        row.resize(row.len().max(head.len()), String::new());
        rows.push(row);
    }
    // Two of one name are told apart by nothing but their numbers.
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for row in &rows[1..] {
        *names.entry(row[student].trim().to_owned()).or_default() += 1;
    }
    let mut found: BTreeSet<usize> = BTreeSet::new();
    for row in &mut rows[1..] {
        let (name, number) = (row[student].trim().to_owned(), row[id].trim().to_owned());
        // The row below the head says how many points there are, and nobody's name is that.
        if number.is_empty() && name == POSSIBLE {
            continue;
        }
        let by_id = grades.iter().position(|(who, _)| who.id.as_deref() == Some(number.as_str()));
        let alone = names.get(&name) == Some(&1);
        let by_name = || grades.iter().position(|(who, _)| alone && who.id.is_none() && who.name == name);
        if let Some(at) = by_id.filter(|_| !number.is_empty()).or_else(by_name) {
            found.insert(at);
            let points: Option<Vec<Points>> =
                grades[at].1.iter().map(|grade| grade.points.as_ref().map(|points| points.total)).collect();
            // What is not graded keeps what stands there.
            if let Some(points) = points {
                row[column] = points.into_iter().sum::<Points>().to_string();
            }
        }
    }
    let missing = grades.iter().enumerate().filter(|(at, _)| !found.contains(at)).map(|(_, (who, _))| {
        match names.get(&who.name) {
            Some(&rows) if rows > 1 && who.id.is_none() => {
                format!("{who} has {rows} rows in the gradebook, and no number that says which")
            }
            _ => format!("{who} has no row in the gradebook"),
        }
    });
    Ok(Filled { csv: crate::table::csv(&rows), missing: missing.collect() })
}

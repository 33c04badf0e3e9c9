//! Canvas: a gradebook that was exported, with the assignment's column filled in.

use crate::grade::Grade;
use crate::intake::Student;
use crate::points::Points;
use std::collections::BTreeMap;

/// Columns that every exported gradebook begins with.
const COLUMNS: [&str; 2] = ["Student", "ID"];

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
    /// Students without a row.
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
    let mut found: BTreeMap<usize, ()> = BTreeMap::new();
    for record in reader.records() {
        let record = record?;
        let mut row: Vec<String> = record.iter().map(str::to_owned).collect();
        row.resize(row.len().max(head.len()), String::new());
        let (name, number) = (row[student].trim().to_owned(), row[id].trim().to_owned());
        let by_id = grades.iter().position(|(who, _)| who.id.as_deref() == Some(number.as_str()));
        let by_name = || grades.iter().position(|(who, _)| who.id.is_none() && who.name == name);
        if let Some(at) = by_id.filter(|_| !number.is_empty()).or_else(by_name) {
            found.insert(at, ());
            let points: Option<Vec<Points>> =
                grades[at].1.iter().map(|grade| grade.points.as_ref().map(|points| points.total)).collect();
            // What is not graded keeps what stands there.
            if let Some(points) = points {
                row[column] = points.into_iter().sum::<Points>().to_string();
            }
        }
        rows.push(row);
    }
    let missing = grades.iter().enumerate().filter(|(at, _)| !found.contains_key(at));
    Ok(Filled { csv: crate::table::csv(&rows), missing: missing.map(|(_, (who, _))| who.to_string()).collect() })
}

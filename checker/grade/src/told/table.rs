//! All grades as tables: `grades.csv`, a row a student; `submissions.csv`, a row a submission.

use crate::grade::{Grade, State};
use crate::intake::{Student, Without};
use crate::points::Points;
use crate::rubric::Counts;
use std::collections::{BTreeMap, BTreeSet};

/// The grade that counts of each student and exercise.
pub fn counting<'a>(
    grades: impl IntoIterator<Item = &'a Grade> + Clone,
    counts: Counts,
) -> BTreeMap<(&'a Student, &'a str), &'a Grade> {
    let total = |grade: &Grade| grade.points.as_ref().map(|points| points.total);
    let handed_in = |grade: &'a Grade| (&grade.student, grade.exercise.as_str(), grade.submitted.sha256.as_str());
    // The same file without a time is no other submission: it was graded before anybody said when it was handed in.
    let timed = grades.clone().into_iter().filter(|grade| grade.submitted.time.is_some());
    let timed: BTreeSet<_> = timed.map(handed_in).collect();
    let mut chosen: BTreeMap<(&Student, &str), &Grade> = BTreeMap::new();
    // They come in the order of their times.
    for grade in grades {
        if grade.submitted.time.is_none() && timed.contains(&handed_in(grade)) {
            continue;
        }
        let key = (&grade.student, grade.exercise.as_str());
        let better = match (chosen.get(&key), counts) {
            (None, _) | (Some(_), Counts::Last) => true,
            (Some(known), Counts::Best) => total(grade) > total(known),
        };
        if better {
            chosen.insert(key, grade);
        }
    }
    chosen
}

/// A cell that no spreadsheet takes for a formula, and no line of which ends early. Where other separators are usual than commas, a cell
/// may be taken for several; each of them is looked at. Some leave out blanks in front, and some know the wide signs.
pub fn cell(text: &str) -> String {
    let begins = |part: &str| {
        part.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'])
    };
    let text = system::text::line(text);
    let mut safe = String::with_capacity(text.len() + 1);
    for part in text.split_inclusive([',', ';', '\t', '|']) {
        if begins(part) {
            safe.push('\'');
        }
        safe.push_str(part);
    }
    safe
}

/// `grades.csv`: student, id, points by exercise, total, and what all these exercises give. A cell is empty where nothing was handed in,
/// and has words where something was not graded; the total is of what was graded. Of whom nothing could be taken has empty cells.
pub fn grades(grades: &[Grade], without: &[Without], counts: Counts) -> String {
    let counting = counting(grades, counts);
    let exercises: BTreeSet<&str> = counting.keys().map(|(_, exercise)| *exercise).collect();
    let nothing = without.iter().map(|without| &without.student);
    let of = |exercise: &&str| {
        let given =
            counting.iter().filter(|((_, of), _)| of == exercise).filter_map(|(_, grade)| grade.points.as_ref());
        given.map(|points| points.of).max()
    };
    // Of an exercise that nobody was graded for yet it is not known.
    let most: Option<Points> = exercises.iter().map(of).try_fold(Points(0), |all, of| Some(all + of?));
    let most = most.filter(|_| !exercises.is_empty()).map(|most| most.to_string()).unwrap_or_default();
    let students: BTreeSet<&Student> = counting.keys().map(|(student, _)| *student).chain(nothing).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let head = ["student", "id"].into_iter().chain(exercises.iter().copied()).chain(["total", "of", "not_graded"]);
    rows.push(head.map(str::to_owned).collect());
    for student in students {
        let mut row = vec![cell(&student.name), cell(student.id.as_deref().unwrap_or_default())];
        let mut total = Points(0);
        let mut open = 0;
        for exercise in &exercises {
            row.push(match counting.get(&(student, *exercise)) {
                None => String::new(),
                Some(grade) => match &grade.points {
                    Some(points) => {
                        total = total + points.total;
                        points.total.to_string()
                    }
                    None => {
                        open += 1;
                        "not graded".to_owned()
                    }
                },
            });
        }
        row.extend([total.to_string(), most.clone(), open.to_string()]);
        rows.push(row);
    }
    csv(&rows)
}

/// `submissions.csv`: every submission with what became of it.
pub fn submissions(grades: &[Grade]) -> String {
    let head = ["student", "id", "exercise", "file", "time", "verdict", "points", "of", "why"];
    let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    for grade in grades {
        let (verdict, mut why) = match (&grade.state, &grade.report) {
            (State::Graded, Some(report)) => {
                let why = report.reasons.first().map(|reason| reason.text.clone());
                (report.verdict.label().to_owned(), why.unwrap_or_default())
            }
            (State::NoKernel { why }, _) => ("no kernel".to_owned(), why.clone()),
            (State::NotGraded { why }, _) => ("not graded".to_owned(), why.clone()),
            (State::Graded, None) => ("not graded".to_owned(), "its report is missing".to_owned()),
        };
        if let Some(late) = grade.points.as_ref().and_then(|points| points.late.as_ref()) {
            let before = if why.is_empty() { "" } else { "; " };
            why = format!("{why}{before}{}: -{} points", late.why, late.points);
        }
        let points = |of: fn(&crate::Tally) -> Points| grade.points.as_ref().map(|points| of(points).to_string());
        let time = grade.submitted.time.map(|time| time.to_string()).unwrap_or_default();
        let row = [
            cell(&grade.student.name),
            cell(grade.student.id.as_deref().unwrap_or_default()),
            grade.exercise.clone(),
            cell(&grade.submitted.file),
            time,
            verdict,
            points(|points| points.total).unwrap_or_default(),
            points(|points| points.of).unwrap_or_default(),
            cell(&why),
        ];
        rows.push(row.to_vec());
    }
    csv(&rows)
}

/// A table's text, as spreadsheets save it: UTF-8, or UTF-16 with its mark.
///
/// # Errors
/// It is neither.
pub fn decode(bytes: &[u8]) -> Result<String, &'static str> {
    const WRONG: &str = "it is not UTF-8: save it as \"CSV UTF-8\"";
    let units = |from: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].chunks_exact(2).map(|pair| from([pair[0], pair[1]]));
        char::decode_utf16(pairs).collect::<Result<String, _>>().map_err(|_| WRONG)
    };
    match bytes {
        [0xff, 0xfe, ..] => units(u16::from_le_bytes),
        [0xfe, 0xff, ..] => units(u16::from_be_bytes),
        _ => {
            let text = std::str::from_utf8(bytes).map_err(|_| WRONG)?;
            Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned())
        }
    }
}

/// What stands between a table's cells: where a comma is the decimal point, spreadsheets write semicolons.
pub fn delimiter(text: &str) -> u8 {
    let head = text.lines().next().unwrap_or_default();
    let count = |byte: u8| head.bytes().filter(|own| *own == byte).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|byte| count(*byte)).unwrap_or(b',')
}

/// Rows as text.
pub fn csv(rows: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        // Into memory: it cannot fail.
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_and_no_part_of_one_is_a_formula() {
        for text in ["=1", "+1", "-1", "@f()", " =1", "\u{a0}=1", "\u{ff1d}1"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        // Where a semicolon or a tabulator ends a cell.
        assert_eq!(cell("x;=1\t-2,@3"), "x;'=1\t'-2,'@3");
        assert_eq!(cell("\t=1"), "\t'=1");
        assert_eq!(cell("Doe-Roe, Jane = 1"), "Doe-Roe, Jane = 1");
    }

    #[test]
    fn tables_as_spreadsheets_save_them() {
        let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain("é;b".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&utf16).as_deref(), Ok("é;b"));
        assert_eq!(decode("\u{feff}é;b".as_bytes()).as_deref(), Ok("é;b"));
        assert!(decode(b"\xe9;b").unwrap_err().contains("CSV UTF-8"));
        assert_eq!(["a,b;c,d", "a;b;c", "a\tb", "a"].map(delimiter), [b',', b';', b'\t', b',']);
    }
}

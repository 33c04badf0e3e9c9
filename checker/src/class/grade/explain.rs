//! Questions to a grade book: where points came from, the same check again, the secret.

use super::{BOOK, How, exercises, fault, rubric};
use clap::Args;
use command::exercise::check;
use command::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use grade::book::{Book, Read, Writers};
use grade::points::Came;
use grade::run::{self, Course, GradeError};
use grade::{Grade, Secret, State, table};
use std::collections::BTreeSet;
use std::path::Path;
use system::text;

/// Its being there says that students may be told everything.
pub const RELEASED: &str = "released";

/// A grade.
#[derive(Debug, Clone, Args)]
pub struct WhichArgs {
    /// Name or number of the student, as grades.csv has it
    student: String,
    /// The exercise
    exercise: String,
}

/// The grades that are meant, the one that counts first.
fn find(book: &Book, which: &WhichArgs, counts: grade::rubric::Counts) -> Result<Vec<Grade>, Fault> {
    let Read { grades, without, .. } = book.read().map_err(GradeError::from).map_err(fault)?;
    let of_student: Vec<Grade> = grades.into_iter().filter(|grade| grade.student.is(&which.student)).collect();
    let student = text::line(&which.student).into_owned();
    if let Some(without) = without.iter().find(|without| without.student.is(&which.student)) {
        return Err(usage(format!("nothing of {student} could be taken: {}", text::line(&without.why))));
    }
    if of_student.is_empty() {
        return Err(usage(format!("no student is called {student} in this grade book; `grades.csv` has them all")));
    }
    let students: BTreeSet<_> = of_student.iter().map(|grade| &grade.student).collect();
    if students.len() > 1 {
        let mut each: Vec<String> = students.iter().map(ToString::to_string).collect();
        // Somebody may be called as another one is shown.
        if each.iter().collect::<BTreeSet<_>>().len() < each.len() {
            each = students.iter().map(|one| one.mark()).collect();
        }
        return Err(usage(format!("several students are called {student}: say {}", each.join(" or "))));
    }
    let handed_in: Vec<String> = of_student.iter().map(|grade| grade.exercise.clone()).collect();
    let mut grades: Vec<Grade> = of_student.into_iter().filter(|grade| grade.exercise == which.exercise).collect();
    let chosen = table::counting(&grades, counts).into_values().next().map(|grade| grade.submitted.clone());
    grades.sort_by_key(|grade| Some(&grade.submitted) != chosen.as_ref());
    match grades.is_empty() {
        true => {
            Err(usage(format!("{student} handed in nothing for {}; there is {}", which.exercise, handed_in.join(", "))))
        }
        false => Ok(grades),
    }
}

/// Says where each point came from.
pub fn explain(context: &Context, how: &How, which: &WhichArgs) -> Outcome {
    let book = open(how, Writers::Nobody)?;
    let counts = rubric(how, &exercises(&workbook::open(context)?))?.attempts.count;
    let grades = find(&book, which, counts)?;
    if context.json {
        context.print_json(&grades)?;
        return Ok(Exit::Met);
    }
    let mut lines = Vec::new();
    for (index, grade) in grades.iter().enumerate() {
        if index > 0 {
            lines.push(String::new());
        }
        let counts =
            if grades.len() > 1 { if index == 0 { ", which counts" } else { ", which does not count" } } else { "" };
        let time = grade.submitted.time.map(|time| format!(", handed in {time}")).unwrap_or_default();
        lines.push(format!(
            "{} {}: {}{time}{counts}",
            text::line(&grade.student.to_string()),
            grade.exercise,
            text::line(&grade.submitted.file)
        ));
        lines.extend(said(grade));
    }
    lines.push(format!("the whole report: {}", grades[0].repeat_with(&of_book(how))));
    context.print(lines.join("\n") + "\n")?;
    Ok(Exit::Met)
}

/// What a command for the same grade book has to say.
fn of_book(how: &How) -> String {
    match how.book == Path::new(BOOK) {
        true => String::new(),
        false => format!("--book {} ", text::word(&how.book.to_string_lossy())),
    }
}

/// One grade, a line a part.
fn said(grade: &Grade) -> Vec<String> {
    let mut lines = Vec::new();
    match (&grade.state, &grade.report) {
        (State::NotGraded { why }, _) => lines.push(format!("  not graded: {}", text::line(why))),
        (State::NoKernel { why }, _) => lines.push(format!("  no kernel: {}", text::line(why))),
        (State::Graded, Some(report)) => lines.push(format!("  {}", report.verdict.label())),
        (State::Graded, None) => {}
    }
    let Some(points) = &grade.points else { return lines };
    let width = points.items.iter().map(|item| item.text.chars().count()).max().unwrap_or(0).min(60);
    lines.extend(points.items.iter().map(|item| {
        let mark = match item.came {
            Came::Earned => "ok",
            Came::Missed => "x ",
            Came::Withheld => "( ",
            Came::NotJudged => "--",
        };
        format!("  {mark} {:>6} of {:<5} {:width$}  {}", item.points, item.of, item.text, text::line(&item.why))
    }));
    if let Some(late) = &points.late {
        lines.push(format!("     {:>6}          {}", format!("-{}", late.points), late.why));
    }
    lines.push(format!("     {:>6} of {}", points.total, points.of));
    if let Some(held) = grade.report.as_ref().and_then(|report| report.held.as_ref()) {
        lines.push(format!("  held: compiler by {}; runs by {}", held.compile.join(", "), held.run.join(", ")));
    }
    lines.push(format!("  seed {}, checker {}, {}", grade.seed, grade.made_by.checker, grade.made_by.compiler));
    lines
}

/// Checks again, and shows the report.
pub fn again(context: &Context, how: &How, which: &WhichArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let rubric = rubric(how, &exercises(&workbook))?;
    let book = open(how, Writers::Nobody)?;
    let grade = find(&book, which, rubric.attempts.count)?.swap_remove(0);
    if grade.submitted.sha256.is_empty() {
        let why = grade.repeat_with(&of_book(how)).replacen("again", "explain", 1);
        return Err(usage(format!("there is no kernel that could be checked; `{why}` says why")));
    }
    let secret = Secret::of_book(book.path(), None).environment()?;
    let tasks = run::tasks(&workbook, [grade.exercise.clone()], &rubric, &secret).map_err(fault)?;
    let course = Course::new(&book, &rubric, tasks, how.options()).map_err(fault)?;
    let task = &course.tasks[&grade.exercise];
    let report = course.again(&grade, task).map_err(fault)?;
    let differs = grade.report.as_ref().is_some_and(|before| before.verdict != report.verdict);
    let outcome = check::print(context, &report)?;
    if differs {
        context.note("note: this is not what the grade says: the checker, the compiler or the problem has changed since, or a GPU took part");
    }
    Ok(outcome)
}

/// Shows the secret.
pub fn release(context: &Context, how: &How) -> Outcome {
    let book = open(how, Writers::Several)?;
    let secret = Secret::of_book(book.path(), None).environment()?;
    book.write(Path::new(RELEASED), b"").map_err(GradeError::from).map_err(fault)?;
    let grades = book.read().map_err(GradeError::from).map_err(fault)?.grades;
    let mut seeds: Vec<(&str, u64)> =
        grades.iter().filter(|grade| grade.seed != 0).map(|grade| (grade.exercise.as_str(), grade.seed)).collect();
    seeds.sort();
    seeds.dedup();
    if context.json {
        let seeds: std::collections::BTreeMap<_, _> = seeds.into_iter().collect();
        context.print_json(&serde_json::json!({ "secret": secret.reveal(), "seeds": seeds }))?;
        return Ok(Exit::Met);
    }
    let mut lines = vec![format!("secret: {}", secret.reveal())];
    lines.extend(seeds.iter().map(|(exercise, seed)| format!("checker {exercise} --backend sim --seed {seed}")));
    lines.push(
        "whoever knows these can prepare for their inputs: hand nothing in under this grade book any more".to_owned(),
    );
    context.print(lines.join("\n") + "\n")?;
    Ok(Exit::Met)
}

/// An existing grade book.
pub fn open(how: &How, writers: Writers) -> Result<Book, Fault> {
    if !how.book.join("grade-book.json").is_file() {
        return Err(usage(format!("{} is no grade book: name it with --book", text::path(&how.book))));
    }
    Book::open(&how.book, writers).map_err(GradeError::from).map_err(fault)
}

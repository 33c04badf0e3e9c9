//! What others read: results for a platform, pages, a gradebook's column.

use super::explain::{RELEASED, open};
use super::{How, exercises, fault, rubric};
use clap::Args;
use command::terminal::context::say;
use command::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use grade::book::{Book, Read, Writers, slug};
use grade::feedback::Told;
use grade::format::{Format, canvas};
use grade::intake::{Intake, gradescope};
use grade::rubric::Counts;
use grade::run::{self, Course, GradeError};
use grade::{Grade, Rubric, Secret, Student, Timestamp, page, similar, table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::files;
use system::text::{self, Screen};

/// Largest gradebook in bytes.
const LARGEST: u64 = 64 << 20;

/// Options of `checker grade canvas`.
#[derive(Debug, Clone, Args)]
pub struct CanvasArgs {
    /// The gradebook, as Canvas exported it
    gradebook: PathBuf,
    /// Title of the assignment's column
    #[arg(long, value_name = "TITLE")]
    assignment: String,
    /// The exercise [default: all of the grade book together]
    #[arg(long, value_name = "exNN")]
    exercise: Option<String>,
    /// Where to write it [default: the standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// A platform by its name.
pub fn platform(name: &str) -> Result<Format, String> {
    let known = Format::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format);
    known.ok_or_else(|| format!("one of {}", Format::ALL.map(|(name, _)| name).join(", ")))
}

/// The text of `--seed-file`.
pub fn seed(path: &Path) -> Result<String, Fault> {
    let bytes =
        files::read_trusted(path, 200).map_err(|error| anyhow::anyhow!("{}: {error}", text::path(path))).usage()?;
    let seed = String::from_utf8(bytes).map_err(|_| usage(format!("{}: it is no text", text::path(path))))?;
    match seed.trim() {
        "" => Err(usage(format!("{}: it is empty", text::path(path)))),
        seed => Ok(seed.to_owned()),
    }
}

/// The time in `--gradescope`.
pub fn handed_in(path: &Path) -> Result<Timestamp, Fault> {
    let named = |error: String| usage(format!("{}: {error}", text::path(path)));
    let bytes = files::read_trusted(path, LARGEST).map_err(|error| named(error.to_string()))?;
    gradescope::handed_in(&bytes).map_err(named)
}

fn told(book: &Book) -> Told {
    if book.path().join(RELEASED).exists() { Told::Released } else { Told::Guarded }
}

/// Writes the grades of what was just taken.
pub fn write(
    context: &Context,
    book: &Book,
    read: &Read,
    taken: &Intake,
    counts: Counts,
    (format, out): (Format, Option<&Path>),
) -> Outcome {
    let own = |grade: &&Grade| {
        taken.submissions.iter().any(|submission| {
            (&submission.student, &submission.exercise) == (&grade.student, &grade.exercise)
                && submission.submitted() == grade.submitted
        })
    };
    // Of several tries one counts here too: platforms add up what they are given.
    let grades: Vec<&Grade> = table::counting(read.grades.iter().filter(own), counts).into_values().collect();
    let text = format.write(&grades, told(book));
    for grade in &grades {
        let verdict = grade.report.as_ref().map_or("no report", |report| report.verdict.label());
        let points = grade.points.as_ref().map(|points| format!("{} of {}", points.total, points.of));
        context.note(&format!(
            "{} {}: {verdict}, {}",
            grade.student,
            grade.exercise,
            points.as_deref().unwrap_or("not graded")
        ));
    }
    put(context, out, &text)?;
    // Whoever reads it is told there what is not graded.
    Ok(Exit::Met)
}

fn put(context: &Context, out: Option<&Path>, text: &str) -> Result<(), Fault> {
    // What nobody sees is escaped, in a file too, where the format has escapes that say the same.
    let json = text.starts_with('{').then(|| Screen::json(text));
    match (out, json) {
        (Some(path), json) => files::replace(path, json.as_deref().unwrap_or(text).as_bytes())
            .map_err(|error| anyhow::anyhow!("{}: {error}", text::path(path)))
            .environment(),
        (None, Some(json)) => context.print(json),
        (None, None) => context.print(text),
    }
}

/// Writes the pages again.
pub fn pages(context: &Context, how: &How) -> Outcome {
    let workbook = workbook::open(context)?;
    let rubric = rubric(how, &exercises(&workbook))?;
    let book = open(how, Writers::Several)?;
    let secret = Secret::of_book(book.path(), None).environment()?;
    let read = book.read().map_err(GradeError::from).map_err(fault)?;
    let names = read.grades.iter().map(|grade| grade.exercise.clone());
    let tasks = run::tasks(&workbook, names, &rubric, &secret).map_err(fault)?;
    let course = Course::new(&book, &rubric, tasks, how.options()).map_err(fault)?;
    write_pages(&book, &read, &rubric, &course)?;
    context.print(format!("{}\n", workbook::shown(&book.path().join("pages/index.html"))))?;
    Ok(Exit::Met)
}

/// Writes a page a student, a page a pair or file that several have, and the teacher's.
pub fn write_pages(book: &Book, read: &Read, rubric: &Rubric, course: &Course<'_>) -> Result<(), Fault> {
    let grades = &read.grades;
    let write = |name: &str, text: String| {
        book.write(&Path::new("pages").join(name), text.as_bytes()).map_err(GradeError::from)
    };
    let mut students: BTreeMap<&Student, Vec<&Grade>> = BTreeMap::new();
    for grade in grades {
        students.entry(&grade.student).or_default().push(grade);
    }
    let mut files: BTreeMap<&Student, String> = BTreeMap::new();
    for (student, own) in &students {
        let name = format!("{}-{}.html", slug(&student.name), student.mark());
        write(&name, page::student(student, own, told(book))).map_err(fault)?;
        files.insert(*student, name);
    }
    let counting = table::counting(grades, rubric.attempts.count);
    let mut alike = Vec::new();
    for (name, task) in &course.tasks {
        let own: Vec<&Grade> =
            counting.iter().filter(|((_, exercise), _)| exercise == name).map(|(_, grade)| *grade).collect();
        let similar::Alike { same, pairs, more } = similar::alike(&own, &course.starter(task));
        // A folder of their own: who is called like a pair would have its page.
        let place = |grades: [&Grade; 2]| {
            let [one, other] = grades.map(|grade| grade.student.mark());
            format!("pairs/{}-{one}-{other}.html", slug(name))
        };
        let mut shown = page::LooksAlike { exercise: name, same: Vec::new(), pairs: Vec::new(), more };
        for grades in same {
            let file = place([grades[0], grades[1]]);
            write(&file, page::kernel(&grades, &kernel(book, grades[0]))).map_err(fault)?;
            shown.same.push((grades, file));
        }
        for pair in pairs {
            let file = place([pair.one, pair.other]);
            let kernels = [pair.one, pair.other].map(|grade| kernel(book, grade));
            write(&file, page::pair(&pair, [&kernels[0], &kernels[1]])).map_err(fault)?;
            shown.pairs.push((pair, file));
        }
        alike.push(shown);
    }
    let class = page::Class { grades, without: &read.without, counts: rubric.attempts.count, students: files, alike };
    write("index.html", page::teacher(&class)).map_err(fault)?;
    Ok(())
}

fn kernel(book: &Book, grade: &Grade) -> String {
    let bytes = files::read_named(&book.kernel(&grade.submitted.sha256), compiler::compile::LARGEST_SOURCE);
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// Fills a gradebook's column.
pub fn canvas(context: &Context, how: &How, args: &CanvasArgs) -> Outcome {
    let named = |error: anyhow::Error| anyhow::anyhow!("{}: {error}", text::path(&args.gradebook));
    let bytes = files::read_named(&args.gradebook, LARGEST).map_err(|error| named(error.into())).usage()?;
    let gradebook = table::decode(&bytes).map_err(|why| named(anyhow::anyhow!(why))).usage()?;
    let counts = rubric(how, &exercises(&workbook::open(context)?))?.attempts.count;
    let grades = open(how, Writers::Nobody)?.read().map_err(GradeError::from).map_err(fault)?.grades;
    let mut students: BTreeMap<&Student, Vec<&Grade>> = BTreeMap::new();
    for ((student, exercise), grade) in table::counting(&grades, counts) {
        if args.exercise.as_deref().is_none_or(|wanted| wanted == exercise) {
            students.entry(student).or_default().push(grade);
        }
    }
    let students: Vec<(&Student, Vec<&Grade>)> = students.into_iter().collect();
    let filled = canvas::fill(&gradebook, &args.assignment, &students).map_err(|error| named(error.into())).usage()?;
    for missing in &filled.missing {
        say(&format!("note: {missing}"));
    }
    put(context, args.out.as_deref(), &filled.csv)?;
    Ok(Exit::Met)
}

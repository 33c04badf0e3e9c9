//! `checker grade SUBMISSIONS`: grades a class into a grade book; and what is asked of the book afterwards.

mod bar;
mod explain;
mod output;
mod slurm;

use bar::Bar;
use clap::{Args, Subcommand};
use command::exercise::check::BackendArg;
use command::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use compiler::toolchain;
use grade::book::{Book, Read, Writers};
use grade::format::Format;
use grade::intake::{self, Hints, Intake};
use grade::rubric::Counts;
use grade::run::{self, Course, GradeError, GradeOptions, Summary};
use grade::{Rubric, Secret, State, Student, table};
pub use output::seed;
use problem::Workbook;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::text;

/// The grade book that is meant where none is named.
const BOOK: &str = "grades";

/// What to grade and how.
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true,
    subcommand_negates_reqs = true
)]
pub struct GradeArgs {
    /// What was handed in: a folder, a zip (also as Moodle, Canvas and Gradescope export it), a list (.csv, .json), a .cu file
    #[arg(value_name = "SUBMISSIONS", required = true)]
    submissions: Option<PathBuf>,
    /// The exercise that files are for which do not say
    #[arg(long, value_name = "exNN")]
    exercise: Option<String>,
    /// Everything is this student's: where a platform grades one submission at a time
    #[arg(long, value_name = "NAME")]
    student: Option<String>,
    /// What the one student was to hand in: what is missing counts as 0 points of its own
    #[arg(long, value_name = "exNN,...", value_delimiter = ',', requires = "student")]
    assigned: Vec<String>,
    /// Times of change are times of handing in
    #[arg(long)]
    file_times: bool,
    /// Gradescope's submission_metadata.json of the one submission: when it was handed in
    #[arg(long, value_name = "FILE", conflicts_with = "file_times")]
    gradescope: Option<PathBuf>,
    /// Write the grades for this platform; the summary goes to the standard error
    #[arg(long = "for", value_name = "PLATFORM", value_parser = output::platform)]
    platform: Option<Format>,
    /// Where to write them [default: the standard output]
    #[arg(long, value_name = "FILE", requires = "platform")]
    out: Option<PathBuf>,
    /// A file with the number that seeds come from, for a new grade book: where a platform begins one for each submission
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    seed_file: Option<PathBuf>,
    /// As a Slurm job array of so many tasks, into a grade book that all nodes see; ends when it is done
    #[arg(long, value_name = "TASKS", value_parser = clap::value_parser!(u16).range(1..=10_000), conflicts_with_all = ["share", "platform"])]
    slurm: Option<u16>,
    /// One of N equal parts of the submissions, beside others: a task of a job array
    #[arg(long, value_name = "I/N", value_parser = slurm::share, conflicts_with = "platform")]
    share: Option<slurm::Share>,
    /// The number that seeds come from, for a new grade book [default: drawn, and secret until `grade release`]
    #[arg(long, value_name = "TEXT")]
    seed: Option<String>,
    #[command(flatten)]
    how: How,
    #[command(subcommand)]
    command: Option<Command>,
}

/// How to grade.
#[derive(Debug, Clone, Args)]
struct How {
    /// The grade book, a folder
    #[arg(long, value_name = "DIR", global = true, default_value = BOOK)]
    book: PathBuf,
    /// Points: a rubric.toml [default: the one in the grade book, else 4 for results, 2 for no findings, 4 for goals]
    #[arg(long, value_name = "FILE", global = true)]
    rubric: Option<PathBuf>,
    /// Checks at the same time [default: one per core]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Seconds for a check; what they do not suffice for is tried once more, alone, and never worth 0
    #[arg(long, value_name = "SECONDS", global = true, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit: u64,
    /// Larger sizes, up to the one at which kernels are timed: several times as long, and worth a larger --limit
    #[arg(long, global = true)]
    all: bool,
    /// Where to run: the simulator, where points are the same everywhere, or a GPU too, for measured times
    #[arg(long, value_enum, global = true, default_value = "sim")]
    backend: BackendArg,
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR", global = true)]
    toolchain: Option<PathBuf>,
}

/// What is asked of a grade book.
#[derive(Debug, Clone, Subcommand)]
enum Command {
    /// Where each point of a grade came from
    Explain(explain::WhichArgs),
    /// Check a kept submission again, as it was checked, and show the whole report
    Again(explain::WhichArgs),
    /// Write the pages again: one for the teacher, one a student
    Pages,
    /// Fill a column of a gradebook that Canvas exported
    Canvas(output::CanvasArgs),
    /// Show the secret that seeds come from: students can repeat their checks from now on
    Release,
}

/// Whose fault it is that a class could not be graded.
fn fault(error: GradeError) -> Fault {
    let exit = if error.is_usage() { Exit::Usage } else { Exit::Environment };
    Fault { exit, error: error.into() }
}

/// Grades, or answers.
pub fn run(context: &Context, args: &GradeArgs) -> Outcome {
    match (&args.command, &args.submissions) {
        (Some(Command::Explain(which)), _) => explain::explain(context, &args.how, which),
        (Some(Command::Again(which)), _) => explain::again(context, &args.how, which),
        (Some(Command::Pages), _) => output::pages(context, &args.how),
        (Some(Command::Canvas(canvas)), _) => output::canvas(context, &args.how, canvas),
        (Some(Command::Release), _) => explain::release(context, &args.how),
        (None, Some(submissions)) => grade(context, args, submissions),
        (None, None) => Err(usage("name the submissions; next: `checker grade --help`")),
    }
}

fn grade(context: &Context, args: &GradeArgs, submissions: &Path) -> Outcome {
    let workbook = workbook::open(context)?;
    let exercises = exercises(&workbook);
    let exercise = match &args.exercise {
        Some(name) => Some(workbook::find(&workbook, name)?.id.to_string()),
        None => None,
    };
    let student = args.student.as_ref().map(Student::named);
    let time = args.gradescope.as_deref().map(output::handed_in).transpose()?;
    let assigned = args.assigned.iter().map(|name| Ok(workbook::find(&workbook, name)?.id.to_string()));
    let assigned = assigned.collect::<Result<Vec<_>, Fault>>()?;
    let hints = Hints { exercise, student, exercises: exercises.clone(), assigned, file_times: args.file_times, time };
    let rubric = rubric(&args.how, &exercises)?;
    let mut taken = intake::take(submissions, &hints).usage()?;
    // Several tasks write beside each other, so whoever submits them does not keep the book to itself.
    let writers = if args.share.is_some() || args.slurm.is_some() { Writers::Several } else { Writers::One };
    let mut book = Book::open(&args.how.book, writers).map_err(GradeError::from).map_err(fault)?;
    if let Some(share) = args.share {
        let mut place = 0..;
        taken.submissions.retain(|_| place.next().is_some_and(|at: usize| at % share.of == share.index));
    }
    keep_rubric(&book, &args.how)?;
    let given = match &args.seed_file {
        Some(path) => Some(output::seed(path)?),
        None => args.seed.clone(),
    };
    let secret = Secret::of_book(book.path(), given.as_deref())
        .map_err(|error| anyhow::anyhow!("the grade book's secret: {error}"))
        .environment()?;
    if let Some(tasks) = args.slurm {
        slurm::submit(context, args, &book, tasks, workbook.root())?;
        drop(book);
        book = Book::open(&args.how.book, Writers::One).map_err(GradeError::from).map_err(fault)?;
    }
    let before =
        if args.share.is_some() { Read::default() } else { book.read().map_err(GradeError::from).map_err(fault)? };
    let named = taken.submissions.iter().map(|submission| submission.exercise.clone());
    let known = before.grades.iter().map(|grade| grade.exercise.clone()).filter(|name| exercises.contains(name));
    let tasks = run::tasks(&workbook, named.chain(known), &rubric, &secret).map_err(fault)?;
    let course = Course::new(&book, &rubric, tasks, args.how.options()).map_err(fault)?;
    let bar = Bar::new(context);
    let summary = course.grade(&taken.submissions, &|event| bar.hear(event));
    drop(bar);
    let summary = summary.map_err(fault)?;
    if args.share.is_some() {
        // What is made of all grades is for whoever comes last.
        return Ok(if summary.open > 0 { Exit::Environment } else { Exit::Met });
    }
    let mut read = book.read().map_err(GradeError::from).map_err(fault)?;
    book.keep_without(&mut read, &taken.without).map_err(GradeError::from).map_err(fault)?;
    let stale = course.others(&mut read.grades, &taken.submissions).map_err(fault)?;
    write_tables(&book, &read, &rubric)?;
    let notes = notes(args, &rubric, &read, &taken);
    match args.platform {
        Some(format) => {
            notes.iter().for_each(|note| context.note(&format!("note: {note}")));
            let out = (format, args.out.as_deref());
            output::write(context, &book, &read, &taken, rubric.attempts.count, out)
        }
        None => {
            output::write_pages(&book, &read, &rubric, &course)?;
            // Damaged files were made again, those that were handed in again.
            say(context, &book, &read, &taken, Done { summary, stale, damaged: before.damaged, notes })
        }
    }
}

/// What may not be as a teacher thinks: times that are not known, seeds that are.
fn notes(args: &GradeArgs, rubric: &Rubric, read: &Read, taken: &Intake) -> Vec<String> {
    let mut notes = Vec::new();
    let timed = taken.submissions.iter().filter(|submission| submission.time.is_some()).count();
    if args.file_times && timed == 0 {
        notes.push("--file-times found none: times in a zip have no zone, and are not taken".to_owned());
    }
    let counting = table::counting(&read.grades, rubric.attempts.count);
    let timeless = counting.values().filter(|grade| grade.submitted.time.is_none()).count();
    if rubric.late.is_some() && timeless > 0 {
        notes.push(format!(
            "the rubric has a deadline, and of {timeless} submissions that count nobody said when they were handed in: they are taken as in \
             time. A list says it in its column time, --file-times of files in a folder"
        ));
    }
    if rubric.attempts.count == Counts::Last {
        let mut tries: BTreeMap<(&Student, &str), usize> = BTreeMap::new();
        for grade in read.grades.iter().filter(|grade| grade.submitted.time.is_none()) {
            *tries.entry((&grade.student, grade.exercise.as_str())).or_default() += 1;
        }
        notes.extend(tries.iter().filter(|(_, count)| **count > 1).map(|((student, exercise), count)| {
            let student = student.to_string();
            let student = text::line(&student);
            format!(
                "{student} {exercise}: {count} submissions without a time, of which the last by its file's name counts"
            )
        }));
    }
    if args.how.book.join(explain::RELEASED).exists() {
        notes.push(
            "the secret of this grade book is released: whoever handed in since may have known the inputs".to_owned(),
        );
    }
    notes
}

/// What was done.
struct Done {
    summary: Summary,
    /// Earlier submissions that were checked by other means.
    stale: usize,
    /// What could not be read at the beginning.
    damaged: Vec<(PathBuf, String)>,
    /// What a teacher may have meant otherwise.
    notes: Vec<String>,
}

impl How {
    fn options(&self) -> GradeOptions {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // Times are measured one at a time.
        let most = if self.backend == BackendArg::Sim { self.jobs.map_or(cores, usize::from) } else { 1 };
        GradeOptions {
            jobs: most,
            seconds: self.limit,
            reach: if self.all { check::Reach::Whole } else { check::Reach::Far },
            backend: self.backend.into(),
            toolchain: toolchain::ToolchainOptions {
                dir: self.toolchain.clone(),
                ..toolchain::ToolchainOptions::default()
            },
        }
    }
}

/// Names of all exercises.
fn exercises(workbook: &Workbook) -> Vec<String> {
    let ids = workbook.ids().into_iter().filter(|id| id.exercise_number().is_some());
    ids.map(|id| id.to_string()).collect()
}

/// The rubric that is named, or the one that the grade book keeps.
fn rubric(how: &How, exercises: &[String]) -> Result<Rubric, Fault> {
    let kept = how.book.join("rubric.toml");
    let path = match &how.rubric {
        Some(path) => path,
        None if kept.exists() => &kept,
        None => return Ok(Rubric::default()),
    };
    let rubric = Rubric::read(path).map_err(GradeError::from).map_err(fault)?;
    rubric.known(exercises.iter().map(String::as_str)).map_err(GradeError::from).map_err(fault)?;
    Ok(rubric)
}

/// What grades were given by is kept with them.
fn keep_rubric(book: &Book, how: &How) -> Result<(), Fault> {
    if let Some(path) = &how.rubric {
        let bytes = system::files::read_trusted(path, 1 << 20).environment()?;
        book.write(Path::new("rubric.toml"), &bytes).map_err(GradeError::from).map_err(fault)?;
    }
    Ok(())
}

/// Writes what is made of all grades.
fn write_tables(book: &Book, read: &Read, rubric: &Rubric) -> Result<(), Fault> {
    let files = [
        ("grades.csv", table::grades(&read.grades, &read.without, rubric.attempts.count)),
        ("submissions.csv", table::submissions(&read.grades)),
    ];
    for (name, content) in files {
        book.write(Path::new(name), content.as_bytes()).map_err(GradeError::from).map_err(fault)?;
    }
    Ok(())
}

/// What was done, and what a teacher has to look at.
fn say(context: &Context, book: &Book, read: &Read, taken: &Intake, done: Done) -> Outcome {
    let Done { summary, stale, damaged, notes } = done;
    let open = read.grades.iter().filter_map(|grade| match &grade.state {
        State::NotGraded { why } => Some((grade, "not graded", why)),
        State::NoKernel { why } => Some((grade, "no kernel", why)),
        State::Graded => None,
    });
    let open: Vec<_> = open.collect();
    let exit = if summary.open > 0 { Exit::Environment } else { Exit::Met };
    if context.json {
        let notes = [taken.notes.as_slice(), &notes].concat();
        let open: Vec<_> = open
            .iter()
            .map(|(grade, state, why)| serde_json::json!({ "student": grade.student, "exercise": grade.exercise, "state": state, "why": why }))
            .collect();
        context.print_json(&serde_json::json!({
            "schema": grade::SCHEMA, "book": book.path(), "checked": summary.checked, "known": summary.known,
            "without_kernel": summary.without, "not_graded": summary.open, "open": open, "passed_over": taken.passed_over,
            "notes": notes, "stale": stale,
        }))?;
        return Ok(exit);
    }
    let mut lines = vec![format!(
        "{} submissions: {} checked, {} known already, {} without a kernel, {} not graded",
        taken.submissions.len(),
        summary.checked,
        summary.known,
        summary.without,
        summary.open
    )];
    lines.extend(open.iter().map(|(grade, state, why)| {
        format!("{state}: {} {}: {}", text::line(&grade.student.to_string()), grade.exercise, text::line(why))
    }));
    lines.extend(
        taken
            .passed_over
            .iter()
            .map(|passed| format!("passed over: {}: {}", text::line(&passed.file), text::line(&passed.why))),
    );
    lines.extend(taken.notes.iter().chain(&notes).map(|note| format!("note: {note}")));
    if stale > 0 {
        lines.push(format!(
            "note: {stale} earlier submissions, which are not among these, were checked by another checker or compiler, or with other \
             files of their problem: to check them again, hand them in again"
        ));
    }
    lines.extend(damaged.iter().map(|(path, why)| {
        let still = read.damaged.iter().any(|(other, _)| other == path);
        let then = if still { "not counted, and not among these submissions" } else { "made again" };
        format!("damaged, {then}: {}: {why}", text::path(path))
    }));
    lines.push(format!(
        "points: {}; each submission: {}",
        workbook::shown(&book.path().join("grades.csv")),
        workbook::shown(&book.path().join("submissions.csv"))
    ));
    if summary.open > 0 {
        lines.push("next: the same command again; what is graded stays as it is".to_owned());
    }
    context.print(lines.join("\n") + "\n")?;
    Ok(exit)
}

//! `checker dev new`: a problem that works, to be turned into another.

use crate::{Blame, Context, Exit, Fault, Outcome, usage, workbook};
use clap::{Args, ValueEnum};
use problem::{Kind, ProblemId, Workbook};
use std::fs;
use std::path::PathBuf;

/// Options of `checker dev new`.
#[derive(Debug, Clone, Args)]
pub struct NewArgs {
    /// What to make
    #[arg(value_enum)]
    kind: NewKind,
    /// Its name: exNN for an exercise, a slug such as wide-loads for a pair
    name: String,
    /// Its page in the book, without .md; that of the last problem of its kind unless given
    #[arg(long)]
    chapter: Option<String>,
}

/// What can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum NewKind {
    /// A kernel to improve, with its solution
    Exercise,
    /// A naive and an optimised kernel for a chapter
    Pair,
}

const MANIFEST: &str = include_str!("../../../templates/problem.toml");
/// What an exercise's manifest has besides.
const EFFORT: &str = "# Of 3, and how long it takes who has read the page.\ndifficulty = 1\nminutes    = 20\n";
const NAIVE: &str = include_str!("../../../templates/naive.cu");
const OPTIMISED: &str = include_str!("../../../templates/optimised.cu");
const REFERENCE: &str = include_str!("../../../templates/reference.cu");
const MUTANTS: [(&str, &str); 2] = [
    ("mutants/tail.cu", include_str!("../../../templates/mutants/tail.cu")),
    ("mutants/off-by-one.cu", include_str!("../../../templates/mutants/off-by-one.cu")),
];

/// Writes the folder and says what to do next.
pub fn run(context: &Context, args: &NewArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let name = args.name.as_str();
    check_name(&workbook, args.kind, name)?;
    let chapter = chapter(&workbook, args)?;
    let effort = if args.kind == NewKind::Exercise { EFFORT } else { "" };
    let manifest = MANIFEST.replace("TITLE", &title(name)).replace("CHAPTER", &chapter).replace("EFFORT", effort);
    let manifest = manifest.replace("TOPICS", &topics(&workbook, &chapter));
    let root = workbook.root();
    let folders = match args.kind {
        NewKind::Exercise => vec![root.join("exercises").join(name), root.join("solutions").join(name)],
        NewKind::Pair => vec![root.join("kernels").join(name)],
    };
    let mut files: Vec<(PathBuf, &str)> =
        vec![(folders[0].join("problem.toml"), &manifest), (folders[0].join("reference.cu"), REFERENCE)];
    match args.kind {
        NewKind::Exercise => {
            files.push((folders[0].join("starter.cu"), NAIVE));
            files.push((folders[0].join("kernel.cu"), NAIVE));
            files.push((folders[1].join("solution.cu"), OPTIMISED));
            files.extend(MUTANTS.map(|(path, text)| (folders[1].join(path), text)));
        }
        NewKind::Pair => {
            files.push((folders[0].join("naive.cu"), NAIVE));
            files.push((folders[0].join("optimised.cu"), OPTIMISED));
            files.extend(MUTANTS.map(|(path, text)| (folders[0].join(path), text)));
        }
    }
    write(&folders, &files)?;
    say(context, args.kind, name, &chapter, &folders[0], &files)?;
    Ok(Exit::Met)
}

fn check_name(workbook: &Workbook, kind: NewKind, name: &str) -> Result<(), Fault> {
    let is_exercise = name
        .strip_prefix("ex")
        .is_some_and(|digits| digits.len() >= 2 && digits.bytes().all(|byte| byte.is_ascii_digit()));
    if kind == NewKind::Exercise && !is_exercise {
        let numbers = workbook.ids().iter().filter_map(ProblemId::exercise_number).max().unwrap_or(0);
        return Err(usage(format!("`{name}` is no exercise's name; the next one is ex{:02}", numbers + 1)));
    }
    let slug = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !name.ends_with('-');
    if kind == NewKind::Pair && (!slug || is_exercise) {
        return Err(usage(format!(
            "`{name}` is no pair's name: lower-case letters, digits and hyphens, as in wide-loads"
        )));
    }
    let taken = ["exercises", "solutions", "kernels"].map(|group| workbook.root().join(group).join(name));
    match taken.iter().find(|folder| folder.exists()) {
        Some(folder) => Err(usage(format!("{} is there already; choose another name", workbook::shown(folder)))),
        None => Ok(()),
    }
}

/// The page asked for, or that of the last problem of this kind.
fn chapter(workbook: &Workbook, args: &NewArgs) -> Result<String, Fault> {
    let exists = |page: &str| workbook.root().join("book/src").join(format!("{page}.md")).is_file();
    if let Some(page) = &args.chapter {
        let page = page.trim_end_matches(".md");
        if page.contains(['/', '\\']) || !exists(page) {
            return Err(usage(format!("there is no book/src/{page}.md; write the page first, or name another")));
        }
        return Ok(page.to_owned());
    }
    let kind = match args.kind {
        NewKind::Exercise => Kind::Exercise,
        NewKind::Pair => Kind::Pair,
    };
    let mut problems = workbook.ids().into_iter().rev().filter_map(|id| workbook.load(&id).ok());
    problems
        .find(|problem| problem.kind == kind)
        .map(|problem| problem.manifest.chapter)
        .filter(|page| exists(page))
        .ok_or_else(|| usage("which page of the book is it for? next: add `--chapter PAGE`"))
}

/// What the page says it is about, in its `{{topics 15,16}}`: numbers, joined by commas; nothing where it says none.
fn topics(workbook: &Workbook, chapter: &str) -> String {
    let page = fs::read_to_string(workbook.root().join("book/src").join(format!("{chapter}.md"))).unwrap_or_default();
    let listed =
        page.split_once("{{topics ").and_then(|(_, rest)| rest.split_once("}}")).map_or("", |(listed, _)| listed);
    let numbers: Vec<String> =
        listed.split(',').filter_map(|number| Some(number.trim().parse::<u32>().ok()?.to_string())).collect();
    numbers.join(", ")
}

/// "wide-loads" as a title: "Wide loads".
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Writes all or nothing: half a problem would be in the way of the next attempt.
fn write(folders: &[PathBuf], files: &[(PathBuf, &str)]) -> Result<(), Fault> {
    let mut own = Vec::new();
    let written = (|| {
        for folder in folders {
            fs::create_dir(folder).map_err(|error| (folder, error))?;
            own.push(folder);
        }
        for (path, text) in files {
            let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
            parent.and_then(|()| fs::write(path, text)).map_err(|error| (path, error))?;
        }
        Ok(())
    })();
    written
        .map_err(|(path, error): (&PathBuf, std::io::Error)| {
            own.iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
            anyhow::Error::new(error).context(format!("cannot write {}", path.display()))
        })
        .environment()
}

fn say(
    context: &Context,
    kind: NewKind,
    name: &str,
    chapter: &str,
    folder: &std::path::Path,
    files: &[(PathBuf, &str)],
) -> Result<(), Fault> {
    let shown: Vec<String> = files.iter().map(|(path, _)| workbook::shown(path)).collect();
    if context.json {
        let value = serde_json::json!({
            "schema": report::SCHEMA,
            "name": name,
            "chapter": chapter,
            "files": shown,
        });
        return context.print_json(&value);
    }
    let mut text = format!("{name} works as it is: two launches that become one. Written:\n\n");
    shown.iter().for_each(|path| text.push_str(&format!("  {path}\n")));
    let folder = workbook::shown(folder);
    let versions = match kind {
        NewKind::Exercise => "starter.cu, then copy it over kernel.cu; the worked answer in solutions/",
        NewKind::Pair => "naive.cu and optimised.cu",
    };
    text.push_str(&format!(
        "\nNext:\n  \
         1. the sizes, buffers and texts in {folder}/problem.toml (chapter: {chapter})\n  \
         2. {folder}/reference.cu, the oracle\n  \
         3. {versions}\n  \
         4. mutants: wrong kernels, each with its reason in a `//@ mutant` line\n  \
         5. checker dev check {name}\n"
    ));
    context.print(&text)
}

//! The workbook as commands see it: problems by chapter, the next exercise, names that were mistyped.

use crate::progress::{Progress, Store};
use crate::{Blame, Context, Fault, usage};
use anyhow::Context as _;
use problem::{Kind, Problem, ProblemError, ProblemId, Version, Workbook, nearest};
use std::path::{Path, PathBuf};

/// Commands that a mistyped name may have meant.
const COMMANDS: [&str; 12] =
    ["list", "hint", "reset", "watch", "run", "sass", "doctor", "bench", "book", "grade", "dist", "dev"];

/// The workbook that files of problems are judged by, if there is one: as [`open`].
pub fn current(context: &Context) -> Result<Option<Workbook>, Fault> {
    match (open(context), &context.workbook) {
        (Err(fault), Some(_)) => Err(fault),
        (found, _) => Ok(found.ok()),
    }
}

/// The workbook: what `--workbook` names, else the one around the current folder.
pub fn open(context: &Context) -> Result<Workbook, Fault> {
    if let Some(root) = &context.workbook {
        return Workbook::at(root).usage();
    }
    // Never another one, such as that in which the command was built: whoever stands outside may mean any.
    let here = std::env::current_dir().context("the current folder: has it been removed?").environment()?;
    Workbook::find(&here).usage()
}

/// By which workbook something was judged, where that is not the one that the reader stands in: a sentence for the report.
pub fn judged_by(workbook: &Workbook) -> Option<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let nearest = std::env::current_dir().ok().and_then(|here| Workbook::nearest(&here));
    let obvious = nearest.is_some_and(|nearest| real(nearest.root()) == real(workbook.root()));
    (!obvious).then(|| format!("judged by the workbook in {}", system::text::path(workbook.root())))
}

/// What the reader has solved. Trouble with it is said and then ignored.
pub fn progress(context: &Context, workbook: &Workbook) -> Progress {
    match Store::of(workbook.root()).load() {
        Ok((progress, warning)) => {
            warning.iter().for_each(|warning| context.note(&format!("note: {warning}")));
            progress
        }
        Err(error) => {
            context.note(&format!("note: {error}"));
            Progress::default()
        }
    }
}

/// Every problem that can be read, exercises first. One that cannot is said.
pub fn problems(context: &Context, workbook: &Workbook) -> Vec<Problem> {
    let mut problems = Vec::new();
    for id in workbook.ids() {
        match workbook.load(&id) {
            Ok(problem) => problems.push(problem),
            Err(error) => context.note(&format!("note: {id} is left out: {error}")),
        }
    }
    problems.sort_by_key(|problem| {
        let exercise = problem.id.exercise_number().filter(|_| problem.kind == Kind::Exercise);
        let order = exercise.map_or(problem.manifest.order.unwrap_or(i64::MAX), i64::from);
        (exercise.is_none(), order, problem.id.clone())
    });
    problems
}

/// The first exercise that is not solved.
pub fn next<'a>(problems: &'a [Problem], progress: &Progress) -> Option<&'a Problem> {
    let open =
        |problem: &&Problem| problem.kind == Kind::Exercise && !progress.solved.contains_key(problem.id.as_str());
    problems.iter().find(open)
}

/// The first exercise that is not solved, after `after` if one is given, else from the start. Only problems that may be it are
/// read.
pub fn find_next(
    context: &Context,
    workbook: &Workbook,
    progress: &Progress,
    after: Option<&Problem>,
) -> Option<Problem> {
    let open = |id: &ProblemId| {
        let may_be = id.exercise_number().is_some() && !progress.solved.contains_key(id.as_str());
        may_be && after.is_none_or(|after| after.id != *id)
    };
    let number = after.and_then(|after| after.id.exercise_number()).unwrap_or(0);
    let (later, earlier): (Vec<_>, Vec<_>) =
        workbook.ids().into_iter().filter(open).partition(|id| id.exercise_number() > Some(number));
    later.into_iter().chain(earlier).find_map(|id| match workbook.load(&id) {
        Ok(problem) => (problem.kind == Kind::Exercise).then_some(problem),
        Err(error) => {
            context.note(&format!("note: {id} is left out: {error}"));
            None
        }
    })
}

/// The problem of that name.
pub fn find(workbook: &Workbook, name: &str) -> Result<Problem, Fault> {
    let name = &*system::text::line(name);
    match workbook.get(name) {
        Err(ProblemError::Unknown { nearest: None, .. }) if name.ends_with(".cu") || Path::new(name).is_file() => {
            Err(usage(format!("no problem is called `{name}`; next: `checker run {name}` runs a kernel file")))
        }
        Err(ProblemError::Unknown { name, nearest: problem }) => {
            let meant = problem.or_else(|| nearest(&name, COMMANDS).map(str::to_owned));
            let hint = match meant {
                Some(near) => format!("did you mean `checker {near}`?"),
                None => "`checker list` shows them all".to_owned(),
            };
            Err(usage(format!("no problem is called `{name}`; {hint}")))
        }
        found => found.usage(),
    }
}

/// The problem of that name, or the next unsolved exercise.
pub fn find_or_next(context: &Context, workbook: &Workbook, name: Option<&str>) -> Result<Problem, Fault> {
    if let Some(name) = name {
        return find(workbook, name);
    }
    find_next(context, workbook, &progress(context, workbook), None)
        .ok_or_else(|| usage("every exercise is solved: name one; `checker list` shows them"))
}

/// The file the reader edits, or the better one of a pair.
pub fn candidate(problem: &Problem) -> PathBuf {
    problem.version_path(&Version::Candidate).unwrap_or_else(|| problem.dir.clone())
}

/// A path as the reader would type it from here.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    let short = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    system::text::path(short.unwrap_or(path))
}

/// A chapter and its problems.
#[derive(Debug)]
pub struct Chapter<'a> {
    /// Title in the book's summary, or the page's name.
    pub title: String,
    /// Its pairs and exercises, exercises last.
    pub problems: Vec<&'a Problem>,
}

/// Problems by chapter, in the book's order; chapters that the book does not list come last.
pub fn chapters<'a>(workbook: &Workbook, problems: &'a [Problem]) -> Vec<Chapter<'a>> {
    let listed = workbook.pages();
    let mut pages: Vec<&str> = listed.iter().map(|page| page.slug.as_str()).collect();
    for problem in problems {
        if !pages.contains(&problem.manifest.chapter.as_str()) {
            pages.push(&problem.manifest.chapter);
        }
    }
    let chapters = pages.iter().map(|slug| {
        let mut own: Vec<&Problem> = problems.iter().filter(|problem| problem.manifest.chapter == *slug).collect();
        own.sort_by_key(|problem| problem.kind == Kind::Exercise);
        let title = listed.iter().find(|page| page.slug == *slug).map_or(*slug, |page| page.title.as_str());
        Chapter { title: title.to_owned(), problems: own }
    });
    chapters.filter(|chapter| !chapter.problems.is_empty()).collect()
}

/// The title of a problem's chapter.
pub fn chapter_title(workbook: &Workbook, slug: &str) -> String {
    let page = workbook.pages().into_iter().find(|page| page.slug == slug);
    page.map_or_else(|| slug.to_owned(), |page| page.title)
}

//! The workbook: the folder that holds `exercises/`, `kernels/` and `solutions/`, and the problems in it.

pub mod audit;
mod id;
pub(crate) mod mutant;
pub(crate) mod pages;
pub(crate) mod renamed;
mod root;
mod sizes;
pub mod topics;
mod version;

pub use id::{Kind, ProblemId, Version};
pub use sizes::is_small;

use super::ProblemError;
use super::error::nearest;
use super::manifest::Manifest;
use super::source::{self, Owner};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Overrides the search for the workbook's folder.
pub const ROOT_VARIABLE: &str = "WARPBOOK_ROOT";
const EXERCISES: &str = "exercises";
const KERNELS: &str = "kernels";
const SOLUTIONS: &str = "solutions";
/// What a problem is called after: its folder has one.
pub const MANIFEST: &str = "problem.toml";

/// A checkout of the workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workbook {
    root: PathBuf,
}

/// A problem with its checked manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its name.
    pub id: ProblemId,
    /// Its folder.
    pub dir: PathBuf,
    /// What learners do not own.
    pub manifest: Manifest,
    /// Its kind.
    pub kind: Kind,
    root: PathBuf,
    /// Manifests of all element types; one, unless it is a ladder.
    variants: Vec<Manifest>,
    /// Of a ladder: the step that stands for the whole, with the one before it.
    step: Option<[String; 2]>,
    /// Of an exercise: a file that takes the place of the learner's `kernel.cu`.
    handed_in: Option<PathBuf>,
    /// The seed that drew its sizes.
    drawn_by: Option<u64>,
}

impl Workbook {
    /// Names of all problems: exercises by number, then the others by name. Their manifests are not read.
    pub fn ids(&self) -> Vec<ProblemId> {
        let folders = |group: &str| -> BTreeSet<String> {
            let entries = std::fs::read_dir(self.root.join(group)).into_iter().flatten().flatten();
            entries
                .filter(|entry| entry.path().join(MANIFEST).is_file())
                .filter_map(|entry| entry.file_name().into_string().ok())
                .collect()
        };
        let mut exercises: Vec<ProblemId> = folders(EXERCISES).into_iter().map(ProblemId).collect();
        exercises.sort_by_key(|id| (id.exercise_number().unwrap_or(u32::MAX), id.clone()));
        exercises.extend(folders(KERNELS).into_iter().map(ProblemId));
        exercises
    }

    /// All problems: exercises by number, then pairs and sweeps by their `order`.
    ///
    /// # Errors
    ///
    /// The first problem that is malformed; [`Workbook::load`] reads one at a time.
    pub fn problems(&self) -> Result<Vec<Problem>, ProblemError> {
        let mut problems = self.ids().iter().map(|id| self.load(id)).collect::<Result<Vec<_>, _>>()?;
        problems.sort_by_key(|problem| match problem.id.exercise_number() {
            Some(number) if problem.kind == Kind::Exercise => (0, i64::from(number), problem.id.clone()),
            _ => (1, problem.manifest.order.unwrap_or(i64::MAX), problem.id.clone()),
        });
        Ok(problems)
    }

    /// The problem that a person means: its name in any case, `ex3` or `3` for `ex03`, or the path of its folder.
    ///
    /// # Errors
    ///
    /// No such problem (with the nearest name), or a malformed one.
    pub fn get(&self, name: &str) -> Result<Problem, ProblemError> {
        let ids = self.ids();
        let written = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_lowercase();
        let number = written.strip_prefix("ex").unwrap_or(&written).parse::<u32>().ok();
        let meant = ids
            .iter()
            .find(|id| id.0 == written)
            .or_else(|| number.and_then(|number| ids.iter().find(|id| id.exercise_number() == Some(number))));
        match meant {
            Some(id) => self.load(id),
            None => Err(ProblemError::Unknown {
                name: name.to_string(),
                nearest: self
                    .once(&written)
                    .or_else(|| nearest(&written, ids.iter().map(ProblemId::as_str)).map(str::to_string)),
            }),
        }
    }

    /// What an exercise is called today that once had this name.
    fn once(&self, name: &str) -> Option<String> {
        super::renamed(&self.root).ok()?.remove(name)
    }

    /// Reads a problem by its exact name.
    ///
    /// # Errors
    ///
    /// No such folder, or a malformed manifest.
    pub fn load(&self, id: &ProblemId) -> Result<Problem, ProblemError> {
        let exercise = self.root.join(EXERCISES).join(&id.0);
        let is_exercise = exercise.join(MANIFEST).is_file();
        let dir = if is_exercise { exercise } else { self.root.join(KERNELS).join(&id.0) };
        let path = dir.join(MANIFEST);
        let text = source::read_text(&path, super::kernel_file::MAX_BYTES, Owner::Author)?;
        let variants = Manifest::parse_all(&path, &text)?;
        let manifest = variants[0].clone();
        let kind = match (is_exercise, &manifest.sweep, &manifest.ladder) {
            (true, None, None) => Kind::Exercise,
            (false, None, None) => Kind::Pair,
            (false, Some(_), _) => Kind::Sweep,
            (false, None, Some(_)) => Kind::Ladder,
            (true, ..) => {
                let message = "an exercise is neither a sweep nor a ladder: those are in kernels/";
                return Err(super::SourceLine::of(&path, &text, 1).error(1, message).into());
            }
        };
        if is_exercise && id.exercise_number().is_none() {
            return Err(ProblemError::BadExerciseName { name: id.clone() });
        }
        Ok(Problem {
            id: id.clone(),
            dir,
            manifest,
            kind,
            root: self.root.clone(),
            variants,
            step: None,
            drawn_by: None,
            handed_in: None,
        })
    }

    /// A path inside the workbook, relative to its top, links in the folders before the last component resolved.
    pub fn inside(&self, path: &Path) -> Option<PathBuf> {
        let absolute = std::path::absolute(path).ok()?;
        let folder = absolute.parent()?.canonicalize().ok()?;
        Some(folder.strip_prefix(self.root.canonicalize().ok()?).ok()?.join(absolute.file_name()?))
    }

    /// The problem in whose folder a kernel file lies, if it lies in one of this workbook that can be read. What lies
    /// beside the file says nothing.
    pub fn problem_of(&self, path: &Path) -> Option<Problem> {
        let inside = self.inside(path)?;
        let mut parts = inside.components().map(|part| part.as_os_str());
        parts.next().filter(|group| [EXERCISES, KERNELS, SOLUTIONS].iter().any(|name| group == name))?;
        let name = parts.next()?.to_str()?;
        let id = self.ids().into_iter().find(|id| id.as_str() == name)?;
        self.load(&id).ok()
    }

    /// How a kernel file that the reader names is read: without following a link below the workbook's top.
    pub fn owner_of<'a>(workbook: Option<&'a Self>, path: &Path) -> Owner<'a> {
        match workbook {
            Some(workbook) if std::path::absolute(path).is_ok_and(|path| path.starts_with(&workbook.root)) => {
                Owner::Learner(&workbook.root)
            }
            _ => Owner::Named,
        }
    }
}

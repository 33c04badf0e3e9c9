//! The workbook: the folder that holds `exercises/`, `kernels/` and `solutions/`, and the problems in it.

pub mod audit;
pub(crate) mod mutant;
pub(crate) mod pages;
pub(crate) mod renamed;
pub mod topics;

use super::ProblemError;
use super::error::{LineError, nearest};
use super::expr::Sizes;
use super::kernel_file::KernelFile;
use super::ladder::{BLOCK, Ladder};
use super::manifest::{ErrorBound, Manifest, OutputSpec, Sweep};
use super::source::{self, Owner};
use plan::Buffer;
use plan::stream::Stream;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
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

/// A problem's name: `ex03`, `local-array`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProblemId(String);

impl ProblemId {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// 3 for `ex03`.
    pub fn exercise_number(&self) -> Option<u32> {
        self.0.strip_prefix("ex").filter(|digits| digits.len() >= 2)?.parse().ok()
    }
}

impl From<&str> for ProblemId {
    fn from(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl fmt::Display for ProblemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Kinds of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Something to improve.
    Exercise,
    /// A naive and an optimised kernel.
    Pair,
    /// One kernel over two sizes.
    Sweep,
    /// A row of versions, each a step from the one before.
    Ladder,
}

/// A version of a problem's kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Version {
    /// `naive.cu`, `starter.cu`; of a ladder's step the one before.
    Baseline,
    /// `optimised.cu`, the learner's `kernel.cu`, `sweep.cu`; a ladder's step.
    Candidate,
    /// `optimised.cu`, `solution.cu`, `sweep.cu`; a ladder's step.
    Solution,
    /// `reference.cu`, the oracle.
    Reference,
    /// `mutants/NAME.cu`.
    Mutant(String),
    /// `styles/NAME.cu`: right in another way than the solution.
    Style(String),
    /// `sweep.cu`.
    Sweep,
    /// `NAME.cu` of a ladder.
    Step(String),
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Baseline => f.write_str("baseline"),
            Self::Candidate => f.write_str("candidate"),
            Self::Solution => f.write_str("solution"),
            Self::Reference => f.write_str("reference"),
            Self::Mutant(name) => write!(f, "mutant {name}"),
            Self::Style(name) => write!(f, "style {name}"),
            Self::Sweep => f.write_str("sweep"),
            Self::Step(name) => f.write_str(name),
        }
    }
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
}

impl Workbook {
    /// The workbook around `start`: what `WARPBOOK_ROOT` names, else the nearest ancestor with `exercises/` and
    /// `kernels/`, else that one's own ancestor with problems in them: what lies inside a workbook is judged by it.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find(start: &Path) -> Result<Self, ProblemError> {
        match std::env::var_os(ROOT_VARIABLE).filter(|value| !value.is_empty()) {
            Some(root) => Self::at(Path::new(&root)),
            None => Self::around(start),
        }
    }

    /// As [`Workbook::find`], whatever the environment says.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn around(start: &Path) -> Result<Self, ProblemError> {
        let absolute = std::path::absolute(start).unwrap_or_else(|_| start.to_path_buf());
        let mut roots =
            absolute.ancestors().filter(|dir| Self::is_root(dir)).map(|dir| Self { root: dir.to_path_buf() });
        let nearest = roots.next().ok_or(ProblemError::NoWorkbook { start: absolute.clone() })?;
        // A submission that lies in a workbook may look like one.
        let around = roots.filter(|outer| same_owner(&outer.root, &nearest.root) && !outer.ids().is_empty()).last();
        Ok(around.unwrap_or(nearest))
    }

    /// The folder nearest to this one, upwards, that looks like a workbook, whether or not it is the one that judges.
    pub fn nearest(start: &Path) -> Option<Self> {
        start.ancestors().find(|dir| Self::is_root(dir)).map(|dir| Self { root: dir.to_path_buf() })
    }

    /// The workbook whose top is this folder.
    ///
    /// # Errors
    ///
    /// It is none.
    pub fn at(root: &Path) -> Result<Self, ProblemError> {
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
        if Self::is_root(&root) { Ok(Self { root }) } else { Err(ProblemError::BadRoot { root }) }
    }

    fn is_root(dir: &Path) -> bool {
        // A class may be given the workbook without its solutions.
        [EXERCISES, KERNELS].iter().all(|name| dir.join(name).is_dir())
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

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

#[cfg(unix)]
fn same_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| std::fs::metadata(path).map(|about| about.uid()).ok();
    owner(one) == owner(other)
}

#[cfg(not(unix))]
fn same_owner(_: &Path, _: &Path) -> bool {
    true
}

impl Problem {
    /// The workbook's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The problem with another file in the place of the learner's `kernel.cu`, or of a pair's better kernel: a submission.
    pub fn handed_in(&self, kernel: &Path) -> Self {
        Self { handed_in: Some(kernel.to_path_buf()), ..self.clone() }
    }

    /// The file that [`Problem::handed_in`] put there.
    pub fn submission(&self) -> Option<&Path> {
        self.handed_in.as_deref()
    }

    /// Where a version is; None when this kind of problem has no such version.
    pub fn version_path(&self, version: &Version) -> Option<PathBuf> {
        let solutions = self.root.join(SOLUTIONS).join(&self.id.0);
        let others = if self.kind == Kind::Exercise { &solutions } else { &self.dir };
        Some(match (self.kind, version) {
            (_, Version::Reference) => self.dir.join("reference.cu"),
            (_, Version::Mutant(name)) => others.join("mutants").join(format!("{name}.cu")),
            (_, Version::Style(name)) => others.join("styles").join(format!("{name}.cu")),
            (Kind::Ladder, Version::Step(name)) => self.dir.join(format!("{name}.cu")),
            (Kind::Ladder, Version::Baseline) => self.dir.join(format!("{}.cu", self.step.as_ref()?[0])),
            (Kind::Ladder, Version::Candidate | Version::Solution) => {
                self.dir.join(format!("{}.cu", self.step.as_ref()?[1]))
            }
            (_, Version::Step(_))
            | (Kind::Sweep, Version::Baseline)
            | (Kind::Pair | Kind::Exercise | Kind::Ladder, Version::Sweep) => return None,
            (Kind::Sweep, _) => self.dir.join("sweep.cu"),
            (Kind::Pair, Version::Baseline) => self.dir.join("naive.cu"),
            (Kind::Pair, Version::Candidate) => self.handed_in.clone().unwrap_or_else(|| self.dir.join("optimised.cu")),
            (Kind::Pair, _) => self.dir.join("optimised.cu"),
            (Kind::Exercise, Version::Baseline) => self.dir.join("starter.cu"),
            (Kind::Exercise, Version::Candidate) => {
                self.handed_in.clone().unwrap_or_else(|| self.dir.join("kernel.cu"))
            }
            (Kind::Exercise, Version::Solution) => solutions.join("solution.cu"),
        })
    }

    /// Whose file a version is. All but the learner's belong to the workbook's author.
    fn owner(&self, version: &Version) -> Owner<'_> {
        match (self.kind, version) {
            (Kind::Exercise | Kind::Pair, Version::Candidate) if self.handed_in.is_some() => Owner::Named,
            (Kind::Exercise, Version::Candidate) => Owner::Learner(&self.root),
            _ => Owner::Author,
        }
    }

    /// Reads a version.
    ///
    /// # Errors
    ///
    /// There is none, it cannot be read, or it is malformed.
    pub fn version(&self, version: &Version) -> Result<KernelFile, ProblemError> {
        let no_version = || ProblemError::NoVersion { problem: self.id.clone(), version: version.to_string() };
        let path = self.version_path(version).ok_or_else(no_version)?;
        let file = KernelFile::read_typed(&path, &self.manifest.types(), self.owner(version))?;
        file.require_problem_version()?;
        Ok(file)
    }

    /// Names of its mutants.
    pub fn mutants(&self) -> Vec<String> {
        self.beside(&Version::Mutant(String::new()))
    }

    /// Names of its styles.
    pub fn styles(&self) -> Vec<String> {
        self.beside(&Version::Style(String::new()))
    }

    /// Names of the kernel files in the folder where `version` would be, sorted.
    fn beside(&self, version: &Version) -> Vec<String> {
        let Some(folder) = self.version_path(version) else { return Vec::new() };
        let entries = folder.parent().and_then(|dir| std::fs::read_dir(dir).ok()).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
            .filter_map(|path| path.file_stem()?.to_str().map(str::to_string))
            .collect();
        names.sort();
        names
    }

    /// Inputs and outputs at sizes.
    ///
    /// # Errors
    ///
    /// As [`Manifest::io`].
    pub fn io(&self, sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
        self.manifest.io(sizes)
    }

    /// Buffers of the oracle at sizes: float outputs in f64, and NAME_magnitude where `reference` passes it to a launch.
    ///
    /// # Errors
    ///
    /// As [`Manifest::io`].
    pub fn reference_io(&self, reference: &KernelFile, sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
        self.manifest.reference_io(sizes, |name| reference.passes(name))
    }

    /// The problem with the sizes of its drawn cases, which the seed chooses.
    pub fn drawn(&self, seed: u64) -> Self {
        let mut problem = self.clone();
        for (index, row) in self.manifest.drawn.iter().enumerate() {
            let size = |(name, (lo, hi)): (&String, &(i64, i64))| {
                (name.clone(), Stream::new(seed, name).integer(index as u64, *lo, *hi))
            };
            let sizes: Sizes = row.iter().map(size).collect();
            if !problem.manifest.cases.contains(&sizes) {
                problem.manifest.cases.push(sizes);
            }
        }
        problem
    }

    /// The sizes that are run and verified. A sweep's case that leaves out the row or the column is run at all its
    /// values.
    pub fn cases(&self) -> Vec<Sizes> {
        let Some(sweep) = &self.manifest.sweep else { return self.manifest.cases.clone() };
        let mut cases = Vec::new();
        for case in &self.manifest.cases {
            for cell in sweep.cells(case) {
                let mut sizes = cell.sizes;
                sizes.extend(case.iter().map(|(name, value)| (name.clone(), *value)));
                if !cases.contains(&sizes) {
                    cases.push(sizes);
                }
            }
        }
        cases
    }

    /// The ladder, for a problem of that kind.
    pub fn ladder(&self) -> Option<&Ladder> {
        self.manifest.ladder.as_ref()
    }

    /// A ladder at its element type of that number, in the order of its `[[ladder.type]]` tables.
    pub fn of_type(&self, element: usize) -> Option<Self> {
        let manifest = self.variants.get(element)?.clone();
        Some(Self { manifest, ..self.clone() })
    }

    /// The problem as a kernel file of its folder is run on its own: a ladder at the element type of that name (the first
    /// unless one is named), with the error bound of the version that the file is.
    ///
    /// # Errors
    ///
    /// No such element type.
    pub fn for_file(self, path: &Path, element: Option<&str>) -> Result<Self, ProblemError> {
        let number = match (self.ladder(), element) {
            (_, None) => Some(0),
            (ladder, Some(name)) => ladder.and_then(|ladder| ladder.element_named(name)),
        };
        let mut problem = number.and_then(|number| self.of_type(number)).ok_or_else(|| {
            let types = self.ladder().map(|ladder| ladder.types.iter().map(|kind| kind.name.as_str()).collect());
            ProblemError::NoType {
                problem: self.id.to_string(),
                element: element.unwrap_or_default().to_owned(),
                types: types.map(|names: Vec<_>| names.join(", ")).unwrap_or_default(),
            }
        })?;
        if let Some(version) = path.file_stem().and_then(|stem| stem.to_str()) {
            problem.bound_by(&[version]);
        }
        Ok(problem)
    }

    /// A ladder's step as a problem of its own: its baseline is the step before (the first step's is itself), and its
    /// error bound is the step's own where it has one. Without `everything`, block sizes other than the ladder's own are
    /// tried at small sizes only.
    pub fn of_step(&self, version: &str, everything: bool) -> Option<Self> {
        let ladder = self.ladder()?;
        let at = ladder.position(version)?;
        let before = ladder.versions[at.saturating_sub(1)].clone();
        let mut problem = self.clone();
        problem.bound_by(&[version, &before]);
        problem.step = Some([before, version.to_string()]);
        if let Ok(file) = problem.version(&Version::Candidate) {
            problem.manifest.learned = file.heading();
        }
        let files = [Version::Baseline, Version::Candidate].map(|version| problem.version(&version).ok());
        let claimed = |sizes: &Sizes| files.iter().flatten().all(|file| ladder.claims(file, sizes));
        problem.manifest.cases.retain(|sizes| {
            let own = sizes.get(BLOCK) == Some(&ladder.block);
            claimed(sizes) && (everything || own || is_small(sizes))
        });
        Some(problem)
    }

    /// The step that [`Problem::of_step`] chose, and the one before it.
    pub fn step(&self) -> Option<&[String; 2]> {
        self.step.as_ref()
    }

    /// Gives outputs the longest chain of roundings that any of these versions has. A mutant's name begins with that of
    /// its version.
    fn bound_by(&mut self, versions: &[&str]) {
        let mut outputs = std::mem::take(&mut self.manifest.outputs);
        self.bound(&mut outputs, versions);
        self.manifest.outputs = outputs;
    }

    /// The outputs with the bounds that this version has.
    pub fn bounded_by(&self, version: &str) -> Vec<OutputSpec> {
        let mut outputs = self.manifest.outputs.clone();
        self.bound(&mut outputs, &[version]);
        outputs
    }

    fn bound(&self, outputs: &mut [OutputSpec], versions: &[&str]) {
        let Some(ladder) = &self.manifest.ladder else { return };
        for output in outputs {
            if let ErrorBound::Ops { ops, .. } = &mut output.error {
                let usual = ops.clone();
                let chain = |version: &&str| ladder.step_of(version).and_then(|step| ladder.ops.get(step));
                let chains = versions.iter().map(|version| chain(version).unwrap_or(&usual).clone());
                *ops = chains.reduce(|a, b| a.max(&b)).unwrap_or(usual.clone());
            }
        }
    }

    /// The sweep, for a problem of that kind; its cells are `sweep.cells(&manifest.time)`.
    pub fn sweep(&self) -> Option<&Sweep> {
        self.manifest.sweep.as_ref()
    }
}

/// Few enough elements for every block size and every schedule to be tried within a moment.
pub fn is_small(sizes: &Sizes) -> bool {
    const SMALL: i64 = 4096;
    sizes.iter().filter(|(name, _)| *name != BLOCK).all(|(_, value)| *value <= SMALL)
}

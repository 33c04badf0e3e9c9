//! The versions of a problem: their files, and what is read of them.

use super::id::{Kind, Version};
use super::{Problem, SOLUTIONS};
use crate::ProblemError;
use crate::kernel_file::KernelFile;
use crate::source::Owner;
use std::path::{Path, PathBuf};

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
        self.names_beside(&Version::Mutant(String::new()))
    }

    /// Names of its styles.
    pub fn styles(&self) -> Vec<String> {
        self.names_beside(&Version::Style(String::new()))
    }

    /// Names of the kernel files in the folder where `version` would be, sorted.
    fn names_beside(&self, version: &Version) -> Vec<String> {
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
}

//! The file, the problem that it belongs to, and the sizes that it runs at.

use super::{Halt, Running};
use crate::{CheckError, complaint, line_reason};
use compiler::compile::CompileError;
use problem::{KernelFile, LineError, MANIFEST, Problem, ProblemError, Sizes, Workbook};
use report::{StageName, Verdict};

/// What was read.
pub(super) struct Read {
    pub file: KernelFile,
    /// Whose oracle judges it.
    pub problem: Option<Problem>,
    pub sizes: Sizes,
    /// It belongs to no problem, so it may have host code in it.
    pub stranger: bool,
}

impl Running<'_> {
    /// Reads the file and its lines.
    pub(super) fn read(&mut self) -> Result<Read, Halt> {
        let (path, workbook) = (self.path, self.options.workbook.as_ref());
        let owner = self.owner()?;
        let stranger = owner.is_none();
        let types = owner.as_ref().map(|problem| problem.manifest.types()).unwrap_or_default();
        let file = match KernelFile::read_typed(path, &types, Workbook::owner_of(workbook, path)) {
            Ok(file) => file,
            Err(ProblemError::Line(error)) => return Err(self.malformed(&error)),
            Err(error) => return Err(error.into()),
        };
        self.sources.hold(path, file.text());
        if file.text().trim().is_empty() {
            let error = CompileError::Empty { file: path.to_path_buf() };
            return Err(Halt::Stopped(StageName::Compile, complaint::of(&error, &mut self.sources)));
        }
        if stranger && path.with_file_name(MANIFEST).exists() {
            let whose = workbook.map_or_else(|| "no workbook".into(), |found| system::text::path(found.root()));
            self.report.notes.push(format!(
                "the {MANIFEST} beside the file says nothing here: the workbook is {whose}; --workbook DIR names another"
            ));
        }
        // A file that declares its own buffers stands alone, wherever it lies.
        let problem = owner.filter(|_| file.stand_alone_statement().is_none());
        self.known(&file, problem.as_ref())?;
        let sizes = match &problem {
            Some(problem) => problem_sizes(&file, problem, &self.options.sizes),
            None => file.sizes(&self.options.sizes),
        };
        let sizes = sizes.map_err(|error| self.malformed(&error))?;
        let options = self.options;
        let given: String = options.sizes.iter().map(|(name, value)| format!(" --size {name}={value}")).collect();
        let element = options.element.iter().map(|name| format!(" --type {name}")).collect::<String>();
        let name = system::text::word(&self.shown);
        self.command = format!("checker run {name}{element}{given} --seed {}{}", self.seed, options.also);
        self.report.repeat = format!("{}{}", self.command, options.orders.option());
        Ok(Read { file, problem, sizes, stranger })
    }

    /// Sizes that were given are names of the file's, or of its problem's.
    fn known(&self, file: &KernelFile, problem: Option<&Problem>) -> Result<(), CheckError> {
        let known: Vec<&str> = match problem {
            Some(problem) => problem.manifest.count.keys().map(String::as_str).collect(),
            None => file.size_names().collect(),
        };
        let Some(size) = self.options.sizes.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        let of = problem.map_or_else(|| self.shown.clone(), |problem| problem.id.to_string());
        Err(CheckError::NoSize { size: size.clone(), of, known: known.join(", ") })
    }

    /// The problem whose file it is, for the element type that was asked for.
    fn owner(&self) -> Result<Option<Problem>, Halt> {
        let found = self.options.workbook.as_ref().and_then(|workbook| workbook.problem_of(self.path));
        match (found, self.options.element.as_deref()) {
            (Some(problem), element) => Ok(Some(problem.for_file(self.path, element)?)),
            (None, None) => Ok(None),
            (None, Some(element)) => {
                let problem = self.shown.clone();
                Err(ProblemError::NoType { problem, element: element.into(), types: String::new() }.into())
            }
        }
    }

    fn malformed(&mut self, error: &LineError) -> Halt {
        let reason = line_reason(Verdict::BadKernelFile, error, &mut self.sources);
        Halt::Stopped(StageName::Compile, vec![reason])
    }
}

/// Sizes that a problem's file runs at: those of its counts, as far as no others are given.
pub fn problem_sizes(file: &KernelFile, problem: &Problem, given: &Sizes) -> Result<Sizes, LineError> {
    let count = &problem.manifest.count;
    let cell = problem.sweep().and_then(|sweep| sweep.cells(count).into_iter().next());
    let mut sizes = cell.map_or_else(|| count.clone(), |cell| cell.sizes);
    for (name, value) in given {
        match sizes.get_mut(name) {
            Some(size) => *size = *value,
            None => {
                let known: Vec<String> = sizes.keys().map(|name| format!("`{name}`")).collect();
                let message = format!("`{}` has no size `{name}`; it has {}", problem.id, known.join(", "));
                return Err(file.line(1).error(1, message));
            }
        }
    }
    Ok(sizes)
}

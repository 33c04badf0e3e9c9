//! Kernel files compiled for the book's pages, which run them in the reader's browser.

use crate::build::{BuildError, Built, build};
use crate::stage::fail_by;
use crate::{CheckError, line_reason, refused, run};
use compiler::toolchain::Toolchain;
use live::{Code, Kernel, Oracle};
use problem::{DeviceShape, KernelFile, Problem, Sizes, Version, Workbook};
use report::{RanOn, Report, Sources, StageName, Subject, SubjectKind, Verdict};
use std::path::Path;

/// Pages have one architecture.
const ARCH: &str = "sm_90";

/// A kernel file of the workbook, by its path from the root, with every instance that its problem's sizes ask for.
///
/// # Errors
/// It cannot be read or compiled, or a line of it is wrong.
pub fn page_kernel(toolchain: &Toolchain, workbook: &Workbook, file: &str) -> Result<Kernel, CheckError> {
    let path = workbook.root().join(file);
    let owner = owner(workbook, &path)?;
    let kernel = KernelFile::read_typed(&path, &types(owner.as_ref()), Workbook::owner_of(Some(workbook), &path))?;
    Page { toolchain, file }.kernel(kernel, owner).map_err(|refused| match refused {
        BuildError::Compile(error) => shipped(file, error.to_string()),
        refused => refused.into(),
    })
}

/// The same with another text in the file's place, as a reader edits it on the page: whatever is wrong with the text is a report.
///
/// # Errors
/// What the text cannot cause.
pub fn edited_kernel(
    toolchain: &Toolchain,
    workbook: &Workbook,
    file: &str,
    text: &str,
) -> Result<Result<Kernel, Box<Report>>, CheckError> {
    let path = workbook.root().join(file);
    let owner = owner(workbook, &path)?;
    let mut sources = Sources::new(workbook.root());
    sources.allow_headers(&toolchain.includes);
    sources.hold(&path, text);
    let reasons = match KernelFile::parse_typed(&path, text, &types(owner.as_ref())) {
        Err(error) => vec![line_reason(Verdict::BadKernelFile, &error, &mut sources)],
        Ok(kernel) => match (Page { toolchain, file }).kernel(kernel, owner) {
            Ok(kernel) => return Ok(Ok(kernel)),
            Err(stop) => refused(stop, &mut sources)?,
        },
    };
    let subject = Subject { name: file.to_owned(), title: String::new(), chapter: None, kind: SubjectKind::File };
    let mut report = Report::new(subject, RanOn::Sim { schedules: Vec::new() }, 0);
    report.versions = vec![report::Version { label: "value".into(), file: sources.name(&path) }];
    fail_by(&mut report, StageName::Compile, reasons);
    Ok(Err(Box::new(report)))
}

/// The problem in whose folder a file lies.
fn owner(workbook: &Workbook, path: &Path) -> Result<Option<Problem>, CheckError> {
    Ok(workbook.problem_of(path).map(|problem| problem.for_file(path, None)).transpose()?)
}

fn types(owner: Option<&Problem>) -> problem::Types {
    owner.map(|problem| problem.manifest.types()).unwrap_or_default()
}

/// A page's kernel in the making.
struct Page<'a> {
    toolchain: &'a Toolchain,
    file: &'a str,
}

impl Page<'_> {
    fn kernel(&self, kernel: KernelFile, owner: Option<Problem>) -> Result<Kernel, BuildError> {
        let Self { toolchain, file } = self;
        // A file that declares its own buffers stands alone, wherever it lies.
        let problem = owner.filter(|_| kernel.stand_alone_statement().is_none());
        let sizes = match &problem {
            Some(problem) => run::problem_sizes(&kernel, problem, &Sizes::new())?,
            None => kernel.sizes(&Sizes::new())?,
        };
        let cases = |problem: &Problem| {
            let mut cases = problem.cases();
            cases.extend([sizes.clone(), problem.manifest.time.clone()]);
            cases
        };
        let cases = problem.as_ref().map_or_else(|| vec![sizes.clone()], cases);
        let code = compiled(toolchain, kernel, &cases)?;
        let oracle = problem.as_ref().map(|problem| oracle(toolchain, problem, &cases)).transpose();
        let oracle = oracle.map_err(BuildError::Error)?;
        let problem = problem.map(|problem| problem.id.to_string());
        Ok(Kernel { file: (*file).to_owned(), problem, sizes, code, oracle })
    }
}

fn shipped(name: &str, message: String) -> CheckError {
    CheckError::Shipped { problem: name.to_owned(), what: "a kernel file", message }
}

fn oracle(toolchain: &Toolchain, problem: &Problem, cases: &[Sizes]) -> Result<Oracle, CheckError> {
    let shown = |path: &Path| path.strip_prefix(problem.root()).unwrap_or(path).display().to_string();
    let reference = problem.version(&Version::Reference)?;
    let file = shown(reference.path());
    Ok(Oracle {
        interface: problem.manifest.interface(),
        code: compiled(toolchain, reference, cases).map_err(|refused| match refused {
            BuildError::Compile(error) => shipped(&file, error.to_string()),
            refused => refused.into(),
        })?,
        file,
    })
}

fn compiled(toolchain: &Toolchain, file: KernelFile, cases: &[Sizes]) -> Result<Code, BuildError> {
    let Built { file, compiled, needs, as_written, .. } = build(toolchain, file, cases, DeviceShape::H200, ARCH)?;
    let text = file.text().to_owned();
    Ok(Code { text, ptx: compiled.ptx.into(), names: compiled.names, needs, as_written })
}

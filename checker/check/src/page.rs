//! Kernel files compiled for the book's pages, which run them in the reader's browser.

use super::build::{Built, Refused, build};
use super::{CheckError, run};
use compiler::toolchain::Toolchain;
use live::{Code, Kernel, Oracle};
use problem::{DeviceShape, KernelFile, MANIFEST, Problem, Sizes, Version, Workbook};
use std::path::Path;

/// Pages have one architecture.
const ARCH: &str = "sm_90";

/// A kernel file of the workbook, by its path from the root, with every instance that its problem's sizes ask for.
///
/// # Errors
/// It cannot be read or compiled, or a line of it is wrong.
pub fn page_kernel(toolchain: &Toolchain, workbook: &Workbook, file: &str) -> Result<Kernel, CheckError> {
    let path = workbook.root().join(file);
    let owner = workbook.problem_of(&path).map(|problem| problem.for_file(&path, None)).transpose()?;
    let types = owner.as_ref().map(|problem| problem.manifest.types()).unwrap_or_default();
    let kernel = KernelFile::read_typed(&path, &types, Workbook::owner_of(Some(workbook), &path))?;
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
    let code = compiled(toolchain, kernel, &cases, file)?;
    let oracle = problem.as_ref().map(|problem| oracle(toolchain, problem, &cases)).transpose()?;
    Ok(Kernel { file: file.to_owned(), problem: problem.map(|problem| problem.id.to_string()), sizes, code, oracle })
}

fn oracle(toolchain: &Toolchain, problem: &Problem, cases: &[Sizes]) -> Result<Oracle, CheckError> {
    let shown = |path: &Path| path.strip_prefix(problem.root()).unwrap_or(path).display().to_string();
    let reference = problem.version(&Version::Reference)?;
    let file = shown(reference.path());
    let path = problem.dir.join(MANIFEST);
    let manifest = system::files::read_trusted(&path, problem::kernel_file::MAX_BYTES as u64)
        .map_err(|error| problem::ProblemError::Read { path: path.clone(), source: error.into() })?;
    Ok(Oracle {
        manifest: String::from_utf8_lossy(&manifest).into_owned(),
        path: shown(&path),
        code: compiled(toolchain, reference, cases, &file)?,
        file,
    })
}

fn compiled(toolchain: &Toolchain, file: KernelFile, cases: &[Sizes], name: &str) -> Result<Code, CheckError> {
    let shipped = |message: String| CheckError::Shipped { problem: name.to_owned(), what: "a kernel file", message };
    let refused = |refused| match refused {
        Refused::Line(error) | Refused::Launch(error, _) => error.into(),
        Refused::Compile(error) => shipped(error.to_string()),
        Refused::Error(error) => error,
    };
    let mut built = build(toolchain, file, cases, DeviceShape::H200, ARCH).map_err(refused)?;
    built.disassemble(toolchain)?;
    let Built { file, compiled, needs, as_written, .. } = built;
    let text = file.text().to_owned();
    Ok(Code { text, ptx: compiled.ptx.into(), names: compiled.names, needs, as_written })
}

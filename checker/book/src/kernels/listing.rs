//! `{{listing FILE.cu kernel=K,L arch=sm_75,sm_90 control=yes}}`: the machine code of a kernel file's kernels, compiled now, beside
//! each other: a column for each kernel and architecture. Without `kernel` those that the file launches; with `control` each
//! instruction has its scheduling in front.

use super::sass::says;
use super::simulated;
use crate::svg::escape;
use anyhow::{Context as _, Result};
use compiler::compile::{CompileRequest, compile};
use compiler::toolchain::Toolchain;
use problem::{DeviceShape, KernelFile, Sizes, Workbook};
use rayon::prelude::*;
use sass::render::guard;
use sass::{Instruction, Kernel, Module};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A kernel file of the workbook that is to be compiled; `given` are sizes that the file leaves to its problem: the row and the column
/// of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wanted {
    pub file: String,
    pub arch: String,
    pub given: BTreeMap<String, i64>,
}

impl Wanted {
    /// What the compiler is asked, and what the file launches.
    fn request(&self, workbook: &Workbook) -> Result<(CompileRequest, Vec<String>)> {
        let path = simulated::kernel_file(workbook, &self.file)?;
        let source = KernelFile::read_typed(&path, &Default::default(), Workbook::owner_of(Some(workbook), &path))?;
        let mut sizes = source.sizes(&Sizes::default())?;
        sizes.extend(self.given.iter().map(|(name, value)| (name.clone(), *value)));
        let launched = source.name_expressions(&sizes, &DeviceShape::H200)?;
        let request = CompileRequest::new(&path, source.text().as_bytes(), &self.arch)?;
        Ok((request.kernels(launched.iter().map(String::as_str)), launched))
    }
}

/// Compiles and lists all that can be, so that [`Compiled::of`] finds them kept.
pub fn prepare(workbook: &Workbook, toolchain: &Toolchain, wanted: &[Wanted]) {
    let compiled = |wanted: &Wanted| compile(toolchain, &wanted.request(workbook).ok()?.0).ok();
    let compiled: Vec<_> = wanted.par_iter().filter_map(compiled).collect();
    let cubins: Vec<&[u8]> = compiled.iter().map(|compiled| compiled.cubin.as_slice()).collect();
    sass::prepare(&cubins, &check::listing_options(toolchain, sass::TIMEOUT));
}

/// The architectures that a directive names.
pub fn architectures(settings: &BTreeMap<String, String>) -> impl Iterator<Item = &str> {
    settings.get("arch").map_or("sm_90", String::as_str).split(',')
}

/// A kernel file, compiled for an architecture.
pub(crate) struct Compiled {
    module: Module,
    compiler: String,
    /// What it launches, and the names of that in the module.
    launched: Vec<String>,
    names: BTreeMap<String, String>,
}

impl Compiled {
    /// # Errors
    /// A file that cannot be read or compiled.
    pub fn of(workbook: &Workbook, toolchain: &Toolchain, wanted: &Wanted) -> Result<Self> {
        let (request, launched) = wanted.request(workbook)?;
        let compiled = compile(toolchain, &request).with_context(|| format!("compiling {}", wanted.file))?;
        let mut module = sass::disassemble(&compiled.cubin, &check::listing_options(toolchain, sass::TIMEOUT))?;
        compiled.name_files(&mut module.files);
        let names = compiled.names.iter().map(|(name, symbol)| (name.clone(), symbol.clone())).collect();
        Ok(Self { module, compiler: compiled.compiler.clone(), launched, names })
    }

    /// A kernel by its name as the launch line has it; of a template that is launched once, the template's.
    ///
    /// # Errors
    /// It is not launched.
    pub fn kernel(&self, name: &str) -> Result<&Kernel> {
        let of_template = || self.names.iter().find(|(written, _)| written.split('<').next() == Some(name));
        let symbol = self.names.get(name).or_else(|| of_template().map(|(_, symbol)| symbol));
        let found = self.module.find(symbol.map_or(name, String::as_str));
        let entry = found.into_iter().find(|kernel| kernel.entry);
        entry.with_context(|| format!("no kernel `{name}` is launched; there are: {}", self.launched.join(", ")))
    }
}

/// The first instruction of a kernel whose text has all the words.
///
/// # Errors
/// As [`block`], or there is none.
pub fn instruction(
    workbook: &Workbook,
    toolchain: &Toolchain,
    wanted: &Wanted,
    kernel: &str,
    words: &[String],
) -> Result<String> {
    let compiled = Compiled::of(workbook, toolchain, wanted)?;
    let code = compiled.kernel(kernel)?.code();
    let found = code.iter().find(|line| words.iter().all(|word| line.text.contains(word.as_str())));
    let found = found.with_context(|| format!("`{kernel}` has no instruction with {}", words.join(" and ")))?;
    Ok(found.text.trim_end_matches([' ', ';']).to_owned())
}

/// The columns.
///
/// # Errors
/// A file that cannot be read or compiled, or a kernel that it does not launch.
pub fn block(
    workbook: &Workbook,
    toolchain: &Toolchain,
    file: &str,
    settings: &BTreeMap<String, String>,
) -> Result<String> {
    let control = settings.get("control").is_some_and(|value| value == "yes");
    let mut columns = Vec::new();
    for arch in architectures(settings) {
        let wanted = Wanted { file: file.to_owned(), arch: arch.to_owned(), given: BTreeMap::new() };
        let compiled = Compiled::of(workbook, toolchain, &wanted)?;
        let wanted: Vec<&str> = match settings.get("kernel") {
            Some(names) => names.split(',').collect(),
            None => compiled.launched.iter().map(String::as_str).collect(),
        };
        for name in wanted {
            columns.push(column(&compiled.module, compiled.kernel(name)?, name, &compiled.compiler, control));
        }
    }
    // One column has the page's width.
    let (open, close) = if columns.len() > 1 { ("<div class=\"wb-pair\">\n", "</div>\n\n") } else { ("", "\n") };
    Ok(format!("{open}{}{close}", columns.concat()))
}

/// One kernel: what it is, then its instructions with the labels that something jumps to.
fn column(module: &Module, kernel: &Kernel, name: &str, compiler: &str, control: bool) -> String {
    let code = kernel.code();
    let mut out = format!(
        "<div>\n<p class=\"wb-name\"><b>{}</b> {}, {} instructions, {} registers, {}</p>\n\
         <div class=\"wb-figure\">\n<table class=\"wb-sass\">\n",
        escape(name),
        escape(&module.target),
        code.len(),
        kernel.resources.registers,
        escape(compiler)
    );
    let targets: BTreeSet<&str> = code.iter().flat_map(Instruction::targets).collect();
    let mut labels = kernel.labels.iter().filter(|label| targets.contains(label.name.as_str())).peekable();
    for instruction in code {
        while let Some(label) = labels.next_if(|label| label.address <= instruction.address) {
            let _ = writeln!(out, "<tr><td>{}:</td></tr>", escape(&label.name));
        }
        let fields = if control { format!("{}  ", instruction.control) } else { String::new() };
        let text = format!("{fields}{:>5} {}", guard(instruction), instruction.text);
        let _ = writeln!(out, "<tr><td{}>{}</td></tr>", says(instruction), escape(text.trim_end()));
    }
    out.push_str("</table>\n</div>\n</div>\n");
    out
}

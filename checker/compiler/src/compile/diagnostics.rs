//! NVRTC's log as typed messages about the learner's file: its name, its lines, no generated names, and what to do
//! where the compiler's own advice does not apply here.

use super::error::{Diagnostic, Severity};
use super::overloads::SEVERAL;
use super::{CompileRequest, gone, ptxas};
use std::path::PathBuf;

/// How the message begins when a launch names a kernel that is nowhere in the file; the name and a backtick follow.
pub const NO_KERNEL: &str = "no kernel `";
/// How it begins when what a launch names cannot be made a kernel.
pub const BAD_KERNEL: &str = "the launched kernel `";

/// Most messages that are kept: one mistake can make thousands.
const MOST: usize = 40;

/// Headers of host code: they say that the file was written for nvcc and still has its host part.
pub const HOST_HEADERS: &[&str] = &[
    "algorithm",
    "chrono",
    "deque",
    "exception",
    "fstream",
    "functional",
    "iomanip",
    "iostream",
    "iterator",
    "list",
    "map",
    "memory",
    "mutex",
    "numeric",
    "ostream",
    "queue",
    "random",
    "set",
    "sstream",
    "stack",
    "stdexcept",
    "string",
    "string_view",
    "thread",
    "unordered_map",
    "unordered_set",
    "vector",
    "windows.h",
    "unistd.h",
    "sys/time.h",
    "omp.h",
    "getopt.h",
    "helper_cuda.h",
    "helper_functions.h",
    "thrust/device_vector.h",
    "thrust/host_vector.h",
];

/// CUDA libraries whose headers are not provisioned, by the start of the header's name.
const LIBRARIES: &[&str] =
    &["cudnn", "curand", "cusolver", "cusparse", "cutensor", "cutlass", "cute/", "nccl", "npp", "nvtx"];

/// What NVRTC calls the list of kernels that were asked for.
const KERNEL_LIST: &str = "__nv_name_map";

/// Reads the log. `name` is what NVRTC called the file; `includes` are cut from the names of headers.
pub fn parse(log: &str, request: &CompileRequest, name: &str, includes: &[PathBuf]) -> Vec<Diagnostic> {
    let reader = Reader { request, name, includes };
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut body: Vec<&str> = Vec::new();
    for line in log.lines() {
        if let Some(head) = reader.head(line) {
            reader.finish(&mut found, &body);
            body.clear();
            found.push(head);
        } else {
            body.push(line);
        }
    }
    reader.finish(&mut found, &body);
    reader.kernels(&mut found);
    let mut kept: Vec<Diagnostic> = Vec::new();
    for diagnostic in found {
        if !kept.contains(&diagnostic) {
            kept.push(diagnostic);
        }
    }
    // Errors first: a warning above them is not what the reader looks for.
    kept.sort_by_key(|diagnostic| (diagnostic.severity != Severity::Error, diagnostic.line.is_none()));
    if kept.len() > MOST {
        let more = kept.len() - MOST;
        kept.truncate(MOST);
        if let Some(last) = kept.last_mut() {
            last.notes.push(format!("and {more} more messages"));
        }
    }
    kept
}

struct Reader<'a> {
    request: &'a CompileRequest,
    name: &'a str,
    includes: &'a [PathBuf],
}

impl Reader<'_> {
    fn shown(&self) -> String {
        system::text::path(&self.request.file)
    }

    /// `FILE(LINE): error: MESSAGE`, `FILE(LINE): warning #177-D: MESSAGE`, `At end of source: error: MESSAGE` or
    /// `ptxas ... error   : MESSAGE`.
    fn head(&self, line: &str) -> Option<Diagnostic> {
        let diagnostic = |severity, file: String, line, message: &str| Diagnostic {
            severity,
            file,
            line,
            column: None,
            message: message.trim().to_owned(),
            notes: Vec::new(),
            text: None,
        };
        if let Some(rest) = line.strip_prefix("ptxas") {
            let marks =
                [("error   :", Severity::Error), ("fatal   :", Severity::Error), ("warning :", Severity::Warning)];
            let (severity, (_, message)) =
                marks.into_iter().find_map(|(mark, severity)| Some((severity, rest.split_once(mark)?)))?;
            let line = rest.split_once(ptxas::SOURCE_LINE).and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
            return Some(diagnostic(severity, self.shown(), line, &demangle(message)));
        }
        let (place, rest) = line.split_once(": ")?;
        let (kind, message) = rest.split_once(": ").unwrap_or((rest, ""));
        let severity = match kind.split(" #").next().unwrap_or(kind) {
            "error" | "catastrophic error" | "internal error" => Severity::Error,
            "warning" => Severity::Warning,
            "remark" => Severity::Remark,
            _ => return None,
        };
        let (file, number) = if place == "At end of source" {
            (self.name, self.request.source.lines().count() as u32)
        } else {
            let (file, number) = place.strip_suffix(')')?.rsplit_once('(')?;
            (file, number.parse().ok()?)
        };
        Some(diagnostic(severity, self.file(file), Some(number), message))
    }

    /// The learner's file as they named it; a CUDA header without the folder.
    fn file(&self, file: &str) -> String {
        if file.trim_start_matches('/') == self.name {
            return self.shown();
        }
        // The longest folder first: CCCL's lies inside the toolkit's.
        let inside = |dir: &PathBuf| Some(file.strip_prefix(dir.to_str()?)?.strip_prefix('/')?.to_owned());
        self.includes.iter().filter_map(inside).min_by_key(String::len).unwrap_or_else(|| file.to_owned())
    }

    /// Gives the lines that follow a head to it: source line, caret, how templates came there; then the advice.
    fn finish(&self, found: &mut [Diagnostic], body: &[&str]) {
        let Some(diagnostic) = found.last_mut() else { return };
        let caret = body.iter().position(|line| line.trim() == "^");
        let trace: Vec<&str> = body
            .iter()
            .skip(caret.map_or(0, |caret| caret + 1))
            .map(|line| line.trim())
            .filter(|line| {
                line.starts_with("detected") || line.contains("instantiation of") || line.contains("at line ")
            })
            .collect();
        self.trace(diagnostic, &trace);
        let own = diagnostic.file == self.shown();
        let line = diagnostic.line.and_then(|line| (line as usize).checked_sub(1)).filter(|_| own);
        let Some(source) = line.and_then(|line| self.request.source.lines().nth(line)) else {
            advise(diagnostic, self.includes);
            return;
        };
        diagnostic.text = Some(source.to_owned());
        if let Some(caret) = caret {
            let printed = caret.checked_sub(1).and_then(|index| body.get(index)).copied().unwrap_or_default();
            let trimmed = printed.trim();
            let indent = printed.len() - printed.trim_start().len();
            let position = body[caret].find('^').unwrap_or(0);
            if let Some(start) = source.find(trimmed).filter(|_| position >= indent && !trimmed.is_empty()) {
                let offset = (start + position - indent).min(source.len());
                let column = source.get(..offset).map_or(offset, |before| before.chars().count());
                diagnostic.column = Some(column as u32 + 1);
            }
        }
        advise(diagnostic, self.includes);
    }

    /// A message inside a header is moved to the learner's line that led there; the rest becomes notes.
    fn trace(&self, diagnostic: &mut Diagnostic, trace: &[&str]) {
        let end = format!(" of {}", self.name);
        let mut led = None;
        for line in trace {
            let own = line.strip_suffix(end.as_str());
            if let Some((_, number)) = own.and_then(|line| line.rsplit_once(" at line ")) {
                led = number.parse::<u32>().ok();
            }
            // The last line is the learner's own; the ones between are the library's business.
            if *line != "detected during:" {
                diagnostic.notes.truncate(1);
                diagnostic.notes.push(demangle(own.unwrap_or(line)));
            }
        }
        if let (Some(line), true) = (led, diagnostic.file != self.shown()) {
            let place = diagnostic.line.map(|line| format!(":{line}")).unwrap_or_default();
            diagnostic.notes.insert(0, format!("the compiler stopped in {}{place}", diagnostic.file));
            diagnostic.file = self.shown();
            diagnostic.line = Some(line);
        }
    }

    /// Messages about the list of kernels, in words about the launch lines. They count only where the file itself
    /// compiles: otherwise the kernel is missing because of the other error.
    fn kernels(&self, found: &mut Vec<Diagnostic>) {
        let (list, rest): (Vec<Diagnostic>, Vec<Diagnostic>) =
            std::mem::take(found).into_iter().partition(|diagnostic| diagnostic.file == KERNEL_LIST);
        let broken = rest.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        *found = rest;
        if broken {
            return;
        }
        for diagnostic in list {
            if diagnostic.message.starts_with("Error in parsing name expression") {
                continue;
            }
            // Line 2 is the first kernel of the request.
            let kernel = diagnostic.line.and_then(|line| self.request.kernels.get((line as usize).checked_sub(2)?));
            let Some(kernel) = kernel else { continue };
            let base = kernel.split('<').next().unwrap_or(kernel);
            let message = if diagnostic.message == format!("identifier \"{base}\" is undefined") {
                format!("{NO_KERNEL}{base}` in this file, but a launch names it")
            } else if diagnostic.message.starts_with(SEVERAL) {
                found.push(self.several(kernel, base));
                continue;
            } else {
                let message = diagnostic.message.split(" for lowered name lookup").next().unwrap_or_default();
                format!("{BAD_KERNEL}{kernel}`: {message}")
            };
            found.push(Diagnostic { file: self.shown(), line: None, column: None, text: None, message, ..diagnostic });
        }
    }
}

impl Reader<'_> {
    /// A launch whose name is that of several functions, at its line.
    fn several(&self, kernel: &str, base: &str) -> Diagnostic {
        let words =
            |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').any(|word| word == base);
        let launches = |line: &&str| line.trim_start().starts_with("//@") && line.contains("launch") && words(line);
        let at = self.request.source.lines().position(|line| launches(&line));
        let message = format!("{BAD_KERNEL}{kernel}`: several functions have this name: rename the kernel");
        Diagnostic {
            line: at.map(|at| at as u32 + 1),
            text: at.and_then(|at| self.request.source.lines().nth(at)).map(str::to_owned),
            ..Diagnostic::about_file(&self.request.file, &message)
        }
    }
}

/// Replaces advice that does not apply (compiler flags that nobody can give) by one that does.
fn advise(diagnostic: &mut Diagnostic, includes: &[PathBuf]) {
    const OPENS: &[&str] = &["cannot open source file \"", "could not open source file \""];
    let header = OPENS.iter().find_map(|start| diagnostic.message.strip_prefix(start)?.split('"').next());
    if let Some(header) = header.map(str::to_owned) {
        diagnostic.message = format!("`#include` of {header}: only CUDA's own headers are available");
        if header == "algorithm" {
            diagnostic.notes.push("`min` and `max` are there without a header; take the line out".to_owned());
        } else if HOST_HEADERS.contains(&header.as_str()) {
            let note =
                "that is a header for host code; Warpbook supplies the host code, a kernel file holds device code only";
            diagnostic.notes.push(note.to_owned());
        } else if !header.starts_with('/') && includes.iter().any(|dir| dir.join("cuda/std").join(&header).is_file()) {
            diagnostic.notes.push(format!("`#include <cuda/std/{header}>` is CUDA's own version of it"));
        }
        if LIBRARIES.iter().any(|library| header.starts_with(library)) {
            let note = "that library is not among the workbook's CUDA pieces (runtime, cooperative groups, CCCL)";
            diagnostic.notes.push(note.to_owned());
        }
        if let Some(text) = &diagnostic.text {
            diagnostic.column = text.find(['<', '"']).map(|at| text[..at].chars().count() as u32 + 1);
        }
        return;
    }
    if let Some((message, _)) = diagnostic.message.split_once(" Consider using -default-device") {
        diagnostic.message = message.to_owned();
        // Older compilers show no column: then any `main(` of the line will do.
        let at = diagnostic.column.map(|column| column as usize - 1);
        let is_main = diagnostic.text.as_ref().is_some_and(|text| {
            let rest: String = text.chars().skip(at.unwrap_or(0)).collect();
            let rest =
                if at.is_some() { rest.strip_prefix("main") } else { rest.split_once("main").map(|(_, rest)| rest) };
            rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        });
        diagnostic.notes.push(if is_main {
            "Warpbook supplies the host code: remove main; a `//@ launch` line says how a kernel is launched".to_owned()
        } else {
            "mark it `__device__` if kernels use it; remove it if it is host code, which Warpbook supplies".to_owned()
        });
    }
    diagnostic.notes.extend(gone::note(&diagnostic.message));
    if diagnostic.message == "initializer not allowed for __shared__ variable" {
        let note = "assign it in the kernel: one thread does, and `__syncthreads()` follows before others use it";
        diagnostic.notes.push(note.to_owned());
    }
    if diagnostic.message.contains("uses too much shared data") {
        let note = "a block's static `__shared__` arrays may have 48 KiB; for more, use `extern __shared__` and give the \
                    size in the `//@ launch` line";
        diagnostic.notes.push(note.to_owned());
    }
    let instruction =
        diagnostic.message.strip_prefix("Instruction '").and_then(|rest| rest.split_once("' not supported on .target"));
    if let Some((name, _)) =
        instruction.filter(|(name, _)| ["wgmma", "setmaxnreg", "tcgen05"].iter().any(|one| name.starts_with(one)))
    {
        diagnostic.notes.push(format!(
            "`{name}` is there for one kind of GPU only, `--arch sm_90a` or sm_100a, and the simulator does not know it: `checker sass` lists its \
             machine code, `checker run --backend gpu` runs it"
        ));
    }
    if let Some(rest) = diagnostic.message.strip_prefix("Ptx assembly aborted") {
        diagnostic.message = format!("the generated PTX was refused{}", rest.trim_start_matches(" due to errors"));
    }
}

/// Replaces mangled names in a message by what C++ calls them.
fn demangle(message: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut plain = String::new();
    let mut rest = message;
    while let Some(start) = rest.find("_Z") {
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |end| start + end);
        let name = &rest[start..end];
        plain.push_str(&rest[..start]);
        match cpp_demangle::Symbol::new(name).ok().and_then(|symbol| symbol.demangle().ok()) {
            Some(text) => plain.push_str(&text),
            None => plain.push_str(name),
        }
        rest = &rest[end..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(source: &str, kernels: &[&str], log: &str) -> Vec<Diagnostic> {
        let request =
            CompileRequest::new("ex/k.cu", source.as_bytes(), "sm_90").unwrap().kernels(kernels.iter().copied());
        parse(log, &request, "k.cu", &["/tc/include".into(), "/tc/include/cccl".into()])
    }

    #[test]
    fn place_comes_from_the_caret() {
        let log = "k.cu(2): error: identifier \"größe\" is undefined\n  \t/* ä */ a = größe;\n  \t             ^\n\n1 error detected in the compilation of \"k.cu\".\n";
        let found = messages("\n\t/* ä */ a = größe;\n", &[], log);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].file.as_str(), found[0].line, found[0].column), ("ex/k.cu", Some(2), Some(14)));
        assert_eq!(found[0].to_string().lines().last(), Some("  | \t            ^"));
    }

    #[test]
    fn message_in_a_header_is_moved_to_the_line_that_led_there() {
        let log = "/tc/include/cooperative_groups.h(1182): error: static assertion failed\n      static_assert(x);\n      ^\n          detected during:\n            instantiation of class \"A\" at line 1327\n            instantiation of class \"B\" at line 2 of k.cu\n";
        let found = messages("\nB b;\n", &[], log);
        assert_eq!((found[0].file.as_str(), found[0].line), ("ex/k.cu", Some(2)));
        assert_eq!(found[0].text.as_deref(), Some("B b;"));
        assert_eq!(found[0].notes[0], "the compiler stopped in cooperative_groups.h:1182");
        assert!(!found[0].to_string().contains("/tc/"));
    }

    #[test]
    fn missing_kernel_is_told_in_words_of_the_launch() {
        let log = "__nv_name_map(2): error: identifier \"k\" is undefined\n  #pragma nv_mangled_name k\n                          ^\n\n__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name expression was: \" k\"\n";
        let found = messages("int x;", &["k"], log);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "ex/k.cu: error: no kernel `k` in this file, but a launch names it");
        let both = format!("k.cu(1): error: expected a \";\"\n{log}");
        assert_eq!(messages("int x", &["k"], &both).len(), 1);
    }

    #[test]
    fn several_kernels_of_a_name_are_told_at_the_launch() {
        let log =
            "__nv_name_map(2): error: cannot determine which instance of overloaded function \"add\" is intended\n";
        let source = "//@ out add2: f32[3]\n//@ launch add<<<1, 3>>>(add2)\n__global__ void add(float *a) { }\n";
        let found = messages(source, &["add"], log);
        assert_eq!((found.len(), found[0].line), (1, Some(2)));
        assert!(found[0].message.ends_with("several functions have this name: rename the kernel"));
    }

    #[test]
    fn assembler_names_are_demangled() {
        let log = "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x61a80 bytes, 0xc000 max)\n";
        let found = messages("int x;", &[], log);
        assert_eq!(
            found[0].message,
            "Entry function 'k(float*)' uses too much shared data (0x61a80 bytes, 0xc000 max)"
        );
        assert_eq!(found[0].notes.len(), 1);
    }

    #[test]
    fn floods_are_cut() {
        let log: String = (1..=500).map(|line| format!("k.cu({line}): error: no\n")).collect();
        let found = messages("int x;", &[], &log);
        assert_eq!(found.len(), MOST);
        assert_eq!(found[MOST - 1].notes, ["and 460 more messages"]);
    }
}

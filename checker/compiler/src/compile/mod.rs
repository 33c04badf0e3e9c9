//! Source to PTX and CUBIN through NVRTC, in a limited process, cached by content.
//!
//! ```text
//! Request -> includes (only CUDA's headers) -> cache -> child process (limits, sandbox, NVRTC) -> Compiled
//!                                                             \-> log -> diagnostics
//! ```
//!
//! The compiled result depends on nothing but what the key says: the child sees no environment and no files besides
//! the CUDA headers, and the source goes by one name, or where it tells it by its bare file name.

mod called;
pub mod child;
mod diagnostics;
mod directives;
mod error;
mod expansion;
mod gone;
pub(crate) mod headers;
mod includes;
mod nvrtc;
pub(crate) mod nvrtc_child;
mod overloads;
pub(crate) mod precompiled;
mod ptxas;
mod standard;
mod wire;

pub use diagnostics::{BAD_KERNEL, NO_KERNEL};
pub use error::{CompileCause, CompileError, Diagnostic, Severity};
pub use nvrtc_child::Limits;

use crate::toolchain::home::Home;
use crate::toolchain::{Toolchain, short_hash};
use nvrtc_child::ChildError;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::cache::ContentCache;
use system::files::{self, FileError};
use wire::{CompileAnswer, HeaderUse, Reply};

/// Largest source in bytes.
pub const LARGEST_SOURCE: u64 = 1 << 20;

/// Bytes that compiled results may take in the workbook's folder.
const LARGEST_CACHE: u64 = 512 << 20;

/// What to compile, and for what.
#[derive(Debug, Clone)]
pub struct CompileRequest {
    /// The file as the user named it; used in messages only.
    pub file: PathBuf,
    /// The text.
    pub source: String,
    /// `sm_90`, also `sm_90a`.
    pub arch: String,
    /// Kernels to keep and to name, as C++ writes them: `saxpy`, `block_sum<256>`.
    pub kernels: Vec<String>,
    /// Macros, as (name, value).
    pub defines: Vec<(String, String)>,
    /// Further options: `--use_fast_math`, `--maxrregcount=N`, `--fmad=true|false`.
    pub options: Vec<String>,
    /// Headers beside the file, as (name in `#include`, text).
    pub headers: Vec<(String, String)>,
    /// The device's part of a file as its owner wrote it ([`crate::own`]): what says nothing of host or device is for the
    /// device, and `std` has what device code uses.
    pub own: bool,
    /// Nothing optimised away: PTX of a kernel whose behaviour is undefined still shows what it does.
    pub unoptimised: bool,
    /// What the compilation may use.
    pub limits: Limits,
}

impl CompileRequest {
    /// From bytes that are already here.
    ///
    /// # Errors
    /// [`CompileError::Empty`], [`CompileError::TooLarge`], [`CompileError::NotText`].
    pub fn new(file: impl Into<PathBuf>, source: &[u8], arch: &str) -> Result<CompileRequest, CompileError> {
        let file = file.into();
        if source.len() as u64 > LARGEST_SOURCE {
            return Err(CompileError::TooLarge { file, limit: LARGEST_SOURCE });
        }
        let line_of = |offset: usize| 1 + source[..offset].iter().filter(|byte| **byte == b'\n').count() as u32;
        let text = match std::str::from_utf8(source) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(error) => return Err(CompileError::NotText { line: line_of(error.valid_up_to()), file }),
        };
        if let Some(offset) = source.iter().position(|byte| *byte == 0) {
            return Err(CompileError::NotText { line: line_of(offset), file });
        }
        if text.trim().is_empty() {
            return Err(CompileError::Empty { file });
        }
        Ok(CompileRequest {
            file,
            source: text.to_owned(),
            arch: arch.to_owned(),
            kernels: Vec::new(),
            defines: Vec::new(),
            options: Vec::new(),
            headers: Vec::new(),
            own: false,
            unoptimised: false,
            limits: Limits::default(),
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`CompileError::Unreadable`] and those of [`CompileRequest::new`].
    pub fn read(file: &Path, arch: &str) -> Result<CompileRequest, CompileError> {
        match files::read_named(file, LARGEST_SOURCE) {
            Ok(bytes) => CompileRequest::new(file, &bytes, arch),
            Err(FileError::TooLarge { limit }) => Err(CompileError::TooLarge { file: file.to_owned(), limit }),
            Err(error) => Err(CompileError::Unreadable { file: file.to_owned(), source: error.into() }),
        }
    }

    /// With these kernels.
    pub fn kernels<S: Into<String>>(mut self, kernels: impl IntoIterator<Item = S>) -> CompileRequest {
        self.kernels = kernels.into_iter().map(Into::into).collect();
        self.kernels.sort();
        self.kernels.dedup();
        self
    }
}

/// Is it a header that only host code needs?
pub fn is_hosts(name: &str) -> bool {
    diagnostics::HOST_HEADERS.contains(&name) || HOST_C_HEADERS.contains(&name)
}

/// C's headers, and those of systems, that no device code needs.
const HOST_C_HEADERS: [&str; 14] = [
    "assert.h",
    "ctype.h",
    "cuda.h",
    "errno.h",
    "fcntl.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "pthread.h",
    "signal.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "time.h",
];

/// Is it a message about something that CUDA does not have any more, or not for NVRTC, of which a note says what to do?
pub fn is_gone(message: &str) -> bool {
    gone::note(message).is_some()
}

pub use system::text::source_name as name_of;

/// PTX, machine code, and what the compiler said.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// PTX text, with line information.
    pub ptx: String,
    /// The machine code's ELF file.
    pub cubin: Vec<u8>,
    /// Lowered (mangled) symbol of every kernel of [`CompileRequest::kernels`].
    pub names: BTreeMap<String, String>,
    /// Warnings and remarks.
    pub warnings: Vec<Diagnostic>,
    /// The compiler's log as it was.
    pub log: String,
    /// The architecture it was compiled for.
    pub arch: String,
    /// Hash of everything the result depends on.
    pub key: String,
    /// "NVRTC 13.5".
    pub compiler: String,
    /// Whether the compiling process could read nothing but CUDA's headers (Landlock).
    pub confined: bool,
    /// The compiler could make no system call beyond what it needs (seccomp): no network, no other processes.
    pub closed: bool,
    /// Whether it came from the cache.
    pub cached: bool,
    /// Whether a precompiled header was read, which changes nothing but the time.
    pub precompiled: bool,
    /// Why the result could not be kept in the cache, if it could not: a warning, nothing more.
    pub not_kept: Option<String>,
    /// What the machine code's table of lines calls the source.
    pub called: String,
    /// What its owner calls it, and the PTX.
    pub name: String,
}

impl Compiled {
    /// Names the source as its owner does, in the list of files that the machine code's line table has.
    pub fn name_files(&self, files: &mut [String]) {
        for file in files.iter_mut().filter(|file| file.trim_start_matches('/') == self.called) {
            file.clone_from(&self.name);
        }
    }
}

/// Is it the name of a header that the compiler has: CUDA's own, or a stand-in for a standard one?
pub fn is_header(includes: &[PathBuf], name: &str) -> bool {
    let inside = !name.starts_with('/') && name.split('/').all(|part| part != "..");
    let own = headers::ALL.iter().any(|(header, _)| *header == name);
    own || inside && includes.iter().any(|dir| dir.join(name).is_file())
}

/// Compiles a source, or takes the result from the cache.
///
/// # Errors
/// [`CompileError::Rejected`] with typed diagnostics when the source does not compile; the others as they say.
pub fn compile(toolchain: &Toolchain, request: &CompileRequest) -> Result<Compiled, CompileError> {
    compile_in(&Home::from_environment(), toolchain, request)
}

/// [`compile`] with the cache in another place.
///
/// # Errors
/// As [`compile`].
pub fn compile_in(home: &Home, toolchain: &Toolchain, request: &CompileRequest) -> Result<Compiled, CompileError> {
    let options = options(toolchain, request)?;
    let (called, name) = (called::called(request), name_of(&request.file));
    let key = key(toolchain, request, &called, &options);
    let cache = ContentCache::new(home.compiled(), LARGEST_CACHE);
    let (mut reply, cached) = match cache.read(&key).and_then(|bytes| wire::decode(&bytes)) {
        Some(found) => (found, true),
        None => {
            without_bombs(request)?;
            (fresh(home, toolchain, request, &called, options)?, false)
        }
    };
    // How it was compiled is no part of what was compiled.
    let precompiled = matches!(std::mem::take(&mut reply.header), HeaderUse::Used(_));
    let diagnostics = |log: &str| diagnostics::parse(log, request, &called, &toolchain.includes);
    let fresh = matches!(reply.answer, CompileAnswer::Compiled { .. }) && !cached;
    let kept = if fresh { cache.write(&key, &wire::encode(&reply)) } else { Ok(()) };
    let Reply { answer, ptx, cubin, .. } = reply;
    match answer {
        CompileAnswer::Compiled { names, log, confined, closed } => Ok(Compiled {
            names: request.kernels.iter().cloned().zip(names).collect(),
            warnings: diagnostics(&log).into_iter().chain(standard::remark(request)).collect(),
            log,
            arch: request.arch.clone(),
            key,
            compiler: toolchain.compiler(),
            confined,
            closed,
            cached,
            precompiled,
            not_kept: kept.err().map(|error| format!("the compiled kernel is not kept: {error}")),
            ptx: called::renamed(ptx, &called, &name),
            cubin,
            called,
            name,
        }),
        // A suffix that this architecture does not have, such as sm_90f: the only option that can be wrong here.
        CompileAnswer::Rejected { log, .. } | CompileAnswer::Failed { log, .. }
            if log.starts_with("Command-line error") || log.contains("--gpu-architecture") =>
        {
            Err(unknown_arch(toolchain, request))
        }
        CompileAnswer::Rejected { log, .. } => {
            let mut found = diagnostics(&log);
            if !found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
                let said =
                    log.lines().find(|line| !line.trim().is_empty()).unwrap_or("the compiler refused it silently");
                found.insert(0, Diagnostic::about_file(&request.file, said));
            }
            Err(CompileError::Rejected { diagnostics: found, log })
        }
        CompileAnswer::Failed { reason, log } => Err(match diagnostics(&log) {
            found if found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) => {
                CompileError::Rejected { diagnostics: found, log }
            }
            _ => CompileError::GaveUp { file: request.file.clone(), reason },
        }),
        other => Err(CompileError::Environment(format!("unexpected answer of the compiling process: {other:?}"))),
    }
}

/// Asks the compiler; where a kernel's name is that of several functions, once more for the file's own.
fn fresh(
    home: &Home,
    toolchain: &Toolchain,
    request: &CompileRequest,
    called: &str,
    options: Vec<String>,
) -> Result<Reply, CompileError> {
    // A request's texts may have been put together since it was made.
    let without = directives::without_line_directives;
    let compile = wire::Compile {
        name: called.to_owned(),
        source: without(&request.source),
        headers: request.headers.iter().map(|(name, text)| (name.clone(), without(text))).collect(),
        includes: toolchain.includes.clone(),
        options,
        expressions: request.kernels.clone(),
    };
    let ask = |compile: wire::Compile| {
        let wanted = precompiled::wanted(home, toolchain, request, &compile.options);
        let found = precompiled::compile(&toolchain.nvrtc, compile, wanted, request.limits);
        found.map_err(|error| child_error(request, error))
    };
    let reply = ask(compile.clone())?;
    let CompileAnswer::Rejected { log, .. } = &reply.answer else { return Ok(reply) };
    match overloads::chosen(request, log) {
        Some(expressions) => ask(wire::Compile { expressions, ..compile }),
        None => Ok(reply),
    }
}

/// Refuses what its own macros would blow up.
fn without_bombs(request: &CompileRequest) -> Result<(), CompileError> {
    let texts: Vec<&str> = std::iter::once(&request.source)
        .chain(request.headers.iter().map(|(_, text)| text))
        .map(String::as_str)
        .collect();
    let Some((index, line, name)) = expansion::too_much(&texts) else { return Ok(()) };
    let file =
        index.checked_sub(1).map_or_else(|| system::text::path(&request.file), |at| request.headers[at].0.clone());
    let said = Diagnostic {
        file,
        line: Some(line),
        text: texts[index].lines().nth(line as usize - 1).map(str::to_owned),
        ..Diagnostic::about_file(
            &request.file,
            &format!(
                "the macros up to `{name}` here ask for more than {} tokens, or for {} steps of replacing them",
                expansion::MOST,
                expansion::STEPS
            ),
        )
    };
    Err(CompileError::Rejected { log: said.message.clone(), diagnostics: vec![said] })
}

fn child_error(request: &CompileRequest, error: ChildError) -> CompileError {
    let file = request.file.clone();
    match error {
        ChildError::Time(seconds) => CompileError::TooSlow { file, seconds, of: "" },
        ChildError::ProcessorTime(seconds) => CompileError::TooSlow { file, seconds, of: " of processor time" },
        ChildError::Crashed(reason) => CompileError::GaveUp { file, reason },
        other => CompileError::Environment(other.to_string()),
    }
}

fn unknown_arch(toolchain: &Toolchain, request: &CompileRequest) -> CompileError {
    CompileError::UnknownArch {
        arch: request.arch.clone(),
        known: toolchain.archs.iter().map(|arch| format!("sm_{arch}")).collect(),
        compiler: toolchain.compiler(),
    }
}

/// The options for NVRTC, after checking what the request asks for.
fn options(toolchain: &Toolchain, request: &CompileRequest) -> Result<Vec<String>, CompileError> {
    let number = request.arch.strip_prefix("sm_").map(|rest| rest.trim_end_matches(['a', 'f']));
    let known = number.and_then(|number| number.parse().ok()).is_some_and(|number| toolchain.archs.contains(&number));
    if !known {
        return Err(unknown_arch(toolchain, request));
    }
    let mut options = vec![
        format!("--gpu-architecture={}", request.arch),
        if request.unoptimised { "--device-debug" } else { "--generate-line-info" }.to_owned(),
        standard::option(request).to_owned(),
        // As nvcc has it.
        "--device-int128".to_owned(),
        format!("--pre-include={}", if request.own { headers::OWN_PRELUDE } else { headers::PRELUDE }),
        // The prelude and libcu++ define the same limits in different spellings.
        "--diag-suppress=47".to_owned(),
    ];
    if request.own {
        options.push("--device-as-default-execution-space".to_owned());
        // A constant that only host code used.
        options.push("--diag-suppress=177".to_owned());
    }
    options.extend(toolchain.includes.iter().map(|dir| format!("--include-path={}", dir.display())));
    options.extend(request.defines.iter().map(|(name, value)| format!("--define-macro={name}={value}")));
    for option in &request.options {
        let allowed = match option.split_once('=') {
            None => option == "--use_fast_math",
            Some(("--maxrregcount", value)) => value.parse::<u8>().is_ok_and(|registers| registers > 0),
            Some(("--fmad", value)) => matches!(value, "true" | "false"),
            Some(_) => false,
        };
        if !allowed {
            return Err(CompileError::Option(option.clone()));
        }
        options.push(option.clone());
    }
    Ok(options)
}

fn key(toolchain: &Toolchain, request: &CompileRequest, name: &str, options: &[String]) -> String {
    let mut parts: Vec<&[u8]> = vec![toolchain.id.as_bytes(), name.as_bytes(), request.source.as_bytes()];
    parts.extend(options.iter().map(|option| option.as_bytes()));
    parts.push(b"kernels");
    parts.extend(request.kernels.iter().map(|kernel| kernel.as_bytes()));
    parts.push(b"headers");
    parts.extend(request.headers.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
    parts.push(b"stand-ins");
    parts.extend(headers::ALL.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]));
    short_hash(&parts)
}

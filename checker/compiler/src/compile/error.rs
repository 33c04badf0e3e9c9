//! What can go wrong with a source, and how it is told.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use system::text::path;

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The source does not compile.
    Error,
    /// It compiles, but look here.
    Warning,
    /// It compiles; the compiler remarks something.
    Remark,
}

/// One message of the compiler about a place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file as the user named it, or a CUDA header's name.
    pub file: String,
    /// Line, from 1; `None` when the message is about no place.
    pub line: Option<u32>,
    /// Column, from 1, in characters.
    pub column: Option<u32>,
    /// The compiler's words.
    pub message: String,
    /// What belongs to it: where a template was instantiated, or what to do.
    pub notes: Vec<String>,
    /// The source line.
    pub text: Option<String>,
}

impl Diagnostic {
    /// An error about the file as a whole.
    pub fn about_file(file: &std::path::Path, message: &str) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            file: system::text::path(file),
            line: None,
            column: None,
            message: message.trim().to_owned(),
            notes: Vec::new(),
            text: None,
        }
    }
}

impl fmt::Display for Diagnostic {
    /// `file:line:column: error: message`, the source line with a caret, the notes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, ":{number}")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
        };
        write!(f, ": {severity}: {}", self.message)?;
        if let (Some(line), Some(text)) = (self.line, &self.text) {
            let number = line.to_string();
            // A line of machine-made length is shown around its caret.
            let skipped = self.column.map_or(0, |column| (column as usize).saturating_sub(WIDEST / 2) / TAB * TAB);
            let skipped = if text.chars().count() > WIDEST { skipped } else { 0 };
            let shown: String = text.trim_end().chars().skip(skipped).take(WIDEST).collect();
            write!(f, "\n{number} | {shown}")?;
            if let Some(column) = self.column {
                // Tabs stay tabs, so that the caret stands under its character whatever the terminal's tab stops are.
                let before = text.chars().take(column.saturating_sub(1) as usize).skip(skipped);
                let space: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
                write!(f, "\n{} | {space}^", " ".repeat(number.len()))?;
            }
        }
        for note in &self.notes {
            write!(f, "\n  note: {note}")?;
        }
        Ok(())
    }
}

/// Most characters of a source line that are shown.
const WIDEST: usize = 160;
/// Lines are cut at tab stops.
const TAB: usize = 8;

/// Why there is no compiled result.
#[derive(Debug)]
pub enum CompileError {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The file has nothing in it.
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// The file is larger than [`super::LARGEST_SOURCE`].
    TooLarge {
        /// The file.
        file: PathBuf,
        /// Most bytes that it may have.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    NotText {
        /// The file.
        file: PathBuf,
        /// The first line that is not.
        line: u32,
    },
    /// The compiler does not know the architecture.
    UnknownArch {
        /// What was asked for.
        arch: String,
        /// What there is.
        known: Vec<String>,
        /// The compiler.
        compiler: String,
    },
    /// An option outside the allowed ones.
    Option(String),
    /// The source does not compile.
    Rejected {
        /// Every message, errors and warnings.
        diagnostics: Vec<Diagnostic>,
        /// The compiler's log as it was.
        log: String,
    },
    /// The compiler took too long on it.
    TooSlow {
        /// The file.
        file: PathBuf,
        /// The limit that was reached.
        seconds: u64,
        /// What of, where that is not the clock's: " of processor time".
        of: &'static str,
    },
    /// The compiler crashed or ran out of memory on it.
    GaveUp {
        /// The file.
        file: PathBuf,
        /// What is known.
        reason: String,
    },
    /// Its machine code cannot be listed.
    Unlisted {
        /// The file.
        file: PathBuf,
        /// What is known.
        reason: String,
    },
    /// The compiler could not be run: the environment's fault.
    Environment(String),
}

/// What a [`CompileError`] is due to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompileCause {
    /// The text that was to be compiled.
    Source,
    /// What was asked: an option, an architecture, a file that cannot be read.
    Request,
    /// The machine.
    Environment,
}

impl CompileError {
    /// Where its cause is.
    pub const fn cause(&self) -> CompileCause {
        match self {
            Self::Environment(_) => CompileCause::Environment,
            Self::UnknownArch { .. } | Self::Option(_) | Self::Unreadable { .. } => CompileCause::Request,
            _ => CompileCause::Source,
        }
    }

    /// What is wrong.
    pub fn finding(&self) -> String {
        match self {
            Self::Unreadable { file, source } => format!("cannot read {}: {source}", path(file)),
            Self::Empty { file } => {
                format!("{} is empty: it should hold a `__global__` kernel and a `//@ launch` line", path(file))
            }
            Self::TooLarge { file, limit } => {
                format!("{} has more than {limit} bytes, which a kernel file may have at most", path(file))
            }
            Self::NotText { file, line } => format!("{}:{line}: not UTF-8 text: save the file as UTF-8", path(file)),
            Self::UnknownArch { arch, known, compiler } => {
                format!("the architecture `{arch}` is not known to {compiler}; it knows {}", known.join(" "))
            }
            Self::Option(option) => format!(
                "the compiler option `{option}` is not allowed; allowed are --use_fast_math, --maxrregcount=N, --fmad=true|false"
            ),
            Self::Rejected { diagnostics, .. } => render(diagnostics),
            Self::TooSlow { file, seconds, of } => {
                format!("{}: the compiler was stopped after {seconds} s{of}", path(file))
            }
            Self::GaveUp { file, reason } => format!("{}: the compiler gave up: {reason}", path(file)),
            Self::Unlisted { file, reason } => format!("{}: {reason}", path(file)),
            Self::Environment(what) => what.clone(),
        }
    }

    /// What to do about it, where that does not follow from what is wrong.
    pub fn next_step(&self) -> Option<&'static str> {
        Some(match self {
            Self::TooSlow { .. } => "look for endless template recursion or huge unrolled loops",
            Self::GaveUp { .. } => "look for endless template recursion, huge unrolled loops or huge arrays",
            Self::Unlisted { .. } => "remove inline PTX that gives line information (`.loc`, `.file`)",
            Self::Environment(_) => "run `checker doctor`",
            _ => return None,
        })
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.finding())?;
        self.next_step().map_or(Ok(()), |next| write!(f, "\n  next: {next}"))
    }
}

impl std::error::Error for CompileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}

fn render(diagnostics: &[Diagnostic]) -> String {
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    texts.join("\n")
}

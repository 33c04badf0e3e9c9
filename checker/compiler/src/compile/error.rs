//! What can go wrong with a source, and how it is told.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

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
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", system::text::path(file))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// The file has nothing in it.
    #[error("{} is empty: it should hold a `__global__` kernel and a `//@ launch` line", system::text::path(file))]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// The file is larger than [`super::LARGEST_SOURCE`].
    #[error("{} has more than {limit} bytes, which a kernel file may have at most", system::text::path(file))]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// Most bytes that it may have.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error("{}:{line}: not UTF-8 text: save the file as UTF-8", system::text::path(file))]
    NotText {
        /// The file.
        file: PathBuf,
        /// The first line that is not.
        line: u32,
    },
    /// The compiler does not know the architecture.
    #[error("the architecture `{arch}` is not known to {compiler}; it knows {}", known.join(" "))]
    UnknownArch {
        /// What was asked for.
        arch: String,
        /// What there is.
        known: Vec<String>,
        /// The compiler.
        compiler: String,
    },
    /// An option outside the allowed ones.
    #[error(
        "the compiler option `{0}` is not allowed; allowed are --use_fast_math, --maxrregcount=N, --fmad=true|false"
    )]
    Option(String),
    /// The source does not compile.
    #[error("{}", render(diagnostics))]
    Rejected {
        /// Every message, errors and warnings.
        diagnostics: Vec<Diagnostic>,
        /// The compiler's log as it was.
        log: String,
    },
    /// The compiler took too long on it.
    #[error(
        "{}: the compiler was stopped after {seconds} s\n  next: look for endless template recursion or huge unrolled \
         loops",
        system::text::path(file)
    )]
    TooSlow {
        /// The file.
        file: PathBuf,
        /// The limit that was reached.
        seconds: u64,
    },
    /// The compiler crashed or ran out of memory on it.
    #[error(
        "{}: the compiler gave up: {reason}\n  next: look for endless template recursion, huge unrolled loops or huge \
         arrays",
        system::text::path(file)
    )]
    GaveUp {
        /// The file.
        file: PathBuf,
        /// What is known.
        reason: String,
    },
    /// Its machine code cannot be listed.
    #[error(
        "{}: {reason}\n  next: remove inline PTX that gives line information (`.loc`, `.file`)",
        system::text::path(file)
    )]
    Unlisted {
        /// The file.
        file: PathBuf,
        /// What is known.
        reason: String,
    },
    /// The compiler could not be run: the environment's fault.
    #[error("{0}\n  next: run `checker doctor`")]
    Environment(String),
}

impl CompileError {
    /// The exit status: 3 where the environment is at fault, 2 for a request that cannot be, 1 for the source.
    pub fn exit_code(&self) -> u8 {
        match self {
            CompileError::Environment(_) => 3,
            CompileError::UnknownArch { .. } | CompileError::Option(_) | CompileError::Unreadable { .. } => 2,
            _ => 1,
        }
    }
}

fn render(diagnostics: &[Diagnostic]) -> String {
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    texts.join("\n")
}

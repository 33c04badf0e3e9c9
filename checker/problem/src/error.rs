//! Errors that point at a place in a file a person wrote: file, line, column, the line itself, a caret, the form expected.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A line of a file, kept by whatever was parsed from it so that later errors can still show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLine {
    /// The file.
    pub path: Arc<Path>,
    /// Line number from 1.
    pub line: u32,
    /// The line's text without its end.
    pub text: Arc<str>,
}

impl SourceLine {
    /// An error at `column` (characters, from 1) of this line.
    pub fn error(&self, column: u32, message: impl Into<String>) -> LineError {
        LineError {
            path: self.path.to_path_buf(),
            line: self.line,
            column,
            message: message.into().into_boxed_str(),
            expected: None,
            source_line: self.text.as_ref().into(),
            of_file: false,
        }
    }

    /// That a file as a whole is nothing to read: no line of it is worth showing.
    pub fn of_file(path: &Path, message: impl Into<String>) -> LineError {
        LineError { of_file: true, ..Self::of(path, "", 1).error(1, message) }
    }

    /// Line `line` (from 1) of `text`; an empty line when the file is shorter.
    pub fn of(path: &Path, text: &str, line: u32) -> Self {
        let found = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
        Self { path: path.into(), line, text: found.into() }
    }
}

/// Something malformed at a place in a kernel file or a `problem.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// The file.
    pub path: PathBuf,
    /// Line number from 1.
    pub line: u32,
    /// Column in characters from 1.
    pub column: u32,
    /// What is wrong, with the object's name.
    pub message: Box<str>,
    /// The form that was expected there: `launch KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARG, ...)`.
    pub expected: Option<Box<str>>,
    /// The text of the line.
    pub source_line: Box<str>,
    /// The file as a whole is at fault: it is empty, too large, or no text in UTF-8.
    pub of_file: bool,
}

/// Longest part of a line that a message shows, in characters.
const SHOWN: usize = 120;

impl LineError {
    /// Adds the form expected.
    #[must_use]
    pub fn expected(mut self, form: impl Into<String>) -> Self {
        self.expected = Some(form.into().into_boxed_str());
        self
    }

    /// The visible part of the line and the caret's offset in it: long lines are cut around the column.
    fn window(&self) -> (String, usize) {
        let shown: Vec<char> = self.source_line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let caret = (self.column.max(1) as usize - 1).min(shown.len());
        let from = if shown.len() <= SHOWN { 0 } else { caret.saturating_sub(SHOWN / 2).min(shown.len() - SHOWN) };
        let part: String = shown[from..shown.len().min(from + SHOWN)].iter().collect();
        (part.trim_end().to_string(), caret - from)
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let here = std::env::current_dir().ok();
        let path = here.as_deref().and_then(|dir| self.path.strip_prefix(dir).ok()).unwrap_or(&self.path);
        writeln!(f, "{}:{}:{}: {}", system::text::path(path), self.line, self.column, self.message)?;
        let (text, caret) = self.window();
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        writeln!(f, " {gutter} |")?;
        writeln!(f, " {number} | {text}")?;
        write!(f, " {gutter} | {}^", " ".repeat(caret))?;
        if let Some(expected) = &self.expected {
            write!(f, "\n {gutter} = expected: {expected}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LineError {}

/// The candidate nearest to `name` in spelling, when one is near enough to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = name.to_lowercase();
    // A third of the letters may differ, and never all of them: any letter is one edit away from any other.
    let length = name.chars().count();
    let limit = (length / 3).max(1).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean ...?` for the nearest candidate, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

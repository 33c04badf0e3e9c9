//! A kernel file: CUDA C++ with `//@` lines that say how it is launched. See "Kernel files" in docs/formats.md.

pub mod entry;
pub(crate) mod kernel_name;
pub mod signature;
pub(crate) mod source;
pub mod statement;
pub(crate) mod types;

use super::error::{LineError, SourceLine, did_you_mean, nearest};
use super::expr::Sizes;
use super::mutant::Reason;
use plan::Role;
use source::Owner;
use statement::{DIRECTIVES, LaunchStatement, Line, Statement, StatementKind, parse_line};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use types::Types;

/// Largest kernel file in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Most `//@` lines.
pub const MAX_STATEMENTS: usize = 4096;
/// Neither the compiler nor anybody who counts lines takes them for ends of lines.
const CARRIAGE_RETURNS: &str =
    "the lines end with carriage returns only (CR), so the file is one long line: save it with line ends LF or CRLF";
/// Deepest nesting of loops.
const MAX_LOOPS: usize = 4;

/// A parsed kernel file.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelFile {
    path: PathBuf,
    text: String,
    statements: Vec<Statement>,
    /// Names in the code, collected once: plans for hundreds of sizes ask. `None` when every name is possible.
    names: Option<Arc<HashSet<String>>>,
}

impl KernelFile {
    /// Parses the text of a kernel file; `path` is for messages only.
    ///
    /// # Errors
    ///
    /// The first malformed `//@` line, or a file that is empty or too large.
    pub fn parse(path: &Path, text: &str) -> Result<Self, LineError> {
        Self::parse_typed(path, text, &Types::default())
    }

    /// The same with names of types in scope.
    ///
    /// # Errors
    ///
    /// As [`KernelFile::parse`].
    pub fn parse_typed(path: &Path, text: &str, types: &Types) -> Result<Self, LineError> {
        // Some editors begin UTF-8 files with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.len() > MAX_BYTES {
            let message = format!("the file has {} bytes; kernel files have at most {MAX_BYTES}", text.len());
            return Err(SourceLine::of_file(path, message));
        }
        if text.trim().is_empty() {
            return Err(SourceLine::of_file(path, "the file is empty"));
        }
        if text.contains('\0') {
            return Err(SourceLine::of_file(path, source::NO_TEXT));
        }
        if text.contains('\r') && !text.contains('\n') {
            return Err(SourceLine::of_file(path, CARRIAGE_RETURNS));
        }
        let shared: Arc<Path> = path.into();
        let mut open: Vec<(SourceLine, super::statement::ForStatement, Vec<Statement>)> = Vec::new();
        let mut statements = Vec::new();
        let mut count = 0;
        for (number, text) in (1_u32..).zip(text.lines()) {
            let Some(from) = directive(text) else { continue };
            let source = SourceLine { path: shared.clone(), line: number, text: text.into() };
            let from = match from {
                Directive::At(from) => from,
                Directive::MidLine(column) => {
                    return Err(source.error(column, "`//@` must be the first thing on its line"));
                }
            };
            count += 1;
            if count > MAX_STATEMENTS {
                return Err(source.error(1, format!("more than {MAX_STATEMENTS} `//@` lines")));
            }
            match parse_line(source, from, types)? {
                Line::Whole(statement) => {
                    let inside = matches!(
                        statement.kind,
                        StatementKind::Let(_) | StatementKind::Launch(_) | StatementKind::Swap(_)
                    );
                    if !open.is_empty() && !inside {
                        let message = "only `let`, `launch`, `swap` and `for` stand inside a loop";
                        return Err(statement.source.error(1, message));
                    }
                    statements.push(statement);
                }
                Line::For(source, header) => {
                    if open.len() == MAX_LOOPS {
                        return Err(source.error(1, format!("loops nested more than {MAX_LOOPS} deep")));
                    }
                    open.push((source, header, std::mem::take(&mut statements)));
                }
                Line::End(source) => {
                    let Some((line, mut header, before)) = open.pop() else {
                        return Err(source.error(1, "`end` without a `for` before it"));
                    };
                    header.body = std::mem::replace(&mut statements, before);
                    statements.push(Statement { source: line, kind: StatementKind::For(Box::new(header)) });
                }
            }
        }
        if let Some((source, ..)) = open.pop() {
            return Err(source.error(1, "this `for` has no `end`").expected("end, on a `//@` line of its own"));
        }
        let names = source::names(text).map(|names| Arc::new(names.into_iter().map(str::to_owned).collect()));
        Ok(Self { path: path.to_path_buf(), text: text.to_string(), statements, names })
    }

    /// Reads and parses a kernel file.
    ///
    /// # Errors
    ///
    /// As [`KernelFile::parse`]; a file that cannot be read or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, super::ProblemError> {
        Self::read_typed(path, &Types::default(), Owner::Author)
    }

    /// The same with names of types in scope.
    ///
    /// # Errors
    ///
    /// As [`KernelFile::read`].
    pub fn read_typed(path: &Path, types: &Types, owner: Owner<'_>) -> Result<Self, super::ProblemError> {
        let text = source::read_text(path, MAX_BYTES, owner)?;
        Ok(Self::parse_typed(path, &text, types)?)
    }

    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole text. To the compiler the `//@` lines are comments, so lines keep their numbers.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The `//@` lines in order; those inside loops are in their loop.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// A line of the file, for messages.
    pub fn line(&self, number: u32) -> SourceLine {
        SourceLine::of(&self.path, &self.text, number)
    }

    /// The stated reason and sentence of a mutant.
    pub fn mutant(&self) -> Option<(Reason, &str)> {
        self.statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::Mutant(reason, sentence) => Some((*reason, sentence.as_str())),
            _ => None,
        })
    }

    /// The block sizes that a ladder's version claims, where it says so.
    pub fn blocks(&self) -> Option<&[i64]> {
        self.statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::Blocks(blocks) => Some(blocks.as_slice()),
            _ => None,
        })
    }

    /// The comment that the file begins with, as one text; empty when it begins with something else.
    pub fn heading(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.trim().strip_prefix("//"));
        let lines: Vec<&str> = lines.take_while(|line| !line.starts_with('@')).map(str::trim).collect();
        lines.join(" ")
    }

    /// The first statement that only a stand-alone file may have: `in`, `out`, `inout`, `size`, `texture` or `surface`.
    pub fn stand_alone_statement(&self) -> Option<&Statement> {
        self.statements.iter().find(|statement| match &statement.kind {
            StatementKind::Size(_) | StatementKind::Texture(_) => true,
            StatementKind::Buffer(buffer) => buffer.role != Role::Scratch,
            _ => false,
        })
    }

    /// Fails if the file declares inputs, outputs or sizes: inside a problem these are `problem.toml`'s.
    ///
    /// # Errors
    ///
    /// The first such line.
    pub fn require_problem_version(&self) -> Result<(), LineError> {
        match self.stand_alone_statement() {
            None => Ok(()),
            Some(statement) => Err(statement.source.error(
                1,
                "`in`, `out`, `inout`, `size`, `texture` and `surface` are for stand-alone files: here problem.toml declares what \
                 there is",
            )),
        }
    }

    /// Names and default values of a stand-alone file's sizes, with `overrides` in place of defaults.
    ///
    /// # Errors
    ///
    /// A default that has no value, or an override of a size that the file does not declare.
    pub fn sizes(&self, overrides: &Sizes) -> Result<Sizes, LineError> {
        let mut sizes = Sizes::new();
        for statement in &self.statements {
            if let StatementKind::Size(size) = &statement.kind {
                let value = match overrides.get(&size.name) {
                    Some(value) => *value,
                    None => {
                        let scope = super::expr::Scope::of_sizes(&sizes);
                        size.value.eval(&scope).map_err(|error| error.at(&statement.source))?
                    }
                };
                sizes.insert(size.name.clone(), value);
            }
        }
        if let Some(name) = overrides.keys().find(|name| !sizes.contains_key(*name)) {
            let hint = did_you_mean(name, sizes.keys().map(String::as_str));
            return Err(self
                .line(1)
                .error(1, format!("the file has no size `{name}`{hint}"))
                .expected("size NAME = EXPR"));
        }
        Ok(sizes)
    }

    /// Names of the sizes that it declares.
    pub fn size_names(&self) -> impl Iterator<Item = &str> {
        self.statements.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Size(size) => Some(size.name.as_str()),
            _ => None,
        })
    }

    /// Does any launch, in a loop or not, pass an argument that is the name `name` by itself?
    pub fn passes(&self, name: &str) -> bool {
        fn within(statements: &[Statement], name: &str) -> bool {
            statements.iter().any(|statement| match &statement.kind {
                StatementKind::Launch(launch) => launch.args.iter().any(|arg| arg.is_name(name)),
                StatementKind::For(inner) => within(&inner.body, name),
                _ => false,
            })
        }
        within(&self.statements, name)
    }

    /// Names of the functions declared `__global__`, in order, as far as the text shows them (a macro may hide some).
    pub fn global_functions(&self) -> Vec<String> {
        source::global_functions(&self.text)
    }

    /// The error for a name expression that the compiler does not know as a kernel.
    pub fn missing_kernel(&self, name_expression: &str) -> LineError {
        let base = name_expression.split('<').next().unwrap_or(name_expression).trim();
        let place = self.statements_flat().into_iter().find_map(|statement| match &statement.kind {
            StatementKind::Launch(launch) if launch.kernel.base == base => {
                Some((&statement.source, launch.kernel.column))
            }
            _ => None,
        });
        match place {
            Some((source, column)) => self.no_kernel(source, column, name_expression),
            None => self.no_kernel(&self.line(1), 1, name_expression),
        }
    }

    /// The error for a kernel that is not in the file.
    pub(super) fn no_kernel(&self, source: &SourceLine, column: u32, name: &str) -> LineError {
        let known = self.global_functions();
        let base = name.split('<').next().unwrap_or(name);
        if known.iter().any(|kernel| kernel == base) {
            let message = format!("the compiler cannot make `{name}` a kernel: check its template arguments");
            return source.error(column, message);
        }
        let near = nearest(base, known.iter().map(String::as_str));
        let message = match (near, known.as_slice()) {
            (Some(near), _) => format!("no kernel `{name}` in this file; did you mean `{near}`?"),
            (None, []) => format!("no kernel `{name}`: this file has no `__global__` function"),
            (None, known) => format!("no kernel `{name}` in this file; it has `{}`", known.join("`, `")),
        };
        source.error(column, message)
    }

    /// May the code use this name?
    pub(super) fn may_name(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.contains(name))
    }

    /// The launch on a line.
    pub fn launch_on(&self, line: u32) -> Option<&LaunchStatement> {
        self.statements_flat().into_iter().find_map(|statement| match &statement.kind {
            StatementKind::Launch(launch) if statement.source.line == line => Some(launch),
            _ => None,
        })
    }

    /// All statements, those of loops after their loop.
    pub fn statements_flat(&self) -> Vec<&Statement> {
        fn add<'s>(statements: &'s [Statement], all: &mut Vec<&'s Statement>) {
            for statement in statements {
                all.push(statement);
                if let StatementKind::For(inner) = &statement.kind {
                    add(&inner.body, all);
                }
            }
        }
        let mut all = Vec::new();
        add(&self.statements, &mut all);
        all
    }
}

enum Directive {
    At(usize),
    MidLine(u32),
}

/// Where a line's `//@` is. One in the middle of a line counts only when a statement's word follows, so that it may
/// occur in other comments and strings.
fn directive(text: &str) -> Option<Directive> {
    let byte = text.find("//@")?;
    let before = text[..byte].chars().count();
    if text[..byte].trim().is_empty() {
        return Some(Directive::At(before));
    }
    let rest = text[byte + 3..].trim_start();
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
    DIRECTIVES.iter().any(|(known, _)| *known == word).then_some(Directive::MidLine(before as u32 + 1))
}

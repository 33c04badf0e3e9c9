//! EXPR inside `problem.toml`: the expression with the place it stands at.

use crate::cursor::Cursor;
use crate::error::{LineError, SourceLine};
use crate::expr::{Expr, Function, Node, Scope, Sizes};
use crate::types::Types;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// The text of a TOML file, for turning byte spans into places.
#[derive(Debug, Clone, Copy)]
pub struct TomlText<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its text.
    pub text: &'a str,
}

impl TomlText<'_> {
    /// The line and column of a byte offset.
    pub fn place(&self, offset: usize) -> (SourceLine, u32) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        (SourceLine::of(self.path, self.text, line), column)
    }

    /// An error at a byte offset.
    pub fn error(&self, offset: usize, message: impl Into<String>) -> LineError {
        let (source, column) = self.place(offset);
        source.error(column, message)
    }

    /// The line on which a string's value stands, and the characters of it: those between the quotes, or, when the
    /// string has escapes or several lines, the value as a line of its own.
    pub fn string(&self, span: &Range<usize>, value: &str) -> (SourceLine, Range<usize>) {
        let (mut source, column) = self.place(span.start);
        let inner = self.text.get(span.start + 1..span.end.saturating_sub(1));
        let length = value.chars().count();
        if inner == Some(value) && !value.contains('\n') {
            let from = column as usize;
            return (source, from..from + length);
        }
        source.text = value.replace('\n', " ").into();
        (source, 0..length)
    }
}

/// An expression of `problem.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Formula {
    source: SourceLine,
    start: u32,
    expr: Expr,
}

impl Formula {
    /// Parses the string at `span`, with names of types in scope.
    ///
    /// # Errors
    ///
    /// A malformed expression.
    pub fn parse(toml: TomlText, span: &Range<usize>, value: &str, types: &Types) -> Result<Self, LineError> {
        let (source, range) = toml.string(span, value);
        let mut cursor = Cursor::new(&source, range.start, range.end).with_types(types);
        cursor.set_form("EXPR over the problem's sizes: 8 * n, ceil_div(n, 256)");
        let start = cursor.column();
        let expr = Expr::parse(&mut cursor)?;
        cursor.finish()?;
        Ok(Self { start, source, expr })
    }

    /// The value at sizes.
    ///
    /// # Errors
    ///
    /// An unknown name, overflow, division by zero.
    pub fn eval(&self, sizes: &Sizes) -> Result<i64, LineError> {
        self.expr.eval(&Scope::of_sizes(sizes)).map_err(|error| {
            if error.needs_compiler {
                return self
                    .source
                    .error(error.column, "`active_blocks` is for kernel files; here only sizes are known");
            }
            error.at(&self.source)
        })
    }

    /// The larger of two.
    pub fn max(&self, other: &Self) -> Self {
        let node = Node::Call(Function::Max, vec![self.expr.clone(), other.expr.clone()]);
        Self { expr: Expr { column: self.start, node }, ..self.clone() }
    }

    /// An error about the whole formula.
    pub fn error(&self, message: impl Into<String>) -> LineError {
        self.source.error(self.start, message)
    }
}

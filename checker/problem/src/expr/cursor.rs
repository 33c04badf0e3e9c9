//! A cursor over part of one line: characters in, names, numbers and punctuation out, every error with its column.

use crate::error::{LineError, SourceLine};
use crate::types::Types;

/// Longest `//@` line in characters.
pub const MAX_LINE: usize = 4096;
/// Most numbers and names in the expressions of one line. Bounds the depth of every tree built from it.
const MAX_VALUES: u32 = 256;

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Decimal or hexadecimal integer.
    Int(i64),
    /// Has a point, an exponent or an `f` suffix.
    Real(f64),
}

/// Reads one statement.
#[derive(Debug)]
pub struct Cursor<'a> {
    source: &'a SourceLine,
    chars: Vec<char>,
    at: usize,
    end: usize,
    form: Option<String>,
    values: u32,
    types: Types,
}

impl<'a> Cursor<'a> {
    /// Reads `source` from character `from` up to character `end` (0-based).
    pub fn new(source: &'a SourceLine, from: usize, end: usize) -> Self {
        let chars: Vec<char> = source.text.chars().collect();
        let end = end.min(chars.len());
        Self { source, at: from.min(end), end, chars, form: None, values: 0, types: Types::default() }
    }

    /// The same with names of types in scope.
    pub fn with_types(mut self, types: &Types) -> Self {
        self.types = types.clone();
        self
    }

    /// Names of types in scope.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The form that errors from now on name as expected.
    pub fn set_form(&mut self, form: &str) {
        self.form = Some(form.to_string());
    }

    /// Column of the next character that is not white space, from 1.
    pub fn column(&mut self) -> u32 {
        self.skip_space();
        self.at as u32 + 1
    }

    /// An error at a column.
    pub fn error_at(&self, column: u32, message: impl Into<String>) -> LineError {
        let error = self.source.error(column, message);
        match &self.form {
            Some(form) => error.expected(form),
            None => error,
        }
    }

    /// An error here.
    pub fn error(&mut self, message: impl Into<String>) -> LineError {
        let column = self.column();
        self.error_at(column, message)
    }

    /// Skips white space, and a `//` comment to the end.
    fn skip_space(&mut self) {
        while self.at < self.end && self.chars[self.at].is_whitespace() {
            self.at += 1;
        }
        if self.raw_starts_with("//") {
            self.at = self.end;
        }
    }

    /// Does `text` come at once, without white space before it?
    pub fn raw_starts_with(&self, text: &str) -> bool {
        let mut at = self.at;
        text.chars().all(|c| {
            let same = at < self.end && self.chars[at] == c;
            at += 1;
            same
        })
    }

    /// Is everything read?
    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.at >= self.end
    }

    /// The next character that is not white space.
    pub fn peek(&mut self) -> Option<char> {
        self.skip_space();
        (self.at < self.end).then(|| self.chars[self.at])
    }

    /// Does `text` come next?
    pub fn starts_with(&mut self, text: &str) -> bool {
        self.skip_space();
        self.raw_starts_with(text)
    }

    /// Takes `text` if it comes next.
    pub fn take(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    /// Takes `text` or fails.
    pub fn require(&mut self, text: &str) -> Result<(), LineError> {
        if self.take(text) {
            return Ok(());
        }
        let found = self.found();
        Err(self.error(format!("expected `{text}`, found {found}")))
    }

    /// What comes next, for messages.
    pub fn found(&mut self) -> String {
        if let Some(chevrons) = ["<<<", ">>>"].into_iter().find(|text| self.starts_with(text)) {
            return format!("`{chevrons}`");
        }
        match self.peek() {
            None => "the end of the line".to_string(),
            Some(c) if is_name_start(c) || c.is_ascii_digit() => {
                let rest = self.chars[self.at..self.end].iter();
                format!("`{}`", rest.take_while(|c| is_name_char(**c)).take(40).collect::<String>())
            }
            Some(c) => format!("`{}`", c.escape_debug()),
        }
    }

    /// Fails unless everything is read.
    pub fn finish(&mut self) -> Result<(), LineError> {
        if self.at_end() {
            return Ok(());
        }
        let found = self.found();
        Err(self.error(format!("unexpected {found} after the end of the statement")))
    }

    /// Was the last character that was read one of these?
    pub fn ends_with(&self, any: [char; 2]) -> bool {
        self.at.checked_sub(1).is_some_and(|last| any.contains(&self.chars[last]))
    }

    /// Position to come back to.
    pub fn mark(&self) -> usize {
        self.at
    }

    /// Back to a mark.
    pub fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    /// A name if one comes next.
    pub fn take_name(&mut self) -> Option<String> {
        if !self.peek().is_some_and(is_name_start) {
            return None;
        }
        let from = self.at;
        while self.at < self.end && is_name_char(self.chars[self.at]) {
            self.at += 1;
        }
        Some(self.chars[from..self.at].iter().collect())
    }

    /// A name, `what` being what it names.
    pub fn name(&mut self, what: &str) -> Result<String, LineError> {
        if let Some(name) = self.take_name() {
            return Ok(name);
        }
        let found = self.found();
        let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        Err(self.error(format!("expected {article} {what}, found {found}")))
    }

    /// A number if a digit, or a point and a digit, comes next.
    pub fn take_number(&mut self) -> Result<Option<Number>, LineError> {
        let column = self.column();
        let upcoming = &self.chars[self.at..self.end];
        match upcoming {
            [c, ..] if c.is_ascii_digit() => {}
            ['.', c, ..] if c.is_ascii_digit() => {}
            _ => return Ok(None),
        }
        let from = self.at;
        while self.at < self.end {
            let c = self.chars[self.at];
            let exponent_sign = matches!(c, '+' | '-')
                && matches!(self.chars[self.at - 1], 'e' | 'E')
                && !self.chars[from..].starts_with(&['0', 'x']);
            if !(is_name_char(c) || c == '.' || c == '\'' || exponent_sign) {
                break;
            }
            self.at += 1;
        }
        let written: String = self.chars[from..self.at].iter().collect();
        let digits = written.replace('\'', "");
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let parsed = match hex {
            Some(hex) => i64::from_str_radix(hex, 16).map(Number::Int).map_err(|e| *e.kind()),
            None if digits.bytes().all(|b| b.is_ascii_digit()) => {
                digits.parse().map(Number::Int).map_err(|e| *e.kind())
            }
            None => {
                let real = digits.strip_suffix(['f', 'F']).unwrap_or(&digits);
                return match real.parse::<f64>() {
                    Ok(value) if value.is_finite() => Ok(Some(Number::Real(value))),
                    _ => Err(self.error_at(column, format!("`{written}` is not a number"))),
                };
            }
        };
        match parsed {
            Ok(number) => Ok(Some(number)),
            Err(std::num::IntErrorKind::PosOverflow) => {
                Err(self.error_at(column, format!("`{written}` does not fit into 64 bits")))
            }
            Err(_) => Err(self.error_at(column, format!("`{written}` is not a number"))),
        }
    }

    /// A `"string"` without escapes, if a quote comes next.
    pub fn take_string(&mut self) -> Result<Option<String>, LineError> {
        let column = self.column();
        if self.peek() != Some('"') {
            return Ok(None);
        }
        let from = self.at + 1;
        let Some(length) = self.chars[from..self.end].iter().position(|c| *c == '"') else {
            return Err(self.error_at(column, "the quote is never closed"));
        };
        self.at = from + length + 1;
        Ok(Some(self.chars[from..from + length].iter().collect()))
    }

    /// Counts a number or name of an expression.
    pub fn count_value(&mut self) -> Result<(), LineError> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.error(format!("more than {MAX_VALUES} numbers and names in one line")));
        }
        Ok(())
    }

    /// One character, white space included.
    pub fn next_raw(&mut self) -> Option<char> {
        let c = (self.at < self.end).then(|| self.chars[self.at])?;
        self.at += 1;
        Some(c)
    }

    /// Takes `text` if it comes at once, without white space before it.
    pub fn take_raw(&mut self, text: &str) -> bool {
        let found = self.raw_starts_with(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    /// One character if it passes.
    pub fn take_raw_if(&mut self, accept: impl Fn(char) -> bool) -> Option<char> {
        let c = (self.at < self.end).then(|| self.chars[self.at]).filter(|c| accept(*c))?;
        self.at += 1;
        Some(c)
    }

    /// The rest of the line, trimmed, comments included.
    pub fn rest(&mut self) -> String {
        let text: String = self.chars[self.at..self.end].iter().collect();
        self.at = self.end;
        text.trim().to_string()
    }
}

/// May `c` start a name?
pub fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// May `c` continue a name?
pub fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

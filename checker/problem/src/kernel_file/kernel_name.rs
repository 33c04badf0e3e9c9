//! KERNEL in `//@` lines: a C++ name, with template arguments in which `let`s and sizes are replaced by their values.

use crate::cursor::{Cursor, is_name_char, is_name_start};
use crate::error::LineError;
use crate::expr::{Binding, EvalError, Scope};

/// A kernel as a launch names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelName {
    /// Column from 1.
    pub column: u32,
    /// Name without template arguments, with its namespaces: `ns::block_sum`.
    pub base: String,
    /// Template arguments in pieces; None when there are none.
    pub template: Option<Vec<Piece>>,
}

/// A piece of the text between `<` and `>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Kept as it is; names of types are replaced already.
    Text(String),
    /// A name that may be a `let` or a size.
    Name(String),
}

impl KernelName {
    /// Parses a kernel's name.
    pub fn parse(cursor: &mut Cursor) -> Result<Self, LineError> {
        let column = cursor.column();
        let mut base = String::new();
        loop {
            base.push_str(&cursor.name("kernel's name")?);
            if !cursor.take("::") {
                break;
            }
            base.push_str("::");
        }
        let open = cursor.column();
        if cursor.starts_with("<<<") || !cursor.take("<") {
            return Ok(Self { column, base, template: None });
        }
        let mut pieces = Vec::new();
        let (mut angles, mut rounds) = (1_u32, 0_u32);
        let mut text = String::new();
        loop {
            // No template argument holds `<<<`: the launch configuration has begun.
            if cursor.raw_starts_with("<<<") {
                return Err(cursor.error_at(open, "the `<` of the template arguments is never closed"));
            }
            if cursor.take_raw("<<") {
                text.push_str("<<");
                continue;
            }
            let Some(c) = cursor.next_raw() else {
                return Err(cursor.error_at(open, "the `<` of the template arguments is never closed"));
            };
            match c {
                '(' => rounds += 1,
                ')' => match rounds.checked_sub(1) {
                    Some(fewer) => rounds = fewer,
                    None => return Err(cursor.error_at(open, "the `<` of the template arguments is never closed")),
                },
                '<' if rounds == 0 => angles += 1,
                '>' if rounds == 0 => angles -= 1,
                _ => {}
            }
            if angles == 0 {
                break;
            }
            let qualified = text.ends_with("::") || text.ends_with('.');
            let continues = text.ends_with(is_name_char);
            if is_name_start(c) && !qualified && !continues {
                let mut name = String::from(c);
                while let Some(c) = cursor.take_raw_if(is_name_char) {
                    name.push(c);
                }
                if let Some(dtype) = cursor.types().given(&name) {
                    text.push_str(dtype.cpp());
                    continue;
                }
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Name(name));
            } else {
                text.push(c);
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(Self { column, base, template: Some(pieces) })
    }

    /// The name expression for the compiler: `block_sum<256>`.
    pub fn instantiate(&self, scope: &Scope) -> Result<String, EvalError> {
        let Some(pieces) = &self.template else { return Ok(self.base.clone()) };
        let mut arguments = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => arguments.push_str(text),
                Piece::Name(name) => match scope.get(name) {
                    Some(Binding::Value(value)) => arguments.push_str(&value.to_string()),
                    Some(Binding::Unavailable) => return Err(EvalError::needs_compiler(self.column)),
                    _ => arguments.push_str(name),
                },
            }
        }
        Ok(format!("{}<{}>", self.base, arguments.trim()))
    }

    /// The last part of the name: `block_sum` of `ns::block_sum<256>`.
    pub fn simple(&self) -> &str {
        self.base.rsplit("::").next().unwrap_or(&self.base)
    }
}

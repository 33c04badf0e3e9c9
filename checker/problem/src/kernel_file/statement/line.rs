//! One line of a kernel file, read: which directive it is.

use super::launch::{parse_for, parse_launch, parse_value};
use super::texture::parse_texture;
use super::{Assignment, BufferStatement, ForStatement, Named, Statement, StatementKind};
use crate::cursor::{Cursor, MAX_LINE, Number};
use crate::error::{LineError, SourceLine, did_you_mean};
use crate::expr::Expr;
use crate::mutant::Reason;
use crate::types::Types;
use plan::Role;
use plan::dtype::DType;

/// The words a `//@` line may begin with, each with the form expected after it.
pub const DIRECTIVES: [(&str, &str); 16] = [
    ("in", "in NAME: TYPE[LENGTH] = FILL"),
    ("out", "out NAME: TYPE[LENGTH]"),
    ("inout", "inout NAME: TYPE[LENGTH] = FILL"),
    ("size", "size NAME = EXPR"),
    ("let", "let NAME = EXPR"),
    ("scratch", "scratch NAME: TYPE[LENGTH]"),
    ("launch", "launch KERNEL<<<GRID, BLOCK[, SHARED]>>>(ARG, ...)"),
    ("for", "for ([NAME = EXPR]; EXPR < EXPR; NAME = EXPR)"),
    ("swap", "swap SCRATCH, SCRATCH"),
    ("texture", "texture NAME: TYPE[W[, H[, D]]] = BUFFER[, OPTION...]"),
    ("surface", "surface NAME: TYPE[W[, H[, D]]] = BUFFER[, OPTION...]"),
    ("constant", "constant VARIABLE = BUFFER, or = {MEMBER, ...}"),
    ("host", "host OUT = sum(BUFFER)"),
    ("end", "end"),
    ("blocks", "blocks N, N, ..."),
    ("mutant", "mutant REASON: SENTENCE"),
];

/// What one line is before loops are put together.
#[derive(Debug)]
pub enum Line {
    /// Complete by itself.
    Whole(Statement),
    /// Opens a loop.
    For(SourceLine, ForStatement),
    /// Closes a loop.
    End(SourceLine),
}

/// Parses a line whose `//@` starts at character `from`.
pub fn parse_line(source: SourceLine, from: usize, types: &Types) -> Result<Line, LineError> {
    let length = source.text.chars().count();
    if length > MAX_LINE {
        return Err(source.error(1, format!("a `//@` line of {length} characters; {MAX_LINE} are possible")));
    }
    let mut cursor = Cursor::new(&source, from + 3, length).with_types(types);
    let column = cursor.column();
    let word = cursor.take_name().unwrap_or_default();
    let Some((_, form)) = DIRECTIVES.iter().find(|(known, _)| *known == word) else {
        let words = DIRECTIVES.map(|(word, _)| word);
        let message = match word.as_str() {
            "" => "no statement after `//@`".to_string(),
            _ => format!("unknown statement `{word}`{}", did_you_mean(&word, words)),
        };
        return Err(source.error(column, message).expected(format!("one of {}", words.join(", "))));
    };
    cursor.set_form(form);
    let kind = match word.as_str() {
        "in" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::In)?),
        "out" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::Out)?),
        "inout" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::InOut)?),
        "scratch" => StatementKind::Buffer(parse_buffer(&mut cursor, Role::Scratch)?),
        "size" => StatementKind::Size(parse_assignment(&mut cursor, "size's name")?),
        "let" => StatementKind::Let(parse_assignment(&mut cursor, "name")?),
        "launch" => StatementKind::Launch(parse_launch(&mut cursor)?),
        "texture" | "surface" => StatementKind::Texture(Box::new(parse_texture(&mut cursor, word == "surface")?)),
        "swap" => {
            let first = parse_named(&mut cursor, BUFFER)?;
            cursor.require(",")?;
            StatementKind::Swap([first, parse_named(&mut cursor, BUFFER)?])
        }
        "constant" => {
            let column = cursor.column();
            let mut name = cursor.name("variable's name")?;
            while cursor.take("::") {
                name = format!("{name}::{}", cursor.name("variable's name")?);
            }
            cursor.require("=")?;
            StatementKind::Constant(Named { column, name }, parse_value(&mut cursor, 0)?)
        }
        "host" => {
            let to = parse_named(&mut cursor, BUFFER)?;
            for text in ["=", "sum", "("] {
                cursor.require(text)?;
            }
            let from = parse_named(&mut cursor, BUFFER)?;
            cursor.require(")")?;
            StatementKind::Host([to, from])
        }
        "blocks" => StatementKind::Blocks(parse_blocks(&mut cursor)?),
        "for" => {
            let header = parse_for(&mut cursor)?;
            cursor.finish()?;
            return Ok(Line::For(source, header));
        }
        "end" => {
            cursor.finish()?;
            return Ok(Line::End(source));
        }
        _ => {
            let (reason, sentence) = parse_mutant(&mut cursor)?;
            StatementKind::Mutant(reason, sentence)
        }
    };
    cursor.finish()?;
    Ok(Line::Whole(Statement { source, kind }))
}

/// What is named, for messages.
const BUFFER: &str = "buffer's name";

pub(super) fn parse_named(cursor: &mut Cursor, what: &str) -> Result<Named, LineError> {
    let column = cursor.column();
    Ok(Named { column, name: cursor.name(what)? })
}

fn parse_blocks(cursor: &mut Cursor) -> Result<Vec<i64>, LineError> {
    let mut blocks = Vec::new();
    loop {
        let column = cursor.column();
        match cursor.take_number()? {
            Some(Number::Int(block @ 1..=1024)) if blocks.last().is_none_or(|last| *last < block) => blocks.push(block),
            Some(_) => {
                return Err(cursor.error_at(column, "block sizes are whole numbers from 1 to 1024, and increase"));
            }
            None => {
                let found = cursor.found();
                return Err(cursor.error(format!("expected a block size, found {found}")));
            }
        }
        if !cursor.take(",") {
            return Ok(blocks);
        }
    }
}

pub(super) fn parse_assignment(cursor: &mut Cursor, what: &str) -> Result<Assignment, LineError> {
    let column = cursor.column();
    let name = cursor.name(what)?;
    if cursor.types().given(&name).is_some() {
        return Err(cursor.error_at(column, format!("`{name}` is a type here; choose another name")));
    }
    cursor.require("=")?;
    Ok(Assignment { column, name, value: Expr::parse(cursor)? })
}

fn parse_buffer(cursor: &mut Cursor, role: Role) -> Result<BufferStatement, LineError> {
    let column = cursor.column();
    let name = cursor.name("buffer's name")?;
    cursor.require(":")?;
    let dtype = parse_dtype(cursor)?;
    cursor.require("[")?;
    let len = Expr::parse(cursor)?;
    cursor.require("]")?;
    let filled = matches!(role, Role::In | Role::InOut);
    let fill = if filled {
        cursor.require("=")?;
        Some(crate::fill::parse(cursor)?)
    } else if cursor.starts_with("=") {
        return Err(cursor.error(format!("`{name}` is written by the kernels, so it has no fill")));
    } else {
        None
    };
    Ok(BufferStatement { role, column, name, dtype, len, fill })
}

/// Parses the TYPE of a `sizeof`, where C++'s names of numbers do, too; its bytes.
pub fn parse_bytes(cursor: &mut Cursor) -> Result<i64, LineError> {
    let column = cursor.column();
    let name = cursor.name("type")?;
    if cursor.types().find(&name).is_some() {
        return Ok(dtype(cursor, column, &name)?.size() as i64);
    }
    let word = match name.as_str() {
        "unsigned" | "signed" => cursor.take_name().unwrap_or_else(|| "int".to_owned()),
        _ => name.clone(),
    };
    match word.as_str() {
        "char" => Ok(1),
        "short" | "half" | "__half" => Ok(2),
        "int" | "float" => Ok(4),
        "double" => Ok(8),
        "long" => {
            // `long long` is as long.
            if cursor.starts_with("long") {
                cursor.take_name();
            }
            Ok(8)
        }
        _ => dtype(cursor, column, &name).map(|dtype| dtype.size() as i64),
    }
}

/// Parses TYPE.
pub fn parse_dtype(cursor: &mut Cursor) -> Result<DType, LineError> {
    let column = cursor.column();
    let name = cursor.name("type")?;
    dtype(cursor, column, &name)
}

/// The type of this name, which stands at `column`.
fn dtype(cursor: &Cursor, column: u32, name: &str) -> Result<DType, LineError> {
    cursor.types().find(name).ok_or_else(|| {
        let names = cursor.types().names();
        let cpp = match name {
            "float" => "; `float` is `f32` here".to_string(),
            "double" => "; `double` is `f64` here".to_string(),
            "half" => "; `half` is `f16` here".to_string(),
            "int" => "; `int` is `i32` here".to_string(),
            "unsigned" => "; `unsigned` is `u32` here".to_string(),
            "char" => "; `char` is `i8` here".to_string(),
            _ => did_you_mean(name, names.iter().copied()),
        };
        cursor.error_at(column, format!("unknown type `{name}`{cpp}")).expected(format!("one of {}", names.join(" ")))
    })
}

fn parse_mutant(cursor: &mut Cursor) -> Result<(Reason, String), LineError> {
    let column = cursor.column();
    let mut written = cursor.name("reason")?;
    while cursor.take_raw("-") {
        written.push('-');
        written.push_str(&cursor.take_name().unwrap_or_default());
    }
    let names = Reason::ALL.map(Reason::name);
    let Some(reason) = Reason::from_name(&written) else {
        let message = format!("unknown reason `{written}`{}", did_you_mean(&written, names));
        return Err(cursor.error_at(column, message).expected(format!("one of {}", names.join(", "))));
    };
    cursor.require(":")?;
    let sentence = cursor.rest();
    if sentence.is_empty() {
        return Err(cursor.error("a sentence is missing that says what is wrong with this kernel"));
    }
    Ok((reason, sentence))
}

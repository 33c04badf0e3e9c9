//! Reading CUDA text: files in, and the little that is looked up in the text without the compiler.

use crate::ProblemError;
use crate::cursor::{is_name_char, is_name_start};
use crate::error::{LineError, SourceLine};
use std::collections::HashSet;
use std::path::Path;
use system::files::{self, FileError};

/// Whose file it is, which decides what may be a link.
#[derive(Debug, Clone, Copy)]
pub enum Owner<'a> {
    /// The workbook's author: links are followed.
    Author,
    /// A learner, below the workbook's top: nothing below that is a link.
    Learner(&'a Path),
    /// Whoever types its name: the file itself is no link.
    Named,
}

/// What is said of a file with bytes that are 0.
pub const NO_TEXT: &str = "the file is no text (there are bytes in it that are 0): save the kernel as text in UTF-8";

/// Is it UTF-16, by its mark or, of characters that ASCII has, too, by every other byte of its beginning?
fn is_utf16(bytes: &[u8]) -> bool {
    let pairs = || bytes[..bytes.len().min(256)].chunks_exact(2);
    let ascii = |low: usize| pairs().filter(|pair| pair[low] != 0 && pair[1 - low] == 0).count();
    let marked = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let most = |low: usize| ascii(low) > 2 && ascii(low) * 4 > pairs().count() * 3;
    marked && bytes.len().is_multiple_of(2) || most(0) || most(1)
}

/// Reads a text file of at most `limit` bytes.
///
/// # Errors
///
/// A file that cannot be read, is no regular file, is larger, or is not UTF-8 (with the place of the first bad byte).
pub fn read_text(path: &Path, limit: usize, owner: Owner<'_>) -> Result<String, ProblemError> {
    let read = match owner {
        Owner::Author => files::read_trusted(path, limit as u64),
        Owner::Learner(top) => files::read_in(Some(top), path, limit as u64),
        Owner::Named => files::read_named(path, limit as u64),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(FileError::TooLarge { limit }) => {
            let message = format!("the file has more than the {limit} bytes possible");
            return Err(SourceLine::of_file(path, message).into());
        }
        Err(error) => return Err(ProblemError::Read { path: path.to_path_buf(), source: error.into() }),
    };
    if is_utf16(&bytes) {
        return Err(SourceLine::of_file(path, "the file is UTF-16 text: save it as UTF-8").into());
    }
    if bytes.contains(&0) {
        return Err(SourceLine::of_file(path, NO_TEXT).into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let (valid, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let before = String::from_utf8_lossy(&bytes[..valid]);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
        let message = format!("byte 0x{:02x} is not UTF-8: save the file as UTF-8", bytes[valid]);
        let error = SourceLine::of(path, &String::from_utf8_lossy(bytes), line).error(column, message);
        LineError { of_file: true, ..error }.into()
    })
}

/// A token of C++ text: a name or a single other character.
enum Token<'a> {
    Name(&'a str),
    Other(char),
}

/// Tokens of C++ text; comments, strings, characters and preprocessor numbers are skipped.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = if let Some(comment) = rest.strip_prefix("//") {
            2 + comment.find('\n').unwrap_or(comment.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            2 + comment.find("*/").map_or(comment.len(), |at| at + 2)
        } else if c == '"' || c == '\'' {
            quoted(rest, c)
        } else if is_name_start(c) || c.is_ascii_digit() {
            let length = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
            if is_name_start(c) {
                tokens.push(Token::Name(&rest[..length]));
            }
            length
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Other(c));
            }
            c.len_utf8()
        };
        rest = &rest[skip..];
    }
    tokens
}

/// Length in bytes of the literal that `text` starts with; one that is not closed ends with its line.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The names that the code uses; None where every name is possible, because names are pasted (`##`) or a local file is
/// included.
pub fn names(text: &str) -> Option<HashSet<&str>> {
    let includes = |line: &str| line.trim_start().starts_with('#') && line.contains("include") && line.contains('"');
    if text.contains("##") || text.lines().any(includes) {
        return None;
    }
    let names = tokens(text).into_iter().filter_map(|token| match token {
        Token::Name(name) => Some(name),
        Token::Other(_) => None,
    });
    Some(names.collect())
}

/// Names of the functions that follow `__global__`: the name before the parameters' parenthesis, attributes such as
/// `__launch_bounds__(256)` skipped.
pub fn global_functions(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let mut names: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !matches!(tokens[at], Token::Name("__global__")) {
            at += 1;
            continue;
        }
        let mut last = None;
        at += 1;
        while at < tokens.len() {
            match tokens[at] {
                Token::Name(name) => last = Some(name),
                Token::Other('(') => match last {
                    Some(attribute) if attribute.starts_with("__") && attribute.ends_with("__") => {
                        let mut depth = 0_u32;
                        while at < tokens.len() {
                            match tokens[at] {
                                Token::Other('(') => depth += 1,
                                Token::Other(')') => depth -= 1,
                                _ => {}
                            }
                            if depth == 0 {
                                break;
                            }
                            at += 1;
                        }
                        last = None;
                    }
                    Some(name) => {
                        if !names.iter().any(|known| known == name) {
                            names.push(name.to_string());
                        }
                        break;
                    }
                    None => break,
                },
                Token::Other(';' | '{') => break,
                Token::Other(_) => {}
            }
            at += 1;
        }
    }
    names
}

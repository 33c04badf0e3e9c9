//! Characters to tokens. A word takes its dots with it (`ld.global.f32`, `%tid.x`, `.reg`), which PTX's grammar allows
//! everywhere.

use crate::ParseError;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'a> {
    Word(&'a str),
    Int(u64),
    F32(u32),
    F64(u64),
    Text(&'a str),
    Punct(u8),
    End,
}

/// Comments that NVRTC puts around an `asm` of the source.
const INLINE: [&[u8]; 2] = [b"// begin inline asm", b"// end inline asm"];

/// A cursor with one token of look-ahead.
pub struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    /// The next token.
    pub token: Token<'a>,
    /// Its line, from 1.
    pub token_line: u32,
    /// The last comment that says so began inline PTX.
    pub written: bool,
    token_column: u32,
    token_start: usize,
    /// The next token is an integer that ends in `U`.
    pub unsigned: bool,
}

fn word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Result<Self, ParseError> {
        let mut lexer = Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            line: 1,
            line_start: 0,
            token: Token::End,
            token_line: 1,
            written: false,
            token_column: 1,
            token_start: 0,
            unsigned: false,
        };
        lexer.advance()?;
        Ok(lexer)
    }

    /// An error at the current token.
    pub fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { line: self.token_line, column: self.token_column, message: message.into() }
    }

    /// The text from the next token on.
    pub fn rest_from_token(&self) -> &'a [u8] {
        self.bytes.get(self.token_start..).unwrap_or_default()
    }

    /// Does a word stand behind the next token, which is one character long? Then it is a sign before a register or
    /// symbol, not a constant's.
    pub fn before_a_name(&self) -> bool {
        let rest = &self.rest_from_token()[1..];
        let word = rest.trim_ascii_start();
        let first = word.first().copied().unwrap_or(0);
        (first.is_ascii_alphabetic() || matches!(first, b'_' | b'$' | b'%')) && !word.starts_with(b"WARP_SZ")
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) -> Result<(), ParseError> {
        loop {
            match self.peek(0) {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' | 12 => self.at += 1,
                // NVRTC ends its text with a NUL.
                0 if self.at < self.bytes.len() => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    let comment = &self.bytes[self.at..];
                    self.written = comment.starts_with(INLINE[0]) || self.written && !comment.starts_with(INLINE[1]);
                    while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                b'/' if self.peek(1) == b'*' => {
                    let (line, column) = (self.line, (self.at - self.line_start) as u32 + 1);
                    self.at += 2;
                    loop {
                        if self.at >= self.bytes.len() {
                            return Err(ParseError { line, column, message: "a comment that never ends".into() });
                        }
                        if self.peek(0) == b'*' && self.peek(1) == b'/' {
                            self.at += 2;
                            break;
                        }
                        if self.peek(0) == b'\n' {
                            self.line += 1;
                            self.line_start = self.at + 1;
                        }
                        self.at += 1;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Moves to the next token.
    pub fn advance(&mut self) -> Result<(), ParseError> {
        self.skip_space()?;
        self.token_line = self.line;
        self.token_column = (self.at - self.line_start) as u32 + 1;
        let start = self.at;
        (self.token_start, self.unsigned) = (start, false);
        let first = self.peek(0);
        self.token = if self.at >= self.bytes.len() {
            Token::End
        } else if first.is_ascii_digit() || (first == b'.' && self.peek(1).is_ascii_digit()) {
            self.number()?
        } else if word_byte(first) || (first == b'.' && word_byte(self.peek(1))) {
            self.at += 1;
            loop {
                if word_byte(self.peek(0)) {
                    self.at += 1;
                } else if self.peek(0) == b'.' && word_byte(self.peek(1)) && first != b'.' {
                    // Directives are words of their own (`.reg.b32`).
                    self.at += 2;
                } else if self.peek(0) == b':' && self.peek(1) == b':' && word_byte(self.peek(2)) {
                    self.at += 3;
                } else {
                    break;
                }
            }
            Token::Word(&self.text[start..self.at])
        } else if first == b'"' {
            // As the assembler reads it: to the next quote, whatever stands before that, over ends of lines, too.
            self.at += 1;
            while self.at < self.bytes.len() && self.bytes[self.at] != b'"' {
                if self.bytes[self.at] == b'\n' {
                    self.line += 1;
                    self.line_start = self.at + 1;
                }
                self.at += 1;
            }
            if self.peek(0) != b'"' {
                return Err(self.error("a string that never ends"));
            }
            let text = self.text.get(start + 1..self.at).unwrap_or("");
            self.at += 1;
            Token::Text(text)
        } else if first.is_ascii() {
            self.at += 1;
            Token::Punct(first)
        } else {
            return Err(self.error("this is not PTX: a character outside ASCII"));
        };
        Ok(())
    }

    /// Takes the `U` of an unsigned integer.
    fn suffix(&mut self) {
        self.unsigned = self.peek(0) == b'U';
        self.at += usize::from(self.unsigned);
    }

    fn number(&mut self) -> Result<Token<'a>, ParseError> {
        let start = self.at;
        let hex = |lexer: &mut Self, digits: usize| -> Result<u64, ParseError> {
            let from = lexer.at;
            while lexer.peek(0).is_ascii_hexdigit() {
                lexer.at += 1;
            }
            let text = &lexer.text[from..lexer.at];
            if text.is_empty() || (digits > 0 && text.len() != digits) {
                return Err(lexer.error("a hexadecimal literal of the wrong length"));
            }
            u64::from_str_radix(text, 16).map_err(|_| lexer.error("an integer beyond 64 bits"))
        };
        if self.peek(0) == b'0' && matches!(self.peek(1), b'f' | b'F' | b'd' | b'D' | b'x' | b'X') {
            let kind = self.peek(1).to_ascii_lowercase();
            self.at += 2;
            return match kind {
                b'f' => Ok(Token::F32(hex(self, 8)? as u32)),
                b'd' => Ok(Token::F64(hex(self, 16)?)),
                _ => {
                    let value = hex(self, 0)?;
                    self.suffix();
                    Ok(Token::Int(value))
                }
            };
        }
        if self.peek(0) == b'0' && matches!(self.peek(1), b'b' | b'B') && matches!(self.peek(2), b'0' | b'1') {
            self.at += 2;
            let from = self.at;
            while matches!(self.peek(0), b'0' | b'1') {
                self.at += 1;
            }
            let value = u64::from_str_radix(&self.text[from..self.at], 2);
            self.suffix();
            return value.map(Token::Int).map_err(|_| self.error("an integer beyond 64 bits"));
        }
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
        let fraction = self.peek(0) == b'.';
        let exponent = matches!(self.peek(0), b'e' | b'E')
            && (self.peek(1).is_ascii_digit()
                || (matches!(self.peek(1), b'+' | b'-') && self.peek(2).is_ascii_digit()));
        if fraction || exponent {
            if fraction {
                self.at += 1;
                while self.peek(0).is_ascii_digit() {
                    self.at += 1;
                }
            }
            if matches!(self.peek(0), b'e' | b'E') {
                self.at += 1;
                if matches!(self.peek(0), b'+' | b'-') {
                    self.at += 1;
                }
                while self.peek(0).is_ascii_digit() {
                    self.at += 1;
                }
            }
            let value: f64 =
                self.text[start..self.at].parse().map_err(|_| self.error("a floating-point literal cut short"))?;
            return Ok(Token::F64(value.to_bits()));
        }
        let text = &self.text[start..self.at];
        let value =
            if text.len() > 1 && text.starts_with('0') { u64::from_str_radix(&text[1..], 8) } else { text.parse() };
        self.suffix();
        value.map(Token::Int).map_err(|_| self.error("an integer that is no number or beyond 64 bits"))
    }
}

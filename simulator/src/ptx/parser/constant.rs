//! Constant expressions in operands: `1+2*3`, `(.s64)-1`, `0x10U`, `5 && 3`, `1.5*2.0`.
//!
//! As the PTX manual has it (4.5.4 to 4.5.6): integers have 64 bits; a literal is signed unless it ends in `U` or does not fit; operators
//! and their precedence are C's, with C's usual conversions; comparisons and logic give a signed 0 or 1; a shift has its
//! left side's sign. A remainder and what `~` makes are unsigned, as the assembler has it. Floating-point literals take unary minus and the four operations only, among themselves.

use super::{Parse, Parser};
use crate::ptx::lexer::Token;

/// Expressions inside each other, brackets and signs included.
const MOST_NESTED: u32 = 64;

/// A value while an expression is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// 64 bits, and whether they are unsigned.
    Int(u64, bool),
    /// A `0f` literal: single precision.
    F32(u32),
    /// A `0d` or decimal literal.
    F64(u64),
}

/// Binary operators, the loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_> {
    /// An expression that begins with the current token.
    pub(super) fn constant(&mut self) -> Parse<Constant> {
        self.choice(0)
    }

    /// A sum that goes on behind a symbol or register: `+4*2-(1)`; 0 where there is none.
    pub(super) fn offset(&mut self) -> Parse<i64> {
        let mut offset = 0i64;
        loop {
            let negative = match self.lexer.token {
                Token::Punct(b'+') => false,
                Token::Punct(b'-') => true,
                _ => return Ok(offset),
            };
            self.lexer.advance()?;
            // A product at a time: `a - 4 * 2 + 1` takes 8 away and adds 1.
            let Constant::Int(value, _) = self.level(LEVELS.len() - 1, 0)? else {
                return self.expected("an integer offset");
            };
            let value = value as i64;
            offset = offset.wrapping_add(if negative { value.wrapping_neg() } else { value });
        }
    }

    fn choice(&mut self, depth: u32) -> Parse<Constant> {
        let condition = self.level(0, depth)?;
        if !self.is(b'?') {
            return Ok(condition);
        }
        self.lexer.advance()?;
        let first = self.choice(depth + 1)?;
        self.need(b':')?;
        let second = self.choice(depth + 1)?;
        // The assembler keeps the chosen side's own sign, whatever the other side's is.
        Ok(if truth(condition) { first } else { second })
    }

    /// The operator at this place, if it is of that level.
    fn operator(&mut self, level: usize) -> Parse<Option<&'static str>> {
        if !matches!(self.lexer.token, Token::Punct(_) | Token::Word("%")) {
            return Ok(None);
        }
        let text = self.lexer.rest_from_token();
        let fits = |name: &str| text.starts_with(name.as_bytes());
        let Some(name) = LEVELS[level].iter().copied().find(|name| fits(name)) else { return Ok(None) };
        // `|` is not `||`, and `<` is not `<<`.
        if LEVELS.iter().copied().flatten().any(|other| other.len() > name.len() && fits(other)) {
            return Ok(None);
        }
        // A token is one character of an operator.
        for _ in 0..name.len() {
            self.lexer.advance()?;
        }
        Ok(Some(name))
    }

    fn level(&mut self, level: usize, depth: u32) -> Parse<Constant> {
        if depth > MOST_NESTED {
            return Err(self.lexer.error("an expression nested too deeply"));
        }
        if level == LEVELS.len() {
            return self.unary(depth);
        }
        let mut left = self.level(level + 1, depth)?;
        while let Some(name) = self.operator(level)? {
            let right = self.level(level + 1, depth)?;
            left = match combine(name, left, right) {
                Some(value) => value,
                None => return Err(self.lexer.error(format!("`{name}` of constants that it cannot combine"))),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> Parse<Constant> {
        if depth > MOST_NESTED {
            return Err(self.lexer.error("an expression nested too deeply"));
        }
        let (token, unsigned) = (self.lexer.token, self.lexer.unsigned);
        self.lexer.advance()?;
        match token {
            Token::Int(value) => Ok(Constant::Int(value, unsigned || value > i64::MAX as u64)),
            Token::F32(bits) => Ok(Constant::F32(bits)),
            Token::F64(bits) => Ok(Constant::F64(bits)),
            Token::Word("WARP_SZ") => Ok(Constant::Int(32, false)),
            Token::Punct(b'(') => {
                if let Token::Word(cast @ (".s64" | ".u64")) = self.lexer.token {
                    self.lexer.advance()?;
                    self.need(b')')?;
                    let Constant::Int(bits, _) = self.unary(depth + 1)? else {
                        return self.expected("an integer after a cast");
                    };
                    return Ok(Constant::Int(bits, cast == ".u64"));
                }
                let value = self.choice(depth + 1)?;
                self.need(b')')?;
                Ok(value)
            }
            Token::Punct(sign @ (b'+' | b'-' | b'~' | b'!')) => {
                let value = self.unary(depth + 1)?;
                Ok(match (sign, value) {
                    (b'+', value) => value,
                    (b'-', Constant::Int(bits, unsigned)) => Constant::Int(bits.wrapping_neg(), unsigned),
                    (b'-', Constant::F32(bits)) => Constant::F32(bits ^ 1 << 31),
                    (b'-', Constant::F64(bits)) => Constant::F64(bits ^ 1 << 63),
                    (b'~', Constant::Int(bits, _)) => Constant::Int(!bits, true),
                    (b'!', value @ Constant::Int(..)) => Constant::Int(u64::from(!truth(value)), false),
                    _ => return self.expected("an integer"),
                })
            }
            _ => Err(self.lexer.error("expected a constant")),
        }
    }
}

fn truth(value: Constant) -> bool {
    match value {
        Constant::Int(bits, _) => bits != 0,
        Constant::F32(bits) => f32::from_bits(bits) != 0.0,
        Constant::F64(bits) => f64::from_bits(bits) != 0.0,
    }
}

/// Nothing for a division by zero and for types that do not go together.
fn combine(name: &str, left: Constant, right: Constant) -> Option<Constant> {
    let (a, b, unsigned) = match (left, right) {
        (Constant::Int(a, p), Constant::Int(b, q)) => (a, b, p || q),
        (Constant::F64(a), Constant::F64(b)) => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            return Some(Constant::F64(real(name, a, b)?.to_bits()));
        }
        (Constant::F32(a), Constant::F32(b)) => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            return Some(Constant::F32((real(name, a.into(), b.into())? as f32).to_bits()));
        }
        _ => return None,
    };
    let (s, t) = (a as i64, b as i64);
    let said = |value: bool| Constant::Int(value.into(), false);
    let less = if unsigned { a < b } else { s < t };
    let value = match name {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if unsigned => a.checked_div(b)?,
        // Unsigned, whatever its sides are, as the assembler does: -7 % 4 is 1.
        "%" => return Some(Constant::Int(a.checked_rem(b)?, true)),
        "/" if t != 0 => s.wrapping_div(t) as u64,
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" | ">>" => {
            let Constant::Int(_, unsigned) = left else { return None };
            // By the low six bits of the right side, as the assembler does.
            let value = match (name, unsigned) {
                ("<<", _) => a.wrapping_shl(b as u32),
                (_, true) => a.wrapping_shr(b as u32),
                (_, false) => s.wrapping_shr(b as u32) as u64,
            };
            return Some(Constant::Int(value, unsigned));
        }
        "==" => return Some(said(a == b)),
        "!=" => return Some(said(a != b)),
        "<" => return Some(said(less)),
        ">=" => return Some(said(!less)),
        "<=" => return Some(said(less || a == b)),
        ">" => return Some(said(!less && a != b)),
        "&&" => return Some(said(a != 0 && b != 0)),
        "||" => return Some(said(a != 0 || b != 0)),
        _ => return None,
    };
    Some(Constant::Int(value, unsigned))
}

fn real(name: &str, a: f64, b: f64) -> Option<f64> {
    Some(match name {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => return None,
    })
}

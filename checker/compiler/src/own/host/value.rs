//! Values of host code: numbers and `dim3`s, and what tokens they are written with.

use super::super::guess::{element, width};
use super::super::lexer::{Kind, Token};

/// A number, or the three of a `dim3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    Number(i64),
    Real(f64),
    Dims([i64; 3]),
}

impl Value {
    /// The number that it is.
    pub fn number(self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Real(_) | Self::Dims(_) => None,
        }
    }

    /// The real that it is, or becomes.
    pub fn real(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number as f64),
            Self::Real(real) => Some(real).filter(|real| real.is_finite()),
            Self::Dims(_) => None,
        }
    }

    /// The integer that it is, or becomes where one is asked for.
    pub fn integer(self) -> Option<i64> {
        self.cast("i64")?.number()
    }

    /// As a value of a type, by its name in `//@` lines.
    pub fn cast(self, ty: &str) -> Option<Value> {
        match self {
            Self::Dims(_) => None,
            _ if ty.starts_with('f') || ty == "bf16" => self.real().map(Self::Real),
            Self::Real(real) => Some(Self::Number(real as i64)),
            // An integer's type changes none of these numbers.
            Self::Number(_) => Some(self),
        }
    }

    /// As the size of a grid or a block.
    pub fn dims(self) -> Option<[u32; 3]> {
        let dims = match self {
            Self::Number(_) | Self::Real(_) => [self.integer()?, 1, 1],
            Self::Dims(dims) => dims,
        };
        let all = dims.map(|dim| u32::try_from(dim).unwrap_or(0));
        let product = all.iter().try_fold(1_u32, |product, dim| product.checked_mul(*dim));
        product.is_some_and(|product| product > 0).then_some(all)
    }
}

/// Two numbers by an operator; of one real both are.
pub fn combined(operator: &str, left: Value, right: Value) -> Option<Value> {
    let (a, b) = (left.real()?, right.real()?);
    let truth = |truth: bool| Some(Value::Number(i64::from(truth)));
    match operator {
        "||" => return truth(a != 0.0 || b != 0.0),
        "&&" => return truth(a != 0.0 && b != 0.0),
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<" => return truth(a < b),
        "<=" => return truth(a <= b),
        ">" => return truth(a > b),
        ">=" => return truth(a >= b),
        _ => {}
    }
    if let (Value::Number(before), Value::Number(right)) = (left, right) {
        return Some(Value::Number(match operator {
            "<<" => before.checked_shl(u32::try_from(right).ok()?)?,
            ">>" => before.checked_shr(u32::try_from(right).ok()?)?,
            "+" => before.checked_add(right)?,
            "-" => before.checked_sub(right)?,
            "*" => before.checked_mul(right)?,
            "/" => before.checked_div(right)?,
            _ => before.checked_rem(right)?,
        }));
    }
    Some(Value::Real(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => return None,
    }))
}

/// What one of C++'s own functions returns, or a type makes of a number.
pub fn called(function: &str, values: &[Value]) -> Option<Value> {
    match (function, values) {
        ("min", [a, b]) => Some(if b.real()? < a.real()? { *b } else { *a }),
        ("max", [a, b]) => Some(if a.real()? < b.real()? { *b } else { *a }),
        ("ceil" | "ceilf", [a]) => a.real().map(|a| Value::Real(a.ceil())),
        ("floor" | "floorf", [a]) => a.real().map(|a| Value::Real(a.floor())),
        ("min" | "max", _) => None,
        (ty, [a]) => a.cast(ty),
        _ => None,
    }
}

/// The scalar type, by its name in `//@` lines, that these words are.
pub fn named(words: &[Token]) -> Option<&'static str> {
    let names = words.iter().all(|token| token.kind == Kind::Name);
    let words: Vec<&str> = words.iter().map(|token| token.text).collect();
    element(&words.join(" ")).filter(|(_, each)| names && *each == 1).map(|(ty, _)| ty)
}

/// Bytes of a type by its words.
pub fn bytes(words: &[Token]) -> Option<i64> {
    let words: Vec<&str> = words.iter().map(|token| token.text).collect();
    if words.last() == Some(&"*") { Some(8) } else { width(&words.join(" ")).map(i64::from) }
}

/// An integer: `0x10`, `3u`.
pub fn integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// A decimal real: `0.02f`, `1.`, `1e-3`.
pub fn real(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(['f', 'F', 'l', 'L']).replace('\'', "");
    let plain = digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    digits.parse().ok().filter(|real: &f64| plain && real.is_finite())
}

/// The index of the bracket that closes the one at `open`.
pub fn matching(tokens: &[Token], open: usize) -> Option<usize> {
    if !tokens.get(open).is_some_and(|token| token.is("(") || token.is("{")) {
        return None;
    }
    let mut depth = 0_i32;
    (open..tokens.len()).find(|at| {
        depth += match tokens[*at].kind {
            Kind::Punct if matches!(tokens[*at].text, "(" | "[" | "{") => 1,
            Kind::Punct if matches!(tokens[*at].text, ")" | "]" | "}") => -1,
            _ => 0,
        };
        depth == 0
    })
}

/// Pieces between commas that no bracket encloses.
pub fn split<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut depth = 0_i32;
    tokens
        .split(|token| {
            depth += match token.text {
                "(" | "[" | "{" if token.kind == Kind::Punct => 1,
                ")" | "]" | "}" if token.kind == Kind::Punct => -1,
                _ => 0,
            };
            depth == 0 && token.is(",")
        })
        .filter(|piece| !piece.is_empty())
        .collect()
}

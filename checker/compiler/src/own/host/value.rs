//! Constants of host code: numbers and `dim3`s that a text defines by other constants, and by macros with parameters.

use super::super::guess::{element, width};
use super::super::lexer::{Kind, Token, tokens};
use super::super::macros::definition;
use std::cell::Cell;
use std::collections::HashMap;

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

    /// As a value of a type, by its name in `//@` lines.
    fn cast(self, ty: &str) -> Option<Value> {
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
            Self::Number(x) => [x, 1, 1],
            Self::Real(_) => return None,
            Self::Dims(dims) => dims,
        };
        let all = dims.map(|dim| u32::try_from(dim).unwrap_or(0));
        let product = all.iter().try_fold(1_u32, |product, dim| product.checked_mul(*dim));
        product.is_some_and(|product| product > 0).then_some(all)
    }
}

/// Deepest chain of names that is followed.
const DEEPEST: u32 = 12;
/// Most tokens that names stand for in one value, and most of a macro's body with its arguments in it.
const FOLLOWED: usize = 20_000;
const LONGEST: usize = 2000;

/// A macro with parameters.
struct Function<'a> {
    parameters: Vec<&'a str>,
    body: Vec<Token<'a>>,
}

impl<'a> Function<'a> {
    /// `(A, B) BODY` of its definition; none of a variable number of parameters.
    fn of(definition: &'a str) -> Option<Function<'a>> {
        let all = tokens(definition);
        let end = matching(&all, 0)?;
        let name = |piece: &&[Token<'a>]| match piece {
            [name] if name.kind == Kind::Name => Some(name.text),
            _ => None,
        };
        let parameters = split(&all[1..end]).iter().map(name).collect::<Option<_>>()?;
        Some(Function { parameters, body: all[end + 1..].to_vec() })
    }

    /// Its body with the arguments in it, as if it stood at `start`; nothing if they are too many, too few or too long.
    fn expanded<'t>(&'t self, inside: &'t [Token<'t>], start: usize) -> Option<Vec<Token<'t>>> {
        let arguments = split(inside);
        (arguments.len() == self.parameters.len()).then_some(())?;
        let mut all: Vec<Token> = Vec::new();
        for token in &self.body {
            let parameter = self.parameters.iter().position(|parameter| token.is(parameter));
            match parameter.and_then(|index| arguments.get(index)) {
                Some(argument) => all.extend_from_slice(argument),
                None => all.push(Token { start, ..*token }),
            }
            (all.len() <= LONGEST).then_some(())?;
        }
        Some(all)
    }
}

/// What names stand for: of several definitions the last before the place that asks.
pub struct Constants<'a> {
    known: HashMap<String, Vec<(usize, Vec<Token<'a>>)>>,
    functions: HashMap<String, Vec<(usize, Function<'a>)>>,
}

/// Of several definitions the last before a place, else the first.
fn before<T>(all: &[(usize, T)], place: usize) -> Option<&T> {
    all.iter().rfind(|(at, _)| *at < place).or_else(|| all.first()).map(|(_, value)| value)
}

impl<'a> Constants<'a> {
    /// Of a text, and the macros of its headers.
    pub fn of(all: &[Token<'a>], headers: &[Vec<Token<'a>>]) -> Constants<'a> {
        let mut found = Constants { known: HashMap::new(), functions: HashMap::new() };
        for token in headers.iter().flatten().filter(|token| token.kind == Kind::Directive) {
            found.define(token, 0);
        }
        for (at, token) in all.iter().enumerate() {
            if token.kind == Kind::Directive {
                found.define(token, token.start);
            } else if token.is("dim3") {
                found.dims(all, at);
            } else if token.kind == Kind::Name && !at.checked_sub(1).is_some_and(|before| all[before].is(".")) {
                found.assigned(all, at);
            }
        }
        found
    }

    fn add(&mut self, name: &str, from: usize, value: Vec<Token<'a>>) {
        self.known.entry(name.to_owned()).or_default().push((from, value));
    }

    /// `#define NAME VALUE` or `#define NAME(A, B) VALUE`
    fn define(&mut self, token: &Token<'a>, from: usize) {
        let Some((name, body)) = definition(token.text) else { return };
        if body.starts_with('(') {
            let function = Function::of(body).map(|function| (from, function));
            self.functions.entry(name.to_owned()).or_default().extend(function);
        } else if body.starts_with([' ', '\t']) {
            self.add(name, from, tokens(body));
        }
    }

    /// `NAME = VALUE` up to `;` or `,`
    fn assigned(&mut self, all: &[Token<'a>], at: usize) {
        let assigned = all.get(at + 1).is_some_and(|token| token.is("="));
        let Some(rest) = all.get(at + 2..).filter(|rest| assigned && !rest.first().is_some_and(|t| t.is("="))) else {
            return;
        };
        if let Some(end) = rest.iter().take(60).position(|token| token.is(";")) {
            let value = split(&rest[..end]).first().map(|value| value.to_vec()).unwrap_or_default();
            self.add(all[at].text, all[at].start, value);
        }
    }

    /// `dim3 NAME(X, Y)` and more of them behind commas
    fn dims(&mut self, all: &[Token<'a>], at: usize) {
        let mut name = at + 1;
        while all.get(name).is_some_and(|token| token.kind == Kind::Name) {
            let Some(end) = matching(all, name + 1) else { return };
            // Read as `dim3(X, Y)`.
            let value = std::iter::once(all[at]).chain(all[name + 1..=end].iter().copied()).collect();
            self.add(all[name].text, all[name].start, value);
            if !all.get(end + 1).is_some_and(|token| token.is(",")) {
                return;
            }
            name = end + 2;
        }
    }

    /// What the tokens are worth.
    pub fn value(&self, piece: &[Token]) -> Option<Value> {
        Reader { constants: self, rest: piece, depth: 0, left: &Cell::new(FOLLOWED) }.whole()
    }
}

struct Reader<'c, 'a, 't> {
    constants: &'c Constants<'a>,
    rest: &'t [Token<'t>],
    depth: u32,
    /// Tokens that names may still stand for.
    left: &'c Cell<usize>,
}

impl Reader<'_, '_, '_> {
    fn whole(mut self) -> Option<Value> {
        let value = self.sum(0)?;
        self.rest.is_empty().then_some(value)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest.first().is_some_and(|token| token.is(text));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// Operators by strength: 0 shifts, 1 sums, 2 products.
    fn sum(&mut self, strength: u8) -> Option<Value> {
        if strength == 3 {
            return self.primary();
        }
        let mut left = self.sum(strength + 1)?;
        loop {
            let operator = self.rest.first().filter(|token| token.kind == Kind::Punct).map(|token| token.text);
            let operator = operator.and_then(|text| text.chars().next());
            let known = match strength {
                0 => matches!(operator, Some('<' | '>')),
                1 => matches!(operator, Some('+' | '-')),
                _ => matches!(operator, Some('*' | '/' | '%')),
            };
            let Some(operator) = operator.filter(|_| known) else { return Some(left) };
            self.rest = &self.rest[1..];
            if strength == 0 && !self.take(&operator.to_string()) {
                return None;
            }
            let right = self.sum(strength + 1)?;
            left = combined(operator, left, right)?;
        }
    }

    fn primary(&mut self) -> Option<Value> {
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = self.nested();
        self.depth -= 1;
        value
    }

    fn nested(&mut self) -> Option<Value> {
        let (first, rest) = self.rest.split_first()?;
        if first.kind == Kind::Literal {
            self.rest = rest;
            return integer(first.text).map(Value::Number).or_else(|| real(first.text).map(Value::Real));
        }
        if first.is("-") {
            self.rest = rest;
            return match self.primary()? {
                Value::Number(number) => number.checked_neg().map(Value::Number),
                Value::Real(real) => Some(Value::Real(-real)),
                Value::Dims(_) => None,
            };
        }
        if first.is("(") {
            let end = matching(self.rest, 0)?;
            let inside = &self.rest[1..end];
            self.rest = &self.rest[end + 1..];
            return match named(inside) {
                Some(ty) => self.primary()?.cast(ty),
                None => self.inner(inside),
            };
        }
        if first.is("sizeof") || first.is("dim3") {
            let end = matching(rest, 0)?;
            let (inside, size) = (&rest[1..end], first.is("sizeof"));
            self.rest = &rest[end + 1..];
            return if size { bytes(inside).map(Value::Number) } else { self.three(inside) };
        }
        (first.kind == Kind::Name).then_some(())?;
        self.rest = rest;
        if let Some(functions) =
            self.constants.functions.get(first.text).filter(|_| rest.first().is_some_and(|next| next.is("(")))
        {
            let end = matching(rest, 0)?;
            self.rest = &rest[end + 1..];
            return self.followed(&before(functions, first.start)?.expanded(&rest[1..end], first.start)?);
        }
        let value = self.followed(before(self.constants.known.get(first.text)?, first.start)?)?;
        if !self.take(".") {
            return Some(value);
        }
        let axis = ["x", "y", "z"].iter().position(|axis| self.take(axis))?;
        match value {
            Value::Dims(dims) => Some(Value::Number(dims[axis])),
            Value::Number(_) | Value::Real(_) => None,
        }
    }

    /// What a name stands for.
    fn followed(&self, piece: &[Token]) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(piece.len())?);
        self.inner(piece)
    }

    fn inner(&self, piece: &[Token]) -> Option<Value> {
        Reader { constants: self.constants, rest: piece, depth: self.depth, left: self.left }.whole()
    }

    fn three(&self, inside: &[Token]) -> Option<Value> {
        let mut dims = [1; 3];
        let pieces = split(inside);
        for (dim, piece) in dims.iter_mut().zip(&pieces) {
            *dim = self.inner(piece)?.number()?;
        }
        (pieces.len() <= 3).then_some(Value::Dims(dims))
    }
}

/// Two numbers by an operator; of one real both are.
fn combined(operator: char, left: Value, right: Value) -> Option<Value> {
    if let (Value::Number(before), Value::Number(right)) = (left, right) {
        return Some(Value::Number(match operator {
            '<' => before.checked_shl(u32::try_from(right).ok()?)?,
            '>' => before.checked_shr(u32::try_from(right).ok()?)?,
            '+' => before.checked_add(right)?,
            '-' => before.checked_sub(right)?,
            '*' => before.checked_mul(right)?,
            '/' => before.checked_div(right)?,
            _ => before.checked_rem(right)?,
        }));
    }
    let (left, right) = (left.real()?, right.real()?);
    Some(Value::Real(match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        _ => return None,
    }))
}

/// The scalar type, by its name in `//@` lines, that these words are.
fn named(words: &[Token]) -> Option<&'static str> {
    let names = words.iter().all(|token| token.kind == Kind::Name);
    let words: Vec<&str> = words.iter().map(|token| token.text).collect();
    element(&words.join(" ")).filter(|(_, each)| names && *each == 1).map(|(ty, _)| ty)
}

/// Bytes of a type by its words.
fn bytes(words: &[Token]) -> Option<i64> {
    let words: Vec<&str> = words.iter().map(|token| token.text).collect();
    if words.last() == Some(&"*") { Some(8) } else { width(&words.join(" ")).map(i64::from) }
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']).replace('\'', "");
    match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// A decimal real: `0.02f`, `1.`, `1e-3`.
fn real(text: &str) -> Option<f64> {
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

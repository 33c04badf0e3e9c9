//! What tokens of host code are worth: expressions of constants.

use super::super::lexer::{Kind, Token};
use super::constants::{AXES, Constants};
use super::value::{Value, bytes, combined, integer, matching, named, real, split};
use std::cell::Cell;

/// Deepest chain of names that is followed.
const DEEPEST: u32 = 12;
/// Most tokens that names stand for in one value.
const FOLLOWED: usize = 20_000;

/// What an expression is worth.
pub fn value(constants: &Constants, piece: &[Token]) -> Option<Value> {
    Reader { constants, rest: piece, depth: 0, left: &Cell::new(FOLLOWED) }.whole()
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
        if first.is("{") {
            let end = matching(self.rest, 0)?;
            let inside = &self.rest[1..end];
            self.rest = &self.rest[end + 1..];
            return self.three(inside);
        }
        if first.is("sizeof") || first.is("dim3") {
            let end = matching(rest, 0)?;
            let (inside, size) = (&rest[1..end], first.is("sizeof"));
            self.rest = &rest[end + 1..];
            return if size { bytes(inside).map(Value::Number) } else { self.three(inside) };
        }
        (first.kind == Kind::Name).then_some(())?;
        self.rest = rest;
        if rest.first().is_some_and(|next| next.is("("))
            && let Some(function) = self.constants.function(first.text, first.start)
        {
            let end = matching(rest, 0)?;
            self.rest = &rest[end + 1..];
            return self.followed(&function.expanded(&rest[1..end], first.start)?);
        }
        self.variable(first)
    }

    /// What a name stands for, or its `.x`.
    fn variable(&mut self, name: &Token) -> Option<Value> {
        let (from, piece) = self.constants.known(name.text, name.start)?;
        let assigned = |axis: &str| self.constants.axis(name.text, axis, from, name.start);
        let bare = matches!(piece, [only] if only.is("dim3"));
        // Somebody else may have been given it to fill.
        if bare && !AXES.iter().any(|axis| assigned(axis).is_some()) {
            return None;
        }
        let value = |reader: &Self| if bare { Some(Value::Dims([1; 3])) } else { reader.followed(piece) };
        if self.rest.first().is_some_and(|token| token.is(".")) {
            let axis = AXES.iter().position(|axis| self.rest.get(1).is_some_and(|token| token.is(axis)))?;
            self.rest = &self.rest[2..];
            return match assigned(AXES[axis]) {
                Some(piece) => self.followed(piece),
                None => match value(self)? {
                    Value::Dims(dims) => Some(Value::Number(dims[axis])),
                    Value::Number(_) | Value::Real(_) => None,
                },
            };
        }
        let mut dims = match value(self)? {
            Value::Dims(dims) => dims,
            other => return Some(other),
        };
        for (dim, axis) in dims.iter_mut().zip(AXES) {
            if let Some(piece) = assigned(axis) {
                *dim = self.followed(piece)?.number()?;
            }
        }
        Some(Value::Dims(dims))
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

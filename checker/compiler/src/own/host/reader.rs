//! What tokens of host code are worth: expressions of constants.

use super::super::lexer::{Kind, Token};
use super::constants::{AXES, Constants};
use super::value::{Value, bytes, called, combined, integer, matching, named, real, split};
use std::cell::Cell;

/// Deepest chain of names that is followed.
const DEEPEST: u32 = 12;
/// Most tokens that names stand for in one value.
const FOLLOWED: usize = 20_000;

/// Operators of two numbers, weakest first.
const OPERATORS: [&[&str]; 7] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

/// Functions that are known by their names.
const FUNCTIONS: [&str; 6] = ["min", "max", "ceil", "ceilf", "floor", "floorf"];

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

impl<'t> Reader<'_, '_, 't> {
    fn whole(mut self) -> Option<Value> {
        let value = self.all()?;
        self.rest.is_empty().then_some(value)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest.first().is_some_and(|token| token.is(text));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// Takes an operator, which is one or two tokens.
    fn takes(&mut self, operator: &str) -> bool {
        let fits = operator.char_indices().all(|(at, c)| {
            let token = self.rest.get(at);
            token.is_some_and(|token| token.kind == Kind::Punct && token.text.starts_with(c))
        });
        if fits {
            self.rest = &self.rest[operator.len()..];
        }
        fits
    }

    /// An expression with everything behind it: one of two, or as operators have it.
    fn all(&mut self) -> Option<Value> {
        let condition = self.operators(0)?;
        if !self.take("?") {
            return Some(condition);
        }
        // Only what is chosen has to be known.
        let mut depth = 0_i32;
        let colon = self.rest.iter().position(|token| {
            depth += i32::from(token.is("?") || token.is("(")) - i32::from(token.is(")"));
            let ends = token.is(":") && depth == 0;
            depth -= i32::from(token.is(":"));
            ends
        })?;
        let (yes, no) = (&self.rest[..colon], &self.rest[colon + 1..]);
        self.rest = &[];
        self.depth += 1;
        let chosen = if condition.real()? != 0.0 { yes } else { no };
        if self.depth > DEEPEST { None } else { self.inner(chosen) }
    }

    /// Operators of a strength and of all greater ones.
    fn operators(&mut self, strength: usize) -> Option<Value> {
        let Some(operators) = OPERATORS.get(strength) else { return self.primary() };
        let mut left = self.operators(strength + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let right = self.operators(strength + 1)?;
            left = combined(operator, left, right)?;
        }
        Some(left)
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
        if first.is("!") {
            self.rest = rest;
            return self.primary()?.real().map(|real| Value::Number(i64::from(real == 0.0)));
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
            return match size {
                true if let [name] = inside
                    && let Some(ty) = self.constants.bound(name.text, name.start) =>
                {
                    let ty = self.constants.through(ty);
                    bytes(ty).or_else(|| self.constants.size(ty)).map(Value::Number)
                }
                true => bytes(inside).or_else(|| self.constants.size(inside)).map(Value::Number),
                false => self.three(inside),
            };
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
        if let Some((function, inside)) = self.call(first) {
            let values: Vec<Value> = split(inside).into_iter().map(|piece| self.inner(piece)).collect::<Option<_>>()?;
            return called(function, &values);
        }
        self.enumerator(first).or_else(|| self.variable(first))
    }

    /// `Color::RED`, whatever stands before it.
    fn enumerator(&mut self, first: &Token) -> Option<Value> {
        let (mut before, mut rest) = (*first, self.rest);
        loop {
            let [colons, name, behind @ ..] = rest else { return None };
            if !colons.is("::") || name.kind != Kind::Name {
                return None;
            }
            if !behind.first().is_some_and(|next| next.is("::")) {
                let (_, piece) = self.constants.known(&format!("{}::{}", before.text, name.text), first.start)?;
                self.rest = behind;
                return self.followed(piece);
            }
            (before, rest) = (*name, behind);
        }
    }

    /// One of C++'s own functions, or a type, with what stands in its parentheses, both taken: `std::min<int>(..)`, `float(..)`.
    fn call(&mut self, name: &Token<'t>) -> Option<(&'static str, &'t [Token<'t>])> {
        let (mut name, mut rest) = (*name, self.rest);
        if let [colons, next, behind @ ..] = rest
            && name.is("std")
            && colons.is("::")
        {
            (name, rest) = (*next, behind);
        }
        let mut function = FUNCTIONS.iter().find(|function| name.is(function)).copied().or_else(|| named(&[name]));
        if rest.first().is_some_and(|token| token.is("<")) {
            let end = rest.iter().position(|token| token.is(">"))?;
            if name.is("static_cast") {
                function = named(&rest[1..end]);
            }
            rest = &rest[end + 1..];
        }
        let end = matching(rest, 0)?;
        let function = function?;
        self.rest = &rest[end + 1..];
        Some((function, &rest[1..end]))
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
                *dim = self.followed(piece)?.integer()?;
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
            *dim = self.inner(piece)?.integer()?;
        }
        (pieces.len() <= 3).then_some(Value::Dims(dims))
    }
}

//! Locals that are declared without a value.

use super::text::{Text, vector};
use std::ops::Range;

/// A local variable without a value.
pub struct Local<'a> {
    pub name: &'a str,
    /// Its name's token.
    pub at: usize,
    /// Tokens behind its declarator in which it is known.
    pub scope: Range<usize>,
    pub shape: Shape<'a>,
    /// The token behind which its declaration is over, and what assembly calls a register for it; nothing if none holds it, or if
    /// something else is done with it in its declaration.
    pub register: Option<(usize, char)>,
}

/// What a variable is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape<'a> {
    Scalar,
    /// So many elements, where numbers say so.
    Array(Option<u64>),
    Members(Vec<&'a str>),
}

/// All of a body, in order.
pub fn locals<'a>(text: &Text<'a>, body: Range<usize>) -> Vec<Local<'a>> {
    let mut found = Vec::new();
    let mut scopes = vec![body.end];
    for at in body.clone() {
        if text.is(at, "{") {
            scopes.push(text.partner(at).min(body.end));
        } else if text.is(at, "}") && scopes.len() > 1 {
            scopes.pop();
        }
        let starts = at == body.start || ["{", "}", ";"].iter().any(|end| text.is(at - 1, end));
        if starts {
            let end = *scopes.last().unwrap_or(&body.end);
            found.extend(declaration(text, at, end).unwrap_or_default());
        }
    }
    found
}

/// The variables of a statement that get no value in it; `None` if it declares none.
fn declaration<'a>(text: &Text<'a>, from: usize, scope: usize) -> Option<Vec<Local<'a>>> {
    let mut at = from;
    loop {
        if ["const", "volatile", "register"].iter().any(|word| text.is(at, word)) {
            at += 1;
        } else if text.is(at, "alignas") || text.is(at, "__align__") {
            at = text.behind(at + 1);
        } else {
            break;
        }
    }
    let (after, ty) = text.plain_type(at)?;
    let end = text.find(after, scope, ";");
    let mut found = Vec::new();
    for piece in text.split(after..end, ",") {
        let mut at = piece.start;
        while ["*", "const", "__restrict__", "volatile"].iter().any(|word| text.is(at, word)) {
            at += 1;
        }
        let pointer = at > piece.start;
        let name = text.name(at)?;
        let mut behind = at + 1;
        let mut many = Some(1_u64);
        while text.is(behind, "[") {
            let extent = (text.partner(behind) == behind + 2).then(|| text.tokens[behind + 1].text.parse::<u64>().ok());
            many = many.zip(extent.flatten()).and_then(|(all, extent)| all.checked_mul(extent));
            behind = text.behind(behind);
        }
        if behind < piece.end {
            // It has a value, or this is no declaration.
            if ["=", "{", "("].iter().any(|start| text.is(behind, start)) {
                continue;
            }
            return None;
        }
        let shape = match () {
            () if behind > at + 1 => Shape::Array(many),
            () if pointer => Shape::Scalar,
            () => members(text, ty).map_or(Shape::Scalar, Shape::Members),
        };
        let class = if pointer { Some('l') } else { class(text, from..after, ty) };
        let once = (from..end).filter(|at| text.names(*at, name)).count() == 1;
        let register = class.filter(|_| once && shape == Shape::Scalar && text.is(end, ";")).map(|class| (end, class));
        found.push(Local { name, at, scope: behind..scope, shape, register });
    }
    Some(found)
}

fn members<'a>(text: &Text<'a>, ty: &str) -> Option<Vec<&'a str>> {
    let of_vector = || Some(["x", "y", "z", "w"][..vector(ty)?].to_vec());
    text.classes.get(ty).cloned().or_else(of_vector)
}

/// What assembly calls a register for a value of a type that stands there.
fn class(text: &Text<'_>, tokens: Range<usize>, ty: &str) -> Option<char> {
    let count = |word: &str| tokens.clone().filter(|at| text.is(*at, word)).count();
    match ty {
        "float" => Some('f'),
        // `long double`, and a `long` of 32 bits on some systems.
        "double" => (count("long") == 0).then_some('d'),
        "size_t" | "int64_t" | "uint64_t" => Some('l'),
        "int32_t" | "uint32_t" | "uint" => Some('r'),
        "int16_t" | "uint16_t" | "ushort" => Some('h'),
        "int" | "unsigned" | "signed" | "long" | "short" => match (count("long"), count("short"), count("char")) {
            (0, 0, 0) => Some('r'),
            (2, 0, 0) => Some('l'),
            (0, 1, 0) => Some('h'),
            _ => None,
        },
        _ => None,
    }
}

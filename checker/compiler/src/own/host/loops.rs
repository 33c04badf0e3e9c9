//! The host's `for` loops around its launches: what counts in them is the size of nothing.

use super::super::lexer::{Kind, Token};
use super::value::{matching, split};
use std::ops::Range;

/// A loop that counts.
pub struct Loop<'a> {
    /// The bytes of its body.
    pub body: Range<usize>,
    /// What counts.
    pub counter: &'a str,
}

/// Those of a text.
pub fn loops<'a>(tokens: &[Token<'a>]) -> Vec<Loop<'a>> {
    (0..tokens.len()).filter(|at| tokens[*at].is("for")).filter_map(|at| one(tokens, at)).collect()
}

fn one<'a>(tokens: &[Token<'a>], at: usize) -> Option<Loop<'a>> {
    let close = matching(tokens, at + 1)?;
    let head = &tokens[at + 2..close];
    let first = head.iter().position(|token| token.is(";"))?;
    // Of `for (int i = 0, j = 1; ...)` the first.
    let assigned = split(&head[..first]).first()?.iter().position(|token| token.is("="))?;
    let counter = head[..assigned].last().filter(|token| token.kind == Kind::Name)?.text;
    let end = match matching(tokens, close + 1) {
        Some(end) if tokens[close + 1].is("{") => end,
        _ => close + tokens[close..].iter().position(|token| token.is(";"))?,
    };
    Some(Loop { body: tokens[close].start..tokens[end].start, counter })
}

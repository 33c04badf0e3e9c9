//! What one occurrence of a variable does.

use super::text::Text;
use crate::own::lexer::Kind;
use std::ops::Range;

/// An occurrence of a name: `v`, `v[1][i]`, `v.x`.
pub struct Use {
    /// Its part: `[1][2]`, `.x`; empty for the whole, `None` for an element that no number names.
    pub part: Option<String>,
    /// Behind it.
    pub end: usize,
    pub does: Does,
}

/// What is done there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Does {
    Read,
    /// It gets the value of these tokens.
    Write(Range<usize>),
    /// Its address is taken.
    Address,
    /// One of its functions is called.
    Call,
    Nothing,
}

/// The occurrence there. `elements`: it is followed by indices; `pointer`: `*p` and `p->m` are parts of it as well.
pub fn at(text: &Text<'_>, at: usize, until: usize, elements: bool, pointer: bool) -> Use {
    let mut end = at + 1;
    let mut part = Some(String::new());
    let mut called = false;
    loop {
        if text.is(end, "[") && elements {
            let index = end + 1..text.partner(end);
            let number = index.len() == 1 && text.tokens[index.start].kind == Kind::Literal;
            part = part.filter(|_| number).map(|part| format!("{part}[{}]", text.tokens[index.start].text));
            end = text.behind(end);
        } else if text.is(end, ".") || pointer && text.is(end, "-") && text.is(end + 1, ">") {
            let name = if text.is(end, ".") { end + 1 } else { end + 2 };
            let Some(member) = text.name(name) else { break };
            if text.is(name + 1, "(") {
                called = true;
                break;
            }
            // Of an array's structures an element is a whole.
            if !elements || pointer {
                part = part.map(|part| format!("{part}.{member}"));
            }
            end = name + 1;
        } else {
            break;
        }
    }
    let start = at.checked_sub(1).filter(|before| pointer && text.is(*before, "*")).unwrap_or(at);
    let before = |back: usize, word: &str| start.checked_sub(back).is_some_and(|at| text.is(at, word));
    let assigned = text.is(end, "=") && !text.is(end + 1, "=");
    let does = match () {
        () if before(1, "(") && ["sizeof", "decltype", "alignof"].iter().any(|word| before(2, word)) => Does::Nothing,
        () if called => Does::Call,
        () if assigned => {
            let comma = text.find(end + 1, until, ",");
            Does::Write(end + 1..text.find(end + 1, comma, ";"))
        }
        () if before(1, "&") && !before(2, "&") && is_unary(text, start - 1) => Does::Address,
        () => Does::Read,
    };
    Use { part, end, does }
}

/// Is it an operator of one operand?
fn is_unary(text: &Text<'_>, at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| text.tokens[before]) else { return true };
    let operand = match before.kind {
        Kind::Name => before.text != "return",
        Kind::Literal => true,
        // Behind `)` may stand a cast.
        _ => before.is("]"),
    };
    !operand
}

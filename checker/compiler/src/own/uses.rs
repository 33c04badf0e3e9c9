//! What a kernel's body does with its buffers: which it reads first, and which it writes.

use super::lexer::{Kind, Token};

/// What one place of a body does with a buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both, or not known: an address that is passed on.
    Either,
}

/// What a body does with the elements of `name`, in order; of an assignment its right side comes first.
pub fn uses(body: &[Token], name: &str) -> Vec<Access> {
    let mut all = Vec::new();
    for at in (0..body.len()).filter(|at| body[*at].is(name)) {
        let before = at.checked_sub(1).and_then(|before| body.get(before));
        if before.is_some_and(|before| before.is(".") || before.is("::")) {
            continue;
        }
        let pointed = before.is_some_and(|before| before.is("*"));
        let start = at - usize::from(pointed);
        let is = |at: usize, text: &str| body.get(at).is_some_and(|token| token.is(text));
        let element = is(at + 1, "[") || pointed;
        // `(*x).a` is written like `x[0].a`.
        let bracketed = pointed && start.checked_sub(1).is_some_and(|before| is(before, "(")) && is(at + 1, ")");
        let after = if element { behind(body, at + 1 + usize::from(bracketed)) } else { at + 1 };
        let two = |first: &str, second: &str| {
            body.get(after).is_some_and(|t| t.is(first)) && body.get(after + 1).is_some_and(|t| t.is(second))
        };
        let assigned = body.get(after).is_some_and(|token| token.is("=")) && !two("=", "=");
        let changed = ["+", "-", "*", "/", "%", "&", "|", "^"].iter().any(|op| two(op, "="))
            || two("+", "+")
            || two("-", "-")
            || two("<", "<") && body.get(after + 2).is_some_and(|t| t.is("="))
            || two(">", ">") && body.get(after + 2).is_some_and(|t| t.is("="));
        // What a function of its own does with it is not known.
        let calls = is(after, "(") && (bracketed || !pointed);
        // `&(x[i])` is the address of an element as `&x[i]` is.
        let outside = body[..start].iter().rposition(|token| !token.is("("));
        let statement = body.get(after..).unwrap_or_default();
        let end = statement.iter().position(|token| token.is(";")).unwrap_or(statement.len());
        all.push(match (element, assigned) {
            (true, true) if statement[..end].iter().any(|token| token.is(name)) => Access::Either,
            (true, true) => Access::Write,
            (true, false) if changed || calls || outside.is_some_and(|at| is_address(body, at)) => Access::Either,
            (true, false) => Access::Read,
            (false, _) => Access::Either,
        });
    }
    all
}

/// Behind the subscripts and members that follow: these are written like the element that they are of.
fn behind(body: &[Token], mut at: usize) -> usize {
    let mut depth = 0_i32;
    while let Some(token) = body.get(at) {
        depth += i32::from(token.is("[")) - i32::from(token.is("]"));
        if depth == 0 && token.is(".") {
            at += 1;
        } else if depth < 0 || depth == 0 && !token.is("]") {
            break;
        }
        at += 1;
    }
    at
}

/// Is it the `&` of an address, and no operator of two? Behind `)` it may be either: an address that a cast is for.
fn is_address(body: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| &body[before]).filter(|_| body[at].is("&")) else {
        return body[at].is("&");
    };
    let operand = before.kind == Kind::Literal || before.kind == Kind::Name && !before.is("return") || before.is("]");
    !operand && !before.is("&")
}

//! What a kernel's body does with its buffers: which it reads first, and which it writes.

use super::lexer::Token;

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
        let mut after = at + 1;
        let element = body.get(after).is_some_and(|token| token.is("["));
        let mut depth = 0_i32;
        while element && let Some(token) = body.get(after) {
            depth += i32::from(token.is("[")) - i32::from(token.is("]"));
            after += 1;
            // Members of an element are written like the element; so are rows of rows.
            if depth == 0 && !body.get(after).is_some_and(|next| next.is("[")) {
                break;
            }
        }
        while element && body.get(after).is_some_and(|token| token.is(".")) {
            after += 2;
        }
        let two = |first: &str, second: &str| {
            body.get(after).is_some_and(|t| t.is(first)) && body.get(after + 1).is_some_and(|t| t.is(second))
        };
        let assigned = body.get(after).is_some_and(|token| token.is("=")) && !two("=", "=");
        let changed = ["+", "-", "*", "/", "%", "&", "|", "^"].iter().any(|op| two(op, "="))
            || two("+", "+")
            || two("-", "-")
            || two("<", "<") && body.get(after + 2).is_some_and(|t| t.is("="))
            || two(">", ">") && body.get(after + 2).is_some_and(|t| t.is("="));
        let pointed = before.is_some_and(|before| before.is("*"));
        // `&(x[i])` is the address of an element as `&x[i]` is.
        let outside = body[..at].iter().rev().find(|token| !token.is("("));
        let statement = body.get(after..).unwrap_or_default();
        let end = statement.iter().position(|token| token.is(";")).unwrap_or(statement.len());
        all.push(match (element || pointed, assigned) {
            (true, true) if statement[..end].iter().any(|token| token.is(name)) => Access::Either,
            (true, true) => Access::Write,
            (true, false) if changed || outside.is_some_and(|token| token.is("&")) => Access::Either,
            (true, false) => Access::Read,
            (false, _) => Access::Either,
        });
    }
    all
}

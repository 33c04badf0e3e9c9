//! Over brackets, and over the branches of `#if` that do not count.

use super::{Kind, Parser, Token, directive};
use std::ops::Range;

impl<'a> Parser<'a> {
    /// After the bracket at `at`, its partner; branches that do not count are stepped over.
    pub(super) fn after_bracket(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = at;
        while let Some(token) = self.token(at) {
            if token.kind == Kind::Directive {
                at = self.after_directive(at);
                continue;
            }
            match token.text {
                "(" | "[" | "{" if token.kind == Kind::Punct => depth += 1,
                ")" | "]" | "}" if token.kind == Kind::Punct => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return at;
            }
        }
        at
    }

    /// Is it `#if 0`?
    pub(super) fn hides(&self, token: Token<'a>) -> bool {
        let (word, rest) = directive(token.text);
        word == "if" && rest.trim() == "0"
    }

    /// After a directive inside a declaration; from `#else` on to its `#endif`.
    pub(super) fn after_directive(&self, at: usize) -> usize {
        let word = |token: Token<'a>| directive(token.text).0;
        let Some(token) = self.token(at) else { return at };
        let zero = self.hides(token);
        if !zero && !matches!(word(token), "else" | "elif") {
            return at + 1;
        }
        let mut depth = 0_usize;
        for next in at + 1..self.tokens.len() {
            let Some(token) = self.token(next).filter(|token| token.kind == Kind::Directive) else { continue };
            match word(token) {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth == 0 => return next + 1,
                "endif" => depth -= 1,
                "else" if zero && depth == 0 => return next + 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// After `<...>`, with what stands between.
    pub(super) fn after_angles(&self, at: usize) -> (usize, Range<usize>) {
        let mut depth = 0_usize;
        let from = self.token(at).map_or(self.text.len(), |token| token.end());
        let mut at = at;
        while let Some(token) = self.token(at) {
            match token.text {
                "<" if token.kind == Kind::Punct => depth += 1,
                ">" if token.kind == Kind::Punct => depth = depth.saturating_sub(1),
                "(" | "[" | "{" if token.kind == Kind::Punct => {
                    at = self.after_bracket(at);
                    continue;
                }
                ";" => return (at, from..token.start),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return (at, from..token.start);
            }
        }
        (at, from..self.text.len())
    }

    /// Is the token the first of its line?
    pub(super) fn line_begins(&self, at: usize) -> bool {
        let (Some(token), Some(before)) = (self.token(at), at.checked_sub(1).and_then(|b| self.token(b))) else {
            return true;
        };
        self.text[before.end()..token.start].contains('\n')
    }
}

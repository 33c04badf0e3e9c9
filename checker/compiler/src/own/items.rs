//! The declarations of a text, found without knowing what its names mean. Namespaces, `extern "C" { }` and classes are
//! entered. Of `#if ... #else ...` inside a declaration the first branch counts; between declarations all do.

mod brackets;
mod declaration;

use super::lexer::{Kind, Token};
use super::macros::{Macros, Space, directive};
use std::ops::Range;

/// What a declaration declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A function, defined or not; the bytes between its parentheses.
    Function { parameters: Range<usize>, kept_by_class: bool },
    /// A variable, or the members of a class; `constant` as C++ has it.
    Variable { constant: bool },
    /// A class, structure or union; or an enumeration.
    Type,
    /// `NAME(...)`, as macros are used.
    Macro,
    /// `using`, `typedef`, `static_assert`, an explicit instantiation of a class and the like.
    Other,
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its bytes, from its first word to the `;` or `}` at its end.
    pub span: Range<usize>,
    /// Its name, with the namespaces around it; empty where it has none.
    pub name: String,
    /// What it is.
    pub what: What,
    /// What CUDA's words before it say.
    pub space: Space,
    /// The bytes between `template <` and `>`.
    pub template: Option<Range<usize>>,
    /// Members of a class.
    pub inner: Vec<Item>,
}

/// Deepest nesting of namespaces and classes that is entered.
const DEEPEST: usize = 64;

/// The declarations of a text, those of namespaces in their place.
pub fn items(text: &str, tokens: &[Token], macros: &Macros) -> Vec<Item> {
    let mut parser = Parser { text, tokens, macros, at: 0 };
    let mut all = Vec::new();
    while parser.at < tokens.len() {
        parser.list(&Within::default(), &mut all);
        // A `}` too many: go on behind it.
        parser.at += 1;
    }
    all
}

#[derive(Clone, Default)]
struct Within {
    prefix: String,
    class: bool,
    depth: usize,
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    macros: &'a Macros,
    at: usize,
}

impl<'a> Parser<'a> {
    fn token(&self, at: usize) -> Option<Token<'a>> {
        self.tokens.get(at).copied()
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.token(at).is_some_and(|token| token.is(text))
    }

    /// Declarations up to the `}` that closes the container, which is left.
    fn list(&mut self, within: &Within, all: &mut Vec<Item>) {
        while let Some(token) = self.token(self.at) {
            if token.is("}") {
                return;
            }
            if token.kind == Kind::Directive {
                // Both sides of a condition may declare something; what `#if 0` hides does not.
                self.at = if self.hides(token) { self.after_directive(self.at) } else { self.at + 1 };
            } else if token.is(";") {
                self.at += 1;
            } else if self.access(within) {
                self.at += 2;
            } else if let Some((open, prefix)) = self.container(within) {
                self.at = open + 1;
                let inner = Within { prefix, class: false, depth: within.depth + 1 };
                self.list(&inner, all);
                self.at += 1;
            } else {
                let from = self.at;
                self.declaration(within, all);
                // Whatever it was, go on.
                self.at = self.at.max(from + 1);
            }
        }
    }

    /// `public:` and its like.
    fn access(&self, within: &Within) -> bool {
        within.class
            && self.is(self.at + 1, ":")
            && self.token(self.at).is_some_and(|token| matches!(token.text, "public" | "private" | "protected"))
    }

    /// The `{` of a namespace or of `extern "C"`, and the prefix of names inside.
    fn container(&self, within: &Within) -> Option<(usize, String)> {
        if within.class || within.depth >= DEEPEST {
            return None;
        }
        if self.is(self.at, "extern") && self.token(self.at + 1)?.kind == Kind::Literal {
            return self.is(self.at + 2, "{").then(|| (self.at + 2, within.prefix.clone()));
        }
        let mut at = self.at + usize::from(self.is(self.at, "inline"));
        if !self.is(at, "namespace") {
            return None;
        }
        let mut prefix = within.prefix.clone();
        loop {
            at += 1;
            let token = self.token(at)?;
            match token.kind {
                Kind::Name => {
                    prefix.push_str(token.text);
                    prefix.push_str("::");
                }
                Kind::Punct if token.text == "::" => {}
                Kind::Punct if token.text == "{" => return Some((at, prefix)),
                _ => return None,
            }
        }
    }
}

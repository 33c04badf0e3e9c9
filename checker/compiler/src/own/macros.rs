//! What a file's macros bring with them: `#define HD __host__ __device__` makes `HD` an annotation.

use super::guess::element;
use super::lexer::{Kind, Token, tokens};
use std::collections::HashMap;

/// Where a declaration lives, as CUDA's words before it say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Space {
    /// `__global__`
    pub global: bool,
    /// `__device__`
    pub device: bool,
    /// `__constant__`, `__shared__` or `__managed__`
    pub variable: bool,
    /// `constexpr` or `consteval`
    pub constexpr: bool,
}

impl Space {
    /// What one word says.
    pub fn of(word: &str) -> Space {
        match word {
            "__global__" => Space { global: true, ..Space::default() },
            "__device__" => Space { device: true, ..Space::default() },
            "__constant__" | "__shared__" | "__managed__" | "__grid_constant__" => {
                Space { variable: true, ..Space::default() }
            }
            "constexpr" | "consteval" => Space { constexpr: true, ..Space::default() },
            _ => Space::default(),
        }
    }

    /// Both together.
    pub fn and(self, other: Space) -> Space {
        Space {
            global: self.global || other.global,
            device: self.device || other.device,
            variable: self.variable || other.variable,
            constexpr: self.constexpr || other.constexpr,
        }
    }

    /// Does it run, or lie, on the device?
    pub fn on_device(self) -> bool {
        self.global || self.device || self.variable
    }
}

/// Macros of a file and of the headers beside it. Of several definitions of a name (`#ifdef __CUDACC__ ... #else ...`) any
/// may hold.
#[derive(Debug, Clone, Default)]
pub struct Macros {
    bodies: HashMap<String, Vec<String>>,
}

/// Deepest nesting of macros that is followed.
const DEEPEST: u32 = 8;

impl Macros {
    /// Adds the definitions of a text.
    pub fn add(&mut self, tokens: &[Token]) {
        for token in tokens.iter().filter(|token| token.kind == Kind::Directive) {
            let Some((name, body)) = definition(token.text) else { continue };
            self.bodies.entry(name.to_owned()).or_default().push(body.replace("\\\n", " "));
        }
    }

    /// Is the name a macro?
    pub fn is_macro(&self, name: &str) -> bool {
        self.bodies.contains_key(name)
    }

    /// Is the name a macro for an annotation or an attribute, such as `__launch_bounds__(N)`?
    pub fn is_annotation(&self, name: &str) -> bool {
        let attribute =
            |word: &Token| word.text.starts_with("__") && word.text.ends_with("__") && word.kind == Kind::Name;
        self.bodies.get(name).is_some_and(|bodies| bodies.iter().any(|body| tokens(body).iter().any(attribute)))
    }

    /// What a word says of a declaration, through macros too.
    pub fn space(&self, word: &str) -> Space {
        self.space_within(word, 0)
    }

    fn space_within(&self, word: &str, depth: u32) -> Space {
        let own = Space::of(word);
        let Some(bodies) = self.bodies.get(word).filter(|_| depth < DEEPEST) else { return own };
        let words = bodies.iter().flat_map(|body| tokens(body)).filter(|token| token.kind == Kind::Name);
        words
            .filter(|inner| inner.text != word)
            .fold(own, |all, inner| all.and(self.space_within(inner.text, depth + 1)))
    }
}

/// The word after `#`, and the rest.
pub fn directive(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches('#').trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    (&rest[..end], &rest[end..])
}

/// Name and body of `#define NAME[(...)] BODY`.
pub fn definition(text: &str) -> Option<(&str, &str)> {
    let (word, rest) = directive(text);
    let rest = (word == "define").then_some(rest)?.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, body) = rest.split_at(end);
    (!name.is_empty()).then_some((name, body))
}

/// Macros without parameters, each with its body.
pub fn objects(all: &[Token]) -> impl Iterator<Item = (String, String)> {
    let found = all.iter().filter(|token| token.kind == Kind::Directive).filter_map(|token| definition(token.text));
    let plain = found.filter(|(_, body)| body.starts_with([' ', '\t']));
    plain.map(|(name, body)| (name.to_owned(), body.replace("\\\n", " ").trim().to_owned()))
}

/// Macros that stand for a type: `#define real float`.
pub fn types(all: &[Token]) -> impl Iterator<Item = (String, String)> {
    let directives = all.iter().filter(|token| token.kind == Kind::Directive);
    let plain =
        directives.filter_map(|token| definition(token.text)).filter(|(_, body)| element(body.trim()).is_some());
    plain.map(|(name, body)| (name.to_owned(), body.trim().to_owned()))
}

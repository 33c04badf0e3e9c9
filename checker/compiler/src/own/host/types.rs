//! Types of the file's own in host code: as template arguments, and as what an argument is.

use super::super::guess::element;
use super::super::heads;
use super::super::items::{Item, What};
use super::super::lexer::{Kind, Token};
use super::constants::Constants;
use super::value::{Value, matching, split};
use std::collections::HashMap;

/// The file's own types and other names for types, each with its namespaces, by their last name.
#[derive(Default)]
pub struct Types(HashMap<String, String>);

impl Types {
    /// Adds those of a text.
    pub fn add<'t>(&mut self, items: impl Iterator<Item = &'t Item>, text: &str) {
        let names = |item: &&Item| {
            let words = || text.get(item.span.clone()).unwrap_or_default();
            let other = item.what == What::Other && ["typedef", "using"].iter().any(|word| words().starts_with(word));
            !item.name.is_empty() && (item.what == What::Type || other)
        };
        for item in items.filter(names) {
            self.0.entry(super::last(&item.name).to_owned()).or_insert_with(|| item.name.clone());
        }
    }

    /// The type that these tokens name, `ns::Op` or `Pair<Op, 4>`, with one of the file's own in it.
    fn own(&self, constants: &Constants, piece: &[Token]) -> Option<String> {
        let own = piece.iter().any(|token| token.kind == Kind::Name && self.0.contains_key(token.text));
        own.then(|| self.spelled(constants, piece)).flatten()
    }

    /// Tokens as they can be pasted elsewhere: constants by their values, the file's own names with their namespaces.
    pub fn spelled(&self, constants: &Constants, piece: &[Token]) -> Option<String> {
        self.spelled_within(constants, piece, 0)
    }

    /// So deep inside of what templates' parameters stand for.
    fn spelled_within(&self, constants: &Constants, piece: &[Token], depth: usize) -> Option<String> {
        let mut text = String::new();
        let mut at = 0;
        while let Some(token) = piece.get(at) {
            let (word, next) = match token.kind {
                Kind::Name => self.name(constants, piece, at, depth)?,
                Kind::Literal => (constants.value(&piece[at..=at])?.number()?.to_string(), at + 1),
                Kind::Punct if ["<", ">", ",", "*", "&"].contains(&token.text) => (token.text.to_owned(), at + 1),
                Kind::Punct if token.is("::") && at == 0 => (String::new(), at + 1),
                Kind::Punct | Kind::Directive => return None,
            };
            let apart = text.ends_with(',') || token.kind == Kind::Name && text.ends_with(char::is_alphanumeric);
            text.push_str(if apart { " " } else { "" });
            text.push_str(&word);
            at = next;
        }
        Some(text)
    }

    /// The names from `at` on that `::` holds together, and what follows them.
    fn name(&self, constants: &Constants, piece: &[Token], at: usize, depth: usize) -> Option<(String, usize)> {
        let mut end = at + 1;
        while piece.get(end).is_some_and(|token| token.is("::")) && piece.get(end + 1)?.kind == Kind::Name {
            end += 2;
        }
        let chain = &piece[at..end];
        if let Some(own) = chain.iter().position(|token| self.0.contains_key(token.text)) {
            // What is inside a type follows its full name.
            let rest: String = chain[own + 1..].iter().map(|token| token.text).collect();
            return Some((format!("{}{rest}", self.0[chain[own].text]), end));
        }
        if let [std, _, name] = chain
            && std.is("std")
        {
            // The compiler knows these without it.
            return element(name.text).is_some().then(|| (name.text.to_owned(), end));
        }
        // What nothing of the text says is a header's, and the compiler's to find; in a template it may be a parameter.
        let foreign = |first: &Token| {
            let known = constants.known(first.text, first.start).is_some() || constants.in_template(first.start);
            !known && !first.is("this")
        };
        let [name] = chain else {
            let words = || chain.iter().map(|token| token.text).collect();
            return chain.first().filter(|first| foreign(first)).map(|_| (words(), end));
        };
        if let Some(bound) = constants.bound(name.text, name.start).filter(|_| depth < DEEPEST) {
            return Some((self.spelled_within(constants, bound, depth + 1)?, end));
        }
        let plain = matches!(name.text, "true" | "false" | "const" | "signed") || element(name.text).is_some();
        let number = || constants.value(chain).and_then(Value::number);
        let text = match plain.then(|| name.text.to_owned()).or_else(|| number().map(|number| number.to_string())) {
            Some(text) => text,
            None => Some(name.text.to_owned()).filter(|_| foreign(name) && self.is_foreign(name.text))?,
        };
        Some((text, end))
    }

    /// Does it look like a constant of some header, and no variable or type that a function has for itself?
    fn is_foreign(&self, name: &str) -> bool {
        name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') && name.len() > 1
    }

    /// A template argument that can be pasted: a number, `true`, or a type that the file knows.
    pub fn template_argument(&self, constants: &Constants, piece: &[Token]) -> Option<String> {
        if let [name] = piece
            && constants.is_enumerator(name.text)
        {
            return Some(name.text.to_owned());
        }
        let own = self.own(constants, piece).filter(|own| own.contains("::"));
        let number = constants.value(piece).and_then(Value::number);
        own.or_else(|| number.map(|number| number.to_string())).or_else(|| self.spelled(constants, piece))
    }

    /// What an argument is, if it is one of the file's own types: `Op{2}`, `Op(2)`, or a variable that is declared before.
    pub fn made(&self, constants: &Constants, tokens: &[Token], piece: &[Token]) -> Option<Made> {
        if let [name] = piece {
            let here = tokens.iter().rposition(|token| token.start < name.start)?;
            return self.declared(constants, tokens.get(..here)?, name.text);
        }
        let open = piece.iter().position(|token| token.is("{") || token.is("("))?;
        let end = matching(piece, open).filter(|end| end + 1 == piece.len() && open > 0)?;
        let ty = self.own(constants, &piece[..open])?;
        Some(Made { ty, values: values(constants, &piece[open + 1..end]) })
    }

    /// What a variable is by its last declaration: `Op op;`, `Op op{2};` or `Op op = {2};`, behind other variables perhaps.
    fn declared(&self, constants: &Constants, tokens: &[Token], name: &str) -> Option<Made> {
        let declares = |at: &usize| {
            let ends = tokens.get(at + 1).is_some_and(|next| ["{", "=", ";", "(", ","].iter().any(|end| next.is(end)));
            tokens[*at].is(name) && ends
        };
        let (at, ty) =
            (0..tokens.len()).rev().filter(declares).find_map(|at| Some((at, self.declarator(tokens, at)?)))?;
        let ty = self.own(constants, &tokens[ty..=ty])?;
        let open = at + if tokens[at + 1].is("=") { 2 } else { 1 };
        let inside = match matching(tokens, open) {
            Some(end) => &tokens[open + 1..end],
            None => &[],
        };
        let made = if open == at + 2 {
            let piece = assigned(tokens, open)?;
            // Other declarators may follow; commas may be a template's.
            let alone = || self.made(constants, &[], split(piece).first()?);
            self.made(constants, &[], piece).or_else(alone)
        } else {
            None
        };
        Some(made.unwrap_or_else(|| Made { ty, values: values(constants, inside) }))
    }

    /// Where the type stands that a declarator's name at `at` has, with declarators between them or none.
    fn declarator(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let typed = |at: usize| tokens[at].kind == Kind::Name && self.0.contains_key(tokens[at].text);
        let before = at.checked_sub(1)?;
        if typed(before) {
            return Some(before);
        }
        if !tokens[before].is(",") {
            return None;
        }
        let mut depth = 0_i32;
        for one in (1..before).rev().take(DECLARATORS) {
            depth += i32::from([")", "}", "]"].iter().any(|close| tokens[one].is(close)));
            depth -= i32::from(["(", "{", "["].iter().any(|open| tokens[one].is(open)));
            if depth < 0 || depth == 0 && tokens[one].is(";") {
                return None;
            }
            if depth == 0 && tokens[one].kind == Kind::Name && typed(one - 1) {
                return Some(one - 1);
            }
        }
        None
    }
}

/// How deep templates pass on what they are given.
const DEEPEST: usize = 8;
/// Most tokens of the declarators before one.
const DECLARATORS: usize = 200;

/// The tokens from `from` up to `;`.
fn assigned<'t, 'a>(tokens: &'t [Token<'a>], from: usize) -> Option<&'t [Token<'a>]> {
    let rest = tokens.get(from..)?;
    rest.iter().position(|token| token.is(";")).map(|end| &rest[..end])
}

/// Something of one of the file's own types.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The type.
    pub ty: String,
    /// What stands in its braces or parentheses, in order, as far as it is constant.
    pub values: Vec<Option<Value>>,
}

/// The values between braces; none if they are given by their members' names.
fn values(constants: &Constants, inside: &[Token]) -> Vec<Option<Value>> {
    let pieces = split(inside);
    let named = pieces.iter().any(|piece| piece.first().is_some_and(|first| first.is(".")));
    if named { Vec::new() } else { pieces.into_iter().map(|piece| constants.value(piece)).collect() }
}

/// Template arguments between `<` and `>`, each as [`Types::template_argument`] has it.
pub fn template_arguments(types: &Types, constants: &Constants, instance: &[Token]) -> Vec<Option<String>> {
    heads::split(instance).into_iter().map(|piece| types.template_argument(constants, piece)).collect()
}

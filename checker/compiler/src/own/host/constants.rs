//! Constants of host code: numbers and `dim3`s that a text defines by other constants, and by macros with parameters.

use super::super::enums;
use super::super::lexer::{Kind, Token, tokens};
use super::super::macros::definition;
use super::reader;
use super::value::{Value, matching, split};
use super::wrappers::Binding;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Most tokens of a macro's body with its arguments in it.
const LONGEST: usize = 2000;
/// Deepest chain of templates that is followed.
const DEEPEST: usize = 8;

/// A macro with parameters.
pub struct Function<'a> {
    parameters: Vec<&'a str>,
    body: Vec<Token<'a>>,
}

impl<'a> Function<'a> {
    /// `(A, B) BODY` of its definition; none of a variable number of parameters.
    fn of(definition: &'a str) -> Option<Function<'a>> {
        let all = tokens(definition);
        let end = matching(&all, 0)?;
        let name = |piece: &&[Token<'a>]| match piece {
            [name] if name.kind == Kind::Name => Some(name.text),
            _ => None,
        };
        let parameters = split(&all[1..end]).iter().map(name).collect::<Option<_>>()?;
        Some(Function { parameters, body: all[end + 1..].to_vec() })
    }

    /// Its body with the arguments in it, as if it stood at `start`; nothing if they are too many, too few or too long.
    pub fn expanded<'t>(&'t self, inside: &'t [Token<'t>], start: usize) -> Option<Vec<Token<'t>>> {
        let arguments = split(inside);
        (arguments.len() == self.parameters.len()).then_some(())?;
        let mut all: Vec<Token> = Vec::new();
        for token in &self.body {
            let parameter = self.parameters.iter().position(|parameter| token.is(parameter));
            match parameter.and_then(|index| arguments.get(index)) {
                Some(argument) => all.extend_from_slice(argument),
                None => all.push(Token { start, ..*token }),
            }
            (all.len() <= LONGEST).then_some(())?;
        }
        Some(all)
    }
}

/// What names stand for: of several definitions the last before the place that asks.
pub struct Constants<'a> {
    /// With their places. The axes of sizes have names of their own: `block.x`.
    known: HashMap<String, Vec<(usize, Vec<Token<'a>>)>>,
    functions: HashMap<String, Vec<(usize, Function<'a>)>>,
    enumerators: HashSet<String>,
    /// Bytes of the file's own structures.
    sizes: HashMap<String, i64>,
    /// What names stand for inside of the host's templates, and where those are.
    bindings: Vec<Binding<'a>>,
    templates: Vec<Range<usize>>,
}

/// Of several definitions the last before a place, else the first.
fn before<T>(all: &[(usize, T)], place: usize) -> Option<&(usize, T)> {
    all.iter().rfind(|(at, _)| *at < place).or_else(|| all.first())
}

/// The axes of sizes.
pub const AXES: [&str; 3] = ["x", "y", "z"];

impl<'a> Constants<'a> {
    /// Of a text, and the macros of its headers.
    pub fn of(all: &[Token<'a>], headers: &[Vec<Token<'a>>]) -> Constants<'a> {
        let mut found = Constants {
            known: HashMap::new(),
            functions: HashMap::new(),
            enumerators: HashSet::new(),
            sizes: HashMap::new(),
            bindings: Vec::new(),
            templates: Vec::new(),
        };
        for token in headers.iter().flatten().filter(|token| token.kind == Kind::Directive) {
            found.define(token, 0);
        }
        for (at, token) in all.iter().enumerate() {
            if token.kind == Kind::Directive {
                found.define(token, token.start);
            } else if token.is("enum") {
                for one in enums::enumerators(all, at) {
                    one.names.iter().for_each(|name| found.add(name, one.start, one.value.clone()));
                    found.enumerators.extend(one.names);
                }
            } else if token.is("dim3") {
                found.dims(all, at);
            } else if token.kind == Kind::Name {
                let member = at.checked_sub(1).is_some_and(|before| all[before].is("."));
                let of = at.checked_sub(2).map(|of| all[of]).filter(|of| of.kind == Kind::Name);
                match of {
                    _ if !member => found.assigned(all, at, token.text),
                    Some(of) if AXES.contains(&token.text) => {
                        found.assigned(all, at, &format!("{}.{}", of.text, token.text));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// With the bytes of structures that `sizeof` may ask for.
    pub fn with_sizes(self, sizes: HashMap<String, i64>) -> Constants<'a> {
        Constants { sizes, ..self }
    }

    /// With what names stand for inside of templates, which lie at `templates`.
    pub fn with_bindings(self, bindings: Vec<Binding<'a>>, templates: Vec<Range<usize>>) -> Constants<'a> {
        Constants { bindings, templates, ..self }
    }

    /// What a parameter of the innermost template around a place stands for.
    pub fn bound(&self, name: &str, place: usize) -> Option<&[Token<'a>]> {
        let around = self.bindings.iter().filter(|one| one.name == name && one.span.contains(&place));
        around.min_by_key(|one| one.span.len()).map(|one| one.value.as_slice())
    }

    /// What a template's parameter alone stands for in the end; anything else as it is.
    pub fn through<'t>(&'t self, mut piece: &'t [Token<'a>]) -> &'t [Token<'a>] {
        for _ in 0..DEEPEST {
            match piece {
                [name] if let Some(value) = self.bound(name.text, name.start) => piece = value,
                _ => break,
            }
        }
        piece
    }

    /// Is the place inside of a template?
    pub fn in_template(&self, place: usize) -> bool {
        self.templates.iter().any(|span| span.contains(&place))
    }

    /// The bytes of one of them.
    pub fn size(&self, words: &[Token]) -> Option<i64> {
        self.sizes.get(words.iter().rfind(|token| !token.is("const"))?.text).copied()
    }

    /// Is it an enumerator's name, which no number can stand for among template arguments?
    pub fn is_enumerator(&self, name: &str) -> bool {
        self.enumerators.contains(name)
    }

    fn add(&mut self, name: &str, from: usize, value: Vec<Token<'a>>) {
        self.known.entry(name.to_owned()).or_default().push((from, value));
    }

    /// `#define NAME VALUE` or `#define NAME(A, B) VALUE`
    fn define(&mut self, token: &Token<'a>, from: usize) {
        let Some((name, body)) = definition(token.text) else { return };
        if body.starts_with('(') {
            let function = Function::of(body).map(|function| (from, function));
            self.functions.entry(name.to_owned()).or_default().extend(function);
        } else if body.starts_with([' ', '\t']) {
            self.add(name, from, tokens(body));
        }
    }

    /// `NAME = VALUE` up to `;` or `,`; `name` is what it is known by.
    fn assigned(&mut self, all: &[Token<'a>], at: usize, name: &str) {
        let assigned = all.get(at + 1).is_some_and(|token| token.is("="));
        let Some(rest) = all.get(at + 2..).filter(|rest| assigned && !rest.first().is_some_and(|t| t.is("="))) else {
            return;
        };
        // The last enumerator's value ends with the braces.
        let mut depth = 0_i32;
        let ends = |token: &Token| {
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            token.is(";") || depth < 0
        };
        if let Some(end) = rest.iter().take(60).position(ends) {
            let value = split(&rest[..end]).first().map(|value| value.to_vec()).unwrap_or_default();
            self.add(name, all[at].start, value);
        }
    }

    /// `dim3 NAME(X, Y)` and more of them behind commas; `dim3 NAME` is known by its axes.
    fn dims(&mut self, all: &[Token<'a>], at: usize) {
        // A parameter is whatever is passed.
        let declared = !at.checked_sub(1).is_some_and(|before| ["(", ",", "<"].iter().any(|sign| all[before].is(sign)));
        let mut name = at + 1;
        while all.get(name).is_some_and(|token| token.kind == Kind::Name) {
            let mut end = name;
            if let Some(close) = matching(all, name + 1) {
                // Read as `dim3(X, Y)`.
                let value = std::iter::once(all[at]).chain(all[name + 1..=close].iter().copied()).collect();
                self.add(all[name].text, all[name].start, value);
                end = close;
            } else if declared && all.get(name + 1).is_some_and(|token| token.is(",") || token.is(";")) {
                self.add(all[name].text, all[name].start, vec![all[at]]);
            }
            if !all.get(end + 1).is_some_and(|token| token.is(",")) {
                return;
            }
            name = end + 2;
        }
    }

    /// What a name stands for where it is asked at `place`, and where that is said.
    pub fn known(&self, name: &str, place: usize) -> Option<(usize, &[Token<'a>])> {
        if let Some(value) = self.bound(name, place) {
            return Some((value.first().map_or(place, |first| first.start), value));
        }
        before(self.known.get(name)?, place).map(|(at, value)| (*at, value.as_slice()))
    }

    /// What is assigned to an axis of a size that is declared at `from`, before `place`.
    pub fn axis(&self, name: &str, axis: &str, from: usize, place: usize) -> Option<&[Token<'a>]> {
        let all = self.known.get(&format!("{name}.{axis}"))?;
        all.iter().rfind(|(at, _)| (from..place).contains(at)).map(|(_, value)| value.as_slice())
    }

    /// The macro of that name with parameters.
    pub fn function(&self, name: &str, place: usize) -> Option<&Function<'a>> {
        before(self.functions.get(name)?, place).map(|(_, function)| function)
    }

    /// What the tokens are worth.
    pub fn value(&self, piece: &[Token]) -> Option<Value> {
        reader::value(self, piece)
    }
}

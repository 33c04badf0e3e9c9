//! A file's tokens with its brackets, functions and plain types.

use crate::own::lexer::{Kind, Token};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter<'a> {
    pub name: &'a str,
    /// What the function does to it reaches its caller: a reference or a pointer to what is not `const`.
    pub out: bool,
    /// It has elements: a pointer or an array.
    pub elements: bool,
}

/// A function with its body.
#[derive(Debug, Clone)]
pub struct Function<'a> {
    /// It says that it is for the device.
    pub device: bool,
    pub parameters: Vec<Parameter<'a>>,
    /// Where its declaration begins.
    pub head: usize,
    /// From behind `{` up to `}`.
    pub body: Range<usize>,
}

/// Tokens without directives, and what is known of them.
pub struct Text<'a> {
    source: &'a str,
    /// Where lines end.
    lines: Vec<usize>,
    pub tokens: Vec<Token<'a>>,
    /// The bracket that belongs to a bracket.
    partner: Vec<usize>,
    functions: Vec<(&'a str, Function<'a>)>,
    /// Classes without constructors, by their members.
    pub classes: HashMap<&'a str, Vec<&'a str>>,
    /// Names of types whose variables have no value unless one is given.
    plain: HashSet<&'a str>,
    /// Macros with arguments.
    pub macros: HashSet<&'a str>,
}

const WORDS: &[&str] = &["unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool"];
const TYPES: &[&str] = &[
    "size_t",
    "ssize_t",
    "uint",
    "ushort",
    "uchar",
    "ulong",
    "half",
    "__half",
    "__half2",
    "__nv_bfloat16",
    "__nv_bfloat162",
    "nv_bfloat16",
    "nv_bfloat162",
    "__int128",
    "__int128_t",
    "__uint128_t",
];
const VECTORS: &[&str] = &[
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "float",
    "double",
    "half",
];

impl<'a> Text<'a> {
    pub fn new(source: &'a str, all: &[Token<'a>]) -> Self {
        let (directives, tokens): (Vec<_>, Vec<_>) = all.iter().partition(|token| token.kind == Kind::Directive);
        let partner = partners(&tokens);
        let macros = directives.iter().filter_map(|token| macro_name(token.text)).collect();
        let device = directives.iter().filter(|token| token.text.contains("__device__"));
        let device: HashSet<&str> = device.filter_map(|token| defined(token.text)).map(|(name, _)| name).collect();
        let (functions, classes, plain) = Default::default();
        let lines = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        let mut text = Self { source, lines, tokens, partner, functions, classes, plain, macros };
        text.read_types();
        text.read_items(&device);
        text
    }

    /// Line of a token.
    pub fn line(&self, at: usize) -> u32 {
        let start = self.tokens.get(at).map_or(self.source.len(), |token| token.start);
        1 + self.lines.partition_point(|end| *end < start) as u32
    }

    pub fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    /// The name that stands there.
    pub fn name(&self, at: usize) -> Option<&'a str> {
        self.tokens.get(at).filter(|token| token.kind == Kind::Name).map(|token| token.text)
    }

    /// Does that name stand there, and as nobody's member?
    pub fn names(&self, at: usize, name: &str) -> bool {
        let before = |back: usize, word: &str| at.checked_sub(back).is_some_and(|at| self.is(at, word));
        self.name(at) == Some(name) && !(before(1, ".") || before(1, "::") || before(1, ">") && before(2, "-"))
    }

    /// Behind the bracket that closes the one there.
    pub fn behind(&self, at: usize) -> usize {
        self.partner.get(at).copied().unwrap_or(at).max(at) + 1
    }

    pub fn partner(&self, at: usize) -> usize {
        self.partner[at]
    }

    /// The first `end` from there on, outside of brackets; `until` without one.
    pub fn find(&self, from: usize, until: usize, end: &str) -> usize {
        let mut at = from;
        while at < until && !self.is(at, end) {
            at = if ["(", "[", "{"].iter().any(|open| self.is(at, open)) { self.behind(at) } else { at + 1 };
        }
        at.min(until)
    }

    /// The pieces of a range between `separator`s outside of brackets.
    pub fn split(&self, range: Range<usize>, separator: &str) -> Vec<Range<usize>> {
        let mut pieces = Vec::new();
        let mut from = range.start;
        loop {
            let end = self.find(from, range.end, separator);
            pieces.push(from..end);
            if end >= range.end {
                return pieces;
            }
            from = end + 1;
        }
    }

    pub fn functions(&self) -> impl Iterator<Item = &Function<'a>> {
        self.functions.iter().map(|(_, function)| function)
    }

    /// The file's only function of that name with so many parameters.
    pub fn function(&self, name: &str, parameters: usize) -> Option<&Function<'a>> {
        let mut found =
            self.functions.iter().filter(|(known, one)| *known == name && one.parameters.len() == parameters);
        found.next().map(|(_, function)| function)
    }

    pub fn has_function(&self, name: &str) -> bool {
        self.functions.iter().any(|(known, _)| *known == name)
    }

    /// Behind a type that starts there and whose variables have no value unless one is given.
    pub fn plain_type(&self, from: usize) -> Option<(usize, &'a str)> {
        let mut at = from;
        while self.name(at).is_some_and(|word| WORDS.contains(&word)) {
            at += 1;
        }
        if at > from {
            return Some((at, self.tokens[at - 1].text));
        }
        while self.name(at).is_some() && self.is(at + 1, "::") {
            at += 2;
        }
        let name = self.name(at)?;
        let known = TYPES.contains(&name)
            || name.ends_with("_t") && name.trim_start_matches('u').starts_with("int")
            || vector(name).is_some()
            || self.plain.contains(name)
            || self.classes.contains_key(name);
        known.then_some((at + 1, name))
    }

    /// Template parameters and other names of plain types.
    fn read_types(&mut self) {
        for at in 0..self.tokens.len() {
            let parameter = (self.is(at, "typename") || self.is(at, "class"))
                && at > 0
                && (self.is(at - 1, "<") || self.is(at - 1, ","));
            let new = if parameter {
                self.name(at + 1)
            } else if self.is(at, "using") && self.is(at + 2, "=") {
                self.name(at + 1).filter(|_| self.plain_type(at + 3).is_some_and(|(end, _)| self.is(end, ";")))
            } else if self.is(at, "typedef") {
                let end = self.find(at, self.tokens.len(), ";");
                self.plain_type(at + 1).filter(|(after, _)| after + 1 == end).and_then(|_| self.name(end - 1))
            } else {
                None
            };
            self.plain.extend(new);
        }
    }

    /// Functions and classes; what is between their brackets is of no function.
    fn read_items(&mut self, device: &HashSet<&str>) {
        let (mut at, mut head) = (0, 0);
        while at < self.tokens.len() {
            if self.is(at, "{") {
                if let Some((name, function)) = self.function_at(head, at, device) {
                    self.functions.push((name, function));
                    at = self.behind(at);
                    head = at;
                    continue;
                }
                self.read_class(head, at);
            }
            if ["{", "}", ";"].iter().any(|end| self.is(at, end)) {
                head = at + 1;
            }
            at += 1;
        }
    }

    fn function_at(&self, head: usize, brace: usize, device: &HashSet<&str>) -> Option<(&'a str, Function<'a>)> {
        let open = (head..brace).find(|at| {
            self.is(*at, "(") && self.name(at.wrapping_sub(1)).is_some_and(|name| !ATTRIBUTES.contains(&name))
        })?;
        let name = self.name(open - 1)?;
        let close = self.partner(open);
        if close <= open || close > brace || (head..open).any(|at| self.is(at, "=")) {
            return None;
        }
        let marks = |at: usize| self.name(at).is_some_and(|word| MARKS.contains(&word) || device.contains(word));
        let parameters = self.split(open + 1..close, ",").into_iter().filter(|piece| !piece.is_empty());
        let function = Function {
            head,
            device: (head..open).any(marks),
            parameters: parameters.map(|piece| self.parameter(piece)).collect(),
            body: brace + 1..self.partner(brace).max(brace + 1),
        };
        Some((name, function))
    }

    fn parameter(&self, piece: Range<usize>) -> Parameter<'a> {
        let end = self.find(piece.start, piece.end, "=");
        let has = |text: &str| (piece.start..end).any(|at| self.is(at, text));
        let elements = has("*") || has("[");
        // `float (&v)[4]`: the name is the last that is in no index.
        let end = (piece.start..end).find(|at| self.is(*at, "[")).unwrap_or(end);
        let name = (piece.start..end).rev().find_map(|at| self.name(at).filter(|name| !name.starts_with("__restrict")));
        let constant = self.is(piece.start, "const") || self.is(piece.start + 1, "const");
        Parameter { name: name.unwrap_or_default(), out: (elements || has("&")) && !constant, elements }
    }

    fn read_class(&mut self, head: usize, brace: usize) {
        let Some(at) = (head..brace).find(|at| self.is(*at, "struct") || self.is(*at, "class")) else { return };
        let end = (at..brace).find(|at| self.is(*at, ":")).unwrap_or(brace);
        let Some(name) = (at + 1..end).rev().find_map(|at| self.name(at)) else { return };
        let body = brace + 1..self.partner(brace).max(brace + 1);
        let makes = |at: usize| self.name(at) == Some(name) && self.is(at + 1, "(");
        if end < brace || body.clone().any(makes) {
            return;
        }
        let mut members = Vec::new();
        for piece in self.split(body, ";") {
            // Functions have brackets; a value may be given to a member.
            if piece.clone().any(|at| self.is(at, "=") || self.is(at, "union"))
                && !piece.clone().any(|at| self.is(at, "("))
            {
                return;
            }
            if piece.clone().any(|at| self.is(at, "(") || self.is(at, "{")) {
                continue;
            }
            for declarator in self.split(piece, ",") {
                let end = self.find(declarator.start, declarator.end, "[");
                members.extend(end.checked_sub(1).and_then(|at| self.name(at)));
            }
        }
        self.classes.insert(name, members);
    }
}

const MARKS: &[&str] = &["__global__", "__device__"];
const ATTRIBUTES: &[&str] = &[
    "__launch_bounds__",
    "__cluster_dims__",
    "__maxnreg__",
    "__align__",
    "alignas",
    "__attribute__",
    "decltype",
    "noexcept",
];

/// How many members a vector of CUDA has.
pub fn vector(name: &str) -> Option<usize> {
    let count = name.chars().last()?.to_digit(10).filter(|count| (1..=4).contains(count))?;
    VECTORS.contains(&&name[..name.len() - 1]).then_some(count as usize)
}

fn macro_name(directive: &str) -> Option<&str> {
    let (name, rest) = defined(directive)?;
    rest.starts_with('(').then_some(name)
}

/// The name that a directive defines, and what follows it.
fn defined(directive: &str) -> Option<(&str, &str)> {
    let rest = directive.strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
    Some(rest.split_at(rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())))
}

fn partners(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut partner: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let closes = match token.text {
            "(" | "[" | "{" if token.kind == Kind::Punct => {
                open.push((at, token.text));
                continue;
            }
            ")" if token.kind == Kind::Punct => "(",
            "]" if token.kind == Kind::Punct => "[",
            "}" if token.kind == Kind::Punct => "{",
            _ => continue,
        };
        // Branches of the preprocessor may leave brackets without a partner.
        let Some(found) = open.iter().rposition(|(_, text)| *text == closes) else { continue };
        let (start, _) = open[found];
        open.truncate(found);
        (partner[start], partner[at]) = (at, start);
    }
    partner
}

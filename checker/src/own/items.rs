//! The declarations of a text, found without knowing what its names mean. Namespaces, `extern "C" { }` and classes are
//! entered. Of `#if ... #else ...` inside a declaration the first branch counts; between declarations all do.

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
                self.at += 1;
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

    /// After the bracket at `at`, its partner; branches that do not count are stepped over.
    fn after_bracket(&self, at: usize) -> usize {
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

    /// After a directive inside a declaration; from `#else` on to its `#endif`.
    fn after_directive(&self, at: usize) -> usize {
        let word = |token: Token<'a>| directive(token.text).0;
        let skipped = |word: &str, rest: &str| matches!(word, "else" | "elif") || word == "if" && rest.trim() == "0";
        let Some(token) = self.token(at) else { return at };
        let (first, rest) = directive(token.text);
        if !skipped(first, rest) {
            return at + 1;
        }
        let zero = first == "if";
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
    fn after_angles(&self, at: usize) -> (usize, Range<usize>) {
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

    /// One declaration; adds it.
    fn declaration(&mut self, within: &Within, all: &mut Vec<Item>) {
        let first = self.at;
        let start = self.tokens[first].start;
        let mut seen = Seen::default();
        let mut at = first;
        while let Some(token) = self.token(at) {
            if token.kind == Kind::Directive {
                at = self.after_directive(at);
                continue;
            }
            if token.kind == Kind::Name {
                seen.space = seen.space.and(if seen.parameters.is_none() && !seen.assigned {
                    self.macros.space(token.text)
                } else {
                    Space::default()
                });
                match token.text {
                    "template" if self.is(at + 1, "<") => {
                        let (after, span) = self.after_angles(at + 1);
                        seen.template = seen.template.or(Some(span));
                        at = after;
                        continue;
                    }
                    "class" | "struct" | "union" | "enum" => seen.class = seen.class.or(Some(at)),
                    "typedef" | "using" | "static_assert" | "namespace" | "friend" | "asm" if seen.words == 0 => {
                        seen.other = true;
                    }
                    "operator" if seen.parameters.is_none() => {
                        seen.name = Some((at, "operator".to_owned()));
                        at += 1;
                        // The operator's own characters, `()` among them.
                        if self.is(at, "(") {
                            at = self.after_bracket(at);
                        }
                        while !self.is(at, "(") && at < self.tokens.len() && !self.is(at, ";") {
                            at += 1;
                        }
                        seen.words += 1;
                        continue;
                    }
                    _ => {}
                }
                seen.words += 1;
                at += 1;
                continue;
            }
            match token.text {
                "(" if token.kind == Kind::Punct => {
                    let after = self.after_bracket(at);
                    let before = self.token(at - usize::from(at > first)).filter(|before| before.kind == Kind::Name);
                    let named = seen.name.as_ref().is_some_and(|(_, name)| name == "operator")
                        || before.is_some_and(|before| {
                            !is_attribute(before.text) && !self.macros.is_annotation(before.text)
                        });
                    // `KERNEL(name)(int n) { }`: the first parentheses belong to a macro.
                    let made = at > first && self.is(at - 1, ")") && seen.space.on_device();
                    if seen.parameters.is_none() && !seen.assigned && (named || made) && !self.says_more(after) {
                        let close = self.token(after - 1).map_or(self.text.len(), |close| close.start);
                        seen.parameters = Some(token.end()..close);
                        if seen.name.is_none() {
                            let name = before.or_else(|| self.token(at.checked_sub(2)?));
                            seen.name = name.map(|name| (at - 1, name.text.to_owned()));
                        }
                    }
                    if self.is_macro_call(first, at, after) {
                        self.at = after;
                        self.finish(within, all, start, first, What::Macro, seen);
                        return;
                    }
                    at = after;
                }
                "[" if token.kind == Kind::Punct => at = self.after_bracket(at),
                "=" => {
                    seen.assigned = true;
                    at += 1;
                }
                ":" => {
                    seen.colon = true;
                    at += 1;
                }
                "{" if token.kind == Kind::Punct => {
                    if let Some(class) = seen.class.filter(|_| seen.parameters.is_none() && !seen.assigned) {
                        let inner = self.body(class, at, within);
                        seen.inner.extend(inner);
                        at = self.after_bracket(at);
                        seen.body = true;
                        continue;
                    }
                    let initialised =
                        seen.colon && self.token(at - 1).is_some_and(|b| b.kind == Kind::Name || b.is(">"));
                    let after = self.after_bracket(at);
                    if seen.parameters.is_some() && !seen.assigned && !initialised {
                        self.at = after;
                        let what = self.function(within, &seen, true);
                        self.finish(within, all, start, first, what, seen);
                        return;
                    }
                    at = after;
                }
                "}" if token.kind == Kind::Punct => break,
                ";" => {
                    at += 1;
                    break;
                }
                _ => at += 1,
            }
        }
        self.at = at;
        let what = if seen.class.is_some() && seen.body && !seen.other || seen.class.is_some() && seen.words <= 2 {
            What::Type
        } else if seen.other || seen.words == 0 || seen.words == 1 && seen.parameters.is_none() {
            What::Other
        } else if seen.parameters.is_some() && self.is_function(&seen) {
            self.function(within, &seen, false)
        } else {
            What::Variable { constant: self.is_constant(first, at) }
        };
        self.finish(within, all, start, first, what, seen);
    }

    /// Does a name follow that no function's head goes on with? Then the parentheses were an attribute's or a macro's.
    fn says_more(&self, at: usize) -> bool {
        const GOES_ON: [&str; 8] = ["const", "volatile", "noexcept", "override", "final", "try", "requires", "throw"];
        self.token(at).is_some_and(|next| {
            next.kind == Kind::Name
                && !GOES_ON.contains(&next.text)
                && !next.text.starts_with("__")
                && !self.line_begins(at)
        })
    }

    /// Is the token the first of its line?
    fn line_begins(&self, at: usize) -> bool {
        let (Some(token), Some(before)) = (self.token(at), at.checked_sub(1).and_then(|b| self.token(b))) else {
            return true;
        };
        self.text[before.end()..token.start].contains('\n')
    }

    /// `= default` and `= delete` are kept as the class has them.
    fn function(&self, within: &Within, seen: &Seen, body: bool) -> What {
        let parameters = seen.parameters.clone().unwrap_or_default();
        What::Function { parameters, kept_by_class: within.class && seen.assigned && !body }
    }

    /// A declaration with parentheses and no body: a prototype, or a variable made by a constructor (`dim3 block(16, 16);`,
    /// whose arguments are values).
    fn is_function(&self, seen: &Seen) -> bool {
        let Some(range) = &seen.parameters else { return false };
        let inside = self.text[range.clone()].trim();
        let value = inside.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '-' | '&' | '{'));
        !value
    }

    /// `const` and not a pointer to something constant.
    fn is_constant(&self, first: usize, end: usize) -> bool {
        let mut constant = false;
        for token in &self.tokens[first..end.min(self.tokens.len())] {
            match token.text {
                "const" | "constexpr" => constant = true,
                "*" if token.kind == Kind::Punct => constant = false,
                "=" | "{" | ";" | "[" if token.kind == Kind::Punct => break,
                _ => {}
            }
        }
        constant
    }

    /// Members of a class whose `{` is at `open`; none of an enumeration.
    fn body(&mut self, class: usize, open: usize, within: &Within) -> Vec<Item> {
        let mut inner = Vec::new();
        if !self.is(class, "enum") && within.depth < DEEPEST {
            self.at = open + 1;
            let inside = Within { prefix: String::new(), class: true, depth: within.depth + 1 };
            self.list(&inside, &mut inner);
        }
        inner
    }

    /// `NAME(...)` alone on its line: a macro that needs no semicolon.
    fn is_macro_call(&self, first: usize, open: usize, after: usize) -> bool {
        if open != first + 1 || self.tokens[first].kind != Kind::Name {
            return false;
        }
        let name = self.tokens[first].text;
        let upper = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let (Some(close), next) = (self.token(after - 1), self.token(after)) else { return false };
        let Some(next) = next else { return true };
        let new_line = self.text[close.end()..next.start].contains('\n') || next.is(";");
        let goes_on = next.kind == Kind::Punct && matches!(next.text, "{" | ":" | "=" | "," | "(" | "[");
        (upper || self.macros.is_macro(name)) && new_line && !goes_on
    }

    fn finish(&self, within: &Within, all: &mut Vec<Item>, start: usize, first: usize, what: What, seen: Seen) {
        let last = self.tokens[first..self.at.min(self.tokens.len())].last();
        let end = last.map_or(self.text.len(), |token| token.end());
        let name = match (&what, &seen.name) {
            (What::Macro, _) => self.tokens[first].text.to_owned(),
            (What::Type, _) => seen.class.and_then(|class| self.type_name(class)).unwrap_or_default(),
            (What::Variable { .. }, None) => self.variable_name(first).unwrap_or_default(),
            (_, Some((_, name))) => name.clone(),
            (What::Other, None) => self.introduced(first).unwrap_or_default(),
            _ => String::new(),
        };
        let name = if name.is_empty() { name } else { format!("{}{name}", within.prefix) };
        all.push(Item { span: start..end, name, what, space: seen.space, template: seen.template, inner: seen.inner });
    }

    /// The last name before a class's `{`, `:` or `;`, attributes left out.
    fn type_name(&self, class: usize) -> Option<String> {
        let mut name = None;
        let mut at = class + 1;
        while let Some(token) = self.token(at) {
            match token.text {
                "{" | ":" | ";" | "<" => break,
                "(" => {
                    at = self.after_bracket(at);
                    continue;
                }
                text if token.kind == Kind::Name
                    && !is_attribute(text)
                    && !matches!(text, "class" | "struct" | "final") =>
                {
                    name = Some(text.to_owned());
                }
                _ => {}
            }
            at += 1;
        }
        name
    }

    /// What `using NAME = ...`, `typedef ... NAME;` or `namespace NAME = ...` introduces.
    fn introduced(&self, first: usize) -> Option<String> {
        let item = &self.tokens[first..self.at.min(self.tokens.len())];
        let names = || item.iter().filter(|token| token.kind == Kind::Name);
        let pointer = item.windows(3).find(|three| three[0].is("(") && three[1].is("*") && three[2].kind == Kind::Name);
        let name = match names().next()?.text {
            "using" if names().nth(1).is_some_and(|second| second.text == "namespace") => None,
            "using" | "template" if !item.iter().any(|token| token.is("=")) => names().last(),
            "using" | "namespace" => names().nth(1),
            "typedef" => pointer.map(|three| &three[2]).or_else(|| names().last()),
            _ => None,
        };
        name.map(|name| name.text.to_owned())
    }

    /// The last name before `=`, `[`, `(`, `{`, `,` or `;`.
    fn variable_name(&self, first: usize) -> Option<String> {
        let mut name = None;
        for token in &self.tokens[first..] {
            match token.text {
                "=" | "[" | "(" | "{" | "," | ";" if token.kind == Kind::Punct && name.is_some() => break,
                text if token.kind == Kind::Name => name = Some(text.to_owned()),
                _ => {}
            }
        }
        name
    }
}

/// What was seen of a declaration so far.
#[derive(Default)]
struct Seen {
    space: Space,
    template: Option<Range<usize>>,
    parameters: Option<Range<usize>>,
    name: Option<(usize, String)>,
    class: Option<usize>,
    inner: Vec<Item>,
    words: u32,
    assigned: bool,
    colon: bool,
    body: bool,
    other: bool,
}

/// Words with parentheses that are no function's name.
fn is_attribute(name: &str) -> bool {
    let known = matches!(name, "alignas" | "decltype" | "noexcept" | "explicit" | "requires" | "sizeof" | "throw");
    known || name.starts_with("__") && name.ends_with("__")
}

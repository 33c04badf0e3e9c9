//! One declaration: where it ends, what it declares, what it is called.

use super::{DEEPEST, Item, Kind, Parser, Space, What, Within};
use crate::own::lexer::Token;
use std::ops::Range;

impl Parser<'_> {
    /// One declaration; adds it.
    pub(super) fn declaration(&mut self, within: &Within, all: &mut Vec<Item>) {
        let first = self.at;
        let mut seen = Seen::default();
        let mut at = first;
        while let Some(token) = self.token(at) {
            match (token.kind, token.text) {
                (Kind::Directive, _) => at = self.after_directive(at),
                (Kind::Name, _) => at = self.word(at, &mut seen),
                (Kind::Punct, "(") => {
                    let after = self.after_bracket(at);
                    if let Some(name) = self.pointer(&seen, at, after) {
                        at = self.pointed(name, after, &mut seen);
                        continue;
                    }
                    self.parameters(first, at, after, &mut seen);
                    if self.is_macro_call(first, at, after) {
                        self.at = after;
                        return self.finish(within, all, first, What::Macro, seen);
                    }
                    at = after;
                }
                (Kind::Punct, "[") => at = self.after_bracket(at),
                (Kind::Punct, "{") => {
                    let after = self.after_bracket(at);
                    if let Some(class) = seen.class.filter(|_| seen.parameters.is_none() && !seen.assigned) {
                        let inner = self.body(class, at, within);
                        seen.inner.extend(inner);
                        seen.body = true;
                    } else if self.begins_body(at, &seen) {
                        self.at = self.after_handlers(after);
                        let what = self.function(within, &seen, true);
                        return self.finish(within, all, first, what, seen);
                    }
                    at = after;
                }
                (Kind::Punct, "}") => break,
                (_, ";") => {
                    at += 1;
                    break;
                }
                (_, text) => {
                    seen.assigned |= text == "=";
                    seen.colon |= text == ":";
                    at += 1;
                }
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
        self.finish(within, all, first, what, seen);
    }

    /// A word, with what belongs to it; where it ends.
    fn word(&self, at: usize, seen: &mut Seen) -> usize {
        let text = self.tokens[at].text;
        seen.space = seen.space.and(if seen.parameters.is_none() && !seen.assigned {
            self.macros.space(text)
        } else {
            Space::default()
        });
        let mut after = at + 1;
        match text {
            // As a directive says it.
            "_Pragma" | "__pragma" if self.is(after, "(") => return self.after_bracket(after),
            "template" if self.is(after, "<") => {
                let (after, span) = self.after_angles(after);
                seen.template = seen.template.take().or(Some(span));
                return after;
            }
            "class" | "struct" | "union" | "enum" => seen.class = seen.class.or(Some(at)),
            "typedef" | "using" | "static_assert" | "namespace" | "friend" | "asm" | "concept" if seen.words == 0 => {
                seen.other = true;
            }
            "operator" if seen.parameters.is_none() => {
                seen.name = Some((at, "operator".to_owned()));
                // The operator's own characters, `()` among them.
                if self.is(after, "(") {
                    after = self.after_bracket(after);
                }
                while !self.is(after, "(") && after < self.tokens.len() && !self.is(after, ";") {
                    after += 1;
                }
            }
            _ => {}
        }
        seen.words += 1;
        after
    }

    /// The declarator `(*NAME)` that ends before `after`; where it ends with its parameters.
    fn pointed(&self, name: usize, after: usize, seen: &mut Seen) -> usize {
        seen.name = Some((name, self.tokens[name].text.to_owned()));
        seen.words += 1;
        // What it points to has parameters; a function that returns it has its own.
        let own = self.is(name + 1, "(").then(|| self.inside(name + 1));
        seen.parameters = seen.parameters.take().or(own);
        if self.is(after, "(") { self.after_bracket(after) } else { after }
    }

    /// Are the parentheses from `open` to before `after` a function's parameters?
    fn parameters(&self, first: usize, open: usize, after: usize, seen: &mut Seen) {
        let before = self.token(open - usize::from(open > first));
        let before = if before.is_some_and(|before| before.is(">")) {
            self.before_angles(first, open - 1)
        } else {
            before.filter(|before| before.kind == Kind::Name)
        };
        let named = seen.name.as_ref().is_some_and(|(_, name)| name == "operator")
            || before.is_some_and(|before| !is_attribute(before.text) && !self.macros.is_annotation(before.text));
        // `KERNEL(name)(int n) { }`: the first parentheses belong to a macro.
        let made = open > first && self.is(open - 1, ")") && seen.space.on_device();
        if seen.parameters.is_none() && !seen.assigned && (named || made) && !self.says_more(after) {
            seen.parameters = Some(self.inside(open));
            if seen.name.is_none() {
                let name = before.or_else(|| self.token(open.checked_sub(2)?));
                seen.name = name.map(|name| (open - 1, name.text.to_owned()));
            }
        }
    }

    /// Does the `{` at `open` begin a function's body, and not the braces of one that it initialises a member with?
    fn begins_body(&self, open: usize, seen: &Seen) -> bool {
        let initialises = seen.colon && self.token(open - 1).is_some_and(|b| b.kind == Kind::Name || b.is(">"));
        seen.parameters.is_some() && !seen.assigned && !initialises
    }

    /// The name in `(*NAME)(...)`, `(*NAME[2])(...)` or `(*NAME(...))(...)`, whose brackets these are.
    fn pointer(&self, seen: &Seen, open: usize, after: usize) -> Option<usize> {
        let declares = seen.name.is_none() && seen.words > 0 && !seen.assigned;
        let points = self.is(open + 1, "*") && (self.is(after, "(") || self.is(after, "["));
        let name = (open + 2..after).find(|&at| {
            let word = self.token(at).filter(|token| token.kind == Kind::Name);
            word.is_some_and(|word| !matches!(word.text, "const" | "volatile" | "__restrict__"))
        });
        name.filter(|_| declares && points)
    }

    /// The bytes between the brackets that begin at `open`.
    fn inside(&self, open: usize) -> Range<usize> {
        let start = self.token(open).map_or(self.text.len(), |open| open.end());
        let close = self.token(self.after_bracket(open) - 1).map_or(self.text.len(), |close| close.start);
        start..close.max(start)
    }

    /// After the handlers of a function's body that is a `try`.
    fn after_handlers(&self, mut at: usize) -> usize {
        while self.is(at, "catch") && self.is(at + 1, "(") {
            let body = self.after_bracket(at + 1);
            at = if self.is(body, "{") { self.after_bracket(body) } else { return body };
        }
        at
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

    /// `= default` and `= delete` are kept as the class has them.
    fn function(&self, within: &Within, seen: &Seen, body: bool) -> What {
        let parameters = seen.parameters.clone().unwrap_or_default();
        What::Function { parameters, kept_by_class: within.class && seen.assigned && !body }
    }

    /// A declaration with parentheses and no body: a prototype, or a variable made by a constructor (`dim3 block(16, 16);`,
    /// whose arguments are values).
    fn is_function(&self, seen: &Seen) -> bool {
        let Some(range) = &seen.parameters else { return false };
        let inside = self.text.get(range.clone()).unwrap_or_default().trim();
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

    fn finish(&self, within: &Within, all: &mut Vec<Item>, first: usize, what: What, seen: Seen) {
        let start = self.tokens[first].start;
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

    /// The name whose template arguments end at `close`: `f` of `f<int>`.
    fn before_angles(&self, first: usize, close: usize) -> Option<Token<'_>> {
        let mut depth = 0usize;
        for at in (first..=close).rev() {
            depth += usize::from(self.is(at, ">"));
            depth -= usize::from(depth > 0 && self.is(at, "<"));
            if depth == 0 {
                return self.token(at.checked_sub(1)?).filter(|name| at > first && name.kind == Kind::Name);
            }
        }
        None
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
            "using" | "template" if !item.iter().any(|token| token.is("=")) => names().next_back(),
            "using" | "namespace" => names().nth(1),
            "typedef" => pointer.map(|three| &three[2]).or_else(|| names().next_back()),
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

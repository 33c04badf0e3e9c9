//! What `#if`, `#ifdef` and their like leave out of a text for certain. Who reads declarations without a preprocessor has to know which
//! `typedef ... real` holds.

use super::lexer::{Kind, Token, tokens};
use super::macros::{definition, directive};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Deepest chain of macros that is followed, and of brackets.
const DEEPEST: u32 = 12;

/// The bytes that are left out for certain, directives that choose nothing any more among them. Of names in `elsewhere`, which other texts define, nothing is known.
pub fn dead(all: &[Token], elsewhere: &HashSet<String>) -> Vec<Range<usize>> {
    let mut reader = Reader { elsewhere, known: HashMap::new() };
    let mut open: Vec<Condition> = Vec::new();
    let mut dead = Vec::new();
    for token in all.iter().filter(|token| token.kind == Kind::Directive) {
        let (word, rest) = directive(token.text);
        // Conditions inside of what is left out are read for their ends only.
        let outside = open.iter().rev().skip(usize::from(!word.starts_with("if"))).all(|one| one.now != Some(false));
        let asked = |reader: &Reader| if outside { reader.holds(word, rest) } else { Some(false) };
        match word {
            "if" | "ifdef" | "ifndef" => {
                let holds = asked(&reader);
                dead.extend(holds.map(|_| token.start..token.end()));
                open.push(Condition { done: holds, now: holds, from: token.end() });
            }
            "elif" | "else" | "endif" => {
                let Some(mut last) = open.pop() else { continue };
                if last.now == Some(false) && outside {
                    dead.push(last.from..token.start);
                }
                if word != "endif" {
                    // Behind nothing but what is left out it is a first branch.
                    dead.extend(last.done.filter(|_| outside).map(|_| token.start..token.end()));
                    let holds = if word == "else" { Some(true) } else { asked(&reader) };
                    last.now = and(not(last.done), holds);
                    last.done = or(last.done, holds);
                    last.from = token.end();
                    open.push(last);
                }
            }
            "define" | "undef" if open.iter().all(|one| one.now != Some(false)) => {
                let certain = open.iter().all(|one| one.now == Some(true));
                reader.define(token.text, certain);
            }
            _ => {}
        }
    }
    dead
}

/// The names that a text defines.
pub fn defined<'t>(all: &'t [Token]) -> impl Iterator<Item = &'t str> {
    let directives = all.iter().filter(|token| token.kind == Kind::Directive);
    directives.filter_map(|token| definition(token.text)).map(|(name, _)| name)
}

/// A condition that is not closed yet. Where nobody knows, nothing is said.
struct Condition {
    /// Was one of its branches taken?
    done: Option<bool>,
    /// Is the one that is being read?
    now: Option<bool>,
    /// Where that one begins.
    from: usize,
}

fn not(a: Option<bool>) -> Option<bool> {
    a.map(|a| !a)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(and(not(a), not(b)))
}

/// What macros are known so far.
struct Reader<'e> {
    elsewhere: &'e HashSet<String>,
    /// Bodies; `None` where it may be defined, and as something else. An undefined one has an empty entry of its own.
    known: HashMap<String, Option<Option<String>>>,
}

impl Reader<'_> {
    /// `#define` or `#undef`, met for certain or not.
    fn define(&mut self, text: &str, certain: bool) {
        let (word, rest) = directive(text);
        let (name, body) = match definition(text) {
            Some((name, body)) => (name, Some(body.trim().to_owned())),
            None if word == "undef" => (rest.trim(), None),
            None => return,
        };
        self.known.insert(name.to_owned(), certain.then_some(body));
    }

    /// Is a name defined, and as what?
    fn body(&self, name: &str) -> Option<Option<&str>> {
        const WINDOWS: [&str; 4] = ["_WIN32", "_WIN64", "_MSC_VER", "WIN32"];
        if let Some(known) = self.known.get(name) {
            return known.as_ref().map(Option::as_deref);
        }
        if name == "__CUDACC__" {
            return Some(Some("1"));
        }
        // The compiler's own, and those of CUDA's headers.
        let theirs = name.starts_with('_') || ["CUDA", "CUB_", "THRUST"].iter().any(|part| name.contains(part));
        let open = self.elsewhere.contains(name) || theirs && !WINDOWS.contains(&name);
        (!open).then_some(None)
    }

    fn holds(&self, word: &str, rest: &str) -> Option<bool> {
        let all = tokens(rest);
        let name = || all.first().filter(|token| token.kind == Kind::Name);
        match word {
            "ifdef" => Some(self.body(name()?.text)?.is_some()),
            "ifndef" => Some(self.body(name()?.text)?.is_none()),
            _ => Expression { reader: self, rest: &all, depth: 0 }.whole().map(|value| value != 0),
        }
    }
}

/// The expression of an `#if`.
struct Expression<'r, 't> {
    reader: &'r Reader<'r>,
    rest: &'t [Token<'t>],
    depth: u32,
}

/// Operators, weakest first.
const OPERATORS: [&[&str]; 6] =
    [&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl Expression<'_, '_> {
    fn whole(mut self) -> Option<i64> {
        let value = self.strength(0);
        if self.rest.is_empty() { value } else { None }
    }

    /// Takes an operator, which is one or two tokens.
    fn takes(&mut self, operator: &str) -> bool {
        let fits = operator.char_indices().all(|(at, c)| {
            let token = self.rest.get(at);
            token.is_some_and(|token| token.kind == Kind::Punct && token.text.starts_with(c))
        });
        if fits {
            self.rest = &self.rest[operator.len()..];
        }
        fits
    }

    fn strength(&mut self, strength: usize) -> Option<i64> {
        let Some(operators) = OPERATORS.get(strength) else { return self.unary() };
        let mut left = self.strength(strength + 1);
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let right = self.strength(strength + 1);
            let truth = |value: Option<i64>| value.map(|value| value != 0);
            left = match *operator {
                "||" => or(truth(left), truth(right)).map(i64::from),
                "&&" => and(truth(left), truth(right)).map(i64::from),
                _ => left.zip(right).and_then(|(a, b)| match *operator {
                    "==" => Some(i64::from(a == b)),
                    "!=" => Some(i64::from(a != b)),
                    "<=" => Some(i64::from(a <= b)),
                    ">=" => Some(i64::from(a >= b)),
                    "<" => Some(i64::from(a < b)),
                    ">" => Some(i64::from(a > b)),
                    "+" => a.checked_add(b),
                    "-" => a.checked_sub(b),
                    "*" => a.checked_mul(b),
                    "/" => a.checked_div(b),
                    _ => a.checked_rem(b),
                }),
            };
        }
        left
    }

    fn unary(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            // What is left does not matter: nothing is known.
            self.rest = &[];
            return None;
        }
        let value = self.primary();
        self.depth -= 1;
        value
    }

    fn primary(&mut self) -> Option<i64> {
        if self.takes("!") {
            return self.unary().map(|value| i64::from(value == 0));
        }
        if self.takes("-") {
            return self.unary().and_then(i64::checked_neg);
        }
        if self.takes("(") {
            let value = self.strength(0);
            return if self.takes(")") { value } else { None };
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        if first.kind == Kind::Literal {
            return first.text.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok();
        }
        if first.text == "defined" {
            let bracket = self.takes("(");
            let (name, rest) = self.rest.split_first()?;
            self.rest = rest;
            let closed = !bracket || self.takes(")");
            return self.reader.body(name.text).filter(|_| closed).map(|body| i64::from(body.is_some()));
        }
        // A call of a macro is nothing that is read here.
        if self.rest.first().is_some_and(|token| token.is("(")) {
            return None;
        }
        match self.reader.body(first.text)? {
            None => Some(0),
            Some(body) => {
                let body = tokens(body);
                Expression { reader: self.reader, rest: &body, depth: self.depth }.whole()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text whose letters stand in branches.
    fn left(text: &str) -> String {
        let all = tokens(text);
        let elsewhere = HashSet::from(["OTHER".to_owned()]);
        let dead = dead(&all, &elsewhere);
        let lives = |token: &&Token| token.kind == Kind::Name && !dead.iter().any(|range| range.contains(&token.start));
        all.iter().filter(lives).map(|token| token.text).collect()
    }

    #[test]
    fn branches_that_cannot_hold_are_left_out() {
        for (text, kept) in [
            ("#ifdef D\na\n#else\nb\n#endif\nc", "bc"),
            ("#define D\n#ifdef D\na\n#else\nb\n#endif\nc", "ac"),
            ("#ifndef D\n#define D\na\n#endif\n#ifndef D\nb\n#endif", "a"),
            ("#if defined(X) || !defined Y\na\n#elif 1\nb\n#else\nc\n#endif", "a"),
            ("#if defined(X)\na\n#elif defined(Y)\nb\n#else\nc\n#endif", "c"),
            ("#define N 3\n#if N >= 2 && (N * 2 == 6)\na\n#else\nb\n#endif", "a"),
            ("#if N\na\n#endif\n#define N M\n#define M 1\n#if N\nb\n#endif", "b"),
            ("#define D 1\n#undef D\n#ifdef D\na\n#endif\nb", "b"),
            ("#if 0\na\n#ifdef X\nb\n#else\nc\n#endif\nd\n#else\ne\n#endif", "e"),
            ("#ifdef _WIN32\na\n#else\nb\n#endif", "b"),
            ("#ifdef __CUDACC__\na\n#else\nb\n#endif", "a"),
        ] {
            assert_eq!(left(text), kept, "{text}");
        }
    }

    #[test]
    fn where_nobody_knows_all_stays() {
        for text in [
            "#ifdef OTHER\na\n#else\nb\n#endif",
            "#if __CUDA_ARCH__ >= 700\na\n#else\nb\n#endif",
            "#if F(1)\na\n#else\nb\n#endif",
            "#ifdef OTHER\n#define D 1\n#endif\n#ifdef D\na\n#else\nb\n#endif",
            "#if ((((((((((((((1))))))))))))))\na\n#else\nb\n#endif",
            "#else\na\n#endif\nb",
            "#ifdef\na\n#endif\nb",
        ] {
            assert_eq!(left(text), "ab", "{text}");
        }
    }
}

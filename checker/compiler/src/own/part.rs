//! The part of a text that is for the device: everything else is blanked, so that lines and columns stay.

use super::items::{Item, What, items};
use super::lexer::{Kind, Token, tokens};
use super::macros::{Macros, directive};
use super::thrust::{is_taken, is_thrust};
use std::collections::HashSet;
use std::ops::Range;

/// Why something is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// A function without `__global__` or `__device__`.
    HostFunction,
    /// A variable of the host.
    HostVariable,
    /// A header that no device code needs, or that is not there.
    Header,
    /// A word that C++17 does not have any more, and that says nothing.
    Word,
    /// The compiler refused it, in these words, and no kernel that is asked for needs it.
    Refused(String),
}

/// What is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// As the user knows it: `main`, `<vector>`; empty where it has no name.
    pub name: String,
    /// The file, as in its `#include`; empty for the kernel file itself.
    pub file: String,
    /// Its first line, from 1.
    pub line: u32,
    /// Why.
    pub why: Why,
}

/// What to do with a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Include {
    /// CUDA's own, or one of the checker's stand-ins.
    Cuda,
    /// Beside the file: to be included by this name.
    Beside(String),
    /// None that there is.
    Absent,
}

/// What variables were once said to be kept in.
const REGISTER: &str = "register";

/// A text with its declarations.
#[derive(Debug, Clone)]
pub struct Part {
    /// As in `#include`; empty for the kernel file itself.
    pub file: String,
    original: String,
    items: Vec<Item>,
    /// Bytes to blank, or what to put in their place.
    removed: Vec<(Range<usize>, Option<String>)>,
    /// `#include` lines that stay.
    includes: Vec<(Range<usize>, String)>,
}

impl Part {
    /// The device's part of a text. `include` says what a header is; `<name>` or `"name"` is given.
    pub fn new(
        file: &str,
        text: &str,
        macros: &Macros,
        include: &mut dyn FnMut(&str) -> Include,
        skipped: &mut Vec<Skipped>,
    ) -> Part {
        let all = tokens(text);
        // `#error` of a platform that is none of these is left out like a header, if it is met.
        let errors = all.iter().filter(|token| token.kind == Kind::Directive && directive(token.text).0 == "error");
        let includes = errors.map(|token| (token.start..token.end(), "#error".to_owned())).collect();
        let removed = Vec::new();
        let mut part = Part { file: file.to_owned(), original: text.to_owned(), items: Vec::new(), removed, includes };
        for (span, name) in included(&all) {
            match include(&name) {
                Include::Cuda => part.includes.push((span, name)),
                Include::Beside(name) => part.removed.push((span, Some(format!("#include \"{name}\"")))),
                Include::Absent => {
                    skipped.push(part.skipped(span.start, &name, Why::Header));
                    part.removed.push((span, Some(String::new())));
                }
            }
        }
        let mut words = all.iter().filter(|token| token.is(REGISTER)).peekable();
        skipped.extend(words.peek().map(|first| part.skipped(first.start, REGISTER, Why::Word)));
        part.removed.extend(words.map(|word| (word.start..word.end(), None)));
        let items = items(text, &all, macros);
        part.select(&items, false, skipped);
        part.items = items;
        part
    }

    /// Leaves out what is for the host, as far as its declaration says so.
    fn select(&mut self, items: &[Item], member: bool, skipped: &mut Vec<Skipped>) {
        for item in items {
            let space = item.space;
            let host = match &item.what {
                What::Function { kept_by_class, .. } if !kept_by_class && !space.on_device() && !space.constexpr => {
                    Some(Why::HostFunction)
                }
                What::Variable { constant } if !member && !constant && !space.on_device() => Some(Why::HostVariable),
                _ => None,
            };
            match host {
                Some(why) => {
                    skipped.push(self.skipped(item.span.start, &item.name, why));
                    self.removed.push((item.span.clone(), None));
                }
                None => self.select(&item.inner, true, skipped),
            }
        }
    }

    fn skipped(&self, at: usize, name: &str, why: Why) -> Skipped {
        let line = 1 + self.original[..at].matches('\n').count() as u32;
        Skipped { name: name.to_owned(), file: self.file.clone(), line, why }
    }

    /// Is there nothing in it but what the compiler takes as it stands?
    pub fn is_plain(&self) -> bool {
        let lenient =
            |item: &Item| item.space.constexpr && !item.space.on_device() && matches!(item.what, What::Function { .. });
        self.removed.is_empty() && !self.items.iter().any(lenient) && !self.original.contains("std::")
    }

    /// The text for the compiler.
    pub fn text(&self) -> String {
        let all = tokens(&self.original);
        let inside = |span: &Range<usize>| {
            self.removed.iter().any(|(outer, _)| outer != span && outer.start <= span.start && span.end <= outer.end)
        };
        let mut removed: Vec<_> = self.removed.iter().filter(|(span, _)| !inside(span)).collect();
        // From the last to the first: what is put in may have another length.
        removed.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = self.original.clone();
        for (span, instead) in removed {
            match instead {
                Some(line) => text.replace_range(span.clone(), line),
                None => blank(&mut text, span, &self.original, &all),
            }
        }
        text
    }

    /// Kernels in order.
    pub fn kernels(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.space.global && matches!(item.what, What::Function { .. }))
    }

    /// Is there `extern __shared__` memory outside of kernels?
    pub fn hands_out_dynamic_shared(&self) -> bool {
        let outside = self.items.iter().filter(|item| !item.space.global);
        outside.map(|item| tokens(&self.original[item.span.clone()])).any(|all| has_dynamic_shared(&all))
    }

    /// Its declarations.
    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.iter()
    }

    /// The text as it was.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Declarations that are still there.
    fn kept(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| !self.is_removed(&item.span))
    }

    fn is_removed(&self, span: &Range<usize>) -> bool {
        self.removed.iter().any(|(removed, _)| removed.start <= span.start && span.end <= removed.end)
    }

    /// Adds the names that declarations of those names use; true if there were new ones.
    pub fn reach(&self, names: &mut HashSet<String>) -> bool {
        let before = names.len();
        for item in self.kept() {
            let operator = item.name.ends_with("operator");
            if operator && !item.space.global || names.contains(last(&item.name)) {
                names.extend(words(&self.original[item.span.clone()]));
            }
        }
        for token in tokens(&self.original).iter().filter(|token| token.kind == Kind::Directive) {
            let (word, rest) = directive(token.text);
            let mut inner = words(rest);
            if word == "define" && inner.next().is_some_and(|name| names.contains(&name)) {
                names.extend(inner);
            }
        }
        names.len() > before
    }

    /// Leaves out the `#include` of a header in which the compiler stopped; inside of Thrust of any that it may have come from.
    pub fn refuse_header(&mut self, file: &str) -> Option<Skipped> {
        let named = self.includes.iter().position(|(_, name)| name.trim_matches(['<', '>', '"']) == file);
        let thrust =
            || self.includes.iter().position(|(_, name)| is_thrust(file) && is_thrust(name) && !is_taken(name));
        let at = named.or_else(thrust)?;
        Some(self.drop_include(at))
    }

    /// The lines of Thrust's headers that the compiler may refuse and that are included still, each with the header as `<name>` or `"name"`.
    pub fn thrust(&self) -> impl Iterator<Item = (u32, &str)> {
        let thrust = self.includes.iter().filter(|(_, name)| is_thrust(name) && !is_taken(name));
        thrust.map(|(span, name)| (self.skipped(span.start, name, Why::Header).line, name.as_str()))
    }

    /// Includes a header in the place of one that is not there, so that no line moves; false if there is no such place.
    pub fn bring(&mut self, header: &str) -> bool {
        let line = format!("#include <{header}>");
        if self.removed.iter().any(|(_, instead)| instead.as_ref() == Some(&line)) {
            return false;
        }
        let absent = self.removed.iter_mut().find(|(_, instead)| instead.as_ref().is_some_and(String::is_empty));
        absent.map(|(_, instead)| *instead = Some(line)).is_some()
    }

    fn drop_include(&mut self, at: usize) -> Skipped {
        let (span, name) = self.includes.remove(at);
        let skipped = self.skipped(span.start, &name, Why::Header);
        self.removed.push((span, Some(String::new())));
        skipped
    }

    /// Leaves out what stands on a line that the compiler refused, unless it is among the names that are needed.
    pub fn refuse(&mut self, line: u32, message: &str, needed: &HashSet<String>) -> Option<Skipped> {
        let start = line_start(&self.original, line)?;
        let end = self.original[start..].find('\n').map_or(self.original.len(), |at| start + at);
        let on = |span: &Range<usize>| span.start < end.max(start + 1) && start < span.end;
        if let Some(at) = self.includes.iter().position(|(span, _)| on(span)) {
            return Some(self.drop_include(at));
        }
        // A constant that only the host can work out: a kernel may have a parameter of its name.
        let hosts = |item: &Item| {
            matches!(item.what, What::Variable { .. })
                && !item.space.on_device()
                && message.contains("dynamic initialization")
        };
        let stays = |item: &&Item| {
            needed.contains(last(&item.name)) && !hosts(item)
                || self.original[item.span.clone()].starts_with("static_assert")
        };
        let item = self.kept().find(|item| on(&item.span)).filter(|item| !stays(item))?;
        let (span, name) = (item.span.clone(), item.name.clone());
        let skipped = self.skipped(span.start, &name, Why::Refused(message.to_owned()));
        self.removed.push((span, None));
        Some(skipped)
    }
}

/// Is there `extern __shared__` memory?
pub fn has_dynamic_shared(tokens: &[Token]) -> bool {
    tokens.windows(4).any(|four| four[0].is("extern") && four[1..].iter().any(|token| token.is("__shared__")))
}

/// The byte at which a line, from 1, starts.
fn line_start(text: &str, line: u32) -> Option<usize> {
    match line.checked_sub(2) {
        None => (line == 1).then_some(0),
        Some(nth) => text.match_indices('\n').nth(nth as usize).map(|(at, _)| at + 1),
    }
}

/// The name without its namespaces.
pub fn last(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// The names in a piece of text.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    tokens(text).into_iter().filter(|token| token.kind == Kind::Name).map(|token| token.text.to_owned())
}

/// The `#include` directives with their `<name>` or `"name"`.
pub fn included(tokens: &[Token]) -> Vec<(Range<usize>, String)> {
    let name = |text: &str| {
        let (word, rest) = directive(text);
        let rest = (word == "include").then_some(rest)?.trim();
        let close = match rest.chars().next()? {
            '<' => '>',
            '"' => '"',
            _ => return None,
        };
        let end = rest[1..].find(close)? + 2;
        Some(rest[..end].to_owned())
    };
    let found = tokens.iter().filter(|token| token.kind == Kind::Directive);
    found.filter_map(|token| Some((token.start..token.end(), name(token.text)?))).collect()
}

/// Blanks everything but the directives that decide what is compiled; lines and columns stay.
fn blank(text: &mut String, span: &Range<usize>, original: &str, tokens: &[Token]) {
    const DECIDE: [&str; 8] = ["if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef"];
    let decides = |token: &&Token| {
        token.kind == Kind::Directive && span.contains(&token.start) && DECIDE.contains(&directive(token.text).0)
    };
    let mut blanked = String::with_capacity(span.len());
    let mut at = span.start;
    let empty = |text: &str| -> String { text.chars().map(|c| if c == '\n' { c } else { ' ' }).collect() };
    for token in tokens.iter().filter(decides) {
        blanked.push_str(&empty(&original[at..token.start]));
        blanked.push_str(&original[token.start..token.end().min(span.end)]);
        at = token.end().min(span.end);
    }
    blanked.push_str(&empty(&original[at..span.end]));
    text.replace_range(span.clone(), &blanked);
}

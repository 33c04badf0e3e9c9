//! What a body hands on by reference: functions, casts and other names may write there as if they were given the address.

use super::heads::split;
use super::host::matching;
use super::items::{Item, What};
use super::lexer::{Kind, Token, tokens};
use super::part::last;
use std::collections::{BTreeSet, HashMap};

/// The arguments that functions take by reference and may write, by the functions' names.
pub struct References(HashMap<String, BTreeSet<usize>>);

/// Most tokens of template arguments.
const ARGUMENTS: usize = 100;

impl References {
    /// Of none but the library's own.
    pub fn known() -> References {
        let both = [("swap", vec![0, 1]), ("exchange", vec![0])];
        References(both.into_iter().map(|(name, all)| (name.to_owned(), all.into_iter().collect())).collect())
    }

    /// Adds the functions of a text, those of classes too.
    pub fn add<'t>(&mut self, items: impl Iterator<Item = &'t Item>, text: &str) {
        for item in items {
            if let What::Function { parameters, .. } = &item.what {
                let all = tokens(text.get(parameters.clone()).unwrap_or_default());
                let taken = split(&all).into_iter().enumerate().filter(|(_, one)| may_be_written(one));
                let taken: BTreeSet<usize> = taken.map(|(index, _)| index).collect();
                if !taken.is_empty() {
                    self.0.entry(last(&item.name).to_owned()).or_default().extend(taken);
                }
            }
            self.add(item.inner.iter(), text);
        }
    }

    /// A body with a `&` before everything that is handed on by reference.
    pub fn marked<'a>(&self, body: &[Token<'a>]) -> Vec<Token<'a>> {
        let mut places = BTreeSet::new();
        for at in 0..body.len() {
            places.extend(self.passed(body, at));
            places.extend(named(body, at));
            places.extend(cast(body, at));
        }
        let mut all = Vec::with_capacity(body.len() + places.len());
        for (at, token) in body.iter().enumerate() {
            if places.contains(&at) && !token.is("&") {
                all.push(Token { kind: Kind::Punct, text: "&", start: token.start });
            }
            all.push(*token);
        }
        all
    }

    /// Where those arguments begin of the call whose name stands at `at`.
    fn passed(&self, body: &[Token], at: usize) -> Vec<usize> {
        // An object that makes its element an atomic.
        let atomic = body[at].is("atomic_ref");
        let one = BTreeSet::from([0]);
        let wanted = if atomic { Some(&one) } else { self.0.get(body[at].text) };
        let Some(wanted) = wanted.filter(|_| body[at].kind == Kind::Name) else { return Vec::new() };
        let mut open = after_angles(body, at + 1);
        open += usize::from(atomic && body.get(open).is_some_and(|token| token.kind == Kind::Name));
        let Some(end) = matching(body, open) else { return Vec::new() };
        let arguments = split(&body[open + 1..end]);
        let first = |piece: &&[Token]| {
            let start = piece.first()?.start;
            (open..end).find(|at| body[*at].start == start)
        };
        wanted.iter().filter_map(|index| first(arguments.get(*index)?)).collect()
    }
}

/// Behind `<...>`, if that stands at `at`.
fn after_angles(body: &[Token], at: usize) -> usize {
    if !body.get(at).is_some_and(|token| token.is("<")) {
        return at;
    }
    let mut depth = 0_i32;
    let close = body[at..].iter().take(ARGUMENTS).position(|token| {
        depth += i32::from(token.is("<")) - i32::from(token.is(">"));
        depth == 0
    });
    close.map_or(at, |close| at + close + 1)
}

/// Is a parameter a reference to something that is not constant?
fn may_be_written(one: &[Token]) -> bool {
    one.iter().any(|token| token.is("&")) && !one.iter().any(|token| token.is("const"))
}

/// What gets another name: `float &v = x[i]`, whose `&` stands at `at`.
fn named(body: &[Token], at: usize) -> Option<usize> {
    let is = |at: usize, text: &str| body.get(at).is_some_and(|token| token.is(text));
    let name = |at: usize| body.get(at).is_some_and(|token| token.kind == Kind::Name);
    let before = at.checked_sub(1)?;
    let declares = is(at, "&") && (name(before) || is(before, ">")) && name(at + 1) && is(at + 2, "=");
    let begins = body[..at].iter().rposition(|token| [";", "{", "}", "("].iter().any(|sign| token.is(sign)));
    let constant = body[begins.map_or(0, |begins| begins + 1)..at].iter().any(|token| token.is("const"));
    (declares && !is(at + 3, "=") && !constant).then_some(at + 3)
}

/// What becomes a reference to another type: `(T &)x[i]`, `reinterpret_cast<T &>(x[i])`, whose `&` stands at `at`.
fn cast(body: &[Token], at: usize) -> Option<usize> {
    let is = |at: usize, text: &str| body.get(at).is_some_and(|token| token.is(text));
    let (open, after) = match () {
        () if is(at + 1, ")") => ("(", at + 2),
        () if is(at + 1, ">") && is(at + 2, "(") => ("<", at + 3),
        () => return None,
    };
    let begins = body[..at].iter().rposition(|token| token.is(open)).filter(|_| is(at, "&"))?;
    let constant = body[begins..at].iter().any(|token| token.is("const"));
    (!constant && body.get(after).is_some()).then_some(after)
}

//! Constructors of structures: which argument becomes which member, where one does so as it is.

use super::classes::Member;
use super::heads::split;
use super::host::{Made, Value, matching};
use super::lexer::{Kind, Token};

/// A constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constructor {
    /// How many arguments it takes.
    arguments: usize,
    /// For each member the argument that it is made of, unchanged.
    members: Vec<Option<usize>>,
}

/// The value of a structure's member where the host makes it: by its braces, or by the constructor that takes as many arguments.
pub fn value(built: &[Constructor], made: &Made, member: usize) -> Option<Value> {
    if built.is_empty() {
        return made.values.get(member).copied().flatten();
    }
    let mut fit = built.iter().filter(|one| one.arguments == made.values.len());
    let one = fit.next()?;
    // Of several only their types tell.
    let alone = fit.next().is_none();
    let argument = (*one.members.get(member)?).filter(|_| alone)?;
    made.values.get(argument).copied().flatten()
}

/// The constructors in a class's braces; of one that does anything else than to hand its arguments on no member is known.
pub fn constructors(body: &[Token], name: &str, members: &[Member]) -> Vec<Constructor> {
    let is = |at: usize, text: &str| body.get(at).is_some_and(|token| token.is(text));
    let declares = |at: &usize| {
        let destroys = at.checked_sub(1).is_some_and(|before| is(before, "~"));
        is(*at, name) && is(at + 1, "(") && !destroys
    };
    let read = |at: usize| {
        let end = matching(body, at + 1);
        let list = end.map_or_else(Vec::new, |end| split(&body[at + 2..end]));
        let parameters: Vec<&str> = list
            .iter()
            .filter(|one| !one.iter().all(|token| token.is("void")))
            .map(|one| {
                let end = one.iter().position(|token| token.is("=")).unwrap_or(one.len());
                one[..end].iter().rfind(|token| token.kind == Kind::Name).map_or("", |token| token.text)
            })
            .collect();
        let pairs = end.and_then(|end| handed_on(body, end + 1)).unwrap_or_default();
        let argument = |member: &Member| {
            let mut of = pairs.iter().filter(|(to, _)| *to == member.name);
            let from = of.next().filter(|_| of.next().is_none())?.1;
            parameters.iter().position(|parameter| *parameter == from && !from.is_empty())
        };
        Constructor { arguments: parameters.len(), members: members.iter().map(argument).collect() }
    };
    (0..body.len()).filter(declares).map(read).collect()
}

/// Members with the names that they are made of: `: a(x), b{y} { c = z; this->d = d; }`; nothing of what does more.
fn handed_on<'a>(body: &[Token<'a>], from: usize) -> Option<Vec<(&'a str, &'a str)>> {
    let is = |at: usize, text: &str| body.get(at).is_some_and(|token| token.is(text));
    let named = |at: usize| body.get(at).filter(|token| token.kind == Kind::Name).map(|token| token.text);
    let mut pairs = Vec::new();
    let mut at = from;
    if is(at, ":") {
        loop {
            let close = matching(body, at + 2)?;
            // What is made otherwise is not known; that it is made is all that happens.
            let plain = named(at + 3).filter(|_| close == at + 4).unwrap_or_default();
            pairs.push((named(at + 1)?, plain));
            at = close + 1;
            if !is(at, ",") {
                break;
            }
        }
    }
    if !is(at, "{") {
        return None;
    }
    at += 1;
    while !is(at, "}") {
        if is(at, "this") && is(at + 1, "-") && is(at + 2, ">") {
            at += 3;
        }
        pairs.push((named(at)?, named(at + 2)?));
        if !is(at + 1, "=") || !is(at + 3, ";") {
            return None;
        }
        at += 4;
    }
    Some(pairs)
}

//! The host's `for` loops around its launches: what counts in them is the size of nothing, and a line may count as well.

use super::super::lexer::{Kind, Token};
use super::constants::Constants;
use super::value::{Value, matching, split};
use std::ops::Range;

/// A loop that counts.
pub struct Loop<'a> {
    /// The bytes of its body.
    pub body: Range<usize>,
    /// What counts.
    pub counter: &'a str,
    /// What it is at first, how long it goes on, what it is next.
    head: [Vec<Token<'a>>; 3],
}

/// A loop as a line can have it: `for (NAME = FROM; TEST; NAME = NEXT)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Counting {
    /// Where it stands in the host's text.
    pub place: usize,
    /// What counts.
    pub counter: String,
    /// What it is at first.
    pub from: String,
    /// How long it goes on.
    pub test: String,
    /// What it is next.
    pub next: String,
}

/// Most tokens of a piece of a loop's head.
const LONGEST: usize = 40;

/// Those of a text.
pub fn loops<'a>(tokens: &[Token<'a>]) -> Vec<Loop<'a>> {
    (0..tokens.len()).filter(|at| tokens[*at].is("for")).filter_map(|at| one(tokens, at)).collect()
}

fn one<'a>(tokens: &[Token<'a>], at: usize) -> Option<Loop<'a>> {
    let close = matching(tokens, at + 1)?;
    let mut pieces = tokens[at + 2..close].split(|token| token.is(";"));
    let (first, test, next) = (pieces.next()?, pieces.next()?, pieces.next()?);
    // Of `for (int i = 0, j = 1; ...)` the first.
    let first = *split(first).first()?;
    let assigned = first.iter().position(|token| token.is("="))?;
    let counter = first[..assigned].last().filter(|token| token.kind == Kind::Name)?.text;
    let end = statement_end(tokens, close + 1)?;
    let head = [first[assigned + 1..].to_vec(), test.to_vec(), next.to_vec()];
    Some(Loop { body: tokens[close].start..tokens[end].start, counter, head })
}

/// Where a statement ends: at its `}`, or at its `;`, behind the heads of what it is the body of.
fn statement_end(tokens: &[Token], mut at: usize) -> Option<usize> {
    while ["for", "while", "if"].iter().any(|word| tokens.get(at).is_some_and(|token| token.is(word))) {
        at = matching(tokens, at + 1)? + 1;
    }
    match matching(tokens, at) {
        Some(end) if tokens[at].is("{") => Some(end),
        _ => Some(at + tokens.get(at..)?.iter().position(|token| token.is(";"))?),
    }
}

impl<'a> Loop<'a> {
    /// As a line has it, if all of it is known but for the counters `around` it.
    pub fn counting(&self, constants: &Constants<'a>, around: &[&str]) -> Option<Counting> {
        let within: Vec<&str> = around.iter().copied().chain([self.counter]).collect();
        let [from, test, next] = &self.head;
        Some(Counting {
            place: self.body.start,
            counter: self.counter.to_owned(),
            from: spelled(constants, from, around)?,
            test: spelled(constants, test, &within)?,
            next: self.next(constants, next, &within)?,
        })
    }

    /// Is this the counter of another loop that its head has?
    pub fn names(&self, counter: &str) -> bool {
        self.counter != counter && self.head.iter().flatten().any(|token| token.is(counter))
    }

    /// `i++`, `i += 2`, `i <<= 1`, `i = i / 2` as what `i` becomes.
    fn next(&self, constants: &Constants<'a>, step: &[Token<'a>], within: &[&str]) -> Option<String> {
        let counter = self.counter;
        let own = |token: &Token| token.is(counter);
        let signs: String = step.iter().filter(|token| !own(token)).map(|token| token.text).collect();
        match (step.len(), signs.as_str()) {
            (3, "++") => return Some(format!("{counter} + 1")),
            (3, "--") => return Some(format!("{counter} - 1")),
            _ => {}
        }
        let (first, rest) = step.split_first()?;
        let equal = rest.iter().position(|token| token.is("=")).filter(|_| own(first))?;
        let value = spelled(constants, rest.get(equal + 1..)?, within)?;
        match rest[..equal].iter().map(|token| token.text).collect::<String>().as_str() {
            "" => Some(value),
            operator @ ("+" | "-" | "*" | "/" | "<<" | ">>") => {
                let one = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                Some(format!("{counter} {operator} {}", if one { value } else { format!("({value})") }))
            }
            _ => None,
        }
    }
}

/// Tokens as a line has them: counters by their names, all else by its value.
pub fn spelled(constants: &Constants, piece: &[Token], counters: &[&str]) -> Option<String> {
    let mut text = String::new();
    let mut before: Option<&Token> = None;
    for token in piece.iter().take(LONGEST + 1) {
        let word = match token.kind {
            Kind::Name if counters.contains(&token.text) => token.text.to_owned(),
            Kind::Name | Kind::Literal => {
                let value = constants.value(std::slice::from_ref(token)).and_then(Value::number)?;
                if value < 0 { format!("({value})") } else { value.to_string() }
            }
            Kind::Punct if "+-*/%()<>=!".contains(token.text) => token.text.to_owned(),
            Kind::Punct | Kind::Directive => return None,
        };
        // `<=` stays together.
        let close = before.is_some_and(|before| before.end() == token.start);
        text.push_str(if text.is_empty() || close { "" } else { " " });
        text.push_str(&word);
        before = Some(token);
    }
    (!text.is_empty() && piece.len() <= LONGEST).then_some(text)
}

//! Enumerations: the integer beneath, and what their enumerators are worth.

use super::heads::split;
use super::items::Item;
use super::lexer::{Kind, Token, tokens};
use std::ops::Range;

/// Before the type beneath, where the name of an enumeration is another name for a type.
const MARK: &str = "enum ";
/// Most enumerators of one that are read.
const MOST: usize = 64;

/// The enumeration that a declaration declares, as another name for the type beneath: `enum class E : unsigned char { ... };`.
pub fn alias(item: &Item, text: &str) -> Option<(String, String)> {
    let all = tokens(text.get(item.span.clone())?);
    let at = usize::from(all.first()?.is("typedef"));
    let open = head(&all, at)?;
    let own = || all[at + 1..open.start].iter().rfind(|token| token.kind == Kind::Name && !is_word(token));
    let behind = || all.iter().rfind(|token| token.kind == Kind::Name);
    let name = if at == 1 { behind() } else { own() }?;
    let beneath: Vec<&str> = all[open.clone()].iter().skip(1).map(|token| token.text).collect();
    let beneath =
        if beneath.is_empty() { "int".to_owned() } else { beneath.join(" ").replace(" ::", "::").replace(":: ", "::") };
    Some((name.text.to_owned(), format!("{MARK}{beneath}")))
}

/// The type beneath, of the text of a type that is an enumeration: `enum unsigned char`.
pub fn beneath(base: &str) -> Option<&str> {
    let mut rest = base.strip_prefix(MARK)?;
    // As C has it, `enum E e`.
    while let Some(more) = rest.strip_prefix(MARK) {
        rest = more;
    }
    Some(rest)
}

/// Of `enum NAME : TYPE {` whose `enum` is at `at`: the range from `:`, or from `{`, to the `{`.
fn head(all: &[Token], at: usize) -> Option<Range<usize>> {
    all.get(at).filter(|token| token.is("enum"))?;
    let open = at + all[at..].iter().take_while(|token| !token.is(";")).position(|token| token.is("{"))?;
    let colon = all[at..open].iter().position(|token| token.is(":")).map_or(open, |colon| at + colon);
    Some(colon..open)
}

fn is_word(token: &Token) -> bool {
    token.is("class") || token.is("struct")
}

/// An enumerator.
pub struct Enumerator<'a> {
    /// `RED` and `Color::RED`; only the latter of a scoped enumeration.
    pub names: Vec<String>,
    /// Where it stands.
    pub start: usize,
    /// What it is worth, as an expression.
    pub value: Vec<Token<'a>>,
}

/// The enumerators of the enumeration whose `enum` is at `at`.
pub fn enumerators<'a>(all: &[Token<'a>], at: usize) -> Vec<Enumerator<'a>> {
    let Some(Range { start: colon, end: open }) = head(all, at) else { return Vec::new() };
    let name = all[at + 1..colon].iter().rfind(|token| token.kind == Kind::Name && !is_word(token));
    let scoped = all.get(at + 1).is_some_and(is_word);
    let Some(end) = all[open..].iter().position(|token| token.is("}")).map(|end| open + end) else {
        return Vec::new();
    };
    let mut found: Vec<Enumerator> = Vec::new();
    // The last value that is said, and how many came after it.
    let (mut said, mut after): (Vec<Token>, usize) = (Vec::new(), 0);
    for piece in split(&all[open + 1..end]).into_iter().take(MOST) {
        let Some(own) = piece.first().filter(|token| token.kind == Kind::Name) else { break };
        let sign = |text| Token { kind: Kind::Punct, text, start: own.start };
        let number = |text| Token { kind: Kind::Literal, text, start: own.start };
        if piece.get(1).is_some_and(|token| token.is("=")) {
            (said, after) = ([&[sign("(")], &piece[2..], &[sign(")")]].concat(), 0);
        } else if found.is_empty() {
            said = vec![number("0")];
        } else {
            after += 1;
        }
        let one_more = [sign("+"), number("1")];
        let value = [said.clone(), one_more.repeat(after)].concat();
        let long = name.map(|name| format!("{}::{}", name.text, own.text));
        let short = (!scoped).then(|| own.text.to_owned());
        found.push(Enumerator { names: short.into_iter().chain(long).collect(), start: own.start, value });
    }
    found
}

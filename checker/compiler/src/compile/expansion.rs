//! How much a source's own macros make of it, counted before the compiler starts: a few lines of macros that repeat each
//! other can ask for more text than any machine holds, and the compiler would say nothing for as long as it may run.

use crate::own::lexer::{Kind, Token, tokens};
use crate::own::macros;
use std::collections::HashMap;

/// Most tokens that macros may make of a source. The compiler takes about fifteen seconds for as many.
pub const MOST: u64 = 1 << 24;
/// Deepest nesting that is followed; beyond it a name counts once.
const DEEPEST: usize = 200;
/// Most tokens that are looked at on the way.
pub const STEPS: u64 = 1 << 22;

struct Macro<'a> {
    /// Names of its parameters, where it has any or an empty list.
    parameters: Option<Vec<&'a str>>,
    body: Vec<Token<'a>>,
}

/// The macro that makes too much of a text, and its line: `texts` are the source and its headers, in whatever order.
pub fn too_much(texts: &[&str]) -> Option<(usize, u32, String)> {
    let all: Vec<Vec<Token>> = texts.iter().map(|text| tokens(text)).collect();
    let mut macros = HashMap::new();
    for token in all.iter().flatten().filter(|token| token.kind == Kind::Directive) {
        if let Some((name, found)) = definition(token.text) {
            macros.insert(name, found);
        }
    }
    let mut counter = Counter { macros: &macros, known: HashMap::new(), steps: 0, open: Vec::new() };
    let mut made = 0;
    for (index, tokens) in all.iter().enumerate() {
        let plain: Vec<Item> = tokens.iter().filter(|token| token.kind != Kind::Directive).map(Item::of).collect();
        let mut at = 0;
        while at < plain.len() {
            let (next, size) = counter.one(&plain, at);
            // What stands there is the text's own.
            made += size - plain[at].size.min(size);
            if made > MOST || counter.steps > STEPS {
                let token = plain[at].token;
                let line = 1 + texts[index][..token.start].matches('\n').count() as u32;
                return Some((index, line, token.text.to_owned()));
            }
            at = next;
        }
    }
    None
}

/// A token, or an argument that has been replaced: how many tokens it makes.
#[derive(Clone, Copy)]
struct Item<'a> {
    token: Token<'a>,
    size: u64,
    done: bool,
}

impl<'a> Item<'a> {
    fn of(token: &Token<'a>) -> Item<'a> {
        Item { token: *token, size: 1, done: false }
    }
}

struct Counter<'m, 'a> {
    macros: &'m HashMap<&'a str, Macro<'a>>,
    /// Sizes of macros without parameters.
    known: HashMap<&'a str, u64>,
    /// Tokens that were looked at on the way.
    steps: u64,
    /// Macros that are being replaced: they are not replaced inside themselves.
    open: Vec<&'a str>,
}

impl<'a> Counter<'_, 'a> {
    /// How many tokens a list makes.
    fn size(&mut self, list: &[Item<'a>]) -> u64 {
        let (mut at, mut all) = (0, 0_u64);
        while at < list.len() && self.steps <= STEPS {
            self.steps += 1;
            let (next, size) = self.one(list, at);
            all = all.saturating_add(size);
            at = next;
        }
        all
    }

    /// How many tokens what stands at `at` makes, and where to go on.
    fn one(&mut self, list: &[Item<'a>], at: usize) -> (usize, u64) {
        let Item { token, size, done } = list[at];
        let found = self.macros.get(token.text).filter(|_| token.kind == Kind::Name && !done);
        let Some(found) = found.filter(|_| self.open.len() < DEEPEST && !self.open.contains(&token.text)) else {
            return (at + 1, size);
        };
        let Some(parameters) = &found.parameters else {
            if let Some(size) = self.known.get(token.text) {
                return (at + 1, *size);
            }
            let size = self.inside(token.text, &found.body.iter().map(Item::of).collect::<Vec<_>>());
            self.known.insert(token.text, size);
            return (at + 1, size);
        };
        let end = closing(list, at + 1);
        self.steps += (end.unwrap_or(list.len()) - at) as u64;
        let Some(end) = end else { return (at + 1, size) };
        // Arguments are replaced first, then the body with them in it.
        let sizes: Vec<u64> = split(&list[at + 2..end]).into_iter().map(|argument| self.size(argument)).collect();
        let item = |token: &Token<'a>| {
            let size = parameters.iter().position(|name| token.is(name)).and_then(|index| sizes.get(index));
            size.map_or(Item::of(token), |size| Item { token: *token, size: *size, done: true })
        };
        let body: Vec<Item> = found.body.iter().map(item).collect();
        (end + 1, self.inside(token.text, &body))
    }

    fn inside(&mut self, name: &'a str, body: &[Item<'a>]) -> u64 {
        self.open.push(name);
        let size = self.size(body);
        self.open.pop();
        size
    }
}

/// `#define NAME BODY` or `#define NAME(A, B) BODY`
fn definition(text: &str) -> Option<(&str, Macro<'_>)> {
    let (name, rest) = macros::definition(text)?;
    let body = tokens(rest);
    if !rest.starts_with('(') {
        return Some((name, Macro { parameters: None, body }));
    }
    let close = body.iter().position(|token| token.is(")"))?;
    let parameters = body[1..close].iter().filter(|token| token.kind == Kind::Name).map(|token| token.text).collect();
    Some((name, Macro { parameters: Some(parameters), body: body[close + 1..].to_vec() }))
}

/// The `)` that closes the `(` at `open`.
fn closing(list: &[Item], open: usize) -> Option<usize> {
    if !list.get(open).is_some_and(|item| item.token.is("(")) {
        return None;
    }
    let mut depth = 0_i32;
    (open..list.len()).find(|at| {
        let token = list[*at].token;
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        depth == 0
    })
}

/// Pieces between commas that no parenthesis encloses.
fn split<'t, 'a>(list: &'t [Item<'a>]) -> Vec<&'t [Item<'a>]> {
    let mut depth = 0_i32;
    list.split(|item| {
        depth += i32::from(item.token.is("(")) - i32::from(item.token.is(")"));
        depth == 0 && item.token.is(",")
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(first: &str, each: &str, times: usize) -> String {
        let lines: Vec<String> =
            (1..=times).map(|n| each.replace("{n}", &n.to_string()).replace("{m}", &(n - 1).to_string())).collect();
        format!("{first}\n{}\n", lines.join("\n"))
    }

    #[test]
    fn what_doubles_too_often_is_found_at_its_use() {
        let object = doubled("#define M0 +1", "#define M{n} M{m} M{m}", 40);
        assert_eq!(too_much(&[&format!("{object}int a;\nint x = 1 M40;")]), Some((0, 43, "M40".to_owned())));
        assert_eq!(too_much(&[&format!("{object}int x = 1 M16;")]), None);
        // Defined and not used; defined by itself.
        assert_eq!(too_much(&[&object, "int M; \n#define M M M\nint b = M;"]), None);
        let function = doubled("#define F0(x) x x", "#define F{n}(x) F{m}(x) F{m}(x)", 40);
        assert_eq!(too_much(&["int a;", &format!("{function}F40(+ 1)")]), Some((1, 42, "F40".to_owned())));
        let nested = format!("#define T(x) x x x\nint y = {}1{};", "T(".repeat(40), ")".repeat(40));
        assert_eq!(too_much(&[&nested]).map(|(_, line, _)| line), Some(2));
    }

    #[test]
    fn any_text_ends() {
        let chain = doubled("#define C0 1", "#define C{n} C{m}", 20_000);
        // Calls without an end are no endless search.
        let open = format!("#define F(x) x\n{}", "F( ".repeat(100_000));
        assert!(too_much(&[&open]).is_some());
        for text in [&format!("{chain}C20000"), "#define F(x\nF(", "#define F(x) F(x) x\nF(F(1))", "#define", "F(((("] {
            assert_eq!(too_much(&[text]), None);
        }
    }
}

//! The types of what the host passes: of variables by their declarations, of numbers by their spelling.

use super::super::guess::element;
use super::super::lexer::{Kind, Token};
use super::constants::Constants;
use super::types::Types;

/// Classes whose `data()` points to elements.
const VECTORS: [&str; 4] = ["vector", "device_vector", "host_vector", "universal_vector"];
/// Words of a declaration before its type.
const BEFORE: [&str; 7] = ["const", "static", "constexpr", "volatile", "extern", "register", "typename"];
/// Words behind it.
const BEHIND: [&str; 4] = ["const", "__restrict__", "__restrict", "volatile"];
/// Most tokens of a declaration before a variable.
const LONGEST: usize = 200;

/// A type, and how many pointers to it something is.
pub type Declared<'a> = (Vec<Token<'a>>, i32);

/// The type of an argument, and how many pointers to it it is.
pub fn declared<'a>(
    constants: &Constants<'a>,
    types: &Types,
    tokens: &[Token<'a>],
    piece: &[Token<'a>],
) -> Option<Declared<'a>> {
    let piece = constants.through(piece);
    let first = piece.first()?;
    let known = |ty: &[Token<'a>]| types.spelled(constants, ty).is_some();
    if let Some(ty) = number(piece) {
        return Some((vec![Token { kind: Kind::Name, text: ty, start: first.start }], 0));
    }
    // `(T *)p`, `static_cast<T *>(p)`
    for (open, close) in [("(", ")"), ("<", ">")] {
        let from = usize::from(open == "<");
        if from == 1 && !first.text.ends_with("_cast") || !piece.get(from)?.is(open) {
            continue;
        }
        let end = piece.iter().position(|token| token.is(close))?;
        let stars = piece[..end].iter().rev().take_while(|token| token.is("*")).count();
        let ty: Vec<Token> = piece[from + 1..end - stars].iter().copied().filter(|token| !token.is("const")).collect();
        if stars > 0 && known(&ty) {
            return Some((ty, stars as i32));
        }
    }
    // `half(2)`
    if piece.get(1).is_some_and(|next| next.is("(")) && known(&piece[..1]) {
        return Some((piece[..1].to_vec(), 0));
    }
    let is = |at: usize, text: &str| piece.get(at).is_some_and(|token| token.is(text));
    let stands_alone = |at: usize| {
        let called = ["(", "::", "<"].iter().any(|next| is(at + 1, next));
        piece[at].kind == Kind::Name && !called && !at.checked_sub(1).is_some_and(|before| is(before, "::"))
    };
    let at = (0..piece.len()).find(|at| stands_alone(*at))?;
    let here = tokens.partition_point(|token| token.start < piece[at].start);
    let (ty, pointers) = variable(&known, tokens.get(..here)?, piece[at].text)?;
    let held = ty
        .iter()
        .position(|token| token.is("<"))
        .filter(|open| open.checked_sub(1).is_some_and(|name| VECTORS.iter().any(|vector| ty[name].is(vector))));
    let address = at.checked_sub(1).is_some_and(|before| is(before, "&"));
    let element = is(at + 1, "[");
    match held {
        // `v.data()`, `&v[0]`
        Some(open) if is(at + 1, ".") && is(at + 2, "data") || address && element => {
            Some((ty[open + 1..ty.len() - 1].to_vec(), 1))
        }
        Some(_) => None,
        // A member is of another type.
        None if is(at + 1, ".") || is(at + 1, "-") && is(at + 2, ">") => None,
        None => Some((ty, pointers + i32::from(address) - i32::from(element))),
    }
}

/// The type of a number: `2.f`, `-3`.
fn number(piece: &[Token]) -> Option<&'static str> {
    let piece = if piece.first()?.is("-") { &piece[1..] } else { piece };
    let first = piece.first().filter(|first| first.kind == Kind::Literal)?.text;
    let hex = first.starts_with("0x");
    match () {
        () if piece.len() > 1 || !first.starts_with(|c: char| c.is_ascii_digit() || c == '.') => None,
        () if !hex && first.ends_with(['f', 'F']) => Some("float"),
        () if !hex && first.contains(['.', 'e', 'E']) => Some("double"),
        () if first.ends_with(['u', 'U']) => Some("unsigned"),
        () => first.ends_with(|c: char| c.is_ascii_hexdigit()).then_some("int"),
    }
}

/// The type of a variable by its last declaration: `const T *a, *b = x;`, or as a function's parameter.
fn variable<'a>(known: &dyn Fn(&[Token<'a>]) -> bool, tokens: &[Token<'a>], name: &str) -> Option<Declared<'a>> {
    let declares = |at: &usize| {
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        let ends = ["=", ",", ";", "(", "{", "[", ")"];
        let member = before.is_some_and(|before| [".", "::"].iter().any(|sign| before.is(sign)));
        tokens[*at].is(name) && !member && tokens.get(at + 1).is_none_or(|next| ends.iter().any(|end| next.is(end)))
    };
    (0..tokens.len()).rev().filter(declares).find_map(|at| declaration(known, tokens, at))
}

/// The declaration in which the name at `at` is declared, if it is one.
fn declaration<'a>(known: &dyn Fn(&[Token<'a>]) -> bool, tokens: &[Token<'a>], at: usize) -> Option<Declared<'a>> {
    let from = beginning(tokens, at)?;
    let statement = &tokens[from..at];
    let start = statement.iter().position(|token| !BEFORE.iter().any(|word| token.is(word)))?;
    let rest = &statement[start..];
    rest.first().filter(|first| first.kind == Kind::Name)?;
    let words = rest.iter().take_while(|token| token.kind == Kind::Name && element(token.text).is_some()).count();
    let mut end = words.max(1);
    if words == 0 {
        while rest.get(end).is_some_and(|token| token.is("::")) && rest.get(end + 1)?.kind == Kind::Name {
            end += 2;
        }
    }
    let mut ty = rest.get(..end)?.to_vec();
    if rest.get(end).is_some_and(|token| token.is("<")) {
        let close = end + rest[end..].iter().position(|token| token.is(">"))?;
        let vector = VECTORS.iter().any(|vector| rest[end - 1].is(vector));
        if vector && !known(&rest[end + 1..close]) {
            return None;
        }
        ty.extend_from_slice(&rest[end..=close]);
        end = close + 1;
        if !vector && !known(&ty) {
            return None;
        }
    } else if !known(&ty) {
        return None;
    }
    // Between the type and the name stands nothing, or other declarators.
    let own = rest[end..].iter().rposition(|token| token.is(",")).map_or(end, |comma| end + comma + 1);
    let declarator = rest.get(own..)?;
    let plain =
        declarator.iter().all(|token| token.is("*") || token.is("&") || BEHIND.iter().any(|word| token.is(word)));
    let stars = declarator.iter().filter(|token| token.is("*")).count();
    let array = tokens.get(at + 1).is_some_and(|next| next.is("["));
    plain.then_some((ty, stars as i32 + i32::from(array)))
}

/// Where the statement begins that goes on at `at`; of a function's parameter its own first token.
fn beginning(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    let mut comma = None;
    for one in (0..at).rev().take(LONGEST) {
        let token = &tokens[one];
        depth += i32::from([")", "}", "]"].iter().any(|close| token.is(close)));
        let opens = ["(", "{", "["].iter().any(|open| token.is(open));
        if depth == 0 && opens {
            return if token.is("(") { Some(comma.unwrap_or(one + 1)) } else { Some(one + 1) };
        }
        depth -= i32::from(opens);
        if depth == 0 && (token.is(";") || token.is("}") || token.kind == Kind::Directive) {
            return Some(one + 1);
        }
        // A body's braces end a statement.
        if depth == 1 && token.is("}") && tokens.get(one + 1).is_some_and(|next| next.kind == Kind::Name) {
            return Some(one + 1);
        }
        if depth == 0 && token.is(",") {
            comma = comma.or(Some(one + 1));
        }
    }
    Some(0).filter(|_| at <= LONGEST)
}

//! Structures that kernels take by value: their members, as far as the text says what they are.

use super::constructors::{Constructor, constructors};
use super::guess::element;
use super::heads::{parameter, split};
use super::items::{Item, What};
use super::lexer::{Kind, Token, tokens};
use std::collections::HashMap;

/// A member with data in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The type as `//@` lines have it, or of what it points to; of a vector that of its members.
    pub ty: &'static str,
    /// How many of them a vector has; 1 for what is none.
    pub each: u32,
    /// How many there are in an array; 1 for what is none.
    pub count: u32,
    /// Is it a pointer?
    pub pointer: bool,
}

/// A structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// All members; of what has none a byte without a name.
    pub members: Vec<Member>,
    /// Its constructors: with any, its braces hold their arguments.
    pub built: Vec<Constructor>,
    /// What it is as elements of one type, and how many: of two ints `i32` and 2. Nothing of members of several types, or with gaps between.
    pub cells: Option<(&'static str, u32)>,
}

/// Members that lie without a gap one after the other, all of one type.
fn cells(members: &[Member], head: &[Token]) -> Option<(&'static str, u32)> {
    let first = members.first()?;
    let alike = members.iter().all(|member| member.ty == first.ty && !member.pointer);
    // Vectors of two and four have an alignment of their own.
    let close =
        members.iter().all(|member| member.each % 2 == 1) || members.iter().all(|member| member.each == first.each);
    let aligned = head.iter().any(|token| ["alignas", "__align__", "__attribute__"].iter().any(|word| token.is(word)));
    let many = members.iter().try_fold(0_u32, |sum, member| sum.checked_add(member.each.checked_mul(member.count)?))?;
    (alike && close && !aligned && many > 0).then_some((first.ty, many))
}

/// The structures of a text by their names, of which every member is known.
pub fn classes<'t>(
    items: impl Iterator<Item = &'t Item>,
    text: &str,
    replaced: &dyn Fn(&str) -> String,
) -> HashMap<String, Class> {
    let kept = items.filter(|item| matches!(item.what, What::Type | What::Other) && item.template.is_none());
    kept.filter_map(|item| class(&tokens(text.get(item.span.clone())?), replaced)).collect()
}

/// `struct NAME { ... };` or `typedef struct { ... } NAME;`
fn class(all: &[Token], replaced: &dyn Fn(&str) -> String) -> Option<(String, Class)> {
    let typedef = all.first()?.is("typedef");
    if !["struct", "class"].iter().any(|word| all[usize::from(typedef)..].first().is_some_and(|first| first.is(word))) {
        return None;
    }
    let open = all.iter().position(|token| token.is("{"))?;
    let close = all.iter().rposition(|token| token.is("}"))?;
    // One with bases or a table of functions has more in it than stands here.
    if all[..open].iter().any(|token| token.is(":")) || all.iter().any(|token| token.is("virtual")) {
        return None;
    }
    let name =
        if typedef { all.get(close + 1)? } else { all[..open].iter().rfind(|token| token.kind == Kind::Name)? };
    let mut members = Vec::new();
    for piece in statements(&all[open + 1..close]) {
        let functions = piece.iter().any(|token| token.is("(") || token.is("{"));
        let shared =
            piece.iter().any(|token| ["static", "using", "typedef", "friend"].iter().any(|word| token.is(word)));
        if !functions && !shared {
            members.extend(declared(&piece, replaced)?);
        }
    }
    if members.is_empty() {
        members.push(Member { name: String::new(), ty: "u8", each: 1, count: 1, pointer: false });
    }
    let built = constructors(&all[open..close], name.text, &members);
    let cells = cells(&members, &all[..open]);
    (name.kind == Kind::Name).then(|| (name.text.to_owned(), Class { members, built, cells }))
}

/// What stands between `;`, a function's body included; labels and directives are left out.
fn statements<'a>(all: &[Token<'a>]) -> Vec<Vec<Token<'a>>> {
    let (mut found, mut piece, mut depth) = (Vec::new(), Vec::new(), 0_i32);
    for token in all.iter().filter(|token| token.kind != Kind::Directive) {
        depth += i32::from(token.is("{") || token.is("(")) - i32::from(token.is("}") || token.is(")"));
        if depth == 0 && token.is(":") {
            piece.clear();
            continue;
        }
        if !(depth == 0 && token.is(";")) {
            piece.push(*token);
        }
        if depth == 0 && (token.is(";") || token.is("}")) && !piece.is_empty() {
            found.push(std::mem::take(&mut piece));
        }
    }
    found
}

/// `float x, y[3], *z`: the members of one statement.
fn declared(piece: &[Token], replaced: &dyn Fn(&str) -> String) -> Option<Vec<Member>> {
    let pieces = split(piece);
    let first = pieces.first()?;
    let declarator =
        |piece: &[Token]| piece.iter().position(|token| token.is("=") || token.is("[")).unwrap_or(piece.len());
    let star = first.iter().position(|token| token.is("*"));
    let named = first[..declarator(first)].iter().rposition(|token| token.kind == Kind::Name)?;
    let ty = &first[..star.unwrap_or(named)];
    let one = |(index, piece): (usize, &&[Token])| {
        let whole = if index == 0 { piece.to_vec() } else { [ty, piece].concat() };
        let brackets = |text: &str| whole.iter().filter(|token| token.is(text)).count();
        let count = match (brackets("["), whole.iter().position(|token| token.is("["))) {
            (0, _) => 1,
            (1, Some(at)) => whole.get(at + 1)?.text.parse().ok()?,
            _ => return None,
        };
        let found = parameter(&whole[..declarator(&whole)], index, replaced, &[]);
        let (ty, each) = element(&found.base)?;
        let plain = found.pointers == 0 && (each == 1 || count == 1);
        (plain || found.pointers == 1 && count == 1).then_some(Member {
            name: found.name,
            ty,
            each,
            count,
            pointer: found.pointers == 1,
        })
    };
    pieces.iter().enumerate().map(one).collect()
}

//! Constant memory that a file's host fills: what nobody fills is all zeros.

use super::classes::Class;
use super::guess::element;
use super::heads::{Parameter, parameter, split};
use super::host::{self, Constants};
use super::items::{Item, What};
use super::lexer::{Kind, Token, tokens};
use super::part::last;
use std::collections::HashMap;

/// A `__constant__` variable that the host fills.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// With its namespaces.
    pub name: String,
    /// What it holds.
    pub holds: Holds,
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Holds {
    /// So many elements.
    Elements(&'static str, u64),
    /// A structure, as a parameter would be.
    Structure(Parameter),
    /// Something that no line can fill.
    Unknown,
}

/// Functions that fill a symbol, their first argument.
const FILL: [&str; 2] = ["cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"];
/// Most elements of what the device has 64 KiB for.
const MOST: u64 = 1 << 16;

/// The names of the variables that the texts fill.
pub fn filled<'t>(texts: &[Vec<Token<'t>>]) -> Vec<&'t str> {
    let symbol = |text: &[Token<'t>], at: usize| {
        let call = host::arguments(text, at).filter(|_| FILL.iter().any(|name| text[at].is(name)))?;
        call[0].iter().rfind(|token| token.kind == Kind::Name).map(|token| token.text)
    };
    texts.iter().flat_map(|text| (0..text.len()).filter_map(|at| symbol(text, at))).collect()
}

/// What a declaration declares in constant memory.
pub fn declared(
    item: &Item,
    text: &str,
    constants: &Constants,
    classes: &HashMap<String, Class>,
    replaced: &dyn Fn(&str) -> String,
) -> Vec<Symbol> {
    const WORDS: [&str; 5] = ["__constant__", "__device__", "static", "extern", ";"];
    let all = tokens(text.get(item.span.clone()).unwrap_or_default());
    let elsewhere = all.iter().any(|token| token.is("__shared__") || token.is("__managed__"));
    if !matches!(item.what, What::Variable { .. }) || !item.space.variable || elsewhere {
        return Vec::new();
    }
    let plain: Vec<Token> = all
        .into_iter()
        .filter(|token| !WORDS.iter().any(|word| token.is(word)) && token.kind != Kind::Directive)
        .collect();
    let pieces = split(&plain);
    let prefix = item.name.strip_suffix(last(&item.name)).unwrap_or_default();
    let ends = |piece: &[Token]| piece.iter().position(|token| ["[", "=", "{"].iter().any(|end| token.is(end)));
    let Some(first) = pieces.first().map(|piece| &piece[..ends(piece).unwrap_or(piece.len())]) else {
        return Vec::new();
    };
    let ty = &first[..first.len().saturating_sub(1)];
    let one = |(index, piece): (usize, &&[Token])| {
        let end = ends(piece).unwrap_or(piece.len());
        let declarator = if index == 0 { piece[..end].to_vec() } else { [ty, &piece[..end]].concat() };
        let mut found = parameter(&declarator, index, replaced, &[]);
        let name = format!("{prefix}{}", found.name);
        let plain = found.pointers == 0;
        let many = extents(&piece[end..], constants).filter(|many| plain && *many <= MOST);
        let elements = |ty, each: u32, many: u64| many.checked_mul(each.into()).map(|all| Holds::Elements(ty, all));
        let holds = many.and_then(|many| match (element(&found.base), classes.get(last(&found.base))) {
            (Some((ty, each)), _) => elements(ty, each, many),
            (None, Some(class)) if many == 1 && !class.members.iter().any(|member| member.pointer) => {
                found.members.clone_from(&class.members);
                Some(Holds::Structure(found))
            }
            (None, class) => class?.cells.and_then(|(ty, each)| elements(ty, each, many)),
        });
        Symbol { name, holds: holds.unwrap_or(Holds::Unknown) }
    };
    pieces.iter().enumerate().map(one).collect()
}

/// The product of `[2][R]`; 1 of what is no array.
fn extents(rest: &[Token], constants: &Constants) -> Option<u64> {
    let mut product = 1_u64;
    let mut rest = rest;
    while rest.first().is_some_and(|token| token.is("[")) {
        let end = rest.iter().position(|token| token.is("]"))?;
        let extent = constants.value(&rest[1..end])?.number()?;
        product = product.checked_mul(u64::try_from(extent).ok().filter(|extent| *extent > 0)?)?;
        rest = &rest[end + 1..];
    }
    Some(product)
}

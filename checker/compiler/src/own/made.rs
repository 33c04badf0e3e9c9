//! Kernels that macros make: `OP(relu, x > 0 ? x : 0)` of `#define OP(NAME, E) __global__ void NAME##_kernel(...) { ... }`.

use super::heads::{KernelHead, Names, head};
use super::host::{matching, split};
use super::items::{Item, What, items};
use super::lexer::{Kind, Token, tokens};
use super::macros::{Macros, definition};
use super::part::last;

/// Most bytes of what a macro makes, and most of them that are looked at.
const LONGEST: usize = 1 << 16;
const MOST: usize = 64;

/// A macro that makes kernels.
pub struct Maker {
    name: String,
    parameters: Vec<String>,
    body: String,
}

/// Those of a text.
pub fn makers(all: &[Token]) -> Vec<Maker> {
    all.iter().filter(|token| token.kind == Kind::Directive).filter_map(maker).collect()
}

fn maker(token: &Token) -> Option<Maker> {
    let (name, rest) = definition(token.text)?;
    let whole = rest.replace("\\\r\n", "\n").replace("\\\n", "\n");
    let all = tokens(&whole);
    let close = matching(&all, 0).filter(|_| whole.starts_with('('))?;
    let body = whole.get(all[close].end()..)?.replace('\n', " ");
    let makes = tokens(&body).iter().any(|token| token.is("__global__"));
    let parameters = split(&all[1..close]).into_iter().map(|one| one.first().map_or("", |first| first.text).to_owned());
    makes.then(|| Maker { name: name.to_owned(), parameters: parameters.collect(), body })
}

/// The kernels that a text's macros make, those of its namespaces with them.
pub fn kernels<'t>(
    found: impl Iterator<Item = &'t Item>,
    text: &str,
    makers: &[Maker],
    macros: &Macros,
    names: &Names,
) -> Vec<KernelHead> {
    let calls = found.filter(|item| item.what == What::Macro).take(MOST);
    let expanded = calls.filter_map(|item| Some((item, expansion(item, text, makers)?)));
    let mut heads = Vec::new();
    for (call, text) in expanded {
        let prefix = call.name.strip_suffix(last(&call.name)).unwrap_or_default();
        for mut item in items(&text, &tokens(&text), macros) {
            if item.space.global && matches!(item.what, What::Function { .. }) {
                item.name.insert_str(0, prefix);
                heads.extend(head(&item, &text, &[], names));
            }
        }
    }
    heads
}

/// What a macro makes where it is called.
fn expansion(item: &Item, text: &str, makers: &[Maker]) -> Option<String> {
    let call = text.get(item.span.clone())?;
    let all = tokens(call);
    let maker = makers.iter().find(|maker| all.first().is_some_and(|name| name.is(&maker.name)))?;
    let close = matching(&all, 1)?;
    let pieces = split(&all[2..close]);
    let words = |piece: &[Token]| Some(call.get(piece.first()?.start..piece.last()?.end())?.to_owned());
    let arguments: Vec<String> = pieces.iter().map(|piece| words(piece)).collect::<Option<_>>()?;
    let rest = arguments.get(maker.parameters.len().saturating_sub(1)..).unwrap_or_default().join(", ");
    let argument = |token: &Token| {
        if token.is("__VA_ARGS__") {
            return Some(rest.clone());
        }
        let index = maker.parameters.iter().position(|parameter| token.is(parameter))?;
        arguments.get(index).cloned()
    };
    let body = tokens(&maker.body);
    let mut made = String::new();
    let mut at = 0;
    while let Some(token) = body.get(at) {
        let sign = |at: usize| body.get(at).is_some_and(|token| token.is("#"));
        match () {
            // `a ## b`
            () if sign(at) && sign(at + 1) => {
                made.truncate(made.trim_end().len());
                at += 2;
                continue;
            }
            // A text.
            () if sign(at) => {
                made.push_str("\"\" ");
                at += 1;
            }
            () => {
                made.push_str(&argument(token).unwrap_or_else(|| token.text.to_owned()));
                // What stands together stays together: `->`, `<<`.
                let close = body.get(at + 1).is_some_and(|next| next.start == token.end());
                made.push_str(if close { "" } else { " " });
            }
        }
        at += 1;
        (made.len() <= LONGEST).then_some(())?;
    }
    Some(made)
}

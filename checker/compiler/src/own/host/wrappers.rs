//! Templates of the host that launch kernels: what their parameters stand for, as something calls them.

use super::super::heads::split;
use super::super::items::{Item, What};
use super::super::lexer::{Kind, Token};
use super::super::part::last;
use super::constants::Constants;
use super::declared::{Declared, declared};
use super::types::Types;
use super::value::{self, matching};
use std::ops::Range;

/// What a name stands for inside of a template.
#[derive(Clone)]
pub struct Binding<'a> {
    /// The template's bytes.
    pub span: Range<usize>,
    /// The parameter.
    pub name: &'a str,
    /// What the call has in its place.
    pub value: Vec<Token<'a>>,
}

/// Most calls of one template that are looked at.
const CALLS: usize = 16;
/// How deep templates call each other.
const DEEPEST: usize = 3;
/// Most tokens of template arguments.
const ARGUMENTS: usize = 200;

/// With what the parameters of a text's templates stand for.
pub fn with_wrappers<'a>(
    mut constants: Constants<'a>,
    types: &Types,
    items: &[&Item],
    tokens: &[Token<'a>],
) -> Constants<'a> {
    let mut all = Vec::new();
    items.iter().for_each(|item| templates(item, &mut all));
    // What one passes on is known when its own call is.
    for _ in 0..DEEPEST {
        let found = all.iter().flat_map(|item| bindings(item, &all, &constants, types, tokens)).collect();
        constants = constants.with_bindings(found, all.iter().map(|item| item.span.clone()).collect());
    }
    constants
}

/// The templates of the host, those of members too.
fn templates<'i>(item: &'i Item, all: &mut Vec<&'i Item>) {
    let host = !item.space.on_device() && !item.name.is_empty();
    if host && item.template.is_some() && matches!(item.what, What::Function { .. } | What::Type) {
        all.push(item);
    }
    item.inner.iter().for_each(|inner| templates(inner, all));
}

/// The tokens of a range of bytes.
fn inside<'t, 'a>(tokens: &'t [Token<'a>], range: &Range<usize>) -> &'t [Token<'a>] {
    let at = |byte: usize| tokens.partition_point(|token| token.start < byte);
    &tokens[at(range.start)..at(range.end).max(at(range.start))]
}

/// What a template's parameters stand for: by the first call that says all, else by the first.
fn bindings<'a>(
    item: &Item,
    all: &[&Item],
    constants: &Constants<'a>,
    types: &Types,
    tokens: &[Token<'a>],
) -> Vec<Binding<'a>> {
    let name = last(&item.name);
    let elsewhere =
        |token: &Token| !all.iter().any(|other| last(&other.name) == name && other.span.contains(&token.start));
    let parameters: Vec<Parameter> =
        item.template.iter().flat_map(|span| split(inside(tokens, span))).filter_map(Parameter::of).collect();
    let list = match &item.what {
        What::Function { parameters, .. } => split(inside(tokens, parameters)),
        _ => Vec::new(),
    };
    let class = item.what == What::Type;
    let calls = (0..tokens.len()).filter(|at| tokens[*at].is(name) && elsewhere(&tokens[*at]));
    let calls = calls.filter_map(|at| Call::at(tokens, at, class)).take(CALLS);
    let mut first = None;
    for call in calls {
        let bound = call.bound(&item.span, &parameters, &list, &|piece| declared(constants, types, tokens, piece));
        let whole = parameters.iter().all(|parameter| bound.iter().any(|one| one.name == parameter.name));
        if whole {
            return bound;
        }
        first = first.or(Some(bound));
    }
    first.unwrap_or_default()
}

/// A parameter of a template.
struct Parameter<'t, 'a> {
    name: &'a str,
    default: &'t [Token<'a>],
}

impl<'t, 'a> Parameter<'t, 'a> {
    fn of(piece: &'t [Token<'a>]) -> Option<Parameter<'t, 'a>> {
        let end = piece.iter().position(|token| token.is("=")).unwrap_or(piece.len());
        let name = piece[..end].iter().rfind(|token| token.kind == Kind::Name)?.text;
        Some(Parameter { name, default: piece.get(end + 1..).unwrap_or_default() })
    }
}

/// A call of a template, or a class made of one.
struct Call<'t, 'a> {
    /// Template arguments.
    explicit: Vec<&'t [Token<'a>]>,
    arguments: Vec<&'t [Token<'a>]>,
}

impl<'t, 'a> Call<'t, 'a> {
    /// `f(...)` or `f<...>(...)`, whose name stands at `at`; of a class `C<...>`.
    fn at(tokens: &'t [Token<'a>], at: usize, class: bool) -> Option<Call<'t, 'a>> {
        let mut open = at + 1;
        let mut explicit = Vec::new();
        if tokens.get(open)?.is("<") {
            let mut depth = 0_i32;
            let close = tokens[open..].iter().take(ARGUMENTS).position(|token| {
                depth += i32::from(token.is("<")) - i32::from(token.is(">"));
                depth == 0
            })?;
            explicit = split(&tokens[open + 1..open + close]);
            open += close + 1;
        }
        if class {
            return (!explicit.is_empty()).then_some(Call { explicit, arguments: Vec::new() });
        }
        let end = matching(tokens, open).filter(|_| tokens[open].is("("))?;
        Some(Call { explicit, arguments: value::split(&tokens[open + 1..end]) })
    }

    /// What the parameters stand for here; `list` are those of the function. Of what is passed `typed` says the type.
    fn bound(
        &self,
        span: &Range<usize>,
        parameters: &[Parameter<'_, 'a>],
        list: &[&[Token<'a>]],
        typed: &dyn Fn(&[Token<'a>]) -> Option<Declared<'a>>,
    ) -> Vec<Binding<'a>> {
        let mut bound = Vec::new();
        let mut add = |name, value: Vec<Token<'a>>| bound.push(Binding { span: span.clone(), name, value });
        for (index, parameter) in parameters.iter().enumerate() {
            let deduced = || {
                let takes = |(at, one): (usize, &&[Token<'a>])| {
                    let pointers = pattern(one, parameter.name)?;
                    let (ty, own) = typed(self.arguments.get(at)?)?;
                    (pointers == own).then_some(ty)
                };
                list.iter().enumerate().find_map(takes)
            };
            let default = || Some(parameter.default.to_vec()).filter(|value| !value.is_empty());
            let value = self.explicit.get(index).map(|piece| piece.to_vec()).or_else(deduced).or_else(default);
            value.into_iter().for_each(|value| add(parameter.name, value));
        }
        for (index, one) in list.iter().enumerate() {
            let end = one.iter().position(|token| token.is("=") || token.is("[")).unwrap_or(one.len());
            let name = one[..end].iter().rfind(|token| token.kind == Kind::Name).filter(|_| end > 1);
            if let (Some(name), Some(value)) = (name, self.arguments.get(index)) {
                add(name.text, value.to_vec());
            }
        }
        bound
    }
}

/// How many pointers a function's parameter has to a template's: 1 of `const T *a`, 0 of `T a`; nothing of what is no such type.
pub fn pattern(piece: &[Token], ty: &str) -> Option<i32> {
    const QUALIFIERS: [&str; 5] = ["const", "volatile", "__restrict__", "__restrict", "&"];
    let end = piece.iter().position(|token| token.is("=") || token.is("[")).unwrap_or(piece.len());
    let mut words = piece[..end].iter().filter(|token| !QUALIFIERS.iter().any(|word| token.is(word)));
    words.next().filter(|token| token.is(ty))?;
    let mut pointers = i32::from(piece.get(end).is_some_and(|token| token.is("[")));
    for (index, token) in words.clone().enumerate() {
        let name = token.kind == Kind::Name && index + 1 == words.clone().count();
        if !token.is("*") && !name {
            return None;
        }
        pointers += i32::from(token.is("*"));
    }
    Some(pointers)
}

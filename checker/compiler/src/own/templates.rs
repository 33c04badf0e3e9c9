//! Template parameters of kernels: what the host says of them, and a first guess.

use super::heads::split;
use super::host::{HostLaunch, pattern};
use super::lexer::{Kind, Token, tokens};

/// A template's parameter with its argument.
pub struct Template {
    /// Its name.
    pub name: String,
    /// The argument, as it can be pasted.
    pub value: String,
    /// Is it a type without a default?
    open: bool,
}

/// Arguments that the host names, or that what it passes makes known; those that nobody can guess are returned.
pub fn filled(templates: &mut [Template], host: Option<&HostLaunch>, list: &[&[Token]], all: &[Token]) -> Vec<Unknown> {
    let mut unknown = Vec::new();
    for (index, template) in templates.iter_mut().enumerate() {
        // A number is most often the block's size: one without the other would not fit.
        let fits = |said: &&String| host.is_some_and(|host| host.block.is_some()) || said.parse::<i64>().is_err();
        let named = host.and_then(|host| host.instance.get(index));
        let said = named.and_then(Option::as_ref).filter(fits);
        // `F f` has the type of what is passed.
        let by_value = list.iter().position(|one| {
            let mut words = one.iter().filter(|token| !token.is("const"));
            words.next().is_some_and(|ty| ty.is(&template.name))
                && words.next().is_some_and(|name| name.kind == Kind::Name)
        });
        let passed = by_value.and_then(|at| host?.arguments.get(at));
        let made = passed.and_then(|passed| passed.made.as_ref()).map(|made| &made.ty);
        let takes = |(at, one): (usize, &&[Token])| {
            let pointers = pattern(one, &template.name)?;
            let (ty, own) = host?.arguments.get(at)?.ty.as_ref()?;
            (pointers == *own).then_some(ty)
        };
        let deduced = || list.iter().enumerate().find_map(takes);
        if let Some(value) = said.or(made).or_else(deduced) {
            template.value.clone_from(value);
            continue;
        }
        // What the host names cannot be read, or it is inside of a template of its own.
        let unread = named.is_some_and(Option::is_none) || host.is_some_and(|host| host.in_template);
        let class = || passed.is_some_and(|passed| passed.lambda) || is_class(all, &template.name);
        let open = if template.open { unread || class() } else { named.is_some_and(Option::is_none) };
        if open {
            unknown.push(Unknown { name: template.name.clone(), value: template.value.clone(), ty: template.open });
        }
    }
    unknown
}

/// A template's parameter of which nobody says anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// What is guessed.
    pub value: String,
    /// Is it a type?
    pub ty: bool,
}

/// Does a kernel use a type as no number can be used: `T::value`, `T{}(x)`, or `f(x)` and `f.x` of a `T f`?
fn is_class(all: &[Token], ty: &str) -> bool {
    let names: Vec<usize> = (1..all.len()).filter(|at| all[at - 1].is(ty) && all[*at].kind == Kind::Name).collect();
    let used = |at: usize| {
        let next = |text: &str| all.get(at + 1).is_some_and(|token| token.is(text));
        let of = names.iter().any(|name| all[at].is(all[*name].text)) && !names.contains(&at);
        let member = at.checked_sub(1).is_some_and(|before| all[before].is(".") || all[before].is("::"));
        all[at].is(ty) && (next("::") || is_made_and_called(&all[at + 1..]))
            || of && !member && (next("(") || next("."))
    };
    (0..all.len()).any(used)
}

/// `()(` or `{}(`
fn is_made_and_called(rest: &[Token]) -> bool {
    let three = |signs: [&str; 3]| rest.len() > 2 && rest.iter().zip(signs).all(|(token, sign)| token.is(sign));
    three(["(", ")", "("]) || three(["{", "}", "("])
}

/// Template parameters with a first guess at each argument: `float` for a type, a block's 256 for a number.
pub fn template(text: &str, number: &str) -> Vec<Template> {
    let list = tokens(text);
    split(&list)
        .into_iter()
        .filter_map(|one| {
            let end = one.iter().position(|token| token.is("=")).unwrap_or(one.len());
            let name = one[..end].iter().rfind(|token| token.kind == Kind::Name)?.text.to_owned();
            let value = match one.iter().find(|token| !token.is("const"))?.text {
                "typename" | "class" => "float",
                "bool" => "true",
                _ => number,
            };
            let default: Option<String> = one
                .get(end + 1..)
                .filter(|rest| !rest.is_empty())
                .map(|rest| rest.iter().map(|token| token.text).collect::<Vec<_>>().join(" "));
            let open = value == "float" && default.is_none();
            Some(Template { name, value: default.unwrap_or_else(|| value.to_owned()), open })
        })
        .collect()
}

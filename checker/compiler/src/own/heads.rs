//! A kernel's head as its text has it: name, template parameters, parameters, and what its body does with them.

use super::classes::{Class, Member};
use super::constructors::Constructor;
use super::enums;
use super::host::HostLaunch;
use super::items::{Item, What};
use super::lexer::{Kind, Token, tokens};
use super::macros::directive;
use super::part::{has_dynamic_shared, last};
use super::references::References;
use super::templates::{Template, Unknown, filled, template};
use super::texels::{TexelUse, texel_use};
use super::uses::{Access, uses};
use std::collections::HashMap;
use std::ops::Range;

/// A kernel of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelHead {
    /// With its namespaces.
    pub name: String,
    /// Arguments that make a template an instance, as a first guess: `float`, `256`.
    pub instance: Vec<String>,
    /// Those of the template's parameters of which nobody says anything, though somebody ought to.
    pub unknown: Vec<Unknown>,
    /// Is it more than a declaration?
    pub has_body: bool,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Does the body ask for `.y` of its thread or block?
    pub two_dimensional: bool,
    /// Does it wait for the whole grid?
    pub cooperative: bool,
    /// Has it `extern __shared__` memory?
    pub dynamic_shared: bool,
    /// The threads of `__launch_bounds__`, if that is a number.
    pub threads: Option<u32>,
    /// How the file's own host code launches it.
    pub host: Option<HostLaunch>,
}

impl KernelHead {
    /// The kernel with its template arguments: `k<float, 256>`.
    pub fn instance(&self) -> String {
        match self.instance.as_slice() {
            [] => self.name.clone(),
            arguments => format!("{}<{}>", self.name, arguments.join(", ")),
        }
    }
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; `argN` where it has none.
    pub name: String,
    /// Its type without `const` and `*`, template parameters replaced: `unsigned int`.
    pub base: String,
    /// How many `*`, and one for `[]`.
    pub pointers: u32,
    /// Points to something constant.
    pub constant: bool,
    /// Is the first thing that the body does with it to read it?
    pub read_first: bool,
    /// May the body write there?
    pub written: bool,
    /// Does the body compare something with it, so that it bounds an index?
    pub bounds: bool,
    /// Has each block an element of its own?
    pub per_block: bool,
    /// Is it an enumeration's, of which `base` is the type beneath?
    pub choice: bool,
    /// How the body uses it, if it is a texture or surface.
    pub texel: Option<TexelUse>,
    /// What it has in it, if it is a structure of the file's own that is known.
    pub members: Vec<Member>,
    /// What it points to as elements of one type, if that is such a structure, and how many.
    pub cells: Option<(&'static str, u32)>,
    /// That structure's constructors.
    pub built: Vec<Constructor>,
}

/// What names mean where a kernel's head is read.
pub struct Names {
    /// Other names for types.
    pub aliases: HashMap<String, String>,
    /// Structures.
    pub classes: HashMap<String, Class>,
    /// The host's launches.
    pub launches: Vec<HostLaunch>,
    /// Macros without parameters.
    pub macros: HashMap<String, String>,
    /// What functions take by reference.
    pub references: References,
}

/// The head of a kernel's declaration; `dead` is what the preprocessor leaves out of the text.
pub fn head(item: &Item, text: &str, dead: &[Range<usize>], names: &Names) -> Option<KernelHead> {
    let Names { aliases, classes, launches, references, .. } = names;
    let What::Function { parameters, .. } = &item.what else { return None };
    let whole = &text[item.span.clone()];
    let all = tokens(whole);
    let says = |words: [&str; 3]| all.windows(3).any(|three| three.iter().zip(words).all(|(t, w)| t.is(w)));
    let two_dimensional = says(["threadIdx", ".", "y"]) || says(["blockIdx", ".", "y"]);
    // A number is most often a block's size, or a tile's side.
    let number = if two_dimensional { "16" } else { "256" };
    let host = HostLaunch::of(launches, &item.name);
    let from = parameters.end.saturating_sub(item.span.start);
    let body: Vec<Token> = all.iter().copied().filter(|token| token.start >= from).collect();
    let body = references.marked(&body);
    let is_dead = |token: &Token| dead.iter().any(|range| range.contains(&(parameters.start + token.start)));
    let list = first_branches(tokens(&text[parameters.clone()]).into_iter().filter(|token| !is_dead(token)).collect());
    // `#define ARGUMENTS float *x, int n`
    let list = match list.as_slice() {
        [one] if let Some(body) = names.macros.get(one.text) => tokens(body),
        _ => list,
    };
    let list = if list.len() == 1 && list[0].is("void") { Vec::new() } else { list };
    let list = split(&list);
    let ends = |token: &Token| token.is(")") || token.is(",");
    let bounds = all.windows(4).find(|four| four[0].is("__launch_bounds__") && ends(&four[3]));
    let mut templates = item.template.as_ref().map(|span| template(&text[span.clone()], number)).unwrap_or_default();
    let unknown = filled(&mut templates, host, &list, &all);
    // A parameter that bounds the block counts threads, and is no tile's side.
    for Template { name, value, .. } in &mut templates {
        if value == number && bounds.is_some_and(|four| four[2].is(name)) {
            "256".clone_into(value);
        }
    }
    let mut found = Vec::new();
    for (index, one) in list.into_iter().enumerate() {
        let mut parameter = parameter(one, index, &|word| replaced(word, &templates, aliases), &body);
        if let Some(class) = classes.get(last(&parameter.base)).filter(|_| parameter.pointers == 0) {
            parameter.members.clone_from(&class.members);
            parameter.built.clone_from(&class.built);
        }
        parameter.cells = classes.get(last(&parameter.base)).and_then(|class| class.cells);
        found.push(parameter);
    }
    let value = |name: &str| templates.iter().find(|known| known.name == name).map(|known| known.value.as_str());
    let threads = bounds.and_then(|four| value(four[2].text).unwrap_or(four[2].text).parse().ok());
    Some(KernelHead {
        name: item.name.clone(),
        instance: templates.into_iter().map(|known| known.value).collect(),
        unknown,
        has_body: whole.ends_with('}'),
        parameters: found,
        two_dimensional,
        cooperative: body.iter().any(|token| matches!(token.text, "this_grid" | "grid_group")),
        dynamic_shared: has_dynamic_shared(&body),
        threads,
        host: host.cloned(),
    })
}

/// The tokens without directives; of `#if ... #else ... #endif` those of the first branch.
fn first_branches(list: Vec<Token>) -> Vec<Token> {
    let mut skip = false;
    list.into_iter()
        .filter(|token| {
            if token.kind == Kind::Directive {
                skip = matches!(directive(token.text).0, "else" | "elif");
            }
            !skip && token.kind != Kind::Directive
        })
        .collect()
}

/// Pieces between commas that no bracket encloses.
pub fn split<'t, 'a>(list: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, token) in list.iter().enumerate().filter(|(_, token)| token.kind == Kind::Punct) {
        match token.text {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth == 0 => {
                pieces.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < list.len() {
        pieces.push(&list[start..]);
    }
    pieces
}

/// `float (*a)[4]` as `float a[4]`.
fn without_parentheses<'a>(list: &[Token<'a>]) -> Vec<Token<'a>> {
    let signs = |five: &[Token]| [(0, "("), (1, "*"), (3, ")"), (4, "[")].iter().all(|(at, sign)| five[*at].is(sign));
    match list.windows(5).position(signs) {
        Some(at) => [&list[..at], &list[at + 2..at + 3], &list[at + 4..]].concat(),
        None => list.to_vec(),
    }
}

/// A parameter as its tokens have it, the `index`-th; `body` is what uses it.
pub fn parameter(list: &[Token], index: usize, replaced: &dyn Fn(&str) -> String, body: &[Token]) -> Parameter {
    const QUALIFIERS: [&str; 9] = [
        "const",
        "volatile",
        "__restrict__",
        "__restrict",
        "restrict",
        "struct",
        "typename",
        "__grid_constant__",
        "register",
    ];
    let end = list.iter().position(|token| token.is("=")).unwrap_or(list.len());
    let list = &without_parentheses(&list[..end])[..];
    let star = list.iter().position(|token| token.is("*"));
    let constant = list.iter().take(star.unwrap_or(list.len())).any(|token| token.is("const"));
    // `a[][4]` is one place in memory, as `*a` is.
    let subscripts = usize::from(list.iter().any(|token| token.is("[")));
    let pointers = list.iter().filter(|token| token.is("*")).count() + subscripts;
    let words: Vec<&Token> = list
        .iter()
        .filter(|token| !QUALIFIERS.contains(&token.text) && !token.is("*") && !token.is("&"))
        .take_while(|token| !token.is("["))
        .collect();
    // The last word is the name, if a type is left before it.
    let named = words.len() > 1
        && words.last().is_some_and(|token| token.kind == Kind::Name && !is_fundamental(token.text))
        && !words[words.len() - 2].is("::");
    let (ty, name) = if named { words.split_at(words.len() - 1) } else { (&words[..], &[][..]) };
    let base = spelled(ty, replaced);
    let beneath = enums::beneath(&base);
    let choice = beneath.is_some();
    let base = beneath.map_or(base.clone(), str::to_owned);
    let name = name.first().map_or_else(|| format!("arg{}", index + 1), |token| token.text.to_owned());
    let uses = uses(body, &name);
    Parameter {
        base,
        pointers: pointers as u32,
        constant,
        read_first: uses.first().is_some_and(|first| *first != Access::Write),
        written: uses.iter().any(|access| *access != Access::Read),
        bounds: body.windows(3).any(|three| {
            let less = three[1].is("<") && !three[0].is("<");
            let equal = three[1].is("=") && (three[0].is("<") || three[0].is(">"));
            three[2].is(&name) && (less || equal)
        }),
        per_block: body.windows(6).any(|six| {
            six[0].is(&name)
                && six[1..].iter().zip(["[", "blockIdx", ".", "x", "]"]).all(|(token, text)| token.is(text))
        }),
        choice,
        texel: texel_use(body, &name),
        members: Vec::new(),
        cells: None,
        built: Vec::new(),
        name,
    }
}

/// The words of a type as one text; another name for a type has its namespaces in what it stands for.
fn spelled(words: &[&Token], replaced: &dyn Fn(&str) -> String) -> String {
    let mut base = String::new();
    for token in words {
        let word = replaced(token.text);
        if word != token.text && base.ends_with("::") {
            let inside = base.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ':').len();
            base.truncate(inside);
        }
        let glued = base.is_empty() || token.kind == Kind::Punct || base.ends_with(['<', ':', ',']);
        base.push_str(if glued { "" } else { " " });
        base.push_str(&word);
    }
    base
}

/// A word of a type: a template's parameter or another name for a type is replaced, and what that is another name for.
fn replaced(word: &str, templates: &[Template], aliases: &HashMap<String, String>) -> String {
    let value = templates.iter().find(|known| known.name == word).map(|known| known.value.as_str());
    resolved(value.unwrap_or(word), aliases)
}

/// The type that a name stands for in the end.
pub fn resolved(name: &str, aliases: &HashMap<String, String>) -> String {
    const DEEPEST: usize = 8;
    let mut name = name;
    for _ in 0..DEEPEST {
        match aliases.get(name) {
            Some(other) => name = other,
            None => break,
        }
    }
    name.to_owned()
}

/// Other names for types: `typedef float real;`, `using real = float;`.
pub fn alias(item: &Item, text: &str) -> Option<(String, String)> {
    let all = tokens(text.get(item.span.clone())?);
    let (name, ty) = match all.first()?.text {
        "typedef" => {
            let end = all.len().checked_sub(2)?;
            (all.get(end)?, all.get(1..end)?)
        }
        "using" if all.get(2)?.is("=") => (all.get(1)?, all.get(3..all.len().checked_sub(1)?)?),
        _ => return None,
    };
    let plain = ty.iter().all(|token| token.kind == Kind::Name || token.is("::"));
    let words: Vec<&str> =
        ty.iter().map(|token| token.text).filter(|word| !matches!(*word, "const" | "volatile")).collect();
    let ty = words.join(" ").replace(" ::", "::").replace(":: ", "::");
    (plain && name.kind == Kind::Name && !words.is_empty()).then(|| (name.text.to_owned(), ty))
}

fn is_fundamental(word: &str) -> bool {
    matches!(word, "int" | "unsigned" | "signed" | "long" | "short" | "char" | "float" | "double" | "bool" | "void")
}

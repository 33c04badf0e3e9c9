//! The buffers that pointers of kernels are in made lines. What the host gives one variable is one buffer in all launches of a function:
//! so it flows from kernel to kernel. Where it says nothing, pointers of one name are one.

use super::guess::{Guess, guess};
use super::heads::{KernelHead, Parameter};
use super::shared;
use std::collections::{BTreeMap, BTreeSet};

/// The names of their buffers, kernel by kernel and parameter by parameter; a parameter that is no pointer has its own.
pub struct Places(pub Vec<Vec<String>>);

/// A variable of the host: the function that passes it, its name, and what lies there.
type Variable = (usize, String, &'static str);

/// A buffer that has a name.
struct Named {
    ty: &'static str,
    /// The host's variables that it is.
    variables: Vec<Variable>,
}

impl Places {
    /// Of kernels in the order of their launches.
    pub fn of(kernels: &[&KernelHead]) -> Places {
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        kernels.iter().for_each(|kernel| taken.extend(kernel.parameters.iter().map(|one| one.name.as_str())));
        let mut known: BTreeMap<String, Named> = BTreeMap::new();
        let mut all = Vec::new();
        for kernel in kernels {
            let mut names: Vec<String> = Vec::new();
            for (index, parameter) in kernel.parameters.iter().enumerate() {
                let first = shared::first(kernel, index);
                names.push(match guess(parameter) {
                    Guess::Buffer(_) if first < index => names[first].clone(),
                    Guess::Buffer(ty) => {
                        // What it gives one kernel twice is two buffers; what that one writes is what the next one finds.
                        let given = variable(kernel, index, ty);
                        let twice = given.as_ref().is_some_and(|variable| is_twice(kernel, index, variable));
                        let name = name(&mut known, &taken, parameter, ty, given.clone().filter(|_| !twice));
                        if twice && parameter.written && !parameter.constant {
                            let other = |one: &Variable| Some(one) != given.as_ref();
                            known.values_mut().for_each(|named| named.variables.retain(other));
                            known.entry(name.clone()).and_modify(|named| named.variables.extend(given));
                        }
                        name
                    }
                    _ => parameter.name.clone(),
                });
            }
            all.push(names);
        }
        Places(all)
    }
}

/// The host's variable that a parameter is given.
fn variable(kernel: &KernelHead, index: usize, ty: &'static str) -> Option<Variable> {
    let host = kernel.host.as_ref().filter(|host| host.arguments.len() >= kernel.parameters.len())?;
    Some((host.within?, host.arguments[index].variable.clone()?, ty))
}

/// Has a parameter before it the same one?
fn is_twice(kernel: &KernelHead, index: usize, own: &Variable) -> bool {
    (0..index).any(|before| variable(kernel, before, own.2).as_ref() == Some(own))
}

/// The buffer's name: the one that its variable has already; else the parameter's, with its type where another kernel's parameter of
/// that name has another, unless that is another variable's of the same function.
fn name(
    known: &mut BTreeMap<String, Named>,
    taken: &BTreeSet<&str>,
    parameter: &Parameter,
    ty: &'static str,
    variable: Option<Variable>,
) -> String {
    if let Some(variable) = &variable
        && let Some((name, _)) = known.iter().find(|(_, named)| named.variables.contains(variable))
    {
        return name.clone();
    }
    let fits = |name: &str| {
        known.get(name).is_none_or(|named| {
            let other = |one: &&Variable| variable.as_ref().is_some_and(|own| own.0 == one.0);
            named.ty == ty && !named.variables.iter().any(|one| other(&one))
        })
    };
    let own = parameter.name.clone();
    let typed = format!("{own}_{ty}");
    let plain = if known.get(&own).is_some_and(|named| named.ty != ty) { typed } else { own.clone() };
    let hosts = variable.as_ref().and_then(|(_, name, _)| name.rsplit(['.', '>']).next()).unwrap_or_default();
    let new = |name: &str| !name.is_empty() && !known.contains_key(name) && !taken.contains(name);
    let name = match () {
        () if fits(&plain) => plain,
        () if new(hosts) => hosts.to_owned(),
        () => (2..).map(|nth| format!("{own}_{nth}")).find(|name| new(name)).unwrap_or(own),
    };
    let named = known.entry(name.clone()).or_insert_with(|| Named { ty, variables: Vec::new() });
    named.variables.extend(variable);
    name
}

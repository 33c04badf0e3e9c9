//! Parameters that the host gives places of one variable have one buffer: `k<<<>>>(d, d + n)`. What it gives the same place
//! twice is most often worked on in place, which two buffers show as well, and without races of a kernel's own.

use super::guess::guess;
use super::heads::{KernelHead, Parameter};

/// The first parameter that is given what the `index`-th is; most often that one itself.
pub fn first(kernel: &KernelHead, index: usize) -> usize {
    let argument = |index: usize| kernel.host.as_ref()?.arguments.get(index);
    let variable = |index: usize| argument(index)?.variable.as_ref();
    let offset = |index: usize| argument(index).and_then(|argument| argument.offset);
    let whole = kernel.host.as_ref().is_some_and(|host| host.arguments.len() >= kernel.parameters.len());
    let Some(own) = variable(index).filter(|_| whole) else { return index };
    let same = |other: &usize| {
        let (one, other) = (&kernel.parameters[index], (*other, &kernel.parameters[*other]));
        let places = variable(other.0) == Some(own) && offset(other.0) != offset(index);
        places && one.pointers == 1 && other.1.pointers == 1 && guess(one) == guess(other.1)
    };
    (0..index).find(same).unwrap_or(index)
}

/// All parameters with the `index`-th one's buffer as one; nothing if that is not the first of them.
pub fn merged(kernel: &KernelHead, index: usize) -> Option<Parameter> {
    (first(kernel, index) == index).then_some(())?;
    let mut all = kernel.parameters[index].clone();
    for (other, parameter) in kernel.parameters.iter().enumerate().skip(index + 1) {
        if first(kernel, other) == index {
            all.written = all.written && !all.constant || parameter.written && !parameter.constant;
            all.read_first |= all.constant || parameter.constant || parameter.read_first;
            all.constant &= parameter.constant;
        }
    }
    Some(all)
}

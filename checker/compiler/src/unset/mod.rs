//! Local variables that a kernel's own text declares without a value, and may read before it gives them one.
//!
//! ```text
//! tokens -> text (functions, types) -> declared (locals without a value) -> flow (is one read before it is set?)
//! ```
//!
//! The optimiser makes anything of such a read: a NaN, the value of another branch, nothing at all. What is named here is a
//! suspicion and no more, by the text alone: a variable that is set under a condition and read under the same one is named
//! too. Whether a value is missing says a run of the unoptimised code.

mod declared;
mod flow;
#[cfg(test)]
mod tests;
mod text;
mod uses;

use crate::own::lexer;
use declared::{Shape, locals};
use flow::Flow;
use std::cell::Cell;
use std::collections::BTreeSet;
use text::Text;

/// Variables of a file that are suspected at most.
const MOST: usize = 64;

/// A local variable that may be read before it has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unset {
    /// Its name.
    pub name: String,
    /// Line of its declaration.
    pub line: u32,
    /// First and last line of its function.
    pub function: (u32, u32),
    /// It is an array.
    pub array: bool,
    /// The lines that name it.
    pub used: Vec<u32>,
}

/// The suspects of a file's device functions, in order.
pub fn unset(source: &str) -> Vec<Unset> {
    let all = lexer::tokens(source);
    let text = Text::new(source, &all);
    let left = Cell::new(flow::ENOUGH);
    let mut found = Vec::new();
    for function in text.functions().filter(|function| function.device) {
        let suspects =
            locals(&text, function.body.clone()).into_iter().filter(|local| Flow::suspects(&text, local, &left));
        let room = MOST - found.len();
        found.extend(suspects.take(room).map(|local| {
            let named = local.scope.clone().filter(|at| text.names(*at, local.name));
            Unset {
                name: local.name.to_owned(),
                line: text.line(local.at),
                function: (text.line(function.head), text.line(function.body.end)),
                array: matches!(local.shape, Shape::Array(_)),
                used: named.map(|at| text.line(at)).collect::<BTreeSet<_>>().into_iter().collect(),
            }
        }));
    }
    found
}

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
    /// Where its declaration ends, and what assembly calls a register for it.
    register: Option<(usize, char)>,
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
                register: local.register.map(|(end, class)| (text.tokens[end].end(), class)),
                used: named.map(|at| text.line(at)).collect::<BTreeSet<_>>().into_iter().collect(),
            }
        }));
    }
    found
}

/// Can all of them be held ([`held`])?
pub fn can_hold(suspects: &[Unset]) -> bool {
    suspects.iter().all(|one| one.register.is_some())
}

/// The source with the suspects, as far as registers hold them, in one that an assembly statement gives no value: of a variable that nothing is ever assigned to
/// the compiler makes what it likes, unoptimised too. Lines stay what they are. Nothing if there is none.
pub fn held(source: &str, suspects: &[Unset]) -> Option<String> {
    let mut places: Vec<(usize, String)> = suspects
        .iter()
        .filter_map(|one| {
            one.register.map(|(end, class)| (end, format!(" asm volatile(\"\" : \"={class}\"({}));", one.name)))
        })
        .collect();
    places.sort();
    let mut text = source.to_owned();
    for (end, statement) in places.iter().rev() {
        text.is_char_boundary(*end).then(|| text.insert_str(*end, statement))?;
    }
    (!places.is_empty()).then_some(text)
}

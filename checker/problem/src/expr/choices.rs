//! Which way operations went whose results have two: a kernel that gets `n / 100000000` is another one from some size on.

use plan::{Choice, ChoiceKind};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What was noted, by line, column and kind.
#[derive(Clone, Default)]
pub struct Choices {
    /// The line that is evaluated now.
    pub line: Cell<u32>,
    noted: RefCell<BTreeMap<(u32, u32, ChoiceKind), [bool; 2]>>,
}

impl Choices {
    /// An operation in this column of the line came to one of the two.
    pub fn note(&self, column: u32, kind: ChoiceKind, yes: bool) {
        // A page runs what was judged before.
        if cfg!(target_family = "wasm") {
            return;
        }
        let mut noted = self.noted.borrow_mut();
        noted.entry((self.line.get(), column, kind)).or_default()[usize::from(yes)] = true;
    }

    /// All of them, in the order of the text.
    pub fn all(&self) -> Vec<Choice> {
        if cfg!(target_family = "wasm") {
            return Vec::new();
        }
        let noted = self.noted.borrow();
        noted.iter().map(|(&(line, column, kind), &[no, yes])| Choice { line, column, kind, yes, no }).collect()
    }
}

//! What names stand for.

use super::Sizes;
use super::choices::Choices;
use plan::Choice;
use std::cell::Cell;
use std::collections::HashMap;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// A size or `let`.
    Value(i64),
    /// A figure of the device: usable in expressions, never substituted into template arguments.
    Device(i64),
    /// A `let` that needs `active_blocks` while the kernels are not compiled yet.
    Unavailable,
    /// A buffer, by its index.
    Buffer(usize),
    /// A texture or surface, by its index.
    Texture(usize),
}

/// Returns what cudaOccupancyMaxActiveBlocksPerMultiprocessor would, for (name expression, threads a block, dynamic
/// shared bytes); the message of an error is shown to the learner.
pub type ActiveBlocks<'a> = &'a dyn Fn(&str, i64, i64) -> Result<i64, String>;

/// Names in scope, in the order of their definition. No name is in it twice: whoever binds one has looked.
#[derive(Clone, Default)]
pub struct Scope<'a> {
    order: Vec<String>,
    bindings: HashMap<String, Binding>,
    /// None while the kernels are not compiled yet.
    pub active_blocks: Option<ActiveBlocks<'a>>,
    pub(super) operations: Cell<u32>,
    pub(super) choices: Choices,
}

impl<'a> Scope<'a> {
    /// A scope with sizes only.
    pub fn of_sizes(sizes: &Sizes) -> Self {
        let mut scope = Self::default();
        sizes.iter().for_each(|(name, value)| scope.bind(name, Binding::Value(*value)));
        scope
    }

    /// An empty scope that asks `active_blocks`, if the kernels are compiled.
    pub fn asking(active_blocks: Option<ActiveBlocks<'a>>) -> Self {
        Self { active_blocks, ..Self::default() }
    }

    /// What is evaluated from now on stands in this line.
    pub fn on_line(&self, line: u32) {
        self.choices.line.set(line);
    }

    /// Which way the expressions went so far.
    pub fn choices(&self) -> Vec<Choice> {
        self.choices.all()
    }

    /// What `name` stands for.
    pub fn get(&self, name: &str) -> Option<Binding> {
        self.bindings.get(name).copied()
    }

    /// Adds a name; the caller has checked that it is new.
    pub fn bind(&mut self, name: &str, binding: Binding) {
        if self.bindings.insert(name.to_string(), binding).is_none() {
            self.order.push(name.to_string());
        }
    }

    /// Number of names, for [`Scope::truncate`].
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Is nothing in scope?
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Forgets all but the first `len` names.
    pub fn truncate(&mut self, len: usize) {
        for name in self.order.drain(len.min(self.order.len())..) {
            self.bindings.remove(&name);
        }
    }

    /// All names in the order of their definition.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }
}

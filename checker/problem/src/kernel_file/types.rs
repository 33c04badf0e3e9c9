//! Names of element types: a ladder's kernels are templates, and its `//@` lines call the types that they are run with by
//! names (`element`, `accumulator`) which stand for one type after the other.

use plan::dtype::DType;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Names in scope beside the types' own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Types(Arc<[(String, DType)]>);

impl Types {
    /// Names and what they stand for.
    pub fn new(names: impl IntoIterator<Item = (String, DType)>) -> Self {
        Self(names.into_iter().collect())
    }

    /// What a name given here stands for.
    pub fn given(&self, name: &str) -> Option<DType> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, dtype)| *dtype)
    }

    /// The type of that name: one given here, or a type's own (`f32`).
    pub fn find(&self, name: &str) -> Option<DType> {
        self.given(name).or_else(|| DType::from_name(name))
    }

    /// All names: those given here, then the types' own.
    pub fn names(&self) -> Vec<&str> {
        let own: [&'static str; 12] = DType::ALL.map(DType::name);
        self.0.iter().map(|(name, _)| name.as_str()).chain(own).collect()
    }
}

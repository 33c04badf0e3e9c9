//! Who handed something in.

use crate::hash;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// Who handed something in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Student {
    /// The name that the folder, the file or the list gives.
    pub name: String,
    /// The number that the platform gives, which tells apart two of one name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Student {
    /// Of that name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), id: None }
    }

    /// A few letters that no other student has, for names of files.
    pub fn mark(&self) -> String {
        let id = self.id.as_deref().unwrap_or_default();
        hash([self.name.as_bytes(), id.as_bytes()])[..8].to_owned()
    }

    /// Is it the one that somebody means by this word: the name, the number, both as they are shown, or the mark?
    pub fn is(&self, word: &str) -> bool {
        // As they are, and as they are shown, where characters are escaped.
        let is = |own: &str| own == word || shown(own) == word;
        is(&self.name) || self.id.as_deref().is_some_and(is) || is(&self.to_string()) || self.mark() == word
    }
}

/// A name on one line.
fn shown(name: &str) -> String {
    system::text::path(Path::new(name))
}

impl fmt::Display for Student {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.id {
            Some(id) if *id != self.name => f.pad(&format!("{} ({id})", self.name)),
            _ => f.pad(&self.name),
        }
    }
}

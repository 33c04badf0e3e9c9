//! The topics that the book is to cover, in `book/topics.toml`: problems and pages name them by number.

use crate::ProblemError;
use crate::formula::TomlText;
use crate::kernel_file::MAX_BYTES;
use crate::source::{self, Owner};
use crate::workbook::Workbook;
use serde::Deserialize;

/// The file, in the workbook.
const FILE: &str = "book/topics.toml";

/// All topics, counted from 1 through the groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topics {
    groups: Vec<Group>,
}

/// Topics that have one source.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What they are about together.
    pub title: String,
    /// Their names.
    pub topics: Vec<String>,
}

/// A topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Topic<'a> {
    /// From 1.
    pub number: u32,
    /// Its name, a few words of Markdown.
    pub name: &'a str,
    /// The title of its group.
    pub group: &'a str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Vec<Group>,
}

impl Topics {
    /// Every topic in order.
    pub fn all(&self) -> impl Iterator<Item = Topic<'_>> {
        let named = self.groups.iter().flat_map(|group| group.topics.iter().map(|name| (group.title.as_str(), name)));
        (1..).zip(named).map(|(number, (group, name))| Topic { number, name, group })
    }

    /// The topic of that number.
    pub fn get(&self, number: u32) -> Option<Topic<'_>> {
        self.all().find(|topic| topic.number == number)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.topics.len()).sum()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Workbook {
    /// The topics of its book; None where it has no list of them.
    ///
    /// # Errors
    ///
    /// A list that cannot be read or is malformed.
    pub fn topics(&self) -> Result<Option<Topics>, ProblemError> {
        let path = self.root().join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text = source::read_text(&path, MAX_BYTES, Owner::Author)?;
        let toml = TomlText { path: &path, text: &text };
        let file: File = toml::from_str(&text).map_err(|error| {
            toml.error(error.span().map_or(0, |span| span.start), error.message().trim().replace('\n', "; "))
        })?;
        Ok(Some(Topics { groups: file.group }))
    }
}

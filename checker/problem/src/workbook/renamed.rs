//! `exercises/renamed.toml`: names that exercises had before, so that a reader's progress is not lost.

use crate::ProblemError;
use crate::formula::TomlText;
use crate::kernel_file::MAX_BYTES;
use crate::source::{self, Owner};
use std::collections::BTreeMap;
use std::path::Path;

/// The table, below a workbook's top.
const FILE: &str = "exercises/renamed.toml";

/// Names of today by names of before; empty where the workbook below `root` has no such table.
///
/// # Errors
///
/// A table that cannot be read or is malformed.
pub fn renamed(root: &Path) -> Result<BTreeMap<String, String>, ProblemError> {
    let path = root.join(FILE);
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = source::read_text(&path, MAX_BYTES, Owner::Author)?;
    let toml = TomlText { path: &path, text: &text };
    toml::from_str(&text).map_err(|error| {
        toml.error(error.span().map_or(0, |span| span.start), error.message().trim().replace('\n', "; ")).into()
    })
}

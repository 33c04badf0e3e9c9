//! A ladder: one problem solved by a row of versions, each a step from the one before, for several element types and
//! block sizes. See "A ladder" in docs/formats.md.

use crate::expr::Sizes;
use crate::formula::Formula;
use crate::kernel_file::KernelFile;
use crate::manifest::ErrorBound;
use crate::types::Types;
use plan::Fill;
use std::collections::BTreeMap;

/// The size that holds the block size: launch lines and formulas see it like any other.
pub const BLOCK: &str = "block";

/// A ladder's own part of `problem.toml`, for one of its element types.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// Names of the versions in order; `NAME.cu` is the file.
    pub versions: Vec<String>,
    /// All block sizes, in increasing order.
    pub blocks: Vec<i64>,
    /// The block size at which versions are compared.
    pub block: i64,
    /// The element type that this manifest is for: an index into `types`.
    pub element: usize,
    /// All element types; the first is the one at which versions are compared.
    pub types: Vec<ElementType>,
    /// The size that is varied when the ladder is measured, and its values in increasing order.
    pub sizes: (String, Vec<i64>),
    /// Cases that only a GPU runs, with the block size in them.
    pub gpu_cases: Vec<Sizes>,
    /// Longest chain of roundings of versions that have another than most.
    pub ops: BTreeMap<String, Formula>,
    /// Times that somebody published for versions of the same names.
    pub published: Option<Published>,
}

/// An element type of a ladder.
#[derive(Debug, Clone, PartialEq)]
pub struct ElementType {
    /// "float".
    pub name: String,
    /// What the names in `//@` lines stand for.
    pub types: Types,
    /// How inputs without a fill of their own are filled.
    pub fill: Fill,
    /// How far outputs without an error of their own may be off.
    pub error: ErrorBound,
}

/// Published times, to be shown beside measured ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// The source, as a caption cites it.
    pub source: String,
    /// What those times are beside: "G80".
    pub device: String,
    /// Number of the element type they are for.
    pub element: usize,
    /// Value of the size that is varied.
    pub at: i64,
    /// Milliseconds, by version, in the ladder's order.
    pub ms: Vec<(String, f64)>,
}

impl Ladder {
    /// The element type of this manifest.
    pub fn element(&self) -> &ElementType {
        &self.types[self.element]
    }

    /// The index in `types` of the element type of this name.
    pub fn element_named(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|kind| kind.name == name)
    }

    /// The block sizes that a version claims: its own list, or all.
    pub fn blocks_of<'a>(&'a self, file: &'a KernelFile) -> &'a [i64] {
        file.blocks().unwrap_or(&self.blocks)
    }

    /// Does a version claim the block size in `sizes`?
    pub fn claims(&self, file: &KernelFile, sizes: &Sizes) -> bool {
        sizes.get(BLOCK).is_none_or(|block| self.blocks_of(file).contains(block))
    }

    /// The block size at which a version is compared: the ladder's if it claims that, else the nearest that it claims.
    pub fn block_of(&self, file: &KernelFile) -> i64 {
        let claimed = self.blocks_of(file).iter().copied();
        claimed.min_by_key(|block| (block - self.block).abs()).unwrap_or(self.block)
    }

    /// `sizes` with another block size.
    pub fn with_block(sizes: &Sizes, block: i64) -> Sizes {
        let mut sizes = sizes.clone();
        sizes.insert(BLOCK.to_string(), block);
        sizes
    }

    /// The version that a name means: its own, or that of a mutant, which begins with the version's and a hyphen.
    pub fn step_of(&self, name: &str) -> Option<&str> {
        let means =
            |step: &&String| name == *step || name.strip_prefix(step.as_str()).is_some_and(|r| r.starts_with('-'));
        self.versions.iter().filter(means).max_by_key(|step| step.len()).map(String::as_str)
    }

    /// The position of a version.
    pub fn position(&self, version: &str) -> Option<usize> {
        self.versions.iter().position(|known| known == version)
    }
}

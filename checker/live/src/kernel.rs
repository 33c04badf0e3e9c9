//! What the build writes for a kernel that a page shows.

use account::Needs;
use execution::backend::{Artefact, AsWritten, Text};
use problem::Sizes;
use problem::manifest::Interface;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A compiled kernel file and what it is held against.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// The file's path from the workbook's root.
    pub file: String,
    /// The problem it belongs to, if any: what is typed after `checker`.
    pub problem: Option<String>,
    /// Sizes that it runs at unless the reader says otherwise.
    pub sizes: Sizes,
    /// Text and compiled code.
    pub code: Code,
    /// The problem's inputs and outputs, and its oracle.
    pub oracle: Option<Oracle>,
}

/// A file's text with what the compiler made of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Code {
    /// The text that was compiled.
    pub text: String,
    /// PTX.
    pub ptx: Arc<str>,
    /// Kernels as launch lines name them, and as they are linked: the instances that there are.
    pub names: BTreeMap<String, String>,
    /// What the machine code needs.
    pub needs: Needs,
    /// The same unoptimised, where the kernel may write to constant memory or read a variable without a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_written: Option<AsWritten>,
}

/// What a problem's kernel is held against.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oracle {
    /// What goes in and comes out.
    pub interface: Interface,
    /// The oracle's path from the workbook's root.
    pub file: String,
    /// The oracle.
    pub code: Code,
}

impl Code {
    /// As a program of the simulator has it.
    pub(crate) fn artefact(&self) -> Artefact {
        Artefact {
            ptx: Some(Text::Inline(self.ptx.clone())),
            cubin: None,
            names: self.names.clone(),
            as_written: self.as_written.clone(),
        }
    }
}

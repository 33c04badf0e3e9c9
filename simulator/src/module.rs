//! A parsed PTX module.

use crate::Limits;
use crate::appearance::Appearance;
use crate::isa::decode::{Decoded, decode, is_placed};
#[cfg(not(target_family = "wasm"))]
use crate::isa::locks::Unsure;
use crate::isa::op::{Op, Reg};
use crate::isa::placement::{PLACEMENTS, Placement};
use crate::ptx::ast::{Tree, Var};
#[cfg(not(target_family = "wasm"))]
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// PTX text that cannot be read: where and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("PTX line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What was expected.
    pub message: String,
}

/// A kernel's parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// PTX type: "u64", "f32", "b8" (a struct is an array of b8).
    pub ty: String,
    /// Bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

impl Param {
    /// That of a declaration.
    pub(crate) fn of(var: &Var) -> Self {
        Self { ty: var.ty.name(), size: u32::try_from(var.size.unwrap_or(0)).unwrap_or(u32::MAX), align: var.align }
    }
}

/// What a launch needs to know of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Name in the PTX.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Static shared memory in bytes.
    pub static_shared: u32,
    /// Local memory a thread in bytes (the depot, without calls).
    pub local: u32,
    /// `.maxntid` or `.reqntid`, as threads a block.
    pub max_threads: Option<u32>,
    /// `.reqntid`: the block's extents, exactly.
    pub required_block: Option<[u32; 3]>,
    /// `.reqnctapercluster` (`__cluster_dims__`): a cluster's extents in blocks.
    pub cluster: Option<[u32; 3]>,
}

impl Kernel {
    /// Where each parameter begins among the bytes of all of them, in order.
    pub fn offsets(&self) -> impl Iterator<Item = u32> {
        let mut end = 0u32;
        self.params.iter().map(move |param| {
            let offset = end.checked_next_multiple_of(param.align.max(1)).unwrap_or(u32::MAX);
            end = offset.saturating_add(param.size);
            offset
        })
    }
}

/// A parsed and decoded module. Cheap to share between devices.
#[derive(Clone)]
pub struct Module {
    decoded: Arc<Decoded>,
    /// Where its variables and functions may lie elsewhere.
    text: Option<Arc<Text>>,
}

/// What a module is decoded from, and what has come of it at each placement but the plain one, once somebody asked.
struct Text {
    tree: Tree,
    registers: u32,
    placed: [OnceLock<Arc<Decoded>>; PLACEMENTS],
}

impl Module {
    /// Reads PTX text. Unknown instructions are kept and reported when they are executed, not here.
    ///
    /// # Errors
    /// The text is no PTX, or larger than [`Limits`] allow: the first mistake and its place.
    pub fn parse(ptx: &str) -> Result<Self, ParseError> {
        Self::parse_limited(ptx, &Limits::default())
    }

    /// The same with limits of the caller's: `text`, `nesting`, `variables` and `registers` count.
    ///
    /// # Errors
    /// As of [`Module::parse`].
    pub fn parse_limited(ptx: &str, limits: &Limits) -> Result<Self, ParseError> {
        let tree = crate::ptx::parse(ptx, limits)?;
        let decoded = Arc::new(decode(&tree, limits.registers, Placement::PLAIN));
        let text =
            is_placed(&tree).then(|| Arc::new(Text { tree, registers: limits.registers, placed: Default::default() }));
        Ok(Self { decoded, text })
    }

    /// The entries, in the order of the text.
    pub fn kernels(&self) -> &[Kernel] {
        &self.decoded.kernels
    }

    /// The entry of that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels().iter().find(|kernel| kernel.name == name)
    }

    /// Instructions that the simulator does not know: PTX line and text. They are faults only when they are executed.
    pub fn unsupported(&self) -> Vec<(u32, &str)> {
        let code = &self.decoded.code;
        let ops = code.insts.iter().zip(&code.origins);
        ops.filter_map(|(inst, origin)| match inst.op {
            Op::Unsupported(index) => Some((origin.ptx_line, code.unsupported[index as usize].as_str())),
            _ => None,
        })
        .collect()
    }

    /// Does what a kernel computes, or whether it ends, perhaps depend on the order in which its threads run? They meet at
    /// barriers, exchange values, share memory within a block, order their accesses, wait, look at a clock, or take memory
    /// from a common heap. Only threads that keep to themselves, or race, do none of it.
    pub fn communicates(&self) -> bool {
        let code = &self.decoded.code;
        code.reads_clock || code.allocates() || code.insts.iter().any(|inst| code.is_communication(&inst.op))
    }

    /// May threads of different blocks affect each other in an order that is not fixed? As [`Self::communicates`], but for what lies in
    /// shared memory, and for what threads of one block or warp do together.
    pub fn communicates_between_blocks(&self) -> bool {
        let code = &self.decoded.code;
        code.reads_clock || code.allocates() || code.insts.iter().any(|inst| code.is_between_blocks(&inst.op))
    }

    /// May a thread wait in a loop for what others write? A loop with a volatile load, an atomic or a sleep in it; a call is taken
    /// for one.
    pub fn waits(&self) -> bool {
        self.decoded.code.waits()
    }

    /// Do threads compete for a word, so that all but one fail? A compare-and-swap whose result somebody uses.
    pub fn competes(&self) -> bool {
        self.decoded.code.atomics.iter().any(|atomic| atomic.answers && atomic.c != Reg::None)
    }

    /// The compare-and-swaps and exchanges ([`crate::Covered::at`]) of which nobody knows what they come to where only some blocks run: a loop
    /// may wait by the result, as one that takes a lock does, or a compare-and-swap is tried once. A loop that tries again what another
    /// thread's success has spoiled is none of them: somebody gets on in any case.
    #[cfg(not(target_family = "wasm"))]
    pub fn unsure_swaps(&self) -> BTreeMap<u32, Unsure> {
        crate::isa::locks::unsure(&self.decoded.code)
    }

    /// Has it variables of its own in global memory, that keep their values from launch to launch? (Strings are no such.)
    pub fn remembers(&self) -> bool {
        self.decoded.variables.iter().any(|variable| !variable.constant && !variable.name.starts_with('$'))
    }

    /// Numbers that the code was written with: literals, of 32 bits as signed ones, addresses, and the bits of reals.
    pub fn numbers(&self) -> BTreeSet<i64> {
        let functions = &self.decoded.code.functions;
        let short =
            functions.iter().flat_map(|function| &function.constants32).map(|(_, value)| (*value as i32).into());
        short
            .chain(functions.iter().flat_map(|function| &function.constants64).map(|(_, value)| *value as i64))
            .collect()
    }

    /// The same module with variables and functions where a machine has them.
    pub(crate) fn on(self: &Arc<Self>, machine: Appearance) -> Arc<Self> {
        let placement = Placement::of(machine);
        let Some(text) = self.text.as_ref().filter(|_| placement != Placement::PLAIN) else { return Arc::clone(self) };
        let decoded =
            text.placed[placement.number()].get_or_init(|| Arc::new(decode(&text.tree, text.registers, placement)));
        Arc::new(Self { decoded: Arc::clone(decoded), text: None })
    }

    /// Code and variables.
    pub(crate) fn decoded(&self) -> &Decoded {
        &self.decoded
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module").field("kernels", &self.decoded.kernels).finish_non_exhaustive()
    }
}

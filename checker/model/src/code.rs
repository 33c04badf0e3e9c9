//! Machine code as the model needs it: basic blocks of operations with their unit, their scheduling and where they come from.

mod ops;
#[cfg(test)]
mod tests;

use crate::class::Class;
use sass::{Instruction, Kernel, flow};
use serde::{Deserialize, Serialize};

pub use ops::ops;

/// The unit that executes an instruction, by how long it is busy with a warp of it and how long until its result is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Single precision: 32 lanes a cycle.
    Fma,
    /// Integer multiplication, on half of the former.
    Multiply,
    /// Integers, logic, comparisons, selections.
    Alu,
    /// Pairs of halves.
    Half,
    /// Double precision.
    Double,
    /// Special functions, conversions, counting bits.
    Special,
    /// Lanes that look for others with their value (`match.any`), a value after the other.
    Match,
    /// Once for the warp.
    Uniform,
    /// Branches, barriers of convergence.
    Control,
    /// Branches to an address in a register.
    Indirect,
    /// Matrix products.
    Tensor,
    /// Between lanes.
    Shuffle,
    /// Shared memory, with its atomics.
    Shared,
    /// Global memory.
    Global,
    /// Local memory.
    Local,
    /// Constant memory, loaded explicitly.
    Constant,
    /// Atomics on global memory whose result is used.
    Atomic,
    /// The same without a result.
    Reduction,
    /// Block barriers.
    Barrier,
    /// Fences.
    Fence,
    /// Barrier objects in shared memory: who arrives, and who looks.
    Arrival,
    /// Groups of copies, closed and waited for.
    Group,
    /// Whatever else: moves, special registers.
    Other,
}

/// How an atomic on shared memory serves lanes that meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedAtomic {
    /// It counts those of one address at once.
    Counts,
    /// A lane at a time in each bank.
    Serves,
    /// A loop goes round until each of those at an address has been lucky.
    Retries,
}

/// Who has to see what a fence orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FenceScope {
    /// Threads of the block or the cluster, or another proxy of the same thread.
    Block,
    /// The device.
    Device,
    /// The host and other devices, too.
    System,
}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Op {
    /// Where.
    pub unit: Unit,
    /// Bits of a lane, of memory instructions.
    pub bits: u32,
    /// It loads.
    pub loads: bool,
    /// Of a load: what the L1 cache has is of no use to it. It is volatile, or ordered beyond its block.
    #[serde(default)]
    pub past_l1: bool,
    /// It may be skipped, and takes its slot all the same.
    pub guarded: bool,
    /// Registers of one bank beyond the first that it reads, a cycle each for a warp that is alone.
    pub conflicts: u8,
    /// The same among two banks: cycles of its unit beyond the first, where many warps want it.
    #[serde(default)]
    pub crowded: u8,
    /// Cycles until the warp may issue again.
    pub stall: u8,
    /// Nanoseconds that it pauses for.
    #[serde(default)]
    pub pause: u32,
    /// Scoreboard that its result releases.
    pub writes: Option<u8>,
    /// Scoreboard that its operands release.
    pub reads: Option<u8>,
    /// Scoreboards that it waits for.
    pub waits: u8,
    /// Kind, to be found in PTX.
    pub class: Option<Class>,
    /// Source line: index into [`Code::files`], and number.
    pub line: Option<(u16, u32)>,
    /// Of atomics on shared memory.
    #[serde(default)]
    pub shared_atomic: Option<SharedAtomic>,
    /// Of fences.
    #[serde(default)]
    pub fence: Option<FenceScope>,
    /// It calls a function that the assembler brought.
    #[serde(default)]
    pub calls: bool,
    /// Of products of matrices of doubles: multiply-adds that a warp's instruction is.
    #[serde(default)]
    pub double_products: u32,
}

/// Straight-line code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Address of its first instruction.
    pub address: u64,
    /// In order.
    pub ops: Vec<Op>,
    /// Blocks that may follow; behind the last comes the end.
    pub next: Vec<usize>,
    /// It ends the thread or returns.
    pub ends: bool,
    /// It ends threads for which its last guard holds.
    #[serde(default)]
    pub leaves: bool,
    /// A function begins here.
    pub root: bool,
    /// It calls, behind a branch that goes around it, a function that the compiler brought: the slow path of a division, say.
    pub slow: bool,
    /// Where the functions begin that the assembler brought and that it calls, once for each call.
    #[serde(default)]
    pub calls: Vec<usize>,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Code {
    /// As written.
    pub name: String,
    /// Its blocks in address order, those of functions inside it too.
    pub blocks: Vec<Block>,
    /// Names of source files.
    pub files: Vec<String>,
    /// A function of it calls itself: how deep, nobody counts.
    pub recursive: bool,
}

impl Code {
    /// Of a kernel; `files` are its module's.
    pub fn of(kernel: &Kernel, files: &[String]) -> Self {
        let graph = flow::Graph::of(kernel);
        let begins = |at: usize| kernel.instructions[graph.block(at)].first().map_or(0, |i| i.address);
        let around = gone_around(&graph.successors, &graph.roots);
        let blocks = (0..graph.starts.len())
            .map(|at| {
                let code = &kernel.instructions[graph.block(at)];
                let last = code.last().map(|i| i.opcode.mnemonic()).unwrap_or_default();
                let unguarded = code.last().is_some_and(|i| i.guard.is_none());
                let names: Vec<&str> = code.iter().flat_map(brought).collect();
                let root = |name: &str| {
                    let address = kernel.labels.iter().find(|label| label.name == name)?.address;
                    graph.roots.iter().copied().find(|root| *root > 0 && begins(*root) == address)
                };
                Block {
                    address: begins(at),
                    ops: ops(code),
                    next: graph.successors[at].clone(),
                    ends: matches!(last, "EXIT" | "RET") && unguarded || graph.successors[at].is_empty(),
                    leaves: matches!(last, "EXIT" | "RET") && !unguarded,
                    root: graph.roots.contains(&at),
                    slow: around[at] && names.iter().any(|name| is_rare(name)),
                    calls: names.iter().filter(|name| is_assembler_s(name)).filter_map(|name| root(name)).collect(),
                }
            })
            .collect();
        Self { name: kernel.demangled.clone(), blocks, files: files.to_vec(), recursive: is_recursive(kernel) }
    }
}

impl Code {
    /// Do jumps lead from a block to itself, by way of blocks that `through` has nothing against, and it itself?
    pub(crate) fn comes_back(&self, at: usize, through: impl Fn(&Block) -> bool) -> bool {
        through(&self.blocks[at]) && self.blocks[at].next.iter().any(|next| self.reaches(*next, at, &through))
    }

    /// Do jumps lead from one block to another, by way of such blocks?
    pub(crate) fn reaches(&self, from: usize, to: usize, through: impl Fn(&Block) -> bool) -> bool {
        let (mut seen, mut open) = (vec![false; self.blocks.len()], vec![from]);
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if through(&self.blocks[at]) && !std::mem::replace(&mut seen[at], true) {
                open.extend(&self.blocks[at].next);
            }
        }
        false
    }
}

/// The function that an instruction calls and that nobody wrote: of the compiler's headers, which PTX has too, or the assembler's.
fn brought(instruction: &Instruction) -> Option<&str> {
    let calls = instruction.opcode.mnemonic() == "CALL";
    instruction.targets().find(|target| calls && target.contains("__internal"))
}

/// Is it the assembler's (`$__internal_0_$__cuda_sm20_div_u64`)? Of what happens in those PTX says nothing.
fn is_assembler_s(name: &str) -> bool {
    name.strip_prefix("$__internal_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Is it one for numbers that the short way does not do? Products of matrices and quotients of 64 bits are none: who has those
/// executes them.
fn is_rare(name: &str) -> bool {
    ["slowpath", "mediumpath", "_full", "_f32", "_f64"].iter().any(|part| name.contains(part))
}

/// Blocks that all who come to them could have gone around.
fn gone_around(successors: &[Vec<usize>], roots: &[usize]) -> Vec<bool> {
    let mut around: Vec<bool> = (0..successors.len()).map(|at| !roots.contains(&at)).collect();
    for after in successors.iter().filter(|after| after.len() < 2) {
        after.iter().for_each(|&at| around[at] = false);
    }
    around
}

/// Does a function inside the kernel's section call a function there that is not the compiler's own, itself perhaps?
fn is_recursive(kernel: &Kernel) -> bool {
    let functions: Vec<(u64, &str)> =
        kernel.labels.iter().filter(|label| label.function).map(|label| (label.address, label.name.as_str())).collect();
    kernel.code().iter().filter(|i| i.opcode.mnemonic() == "CALL").any(|call| {
        let inside = functions.iter().rfind(|(address, _)| *address <= call.address && *address > 0);
        inside.is_some_and(|(_, name)| call.targets().any(|target| target == *name))
    })
}

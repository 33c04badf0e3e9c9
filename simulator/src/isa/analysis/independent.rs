//! What a kernel's text tells of whether its blocks have to do with each other.

use crate::isa::op::{AddressSpace, Callee, Code, Op, Origin, Reg, WordFn};
use crate::observe::MemoryOrder;

/// What additions and the like may be called, whose order nobody can tell, and types of which that is true.
const COMMUTE: [&str; 6] = ["add", "min", "max", "and", "or", "xor"];
const WHOLE: [&str; 6] = ["u32", "s32", "b32", "u64", "s64", "b64"];

/// Whether a kernel's blocks may run in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// No: one learns of others by atomics or ordered accesses to global memory, by the device heap or a clock.
    Depend,
    /// Yes, as far as the text shows; what they add to global memory comes to the same in any order.
    Independent,
    /// Yes, if what they do to global memory by atomics, whose results nobody reads, is done in their order.
    InOrder {
        /// Exchanges of words, and nothing else.
        exchanges: bool,
    },
}

/// What is it of that kernel? All functions that are no kernels are taken to be called.
pub fn blocks(code: &Code, function: u32) -> Blocks {
    let own = |origin: &Origin| origin.function == function || !code.functions[origin.function as usize].entry;
    let mut own = code.insts.iter().zip(&code.origins).filter(|(_, origin)| own(origin));
    let mut atomics = Vec::new();
    let apart = |space: AddressSpace| !matches!(space, AddressSpace::Global | AddressSpace::Generic);
    let independent = !code.reads_clock
        && !code.allocates()
        && own.all(|(inst, origin)| match inst.op {
            Op::Load(index) | Op::Store(index) => {
                let op = &code.accesses[index as usize];
                apart(op.space) || op.group == 0 && (op.order == MemoryOrder::Weak || op.space == AddressSpace::Generic)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[index as usize];
                if apart(op.space) {
                    return true;
                }
                atomics.push((op, code.opcodes.get(origin.opcode as usize).map_or("", String::as_str)));
                !op.answers && !op.returns && op.order == MemoryOrder::Relaxed && op.c == Reg::None && !op.whole
            }
            Op::CopyBulk(index) => {
                let op = &code.bulk[index as usize];
                op.reduce.is_none() || apart(op.to_space)
            }
            // Beside other blocks it orders something only where these learn of it; but it says what the kernel is about.
            Op::Fence(_) | Op::ProxyFence { .. } | Op::Discard(_) => false,
            // What one block writes to a surface another may read through any object.
            #[cfg(not(target_family = "wasm"))]
            Op::Texture(_) => false,
            Op::Call(index) => !matches!(code.calls[index as usize].callee, Callee::Printf),
            _ => true,
        });
    let mut opcodes = atomics.iter().map(|(_, opcode)| *opcode);
    let first = opcodes.next();
    if !independent {
        Blocks::Depend
    } else if opcodes.all(|opcode| Some(opcode) == first) && first.is_none_or(commutes) {
        Blocks::Independent
    } else {
        Blocks::InOrder { exchanges: atomics.iter().all(|(op, _)| op.word == Some(WordFn::Exchange)) }
    }
}

/// Is it one whole number's addition or the like?
fn commutes(opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    parts.clone().any(|part| COMMUTE.contains(&part)) && parts.any(|part| WHOLE.contains(&part))
}

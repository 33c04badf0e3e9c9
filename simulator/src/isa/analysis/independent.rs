//! What a kernel's text tells of whether its blocks have to do with each other.

use crate::isa::op::{AddressSpace, Callee, Code, Op};
use crate::observe::MemoryOrder;

/// What additions and the like may be called, whose order nobody can tell, and types of which that is true.
const COMMUTE: [&str; 6] = ["add", "min", "max", "and", "or", "xor"];
const WHOLE: [&str; 6] = ["u32", "s32", "b32", "u64", "s64", "b64"];

/// May the kernel's blocks be independent, so that they can run in any order? No if one learns of others by atomics or ordered
/// accesses to global memory, by the device heap or a clock. All functions that are no kernels are taken to be called.
pub fn may_be(code: &Code, function: u32) -> bool {
    let mut reduction = None;
    let mut own = code
        .insts
        .iter()
        .zip(&code.origins)
        .filter(|(_, origin)| origin.function == function || !code.functions[origin.function as usize].entry);
    let apart = |space: AddressSpace| !matches!(space, AddressSpace::Global | AddressSpace::Generic);
    !code.reads_clock
        && !code.allocates()
        && own.all(|(inst, origin)| match inst.op {
            Op::Load(index) | Op::Store(index) => {
                let op = &code.accesses[index as usize];
                apart(op.space) || op.group == 0 && (op.order == MemoryOrder::Weak || op.space == AddressSpace::Generic)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[index as usize];
                let opcode = code.opcodes.get(origin.opcode as usize).map_or("", String::as_str);
                let quiet = !op.answers && op.order == MemoryOrder::Relaxed;
                apart(op.space) || quiet && *reduction.get_or_insert(opcode) == opcode && commutes(opcode)
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
        })
}

/// Is it one whole number's addition or the like?
fn commutes(opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    parts.clone().any(|part| COMMUTE.contains(&part)) && parts.any(|part| WHOLE.contains(&part))
}

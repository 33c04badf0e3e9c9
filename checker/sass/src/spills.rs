//! Which instructions spill a register: what the compiler says, whatever the disassembler makes of it.
//!
//! From CUDA 12.8 on the compiler lists them in the CUBIN (`EIATTR_ANNOTATIONS`: a kind and an address each); nvdisasm writes the list into
//! its listing from 13.1 on (13.0 has none; tried with NVRTC 12.4, 12.8, 12.9, 13.0, 13.1, 13.2 and 13.5). Before 12.8 nobody says: every access
//! of the stack at a fixed place counts there, an array's with constant indices too, so that a spill is never missed.

use super::{
    Instruction, SassError,
    elf::{Elf, u32_at},
    listing::Kernel,
    operand::{File, Operand},
    resources::attributes,
};
use std::collections::HashSet;

const EIATTR_CUDA_API_VERSION: u8 = 0x37;
const EIATTR_ANNOTATIONS: u8 = 0x55;

/// The kind of annotation that is a spill or a refill.
const SPILL: u32 = 1;

/// The first CUDA whose compiler lists spills: 12.8, written as 10 * 12 + 8.
const LISTED: u32 = 128;

/// What nvdisasm calls one.
pub const NOTE: &str = "SpillRefill";

/// Marks the instructions of `kernel` that spill or refill a register.
///
/// # Errors
/// The CUBIN is cut off.
pub fn mark(elf: &Elf, kernel: &mut Kernel) -> Result<(), SassError> {
    let Some(info) = elf.section(&format!(".nv.info.{}", kernel.name)) else { return Ok(()) };
    let (mut version, mut listed) = (LISTED, HashSet::new());
    for attribute in attributes(info.data)? {
        match attribute.id {
            EIATTR_CUDA_API_VERSION => version = u32_at(attribute.data, 0)?,
            EIATTR_ANNOTATIONS => {
                for note in attribute.data.chunks_exact(8) {
                    if u32_at(note, 0)? == SPILL {
                        listed.insert(u64::from(u32_at(note, 4)?));
                    }
                }
            }
            _ => {}
        }
    }
    let spills = |i: &Instruction| if version < LISTED { at_a_fixed_place(i) } else { listed.contains(&i.address) };
    for instruction in &mut kernel.instructions {
        if !instruction.is_spill() && spills(instruction) {
            instruction.notes.push(NOTE.to_owned());
        }
    }
    Ok(())
}

/// `STL [R1+0x8], R2`: R1 is the stack pointer.
fn at_a_fixed_place(instruction: &Instruction) -> bool {
    let on_the_stack = |operand: &Operand| {
        matches!(operand, Operand::Memory { address, .. }
            if matches!(&address.registers[..], [r] if r.file == File::General && r.index == Some(1)))
    };
    matches!(instruction.opcode.mnemonic(), "STL" | "LDL") && instruction.operands.iter().any(on_the_stack)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{listing::parse, resources::tests::cubin};

    /// Addresses of the instructions that are marked in a kernel compiled with this version, whose CUBIN lists these annotations.
    fn marked(version: u32, annotations: &[(u32, u32)]) -> Vec<u64> {
        let listing = "/*0000*/ STL [R1], R2 ;\n/*0010*/ LDL R2, [R1+0x8] ;\n/*0020*/ LDL R3, [R4] ;\n\
                       /*0030*/ LDL R3, [R1+UR4] ;\n/*0040*/ MOV R1, R1 ;\n/*0050*/ EXIT ;\n";
        let words = |n: &[u32]| n.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let list = annotations.iter().flat_map(|(kind, at)| words(&[*kind, *at])).collect::<Vec<u8>>();
        let sized = |id: u8, data: Vec<u8>| [vec![4, id, data.len() as u8, 0], data].concat();
        let info = [sized(EIATTR_CUDA_API_VERSION, words(&[version])), sized(EIATTR_ANNOTATIONS, list)].concat();
        let file = cubin(&[(".nv.info.k", 0x7000_0000, info.len() as u64, info)], &[]);
        let mut kernel = parse(&format!("\t.section\t.text.k,\"ax\"\n{listing}")).kernels.remove(0);
        mark(&Elf::parse(&file).unwrap(), &mut kernel).unwrap();
        kernel.instructions.iter().filter(|i| i.is_spill()).map(|i| i.address).collect()
    }

    #[test]
    fn the_cubin_says_what_spills_and_before_it_did_every_fixed_place_of_the_stack_counts() {
        assert_eq!(marked(130, &[(1, 0x10), (7, 0x20)]), [0x10]);
        assert_eq!(marked(128, &[]), []);
        assert_eq!(marked(127, &[]), [0x00, 0x10]);
    }
}

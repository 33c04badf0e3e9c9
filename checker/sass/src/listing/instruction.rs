//! A machine instruction as typed data: guard, opcode, operands, control fields, encoding, source line.

use crate::{
    control::Control,
    opcode::Opcode,
    operand::{File, Operand},
    spills::NOTE,
};
use serde::Serialize;

/// The predicate in front of an instruction: `@P0`, `@!UP1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Guard {
    /// `!`
    pub negated: bool,
    /// A uniform predicate (`UP0`), one for the whole warp.
    pub uniform: bool,
    /// 0 to 6; `None` is the predicate that is always true (`PT`, `UPT`).
    pub index: Option<u8>,
}

impl Guard {
    /// Whether the instruction may be skipped: every guard but `@PT`.
    pub fn is_conditional(self) -> bool {
        self.index.is_some() || self.negated
    }
}

/// Where an instruction comes from, by the CUBIN's line table (`-lineinfo`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// Index into [`crate::Module::files`].
    pub file: usize,
    /// 1-based.
    pub line: u32,
}

/// Registers that hold a value somebody still needs, as nvdisasm's life ranges count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Live {
    /// 32-bit general registers.
    pub registers: u16,
    /// Predicates.
    pub predicates: u16,
    /// Uniform registers.
    pub uniform: u16,
    /// Uniform predicates.
    pub uniform_predicates: u16,
}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instruction {
    /// Byte offset in the function.
    pub address: u64,
    /// `@P0`
    pub guard: Option<Guard>,
    /// `LDG.E.128.SYS`
    pub opcode: Opcode,
    /// In the order of the listing.
    pub operands: Vec<Operand>,
    /// nvdisasm's text without guard and semicolon: `IADD3 R1, R1, -0x8, RZ`.
    pub text: String,
    /// What the compiler noted about it, without the quotes: `SpillRefill`, `BRANCH_TARGETS .L_x_1,.L_x_2`.
    pub notes: Vec<String>,
    /// Scheduling, decoded from the encoding.
    pub control: Control,
    /// Low and high half of the 128-bit encoding.
    #[serde(serialize_with = "hex_pair")]
    pub encoding: [u64; 2],
    /// Where it comes from, when the CUBIN has a line table.
    pub source: Option<SourceLine>,
    /// When life ranges were asked for.
    pub live: Option<Live>,
}

impl Instruction {
    /// A register spilled to or refilled from local memory, as the compiler itself marks it.
    pub fn is_spill(&self) -> bool {
        self.notes.iter().any(|note| note == NOTE)
    }

    /// A move written as arithmetic, because that pipe was idle: it computes nothing, so it is not counted as the
    /// arithmetic it looks like. These are `IMAD.* R, RZ, RZ, x` and `HFMA2.* R, -RZ, RZ, ...` (0 * 0 + x). Not moves are
    /// `IMAD.SHL` (a shift) and `IMAD.IADD` (an addition), whose factors are not both zero, `IMAD.X` (adds a carry), and
    /// anything that changes x's sign.
    pub fn is_disguised_move(&self) -> bool {
        let multiplies_zeros = matches!(self.opcode.mnemonic(), "IMAD" | "HFMA2" | "UIMAD" | "UHFMA2")
            && matches!(self.operands.as_slice(), [_, a, b, ..] if a.is_zero_register() && b.is_zero_register());
        let changes = |o: &Operand| match o {
            Operand::Register(r) => {
                r.negated || r.absolute || matches!(r.file, File::Predicate | File::UniformPredicate)
            }
            Operand::Constant { negated, absolute, .. } => *negated || *absolute,
            _ => false,
        };
        multiplies_zeros
            && !self.opcode.modifiers().any(|m| m == "X")
            && !self.operands.get(3..).unwrap_or_default().iter().any(changes)
    }

    /// The functions and labels its operands name.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        let named = self.operands.iter().filter_map(|o| match o {
            Operand::Label(name) => Some(name.as_str()),
            _ => None,
        });
        let noted = self.notes.iter().filter_map(|n| n.strip_prefix("BRANCH_TARGETS ")).flat_map(|n| n.split(','));
        named.chain(noted.map(str::trim))
    }
}

fn hex_pair<S: serde::Serializer>(halves: &[u64; 2], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(halves.iter().map(|h| format!("0x{h:016x}")))
}

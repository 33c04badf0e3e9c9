//! Which instructions of PTX become which of the machine, as far as their numbers are kept: what the simulator counted of the
//! one says how often the other runs.

use sass::opcode::{Access, Space};
use sass::{Family, Instruction, stats};
use serde::{Deserialize, Serialize};

/// Instructions of which the assembler makes as many as there are, or a multiple of them where it unrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Class {
    /// From global memory (or by address), with the bits of a lane.
    LoadGlobal(u32),
    /// To it.
    StoreGlobal(u32),
    /// From shared memory.
    LoadShared(u32),
    /// To it.
    StoreShared(u32),
    /// From local memory.
    LoadLocal(u32),
    /// To it.
    StoreLocal(u32),
    /// On global memory.
    AtomicGlobal,
    /// On shared memory.
    AtomicShared,
    /// Copies from global to shared memory.
    Copy,
    /// Block barriers.
    Barrier,
    /// Shuffles.
    Shuffle,
    /// Votes and matches.
    Vote,
    /// Matrix products.
    Matrix,
    /// Fused multiply-adds in single precision.
    Fma32,
    /// In double precision.
    Fma64,
    /// Additions in single precision.
    Add32,
    /// In double precision.
    Add64,
    /// Of pairs of halves: all arithmetic.
    Half,
    /// Powers of two, logarithms, sines of the special unit.
    Special,
    /// Counting bits.
    Popc,
    /// Comparisons in single precision.
    Compare32,
    /// In double precision.
    Compare64,
    /// Branches with a guard.
    Branch,
}

impl Class {
    /// How much its count is to be trusted: what touches memory is neither made nor dropped.
    pub fn weight(self) -> f64 {
        match self {
            Self::Branch => 0.05,
            Self::Fma32 | Self::Add32 | Self::Compare32 | Self::Half | Self::Special | Self::Popc => 0.5,
            _ => 1.0,
        }
    }

    /// Of an instruction of PTX.
    pub fn of_ptx(opcode: &str) -> Option<Self> {
        let mut parts = opcode.split('.');
        let base = parts.next()?;
        let has =
            |word: &str| opcode.split('.').skip(1).any(|part| part == word || part.split("::").next() == Some(word));
        let kind = opcode.rsplit('.').next().unwrap_or_default();
        let vector = opcode.split('.').find_map(|part| part.strip_prefix('v')?.parse::<u32>().ok()).unwrap_or(1);
        let bits =
            || kind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse::<u32>().ok().map(|n| n * vector);
        match base {
            "ld" | "ldu" if has("param") || has("const") => None,
            "ld" | "ldu" if has("shared") => Some(Self::LoadShared(bits()?)),
            "ld" | "ldu" if has("local") => Some(Self::LoadLocal(bits()?)),
            "ld" | "ldu" => Some(Self::LoadGlobal(bits()?)),
            "st" if has("param") => None,
            "st" if has("shared") => Some(Self::StoreShared(bits()?)),
            "st" if has("local") => Some(Self::StoreLocal(bits()?)),
            "st" => Some(Self::StoreGlobal(bits()?)),
            "atom" | "red" if has("shared") => Some(Self::AtomicShared),
            "atom" | "red" => Some(Self::AtomicGlobal),
            "cp" if has("async") && !has("commit_group") && !has("wait_group") && !has("wait_all") => Some(Self::Copy),
            "bar" | "barrier" if !has("warp") => Some(Self::Barrier),
            "shfl" => Some(Self::Shuffle),
            "vote" | "match" => Some(Self::Vote),
            "mma" => Some(Self::Matrix),
            "fma" | "mul" | "add" | "sub" | "mad" => match (base, kind) {
                ("fma" | "mad", "f32") => Some(Self::Fma32),
                ("fma" | "mad", "f64") => Some(Self::Fma64),
                ("add" | "sub", "f32") => Some(Self::Add32),
                ("add" | "sub", "f64") => Some(Self::Add64),
                (_, "f16x2" | "bf16x2" | "f16" | "bf16") => Some(Self::Half),
                _ => None,
            },
            "ex2" | "lg2" | "sin" | "cos" | "tanh" => Some(Self::Special),
            "rsqrt" | "rcp" if has("approx") && kind == "f32" => Some(Self::Special),
            "popc" => Some(Self::Popc),
            "setp" if kind == "f32" => Some(Self::Compare32),
            "setp" if kind == "f64" => Some(Self::Compare64),
            _ => None,
        }
    }

    /// Of a machine instruction.
    pub fn of_sass(instruction: &Instruction) -> Option<Self> {
        let (opcode, mnemonic) = (&instruction.opcode, instruction.opcode.mnemonic());
        let width = opcode.width();
        match stats::family(instruction) {
            Family::Memory(Space::Global | Space::Generic, access) => Some(match access {
                Access::Load => Self::LoadGlobal(width),
                Access::Store => Self::StoreGlobal(width),
                Access::Atomic => Self::AtomicGlobal,
                Access::Copy => Self::Copy,
            }),
            Family::Memory(Space::Shared, access) => match access {
                Access::Load if mnemonic == "LDS" => Some(Self::LoadShared(width)),
                Access::Store if mnemonic == "STS" => Some(Self::StoreShared(width)),
                Access::Atomic if mnemonic == "ATOMS" => Some(Self::AtomicShared),
                _ => None,
            },
            Family::Memory(Space::Local, Access::Load) if !instruction.is_spill() => Some(Self::LoadLocal(width)),
            Family::Memory(Space::Local, Access::Store) if !instruction.is_spill() => Some(Self::StoreLocal(width)),
            Family::Tensor => Some(Self::Matrix),
            Family::Special => Some(Self::Special),
            _ => match mnemonic {
                "BAR" => Some(Self::Barrier),
                "SHFL" => Some(Self::Shuffle),
                "VOTE" | "VOTEU" | "MATCH" => Some(Self::Vote),
                "FFMA" => Some(Self::Fma32),
                "DFMA" => Some(Self::Fma64),
                "FADD" => Some(Self::Add32),
                "DADD" => Some(Self::Add64),
                "HFMA2" | "HADD2" | "HMUL2" if !instruction.is_disguised_move() => Some(Self::Half),
                "POPC" => Some(Self::Popc),
                "FSETP" => Some(Self::Compare32),
                "DSETP" => Some(Self::Compare64),
                "BRA" if instruction.guard.is_some_and(|guard| guard.is_conditional()) => Some(Self::Branch),
                _ => None,
            },
        }
    }
}

/// Does the assembler make many instructions of it: a division, a remainder, a root that is rounded?
pub fn is_long(opcode: &str) -> bool {
    let base = opcode.split('.').next().unwrap_or_default();
    matches!(base, "div" | "rem" | "sqrt" | "rcp" | "rsqrt") && !opcode.contains(".approx")
}

/// Is it a call of what the assembler brings along: a quotient or remainder of 64 bits?
pub fn is_call(opcode: &str) -> bool {
    matches!(opcode, "div.u64" | "div.s64" | "rem.u64" | "rem.s64")
}

/// Machine instructions that the assembler makes of an instruction of PTX that is not long: integers of 64 bits take a few.
pub fn expected(opcode: &str) -> f64 {
    let base = opcode.split('.').next().unwrap_or_default();
    let kind = opcode.rsplit('.').next().unwrap_or_default();
    match (base, kind) {
        ("mul" | "mad", "s64" | "u64") if !opcode.contains(".wide") => 4.0,
        (
            "add" | "sub" | "and" | "or" | "xor" | "not" | "neg" | "shl" | "shr" | "setp" | "selp",
            "s64" | "u64" | "b64",
        ) => 2.0,
        ("min" | "max" | "abs", "s64" | "u64") => 4.0,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, expected, is_long};

    #[test]
    fn ptx_by_space_and_width() {
        let of = Class::of_ptx;
        assert_eq!(of("ld.global.nc.v4.f32"), Some(Class::LoadGlobal(128)));
        assert_eq!(of("ld.global.L1::no_allocate.v2.u32"), Some(Class::LoadGlobal(64)));
        assert_eq!(of("ld.shared::cta.u8"), Some(Class::LoadShared(8)));
        assert_eq!(of("st.f64"), Some(Class::StoreGlobal(64)));
        assert_eq!((of("ld.param.u64"), of("st.param.b32"), of("mov.u32")), (None, None, None));
        assert_eq!(of("fma.rn.f32"), Some(Class::Fma32));
        assert_eq!(of("add.s32"), None);
        assert_eq!((of("bar.sync"), of("bar.warp.sync")), (Some(Class::Barrier), None));
        assert_eq!(of("cp.async.ca.shared.global"), Some(Class::Copy));
        assert_eq!(of("cp.async.wait_group"), None);
        let long =
            ["rem.u64", "div.rn.f32", "sqrt.rn.f64", "rcp.rn.f64", "div.approx.f32", "sqrt.approx.ftz.f32", "mul.f32"];
        let wide = ["mul.lo.s64", "mul.wide.s32", "add.s64", "mad.wide.u32", "add.s32", "selp.b64"];
        assert_eq!(wide.map(expected), [4.0, 1.0, 2.0, 1.0, 1.0, 2.0]);
        assert_eq!(long.map(is_long), [true, true, true, true, false, false, false]);
    }
}

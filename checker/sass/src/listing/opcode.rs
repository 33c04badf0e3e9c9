//! Opcodes and what they are for. The table knows the mnemonics of Turing to Blackwell; an unknown one is `Other`.

use serde::Serialize;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// An opcode with its modifiers: `LDG.E.128.SYS`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Opcode {
    text: String,
    /// Bytes of the mnemonic.
    #[serde(skip)]
    mnemonic: usize,
    /// Looked up once: listings ask for it many times an instruction.
    #[serde(skip)]
    family: Family,
}

impl Opcode {
    /// From nvdisasm's text.
    pub fn new(text: &str) -> Self {
        let mnemonic = text.find('.').unwrap_or(text.len());
        let family = FAMILIES.get(&text[..mnemonic]).copied().unwrap_or(Family::Other);
        Self { text: text.to_owned(), mnemonic, family }
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Without modifiers: `LDG`.
    pub fn mnemonic(&self) -> &str {
        &self.text[..self.mnemonic]
    }

    /// The parts behind the dots.
    pub fn modifiers(&self) -> impl Iterator<Item = &str> {
        self.text.split('.').skip(1)
    }

    /// Whether `prefix` is this opcode or ends at one of its dots: `LDG.E.128` matches `LDG.E.128.CONSTANT`, `LDG` does,
    /// `LDG.E.12` and `LD` do not.
    pub fn matches(&self, prefix: &str) -> bool {
        self.text.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// What kind of work it is.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Bits that each thread moves: from the width modifier of a memory instruction, by default 32.
    pub fn width(&self) -> u32 {
        for modifier in self.modifiers() {
            match modifier {
                "U8" | "S8" => return 8,
                "U16" | "S16" => return 16,
                "64" => return 64,
                "96" => return 96,
                "128" => return 128,
                "256" => return 256,
                _ => {}
            }
        }
        32
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The memory that an instruction addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// Device memory.
    Global,
    /// By address: global, shared or local (`LD`).
    Generic,
    /// Shared memory of the block or cluster.
    Shared,
    /// Thread-local memory: spills, and arrays that are not in registers.
    Local,
    /// Constant bank, loaded explicitly; an operand `c[..][..]` is free and not counted here.
    Constant,
    /// Through the texture unit.
    Texture,
    /// Surfaces.
    Surface,
    /// Tensor memory of Blackwell.
    Tensor,
}

/// What a memory instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads, changes, writes, in one step (with or without a result).
    Atomic,
    /// Copies between spaces with no register in between.
    Copy,
}

/// What kind of work an instruction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Moves data between registers and a memory.
    Memory(Space, Access),
    /// Single precision.
    Fp32,
    /// Double precision.
    Fp64,
    /// Half precision and bfloat16.
    Fp16,
    /// Integers, logic, shifts, and what works on predicates.
    Integer,
    /// Between types.
    Conversion,
    /// `MUFU`: reciprocal, square root, sine, exp2, ... on the special function unit.
    Special,
    /// Matrix multiplication.
    Tensor,
    /// On the uniform datapath: once for the warp.
    Uniform,
    /// Between registers, from special registers and immediates. Disguised moves belong here too.
    Move,
    /// Between the lanes of a warp.
    Warp,
    /// Barriers, fences, waiting.
    Synchronisation,
    /// Branches, calls, convergence.
    Control,
    /// Not in the table.
    Other,
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Family::Memory(space, access) => {
                let space = match space {
                    Space::Global => "global",
                    Space::Generic => "generic",
                    Space::Shared => "shared",
                    Space::Local => "local",
                    Space::Constant => "constant",
                    Space::Texture => "texture",
                    Space::Surface => "surface",
                    Space::Tensor => "tensor memory",
                };
                let access = match access {
                    Access::Load => "load",
                    Access::Store => "store",
                    Access::Atomic => "atomic",
                    Access::Copy => "copy",
                };
                return f.pad(&format!("{space} {access}"));
            }
            Family::Fp32 => "FP32",
            Family::Fp64 => "FP64",
            Family::Fp16 => "FP16",
            Family::Integer => "integer",
            Family::Conversion => "conversion",
            Family::Special => "special (MUFU)",
            Family::Tensor => "tensor",
            Family::Uniform => "uniform datapath",
            Family::Move => "move",
            Family::Warp => "warp",
            Family::Synchronisation => "synchronisation",
            Family::Control => "control",
            Family::Other => "other",
        };
        f.pad(name)
    }
}

/// Mnemonics by family. Source: the instruction set tables of the CUDA Binary Utilities manual (Turing, Ampere and Ada,
/// Hopper, Blackwell), checked against what the tests compile.
const TABLE: &[(&str, Family)] = &[
    ("LDG LDTRAM", Family::Memory(Space::Global, Access::Load)),
    ("STG", Family::Memory(Space::Global, Access::Store)),
    ("ATOMG RED REDG UBLKRED UTMAREDG", Family::Memory(Space::Global, Access::Atomic)),
    ("LDGSTS UBLKCP UBLKPF UTMALDG UTMASTG UTMAPF", Family::Memory(Space::Global, Access::Copy)),
    ("LD QSPC", Family::Memory(Space::Generic, Access::Load)),
    ("ST", Family::Memory(Space::Generic, Access::Store)),
    ("ATOM", Family::Memory(Space::Generic, Access::Atomic)),
    ("LDS LDSM", Family::Memory(Space::Shared, Access::Load)),
    ("STS STSM STAS", Family::Memory(Space::Shared, Access::Store)),
    ("ATOMS REDAS REDS SYNCS", Family::Memory(Space::Shared, Access::Atomic)),
    ("LDL", Family::Memory(Space::Local, Access::Load)),
    ("STL", Family::Memory(Space::Local, Access::Store)),
    ("LDC ULDC LDCU", Family::Memory(Space::Constant, Access::Load)),
    ("TEX TLD TLD4 TMML TXD TXQ TXA FOOTPRINT", Family::Memory(Space::Texture, Access::Load)),
    ("SULD SUQUERY", Family::Memory(Space::Surface, Access::Load)),
    ("SUST", Family::Memory(Space::Surface, Access::Store)),
    ("SUATOM SURED", Family::Memory(Space::Surface, Access::Atomic)),
    ("LDT LDTM", Family::Memory(Space::Tensor, Access::Load)),
    ("STT STTM", Family::Memory(Space::Tensor, Access::Store)),
    ("UTCCP", Family::Memory(Space::Tensor, Access::Copy)),
    (
        "FADD FADD2 FADD32I FCHK FFMA FFMA2 FFMA32I FMNMX FMNMX3 FMUL FMUL2 FMUL32I FSEL FSET FSETP FSWZADD FRND FHADD FHFMA RRO",
        Family::Fp32,
    ),
    ("DADD DFMA DMNMX DMUL DSET DSETP", Family::Fp64),
    (
        "HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 HFMA BADD2 BFMA2 BMNMX2 BMUL2 BSET2 BSETP2",
        Family::Fp16,
    ),
    (
        "BMSK BREV FLO IABS IADD IADD3 IADD32I IADD64 IDP IDP4A IMAD IMMA_SP IMNMX IMUL IMUL32I ISCADD ISCADD32I ISET ISETP LEA \
         LOP LOP3 LOP32I POPC SEL SGXT SHF SHL SHR SPARSIFY VABSDIFF VABSDIFF4 VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3 PRMT XMAD \
         PLOP3 PSETP P2R R2P BFE BFI I2IP",
        Family::Integer,
    ),
    ("F2F F2FP F2I F2IP I2F I2FP I2I FRND32 F2FP2", Family::Conversion),
    ("MUFU", Family::Special),
    ("HMMA IMMA BMMA DMMA HGMMA IGMMA BGMMA QGMMA QMMA OMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCMXQMMA", Family::Tensor),
    (
        "UBMSK UBREV UCGABAR_ARV UCGABAR_WAIT UF2F UF2FP UF2I UF2IP UFADD UFFMA UFLO UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UI2F \
         UI2FP UI2I UI2IP UIABS UIADD3 UIADD64 UIMAD UIMNMX UISETP ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP \
         UR2UP USEL USGXT USHF USHL USHR USTGR UVIADD UVIMNMX UVIRTCOUNT UISCADD UHFMA2 REDUX_U CREDUX",
        Family::Uniform,
    ),
    ("MOV MOV32I S2R S2UR CS2R CS2UR B2R R2B R2UR UR2R MOVM LEPC SETLMEMBASE GETLMEMBASE S2UP", Family::Move),
    ("SHFL VOTE VOTEU VOTE_VTG MATCH REDUX ELECT", Family::Warp),
    (
        "BAR B2R_BAR MEMBAR FENCE ERRBAR DEPBAR LDGDEPBAR ARRIVES CCTL CCTLL CCTLT WARPSYNC NANOSLEEP UTMACCTL UTMACMDFLUSH \
         UTCBAR UTCATOMSWS ACQBULK CGAERRBAR ENDCOLLECTIVE WARPGROUP WARPGROUPSET ACQSHMINIT UCGABAR SYNCU UTMACMD PREEXIT",
        Family::Synchronisation,
    ),
    (
        "BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL EXIT IDE JMP JMX JMXU KILL NOP RET RPCMOV RTT YIELD PMTRIG SETCTAID BRAU \
         JMPU USETMAXREG NOPU",
        Family::Control,
    ),
];

/// [`TABLE`] by mnemonic.
static FAMILIES: LazyLock<HashMap<&str, Family>> = LazyLock::new(|| {
    let names =
        |(names, family): &(&'static str, Family)| names.split(' ').map(|name| (name, *family)).collect::<Vec<_>>();
    TABLE.iter().flat_map(names).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_end_at_dots() {
        let load = Opcode::new("LDG.E.128.CONSTANT");
        for prefix in ["LDG", "LDG.E", "LDG.E.128", "LDG.E.128.CONSTANT"] {
            assert!(load.matches(prefix), "{prefix}");
        }
        for prefix in ["LD", "LDG.", "LDG.E.12", "LDG.E.128.CONSTANT.X", "G"] {
            assert!(!load.matches(prefix), "{prefix}");
        }
        assert!(Opcode::new("LDL.LU").matches("LDL"));
    }

    #[test]
    fn widths() {
        for (opcode, bits) in
            [("LDG.E.128.SYS", 128), ("LDS.U.64", 64), ("LDG.E.U8", 8), ("STS.S16", 16), ("LDG.E", 32)]
        {
            assert_eq!(Opcode::new(opcode).width(), bits, "{opcode}");
        }
        assert_eq!(Opcode::new("LDG.E.ENL2.256").width(), 256);
    }

    #[test]
    fn no_mnemonic_stands_in_two_families() {
        let mut names: Vec<&str> =
            TABLE.iter().flat_map(|(names, _)| names.split(' ')).filter(|n| !n.is_empty()).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
        assert_eq!(Opcode::new("LDG.E").family(), Family::Memory(Space::Global, Access::Load));
        assert_eq!(Opcode::new("ZORK.X").family(), Family::Other);
    }
}

//! What the assembler makes an opcode of: PTX opcodes, as a table.
//!
//! A row names what one writes to get the instruction (`own`) and what else may become it (`also`). Of what stands on a line those
//! that fit best are taken (`best`): own ones before others, then the same operation, access and width. A dead `membar` beside a
//! live `atom` is what became the `MEMBAR`, for nobody wrote it for anything else.

use crate::{Family, Instruction, opcode::Access, opcode::Space};
use simulator::LineCoverage;

/// A row. `machine`: opcodes, each by its mnemonic and modifiers that it must have; the first row that fits holds. In a PTX opcode the
/// parts behind the base must occur, in that order; `a|b` is either, and [`is_part`] knows classes of types.
struct Origin {
    machine: &'static str,
    own: &'static str,
    also: &'static str,
}

const fn row(machine: &'static str, own: &'static str, also: &'static str) -> Origin {
    Origin { machine, own, also }
}

/// Anything: the assembler has many ways to it.
const ANY: &str = "*";
/// Division, roots and functions are sequences of single-precision operations.
const SINGLE: &str = "fma.f32 mad.f32 add.f32 sub.f32 mul.f32 neg.f32 abs.f32 div rem rcp sqrt rsqrt sin cos lg2 ex2 tanh \
                      atom.f32 red.f32";
const DOUBLE: &str =
    "fma.f64 mad.f64 add.f64 sub.f64 mul.f64 neg.f64 abs.f64 div.f64 rcp.f64 sqrt.f64 rsqrt.f64 atom.f64 red.f64";
const HALF: &str = "fma.half mad.half add.half sub.half mul.half neg.half abs.half cvt.half ex2.half tanh.half atom.half \
                    red.half";
/// The warp's lanes are counted and summed up first where they add to one word.
const AGGREGATED: &str = "atom red";

/// An instruction without a row may come from anything on its line. Rows are what CUDA 13 makes for sm_75 to sm_121.
const ORIGINS: &[Origin] = &[
    row("LDG LDGMC LD", "ld ldu", "wmma.load"),
    row("LDS", "ld", "wmma.load atom red"),
    row("LDL", "ld.local ld", ANY),
    row("LDC LDCU ULDC", "ld", ANY),
    row("STG ST STS", "st", "wmma.store"),
    row("STL", "st", ANY),
    row("LDSM", "ldmatrix", "wmma.load"),
    row("STSM", "stmatrix", "wmma.store"),
    row("MOVM", "movmatrix", "mma wmma"),
    row("LDGSTS", "cp.async.global", "cp"),
    row("LDGDEPBAR DEPBAR UBLKCP UBLKRED UBLKPF UTMALDG UTMASTG UTMAREDG", "cp", ""),
    row("SYNCS", "mbarrier", "cp"),
    row("ATOM ATOMG RED REDG", "atom red", ""),
    row("ATOMS REDS", "atom red", "mbarrier"),
    row("SHFL", "shfl", AGGREGATED),
    row("VOTE VOTEU", "vote activemask", "match elect bar barrier shfl redux atom red"),
    row("MATCH", "match", ""),
    row("ELECT", "elect", ""),
    row("REDUX CREDUX", "redux", AGGREGATED),
    row("BAR", "bar barrier", ""),
    row("WARPSYNC", "bar barrier", "shfl vote match redux elect activemask"),
    row("NANOSLEEP", "nanosleep", ""),
    row(
        "MEMBAR FENCE",
        "membar fence",
        "atom.acquire|release|acq_rel|sc red.acquire|release|acq_rel|sc ld.acquire|sc st.release|sc mbarrier barrier cp wgmma",
    ),
    row("DFMA", "fma.f64 mad.f64", DOUBLE),
    row("DADD", "add.f64 sub.f64", DOUBLE),
    row("DMUL", "mul.f64", DOUBLE),
    row("DMNMX", "min.f64 max.f64", ""),
    row("FFMA FFMA2 FFMA32I", "fma.f32 mad.f32", SINGLE),
    row("FADD FADD2 FADD32I", "add.f32 sub.f32", SINGLE),
    row("FMUL FMUL2 FMUL32I", "mul.f32", SINGLE),
    row("FCHK", "div.f32", "div rem rcp"),
    row("HFMA2 BFMA2", "fma.half mad.half", HALF),
    row("HADD2 BADD2", "add.half sub.half", HALF),
    row("HMUL2 BMUL2", "mul.half", HALF),
    row("HMMA IMMA DMMA BMMA QMMA OMMA", "mma wmma", ""),
    row("HGMMA IGMMA QGMMA BGMMA", "wgmma", ""),
    row("F2I", "cvt.int.float", "cvt div rem"),
    row("I2F I2FP", "cvt.float.int", "cvt div rem"),
    row("F2F FRND", "cvt.float.float", "cvt"),
    row("F2FP F2IP I2I I2IP", "cvt", ""),
    row("MUFU.TANH", "tanh", ""),
    row("MUFU.EX2", "ex2", ""),
    row("MUFU.LG2", "lg2", ""),
    row("MUFU.SIN", "sin", ""),
    row("MUFU.COS", "cos", ""),
    row("MUFU.RCP64H", "rcp.f64", "div.f64"),
    row("MUFU.RSQ64H", "rsqrt.f64", "sqrt.f64"),
    row("MUFU.RCP", "rcp", "div rem sqrt"),
    row("MUFU.RSQ", "rsqrt", "sqrt rcp"),
    row("MUFU.SQRT", "sqrt", "rsqrt"),
    row("MUFU", "div rem rcp sqrt rsqrt sin cos lg2 ex2 tanh", ""),
    row("POPC", "popc", "fns match atom red"),
    row("BREV", "brev", "bfind clz fns"),
    row("FLO", "bfind clz", "fns atom red"),
    row("IDP IDP4A", "dp4a dp2a", ""),
    row("VABSDIFF", "sad vabsdiff", ""),
    row("VABSDIFF4", "vabsdiff4", ""),
    row("FMNMX FMNMX3", "min.f32 max.f32", ANY),
    row("IMNMX VIMNMX VIMNMX3 VIADDMNMX", "min.int max.int", ANY),
    row("IABS", "abs.int", ANY),
    row("PRMT", "prmt", ANY),
    row("LOP LOP3 LOP32I PLOP3", "and or xor not cnot lop3", ANY),
    row("SHF SHL SHR", "shl shr shf", ANY),
    row("IADD IADD3 IADD32I IADD64 VIADD", "add.int sub.int addc subc", ANY),
    row("IMAD IMUL IMUL32I", "mad.int mul.int mad24 mul24 madc", ANY),
    row("SEL FSEL", "selp slct", ANY),
    row("ISETP ISET FSETP FSET DSETP HSETP2", "setp set", ANY),
];

/// Words of the machine's operations, by mnemonic, and those of PTX: which of several fits best.
const WORDS: &[(&str, &[(&str, &str)])] = &[
    ("SHFL", &[("UP", "up"), ("DOWN", "down"), ("BFLY", "bfly"), ("IDX", "idx")]),
    ("VOTE VOTEU MATCH", &[("ALL", "all|uni"), ("ANY", "any|ballot")]),
    ("MEMBAR", &[("GPU", "gl|gpu"), ("CTA", "cta"), ("SYS", "sys")]),
    ("BAR", &[("SYNC", "sync"), ("ARV", "arrive"), ("RED", "red")]),
    ("LDG LD", &[("CONSTANT", "nc")]),
    (
        "ATOM ATOMG ATOMS RED REDG REDS REDUX CREDUX",
        &[
            ("ADD", "add"),
            ("SUM", "add"),
            ("MIN", "min"),
            ("MAX", "max"),
            ("INC", "inc"),
            ("DEC", "dec"),
            ("AND", "and"),
            ("OR", "or"),
            ("XOR", "xor"),
            ("EXCH", "exch"),
            ("CAS", "cas"),
        ],
    ),
];

/// Is this part of a PTX opcode the wanted one, or of the wanted class?
fn is_part(part: &str, wanted: &str) -> bool {
    let int = || {
        let digits = part.strip_prefix(['s', 'u', 'b']).map(|digits| digits.trim_end_matches("x2"));
        digits.is_some_and(|digits| matches!(digits, "8" | "16" | "32" | "64"))
    };
    let half = || matches!(part, "f16" | "f16x2" | "bf16" | "bf16x2");
    wanted.split('|').any(|wanted| match wanted {
        "int" => int(),
        "half" => half(),
        "float" => {
            half()
                || matches!(part, "f32" | "f64" | "f32x2" | "tf32")
                || part.starts_with("e4m3")
                || part.starts_with("e5m2")
        }
        "f32" => matches!(part, "f32" | "f32x2"),
        _ => part == wanted,
    })
}

/// Is the PTX opcode one of these?
fn is_one_of(ptx: &str, patterns: &str) -> bool {
    patterns.split(' ').filter(|pattern| !pattern.is_empty()).any(|pattern| {
        let (mut parts, mut wanted) = (ptx.split('.'), pattern.split('.'));
        let base = wanted.next().unwrap_or_default();
        (base == ANY || parts.next() == Some(base)) && wanted.all(|wanted| parts.any(|part| is_part(part, wanted)))
    })
}

/// Whether an opcode's mnemonic and modifiers are those of one of the words. On the uniform datapath a name begins with U.
fn is_named(instruction: &Instruction, words: &str) -> bool {
    let (opcode, mnemonic) = (&instruction.opcode, instruction.opcode.mnemonic());
    let uniform = matches!(opcode.family(), Family::Uniform).then(|| mnemonic.strip_prefix('U')).flatten();
    words.split(' ').any(|word| {
        let (name, modifier) = word.split_once('.').unwrap_or((word, ""));
        (name == mnemonic || Some(name) == uniform)
            && (modifier.is_empty() || opcode.modifiers().any(|found| found == modifier))
    })
}

/// The state space that a memory instruction of this kind names in PTX; a generic one fits all.
fn space(instruction: &Instruction) -> Option<&'static str> {
    match instruction.opcode.family() {
        Family::Memory(Space::Global, _) => Some("global"),
        Family::Memory(Space::Shared, _) => Some("shared"),
        Family::Memory(Space::Local, _) => Some("local"),
        Family::Memory(Space::Constant, Access::Load) => Some("const"),
        _ => None,
    }
}

fn row_of(instruction: &Instruction) -> Option<&'static Origin> {
    ORIGINS.iter().find(|row| is_named(instruction, row.machine))
}

/// May this PTX opcode become the instruction?
pub fn becomes(ptx: &str, instruction: &Instruction) -> bool {
    const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];
    let Some(row) = row_of(instruction) else { return true };
    if !is_one_of(ptx, row.own) && !is_one_of(ptx, row.also) {
        return false;
    }
    // `cp.async` names two: where it copies to, and from.
    let mut named =
        ptx.split('.').filter_map(|part| SPACES.iter().find(|space| part.split("::").next() == Some(**space)));
    match (named.clone().next(), space(instruction)) {
        (Some(_), Some(space)) => named.any(|named| *named == space),
        _ => true,
    }
}

/// Bits that each lane moves: `ld.global.v4.f32` 128.
pub fn width(ptx: &str) -> u32 {
    let (mut lanes, mut bits) = (1, 32);
    for part in ptx.split('.').skip(1) {
        match part {
            "v2" => lanes = 2,
            "v4" => lanes = 4,
            "v8" => lanes = 8,
            _ => {
                let digits = part.trim_start_matches(|c: char| c.is_ascii_lowercase());
                if let (true, Ok(found)) = (digits.len() < part.len(), digits.parse()) {
                    bits = found;
                }
            }
        }
    }
    lanes * bits
}

/// Of what may become the instruction, by PTX opcode, that which fits best: one property after the other decides where something
/// has it.
pub fn best<'a>(mut of: Vec<&'a LineCoverage>, instruction: &Instruction) -> Vec<&'a LineCoverage> {
    let mut prefer = |fits: &dyn Fn(&str) -> bool| {
        if of.iter().any(|covered| fits(&covered.opcode)) {
            of.retain(|covered| fits(&covered.opcode));
        }
    };
    if let Some(row) = row_of(instruction) {
        prefer(&|ptx| is_one_of(ptx, row.own));
    }
    let modifiers = || instruction.opcode.modifiers();
    let words = WORDS.iter().filter(|(named, _)| is_named(instruction, named)).flat_map(|(_, words)| *words);
    for (machine, ptx_word) in words {
        let has = modifiers().any(|modifier| modifier == *machine);
        prefer(&|ptx| ptx.split('.').any(|part| is_part(part, ptx_word)) == has);
    }
    match instruction.opcode.family() {
        Family::Memory(space, access) => {
            let plain =
                matches!(space, Space::Global | Space::Generic) && matches!(access, Access::Load | Access::Store);
            if plain {
                let strong = modifiers().any(|modifier| modifier == "STRONG");
                let ordered = "volatile|relaxed|acquire|release|mmio";
                prefer(&|ptx| ptx.split('.').any(|part| is_part(part, ordered)) == strong);
            }
            let bits = instruction.opcode.width();
            prefer(&|ptx| width(ptx) == bits);
            prefer(&|ptx| width(ptx) > bits);
        }
        Family::Conversion | Family::Special => {
            for kind in modifiers().map(str::to_ascii_lowercase).filter(|kind| is_part(kind, "int|float")) {
                prefer(&|ptx| ptx.split('.').any(|part| is_part(part, &kind)));
            }
        }
        // `HMMA.16816.F32`
        Family::Tensor => {
            let shape = |part: &str| part.starts_with('m').then(|| part.replace(['m', 'n', 'k'], ""));
            prefer(&|ptx| ptx.split('.').filter_map(shape).any(|shape| modifiers().any(|modifier| modifier == shape)));
        }
        _ => {}
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::parse;

    fn instruction(text: &str) -> Instruction {
        parse(&format!("\t.section\t.text.k,\"ax\"\n/*0000*/ {text} ;\n")).kernels.remove(0).instructions.remove(0)
    }

    /// Which of the candidates fit best.
    fn chosen<'a>(text: &str, candidates: &[&'a str]) -> Vec<&'a str> {
        let instruction = instruction(text);
        let line = |opcode: &&str| LineCoverage {
            file: "k.cu".into(),
            line: 1,
            opcode: (*opcode).into(),
            warps: vec![1],
            parted: vec![0],
            ptx_lines: vec![1],
        };
        let all: Vec<LineCoverage> = candidates.iter().filter(|ptx| becomes(ptx, &instruction)).map(line).collect();
        let best = best(all.iter().collect(), &instruction);
        candidates.iter().copied().filter(|ptx| best.iter().any(|covered| covered.opcode == *ptx)).collect()
    }

    #[test]
    fn an_origin_is_what_one_writes_for_it_before_anything_else() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("MUFU.TANH R1, R2", &["ex2.approx.f32", "rem.u16", "tanh.approx.f32"], &["tanh.approx.f32"]),
            ("MUFU.TANH R1, R2", &["ex2.approx.f32", "rem.u16"], &[]),
            ("MUFU.EX2 R1, R2", &["lg2.approx.f32", "tanh.approx.f32", "ex2.approx.ftz.f32"], &["ex2.approx.ftz.f32"]),
            ("MUFU.RCP R1, R2", &["div.rn.f32", "sin.approx.f32"], &["div.rn.f32"]),
            ("MUFU.RSQ R1, R2", &["sqrt.rn.f32", "ex2.approx.f32"], &["sqrt.rn.f32"]),
            ("MUFU.RCP64H R1, R2", &["div.rn.f32", "div.rn.f64"], &["div.rn.f64"]),
            ("MEMBAR.SC.GPU", &["membar.gl", "atom.global.max.s32", "ld.global.f32"], &["membar.gl"]),
            ("MEMBAR.SC.GPU", &["membar.cta", "fence.acq_rel.gpu"], &["fence.acq_rel.gpu"]),
            (
                "MEMBAR.ALL.GPU",
                &["atom.relaxed.gpu.global.add.s32", "atom.acq_rel.gpu.global.add.s32"],
                &["atom.acq_rel.gpu.global.add.s32"],
            ),
            ("MEMBAR.SC.GPU", &["atom.global.max.s32", "st.volatile.global.u32", "ld.global.f32"], &[]),
            ("DFMA R2, R2, R2, R2", &["fma.rn.f32", "mul.f64"], &["mul.f64"]),
            ("DMUL R2, R2, R2", &["fma.rn.f64", "mul.f64"], &["mul.f64"]),
            ("FFMA R2, R2, R2, R2", &["fma.rn.f64", "mul.f32", "add.s32"], &["mul.f32"]),
            ("HFMA2 R1, R2, R3, R4", &["fma.rn.f32", "fma.rn.f16x2"], &["fma.rn.f16x2"]),
            (
                "F2F.F64.F32 R2, R1",
                &["cvt.u16.u32", "cvt.f64.f32", "cvt.rn.f32.f64"],
                &["cvt.f64.f32", "cvt.rn.f32.f64"],
            ),
            ("F2I.TRUNC.NTZ R1, R2", &["cvt.rn.f32.s32", "cvt.rzi.s32.f32", "div.s32"], &["cvt.rzi.s32.f32"]),
            ("I2F.RP R1, R2", &["cvt.rzi.s32.f32", "rem.s32"], &["cvt.rzi.s32.f32", "rem.s32"]),
            ("SHFL.BFLY PT, R1, R1, 0x1, 0x1f", &["shfl.sync.down.b32", "shfl.sync.bfly.b32"], &["shfl.sync.bfly.b32"]),
            ("SHFL.IDX PT, R1, R1, 0x1, 0x1f", &["shfl.sync.down.b32", "add.s32"], &["shfl.sync.down.b32"]),
            (
                "ATOMG.E.MAX.S32.STRONG.GPU PT, R1, [R2], R3",
                &["atom.global.add.u32", "atom.global.max.s32"],
                &["atom.global.max.s32"],
            ),
            ("REDUX.MAX.S32 UR1, R2", &["atom.shared.max.s32", "add.s32"], &["atom.shared.max.s32"]),
            ("LDG.E.CONSTANT R1, [R2]", &["ld.global.f32", "ld.global.nc.f32"], &["ld.global.nc.f32"]),
            ("LDG.E.128 R4, [R2]", &["ld.global.f32", "ld.global.v4.f32"], &["ld.global.v4.f32"]),
            ("LDG.E R4, [R2]", &["ld.volatile.global.f32", "ld.global.v4.f32"], &["ld.global.v4.f32"]),
            (
                "LDGSTS.E.BYPASS.128 [R1], desc[UR4][R2.64]",
                &["cp.async.commit_group", "cp.async.cg.shared.global", "ld.global.v4.f32"],
                &["cp.async.cg.shared.global"],
            ),
            ("LDS R4, [R2]", &["ld.global.f32", "ld.shared.f32", "ld.f32"], &["ld.shared.f32", "ld.f32"]),
            (
                "HMMA.16816.F32 R4, R4, R4, R4",
                &["mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"],
                &["mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"],
            ),
            ("VIMNMX R1, R2, R3, PT", &["min.s32", "add.s32", "max.f32"], &["min.s32"]),
            ("VIMNMX R1, R2, R3, PT", &["add.s32"], &["add.s32"]),
            ("ULOP3.LUT UR4, UR4, UR5, URZ, 0xc0, !UPT", &["and.b32", "add.s32"], &["and.b32"]),
            ("IDP.4A.S8.S8 R1, R2, R3, R4", &["dp4a.s32.s32", "mad.lo.s32"], &["dp4a.s32.s32"]),
            ("ZORK R1", &["add.s32", "ret"], &["add.s32", "ret"]),
        ];
        for (text, candidates, expected) in cases {
            assert_eq!(chosen(text, candidates), *expected, "{text} of {candidates:?}");
        }
    }

    #[test]
    fn widths_of_ptx() {
        let cases = [
            ("ld.global.v4.f32", 128),
            ("ld.global.u8", 8),
            ("ld.global.nc.v2.u64", 128),
            ("ld.global.L1::no_allocate.f32", 32),
        ];
        for (opcode, bits) in cases {
            assert_eq!(width(opcode), bits, "{opcode}");
        }
    }
}

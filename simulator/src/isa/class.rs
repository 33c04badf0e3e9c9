//! What kind of work a PTX instruction is, for counting.

use super::table::{self, WorkRule};

/// Kinds of instructions; each thread instruction is of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Class {
    /// f16, bf16 and pairs of them.
    Fp16,
    /// f32.
    Fp32,
    /// f64.
    Fp64,
    /// Division, roots, reciprocals, transcendental functions.
    Special,
    /// Integers and bits.
    Integer,
    /// `cvt`
    Conversion,
    /// Branches, calls, returns, exits, traps.
    Control,
    /// Whatever reads or writes memory.
    Memory,
    /// Between lanes.
    Exchange,
    /// Matrix products.
    Matrix,
    /// Moves, parameters, predicates, address conversions, barriers, fences.
    #[default]
    Other,
}

/// The class of an instruction by its opcode, as written: `setp.lt.f32`.
pub fn of(opcode: &str) -> Class {
    let (base, mods) = opcode.split_once('.').unwrap_or((opcode, ""));
    let has = |name: &str| mods.split('.').any(|part| part == name);
    let by_type = || mods.rsplit('.').find_map(kind).unwrap_or_default();
    match table::find(base).map_or(WorkRule::ByType, |row| row.work) {
        WorkRule::Is(class) => class,
        WorkRule::ByType => by_type(),
        WorkRule::Special if mods.split('.').any(is_float) => Class::Special,
        WorkRule::Special => by_type(),
        WorkRule::Access if mods.split('.').any(|part| part.starts_with("param")) => Class::Other,
        WorkRule::Copies if has("commit_group") || has("wait_group") || has("wait_all") => Class::Other,
        WorkRule::Wmma if !has("load") && !has("store") => Class::Matrix,
        WorkRule::Access | WorkRule::Copies | WorkRule::Wmma => Class::Memory,
    }
}

/// Does it compute with f64 in any way? Loads, stores, moves and parameters do not.
pub fn is_double(opcode: &str, class: Class) -> bool {
    let computes = matches!(class, Class::Fp64 | Class::Special | Class::Conversion | Class::Matrix);
    computes && opcode.split('.').any(|part| part == "f64")
}

fn is_float(part: &str) -> bool {
    matches!(kind(part), Some(Class::Fp16 | Class::Fp32 | Class::Fp64))
}

/// The class of an operand type.
fn kind(part: &str) -> Option<Class> {
    Some(match part {
        "f16" | "f16x2" | "bf16" | "bf16x2" => Class::Fp16,
        "f32" | "f32x2" => Class::Fp32,
        "f64" => Class::Fp64,
        "pred" => Class::Other,
        _ => {
            let digits = part.strip_prefix(['s', 'u', 'b'])?;
            digits.starts_with(|c: char| c.is_ascii_digit()).then_some(Class::Integer)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_by_opcode() {
        let cases = [
            ("add.s32", Class::Integer),
            ("mad.wide.u32", Class::Integer),
            ("shl.b64", Class::Integer),
            ("selp.b32", Class::Integer),
            ("setp.lt.s32", Class::Integer),
            ("setp.lt.f32", Class::Fp32),
            ("set.lt.u32.f32", Class::Fp32),
            ("fma.rn.f32", Class::Fp32),
            ("fma.rn.f16x2", Class::Fp16),
            ("add.f64", Class::Fp64),
            ("div.s32", Class::Integer),
            ("div.rn.f32", Class::Special),
            ("ex2.approx.ftz.f32", Class::Special),
            ("cvt.rn.f32.s32", Class::Conversion),
            ("ld.param.u64", Class::Other),
            ("ld.global.v4.f32", Class::Memory),
            ("atom.global.add.f32", Class::Memory),
            ("cp.async.ca.shared.global", Class::Memory),
            ("cp.async.wait_group", Class::Other),
            ("mov.u32", Class::Other),
            ("and.pred", Class::Other),
            ("bra", Class::Control),
            ("bar.sync", Class::Other),
            ("shfl.sync.down.b32", Class::Exchange),
            ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Class::Matrix),
            ("wmma.load.a.sync.aligned.row.m16n16k16.global.f16", Class::Memory),
        ];
        for (opcode, class) in cases {
            assert_eq!(of(opcode), class, "{opcode}");
        }
    }

    #[test]
    fn double_precision_in_any_way() {
        let computes =
            ["mul.f64", "fma.rn.f64", "cvt.f64.f32", "cvt.rn.f32.f64", "div.rn.f64", "sqrt.rn.f64", "setp.lt.f64"];
        let only_moves = ["ld.global.f64", "mov.f64", "st.shared.f64", "ld.param.f64", "add.f32", "cvt.rn.f32.s32"];
        assert!(computes.iter().all(|opcode| is_double(opcode, of(opcode))));
        assert!(!only_moves.iter().any(|opcode| is_double(opcode, of(opcode))));
    }
}

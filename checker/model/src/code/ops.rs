//! Instructions as the model needs them.

use super::{FenceScope, Op, SharedAtomic, Unit, brought, is_assembler_s};
use crate::class::Class;
use sass::opcode::{Access, Space};
use sass::operand::{File, Operand};
use sass::{Family, Instruction, stats};

/// Banks of a scheduler's registers, as far as the turns of `scripts/clock/loops.cu` tell: for a warp alone. With four warps they are as
/// two (`three_registers`), for which nobody publishes a reason.
const BANKS: usize = 4;

/// Instructions with the reads that their registers' banks make them wait for.
pub fn ops(code: &[Instruction]) -> Vec<Op> {
    let mut kept = [None; 4];
    let each = |instruction: &Instruction| {
        let mut op = op(instruction);
        let (mut banks, mut pair) = ([0u8; BANKS], [0u8; 2]);
        let (mut next, mut read) = ([None; 4], Vec::new());
        // The first operand is what is written.
        for (slot, operand) in instruction.operands.iter().skip(1).take(4).enumerate() {
            let Operand::Register(register) = operand else { continue };
            let (File::General, Some(index)) = (register.file, register.index) else { continue };
            if kept[slot] != Some(index) && !read.contains(&index) {
                read.push(index);
                banks[usize::from(index) % BANKS] += 1;
                pair[usize::from(index) % 2] += 1;
            }
            next[slot] = register.reuse.then_some(index);
        }
        kept = next;
        let beyond = |banks: &[u8]| banks.iter().max().copied().unwrap_or(0).saturating_sub(1);
        op.conflicts = if matches!(op.unit, Unit::Fma | Unit::Alu) { beyond(&banks) } else { 0 };
        // The other units take two cycles for a warp, in which their reads have their time.
        op.crowded = if op.unit == Unit::Fma { beyond(&pair) } else { 0 };
        op
    };
    code.iter().map(each).collect()
}

fn op(instruction: &Instruction) -> Op {
    let control = instruction.control;
    let loads = matches!(stats::family(instruction), Family::Memory(_, Access::Load | Access::Copy));
    let line = instruction.source.and_then(|source| Some((u16::try_from(source.file).ok()?, source.line)));
    Op {
        unit: unit(instruction),
        bits: instruction.opcode.width(),
        loads,
        past_l1: loads && past_l1(instruction),
        conflicts: 0,
        crowded: 0,
        guarded: instruction.guard.is_some_and(|guard| guard.is_conditional()),
        stall: control.stall,
        pause: pause(instruction),
        writes: control.write_barrier,
        reads: control.read_barrier,
        waits: control.wait_mask,
        class: Class::of_sass(instruction),
        line,
        shared_atomic: shared_atomic(instruction),
        fence: fence_scope(instruction),
        calls: brought(instruction).is_some_and(is_assembler_s),
        double_products: double_products(instruction),
    }
}

fn fence_scope(instruction: &Instruction) -> Option<FenceScope> {
    let has = |part: &str| instruction.opcode.modifiers().any(|modifier| modifier == part);
    match instruction.opcode.mnemonic() {
        "MEMBAR" if has("SYS") => Some(FenceScope::System),
        "MEMBAR" if has("GPU") => Some(FenceScope::Device),
        "MEMBAR" | "FENCE" => Some(FenceScope::Block),
        _ => None,
    }
}

fn past_l1(instruction: &Instruction) -> bool {
    let has = |parts: &[&str]| instruction.opcode.modifiers().any(|modifier| parts.contains(&modifier));
    has(&["STRONG", "MMIO"]) && has(&["GPU", "SYS"])
}

fn shared_atomic(instruction: &Instruction) -> Option<SharedAtomic> {
    let has = |part: &str| instruction.opcode.modifiers().any(|modifier| modifier == part);
    match instruction.opcode.mnemonic() {
        "ATOMS" if has("POPC") => Some(SharedAtomic::Counts),
        "ATOMS" if has("CAS") || has("CAST") => Some(SharedAtomic::Retries),
        "ATOMS" => Some(SharedAtomic::Serves),
        _ => None,
    }
}

/// What `__nanosleep` was given, or a wait for a barrier object as its limit, if it is a number: what a register holds nobody knows here.
/// A predicate may stand before it (`NANOSLEEP.SYNCS !PT, 0x186a0`). What is guarded by `@!PT` never runs.
fn pause(instruction: &Instruction) -> u32 {
    let never = instruction.guard.is_some_and(|guard| guard.negated && guard.index.is_none());
    if never || instruction.opcode.mnemonic() != "NANOSLEEP" {
        return 0;
    }
    let number = |operand: &Operand| if let Operand::Integer(ns) = operand { Some(*ns) } else { None };
    // As many bits as the register that might stand there has.
    instruction.operands.iter().find_map(number).map_or(0, |ns| ns as u32)
}

/// Multiply-adds of `DMMA.16x8x16`: rows by columns by depth.
fn double_products(instruction: &Instruction) -> u32 {
    if instruction.opcode.mnemonic() != "DMMA" {
        return 0;
    }
    let product = |shape: &str| -> Option<u32> {
        let sides: Vec<u32> = shape.split('x').map(|side| side.parse().ok()).collect::<Option<_>>()?;
        (sides.len() == 3).then(|| sides.iter().product())
    };
    // The shape that an old assembler leaves out, as it has no other one: `DMMA.884`.
    instruction.opcode.modifiers().find_map(product).unwrap_or(8 * 8 * 4)
}

fn unit(instruction: &Instruction) -> Unit {
    let mnemonic = instruction.opcode.mnemonic();
    match stats::family(instruction) {
        Family::Memory(space, access) => match (space, access) {
            (Space::Global | Space::Generic, Access::Atomic) if mnemonic.starts_with("RED") => Unit::Reduction,
            (Space::Global | Space::Generic, Access::Atomic) => Unit::Atomic,
            (Space::Shared, _) if mnemonic == "SYNCS" => Unit::Arrival,
            (Space::Shared, _) => Unit::Shared,
            (Space::Local, _) => Unit::Local,
            (Space::Constant, _) => Unit::Constant,
            _ => Unit::Global,
        },
        Family::Fp32 => match mnemonic {
            "FADD" | "FMUL" | "FFMA" | "FADD32I" | "FMUL32I" | "FFMA32I" => Unit::Fma,
            "FRND" => Unit::Special,
            _ => Unit::Alu,
        },
        Family::Fp64 => Unit::Double,
        Family::Fp16 => Unit::Half,
        Family::Integer => match mnemonic {
            "IMAD" | "IMUL" | "IDP" | "IDP4A" | "XMAD" => Unit::Multiply,
            "POPC" | "FLO" | "BREV" => Unit::Special,
            _ => Unit::Alu,
        },
        Family::Conversion if mnemonic == "F2FP" => Unit::Alu,
        Family::Conversion | Family::Special => Unit::Special,
        Family::Tensor => Unit::Tensor,
        Family::Uniform => Unit::Uniform,
        Family::Move => match mnemonic {
            "IMAD" => Unit::Multiply,
            "HFMA2" => Unit::Half,
            "MOV" => Unit::Alu,
            _ => Unit::Other,
        },
        Family::Warp => match mnemonic {
            "SHFL" => Unit::Shuffle,
            "MATCH" if instruction.opcode.modifiers().any(|modifier| modifier == "ANY") => Unit::Match,
            "REDUX" | "MATCH" => Unit::Special,
            _ => Unit::Alu,
        },
        Family::Synchronisation => match mnemonic {
            "BAR" => Unit::Barrier,
            "MEMBAR" | "FENCE" => Unit::Fence,
            "LDGDEPBAR" | "DEPBAR" | "UTMACMDFLUSH" => Unit::Group,
            "CCTL" if instruction.opcode.modifiers().any(|modifier| modifier == "IVALL") => Unit::Group,
            _ => Unit::Other,
        },
        Family::Control if matches!(mnemonic, "BRX" | "JMX" | "BRXU") => Unit::Indirect,
        Family::Control => Unit::Control,
        Family::Other => Unit::Other,
    }
}

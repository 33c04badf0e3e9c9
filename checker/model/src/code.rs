//! Machine code as the model needs it: basic blocks of operations with their unit, their scheduling and where they come from.

use crate::class::Class;
use sass::opcode::{Access, Space};
use sass::operand::{File, Operand};
use sass::{Family, Instruction, Kernel, flow, stats};
use serde::{Deserialize, Serialize};

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

#[cfg(test)]
mod tests {
    use super::{Block, Code, Unit};

    /// Of lines of machine code; a label without a dot is a function's.
    fn blocks(lines: &[&str]) -> Vec<Block> {
        let mut text = "\t.section\t.text.k,\"ax\"\n".to_owned();
        let mut address = 0;
        for line in lines {
            if line.ends_with(':') {
                text += &format!("{line}\n");
            } else {
                text += &format!("/*{address:04x}*/ {line} ;\n");
                address += 16;
            }
        }
        Code::of(&sass::listing::parse(&text).kernels[0], &[]).blocks
    }

    #[test]
    fn units_of_what_matches() {
        let unit = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].unit;
        assert_eq!(unit("MATCH.ANY R3, R3"), Unit::Match);
        assert_eq!(unit("MATCH.ALL PT, R3, R3"), Unit::Special);
    }

    #[test]
    fn pauses_that_run() {
        let pause = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].pause;
        assert_eq!(pause("NANOSLEEP 0xfa0"), 4000);
        assert_eq!(pause("@!P0 NANOSLEEP.SYNCS 0x186a0"), 100_000);
        assert_eq!(pause("NANOSLEEP.SYNCS !PT, 0x186a0"), 100_000);
        assert_eq!(pause("NANOSLEEP R2"), 0);
        assert_eq!(pause("@!PT NANOSLEEP.SYNCS 0x186a0"), 0);
    }

    #[test]
    fn products_of_doubles_by_their_shape() {
        let products = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].double_products;
        assert_eq!(products("DMMA.16x8x16 R24, R16, R8, R64"), 2048);
        assert_eq!(products("DMMA.8x8x4 R24, R16, R8, R64"), 256);
        assert_eq!(products("DMMA.884 R24, R16, R8, R64"), 256);
        assert_eq!(products("HMMA.16816.F32 R24, R16, R8, R64"), 0);
    }

    #[test]
    fn units_of_what_waits() {
        let unit = |line: &str| blocks(&[line, "EXIT"])[0].ops[0].unit;
        assert_eq!(unit("SYNCS.PHASECHK.TRANS64 PT, [UR6], R0"), Unit::Arrival);
        let group = ["LDGDEPBAR", "DEPBAR.LE SB0, 0x0", "UTMACMDFLUSH", "CCTL.IVALL"];
        assert_eq!(group.map(unit), [Unit::Group; 4]);
        assert_ne!(unit("CCTL.E.PF2 [R2]"), Unit::Group);
    }

    #[test]
    fn a_call_is_a_slow_path_if_a_branch_goes_around_it_and_numbers_are_rare_that_need_it() {
        let slow = |function: &str| {
            let (call, label) = (format!("CALL.REL.NOINC `({function})"), format!("{function}:"));
            let lines = ["@!P0 BRA `(.L_x_1)", &call, ".L_x_1:", "EXIT", &label, "RET.REL.NODEC R6"];
            let blocks = blocks(&lines);
            let at = blocks.iter().position(|block| !block.calls.is_empty()).expect("it calls");
            assert!(blocks[blocks[at].calls[0]].root && blocks[at].ops[0].calls, "{blocks:?}");
            blocks[at].slow
        };
        assert!(slow("$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath"));
        assert!(!slow("$__internal_0_$__cuda_sm20_div_u64"));
        let name = "$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath";
        let (call, label) = (format!("CALL.REL.NOINC `({name})"), format!("{name}:"));
        assert!(!blocks(&[&call, "EXIT", &label, "RET.REL.NODEC R6"]).iter().any(|block| block.slow));
    }
}

//! Functions, calls, and a module's code as a whole.

#[cfg(not(target_family = "wasm"))]
use super::TextureOp;
use super::{
    AccessOp, AddressSpace, AtomicOp, BarrierOp, BulkOp, CollectiveOp, CopyOp, FenceOp, Inst, MapOp, MatrixOp,
    MbarrierOp, Op, R, Reg,
};
use crate::observe::MemoryOrder;
use crate::opcodes::Effect;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// One value that goes from caller to callee or back.
#[derive(Debug, Clone, Copy)]
pub enum CallValue {
    /// Bytes of the frame's local memory.
    Memory {
        /// Offset in the frame.
        offset: u32,
        /// Bytes.
        size: u32,
    },
    /// A register.
    Register(Reg),
}

impl CallValue {
    /// Bytes that are copied where it is passed to another: where both sides know theirs, what they have in common; where one does, that.
    pub fn bytes_to(self, to: Self) -> u32 {
        match (self, to) {
            (Self::Memory { size: a, .. }, Self::Memory { size: b, .. }) if a > 0 && b > 0 => a.min(b),
            (Self::Memory { size: a, .. }, Self::Memory { size: b, .. }) => a.max(b),
            (Self::Memory { size, .. }, _) | (_, Self::Memory { size, .. }) => size,
            _ => 8,
        }
    }
}

/// Who is called.
#[derive(Debug, Clone)]
pub enum Callee {
    /// A function of the module by index.
    Function(u32),
    /// The function whose address is in the register.
    Indirect(Reg),
    /// `vprintf(format, arguments)`
    Printf,
    /// `__assertfail(expression, file, line, function, char size)`
    AssertFail,
    /// `malloc(size)`, `free(pointer)`
    Malloc,
    /// See above.
    Free,
    /// Declared but not defined.
    Missing(String),
}

/// A call.
#[derive(Debug, Clone)]
pub struct CallOp {
    /// Who.
    pub callee: Callee,
    /// Arguments, in the caller's frame.
    pub args: Vec<CallValue>,
    /// Where results go, in the caller's frame.
    pub returns: Vec<CallValue>,
    /// `.calltargets`: a call through a pointer goes to one of these functions; empty: to any.
    pub among: Vec<u32>,
}

/// `brx.idx`.
#[derive(Debug, Clone)]
pub struct IndexedBranch {
    /// Index register.
    pub index: Reg,
    /// Targets.
    pub targets: Vec<u32>,
    /// Reconvergence point.
    pub join: u32,
}

/// A function's frame.
#[derive(Debug, Clone, Default)]
pub struct FunctionInfo {
    /// Name.
    pub name: String,
    /// First operation.
    pub start: u32,
    /// Operations.
    pub len: u32,
    /// It has a body.
    pub defined: bool,
    /// It is a kernel.
    pub entry: bool,
    /// 32-bit registers.
    pub registers32: u32,
    /// Those that hold constants: written when a frame starts.
    pub constants32: Vec<(R, u32)>,
    /// 64-bit registers.
    pub registers64: u32,
    /// Those that hold constants.
    pub constants64: Vec<(R, u64)>,
    /// Predicates.
    pub predicates: u32,
    /// Bytes of local memory of a frame, parameters of calls included; a multiple of 16.
    pub local: u32,
    /// Variables of local memory: name, offset, bytes.
    pub locals: Vec<(String, u32, u32)>,
    /// Formal parameters in memory, a kernel's or those in the frame: name, offset, bytes.
    pub parameters: Vec<(String, u32, u32)>,
    /// Registers that it may read before it writes them.
    pub unassigned: Vec<Reg>,
    /// Formal parameters.
    pub params: Vec<CallValue>,
    /// Return parameters.
    pub returns: Vec<CallValue>,
}

/// Where an operation comes from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin {
    /// PTX line.
    pub ptx_line: u32,
    /// Index into [`lines`](super::Code::lines); 0 is "unknown".
    pub line: u32,
    /// The same for where it stands itself, in a header perhaps.
    pub place: u32,
    /// Index of the function.
    pub function: u32,
    /// What kind of work the instruction is.
    pub class: crate::isa::class::Class,
    /// It computes with f64 in any way.
    pub double: bool,
    /// Index into [`opcodes`](super::Code::opcodes).
    pub opcode: u32,
}

/// A module's code.
#[derive(Default)]
pub struct Code {
    /// All functions' operations, one after the other.
    pub insts: Vec<Inst>,
    /// Parallel to `insts`.
    pub origins: Vec<Origin>,
    /// Source positions: index of the file and line.
    pub lines: Vec<(u32, u32)>,
    /// Where a pair is in `lines`.
    pub line_of: HashMap<(u32, u32), u32>,
    /// Where the module's variables end: allocations may lie right behind them.
    pub variables_end: u64,
    /// Functions' addresses, by index.
    pub addresses: Vec<u64>,
    /// Variables that hold what the text gives them, whatever runs.
    pub fixed: Vec<crate::isa::fixed::Fixed>,
    /// Opcodes as written, each once.
    pub opcodes: Vec<String>,
    /// Where an opcode is in `opcodes`.
    pub opcode_of: HashMap<String, u32>,
    /// Paths by file index.
    pub files: Vec<(u32, String)>,
    /// Functions and entries.
    pub functions: Vec<FunctionInfo>,
    /// Side tables.
    pub maps: Vec<MapOp>,
    /// Loads and stores.
    pub accesses: Vec<AccessOp>,
    /// Atomics.
    pub atomics: Vec<AtomicOp>,
    /// Shuffles, votes.
    pub collectives: Vec<CollectiveOp>,
    /// Barriers.
    pub barriers: Vec<BarrierOp>,
    /// Fences.
    pub fences: Vec<FenceOp>,
    /// Asynchronous copies.
    pub copies: Vec<CopyOp>,
    /// Bulk copies.
    pub bulk: Vec<BulkOp>,
    /// Memory barriers objects.
    pub mbarriers: Vec<MbarrierOp>,
    /// Matrix instructions.
    pub matrices: Vec<MatrixOp>,
    /// Texture and surface instructions.
    #[cfg(not(target_family = "wasm"))]
    pub textures: Vec<TextureOp>,
    /// Calls.
    pub calls: Vec<CallOp>,
    /// Indexed branches.
    pub indexed: Vec<IndexedBranch>,
    /// Instructions the simulator does not know, as written.
    pub unsupported: Vec<String>,
    /// The system's part of shared memory is asked for somewhere (`%reserved_smem_offset_1`).
    pub uses_reserved: bool,
    /// Functions that are declared `.noreturn`, by index.
    pub never_return: Vec<u32>,
    /// A clock or timer is read somewhere.
    pub reads_clock: bool,
    /// By operation: may a round of a loop around it read a clock whose value goes somewhere? Empty where no operation does.
    pub clocked: Vec<bool>,
    /// Threads wait for the other blocks of their cluster somewhere, or ask where those have their shared memory.
    pub uses_clusters: bool,
}

/// Operations that are looked at for a source line, each way.
const NEAR: usize = 64;

impl Code {
    /// The source line to name for an operation, an index into [`Code::lines`]. What the compiler made of several lines at once
    /// belongs to none (`.loc` says line 0): then that of the next operation of its block, or else of one before it.
    pub fn line_near(&self, pc: u32) -> u32 {
        let Some(origin) = self.origins.get(pc as usize) else { return 0 };
        let known =
            |at: usize| self.origins.get(at).map(|origin| origin.line).filter(|&line| self.lines[line as usize].1 > 0);
        let function = &self.functions[origin.function as usize];
        let (start, end) = (function.start as usize, (function.start + function.len) as usize);
        let leaves = |at: &usize| {
            matches!(self.insts[*at].op, Op::Bra { .. } | Op::BrIndexed(_) | Op::Ret | Op::Exit | Op::Trap)
        };
        let at = pc as usize;
        let block = (at..end.min(at + NEAR)).take_while(|next| *next == at || !leaves(&(next - 1)));
        let before = (start.max(at.saturating_sub(NEAR))..at).rev();
        block.chain(before).find_map(known).unwrap_or(0)
    }

    /// Does it call `malloc` or `free`?
    pub fn allocates(&self) -> bool {
        self.calls.iter().any(|call| matches!(call.callee, Callee::Malloc | Callee::Free))
    }

    /// Is it an operation by which threads affect each other, or wait?
    pub fn is_communication(&self, op: &Op) -> bool {
        match op {
            Op::Load(index) | Op::Store(index) => {
                let access = &self.accesses[*index as usize];
                access.space == AddressSpace::Shared || access.order != MemoryOrder::Weak
            }
            // What a launch writes to a surface, it cannot read.
            #[cfg(not(target_family = "wasm"))]
            Op::Texture(_) => false,
            Op::Discard(_) => false,
            Op::Matrix(_) => true,
            op => match op.effect(self) {
                Effect::Memory | Effect::Exchange | Effect::Synchronises => true,
                Effect::Pure | Effect::Flow | Effect::Nothing | Effect::NotSimulated => false,
            },
        }
    }

    /// Is it an operation by which threads of different blocks may affect each other, or wait?
    pub fn is_between_blocks(&self, op: &Op) -> bool {
        match op {
            Op::Load(index) | Op::Store(index) => {
                let access = &self.accesses[*index as usize];
                access.space != AddressSpace::Shared && access.order != MemoryOrder::Weak
            }
            Op::Atomic(index) => self.atomics[*index as usize].space != AddressSpace::Shared,
            Op::Barrier(_) | Op::WarpBarrier { .. } | Op::Collective(_) | Op::ActiveMask { .. } | Op::Matrix(_) => {
                false
            }
            Op::CopyAsync(_) | Op::CopyCommit { .. } | Op::CopyWait { .. } => false,
            op => self.is_communication(op),
        }
    }

    /// May a loop wait for others by this operation?
    pub fn may_wait(&self, op: &Op) -> bool {
        match op {
            Op::Load(index) => self.accesses[*index as usize].may_spin,
            Op::Atomic(index) => self.atomics[*index as usize].may_spin,
            Op::NanoSleep | Op::Mbarrier(_) => true,
            _ => false,
        }
    }

    /// Is there a loop in which a thread may wait for others? What is called in a loop is taken to be in it.
    pub fn waits(&self) -> bool {
        let waiting: Vec<usize> = (0..self.insts.len()).filter(|&at| self.may_wait(&self.insts[at].op)).collect();
        let loops = self.insts.iter().enumerate().filter_map(|(at, inst)| match inst.op {
            Op::Bra { target, .. } if target as usize <= at => Some(target as usize..=at),
            _ => None,
        });
        let calls = |body: &mut RangeInclusive<usize>| body.any(|at| matches!(self.insts[at].op, Op::Call(_)));
        let mut loops = loops.filter(|_| !waiting.is_empty());
        loops.any(|mut body| waiting.iter().any(|at| body.contains(at)) || calls(&mut body))
    }

    /// Index of a source line in `lines`.
    pub fn line(&mut self, file: u32, line: u32) -> u32 {
        let lines = &mut self.lines;
        *self.line_of.entry((file, line)).or_insert_with(|| {
            lines.push((file, line));
            lines.len() as u32 - 1
        })
    }

    /// Index of an opcode in `opcodes`.
    pub fn opcode(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.opcode_of.get(text) {
            return known;
        }
        let index = self.opcodes.len() as u32;
        self.opcodes.push(text.to_owned());
        self.opcode_of.insert(text.to_owned(), index);
        index
    }

    /// Path of a file.
    pub fn file(&self, index: u32) -> &str {
        self.files.iter().find(|(at, _)| *at == index).map_or("", |(_, path)| path)
    }
}

/// A module-level variable with its place.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Address (generic) or, for shared memory, offset.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// `.const`
    pub constant: bool,
    /// Initial bytes, shorter when the rest is zero.
    pub init: Vec<u8>,
}

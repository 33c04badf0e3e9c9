//! The operation set of the executor.

pub use crate::num::Compare as Cmp;
use crate::num::matrix;
use crate::observe::{Order, Scope};
use std::sync::Arc;

/// Index into one of a frame's register files. Constants live in the same files.
pub type R = u16;

/// No guard.
pub const NO_GUARD: u16 = u16::MAX;
/// No target, no reconvergence point.
pub const NOWHERE: u32 = u32::MAX;

/// A register of any file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reg {
    /// 8 to 32 bits; what lies above a narrower value means nothing.
    R32(R),
    /// 64 bits.
    R64(R),
    /// A predicate: one bit a lane.
    P(R),
    /// Not there, or `_`.
    None,
}

/// Special registers that differ by lane, warp, block or launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    Clock,
    ClockHi,
    Clock64,
    Globaltimer,
    GlobaltimerLo,
    GlobaltimerHi,
    Envreg(u8),
    DynamicSmemSize,
    DynamicSmemBase,
    TotalSmemSize,
    Zero,
    One,
}

/// An operation. Three-letter fields: `d` destination, `a b c` sources.
#[derive(Debug, Clone, Copy)]
pub enum Op {
    /// Lanes that diverged may wait here for each other.
    Join,
    Bra {
        target: u32,
        join: u32,
    },
    BrIndexed(u32),
    Call(u32),
    Ret,
    Exit,
    Trap,
    Nop,
    /// Index into [`Code::unsupported`].
    Unsupported(u32),
    Mov32 {
        d: R,
        a: R,
    },
    Mov64 {
        d: R,
        a: R,
    },
    MovP {
        d: R,
        a: R,
    },
    NotP {
        d: R,
        a: R,
    },
    AndP {
        d: R,
        a: R,
        b: R,
    },
    OrP {
        d: R,
        a: R,
        b: R,
    },
    XorP {
        d: R,
        a: R,
        b: R,
    },
    Special32 {
        d: R,
        which: Special,
    },
    Special64 {
        d: R,
        which: Special,
    },
    Param32 {
        d: R,
        offset: u32,
    },
    Param64 {
        d: R,
        offset: u32,
    },
    /// Address of a frame's local variable, relative to the thread's local memory plus `window`.
    LocalAddress64 {
        d: R,
        offset: u32,
    },
    Add32 {
        d: R,
        a: R,
        b: R,
    },
    Sub32 {
        d: R,
        a: R,
        b: R,
    },
    Mul32 {
        d: R,
        a: R,
        b: R,
    },
    MulHiS32 {
        d: R,
        a: R,
        b: R,
    },
    MulHiU32 {
        d: R,
        a: R,
        b: R,
    },
    MulWideS32 {
        d: R,
        a: R,
        b: R,
    },
    MulWideU32 {
        d: R,
        a: R,
        b: R,
    },
    Mad32 {
        d: R,
        a: R,
        b: R,
        c: R,
    },
    MadWideS32 {
        d: R,
        a: R,
        b: R,
        c: R,
    },
    MadWideU32 {
        d: R,
        a: R,
        b: R,
        c: R,
    },
    And32 {
        d: R,
        a: R,
        b: R,
    },
    Or32 {
        d: R,
        a: R,
        b: R,
    },
    Xor32 {
        d: R,
        a: R,
        b: R,
    },
    Not32 {
        d: R,
        a: R,
    },
    Neg32 {
        d: R,
        a: R,
    },
    Shl32 {
        d: R,
        a: R,
        b: R,
    },
    ShrU32 {
        d: R,
        a: R,
        b: R,
    },
    ShrS32 {
        d: R,
        a: R,
        b: R,
    },
    MinS32 {
        d: R,
        a: R,
        b: R,
    },
    MaxS32 {
        d: R,
        a: R,
        b: R,
    },
    MinU32 {
        d: R,
        a: R,
        b: R,
    },
    MaxU32 {
        d: R,
        a: R,
        b: R,
    },
    Add64 {
        d: R,
        a: R,
        b: R,
    },
    Sub64 {
        d: R,
        a: R,
        b: R,
    },
    Mul64 {
        d: R,
        a: R,
        b: R,
    },
    Mad64 {
        d: R,
        a: R,
        b: R,
        c: R,
    },
    And64 {
        d: R,
        a: R,
        b: R,
    },
    Or64 {
        d: R,
        a: R,
        b: R,
    },
    Xor64 {
        d: R,
        a: R,
        b: R,
    },
    Shl64 {
        d: R,
        a: R,
        b: R,
    },
    ShrU64 {
        d: R,
        a: R,
        b: R,
    },
    ShrS64 {
        d: R,
        a: R,
        b: R,
    },
    AddF32 {
        d: R,
        a: R,
        b: R,
    },
    SubF32 {
        d: R,
        a: R,
        b: R,
    },
    MulF32 {
        d: R,
        a: R,
        b: R,
    },
    FmaF32 {
        d: R,
        a: R,
        b: R,
        c: R,
    },
    NegF32 {
        d: R,
        a: R,
    },
    AbsF32 {
        d: R,
        a: R,
    },
    AddF64 {
        d: R,
        a: R,
        b: R,
    },
    SubF64 {
        d: R,
        a: R,
        b: R,
    },
    MulF64 {
        d: R,
        a: R,
        b: R,
    },
    FmaF64 {
        d: R,
        a: R,
        b: R,
        c: R,
    },
    SetS32 {
        d: R,
        a: R,
        b: R,
        cmp: Cmp,
    },
    SetU32 {
        d: R,
        a: R,
        b: R,
        cmp: Cmp,
    },
    SetS64 {
        d: R,
        a: R,
        b: R,
        cmp: Cmp,
    },
    SetU64 {
        d: R,
        a: R,
        b: R,
        cmp: Cmp,
    },
    SetF32 {
        d: R,
        a: R,
        b: R,
        cmp: Cmp,
    },
    SetF64 {
        d: R,
        a: R,
        b: R,
        cmp: Cmp,
    },
    Sel32 {
        d: R,
        a: R,
        b: R,
        p: R,
    },
    Sel64 {
        d: R,
        a: R,
        b: R,
        p: R,
    },
    /// Zero-extension, sign-extension, truncation.
    Zext {
        d: R,
        a: R,
    },
    Sext {
        d: R,
        a: R,
    },
    Trunc {
        d: R,
        a: R,
    },
    /// High half of a 64-bit register.
    High {
        d: R,
        a: R,
    },
    /// `{a, b}` to 64 bits, `a` low.
    Pack64 {
        d: R,
        a: R,
        b: R,
    },
    S32ToF32 {
        d: R,
        a: R,
    },
    U32ToF32 {
        d: R,
        a: R,
    },
    /// Any pure function of lanes: index into [`Code::maps`].
    Map(u32),
    /// Index into [`Code::accesses`].
    Load(u32),
    Store(u32),
    /// Index into [`Code::atomics`].
    Atomic(u32),
    /// Index into [`Code::collectives`].
    Collective(u32),
    WarpBarrier {
        mask: R,
    },
    /// Index into [`Code::barriers`].
    Barrier(u32),
    /// Index into [`Code::fences`].
    Fence(u32),
    NanoSleep,
    /// Lanes of the group now executing.
    ActiveMask {
        d: R,
    },
    /// One lane of the mask.
    Elect {
        d: R,
        p: R,
        mask: R,
    },
    /// Index into [`Code::copies`].
    CopyAsync(u32),
    /// Index into [`Code::mbarriers`].
    Mbarrier(u32),
    /// Index into [`Code::matrices`].
    Matrix(u32),
}

/// An operation with its guard.
#[derive(Debug, Clone, Copy)]
pub struct Inst {
    /// What.
    pub op: Op,
    /// Predicate register shifted left by one, plus one when negated; [`NO_GUARD`].
    pub guard: u16,
    /// 1 for the first operation of a PTX instruction, 0 for those that complete it.
    pub counted: u8,
}

/// Sources by lane, widened to 64 bits, to results.
pub type MapFn = Arc<dyn Fn(&[[u64; 32]; 4], &mut [u64; 32]) + Send + Sync>;

/// A pure function of lanes.
#[derive(Clone)]
pub struct MapOp {
    /// Destination.
    pub d: Reg,
    /// Sources.
    pub sources: [Reg; 4],
    /// The function.
    pub f: MapFn,
    /// Floating-point operations a lane.
    pub flops: u8,
}

/// State space of an instruction's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressSpace {
    Generic,
    Global,
    Const,
    Shared,
    Local,
    /// A kernel's parameters.
    Param,
}

/// A load or store.
#[derive(Debug, Clone)]
pub struct AccessOp {
    /// Where.
    pub space: AddressSpace,
    /// Bytes an element.
    pub size: u32,
    /// Sign-extend to the register's width.
    pub signed: bool,
    /// Registers: one an element; a b128 element is two R64.
    pub regs: Vec<Reg>,
    /// Address register, or none for an absolute address.
    pub base: Reg,
    /// Added to it; for a frame's variable the offset in the frame.
    pub offset: i64,
    /// The address is relative to the frame's part of local memory.
    pub frame: bool,
    /// A parameter of a device function: kept in local memory here, in registers by the hardware.
    pub parameter: bool,
    /// Ordering.
    pub order: Order,
    /// Scope of a non-weak access.
    pub scope: Scope,
    /// A load that a spin loop may be made of.
    pub may_spin: bool,
}

/// What an atomic does: old value and operands to the new value, as bits.
pub type AtomicFn = Arc<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

/// An atomic or a reduction.
#[derive(Clone)]
pub struct AtomicOp {
    /// Where.
    pub space: AddressSpace,
    /// Bytes an element.
    pub size: u32,
    /// Destinations, one an element; `None` for a reduction.
    pub d: Vec<Reg>,
    /// Address register.
    pub base: Reg,
    /// Added to it.
    pub offset: i64,
    /// Operands, one an element.
    pub b: Vec<Reg>,
    /// Second operand (cas).
    pub c: Reg,
    /// The function.
    pub f: AtomicFn,
    /// Its plain name for host atomics: "add", "cas", ...
    pub order: Order,
    /// Scope.
    pub scope: Scope,
    /// The result is used: a spin loop may be made of it.
    pub may_spin: bool,
    /// Floating-point operations an element.
    pub flops: u8,
}

/// Votes and their kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    All,
    Any,
    Uni,
    Ballot,
}

/// What a collective does with the lanes that came.
#[derive(Clone)]
pub enum CollectiveFn {
    ShflUp,
    ShflDown,
    ShflBfly,
    ShflIdx,
    Vote(Vote),
    MatchAny,
    MatchAll,
    /// Folded over the lanes of the mask.
    Redux(AtomicFn),
}

/// A `*.sync` instruction that exchanges values.
#[derive(Clone)]
pub struct CollectiveOp {
    /// What.
    pub f: CollectiveFn,
    /// Destination.
    pub d: Reg,
    /// Second destination predicate.
    pub p: Reg,
    /// Source value.
    pub a: Reg,
    /// The source predicate is inverted.
    pub negated: bool,
    /// Shuffle's second operand.
    pub b: Reg,
    /// Shuffle's clamp and segment mask.
    pub c: Reg,
    /// Member mask; none for the forms without `.sync`, which take whoever is there.
    pub mask: Reg,
}

/// What a block barrier does besides waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierKind {
    Sync,
    Arrive,
    RedPopc,
    RedAnd,
    RedOr,
}

/// A block barrier.
#[derive(Debug, Clone)]
pub struct BarrierOp {
    /// What.
    pub kind: BarrierKind,
    /// Number of the barrier.
    pub id: Reg,
    /// Threads expected; none for the whole block.
    pub count: Reg,
    /// Reduction's source predicate.
    pub a: Reg,
    /// It is inverted.
    pub negated: bool,
    /// Reduction's destination.
    pub d: Reg,
    /// All lanes of a warp must come together.
    pub aligned: bool,
}

/// A fence.
#[derive(Debug, Clone, Copy)]
pub struct FenceOp {
    /// Ordering.
    pub order: Order,
    /// Scope.
    pub scope: Scope,
}

/// `cp.async`: performed when it is issued, so the waits for it are free.
#[derive(Debug, Clone)]
pub struct CopyOp {
    /// Shared address.
    pub to: Reg,
    /// Added to it.
    pub to_offset: i64,
    /// Global address.
    pub from: Reg,
    /// Added to it.
    pub from_offset: i64,
    /// Bytes written.
    pub size: u32,
    /// Bytes read; the rest is zero.
    pub source_size: Reg,
    /// Source is ignored (zeros) when true.
    pub ignore: Reg,
}

/// `mbarrier` instructions on 64-bit objects in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MbarrierKind {
    Init,
    Inval,
    Arrive,
    ArriveDrop,
    ArriveNoComplete,
    ExpectTx,
    ArriveExpectTx,
    CompleteTx,
    TestWait,
    TestWaitParity,
    TryWait,
    TryWaitParity,
    PendingCount,
    CpAsyncArrive,
}

/// An `mbarrier` instruction.
#[derive(Debug, Clone)]
pub struct MbarrierOp {
    /// What.
    pub kind: MbarrierKind,
    /// Destination: state or predicate.
    pub d: Reg,
    /// Address.
    pub base: Reg,
    /// Added to it.
    pub offset: i64,
    /// The address is generic.
    pub generic: bool,
    /// Count, state, parity or bytes.
    pub a: Reg,
}

/// What a matrix instruction does.
#[derive(Debug, Clone)]
pub enum MatrixKind {
    Product(matrix::Product),
    /// `ldmatrix`, by rows of 8 x 8 matrices of 16 bits.
    Load {
        transposed: bool,
    },
    /// `stmatrix`
    Store {
        transposed: bool,
    },
    /// `movmatrix`
    Transpose,
    WmmaLoad {
        shape: matrix::Shape,
        role: matrix::Role,
        element: matrix::Element,
        row_major: bool,
    },
    WmmaStore {
        shape: matrix::Shape,
        role: matrix::Role,
        element: matrix::Element,
        row_major: bool,
    },
}

/// A matrix instruction of a whole warp.
#[derive(Debug, Clone)]
pub struct MatrixOp {
    /// What.
    pub kind: MatrixKind,
    /// Destination registers.
    pub d: Vec<Reg>,
    /// Source registers, operand after operand.
    pub sources: Vec<Reg>,
    /// Address register.
    pub base: Reg,
    /// Added to it.
    pub offset: i64,
    /// Where it points.
    pub space: AddressSpace,
    /// Elements between rows or columns in memory.
    pub stride: Reg,
}

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
    /// Index into [`Code::lines`]; 0 is "unknown".
    pub line: u32,
    /// Index of the function.
    pub function: u32,
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
    /// Memory barriers objects.
    pub mbarriers: Vec<MbarrierOp>,
    /// Matrix instructions.
    pub matrices: Vec<MatrixOp>,
    /// Calls.
    pub calls: Vec<CallOp>,
    /// Indexed branches.
    pub indexed: Vec<IndexedBranch>,
    /// Instructions the simulator does not know, as written.
    pub unsupported: Vec<String>,
}

impl Code {
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

//! The instructions as data: a row a mnemonic. Decoding, counting by kind of work, modifiers without effect, the fuzzer's
//! lines and the list in docs/simulator.md follow from it. A new pure instruction is a row here, a function in
//! [`pure`](super::lower::arith::pure) and a case of `tests/differential`.
//!
//! A modifier that neither the row ignores nor its lowering asks for makes an instruction [`Op::Unsupported`].

use super::class::Class::{self, Control, Conversion, Exchange, Matrix, Memory, Other};
use super::function::{Builder, Lower, Unknown};
use super::lower::arith::{self, compare, is_float, lanes, logic, moves, pure, video};
use super::lower::{call, cvt, float, matrix, memory, sync};
#[cfg(not(target_family = "wasm"))]
use super::lower::{cluster, texture};
use super::op::{MapFn, Op};
use super::parts::Parts;
use crate::opcodes::Effect;
use crate::ptx::ast::{Operand, Ty};
use Lowering::{Bits, Integers, Numbers, Whole};
use WorkRule::{Access, ByType, Copies, Is, Special, Wmma};

/// An instruction's row.
pub struct Opcode {
    /// What stands before the first dot.
    pub mnemonic: &'static str,
    /// A statement with it, over the registers and names of [`crate::opcodes::HEAD`].
    pub example: &'static str,
    /// What work it is, for counting.
    pub work: WorkRule,
    /// What it does to others.
    pub effect: Effect,
    /// How it becomes operations.
    pub lowering: Lowering,
    /// Modifiers that change no result in the simulator.
    ignored: &'static [&'static str],
    /// It takes hints about caches (`L2::128B`).
    hints: bool,
}

/// What work an instruction is.
#[derive(Debug, Clone, Copy)]
pub enum WorkRule {
    /// Always that.
    Is(Class),
    /// That of its last type: of a comparison it is the type of what is compared.
    ByType,
    /// A special function of floats; of integers by type.
    Special,
    /// Memory, unless a parameter: that is an operand of the machine's instruction.
    Access,
    /// Memory, unless it only waits for copies or closes a group of them.
    Copies,
    /// Loads and stores of fragments, and products.
    Wmma,
}

/// How an instruction becomes operations.
pub enum Lowering {
    /// By a function of its own.
    Whole(fn(&mut Builder<'_>, &Parts<'_>, &[Operand]) -> Lower<()>),
    /// A pure function of integers of one type.
    Integers(fn(&Parts<'_>, Ty) -> Lower<MapFn>),
    /// The same; the last two operands are a position and a length of 32 bits.
    Bits(fn(&Parts<'_>, Ty) -> Lower<MapFn>),
    /// A pure function of integers; floats are lowered with the other floats.
    Numbers(fn(&Parts<'_>, Ty) -> Lower<MapFn>),
}

const fn row(
    mnemonic: &'static str,
    example: &'static str,
    work: WorkRule,
    effect: Effect,
    lowering: Lowering,
    ignored: &'static [&'static str],
) -> Opcode {
    Opcode { mnemonic, example, work, effect, lowering, ignored, hints: false }
}

const fn hinted(row: Opcode) -> Opcode {
    Opcode { hints: true, ..row }
}

/// Where and how long a line is kept, and reading past caches: there are none.
const CACHES: &[&str] = &["ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "mmio"];
/// Where a hint points.
const PLACES: &[&str] = &["global", "local", "L1", "L2", "tensormap", "const", "param"];
/// Caches, and orders among copies that are done when they are issued: memory is in order.
const COPIES: &[&str] = &[
    "ca",
    "cg",
    "async",
    "b64",
    "arrive",
    "shared",
    "shared::cta",
    "global",
    "noftz",
    "bulk_group",
    "read",
    "relaxed",
    "release",
    "cta",
    "cluster",
    "gpu",
    "sys",
];
/// Proxies: there is one way to memory.
const PROXIES: &[&str] = &[
    "proxy",
    "alias",
    "async",
    "async::generic",
    "generic",
    "tensormap::generic",
    "to",
    "from",
    "global",
    "shared::cta",
    "shared::cluster",
    "mbarrier_init",
    "sync_restrict::shared::cta",
    "sync_restrict::shared::cluster",
    "acquire",
    "release",
    "acq_rel",
    "sc",
    "cta",
    "cluster",
    "gpu",
    "sys",
];

#[cfg(target_family = "wasm")]
mod cluster {
    pub(super) use super::{not_simulated as mapa, not_simulated as rank_of};
}

#[cfg(target_family = "wasm")]
mod texture {
    pub(super) use super::{not_simulated as sample, not_simulated as surface};
}

/// All rows, by mnemonic. Some ignored modifiers are words that every form has (`.sync`, `.lo`), the only layout or rounding
/// that there is, or promises that are checked when they are executed (`.aligned`, `.uni`).
#[rustfmt::skip]
pub const OPCODES: &[Opcode] = &[
    row("abs", "abs.s32 %r1, %r2;", ByType, Effect::Pure, Numbers(pure::abs), &[]),
    row("activemask", "activemask.b32 %r1;", Is(Exchange), Effect::Exchange, Whole(sync::active_mask), &["b32", "pred"]),
    row("add", "add.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(arith::sum), &[]),
    row("addc", "addc.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(arith::sum), &[]),
    row("alloca", "alloca.u64 %rd1, %rd2;", Is(Other), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("and", "and.b32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(logic::lower), &[]),
    hinted(row("applypriority", "applypriority.global.L2::evict_normal [%rd1], 128;", Is(Memory), Effect::Nothing, Whole(nothing), PLACES)),
    hinted(row("atom", "atom.global.add.u32 %r1, [%rd1], %r2;", Is(Memory), Effect::Memory, Whole(memory::atomic), &["noftz"])),
    row("bar", "bar.sync 0;", Is(Other), Effect::Synchronises, Whole(sync::bar), &["sync", "cta", "cluster", "pred", "u32", "wait"]),
    row("barrier", "barrier.sync 0;", Is(Other), Effect::Synchronises, Whole(sync::bar), &["sync", "cta", "cluster", "pred", "u32", "wait", "aligned", "acquire", "release", "relaxed"]),
    row("bfe", "bfe.u32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Bits(pure::bfe), &[]),
    row("bfi", "bfi.b32 %r1, %r2, %r3, %r4, %r5;", ByType, Effect::Pure, Bits(pure::bfi), &[]),
    row("bfind", "bfind.u32 %r1, %r2;", ByType, Effect::Pure, Integers(pure::bfind), &[]),
    row("bmsk", "bmsk.clamp.b32 %r1, %r2, %r3;", ByType, Effect::Pure, Integers(pure::bmsk), &["clamp"]),
    row("bra", "bra L;", Is(Control), Effect::Flow, Whole(call::branch), &["uni"]),
    row("brev", "brev.b32 %r1, %r2;", ByType, Effect::Pure, Integers(pure::brev), &[]),
    row("brkpt", "brkpt;", Is(Control), Effect::Flow, Whole(call::trap), &[]),
    row("brx", "ts: .branchtargets L; brx.idx %r1, ts;", Is(Control), Effect::Flow, Whole(call::indexed), &["uni", "idx"]),
    row("call", "call f;", Is(Control), Effect::Flow, Whole(call::call), &["uni"]),
    row("clz", "clz.b32 %r1, %r2;", ByType, Effect::Pure, Integers(pure::clz), &[]),
    row("cnot", "cnot.b32 %r1, %r2;", ByType, Effect::Pure, Whole(logic::lower), &[]),
    row("copysign", "copysign.f32 %f1, %f2, %f3;", ByType, Effect::Pure, Whole(float::lower), &[]),
    row("cos", "cos.approx.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    hinted(row("cp", "cp.async.ca.shared.global [s], [%rd1], 16;", Copies, Effect::Memory, Whole(memory::copy), COPIES)),
    hinted(row("createpolicy", "createpolicy.fractional.L2::evict_last.b64 %rd1, 0f3F800000;", ByType, Effect::Pure, Whole(policy), &["fractional", "range", "global", "b64"])),
    row("cvt", "cvt.rn.f32.f64 %f1, %fd1;", Is(Conversion), Effect::Pure, Whole(cvt::lower), &[]),
    row("cvta", "cvta.to.global.u64 %rd1, %rd2;", Is(Other), Effect::Pure, Whole(memory::convert_address), &[]),
    hinted(row("discard", "discard.global.L2 [%rd1], 128;", Is(Memory), Effect::Memory, Whole(memory::discard), PLACES)),
    row("div", "div.rn.f32 %f1, %f2, %f3;", Special, Effect::Pure, Numbers(pure::div), &[]),
    row("dp2a", "dp2a.lo.s32.u32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Integers(pure::dot), &["lo"]),
    row("dp4a", "dp4a.s32.u32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Integers(pure::dot), &[]),
    row("elect", "elect.sync %r1|%p1, %r2;", Is(Exchange), Effect::Exchange, Whole(sync::elect), &["sync"]),
    row("ex2", "ex2.approx.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    row("exit", "exit;", Is(Control), Effect::Flow, Whole(call::exit), &[]),
    row("fence", "fence.acq_rel.gpu;", Is(Other), Effect::Synchronises, Whole(sync::fence), PROXIES),
    row("fma", "fma.rn.f32 %f1, %f2, %f3, %f4;", ByType, Effect::Pure, Whole(float::lower), &[]),
    row("fns", "fns.b32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Integers(pure::fns), &[]),
    row("getctarank", "getctarank.shared::cluster.u32 %r1, %r2;", Is(Other), Effect::Pure, Whole(cluster::rank_of), &[]),
    row("griddepcontrol", "griddepcontrol.wait;", Is(Other), Effect::Nothing, Whole(nothing), &["launch_dependents", "wait"]),
    row("isspacep", "isspacep.shared %p1, %rd1;", Is(Other), Effect::Pure, Whole(memory::is_space), &[]),
    hinted(row("ld", "ld.global.u32 %r1, [%rd1];", Access, Effect::Memory, Whole(memory::load), CACHES)),
    row("ldmatrix", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [s];", Is(Memory), Effect::Memory, Whole(matrix::lower), &["sync", "aligned", "x1", "x2", "x4"]),
    hinted(row("ldu", "ldu.global.u32 %r1, [%rd1];", Is(Memory), Effect::Memory, Whole(memory::load), CACHES)),
    row("lg2", "lg2.approx.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    row("lop3", "lop3.b32 %r1, %r2, %r3, %r4, 0x96;", ByType, Effect::Pure, Whole(pure::lop3), &["and", "b32"]),
    row("mad", "mad.lo.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(arith::sum), &["lo"]),
    row("mad24", "mad24.lo.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(arith::sum), &["lo"]),
    row("madc", "madc.lo.u32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(arith::sum), &["lo"]),
    row("mapa", "mapa.shared::cluster.u32 %r1, %r2, 0;", Is(Other), Effect::Pure, Whole(cluster::mapa), &[]),
    row("match", "match.any.sync.b32 %r1, %r2, %r3;", Is(Exchange), Effect::Exchange, Whole(sync::matches), &["sync"]),
    row("max", "max.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(pure::bound), &[]),
    row("mbarrier", "mbarrier.init.shared.b64 [s], 32;", Is(Other), Effect::Synchronises, Whole(sync::mbarrier), &["b64", "acquire", "release", "cta", "cluster"]),
    row("membar", "membar.gl;", Is(Other), Effect::Synchronises, Whole(sync::fence), PROXIES),
    row("min", "min.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(pure::bound), &[]),
    row("mma", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};", Is(Matrix), Effect::Exchange, Whole(matrix::lower), &["sync", "aligned", "row", "col", "rn", "mma", "popc", "xor"]),
    row("mov", "mov.u32 %r1, %r2;", Is(Other), Effect::Pure, Whole(moves::lower), &[]),
    row("movmatrix", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", Is(Exchange), Effect::Exchange, Whole(matrix::lower), &["sync", "aligned"]),
    row("mul", "mul.lo.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(arith::sum), &["lo"]),
    row("mul24", "mul24.lo.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(arith::sum), &["lo"]),
    row("multimem", "multimem.ld_reduce.global.add.u32 %r1, [%rd1];", Is(Memory), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("nanosleep", "nanosleep.u32 100;", Is(Other), Effect::Synchronises, Whole(sync::sleep), &["u32"]),
    row("neg", "neg.s32 %r1, %r2;", ByType, Effect::Pure, Whole(pure::neg), &[]),
    row("not", "not.b32 %r1, %r2;", ByType, Effect::Pure, Whole(logic::lower), &[]),
    row("or", "or.b32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(logic::lower), &[]),
    row("pmevent", "pmevent 1;", Is(Other), Effect::Nothing, Whole(nothing), &["mask"]),
    row("popc", "popc.b32 %r1, %r2;", ByType, Effect::Pure, Integers(pure::popc), &[]),
    hinted(row("prefetch", "prefetch.global.L2 [%rd1];", Is(Memory), Effect::Nothing, Whole(memory::prefetch), PLACES)),
    hinted(row("prefetchu", "prefetchu.L1 [%rd1];", Is(Memory), Effect::Nothing, Whole(memory::prefetch), PLACES)),
    row("prmt", "prmt.b32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Integers(pure::prmt), &[]),
    row("rcp", "rcp.rn.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    hinted(row("red", "red.global.add.u32 [%rd1], %r2;", Is(Memory), Effect::Memory, Whole(memory::atomic), &["noftz", "b64", "arrive", "shared", "shared::cta", "global"])),
    row("redux", "redux.sync.add.s32 %r1, %r2, %r3;", Is(Exchange), Effect::Exchange, Whole(sync::redux), &["sync"]),
    row("rem", "rem.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Integers(pure::rem), &[]),
    row("ret", "ret;", Is(Control), Effect::Flow, Whole(call::ret), &["uni"]),
    row("rsqrt", "rsqrt.approx.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    row("sad", "sad.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Integers(pure::sad), &[]),
    row("selp", "selp.b32 %r1, %r2, %r3, %p1;", ByType, Effect::Pure, Whole(compare::selp), &[]),
    row("set", "set.lt.u32.f32 %r1, %f1, %f2;", ByType, Effect::Pure, Whole(compare::set), &[]),
    row("setmaxnreg", "setmaxnreg.inc.sync.aligned.u32 64;", Is(Other), Effect::Nothing, Whole(nothing), &["sync", "aligned", "u32", "inc", "dec"]),
    row("setp", "setp.lt.s32 %p1, %r1, %r2;", ByType, Effect::Pure, Whole(compare::setp), &[]),
    row("shf", "shf.l.clamp.b32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Integers(pure::shf), &["clamp"]),
    row("shfl", "shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", Is(Exchange), Effect::Exchange, Whole(sync::shuffle), &["sync", "b32", "pred"]),
    row("shl", "shl.b32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(logic::shift), &[]),
    row("shr", "shr.u32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(logic::shift), &[]),
    row("sin", "sin.approx.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    row("slct", "slct.b32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(compare::slct), &[]),
    row("sqrt", "sqrt.rn.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    hinted(row("st", "st.global.u32 [%rd1], %r1;", Access, Effect::Memory, Whole(memory::store), CACHES)),
    row("stackrestore", "stackrestore.u64 %rd1;", Is(Other), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("stacksave", "stacksave.u64 %rd1;", Is(Other), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("stmatrix", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [s], {%r1};", Is(Memory), Effect::Memory, Whole(matrix::lower), &["sync", "aligned", "x1", "x2", "x4"]),
    row("sub", "sub.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(arith::sum), &[]),
    row("subc", "subc.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(arith::sum), &[]),
    row("suld", "suld.b.2d.b32.trap {%r1}, [%rd1, {%r2, %r3}];", Is(Memory), Effect::Memory, Whole(texture::surface), &[]),
    row("suq", "suq.width.b32 %r1, [%rd1];", Is(Memory), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("sust", "sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};", Is(Memory), Effect::Memory, Whole(texture::surface), &[]),
    row("szext", "szext.clamp.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Integers(pure::szext), &["clamp"]),
    row("tanh", "tanh.approx.f32 %f1, %f2;", Special, Effect::Pure, Whole(float::lower), &[]),
    row("tcgen05", "tcgen05.wait::ld.sync.aligned;", Is(Matrix), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("testp", "testp.finite.f32 %p1, %f1;", ByType, Effect::Pure, Whole(float::lower), &[]),
    row("tex", "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];", Is(Memory), Effect::Memory, Whole(texture::sample), &[]),
    row("tld4", "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];", Is(Memory), Effect::Memory, Whole(texture::sample), &[]),
    row("trap", "trap;", Is(Control), Effect::Flow, Whole(call::trap), &[]),
    row("txq", "txq.width.b32 %r1, [%rd1];", Is(Memory), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("vabsdiff", "vabsdiff.s32.s32.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vabsdiff2", "vabsdiff2.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vabsdiff4", "vabsdiff4.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vadd", "vadd.s32.s32.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vadd2", "vadd2.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vadd4", "vadd4.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vavrg2", "vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vavrg4", "vavrg4.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmad", "vmad.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmax", "vmax.s32.s32.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmax2", "vmax2.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmax4", "vmax4.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmin", "vmin.s32.s32.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmin2", "vmin2.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vmin4", "vmin4.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vote", "vote.sync.ballot.b32 %r1, %p1, -1;", Is(Exchange), Effect::Exchange, Whole(sync::vote), &["sync", "b32", "pred"]),
    row("vset", "vset.s32.s32.lt %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vset2", "vset2.s32.s32.lt %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vset4", "vset4.s32.s32.lt %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vshl", "vshl.u32.u32.u32.clamp %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &["clamp"]),
    row("vshr", "vshr.u32.u32.u32.clamp %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &["clamp"]),
    row("vsub", "vsub.s32.s32.s32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vsub2", "vsub2.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("vsub4", "vsub4.s32.s32.s32 %r1, %r2, %r3, %r4;", ByType, Effect::Pure, Whole(video::lower), &[]),
    row("wgmma", "wgmma.fence.sync.aligned;", Is(Matrix), Effect::NotSimulated, Whole(not_simulated), &[]),
    row("wmma", "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [s], %r9;", Wmma, Effect::Memory, Whole(matrix::lower), &["sync", "aligned", "row", "col", "rn", "mma", "popc", "xor", "d"]),
    row("xor", "xor.b32 %r1, %r2, %r3;", ByType, Effect::Pure, Whole(logic::lower), &[]),
];

/// The row of a mnemonic.
pub fn find(mnemonic: &str) -> Option<&'static Opcode> {
    OPCODES.binary_search_by(|row| row.mnemonic.cmp(mnemonic)).ok().map(|at| &OPCODES[at])
}

impl Opcode {
    /// Is the modifier without effect on results here?
    pub fn ignores(&self, modifier: &str) -> bool {
        let hint = |prefix| modifier.starts_with(prefix);
        self.hints && (hint("L1::") || hint("L2::") || hint("level::")) || self.ignored.contains(&modifier)
    }

    /// Lowers one of them.
    pub fn lower(&self, b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
        let (of, words) = match self.lowering {
            Whole(lower) => return lower(b, parts, operands),
            Integers(of) | Numbers(of) => (of, 0),
            Bits(of) => (of, 2),
        };
        let ty = parts.last_type()?;
        match (is_float(ty), &self.lowering) {
            (true, Numbers(_)) => float::lower(b, parts, operands),
            (true, _) => Err(Unknown),
            (false, _) => {
                let f = of(parts, ty)?;
                lanes::emit(b, operands, ty, words, f)
            }
        }
    }
}

/// Nothing here: hints about caches, the grid and the register file, and a counter for a profiler.
fn nothing(b: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    b.emit(Op::Nop);
    Ok(())
}

/// A policy for caches: there are none.
fn policy(b: &mut Builder<'_>, _: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let d = operands.first().ok_or(Unknown).and_then(|d| b.destination64(d))?;
    let a = b.const64(0);
    b.emit(Op::Mov64 { d, a });
    Ok(())
}

/// Known by name, and by that only.
fn not_simulated(_: &mut Builder<'_>, _: &Parts<'_>, _: &[Operand]) -> Lower<()> {
    Err(Unknown)
}

#[cfg(test)]
mod tests {
    use super::OPCODES;
    use crate::Module;
    use crate::isa::op::Op;
    use crate::opcodes::{Effect, HEAD, TAIL};

    #[test]
    fn rows_are_in_order_and_their_examples_are_theirs() {
        assert!(OPCODES.is_sorted_by(|a, b| a.mnemonic < b.mnemonic));
        for row in OPCODES {
            let first = |statement: &str| statement.trim().split(['.', ' ', ';']).next() == Some(row.mnemonic);
            assert!(row.example.split_inclusive(';').any(first), "{}: {}", row.mnemonic, row.example);
        }
    }

    /// An example becomes what its row says: pure operations only, or at least one of its effect.
    #[test]
    fn examples_do_what_their_rows_say() {
        let line = HEAD.lines().count() as u32 + 1;
        let mut wrong = Vec::new();
        for row in OPCODES {
            let text = format!("{HEAD}{}{TAIL}", row.example);
            let module = Module::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", row.example));
            let code = &module.decoded().code;
            let ops = code.insts.iter().zip(&code.origins).filter(|(_, origin)| origin.ptx_line == line);
            // Where lanes meet again belongs to no instruction.
            let ops: Vec<Op> = ops.map(|(inst, _)| inst.op).filter(|op| !matches!(op, Op::Join)).collect();
            let known = !ops.iter().any(|op| matches!(op, Op::Unsupported(_)));
            let effects: Vec<Effect> = ops.iter().map(|op| op.effect(code)).collect();
            let holds = match row.effect {
                Effect::NotSimulated => !known,
                Effect::Pure => known && effects.iter().all(|effect| *effect == Effect::Pure),
                effect => known && effects.contains(&effect),
            };
            if !holds || ops.is_empty() {
                wrong.push((row.example, effects, code.unsupported.clone()));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

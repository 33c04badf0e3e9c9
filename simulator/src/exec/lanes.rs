//! The hot loop: 32 lanes a step, compiled for several vector widths and chosen at run time.
//!
//! Runs everything that only touches registers, and branches that no lane takes differently. Everything else stops it.

use super::context::Context;
use super::warp::{Group, Warp};
use crate::isa::op::{Cmp, NO_GUARD, Op, Reg, Special};
use crate::num::Rounding;

/// Why the loop stopped; the group's program counter is at the operation that did it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// An operation for the modules beside this one.
    Slow,
    /// The given number of operations has run.
    Fuel,
    /// A loop that only waits went round often enough.
    Spin,
}

/// What ran.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Warp instructions.
    pub instructions: u64,
    /// Thread instructions.
    pub threads: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Conditional branches.
    pub branches: u64,
}

/// Iterations of a waiting loop before others get their turn.
const SPINS: u32 = 16;

#[inline(always)]
fn put<T: Copy>(to: &mut [T; 32], values: &[T; 32], mask: u32) {
    if mask == u32::MAX {
        *to = *values;
    } else {
        for lane in 0..32 {
            to[lane] = if mask >> lane & 1 != 0 { values[lane] } else { to[lane] };
        }
    }
}

#[inline(always)]
fn bits(test: impl Fn(usize) -> bool) -> u32 {
    let mut mask = 0;
    for lane in 0..32 {
        mask |= if test(lane) { 1u32 << lane } else { 0 };
    }
    mask
}

/// Lanes where a comparison holds. NaN is what makes the unordered ones differ.
#[expect(
    clippy::double_comparisons,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::eq_op,
    reason = "NaN: ordered and unordered comparisons differ"
)]
#[inline(always)]
fn compare<T: Copy + PartialOrd>(cmp: Cmp, a: &[T; 32], b: &[T; 32]) -> u32 {
    match cmp {
        Cmp::Eq => bits(|lane| a[lane] == b[lane]),
        Cmp::Ne => bits(|lane| a[lane] < b[lane] || a[lane] > b[lane]),
        Cmp::Lt => bits(|lane| a[lane] < b[lane]),
        Cmp::Le => bits(|lane| a[lane] <= b[lane]),
        Cmp::Gt => bits(|lane| a[lane] > b[lane]),
        Cmp::Ge => bits(|lane| a[lane] >= b[lane]),
        Cmp::Equ => !compare(Cmp::Ne, a, b),
        Cmp::Neu => bits(|lane| a[lane] != b[lane]),
        Cmp::Ltu => bits(|lane| !(a[lane] >= b[lane])),
        Cmp::Leu => bits(|lane| !(a[lane] > b[lane])),
        Cmp::Gtu => bits(|lane| !(a[lane] <= b[lane])),
        Cmp::Geu => bits(|lane| !(a[lane] < b[lane])),
        Cmp::Num => bits(|lane| a[lane] == a[lane] && b[lane] == b[lane]),
        Cmp::Nan => bits(|lane| a[lane] != a[lane] || b[lane] != b[lane]),
    }
}

/// Any NaN that an f32 operation makes is this one (the PTX manual's canonical NaN).
#[inline(always)]
fn canonical32(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// A special register's lanes.
fn special(
    which: Special,
    context: &Context<'_>,
    tid: &[[u32; 32]; 3],
    index: u32,
    block: [u32; 3],
    clock: u64,
) -> [u64; 32] {
    let all = |value: u64| [value; 32];
    let by_lane = |f: fn(u32) -> u32| std::array::from_fn(|lane| u64::from(f(lane as u32)));
    let linear = u64::from(block[0])
        + u64::from(context.grid[0]) * (u64::from(block[1]) + u64::from(context.grid[1]) * u64::from(block[2]));
    let threads = context.block.iter().product::<u32>();
    match which {
        Special::Tid(3) | Special::Ctaid(3) => all(0),
        Special::Ntid(3) | Special::Nctaid(3) => all(1),
        Special::Tid(at) => std::array::from_fn(|lane| tid[at as usize][lane].into()),
        Special::Ntid(at) => all(context.block[at as usize].into()),
        Special::Ctaid(at) => all(block[at as usize].into()),
        Special::Nctaid(at) => all(context.grid[at as usize].into()),
        Special::Laneid => by_lane(|lane| lane),
        Special::Warpid => all(index.into()),
        Special::Nwarpid => all(threads.div_ceil(32).into()),
        Special::Smid => all(linear % u64::from(context.config.sms.max(1))),
        Special::Nsmid => all(context.config.sms.into()),
        Special::Gridid => all(context.launch),
        Special::LanemaskEq => by_lane(|lane| 1 << lane),
        Special::LanemaskLt => by_lane(|lane| (1 << lane) - 1),
        Special::LanemaskLe => by_lane(|lane| u32::MAX >> (31 - lane)),
        Special::LanemaskGt => by_lane(|lane| !(u32::MAX >> (31 - lane))),
        Special::LanemaskGe => by_lane(|lane| !((1 << lane) - 1)),
        Special::Clock | Special::GlobaltimerLo => all(clock & 0xffff_ffff),
        Special::ClockHi | Special::GlobaltimerHi => all(clock >> 32),
        Special::Clock64 | Special::Globaltimer => all(clock),
        Special::Envreg(1) => all(context.workspace >> 32),
        Special::Envreg(2) => all(context.workspace & 0xffff_ffff),
        Special::Envreg(_) | Special::Zero => all(0),
        Special::One => all(1),
        Special::DynamicSmemSize => all(context.dynamic_shared.into()),
        Special::DynamicSmemBase => all(u64::from(context.static_shared.next_multiple_of(16))),
        Special::TotalSmemSize => all(u64::from(context.static_shared) + u64::from(context.dynamic_shared)),
    }
}

fn parameter(params: &[u8], offset: u32, size: usize) -> u64 {
    let mut bytes = [0; 8];
    if let Some(found) = params.get(offset as usize..offset as usize + size) {
        bytes[..size].copy_from_slice(found);
    }
    u64::from_le_bytes(bytes)
}

/// Runs a group until something stops it. `lines` stops it after each source line's operation, so that the caller can
/// count by line.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+popcnt+lzcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt+lzcnt"
))]
pub fn run<'a>(
    context: &Context<'a>,
    warp: &mut Warp,
    group: &mut Group,
    block: [u32; 3],
    tally: &mut Tally,
    clock: u64,
    fuel: u64,
) -> Stop {
    let code = &context.decoded.code;
    let insts = &code.insts[..];
    let frame = warp.frames[group.frame as usize];
    let (base32, base64, base_p) = (frame.base32 as usize, frame.base64 as usize, frame.base_p as usize);
    let active = group.mask;
    let mut pc = group.pc as usize;
    let (mut instructions, mut threads, mut flops, mut branches) = (0u64, 0u64, 0u64, 0u64);
    let Warp { r32, r64, p, meetings, spun, spins, tid, index, .. } = warp;
    let r32 = &mut r32[base32..];
    let r64 = &mut r64[base64..];
    let p = &mut p[base_p..];
    let mut left = fuel;
    let stop = loop {
        if left == 0 {
            break Stop::Fuel;
        }
        left -= 1;
        let inst = &insts[pc];
        let mask = if inst.guard == NO_GUARD {
            active
        } else {
            let bits = p[(inst.guard >> 1) as usize];
            active & if inst.guard & 1 != 0 { !bits } else { bits }
        };
        macro_rules! map {
            ($file:ident, $d:expr, $out:ty, |$lane:ident| $value:expr) => {{
                let mut out: [$out; 32] = [0 as $out; 32];
                for $lane in 0..32usize {
                    out[$lane] = $value;
                }
                put(&mut $file[$d as usize], &out, mask);
            }};
        }
        macro_rules! two32 {
            ($d:ident, $a:ident, $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                let (a, b) = (&r32[$a as usize], &r32[$b as usize]);
                map!(r32, $d, u32, |lane| {
                    let ($x, $y) = (a[lane], b[lane]);
                    $value
                })
            }};
        }
        macro_rules! one32 {
            ($d:ident, $a:ident, |$x:ident| $value:expr) => {{
                let a = &r32[$a as usize];
                map!(r32, $d, u32, |lane| {
                    let $x = a[lane];
                    $value
                })
            }};
        }
        macro_rules! two64 {
            ($d:ident, $a:ident, $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                let (a, b) = (&r64[$a as usize], &r64[$b as usize]);
                map!(r64, $d, u64, |lane| {
                    let ($x, $y) = (a[lane], b[lane]);
                    $value
                })
            }};
        }
        macro_rules! shift64 {
            ($d:ident, $a:ident, $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                let (a, b) = (&r64[$a as usize], &r32[$b as usize]);
                map!(r64, $d, u64, |lane| {
                    let ($x, $y) = (a[lane], b[lane]);
                    $value
                })
            }};
        }
        macro_rules! wide {
            ($d:ident, $a:ident, $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                let (a, b) = (&r32[$a as usize], &r32[$b as usize]);
                map!(r64, $d, u64, |lane| {
                    let ($x, $y) = (a[lane], b[lane]);
                    $value
                })
            }};
        }
        macro_rules! float32 {
            ($n:expr, $d:ident, $a:ident, $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                flops += $n * u64::from(mask.count_ones());
                let (a, b) = (&r32[$a as usize], &r32[$b as usize]);
                map!(r32, $d, u32, |lane| {
                    let ($x, $y) = (f32::from_bits(a[lane]), f32::from_bits(b[lane]));
                    canonical32($value)
                })
            }};
        }
        macro_rules! float64 {
            ($d:ident, $a:ident, $b:ident, $f:ident) => {{
                flops += u64::from(mask.count_ones());
                let (a, b) = (&r64[$a as usize], &r64[$b as usize]);
                map!(r64, $d, u64, |lane| crate::num::float::$f(a[lane], b[lane], Rounding::Nearest))
            }};
        }
        macro_rules! set {
            ($file:ident, $ty:ty, $d:ident, $a:ident, $b:ident, $cmp:ident) => {{
                let (a, b) = (&$file[$a as usize], &$file[$b as usize]);
                let a: [$ty; 32] = std::array::from_fn(|lane| a[lane] as $ty);
                let b: [$ty; 32] = std::array::from_fn(|lane| b[lane] as $ty);
                let bits = compare($cmp, &a, &b);
                let to = &mut p[$d as usize];
                *to = *to & !mask | bits & mask;
            }};
        }
        macro_rules! logic {
            ($d:ident, $value:expr) => {{
                let bits: u32 = $value;
                let to = &mut p[$d as usize];
                *to = *to & !mask | bits & mask;
            }};
        }
        match inst.op {
            Op::Join if meetings.is_empty() => {
                pc += 1;
                continue;
            }
            Op::Bra { target, .. } => {
                if inst.guard != NO_GUARD {
                    if mask != 0 && mask != active {
                        break Stop::Slow;
                    }
                    branches += 1;
                }
                instructions += u64::from(inst.counted);
                threads += u64::from(mask.count_ones());
                if mask == 0 {
                    pc += 1;
                    continue;
                }
                if target as usize >= insts.len() {
                    // Counted again by the slow path, which reports it.
                    instructions -= u64::from(inst.counted);
                    threads -= u64::from(mask.count_ones());
                    branches -= u64::from(inst.guard != NO_GUARD);
                    break Stop::Slow;
                }
                let backward = target as usize <= pc;
                pc = target as usize;
                if backward && *spun {
                    *spun = false;
                    *spins += 1;
                    if *spins >= SPINS {
                        *spins = 0;
                        break Stop::Spin;
                    }
                }
                continue;
            }
            Op::Nop => {}
            Op::Mov32 { d, a } => {
                let a = r32[a as usize];
                put(&mut r32[d as usize], &a, mask);
            }
            Op::Mov64 { d, a } => {
                let a = r64[a as usize];
                put(&mut r64[d as usize], &a, mask);
            }
            Op::MovP { d, a } => logic!(d, p[a as usize]),
            Op::NotP { d, a } => logic!(d, !p[a as usize]),
            Op::AndP { d, a, b } => logic!(d, p[a as usize] & p[b as usize]),
            Op::OrP { d, a, b } => logic!(d, p[a as usize] | p[b as usize]),
            Op::XorP { d, a, b } => logic!(d, p[a as usize] ^ p[b as usize]),
            Op::Special32 { d, which } | Op::Special64 { d, which } => {
                let values = special(which, context, tid, *index, block, clock + instructions);
                if matches!(inst.op, Op::Special64 { .. }) {
                    put(&mut r64[d as usize], &values, mask);
                } else {
                    map!(r32, d, u32, |lane| values[lane] as u32);
                }
            }
            Op::Param32 { d, offset } => {
                let value = parameter(&context.params, offset, 4) as u32;
                put(&mut r32[d as usize], &[value; 32], mask);
            }
            Op::Param64 { d, offset } => {
                let value = parameter(&context.params, offset, 8);
                put(&mut r64[d as usize], &[value; 32], mask);
            }
            Op::LocalAddress64 { d, offset } => {
                let value = u64::from(frame.local.wrapping_add(offset));
                put(&mut r64[d as usize], &[value; 32], mask);
            }
            Op::Add32 { d, a, b } => two32!(d, a, b, |x, y| x.wrapping_add(y)),
            Op::Sub32 { d, a, b } => two32!(d, a, b, |x, y| x.wrapping_sub(y)),
            Op::Mul32 { d, a, b } => two32!(d, a, b, |x, y| x.wrapping_mul(y)),
            Op::MulHiS32 { d, a, b } => {
                two32!(d, a, b, |x, y| ((i64::from(x as i32) * i64::from(y as i32)) >> 32) as u32)
            }
            Op::MulHiU32 { d, a, b } => two32!(d, a, b, |x, y| ((u64::from(x) * u64::from(y)) >> 32) as u32),
            Op::MulWideS32 { d, a, b } => {
                wide!(d, a, b, |x, y| (i64::from(x as i32) * i64::from(y as i32)) as u64)
            }
            Op::MulWideU32 { d, a, b } => wide!(d, a, b, |x, y| u64::from(x) * u64::from(y)),
            Op::Mad32 { d, a, b, c } => {
                let c = &r32[c as usize];
                let (a, b) = (&r32[a as usize], &r32[b as usize]);
                map!(r32, d, u32, |lane| a[lane].wrapping_mul(b[lane]).wrapping_add(c[lane]));
            }
            Op::MadWideS32 { d, a, b, c } => {
                let (a, b, c) = (&r32[a as usize], &r32[b as usize], &r64[c as usize]);
                map!(r64, d, u64, |lane| ((i64::from(a[lane] as i32) * i64::from(b[lane] as i32)) as u64)
                    .wrapping_add(c[lane]));
            }
            Op::MadWideU32 { d, a, b, c } => {
                let (a, b, c) = (&r32[a as usize], &r32[b as usize], &r64[c as usize]);
                map!(r64, d, u64, |lane| (u64::from(a[lane]) * u64::from(b[lane])).wrapping_add(c[lane]));
            }
            Op::And32 { d, a, b } => two32!(d, a, b, |x, y| x & y),
            Op::Or32 { d, a, b } => two32!(d, a, b, |x, y| x | y),
            Op::Xor32 { d, a, b } => two32!(d, a, b, |x, y| x ^ y),
            Op::Not32 { d, a } => one32!(d, a, |x| !x),
            Op::Neg32 { d, a } => one32!(d, a, |x| x.wrapping_neg()),
            Op::Shl32 { d, a, b } => two32!(d, a, b, |x, y| if y > 31 { 0 } else { x << (y & 31) }),
            Op::ShrU32 { d, a, b } => two32!(d, a, b, |x, y| if y > 31 { 0 } else { x >> (y & 31) }),
            Op::ShrS32 { d, a, b } => two32!(d, a, b, |x, y| (x as i32 >> y.min(31)) as u32),
            Op::MinS32 { d, a, b } => two32!(d, a, b, |x, y| (x as i32).min(y as i32) as u32),
            Op::MaxS32 { d, a, b } => two32!(d, a, b, |x, y| (x as i32).max(y as i32) as u32),
            Op::MinU32 { d, a, b } => two32!(d, a, b, |x, y| x.min(y)),
            Op::MaxU32 { d, a, b } => two32!(d, a, b, |x, y| x.max(y)),
            Op::Add64 { d, a, b } => two64!(d, a, b, |x, y| x.wrapping_add(y)),
            Op::Sub64 { d, a, b } => two64!(d, a, b, |x, y| x.wrapping_sub(y)),
            Op::Mul64 { d, a, b } => two64!(d, a, b, |x, y| x.wrapping_mul(y)),
            Op::Mad64 { d, a, b, c } => {
                let c = &r64[c as usize];
                let (a, b) = (&r64[a as usize], &r64[b as usize]);
                map!(r64, d, u64, |lane| a[lane].wrapping_mul(b[lane]).wrapping_add(c[lane]));
            }
            Op::And64 { d, a, b } => two64!(d, a, b, |x, y| x & y),
            Op::Or64 { d, a, b } => two64!(d, a, b, |x, y| x | y),
            Op::Xor64 { d, a, b } => two64!(d, a, b, |x, y| x ^ y),
            Op::Shl64 { d, a, b } => shift64!(d, a, b, |x, y| if y > 63 { 0 } else { x << (y & 63) }),
            Op::ShrU64 { d, a, b } => shift64!(d, a, b, |x, y| if y > 63 { 0 } else { x >> (y & 63) }),
            Op::ShrS64 { d, a, b } => shift64!(d, a, b, |x, y| (x as i64 >> y.min(63)) as u64),
            Op::AddF32 { d, a, b } => float32!(1, d, a, b, |x, y| x + y),
            Op::SubF32 { d, a, b } => float32!(1, d, a, b, |x, y| x - y),
            Op::MulF32 { d, a, b } => float32!(1, d, a, b, |x, y| x * y),
            Op::FmaF32 { d, a, b, c } => {
                flops += 2 * u64::from(mask.count_ones());
                let (a, b, c) = (&r32[a as usize], &r32[b as usize], &r32[c as usize]);
                map!(r32, d, u32, |lane| canonical32(
                    f32::from_bits(a[lane]).mul_add(f32::from_bits(b[lane]), f32::from_bits(c[lane]))
                ));
            }
            Op::NegF32 { d, a } => one32!(d, a, |x| crate::num::float::neg_f32(x, false)),
            Op::AbsF32 { d, a } => one32!(d, a, |x| crate::num::float::abs_f32(x, false)),
            Op::AddF64 { d, a, b } => float64!(d, a, b, add_f64),
            Op::SubF64 { d, a, b } => float64!(d, a, b, sub_f64),
            Op::MulF64 { d, a, b } => float64!(d, a, b, mul_f64),
            Op::FmaF64 { d, a, b, c } => {
                flops += 2 * u64::from(mask.count_ones());
                let (a, b, c) = (&r64[a as usize], &r64[b as usize], &r64[c as usize]);
                map!(r64, d, u64, |lane| crate::num::float::fma_f64(a[lane], b[lane], c[lane], Rounding::Nearest));
            }
            Op::SetS32 { d, a, b, cmp } => set!(r32, i32, d, a, b, cmp),
            Op::SetU32 { d, a, b, cmp } => set!(r32, u32, d, a, b, cmp),
            Op::SetS64 { d, a, b, cmp } => set!(r64, i64, d, a, b, cmp),
            Op::SetU64 { d, a, b, cmp } => set!(r64, u64, d, a, b, cmp),
            Op::SetF32 { d, a, b, cmp } => {
                let (a, b) = (&r32[a as usize], &r32[b as usize]);
                let a: [f32; 32] = std::array::from_fn(|lane| f32::from_bits(a[lane]));
                let b: [f32; 32] = std::array::from_fn(|lane| f32::from_bits(b[lane]));
                logic!(d, compare(cmp, &a, &b));
            }
            Op::SetF64 { d, a, b, cmp } => {
                let (a, b) = (&r64[a as usize], &r64[b as usize]);
                let a: [f64; 32] = std::array::from_fn(|lane| f64::from_bits(a[lane]));
                let b: [f64; 32] = std::array::from_fn(|lane| f64::from_bits(b[lane]));
                logic!(d, compare(cmp, &a, &b));
            }
            Op::Sel32 { d, a, b, p: by } => {
                let by = p[by as usize];
                let (a, b) = (&r32[a as usize], &r32[b as usize]);
                map!(r32, d, u32, |lane| if by >> lane & 1 != 0 { a[lane] } else { b[lane] });
            }
            Op::Sel64 { d, a, b, p: by } => {
                let by = p[by as usize];
                let (a, b) = (&r64[a as usize], &r64[b as usize]);
                map!(r64, d, u64, |lane| if by >> lane & 1 != 0 { a[lane] } else { b[lane] });
            }
            Op::Zext { d, a } => {
                let a = &r32[a as usize];
                map!(r64, d, u64, |lane| a[lane].into());
            }
            Op::Sext { d, a } => {
                let a = &r32[a as usize];
                map!(r64, d, u64, |lane| i64::from(a[lane] as i32) as u64);
            }
            Op::Trunc { d, a } => {
                let a = &r64[a as usize];
                map!(r32, d, u32, |lane| a[lane] as u32);
            }
            Op::High { d, a } => {
                let a = &r64[a as usize];
                map!(r32, d, u32, |lane| (a[lane] >> 32) as u32);
            }
            Op::Pack64 { d, a, b } => wide!(d, a, b, |x, y| u64::from(x) | u64::from(y) << 32),
            Op::S32ToF32 { d, a } => one32!(d, a, |x| (x as i32 as f32).to_bits()),
            Op::U32ToF32 { d, a } => one32!(d, a, |x| (x as f32).to_bits()),
            Op::Map(index) => {
                let op = &code.maps[index as usize];
                let mut sources = [[0u64; 32]; 4];
                for (to, from) in sources.iter_mut().zip(op.sources) {
                    match from {
                        Reg::R32(r) => {
                            let from = &r32[r as usize];
                            for lane in 0..32 {
                                to[lane] = from[lane].into();
                            }
                        }
                        Reg::R64(r) => *to = r64[r as usize],
                        Reg::P(r) => {
                            let bits = p[r as usize];
                            for (lane, to) in to.iter_mut().enumerate() {
                                *to = (bits >> lane & 1).into();
                            }
                        }
                        Reg::None => break,
                    }
                }
                let mut out = [0; 32];
                (op.f)(&sources, &mut out);
                flops += u64::from(op.flops) * u64::from(mask.count_ones());
                match op.d {
                    Reg::R32(d) => map!(r32, d, u32, |lane| out[lane] as u32),
                    Reg::R64(d) => put(&mut r64[d as usize], &out, mask),
                    Reg::P(d) => logic!(d, bits(|lane| out[lane] != 0)),
                    Reg::None => {}
                }
            }
            _ => break Stop::Slow,
        }
        instructions += u64::from(inst.counted);
        threads += if inst.counted != 0 { u64::from(mask.count_ones()) } else { 0 };
        pc += 1;
    };
    group.pc = pc as u32;
    tally.instructions += instructions;
    tally.threads += threads;
    tally.flops += flops;
    tally.branches += branches;
    stop
}

/// How the addresses of a warp's access lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// All lanes active, each right after the one before.
    Contiguous,
    /// Nothing special.
    Any,
}

/// Adds the offset to every lane's address and looks at the result.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
pub fn addresses(base: &[u64; 32], offset: u64, size: u64, mask: u32, out: &mut [u64; 32]) -> Shape {
    for (to, from) in out.iter_mut().zip(base) {
        *to = from.wrapping_add(offset);
    }
    if mask != u32::MAX {
        return Shape::Any;
    }
    let first = out[0];
    let mut different = 0;
    for (lane, address) in out.iter().enumerate() {
        different |= address ^ first.wrapping_add(lane as u64 * size);
    }
    if different == 0 { Shape::Contiguous } else { Shape::Any }
}

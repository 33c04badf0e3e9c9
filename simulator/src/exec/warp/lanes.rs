//! The hot loop: 32 lanes a step, compiled for several vector widths and chosen at run time.
//!
//! Runs everything that only touches registers, branches that no lane takes differently, and the loads and stores that
//! [`crate::exec::direct`] knows. Everything else stops it.

use crate::appearance::nans::{self, Reading};
use crate::exec::context::Context;
use crate::exec::direct::{Direct, Files};
use crate::exec::profile::Profile;
use crate::exec::select::{LaneRow, bits, compare, holds, put};
use crate::exec::special::{by_lane, parameter, uniform};
use crate::exec::warp::{Group, Warp, depth};
use crate::isa::op::{NO_GUARD, Op, Reg, Special};
use crate::memory::window;
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
    /// A branch back was taken, of a warp that is looked at.
    Turn,
}

/// What the loop works on besides the warp.
pub struct LaneMachine<'m, 'a> {
    /// What all blocks share.
    pub context: &'m Context<'a>,
    /// Index of the block.
    pub block: [u32; 3],
    /// Clock when the loop starts.
    pub clock: u64,
    /// Run loads and stores in the loop: nobody watches them, and nobody may come between.
    pub direct: bool,
    /// Stop after each branch back.
    pub looking: bool,
    /// What ran.
    pub profile: &'m mut Profile,
    /// Memory and sums.
    pub memory: Direct<'m>,
}

/// Iterations of a waiting loop before others get their turn, ...
const SPINS: u32 = 16;
/// ... and each time that the warp has waited before: of thousands who wait for a few locks all look again at every change.
const AGAIN: u32 = 2;

/// Any NaN that an f32 operation makes is this one (the PTX manual's canonical NaN).
#[inline(always)]
fn canonical32(value: f32) -> u32 {
    if value.is_nan() { 0x7fff_ffff } else { value.to_bits() }
}

/// A NaN of these bits, as a machine has it that works on them; what is no NaN stays.
#[inline(always)]
fn quiet_if(reading: Reading, bits: u32) -> u32 {
    let quiet = reading == Reading::Quiet && f32::from_bits(bits).is_nan();
    bits | if quiet { 0x0040_0000 } else { 0 }
}

/// Bits of the vectors that the loop was compiled for on this machine.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+popcnt+lzcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt+lzcnt"
))]
pub fn vector_bits() -> u32 {
    let target = multiversion::target::selected_target!();
    if target.supports_feature_str("avx512f") {
        512
    } else if target.supports_feature_str("avx2") {
        256
    } else {
        128
    }
}

/// Runs a group until something stops it, at most `fuel` operations. Says what stopped it and how many warp instructions
/// ran.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+popcnt+lzcnt",
    "x86_64+avx2+fma+bmi1+bmi2+popcnt+lzcnt"
))]
pub fn run<'m, 'a>(machine: &mut LaneMachine<'m, 'a>, warp: &mut Warp, group: &mut Group, fuel: u64) -> (Stop, u64) {
    let LaneMachine { context, block, clock, direct, looking, profile, memory } = machine;
    let (context, block, clock, direct, looking) = (*context, *block, *clock, *direct, *looking);
    let code = &context.decoded.code;
    let explored = context.config.schedule.is_explored();
    let insts = &code.insts[..];
    let frame = warp.frames[group.frame as usize];
    let (base32, base64, base_p) = (frame.base32 as usize, frame.base64 as usize, frame.base_p as usize);
    let active = group.mask;
    let mut pc = group.pc as usize;
    let mut instructions = 0u64;
    let (mut from, lanes) = (pc, u64::from(active.count_ones()));
    let Warp { r32, r64, p, local, meetings, spun, spins, rounds, frames, tid, index, .. } = warp;
    let r32 = &mut r32[base32..];
    let r64 = &mut r64[base64..];
    let p = &mut p[base_p..];
    let nans = context.appearance.reading();
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
                let mut out = LaneRow([0 as $out; 32]);
                for $lane in 0..32usize {
                    out.0[$lane] = $value;
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
            ($d:ident, $a:ident, $b:ident, |$x:ident, $y:ident| $value:expr) => {{
                let (a, b) = (&r32[$a as usize], &r32[$b as usize]);
                map!(r32, $d, u32, |lane| {
                    let ($x, $y) = (f32::from_bits(a[lane]), f32::from_bits(b[lane]));
                    canonical32($value)
                })
            }};
        }
        macro_rules! float64 {
            ($d:ident, $a:ident, $b:ident, $f:ident) => {{
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
                if mask != 0 && (mask != active || target as usize >= insts.len()) {
                    // The slow path splits the group, or reports the target.
                    break Stop::Slow;
                }
                instructions += u64::from(inst.counted);
                if mask == 0 {
                    profile.off(pc, active);
                    pc += 1;
                    continue;
                }
                let (source, backward) = (pc as u32, target as usize <= pc);
                profile.span(from, pc + 1, lanes);
                pc = target as usize;
                from = pc;
                if backward {
                    if rounds.now.target == target {
                        rounds.now.turns += 1;
                        rounds.now.source = rounds.now.source.max(source);
                    } else {
                        rounds.other(target, source, depth(frames, group.frame));
                    }
                    if *spun {
                        *spun = false;
                        *spins += 1;
                        if *spins >= SPINS {
                            *spins = if explored { 0 } else { SPINS - AGAIN };
                            break Stop::Spin;
                        }
                    }
                    if looking {
                        break Stop::Turn;
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
            Op::Special32 { d, which: Special::Tid(axis @ 0..3) } => {
                put(&mut r32[d as usize], &tid[axis as usize], mask)
            }
            Op::Special32 { d, which } => match uniform(which, context, *index, block, clock + instructions) {
                Some(value) => put(&mut r32[d as usize], &[value as u32; 32], mask),
                None => {
                    let values = by_lane(which, tid, |lane| lane as u32);
                    map!(r32, d, u32, |lane| values[lane] as u32);
                }
            },
            Op::Special64 { d, which: Special::LocalWindow } => {
                let linear = memory.by.block;
                let place = window::place(context.appearance);
                let bases = std::array::from_fn(|lane| window::local_base(linear, *index, lane as u32) ^ place);
                put(&mut r64[d as usize], &bases, mask);
            }
            Op::Special64 { d, which } => {
                let value = uniform(which, context, *index, block, clock + instructions);
                let values = value.map_or_else(|| by_lane(which, tid, |lane| lane as u32), |value| [value; 32]);
                put(&mut r64[d as usize], &values, mask);
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
            Op::AddF32 { d, a, b } => float32!(d, a, b, |x, y| x + y),
            Op::SubF32 { d, a, b } => float32!(d, a, b, |x, y| x - y),
            Op::MulF32 { d, a, b } => match nans {
                None => float32!(d, a, b, |x, y| x * y),
                Some(reading) => {
                    let (a, b) = (&r32[a as usize], &r32[b as usize]);
                    let mut out = LaneRow([0; 32]);
                    for lane in 0..32 {
                        out.0[lane] = canonical32(f32::from_bits(a[lane]) * f32::from_bits(b[lane]));
                    }
                    // Of most products none is a NaN.
                    if out.0.iter().fold(false, |any, bits| any | f32::from_bits(*bits).is_nan()) {
                        for lane in 0..32 {
                            let nan = [a[lane], b[lane]].into_iter().find(|bits| f32::from_bits(*bits).is_nan());
                            out.0[lane] = nan.map_or(out.0[lane], |bits| quiet_if(reading, bits));
                        }
                    }
                    put(&mut r32[d as usize], &out, mask);
                }
            },
            Op::FmaF32 { d, a, b, c } => {
                let (a, b, c) = (&r32[a as usize], &r32[b as usize], &r32[c as usize]);
                map!(r32, d, u32, |lane| canonical32(
                    f32::from_bits(a[lane]).mul_add(f32::from_bits(b[lane]), f32::from_bits(c[lane]))
                ));
            }
            // Of NaNs the machine makes its own, or their bits are what the operation is done on.
            Op::NegF32 { d, a } => match nans {
                None => one32!(d, a, |x| crate::num::float::neg_f32(x, false)),
                Some(reading) => one32!(d, a, |x| quiet_if(reading, x ^ 0x8000_0000)),
            },
            Op::AbsF32 { d, a } => match nans {
                None => one32!(d, a, |x| crate::num::float::abs_f32(x, false)),
                Some(reading) => one32!(d, a, |x| quiet_if(reading, x & 0x7fff_ffff)),
            },
            Op::AddF64 { d, a, b } => float64!(d, a, b, add_f64),
            Op::SubF64 { d, a, b } => float64!(d, a, b, sub_f64),
            Op::MulF64 { d, a, b } => float64!(d, a, b, mul_f64),
            Op::FmaF64 { d, a, b, c } => {
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
                map!(r32, d, u32, |lane| if holds(by, lane) { a[lane] } else { b[lane] });
            }
            Op::Sel64 { d, a, b, p: by } => {
                let by = p[by as usize];
                let (a, b) = (&r64[a as usize], &r64[b as usize]);
                map!(r64, d, u64, |lane| if holds(by, lane) { a[lane] } else { b[lane] });
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
                        Reg::R64(r) => *to = *r64[r as usize],
                        Reg::P(r) => {
                            let bits = p[r as usize];
                            for (lane, to) in to.iter_mut().enumerate() {
                                *to = (bits >> lane & 1).into();
                            }
                        }
                        Reg::None => break,
                    }
                }
                if let Some(long) = op.long
                    && (0..32).any(|lane| mask >> lane & 1 != 0 && long(sources[0][lane], sources[1][lane]))
                {
                    profile.long(pc);
                }
                let mut out = [0; 32];
                (op.f)(&sources, &mut out);
                if let Some(what) = op.approximate {
                    context.appearance.approximate(what, &sources, &mut out);
                }
                if let (Some(reading), Some(what)) = (nans, op.nans) {
                    nans::keep(reading, what, &sources, &mut out);
                }
                match op.d {
                    Reg::R32(d) => map!(r32, d, u32, |lane| out[lane] as u32),
                    Reg::R64(d) => put(&mut r64[d as usize], &out, mask),
                    Reg::P(d) => logic!(d, bits(|lane| out[lane] != 0)),
                    Reg::None => {}
                }
            }
            Op::Load(index) if direct => {
                if mask != 0 {
                    let op = &code.accesses[index as usize];
                    let mut files = Files { r32, r64, local, frame: frame.local, reach: frame.reach };
                    let Some(lanes) = memory.access(op, &files, mask) else { break Stop::Slow };
                    memory.load(pc, op, &lanes, &mut files, mask);
                    *spun |= op.may_spin;
                }
            }
            Op::Atomic(index) if direct => {
                if mask != 0 {
                    let op = &code.atomics[index as usize];
                    let mut files = Files { r32, r64, local, frame: frame.local, reach: frame.reach };
                    if memory.atomic(pc, op, &mut files, mask).is_none() {
                        break Stop::Slow;
                    }
                    *spun |= op.may_spin && (op.returns || explored);
                }
            }
            Op::Store(index) if direct => {
                if mask != 0 {
                    let op = &code.accesses[index as usize];
                    let mut files = Files { r32, r64, local, frame: frame.local, reach: frame.reach };
                    let Some(lanes) = memory.access(op, &files, mask) else { break Stop::Slow };
                    if memory.store::<false>(pc, op, &lanes, &mut files, mask).is_none() {
                        break Stop::Slow;
                    }
                }
            }
            _ => break Stop::Slow,
        }
        instructions += u64::from(inst.counted);
        if mask != active {
            profile.off(pc, active & !mask);
        }
        pc += 1;
    };
    profile.span(from, pc, lanes);
    group.pc = pc as u32;
    (stop, instructions)
}

//! Products that the assembler makes one operation with the sum behind them. PTX allows it where neither names a rounding (PTX ISA
//! 9.7.3.3, `add`: "mul/add sequences with no rounding modifiers may be optimized to use fused multiply-add").
//!
//! When `ptxas` does it nobody publishes. What it did with sixty short sequences (CUDA 13.0, sm_90): where each use of the product is
//! a sum or a difference of the same type in the same basic block, by the other operand's value, through moves and negations; a branch
//! out of the kernel ends no block here. Where two products are added the first one goes into the sum, unless it has
//! another use and the second has none.

use crate::isa::function::Builder;
use crate::isa::lower::arith::map3;
use crate::isa::op::{CallValue, MapFn, MapOp, NO_GUARD, NOWHERE, Op, Reg, RegisterUse};
use crate::num::half::{self, Half};
use crate::num::{Rounding, float};
use crate::ptx::ast::Ty;
use std::collections::{HashMap, HashSet};

/// An operation that names no rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unrounded {
    /// Product, sum or difference.
    pub part: Part,
    /// What of.
    pub ty: Ty,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`; never of a product.
    pub sat: bool,
    /// Result.
    pub d: Reg,
    /// Sources.
    pub from: [Reg; 2],
}

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `mul`
    Product,
    /// `add`
    Sum,
    /// `sub`
    Difference,
}

/// A sum that takes a product.
struct Taker {
    /// Which operation.
    at: usize,
    /// By which of its sources.
    side: usize,
    /// The product is negated on the way.
    negated: bool,
}

/// Makes one operation of products and their sums, in a function that has no joins yet.
pub fn contract(builder: &mut Builder<'_>) {
    let unrounded = std::mem::take(&mut builder.unrounded);
    let products = || unrounded.iter().filter(|(_, one)| one.part == Part::Product).map(|(at, _)| *at);
    if products().next().is_none() || products().count() == unrounded.len() {
        return;
    }
    let mut of: HashMap<usize, Unrounded> = unrounded.iter().copied().collect();
    let starts = starts(builder);
    let mut read = reads(builder);
    // Those with one use come first.
    for several in [false, true] {
        for at in products() {
            let Some(takers) = takers(builder, &of, &starts, &read, at) else { continue };
            if (takers.len() > 1) != several {
                continue;
            }
            let product = of[&at];
            for taker in &takers {
                if let Some(sum) = of.remove(&taker.at) {
                    fuse(builder, product, sum, taker);
                    for reg in product.from {
                        read.entry(reg).and_modify(|span| span.1 = span.1.max(taker.at));
                    }
                }
            }
            of.remove(&at);
            builder.insts[at].op = Op::Nop;
        }
    }
}

/// Operations before which something else may have been executed than what stands before them.
fn starts(builder: &Builder<'_>) -> HashSet<usize> {
    let place = |label: u32| builder.labels.get(label as usize).filter(|&&pc| pc != NOWHERE).map(|&pc| pc as usize);
    let mut starts = HashSet::new();
    for (at, inst) in builder.insts.iter().enumerate() {
        match inst.op {
            Op::Bra { target, .. } => {
                let to = place(target);
                starts.extend(to);
                let leaves = to.is_none_or(|to| {
                    let first = builder.insts.get(to).map(|inst| inst.op);
                    builder.entry && matches!(first, None | Some(Op::Ret | Op::Exit))
                });
                if inst.guard == NO_GUARD || !leaves {
                    starts.insert(at + 1);
                }
            }
            Op::BrIndexed(index) => {
                starts.extend(builder.code.indexed[index as usize].targets.iter().filter_map(|&label| place(label)));
                starts.insert(at + 1);
            }
            Op::Call(_) => {
                starts.insert(at + 1);
            }
            _ => {}
        }
    }
    starts
}

/// The first and the last operation that read a register; what the function returns is read behind all.
fn reads(builder: &Builder<'_>) -> HashMap<Reg, (usize, usize)> {
    let mut read: HashMap<Reg, (usize, usize)> = HashMap::new();
    for (at, inst) in builder.insts.iter().enumerate() {
        inst.op.registers(builder.code, &mut |reg, role| {
            if role != RegisterUse::Result {
                read.entry(reg).or_insert((at, at)).1 = at;
            }
        });
    }
    for value in &builder.info.returns {
        if let CallValue::Register(reg) = value {
            read.entry(*reg).or_insert((usize::MAX, 0)).1 = usize::MAX;
        }
    }
    read
}

/// Who takes the product of that operation, if all that use it may.
fn takers(
    builder: &Builder<'_>,
    of: &HashMap<usize, Unrounded>,
    starts: &HashSet<usize>,
    read: &HashMap<Reg, (usize, usize)>,
    at: usize,
) -> Option<Vec<Taker>> {
    let product = *of.get(&at)?;
    if builder.insts[at].guard != NO_GUARD {
        return None;
    }
    // What holds the product, and whether negated. Nothing may be left of it, and of its factors nothing changed, where it is used.
    let mut holders = vec![(product.d, false)];
    let (mut takers, mut changed) = (Vec::new(), product.from.contains(&product.d));
    let mut last = at;
    for now in at + 1..builder.insts.len() {
        let needed = holders.iter().any(|(reg, _)| read.get(reg).is_some_and(|&(_, end)| end >= now));
        if starts.contains(&now) || !needed {
            break;
        }
        last = now;
        let inst = &builder.insts[now];
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        inst.op.registers(builder.code, &mut |reg, role| {
            let list = if role == RegisterUse::Result { &mut writes } else { &mut reads };
            list.push(reg);
        });
        let held = |reg: Reg| holders.iter().find(|(holder, _)| *holder == reg).copied();
        let taken: Vec<(Reg, bool)> = reads.iter().filter_map(|&reg| held(reg)).collect();
        let mut also = None;
        match taken[..] {
            [] => {}
            [(reg, negated)] if inst.guard == NO_GUARD && passes_on(&inst.op).is_some() => {
                let (d, negates) = passes_on(&inst.op)?;
                also = (d != reg).then_some((d, negated ^ negates));
            }
            [(reg, negated)] => {
                let sum = of.get(&now).filter(|sum| sum.part != Part::Product)?;
                let fits = (sum.ty, sum.ftz) == (product.ty, product.ftz);
                if changed || !fits {
                    return None;
                }
                takers.push(Taker { at: now, side: usize::from(sum.from[0] != reg), negated });
            }
            _ => return None,
        }
        // A guarded write may leave what was there.
        if inst.guard != NO_GUARD && writes.iter().any(|&reg| held(reg).is_some()) {
            return None;
        }
        holders.retain(|(reg, _)| !writes.contains(reg));
        holders.extend(also);
        changed |= writes.iter().any(|reg| *reg != Reg::None && product.from.contains(reg));
    }
    let lives_on = |reg: Reg| read.get(&reg).is_some_and(|&(first, end)| first < at || end > last);
    let done = !takers.is_empty() && !holders.iter().any(|(reg, _)| lives_on(*reg));
    done.then_some(takers)
}

/// Where a move puts what it takes, and whether it negates it.
fn passes_on(op: &Op) -> Option<(Reg, bool)> {
    match *op {
        Op::Mov32 { d, .. } => Some((Reg::R32(d), false)),
        Op::Mov64 { d, .. } => Some((Reg::R64(d), false)),
        Op::NegF32 { d, .. } => Some((Reg::R32(d), true)),
        _ => None,
    }
}

/// The sum becomes one operation with its product.
fn fuse(builder: &mut Builder<'_>, product: Unrounded, sum: Unrounded, taker: &Taker) {
    let [a, b] = product.from;
    let c = sum.from[1 - taker.side];
    let minus = sum.part == Part::Difference;
    let negate_product = taker.negated ^ (minus && taker.side == 1);
    let negate_addend = minus && taker.side == 0;
    let plain = !sum.ftz && !sum.sat && !negate_product && !negate_addend;
    let op = match (sum.ty, sum.d, a, b, c) {
        (Ty::F32, Reg::R32(d), Reg::R32(a), Reg::R32(b), Reg::R32(c)) if plain => Op::FmaF32 { d, a, b, c },
        (Ty::F64, Reg::R64(d), Reg::R64(a), Reg::R64(b), Reg::R64(c)) if plain => Op::FmaF64 { d, a, b, c },
        _ => {
            let f = fused(sum, negate_product, negate_addend);
            let width = if matches!(sum.ty, Ty::F16x2 | Ty::Bf16x2) { 2 } else { 1 };
            let sources = [a, b, c, Reg::None];
            builder.code.maps.push(MapOp {
                d: sum.d,
                sources,
                f,
                flops: 2 * width,
                long: None,
                approximate: None,
                nans: None,
            });
            Op::Map(builder.code.maps.len() as u32 - 1)
        }
    };
    builder.insts[taker.at].op = op;
}

/// `a * b + c` in one rounding, with the signs of the product and of the addend turned where asked.
fn fused(sum: Unrounded, negate_product: bool, negate_addend: bool) -> MapFn {
    let sign: u64 = match sum.ty {
        Ty::F64 => 1 << 63,
        Ty::F16 | Ty::Bf16 => 0x8000,
        Ty::F16x2 | Ty::Bf16x2 => 0x8000_8000,
        _ => 0x8000_0000,
    };
    let turn = |negate: bool| if negate { sign } else { 0 };
    let (of_product, of_addend) = (turn(negate_product), turn(negate_addend));
    let Unrounded { ftz, sat, ty, .. } = sum;
    let modifiers = half::Modifiers { ftz, sat, relu: false };
    let packed = matches!(ty, Ty::F16x2 | Ty::Bf16x2);
    let narrow = move |t: Half, a: u64, b: u64, c: u64| {
        let one = |a, b, c| half::fma(t, a, b, c, modifiers);
        if packed {
            half::packed3(a as u32, b as u32, c as u32, one).into()
        } else {
            one(a as u16, b as u16, c as u16).into()
        }
    };
    map3(move |a, b, c| {
        let (a, c) = (a ^ of_product, c ^ of_addend);
        match ty {
            Ty::F64 => float::fma_f64(a, b, c, Rounding::Nearest),
            Ty::F16 | Ty::F16x2 => narrow(Half::F16, a, b, c),
            Ty::Bf16 | Ty::Bf16x2 => narrow(Half::Bf16, a, b, c),
            _ => float::fma_f32(a as u32, b as u32, c as u32, Rounding::Nearest, ftz, sat).into(),
        }
    })
}

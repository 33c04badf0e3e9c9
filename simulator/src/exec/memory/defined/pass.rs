//! Undefined bits of what goes from caller to callee and back, and between lanes.

use super::access::each;
use super::{Mark, Origin, Owner, Slot, Stored};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{CallValue, CollectiveFn, CollectiveOp, Reg};
use crate::observe::Observer;

/// Undefined bits of what lanes get from each other.
pub struct Told {
    d: [u64; 32],
    p: [u64; 32],
    origin: Origin,
}

impl Told {
    /// Notes them, after the results have been written.
    pub fn mark(&self, warp: &mut Warp, group: &Group, op: &CollectiveOp) {
        let frame = warp.frames[group.frame as usize];
        for (reg, bits) in [(op.d, self.d), (op.p, self.p)] {
            if let Some(slot) = Slot::of(&frame, reg) {
                warp.shadow.set(slot, group.mask, &bits.map(|bits| bits & slot.all()), Some(self.origin));
            }
        }
    }
}

/// What is undefined of a register by lane, of each lane in its own frame; nothing if everything is defined.
fn gather(warp: &Warp, parts: &[Group], reg: Reg) -> Option<Mark> {
    let mut all: Option<Mark> = None;
    for part in parts {
        let slot = Slot::of(&warp.frames[part.frame as usize], reg);
        let Some(mark) = slot.and_then(|slot| warp.shadow.get(slot)) else { continue };
        let all = all.get_or_insert(Mark { bits: [0; 32], origin: mark.origin });
        each(part.mask).for_each(|lane| all.bits[lane] = mark.bits[lane]);
    }
    all
}

impl<O: Observer> Worker<'_, O> {
    /// After [`Warp::pass`].
    pub fn passed(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        mask: u32,
        from: (u32, CallValue),
        to: (u32, CallValue),
    ) {
        if warp.shadow.is_empty() && self.defined.cells.is_empty() {
            return;
        }
        let size = from.1.bytes_to(to.1);
        let (source, target) = (warp.frames[from.0 as usize], warp.frames[to.0 as usize]);
        for step in (0..size.max(1)).step_by(4) {
            let (mut bits, mut origin): ([u64; 32], Option<(Origin, Stored)>) = ([0; 32], None);
            match from.1 {
                CallValue::Register(reg) => {
                    if let Some(mark) = Slot::of(&source, reg).and_then(|slot| warp.shadow.get(slot)) {
                        bits = mark.bits.map(|bits| bits >> (8 * step.min(4)));
                        origin = Some((mark.origin, 0));
                    }
                }
                CallValue::Memory { offset, .. } => {
                    for lane in each(mask) {
                        let owner = Owner::Local(shared.slot, warp.index, lane as u32);
                        let word = u64::from(source.local + offset + step) / 4;
                        if let Some(cell) = self.defined.cells.get(owner, word) {
                            bits[lane] = cell.bits.into();
                            origin = origin.or(Some((cell.origin, cell.stored)));
                        }
                    }
                }
            }
            match to.1 {
                CallValue::Register(reg) => {
                    let Some(slot) = Slot::of(&target, reg) else { continue };
                    if step == 0 {
                        warp.shadow.set(slot, mask, &bits.map(|bits| bits & slot.all()), origin.map(|(from, _)| from));
                    } else if step == 4 && matches!(slot, Slot::R64(_)) && !matches!(from.1, CallValue::Register(_)) {
                        let low = warp.shadow.get(slot).map_or([0; 32], |mark| mark.bits);
                        let both = std::array::from_fn(|lane| low[lane] & 0xffff_ffff | bits[lane] << 32);
                        let known = warp.shadow.get(slot).map(|mark| mark.origin);
                        warp.shadow.set(slot, mask, &both, known.or(origin.map(|(from, _)| from)));
                    }
                }
                CallValue::Memory { offset, .. } => {
                    for lane in each(mask) {
                        let owner = Owner::Local(shared.slot, warp.index, lane as u32);
                        let address = u64::from(target.local + offset + step);
                        let low = bits[lane] & u64::from(u32::MAX);
                        self.defined.cells.write(owner, address & !3, 4, low, origin);
                    }
                }
            }
        }
    }

    /// After [`Self::passed`]: a call through a pointer may take more bytes of a value than its other side has (`pc` is the call). What is
    /// beyond is nobody's.
    pub fn widened(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (pc, mask): (u32, u32),
        from: CallValue,
        to: (u32, CallValue),
    ) {
        let (CallValue::Memory { size: given, .. }, CallValue::Memory { offset, size }) = (from, to.1) else { return };
        if given == 0 || given >= size {
            return;
        }
        let origin = Some((self.never_assigned(shared, warp, pc), 0));
        let first = u64::from(warp.frames[to.0 as usize].local + offset);
        for lane in each(mask) {
            let owner = Owner::Local(shared.slot, warp.index, lane as u32);
            for at in given..size {
                self.defined.cells.write(owner, first + u64::from(at), 1, 0xff, origin);
            }
        }
    }

    /// What is undefined of values that lanes exchange: of the source value by lane, and of the second operand.
    /// `sources`: whose value each lane of a shuffle gets; `lost`: the lanes that get nobody's, and what that is called.
    pub fn told(
        &self,
        warp: &Warp,
        parts: &[Group],
        op: &CollectiveOp,
        masks: &[u64; 32],
        (sources, lost): (&[u32; 32], Option<(u32, Origin)>),
    ) -> Option<Told> {
        if warp.shadow.is_empty() && lost.is_none() {
            return None;
        }
        let (a, b, c) = (gather(warp, parts, op.a), gather(warp, parts, op.b), gather(warp, parts, op.c));
        let active = parts.iter().fold(0, |all, part| all | part.mask);
        let origin = a.or(b).or(c).map(|mark| mark.origin).or(lost.map(|(_, origin)| origin))?;
        let nobodys = lost.map_or(0, |(lanes, _)| lanes);
        let members = |lane: usize| masks[lane] as u32 & active;
        let in_a = |lanes: u32| a.map_or(0, |mark| mark.lanes(lanes));
        let in_b = |lane: usize| [b, c].iter().flatten().any(|mark| mark.bits[lane] != 0);
        let (mut d, mut p) = ([0; 32], [0; 32]);
        for lane in each(active) {
            match op.f {
                CollectiveFn::ShflUp | CollectiveFn::ShflDown | CollectiveFn::ShflBfly | CollectiveFn::ShflIdx => {
                    d[lane] = a.map_or(0, |mark| mark.bits[sources[lane] as usize & 31]);
                    if in_b(lane) {
                        (d[lane], p[lane]) = (u64::MAX, 1);
                    } else if nobodys >> lane & 1 != 0 {
                        d[lane] = u64::MAX;
                    }
                }
                CollectiveFn::Vote(crate::isa::op::Vote::Ballot) => d[lane] = in_a(members(lane)).into(),
                _ if in_a(members(lane)) != 0 => (d[lane], p[lane]) = (u64::MAX, 1),
                _ => {}
            }
        }
        Some(Told { d, p, origin })
    }
}

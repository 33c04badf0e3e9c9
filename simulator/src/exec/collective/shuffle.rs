//! Shuffles, and what they must not read: lanes that are not there.

use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::defined::Origin;
use crate::exec::warp::{Doubt, Group, Warp};
use crate::isa::op::{CollectiveFn, CollectiveOp, Use};
use crate::observe::Observer;
use crate::{FindingKind, Schedule, Severity};

/// What an undefined value looks like where barriers are checked. Whoever uses it gets a wrong result, at least under one
/// schedule: all ones (a NaN, -1) is what programs themselves use for "none", and no maximum.
fn undefined_value(schedule: Schedule, own: u64) -> u64 {
    match schedule {
        // The reader's own value: it passes every comparison with what the reader has.
        Schedule::Adversarial { seed } if seed % 2 == 0 => own,
        // Greater than anything: 2^31 less 2^23, and 3.4e38.
        Schedule::Adversarial { .. } => 0x7f7f_ffff,
        _ => u64::from(u32::MAX),
    }
}

/// Values, predicates, whose values they are, and the lanes that get nobody's, if they are to be followed.
type Shuffled = ([u64; 32], [u64; 32], [u32; 32], Option<(u32, Origin)>);

impl<O: Observer> Worker<'_, O> {
    /// Values and predicates that the lanes of the group get, whose values they are, and which lanes get nobody's. `operands`: value, lane or distance, clamp.
    pub(in crate::exec) fn shuffle(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        group: &Group,
        op: &CollectiveOp,
        masks: &[u64; 32],
        operands: &[[u64; 32]; 3],
    ) -> Shuffled {
        let [a, b, c] = operands;
        // 9.7.9.6 of the PTX manual.
        let (sources, valid) = match op.f {
            CollectiveFn::ShflUp => partners(b, c, |this, by, max, _| (this - by, this - by >= max)),
            CollectiveFn::ShflDown => partners(b, c, |this, by, max, _| (this + by, this + by <= max)),
            CollectiveFn::ShflBfly => partners(b, c, |this, by, max, _| (this ^ by, this ^ by <= max)),
            _ => partners(b, c, |_, _, max, place| (place, place <= max)),
        };
        let (mut d, mut p) = ([0u64; 32], [0u64; 32]);
        let (mut undefined, mut lost) = (0u32, None);
        for lane in 0..32 {
            let from = sources[lane] & 31;
            d[lane] = a[from as usize];
            p[lane] = u64::from(valid[lane]);
            let there = (group.mask & masks[lane] as u32 | 1 << lane) >> from & 1;
            undefined |= (there ^ 1) << lane;
        }
        undefined &= group.mask;
        if undefined != 0 && self.context.config.checks.barriers {
            for (lane, value) in d.iter_mut().enumerate().filter(|(lane, _)| undefined >> lane & 1 != 0) {
                if masks[lane] >> lane & 1 != 0 {
                    *value = undefined_value(self.context.config.schedule, a[lane]);
                }
            }
            let used = op.used != Use::Unknown;
            // One lane chosen for all that share a mask is chosen to be used, unless a warp that is not full has no such lane: there
            // programs ask for it with the full warps and throw the answer away.
            let absent = |lane: usize| warp.lanes >> sources[lane] & 1 == 0;
            let alike = |lane: usize| {
                (0..32usize).filter(move |other| group.mask >> other & 1 != 0 && masks[*other] == masks[lane])
            };
            let in_vain = |lane: usize| {
                let asks = undefined >> lane & 1 != 0 && (used || !absent(lane));
                asks && alike(lane).all(|other| undefined >> other & 1 != 0)
            };
            let broadcast = matches!(op.f, CollectiveFn::ShflIdx) && (0..32).any(in_vain);
            let gone = |lane: &u32| {
                let from = 1 << sources[*lane as usize];
                undefined >> lane & 1 != 0 && from & masks[*lane as usize] as u32 & !warp.live() != 0
            };
            // What each lane stores is used, if it was meant to be there.
            let stored = op.used == Use::Stored && (0..32).any(|lane| gone(&lane));
            let wrong = broadcast || stored || (used && matters(&op.f, undefined, group.mask, c));
            // Of what may be thrown away again only values of lanes that are gone are worth a note.
            if wrong || (0..32).any(|lane| gone(&lane)) {
                let lane = undefined.trailing_zeros() as usize;
                let explanation = explain(warp, group, masks[lane] as u32, lane as u32, sources[lane]);
                let kind = FindingKind::sync_mask(explanation);
                let severity = if wrong { Severity::Error } else { Severity::Note };
                self.report(shared, warp, group.pc, undefined, kind, severity);
            }
            // Steps of a tree are followed by themselves, and what is wrong already needs not be.
            let tree = matches!(op.f, CollectiveFn::ShflDown) && (op.fed || op.used == Use::Exchanged);
            if O::ACTIVE && !wrong && !tree && self.context.config.checks.uninitialised {
                let lane = undefined.trailing_zeros();
                let said = || explain(warp, group, masks[lane as usize] as u32, lane, sources[lane as usize]);
                lost = Some((undefined, self.shuffled_from_nobody(shared, warp, group.pc, lane, said)));
            }
        }
        if self.context.config.checks.barriers && (undefined != 0 || warp.doubt.is_some()) {
            self.hand_down(shared, warp, group, op, (undefined, &sources), (masks, c));
        }
        (d, p, sources, lost)
    }

    /// Follows undefined values down a tree of `shfl.down`: one that gets to the lowest lane is part of the result.
    fn hand_down(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        group: &Group,
        op: &CollectiveOp,
        (undefined, sources): (u32, &[u32; 32]),
        (masks, clamp): (&[u64; 32], &[u64; 32]),
    ) {
        let before = warp.doubt.map_or(0, |doubt| doubt.lanes & group.mask);
        let handed = if op.fed { before } else { 0 };
        let reached = (0..32)
            .filter(|&lane| group.mask >> lane & 1 != 0 && handed >> sources[lane as usize] & 1 != 0)
            .fold(0u32, |mask, lane| mask | 1 << lane);
        if let Some(doubt) = warp.doubt
            && matters(&op.f, reached & !handed, group.mask, clamp)
        {
            let explanation = explain(warp, group, doubt.mask, doubt.reader, doubt.from);
            let kind = FindingKind::sync_mask(explanation);
            self.report(shared, warp, doubt.pc, 1 << doubt.reader, kind, Severity::Error);
            warp.doubt = None;
            return;
        }
        let down = matches!(op.f, CollectiveFn::ShflDown) && op.used == Use::Exchanged;
        let fresh = if down { undefined } else { 0 };
        let others = warp.doubt.map_or(0, |doubt| doubt.lanes & !group.mask);
        let lanes = fresh | handed | reached | others;
        let reader = fresh.trailing_zeros() as usize & 31;
        let first =
            Doubt { lanes, pc: group.pc, reader: reader as u32, from: sources[reader], mask: masks[reader] as u32 };
        warp.doubt = match warp.doubt {
            _ if lanes == 0 => None,
            Some(doubt) if (handed | others) != 0 => Some(Doubt { lanes, ..doubt }),
            _ => Some(first),
        };
    }
}

/// Whose value each lane gets, and whether that is within its segment; if not it is its own. `of` says so of a lane, its distance or
/// lane asked for, the end of its segment, and the place in its segment that was asked for.
#[inline(always)]
fn partners(b: &[u64; 32], c: &[u64; 32], of: impl Fn(i32, i32, i32, i32) -> (i32, bool)) -> ([u32; 32], [bool; 32]) {
    let (mut sources, mut valid) = ([0; 32], [false; 32]);
    for lane in 0..32 {
        let (by, clamp) = (b[lane] as i32 & 31, c[lane] as i32 & 31);
        let segment = (c[lane] >> 8) as i32 & 31;
        let this = lane as i32;
        let (from, within) = of(this, by, (this & segment) | (clamp & !segment), (this & segment) | (by & !segment));
        sources[lane] = if within { from as u32 & 31 } else { lane as u32 };
        valid[lane] = within;
    }
    (sources, valid)
}

/// Is an undefined value likely to be used? In a tree of `shfl.down` the upper lanes of a segment read past the mask as a
/// matter of course, and their values go nowhere; a lane chosen by number is often chosen in vain by some. There the
/// lowest lane of a segment speaks for all.
fn matters(f: &CollectiveFn, undefined: u32, active: u32, clamp: &[u64; 32]) -> bool {
    if matches!(f, CollectiveFn::ShflBfly | CollectiveFn::ShflUp) {
        return true;
    }
    (0..32u32).filter(|lane| undefined >> lane & 1 != 0).any(|lane| {
        let segment = (clamp[lane as usize] >> 8) as u32 & 31;
        let before = (1u32 << lane) - 1;
        let same = (0..32u32).filter(|other| other & segment == lane & segment).fold(0, |mask, lane| mask | 1 << lane);
        active & before & same == 0
    })
}

fn explain(warp: &Warp, group: &Group, mask: u32, lane: u32, from: u32) -> String {
    let why = match 1u32 << from {
        bit if warp.lanes & bit == 0 => "which does not exist: the block's last warp is not full".to_owned(),
        bit if warp.exited & bit != 0 => "which has exited".to_owned(),
        bit if mask & bit == 0 => format!("which the mask {mask:#010x} leaves out"),
        bit if group.mask & bit == 0 => "which does not take part".to_owned(),
        _ => "which takes part with another mask".to_owned(),
    };
    format!("lane {lane} reads the value of lane {from}, {why}: what it gets is undefined")
}

//! Where undefined values came from, and where they were used.

use super::Origin;
use crate::exec::accessing::{Accessing, LaneBytes};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::Warp;
use crate::finding::{Access, Finding, FindingKind, MemoryLocation, Place, Severity, Usage};
use crate::isa::op::AddressSpace;
use crate::observe::{AccessKind, Observer};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;

/// Warp instructions that a launch goes on for when something undefined has decided: what else there is to be told comes soon.
const AFTER: u64 = 1 << 18;

/// Number of a place that stored an undefined value.
pub type Stored = u32;

/// Where an undefined value came from.
#[derive(Debug, Clone)]
enum Source {
    /// A read of what nothing wrote.
    Read(Access),
    /// A shuffle from a lane that does not take part: where, and who reads whose value.
    Shuffle(Place, String),
}

/// What gave an undefined value: of one operation, each is one origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Gave {
    Memory,
    Register,
    Shuffle,
}

impl Source {
    /// The finding that a value of it is used, at `place`.
    fn finding(self, usage: Usage, place: Place) -> Finding {
        let (kind, place) = match self {
            Self::Read(access) => (FindingKind::Uninitialised { access, usage }, place),
            Self::Shuffle(place, said) => {
                (FindingKind::SyncMask { explanation: vec![said], usage: Some(usage) }, place)
            }
        };
        Finding { kind, severity: Severity::Error, place, count: 1 }
    }
}

/// Origins are told apart by their operation: one mistake is one finding.
#[derive(Debug, Default)]
pub struct Origins {
    origins: Vec<Source>,
    by_pc: HashMap<(u32, Gave), Origin>,
    places: Vec<Place>,
    stored_by: HashMap<u32, Stored>,
    told: HashSet<Origin>,
    /// What decided where a thread goes, first in this launch: the operation that read it, and the launch's steps by then.
    decided: Option<(Access, u64)>,
}

impl Origins {
    /// Has nothing been undefined?
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// A launch begins: what an earlier one told is told again if it happens again.
    pub fn launch_start(&mut self) {
        self.told.clear();
        self.decided = None;
    }

    /// How many have been told of in this launch.
    pub(super) fn how_many_told(&self) -> usize {
        self.told.len()
    }

    /// Has its use been told of? Nothing more is said of it in this launch, so nobody has to follow it.
    pub(super) fn is_told(&self, origin: Origin) -> bool {
        self.told.contains(&origin)
    }

    /// The findings for undefined bits that the host reads: one for each origin, with the place that stored it.
    pub fn read(&self, cells: &[(u64, super::Cell)], locate: impl Fn(u64) -> MemoryLocation) -> Vec<Finding> {
        let mut told = self.told.clone();
        let mut findings = Vec::new();
        for (address, cell) in cells {
            let (Some(source), Some(place)) =
                (self.origins.get(cell.origin as usize), self.places.get(cell.stored as usize))
            else {
                continue;
            };
            if told.insert(cell.origin) {
                let usage = Usage::Output { object: locate(*address) };
                findings.push(source.clone().finding(usage, place.clone()));
            }
        }
        findings
    }
}

impl<O: Observer> Worker<'_, O> {
    /// The number of an undefined value that an operation read from memory.
    pub(super) fn read_from(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        pc: u32,
        lane: u32,
        (space, address, size): (AddressSpace, u64, u32),
    ) -> Origin {
        if let Some(&known) = self.defined.origins.by_pc.get(&(pc, Gave::Memory)) {
            return known;
        }
        let access = self.describe(
            shared,
            warp,
            Accessing { pc, lanes: 1 << lane, kind: AccessKind::Load },
            LaneBytes::new(space, address, size),
        );
        self.origin((pc, Gave::Memory), Source::Read(access))
    }

    /// The number of a register that has no value when its function begins.
    pub fn never_assigned(&mut self, shared: &Shared, warp: &Warp, pc: u32) -> Origin {
        if let Some(&known) = self.defined.origins.by_pc.get(&(pc, Gave::Register)) {
            return known;
        }
        let access = Access {
            place: self.place(shared.index, warp, pc, warp.lanes),
            what: "read".into(),
            space: "register".into(),
            address: 0,
            size: 4,
            object: MemoryLocation::Register,
        };
        self.origin((pc, Gave::Register), Source::Read(access))
    }

    /// The number of what a shuffle gave to `lane` that is nobody's value; `said` tells of it.
    pub fn shuffled_from_nobody(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        pc: u32,
        lane: u32,
        said: impl FnOnce() -> String,
    ) -> Origin {
        if let Some(&known) = self.defined.origins.by_pc.get(&(pc, Gave::Shuffle)) {
            return known;
        }
        let place = self.place(shared.index, warp, pc, 1 << lane);
        self.origin((pc, Gave::Shuffle), Source::Shuffle(place, said()))
    }

    fn origin(&mut self, by: (u32, Gave), source: Source) -> Origin {
        let origins = &mut self.defined.origins;
        let number = origins.origins.len() as Origin;
        origins.origins.push(source);
        origins.by_pc.insert(by, number);
        number
    }

    /// The number of a place that stores undefined bits.
    pub(super) fn stored_at(&mut self, shared: &Shared, warp: &Warp, pc: u32, lane: u32) -> Stored {
        if let Some(&known) = self.defined.origins.stored_by.get(&pc) {
            return known;
        }
        let place = self.place(shared.index, warp, pc, 1 << lane);
        let origins = &mut self.defined.origins;
        let number = origins.places.len() as Stored;
        origins.places.push(place);
        origins.stored_by.insert(pc, number);
        number
    }

    /// Reports that lanes use an undefined value; once for each origin.
    pub(super) fn used(&mut self, shared: &Shared, warp: &Warp, pc: u32, lanes: u32, origin: Origin, usage: Usage) {
        if !self.defined.origins.told.insert(origin) {
            return;
        }
        let Some(source) = self.defined.origins.origins.get(origin as usize).cloned() else { return };
        if let (Source::Read(access), Usage::Address | Usage::Condition | Usage::Barrier) = (&source, &usage) {
            let steps = self.context.steps.load(Relaxed) + self.unreported;
            self.defined.origins.decided.get_or_insert_with(|| (access.clone(), steps));
        }
        let place = self.place(shared.index, warp, pc, lanes);
        self.add_finding(source.finding(usage, place));
    }

    /// Ends the launch if it has gone on for long since something undefined decided where a thread goes: how long it goes on is by chance
    /// from there. That value is the fault then.
    pub fn ends_undefined(&mut self, total: u64) -> bool {
        let Some((access, since)) = &self.defined.origins.decided else { return false };
        if total < since.saturating_add(AFTER) {
            return false;
        }
        let is_it =
            |one: &&mut Finding| matches!(&one.kind, FindingKind::Uninitialised { access: read, .. } if read == access);
        let Some(finding) = self.findings.iter_mut().find(is_it) else { return false };
        finding.severity = Severity::Fault;
        self.halt();
        true
    }
}

//! `mbarrier` objects that are used as the PTX ISA forbids.

use super::object::Misuse;
use crate::exec::accessing::{Accessing, LaneBytes};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::Warp;
use crate::isa::op::AddressSpace;
use crate::observe::{AccessKind, Observer};
use crate::{FindingKind, Severity};

impl<O: Observer> Worker<'_, O> {
    /// Has such an address been initialised? Of another block's nobody here knows, and it is taken to be.
    pub(super) fn is_mbarrier(&self, shared: &Shared, space: AddressSpace, address: u64) -> bool {
        let (slot, address) = self.home(shared, address);
        space != AddressSpace::Shared || slot != shared.slot || shared.mbarriers.binary_search(&address).is_ok()
    }

    /// Lanes have initialised objects of their block, or ended them. One that lives is not to be initialised once more.
    pub(super) fn born_or_gone(
        &mut self,
        shared: &mut Shared,
        warp: &Warp,
        by: Accessing,
        born: bool,
        found: &[u64; 32],
    ) {
        let mut again = 0u32;
        for lane in (0..32usize).filter(|lane| by.lanes >> lane & 1 != 0) {
            let (_, address) = self.home(shared, found[lane]);
            match (shared.mbarriers.binary_search(&address), born) {
                (Ok(_), true) => again |= 1 << lane,
                (Ok(at), false) => _ = shared.mbarriers.remove(at),
                (Err(at), true) => shared.mbarriers.insert(at, address),
                (Err(_), false) => {}
            }
        }
        if again != 0 {
            let bytes = LaneBytes::new(AddressSpace::Shared, found[again.trailing_zeros() as usize], 8);
            let misuse = (
                "it is initialised a second time".to_owned(),
                "one thread initialises it; mbarrier.inval ends it before it is initialised anew",
            );
            let kind = self.bad_mbarrier(shared, warp, Accessing { lanes: again, ..by }, bytes, misuse);
            self.report(shared, warp, by.pc, again, kind, Severity::Error);
        }
    }

    /// Plain accesses to an mbarrier of their block that lives.
    pub fn touches_mbarrier(&mut self, shared: &Shared, warp: &Warp, by: Accessing, addresses: &[u64; 32], size: u32) {
        let (Some(first), Some(last)) = (shared.mbarriers.first(), shared.mbarriers.last()) else { return };
        let touched = |lane: usize| {
            let (start, end) = (addresses[lane], addresses[lane] + u64::from(size));
            let near = start < last + 8 && *first < end;
            shared.mbarriers.iter().find(|object| near && start < **object + 8 && **object < end)
        };
        let lanes = (0..32).filter(|lane| by.lanes >> lane & 1 != 0);
        let touching = lanes.filter(|lane| touched(*lane).is_some()).fold(0u32, |mask, lane| mask | 1 << lane);
        // The object has its name, not what lies beside it.
        if let Some(object) = touched(touching.trailing_zeros() as usize % 32).filter(|_| touching != 0) {
            let does = match by.kind {
                AccessKind::Load => "it is read as if it were data",
                AccessKind::Store => "it is written as if it were data",
                AccessKind::Atomic => "it is changed as if it were data",
            };
            let bytes = LaneBytes::new(AddressSpace::Shared, *object, 8);
            let misuse = (does.to_owned(), "its memory is for mbarrier instructions alone until mbarrier.inval");
            let kind = self.bad_mbarrier(shared, warp, Accessing { lanes: touching, ..by }, bytes, misuse);
            self.report(shared, warp, by.pc, touching, kind, Severity::Error);
        }
    }

    /// What a finding says of a misuse.
    pub(super) fn bad_mbarrier(
        &self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: LaneBytes,
        (what, instead): Misuse,
    ) -> FindingKind {
        let access = self.describe(shared, warp, by, bytes);
        FindingKind::BadMbarrier { access, what, instead: instead.to_owned() }
    }
}

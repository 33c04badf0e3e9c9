//! Accesses that no hardware complains about: to inputs, to another thread's local memory, from one array into the next.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::Warp;
use crate::finding::{FindingKind, MemoryLocation};
use crate::isa::op::{AccessOp, AddressSpace};
use crate::isa::provenance::Array;
use crate::memory::window;
use crate::observe::Observer;

impl<O: Observer> Worker<'_, O> {
    /// Reports lanes that follow a pointer to another thread's local memory: what they would find on a GPU is their own.
    pub fn foreign(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        addresses: &[u64; 32],
        size: u32,
    ) -> Option<Flow> {
        let Accessing { pc, lanes: mask, .. } = by;
        let own = |lane: usize| window::local_like(addresses[lane], shared.linear, warp.index, lane as u32);
        let foreign = |lane: usize| {
            let address = addresses[lane];
            window::classify(address) == AddressSpace::Local && (address ^ own(lane)) >> 32 != 0
        };
        let lane = (0..32).find(|&lane| mask >> lane & 1 != 0 && foreign(lane))?;
        let (owner, other) = window::local_owner(addresses[lane]);
        let (space, address) = (AddressSpace::Local, addresses[lane] & (window::SIZE - 1));
        let mut access = self.describe(shared, warp, by.lane(lane), LaneBytes::new(space, address, size));
        let linear = owner * 32 + other;
        let [x, y, _] = self.context.block;
        let thread = [linear % x, linear / x % y, linear / (x * y)];
        let here = (addresses[lane] ^ own(lane)) >> 58 == 0;
        access.object = MemoryLocation::OtherThread { thread, same_block: here };
        Some(self.fault(shared, warp, pc, 1 << lane, FindingKind::OutOfBounds { access }))
    }

    /// Reports lanes that leave their own block (where the instruction reaches its `own` only), or the shared array that their address
    /// belongs to.
    pub fn outside(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: WarpBytes<'_>,
        (own, array): (bool, Option<Array>),
    ) -> Option<Flow> {
        self.outside_block(shared, warp, by, bytes, own).or_else(|| self.outside_array(shared, warp, by, bytes, array))
    }

    /// Reports lanes that leave the shared array that their address belongs to.
    pub fn outside_array(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: WarpBytes<'_>,
        array: Option<Array>,
    ) -> Option<Flow> {
        let Accessing { pc, lanes: mask, .. } = by;
        let WarpBytes { space, addresses, size } = bytes;
        let (from, to) = array.filter(|_| space == AddressSpace::Shared)?;
        #[cfg(not(target_family = "wasm"))]
        // A block that is not there is somebody else's complaint.
        let offsets = addresses.map(|address| self.within_cluster(address).unwrap_or(from.into()));
        #[cfg(not(target_family = "wasm"))]
        let addresses = &offsets;
        let inside = |address: u64| {
            let end = address.checked_add(size.into());
            address >= from.into() && end.is_some_and(|end| end <= to.into())
        };
        let lane = (0..32).find(|&lane| mask >> lane & 1 != 0 && !inside(addresses[lane]))?;
        if window::classify(addresses[lane]) == AddressSpace::Shared {
            let bytes = LaneBytes::new(space, addresses[lane], size);
            return Some(self.bad_access(shared, warp, by.lane(lane), bytes, AccessError::Bounds));
        }
        // What begins inside leaves it at its end.
        let inside = (u64::from(from)..u64::from(to)).contains(&addresses[lane]);
        let outside = if inside { to.into() } else { addresses[lane] };
        let mut access = self.describe(shared, warp, by.lane(lane), LaneBytes::new(space, outside, size));
        access.address = addresses[lane];
        let owner = self.object(space, from.into(), warp.frames.first().map_or(0, |frame| frame.function), pc);
        if let Some(name) = owner.name() {
            let (name, bytes) = (name.to_owned(), u64::from(to - from));
            // Of what lies there only another object's name says more.
            let other = access.object.name() != Some(name.as_str());
            let lies_in = other.then(|| Box::new(std::mem::take(&mut access.object)));
            access.object = match outside.checked_sub(from.into()) {
                Some(offset) => MemoryLocation::Behind { name, offset, bytes, lies_in },
                None => MemoryLocation::Before { name, distance: u64::from(from) - outside, bytes, lies_in },
            };
        }
        Some(self.fault(shared, warp, pc, 1 << lane, FindingKind::OutOfBounds { access }))
    }

    /// Reports a load from beyond the parameter that it names.
    pub fn outside_parameter(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        op: &AccessOp,
        (from, to): Array,
    ) -> Flow {
        let bytes = LaneBytes::new(AddressSpace::Param, op.offset as u64, op.size * op.regs.len() as u32);
        let mut access = self.describe(shared, warp, by, bytes);
        let code = &self.context.decoded.code;
        let function = code.origins.get(by.pc as usize).map_or(0, |origin| origin.function);
        let mut parameters = code.functions[function as usize].parameters.iter();
        let name = parameters.find(|(_, at, _)| *at == from).map_or_else(String::new, |(name, ..)| name.clone());
        let (offset, bytes) = (op.offset.wrapping_sub(from.into()), u64::from(to - from));
        access.object = match u64::try_from(offset) {
            Ok(offset) => MemoryLocation::Behind { name, offset, bytes, lies_in: None },
            Err(_) => MemoryLocation::Before { name, distance: offset.unsigned_abs(), bytes, lies_in: None },
        };
        self.fault(shared, warp, by.pc, by.lanes, FindingKind::OutOfBounds { access })
    }

    /// Reports the lanes of `mask` that write to an input.
    pub fn protect(&mut self, shared: &Shared, warp: &Warp, by: Accessing, addresses: &[u64; 32], size: u32) {
        let Accessing { pc, lanes: mask, .. } = by;
        let inside = |lane: &u32| mask >> lane & 1 != 0;
        let lanes = (0..32u32).filter(inside).fold(0u32, |all, lane| {
            let found = self.allocation(addresses[lane as usize], size.into());
            all | u32::from(found.is_some_and(|at| self.global.get().allocations[at].input)) << lane
        });
        if lanes != 0 {
            let address = addresses[lanes.trailing_zeros() as usize & 31];
            let access = self.describe(
                shared,
                warp,
                Accessing { lanes, ..by },
                LaneBytes::new(AddressSpace::Global, address, size),
            );
            self.report(shared, warp, pc, lanes, FindingKind::InputChanged { access }, crate::Severity::Error);
        }
    }
}

//! Tells findings and observers of accesses.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::Warp;
use crate::finding::RETURNED;
use crate::isa::op::{AddressSpace, Op};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope, Space, Unwritten, WarpAccess};
use crate::{FindingKind, MemoryLocation};

impl<O: Observer> Worker<'_, O> {
    /// Reports lanes' bad access.
    pub fn bad_access(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: LaneBytes,
        bad: AccessError,
    ) -> Flow {
        let mut access = self.describe(shared, warp, by, bytes);
        let LaneBytes { space, address, .. } = bytes;
        let gone = address < 4 * warp.local.len() as u64 && !warp.reach.holds(address, 1);
        if space == AddressSpace::Local && matches!(bad, AccessError::Bounds) && gone {
            let memory = RETURNED.to_owned();
            access.object = MemoryLocation::Nobodys { memory };
        }
        let kind = match bad {
            AccessError::Bounds => FindingKind::OutOfBounds { access },
            AccessError::Misaligned => FindingKind::Misaligned { access },
            AccessError::Constant => FindingKind::WriteToConstant { access },
            #[cfg(not(target_family = "wasm"))]
            AccessError::Gone => FindingKind::BlockAbsent { access, exited: true },
        };
        self.fault(shared, warp, by.pc, by.lanes, kind)
    }

    /// Remembers who writes to what is tracked.
    #[inline]
    fn track(&mut self, shared: &Shared, warp: &Warp, access: &WarpAccess<'_>) {
        let Some((start, bytes)) = self.context.config.tracked else { return };
        let meets = |lane: &u32| {
            let address = access.addresses[*lane as usize];
            access.mask >> lane & 1 != 0 && address < start + bytes && start < address + u64::from(access.size)
        };
        // Of lanes that write there at once the last one stays.
        if let Some(lane) = (0..32).rfind(meets) {
            self.writer = Some(self.place(shared.index, warp, access.pc, 1 << lane));
        }
    }

    /// Tells the observer. Returns which bytes of what was read nobody has written.
    pub fn observe(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: WarpBytes<'_>,
        order: (MemoryOrder, Scope),
    ) -> Option<Box<Unwritten>> {
        #[cfg(not(target_family = "wasm"))]
        let order = (order.0, self.in_cluster(order.1));
        #[cfg(not(target_family = "wasm"))]
        if self.context.clustered && bytes.space == AddressSpace::Shared {
            return self.observe_in_cluster(shared, warp, by, bytes, order);
        }
        self.observe_at(shared, warp, by, bytes, order, shared.slot)
    }

    /// Where clusters have several blocks, what reaches a cluster is taken to reach everybody.
    #[cfg(not(target_family = "wasm"))]
    pub fn in_cluster(&self, scope: Scope) -> Scope {
        if scope == Scope::Cluster && self.context.clustered { Scope::Gpu } else { scope }
    }

    /// The same for an access to shared memory that is a block's of a cluster: a part for each block.
    #[cfg(not(target_family = "wasm"))]
    fn observe_in_cluster(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: WarpBytes<'_>,
        (order, scope): (MemoryOrder, Scope),
    ) -> Option<Box<Unwritten>> {
        // Libraries let threads arrive at other blocks' mbarriers, and wait there, without a word on the scope.
        let scope = if self.completing.is_some() { Scope::Gpu } else { scope };
        let (silent, copying, completing) = (self.silent, self.copying, self.completing);
        let homes = bytes.addresses.map(|address| self.home(shared, address));
        let addresses = homes.map(|(_, offset)| offset);
        let (mut left, mut unwritten) = (by.lanes, None::<Box<Unwritten>>);
        while left != 0 {
            let (slot, _) = homes[left.trailing_zeros() as usize];
            let part = (0..32).filter(|lane| left >> lane & 1 != 0 && homes[*lane as usize].0 == slot);
            let part = part.fold(0, |mask, lane| mask | 1 << lane);
            left &= !part;
            (self.silent, self.copying, self.completing) = (silent, copying, completing);
            let bytes = WarpBytes { addresses: &addresses, ..bytes };
            let more = self.observe_at(shared, warp, Accessing { lanes: part, ..by }, bytes, (order, scope), slot);
            if let Some(more) = more {
                let all = unwritten.get_or_insert_with(|| Box::new([0; 32]));
                all.iter_mut().zip(more.iter()).for_each(|(all, more)| *all |= more);
            }
        }
        unwritten
    }

    fn observe_at(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        bytes: WarpBytes<'_>,
        order: (MemoryOrder, Scope),
        home: u32,
    ) -> Option<Box<Unwritten>> {
        let Accessing { pc, lanes: mask, kind } = by;
        let WarpBytes { space, addresses, size } = bytes;
        let space = match space {
            AddressSpace::Shared => Space::Shared,
            AddressSpace::Local => Space::Local,
            AddressSpace::Param => return None,
            _ => Space::Global,
        };
        let code = &self.context.decoded.code;
        let mut named = false;
        let (mark, group, indivisible) = match code.insts[pc as usize].op {
            Op::Load(index) | Op::Store(index) => {
                let op = &code.accesses[index as usize];
                (op.mark, op.group, 0)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[index as usize];
                named = op.named;
                (op.answers, op.group, op.indivisible)
            }
            #[cfg(not(target_family = "wasm"))]
            Op::Texture(_) => (kind == AccessKind::Load, 0, 0),
            _ => (false, 0, 0),
        };
        let access = WarpAccess {
            warp: shared.warp(warp.index),
            pc,
            space,
            kind,
            order: order.0,
            scope: order.1,
            size,
            indivisible,
            mask,
            addresses,
            silent: std::mem::take(&mut self.silent),
            copy: std::mem::take(&mut self.copying),
            completing: self.completing.take(),
            // Its operation on an mbarrier releases.
            proxy: matches!(code.insts[pc as usize].op, Op::CopyBulk(_)) && order.0 != MemoryOrder::Release,
            mark,
            #[cfg(not(target_family = "wasm"))]
            texture: matches!(code.insts[pc as usize].op, Op::Texture(_)) && mark,
            #[cfg(target_family = "wasm")]
            texture: false,
            named,
            group,
            reserved: space == Space::Shared
                && addresses[mask.trailing_zeros() as usize & 31] < self.context.decoded.reserved_shared.into(),
            home,
        };
        if let Some(trace) = &mut self.trace {
            trace.access(code, warp, &access);
        }
        let (own, proxy) = (access.completing.is_some(), access.proxy);
        if space == Space::Shared && home == shared.slot && (!own || proxy) && !shared.mbarriers.is_empty() {
            self.touches_mbarrier(shared, warp, by, addresses, size);
        }
        let mut complaints = Vec::new();
        if kind != AccessKind::Load && space == Space::Global {
            self.track(shared, warp, &access);
        }
        let unwritten = self.observer.access(&access, &mut |complaint| complaints.push(complaint));
        for complaint in complaints {
            self.complain(shared, warp, &access, complaint);
        }
        unwritten
    }
}

//! Findings with names and places.

use crate::exec::accessing::{Accessing, LaneBytes};
use crate::exec::block::Shared;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::Warp;
use crate::finding::{Access, Finding, FindingKind, MemoryLocation, NO_DYNAMIC, NO_POINTER, OWN, Place, Severity};
use crate::isa::op::{AddressSpace, Op};
use crate::memory::global::Allocation;
use crate::memory::window;
use crate::observe::{AccessKind, Complaint, Observer, Space, WarpAccess};
use std::sync::atomic::Ordering::Relaxed;

/// No index of 32 bits leads farther: what does is no pointer.
const FAR: u64 = 1 << 35;
/// Words for a load through the read-only cache.
const CACHED: &str = "cached read";

/// Words for an access.
pub fn what(kind: AccessKind, copy: bool) -> &'static str {
    match kind {
        AccessKind::Atomic if copy => "asynchronous reduction",
        AccessKind::Atomic => "atomic",
        AccessKind::Load if copy => "asynchronous read",
        AccessKind::Store if copy => "asynchronous write",
        AccessKind::Load => "read",
        AccessKind::Store => "write",
    }
}

fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Generic | AddressSpace::Global => "global",
        AddressSpace::Const => "const",
        AddressSpace::Shared => "shared",
        AddressSpace::Local => "local",
        AddressSpace::Param => "param",
    }
}

impl<O: Observer> Worker<'_, O> {
    /// The place of an operation for the lanes of `mask`.
    pub fn place(&self, block: [u32; 3], warp: &Warp, pc: u32, mask: u32) -> Place {
        let lane = mask.trailing_zeros().min(31) as usize;
        let thread = std::array::from_fn(|axis| warp.tid[axis][lane]);
        self.place_of(block, thread, self.with_a_line(warp, pc, mask), mask.count_ones())
    }

    /// The operation, or the nearest call on the way to it that has a source line: library functions have none.
    pub(in crate::exec) fn with_a_line(&self, warp: &Warp, pc: u32, mask: u32) -> u32 {
        let code = &self.context.decoded.code;
        let has_line = |pc: u32| code.lines[code.line_near(pc) as usize].1 > 0;
        let mut frame = warp.groups.iter().find(|group| group.pc == pc && group.mask & mask != 0).map(|g| g.frame);
        let mut at = pc;
        while !has_line(at)
            && let Some(inner) = frame.and_then(|frame| warp.frames.get(frame as usize))
            && inner.parent != u32::MAX
        {
            at = inner.return_pc.saturating_sub(1);
            frame = Some(inner.parent);
        }
        if has_line(at) { at } else { pc }
    }

    pub(in crate::exec) fn place_of(&self, block: [u32; 3], thread: [u32; 3], pc: u32, lanes: u32) -> Place {
        let code = &self.context.decoded.code;
        let origin = code.origins.get(pc as usize).copied().unwrap_or_default();
        let (file, line) = code.lines[code.line_near(pc) as usize];
        Place {
            function: code.functions[origin.function as usize].name.clone(),
            file: if line > 0 { code.file(file).to_string() } else { String::new() },
            line,
            ptx_line: origin.ptx_line,
            block,
            thread,
            lanes,
        }
    }

    /// The place of an operation of one thread, by the linear index of its block and its own within that.
    pub(in crate::exec) fn place_of_thread(&self, block: u64, thread: u32, pc: u32) -> Place {
        let (gx, gy) = (u64::from(self.context.grid[0]), u64::from(self.context.grid[1]));
        let (bx, by) = (self.context.block[0], self.context.block[1]);
        let block = [(block % gx) as u32, (block / gx % gy) as u32, (block / (gx * gy)) as u32];
        self.place_of(block, [thread % bx, thread / bx % by, thread / (bx * by)], pc, 1)
    }

    /// Records a finding; the same kind at the same place is counted.
    pub fn report(&mut self, shared: &Shared, warp: &Warp, pc: u32, mask: u32, kind: FindingKind, severity: Severity) {
        let place = self.place(shared.index, warp, pc, mask);
        self.add_finding(Finding { kind, severity, place, count: 1 });
    }

    /// Adds a finding to the list.
    pub fn add_finding(&mut self, finding: Finding) {
        if let Some(known) = self.findings.iter_mut().find(|known| known.is_like(&finding)) {
            known.count += 1;
        } else if self.findings.len() < self.context.config.limits.findings || finding.severity == Severity::Fault {
            self.findings.push(finding);
        } else {
            self.unkept.get_or_insert((0, finding.place)).0 += 1;
        }
    }

    /// Ends the launch.
    pub fn halt(&mut self) -> Flow {
        self.stopped = true;
        self.context.stop.store(true, Relaxed);
        Flow::Stop
    }

    /// Records a fault and ends the launch.
    pub fn fault(&mut self, shared: &Shared, warp: &Warp, pc: u32, mask: u32, kind: FindingKind) -> Flow {
        self.report(shared, warp, pc, mask, kind, Severity::Fault);
        self.halt()
    }

    /// Describes an access.
    pub fn describe(&self, shared: &Shared, warp: &Warp, by: Accessing, bytes: LaneBytes) -> Access {
        let Accessing { pc, lanes, kind } = by;
        let LaneBytes { space, address, size } = bytes;
        let function = warp.frames.first().map_or(0, |frame| frame.function);
        Access {
            place: self.place(shared.index, warp, pc, lanes),
            what: what(kind, false).into(),
            space: space_name(space).into(),
            address,
            size,
            object: self.object(space, address, function, pc),
        }
    }

    /// The variable or allocation an address falls into or is nearest to.
    pub fn object(&self, space: AddressSpace, address: u64, kernel: u32, pc: u32) -> MemoryLocation {
        let decoded = self.context.decoded;
        match space {
            AddressSpace::Shared if window::classify(address) == AddressSpace::Shared => {
                let memory = "a generic address, which is none of .shared without cvta.to.shared".to_owned();
                MemoryLocation::Nobodys { memory }
            }
            AddressSpace::Shared => {
                #[cfg(not(target_family = "wasm"))]
                let address = match self.within_cluster(address) {
                    Ok(offset) => offset,
                    Err(nowhere) => return nowhere,
                };
                let mut all: Vec<(&str, u64, u64)> = decoded
                    .shared
                    .iter()
                    .filter(|(_, _, _, owner)| owner.is_none_or(|owner| owner == kernel))
                    .map(|(name, at, size, _)| (name.as_str(), *at, *size))
                    .collect();
                let dynamic = u64::from(self.context.dynamic_shared);
                if dynamic > 0 {
                    let base = u64::from(self.context.dynamic_base());
                    all.push(("dynamic shared memory", base, dynamic));
                }
                nearest(&all, address, NO_DYNAMIC)
            }
            AddressSpace::Local => {
                let function = decoded.code.origins.get(pc as usize).map_or(0, |origin| origin.function);
                let info = &decoded.code.functions[function as usize];
                let all: Vec<(&str, u64, u64)> = info
                    .locals
                    .iter()
                    .map(|(name, at, size)| (name.as_str(), u64::from(*at), u64::from(*size)))
                    .collect();
                nearest(&all, address, "local memory")
            }
            AddressSpace::Param => {
                nearest(&[("parameters", 0, self.context.params.len() as u64)], address, "parameters")
            }
            _ if matches!(window::classify(address), AddressSpace::Shared | AddressSpace::Local) => {
                MemoryLocation::Nobodys { memory: OWN.to_owned() }
            }
            _ => {
                let all = &self.global.get().allocations;
                let at = all.partition_point(|allocation| allocation.base <= address);
                let heap = at.checked_sub(1).is_some_and(|at| all[at].heap && address - all[at].base < all[at].size);
                if let Some(found) = heap.then(|| self.heap_object(address)).flatten() {
                    return found;
                }
                // The compiler's own, texts and the like, have names that nobody knows.
                let inside = |allocation: &&Allocation| address - allocation.base < allocation.size;
                let named = |allocation: &&Allocation| !allocation.name.starts_with('$');
                let before = all[..at].iter().rev().find(|one| named(one) || inside(one));
                let all: Vec<(&str, u64, u64)> = [before, all[at..].iter().find(named)]
                    .into_iter()
                    .flatten()
                    .map(|allocation| (allocation.name.as_str(), allocation.base, allocation.size))
                    .collect();
                if address < 4096 {
                    return MemoryLocation::Null { offset: address };
                }
                let far = |&(_, base, size): &(&str, u64, u64)| base.abs_diff(address) > FAR.saturating_add(size);
                if all.iter().all(far) {
                    return MemoryLocation::Nobodys { memory: NO_POINTER.to_owned() };
                }
                nearest(&all, address, NO_POINTER)
            }
        }
    }

    /// Counts a race at a place that has one already. Thousands of threads may tell it: names are made for the first alone.
    fn raced_before(&mut self, warp: &Warp, pc: u32, mask: u32, severity: Severity, doubtful: bool) -> bool {
        let code = &self.context.decoded.code;
        let origin = code.origins.get(self.with_a_line(warp, pc, mask) as usize).copied().unwrap_or_default();
        let function = &code.functions[origin.function as usize].name;
        let like = |known: &&mut Finding| {
            known.severity == severity
                && known.place.ptx_line == origin.ptx_line
                && matches!(known.kind, FindingKind::Race { .. })
                && known.place.function == *function
        };
        let known = if doubtful {
            self.doubtful.iter_mut().map(|(_, known)| known).find(like)
        } else {
            self.findings.iter_mut().find(like)
        };
        known.map(|known| known.count += 1).is_some()
    }

    /// Turns an observer's complaint into a finding.
    pub fn complain(&mut self, shared: &Shared, warp: &Warp, access: &WarpAccess<'_>, complaint: Complaint) {
        // Before Volta lockstep is an order like any other.
        let lockstep = self.context.config.schedule == crate::Schedule::PreVolta;
        if lockstep && matches!(complaint, Complaint::Race { hidden_before_volta: true, .. }) {
            return;
        }
        let space = match access.space {
            Space::Global => AddressSpace::Global,
            Space::Shared => AddressSpace::Shared,
            Space::Local => AddressSpace::Local,
        };
        let (lane, address, guess, same_value) = match complaint {
            Complaint::Race { lane, address, guess, same_value, .. } => (lane, address, guess, same_value),
            #[cfg(not(target_family = "wasm"))]
            Complaint::Early { lane } => (lane, access.addresses[lane as usize & 31], None, false),
        };
        let mask = 1 << lane;
        let severity = if same_value { Severity::Note } else { Severity::Error };
        let races = matches!(complaint, Complaint::Race { .. });
        if races && self.raced_before(warp, access.pc, mask, severity, guess.is_some()) {
            return;
        }
        let mut this = self.describe(
            shared,
            warp,
            Accessing { pc: access.pc, lanes: mask, kind: access.kind },
            LaneBytes::new(space, address, access.size),
        );
        this.what = what(access.kind, access.is_under_way()).into();
        this.address = access.addresses[lane as usize & 31];
        let place = this.place.clone();
        let kind = match complaint {
            #[cfg(not(target_family = "wasm"))]
            Complaint::Early { .. } => FindingKind::BlockAbsent { access: this, exited: false },
            Complaint::Race {
                other_block,
                other_thread,
                other_pc,
                other_kind,
                other_copy,
                cached,
                unfenced_proxy,
                hidden_before_volta,
                ..
            } => {
                let mut first = this.clone();
                first.what = what(other_kind, other_copy).into();
                for (side, cached) in [&mut first, &mut this].into_iter().zip(cached) {
                    if cached {
                        side.what = CACHED.into();
                    }
                }
                if unfenced_proxy {
                    this.what = if access.kind == AccessKind::Load { "bulk read" } else { "bulk write" }.into();
                }
                first.place = self.place_of_thread(other_block, other_thread, other_pc);
                first.address = address;
                if let Some([before, now]) = self.indivisible(other_pc, access.pc) {
                    (first.size, this.size) = (before, now);
                }
                FindingKind::Race { first, second: this, hidden_before_volta }
            }
        };
        let finding = Finding { kind, severity, place, count: 1 };
        match guess {
            Some(pc) => self.doubtful(pc, finding),
            None => self.add_finding(finding),
        }
    }

    /// How many bytes these two operations change as one, if both are atomics.
    fn indivisible(&self, first: u32, second: u32) -> Option<[u32; 2]> {
        let code = &self.context.decoded.code;
        let bytes = |pc: u32| match code.insts.get(pc as usize)?.op {
            Op::Atomic(index) => Some(code.atomics[index as usize].indivisible),
            _ => None,
        };
        Some([bytes(first)?, bytes(second)?])
    }

    /// Accesses to the shared memory of a block that has come to its end, which nothing puts before that, by others or bulk copies.
    #[cfg(not(target_family = "wasm"))]
    pub fn overstayed(&mut self, visits: Vec<crate::observe::Visit>) {
        for visit in visits {
            let place = self.place_of_thread(visit.block, visit.thread, visit.pc);
            // Who has used a copy's bytes too soon has been told that it was not waited for.
            let its = |side: &Access| side.place.ptx_line == place.ptx_line && side.place.function == place.function;
            let raced = |known: &Finding| matches!(&known.kind, FindingKind::Race { first, second, .. } if its(first) || its(second));
            if visit.copy && self.findings.iter().any(raced) {
                continue;
            }
            let object = self.object(AddressSpace::Shared, visit.address, self.context.function, visit.pc);
            let access = Access {
                place: place.clone(),
                what: match visit.kind {
                    AccessKind::Load if visit.copy => "bulk read",
                    _ if visit.copy => "bulk write",
                    kind => what(kind, false),
                }
                .into(),
                space: space_name(AddressSpace::Shared).into(),
                address: visit.address,
                size: visit.size,
                object,
            };
            let kind = FindingKind::BlockAbsent { access, exited: true };
            self.add_finding(Finding { kind, severity: Severity::Error, place, count: 1 });
        }
    }

    /// Keeps a finding for the end of the launch, when it is known whether the load at `pc` is a first guess.
    fn doubtful(&mut self, pc: u32, finding: Finding) {
        let full = self.doubtful.len() >= self.context.config.limits.findings;
        match self.doubtful.iter_mut().find(|(_, known)| known.is_like(&finding)) {
            Some((_, known)) => known.count += 1,
            None if full => {}
            None => self.doubtful.push((pc, finding)),
        }
    }

    /// At the end of the launch: loads that no atomic corrected are mistakes after all.
    pub fn settle_doubts(&mut self) {
        for (pc, finding) in std::mem::take(&mut self.doubtful) {
            if !self.observer.corrected(pc) {
                self.add_finding(finding);
            }
        }
    }

    /// The space and address within it of a generic address.
    pub fn resolve(space: AddressSpace, address: u64) -> (AddressSpace, u64) {
        match space {
            AddressSpace::Generic => match window::classify(address) {
                AddressSpace::Global => (AddressSpace::Global, address),
                space => (space, address & (window::SIZE - 1)),
            },
            AddressSpace::Const => (AddressSpace::Global, address),
            AddressSpace::Local if window::classify(address) == AddressSpace::Local => {
                (space, address & (window::SIZE - 1))
            }
            space => (space, address),
        }
    }
}

/// The location beside the nearest of these objects: name, base and size; nobody's where there is none.
fn nearest(all: &[(&str, u64, u64)], address: u64, otherwise: &str) -> MemoryLocation {
    let distance = |&&(_, base, size): &&(&str, u64, u64)| {
        if address < base { base - address } else { address.saturating_sub(base + size.max(1) - 1) }
    };
    match all.iter().min_by_key(distance) {
        None => MemoryLocation::Nobodys { memory: otherwise.to_owned() },
        Some(&(name, base, size)) => MemoryLocation::relative(name, (base, size), address),
    }
}

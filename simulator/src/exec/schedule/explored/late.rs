//! Writes that come late: under some explored schedules what a block adds to global memory by atomics without a result, or stores
//! by `volatile` and `.relaxed`, is seen by other blocks only after a while.
//!
//! No finding tells of such a write that nothing orders: atomics and strong accesses are no races. So it is held back as long as
//! the PTX memory model allows for certain: until a thread of its block executes a fence, a release or an acquire of a scope wider than the
//! block (whatever a barrier of the block has put before it comes first, too), until its own block touches the same bytes, until
//! nobody can go on, or for [`OPERATIONS`]. A block may have ended by then. Its own threads see its writes at once.
//!
//! The operation is executed like any other, with all checks; then the old values are put back.

use crate::exec::accessing::{Accessing, LaneBytes};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::{Group, Warp};
use crate::isa::op::{AccessOp, AddressSpace, AtomicFn, AtomicOp, Code, Op};
use crate::memory::global::Global;
use crate::memory::window;
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope};
use crate::opcodes::Effect;
use crate::random::{ByNumber, mix};
use crate::{Finding, FindingKind, Severity};

/// Operations of a launch, of those that others can see, for which a write is held back at most; whenever that many are over, half as
/// many. Who waits for it and changes memory meanwhile (takes a lock and gives it back) is not kept for long.
const OPERATIONS: u64 = 1 << 14;
/// Writes held back at once.
const HELD: usize = 1 << 13;
/// Times in a launch that all of them come because nobody goes on without: then none is held back any more.
const TIMES: u32 = 64;

/// Looks at what comes late that are told of: the first few say where.
const TOLD: u32 = 64;

/// A write that its own block sees, and others do not.
struct Write {
    block: u64,
    thread: u32,
    pc: u32,
    address: u64,
    size: u32,
    change: Change,
}

/// What it does.
enum Change {
    Store(u64),
    Atomic(AtomicFn, u64, u64),
}

/// What memory held before an operation whose writes come late: address, bytes, value.
pub struct Taken {
    old: Vec<(u64, u32, u64)>,
    writes: Vec<Write>,
}

/// The writes of a launch that are held back.
pub struct Late {
    /// Which instructions' writes are: all with 0, else half of them, drawn by this number.
    which: u64,
    /// By the aligned 8 bytes that they lie in; in order.
    held: ByNumber<Vec<Write>>,
    /// Those 8 bytes, by block: some more than once, and some that it holds no more.
    blocks: ByNumber<Vec<u64>>,
    count: usize,
    /// The operation at which they come.
    due: u64,
    /// Operations for which the next are held back.
    operations: u64,
    /// How many more times that happens.
    times: u32,
    /// How many more who looked too early are told of.
    told: u32,
}

impl Late {
    /// For a launch; nothing where threads have no way to learn of each other's writes before its end.
    pub fn new(which: Option<u64>, code: &Code) -> Option<Self> {
        let global = |space| matches!(space, AddressSpace::Global | AddressSpace::Generic);
        let learns = |op: &AccessOp| global(op.space) && op.order != MemoryOrder::Weak;
        let answers = |op: &AtomicOp| global(op.space) && op.returns;
        let talks = code.accesses.iter().any(learns) || code.atomics.iter().any(answers);
        let held = code.accesses.iter().any(|op| global(op.space) && may_be_late(op.order))
            || code.atomics.iter().any(|op| global(op.space) && atomic_may_be_late(op));
        let which = which.filter(|_| talks && held)?;
        Some(Self {
            which,
            held: ByNumber::default(),
            blocks: ByNumber::default(),
            count: 0,
            due: 0,
            operations: OPERATIONS,
            times: TIMES,
            told: TOLD,
        })
    }

    fn chooses(&self, pc: u32) -> bool {
        self.times > 0
            && self.operations > 0
            && self.count < HELD
            && (self.which == 0 || mix(self.which ^ mix(pc.into())) >> 63 == 0)
    }

    fn hold(&mut self, write: Write) {
        let word = write.address >> 3;
        let here = self.held.entry(word).or_default();
        if here.last().is_none_or(|last| last.block != write.block) {
            self.blocks.entry(write.block).or_default().push(word);
        }
        here.push(write);
        self.count += 1;
    }

    /// Takes a block's writes to 8 bytes out: those up to the last that meets `bytes` from `address` on.
    fn take(&mut self, block: u64, word: u64, (address, bytes): (u64, u32)) -> Vec<Write> {
        let Some(here) = self.held.get_mut(&word) else { return Vec::new() };
        let Some(last) = here.iter().rposition(|write| write.block == block && write.meets(address, bytes)) else {
            return Vec::new();
        };
        let later = here.split_off(last + 1);
        let (mine, others): (Vec<Write>, Vec<Write>) =
            std::mem::take(here).into_iter().partition(|write| write.block == block);
        here.extend(others);
        here.extend(later);
        if here.is_empty() {
            self.held.remove(&word);
        }
        self.count -= mine.len();
        mine
    }
}

impl Write {
    /// Does it change any of these bytes?
    const fn meets(&self, address: u64, bytes: u32) -> bool {
        self.address < address.saturating_add(bytes as u64) && address < self.address + self.size as u64
    }
}

/// Is a store of that order ordered by nothing?
fn may_be_late(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Volatile | MemoryOrder::Relaxed)
}

/// An atomic whose result nobody reads.
fn atomic_may_be_late(op: &AtomicOp) -> bool {
    !op.returns && !op.may_spin && op.order == MemoryOrder::Relaxed
}

/// Does an access with that order publish what came before it, beyond the block?
fn publishes(order: MemoryOrder, scope: Scope) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::Release | MemoryOrder::AcqRel) && scope != Scope::Cta
}

/// Is it by shared memory, or by a barrier, that the operation lets other blocks of a cluster see what came before it?
fn reaches_cluster(code: &Code, op: &Op) -> bool {
    let shared = |space| space == AddressSpace::Shared;
    match op {
        #[cfg(not(target_family = "wasm"))]
        Op::ClusterArrive { releases: sees } | Op::ClusterWait { acquires: sees } => *sees,
        Op::Mbarrier(_) => true,
        Op::Load(index) | Op::Store(index) => {
            let op = &code.accesses[*index as usize];
            shared(op.space) && publishes(op.order, op.scope)
        }
        Op::Atomic(index) => {
            let op = &code.atomics[*index as usize];
            shared(op.space) && publishes(op.order, op.scope)
        }
        _ => false,
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Before an operation: what its block has to see of its own writes comes, and so does what it publishes. What memory holds, if its
    /// own writes are to come late.
    pub(in crate::exec::schedule) fn hold_back(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        at: usize,
        mask: u32,
        op: &Op,
    ) -> Option<Taken> {
        let operations = self.control.as_ref().map_or(0, |control| control.operations());
        let late = self.late.as_mut()?;
        if late.count > 0 && operations >= late.due {
            late.operations /= 2;
            self.come();
        }
        let code = &self.context.decoded.code;
        let group = warp.groups[at];
        if self.context.clustered && reaches_cluster(code, op) {
            self.come_of(shared.linear);
        }
        let (base, offset, bytes, frame) = match op {
            Op::Fence(index) => {
                if code.fences[*index as usize].scope != Scope::Cta {
                    self.come_of(shared.linear);
                }
                return None;
            }
            Op::Load(index) | Op::Store(index) => {
                let op = &code.accesses[*index as usize];
                if !matches!(op.space, AddressSpace::Global | AddressSpace::Generic) {
                    return None;
                }
                if publishes(op.order, op.scope) {
                    self.come_of(shared.linear);
                }
                (op.base, op.offset, op.size * op.regs.len() as u32, op.frame)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[*index as usize];
                if !matches!(op.space, AddressSpace::Global | AddressSpace::Generic) {
                    return None;
                }
                if publishes(op.order, op.scope) {
                    self.come_of(shared.linear);
                }
                (op.base, op.offset, op.size * op.b.len() as u32, false)
            }
            op if op.effect(code) == Effect::Memory => {
                self.come_of(shared.linear);
                return None;
            }
            _ => return None,
        };
        let chosen = self.late.as_ref().is_some_and(|late| late.chooses(group.pc));
        let held = match op {
            Op::Store(index) => chosen && may_be_late(code.accesses[*index as usize].order),
            Op::Atomic(index) => chosen && atomic_may_be_late(&code.atomics[*index as usize]),
            _ => false,
        };
        let found = self.lane_addresses(warp, group.frame, base, offset, frame);
        if !matches!(op, Op::Store(_)) {
            self.too_early(shared, warp, (group.pc, mask), &found, bytes);
        }
        // Writes to one place that all come late stay in their order.
        let atomic = held && matches!(op, Op::Atomic(_));
        if !atomic {
            self.come_to(shared.linear, mask, &found, bytes);
        }
        if held { self.taken(shared.linear, warp, at, mask, (op, &found)) } else { None }
    }

    /// Notes who looks at a word that another block has written.
    fn too_early(&mut self, shared: &Shared, warp: &Warp, (pc, mask): (u32, u32), found: &[u64; 32], bytes: u32) {
        let Some(late) = self.late.as_ref().filter(|late| late.count > 0 && late.told > 0) else { return };
        let code = &self.context.decoded.code;
        let answers = |op: &Op| !matches!(op, Op::Atomic(index) if !code.atomics[*index as usize].returns);
        if !answers(&code.insts[pc as usize].op) {
            return;
        }
        let seen = (0..32usize).filter(|lane| mask >> lane & 1 != 0).find_map(|lane| {
            let here = late.held.get(&(found[lane] >> 3))?;
            Some((lane, here.iter().find(|write| write.block != shared.linear && write.meets(found[lane], bytes))?))
        });
        let Some((lane, write)) = seen else { return };
        let kind =
            if matches!(code.insts[pc as usize].op, Op::Load(_)) { AccessKind::Load } else { AccessKind::Atomic };
        let by = Accessing { pc, lanes: 1 << lane, kind };
        let second = self.describe(shared, warp, by, LaneBytes::new(AddressSpace::Global, found[lane], bytes));
        let mut first = second.clone();
        first.what = if matches!(write.change, Change::Store(_)) { "write" } else { "atomic" }.into();
        first.place = self.place_of_thread(write.block, write.thread, write.pc);
        if let Some(late) = &mut self.late {
            late.told -= 1;
        }
        let place = second.place.clone();
        let kind = FindingKind::LateWrite { first, second };
        self.add_finding(Finding { kind, severity: Severity::Note, place, count: 1 });
    }

    /// What the lanes are about to change, and how; nothing if some of it is to be done at once.
    fn taken(&self, block: u64, warp: &Warp, at: usize, mask: u32, (op, found): (&Op, &[u64; 32])) -> Option<Taken> {
        let code = &self.context.decoded.code;
        let Group { frame, pc, .. } = warp.groups[at];
        let (size, values, second) = match op {
            Op::Store(index) => {
                let op = &code.accesses[*index as usize];
                (op.size, &op.regs, None)
            }
            Op::Atomic(index) => {
                let op = &code.atomics[*index as usize];
                (op.size, &op.b, Some(op))
            }
            _ => return None,
        };
        if size > 8 {
            return None;
        }
        let operands: Vec<[u64; 32]> = values.iter().map(|reg| warp.read(frame, *reg)).collect();
        let third = second.map(|op| warp.read(frame, op.c));
        let global = self.global.get();
        let (mut old, mut writes) = (Vec::new(), Vec::new());
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            for (element, operand) in (0u64..).zip(&operands) {
                let address = found[lane].wrapping_add(element * u64::from(size));
                old.push((address, size, peek(global, address, size)?));
                let change = match (second, &third) {
                    (Some(op), Some(third)) => Change::Atomic(op.f.clone(), operand[lane], third[lane]),
                    _ => Change::Store(operand[lane]),
                };
                let thread = warp.index * 32 + lane as u32;
                writes.push(Write { block, thread, pc, address, size, change });
            }
        }
        Some(Taken { old, writes })
    }

    /// After the operation: nobody else has seen it yet.
    pub(in crate::exec::schedule) fn take_back(&mut self, taken: Taken) {
        let operations = self.control.as_ref().map_or(0, |control| control.operations());
        let Some(late) = &mut self.late else { return };
        if late.count == 0 {
            late.due = operations + late.operations;
        }
        for (address, size, value) in taken.old {
            poke(self.global.get(), address, size, value);
        }
        for write in taken.writes {
            late.hold(write);
        }
    }

    /// All writes come. True if there were any.
    pub(in crate::exec) fn come(&mut self) -> bool {
        let Some(late) = self.late.as_mut().filter(|late| late.count > 0) else { return false };
        late.times = late.times.saturating_sub(1);
        let mut words: Vec<u64> = late.held.keys().copied().collect();
        // In an order that another run has, too.
        words.sort_unstable();
        let writes: Vec<Write> = words.iter().filter_map(|word| late.held.remove(word)).flatten().collect();
        late.blocks.clear();
        late.count = 0;
        self.apply(writes);
        true
    }

    /// Those of a block.
    fn come_of(&mut self, block: u64) {
        let Some(late) = &mut self.late else { return };
        let Some(words) = late.blocks.remove(&block) else { return };
        let writes = words.into_iter().flat_map(|word| late.take(block, word, (word << 3, 8))).collect();
        self.apply(writes);
    }

    /// Those of a block to these bytes.
    fn come_to(&mut self, block: u64, mask: u32, found: &[u64; 32], bytes: u32) {
        let Some(late) = self.late.as_mut().filter(|late| late.blocks.contains_key(&block)) else { return };
        let mut writes = Vec::new();
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let last = found[lane].saturating_add(u64::from(bytes.max(1)) - 1);
            for word in found[lane] >> 3..=last >> 3 {
                writes.extend(late.take(block, word, (found[lane], bytes)));
            }
        }
        self.apply(writes);
    }

    fn apply(&mut self, writes: Vec<Write>) {
        let global = self.global.get();
        for Write { address, size, change, .. } in writes {
            let Some(before) = peek(global, address, size) else { continue };
            let after = match change {
                Change::Store(value) => value,
                Change::Atomic(f, operand, second) => f(before, operand, second),
            };
            self.changes += u64::from((before ^ after) & u64::MAX >> (64 - size * 8) != 0);
            poke(global, address, size, after);
        }
    }
}

/// What is there, where kernels write.
fn peek(global: &Global, address: u64, size: u32) -> Option<u64> {
    if window::classify(address) != AddressSpace::Global || !address.is_multiple_of(size.into()) {
        return None;
    }
    let allocation = &global.allocations[global.find(address, size.into())?];
    let writable = !allocation.is_read_only() && !allocation.heap;
    writable.then(|| allocation.peek(address - allocation.base, size))
}

fn poke(global: &Global, address: u64, size: u32, value: u64) {
    if let Some(at) = global.find(address, size.into()) {
        let allocation = &global.allocations[at];
        allocation.store(address - allocation.base, size, value);
    }
}

//! Writes that come late: under some explored schedules what a block adds to global memory by atomics without a result, or stores
//! by `volatile` and `.relaxed`, is seen by other blocks only after a while.
//!
//! No finding tells of such a write that nothing orders: atomics and strong accesses are no races. So it is held back as long as
//! the PTX memory model allows for certain: until its thread executes a fence, a release or an acquire of a scope wider than the
//! block, until another one of its block does so after anything by which threads of a block meet (that thread may have to hand it on),
//! until its own block touches the same bytes, until nobody can go on, or for [`OPERATIONS`]. A block may have ended by then. Its own
//! threads see its writes at once.
//!
//! Who changes memory for all to see while such writes of its own are held back may have said that they are there. A fence behind that
//! comes too late, so before it the block steps aside (see [`super::aside`]).
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
use std::collections::BTreeMap;

/// Operations of a launch, of those that others can see, for which a write is held back at most; whenever that many are over, half as
/// many. Who waits for it and changes memory meanwhile (takes a lock and gives it back) is not kept for long.
const OPERATIONS: u64 = 1 << 14;
/// Warp instructions for each of them: loops that are told from waits by nobody look seldom.
const INSTRUCTIONS: u64 = 1 << 6;
/// Operations by which others may wait while something is held back, in a launch. After that nothing is any more: two that want what the
/// other one has not yet given back would each come in time to take it again.
const POLLS: u32 = 1 << 13;
/// Writes held back at once.
const HELD: usize = 1 << 13;
/// Times in a launch that all of them come because nobody goes on without: then none is held back any more.
const TIMES: u32 = 64;

/// The number by which writes come late that are the first of their thread: others that it makes later, by another instruction, overtake
/// them. A flag that is stored like its data is then there before these.
pub const OVERTAKEN: u64 = 1 << 32;

/// Looks at what comes late that are told of: the first few say where.
const TOLD: u32 = 64;

/// A write that its own block sees, and others do not.
struct Write {
    /// Threads of its block have met since: a fence of any of them may be behind it.
    met: bool,
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

/// Where a block's writes lie.
#[derive(Default)]
struct Words {
    /// Those after which its threads have met,
    met: Vec<u64>,
    /// and have others been told since?
    told: bool,
    /// The others, by thread.
    own: BTreeMap<u32, Own>,
}

/// Where a thread's writes lie.
struct Own {
    /// The instruction of the first.
    pc: u32,
    /// The thread has changed memory since, for all to see.
    told: bool,
    words: Vec<u64>,
}

/// Lanes of a block.
#[derive(Clone, Copy)]
struct Lanes {
    block: u64,
    warp: u32,
    mask: u32,
}

impl Lanes {
    const fn has(self, thread: u32) -> bool {
        thread / 32 == self.warp && self.mask >> (thread % 32) & 1 != 0
    }

    fn threads(self) -> impl Iterator<Item = u32> {
        (0..32).filter(move |lane| self.mask >> lane & 1 != 0).map(move |lane| self.warp * 32 + lane)
    }
}

/// The writes of a launch that are held back.
pub struct Late {
    /// The kernel takes locks, or looks for flags, by atomics.
    locks: bool,
    /// Which instructions' writes are: all with 0, with [`OVERTAKEN`] those of each thread's first, else half of them, drawn by this number.
    which: u64,
    /// By the aligned 8 bytes that they lie in; in order.
    held: ByNumber<Vec<Write>>,
    /// Those 8 bytes, by block: some more than once, and some that it holds no more.
    blocks: ByNumber<Words>,
    count: usize,
    /// The operation at which they come, or the warp instruction.
    due: (u64, u64),
    /// Operations for which the next are held back.
    operations: u64,
    /// How many more operations others may wait by.
    polls: u32,
    /// How many more times that happens.
    times: u32,
    /// How many more who looked too early are told of.
    told: u32,
    /// How many have looked.
    pub looks: u64,
}

impl Late {
    /// For a launch; nothing where threads have no way to learn of each other's writes before its end.
    pub fn new(which: Option<u64>, code: &Code) -> Option<Self> {
        let global = |space| matches!(space, AddressSpace::Global | AddressSpace::Generic);
        let learns = |op: &AccessOp| global(op.space) && op.order != MemoryOrder::Weak;
        let answers = |op: &AtomicOp| global(op.space) && op.returns;
        let talks = code.accesses.iter().any(learns) || code.atomics.iter().any(answers);
        let which = which.filter(|_| talks)?;
        let locks = code.atomics.iter().any(|op| answers(op) && op.may_spin);
        let held = code.accesses.iter().any(|op| global(op.space) && may_be_late(op.order))
            || code.atomics.iter().any(|op| global(op.space) && atomic_may_be_late(op, which == 0 || locks));
        held.then_some(())?;
        Some(Self {
            locks,
            which,
            held: ByNumber::default(),
            blocks: ByNumber::default(),
            count: 0,
            due: (0, 0),
            operations: OPERATIONS,
            polls: POLLS,
            times: TIMES,
            told: TOLD,
            looks: 0,
        })
    }

    fn chooses(&mut self, lanes: Lanes, pc: u32) -> bool {
        if self.times == 0 || self.operations == 0 || self.count >= HELD {
            return false;
        }
        match self.which {
            0 => true,
            OVERTAKEN => !self.overtakes(lanes, pc),
            which => mix(which ^ mix(pc.into())) >> 63 == 0,
        }
    }

    /// Is a write of one of these lanes held back that another instruction has made?
    fn overtakes(&mut self, lanes: Lanes, pc: u32) -> bool {
        let (held, block) = (&self.held, lanes.block);
        let Some(words) = self.blocks.get_mut(&block) else { return false };
        lanes.threads().any(|thread| {
            let Some(own) = words.own.get(&thread).filter(|own| own.pc != pc) else { return false };
            let left = own.is_left(held, (block, thread));
            if !left {
                words.own.remove(&thread);
            }
            left
        })
    }

    fn hold(&mut self, write: Write) {
        let word = write.address >> 3;
        let here = self.held.entry(word).or_default();
        let same = |last: &Write| last.block == write.block && last.thread == write.thread && !last.met;
        if !here.last().is_some_and(same) {
            let own = &mut self.blocks.entry(write.block).or_default().own;
            let new = || Own { pc: write.pc, told: false, words: Vec::new() };
            own.entry(write.thread).or_insert_with(new).words.push(word);
        }
        here.push(write);
        self.count += 1;
    }

    /// A block's threads meet: what one of them has written another may publish.
    fn meet(&mut self, block: u64) {
        let Some(words) = self.blocks.get_mut(&block) else { return };
        while let Some((_, own)) = words.own.pop_first() {
            words.told |= own.told;
            for word in own.words {
                let here = self.held.get_mut(&word).map_or(&mut [][..], Vec::as_mut_slice);
                here.iter_mut().filter(|write| write.block == block).for_each(|write| write.met = true);
                words.met.push(word);
            }
        }
    }

    /// These lanes change memory for all to see.
    fn tell(&mut self, lanes: Lanes) {
        let Some(words) = self.blocks.get_mut(&lanes.block) else { return };
        words.told |= !words.met.is_empty();
        for thread in lanes.threads() {
            if let Some(own) = words.own.get_mut(&thread) {
                own.told = true;
            }
        }
    }

    /// Would the operation publish writes of which others may have been told before?
    pub fn too_late(&self, code: &Code, (block, warp): (u64, u32), mask: impl Fn() -> u32, op: &Op) -> bool {
        if self.count == 0 || !publishes_all(code, op) {
            return false;
        }
        let Some(words) = self.blocks.get(&block) else { return false };
        let mine = |write: &Write| write.block == block && write.met;
        let met = || words.met.iter().any(|word| self.held.get(word).is_some_and(|here| here.iter().any(mine)));
        let told =
            |thread| words.own.get(&thread).is_some_and(|own| own.told && own.is_left(&self.held, (block, thread)));
        let lanes = || Lanes { block, warp, mask: mask() };
        words.told && met() || !words.own.is_empty() && lanes().threads().any(told)
    }

    /// Takes out what these lanes' fence publishes.
    fn take_of(&mut self, lanes: Lanes) -> Vec<Write> {
        let block = lanes.block;
        let Some(words) = self.blocks.get_mut(&block) else { return Vec::new() };
        let mut all = std::mem::take(&mut words.met);
        words.told = false;
        all.extend(lanes.threads().filter_map(|thread| words.own.remove(&thread)).flat_map(|own| own.words));
        if words.own.is_empty() {
            self.blocks.remove(&block);
        }
        let published = |write: &Write| write.met || lanes.has(write.thread);
        all.into_iter().flat_map(|word| self.take(block, word, published)).collect()
    }

    /// Takes a block's writes to 8 bytes out: those up to the last that is such a one.
    fn take(&mut self, block: u64, word: u64, such: impl Fn(&Write) -> bool) -> Vec<Write> {
        let Some(here) = self.held.get_mut(&word) else { return Vec::new() };
        let Some(last) = here.iter().rposition(|write| write.block == block && such(write)) else {
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

impl Own {
    /// Is some of it still held back?
    fn is_left(&self, held: &ByNumber<Vec<Write>>, by: (u64, u32)) -> bool {
        let mine = |write: &Write| (write.block, write.thread) == by && !write.met;
        self.words.iter().any(|word| held.get(word).is_some_and(|here| here.iter().any(mine)))
    }
}

impl Write {
    /// Does it change any of these bytes?
    const fn meets(&self, address: u64, bytes: u32) -> bool {
        self.address < address.saturating_add(bytes as u64) && address < self.address + self.size as u64
    }
}

/// Does an operation change memory for others to learn of?
fn changes(code: &Code, op: &Op) -> bool {
    match op {
        Op::Store(index) => code.accesses[*index as usize].order != MemoryOrder::Weak,
        op => matches!(op, Op::Atomic(_)),
    }
}

/// Is a store of that order ordered by nothing?
fn may_be_late(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Volatile | MemoryOrder::Relaxed)
}

/// An atomic whose result nobody reads. Those by which locks are given back and flags set (they often have a place for the result) are not
/// where that is likely (`tells`): who is told as late as what it is told of misses nothing.
fn atomic_may_be_late(op: &AtomicOp, tells: bool) -> bool {
    !(op.returns || op.may_spin && tells) && op.order == MemoryOrder::Relaxed
}

/// Does an access with that order publish what came before it, beyond the block?
fn publishes(order: MemoryOrder, scope: Scope) -> bool {
    matches!(order, MemoryOrder::Acquire | MemoryOrder::Release | MemoryOrder::AcqRel) && scope != Scope::Cta
}

/// Does an operation publish what came before it, beyond the block?
fn publishes_all(code: &Code, op: &Op) -> bool {
    let global = |space| matches!(space, AddressSpace::Global | AddressSpace::Generic);
    match op {
        Op::Fence(index) => code.fences[*index as usize].scope != Scope::Cta,
        Op::Load(index) | Op::Store(index) => {
            let op = &code.accesses[*index as usize];
            global(op.space) && publishes(op.order, op.scope)
        }
        Op::Atomic(index) => {
            let op = &code.atomics[*index as usize];
            global(op.space) && publishes(op.order, op.scope)
        }
        _ => false,
    }
}

/// Do threads of a block meet there, or may one learn there of another without a fence wider than the block?
fn meets(code: &Code, op: &Op) -> bool {
    let within = |space, order, scope| {
        let orders = matches!(order, MemoryOrder::Acquire | MemoryOrder::Release | MemoryOrder::AcqRel);
        space == AddressSpace::Shared && order != MemoryOrder::Weak || orders && scope == Scope::Cta
    };
    match op {
        Op::Load(index) | Op::Store(index) => {
            let op = &code.accesses[*index as usize];
            within(op.space, op.order, op.scope)
        }
        Op::Atomic(index) => {
            let op = &code.atomics[*index as usize];
            within(op.space, op.order, op.scope)
        }
        Op::Fence(index) => code.fences[*index as usize].scope == Scope::Cta,
        Op::NanoSleep => false,
        op => matches!(op.effect(code), Effect::Exchange | Effect::Synchronises),
    }
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
        let code = &self.context.decoded.code;
        if late.count > 0 {
            late.polls = late.polls.saturating_sub(u32::from(code.may_wait(op)));
            if operations >= late.due.0 || self.clock >= late.due.1 || late.polls == 0 {
                late.operations = if late.polls == 0 { 0 } else { late.operations / 2 };
                self.come();
            }
        }
        let group = warp.groups[at];
        if self.context.clustered && reaches_cluster(code, op) {
            self.come_of_block(shared.linear);
        }
        if let Some(late) = self.late.as_mut().filter(|late| late.count > 0 && meets(code, op)) {
            late.meet(shared.linear);
        }
        let lanes = Lanes { block: shared.linear, warp: warp.index, mask };
        if publishes_all(code, op) {
            self.come_of(lanes);
        }
        let global = |space| matches!(space, AddressSpace::Global | AddressSpace::Generic);
        let (base, offset, bytes, frame) = match op {
            Op::Load(index) | Op::Store(index) => {
                let op = &code.accesses[*index as usize];
                global(op.space).then_some((op.base, op.offset, op.size * op.regs.len() as u32, op.frame))?
            }
            Op::Atomic(index) => {
                let op = &code.atomics[*index as usize];
                global(op.space).then_some((op.base, op.offset, op.size * op.b.len() as u32, false))?
            }
            Op::Fence(_) => return None,
            op if op.effect(code) == Effect::Memory => {
                self.come_of_block(shared.linear);
                return None;
            }
            _ => return None,
        };
        let found = self.lane_addresses(warp, group.frame, base, offset, frame);
        let held = self.is_held(lanes, group.pc, op, &found);
        if !matches!(op, Op::Store(_)) {
            self.too_early(shared, warp, (group.pc, mask), &found, bytes);
        }
        // Writes to one place that all come late stay in their order.
        let atomic = held && matches!(op, Op::Atomic(_));
        if !atomic {
            self.come_to(shared.linear, mask, &found, bytes);
        }
        let taken = if held { self.taken(shared.linear, warp, at, mask, (op, &found)) } else { None };
        if let (None, Some(late), true) = (&taken, &mut self.late, changes(code, op)) {
            late.tell(lanes);
        }
        taken
    }

    /// Is what these lanes are about to do held back?
    fn is_held(&mut self, lanes: Lanes, pc: u32, op: &Op, found: &[u64; 32]) -> bool {
        let code = &self.context.decoded.code;
        let Some(late) = &mut self.late else { return false };
        let may = match op {
            Op::Store(index) => may_be_late(code.accesses[*index as usize].order),
            Op::Atomic(index) => atomic_may_be_late(&code.atomics[*index as usize], late.which == 0 || late.locks),
            _ => false,
        };
        // A word that somebody has taken hold of is a lock, which this gives back: it tells, too.
        let answers = |op: &Op| matches!(op, Op::Atomic(index) if code.atomics[*index as usize].returns);
        let took = |pc: u32| code.insts.get(pc as usize).is_some_and(|inst| answers(&inst.op));
        let taken = |lane: usize| self.writers.last(None, found[lane]).is_some_and(|writer| took(writer.pc));
        may && late.chooses(lanes, pc) && !(0..32usize).any(|lane| lanes.mask >> lane & 1 != 0 && taken(lane))
    }

    /// Notes who looks at a word that another block has written.
    fn too_early(&mut self, shared: &Shared, warp: &Warp, (pc, mask): (u32, u32), found: &[u64; 32], bytes: u32) {
        let asks = self.control.as_ref().is_some_and(|control| control.aside.len() > 0);
        let Some(late) = self.late.as_ref().filter(|late| late.count > 0 && (asks || late.told > 0)) else { return };
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
        let write = (write.block, write.thread, write.pc, matches!(write.change, Change::Store(_)));
        let told = late.told;
        if let Some(late) = &mut self.late {
            (late.told, late.looks) = (told.saturating_sub(1), late.looks + 1);
        }
        if told > 0 {
            self.tell_of(shared, warp, (pc, lane), (found[lane], bytes), write);
        }
    }

    /// A note about it.
    fn tell_of(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (pc, lane): (u32, usize),
        (address, bytes): (u64, u32),
        (block, thread, at, stores): (u64, u32, u32, bool),
    ) {
        let loads = matches!(self.context.decoded.code.insts[pc as usize].op, Op::Load(_));
        let kind = if loads { AccessKind::Load } else { AccessKind::Atomic };
        let by = Accessing { pc, lanes: 1 << lane, kind };
        let second = self.describe(shared, warp, by, LaneBytes::new(AddressSpace::Global, address, bytes));
        let mut first = second.clone();
        first.what = if stores { "write" } else { "atomic" }.into();
        first.place = self.place_of_thread(block, thread, at);
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
                writes.push(Write { met: false, block, thread, pc, address, size, change });
            }
        }
        Some(Taken { old, writes })
    }

    /// After the operation: nobody else has seen it yet.
    pub(in crate::exec::schedule) fn take_back(&mut self, taken: Taken) {
        let operations = self.control.as_ref().map_or(0, |control| control.operations());
        let Some(late) = &mut self.late else { return };
        if late.count == 0 {
            late.due = (operations + late.operations, self.clock + late.operations * INSTRUCTIONS);
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

    /// Those that a fence of these lanes publishes.
    fn come_of(&mut self, lanes: Lanes) {
        let Some(late) = self.late.as_mut().filter(|late| late.count > 0) else { return };
        let writes = late.take_of(lanes);
        self.apply(writes);
    }

    /// Those of a block.
    fn come_of_block(&mut self, block: u64) {
        let Some(late) = self.late.as_mut().filter(|late| late.count > 0) else { return };
        late.meet(block);
        let writes = late.take_of(Lanes { block, warp: 0, mask: 0 });
        self.apply(writes);
    }

    /// Those of a block to these bytes.
    fn come_to(&mut self, block: u64, mask: u32, found: &[u64; 32], bytes: u32) {
        let Some(late) = self.late.as_mut().filter(|late| late.blocks.contains_key(&block)) else { return };
        let mut writes = Vec::new();
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            let last = found[lane].saturating_add(u64::from(bytes.max(1)) - 1);
            for word in found[lane] >> 3..=last >> 3 {
                writes.extend(late.take(block, word, |write| write.meets(found[lane], bytes)));
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

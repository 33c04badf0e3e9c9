//! The writes that a launch holds back, and who may have been told of them.

use super::orders::{atomic_may_be_late, is_global, may_be_late, publishes_all};
use crate::isa::op::AccessOp;
use crate::isa::op::{AtomicFn, AtomicOp, Code, Op};
use crate::observe::MemoryOrder;
use crate::random::{ByNumber, mix};
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
pub(super) struct Write {
    /// Threads of its block have met since: a fence of any of them may be behind it.
    pub met: bool,
    pub block: u64,
    pub thread: u32,
    pub pc: u32,
    pub address: u64,
    pub size: u32,
    pub change: Change,
}

/// What it does.
pub(super) enum Change {
    Store(u64),
    Atomic(AtomicFn, u64, u64),
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
pub(super) struct Lanes {
    pub block: u64,
    pub warp: u32,
    pub mask: u32,
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
    pub(super) held: ByNumber<Vec<Write>>,
    /// Those 8 bytes, by block: some more than once, and some that it holds no more.
    blocks: ByNumber<Words>,
    pub(super) count: usize,
    /// The operation at which they come, or the warp instruction.
    due: (u64, u64),
    /// Operations for which the next are held back.
    operations: u64,
    /// How many more operations others may wait by.
    polls: u32,
    /// How many more times that happens.
    times: u32,
    /// How many more who looked too early are told of.
    pub(super) told: u32,
    /// How many have looked.
    pub looks: u64,
}

impl Late {
    /// For a launch; nothing where threads have no way to learn of each other's writes before its end.
    pub fn new(which: Option<u64>, code: &Code) -> Option<Self> {
        let learns = |op: &AccessOp| is_global(op.space) && op.order != MemoryOrder::Weak;
        let answers = |op: &AtomicOp| is_global(op.space) && op.returns;
        let talks = code.accesses.iter().any(learns) || code.atomics.iter().any(answers);
        let which = which.filter(|_| talks)?;
        let locks = code.atomics.iter().any(|op| answers(op) && op.may_spin);
        let held = code.accesses.iter().any(|op| is_global(op.space) && may_be_late(op.order))
            || code.atomics.iter().any(|op| is_global(op.space) && atomic_may_be_late(op, which == 0 || locks));
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

    /// Has the time of what is held back come? Others wait with this operation, or do not.
    pub(super) fn is_due(&mut self, operations: u64, clock: u64, waits: bool) -> bool {
        if self.count == 0 {
            return false;
        }
        self.polls = self.polls.saturating_sub(u32::from(waits));
        let due = operations >= self.due.0 || clock >= self.due.1 || self.polls == 0;
        if due {
            self.operations = if self.polls == 0 { 0 } else { self.operations / 2 };
        }
        due
    }

    /// The first of some is about to be held back.
    pub(super) fn begin(&mut self, operations: u64, clock: u64) {
        if self.count == 0 {
            self.due = (operations + self.operations, clock + self.operations * INSTRUCTIONS);
        }
    }

    /// Takes all of them out.
    pub(super) fn take_all(&mut self) -> Vec<Write> {
        self.times = self.times.saturating_sub(1);
        let mut words: Vec<u64> = self.held.keys().copied().collect();
        // In an order that another run has, too.
        words.sort_unstable();
        let writes = words.iter().filter_map(|word| self.held.remove(word)).flatten().collect();
        self.blocks.clear();
        self.count = 0;
        writes
    }

    /// May such an operation come late?
    pub(super) fn may_hold(&self, code: &Code, op: &Op) -> bool {
        match op {
            Op::Store(index) => may_be_late(code.accesses[*index as usize].order),
            Op::Atomic(index) => atomic_may_be_late(&code.atomics[*index as usize], self.which == 0 || self.locks),
            _ => false,
        }
    }

    /// Does a block hold any back?
    pub(super) fn has(&self, block: u64) -> bool {
        self.blocks.contains_key(&block)
    }

    pub(super) fn chooses(&mut self, lanes: Lanes, pc: u32) -> bool {
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

    pub(super) fn hold(&mut self, write: Write) {
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
    pub(super) fn meet(&mut self, block: u64) {
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
    pub(super) fn tell(&mut self, lanes: Lanes) {
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
    pub(super) fn take_of(&mut self, lanes: Lanes) -> Vec<Write> {
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
    pub(super) fn take(&mut self, block: u64, word: u64, such: impl Fn(&Write) -> bool) -> Vec<Write> {
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
    pub(super) const fn meets(&self, address: u64, bytes: u32) -> bool {
        self.address < address.saturating_add(bytes as u64) && address < self.address + self.size as u64
    }
}

//! Where blocks far from each other go all the same: places of the L2 cache that all load from or store to, and words that each block
//! waits for and hands on.

use super::{Hot, SECTOR};
use crate::observe::{AccessKind, MemoryOrder, Space, WarpAccess};
use crate::random::ByNumber;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Sectors of a place (512 bytes, as atomics find them: `place_bytes` of the model's devices).
const PLACE: u64 = 16;
/// Places and words of a block that are kept.
const KEPT: usize = 1 << 16;
/// Bits of a place's number, below the instruction's.
const BITS: u32 = 40;

fn key(pc: u32, place: u64) -> u64 {
    (u64::from(pc) << BITS) | (place % (1 << BITS))
}

/// A word that ordered accesses go to.
struct Word {
    /// The load that came before anything else, if it was one.
    polled: Option<u32>,
    written: bool,
}

/// Of one block.
#[derive(Default)]
pub(super) struct Heat {
    /// Sectors that loads and stores ask for, by instruction and place.
    sectors: [ByNumber<u64>; 2],
    words: ByNumber<Word>,
}

impl Heat {
    /// An access to global memory; others are of no interest.
    pub(super) fn add(&mut self, access: &WarpAccess<'_>) {
        if access.space != Space::Global || access.copy || access.mask == 0 {
            return;
        }
        let lanes = || (0..32usize).filter(|lane| access.mask >> lane & 1 != 0).map(|lane| access.addresses[lane]);
        self.hand_on(access, lanes());
        if access.kind == AccessKind::Atomic {
            return;
        }
        let last = u64::from(access.size.max(1)) - 1;
        let mut sectors: Vec<u64> = lanes().flat_map(|at| at / SECTOR..=(at + last) / SECTOR).collect();
        sectors.sort_unstable();
        sectors.dedup();
        let all = &mut self.sectors[usize::from(access.kind == AccessKind::Store)];
        for same in sectors.chunk_by(|a, b| a / PLACE == b / PLACE) {
            let key = key(access.pc, same[0] / PLACE);
            if all.len() < KEPT || all.contains_key(&key) {
                *all.entry(key).or_default() += same.len() as u64;
            }
        }
    }

    fn hand_on(&mut self, access: &WarpAccess<'_>, addresses: impl Iterator<Item = u64>) {
        let load = access.kind == AccessKind::Load;
        let weak = matches!(access.order, MemoryOrder::Weak | MemoryOrder::Checked);
        for at in addresses {
            if let Some(word) = self.words.get_mut(&at) {
                word.written |= !load;
            } else if self.words.len() < KEPT && (!weak || access.kind == AccessKind::Atomic) {
                self.words.insert(at, Word { polled: load.then_some(access.pc), written: !load });
            }
        }
    }

    /// The place that each instruction asks for most of, and for how much there; of equals the lowest.
    fn hottest(&self, store: bool) -> BTreeMap<u32, (u64, Reverse<u64>)> {
        let mut all = BTreeMap::new();
        for (key, sectors) in &self.sectors[usize::from(store)] {
            let own = (*sectors, Reverse(key % (1 << BITS)));
            let known = all.entry((key >> BITS) as u32).or_insert(own);
            *known = own.max(*known);
        }
        all
    }

    fn has(&self, store: bool, pc: u32, place: u64) -> bool {
        self.sectors[usize::from(store)].contains_key(&key(pc, place))
    }
}

/// The hottest place of each instruction of the first block, as far as the block elsewhere goes to that one or to the second block's.
pub(super) fn hot([first, second, far]: &[Heat; 3], place_of: impl Fn(u32) -> (String, u32)) -> Vec<Hot> {
    let of = |store: bool| {
        let others = second.hottest(store);
        let one = |(pc, (sectors, Reverse(place))): (u32, (u64, Reverse<u64>))| {
            let beside = others.get(&pc).is_some_and(|(_, Reverse(place))| far.has(store, pc, *place));
            let far = [far.has(store, pc, place), beside];
            let (file, line) = place_of(pc);
            far.contains(&true).then_some(Hot { file, line, store, place, sectors, far })
        };
        first.hottest(store).into_iter().filter_map(one).collect::<Vec<_>>()
    };
    let mut all = of(false);
    all.extend(of(true));
    all
}

/// Where the first block waits for words that it writes afterwards, and the block elsewhere does so with the same ones.
pub(super) fn turns([first, _, far]: &[Heat; 3], place_of: impl Fn(u32) -> (String, u32)) -> Vec<(String, u32)> {
    let hands_on = |word: &Word| word.written && word.polled.is_some();
    let both = |(at, word): (&u64, &Word)| {
        (hands_on(word) && far.words.get(at).is_some_and(hands_on)).then_some(word.polled).flatten()
    };
    let mut all: Vec<(String, u32)> = first.words.iter().filter_map(both).map(place_of).collect();
    all.sort_unstable();
    all.dedup();
    all
}

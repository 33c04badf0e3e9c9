//! What blocks that are resident at the same time hold of the device heap, though they run one after the other.

use std::collections::BTreeMap;

/// A block's bytes.
#[derive(Debug, Default, Clone, Copy)]
struct Held {
    now: u64,
    most: u64,
}

/// Blocks of a launch, by their number in its grid.
#[derive(Debug, Default)]
pub struct Together {
    launch: u64,
    /// How far apart the numbers of two blocks are that are not resident together.
    resident: u64,
    /// What launches before have left, and what blocks hold that do not run.
    beside: u64,
    blocks: BTreeMap<u64, Held>,
    /// The sum of the most that each held.
    most: u64,
}

impl Together {
    /// A launch begins, `in_use` bytes being allocated, `held` by others that are resident with its blocks.
    pub fn launch(&mut self, in_use: u64, resident: u64, held: u64) {
        let beside = in_use.saturating_add(held);
        *self = Self { launch: self.launch + 1, resident, beside, ..Self::default() };
    }

    /// The most that each block held, and what it holds now.
    #[cfg(not(target_family = "wasm"))]
    pub fn held(&self) -> impl Iterator<Item = (u64, u64)> {
        self.blocks.values().map(|held| (held.most, held.now))
    }

    /// What all hold together once that block has so much more.
    pub fn with(&mut self, block: u64, bytes: u64) -> u64 {
        // Blocks begin in the order of their numbers: those long before this one have ended, and left what they still hold.
        while let Some(first) =
            self.blocks.first_entry().filter(|first| first.key().saturating_add(self.resident) <= block)
        {
            let held = first.remove();
            self.most -= held.most;
            self.beside = self.beside.saturating_add(held.now);
        }
        let held = self.blocks.get(&block).copied().unwrap_or_default();
        let more = (held.now + bytes).saturating_sub(held.most);
        self.beside.saturating_add(self.most).saturating_add(more)
    }

    /// The block takes so much. The number of the launch.
    pub fn take(&mut self, block: u64, bytes: u64) -> u64 {
        let held = self.blocks.entry(block).or_default();
        held.now += bytes;
        self.most += held.now.saturating_sub(held.most);
        held.most = held.most.max(held.now);
        self.launch
    }

    /// What a block of a launch took is free again.
    pub fn give_back(&mut self, (launch, block): (u64, u64), bytes: u64) {
        match self.blocks.get_mut(&block).filter(|_| launch == self.launch) {
            Some(held) => held.now = held.now.saturating_sub(bytes),
            None => self.beside = self.beside.saturating_sub(bytes),
        }
    }
}

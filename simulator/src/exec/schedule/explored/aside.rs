//! Blocks that step aside: all others go first, until nobody else can go on, or the others have only waited for long.
//!
//! A stop behind all others would not do for that: loops that wait and that nobody can tell from others (they count their attempts, or
//! pause for many rounds) would each have a long turn first. And the block's own threads would go on, who see what others do not yet.
//!
//! Who has stepped aside last comes back first: the block with the last ticket does so before those with the earlier ones.

/// Blocks that may be aside at once, as often in a launch.
const MOST: usize = 64;
/// Operations by which the others may wait until all come back, from when the last block has stepped aside, or somebody looked too early.
const POLLS: u32 = 1 << 9;
/// Warp instructions for the same.
const INSTRUCTIONS: u64 = 1 << 18;
/// For all such times of a launch together.
const ALL: u64 = 1 << 21;
/// Blocks that may come back without anybody having looked too early. A lock that its holder does not give back meanwhile is such a case.
const IN_VAIN: u32 = 8;
/// Operations by which threads have waited since a block stepped aside first, from which on those who wait are stopped now and then. They
/// may hold what others want, and would go on in step for ever.
const IN_STEP: u32 = 1 << 11;
/// What the rank of a block that is aside has more than others: so many times its place.
const BEHIND: u64 = 1 << 48;

/// Who is aside.
pub struct Aside {
    /// In the order in which they stepped aside.
    blocks: Vec<u64>,
    /// How many more may.
    left: usize,
    /// Operations by which others have waited since one did, or since somebody looked too early,
    polls: u32,
    /// and the warp instruction then.
    since: u64,
    /// Operations by which others have waited since the first one did.
    waited: u32,
    /// The warp instruction up to which time is counted, and what is left of it.
    counted: u64,
    all: u64,
    /// How many more may come back in vain.
    in_vain: u32,
    /// Looks that were too early, by when one came back, and by now.
    looks: (u64, u64),
    /// Somebody has stepped aside or come back since that was asked.
    moved: bool,
}

impl Default for Aside {
    fn default() -> Self {
        let blocks = Vec::new();
        let (polls, waited, since, counted, looks, moved) = (0, 0, 0, 0, (0, 0), false);
        Self { blocks, left: MOST, polls, waited, since, counted, all: ALL, in_vain: IN_VAIN, looks, moved }
    }
}

impl Aside {
    /// Is the block aside?
    pub fn has(&self, block: u64) -> bool {
        self.blocks.contains(&block)
    }

    /// How many blocks are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// May the block step aside?
    pub fn may(&self, block: u64) -> bool {
        self.left > 0 && self.in_vain > 0 && self.all > 0 && !self.has(block)
    }

    /// The block steps aside.
    pub fn step(&mut self, block: u64, clock: u64) {
        if self.has(block) || self.len() >= MOST {
            return;
        }
        if self.blocks.is_empty() {
            self.counted = clock;
        }
        self.blocks.push(block);
        self.left = self.left.saturating_sub(1);
        (self.polls, self.since, self.moved) = (0, clock, true);
    }

    /// Somebody perhaps waits.
    pub fn polled(&mut self) {
        if self.left < MOST {
            (self.polls, self.waited) = (self.polls.saturating_add(1), self.waited.saturating_add(1));
        }
    }

    /// Have threads waited for so long that they may do so in step?
    pub fn may_be_in_step(&self) -> bool {
        self.waited >= IN_STEP
    }

    /// What is added to the ranks of the block's threads.
    pub fn behind(&self, block: u64) -> u64 {
        let place = self.blocks.iter().position(|aside| *aside == block);
        place.map_or(0, |place| (MOST - place) as u64 * BEHIND)
    }

    /// The block comes back.
    pub fn comes_back(&mut self, block: u64) {
        self.blocks.retain(|aside| *aside != block);
        self.moved = true;
        self.in_vain = self.in_vain.saturating_sub(u32::from(self.looks.0 == self.looks.1));
        self.looks.0 = self.looks.1;
    }

    /// After so many looks that were too early: all come back if the others have only waited for long.
    pub fn look(&mut self, clock: u64, looks: u64) {
        let Some(&first) = self.blocks.first() else { return };
        self.all = self.all.saturating_sub(clock - self.counted);
        self.counted = clock;
        if self.looks.1 != looks {
            (self.looks.1, self.polls, self.since) = (looks, 0, clock);
        }
        if self.polls >= POLLS || clock - self.since >= INSTRUCTIONS || self.all == 0 {
            self.blocks.clear();
            self.comes_back(first);
        }
    }

    /// Has somebody stepped aside or come back since this was asked last?
    pub fn moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stepped_aside_last_is_before_the_others_and_behind_those_who_are_not() {
        let mut aside = Aside::default();
        aside.step(7, 0);
        aside.step(3, 0);
        assert!(aside.behind(7) > aside.behind(3) && aside.behind(3) > u64::from(u32::MAX) << 9);
        assert_eq!((aside.behind(1), aside.len(), aside.moved(), aside.moved()), (0, 2, true, false));
        aside.comes_back(3);
        assert_eq!((aside.has(3), aside.has(7), aside.may(3), aside.may(7)), (false, true, true, false));
    }

    #[test]
    fn all_come_back_after_many_polls_or_long() {
        let mut aside = Aside::default();
        for (polls, clock) in [(POLLS, 0), (0, INSTRUCTIONS)] {
            aside.step(7, 0);
            aside.step(3, 0);
            aside.look(INSTRUCTIONS - 1, 0);
            assert_eq!(aside.len(), 2);
            (0..polls).for_each(|_| aside.polled());
            aside.look(clock.max(INSTRUCTIONS - 1), 0);
            assert_eq!(aside.len(), 0);
        }
    }

    #[test]
    fn not_for_ever() {
        let mut aside = Aside::default();
        for _ in 0..IN_VAIN {
            assert!(aside.may(0));
            aside.step(0, 0);
            aside.comes_back(0);
        }
        assert!(!aside.may(0), "nobody ever looked");
        let mut aside = Aside::default();
        for looks in 0..MOST as u64 {
            assert!(aside.may(0));
            aside.step(0, 0);
            aside.look(0, looks + 1);
            aside.comes_back(0);
        }
        assert!(!aside.may(0), "all have been");
        let mut aside = Aside::default();
        aside.step(0, 9);
        aside.look(9 + ALL, 1);
        assert!(aside.len() == 0 && !aside.may(0), "too long");
    }
}

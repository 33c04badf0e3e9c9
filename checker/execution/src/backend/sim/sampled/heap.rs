//! What blocks that do not run would hold of the device heap. A device has a thousand blocks and more resident at once, and its heap
//! has to do for all of them, and for what all blocks before them have left; of the few that are run here none would ever miss anything.

/// Blocks of a launch that tell what others hold.
const TELL: usize = 4;

/// What the blocks of a launch hold.
#[derive(Debug, Clone, Default)]
pub struct HeapUse {
    /// Of each that has run, in bytes: the most at a time,
    most: Vec<u64>,
    /// and what it has left.
    left: Vec<u64>,
}

impl HeapUse {
    /// So many blocks have run, of which these held something: the most, and what they have left.
    pub fn note(&mut self, blocks: usize, held: &[(u64, u64)]) {
        // Those that came after the first were given less, perhaps.
        if self.most.len() >= TELL {
            return;
        }
        let none = blocks.saturating_sub(held.len());
        let both = held.iter().copied().chain(std::iter::repeat_n((0, 0), none));
        both.for_each(|(most, left)| {
            self.most.push(most);
            self.left.push(left);
        });
        self.most.sort_unstable();
        self.left.sort_unstable();
    }

    /// Bytes that all others hold, where `resident` blocks of a `grid` are resident at once. Whatever one block alone allocates for
    /// all is none of them: most have to do it.
    pub fn held(&self, grid: u64, resident: u64) -> u64 {
        let usual = |of: &[u64]| if of.len() < TELL { 0 } else { of[(of.len() - 1) / 2] };
        let others = grid.min(resident).saturating_sub(1);
        let gone = grid.saturating_sub(resident);
        usual(&self.most).saturating_mul(others).saturating_add(usual(&self.left).saturating_mul(gone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_block_tells() {
        let mut heap = HeapUse::default();
        heap.note(1, &[(64, 0)]);
        assert_eq!(heap.held(1000, 100), 0, "one tells nothing of others");
        heap.note(5, &[(32, 0), (32, 8), (64, 0)]);
        assert_eq!(heap.held(1000, 100), 32 * 99);
        assert_eq!(heap.held(10, 100), 32 * 9);
        heap.note(9, &[]);
        assert_eq!(heap.held(1000, 100), 32 * 99, "they may have found no room");
        let mut one = HeapUse::default();
        one.note(6, &[(1 << 20, 0)]);
        assert_eq!(one.held(1000, 100), 0, "one does for all");
    }

    #[test]
    fn what_is_left_is_there_for_all_that_follow() {
        let mut heap = HeapUse::default();
        heap.note(4, &[(16, 16); 4]);
        assert_eq!(heap.held(1000, 100), 16 * 99 + 16 * 900);
    }
}

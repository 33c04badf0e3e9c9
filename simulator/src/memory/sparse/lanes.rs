//! Lanes whose bytes lie side by side in a page, and their values in rows.

use super::PAGE;

/// Gives lanes from `lane` on their values of `SIZE` bytes, as many each as there are rows.
pub(super) fn spread<const SIZE: usize>(bytes: &[u8], lane: usize, values: &mut [[u64; 32]]) {
    let count = values.len();
    for (at, bytes) in bytes.as_chunks::<SIZE>().0.iter().enumerate() {
        let mut value = [0; 8];
        value[..SIZE].copy_from_slice(bytes);
        values[at % count][lane + at / count] = u64::from_le_bytes(value);
    }
}

/// The other way round.
pub(super) fn gather<const SIZE: usize>(bytes: &mut [u8], lane: usize, values: &[[u64; 32]]) {
    let count = values.len();
    for (at, bytes) in bytes.as_chunks_mut::<SIZE>().0.iter_mut().enumerate() {
        bytes.copy_from_slice(&values[at % count][lane + at / count].to_le_bytes()[..SIZE]);
    }
}

/// Lanes whose bytes follow each other in a page.
pub(super) struct Run {
    /// The first of them.
    pub(super) lane: usize,
    /// How many.
    pub(super) count: usize,
    /// The page.
    pub(super) number: u64,
    /// Where in the page the first one's bytes begin.
    pub(super) from: usize,
}

/// All lanes of `mask`, of `whole` bytes each, in order. Neighbours are at neighbouring places, as a rule.
pub(super) fn runs(mask: u32, offsets: &[u64; 32], whole: usize) -> impl Iterator<Item = Run> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let lane = next + (u64::from(mask) >> next).trailing_zeros() as usize;
        if lane >= 32 {
            return None;
        }
        let (number, from) = (offsets[lane] / PAGE, (offsets[lane] % PAGE) as usize);
        let follows = |count: &usize| {
            mask >> (lane + count) & 1 != 0 && offsets[lane + count] == offsets[lane] + (count * whole) as u64
        };
        let most = (32 - lane).min((PAGE as usize - from) / whole).max(1);
        let count = (1..most).find(|count| !follows(count)).unwrap_or(most);
        next = lane + count;
        Some(Run { lane, count, number, from })
    })
}

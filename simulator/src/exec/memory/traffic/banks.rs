//! Passes over the banks of shared memory, and words of constant memory.

use crate::observe::AccessKind;

/// How many neighbouring lanes of a request to shared memory the banks serve together: of 4 bytes per lane the whole warp, of 8 a half, of 16 a
/// quarter. Of a load two such parts become one if all lanes whose numbers differ in the lowest bit ask for the same, or all whose
/// numbers differ in the second; a lane that takes no part is like any other. Measured: `differential/wide.csv`.
#[inline(never)]
pub fn served_together(addresses: &[u64; 32], mask: u32, size: u32, kind: AccessKind) -> u32 {
    let part = if size <= 4 { 32 } else { 128 / size };
    let alike = |bit: usize| {
        let both = mask & (mask >> bit) & if bit == 1 { 0x5555_5555 } else { 0x3333_3333 };
        (0..32).all(|lane| both >> lane & 1 == 0 || addresses[lane] == addresses[lane ^ bit])
    };
    if size > 4 && kind == AccessKind::Load && (alike(1) || alike(2)) { 2 * part } else { part }
}

/// Do all lanes of a request ask for words so near each other that no bank holds two of them?
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn within_a_row(addresses: &[u64; 32], mask: u32) -> bool {
    let (mut low, mut high) = (u64::MAX, 0);
    for (lane, &at) in addresses.iter().enumerate() {
        let takes_part = mask >> lane & 1 != 0;
        low = low.min(if takes_part { at / 4 } else { u64::MAX });
        high = high.max(if takes_part { at / 4 } else { 0 });
    }
    high.wrapping_sub(low) < 32
}

/// Do all 32 lanes ask for `size` bytes each that follow each other?
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn follow_each_other(addresses: &[u64; 32], mask: u32, size: u32) -> bool {
    let mut all = mask == u32::MAX && addresses[0].is_multiple_of(u64::from(size));
    for (lane, &at) in addresses.iter().enumerate() {
        all &= at == addresses[0].wrapping_add(lane as u64 * u64::from(size));
    }
    all
}

/// Passes over the banks that a request to shared memory takes, and the fewest that its bytes need. Lanes that read the
/// same word share it.
#[inline(never)]
pub fn wavefronts(addresses: &[u64; 32], mask: u32, size: u32, kind: AccessKind) -> (u64, u64) {
    if size <= 4 && mask != 0 {
        let free = within_a_row(addresses, mask) || conflict_free(addresses, mask);
        return if free { (1, 1) } else { single_words(addresses, mask) };
    }
    if size > 4 && follow_each_other(addresses, mask, size) {
        let passes = u64::from(size / 4);
        return (passes, passes);
    }
    let lanes_a_pass = served_together(addresses, mask, size, kind);
    let (mut passes, mut fewest) = (0, 0);
    for first in (0..32).step_by(lanes_a_pass as usize) {
        let mut words = [u64::MAX; 128];
        let mut count = 0;
        for lane in (first..first + lanes_a_pass).filter(|lane| mask >> lane & 1 != 0) {
            let at = addresses[lane as usize];
            for word in at / 4..=at.saturating_add(u64::from(size) - 1) / 4 {
                if count > 0 && words[count - 1] == word {
                    continue;
                }
                words[count.min(127)] = word;
                count = (count + 1).min(127);
            }
        }
        if count == 0 {
            continue;
        }
        let (most, distinct) = by_banks(&words[..count]);
        passes += most;
        fewest += distinct.div_ceil(32);
    }
    (passes, fewest.max(u64::from(passes > 0)))
}

/// The same where each lane asks for a word.
fn single_words(addresses: &[u64; 32], mask: u32) -> (u64, u64) {
    let (mut words, mut count, mut rest) = ([0; 32], 0, mask);
    while rest != 0 {
        words[count] = addresses[rest.trailing_zeros() as usize & 31] / 4;
        count += 1;
        rest &= rest - 1;
    }
    let (most, distinct) = by_chains::<32>(&words[..count]);
    (most, distinct.div_ceil(32))
}

/// The most different words of a bank, and all different words.
fn by_banks(words: &[u64]) -> (u64, u64) {
    if words.is_sorted() {
        let (mut banks, mut distinct, mut before) = ([0u8; 32], 0, u64::MAX);
        for &word in words {
            banks[(word % 32) as usize] += u8::from(word != before);
            distinct += u64::from(word != before);
            before = word;
        }
        return (banks.iter().copied().max().unwrap_or(0).into(), distinct);
    }
    by_chains::<128>(words)
}

/// The same of `MOST` words at most: of each bank, the different ones so far are a chain.
fn by_chains<const MOST: usize>(words: &[u64]) -> (u64, u64) {
    const END: u8 = u8::MAX;
    let (mut newest, mut before, mut counts) = ([END; 32], [END; MOST], [0u8; 32]);
    for (at, &word) in words.iter().enumerate().take(MOST) {
        let bank = (word % 32) as usize;
        let mut known = newest[bank];
        while known != END && words[usize::from(known)] != word {
            known = before[usize::from(known)];
        }
        if known == END {
            before[at] = newest[bank];
            newest[bank] = at as u8;
            counts[bank] += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    (most.into(), counts.iter().map(|&count| u64::from(count)).sum())
}

/// Does no bank hold two different words? For accesses of at most a word.
#[inline(always)]
fn conflict_free(addresses: &[u64; 32], mask: u32) -> bool {
    // Lanes that take no part have banks of their own.
    let words: [u32; 32] = std::array::from_fn(|lane| (addresses[lane] >> 2) as u32);
    let banks: [u32; 32] = std::array::from_fn(|lane| words[lane] & 31 | u32::from(mask >> lane & 1 == 0) << 5);
    let mut last = [0u32; 64];
    for lane in 0..32 {
        last[banks[lane] as usize & 63] = words[lane];
    }
    let mut clash = 0;
    for lane in 0..32 {
        let other = last[banks[lane] as usize & 63] ^ words[lane];
        clash |= if mask >> lane & 1 != 0 { other } else { 0 };
    }
    clash == 0
}

/// Words of the distinct addresses of a request to constant memory: lanes that ask for different bytes of one word take turns, too.
pub(super) fn distinct_places(addresses: &[u64; 32], mask: u32, size: u32) -> u64 {
    let (mut seen, mut count) = ([0; 32], 0);
    for at in (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| addresses[lane as usize]) {
        if !seen[..count].contains(&at) {
            seen[count] = at;
            count += 1;
        }
    }
    count as u64 * u64::from(size.div_ceil(4))
}

//! Sectors of 32 bytes that a request to global or local memory touches.

/// Distinct 32-byte sectors of a request by all lanes, each within one sector, that are near each other; nothing of others.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn sectors_nearby(addresses: &[u64; 32], size: u64) -> Option<u64> {
    let (mut low, mut high, mut outside) = (u64::MAX, 0, false);
    for &at in addresses {
        (low, high) = (low.min(at / 32), high.max(at / 32));
        outside |= at % 32 + size > 32;
    }
    if outside || high - low >= 64 {
        return None;
    }
    let mut bits = 0u64;
    for &at in addresses {
        bits |= 1 << ((at / 32 - low) & 63);
    }
    Some(bits.count_ones().into())
}

/// Distinct 32-byte sectors of a request.
pub fn sectors(addresses: &[u64; 32], mask: u32, size: u64) -> u64 {
    if mask == u32::MAX
        && let Some(count) = sectors_nearby(addresses, size)
    {
        return count;
    }
    let within = |at: &u64| at % 32 + size <= 32;
    if mask == u32::MAX && addresses.iter().all(within) {
        // Aligned, by all lanes: the usual request, and most of these ascend.
        let all = addresses.map(|at| at / 32);
        let steps = || all.iter().zip(&all[1..]);
        if steps().fold(true, |sorted, (this, next)| sorted & (this <= next)) {
            return 1 + steps().map(|(this, next)| u64::from(this != next)).sum::<u64>();
        }
    }
    let active = || (0..32).filter(|lane| mask >> lane & 1 != 0);
    let ends = |lane: usize| (addresses[lane] / 32, addresses[lane].wrapping_add(size - 1) / 32);
    let (low, high) =
        active().map(ends).fold((u64::MAX, 0), |(low, high), (first, last)| (low.min(first), high.max(last)));
    if high.wrapping_sub(low) < 64 {
        // Near each other: a bit each. A lane's bytes are in two sectors at most.
        let bits = active().map(ends).fold(0u64, |bits, (first, last)| bits | 1 << (first - low) | 1 << (last - low));
        return bits.count_ones().into();
    }
    let (mut all, mut count) = ([0u64; 64], 0);
    for (first, last) in active().map(ends) {
        all[count] = first;
        all[count + 1] = last;
        count += 2;
    }
    let all = &all[..count];
    if all.is_sorted() {
        return 1 + all.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
    }
    distinct(all)
}

/// How many different ones there are among 64 at most, none of them [`u64::MAX`].
fn distinct(all: &[u64]) -> u64 {
    const PLACES: usize = 256;
    let mut table = [u64::MAX; PLACES];
    let mut count = 0;
    for &one in all {
        let mut place = (one.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        while table[place] != one && table[place] != u64::MAX {
            place = (place + 1) % PLACES;
        }
        count += u64::from(table[place] != one);
        table[place] = one;
    }
    count
}

/// Distinct 32-byte sectors of a request to local memory: word `w` of lane `l` lies at word `32 w + l` of the warp.
pub fn local_sectors(addresses: &[u64; 32], mask: u32, size: u32) -> u64 {
    let words = u64::from(size.div_ceil(4));
    let mut sectors = 0;
    // Eight neighbouring lanes share the sectors of the words they ask for.
    for first in (0..32).step_by(8) {
        let (mut seen, mut count) = ([0; 64], 0);
        for lane in (first..first + 8).filter(|lane| mask >> lane & 1 != 0) {
            let at = addresses[lane] / 4;
            for word in (at..at + words).take(8) {
                if !seen[..count].contains(&word) {
                    seen[count] = word;
                    count += 1;
                }
            }
        }
        sectors += count as u64;
    }
    sectors
}

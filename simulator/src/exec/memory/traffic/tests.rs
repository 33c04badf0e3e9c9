use super::*;
use std::collections::BTreeSet;

/// Requests of 8 and 16 bytes per lane and what an H200 took for each (`scripts/clock/wide.sh`).
#[test]
fn wide_requests_take_the_passes_that_a_gpu_takes() {
    let (mut joined, mut all) = (0, 0);
    for line in include_str!("../../../../differential/wide.csv").lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<u64>().unwrap();
        let (size, mask) = (number(0) as u32, u32::from_str_radix(fields[2], 16).unwrap());
        let kind = if fields[1] == "load" { AccessKind::Load } else { AccessKind::Store };
        let addresses = std::array::from_fn(|lane| number(3 + lane) * u64::from(size));
        assert_eq!(wavefronts(&addresses, mask, size, kind).0, number(35), "{line}");
        joined += u32::from(served_together(&addresses, mask, size, kind) > 128 / size);
        all += 1;
    }
    assert!(joined > 100 && all - joined > 100, "{joined} of {all}");
}

/// Sets say the same: sectors are different ones, passes the most different words of a bank in each part of a warp.
#[test]
fn requests_cost_what_sets_of_sectors_and_words_say() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..4000 {
        let size = [1, 2, 4, 8, 16][round % 5];
        let (reach, mask) = ([4, 40, 600, 1 << 20][round % 4], random(1 << 32) as u32);
        let mask = if round % 3 == 0 { u32::MAX } else { mask };
        let aligned: [u64; 32] = std::array::from_fn(|_| u64::from(size) * random(reach));
        let shifted = aligned.map(|at| at + 7);
        for (addresses, aligned) in [(aligned, true), (shifted, false)] {
            let active: Vec<usize> = (0..32).filter(|lane| mask >> lane & 1 != 0).collect();
            let parts = |lanes: &[usize], unit: u64| -> BTreeSet<u64> {
                let part = |&lane: &usize| addresses[lane] / unit..=(addresses[lane] + u64::from(size) - 1) / unit;
                lanes.iter().flat_map(part).collect()
            };
            let case = || format!("{size} bytes, mask {mask:x}, {addresses:?}");
            assert_eq!(sectors(&addresses, mask, size.into()), parts(&active, 32).len() as u64, "{}", case());
            // Banks serve whole words.
            if !aligned {
                continue;
            }
            let (mut passes, mut fewest) = (0, 0);
            for first in (0..32).step_by(if size <= 4 { 32 } else { 128 / size as usize }) {
                let lanes: Vec<usize> = active
                    .iter()
                    .copied()
                    .filter(|lane| (first..first + 128 / size.max(4) as usize).contains(lane))
                    .collect();
                let words = parts(&lanes, 4);
                let of_bank = |bank: u64| words.iter().filter(|word| *word % 32 == bank).count() as u64;
                passes += (0..32).map(of_bank).max().unwrap_or(0);
                fewest += (words.len() as u64).div_ceil(32);
            }
            assert_eq!(wavefronts(&addresses, mask, size, AccessKind::Store), (passes, fewest), "{}", case());
            let places: BTreeSet<u64> = active.iter().map(|&lane| addresses[lane]).collect();
            let words = places.len() as u64 * u64::from(size.div_ceil(4));
            assert_eq!(distinct_places(&addresses, mask, size), words, "{}", case());
        }
    }
}

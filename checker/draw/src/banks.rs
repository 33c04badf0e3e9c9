//! Lanes by banks: which word each lane of one access to shared memory wants, and which banks have to serve more than one.

use super::access::Access;
use super::ink::{Anchor, Ink, WIDTH, runs};
use std::collections::BTreeMap;

/// Banks of shared memory; each serves one word of 4 bytes per pass.
const BANKS: usize = 32;
/// Banks in a row of the picture: two rows fit on a phone.
const ROW: usize = 16;

/// A word that lanes want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In which pass the bank serves it, from 0.
    pub pass: usize,
    /// Does its bank serve another one before it, in the same part of the warp?
    pub conflict: bool,
    /// Who wants it.
    pub lanes: Vec<u32>,
}

/// What the banks do for one access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banks {
    /// Words by bank.
    pub banks: Vec<Vec<Word>>,
    /// Passes in all.
    pub passes: usize,
}

impl Banks {
    /// Accesses of more than 4 bytes per lane go by parts of the warp.
    pub fn of(access: &Access) -> Self {
        let (mut addresses, mut mask) = ([0; 32], 0u32);
        for (lane, address) in &access.lanes {
            addresses[*lane as usize & 31] = *address;
            mask |= 1 << (lane & 31);
        }
        let part = simulator::traffic::served_together(&addresses, mask, access.bytes.clamp(1, 16), access.kind);
        let mut banks = vec![Vec::new(); BANKS];
        let mut passes = 0;
        for first in (0..32).step_by(part as usize) {
            let mut wanted: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (lane, address) in access.lanes.iter().filter(|(lane, _)| (first..first + part).contains(lane)) {
                for word in address / 4..=(address + u64::from(access.bytes) - 1) / 4 {
                    wanted.entry(word).or_default().push(*lane);
                }
            }
            let mut served = [0usize; BANKS];
            // In the order of the lanes, as a reader counts them.
            let mut words: Vec<(u64, Vec<u32>)> = wanted.into_iter().collect();
            words.sort_by_key(|(word, lanes)| (lanes.first().copied(), *word));
            for (word, lanes) in words {
                let bank = (word % BANKS as u64) as usize;
                let count = &mut served[bank];
                banks[bank].push(Word { pass: passes + *count, conflict: *count > 0, lanes });
                *count += 1;
            }
            passes += served.into_iter().max().unwrap_or_default();
        }
        Self { banks, passes }
    }

    /// In words.
    pub fn words(&self) -> String {
        let busy: Vec<u32> =
            (0..).zip(&self.banks).filter(|(_, words)| !words.is_empty()).map(|(bank, _)| bank).collect();
        let most = self.banks.iter().map(Vec::len).max().unwrap_or_default();
        let each: Vec<String> = (0..)
            .zip(&self.banks)
            .filter(|(_, words)| !words.is_empty())
            .map(|(bank, words): (u32, _)| {
                let lanes: Vec<String> = words.iter().map(|word| runs(&word.lanes)).collect();
                format!("bank {bank}: lane {}", lanes.join(", then lane "))
            })
            .collect();
        format!(
            "{} of 32 banks are used, {} in all, up to {} per bank. {}.",
            busy.len(),
            passes(self.passes),
            words_of(most),
            each.join("; ")
        )
    }

    /// The picture: two rows of 16 banks, above each bank the lanes that it serves, from the bottom up.
    pub fn draw(&self, id: &str, title: &str) -> String {
        const STEP: f64 = 20.0;
        const CHIP: f64 = 16.0;
        let left = (WIDTH - STEP * ROW as f64) / 2.0;
        let mut ink = Ink::default();
        let mut at = 4.0;
        for first in [0, ROW] {
            let row = &self.banks[first..first + ROW];
            let passes = row.iter().flatten().map(|word| word.pass + 1).max().unwrap_or_default().max(1);
            let bottom = at + passes as f64 * CHIP + 2.0;
            for (column, words) in row.iter().enumerate() {
                let x = left + column as f64 * STEP;
                ink.rect("bank", (x + 0.5, bottom), (STEP - 1.0, 16.0));
                let class = if words.is_empty() { "quiet" } else { "plain" };
                ink.text(class, (x + STEP / 2.0, bottom + 12.0), Anchor::Middle, &(first + column).to_string());
                for word in words {
                    let y = bottom - (word.pass + 1) as f64 * CHIP;
                    let class = if word.conflict { "late" } else { "busy" };
                    ink.rect(class, (x + 0.5, y), (STEP - 1.0, CHIP - 1.5));
                    let text = match word.lanes.as_slice() {
                        [lane] => lane.to_string(),
                        many => format!("{}×", many.len()),
                    };
                    ink.text("in", (x + STEP / 2.0, y + 11.5), Anchor::Middle, &text);
                }
            }
            at = bottom + 26.0;
        }
        at += 8.0;
        let mut x = ink.key("busy", (left, at), "lane served first");
        let words = self.banks.iter().flatten();
        if words.clone().any(|word| word.conflict) {
            x = ink.key("late", (x, at), "lane served later");
        }
        if words.clone().any(|word| word.lanes.len() > 1) {
            let _ = x;
            at += 18.0;
            ink.text("quiet", (left, at), Anchor::Start, "n× : n lanes want the same word");
        }
        ink.finish(id, at + 8.0, title, &self.words())
    }
}

/// "4 passes".
pub fn passes(count: usize) -> String {
    if count == 1 { "one pass".into() } else { format!("{count} passes") }
}

fn words_of(count: usize) -> String {
    if count == 1 { "one word".into() } else { format!("{count} words") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simulator::observe::AccessKind;

    fn access(bytes: u32, address: impl Fn(u64) -> u64) -> Access {
        let lanes = (0..32).map(|lane| (lane, address(u64::from(lane)))).collect();
        Access { kind: AccessKind::Load, bytes, lanes }
    }

    #[test]
    fn words_a_power_of_two_apart_share_banks() {
        let even = Banks::of(&access(4, |lane| 8 * lane));
        assert_eq!(even.passes, 2);
        assert!(even.words().starts_with(
            "16 of 32 banks are used, 2 passes in all, up to 2 words per bank. bank 0: lane 0, then lane 16;"
        ));
        let svg = even.draw("b", "t");
        assert_eq!(
            (svg.matches("\"busy\"").count(), svg.matches("\"late\"").count()),
            (16 + 1, 16 + 1),
            "with the legend"
        );
        assert!(!Banks::of(&access(4, |lane| 4 * lane)).draw("b", "t").contains("late"));
    }

    #[test]
    fn lanes_that_want_one_word_share_it() {
        let all = Banks::of(&access(4, |_| 64));
        assert_eq!(all.passes, 1);
        assert!(all.draw("b", "t").contains(">32×<"));
    }

    #[test]
    fn neighbours_that_share_a_quad_are_served_with_others() {
        let shared = access(16, |lane| lane / 4 * 16);
        assert_eq!(Banks::of(&shared).passes, 2, "eight quads fit into the 32 banks, and the warp goes by halves");
        assert_eq!(Banks::of(&Access { kind: AccessKind::Store, ..shared }).passes, 4);
    }

    #[test]
    fn passes_are_those_that_the_simulator_counts() {
        for bytes in [1u32, 2, 4, 8, 16] {
            for seed in 0..40u64 {
                let mix = |lane: u64| (lane + 77 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (40 + seed % 16);
                let access = access(bytes, |lane| mix(lane) / u64::from(bytes) * u64::from(bytes));
                let addresses = std::array::from_fn(|lane| access.lanes[lane].1);
                let counted = simulator::traffic::wavefronts(&addresses, u32::MAX, bytes, access.kind).0;
                assert_eq!(Banks::of(&access).passes as u64, counted, "{access:?}");
            }
        }
    }
}

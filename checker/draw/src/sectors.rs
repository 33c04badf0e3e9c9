//! Lanes by sectors: what one access to global memory fetches, 32 bytes at a time, and how much of that was asked for.

use super::access::Access;
use super::ink::{Anchor, Ink, WIDTH, runs};
use std::collections::BTreeMap;

/// Bytes that travel together.
const SECTOR: u64 = 32;
/// Bytes in a cell of the picture.
const WORD: u64 = 4;
/// Sectors in a row of the picture: with a number in each word a phone has room for two.
const ROW: usize = 2;

/// A sector: the lanes that want each of its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sector {
    /// Its number in memory.
    pub number: u64,
    /// By word.
    pub lanes: [Vec<u32>; (SECTOR / WORD) as usize],
}

/// What an access fetches, in the order of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sectors {
    /// Those that it touches.
    pub sectors: Vec<Sector>,
    /// Distinct bytes that lanes ask for.
    pub wanted: u64,
}

impl Sectors {
    pub fn of(access: &Access) -> Self {
        let mut sectors: BTreeMap<u64, [Vec<u32>; 8]> = BTreeMap::new();
        let mut bytes = std::collections::BTreeSet::new();
        for (lane, address) in &access.lanes {
            let end = address + u64::from(access.bytes);
            bytes.extend(*address..end);
            for word in address / WORD..=(end - 1) / WORD {
                let at = (word * WORD % SECTOR / WORD) as usize;
                sectors.entry(word * WORD / SECTOR).or_default()[at].push(*lane);
            }
        }
        let sectors = sectors.into_iter().map(|(number, lanes)| Sector { number, lanes }).collect();
        Self { sectors, wanted: bytes.len() as u64 }
    }

    /// Bytes that travel.
    pub fn fetched(&self) -> u64 {
        SECTOR * self.sectors.len() as u64
    }

    /// Share of them that was asked for, in percent.
    pub fn share(&self) -> f64 {
        100.0 * self.wanted as f64 / self.fetched().max(1) as f64
    }

    /// In words.
    pub fn words(&self) -> String {
        let first = self.sectors.first().map_or(0, |sector| sector.number);
        let each = self.sectors.iter().map(|sector| {
            let mut lanes: Vec<u32> = sector.lanes.iter().flatten().copied().collect();
            lanes.dedup();
            format!("sector {}: lanes {}", sector.number - first, runs(&lanes))
        });
        format!(
            "{} of 32 bytes, {:.0} % of them asked for. {}.",
            count(self.sectors.len()),
            self.share(),
            each.collect::<Vec<_>>().join("; ")
        )
    }

    /// The picture: a frame per sector, a cell per word, in it the lane that wants it.
    pub fn draw(&self, id: &str, title: &str) -> String {
        const CELL: f64 = 18.5;
        const HEIGHT: f64 = 17.0;
        const GAP: f64 = 10.0;
        let width = CELL * 8.0;
        let left = (WIDTH - width * ROW as f64 - GAP) / 2.0;
        let mut ink = Ink::default();
        let mut at = 6.0;
        let mut before: Option<u64> = None;
        for row in self.sectors.chunks(ROW) {
            for (column, sector) in row.iter().enumerate() {
                let x = left + column as f64 * (width + GAP);
                // Sectors that do not follow each other in memory are set apart.
                if before.is_some_and(|before| before + 1 != sector.number) && column > 0 {
                    ink.text("quiet", (x - GAP / 2.0, at + 12.0), Anchor::Middle, "…");
                }
                before = Some(sector.number);
                for (word, lanes) in sector.lanes.iter().enumerate() {
                    let cell = x + word as f64 * CELL;
                    let class = if lanes.is_empty() { "waste" } else { "busy" };
                    ink.rect(class, (cell + 0.5, at + 0.5), (CELL - 1.0, HEIGHT - 1.0));
                    let text = match lanes.as_slice() {
                        [] => continue,
                        [lane] => lane.to_string(),
                        many => format!("{}×", many.len()),
                    };
                    ink.text("in", (cell + CELL / 2.0, at + 12.5), Anchor::Middle, &text);
                }
                ink.rect("frame", (x - 0.5, at - 0.5), (width + 1.0, HEIGHT + 1.0));
            }
            at += HEIGHT + 6.0;
        }
        at += 12.0;
        let x = ink.key("busy", (left, at), "word and its lane");
        if self.sectors.iter().any(|sector| sector.lanes.iter().any(Vec::is_empty)) {
            ink.key("waste", (x, at), "fetched, not used");
        }
        if self.sectors.iter().any(|sector| sector.lanes.iter().any(|lanes| lanes.len() > 1)) {
            at += 18.0;
            ink.text("quiet", (left, at), Anchor::Start, "n× : n lanes want bytes of the same word");
        }
        ink.finish(id, at + 8.0, title, &self.words())
    }
}

/// "4 sectors".
pub fn count(sectors: usize) -> String {
    if sectors == 1 { "one sector".into() } else { format!("{sectors} sectors") }
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
    fn neighbours_share_sectors_and_strides_waste_them() {
        let near = Sectors::of(&access(4, |lane| 4096 + 4 * lane));
        assert_eq!((near.sectors.len(), near.share()), (4, 100.0));
        assert!(near.words().contains("sector 3: lanes 24 to 31"));
        let far = Sectors::of(&access(4, |lane| 4096 + 128 * lane));
        assert_eq!((far.sectors.len(), far.share()), (32, 12.5));
        let svg = far.draw("s", "t");
        assert_eq!(svg.matches("\"waste\"").count(), 32 * 7 + 1, "with the legend");
        assert_eq!(svg.matches("\"frame\"").count(), 32);
        assert!(!near.draw("s", "t").contains("waste"));
    }

    #[test]
    fn sectors_are_those_that_the_simulator_counts() {
        for bytes in [1u32, 2, 4, 8, 16] {
            for seed in 0..40u64 {
                let mix = |lane: u64| (lane + 77 * seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (40 + seed % 16);
                let access = access(bytes, |lane| mix(lane) / u64::from(bytes) * u64::from(bytes));
                let addresses = std::array::from_fn(|lane| access.lanes[lane].1);
                let counted = simulator::traffic::sectors(&addresses, u32::MAX, bytes.into());
                assert_eq!(Sectors::of(&access).sectors.len() as u64, counted, "{access:?}");
            }
        }
    }
}

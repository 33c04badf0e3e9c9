//! Waves of blocks over the SMs: how a grid is worked off when all blocks take the same time. A model: the hardware starts a block
//! as soon as another one ends, and real blocks differ.

use super::occupancy::blocks;
use check::evidence::LaunchShape;
use draw::{Anchor, Ink, WIDTH, number};

/// Waves drawn at most.
const ROWS: u64 = 6;

/// A grid as waves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waves {
    /// Streaming multiprocessors.
    pub sms: u64,
    /// Blocks that each holds at once.
    pub each: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

impl Waves {
    pub fn of(shape: &LaunchShape) -> Self {
        Self { sms: shape.sms.max(1), each: u64::from(shape.occupancy.active_blocks).max(1), blocks: shape.blocks }
    }

    /// Blocks that run at once.
    pub fn at_once(&self) -> u64 {
        self.sms * self.each
    }

    /// Waves, the last one included.
    pub fn count(&self) -> u64 {
        self.blocks.div_ceil(self.at_once())
    }

    /// Blocks of a wave, from 0.
    pub fn in_wave(&self, wave: u64) -> u64 {
        self.blocks.saturating_sub(wave * self.at_once()).min(self.at_once())
    }

    /// Share of the places for blocks that are used over all waves, in percent.
    pub fn used(&self) -> f64 {
        100.0 * self.blocks as f64 / (self.count() * self.at_once()).max(1) as f64
    }

    /// In words.
    pub fn words(&self) -> String {
        let last = self.in_wave(self.count().saturating_sub(1));
        format!(
            "{} on {} SMs, up to {} each: {} at once. {}; the last has {}. {:.0} % of all places are used.",
            blocks(self.blocks),
            self.sms,
            self.each,
            number(self.at_once() as f64),
            waves(self.count()),
            blocks(last),
            self.used()
        )
    }

    /// Blocks on each SM in a wave: they are handed out one by one.
    fn on_sm(&self, wave: u64, sm: u64) -> u64 {
        let all = self.in_wave(wave);
        all / self.sms + u64::from(sm < all % self.sms)
    }

    /// The picture: a row per wave, a column per SM, as high as it has blocks.
    pub fn draw(&self, id: &str, title: &str) -> String {
        const LEFT: f64 = 6.0;
        const ROW: f64 = 30.0;
        let width = WIDTH - 2.0 * LEFT;
        let step = width / self.sms as f64;
        let mut ink = Ink::default();
        let mut at = 16.0;
        ink.text(
            "quiet",
            (LEFT, at),
            Anchor::Start,
            &format!("a column is one of {} SMs, up to {} high", self.sms, blocks(self.each)),
        );
        at += 8.0;
        let count = self.count();
        for wave in (0..count).filter(|wave| count <= ROWS || *wave < ROWS - 1 || *wave + 1 == count) {
            if count > ROWS && wave + 1 == count {
                let left = count - ROWS;
                ink.text(
                    "quiet",
                    (WIDTH / 2.0, at + 12.0),
                    Anchor::Middle,
                    &format!("… {} more full waves", number(left as f64)),
                );
                at += 20.0;
            }
            let last = wave + 1 == count;
            ink.rect("idle", (LEFT, at), (width, ROW));
            // Neighbours of the same height are one shape.
            let mut sm = 0;
            while sm < self.sms {
                let height = self.on_sm(wave, sm);
                let end = (sm..self.sms).find(|other| self.on_sm(wave, *other) != height).unwrap_or(self.sms);
                let tall = ROW * height as f64 / self.each as f64;
                let class = if last && self.in_wave(wave) < self.at_once() { "late" } else { "busy" };
                if height > 0 {
                    ink.rect(class, (LEFT + sm as f64 * step, at + ROW - tall), ((end - sm) as f64 * step, tall));
                }
                sm = end;
            }
            at += ROW + 14.0;
            let text = format!(
                "wave {}: {} of {} places",
                wave + 1,
                number(self.in_wave(wave) as f64),
                number(self.at_once() as f64)
            );
            ink.text("quiet", (LEFT, at), Anchor::Start, &text);
            at += 10.0;
        }
        ink.finish(id, at + 4.0, title, &self.words())
    }
}

/// "3 waves".
pub fn waves(count: u64) -> String {
    if count == 1 { "One wave".into() } else { format!("{} waves", number(count as f64)) }
}

#[cfg(test)]
mod tests {
    use super::super::occupancy::tests::shape;
    use super::*;

    #[test]
    fn every_block_is_in_one_wave() {
        let waves = Waves::of(&shape(2 * 132 * 8 + 200, 256, 32, 0));
        assert_eq!((waves.each, waves.count()), (8, 3));
        assert_eq!((0..3).map(|wave| waves.in_wave(wave)).collect::<Vec<_>>(), [1056, 1056, 200]);
        assert_eq!((0..132).map(|sm| waves.on_sm(2, sm)).sum::<u64>(), 200);
        let svg = waves.draw("w", "t");
        // The tail: 68 SMs have two blocks, 64 have one.
        assert_eq!(svg.matches("\"late\"").count(), 2);
        assert!(svg.contains("wave 3: 200 of 1,056 places") && svg.contains("73 % of all places"));
    }

    #[test]
    fn many_waves_are_cut_in_the_middle() {
        let svg = Waves::of(&shape(100 * 1056, 256, 32, 0)).draw("w", "t");
        assert!(
            svg.contains("94 more full waves") && svg.contains("wave 100: 1,056 of 1,056") && !svg.contains("late")
        );
    }
}

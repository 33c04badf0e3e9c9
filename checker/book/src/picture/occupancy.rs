//! The limits of occupancy as bars: what an SM has of each resource, cut into what the blocks of a launch hold. The resource that
//! has no room for one more block is the limit.

use check::evidence::LaunchShape;
use draw::{Anchor, Ink, WIDTH, number};
use sass::occupancy::Limiter;

/// A resource of an SM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bar {
    /// "registers".
    pub name: &'static str,
    /// What an SM has.
    pub has: u64,
    /// What a block holds of it.
    pub block: u64,
    /// What is counted: "B" for bytes.
    pub unit: &'static str,
    /// Does it keep one more block away?
    pub limits: bool,
}

/// The resources of an SM under a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Blocks that an SM holds at once.
    pub blocks: u32,
    /// Warps of these, and most that an SM holds.
    pub warps: (u32, u32),
    /// From top to bottom.
    pub bars: Vec<Bar>,
}

impl Bars {
    pub fn of(shape: &LaunchShape) -> Self {
        let (held, limits) = (shape.usage.held(&shape.limits), &shape.limits);
        let bar = |name, limiter, has: u32, block: u32, unit| Bar {
            name,
            has: has.into(),
            block: block.into(),
            unit,
            limits: shape.occupancy.limiters.contains(&limiter),
        };
        let bars = vec![
            bar("warps", Limiter::Warps, limits.threads_per_sm / 32, held.warps, ""),
            bar("registers", Limiter::Registers, limits.registers_per_sm, held.registers, ""),
            bar("shared memory", Limiter::Shared, limits.shared_per_sm, held.shared, " B"),
            bar("blocks", Limiter::Blocks, limits.blocks_per_sm, 1, ""),
        ];
        let warps = (shape.occupancy.active_warps, shape.occupancy.max_warps);
        Self { blocks: shape.occupancy.active_blocks, warps, bars }
    }

    /// In percent.
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.warps.0) / f64::from(self.warps.1.max(1))
    }

    /// In words.
    pub fn words(&self) -> String {
        let each = self.bars.iter().map(|bar| {
            let limit = if bar.limits { ", the limit" } else { "" };
            let used = u64::from(self.blocks) * bar.block;
            format!(
                "{}: {} of {}{}, {} per block{limit}",
                bar.name,
                number(used as f64),
                number(bar.has as f64),
                bar.unit,
                number(bar.block as f64)
            )
        });
        let each: Vec<String> = each.collect();
        format!(
            "{} per SM, {} of {} warps. {}.",
            blocks(self.blocks.into()),
            self.warps.0,
            self.warps.1,
            each.join("; ")
        )
    }

    /// The picture.
    pub fn draw(&self, id: &str, title: &str) -> String {
        const LEFT: f64 = 6.0;
        const HEIGHT: f64 = 18.0;
        let width = WIDTH - 2.0 * LEFT;
        let mut ink = Ink::default();
        let mut at = 18.0;
        for bar in &self.bars {
            let each = width * bar.block as f64 / bar.has.max(1) as f64;
            let class = if bar.limits { "strong" } else { "plain" };
            let name = if bar.limits { format!("{}: the limit", bar.name) } else { bar.name.to_owned() };
            ink.text(class, (LEFT, at), Anchor::Start, &name);
            let numbers =
                format!("{} × {} of {}{}", self.blocks, number(bar.block as f64), number(bar.has as f64), bar.unit);
            ink.text("quiet", (LEFT + width, at), Anchor::End, &numbers);
            at += 5.0;
            ink.rect("idle", (LEFT, at), (width, HEIGHT));
            for block in 0..self.blocks {
                let class = if bar.limits { "late" } else { "busy" };
                ink.rect(class, (LEFT + f64::from(block) * each + 0.5, at), ((each - 1.0).max(0.8), HEIGHT));
            }
            at += HEIGHT + 20.0;
        }
        let sum = format!(
            "{} per SM: {} of {} warps, occupancy {:.0} %",
            blocks(self.blocks.into()),
            self.warps.0,
            self.warps.1,
            self.percent()
        );
        ink.text("strong", (LEFT, at), Anchor::Start, &sum);
        ink.finish(id, at + 10.0, title, &self.words())
    }
}

/// "8 blocks".
pub fn blocks(count: u64) -> String {
    if count == 1 { "one block".into() } else { format!("{} blocks", number(count as f64)) }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use sass::occupancy::{Settings, Usage};

    /// A launch as the compiler might have made it, on an H200.
    pub fn shape(blocks: u64, threads: u32, registers: u32, shared: u32) -> LaunchShape {
        let limits = sass::Limits::of(90).unwrap();
        let usage = Usage { threads, registers, shared, barriers: 1 };
        let occupancy = sass::occupancy(&limits, &usage, Settings { carveout: None, opt_in: true });
        LaunchShape { kernel: "k".into(), blocks, threads, usage, occupancy, limits, sms: 132 }
    }

    #[test]
    fn bars_hold_what_the_blocks_hold() {
        let bars = Bars::of(&shape(1, 256, 40, 0));
        assert_eq!(bars.blocks, 6);
        assert_eq!(
            bars.words(),
            "6 blocks per SM, 48 of 64 warps. warps: 48 of 64, 8 per block; registers: 61,440 of 65,536, 10,240 per block, \
             the limit; shared memory: 6,144 of 233,472 B, 1,024 per block; blocks: 6 of 32, 1 per block."
        );
        let svg = bars.draw("o", "t");
        assert_eq!((svg.matches("\"busy\"").count(), svg.matches("\"late\"").count()), (18, 6));
        assert!(svg.contains("occupancy 75 %"));
    }

    #[test]
    fn no_bar_is_longer_than_the_sm() {
        for (threads, registers, shared) in [(32, 255, 0), (1024, 64, 100_000), (64, 16, 7000), (96, 128, 1)] {
            let bars = Bars::of(&shape(1, threads, registers, shared));
            assert!(bars.blocks > 0);
            for bar in &bars.bars {
                assert!(u64::from(bars.blocks) * bar.block <= bar.has, "{bar:?} of {bars:?}");
                let full = (u64::from(bars.blocks) + 1) * bar.block > bar.has;
                assert!(full || !bar.limits || bar.name == "registers", "{bar:?} has room for one more");
            }
        }
    }
}

//! Who is inside whom: a launch's grid, one of its blocks, one of its warps, one of its lanes, each with its size and the memory that
//! it shares.

use super::occupancy::blocks;
use check::evidence::LaunchShape;
use draw::{Anchor, Ink, WIDTH, number};

/// One level of the picture.
struct Level {
    /// "grid".
    name: &'static str,
    /// Its size.
    size: String,
    /// What it shares.
    memory: String,
    /// What it consists of, as squares.
    parts: u64,
}

/// Squares in a row at most.
const MOST: u64 = 32;

/// The levels of a launch.
fn levels(shape: &LaunchShape) -> Vec<Level> {
    let held = shape.usage.held(&shape.limits);
    let kib = |bytes: u32| format!("{} KB", bytes / 1024);
    vec![
        Level {
            name: "grid",
            size: format!("{} of {} threads", blocks(shape.blocks), shape.threads),
            memory: "global memory, L2: all of the GPU".into(),
            parts: shape.blocks,
        },
        Level {
            name: "SM",
            size: format!(
                "{} of these at once; the GPU has {} SMs",
                blocks(shape.occupancy.active_blocks.into()),
                shape.sms
            ),
            memory: format!(
                "{} registers, {} shared memory",
                number(shape.limits.registers_per_sm.into()),
                kib(shape.limits.shared_per_sm)
            ),
            parts: shape.occupancy.active_blocks.into(),
        },
        Level {
            name: "block",
            size: format!("{} warps", held.warps),
            memory: format!("shared memory, here {} bytes; barriers", number(shape.usage.shared.into())),
            parts: held.warps.into(),
        },
        Level { name: "warp", size: "32 lanes, one instruction".into(), memory: "shuffles, votes".into(), parts: 32 },
        Level {
            name: "lane",
            size: "one thread".into(),
            memory: format!("its own registers, here {}", shape.usage.registers),
            parts: 1,
        },
    ]
}

/// In words.
pub fn words(shape: &LaunchShape) -> String {
    let each = levels(shape);
    let each: Vec<String> =
        each.iter().map(|level| format!("{}: {}; {}", level.name, level.size, level.memory)).collect();
    format!("{}.", each.join(". "))
}

/// The picture.
pub fn draw(shape: &LaunchShape, id: &str, title: &str) -> String {
    const LEFT: f64 = 6.0;
    const SIDE: f64 = 16.0;
    const ROW: f64 = 66.0;
    let width = WIDTH - 2.0 * LEFT;
    let mut ink = Ink::default();
    let mut at = 16.0;
    for level in levels(shape) {
        ink.text("strong", (LEFT, at), Anchor::Start, level.name);
        ink.text("plain", (LEFT + 46.0, at), Anchor::Start, &level.size);
        ink.text("quiet", (LEFT + 46.0, at + 15.0), Anchor::Start, &level.memory);
        let shown = level.parts.min(MOST);
        let step = (width / shown.max(1) as f64).min(SIDE);
        let y = at + 22.0;
        let end = LEFT + step * shown as f64;
        for part in 0..shown {
            let class = if part == 0 { "late" } else { "busy" };
            ink.rect(class, (LEFT + part as f64 * step + 0.5, y), ((step - 1.5).max(1.0), SIDE - 3.0));
        }
        if level.parts > shown {
            ink.rect("fade", (end - 2.0 * step, y - 1.0), (2.0 * step, SIDE));
            ink.text("quiet", (end - step, y + 10.0), Anchor::Middle, "…");
        }
        at += ROW;
    }
    let x = ink.key("late", (LEFT, at - 4.0), "the one shown below");
    ink.key("busy", (x, at - 4.0), "others like it");
    ink.finish(id, at + 6.0, title, &words(shape))
}

#[cfg(test)]
mod tests {
    use super::super::occupancy::tests::shape;
    use super::*;

    #[test]
    fn levels_have_the_launch_s_sizes() {
        let shape = shape(4096, 256, 40, 32);
        let words = words(&shape);
        assert!(words.starts_with("grid: 4,096 blocks of 256 threads"), "{words}");
        assert!(words.contains("SM: 6 blocks of these at once; the GPU has 132 SMs"), "{words}");
        assert!(words.contains("block: 8 warps; shared memory, here 32 bytes"), "{words}");
        assert!(words.contains("lane: one thread; its own registers, here 40"), "{words}");
        let svg = draw(&shape, "h", "t");
        // Squares: 32 of the grid's blocks, 6 on the SM, 8 warps, 32 lanes, one thread; two in the legend.
        assert_eq!(svg.matches("\"busy\"").count() + svg.matches("\"late\"").count(), 32 + 6 + 8 + 32 + 1 + 2);
    }
}

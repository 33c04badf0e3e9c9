//! Garbled text: whatever is written, reading it ends, and what it says points into the file.

use crate::*;
use plan::{Buffer, Role};
use std::path::Path;

/// Deterministic draws (Knuth's MMIX generator; its upper bits).
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

const PIECES: [&str; 44] = [
    "(",
    ")",
    "<",
    ">",
    "<<<",
    ">>>",
    "<<",
    ">>",
    ",",
    ";",
    ":",
    "::",
    "=",
    "==",
    "[",
    "]",
    "{",
    "}",
    "-",
    "+",
    "*",
    "/",
    "%",
    "//",
    "//@",
    "\"",
    "'",
    "\n",
    "\r\n",
    " ",
    "0",
    "9223372036854775807",
    "0x",
    "1e999",
    ".5",
    "n",
    "a",
    "launch ",
    "let ",
    "for ",
    "end",
    "é",
    "\u{0}",
    "min(",
];

/// A few random cuts, copies and insertions.
fn garble(text: &str, draws: &mut Draws) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=draws.below(4) {
        let at = draws.below(chars.len() + 1);
        match draws.below(4) {
            0 => {
                let end = (at + draws.below(12)).min(chars.len());
                chars.drain(at..end);
            }
            1 => {
                let from = draws.below(chars.len() + 1);
                let piece: Vec<char> = chars[from..(from + draws.below(20)).min(chars.len())].to_vec();
                chars.splice(at..at, piece);
            }
            _ => {
                chars.splice(at..at, PIECES[draws.below(PIECES.len())].chars());
            }
        }
    }
    chars.into_iter().collect()
}

fn points_into(text: &str, error: &LineError) {
    let lines = text.lines().count().max(1);
    assert!((1..=lines).contains(&(error.line as usize)), "{text}\n{error}");
    assert!(error.column >= 1 && !error.message.is_empty(), "{text}\n{error}");
    assert!(error.to_string().lines().count() >= 4, "{text}\n{error}");
}

#[test]
fn garbled_kernel_files_give_a_plan_or_a_place() {
    let text = "template <int B> __global__ void k(const float *a, float *c, int n) {}\n\
                //@ let block = 256\n\
                //@ let grid = min(ceil_div(n, block), sms * active_blocks(k<block>, block, 4 * block))\n\
                //@ scratch p: f32[max(grid, 1)]\n\
                //@ launch k<block * 2><<<(grid, 1, 1), block, 4 * block>>>(a, p, n)\n\
                //@ for (s = grid; s > 1; s = ceil_div(s, 2))\n\
                //@ launch cooperative k<256><<<1, (block, 1), 0x10>>>(p, c, -0.5)\n\
                //@ end\n\
                //@ in x: f32[n] = uniform(-1, 1e3)\n";
    let io = [("a", Role::In), ("c", Role::Out)].map(|(name, role)| Buffer {
        name: name.into(),
        dtype: plan::dtype::DType::F32,
        len: 1000,
        role,
        fill: None,
    });
    let sizes = Sizes::from([("n".to_string(), 1000)]);
    let context = PlanContext { sizes: sizes.clone(), device: DeviceShape::H200, active_blocks: &|_, _, _| Ok(8) };
    let mut draws = Draws(1);
    let (mut plans, mut errors) = (0, 0);
    for _ in 0..8_000 {
        let garbled = garble(text, &mut draws);
        let planned = KernelFile::parse(Path::new("k.cu"), &garbled).and_then(|file| {
            file.name_expressions(&sizes, &DeviceShape::H200)?;
            file.plan(&context, &io)
        });
        match planned {
            Ok(plan) => {
                plans += 1;
                assert!(plan.launches.len() <= MAX_LAUNCHES);
                for launch in &plan.launches {
                    assert!(launch.grid.iter().chain(&launch.block).all(|extent| *extent >= 1));
                    assert!(launch.block.iter().product::<u32>() <= 1024 && launch.shared <= 232_448);
                }
            }
            Err(error) => {
                errors += 1;
                points_into(&garbled, &error);
            }
        }
    }
    // Both must occur, or the draws are too tame or too wild to say anything.
    assert!(plans > 200 && errors > 2_000, "{plans} plans, {errors} errors");
}

#[test]
fn garbled_manifests_give_a_problem_or_a_place() {
    let text = super::manifest::GOOD;
    let mut draws = Draws(2);
    let (mut good, mut errors) = (0, 0);
    for _ in 0..2_000 {
        let garbled = garble(text, &mut draws);
        match Manifest::parse(Path::new("problem.toml"), &garbled) {
            Ok(_) => good += 1,
            Err(error) => {
                errors += 1;
                points_into(&garbled, &error);
            }
        }
    }
    assert!(good > 50 && errors > 500, "{good} good, {errors} errors");
}

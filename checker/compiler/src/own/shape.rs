//! How many blocks of how many threads a made line launches.

use super::guess::{Guess, cells, guess, scalar};
use super::heads::{KernelHead, Parameter};
use super::launch_lines::{Common, SIDE};
use super::taken::{MOST_THREADS, Taken};

/// Threads of a guessed block, and the side of one of two dimensions.
pub const BLOCK: u32 = 256;
const TILE: u32 = 16;

/// How a kernel is launched.
pub struct Shape {
    /// ` cooperative` or nothing.
    pub word: &'static str,
    /// Blocks.
    pub grid: String,
    /// Threads of a block.
    pub block: String,
    /// What is not the host's.
    pub remark: Option<String>,
}

/// The host's shape as far as it is taken, else a guess.
pub fn shape(kernel: &KernelHead, taken: &Taken, common: &Common) -> Shape {
    let guessed =
        |block: bool| Some(if block { "grid and block are guesses" } else { "the grid is a guess" }.to_owned());
    let word = if kernel.cooperative { " cooperative" } else { "" };
    let host = kernel.host.as_ref().and_then(|host| host.block);
    let host = host.filter(|block| kernel.threads.is_none_or(|most| block.iter().product::<u32>() <= most));
    // One block for everything is what the kernel counts on.
    let one = kernel.host.as_ref().and_then(|host| host.grid).filter(|grid| *grid == [1; 3]);
    if let (Some(grid), Some(block)) = (taken.grid.or(one), host) {
        let reduced = taken.reduced.map(|whole| match whole {
            [x, 1, 1] => format!("the host has {x} blocks"),
            whole => format!("the host has {}", dims(whole)),
        });
        return Shape { word, grid: dims(grid), block: dims(block), remark: reduced };
    }
    if kernel.two_dimensional && !kernel.cooperative {
        let remark = guessed(host.is_none());
        let block = host.unwrap_or([TILE, TILE, 1]);
        let side = longest(kernel, taken).map_or(SIDE, |longest| SIDE.min(longest.isqrt().max(1) as u32));
        let square = side.to_string();
        let (x, y) = match common.image().as_slice() {
            [x, y, ..] => (*x, *y),
            [one] => (*one, *one),
            // As many threads as buffers have elements, and as large as structures say that they are.
            [] if common.sizes.is_empty() => (square.as_str(), square.as_str()),
            [] => (common.length.as_str(), "1"),
        };
        let grid = format!("(ceil_div({x}, {}), ceil_div({y}, {}))", block[0], block[1]);
        return Shape { word, grid, block: dims(block), remark };
    }
    let remark = guessed(host.is_none());
    let block = host.unwrap_or([kernel.threads.map_or(BLOCK, |threads| threads.min(BLOCK)), 1, 1]);
    let threads = block.iter().product::<u32>();
    let blocks = lengths(kernel, taken).filter(|(parameter, _)| parameter.per_block).map(|(_, length)| length).min();
    let blocks = blocks.filter(|blocks| (1..=MOST_THREADS / u64::from(threads.max(1))).contains(blocks));
    let grid = match (blocks, longest(kernel, taken)) {
        _ if kernel.cooperative => "sms".to_owned(),
        // As many as have an element each.
        (Some(blocks), _) => blocks.to_string(),
        (None, Some(longest)) if common.sizes.is_empty() => format!("ceil_div({longest}, {threads})"),
        (None, _) => format!("ceil_div({}, {threads})", common.length),
    };
    Shape { word, grid, block: dims(block), remark }
}

/// The buffers whose length is known, with what they have of what their pointer points to.
fn lengths<'k>(kernel: &'k KernelHead, taken: &Taken) -> impl Iterator<Item = (&'k Parameter, u64)> {
    let length = |(index, parameter): (usize, &'k Parameter)| {
        let Guess::Buffer(ty) = guess(parameter) else { return None };
        let each = cells(parameter).map_or(1, |(_, each)| u64::from(each));
        Some((parameter, taken.argument(index).bytes? / (scalar(ty) * each)))
    };
    kernel.parameters.iter().enumerate().filter_map(length)
}

/// The length of the longest, if a thread for each is not too many.
fn longest(kernel: &KernelHead, taken: &Taken) -> Option<u64> {
    let longest = lengths(kernel, taken).map(|(_, length)| length).max()?;
    (1..=MOST_THREADS).contains(&longest).then_some(longest)
}

/// A size of one to three dimensions as launch lines have it.
fn dims(dims: [u32; 3]) -> String {
    match dims {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    }
}

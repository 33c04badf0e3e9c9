//! What of a host's launch is taken into the lines: all of it, or as much as fits the guesses beside it.

use super::guess::{Guess, guess, is_side};
use super::heads::{KernelHead, Parameter};
use super::host::{HostArgument, HostLaunch};
use super::places::Places;

/// Elements of a buffer, and what a size is worth, where nobody says more.
pub const ELEMENTS: u32 = 4096;
/// Of the host's own launches only those are taken whole that are simulated in a moment; of larger ones fewer blocks, where no other
/// kernel reads what the rest would write.
pub const MOST_THREADS: u64 = 1 << 20;
const MOST_ALONE: u64 = 1 << 16;
const MOST_BYTES: u64 = 1 << 26;
/// What a number is made if it is a size larger than that; its square is as many elements as a buffer may get.
pub const SMALLER: i64 = 256;
const LARGE: i64 = 1 << 10;
/// Elements before a place that is there in every buffer.
pub const SHORT: i64 = 64;

/// What is taken of the host's launch of one kernel.
pub struct Taken<'k> {
    host: Option<&'k HostLaunch>,
    /// Its grid, if that is taken, or so much of it as is simulated in a moment.
    pub grid: Option<[u32; 3]>,
    /// The whole of it, where only a part is taken.
    pub reduced: Option<[u32; 3]>,
    integers: bool,
    lengths: bool,
}

impl<'k> Taken<'k> {
    /// For each kernel.
    pub fn of(kernels: &[&'k KernelHead], places: &Places) -> Vec<Taken<'k>> {
        let apart = apart(kernels, places);
        let known: Vec<Known> = kernels.iter().map(|kernel| Known::of(kernel, apart)).collect();
        let grids = known.iter().all(|known| known.grid);
        let all = known.iter().all(|known| known.whole || known.sizes && (known.grid || known.open));
        let taken = |(kernel, known): (&&'k KernelHead, &Known)| {
            let host = said(kernel);
            // A grid beside another kernel's guessed one might leave out what that one reads.
            let grid = known.whole || known.grid && (apart || grids);
            let most = if apart && !kernel.cooperative { MOST_ALONE } else { MOST_THREADS };
            let whole = host.filter(|_| grid).and_then(|host| host.grid);
            let part = host.zip(whole).and_then(|(host, whole)| Some(part_of(whole, host.block?, most)));
            Taken {
                host,
                grid: part,
                reduced: whole.filter(|whole| part.is_some_and(|part| part != *whole)),
                integers: known.whole || known.integers,
                // A length fits a size that is known only, and a grid that is as the sizes are.
                lengths: known.whole || all,
            }
        };
        kernels.iter().zip(&known).map(taken).collect()
    }

    /// The number that the host passes, taken or not.
    pub fn number(&self, index: usize) -> Option<i64> {
        self.host?.arguments.get(index)?.value
    }

    /// Is a number the size of buffers that nobody says the length of, or that are too long: one that is to be made smaller?
    pub fn is_too_large(&self, kernel: &KernelHead, index: usize) -> bool {
        let open = |(index, parameter): (usize, &Parameter)| {
            matches!(guess(parameter), Guess::Buffer(_)) && self.argument(index).bytes.is_none()
        };
        let long = || {
            self.host.is_some_and(|host| host.arguments.iter().any(|one| one.bytes.is_some_and(|all| all > MOST_BYTES)))
        };
        let any = match guess(&kernel.parameters[index]) {
            Guess::Size => long(),
            _ => kernel.parameters.iter().enumerate().any(open),
        };
        any && self.argument(index).value.is_some_and(|value| value > LARGE)
    }

    /// What is taken of an argument.
    pub fn argument(&self, index: usize) -> HostArgument {
        let said = self.host.and_then(|host| host.arguments.get(index)).cloned().unwrap_or_default();
        let bytes = said.bytes.filter(|bytes| self.lengths && fits(*bytes));
        HostArgument {
            value: said.value.filter(|_| self.integers),
            bytes,
            // One that is short fits a length that is a guess, too.
            offset: said.offset.filter(|offset| bytes.is_some() || *offset <= SHORT),
            made: said.made.filter(|_| self.integers),
            ..said
        }
    }
}

/// What a host's launch says in constants.
struct Known {
    /// Everything, and as much of it as is wanted is simulated at once.
    whole: bool,
    /// A grid that covers the sizes, known or guessed.
    grid: bool,
    /// No grid at all, and nothing that is too large for a guess at one.
    open: bool,
    /// Integers that no guess at the rest has to mind.
    integers: bool,
    /// All sizes.
    sizes: bool,
}

impl Known {
    fn of(kernel: &KernelHead, apart: bool) -> Known {
        let nothing = Known { whole: false, grid: false, open: false, integers: false, sizes: false };
        let Some(host) = said(kernel) else { return nothing };
        let said = || kernel.parameters.iter().zip(&host.arguments);
        let all = said().all(|(parameter, said)| match guess(parameter) {
            Guess::Buffer(_) => said.bytes.is_some_and(fits),
            Guess::Size => said.counter || said.value.is_some_and(|value| value >= 1),
            Guess::Structure => parameter.members.iter().all(|member| !member.pointer),
            _ => true,
        });
        let threads = host.grid.zip(host.block).map(|(grid, block)| threads(grid) * threads(block));
        let short = threads.is_none_or(|threads| apart || threads <= MOST_THREADS);
        let sizes: Vec<(&str, Option<u64>)> = said()
            .filter(|(parameter, said)| guess(parameter) == Guess::Size && !said.counter)
            .map(|(parameter, said)| {
                (
                    parameter.name.as_str(),
                    said.value.and_then(|value| u64::try_from(value).ok()).filter(|size| *size > 0),
                )
            })
            .collect();
        let integers = short && are_small(&sizes);
        let every = sizes.iter().all(|(_, size)| size.is_some());
        let covers = threads.is_some_and(|threads| every || threads >= ELEMENTS.into());
        let open = integers && threads.is_none();
        Known { whole: all && threads.is_some() && short, grid: integers && covers, open, integers, sizes: every }
    }
}

/// The host's launch, if it has an argument for each parameter.
fn said(kernel: &KernelHead) -> Option<&HostLaunch> {
    kernel.host.as_ref().filter(|host| host.arguments.len() >= kernel.parameters.len())
}

fn fits(bytes: u64) -> bool {
    (1..=MOST_BYTES).contains(&bytes)
}

/// Are buffers and grids that are made from the known ones of these sizes small enough?
fn are_small(sizes: &[(&str, Option<u64>)]) -> bool {
    let mut sides: Vec<u64> = sizes.iter().filter(|(name, _)| is_side(name)).filter_map(|(_, size)| *size).collect();
    sides.sort_unstable_by_key(|side| std::cmp::Reverse(*side));
    let product = sides.iter().take(2).fold(1, |product: u64, side| product.saturating_mul(*side));
    product <= MOST_THREADS && sizes.iter().all(|(_, size)| size.is_none_or(|size| size <= MOST_THREADS))
}

/// Does no kernel read what one before it writes?
fn apart(kernels: &[&KernelHead], places: &Places) -> bool {
    let pointers = |index: usize| {
        let named = kernels[index].parameters.iter().zip(&places.0[index]);
        named.filter(|(parameter, _)| parameter.pointers > 0)
    };
    let writes = |index: usize, name: &str| {
        pointers(index).any(|(parameter, own)| own == name && !parameter.constant && parameter.written)
    };
    (0..kernels.len()).all(|index| {
        let mut reads = pointers(index).filter(|(parameter, _)| parameter.constant || parameter.read_first);
        reads.all(|(_, name)| !(0..index).any(|before| writes(before, name)))
    })
}

fn threads(dims: [u32; 3]) -> u64 {
    u64::from(dims.iter().product::<u32>())
}

/// The host's grid, or so much of it that few threads are launched.
fn part_of(grid: [u32; 3], block: [u32; 3], most: u64) -> [u32; 3] {
    let mut grid = grid;
    while threads(grid) * threads(block) > most && threads(grid) > 1 {
        if let Some(most) = grid.iter_mut().max() {
            *most = most.div_ceil(2);
        }
    }
    grid
}

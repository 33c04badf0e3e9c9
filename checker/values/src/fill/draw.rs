//! Values drawn by seed and name: uniform, sorted, delicate, or on a grid that reals hold exactly.

use super::part::{Part, integers, reals};
use super::sizes::{Delicate, Stretches, of_any_size};
use super::{PERIOD, Values, fill_part, repeats, second_seed};
use crate::edges;
use plan::stream::Stream;
use plan::{Buffer, Fill, Role};

/// Elements that are not 0 in a long buffer of [`Values::ExactIntegers`], about: so many that sums of them stay exact, so
/// few that no regular part of the buffer is without.
pub(super) const DENSE: u64 = 1 << 16;

/// Elements at either end of it that are never 0.
pub(super) const ENDS: u64 = 64;

/// What is drawn of a buffer's elements.
pub(super) fn draw(buffer: &Buffer, (seed, values): (u64, Values), stream: Stream, bytes: Part<'_>) {
    match (chosen_for(buffer, seed, values), values) {
        (None | Some(Fill::Zeros), _) => {}
        (Some(Fill::Uniform { .. }), Values::ExactIntegers) if let Some(grid) = grid(buffer) => {
            exact(buffer, grid, stream, bytes);
        }
        (Some(Fill::Uniform { lo, hi }), Values::Delicate | Values::Tiny | Values::Minute)
            if buffer.dtype.is_float() =>
        {
            let delicate = Delicate::new((*lo, *hi), buffer.dtype, values, stream);
            reals(buffer.dtype, bytes, *lo, *hi, |index| delicate.value(stream, index));
        }
        (Some(Fill::Uniform { lo, hi }), Values::Sizes) if buffer.dtype.is_float() && *lo <= 0.0 && *hi > 0.0 => {
            let stretches = Stretches::of(buffer.len, stream);
            reals(buffer.dtype, bytes, *lo, *hi, |index| {
                of_any_size((*lo, *hi), buffer.dtype, stream, (index, stretches))
            });
        }
        (Some(Fill::Uniform { lo, hi }), Values::Ends) => {
            let part = (hi - lo) * LAST;
            let first = if is_upper(stream) { hi - part } else { *lo };
            reals(buffer.dtype, bytes, *lo, *hi, |index| first + stream.unit(index) * part);
        }
        (Some(Fill::Integers { lo, hi }), Values::Ends) => {
            let end = if is_upper(stream) { *hi } else { *lo };
            integers(buffer.dtype, bytes, |_| end);
        }
        (Some(Fill::Uniform { lo, hi }), Values::Alike) if let Some(grid) = grid(buffer) => {
            let (stretch, zero) = (stretch(stream), holds_zero(buffer));
            // Here and there nothing at all, which somebody may divide by.
            let value = |bits: u64| if zero && bits.is_multiple_of(8) { 0.0 } else { grid.value(bits) };
            reals(buffer.dtype, bytes, *lo, *hi, |index| value(stream.bits(!(index >> stretch))));
        }
        (Some(Fill::Integers { lo, hi }), Values::Alike) => {
            let stretch = stretch(stream);
            integers(buffer.dtype, bytes, |index| stream.integer(!(index >> stretch), *lo, *hi));
        }
        (Some(Fill::Uniform { lo, hi }), _) => {
            let (lo, hi) = (*lo, *hi);
            // Another pattern for another length: what one of them hides, the next shows.
            match values {
                Values::Repeating if repeats(buffer) => {
                    let first = buffer.len;
                    reals(buffer.dtype, bytes, lo, hi, |index| lo + stream.unit(first + index % PERIOD) * (hi - lo));
                }
                _ => reals(buffer.dtype, bytes, lo, hi, |index| lo + stream.unit(index) * (hi - lo)),
            }
        }
        (Some(Fill::Integers { lo, hi }), _) => {
            integers(buffer.dtype, bytes, |index| stream.integer(index, *lo, *hi));
        }
        (Some(Fill::Sorted { run, short }), _) => {
            integers(buffer.dtype, bytes, |index| sorted(stream, index as i64, *run, *short));
        }
        (Some(Fill::Scaled { lo, hi, len }), _) => {
            let exponent = |index: u64| stream.integer(!(index / *len as u64), *lo, *hi) as i32;
            // Whole powers only, as on the device; what is less is zero in every type but double.
            let power = |exponent: i32| if exponent < f64::MIN_EXP - 1 { 0.0 } else { 2f64.powi(exponent) };
            let value = |index: u64| (2.0 * stream.unit(index) - 1.0) * power(exponent(index));
            reals(buffer.dtype, bytes, f64::NEG_INFINITY, f64::INFINITY, value);
        }
        (Some(Fill::Band { lo, hi, width, len }), _) => {
            let first = lo + stream.unit(u64::MAX) * (hi - lo - width);
            let place = |index: u64| match index.checked_div(*len as u64) {
                Some(stretch) => (7.0 * stream.unit(!stretch - 1) + stream.unit(index)) / 8.0,
                None => stream.unit(index),
            };
            reals(buffer.dtype, bytes, first, *hi, |index| first + place(index) * width);
        }
        (Some(Fill::Few { lo, hi, count }), _) => {
            let number = |index: i64| stream.integer(!(index as u64), *lo, *hi);
            integers(buffer.dtype, bytes, |index| number(stream.integer(index, 0, count - 1)));
        }
        (Some(Fill::Iota), _) => integers(buffer.dtype, bytes, |index| index as i64),
        (Some(Fill::Constant(value)), _) => {
            if buffer.dtype.is_float() {
                reals(buffer.dtype, bytes, f64::NEG_INFINITY, f64::INFINITY, |_| *value);
            } else {
                integers(buffer.dtype, bytes, |_| *value as i64);
            }
        }
        // Read whole, by [`fill`].
        (Some(Fill::Npy(_)), _) => {}
        // `chosen_for` has taken one of them, and the other type's values are widened.
        (Some(Fill::OneOf(_) | Fill::Held { .. }), _) => {}
    }
}

/// Fills with numbers of the grid, which are few in a long buffer.
fn exact(buffer: &Buffer, grid: Grid, stream: Stream, bytes: Part<'_>) {
    let (len, zero) = (buffer.len, holds_zero(buffer));
    let left_out = move |index: u64| {
        let inside = (ENDS..len.saturating_sub(ENDS)).contains(&index);
        zero && len > DENSE && inside && stream.integer(!index, 0, len as i64 - 1) >= DENSE as i64
    };
    let value = |index: u64| if left_out(index) { 0.0 } else { grid.value(stream.bits(index)) };
    reals(buffer.dtype, bytes, f64::NEG_INFINITY, f64::INFINITY, value);
}

/// The part of an interval in which the reals of [`Values::Ends`] lie.
const LAST: f64 = 1.0 / 256.0;

/// Elements of [`Values::Alike`] that are the same, as the exponent of a power of two: rows and blocks have 64 to 1024; or all are.
fn stretch(stream: Stream) -> u32 {
    match stream.integer(u64::MAX - 3, 5, 11) {
        power @ 6..11 => power as u32,
        _ => 63,
    }
}

/// Which end it is in a run over [`Values::Ends`].
fn is_upper(stream: Stream) -> bool {
    stream.integer(u64::MAX - 2, 0, 1) == 1
}

/// Does the interval of a buffer of uniform reals hold 0?
fn holds_zero(buffer: &Buffer) -> bool {
    uniform(buffer).is_some_and(|(lo, hi)| lo <= 0.0 && hi > 0.0)
}

/// A multiple of every likely number of fills that take turns.
pub const TURNS: u64 = 60;

/// The seed of what is counted and timed: of fills that take turns it has the first, or numbers would depend on whose turn
/// it is.
pub fn first_turn(seed: u64) -> u64 {
    seed - seed % TURNS
}

/// How many turns there are: the fills of the buffer that has most.
pub fn turns(buffers: &[Buffer]) -> u64 {
    let fills = |buffer: &Buffer| match &buffer.fill {
        Some(Fill::OneOf(fills)) if buffer.role != Role::Out => fills.len() as u64,
        _ => 1,
    };
    buffers.iter().map(fills).max().unwrap_or(1).clamp(1, TURNS)
}

/// The edge values that a buffer's elements may have in a run, besides the ends of their interval, as elements' bytes: 0, and what lies next
/// to it and to the ends. None where they are not drawn one by one from an interval.
pub fn inner_edges(buffer: &Buffer, (seed, values): (u64, Values)) -> Vec<Vec<u8>> {
    let words = chosen_for(buffer, seed, values).map(|fill| edges::inner(fill, buffer.dtype)).unwrap_or_default();
    words.iter().map(|word| word.to_le_bytes()[..buffer.dtype.size()].to_vec()).collect()
}

/// An end of the interval that a buffer's elements are drawn from one by one in a run, as an element's bytes; with values from
/// elsewhere in it where it has no ends.
pub fn end(buffer: &Buffer, (seed, values): (u64, Values), upper: bool) -> Option<Vec<u8>> {
    let fill = chosen_for(buffer, seed, values)?;
    let word = match *fill {
        Fill::Uniform { .. } | Fill::Integers { .. } => edges::end(fill, buffer.dtype, upper)?,
        Fill::Scaled { .. } | Fill::Band { .. } | Fill::Few { .. } => {
            let mut bytes = vec![0; buffer.dtype.size()];
            let other = second_seed(seed) / TURNS * TURNS + seed % TURNS;
            // The same at each size: blocks of two sizes are compared.
            fill_part(buffer, other, Values::AsStated, 0, &mut bytes);
            return Some(bytes);
        }
        _ => return None,
    };
    Some(word.to_le_bytes()[..buffer.dtype.size()].to_vec())
}

/// The fill of a run with values as stated: of several the one whose turn it is.
pub fn chosen(buffer: &Buffer, seed: u64) -> Option<&Fill> {
    chosen_for(buffer, seed, Values::AsStated)
}

/// The fill of a run: of several the one whose turn it is; in a run of values of another kind the first that has such.
pub(super) fn chosen_for(buffer: &Buffer, seed: u64, values: Values) -> Option<&Fill> {
    let Some(Fill::OneOf(fills)) = &buffer.fill else { return buffer.fill.as_ref() };
    let other = fills.iter().find(|fill| matches!(fill, Fill::Uniform { .. }));
    let turn = fills.get((seed % fills.len().max(1) as u64) as usize);
    other.filter(|_| !values.are_stated()).or(turn)
}

/// The interval of a buffer of uniform reals.
pub(super) fn uniform(buffer: &Buffer) -> Option<(f64, f64)> {
    match chosen_for(buffer, 0, Values::ExactIntegers)? {
        Fill::Uniform { lo, hi } => Some((*lo, *hi)),
        _ => None,
    }
}

/// Numbers that begin one behind the other where some are to be short.
const GROUP: i64 = 8;

/// Element `index` of ascending integers: in every `run` elements the next number begins once, at a place that is drawn. Where some
/// are to be short, eight begin near the end of every `8 * run` elements instead, each 1 to `short` behind the one before.
fn sorted(stream: Stream, index: i64, run: i64, short: i64) -> i64 {
    if short == 0 {
        let (before, place) = (index / run, index % run);
        return before + i64::from(place >= stream.integer(before as u64, 0, run - 1));
    }
    let (group, place) = (index / (GROUP * run), index % (GROUP * run));
    let last = GROUP * run - 1 - stream.integer(!(group as u64), 0, run / 2);
    let begins = (0..GROUP).scan(last, |begin, nth| {
        let this = *begin;
        *begin -= stream.integer((GROUP * group + nth) as u64, 1, short);
        Some(this)
    });
    GROUP * group + begins.filter(|begin| place >= *begin).count() as i64
}

/// Multiples of `step` from `first` to `last`, 0 left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Grid {
    pub(super) step: f64,
    first: i64,
    last: i64,
}

impl Grid {
    fn len(self) -> i64 {
        let zero = i64::from(self.first <= 0 && self.last >= 0);
        self.last - self.first + 1 - zero
    }

    fn value(self, bits: u64) -> f64 {
        let draw = self.first + ((u128::from(bits) * self.len() as u128) >> 64) as i64;
        let multiple = if self.first <= 0 && draw >= 0 { draw + 1 } else { draw };
        multiple as f64 * self.step
    }
}

/// The grid of a buffer of uniform reals of a float type: at least two values.
pub(super) fn grid(buffer: &Buffer) -> Option<Grid> {
    let (lo, hi) = uniform(buffer)?;
    let most = lo.abs().max(hi.abs());
    if !buffer.dtype.is_float() || !most.is_normal() {
        return None;
    }
    // Few steps for long buffers, so that sums of products stay small integers.
    let steps = match buffer.len {
        0..=0x4000 => 8.0,
        0x4001..=0x1_0000 => 4.0,
        _ => 2.0,
    };
    let coarsest = (most / steps).log2().ceil() as i32;
    // The values must be exact in the narrowest type, so no finer than its significand.
    (0..6).find_map(|halvings| {
        let step = 2f64.powi(coarsest - halvings);
        let grid = Grid { step, first: (lo / step).ceil() as i64, last: (hi / step).ceil() as i64 - 1 };
        (grid.len() >= 2).then_some(grid)
    })
}

//! What buffers hold before a run.
//!
//! A value depends on (seed, buffer name, index) and nothing else: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) used
//! as a counter-based generator, so that a buffer is filled by any number of threads, in any process, with the same
//! bytes.

use crate::{edges, npy};
use half::bf16;
use plan::dtype::{DType, half};
use plan::stream::Stream;
use plan::{Buffer, Fill};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use system::files::Folder;

/// A buffer that cannot be filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FillError {
    /// More bytes than the host can hold.
    #[error("buffer `{name}`: {len} elements of {size} bytes do not fit into memory")]
    TooLarge {
        /// The buffer.
        name: String,
        /// Elements.
        len: u64,
        /// Bytes of one.
        size: usize,
    },
    /// The NumPy file cannot be used.
    #[error("buffer `{name}`: {path}: {message}")]
    Npy {
        /// The buffer.
        name: String,
        /// The file.
        path: PathBuf,
        /// What is wrong and what is expected.
        message: String,
    },
}

/// Which values a run draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    /// As the problem says.
    AsStated,
    /// Uniform reals are replaced by small multiples of a power of two inside their interval (integers, up to a common
    /// scale), never 0: sums of products of two or three of them are exact in single precision, and every element
    /// counts. A kernel that skips one cannot hide behind the tolerance.
    ExactIntegers,
    /// Uniform reals of a 16-bit type repeat after `PERIOD` elements. Rounding sums to that type then makes the same
    /// errors again and again: they add up, where those of independent values cancel and hide behind the tolerance.
    Repeating,
    /// Uniform reals are replaced by ones of one sign whose binary digits from the fourth on are 0101...: whoever keeps fewer
    /// digits errs the same way at every element, so that sums do not hide it. In most runs they are tiny, too, so that what
    /// takes small values for zero has nothing left.
    Delicate,
    /// As the problem says, and some elements of what is drawn one by one are an interval's ends, 0, what is next to them, or
    /// words of one pattern of bits: values that no draw meets.
    Edges,
}

impl Values {
    /// Drawn as the problem says, but for single elements?
    pub fn are_stated(self) -> bool {
        matches!(self, Self::AsStated | Self::Edges)
    }
}

/// Elements after which [`Values::Repeating`] begins again.
const PERIOD: u64 = 32;

/// Elements that are not 0 in a long buffer of [`Values::ExactIntegers`], about: so many that sums of them stay exact, so
/// few that no regular part of the buffer is without.
const DENSE: u64 = 1 << 16;
/// Elements at either end of it that are never 0.
const ENDS: u64 = 64;
/// Binary orders of magnitude by which [`Values::Delicate`] shrinks, from and to: below 2e-4, well above where products of
/// two or three numbers of single precision underflow.
const SHRINK: (i64, i64) = (14, 21);
/// The same where smaller numbers would be subnormal.
const SHRINK_F16: (i64, i64) = (4, 8);

/// The bytes of `buffer` before a run (little-endian). `dir` is where relative NumPy paths start. A buffer without a
/// fill is all zero.
pub fn fill(buffer: &Buffer, seed: u64, values: Values, dir: &Path) -> Result<Vec<u8>, FillError> {
    let mut bytes = zeroed(buffer)?;
    if let Some(Fill::Npy(file)) = chosen_for(buffer, seed, values) {
        // A kernel file is somebody's text: it names files of its own folder.
        let opened = Folder::trusted(dir).and_then(|folder| folder.file(Path::new(file)));
        let read = opened.map_err(|error| error.to_string());
        return read.and_then(|opened| npy::read(opened, buffer.dtype, buffer.len)).map_err(|message| FillError::Npy {
            name: buffer.name.clone(),
            path: dir.join(file),
            message,
        });
    }
    fill_part(buffer, seed, values, 0, &mut bytes);
    Ok(bytes)
}

/// May its values come from a file?
pub fn is_from_file(buffer: &Buffer) -> bool {
    let from_file = |fill: &Fill| matches!(fill, Fill::Npy(_));
    match &buffer.fill {
        Some(Fill::OneOf(fills)) => fills.iter().any(from_file),
        Some(fill) => from_file(fill),
        None => false,
    }
}

/// The bytes of some elements of `buffer`, from element `start` on; zeros where they come from a file.
pub fn fill_part(buffer: &Buffer, seed: u64, values: Values, start: u64, bytes: &mut [u8]) {
    let stream = Stream::new(seed, &buffer.name);
    draw(buffer, (seed, values), stream, Part { start, bytes });
    if let (Some(fill), Values::Edges) = (chosen_for(buffer, seed, values), values) {
        edges::put(buffer, fill, seed, stream, start, bytes);
    }
}

/// What is drawn of a buffer's elements.
fn draw(buffer: &Buffer, (seed, values): (u64, Values), stream: Stream, bytes: Part<'_>) {
    match (chosen_for(buffer, seed, values), values) {
        (None | Some(Fill::Zeros), _) => {}
        (Some(Fill::Uniform { .. }), Values::ExactIntegers) if grid(buffer).is_some() => {
            let grid = grid(buffer).unwrap_or(Grid { step: 1.0, first: 1, last: 1 });
            let infinite = f64::INFINITY;
            let (len, zero) = (buffer.len, holds_zero(buffer));
            let left_out = move |index: u64| {
                let inside = (ENDS..len.saturating_sub(ENDS)).contains(&index);
                zero && len > DENSE && inside && stream.integer(!index, 0, len as i64 - 1) >= DENSE as i64
            };
            let value = |index: u64| if left_out(index) { 0.0 } else { grid.value(stream.bits(index)) };
            reals(buffer.dtype, bytes, -infinite, infinite, value);
        }
        (Some(Fill::Uniform { lo, hi }), Values::Delicate) if buffer.dtype.is_float() => {
            let delicate = Delicate::new(*lo, *hi, buffer.dtype, stream);
            reals(buffer.dtype, bytes, *lo, *hi, |index| delicate.value(stream, index));
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
        (Some(Fill::Sorted { run }), _) => {
            integers(buffer.dtype, bytes, |index| sorted(stream, index as i64, *run));
        }
        (Some(Fill::Scaled { lo, hi, len }), _) => {
            let exponent = |index: u64| stream.integer(!(index / *len as u64), *lo, *hi) as i32;
            let value = |index: u64| (2.0 * stream.unit(index) - 1.0) * 2f64.powi(exponent(index));
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
        // `chosen_for` has taken one of them.
        (Some(Fill::OneOf(_)), _) => {}
    }
}

/// Does the interval of a buffer of uniform reals hold 0?
fn holds_zero(buffer: &Buffer) -> bool {
    uniform(buffer).is_some_and(|(lo, hi)| lo <= 0.0 && hi > 0.0)
}

/// Does [`Values::Delicate`] mean anything for this buffer?
pub fn is_delicate(buffer: &Buffer) -> bool {
    uniform(buffer).is_some() && buffer.dtype.is_float()
}

/// The numbers of [`Values::Delicate`] in an interval.
#[derive(Debug, Clone, Copy)]
struct Delicate {
    lo: f64,
    hi: f64,
    sign: f64,
    /// The largest power of two of which twice as much is in the interval.
    top: f64,
}

impl Delicate {
    fn new(lo: f64, hi: f64, dtype: DType, stream: Stream) -> Self {
        let (least, greatest) = if dtype == DType::F16 { SHRINK_F16 } else { SHRINK };
        let most = lo.abs().max(hi.abs());
        let top = if most.is_normal() { 2f64.powi(most.log2().floor() as i32 - 1) } else { 0.0 };
        let sign = if lo.abs() > hi.abs() { -1.0 } else { 1.0 };
        // Three of four runs; what is left out of the others is another input's turn.
        let shrunk = lo <= 0.0 && hi > 0.0 && stream.integer(u64::MAX, 0, 3) > 0;
        let by = if shrunk { stream.integer(u64::MAX - 1, least, greatest) as i32 } else { 0 };
        Self { lo, hi, sign, top: top * 2f64.powi(-by) }
    }

    fn value(self, stream: Stream, index: u64) -> f64 {
        let bits = stream.bits(index);
        // One of 8 leading parts, then a third, in one of two binades.
        let significand = 1.0 + ((bits & 7) as f64 + 1.0 / 3.0) / 8.0;
        let value = self.sign * significand * if bits & 8 != 0 { self.top } else { self.top / 2.0 };
        if value >= self.lo && value < self.hi { value } else { self.lo + stream.unit(index) * (self.hi - self.lo) }
    }
}

/// A multiple of every likely number of fills that take turns.
pub const TURNS: u64 = 60;

/// The seed of what is counted and timed: of fills that take turns it has the first, or numbers would depend on whose turn
/// it is.
pub fn first_turn(seed: u64) -> u64 {
    seed - seed % TURNS
}

/// An end of the interval that a buffer's elements are drawn from one by one in a run, as an element's bytes; with values from
/// elsewhere in it where it has no ends.
pub fn end(buffer: &Buffer, seed: u64, upper: bool) -> Option<Vec<u8>> {
    let fill = chosen(buffer, seed)?;
    let word = match *fill {
        Fill::Uniform { .. } | Fill::Integers { .. } => edges::end(fill, buffer.dtype, upper)?,
        Fill::Scaled { .. } | Fill::Band { .. } | Fill::Few { .. } => {
            let mut bytes = vec![0; buffer.dtype.size()];
            let other = second_seed(seed) / TURNS * TURNS + seed % TURNS;
            fill_part(buffer, other, Values::AsStated, buffer.len.saturating_sub(1), &mut bytes);
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
fn chosen_for(buffer: &Buffer, seed: u64, values: Values) -> Option<&Fill> {
    let Some(Fill::OneOf(fills)) = &buffer.fill else { return buffer.fill.as_ref() };
    let other = fills.iter().find(|fill| matches!(fill, Fill::Uniform { .. }));
    let turn = fills.get((seed % fills.len().max(1) as u64) as usize);
    other.filter(|_| !values.are_stated()).or(turn)
}

/// The interval of a buffer of uniform reals.
fn uniform(buffer: &Buffer) -> Option<(f64, f64)> {
    match chosen_for(buffer, 0, Values::ExactIntegers)? {
        Fill::Uniform { lo, hi } => Some((*lo, *hi)),
        _ => None,
    }
}

/// Element `index` of ascending integers: in every `run` elements the next number begins once, at a place that is drawn.
fn sorted(stream: Stream, index: i64, run: i64) -> i64 {
    let (before, place) = (index / run, index % run);
    before + i64::from(place >= stream.integer(before as u64, 0, run - 1))
}

/// Zero bytes for a buffer, or an error when the host cannot hold them.
pub fn zeroed(buffer: &Buffer) -> Result<Vec<u8>, FillError> {
    let size = buffer.dtype.size();
    let too_large = || FillError::TooLarge { name: buffer.name.clone(), len: buffer.len, size };
    let bytes = usize::try_from(buffer.len).ok().and_then(|len| len.checked_mul(size)).ok_or_else(too_large)?;
    if bytes > isize::MAX as usize {
        return Err(too_large());
    }
    // `vec![0; n]` maps zero pages without touching them, but aborts when it fails: ask first.
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| too_large())?;
    Ok(vec![0; bytes])
}

/// Multiples of `step` from `first` to `last`, 0 left out.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Grid {
    step: f64,
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
fn grid(buffer: &Buffer) -> Option<Grid> {
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

/// What exact results are multiples of in a run over [`Values::ExactIntegers`]: the square of the finest step of any
/// input; None when there is no such input.
pub fn exact_unit(buffers: &[Buffer]) -> Option<f64> {
    let steps = buffers.iter().filter_map(grid).map(|grid| grid.step);
    steps.reduce(f64::min).map(|step| step * step)
}

/// Does [`Values::Repeating`] mean anything for this buffer?
pub fn repeats(buffer: &Buffer) -> bool {
    uniform(buffer).is_some() && matches!(buffer.dtype, DType::F16 | DType::Bf16)
}

/// Elements a task; a chunk's bytes stay within a core's cache.
const CHUNK: usize = 1 << 14;

/// Elements of a buffer, from one on.
struct Part<'a> {
    start: u64,
    bytes: &'a mut [u8],
}

fn each<const N: usize>(part: Part<'_>, value: impl Fn(u64) -> [u8; N] + Sync) {
    let start = part.start;
    let one = |(chunk, bytes): (usize, &mut [u8])| {
        let first = start + (chunk * CHUNK) as u64;
        for (offset, element) in bytes.as_chunks_mut::<N>().0.iter_mut().enumerate() {
            *element = value(first + offset as u64);
        }
    };
    // A page of sparse memory is not worth waking other threads for.
    if part.bytes.len() <= N * CHUNK {
        one((0, part.bytes));
    } else {
        part.bytes.par_chunks_mut(N * CHUNK).enumerate().for_each(one);
    }
}

/// Stores reals in [lo, hi); a value that rounds up to `hi` becomes `lo`.
fn reals(dtype: DType, bytes: Part<'_>, lo: f64, hi: f64, value: impl Fn(u64) -> f64 + Sync) {
    match dtype {
        DType::F64 => each(bytes, |index| {
            let x = value(index);
            (if x < hi { x } else { lo.max(f64::MIN) }).to_le_bytes()
        }),
        DType::F32 => each(bytes, |index| {
            let x = value(index) as f32;
            (if f64::from(x) < hi { x } else { lo as f32 }).to_le_bytes()
        }),
        DType::F16 => each(bytes, |index| {
            let x = half(value(index));
            (if x.to_f64() < hi { x } else { half(lo) }).to_le_bytes()
        }),
        DType::Bf16 => each(bytes, |index| {
            let x = bf16::from_f64(value(index));
            (if x.to_f64() < hi { x } else { bf16::from_f64(lo) }).to_le_bytes()
        }),
        _ => integers(dtype, bytes, |index| value(index).floor() as i64),
    }
}

/// Stores integers, wrapped to the type's width; rounded for float types.
fn integers(dtype: DType, bytes: Part<'_>, value: impl Fn(u64) -> i64 + Sync) {
    match dtype {
        DType::F64 => each(bytes, |index| (value(index) as f64).to_le_bytes()),
        DType::F32 => each(bytes, |index| (value(index) as f32).to_le_bytes()),
        DType::F16 => each(bytes, |index| half(value(index) as f64).to_le_bytes()),
        DType::Bf16 => each(bytes, |index| bf16::from_f64(value(index) as f64).to_le_bytes()),
        DType::I8 | DType::U8 => each(bytes, |index| (value(index) as u8).to_le_bytes()),
        DType::I16 | DType::U16 => each(bytes, |index| (value(index) as u16).to_le_bytes()),
        DType::I32 | DType::U32 => each(bytes, |index| (value(index) as u32).to_le_bytes()),
        DType::I64 | DType::U64 => each(bytes, |index| value(index).to_le_bytes()),
    }
}

/// The seed of the run that follows without reloading the module. Of the fills of an input it takes the next.
pub fn second_seed(seed: u64) -> u64 {
    let bits = Stream::new(seed, "second run").bits(0) / 2;
    first_turn(bits) + (seed % TURNS + 1) % TURNS
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Role;

    fn buffer(dtype: DType, len: u64, fill: Fill) -> Buffer {
        Buffer { name: "a".into(), dtype, len, role: Role::In, fill: Some(fill) }
    }

    fn filled(buffer: &Buffer, seed: u64, values: Values) -> Vec<u8> {
        fill(buffer, seed, values, Path::new(".")).unwrap()
    }

    const TYPES: [DType; 12] = [
        DType::F64,
        DType::F32,
        DType::F16,
        DType::Bf16,
        DType::I8,
        DType::U8,
        DType::I16,
        DType::U16,
        DType::I32,
        DType::U32,
        DType::I64,
        DType::U64,
    ];

    #[test]
    fn the_same_on_any_number_of_threads_and_for_any_length() {
        for dtype in TYPES {
            let long = buffer(dtype, 50_001, Fill::Integers { lo: -3, hi: 90 });
            let short = Buffer { len: 17, ..long.clone() };
            let serial = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let parallel = rayon::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
            let one = serial.install(|| filled(&long, 3, Values::AsStated));
            assert_eq!(one, parallel.install(|| filled(&long, 3, Values::AsStated)));
            assert_eq!(one[..17 * dtype.size()], filled(&short, 3, Values::AsStated));
            assert_ne!(one, filled(&long, 4, Values::AsStated));
            let other = Buffer { name: "b".into(), ..long.clone() };
            assert_ne!(one, filled(&other, 3, Values::AsStated));
        }
    }

    /// Values written down once, so that a seed printed by one version of the checker means the same to the next.
    #[test]
    fn a_seed_means_the_same_for_ever() {
        let bits: Vec<u64> = (0..3).map(|index| Stream::new(1, "a").bits(index)).collect();
        assert_eq!(bits, [16_434_937_685_191_996_708, 5_485_544_439_939_107_054, 2_551_821_177_884_792_949]);
    }

    #[test]
    fn uniform_reals_stay_in_their_interval_and_spread() {
        for dtype in [DType::F64, DType::F32, DType::F16, DType::Bf16] {
            let bytes = filled(&buffer(dtype, 20_000, Fill::Uniform { lo: -1.0, hi: 1.0 }), 9, Values::AsStated);
            let values: Vec<f64> =
                bytes.chunks(dtype.size()).map(|element| crate::compare::real(dtype, element)).collect();
            assert!(values.iter().all(|x| (-1.0..1.0).contains(x)), "{dtype:?}");
            let mean = values.iter().sum::<f64>() / 20_000.0;
            let square = values.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
            assert!(mean.abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.02, "{dtype:?} {mean} {square}");
        }
    }

    #[test]
    fn exact_values_are_multiples_inside_the_interval_and_rarely_zero() {
        for (lo, hi) in [(-1.0, 1.0), (0.0, 1.0), (-2.0, 0.0), (0.1, 0.9), (100.0, 101.0), (-3.0, 64.0)] {
            for (dtype, len) in [(DType::F32, 4096), (DType::F16, 4096), (DType::Bf16, 40_000), (DType::F64, 300_000)] {
                let buffer = buffer(dtype, len, Fill::Uniform { lo, hi });
                let unit = exact_unit(std::slice::from_ref(&buffer));
                let Some(unit) = unit else {
                    assert_eq!(lo, 100.0, "only a narrow interval has none");
                    continue;
                };
                let bytes = filled(&buffer, 5, Values::ExactIntegers);
                let mut distinct = std::collections::BTreeSet::new();
                let zeros = bytes.chunks(dtype.size()).filter(|bytes| bytes.iter().all(|byte| *byte == 0)).count();
                let sparse = len > DENSE && lo <= 0.0 && hi > 0.0;
                let expected = if sparse { (len - DENSE) as f64 / len as f64 } else { 0.0 };
                assert!((zeros as f64 / len as f64 - expected).abs() < 0.01, "{zeros} of {len}");
                for element in bytes.chunks(dtype.size()).filter(|bytes| bytes.iter().any(|byte| *byte != 0)) {
                    let x = crate::compare::real(dtype, element);
                    let multiple = x / unit.sqrt();
                    assert!(multiple == multiple.round() && x != 0.0, "{x} of {unit}");
                    assert!((lo..hi).contains(&x), "{lo} {hi}: {x}");
                    distinct.insert(multiple as i64);
                }
                assert!(distinct.len() >= 2, "{lo} {hi}");
            }
        }
    }

    /// The last elements of a long buffer count as much as any, and sums of all of it stay exact.
    #[test]
    fn exact_values_of_a_long_buffer_are_few_and_never_zero_at_its_ends() {
        for len in [1_100_003u64, 3_000_000] {
            let buffer = buffer(DType::F32, len, Fill::Uniform { lo: -1.0, hi: 1.0 });
            let bytes = filled(&buffer, 5, Values::ExactIntegers);
            let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
            assert!(values[..ENDS as usize].iter().all(|x| *x != 0.0));
            assert!(values[values.len() - ENDS as usize..].iter().all(|x| *x != 0.0));
            let unit = exact_unit(std::slice::from_ref(&buffer)).unwrap();
            let magnitude: f64 = values.iter().map(|x| f64::from(x.abs())).sum();
            assert!(magnitude < 2f64.powi(20) * unit, "{magnitude} of {unit}");
            // Whatever regular part is left out, a sum shows it.
            for step in [3, 12, 32, 1000] {
                for first in 0..step {
                    assert!(values[first..].iter().step_by(step).any(|x| *x != 0.0), "{first} of {step}");
                }
            }
        }
    }

    /// Of delicate values every shorter significand, cut off or rounded, makes an error of one sign and of a size that shows.
    #[test]
    fn errors_of_delicate_values_add_up() {
        for (lo, hi) in [(-1.0, 1.0), (0.0, 1.0), (-200.0, 100.0), (-0.5, 1.5)] {
            let mut tiny = 0;
            for seed in 0..20 {
                let bytes = filled(&buffer(DType::F32, 1000, Fill::Uniform { lo, hi }), seed, Values::Delicate);
                let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
                assert!(values.iter().all(|x| (lo..hi).contains(&f64::from(*x)) && *x != 0.0));
                let sum: f64 = values.iter().map(|x| f64::from(*x)).sum();
                for bits in 8..=20u32 {
                    let cut = |x: f32| f32::from_bits(x.to_bits() >> (24 - bits) << (24 - bits));
                    let half = 1u32 << (23 - bits);
                    let rounded = |x: f32| cut(f32::from_bits(x.to_bits() + half));
                    for shorter in [&cut as &dyn Fn(f32) -> f32, &rounded] {
                        let shortened: f64 = values.iter().map(|x| f64::from(shorter(*x))).sum();
                        // A sixth of a unit in the last place kept, at least.
                        let error = ((shortened - sum) / sum).abs();
                        assert!(error > 2f64.powi(-(bits as i32)) / 6.0, "{bits} bits: {error}");
                    }
                }
                tiny += u32::from(values.iter().all(|x| x.abs() < 2e-4 * hi as f32));
            }
            assert!((8..20).contains(&tiny), "{tiny}");
        }
        let narrow = filled(&buffer(DType::F32, 1000, Fill::Uniform { lo: 100.0, hi: 101.0 }), 1, Values::Delicate);
        assert!(narrow.as_chunks().0.iter().all(|word| (100.0..101.0).contains(&f32::from_le_bytes(*word))));
        for dtype in [DType::F16, DType::Bf16] {
            let bytes = filled(&buffer(dtype, 1000, Fill::Uniform { lo: -1.0, hi: 1.0 }), 3, Values::Delicate);
            assert!(bytes.chunks(2).all(|element| crate::compare::real(dtype, element).abs() > 6.2e-5 / 8.0));
        }
    }

    /// A part of a buffer has the same bytes as the whole.
    #[test]
    fn any_part_of_a_buffer_can_be_filled() {
        let fills = [
            Fill::Uniform { lo: -1.0, hi: 1.0 },
            Fill::Integers { lo: -9, hi: 90 },
            Fill::Sorted { run: 7 },
            Fill::Scaled { lo: -10, hi: 10, len: 33 },
            Fill::Band { lo: -10.0, hi: 10.0, width: 2.0, len: 9 },
            Fill::Few { lo: 0, hi: 100, count: 5 },
            Fill::Iota,
            Fill::Constant(3.0),
            Fill::OneOf(vec![Fill::Iota, Fill::Uniform { lo: 0.0, hi: 1.0 }]),
        ];
        for fill in fills {
            for values in [Values::AsStated, Values::ExactIntegers, Values::Repeating, Values::Delicate] {
                for dtype in [DType::F32, DType::F16, DType::I64] {
                    let buffer = buffer(dtype, 70_000, fill.clone());
                    let whole = filled(&buffer, 11, values);
                    let size = dtype.size();
                    for (start, count) in [(0, 10), (17, 5000), (69_000, 1000)] {
                        let mut part = vec![0; count * size];
                        fill_part(&buffer, 11, values, start as u64, &mut part);
                        assert_eq!(part, whole[start * size..(start + count) * size], "{fill:?} {values:?} {dtype:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn sorted_integers_ascend_in_steps_of_one_and_runs_differ() {
        for (run, len) in [(1i64, 50), (7, 5000), (100, 40_000)] {
            for seed in 0..3 {
                let bytes = filled(&buffer(DType::I32, len, Fill::Sorted { run }), seed, Values::AsStated);
                let keys: Vec<i64> = bytes.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word).into()).collect();
                assert!(keys[0] <= 1 && keys.windows(2).all(|pair| (0..=1).contains(&(pair[1] - pair[0]))), "{run}");
                assert!(keys[keys.len() - 1] <= len.div_ceil(run as u64) as i64, "{run}");
                let runs: Vec<usize> = keys.chunk_by(|a, b| a == b).map(<[i64]>::len).collect();
                assert!(runs.iter().all(|&length| length < 2 * run as usize), "{run}: {runs:?}");
                assert!(run == 1 || runs.iter().any(|length| *length != runs[1]), "{run}: {runs:?}");
            }
        }
    }

    #[test]
    fn scaled_reals_share_an_exponent_for_a_stretch() {
        let fill = Fill::Scaled { lo: -100, hi: 100, len: 64 };
        let bytes = filled(&buffer(DType::F32, 64 * 200 + 5, fill), 4, Values::AsStated);
        let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
        let largest = |stretch: &[f32]| stretch.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let exponents: Vec<i32> =
            values.chunks_exact(64).map(|stretch| f64::from(largest(stretch)).log2().ceil() as i32).collect();
        // That none of 64 comes within a factor of 2 of the bound has a chance of 2^-64.
        assert!(exponents.iter().all(|exponent| (-100..=100).contains(exponent)));
        assert!(exponents.iter().min() < Some(&-80) && exponents.iter().max() > Some(&80), "{exponents:?}");
        for (stretch, exponent) in values.chunks_exact(64).zip(exponents) {
            let mean = stretch.iter().map(|x| f64::from(x.abs())).sum::<f64>() / 64.0 / 2f64.powi(exponent);
            assert!((0.3..0.7).contains(&mean), "{stretch:?}");
        }
        let negative = values.iter().filter(|x| **x < 0.0).count() as f64 / values.len() as f64;
        assert!((negative - 0.5).abs() < 0.02, "{negative}");
    }

    #[test]
    fn a_band_lies_elsewhere_in_each_run() {
        let buffer = buffer(DType::F32, 3000, Fill::Band { lo: 1000.0, hi: 4000.0, width: 1.0, len: 0 });
        let mut firsts = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let bytes = filled(&buffer, seed, Values::AsStated);
            let values = || bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word));
            let (least, most) = (values().fold(f32::INFINITY, f32::min), values().fold(0.0, f32::max));
            assert!(least >= 1000.0 && most <= 4000.0 && (0.98..=1.001).contains(&(most - least)), "{least} {most}");
            firsts.insert(least as i64 / 300);
        }
        assert!(firsts.len() >= 5, "{firsts:?}");
    }

    #[test]
    fn neighbours_in_a_band_lie_close_together() {
        let fill = Fill::Band { lo: 1000.0, hi: 4000.0, width: 64.0, len: 50 };
        let bytes = filled(&buffer(DType::F32, 3000, fill), 4, Values::AsStated);
        let values: Vec<f32> = bytes.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
        let spread = |values: &[f32]| {
            values.iter().fold(f32::MIN, |most, x| most.max(*x))
                - values.iter().fold(f32::MAX, |least, x| least.min(*x))
        };
        assert!((50.0..=64.01).contains(&spread(&values)), "{}", spread(&values));
        assert!(values.chunks(50).all(|stretch| (5.0..=8.01).contains(&spread(stretch))));
    }

    #[test]
    fn fills_take_turns_from_case_to_case_and_from_run_to_run() {
        let one_of = |fills: &[Fill]| buffer(DType::F32, 40, Fill::OneOf(fills.to_vec()));
        let three = [Fill::Zeros, Fill::Iota, Fill::Constant(7.0)];
        let turn = |seed: u64| {
            let bytes = filled(&one_of(&three), seed, Values::AsStated);
            three
                .iter()
                .position(|fill| bytes == filled(&one_of(&[fill.clone(), fill.clone()]), seed, Values::AsStated))
        };
        for seed in [5, 6, 7, u64::MAX - 1, u64::MAX] {
            let second = super::second_seed(seed);
            assert_eq!(turn(second), turn(seed % 3).map(|turn| (turn + 1) % 3), "seed {seed}");
        }
        assert_ne!(turn(8), turn(9));
        // The runs over chosen values take the fill that has such values.
        let mixed = one_of(&[Fill::Zeros, Fill::Uniform { lo: -1.0, hi: 1.0 }]);
        assert!(exact_unit(std::slice::from_ref(&mixed)).is_some());
        for seed in 0..2 {
            assert!(filled(&mixed, seed, Values::ExactIntegers).iter().any(|byte| *byte != 0));
        }
    }

    #[test]
    fn few_numbers_come_often_and_are_others_in_each_run() {
        let buffer = buffer(DType::I32, 3000, Fill::Few { lo: -2_147_483_647, hi: -1, count: 40 });
        let mut all = std::collections::BTreeSet::new();
        for seed in 0..5 {
            let bytes = filled(&buffer, seed, Values::AsStated);
            let values: std::collections::BTreeSet<i32> =
                bytes.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word)).collect();
            assert_eq!(values.len(), 40);
            assert!(values.iter().all(|value| *value < 0) && values.first() < Some(&-1_900_000_000), "{values:?}");
            all.extend(values);
        }
        assert_eq!(all.len(), 200);
    }

    #[test]
    fn too_large_for_the_host_is_an_error() {
        let huge = buffer(DType::F64, u64::MAX / 4, Fill::Zeros);
        assert!(matches!(fill(&huge, 0, Values::AsStated, Path::new(".")), Err(FillError::TooLarge { .. })));
    }
}

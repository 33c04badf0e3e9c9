//! What buffers hold before a run.
//!
//! A value depends on (seed, buffer name, index) and nothing else: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) used
//! as a counter-based generator, so that a buffer is filled by any number of threads, in any process, with the same
//! bytes.

mod draw;
mod part;
mod sizes;

use crate::{edges, npy};
pub use draw::{TURNS, chosen, end, first_turn, inner_edges, turns};
use draw::{chosen_for, draw, grid, uniform};
use part::Part;
use plan::dtype::DType;
use plan::stream::Stream;
use plan::{Buffer, Fill, Role};
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
    /// The same from the thirteenth digit on, as of more different numbers one is the largest, and all of them so tiny that what makes them smaller on the way loses digits.
    Tiny,
    /// The same, and tinier: as sums and multiples may be, and products may not.
    Minute,
    /// Uniform reals are replaced by ones of all orders of magnitude beside each other: what is large in one place must not make errors in
    /// another.
    Sizes,
    /// As the problem says, and some elements of what is drawn one by one are an interval's ends, 0, what is next to them, or
    /// words of one pattern of bits: values that no draw meets.
    Edges,
    /// All elements of a buffer that is drawn one by one lie at one end of its interval: integers are it, reals fill its last part. Sums are as
    /// large as they can be.
    Ends,
    /// Elements of a buffer that is drawn one by one are the same as their neighbours, in stretches of a power of two or all of them. Reals
    /// are those of [`Values::ExactIntegers`], or the same rounding would add up; in one stretch of eight they are 0, if they may be.
    Alike,
}

impl Values {
    /// Drawn as the problem says, but for single elements?
    pub fn are_stated(self) -> bool {
        matches!(self, Self::AsStated | Self::Edges)
    }
}

/// Elements after which [`Values::Repeating`] begins again.
const PERIOD: u64 = 32;

/// The bytes of `buffer` before a run (little-endian). `dir` is where relative NumPy paths start. A buffer without a
/// fill is all zero.
pub fn fill(buffer: &Buffer, seed: u64, values: Values, dir: &Path) -> Result<Vec<u8>, FillError> {
    if let Some(held) = held(buffer) {
        let (narrow, mut wide) = (fill(&held, seed, values, dir)?, zeroed(buffer)?);
        widen(held.dtype, &narrow, &mut wide);
        return Ok(wide);
    }
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
    fn from_file(fill: &Fill) -> bool {
        match fill {
            Fill::Npy(_) => true,
            Fill::OneOf(fills) => fills.iter().any(from_file),
            Fill::Held { fill, .. } => from_file(fill),
            _ => false,
        }
    }
    buffer.fill.as_ref().is_some_and(from_file)
}

/// The bytes of some elements of `buffer`, from element `start` on; zeros where they come from a file.
pub fn fill_part(buffer: &Buffer, seed: u64, values: Values, start: u64, bytes: &mut [u8]) {
    if let Some(held) = held(buffer) {
        let mut narrow = vec![0; bytes.len() / size_of::<f64>() * held.dtype.size()];
        fill_part(&held, seed, values, start, &mut narrow);
        return widen(held.dtype, &narrow, bytes);
    }
    let stream = Stream::new(seed, &buffer.name);
    draw(buffer, (seed, values), stream, Part { start, bytes });
    if let (Some(fill), Values::Edges) = (chosen_for(buffer, seed, values), values) {
        edges::put(buffer, fill, seed, stream, start, bytes);
    }
}

/// The buffer whose values this one holds in f64, if it does.
fn held(buffer: &Buffer) -> Option<Buffer> {
    let Some(Fill::Held { dtype, fill }) = &buffer.fill else { return None };
    Some(Buffer { dtype: *dtype, fill: Some((**fill).clone()), ..buffer.clone() })
}

/// Writes floats as f64.
fn widen(dtype: DType, narrow: &[u8], wide: &mut [u8]) {
    for (from, to) in narrow.chunks_exact(dtype.size()).zip(wide.as_chunks_mut().0) {
        *to = crate::compare::real(dtype, from).to_le_bytes();
    }
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

/// Does [`Values::Delicate`] mean anything for this buffer?
pub fn is_delicate(buffer: &Buffer) -> bool {
    uniform(buffer).is_some() && buffer.dtype.is_float()
}

/// Does [`Values::Ends`] mean anything for this buffer?
pub fn has_ends(buffer: &Buffer) -> bool {
    let drawn = |fill: &Fill| matches!(fill, Fill::Uniform { .. } | Fill::Integers { .. });
    buffer.role != Role::Out && chosen_for(buffer, 0, Values::Ends).is_some_and(drawn)
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

/// The seed of the run that follows without reloading the module. Of the fills of an input it takes the next.
pub fn second_seed(seed: u64) -> u64 {
    let bits = Stream::new(seed, "second run").bits(0) / 2;
    first_turn(bits) + (seed % TURNS + 1) % TURNS
}

#[cfg(test)]
mod tests;

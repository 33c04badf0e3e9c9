//! How a buffer is filled on the device: the numbers that the kernel `draw` takes. It gives the bytes that
//! [`fill`](crate::fill::fill) gives for the same seed, so that a buffer may be drawn on either side.

use crate::fill::chosen;
use plan::dtype::DType;
use plan::stream::Stream;
use plan::{Buffer, Fill};

/// As in `tools.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Uniform,
    Scaled,
    Band,
    ConstantReal,
    Integers,
    Sorted,
    Few,
    Iota,
    ConstantInteger,
}

/// What `draw` is told besides where to write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    dtype: DType,
    len: u64,
    kind: Kind,
    key: u64,
    lo: f64,
    hi: f64,
    first: f64,
    width: f64,
    least: i64,
    /// How many integers there are to choose from; 0 means 2^64.
    range: u64,
    count: i64,
}

impl Recipe {
    /// For a buffer in the run of `seed`, with values as stated; `None` for one that comes from a file.
    pub fn new(buffer: &Buffer, seed: u64) -> Option<Self> {
        let stream = Stream::new(seed, &buffer.name);
        let mut recipe = Self {
            dtype: buffer.dtype,
            len: buffer.len,
            kind: Kind::ConstantInteger,
            key: stream.key(),
            lo: f64::NEG_INFINITY,
            hi: f64::INFINITY,
            first: 0.0,
            width: 0.0,
            least: 0,
            range: 1,
            count: 1,
        };
        let range = |lo: i64, hi: i64| hi.wrapping_sub(lo).wrapping_add(1).cast_unsigned();
        match chosen(buffer, seed) {
            None | Some(Fill::Zeros) => {}
            Some(Fill::Uniform { lo, hi }) => {
                recipe.kind = Kind::Uniform;
                (recipe.lo, recipe.hi, recipe.first, recipe.width) = (*lo, *hi, *lo, hi - lo);
            }
            Some(Fill::Integers { lo, hi }) => {
                recipe.kind = Kind::Integers;
                (recipe.least, recipe.range) = (*lo, range(*lo, *hi));
            }
            Some(Fill::Sorted { run, short }) => {
                (recipe.kind, recipe.count, recipe.least) = (Kind::Sorted, *run, *short);
            }
            Some(Fill::Scaled { lo, hi, len }) => {
                recipe.kind = Kind::Scaled;
                (recipe.least, recipe.range, recipe.count) = (*lo, range(*lo, *hi), *len);
            }
            Some(Fill::Band { lo, hi, width, len }) => {
                recipe.kind = Kind::Band;
                let first = lo + stream.unit(u64::MAX) * (hi - lo - width);
                (recipe.lo, recipe.hi, recipe.first, recipe.width, recipe.count) = (first, *hi, first, *width, *len);
            }
            Some(Fill::Few { lo, hi, count }) => {
                recipe.kind = Kind::Few;
                (recipe.least, recipe.range, recipe.count) = (*lo, range(*lo, *hi), *count);
            }
            Some(Fill::Iota) => recipe.kind = Kind::Iota,
            Some(Fill::Constant(value)) if buffer.dtype.is_float() => {
                (recipe.kind, recipe.first) = (Kind::ConstantReal, *value);
            }
            Some(Fill::Constant(value)) => recipe.least = *value as i64,
            Some(Fill::Npy(_) | Fill::OneOf(_) | Fill::Held { .. }) => return None,
        }
        Some(recipe)
    }

    /// The kernel's arguments, each in the lowest bytes of a word.
    pub fn arguments(&self, address: u64) -> [u64; 12] {
        let integer = i64::cast_unsigned;
        [
            address,
            self.len,
            self.dtype.index(),
            self.kind as u64,
            self.key,
            self.lo.to_bits(),
            self.hi.to_bits(),
            self.first.to_bits(),
            self.width.to_bits(),
            integer(self.least),
            self.range,
            integer(self.count),
        ]
    }
}

/// Does another seed give other values?
pub fn varies(buffer: &Buffer) -> bool {
    let fixed = |fill: &Fill| matches!(fill, Fill::Iota | Fill::Zeros | Fill::Constant(_) | Fill::Npy(_));
    buffer.fill.as_ref().is_some_and(|fill| !fixed(fill))
}

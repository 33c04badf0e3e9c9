//! A stretch of a buffer, filled value by value by several threads.

use half::bf16;
use plan::dtype::{DType, half};
use rayon::prelude::*;

/// Elements a task; a chunk's bytes stay within a core's cache.
const CHUNK: usize = 1 << 14;

/// Elements of a buffer, from one on.
pub(super) struct Part<'a> {
    pub(super) start: u64,
    pub(super) bytes: &'a mut [u8],
}

fn each<const N: usize>(part: Part<'_>, value: impl Fn(u64) -> [u8; N] + Sync) {
    chunks(part, N, &|first, bytes| {
        for (offset, element) in bytes.as_chunks_mut::<N>().0.iter_mut().enumerate() {
            *element = value(first + offset as u64);
        }
    });
}

/// Hands out `CHUNK` elements of `size` bytes at a time, with the number of their first. Compiled once, not for every fill and type.
fn chunks(part: Part<'_>, size: usize, fill: &(dyn Fn(u64, &mut [u8]) + Sync)) {
    let start = part.start;
    // A page of sparse memory is not worth waking other threads for.
    if part.bytes.len() <= size * CHUNK {
        fill(start, part.bytes);
    } else {
        part.bytes
            .par_chunks_mut(size * CHUNK)
            .enumerate()
            .for_each(|(chunk, bytes)| fill(start + (chunk * CHUNK) as u64, bytes));
    }
}

/// Stores reals in [lo, hi); a value that rounds up to `hi` becomes `lo`.
pub(super) fn reals(dtype: DType, bytes: Part<'_>, lo: f64, hi: f64, value: impl Fn(u64) -> f64 + Sync) {
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
pub(super) fn integers(dtype: DType, bytes: Part<'_>, value: impl Fn(u64) -> i64 + Sync) {
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

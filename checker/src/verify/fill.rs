//! What buffers hold before a run.
//!
//! A value depends on (seed, buffer name, index) and nothing else: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) used
//! as a counter-based generator, so that a buffer is filled by any number of threads, in any process, with the same
//! bytes.

use crate::dtype::DType;
use crate::plan::{Buffer, Fill};
use crate::verify::npy;
use half::{bf16, f16};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Independent random bits for every index.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    key: u64,
}

impl Stream {
    /// The stream of buffer `name` in the run of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, so that two buffers of one run differ.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Self { key: mix(seed ^ mix(hash)) }
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(self, index: u64) -> u64 {
        mix(self.key.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A real in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 * 2f64.powi(-53)
    }

    /// An integer in [lo, hi], both included.
    #[inline]
    pub fn integer(self, index: u64, lo: i64, hi: i64) -> i64 {
        let range = (i128::from(hi) - i128::from(lo) + 1).max(1) as u128;
        let draw = (u128::from(self.bits(index)) * range) >> 64;
        (i128::from(lo) + draw as i128) as i64
    }
}

/// SplitMix64's finaliser.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

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
    /// Uniform reals are replaced by small integers other than 0, so that sums and products of pairs are exact and
    /// every element counts: a kernel that skips one cannot hide behind the tolerance.
    ExactIntegers,
}

/// The bytes of `buffer` before a run (little-endian). `dir` is where relative NumPy paths start. A buffer without a
/// fill is all zero.
pub fn fill(buffer: &Buffer, seed: u64, values: Values, dir: &Path) -> Result<Vec<u8>, FillError> {
    let mut bytes = zeroed(buffer)?;
    let stream = Stream::new(seed, &buffer.name);
    match (&buffer.fill, values) {
        (None | Some(Fill::Zeros), _) => {}
        (Some(Fill::Uniform { lo, hi }), Values::ExactIntegers) => {
            let most = exact_amplitude(buffer.len);
            let (lo, hi) = (*lo, *hi);
            integers(buffer.dtype, &mut bytes, |index| {
                let draw = stream.integer(index, 1, 2 * most);
                let magnitude = if draw > most { draw - most } else { draw };
                let negative = if lo >= 0.0 { false } else { hi <= 0.0 || draw > most };
                if negative { -magnitude } else { magnitude }
            });
        }
        (Some(Fill::Uniform { lo, hi }), Values::AsStated) => {
            let (lo, hi) = (*lo, *hi);
            reals(buffer.dtype, &mut bytes, lo, hi, |index| lo + stream.unit(index) * (hi - lo));
        }
        (Some(Fill::Integers { lo, hi }), _) => {
            integers(buffer.dtype, &mut bytes, |index| stream.integer(index, *lo, *hi));
        }
        (Some(Fill::Iota), _) => integers(buffer.dtype, &mut bytes, |index| index as i64),
        (Some(Fill::Constant(value)), _) => {
            if buffer.dtype.is_float() {
                reals(buffer.dtype, &mut bytes, f64::NEG_INFINITY, f64::INFINITY, |_| *value);
            } else {
                integers(buffer.dtype, &mut bytes, |_| *value as i64);
            }
        }
        (Some(Fill::Npy(file)), _) => {
            let path = dir.join(file);
            bytes = npy::read(&path, buffer.dtype, buffer.len).map_err(|message| FillError::Npy {
                name: buffer.name.clone(),
                path,
                message,
            })?;
        }
    }
    Ok(bytes)
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

/// The largest integer A for which sums of `len` products of two values up to A stay below 2^24, at most 8.
fn exact_amplitude(len: u64) -> i64 {
    ((2f64.powi(24) / len.max(1) as f64).sqrt() as i64).clamp(1, 8)
}

/// Elements a task; a chunk's bytes stay within a core's cache.
const CHUNK: usize = 1 << 14;

fn each<const N: usize>(bytes: &mut [u8], value: impl Fn(u64) -> [u8; N] + Sync) {
    bytes.par_chunks_mut(N * CHUNK).enumerate().for_each(|(chunk, bytes)| {
        let first = (chunk * CHUNK) as u64;
        for (offset, element) in bytes.as_chunks_mut::<N>().0.iter_mut().enumerate() {
            *element = value(first + offset as u64);
        }
    });
}

/// Stores reals in [lo, hi); a value that rounds up to `hi` becomes `lo`.
fn reals(dtype: DType, bytes: &mut [u8], lo: f64, hi: f64, value: impl Fn(u64) -> f64 + Sync) {
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
            let x = f16::from_f64(value(index));
            (if x.to_f64() < hi { x } else { f16::from_f64(lo) }).to_le_bytes()
        }),
        DType::Bf16 => each(bytes, |index| {
            let x = bf16::from_f64(value(index));
            (if x.to_f64() < hi { x } else { bf16::from_f64(lo) }).to_le_bytes()
        }),
        _ => integers(dtype, bytes, |index| value(index).floor() as i64),
    }
}

/// Stores integers, wrapped to the type's width; rounded for float types.
fn integers(dtype: DType, bytes: &mut [u8], value: impl Fn(u64) -> i64 + Sync) {
    match dtype {
        DType::F64 => each(bytes, |index| (value(index) as f64).to_le_bytes()),
        DType::F32 => each(bytes, |index| (value(index) as f32).to_le_bytes()),
        DType::F16 => each(bytes, |index| f16::from_f64(value(index) as f64).to_le_bytes()),
        DType::Bf16 => each(bytes, |index| bf16::from_f64(value(index) as f64).to_le_bytes()),
        DType::I8 | DType::U8 => each(bytes, |index| (value(index) as u8).to_le_bytes()),
        DType::I16 | DType::U16 => each(bytes, |index| (value(index) as u16).to_le_bytes()),
        DType::I32 | DType::U32 => each(bytes, |index| (value(index) as u32).to_le_bytes()),
        DType::I64 | DType::U64 => each(bytes, |index| value(index).to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Role;

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
                bytes.chunks(dtype.size()).map(|element| crate::verify::compare::real(dtype, element)).collect();
            assert!(values.iter().all(|x| (-1.0..1.0).contains(x)), "{dtype:?}");
            let mean = values.iter().sum::<f64>() / 20_000.0;
            let square = values.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
            assert!(mean.abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.02, "{dtype:?} {mean} {square}");
        }
    }

    #[test]
    fn exact_integers_are_small_and_never_zero() {
        for (lo, hi) in [(-1.0, 1.0), (0.0, 1.0), (-2.0, 0.0)] {
            let bytes = filled(&buffer(DType::F32, 4096, Fill::Uniform { lo, hi }), 5, Values::ExactIntegers);
            for element in bytes.chunks(4) {
                let x = crate::verify::compare::real(DType::F32, element);
                assert!(x == x.round() && x != 0.0 && x.abs() <= 8.0, "{x}");
                assert!((lo < 0.0 || x > 0.0) && (hi > 0.0 || x < 0.0), "{lo} {hi}: {x}");
            }
        }
    }

    #[test]
    fn too_large_for_the_host_is_an_error() {
        let huge = buffer(DType::F64, u64::MAX / 4, Fill::Zeros);
        assert!(matches!(fill(&huge, 0, Values::AsStated, Path::new(".")), Err(FillError::TooLarge { .. })));
    }
}

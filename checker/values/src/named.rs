//! Numbers that stand in a kernel's code, as elements of its inputs: what it does about one value alone no draw meets.

use crate::compare::real;
use crate::edges;
use crate::fill::chosen;
use crate::tolerance::ulp;
use plan::dtype::DType;
use plan::stream::Stream;
use plan::{Buffer, Fill};

/// Places of a buffer that hold such a number at most, and the part of it that does.
const PLACES: u64 = 128;
const PART: u64 = 4;
/// The part where all other elements are one end: each can be the largest or the smallest of those around it.
const SINGLE: u64 = 200;
/// Bits that may be asked for under a mask.
const MASKED: [u32; 2] = [8, 16];
/// Numbers from here on are seldom places, strides or sizes.
const LARGE: u64 = 1024;

/// Puts some of `numbers`, as the code has them (integers, the bits of reals), and what is next to them into a buffer, as far as they lie in
/// the interval that its elements are drawn from. `single`: seldom, as all other elements are alike.
pub fn put(buffer: &Buffer, numbers: &[i64], seed: u64, single: bool, bytes: &mut [u8]) {
    let (dtype, size) = (buffer.dtype, buffer.dtype.size());
    let Some(inside) = inside(buffer, seed) else { return };
    let of = |numbers: &[i64]| -> Vec<u64> {
        numbers.iter().flat_map(|number| words(*number, dtype)).filter(|word| inside(*word)).collect()
    };
    let large: Vec<i64> = numbers.iter().copied().filter(|number| number.unsigned_abs() >= LARGE).collect();
    let (all, large) = (of(numbers), of(&large));
    let low: Vec<u64> = numbers.iter().filter_map(|number| u64::try_from(*number).ok()).collect();
    let stream = Stream::new(seed, &format!("numbers of {}", buffer.name));
    let pick = |at: u64, among: &[u64]| Some(among[stream.integer(at, 0, among.len().checked_sub(1)? as i64) as usize]);
    let places = if single { buffer.len / SINGLE } else { (buffer.len / PART).min(PLACES) };
    for place in 0..places {
        let [here, which, kind, mask] = std::array::from_fn(|part| 4 * place + part as u64);
        let at = stream.integer(here, 0, buffer.len as i64 - 1) as usize * size;
        let Some(element) = bytes.get_mut(at..at + size) else { continue };
        let word = match stream.integer(kind, 0, 2) {
            0 if !single => {
                let bits = MASKED[stream.integer(mask, 0, 1) as usize];
                let mut drawn = [0; 8];
                drawn[..size].copy_from_slice(element);
                let with = |low: u64| u64::from_le_bytes(drawn) >> bits << bits | low;
                pick(which, &low).filter(|low| *low >> bits == 0).map(with)
            }
            1 => pick(which, &all),
            _ => pick(which, &large).or_else(|| pick(which, &all)),
        };
        if let Some(word) = word.filter(|word| inside(*word)) {
            element.copy_from_slice(&word.to_le_bytes()[..size]);
        }
    }
}

/// Whether an element may be such a word; nothing where an element may not be whatever lies in an interval.
fn inside(buffer: &Buffer, seed: u64) -> Option<impl Fn(u64) -> bool + use<>> {
    let dtype = buffer.dtype;
    let (lo, hi, whole) = interval(buffer, seed)?;
    Some(move |word: u64| {
        let real = real(dtype, &word.to_le_bytes()[..dtype.size()]);
        // An atomic addition flushes a subnormal single, and a right kernel may do that.
        let subnormal = dtype.is_float() && real != 0.0 && ulp(real, dtype) == ulp(0.0, dtype);
        !subnormal && real >= lo && (real < hi || whole && real <= hi) && (!whole || real.fract() == 0.0)
    })
}

/// The interval of which any element may be any number, and whether these are integers (then both ends are); nothing where not every
/// number is as good as another.
pub fn interval(buffer: &Buffer, seed: u64) -> Option<(f64, f64, bool)> {
    match *chosen(buffer, seed)? {
        Fill::Uniform { lo, hi } => Some((lo, hi, false)),
        Fill::Integers { lo, hi } | Fill::Few { lo, hi, .. } => Some((lo as f64, hi as f64, true)),
        // Of reals a band is a promise.
        Fill::Band { lo, hi, .. } if !buffer.dtype.is_float() => Some((lo, hi, true)),
        _ => None,
    }
}

/// What a number in the code may be as an element, with its neighbours.
fn words(number: i64, dtype: DType) -> Vec<u64> {
    if !dtype.is_float() {
        return [number.checked_sub(1), Some(number), number.checked_add(1)]
            .into_iter()
            .flatten()
            .map(|n| n as u64)
            .collect();
    }
    let single = f64::from(f32::from_bits(number as u32));
    let reals = [number as f64, f64::from_bits(number as u64), single];
    let reals = reals.into_iter().filter(|real| real.is_finite()).map(|real| edges::bits(real, dtype));
    reals.flat_map(|word| [edges::next(word, dtype, false), word, edges::next(word, dtype, true)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Role;

    fn put_into(dtype: DType, fill: Fill, numbers: &[i64]) -> Vec<f64> {
        let buffer = Buffer { name: "a".into(), dtype, len: 400, role: Role::In, fill: Some(fill) };
        let mut bytes = vec![0x11; 400 * dtype.size()];
        put(&buffer, numbers, 7, false, &mut bytes);
        bytes.chunks(dtype.size()).map(|bytes| real(dtype, bytes)).collect()
    }

    #[test]
    fn numbers_of_the_code_stand_among_the_inputs() {
        let whole = put_into(DType::I32, Fill::Integers { lo: 0, hi: 1 << 30 }, &[4711, -3, 1 << 31]);
        for wanted in [4710.0, 4711.0, 4712.0] {
            assert!(whole.contains(&wanted), "{wanted}");
        }
        // 0x11111111 with the lowest bits of 4711.
        assert!(whole.contains(&f64::from(0x1111_0000 + 4711)));
        assert!(whole.iter().all(|number| (0.0..=f64::from(1 << 30)).contains(number)));
        let bits = i64::from(0.75f32.to_bits());
        let reals = put_into(DType::F32, Fill::Uniform { lo: -1.0, hi: 1.0 }, &[bits, 2, 1]);
        assert!(reals.contains(&0.75) && reals.contains(&f64::from(0.75f32.next_up())), "{reals:?}");
        assert!(!reals.contains(&1.0), "the end is no number of the interval");
        assert!(reals.iter().all(|real| *real == 0.0 || real.abs() > 1e-37), "2 as bits is subnormal");
        assert_eq!(put_into(DType::F32, Fill::Iota, &[1, 2, 3]), put_into(DType::F32, Fill::Iota, &[]));
    }
}

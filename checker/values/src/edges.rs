//! Values that drawing alone never meets: an interval's ends, 0 and what is next to them, words of one pattern of bits. A run
//! over [`Values::Edges`](super::fill::Values) puts some of them into every buffer whose elements are drawn one by one.

use super::tolerance::significand_bits;
use half::{bf16, f16};
use plan::dtype::{DType, half};
use plan::stream::Stream;
use plan::{Buffer, Fill};

/// Places of a buffer that hold such a value, beside a few for values near them.
const PLACES: u64 = 12;
/// Of those the first and last elements, whose values take turns from one seed to the next.
const ENDS: [u64; 3] = [0, u64::MAX, 1];
/// And two neighbours with the ends of the interval: the widest range that a few elements can have.
const RANGE: [u64; 2] = [3, 4];
/// Every second time all integers of a buffer as short as this are one end: only that shows what a search for the least begins with.
const SHORT: u64 = 64;

/// Puts edge values into the elements of `bytes`, which begin with element `start` of the buffer filled by `fill`.
pub fn put(buffer: &Buffer, fill: &Fill, seed: u64, stream: Stream, start: u64, bytes: &mut [u8]) {
    let Some(words) = words(fill, buffer.dtype) else { return };
    let size = buffer.dtype.size();
    // Buffers of one fill have different values at the same place.
    let turn = seed.wrapping_add(Stream::new(0, &buffer.name).bits(0) >> 8);
    if is_one_end(buffer, fill) && turn % 4 < 2 {
        let word = words[(turn % 2) as usize % words.len()].to_le_bytes();
        bytes.chunks_exact_mut(size).for_each(|element| element.copy_from_slice(&word[..size]));
        return;
    }
    let near = near(fill, buffer.dtype, stream);
    // Half of a short buffer stays as drawn; of one element all is edge.
    let places = (PLACES + near.len() as u64).min(buffer.len.div_ceil(2));
    let mut taken: Vec<u64> = Vec::new();
    for place in 0..places {
        let drawn = |place: u64| stream.integer(!place, 0, buffer.len.saturating_sub(2) as i64) as u64;
        let (mut at, word) = match place {
            _ if RANGE.contains(&place) => (drawn(RANGE[0]) + (place - RANGE[0]), (turn + place) % 2),
            _ => {
                let at = ENDS.get(place as usize).map_or_else(|| drawn(place), |end| (*end).min(buffer.len - 1));
                // The others have one value after the other.
                (at, turn + place - if place > RANGE[1] { RANGE.len() as u64 } else { 0 })
            }
        };
        // In a short buffer many would meet, and 0 be no more.
        while place > RANGE[1] && taken.contains(&at) {
            at = (at + 1) % buffer.len;
        }
        taken.push(at);
        let word = match place.checked_sub(PLACES) {
            Some(place) => near[place as usize],
            None => words[(word % words.len() as u64) as usize],
        };
        let Some(offset) = at.checked_sub(start).map(|offset| offset as usize * size) else { continue };
        if let Some(element) = bytes.get_mut(offset..offset + size) {
            element.copy_from_slice(&word.to_le_bytes()[..size]);
        }
    }
}

/// May all elements be the same end?
fn is_one_end(buffer: &Buffer, fill: &Fill) -> bool {
    matches!(fill, Fill::Integers { .. }) && !buffer.dtype.is_float() && buffer.len <= SHORT
}

/// Parts of an interval by two to the powers, from and to, in which a few drawn values lie: as often in its last thousandth as before.
const PARTS: (i64, i64) = (3, 20);

/// Values near the ends of the interval and near 0, as often within any part of it as within the half of that.
fn near(fill: &Fill, dtype: DType, stream: Stream) -> Vec<u64> {
    let (lo, hi) = match *fill {
        Fill::Uniform { lo, hi } => (lo, hi),
        Fill::Integers { lo, hi } => (lo as f64, hi as f64),
        _ => return Vec::new(),
    };
    let away = |at: u64| {
        let part = (1.0 + stream.unit(at)) * 2f64.powi(-stream.integer(!at, PARTS.0, PARTS.1) as i32);
        part * (hi - lo)
    };
    let whole = matches!(fill, Fill::Integers { .. });
    let values = [lo + away(0), hi - away(1), away(2), -away(3)].map(|real| if whole { real.round() } else { real });
    let words = values.map(|real| if dtype.is_float() { bits(real, dtype) } else { real as i64 as u64 });
    // Rounding may have led out of it.
    let real = |word: u64| if dtype.is_float() { value(word, dtype) } else { word as i64 as f64 };
    words.into_iter().filter(|word| (lo..hi).contains(&real(*word))).collect()
}

/// An end of the interval.
pub fn end(fill: &Fill, dtype: DType, upper: bool) -> Option<u64> {
    // They begin with the ends.
    let words = words(fill, dtype)?;
    words.get(usize::from(upper)).or(words.first()).copied()
}

/// The edge values besides the two ends.
pub fn inner(fill: &Fill, dtype: DType) -> Vec<u64> {
    words(fill, dtype).map(|words| words.into_iter().skip(2).collect()).unwrap_or_default()
}

/// The edge values of what is drawn one by one.
fn words(fill: &Fill, dtype: DType) -> Option<Vec<u64>> {
    Some(match *fill {
        Fill::Uniform { lo, hi } if dtype.is_float() => reals(lo, hi, dtype),
        Fill::Uniform { lo, hi } => integers(lo.floor() as i64, hi.ceil() as i64 - 1, dtype),
        Fill::Integers { lo, hi } => integers(lo, hi, dtype),
        _ => return None,
    })
}

/// Of an interval [lo, hi) of reals: the ends and what lies next to them, and zeros with what lies next to those, as bits.
fn reals(lo: f64, hi: f64, dtype: DType) -> Vec<u64> {
    let (mut first, mut last) = (bits(lo, dtype), bits(hi, dtype));
    while value(first, dtype) < lo {
        first = next(first, dtype, true);
    }
    while value(last, dtype) >= hi && last != first {
        last = next(last, dtype, false);
    }
    let (zero, minus) = (0, sign(dtype));
    let normal = 1 << mantissa(dtype);
    let all = [
        first,
        last,
        zero,
        minus,
        next(first, dtype, true),
        1,
        next(last, dtype, false),
        minus | 1,
        normal,
        minus | normal,
    ];
    let mut words: Vec<u64> = Vec::new();
    for word in all {
        let real = value(word, dtype);
        // -0 is no number of an interval that begins with 0.
        let inside = real >= lo && real < hi && (word != minus || lo < 0.0);
        if inside && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() { vec![first] } else { words }
}

/// The bits of the number of a float type that is nearest.
pub fn bits(real: f64, dtype: DType) -> u64 {
    match dtype {
        DType::F64 => real.to_bits(),
        DType::F16 => half(real).to_bits().into(),
        DType::Bf16 => bf16::from_f64(real).to_bits().into(),
        _ => (real as f32).to_bits().into(),
    }
}

fn value(bits: u64, dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(bits),
        DType::F16 => f16::from_bits(bits as u16).to_f64(),
        DType::Bf16 => bf16::from_bits(bits as u16).to_f64(),
        _ => f32::from_bits(bits as u32).into(),
    }
}

/// The bit of a float type's sign.
fn sign(dtype: DType) -> u64 {
    1 << (dtype.size() * 8 - 1)
}

/// Stored bits of a float type's significand.
fn mantissa(dtype: DType) -> i32 {
    significand_bits(dtype) - 1
}

/// The next number of a float type, up or down; both zeros are one.
pub fn next(bits: u64, dtype: DType, up: bool) -> u64 {
    let sign = sign(dtype);
    match (bits & !sign, bits & sign == 0) {
        (0, _) if up => 1,
        (0, _) => sign | 1,
        (_, positive) if positive == up => bits + 1,
        _ => bits - 1,
    }
}

/// Of an interval [lo, hi] of integers: its ends and their neighbours, 0, 1 and -1, and words whose pairs of bits are all alike.
fn integers(lo: i64, hi: i64, dtype: DType) -> Vec<u64> {
    let bits = dtype.size() as u32 * 8;
    let signed_type = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    let word = |pattern: u64| {
        let low = pattern & (u64::MAX >> (64 - bits));
        let signed = ((low << (64 - bits)) as i64) >> (64 - bits);
        if signed_type { signed } else { low as i64 }
    };
    let patterns =
        [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, u64::MAX, 1 << (bits - 1), (1 << (bits - 1)) - 1].map(word);
    let near = [lo, hi, 0, lo.saturating_add(1), hi.saturating_sub(1), 1, -1];
    let mut words: Vec<u64> = Vec::new();
    for value in near.into_iter().chain(if dtype.is_float() { [0; 5] } else { patterns }) {
        let word = if dtype.is_float() { self::bits(value as f64, dtype) } else { value as u64 };
        if (lo..=hi).contains(&value) && !words.contains(&word) {
            words.push(word);
        }
    }
    if words.is_empty() { vec![lo as u64] } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::{Values, fill};
    use plan::Role;
    use std::path::Path;

    fn filled(dtype: DType, len: u64, of: &Fill, seed: u64, values: Values) -> Vec<Vec<u8>> {
        let buffer = Buffer { name: "a".into(), dtype, len, role: Role::In, fill: Some(of.clone()) };
        let bytes = fill(&buffer, seed, values, Path::new(".")).unwrap();
        bytes.chunks(dtype.size()).map(<[u8]>::to_vec).collect()
    }

    #[test]
    fn near_the_edges() {
        let drawn = |fill: &Fill, dtype| {
            (0..200).flat_map(|seed| near(fill, dtype, Stream::new(seed, "a"))).collect::<Vec<_>>()
        };
        let reals: Vec<f64> = drawn(&Fill::Uniform { lo: -2.0, hi: 2.0 }, DType::F32)
            .iter()
            .map(|word| value(*word, DType::F32))
            .collect();
        assert!(reals.iter().all(|x| (-2.0..=2.0).contains(x)));
        for (from, to) in [(-2.0, -1.9999), (-1.99, -1.9), (1.9999, 2.0), (0.0, 1e-4), (-1e-4, 0.0), (0.1, 0.2)] {
            assert!(reals.iter().any(|x| *x > from && *x < to), "{from} to {to}");
        }
        let whole: Vec<i64> =
            drawn(&Fill::Integers { lo: -5, hi: 4_000_000_000 }, DType::I64).iter().map(|x| *x as i64).collect();
        assert!(whole.iter().all(|x| (-5..=4_000_000_000).contains(x)) && whole.iter().any(|x| *x > 3_999_900_000));
        let whole = drawn(&Fill::Integers { lo: -8, hi: 8 }, DType::F32);
        assert!(whole.iter().all(|word| value(*word, DType::F32).fract() == 0.0), "integers, held as reals");
        assert_eq!(near(&Fill::Iota, DType::F32, Stream::new(1, "a")), []);
    }

    #[test]
    fn edges_of_intervals() {
        let reals = |lo, hi| reals(lo, hi, DType::F32).iter().map(|word| value(*word, DType::F32)).collect::<Vec<_>>();
        let (one, tiny, normal) = (1f64 - 2f64.powi(-24), 2f64.powi(-149), 2f64.powi(-126));
        let around_zero = reals(-1.0, 1.0);
        for wanted in [-1.0, 0.0, one, -one, tiny, -tiny, normal, -normal, 1.0 - 2f64.powi(-23)] {
            assert!(around_zero.contains(&wanted), "{wanted:e} in {around_zero:?}");
        }
        assert!(around_zero.iter().any(|x| *x == 0.0 && x.is_sign_negative()));
        assert!(!reals(0.0, 1.0).iter().any(|x| x.is_sign_negative()));
        assert_eq!(reals(2.0, 3.0), [2.0, 3.0 - 2f64.powi(-22), 2.0 + 2f64.powi(-22), 3.0 - 2f64.powi(-21)]);
        // An end between two numbers: none outside.
        assert!(reals(0.1, 0.3).iter().all(|x| (0.1..0.3).contains(x)));
        let words = integers(0, 0xffff_ffff, DType::U32);
        for wanted in [0, 1, 0xffff_ffff, 0x5555_5555, 0xaaaa_aaaa, 0x8000_0000, 0x7fff_ffff] {
            assert!(words.contains(&wanted), "{wanted:x} in {words:x?}");
        }
        let signed: Vec<i64> = integers(-1_500_000_000, 9, DType::I32).iter().map(|word| *word as i64).collect();
        assert!(signed.contains(&-1) && signed.contains(&-1_431_655_766) && signed.contains(&9), "{signed:?}");
        assert!(signed.iter().all(|x| (-1_500_000_000..=9).contains(x)), "{signed:?}");
        assert_eq!(integers(3, 3, DType::I8), [3]);
    }

    /// Sixteen at most and half of a short buffer, the same by every path, others in the next seed; the first element gets
    /// every one in turn.
    #[test]
    fn some_places_of_drawn_buffers_are_edges_and_nothing_else_changes() {
        let drawn = [Fill::Uniform { lo: -2.0, hi: 2.0 }, Fill::Integers { lo: -100, hi: 100 }];
        for (of, dtype) in drawn.iter().flat_map(|of| DType::ALL.map(|dtype| (of, dtype))) {
            for len in [1, 2, 7, 5000] {
                let (stated, edged) =
                    (filled(dtype, len, of, 7, Values::AsStated), filled(dtype, len, of, 7, Values::Edges));
                let changed = stated.iter().zip(&edged).filter(|(a, b)| a != b).count() as u64;
                let ends = edged.iter().all(|element| *element == edged[0]);
                assert!(changed <= (PLACES + 4).min(len.div_ceil(2)) || ends, "{dtype:?} {len}: {changed}");
                assert!(changed > 4 || len < 5000 || dtype.size() == 1, "{dtype:?} {len}: {changed}");
            }
        }
        let firsts = |of: &Fill, dtype| {
            (0..60).map(|seed| filled(dtype, 99, of, seed, Values::Edges).remove(0)).collect::<Vec<_>>()
        };
        let zero = firsts(&drawn[0], DType::F32).contains(&0f32.to_le_bytes().to_vec());
        assert!(zero && firsts(&drawn[1], DType::I32).contains(&(-100i32).to_le_bytes().to_vec()));
        // Short buffers of integers are now and then one end; two buffers are not alike at the same place.
        let short = |seed| filled(DType::I32, 40, &drawn[1], seed, Values::Edges);
        let of_one = |value: i32| (0..4).any(|seed| short(seed).iter().all(|x| *x == value.to_le_bytes()));
        assert!(of_one(-100) && of_one(100) && (0..4).any(|seed| short(seed)[0] != short(seed)[9]));
        let buffer = |name: &str| Buffer {
            name: name.into(),
            dtype: DType::F32,
            len: 16,
            role: Role::In,
            fill: Some(drawn[0].clone()),
        };
        let first = |name, seed| fill(&buffer(name), seed, Values::Edges, Path::new(".")).unwrap()[..4].to_vec();
        assert!((0..9).any(|seed| first("left", seed) != first("right", seed)));
        // Both ends are neighbours somewhere.
        let range: Vec<i32> = filled(DType::I32, 5000, &drawn[1], 8, Values::Edges)
            .iter()
            .map(|x| i32::from_le_bytes(x[..4].try_into().unwrap()))
            .collect();
        assert!(range.windows(2).any(|two| (two[0] - two[1]).abs() == 200));
        for of in [
            Fill::Iota,
            Fill::Zeros,
            Fill::Constant(3.0),
            Fill::Few { lo: 5, hi: 50, count: 3 },
            Fill::Sorted { run: 3, short: 0 },
        ] {
            let same = |values| filled(DType::F32, 300, &of, 3, values);
            assert_eq!(same(Values::AsStated), same(Values::Edges), "{of:?}");
        }
        // The fill whose turn it is, not the first uniform one.
        let turns = Fill::OneOf(vec![drawn[0].clone(), Fill::Constant(9.0)]);
        assert!(filled(DType::F32, 9, &turns, 1, Values::Edges).iter().all(|x| *x == 9f32.to_le_bytes()));
    }
}

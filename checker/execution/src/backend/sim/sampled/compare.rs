//! What a few blocks wrote, beside what the oracle's blocks for the same elements give.

use super::opened::{ENOUGH, Opened, open};
use super::seen::added;
use super::truth::oracle_blocks;
use crate::backend::machine::Stop;
use crate::backend::message::job::{Output, Program};
use crate::backend::message::status::{Status, WrongOutput};
use crate::backend::sim::Sim;
use crate::verify::POISON;
use crate::verify::judge::independent;
use plan::Buffer;
use plan::dtype::DType;
use values::LooksLike;
use values::compare::{Array, Judgement, compare};

/// Warp instructions of the oracle's blocks beyond which no more are run: a tenth of a second. One may have as many.
const ORACLE_INSTRUCTIONS: u64 = 1 << 19;
/// Elements of an output that are compared at most.
const ELEMENTS: u64 = 1 << 18;

/// Elements, from one to before another, in order: tens of thousands are a handful of ranges.
pub type Ranges = Vec<(u64, u64)>;

/// The elements of which all bytes are in the ranges.
fn elements(bytes: &[(u64, u64)], size: u64) -> Ranges {
    bytes.iter().map(|(from, to)| (from.div_ceil(size), to / size)).filter(|(from, to)| from < to).collect()
}

/// The elements that are in both.
fn common(a: &[(u64, u64)], b: &[(u64, u64)]) -> Ranges {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut both = Vec::new();
    while let (Some(&&x), Some(&&y)) = (a.peek(), b.peek()) {
        let (from, to) = (x.0.max(y.0), x.1.min(y.1));
        if from < to {
            both.push((from, to));
        }
        if x.1 < y.1 {
            a.next()
        } else {
            b.next()
        };
    }
    both
}

/// So many of them: first those that are among others, too, a list after the other, and of the rest as many all over.
fn some(ranges: &Ranges, before: &[&Ranges], most: u64) -> Ranges {
    let count = |ranges: &Ranges| ranges.iter().map(|(from, to)| to - from).sum::<u64>();
    let mut chosen = Ranges::new();
    let lists = before.iter().map(|list| common(ranges, list)).chain([ranges.clone()]);
    for list in lists {
        let rest = added(&chosen, &list);
        let left = most.saturating_sub(count(&chosen)).max(1);
        let step = (count(&rest) / left + 1) as usize;
        let mut rest: Ranges = rest.into_iter().step_by(step).collect();
        first(&mut rest, left);
        chosen.extend(rest);
        chosen.sort_unstable();
    }
    chosen
}

/// The first so many of them.
fn first(ranges: &mut Ranges, mut most: u64) {
    for (from, to) in ranges.iter_mut() {
        *to = (*to).min(*from + most);
        most -= *to - *from;
    }
    ranges.retain(|(from, to)| from < to);
}

/// The element at a place among them.
pub fn nth(ranges: &[(u64, u64)], mut place: u64) -> u64 {
    for (from, to) in ranges {
        if place < to - from {
            return from + place;
        }
        place -= to - from;
    }
    place
}

/// Runs the oracle's blocks for the elements that the version's blocks wrote, in the launch that makes the outputs, and compares what
/// both have; of these `only`, by buffer, in bytes, if that is said.
pub fn compare_outputs(
    sim: &Sim,
    (here, maker, only): (&Opened<'_>, usize, Option<&[Ranges]>),
    oracle: &Program,
    outputs: &[Output],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let mut truth = open(sim, oracle, seed)?;
    if !truth.constants {
        return Ok(None);
    }
    truth.device.config_mut().limits.steps = ORACLE_INSTRUCTIONS;
    let most = if here.is_long() { ENOUGH } else { ORACLE_INSTRUCTIONS };
    let Some(blocks) = oracle_blocks((here, maker), &mut truth, outputs, seed) else { return Ok(None) };
    for (at, block) in blocks.into_iter().enumerate() {
        // Two or three by the grid and as many by the outputs at least.
        if at > 4 && truth.ran > most {
            break;
        }
        if !matches!(truth.blocks(0, vec![block]), Ok(true)) {
            return Ok(None);
        }
    }
    Ok(compare_written((here, maker, only), &truth, outputs, (false, seed)))
}

/// Compares what a version's blocks and the oracle's have written; of these `only`, by the version's buffers, in bytes, if that is said.
/// `summed`: what is compared has had a value before atomics came to it.
pub fn compare_written(
    (here, maker, only): (&Opened<'_>, usize, Option<&[Ranges]>),
    truth: &Opened<'_>,
    outputs: &[Output],
    (summed, seed): (bool, u64),
) -> Option<Status> {
    let oracle = truth.program;
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for output in outputs {
        let (Some((index, buffer)), Some((own, own_buffer))) =
            (find(here.program, &output.name), find(oracle, &output.name))
        else {
            continue;
        };
        // What other blocks begin with is not known.
        if !summed && here.touched(index).changed || truth.touched(own).changed {
            continue;
        }
        let magnitude = find(oracle, &format!("{}_magnitude", output.name));
        let written = |opened: &Opened<'_>, index: usize, dtype: DType| {
            elements(&opened.touched(index).written, dtype.size() as u64)
        };
        let mut both = common(&written(here, index, buffer.dtype), &written(truth, own, own_buffer.dtype));
        if let Some(only) = only {
            both = common(&both, &elements(&only[index], buffer.dtype.size() as u64));
        }
        if let Some((index, buffer)) = &magnitude {
            both = common(&both, &written(truth, *index, buffer.dtype));
        }
        let unlike = elements(&here.unlike_wrote[index], buffer.dtype.size() as u64);
        both = some(&both, &[&here.meant(maker, buffer.len), &unlike], ELEMENTS);
        let fits = own_buffer.dtype.is_float() == buffer.dtype.is_float()
            && (buffer.dtype.is_float() || own_buffer.dtype == buffer.dtype);
        if both.is_empty() || !fits {
            continue;
        }
        let gather = |opened: &Opened<'_>, index: usize, dtype: DType| -> Vec<u8> {
            let size = dtype.size() as u64;
            let mut bytes = Vec::new();
            for (from, to) in &both {
                let at = bytes.len();
                bytes.resize(at + ((to - from) * size) as usize, 0);
                // Inside, as it was written.
                let _ = opened.device.read(opened.addresses[index] + from * size, &mut bytes[at..]);
            }
            bytes
        };
        let (got, want) = (gather(here, index, buffer.dtype), gather(truth, own, own_buffer.dtype));
        let magnitudes = magnitude.map(|(index, buffer)| (buffer.dtype, gather(truth, index, buffer.dtype)));
        let array = |dtype, bytes| Array { dtype, bytes };
        let judgement = Judgement {
            tolerance: output.tolerance,
            exact_unit: None,
            poison: POISON[0],
            on_average: independent(&here.program.plan, seed),
            flushes: here.program.flushes,
        };
        let summed = magnitudes.as_ref().map(|(dtype, bytes)| array(*dtype, bytes));
        let mut found = compare(array(buffer.dtype, &got), array(own_buffer.dtype, &want), summed, judgement);
        compared += both.len();
        if found.fails() {
            found.first.iter_mut().for_each(|mismatch| mismatch.index = nth(&both, mismatch.index));
            wrong.push(WrongOutput {
                name: buffer.name.clone(),
                dtype: buffer.dtype,
                len: buffer.len,
                wrong: found.wrong,
                first: found.first,
                // The others are of elements in a row.
                looks_like: if found.wrong > 0 { LooksLike::Nothing } else { found.looks_like },
                exact_integers: false,
            });
        }
    }
    match (wrong.is_empty(), compared) {
        (false, _) => Some(Status::Wrong { outputs: wrong }),
        (true, 0) => None,
        (true, _) => Some(Status::Passed),
    }
}

/// The buffer of this name, and its index.
pub fn find(program: &Program, name: &str) -> Option<(usize, Buffer)> {
    let mut buffers = program.plan.buffers.iter().enumerate();
    buffers.find(|(_, buffer)| buffer.name == name).map(|(index, buffer)| (index, buffer.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_count_where_all_their_bytes_do() {
        assert_eq!(elements(&[(0, 8), (13, 21), (25, 27)], 4), [(0, 2), (4, 5)]);
    }

    #[test]
    fn what_both_have_is_found_and_numbered() {
        let mut both = common(&[(0, 4), (6, 9), (20, 30)], &[(2, 7), (8, 22), (29, 40)]);
        assert_eq!(both, [(2, 4), (6, 7), (8, 9), (20, 22), (29, 30)]);
        assert_eq!([0, 1, 2, 3, 4, 6].map(|place| nth(&both, place)), [2, 3, 6, 8, 20, 29]);
        first(&mut both, 4);
        assert_eq!(both, [(2, 4), (6, 7), (8, 9)]);
        assert_eq!(common(&[(0, 4)], &[(4, 8)]), []);
        let all: Ranges = (0..100).map(|at| (10 * at, 10 * at + 5)).collect();
        let chosen = some(&all, &[&vec![(802, 814)]], 108);
        assert!(chosen.contains(&(802, 805)) && chosen.contains(&(810, 814)), "{chosen:?}");
        assert!(chosen.len() > 20 && chosen.iter().any(|(from, _)| *from > 900), "{chosen:?}");
        assert!(chosen.windows(2).all(|pair| pair[0].1 <= pair[1].0), "in order");
        let far: Ranges = (50..100).map(|at| (10 * at, 10 * at + 5)).collect();
        let chosen = some(&all, &[&vec![(803, 804)], &far], 26);
        assert!(chosen.contains(&(803, 804)) && chosen.iter().any(|(from, _)| *from > 900), "{chosen:?}");
        assert_eq!(some(&all, &[], 1000), all);
    }
}

//! What a few blocks wrote, beside what the oracle's blocks for the same elements give.

use super::super::job::{Output, Program};
use super::super::machine::Stop;
use super::super::sim::Sim;
use super::super::status::{Status, WrongOutput};
use super::opened::{Opened, open};
use crate::verify::POISON;
use plan::Buffer;
use plan::dtype::DType;
use plan::stream::Stream;
use std::collections::BTreeSet;
use values::compare::{Array, Judgement, compare};

/// Blocks of the oracle that are run whatever they cost, ...
const ORACLE_BLOCKS: usize = 24;
/// ... and warp instructions beyond which no more are: a tenth of a second.
const ORACLE_INSTRUCTIONS: u64 = 1 << 19;
/// Elements of an output that are compared at most.
const ELEMENTS: usize = 1 << 18;

/// Elements of which all bytes are in the ranges, with their indices.
fn elements(ranges: &[(u64, u64)], size: u64) -> impl Iterator<Item = u64> {
    ranges.iter().flat_map(move |(from, to)| from.div_ceil(size)..to / size)
}

/// Runs the oracle's blocks for the elements that the version's blocks wrote, and compares what both have.
pub fn compare_outputs(
    sim: &Sim,
    here: &Opened<'_>,
    oracle: &Program,
    outputs: &[Output],
    seed: u64,
) -> Result<Option<Status>, Stop> {
    let mut truth = open(sim, oracle, seed)?;
    for (at, block) in oracle_blocks(here, oracle, outputs, seed).into_iter().enumerate() {
        if at >= ORACLE_BLOCKS && truth.ran > ORACLE_INSTRUCTIONS {
            break;
        }
        if !matches!(truth.blocks(0, vec![block]), Ok(true)) {
            return Ok(None);
        }
    }
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for output in outputs {
        let (Some((index, buffer)), Some((own, own_buffer))) =
            (find(here.program, &output.name), find(oracle, &output.name))
        else {
            continue;
        };
        let magnitude = find(oracle, &format!("{}_magnitude", output.name));
        let written = |opened: &Opened<'_>, index: usize, dtype: DType| -> BTreeSet<u64> {
            elements(&opened.touched(index).written, dtype.size() as u64).collect()
        };
        let mut both: Vec<u64> = {
            let theirs = written(&truth, own, own_buffer.dtype);
            written(here, index, buffer.dtype).intersection(&theirs).copied().take(ELEMENTS).collect()
        };
        if let Some((index, buffer)) = &magnitude {
            let known = written(&truth, *index, buffer.dtype);
            both.retain(|element| known.contains(element));
        }
        let fits = own_buffer.dtype.is_float() == buffer.dtype.is_float()
            && (buffer.dtype.is_float() || own_buffer.dtype == buffer.dtype);
        if both.is_empty() || !fits {
            continue;
        }
        let gather = |opened: &Opened<'_>, index: usize, dtype: DType| -> Vec<u8> {
            let size = dtype.size();
            let mut bytes = vec![0; both.len() * size];
            for (element, place) in both.iter().zip(bytes.chunks_exact_mut(size)) {
                // Inside, as it was written.
                let _ = opened.device.read(opened.addresses[index] + element * size as u64, place);
            }
            bytes
        };
        let (got, want) = (gather(here, index, buffer.dtype), gather(&truth, own, own_buffer.dtype));
        let magnitudes = magnitude.map(|(index, buffer)| (buffer.dtype, gather(&truth, index, buffer.dtype)));
        let array = |dtype, bytes| Array { dtype, bytes };
        let judgement =
            Judgement { tolerance: output.tolerance, exact_unit: None, poison: POISON[0], on_average: false };
        let summed = magnitudes.as_ref().map(|(dtype, bytes)| array(*dtype, bytes));
        let mut found = compare(array(buffer.dtype, &got), array(own_buffer.dtype, &want), summed, judgement);
        compared += both.len();
        if found.wrong > 0 {
            found.first.iter_mut().for_each(|mismatch| mismatch.index = both[mismatch.index as usize]);
            wrong.push(WrongOutput {
                name: buffer.name.clone(),
                dtype: buffer.dtype,
                len: buffer.len,
                wrong: found.wrong,
                first: found.first,
                looks_like: values::LooksLike::Nothing,
                exact_integers: false,
            });
        }
    }
    Ok(match (wrong.is_empty(), compared) {
        (false, _) => Some(Status::Wrong { outputs: wrong }),
        (true, 0) => None,
        (true, _) => Some(Status::Passed),
    })
}

/// The buffer of this name, and its index.
fn find(program: &Program, name: &str) -> Option<(usize, Buffer)> {
    let mut buffers = program.plan.buffers.iter().enumerate();
    buffers.find(|(_, buffer)| buffer.name == name).map(|(index, buffer)| (index, buffer.clone()))
}

/// The oracle's blocks that write what the version's blocks wrote, by share of the output; from all over the grid, in case there
/// are too many.
fn oracle_blocks(here: &Opened<'_>, oracle: &Program, outputs: &[Output], seed: u64) -> Vec<u64> {
    let blocks = oracle.plan.launches[0].grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
    let mut wanted: BTreeSet<u64> = BTreeSet::new();
    for output in outputs {
        let Some((index, buffer)) = find(here.program, &output.name) else { continue };
        let size = buffer.dtype.size() as u64;
        for (from, to) in here.touched(index).written {
            let block =
                |element: u64| (u128::from(element) * u128::from(blocks) / u128::from(buffer.len.max(1))) as u64;
            wanted.extend([block(from / size), block((to - 1) / size)].map(|block| block.min(blocks - 1)));
        }
    }
    let stream = Stream::new(seed, "oracle's blocks");
    let mut wanted: Vec<u64> = wanted.into_iter().collect();
    wanted.sort_by_cached_key(|block| stream.bits(*block));
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_count_where_all_their_bytes_do() {
        assert_eq!(elements(&[(0, 8), (13, 21)], 4).collect::<Vec<_>>(), [0, 1, 4]);
    }
}

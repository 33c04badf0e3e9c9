//! What a version never reads of its inputs at a size.

use super::job::Program;
use super::machine::{Stop, Unread};
use super::sampled::open;
use super::sim::Sim;
use plan::Role;

/// A version that leaves out more of a buffer than one part in so many has another way to its result, or none: outputs show it.
const FEW: u64 = 8;

/// Runs a version whole over memory that remembers what was read. `None`: nothing can be told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn find(sim: &Sim, program: &Program, seed: u64) -> Result<Option<Vec<Unread>>, Stop> {
    if !program.plan.constants.is_empty() || program.plan.host.is_some() {
        return Ok(None);
    }
    let mut opened = open(sim, program, seed)?;
    opened.unlimited(sim);
    for launch in 0..program.plan.launches.len() {
        if !opened.whole(launch) {
            return Ok(None);
        }
    }
    let inputs = program.plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::In);
    let left = inputs.filter_map(|(index, buffer)| {
        let size = buffer.dtype.size() as u64;
        let gaps = gaps(&opened.touched(index).read, buffer.len * size);
        let bytes: u64 = gaps.iter().map(|(from, to)| to - from).sum();
        let first = gaps.first()?.0 / size;
        let few = bytes * FEW < buffer.len * size;
        few.then(|| Unread { buffer: buffer.name.clone(), first, count: bytes.div_ceil(size), ranges: gaps })
    });
    Ok(Some(left.collect()))
}

/// What of `0..bytes` the ranges leave out.
fn gaps(ranges: &[(u64, u64)], bytes: u64) -> Vec<(u64, u64)> {
    let ends = std::iter::once(0).chain(ranges.iter().map(|range| range.1));
    let starts = ranges.iter().map(|range| range.0).chain(std::iter::once(bytes));
    ends.zip(starts).filter(|(from, to)| from < to).collect()
}

#[cfg(test)]
mod tests {
    use super::gaps;

    #[test]
    fn gaps_lie_between_ranges_and_at_both_ends() {
        assert_eq!(gaps(&[(0, 4), (8, 12)], 16), [(4, 8), (12, 16)]);
        assert_eq!(gaps(&[(4, 16)], 16), [(0, 4)]);
        assert_eq!(gaps(&[], 16), [(0, 16)]);
        assert_eq!(gaps(&[(0, 16)], 16), []);
    }
}

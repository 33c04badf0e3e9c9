//! Elements of the inputs that a version never reads, though another one does at the same size: what becomes of a few among a
//! million is less than roundings, so no output shows it.

use super::job::Program;
use super::machine::Stop;
use super::sampled::{Opened, open};
use super::sim::Sim;
use super::status::Status;
use plan::Role;
use std::collections::BTreeMap;

/// A version that leaves out more of a buffer than one part in so many has another way to its result, or none: outputs show it.
const FEW: u64 = 8;

/// Bytes, from and to, ascending.
type Ranges = Vec<(u64, u64)>;

/// Runs a version whole over memory that remembers what was read and, if it left anything out, the other, too. `None`: nothing
/// can be told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(sim: &Sim, version: &Program, other: &Program, seed: u64) -> Result<Option<Status>, Stop> {
    let Some(own) = reads(sim, version, seed)? else { return Ok(None) };
    let left: Vec<(&str, u64, Ranges)> = version
        .plan
        .buffers
        .iter()
        .filter(|buffer| buffer.role == Role::In)
        .filter_map(|buffer| {
            let size = buffer.dtype.size() as u64;
            let bytes = buffer.len * size;
            let gaps = gaps(own.get(&buffer.name)?, bytes);
            let few = length(&gaps) * FEW < bytes;
            (few && !gaps.is_empty()).then_some((buffer.name.as_str(), size, gaps))
        })
        .collect();
    if left.is_empty() {
        return Ok(Some(Status::Passed));
    }
    let Some(theirs) = reads(sim, other, seed)? else { return Ok(None) };
    let missed = left.into_iter().find_map(|(name, size, gaps)| {
        let missed = both(&gaps, theirs.get(name)?);
        let first = missed.first()?.0 / size;
        Some(Status::NeverReads { buffer: name.to_owned(), first, count: length(&missed).div_ceil(size) })
    });
    Ok(Some(missed.unwrap_or(Status::Passed)))
}

/// What a version reads of each of its inputs.
fn reads(sim: &Sim, program: &Program, seed: u64) -> Result<Option<BTreeMap<String, Ranges>>, Stop> {
    if !program.plan.constants.is_empty() || program.plan.host.is_some() {
        return Ok(None);
    }
    let mut opened: Opened<'_> = open(sim, program, seed)?;
    opened.unlimited(sim);
    for launch in 0..program.plan.launches.len() {
        if !opened.whole(launch) {
            return Ok(None);
        }
    }
    let inputs = program.plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::In);
    Ok(Some(inputs.map(|(index, buffer)| (buffer.name.clone(), opened.touched(index).read)).collect()))
}

/// What of `0..bytes` the ranges leave out.
fn gaps(ranges: &[(u64, u64)], bytes: u64) -> Ranges {
    let ends = std::iter::once(0).chain(ranges.iter().map(|range| range.1));
    let starts = ranges.iter().map(|range| range.0).chain(std::iter::once(bytes));
    ends.zip(starts).filter(|(from, to)| from < to).collect()
}

/// What is in both.
fn both(one: &[(u64, u64)], other: &[(u64, u64)]) -> Ranges {
    let (mut a, mut b, mut found) = (one.iter().peekable(), other.iter().peekable(), Vec::new());
    while let (Some(&&(from, to)), Some(&&(start, end))) = (a.peek(), b.peek()) {
        if from.max(start) < to.min(end) {
            found.push((from.max(start), to.min(end)));
        }
        if to < end {
            a.next()
        } else {
            b.next()
        };
    }
    found
}

fn length(ranges: &[(u64, u64)]) -> u64 {
    ranges.iter().map(|(from, to)| to - from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_subtracted_and_met() {
        assert_eq!(gaps(&[(0, 4), (8, 12)], 16), [(4, 8), (12, 16)]);
        assert_eq!(gaps(&[(4, 16)], 16), [(0, 4)]);
        assert_eq!(gaps(&[], 16), [(0, 16)]);
        assert_eq!(gaps(&[(0, 16)], 16), []);
        assert_eq!(both(&[(0, 4), (8, 20)], &[(2, 9), (12, 13), (19, 30)]), [(2, 4), (8, 9), (12, 13), (19, 20)]);
        assert_eq!(length(&[(2, 4), (8, 9)]), 3);
    }
}

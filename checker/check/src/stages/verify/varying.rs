//! What launches are passed of a problem's sizes: conditions on those numbers say which sizes a version means.

use crate::beside;
use execution::backend::{Passed, Program, SizeParameter, Varying};
use plan::{Arg, Launch};
use problem::{Problem, Sizes};
use simulator::steer::Made;
use std::collections::BTreeMap;

/// The sizes of some programs, and which arguments of their launches are made of one of them.
pub(super) fn varying(problem: &Problem, known: &[(Program, Sizes)]) -> Varying {
    let manifest = &problem.manifest;
    let mut bounds = Vec::new();
    let mut steps = Vec::new();
    for (name, count) in &manifest.count {
        let drawn = manifest.drawn.iter().filter_map(|row| row.get(name));
        let (low, high) = drawn.fold((*count, *count), |(low, high), row| (low.min(row.0), high.max(row.1)));
        let high = high.max(manifest.time.get(name).copied().unwrap_or(*count));
        let step = if beside::varies(problem, name) { Some(1) } else { step(name, known, &manifest.time) };
        // One of which nothing else is known stays as it is.
        bounds.push(step.map_or((*count, *count), |step| (low / step, high / step)));
        steps.push(step.unwrap_or(1));
    }
    let of = |sizes: &Sizes| sizes.values().zip(&steps).map(|(size, step)| size / step).collect();
    let values: Vec<Vec<i64>> = known.iter().map(|(_, sizes)| of(sizes)).collect();
    let mut parameters = Vec::new();
    let launches = known.first().map(|(program, _)| &program.plan.launches[..]).unwrap_or_default();
    for launch in launches {
        if parameters.iter().any(|known: &SizeParameter| known.line == launch.line) {
            continue;
        }
        for passed in (0..launch.args.len()).map(Passed::Arg).chain((0..3).map(Passed::Blocks)) {
            let made = |size| {
                let points = points(known, &values, (launch.line, passed), size)?;
                let made = linear(&points).or_else(|| rounded(&points, &parts(launch, passed)))?;
                Some(SizeParameter { line: launch.line, passed, size, made })
            };
            parameters.extend((0..manifest.count.len()).find_map(made));
        }
    }
    Varying { bounds, steps, values, parameters, latest: 0 }
}

/// What a size that is not drawn is always a multiple of, if it differs between sizes and need not be a power of two.
fn step(name: &str, known: &[(Program, Sizes)], time: &Sizes) -> Option<i64> {
    let all = || known.iter().map(|(_, sizes)| sizes).chain([time]).filter_map(|sizes| sizes.get(name).copied());
    let free = all().all(|size| size > 0) && all().any(|size| !(size as u64).is_power_of_two());
    free.then(|| all().fold(0, greatest_common_divisor))
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// A number of the launches in a line by a size, in all programs; nothing where it is not one number by it.
fn points(
    known: &[(Program, Sizes)],
    values: &[Vec<i64>],
    (line, passed): (u32, Passed),
    size: usize,
) -> Option<BTreeMap<i64, i64>> {
    let mut points = BTreeMap::new();
    for ((program, _), values) in known.iter().zip(values) {
        for launch in program.plan.launches.iter().filter(|launch| launch.line == line) {
            let number = match passed {
                Passed::Arg(arg) => match launch.args.get(arg) {
                    Some(Arg::Int(number)) => *number,
                    _ => return None,
                },
                Passed::Blocks(axis) => launch.grid[axis].into(),
            };
            if points.insert(values[size], number).is_some_and(|before| before != number) {
                return None;
            }
        }
    }
    let varies = points.values().any(|number| Some(number) != points.values().next());
    varies.then_some(points)
}

/// What each of them is so many times, and so much.
fn linear(points: &BTreeMap<i64, i64>) -> Option<Made> {
    let ((&from, &first), (&to, &last)) = (points.first_key_value()?, points.last_key_value()?);
    let times = last.checked_sub(first)?.checked_div(to.checked_sub(from)?)?;
    let plus = first.checked_sub(times.checked_mul(from)?)?;
    let made = Made { times, plus, over: 1 };
    (times != 0 && is_made(points, made)).then_some(made)
}

/// What each of them is a part of, rounded up or down.
fn rounded(points: &BTreeMap<i64, i64>, parts: &[i64]) -> Option<Made> {
    let ways = parts.iter().flat_map(|&over| [over - 1, 0].map(|plus| Made { times: 1, plus, over }));
    ways.into_iter().find(|made| is_made(points, *made))
}

/// Are they made so?
fn is_made(points: &BTreeMap<i64, i64>, made: Made) -> bool {
    points.iter().all(|(size, number)| made.of(*size as u64) as i64 == *number)
}

/// How many elements there may be for each: powers of two, what blocks have along an axis, and up to eight for each thread of theirs.
fn parts(launch: &Launch, passed: Passed) -> Vec<i64> {
    let threads = launch.block.map(i64::from);
    let all = threads.iter().product::<i64>();
    let blocks = match passed {
        Passed::Arg(_) => vec![all],
        Passed::Blocks(axis) => vec![threads[axis], all],
    };
    let several = blocks.into_iter().flat_map(|each| (1..=8).map(move |times| times * each));
    several.chain((1..=20).map(|power| 1 << power)).chain([all / 32]).filter(|over| *over > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(of: impl Fn(i64) -> i64) -> BTreeMap<i64, i64> {
        [1, 2, 33, 1000, 4096, 70001, 1 << 27].map(|size| (size, of(size))).into()
    }

    #[test]
    fn numbers_are_told_from_a_few_sizes() {
        let twice = points(|size| 2 * size + 3);
        assert_eq!(linear(&twice), Some(Made { times: 2, plus: 3, over: 1 }));
        let blocks = points(|size| size.div_euclid(256) + i64::from(size % 256 > 0));
        let parts = [128, 256, 512];
        assert_eq!((linear(&blocks), rounded(&blocks, &parts)), (None, Some(Made { times: 1, plus: 255, over: 256 })));
        assert_eq!(rounded(&points(|size| size / 8), &[4, 8]), Some(Made { times: 1, plus: 0, over: 8 }));
        assert_eq!(rounded(&points(|size| (size / 256).min(1000)), &parts), None, "a grid that is bounded");
    }
}

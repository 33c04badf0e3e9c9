//! What launches are passed of a problem's sizes: conditions on those arguments say which sizes a version means.

use crate::beside;
use execution::backend::{Program, SizeParameter, Varying};
use plan::Arg;
use problem::{Problem, Sizes};
use std::collections::BTreeMap;

/// The sizes of some programs, and which arguments of their launches are made of one of them.
pub(super) fn varying(problem: &Problem, known: &[(&Sizes, Program)]) -> Varying {
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
    let values: Vec<Vec<i64>> = known.iter().map(|(sizes, _)| of(sizes)).collect();
    let mut parameters = Vec::new();
    let launches = known.first().map(|(_, program)| &program.plan.launches[..]).unwrap_or_default();
    for launch in launches {
        for arg in 0..launch.args.len() {
            let taken = parameters.iter().any(|known: &SizeParameter| (known.line, known.arg) == (launch.line, arg));
            let made = (0..manifest.count.len()).find_map(|size| linear(known, &values, (launch.line, arg), size));
            parameters.extend(made.filter(|_| !taken));
        }
    }
    Varying { bounds, steps, values, parameters }
}

/// What a size that is not drawn is always a multiple of, if it differs between sizes and need not be a power of two.
fn step(name: &str, known: &[(&Sizes, Program)], time: &Sizes) -> Option<i64> {
    let all = || known.iter().map(|(sizes, _)| *sizes).chain([time]).filter_map(|sizes| sizes.get(name).copied());
    let free = all().all(|size| size > 0) && all().any(|size| !(size as u64).is_power_of_two());
    free.then(|| all().fold(0, greatest_common_divisor))
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// An argument of the launches in a line as so many times a size, and so much, if it is that in all programs and the size varies.
fn linear(
    known: &[(&Sizes, Program)],
    values: &[Vec<i64>],
    (line, arg): (u32, usize),
    size: usize,
) -> Option<SizeParameter> {
    let mut points = BTreeMap::new();
    for ((_, program), values) in known.iter().zip(values) {
        for launch in program.plan.launches.iter().filter(|launch| launch.line == line) {
            let Some(Arg::Int(passed)) = launch.args.get(arg) else { return None };
            if points.insert(values[size], *passed).is_some_and(|before| before != *passed) {
                return None;
            }
        }
    }
    let (&from, &first) = points.first_key_value()?;
    let (&to, &last) = points.last_key_value().filter(|(to, _)| **to != from)?;
    let times = last.checked_sub(first)?.checked_div(to.checked_sub(from)?)?;
    let plus = first.checked_sub(times.checked_mul(from)?)?;
    let is_so =
        |(size, passed): (&i64, &i64)| times.checked_mul(*size).and_then(|n| n.checked_add(plus)) == Some(*passed);
    (times != 0 && points.iter().all(is_so)).then_some(SizeParameter { line, arg, size, times, plus })
}

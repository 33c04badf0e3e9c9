//! Sizes at which versions are tried beside the cases: below the `count` size, beyond a million elements, beside the `time` size, and those
//! that are only asked about. All are drawn, so that no kernel can know them.

use plan::stream::Stream;
use problem::{Drawn, Problem, Sizes};

/// A size below the `count` size: each of its sizes that may vary lies between its half and itself, divisible by what it is divisible
/// by, as far as that leaves a choice: whoever takes four at a time may do so here. Nothing for a problem whose sizes are
/// not drawn.
pub fn second(problem: &Problem, seed: u64) -> Option<Sizes> {
    let manifest = &problem.manifest;
    let draw = |(name, &count): (&String, &i64)| {
        let Some(least) = least(problem, name) else { return (name.clone(), count) };
        let (low, high) = (least.max(count / 2), count - 1);
        let step = step(count);
        let (first, last) = ((low + step - 1).div_euclid(step), high.div_euclid(step));
        let drawn = (first <= last).then(|| step * Stream::new(seed, name).integer(u64::MAX, first, last));
        (name.clone(), drawn.unwrap_or(count))
    };
    let drawn: Sizes = manifest.count.iter().map(draw).collect();
    (drawn != manifest.count).then_some(drawn)
}

/// Elements of a size that is too large for kernels to have been tried at by those who wrote them, and for checks.
pub const LARGE: f64 = 1.05e6;

/// The least value that a size has where it is drawn; nothing for one that is not.
pub fn least(problem: &Problem, name: &str) -> Option<i64> {
    if !varies(problem, name) {
        return None;
    }
    problem.manifest.drawn.iter().filter_map(|row| row.get(name)).map(|(low, _)| *low).min()
}

/// Sizes near the least: so many are drawn from.
const FEW: i64 = 64;

/// A size that is one of the least: each that may vary, the others are as at the `count` size.
pub fn few(problem: &Problem, seed: u64) -> Sizes {
    let draw = |(name, &count): (&String, &i64)| {
        let drawn = least(problem, name).map(|least| {
            let more = Stream::new(seed, name).integer(u64::MAX - 7, 0, FEW - 1);
            (least + more).min(count.max(least))
        });
        (name.clone(), drawn.unwrap_or(count))
    };
    problem.manifest.count.iter().map(draw).collect()
}

/// Sizes of which one is another.
pub fn with(sizes: &Sizes, name: &str, size: i64) -> Sizes {
    let mut with = sizes.clone();
    with.insert(name.to_owned(), size);
    with
}

/// The values of sizes that are not drawn, as cases have them together, with others than the `count` size has; each with two draws of those
/// that vary: up to the `count` size, and from there to the largest of a case. As often from 8 to 16 as from 1024 to 2048. Those with few
/// elements come first.
pub fn combined(problem: &Problem, seed: u64) -> Vec<Sizes> {
    let (count, cases) = (&problem.manifest.count, problem.cases());
    let fixed = |sizes: &Sizes| -> Sizes {
        sizes.iter().filter(|(name, _)| !varies(problem, name)).map(|(name, size)| (name.clone(), *size)).collect()
    };
    let mut known: Vec<Sizes> = Vec::new();
    for values in cases.iter().map(fixed).filter(|values| *values != fixed(count)) {
        if !known.contains(&values) {
            known.push(values);
        }
    }
    let draw = |at: u64, name: &String, count: i64| {
        let largest = cases.iter().filter_map(|sizes| sizes.get(name).copied()).fold(count, i64::max);
        let least = least(problem, name).unwrap_or(count).min(count);
        let (low, high) = if at.is_multiple_of(2) { (least, count) } else { (count, largest) };
        let part = Stream::new(seed, &format!("combined {name}")).unit(at);
        (low as f64 * (high as f64 / low as f64).powf(part)) as i64
    };
    let with = |(at, values): (usize, Sizes)| {
        [0, 1].map(|half| {
            let one = |(name, &count): (&String, &i64)| {
                let value = values.get(name).copied();
                (name.clone(), value.unwrap_or_else(|| draw(2 * at as u64 + half, name, count)))
            };
            count.iter().map(one).collect()
        })
    };
    let drawn = count.keys().any(|name| varies(problem, name));
    let mut all: Vec<Sizes> = known.into_iter().filter(|_| drawn).enumerate().flat_map(with).collect();
    all.sort_by_cached_key(|sizes| elements(problem, sizes) as u64);
    all
}

/// Is a size drawn?
pub fn varies(problem: &Problem, name: &str) -> bool {
    problem.manifest.drawn.iter().any(|row| row.get(name).is_some_and(|(low, high)| low < high))
}

/// Elements of the largest input or output, and at least the product of the sizes that are drawn.
pub fn elements(problem: &Problem, sizes: &Sizes) -> f64 {
    let drawn: f64 = sizes.iter().filter(|(name, _)| varies(problem, name)).map(|(_, &size)| size as f64).product();
    let buffers = problem.io(sizes).unwrap_or_default();
    buffers.iter().map(|buffer| buffer.len as f64).fold(drawn, f64::max)
}

/// Are these so many elements that kinds of inputs are left to smaller sizes?
pub fn is_large(problem: &Problem, sizes: &Sizes) -> bool {
    elements(problem, sizes) >= LARGE
}

/// A size beyond a million elements, or the `time` size if that is not much larger, run whole and unwatched: what goes wrong
/// there is not found at the small ones, nor at the few blocks of the `time` size. Nothing where a case is as large.
pub fn large(problem: &Problem, seed: u64) -> Option<Sizes> {
    let manifest = &problem.manifest;
    if problem.cases().iter().any(|sizes| is_large(problem, sizes)) {
        return None;
    }
    let (count, time) = (elements(problem, &manifest.count), elements(problem, &manifest.time));
    let names = manifest.count.keys().filter(|name| varies(problem, name)).count();
    if names == 0 || count >= LARGE {
        return None;
    }
    if time <= 2.0 * LARGE {
        let largest = problem.cases().iter().map(|sizes| elements(problem, sizes)).fold(count, f64::max);
        return (time >= 1.5 * largest).then(|| ragged(problem, seed));
    }
    let times = (LARGE / count).powf(1.0 / names as f64);
    let draw = |(name, &count): (&String, &i64)| {
        if !varies(problem, name) {
            return (name.clone(), count);
        }
        let least = (count as f64 * times) as i64;
        let drawn = Stream::new(seed, name).integer(u64::MAX - 1, least, least + least / 16);
        // One off a multiple of what blocks may have: there tails begin and end.
        let block = 1 << (least / 16).clamp(2, 256).ilog2();
        (name.clone(), drawn / block * block + beside(seed))
    };
    Some(manifest.count.iter().map(draw).collect())
}

/// So many small sizes that follow each other, of a row of drawn ones, in an order that the seed draws: each size that may vary has
/// every remainder that they are enough for. The least is at most `small`.
pub fn remainders(problem: &Problem, seed: u64, count: i64, small: i64) -> Vec<Sizes> {
    let stream = |name: &str| Stream::new(seed, &format!("remainders of {name}"));
    let wide = |row: &&Drawn| row.values().any(|(low, high)| high - low > count);
    let all = &problem.manifest.drawn;
    let mut rows: Vec<_> = all.iter().filter(wide).collect();
    if rows.is_empty() {
        rows.extend(all);
    }
    let Some(last) = rows.len().checked_sub(1) else { return Vec::new() };
    let row = rows[stream("").integer(0, 0, last as i64) as usize];
    let sizes = |at: i64| {
        let one = |(name, &(low, high)): (&String, &(i64, i64))| {
            let stream = stream(name);
            let most = (high - count).min(small).max(low) as f64;
            // As often between 8 and 16 as between 1024 and 2048: large ones take longer to ask.
            let first = (low as f64 * (most / low as f64).powf(stream.unit(0))) as i64;
            let range = (high - first + 1).clamp(1, count);
            // An odd step meets all of a power of two, in another order for every name.
            let step = if range == count { 2 * stream.integer(1, 0, count / 2) + 1 } else { 1 };
            (name.clone(), first + (stream.integer(2, 0, count) + at * step) % range)
        };
        row.iter().map(one).collect()
    };
    (0..count).map(sizes).collect()
}

/// A size between the largest that are drawn and another one: drawn in one of so many steps, each as many times larger.
pub fn on_the_way(problem: &Problem, seed: u64, far: &Sizes, step: u64, steps: u64) -> Sizes {
    let part = (step as f64 + Stream::new(seed, "on the way").unit(step)) / steps as f64;
    let one = |(name, &count): (&String, &i64)| {
        if !varies(problem, name) {
            return (name.clone(), count);
        }
        let drawn = problem.manifest.drawn.iter().filter_map(|row| row.get(name)).map(|(_, high)| *high);
        let first = drawn.fold(1, i64::max) as f64;
        let far = far.get(name).copied().unwrap_or(count) as f64;
        (name.clone(), (first * (far / first).powf(part)) as i64)
    };
    problem.manifest.count.iter().map(one).collect()
}

/// All sizes at which more than the cases is tried for sure: a template's argument may depend on them.
pub fn all(problem: &Problem) -> Vec<Sizes> {
    let Some(seed) = problem.drawn_by().filter(|_| problem.sweep().is_none()) else { return Vec::new() };
    [second(problem, seed), large(problem, seed), Some(ragged(problem, seed))].into_iter().flatten().collect()
}

/// Sizes between have the remainder of the far one by two to this power...
const TAIL: u32 = 12;
/// ... where the `count` size is so many times as large at least, else by a smaller one.
const TAILS: i64 = 4;

/// A size on the way from the `count` size to another one, `rung` of `rungs` steps, each as many times larger: where sizes are
/// drawn with the other's tail, so that what is done about that is met at the first of them; else divisible by the power of two that
/// divides both.
pub fn between(problem: &Problem, far: &Sizes, rung: i32, rungs: i32) -> Sizes {
    let part = f64::from(rung) / f64::from(rungs);
    let one = |(name, &count): (&String, &i64)| {
        let far = far.get(name).copied().unwrap_or(count);
        if far == count {
            return (name.clone(), count);
        }
        let size = (count as f64 * (far as f64 / count as f64).powf(part)) as i64;
        if varies(problem, name) {
            let step = 1 << (count / TAILS).max(1).ilog2().min(TAIL);
            let (whole, tail) = (size / step * step, far % step);
            return (name.clone(), if whole + tail > 0 { whole + tail } else { step });
        }
        // A power of two at both ends is one in between: kernels may mask with it.
        if let (Ok(low), Ok(high), Ok(size)) = (u64::try_from(count), u64::try_from(far), u64::try_from(size))
            && low.is_power_of_two()
            && high.is_power_of_two()
        {
            return (name.clone(), 1 << size.max(1).ilog2());
        }
        let step = 1 << (count | far).trailing_zeros();
        (name.clone(), (size / step * step).max(step))
    };
    problem.manifest.count.iter().map(one).collect()
}

/// Sizes at which one extent that may vary is as large as at another size, and the others are as at the `count` size. None where one alone
/// differs.
pub fn apart(problem: &Problem, far: &Sizes) -> Vec<Sizes> {
    let count = &problem.manifest.count;
    let differs = |name: &&String| count.get(*name) != far.get(*name);
    if count.keys().filter(differs).count() < 2 {
        return Vec::new();
    }
    let alone = |large: &String| with(count, large, far[large]);
    count.keys().filter(differs).filter(|name| varies(problem, name)).map(alone).collect()
}

/// The `time` size, less a little that the seed draws, so that it has a tail: what is done about the last few elements of a
/// round number nobody sees.
pub fn ragged(problem: &Problem, seed: u64) -> Sizes {
    let manifest = &problem.manifest;
    let draw = |(name, &time): (&String, &i64)| {
        let draw = |at: u64, most: i64| Stream::new(seed, name).integer(u64::MAX - at, 0, most);
        let odd = 2 * draw(2, 127) + 1 - time % 2;
        // Every second time on the other side of a multiple of 256 than `large` is.
        let near = (time % 256 + beside(seed)).rem_euclid(256);
        let less = if draw(3, 1) == 1 { near } else { odd };
        (name.clone(), if varies(problem, name) && time > 512 { time - less } else { time })
    };
    manifest.time.iter().map(draw).collect()
}

/// A size a little beyond the `time` size, up to a sixteenth: a grid that grows with it grows further. Nothing where no size varies.
pub fn beyond(problem: &Problem, seed: u64) -> Option<Sizes> {
    let manifest = &problem.manifest;
    let draw = |(name, &time): (&String, &i64)| {
        let more = Stream::new(seed, name).integer(u64::MAX - 5, 1, (time / 16).max(1));
        (name.clone(), if varies(problem, name) { time + more } else { time })
    };
    let drawn: Sizes = manifest.time.iter().map(draw).collect();
    (drawn != manifest.time).then_some(drawn)
}

/// A size near another one, as divisible as the `count` size is: whoever takes four at a time may do so there.
pub fn divisible(problem: &Problem, sizes: &Sizes) -> Sizes {
    let one = |(name, &size): (&String, &i64)| {
        let count = problem.manifest.count.get(name).copied().unwrap_or(1);
        let step = step(count);
        (name.clone(), if varies(problem, name) { (size / step * step).max(step) } else { size })
    };
    sizes.iter().map(one).collect()
}

/// One before or one behind, as the seed draws.
fn beside(seed: u64) -> i64 {
    2 * Stream::new(seed, "beside").integer(0, 0, 1) - 1
}

/// A power of two that divides the size, and fits into it eight times.
fn step(count: i64) -> i64 {
    const LARGEST: u32 = 10;
    let most = (count / 8).max(1).ilog2().min(LARGEST);
    1 << count.trailing_zeros().min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_divide_and_leave_a_choice() {
        for (count, wanted) in [(65536, 1024), (512, 64), (96, 8), (33, 1), (1, 1), (1000, 8)] {
            assert_eq!(step(count), wanted, "{count}");
            assert_eq!(count % wanted, 0);
        }
    }
}

//! Parts of the data that blocks come to, beside what they come to where a version is simulated whole.

use super::opened::Opened;
use super::seen::{Seen, Share};
use crate::backend::message::status::Status;

/// A version that comes to all of its data where it is simulated whole...
const ALL: f64 = 0.9;
/// ... and to less than this part of it where it is not, leaves work out. Blocks differ in what they do, and few were looked at.
const LITTLE: f64 = 0.5;
/// The same of a version whose blocks all do as much as each other, the first and the last one no more.
const NEARLY_ALL: f64 = 0.98;

/// What blocks leave out that come to all of the data at the small size (`usual`), if these are `comparable`, or both are launches of the
/// `same` kernels.
pub fn leaves_out(
    here: &mut Opened<'_>,
    (seen, usual): (&Seen, &Seen),
    (comparable, same): (bool, bool),
) -> Option<Status> {
    // All that it touches elsewhere it touches again and again, if it is as much. A block that does more than one of the small
    // size goes round a loop, and may end anywhere.
    for (reads, usual, now) in [(false, usual.places[1], seen.places[1]), (true, usual.places[0], seen.places[0])] {
        if comparable && usual.in_place && !now.in_place && now.flat && now.block <= usual.block && now.reach < ALL {
            return Some(Status::LeavesOut { reads, part: now.reach });
        }
    }
    let mut more = None;
    let mut may_be_all = |here: &mut Opened<'_>, reads: bool, part: f64| {
        !has_holes(here, reads)
            && part * more.get_or_insert_with(|| first_over_busiest(here, seen))[usize::from(!reads)] >= NEARLY_ALL
    };
    // What a launch does that no few blocks can be asked about is known where it has no part in the inputs at the small size.
    let none_left = |shares: &[Share]| {
        same && usual.fault.is_none() && shares.iter().skip(seen.launches).all(|share| share.most == 0.0)
    };
    for (reads, usual, now) in [(true, &usual.read, &seen.read), (false, &usual.written, &seen.written)] {
        let short = if comparable && same { falls_short(usual, now) } else { None };
        if let Some(part) = short.filter(|part| !may_be_all(here, reads, *part)) {
            return Some(Status::LeavesOut { reads, part });
        }
        let left_none = none_left(usual);
        let (usual, now) = (Share::of_all(usual), Share::of_all(now));
        if comparable && usual.drawn >= ALL && now.drawn < LITTLE {
            return Some(Status::LeavesOut { reads, part: now.drawn });
        }
        let less = (comparable || reads && left_none) && usual.most >= NEARLY_ALL && now.even && now.most < NEARLY_ALL;
        if less && !may_be_all(here, reads, now.most) {
            return Some(Status::LeavesOut { reads, part: now.most });
        }
    }
    None
}

/// Is there less than what a warp has between parts of a buffer that blocks came to? Then threads left something out, not rounds.
fn has_holes(here: &Opened<'_>, reads: bool) -> bool {
    here.came_to(reads).any(|(_, buffer, ranges)| {
        let warp = 32 * buffer.dtype.size() as u64;
        ranges.windows(2).any(|pair| pair[1].0 - pair[0].1 < warp)
    })
}

/// How many times as much the first blocks of the launches read, and write, as the busiest of those that were run, or as much. Where loops go
/// round once more for some blocks, the first is one of them. Nobody knows how much, if it says nothing.
fn first_over_busiest(here: &mut Opened<'_>, seen: &Seen) -> [f64; 2] {
    let mut times = [1.0_f64; 2];
    for launch in 0..seen.launches {
        if here.done[launch].contains(&0) {
            continue;
        }
        let before = here.bytes_touched();
        if !matches!(here.blocks(launch, vec![0]), Ok(true)) {
            return [f64::INFINITY; 2];
        }
        let after = here.bytes_touched();
        for (kind, first) in [after.0 - before.0, after.1 - before.1].into_iter().enumerate() {
            let busiest = seen.did[launch].iter().map(|did| did.all(kind == 0)).fold(0.0, f64::max);
            if first > busiest {
                times[kind] = times[kind].max(first / busiest);
            }
        }
    }
    times
}

/// The part that a launch comes to where it comes to all of the data usually, and no other does what is left. (One that
/// clears, and others that write here and there.)
fn falls_short(usual: &[Share], now: &[Share]) -> Option<f64> {
    let grows = |other: usize| now[other].most > 1.25 * usual[other].most + 0.01;
    let launches = usual.len().min(now.len());
    let short = (0..launches).find(|&launch| {
        let (usual, now) = (usual[launch], now[launch]);
        usual.even && now.even && usual.most >= NEARLY_ALL && now.most < NEARLY_ALL
    })?;
    let others = || (0..launches).filter(|&other| other != short);
    let all_by_others = others().map(|other| now[other].most).sum::<f64>() >= NEARLY_ALL;
    let left_to_others = now.len() > launches || all_by_others || others().any(grows);
    (!left_to_others).then_some(now[short].most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_launch_leaves_out_others_may_do() {
        let even = |part: f64| Share { drawn: part, most: part, mean: part, even: true, ..Share::default() };
        let here_and_there = |part: f64| Share { even: false, ..even(part) };
        let usual = [even(1.0), here_and_there(0.5)];
        let part = |now: &[Share]| falls_short(&usual, now);
        assert_eq!(part(&[even(0.95), here_and_there(0.55)]), Some(0.95));
        assert_eq!(part(&[even(0.99), here_and_there(0.55)]), None);
        assert_eq!(part(&[here_and_there(0.95), here_and_there(0.55)]), None);
        assert_eq!(part(&[even(0.95), here_and_there(0.7)]), None);
        assert_eq!(part(&[even(0.95), here_and_there(0.5), even(0.05)]), None);
        assert_eq!(falls_short(&[even(1.0), even(1.0)], &[even(0.95), even(1.0)]), None);
    }
}

//! Blocks that draw their work from a counter: here one of them has drawn what is many blocks' work, or as much as it may.

use super::SECTOR;
use execution::backend::LaunchProfile;
use plan::{Plan, Role};
use simulator::Counters;

/// How often as much as a block has done is all there is, where it stopped by itself.
const ALL: f64 = 1.5;

/// What a block does on average, by what one did that has drawn more or less than the others would beside it; nothing where the blocks that
/// ran stand for all, or nobody can say how much is left. Of an input or an output all is needed once: the one of which the block has come
/// to least says how often as much is to be done.
pub fn average(found: &LaunchProfile, plan: &Plan) -> Option<LaunchProfile> {
    let blocks = plan.launches[found.launch].blocks();
    let cut = found.is_too_long();
    let ended = found.stopped.is_none() && found.blocks < blocks;
    if !found.drawn || blocks < 2 || !(cut || ended) {
        return None;
    }
    let (locality, loads) = (&found.locality, found.counters.global_load_sectors + found.counters.local_load_sectors);
    let unseen = locality.unseen(loads as f64);
    let part = |(at, buffer): (usize, &plan::Buffer)| {
        let sides = [&locality.read, &locality.written].map(|all| all.get(at).map_or(0, |touch| touch.sectors));
        let touched = sides.into_iter().max().filter(|sectors| *sectors > 0)?;
        (buffer.role != Role::Scratch).then(|| buffer.bytes() as f64 / (touched as f64 * unseen * SECTOR))
    };
    let all = plan.buffers.iter().enumerate().filter_map(part).reduce(f64::max)?.max(1.0);
    if !cut && all > ALL {
        return None;
    }
    let share = all / blocks as f64;
    let line = |covered: &simulator::Covered| {
        let warps = (covered.warps as f64 * share).ceil() as u64;
        simulator::Covered { warps, ..covered.clone() }
    };
    Some(LaunchProfile {
        counters: Counters::default().along(&found.counters, share),
        coverage: found.coverage.iter().map(line).collect(),
        locality: locality.times(share),
        blocks: 1,
        stopped: None,
        ..found.clone()
    })
}

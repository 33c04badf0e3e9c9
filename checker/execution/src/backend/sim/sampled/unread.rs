//! What blocks of one launch leave for the next ones, in scratch: where these have few blocks, all of them are run, and see to all of it, if
//! they do at the small size.

use super::chosen::drawn;
use super::opened::{ENOUGH, Opened, open};
use super::seen::added;
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::message::status::Status;
use crate::backend::sim::Sim;
use plan::Role;

/// Blocks that are drawn.
const DRAWN: u64 = 6;
/// Blocks of a launch that reads, at most: all of them are run.
const READERS: u64 = 256;
/// Warp instructions of each such launch: hundredths of a second.
const INSTRUCTIONS: u64 = 1 << 18;

/// What a block left, and nothing reads.
struct Left {
    buffer: usize,
    element: u64,
    block: u64,
}

/// Does nobody read what blocks of a large size (`here`) leave, although somebody does at a small one? `None`: nothing is told.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn judge(sim: &Sim, here: &Opened<'_>, small: &Program, seed: u64) -> Result<Option<Status>, Stop> {
    let launches = &here.program.plan.launches;
    let Some(writer) = (0..launches.len()).rfind(|launch| launches[*launch].blocks() > READERS) else {
        return Ok(None);
    };
    let has_scratch = here.program.plan.buffers.iter().any(|buffer| buffer.role == Role::Scratch);
    if writer + 1 == launches.len() || !has_scratch || small.plan.launches.len() != launches.len() {
        return Ok(None);
    }
    let unlike = here.unlike[writer].iter().copied().take(DRAWN as usize);
    let Some(Some(left)) = left(sim, here.program, (writer, seed), unlike)? else { return Ok(None) };
    if !matches!(self::left(sim, small, (writer, seed), [].into_iter())?, Some(None)) {
        return Ok(None);
    }
    let buffer = here.program.plan.buffers[left.buffer].name.clone();
    Ok(Some(Status::Unread { buffer, index: left.element, block: left.block }))
}

/// The inner: something that is left and not read. The outer is `None` where that cannot be told.
fn left(
    sim: &Sim,
    program: &Program,
    (writer, seed): (usize, u64),
    unlike: impl Iterator<Item = u64>,
) -> Result<Option<Option<Left>>, Stop> {
    let (mut opened, plan) = (open(sim, program, seed)?, &program.plan);
    let blocks = plan.launches[writer].blocks();
    let drawn = drawn(seed, "blocks that leave something", DRAWN, blocks);
    let scratch = || plan.buffers.iter().enumerate().filter(|(_, buffer)| buffer.role == Role::Scratch);
    let written = |opened: &Opened<'_>| scratch().map(|(index, _)| opened.touched(index).written).collect::<Vec<_>>();
    let mut before = written(&opened);
    let mut wrote = Vec::new();
    for block in [blocks - 1, 0].into_iter().chain(unlike).chain(drawn) {
        if opened.ran > ENOUGH && wrote.len() > 1 {
            break;
        }
        if !matches!(opened.blocks(writer, vec![block]), Ok(true)) {
            return Ok(None);
        }
        let now = written(&opened);
        wrote.push((block, before.iter().zip(&now).map(|(before, now)| added(before, now)).collect::<Vec<_>>()));
        before = now;
    }
    for launch in writer + 1..plan.launches.len() {
        let all = plan.launches[launch].blocks();
        opened.device.config_mut().limits.steps = INSTRUCTIONS / all.max(1);
        // What they make of it is not looked at: blocks that did not run have left nothing.
        let Some(report) = (all <= READERS).then(|| opened.launch(launch, (0..all).collect())).flatten() else {
            return Ok(None);
        };
        if report.findings.iter().any(|finding| finding.severity == simulator::Severity::Fault) {
            return Ok(None);
        }
    }
    let read: Vec<_> = scratch().map(|(index, _)| opened.touched(index).read).collect();
    let unread = wrote.iter().find_map(|(block, wrote)| {
        scratch().zip(wrote).zip(&read).find_map(|(((index, buffer), wrote), read)| {
            let (from, _) = *added(read, wrote).first()?;
            Some(Left { buffer: index, element: from / buffer.dtype.size() as u64, block: *block })
        })
    });
    Ok(Some(unread))
}

//! Sizes at which conditions come out as at none that is known: what a kernel asks of its parameters and its grid says which sizes it means
//! (`rows == cols`, `n % 641 == 0`, `n > 8300 && n < 16000`), and the simulator looks for some (`simulator::steer`).

use super::chosen::{chosen, ends_first};
use super::opened::{Opened, open};
use super::switches::met_by_all;
use crate::backend::machine::Stop;
use crate::backend::message::job::{Passed, Program, Varying};
use crate::backend::sim::Sim;
use plan::stream::Stream;
use simulator::steer::{Aim, Element, Input, Origin, Parameter, SteerRequest, Steered};
use std::collections::BTreeSet;

/// Known sizes from which is looked.
const BASES: usize = 4;
/// Threads of all launches that are few.
const ONE_WARP: u64 = 128;
/// Blocks of a launch that are run for it.
const BLOCKS: usize = 3;
/// Warp operations that may be computed for it, of each launch line.
const STEPS: u64 = 1 << 17;
/// Conditions of a launch line that are looked at, drawn where there are more.
const CONDITIONS: usize = 512;

/// Sizes that are found, each by all its numbers.
///
/// # Errors
/// The PTX cannot be read, or a buffer is larger than anything.
pub fn meant(sim: &Sim, known: &[Program], varying: &Varying, seed: u64) -> Result<Vec<Vec<i64>>, Stop> {
    let mut found = Vec::new();
    if varying.parameters.is_empty() {
        return Ok(found);
    }
    let mut open_conditions = met_by_all(sim, known, seed)?.one_way();
    if varying.latest > 0 {
        // Arithmetic comes to another number at every size that is looked at.
        let conditions = |wanted: &mut BTreeSet<(u32, Aim)>| wanted.retain(|(_, aim)| matches!(aim, Aim::Is(_)));
        open_conditions.values_mut().for_each(conditions);
    }
    // From small ones what is found is small; of one warp little is asked.
    let old = known.len().saturating_sub(varying.latest);
    let mut bases: Vec<_> = known.iter().zip(&varying.values).enumerate().collect();
    bases
        .sort_by_cached_key(|(at, (program, _))| (*at < old, program.plan.threads() <= ONE_WARP, program.plan.bytes()));
    for (_, (program, values)) in bases.into_iter().take(BASES.max(varying.latest)) {
        if open_conditions.values().all(BTreeSet::is_empty) {
            break;
        }
        let mut opened = open(sim, program, seed)?;
        let mut lines = Vec::new();
        for launch in 0..program.plan.launches.len() {
            let line = program.plan.launches[launch].line;
            let Some(wanted) = open_conditions.get_mut(&line).filter(|_| !lines.contains(&line)) else { continue };
            lines.push(line);
            let (ways, others): (BTreeSet<_>, BTreeSet<_>) =
                wanted.iter().copied().partition(|(_, aim)| matches!(aim, Aim::Is(_)));
            let mut steered = Vec::new();
            for wanted in [ways, others].iter().filter(|wanted| !wanted.is_empty()) {
                steered.extend(look(&mut opened, (launch, seed), wanted, (varying, values)));
            }
            wanted.retain(|(at, aim)| !steered.iter().any(|steered| (steered.at, steered.aim) == (*at, *aim)));
            for Steered { changes, .. } in steered {
                let mut sizes = values.clone();
                for (size, bytes) in changes {
                    let number = bytes.try_into().map_or(0, i64::from_le_bytes);
                    if let Some(value) = sizes.get_mut(size as usize / 8) {
                        *value = number;
                    }
                }
                if !found.contains(&sizes) {
                    found.push(sizes);
                }
            }
        }
    }
    Ok(found)
}

/// Looks in some blocks of a launch.
fn look(
    opened: &mut Opened<'_>,
    (launch, seed): (usize, u64),
    wanted: &BTreeSet<(u32, Aim)>,
    (varying, values): (&Varying, &[i64]),
) -> Vec<Steered> {
    let Some(parameters) = parameters(opened, launch, varying) else { return Vec::new() };
    let sizes = values.iter().zip(&varying.bounds).zip(0u64..);
    let inputs = sizes.map(|((value, (low, high)), at)| Input {
        address: 8 * at,
        bytes: value.to_le_bytes().to_vec(),
        element: Element::Signed(8),
        low: *low as f64,
        high: *high as f64,
    });
    let mut wanted: Vec<(u32, Aim)> = wanted.iter().copied().collect();
    let stream = Stream::new(seed, "conditions on sizes");
    wanted.sort_by_cached_key(|(at, _)| stream.bits((*at).into()));
    wanted.truncate(CONDITIONS);
    let wanted = wanted.into_iter().collect();
    let request = SteerRequest { wanted, goals: Vec::new(), inputs: inputs.collect(), parameters, seed, steps: STEPS };
    opened.device.config_mut().steer = Some(request);
    let blocks = opened.program.plan.launches[launch].blocks();
    let mut chosen = ends_first(&chosen(seed, launch as u64, blocks), blocks);
    chosen.truncate(BLOCKS);
    let steered = opened.launch(launch, chosen).map(|report| report.steered);
    opened.device.config_mut().steer = None;
    steered.unwrap_or_default()
}

/// Where a launch's kernel has what is made of sizes; nothing where it has nothing of the kind.
fn parameters(opened: &Opened<'_>, launch: usize, varying: &Varying) -> Option<Vec<Parameter>> {
    let planned = &opened.program.plan.launches[launch];
    let name = opened.program.artefact.names.get(&planned.kernel).unwrap_or(&planned.kernel);
    let offsets: Vec<u32> = opened.device.module().kernel(name)?.offsets().collect();
    let own = varying.parameters.iter().filter(|parameter| parameter.line == planned.line);
    let found: Vec<Parameter> = own
        .filter_map(|own| {
            let from = match own.passed {
                Passed::Arg(arg) => Origin::Offset(*offsets.get(arg)?),
                Passed::Blocks(axis) => Origin::Blocks(axis as u8),
            };
            Some(Parameter { from, input: own.size, made: own.made })
        })
        .collect();
    (!found.is_empty()).then_some(found)
}

//! What the simulator found, as reasons.

use super::Scene;
use super::place::{excerpt, who};
use crate::element::Elements;
use crate::orders::schedule_name;
use execution::backend::Found;
use report::{Cause, Excerpt, Reason, Sources, Verdict};
use simulator::finding::{Explanation, NO_DYNAMIC, NO_POINTER, OWN, RETURNED};
use simulator::{Access, Finding, FindingKind, MemoryLocation, Place};

pub(super) fn finding(found: &Found, elements: &Elements, scene: &Scene<'_>, sources: &mut Sources) -> Option<Reason> {
    let finding = &found.finding;
    let verdict = Verdict::of(finding)?;
    let Explanation { sentence: text, mut details } = say(finding, elements);
    let seen = if finding.count > 1 { format!(", seen {} times", finding.count) } else { String::new() };
    if matches!(finding.kind, FindingKind::Interrupted { .. }) && found.launch > 0 {
        details.push(format!("it is launch {} of this file", found.launch + 1));
    }
    details.push(format!("at {}, schedule {}{seen}", scene.case, schedule_name(&found.schedule)));

    let excerpts: Vec<Excerpt> = match &finding.kind {
        FindingKind::Race { first, second, .. } | FindingKind::LateWrite { first, second } => {
            [first, second].into_iter().filter_map(|access| side(access, scene, sources)).collect()
        }
        FindingKind::Uninitialised { access, .. } if matches!(access.object, MemoryLocation::Variable { .. }) => {
            variable(access, finding, scene, sources)
        }
        FindingKind::Uninitialised { access, .. } if access.place.line != finding.place.line => {
            let used = excerpt(&finding.place, &format!("used by {}", who(&finding.place)), scene, sources);
            side(access, scene, sources).into_iter().chain(used).collect()
        }
        kind => {
            let label = match access(kind) {
                // The reason's sentence names the element.
                Some(access) if access.object.name().is_some() => format!("{} by {}", access.what, who(&finding.place)),
                Some(access) => format!("{} at {:#x} by {}", access.what, access.address, who(&finding.place)),
                None => who(&finding.place),
            };
            excerpt(&finding.place, &label, scene, sources).into_iter().collect()
        }
    };
    let reason = Reason::new(verdict, text).with_details(details).with_excerpts(excerpts);
    let trapped = matches!(finding.kind, FindingKind::Trap) && syncs_the_grid(&reason.excerpts);
    if trapped {
        let text = "grid.sync() in a launch that is not cooperative: the kernel executed a trap".to_owned();
        return Some(Reason { text, cause: Some(Cause::NotCooperative), ..reason });
    }
    Some(Reason { cause: cause(&finding.kind), ..reason })
}

/// What two accesses meet for, where no barrier helps.
fn race_cause(first: &Access, second: &Access) -> Option<Cause> {
    let both = |what: &str| first.what == what && second.what == what;
    if [first, second].iter().any(|access| access.what == "cached read") {
        return Some(Cause::CachedRead);
    }
    let scoped = both("atomic") && first.size == second.size && first.place.block != second.place.block;
    scoped.then_some(Cause::BlockScope)
}

/// Is it the barrier of a grid that stands there? It traps where the launch has none.
fn syncs_the_grid(excerpts: &[Excerpt]) -> bool {
    let Some(line) =
        excerpts.first().and_then(|excerpt| excerpt.lines.get(excerpt.line.saturating_sub(excerpt.first) as usize))
    else {
        return false;
    };
    let others = ["__syncthreads", "__syncwarp", "__trap", "assert", "cluster", "tile"];
    line.contains("sync(") && !others.iter().any(|other| line.contains(other))
}

/// What is behind a finding, where its verdict alone does not say what to try first.
fn cause(kind: &FindingKind) -> Option<Cause> {
    Some(match kind {
        FindingKind::OutOfBounds { access } => match &access.object {
            MemoryLocation::Heap { freed: Some(_), .. } => Cause::Freed,
            MemoryLocation::OtherThread { .. } => Cause::OtherThread,
            MemoryLocation::Null { .. } => Cause::NullPointer,
            _ if access.what == "free" => Cause::BadFree,
            MemoryLocation::Nobodys { memory } => match memory.as_str() {
                NO_DYNAMIC => Cause::DynamicShared,
                RETURNED => Cause::Returned,
                OWN => Cause::Ended,
                NO_POINTER => Cause::NoPointer,
                _ => return None,
            },
            _ => return None,
        },
        // As its sentence has it.
        FindingKind::Misaligned { access } if !access.size.is_multiple_of(16) && access.address.is_multiple_of(16) => {
            Cause::CopySize
        }
        FindingKind::Race { first, second, .. } => race_cause(first, second)?,
        #[cfg(not(target_family = "wasm"))]
        FindingKind::Uninitialised { usage: simulator::finding::Usage::NotGiven, .. } => Cause::NotGiven,
        FindingKind::Uninitialised { access, .. } if access.object == MemoryLocation::Register => Cause::Variable,
        FindingKind::Uninitialised { access, .. } if matches!(access.object, MemoryLocation::Variable { .. }) => {
            Cause::Declared
        }
        FindingKind::Interrupted { done: 1.., polls, .. } if polls.is_empty() => Cause::TooMuch,
        FindingKind::Livelock { polls, .. } if polls.iter().any(|poll| poll.lacks.is_some()) => Cause::Mbarrier,
        _ => return None,
    })
}

/// The declaration of a variable without a value, and where the value that it has not is used.
fn variable(access: &Access, finding: &Finding, scene: &Scene<'_>, sources: &mut Sources) -> Vec<Excerpt> {
    let MemoryLocation::Variable { line, .. } = access.object else { return Vec::new() };
    let declared = Place { line, ..access.place.clone() };
    let used = excerpt(&finding.place, &format!("used by {}", who(&finding.place)), scene, sources);
    let declared = excerpt(&declared, "declared without a value", scene, sources);
    declared.into_iter().chain(used).collect()
}

fn side(access: &Access, scene: &Scene<'_>, sources: &mut Sources) -> Option<Excerpt> {
    excerpt(&access.place, &format!("{} by {}", access.what, who(&access.place)), scene, sources)
}

fn access(kind: &FindingKind) -> Option<&Access> {
    match kind {
        FindingKind::OutOfBounds { access }
        | FindingKind::Misaligned { access }
        | FindingKind::WriteToConstant { access }
        | FindingKind::InputChanged { access }
        | FindingKind::Uninitialised { access, .. } => Some(access),
        _ => None,
    }
}

/// The finding in words, with what this command can do about it.
pub(super) fn say(finding: &Finding, elements: &Elements) -> Explanation {
    let mut explanation = finding.explain(&|location, access| elements.say(location, access));
    explanation.details.extend(match finding.kind {
        FindingKind::StepLimit { .. } => {
            Some("if it is only slow: `checker run FILE.cu --steps N` sets another limit".to_owned())
        }
        FindingKind::Unsupported { .. } => Some(
            "nothing is judged without it: write it another way, or see what a GPU does (`checker run --backend gpu`)"
                .to_owned(),
        ),
        _ => None,
    });
    explanation
}

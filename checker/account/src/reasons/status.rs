//! How a version ended, as reasons.

use super::Scene;
use super::place::last_writers;
use super::run::run;
use super::sampled::{impossible, leaves_out, never, untried, waits_for_later};
use super::wrong::wrong_outputs;
use crate::orders;
use execution::backend::{Checked, Death, Difference, Status, UNREADABLE};
use report::{Cause, Excerpt, Reason, Sources, Verdict};
use simulator::Schedule;
use simulator::finding::{ENDLESS_ADVICE, FindingName};

/// What may help who was cut off.
const ENDS_SOONER: &str =
    "a kernel that does less work, a smaller grid or a machine with nothing else to do ends sooner";

pub(super) fn status(checked: &Checked, scene: &Scene<'_>, sources: &mut Sources) -> Vec<Reason> {
    let mut details = vec![run(checked, scene)];
    let mut excerpts = Vec::new();
    let (verdict, text) = match &checked.status {
        Status::Passed | Status::NotRun { .. } | Status::OracleFailed { .. } => return Vec::new(),
        Status::Wrong { outputs } => return wrong_outputs(outputs, checked, details),
        Status::OrderDependent { other, outputs } => return depends(checked, *other, outputs, scene, sources),
        Status::LeavesOut { reads, part } => {
            details.push("some blocks of that size were simulated; at smaller sizes it comes to all".into());
            (Verdict::WrongResult, leaves_out(*reads, *part, scene))
        }
        Status::Untried { what, .. } => {
            details.push(
                "sizes are run whole up to some millions of elements, larger ones by a few blocks: what happens only there \
                 cannot be verified"
                    .into(),
            );
            let (text, place) = untried(what, scene, sources);
            excerpts.extend(place);
            (Verdict::NotVerified, text)
        }
        Status::WaitsForLater { line, sizes, grid, tried } => {
            let excerpt = sources.excerpt(scene.file, *line, None, "this launch");
            return vec![waits_for_later(sizes, *grid, *tried, details).with_excerpts(vec![excerpt])];
        }
        Status::NeverReached { .. }
        | Status::NeverReads { .. }
        | Status::NoEffect { .. }
        | Status::DoesLess { .. }
        | Status::Miscounts { .. }
        | Status::OtherEffect { .. }
        | Status::LeavesOther { .. }
        | Status::Unread { .. }
        | Status::NeverUses { .. } => {
            let (text, detail) = never(&checked.status);
            details.push(detail.into());
            (Verdict::WrongResult, text)
        }
        Status::Impossible { us, least_us } => {
            details.push(
                "a GPU cannot move the bytes, or do the operations, that the problem states in so short a time".into(),
            );
            (Verdict::Impossible, impossible(*us, *least_us))
        }
        Status::InputChanged { buffer, index, got, want } => (
            Verdict::InputChanged,
            format!("the kernel changed its input `{buffer}`: element {index} is {got}, it was {want}"),
        ),
        Status::GuardBroken { .. } | Status::WroteElsewhere { .. } => (Verdict::GuardDamaged, wrote(&checked.status)),
        Status::Fault { fault } => {
            details.extend(fault.hint.clone());
            let label = if fault.name == UNREADABLE { "here" } else { "this launch" };
            excerpts.push(sources.excerpt(scene.file, fault.line, None, label));
            (device_verdict(&fault.name), format!("{} ({})", fault.message, fault.name))
        }
        Status::BadLaunch { line, message, .. } => {
            excerpts.push(launch_line(*line, scene, sources));
            (Verdict::BadLaunch, message.clone())
        }
        Status::TimedOut { seconds } => {
            details.push(ENDLESS_ADVICE.into());
            details.push(
                "a flood of printf, thousands of launches or a very large size take long too: try a smaller --size"
                    .into(),
            );
            (Verdict::Endless, format!("the kernel did not end within {seconds:.0} s and was stopped"))
        }
        Status::OutOfTime => {
            details.push(ENDS_SOONER.to_owned());
            (Verdict::OutOfTime, "not all could be tried before the time for a check was over".to_owned())
        }
        Status::WorkerDied { death } => {
            details.extend(death.stderr.lines().last().map(str::to_owned));
            died(death)
        }
    };
    let cause = checked.status.is_left_out().then_some(Cause::LeftOut);
    vec![Reason { cause, ..Reason::new(verdict, text).with_details(details).with_excerpts(excerpts) }]
}

/// A write that nothing stopped, beside a buffer or to what is the checker's.
fn wrote(status: &Status) -> String {
    match status {
        Status::GuardBroken { buffer, offset, bytes } => {
            format!("the kernel wrote {} `{buffer}` ({bytes} bytes)", outside(*offset, *bytes))
        }
        Status::WroteElsewhere { what } => {
            format!(
                "the kernel wrote to memory of the device that is not its own: it changed {what} of the measurement"
            )
        }
        _ => "the kernel wrote to memory that is not its own".to_owned(),
    }
}

/// Outputs that differ between this order and `other`.
fn depends(
    checked: &Checked,
    other: Schedule,
    outputs: &[Difference],
    scene: &Scene<'_>,
    sources: &mut Sources,
) -> Vec<Reason> {
    let this = checked.failed_run().and_then(|run| run.schedule).unwrap_or_default();
    let at = run(checked, scene);
    let with_places = |difference: &Difference| {
        let places = last_writers(difference, [other, this], scene, sources);
        orders::reason(difference, other, this, &at).with_excerpts(places)
    };
    outputs.iter().map(with_places).collect()
}

/// Where `bytes` bytes lie that begin `offset` bytes from the start of a buffer, or from its end if they lie behind it.
fn outside(offset: i64, bytes: u64) -> String {
    if offset < 0 {
        format!("{} bytes before the start of", offset.unsigned_abs())
    } else {
        format!("{} bytes behind the end of", offset.unsigned_abs().saturating_sub(bytes))
    }
}

fn died(death: &Death) -> (Verdict, String) {
    if death.out_of_memory {
        let most = execution::backend::MEMORY >> 30;
        let text =
            format!("the run needs more memory than the {most} GiB of this machine that all runs of a check may use");
        (Verdict::OutOfMemory, text)
    } else {
        (Verdict::DeviceFault, format!("the process that ran the kernel died: {}", death.how))
    }
}

fn device_verdict(name: &str) -> Verdict {
    match name {
        "CUDA_ERROR_ILLEGAL_ADDRESS" => Verdict::OutOfBounds,
        "CUDA_ERROR_MISALIGNED_ADDRESS" => Verdict::Misaligned,
        "CUDA_ERROR_ASSERT" => Verdict::Assert,
        "CUDA_ERROR_ILLEGAL_INSTRUCTION" | "CUDA_ERROR_LAUNCH_FAILED" => Verdict::Trap,
        "CUDA_ERROR_LAUNCH_TIMEOUT" => Verdict::Endless,
        UNREADABLE => Verdict::Unsupported,
        // The simulator's go by the names of its findings.
        name => FindingName::by_name(name).and_then(Verdict::of_kind).unwrap_or(Verdict::DeviceFault),
    }
}

/// The line that asks for what cannot be done.
fn launch_line(line: u32, scene: &Scene<'_>, sources: &mut Sources) -> Excerpt {
    let mut excerpt = sources.excerpt(scene.file, line, None, "this launch");
    // What a `constant` line asks for fails before any launch.
    if excerpt.lines.last().is_some_and(|text| text.contains("//@") && !text.contains("launch")) {
        excerpt.label = "this line".into();
    }
    excerpt
}

//! From what a backend says to what a learner needs to hear: one sentence, the place, and the next thing to try.

use super::element::Elements;
use super::orders::{self, schedule_name, schedule_with_words};
use execution::backend::{
    Checked, Death, Difference, Found, RunId, Status, TurnedInputs, UNREADABLE, Untried, WrongOutput,
};
use plan::Buffer;
use problem::LineError;
use report::{Cause, Excerpt, Pattern, Reason, Sources, Verdict};
use simulator::finding::{ENDLESS_ADVICE, Explanation, FindingName};
use simulator::{Access, Finding, FindingKind, MemoryLocation, Place, Question, Schedule, Severity};
use std::path::{Path, PathBuf};
use system::text;
use values::fill::Values;
use values::{LooksLike, Mismatch};

/// Where the version's source is and how its run is described.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The kernel file.
    pub file: &'a Path,
    /// The case: "n = 33".
    pub case: &'a str,
    /// Its buffers, as far as they are known: they say what an element is.
    pub buffers: &'a [Buffer],
}

/// Everything that speaks against this result, the gravest first; empty when there is nothing.
pub fn of(checked: &Checked, scene: &Scene<'_>, sources: &mut Sources) -> Vec<Reason> {
    let elements = Elements::new(sources.lines(scene.file), scene.buffers);
    let grave = |severity| checked.findings.iter().filter(move |found| found.finding.severity == severity);
    // A race explains a wrong result better than the wrong element does, and an uninitialised read likewise.
    let mut findings: Vec<&Found> = grave(Severity::Fault).chain(grave(Severity::Error)).collect();
    let polled = polled(&checked.findings);
    findings.sort_by_key(|found| !is_unset(&found.finding, &polled));
    let mut reasons: Vec<Reason> = Vec::new();
    for found in findings {
        reasons.extend(finding(found, &elements, scene, sources));
    }
    let has_fault = checked.findings.iter().any(|found| found.finding.severity == Severity::Fault);
    if !(has_fault && matches!(checked.status, Status::Fault { .. })) {
        reasons.extend(status(checked, scene, sources));
    }
    // A status says it itself.
    if let (Some(first), Some(inputs)) = (reasons.first_mut(), &checked.turned)
        && !first.details.iter().any(|detail| detail.contains(&chosen(inputs)))
    {
        first.details.insert(0, chosen(inputs));
    }
    // Why they wait there and nowhere else comes first.
    if matches!(checked.status, Status::WaitsForLater { .. }) {
        reasons.rotate_right(1);
    }
    // One of every kind before a second of any: what fails may have its cause in what comes later.
    let mut kinds: Vec<Verdict> = Vec::new();
    reasons.sort_by_cached_key(|reason| {
        let repeated = kinds.contains(&reason.verdict);
        kinds.push(reason.verdict);
        repeated
    });
    // What may be behind a wrong result, when nothing else explains it.
    let suspicion = checked.findings.iter().find(|found| found.finding.is_suspicion());
    if let (Some(first), Some(suspicion)) = (reasons.first_mut(), suspicion)
        && matches!(first.verdict, Verdict::WrongResult | Verdict::OrderDependent)
    {
        first
            .excerpts
            .extend(finding(suspicion, &elements, scene, sources).into_iter().flat_map(|reason| reason.excerpts));
        // It is the cause more often than the element that went wrong is.
        first.suspicion = Some(suspicion.finding.kind.name());
        first.details.insert(0, format!("perhaps because {}", say(&suspicion.finding, &elements).details.join("; ")));
    }
    reasons
}

/// Buffers and variables that threads poll for ever.
fn polled(findings: &[Found]) -> Vec<&str> {
    let polls = findings.iter().flat_map(|found| match &found.finding.kind {
        FindingKind::Livelock { polls, .. }
        | FindingKind::StepLimit { polls, .. }
        | FindingKind::Interrupted { polls, .. } => polls.as_slice(),
        _ => &[],
    });
    polls.filter_map(|poll| poll.location.as_ref()?.name()).collect()
}

/// A read of what is polled before anything has written it: a lock that was never set to 0 looks taken, and nobody gives it back.
fn is_unset(finding: &Finding, polled: &[&str]) -> bool {
    matches!(&finding.kind, FindingKind::Uninitialised { access, .. } if access.object.name().is_some_and(|name| polled.contains(&name)))
}

/// Elements that are named, of inputs that were found.
const TURNED: usize = 4;

/// What may help who was cut off.
const ENDS_SOONER: &str =
    "a kernel that does less work, a smaller grid or a machine with nothing else to do ends sooner";

fn status(checked: &Checked, scene: &Scene<'_>, sources: &mut Sources) -> Vec<Reason> {
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
            (Verdict::WrongResult, text)
        }
        Status::WaitsForLater { line, sizes, grid, tried } => {
            let excerpt = sources.excerpt(scene.file, *line, None, "this launch");
            return vec![waits_for_later(sizes, *grid, *tried, details).with_excerpts(vec![excerpt])];
        }
        Status::NeverReached { .. }
        | Status::NeverReads { .. }
        | Status::NoEffect { .. }
        | Status::DoesLess { .. }
        | Status::UsesLess { .. }
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
            excerpts.push(sources.excerpt(scene.file, *line, None, "this launch"));
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
    let pattern = matches!(checked.status, Status::Untried { .. }).then_some(Pattern::Untried);
    vec![Reason { cause, pattern, ..Reason::new(verdict, text).with_details(details).with_excerpts(excerpts) }]
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

/// Blocks wait for others that begin later: of a launch at `sizes`, and of the run that shows it, the blocks that are
/// resident at once, and all.
fn waits_for_later(sizes: &str, [held, blocks]: [u64; 2], [some, all]: [u64; 2], mut details: Vec<String>) -> Reason {
    details.push(format!("tried with {some} of its {all} blocks resident at once; earlier blocks may be waited for"));
    let text = format!(
        "blocks wait for others that have not begun: {blocks} are launched at {sizes}, and the device holds {held} at once"
    );
    Reason::new(Verdict::Livelock, text).with_details(details)
}

/// How little of its inputs it reads, or of its outputs it writes.
fn leaves_out(reads: bool, part: f64, scene: &Scene<'_>) -> String {
    let (does, what) = if reads { ("reads", "inputs") } else { ("writes", "outputs") };
    let how_much = match 100.0 * part {
        0.0 => "none".to_owned(),
        // Not all of it.
        percent if percent > 99.0 => format!("about {:.2} %", percent.min(99.99)),
        percent => format!("about {:.0} %", percent.max(1.0)),
    };
    format!("it {does} {how_much} of its {what} at {}", scene.case)
}

/// What a version never does, and how that is known.
fn never(status: &Status) -> (String, &'static str) {
    match status {
        Status::NeverReached { buffer, index, reads, block } => {
            let does = if *reads { "reads" } else { "writes" };
            let why = match block {
                Some(block) => format!("going by the other blocks, it falls to block {block}, which leaves it out"),
                None => "the blocks of the grid end before it".to_owned(),
            };
            let detail = "some blocks of that size were simulated, and those around are where they should be";
            (format!("nothing {does} {buffer}[{index}]: {why}"), detail)
        }
        Status::NeverReads { buffer, first, count } => {
            let others = if *count == 1 { String::new() } else { format!(" and {} more elements", count - 1) };
            let detail = "the right outputs hang on what is there; of so few it may be less than roundings";
            (format!("it never reads {buffer}[{first}]{others}"), detail)
        }
        Status::NoEffect { buffer, index, block, some } => {
            let detail = "some blocks of that size were simulated, and once more with another number there; at smaller sizes more follows";
            let what = if *some { "only a part of what it writes follows" } else { "nothing that it writes follows" };
            (format!("block {block} reads {buffer}[{index}], and {what} from that"), detail)
        }
        Status::DoesLess { reads, block, bytes, others } => {
            let detail = "some blocks of that size were simulated; at smaller sizes all do the same";
            let [bytes, others] = [bytes, others].map(|count| text::grouped(*count as i64));
            let does = if *reads { "reads" } else { "writes" };
            (format!("block {block} {does} {bytes} bytes, and others before it and behind it {others}"), detail)
        }
        Status::UsesLess { buffer, block, used, read } => {
            let detail = "some blocks of that size were simulated, with the same number everywhere; at smaller sizes all that is read counts";
            let [used, read] = [used, read].map(|count| text::grouped(*count as i64));
            (
                format!("block {block} reads {read} elements of {buffer}, and {used} of them go into what it writes"),
                detail,
            )
        }
        Status::NeverUses { elements } => {
            let named: Vec<String> = elements.iter().map(|(buffer, index)| format!("{buffer}[{index}]")).collect();
            let detail = "its outputs keep every bit where that changes, and the right ones do not";
            (format!("it never uses {}", named.join(", nor ")), detail)
        }
        _ => (String::new(), ""),
    }
}

fn impossible(us: f64, least_us: f64) -> String {
    format!("timed, it takes {us:.1} us, and its work takes {least_us:.1} us at least: some of it is left out")
}

/// What happens at this size only, and where.
fn untried(what: &Untried, scene: &Scene<'_>, sources: &mut Sources) -> (String, Option<Excerpt>) {
    match what {
        Untried::Condition { file, line, question, holds, .. } => {
            let place = Place { file: file.clone(), line: *line, ..Place::default() };
            let case = &scene.case;
            let (text, label) = match (question, holds) {
                (Question::True, _) => (
                    format!("a condition is {holds} at {case} that is {} wherever it was verified", !holds),
                    "this condition",
                ),
                (Question::Less, true) => (
                    format!("a number is below another at {case} that is not wherever it was verified"),
                    "compared here",
                ),
                (Question::Less, false) => (
                    format!("a number reaches another at {case} that it is below wherever it was verified"),
                    "compared here",
                ),
                (Question::NotZero, true) => {
                    (format!("a number is not 0 at {case} that is 0 wherever it was verified"), "computed here")
                }
                (Question::NotZero, false) => {
                    (format!("a number is 0 at {case} that is not wherever it was verified"), "computed here")
                }
                (Question::Kept, true) => (
                    format!("a number stays as it is at {case} that is cut off wherever it was verified"),
                    "cut off here",
                ),
                (Question::Kept, false) => (
                    format!("a number is cut off or overflows at {case} that stays as it is wherever it was verified"),
                    "cut off here",
                ),
                (Question::Argument, _) => (
                    format!("a number is one of the kernel's arguments wherever it was verified, and is not at {case}"),
                    "computed here",
                ),
            };
            // What belongs to no instruction is an expression of the kernel file's own lines.
            let shown = match file.is_empty() && *line > 0 {
                true => Some(sources.excerpt(scene.file, *line, None, label)),
                false => excerpt(&place, label, scene, sources),
            };
            (text, shown)
        }
        Untried::Kernel { kernel, line } => {
            let text = format!("`{kernel}` is launched at {} and nowhere where it was verified", scene.case);
            (text, Some(sources.excerpt(scene.file, *line, None, "this launch")))
        }
    }
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

/// Which run failed: "at n = 33, schedule its (usual order), when it runs again".
fn run(checked: &Checked, scene: &Scene<'_>) -> String {
    let mut text = format!("at {}", scene.case);
    if let Some(run) = checked.failed_run() {
        if let Some(schedule) = &run.schedule {
            text.push_str(&format!(", schedule {}", schedule_with_words(schedule)));
        }
        // Elsewhere the order tells the runs apart.
        if run.number > 0 && run.schedule.is_none_or(|schedule| schedule == Schedule::Its) {
            text.push_str(match run.values {
                Values::AsStated => ", when it runs again",
                Values::Edges => ", where inputs hold the ends of their intervals, and numbers of the code",
                Values::Ends => ", where all elements of an input lie at one end of its interval",
                Values::Alike => ", where neighbouring elements of an input are the same",
                Values::ExactIntegers => ", where inputs are small multiples of a power of two",
                Values::Repeating => ", where inputs repeat every 32 elements",
                Values::Delicate => ", where inputs are of one sign and need all their digits",
            });
        }
    }
    if let Some(inputs) = &checked.turned {
        text.push_str(&format!(", {}", chosen(inputs)));
    }
    text
}

/// Inputs that were found by what the code asks of them.
fn chosen(inputs: &TurnedInputs) -> String {
    let TurnedInputs { line, elements, .. } = inputs;
    let shown = elements.iter().take(TURNED).map(|(name, index, value)| format!("`{name}[{index}]` is {value}"));
    let more = if elements.len() > TURNED { ", and others" } else { "" };
    let line = if *line > 0 { format!(" in line {line}") } else { String::new() };
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("where inputs are chosen so that a condition{line} comes out the other way: {shown}{more}")
}

/// The schedule of the run that failed, if the usual order passed with the same inputs.
fn only_under(checked: &Checked) -> Option<Schedule> {
    let failed = checked.failed_run()?;
    let same =
        |run: &RunId| run.schedule == Some(Schedule::Its) && (run.seed, run.values) == (failed.seed, failed.values);
    let passed = checked.runs.iter().any(|result| result.status.passed() && same(&result.run));
    failed.schedule.filter(|_| passed)
}

fn wrong_outputs(outputs: &[WrongOutput], checked: &Checked, mut details: Vec<String>) -> Vec<Reason> {
    let only_under = only_under(checked);
    if only_under.is_some() {
        details.push("in the usual order it comes out right".into());
    }
    let waits = matches!(only_under, Some(Schedule::Patient { .. })).then_some(Pattern::LongWait);
    let reason = |output| {
        let reason = wrong(output, &details);
        Reason { only_under: only_under.as_ref().map(schedule_name), pattern: waits.or(reason.pattern), ..reason }
    };
    outputs.iter().map(reason).collect()
}

fn wrong(output: &WrongOutput, run: &[String]) -> Reason {
    let WrongOutput { name, len, wrong, first, .. } = output;
    let text = match (wrong, len) {
        (0, len) => format!("the {len} elements of `{name}` are off by too much on average"),
        (1, 1) => format!("`{name}` is wrong"),
        (2, 2) => format!("both elements of `{name}` are wrong"),
        (wrong, len) if wrong == len => format!("all {len} elements of `{name}` are wrong"),
        (1, len) => format!("1 of the {len} elements of `{name}` is wrong"),
        (wrong, len) => format!("{wrong} of the {len} elements of `{name}` are wrong"),
    };
    let mut details: Vec<String> = first.iter().take(3).map(|mismatch| element(output, mismatch)).collect();
    details.extend(looks_like(output));
    details.extend(run.iter().cloned());
    let pattern = pattern(output.looks_like);
    let reason = Reason { pattern, ..Reason::new(Verdict::WrongResult, text).with_details(details) };
    match first.first() {
        Some(mismatch) => reason.with_element(name, mismatch.index),
        None => reason,
    }
}

fn element(output: &WrongOutput, mismatch: &Mismatch) -> String {
    let Mismatch { index, got, want, bound } = mismatch;
    let off = if *bound > 0.0 { format!(" (may be off by {bound:.2e})") } else { String::new() };
    format!("{}[{index}] is {got}, should be {want}{off}", output.name)
}

/// A small whole number, or one over one.
fn is_simple(factor: f64) -> bool {
    let whole = |value: f64| (value - value.round()).abs() < 1e-4 && (1.0..=64.0).contains(&value);
    whole(factor) || whole(1.0 / factor)
}

/// The same as one of the patterns that have a question of their own.
fn pattern(looks_like: LooksLike) -> Option<Pattern> {
    Some(match looks_like {
        LooksLike::NeverWritten => Pattern::NeverWritten,
        LooksLike::Tail { .. } => Pattern::Tail,
        LooksLike::Digits { .. } | LooksLike::OffOnAverage { .. } => Pattern::Digits,
        LooksLike::SecondRunOnly { .. } => Pattern::SecondRun,
        LooksLike::Nothing
        | LooksLike::Zero
        | LooksLike::Nan
        | LooksLike::EveryKth { .. }
        | LooksLike::From { .. }
        | LooksLike::Scaled { .. } => return None,
    })
}

fn looks_like(output: &WrongOutput) -> Option<String> {
    Some(match output.looks_like {
        LooksLike::Nothing => return None,
        LooksLike::NeverWritten => "the wrong elements were never written".into(),
        LooksLike::Zero => "every wrong element is 0".into(),
        LooksLike::Nan => "every wrong element is NaN".into(),
        LooksLike::Tail { from } => format!("everything from element {from} on is wrong: is the tail missing?"),
        LooksLike::From { from } => format!("everything from element {from} on is wrong, and nothing before it"),
        LooksLike::EveryKth { step, first } => format!("exactly every {step}th element from {first} on is wrong"),
        // A single number is always some multiple of another: only a simple one says something.
        LooksLike::Scaled { factor } if output.wrong == 1 && !is_simple(factor) => return None,
        LooksLike::Digits { right } => {
            format!(
                "right to {right} binary digits: is something rounded to a shorter type, once too often, or left out of a sum?"
            )
        }
        LooksLike::Scaled { factor } => format!("every wrong element is {factor:.4} times the right one"),
        LooksLike::OffOnAverage { times } => format!(
            "each is within its bound, but their errors' root mean square is {times:.1} times what independent roundings come \
             to: is something left out, or rounded to a shorter type?"
        ),
        LooksLike::SecondRunOnly { unwritten } => format!(
            "right at first, {} when it runs again, after a run at another size perhaps: something is left over from the run \
             before, or is never set to its start value",
            if unwritten { "never written" } else { "wrong" }
        ),
    })
}

/// "thread 3 of block 0", "thread (3, 1, 0) of block (0, 2, 0)".
pub fn who(place: &Place) -> String {
    let index = |[x, y, z]: [u32; 3]| if y == 0 && z == 0 { x.to_string() } else { format!("({x}, {y}, {z})") };
    format!("thread {} of block {}", index(place.thread), index(place.block))
}

/// The file a place belongs to: the kernel file if it has the name that the compiler got.
fn file(place: &Place, scene: &Scene<'_>) -> PathBuf {
    if place.file.is_empty() || place.file == text::source_name(scene.file) {
        scene.file.to_path_buf()
    } else {
        PathBuf::from(&place.file)
    }
}

/// Where the first element that differs got its value, under the one order and under the other.
fn last_writers(
    difference: &Difference,
    orders: [Schedule; 2],
    scene: &Scene<'_>,
    sources: &mut Sources,
) -> Vec<Excerpt> {
    let Difference { name, index, writers, .. } = difference;
    let [first, second] = writers;
    let same = first
        .as_ref()
        .zip(second.as_ref())
        .is_some_and(|(a, b)| (&a.file, a.line, a.block, a.thread) == (&b.file, b.line, b.block, b.thread));
    let one = |(place, order): (&Option<Place>, &Schedule)| {
        let place = place.as_ref()?;
        let under = if same { "both".to_owned() } else { schedule_name(order) };
        excerpt(place, &format!("writes {name}[{index}] last, under {under}: {}", who(place)), scene, sources)
    };
    let shown = if same { 1 } else { 2 };
    writers.iter().zip(&orders).take(shown).filter_map(one).collect()
}

fn excerpt(place: &Place, label: &str, scene: &Scene<'_>, sources: &mut Sources) -> Option<Excerpt> {
    (place.line > 0).then(|| sources.excerpt(&file(place, scene), place.line, None, label))
}

fn finding(found: &Found, elements: &Elements, scene: &Scene<'_>, sources: &mut Sources) -> Option<Reason> {
    let finding = &found.finding;
    let verdict = Verdict::of(finding)?;
    let Explanation { sentence: text, mut details } = say(finding, elements);
    let seen = if finding.count > 1 { format!(", seen {} times", finding.count) } else { String::new() };
    details.push(format!("at {}, schedule {}{seen}", scene.case, schedule_name(&found.schedule)));

    let excerpts: Vec<Excerpt> = match &finding.kind {
        FindingKind::Race { first, second, .. } | FindingKind::LateWrite { first, second } => {
            [first, second].into_iter().filter_map(|access| side(access, scene, sources)).collect()
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
    Some(Reason { cause: cause(&finding.kind), ..reason })
}

/// What is behind a finding, where its verdict alone does not say what to try first.
fn cause(kind: &FindingKind) -> Option<Cause> {
    Some(match kind {
        FindingKind::OutOfBounds { access } => match access.object {
            MemoryLocation::Heap { freed: Some(_), .. } => Cause::Freed,
            MemoryLocation::OtherThread { .. } => Cause::OtherThread,
            MemoryLocation::Null { .. } => Cause::NullPointer,
            _ => return None,
        },
        #[cfg(not(target_family = "wasm"))]
        FindingKind::Uninitialised { usage: simulator::finding::Usage::NotGiven, .. } => Cause::NotGiven,
        FindingKind::Uninitialised { access, .. } if access.object == MemoryLocation::Register => Cause::Variable,
        FindingKind::Livelock { polls, .. } if polls.iter().any(|poll| poll.lacks.is_some()) => Cause::Mbarrier,
        _ => return None,
    })
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
fn say(finding: &Finding, elements: &Elements) -> Explanation {
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

/// An object's name in the source, between backticks: `tile` for `_ZZ4turnPKfPfiE4tile`.
pub(crate) fn name(name: &str) -> String {
    // The compiler's name for all local arrays of a function together.
    if name.starts_with("__local_depot") {
        return "the local arrays".to_owned();
    }
    // `a` would be read as the code of a type.
    let mangled = Some(name).filter(|name| name.starts_with("_Z"));
    let demangled =
        mangled.and_then(|name| cpp_demangle::Symbol::new(name).ok()).and_then(|symbol| symbol.demangle().ok());
    format!("`{}`", demangled.as_deref().and_then(|text| text.rsplit("::").next()).unwrap_or(name))
}

/// A malformed or impossible `//@` line as a reason.
pub fn line(verdict: Verdict, error: &LineError, sources: &mut Sources) -> Reason {
    let mut excerpt = sources.excerpt(&error.path, error.line, Some(error.column), "");
    let line = text::line(&error.source_line.replace('\t', "    ")).into_owned();
    if excerpt.lines.last() != Some(&line) {
        (excerpt.first, excerpt.lines) = (error.line, vec![line]);
    }
    Reason::new(verdict, error.message.to_string())
        .with_details(error.expected.iter().map(|form| format!("expected: {form}")))
        .with_excerpts([excerpt])
}

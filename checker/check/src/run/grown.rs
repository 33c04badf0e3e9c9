//! Lines that were made for a file are tried once: a buffer past whose end its kernels go is made longer. The lines stay a guess; a
//! comment says which lengths are nobody's word. Where they fail all the same, it is told.

use super::Running;
use super::ready::compiled;
use crate::platform::Platform;
use crate::refused;
use account::reasons::{self, Scene};
use compiler::own::OwnCode;
use compiler::toolchain::Toolchain;
use execution::backend::{self, Case, Found, Thoroughness, Verify, WorkerOptions};
use problem::{KernelFile, Sizes};
use report::{Excerpt, Reason, Sources, Verdict};
use simulator::finding::MemoryLocation;
use simulator::{Checks, FindingKind, Schedule};
use std::path::Path;
use std::time::{Duration, Instant};

/// Times that lines are tried, how long all of that may take, and the warp instructions of a launch.
const TRIES: usize = 32;
const TIME: Duration = Duration::from_secs(10);
const STEPS: u64 = 1 << 22;
/// Most times that a buffer gets longer: what goes farther follows an index that nobody knows.
const MOST: u64 = 1 << 10;
/// What is said of such a length.
const REMARK: &str = "  // as far as a kernel goes";
/// Where something is wrong that stands in one of them.
const GUESSED: &str = " in one of them, which is a guess";

impl Running<'_> {
    /// The lines, with buffers as long as the kernels of `text` reach; as they are where nothing can be tried. With what came of them,
    /// if they fail.
    pub(super) fn grown(
        &self,
        toolchain: &Toolchain,
        text: &str,
        mut lines: Vec<String>,
    ) -> (Vec<String>, Option<String>) {
        let mut failed = None;
        // What cannot be tried stays as it is.
        let _ = self.try_lines(toolchain, text, &mut lines, &mut failed);
        (lines, failed)
    }

    fn try_lines(
        &self,
        toolchain: &Toolchain,
        text: &str,
        lines: &mut [String],
        failed: &mut Option<String>,
    ) -> Option<()> {
        lines.first()?;
        let until = Instant::now() + TIME;
        let platform = Platform::sim(&self.options.arch);
        // Behind the text, whose lines keep their numbers; the empty line is for one that ends in a backslash.
        let whole = |lines: &[String]| KernelFile::parse(self.path, &format!("{text}\n\n{}\n", lines.join("\n"))).ok();
        let own_lines = text.lines().count() as u64;
        let file = whole(lines)?;
        let sizes = file.sizes(&Sizes::default()).ok()?;
        let mut own = OwnCode::read(toolchain, self.path, file.text());
        let mut built = match compiled(toolchain, file, &sizes, &platform, Some(&mut own)) {
            Ok(built) => built,
            Err(stop) => {
                *failed = self.told(&refused(stop, &mut Sources::default()).ok()?, own_lines);
                return None;
            }
        };
        for _ in 0..TRIES {
            *failed = None;
            let planned = built.plan(&sizes, &[]).and_then(|plan| built.fits(&plan).map(|()| plan));
            let plan =
                planned.inspect_err(|error| *failed = Some(format!("bad launch{GUESSED}: {}", error.message))).ok()?;
            let buffers = plan.buffers.clone();
            let case = Case {
                name: report::sizes(&sizes),
                seed: self.seed,
                versions: vec![built.program(plan, None)],
                thoroughness: Thoroughness::Once,
                quiet: true,
                ..Case::default()
            };
            let on = platform.on(vec![Schedule::Its], Checks::NONE, STEPS, self.seed);
            let options = WorkerOptions { until: Some(until), ..WorkerOptions::default() };
            let job = Verify { on, cases: vec![case], stop_at_failure: true };
            let checked = backend::verify(&job, &options).ok()?.into_iter().flatten().next()?;
            let mut sources = Sources::default();
            sources.hold(self.path, built.file.text());
            let scene = Scene { file: self.path, case: "", buffers: &buffers };
            *failed = self.told(&reasons::of(&checked, &scene, &mut sources), own_lines);
            let (name, times) = checked.findings.iter().find_map(beyond)?;
            let (at, longer) =
                lines.iter().enumerate().find_map(|(at, line)| Some((at, longer(line, name, times)?)))?;
            lines[at] = longer;
            built.file = whole(lines)?;
        }
        Some(())
    }

    /// What came of lines that were tried behind the file's own, of which there are so many.
    fn told(&self, reasons: &[Reason], own_lines: u64) -> Option<String> {
        // What takes longer than a trial may is not known.
        let known = |reason: &&Reason| !matches!(reason.verdict, Verdict::Endless | Verdict::OutOfTime);
        let reason = reasons.first().filter(known)?;
        let verdict = reason.verdict.label().to_lowercase();
        let own = |excerpt: &&Excerpt| Path::new(&excerpt.file).file_name() == self.path.file_name();
        let place = reason.excerpts.iter().find(own).map(|excerpt| match u64::from(excerpt.line) {
            line if line <= own_lines => format!(" in line {line}"),
            _ => GUESSED.to_owned(),
        });
        // What to do about it.
        let advice = reason.details.first().filter(|_| reason.verdict == Verdict::DoesNotCompile);
        let advice = advice.map(|advice| format!("; {advice}")).unwrap_or_default();
        Some(format!("{verdict}{}: {}{advice}", place.unwrap_or_default(), reason.text))
    }
}

/// The buffer past whose end somebody went, and how many times as long it would have to be.
fn beyond(found: &Found) -> Option<(&str, u64)> {
    let FindingKind::OutOfBounds { access } = &found.finding.kind else { return None };
    let MemoryLocation::Behind { name, offset, bytes, lies_in: None } = &access.object else { return None };
    let times = times(offset.checked_add(access.size.into())?, *bytes)?;
    (access.space == "global").then_some((name, times))
}

/// How many times a buffer of so many bytes has to be there to reach to an end; any number may be an index.
fn times(end: u64, bytes: u64) -> Option<u64> {
    let times = end.div_ceil(bytes.max(1)).checked_next_power_of_two()?;
    (2..=MOST).contains(&times).then_some(times)
}

/// The line of this buffer with so many times its length; nothing if it is another one's, or the host says how long it is.
fn longer(line: &str, name: &str, times: u64) -> Option<String> {
    let declared = ["in", "out", "inout"].iter().any(|word| line.split_whitespace().nth(1) == Some(word));
    let (before, rest) = line.split_once(&format!(" {name}: ")).filter(|_| declared)?;
    let (ty, rest) = rest.split_once('[')?;
    let (length, behind) = rest.split_once(']')?;
    if length.parse::<u64>().is_ok() {
        return None;
    }
    let (already, length) = match length.split_once(" * ").map(|(first, rest)| (first.parse::<u64>(), rest)) {
        Some((Ok(already), rest)) if rest.parse::<u64>().is_err() => (already, rest),
        _ => (1, length),
    };
    let all = already.checked_mul(times).filter(|all| *all <= MOST)?;
    let behind = behind.trim_end_matches(REMARK);
    Some(format!("{before} {name}: {ty}[{all} * {length}]{behind}{REMARK}"))
}

#[cfg(test)]
mod tests {
    use super::{MOST, longer, times};

    #[test]
    fn any_end_has_a_number_of_times_or_none() {
        for (end, bytes, want) in [
            (17, 16, Some(2)),
            (16, 16, None),
            (65, 16, Some(8)),
            (MOST * 16, 16, Some(MOST)),
            (MOST * 16 + 1, 16, None),
            (u64::MAX, 16, None),
            (u64::MAX, 1, None),
            (4, 0, Some(4)),
        ] {
            assert_eq!(times(end, bytes), want, "{end} of {bytes}");
        }
    }

    #[test]
    fn a_length_is_multiplied_once() {
        let first = longer("//@ in     a: f32[n] = uniform(-1, 1)", "a", 4).expect("its line");
        assert_eq!(first, "//@ in     a: f32[4 * n] = uniform(-1, 1)  // as far as a kernel goes");
        assert_eq!(longer(&first, "a", 2).expect("again"), first.replace("4 * n", "8 * n"));
        assert_eq!(
            longer("//@ out    c: f32[w * h]", "c", 2).expect("a product"),
            "//@ out    c: f32[2 * w * h]  // as far as a kernel goes"
        );
        for (line, name) in [
            ("//@ in     a: f32[n] = uniform(-1, 1)", "b"),
            ("//@ in     a: f32[1024] = uniform(-1, 1)", "a"),
            ("//@ launch k<<<1, 1>>>(a)", "a"),
        ] {
            assert_eq!(longer(line, name, 2), None, "{line}");
        }
        assert_eq!(longer("//@ out    c: f32[512 * n]", "c", 4), None, "too far");
    }
}

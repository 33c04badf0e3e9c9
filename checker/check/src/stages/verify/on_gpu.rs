//! What is tried of a candidate on a GPU besides the problem's cases. No simulator sees what a kernel does there: it may do nothing at sizes
//! that are no case. Those that are measured are judged at the `time` size then; those that never are, here.

use super::besides::ELSEWHERE;
use super::{CaseAt, Trials, shipped};
use crate::build::Built;
use crate::{BuildError, beside};
use account::outputs_of;
use execution::backend::{self, Budget, Case, Checked, L2State, Measure, Program, Status, Thoroughness, Timing};
use problem::{Problem, Sizes};
use std::path::PathBuf;

/// The part of the device's memory that a version and its oracle may have together at a size that is judged only.
const PART: u64 = 4;

/// Edges of grids that are tried at most.
const EDGES: usize = 4;
/// Sizes with other values of what is not drawn, those with few elements first: two for each value.
const OTHERS: usize = 10;

/// Rounds of a measurement that is for the judge alone: it ends as soon as it may.
const NO_TIME: Budget = Budget { seconds: 0.0, at_least: 0.0, rounds: 0, half_width: 1.0 };

impl Trials<'_> {
    /// Sizes beside some that are run anyway, which no kernel can know: see [`crate::beside`].
    pub(super) fn more_on_gpu(&self, built: &Built, known: &[Sizes]) -> Vec<(Sizes, Thoroughness)> {
        if self.platform.gpu.is_none() || !has_sizes_beside(self.problem) {
            return Vec::new();
        }
        let mut more = more(self.problem, self.seed, known);
        let edges = self.edges(built).into_iter().take(EDGES).flatten();
        let once = edges.chain(beside::combined(self.problem, self.seed).into_iter().take(OTHERS));
        let once = once.filter(|sizes| !known.contains(sizes) && self.version(built, sizes).is_ok());
        more.extend(once.map(|sizes| (sizes, Thoroughness::Once)));
        more
    }

    /// Their cases.
    pub(super) fn cases_on_gpu(
        &self,
        built: &Built,
        cubin: Option<&PathBuf>,
        more: &[(Sizes, Thoroughness)],
    ) -> Result<Vec<Case>, BuildError> {
        let case = |(number, (sizes, thoroughness)): (usize, &(Sizes, Thoroughness))| {
            let asked = CaseAt { sizes, index: ELSEWHERE + number, thoroughness: *thoroughness, judged: true };
            self.case(built, cubin.cloned(), asked)
        };
        more.iter().enumerate().map(case).collect()
    }

    /// The version at the `time` size, with a tail and without one, where nobody measures it there, after it was right at other
    /// sizes. Inputs are drawn and outputs compared on the device: on the host that would take seconds.
    pub(super) fn far_on_gpu(
        &self,
        built: &Built,
        cubin: Option<&PathBuf>,
        known: &[(Sizes, Checked)],
    ) -> Result<Vec<(Sizes, Checked)>, BuildError> {
        let (Some(info), Some(tools)) = (&self.platform.gpu, &self.judge) else { return Ok(Vec::new()) };
        if !known.iter().all(|(_, checked)| checked.status.passed()) {
            return Ok(Vec::new());
        }
        let mut asked = Vec::new();
        for sizes in far(self.problem, self.seed, known.iter().map(|(sizes, _)| sizes)) {
            let timing = self.judged_only(built, cubin, &sizes)?;
            if fits(&timing, info.memory_bytes) {
                asked.push((sizes, timing));
            }
        }
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let timings = asked.iter().map(|(_, timing)| timing.clone()).collect();
        let job = Measure { ordinal: info.ordinal, tools: tools.clone(), timings };
        let timed = backend::measure(&job, &self.options()).map_err(|error| BuildError::Error(error.into()))?;
        let mut told = Vec::new();
        for ((sizes, _), timed) in asked.into_iter().zip(timed) {
            if let Status::OracleFailed { message } = &timed.status {
                let _ = self.cut.set(format!("nothing was judged at {}: {message}", report::sizes(&sizes)));
                continue;
            }
            told.push((sizes, Checked::only(timed.status)));
        }
        self.look_for_cuts(told.iter().map(|(_, checked)| checked));
        Ok(told)
    }

    /// The version alone at a size, to be judged on the device.
    fn judged_only(&self, built: &Built, cubin: Option<&PathBuf>, sizes: &Sizes) -> Result<Timing, BuildError> {
        let name = report::sizes(sizes);
        let io = self.problem.io(sizes).map_err(shipped)?;
        let plan = built.plan(sizes, &io).map_err(|error| BuildError::Launch(error, name.clone()))?;
        let buffers = self.problem.reference_io(&self.reference.file, sizes).map_err(shipped)?;
        let oracle = self.reference.plan(sizes, &buffers).map_err(shipped)?;
        Ok(Timing {
            name,
            versions: vec![built.program(plan, cubin.cloned())],
            oracle: Some(self.reference.program(oracle, self.reference_cubin.clone())),
            outputs: outputs_of(&self.problem.manifest.outputs, sizes).map_err(shipped)?,
            own_outputs: Vec::new(),
            least_us: None,
            seed: self.far_seed(),
            cache: L2State::Cold,
            budget: NO_TIME,
        })
    }
}

/// Is it one whose sizes are its own to choose? Sweeps and ladders have sizes enough that are verified.
fn has_sizes_beside(problem: &Problem) -> bool {
    problem.sweep().is_none() && problem.ladder().is_none()
}

fn more(problem: &Problem, seed: u64, known: &[Sizes]) -> Vec<(Sizes, Thoroughness)> {
    let second = beside::second(problem, seed).map(|sizes| (sizes, Thoroughness::Once));
    let large = beside::large(problem, seed).map(|sizes| (sizes, Thoroughness::Large));
    second.into_iter().chain(large).filter(|(sizes, _)| !known.contains(sizes)).collect()
}

/// The `time` size of those that are never measured, without a tail and with one, if it is none of those that are known.
fn far<'s>(problem: &Problem, seed: u64, known: impl Iterator<Item = &'s Sizes> + Clone) -> Vec<Sizes> {
    if problem.manifest.flaw.is_none() || !has_sizes_beside(problem) {
        return Vec::new();
    }
    let mut sizes = vec![beside::ragged(problem, seed), problem.manifest.time.clone()];
    sizes.dedup();
    sizes.retain(|sizes| !known.clone().any(|known| known == sizes));
    sizes
}

/// Does all of it fit into the device comfortably? The oracle's outputs lie there twice, the second time hidden.
fn fits(timing: &Timing, memory: u64) -> bool {
    let bytes = |program: &Program| program.plan.bytes();
    let versions: u64 = timing.versions.iter().map(bytes).sum();
    let oracle = timing.oracle.as_ref().map_or(0, bytes);
    versions.saturating_add(oracle.saturating_mul(2)) <= memory / PART
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::dtype::DType;
    use plan::{Buffer, Plan, Role};
    use problem::Workbook;
    use std::path::Path;

    fn problem(name: &str) -> Problem {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        Workbook::around(&root).unwrap().get(name).unwrap()
    }

    /// The drawn size and one of a million elements, of everything; a class draws others.
    #[test]
    fn sizes_beside_the_cases_are_verified_on_a_gpu() {
        for name in ["ex02", "ex21"] {
            let problem = problem(name);
            let sizes = more(&problem, 5, &problem.cases());
            assert_eq!(
                sizes.iter().map(|(_, how)| *how).collect::<Vec<_>>(),
                [Thoroughness::Once, Thoroughness::Large]
            );
            assert!(beside::is_large(&problem, &sizes[1].0), "{name}");
            assert_ne!(more(&problem, 6, &problem.cases()), sizes, "{name}");
            let known: Vec<Sizes> = sizes.into_iter().map(|(sizes, _)| sizes).collect();
            assert_eq!(more(&problem, 5, &known), []);
        }
    }

    /// Who is measured is judged at the `time` size then.
    #[test]
    fn the_time_size_is_for_those_that_are_never_measured() {
        let never = problem("ex02");
        assert!(never.manifest.flaw.is_some());
        let sizes = far(&never, 5, std::iter::empty());
        assert_eq!(sizes, [beside::ragged(&never, 5), never.manifest.time.clone()]);
        assert_eq!(far(&never, 5, std::iter::once(&never.manifest.time)), [beside::ragged(&never, 5)]);
        assert_eq!(far(&problem("ex21"), 5, std::iter::empty()), Vec::<Sizes>::new());
    }

    #[test]
    fn what_would_fill_the_device_is_left_out() {
        let program = |len: u64| {
            let buffer = Buffer { name: "y".into(), dtype: DType::F32, len, role: Role::Out, fill: None };
            Program { plan: Plan { buffers: vec![buffer], ..Plan::default() }, ..Program::default() }
        };
        let timing = Timing {
            name: String::new(),
            versions: vec![program(1000)],
            oracle: Some(program(2000)),
            outputs: Vec::new(),
            own_outputs: Vec::new(),
            least_us: None,
            seed: 0,
            cache: L2State::Cold,
            budget: NO_TIME,
        };
        assert!(fits(&timing, 4 * 20_000));
        assert!(!fits(&timing, 4 * 19_999));
    }
}

//! What a worker is asked to do: plain data, sent as JSON.

use plan::Plan;
use serde::{Deserialize, Serialize};
use simulator::steer::Made;
use std::collections::BTreeMap;
#[cfg(not(target_family = "wasm"))]
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use values::Tolerance;
#[cfg(not(target_family = "wasm"))]
use values::fill::is_from_file;

/// A text that travels in the request or lies in a file (the compile cache).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Text {
    /// The text itself.
    Inline(Arc<str>),
    /// A file that holds it.
    File(PathBuf),
}

/// A compiled kernel file. The simulator takes `ptx`, a GPU `cubin`; the other may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Artefact {
    /// PTX.
    pub ptx: Option<Text>,
    /// CUBIN for the device's own architecture ([`DeviceInfo::arch`](crate::backend::DeviceInfo::arch)).
    pub cubin: Option<PathBuf>,
    /// Name expression as it stands in a launch (`block_sum<256>`) to the name in the module. A name that is missing
    /// here is looked up as it stands.
    pub names: BTreeMap<String, String>,
    /// The same file as its text says, nothing optimised away, where it may write to constant memory or read a variable that has no
    /// value. It gives findings of these and nothing else: no result, no count.
    #[serde(default)]
    pub as_written: Option<AsWritten>,
}

impl Artefact {
    /// Bytes of PTX in it.
    #[cfg(not(target_family = "wasm"))]
    pub(in crate::backend) fn text(&self) -> usize {
        let inline = match &self.ptx {
            Some(Text::Inline(text)) => text.len(),
            Some(Text::File(_)) | None => 0,
        };
        inline + self.as_written.as_ref().map_or(0, |written| written.ptx.len())
    }
}

/// An unoptimised compilation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AsWritten {
    /// PTX.
    pub ptx: Arc<str>,
    /// As [`Artefact::names`].
    pub names: BTreeMap<String, String>,
    /// Writes to constant memory are looked for.
    #[serde(default)]
    pub constants: bool,
    /// The variables that may be read before they have a value.
    #[serde(default)]
    pub unset: Vec<Unset>,
}

/// A variable of a thread that its declaration gives no value, by the text of the kernel file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Unset {
    /// Its name.
    pub name: String,
    /// The declaration's line.
    pub line: u32,
    /// First and last line of its function.
    pub function: (u32, u32),
    /// It is an array.
    pub array: bool,
    /// The lines that name it.
    pub used: Vec<u32>,
}

/// A version of a problem at one size: compiled code and what to do with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Program {
    /// Name in messages: the kernel file's.
    pub name: String,
    /// Compiled code; a request carries it beside its job.
    #[serde(skip)]
    pub artefact: Arc<Artefact>,
    /// Buffers and launches.
    pub plan: Plan,
    /// Where relative paths in fills start.
    pub dir: PathBuf,
    /// What it launches may make 0 of a subnormal number in single precision.
    #[serde(default)]
    pub flushes: bool,
}

/// Where to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "there is one a job")]
pub enum On {
    /// On the simulator.
    Sim {
        /// Its settings; the schedule in it is not used.
        config: simulator::Config,
        /// Schedules to run under, one after the other; empty means the default one.
        schedules: Vec<simulator::Schedule>,
        /// Find the shortest order of a run that failed under an explored schedule, at this cost.
        minimise: Option<simulator::explore::Effort>,
    },
    /// On a GPU, by CUDA ordinal.
    Gpu {
        /// From 0.
        ordinal: u32,
    },
}

/// One output's judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The buffer's name, in the versions' plans and in the oracle's.
    pub name: String,
    /// How far it may be off.
    pub tolerance: Tolerance,
}

/// How often a version runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thoroughness {
    /// Once a schedule: for counters and for `checker run`.
    #[default]
    Once,
    /// Twice without reloading the module, with different inputs and different poison, then once more for every
    /// further schedule: a kernel that leaves state behind, or that never writes its output, fails.
    Full,
    /// Once, over inputs of which each element shows in the outputs: for a size that is too large for more.
    Large,
    /// The same, and once more over inputs as stated without reloading the module: what hangs on the size shows, what hangs on
    /// the inputs' kind is for smaller sizes.
    LargeTwice,
    /// Some blocks only, on the simulator: of a size that is too large for more. The case has at least two versions: the kernel
    /// at that size, and the same at sizes that are run whole.
    Sampled {
        /// Whether something follows from what blocks read is looked at, too, where their results are not compared.
        followed: bool,
    },
    /// The same, to find the first size by which all was met that is met at the first version's. `whole` versions behind it are
    /// sizes that are run whole, the others ascend.
    Sought {
        /// How many.
        whole: usize,
    },
    /// Some blocks at each size, on the simulator: the first `whole` versions are sizes of which more is known, and of the others those are
    /// told from the rest that do what none before them does.
    Asked {
        /// How many.
        whole: usize,
    },
    /// Some blocks of every launch, on the simulator: what they do, for a model of time. Nothing is judged.
    Profiled {
        /// Warp instructions that two blocks may take.
        steps: u64,
    },
}

/// What is kept of a run for other orders, or held against what was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The first run's outputs go to this folder.
    Here(PathBuf),
    /// The first run's outputs are held against those of another order.
    Against(Across),
}

/// Outputs of another order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Across {
    /// The order.
    pub schedule: simulator::Schedule,
    /// Where they are.
    pub folder: PathBuf,
}

/// Is it asked what a version reads and uses?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reads {
    /// No.
    #[default]
    Unasked,
    /// What it reads; what it uses, for which it runs again, only where that is cheap.
    WhereCheap,
    /// Both.
    Asked,
}

/// One size of a problem: the versions to run there and what they must give.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Case {
    /// Shown in messages: "n = 1000".
    pub name: String,
    /// Seed of the fills.
    pub seed: u64,
    /// Says the right answer. None: run only (`checker run`, counters).
    pub oracle: Option<Program>,
    /// Outputs to judge.
    pub outputs: Vec<Output>,
    /// The same outputs with each version's own tolerances, where they differ; empty where they do not.
    pub own_outputs: Vec<Vec<Output>>,
    /// Versions, run in order.
    pub versions: Vec<Program>,
    /// Runs a version.
    pub thoroughness: Thoroughness,
    /// Add a run over small multiples of a power of two, integers up to a common scale, where results that come out
    /// exact are judged as such ([`Values::ExactIntegers`](values::fill::Values)). It stays within the inputs'
    /// stated intervals, so it may always be asked for.
    pub exact_integers: bool,
    /// The oracle makes sums and multiples of its inputs and nothing else ([`simulator::linear`]): in every third case they are as tiny as
    /// may be ([`Values::Minute`](values::fill::Values)).
    #[serde(default)]
    pub linear: bool,
    /// Buffers to write to NumPy files after the first run of the last version.
    pub dump: Vec<(String, PathBuf)>,
    /// Simulator: a version must read of its inputs, and use, whatever the oracle's outputs hang on.
    #[serde(default)]
    pub reads: Reads,
    /// Simulator: inputs are looked for by which conditions of a version's code come out as they did in no run.
    #[serde(default)]
    pub turns: bool,
    /// Nobody asks what outputs hold that no oracle judges.
    #[serde(default)]
    pub quiet: bool,
    /// A version with a thread for each element does here what it does at a small size: beyond 2^19 threads nobody watches.
    #[serde(default)]
    pub steady: bool,
    /// Warp instructions of a launch after which it says nothing that it has not ended: the orders let others wait for long.
    pub within: Option<u64>,
    /// Simulator: each version's module at other sizes, launched between the first two runs: what it leaves in its variables must not
    /// hang on the size.
    #[serde(default)]
    pub between: Vec<Vec<Program>>,
    /// At the first of those hundreds of times: a byte that counts launches begins anew, and sets that take turns are all used up.
    #[serde(default)]
    pub often: bool,
    /// Simulator, where sizes are asked ([`Thoroughness::Asked`]): sizes are looked for at which conditions come out as at none of those
    /// that are known.
    #[serde(default)]
    pub varying: Option<Varying>,
    /// Compare outputs between orders, where no oracle judges them.
    #[serde(default)]
    pub keep: Option<Keep>,
    /// Simulator: schedules of this case; empty means the job's.
    pub schedules: Vec<simulator::Schedule>,
}

impl Case {
    /// The outputs of a version and how far they may be off.
    pub fn outputs_of(&self, version: usize) -> &[Output] {
        self.own_outputs.get(version).unwrap_or(&self.outputs)
    }
}

/// The sizes of a case's versions, and what launches are passed of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Varying {
    /// What each size is a multiple of.
    pub steps: Vec<i64>,
    /// The least and the most that each may be, in steps.
    pub bounds: Vec<(i64, i64)>,
    /// By version: its sizes, in steps.
    pub values: Vec<Vec<i64>>,
    /// What launches pass that is made of one of them.
    pub parameters: Vec<SizeParameter>,
    /// So many of the last versions are looked at before others.
    pub latest: usize,
}

/// A number of a launch that is made of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeParameter {
    /// Line of the launches.
    pub line: u32,
    /// Which number.
    pub passed: Passed,
    /// Which size.
    pub size: usize,
    /// How it is made of it.
    pub made: Made,
}

/// A number that a launch passes to its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Passed {
    /// Which argument.
    Arg(usize),
    /// How many blocks along x, y or z.
    Blocks(usize),
}

/// Run and judge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verify {
    /// Where.
    pub on: On,
    /// Sizes, in order.
    pub cases: Vec<Case>,
    /// A version that failed a case is not run in later cases.
    pub stop_at_failure: bool,
}

/// What lies in the L2 cache when a timed pass starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum L2State {
    /// Nothing of the pass's buffers.
    #[default]
    Cold,
    /// What the pass before left.
    Warm,
}

/// When a measurement ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Seconds of measuring a pair (or a single) may take at most, verification not counted.
    pub seconds: f64,
    /// Seconds it takes at least.
    pub at_least: f64,
    /// Rounds at least.
    pub rounds: u32,
    /// Half-width of the interval that is narrow enough, as a fraction of the ratio: 0.005 is half a per cent.
    pub half_width: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { seconds: 2.0, at_least: 0.3, rounds: 10, half_width: 0.005 }
    }
}

/// One measurement on a GPU: of a pair or of more versions, interleaved, or of a single version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Shown in messages.
    pub name: String,
    /// Baseline and candidate, one version alone, or a ladder's in their order. All have the same inputs and outputs.
    pub versions: Vec<Program>,
    /// Says the right answer: timed outputs are verified, too.
    pub oracle: Option<Program>,
    /// Outputs to judge.
    pub outputs: Vec<Output>,
    /// The same by version, where bounds differ; empty where they do not.
    #[serde(default)]
    pub own_outputs: Vec<Vec<Output>>,
    /// The least time of a pass in microseconds; a version whose median is below it has left work out.
    #[serde(default)]
    pub least_us: Option<f64>,
    /// Seed of the fills.
    pub seed: u64,
    /// Cold or warm.
    pub cache: L2State,
    /// When to stop.
    pub budget: Budget,
}

impl Timing {
    /// The outputs of a version and how far they may be off.
    pub fn outputs_of(&self, version: usize) -> &[Output] {
        self.own_outputs.get(version).unwrap_or(&self.outputs)
    }
}

/// Measure on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// CUDA ordinal.
    pub ordinal: u32,
    /// The checker's own kernels ([`crate::measure::KERNELS`]), compiled for the device.
    pub tools: Artefact,
    /// What to measure, in order.
    pub timings: Vec<Timing>,
}

/// A piece of work for one worker process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// Run and judge.
    Verify(Box<Verify>),
    /// Time on a GPU.
    Measure(Measure),
    /// Measure a GPU's roof.
    Roof {
        /// CUDA ordinal.
        ordinal: u32,
        /// The checker's own kernels, compiled for the device.
        tools: Artefact,
    },
    /// Describe the GPUs.
    Devices,
    /// Use a GPU a little, and say how much of its memory is free.
    Free {
        /// CUDA ordinal.
        ordinal: u32,
    },
}

/// Files that a job on the simulator uses.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::backend) struct Needs {
    /// Folders and files that it reads.
    pub reads: BTreeSet<PathBuf>,
    /// It writes some, too.
    pub writes: bool,
}

impl Job {
    /// Its files.
    #[cfg(not(target_family = "wasm"))]
    pub(in crate::backend) fn needs(&self) -> Needs {
        let Self::Verify(verify) = self else { return Needs::default() };
        let mut needs = Needs::default();
        for case in &verify.cases {
            needs.writes |= !case.dump.is_empty() || case.keep.is_some();
            for program in case.oracle.iter().chain(&case.versions).chain(case.between.iter().flatten()) {
                if program.plan.buffers.iter().any(is_from_file) {
                    // A file named without a folder lies in this one.
                    let here = program.dir.as_os_str().is_empty();
                    needs.reads.insert(if here { PathBuf::from(".") } else { program.dir.clone() });
                }
                if let Some(Text::File(path)) = &program.artefact.ptx {
                    needs.reads.insert(path.clone());
                }
            }
        }
        needs
    }

    /// All programs of the job, always in the same order.
    #[cfg(not(target_family = "wasm"))]
    pub(in crate::backend) fn each_program(&mut self, each: &mut dyn FnMut(&mut Program)) {
        match self {
            Self::Verify(verify) => {
                verify
                    .cases
                    .iter_mut()
                    .flat_map(|case| {
                        let between = case.between.iter_mut().flatten();
                        case.oracle.iter_mut().chain(&mut case.versions).chain(between)
                    })
                    .for_each(each);
            }
            Self::Measure(measure) => {
                let timings = measure.timings.iter_mut();
                timings.flat_map(|timing| timing.oracle.iter_mut().chain(&mut timing.versions)).for_each(each);
            }
            Self::Roof { .. } | Self::Devices | Self::Free { .. } => {}
        }
    }
}

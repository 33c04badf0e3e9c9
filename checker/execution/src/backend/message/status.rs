//! How a version fared at a size.

use plan::dtype::DType;
use serde::{Deserialize, Serialize};
use values::{LooksLike, Mismatch, Value, real};

/// An output that is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrongOutput {
    /// The buffer.
    pub name: String,
    /// Its type.
    pub dtype: DType,
    /// Its elements.
    pub len: u64,
    /// How many are wrong.
    pub wrong: u64,
    /// The first few.
    pub first: Vec<Mismatch>,
    /// What they have in common.
    pub looks_like: LooksLike,
    /// Judged exactly, over small integers.
    pub exact_integers: bool,
}

/// An output that two orders leave different.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The buffer.
    pub name: String,
    /// Its type.
    pub dtype: DType,
    /// Its elements.
    pub len: u64,
    /// How many differ.
    pub differing: u64,
    /// The first that does (the first beyond rounding, if any is).
    pub index: u64,
    /// What the other order left there.
    pub first: Value,
    /// What this one did.
    pub second: Value,
    /// Of floats the largest distance between finite elements.
    #[serde(with = "real")]
    pub apart: f64,
    /// Reassociated sums explain all of it.
    pub rounding: bool,
    /// Simulator: who wrote that element last, under the other order and under this one.
    #[serde(default)]
    pub writers: [Option<simulator::Place>; 2],
}

/// The name of the fault that is compiled code which the simulator cannot read.
pub const UNREADABLE: &str = "unreadable-ptx";

/// A launch that went wrong on a GPU, or a fault of the simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// CUDA's name (`CUDA_ERROR_ILLEGAL_ADDRESS`), or the finding's kebab-case kind.
    pub name: String,
    /// What that means.
    pub message: String,
    /// What to do next, if there is something.
    pub hint: Option<String>,
    /// Which launch of the plan, from 0; on a GPU the last one that can have caused it.
    pub launch: usize,
    /// Its line in the kernel file.
    pub line: u32,
}

/// How a worker came to its end when it did not finish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    /// Signal by name ("SIGSEGV") or "exit status 3".
    pub how: String,
    /// It ran out of memory.
    pub out_of_memory: bool,
    /// The end of what it wrote to stderr.
    pub stderr: String,
}

/// What a version does only at a size that is too large to be run whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "untried")]
pub enum Untried {
    /// A condition comes out otherwise.
    Condition {
        /// Source file.
        file: String,
        /// Source line; 0 where it is not known.
        line: u32,
        /// What was asked of its result.
        question: simulator::Question,
        /// The answer is yes there; otherwise no.
        holds: bool,
        /// For some threads only.
        some: bool,
    },
    /// It launches another kernel.
    Kernel {
        /// As the launch line names it.
        kernel: String,
        /// The launch line.
        line: u32,
    },
}

impl Untried {
    /// Would the results of any few blocks show what comes of it?
    pub fn shows(&self) -> bool {
        match self {
            Self::Condition { question: simulator::Question::True, some, .. } => *some,
            // What goes wrong for want of it may be anywhere.
            Self::Condition { question: simulator::Question::Argument, .. } => false,
            Self::Condition { .. } => true,
            Self::Kernel { .. } => false,
        }
    }

    /// Does a number come to what it never was, as a product that no longer fits, or the second coordinate of a block? Which elements a
    /// block does may hang on it: that those it does are right does not tell that each has its block.
    pub fn may_move(&self) -> bool {
        use simulator::Question::{Kept, NotZero};
        matches!(
            self,
            Self::Condition { question: Kept, holds: false, .. }
                | Self::Condition { question: NotZero, holds: true, .. }
        )
    }

    /// How much depends on it: what concerns all threads first, last what some of them do, often one more round of a loop.
    pub fn rank(&self) -> u8 {
        match (self.is_for_some(), self.may_move()) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        }
    }

    /// Does it concern some threads only?
    pub fn is_for_some(&self) -> bool {
        matches!(self, Self::Condition { some: true, .. })
    }
}

/// How a version fared at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Status {
    /// It ran and every output is right (or nothing was to be judged).
    Passed,
    /// Outputs are wrong.
    Wrong {
        /// Which.
        outputs: Vec<WrongOutput>,
    },
    /// Nothing says what is right, and another order leaves something else.
    OrderDependent {
        /// The other order.
        other: simulator::Schedule,
        /// Outputs that differ by more than rounding.
        outputs: Vec<Difference>,
    },
    /// At a size of which some blocks were simulated, it comes to less of its data than at others.
    LeavesOut {
        /// It reads too little of its inputs; otherwise it writes too little of its outputs.
        reads: bool,
        /// About which part it comes to, 1 being all.
        part: f64,
    },
    /// At such a size no block comes to an element, and others tell whose part it is.
    NeverReached {
        /// The buffer.
        buffer: String,
        /// The first such element.
        index: u64,
        /// It is an input; otherwise an output.
        reads: bool,
        /// That block; `None`: the grid ends before it.
        block: Option<u64>,
    },
    /// At a size that is too large to be run whole it does what it does at none that was.
    Untried {
        /// What.
        what: Untried,
        /// Results of blocks that did it were compared, and are right.
        shown: bool,
        /// Of the sizes between that were asked about, the first by which all of it was met.
        from: Option<usize>,
    },
    /// Its blocks wait for others that begin later, at a size at which not all of them are resident at once.
    WaitsForLater {
        /// The launch line.
        line: u32,
        /// That size.
        sizes: String,
        /// Blocks of the launch there that the device holds, and all.
        grid: [u64; 2],
        /// What was run: so many resident of so many.
        tried: [u64; 2],
    },
    /// It never reads elements of an input that the right outputs hang on, so few that its own may not show it.
    NeverReads {
        /// The input.
        buffer: String,
        /// The first of them.
        first: u64,
        /// How many.
        count: u64,
    },
    /// A block, one of those that were run, reads an element of an input, and leaves the same, bit by bit, whatever that is. At a size
    /// that is run whole something follows from each.
    NoEffect {
        /// The input.
        buffer: String,
        /// The element.
        index: u64,
        /// The block.
        block: u64,
        /// Something it leaves is another one, and less than of other elements.
        some: bool,
    },
    /// A block, one of those that were run, does less than others before it and behind it. At a size that is run whole all do the same.
    DoesLess {
        /// It reads less of the inputs; otherwise it writes less of the outputs.
        reads: bool,
        /// The block.
        block: u64,
        /// Bytes that it reads or writes.
        bytes: u64,
        /// Bytes of the others, at least.
        others: u64,
    },
    /// A block, one of those that were run, counts or adds up fewer elements of an input than it reads, or more. At a size that is run
    /// whole none does.
    Miscounts {
        /// The input.
        buffer: String,
        /// The block.
        block: u64,
        /// Elements that went into what it writes.
        used: u64,
        /// Elements that it reads.
        read: u64,
    },
    /// An element of an input changes what a block writes, one of those that were run, otherwise than elements do in other blocks, and
    /// at a size that is run whole.
    OtherEffect {
        /// The input.
        buffer: String,
        /// The element.
        index: u64,
        /// The block.
        block: u64,
        /// The numbers that change, and by how much: buffer, index, difference.
        changes: Vec<(String, u64, f64)>,
        /// The same of an element elsewhere.
        others: Vec<(String, u64, f64)>,
    },
    /// Over inputs that are the same number everywhere a block leaves other numbers than others that read as much. At a size that is run whole
    /// all leave the same.
    LeavesOther {
        /// The block.
        block: u64,
        /// Numbers that it leaves and others do not: buffer, index, number.
        left: Vec<(String, u64, f64)>,
        /// Numbers that another block leaves instead.
        others: Vec<(String, u64, f64)>,
    },
    /// What a block leaves in scratch, one of those that were run, no launch reads. At a size that is run whole all of it is read.
    Unread {
        /// The buffer.
        buffer: String,
        /// The element.
        index: u64,
        /// The block.
        block: u64,
    },
    /// Its outputs stay the same, bit by bit, where elements of inputs change on which the right ones hang.
    NeverUses {
        /// Inputs with their elements, which change together.
        elements: Vec<(String, u64)>,
    },
    /// Timed, it took less than its work can take on this device.
    Impossible {
        /// Median of its times in microseconds.
        us: f64,
        /// What it takes at least, the margin for errors of measurement taken off.
        least_us: f64,
    },
    /// It changed an input.
    InputChanged {
        /// The buffer.
        buffer: String,
        /// First changed element.
        index: u64,
        /// What it holds now.
        got: Value,
        /// What it held.
        want: Value,
    },
    /// It wrote outside a buffer.
    GuardBroken {
        /// The buffer whose guard zone was hit.
        buffer: String,
        /// Bytes from the buffer's start; negative before it, from its size on behind it.
        offset: i64,
        /// The buffer's bytes.
        bytes: u64,
    },
    /// It wrote to memory of the device that it was not given: what the checker had there is not what it put there.
    WroteElsewhere {
        /// What was there.
        what: String,
    },
    /// A launch faulted.
    Fault {
        /// How.
        fault: Fault,
    },
    /// A launch that cannot start: too many threads, too much shared memory, no such kernel, wrong arguments.
    BadLaunch {
        /// Which launch of the plan, from 0.
        launch: usize,
        /// Its line in the kernel file.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// It took too long and was stopped.
    TimedOut {
        /// Seconds it was given.
        seconds: f64,
    },
    /// Its process died.
    WorkerDied {
        /// How.
        death: Death,
    },
    /// It was not tried: the time for the whole check was over.
    OutOfTime,
    /// It could not be tried: an earlier failure made it meaningless, or something it needs is missing.
    NotRun {
        /// Why.
        reason: String,
    },
    /// The oracle itself could not be run: the problem's fault, not the version's.
    OracleFailed {
        /// Why.
        message: String,
    },
}

impl Status {
    /// Did it pass?
    pub fn passed(&self) -> bool {
        matches!(self, Self::Passed)
    }

    /// Is it wrong, as a few blocks of a large size have shown?
    pub fn is_shown_wrong(&self) -> bool {
        self.is_left_out() || matches!(self, Self::Wrong { .. } | Self::Fault { .. })
    }

    /// Does it read too little, as a few blocks of a large size have shown? That may hang on what is there.
    pub fn is_of_reads(&self) -> bool {
        matches!(
            self,
            Self::LeavesOut { reads: true, .. }
                | Self::NeverReached { reads: true, .. }
                | Self::DoesLess { reads: true, .. }
        )
    }

    /// Does it leave work out, as a few blocks of a large size have shown?
    pub fn is_left_out(&self) -> bool {
        matches!(
            self,
            Self::LeavesOut { .. }
                | Self::NeverReached { .. }
                | Self::DoesLess { .. }
                | Self::Miscounts { .. }
                | Self::OtherEffect { .. }
                | Self::LeavesOther { .. }
                | Self::Unread { .. }
                | Self::NoEffect { .. }
        )
    }
}

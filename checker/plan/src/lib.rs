//! What a kernel file and a problem together say to do, with every expression evaluated: buffers and launches as
//! plain data. Both backends take a [`Plan`]; nothing in it knows a problem by name.

pub mod dtype;
pub mod stream;
mod structure;
mod texture;

pub use structure::{MOST_BYTES, Member, Structure};
pub use texture::{AddressMode, Sampling, Texture, TextureKind};

use crate::dtype::DType;
use serde::{Deserialize, Serialize};

/// Sizes by name, in the order in which the problem or the kernel file has them; equal in any order.
pub type Sizes = indexmap::IndexMap<String, i64>;

/// A buffer's part in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Filled before the run, compared afterwards: it must not change.
    In,
    /// Poisoned before the run, verified afterwards.
    Out,
    /// Filled before the run and verified afterwards (in-place problems).
    InOut,
    /// Poisoned before the run, then forgotten.
    Scratch,
}

/// How a buffer is filled. All draws come from the run's seed, the buffer's name and the element's index alone, so that
/// a buffer is the same on every backend and in every process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Uniform reals in [lo, hi).
    Uniform {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
    },
    /// Uniform integers in [lo, hi], both included.
    Integers {
        /// Smallest.
        lo: i64,
        /// Largest.
        hi: i64,
    },
    /// Integers in ascending order from 0: every number up to the last comes 1 to `2 * run - 1` times in a row, `run` times
    /// on average (0 may be missing). The largest is at most `len / run`, rounded up.
    Sorted {
        /// Mean length of a run of equals, at least 1.
        run: i64,
        /// Seven numbers in eight come 1 to `short` times in a row, the eighth up to `9 * run` times; 0: no such rule.
        short: i64,
    },
    /// Uniform reals in (-2^e, 2^e), with an integer e drawn from [lo, hi] for every `len` elements in turn.
    Scaled {
        /// Smallest exponent.
        lo: i64,
        /// Largest exponent.
        hi: i64,
        /// Elements that share an exponent, at least 1.
        len: i64,
    },
    /// Reals in an interval of `width`, which lies somewhere between `lo` and `hi`, elsewhere in each run. Every `len`
    /// neighbours lie uniformly in an eighth of it of their own.
    Band {
        /// Lower end of all intervals.
        lo: f64,
        /// Upper end of all intervals.
        hi: f64,
        /// The interval's width, at most `hi - lo`.
        width: f64,
        /// Neighbours that lie close together, at least 1; 0: none do, all are uniform in the interval.
        len: i64,
    },
    /// Integers that are each one of `count` numbers, drawn from [lo, hi], others in each run.
    Few {
        /// Smallest number possible.
        lo: i64,
        /// Largest number possible.
        hi: i64,
        /// How many numbers are drawn, at least 1.
        count: i64,
    },
    /// 0, 1, 2, ...
    Iota,
    /// All zero.
    Zeros,
    /// All the same.
    Constant(f64),
    /// From a NumPy file, path relative to the kernel file.
    Npy(String),
    /// One of these, at least two: the seed says which. The seeds of a problem's cases follow each other, so that they
    /// take turns, and the second run of a case takes the next.
    OneOf(Vec<Fill>),
    /// The values that a buffer of another float type would have, in f64: the oracle's own of what a version changes in place.
    Held {
        /// That type.
        dtype: DType,
        /// Its fill.
        fill: Box<Fill>,
    },
}

/// A buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// Name in launches and messages.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements; may be 0.
    pub len: u64,
    /// Its part.
    pub role: Role,
    /// For [`Role::In`] and [`Role::InOut`].
    pub fill: Option<Fill>,
}

impl Buffer {
    /// Bytes of all its elements.
    pub fn bytes(&self) -> u64 {
        self.len.saturating_mul(self.dtype.size() as u64)
    }
}

/// One argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Arg {
    /// Index into [`Plan::buffers`].
    Buffer(usize),
    /// A place inside a buffer.
    Offset {
        /// Index into [`Plan::buffers`].
        buffer: usize,
        /// Bytes from its start, at most its length.
        bytes: u64,
    },
    /// A structure by value: index into [`Plan::structures`].
    Structure(usize),
    /// A texture or surface object: index into [`Plan::textures`].
    Texture(usize),
    /// An integer; narrowed to the parameter's size when it fits, otherwise a malformed launch.
    Int(i64),
    /// A real, for a float or double parameter.
    Real(f64),
}

/// What has a value only on a device: an address, or an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Object {
    /// The address of a buffer.
    Buffer(usize),
    /// A texture or surface object.
    Texture(usize),
}

impl Arg {
    /// The buffer that it points into.
    pub fn buffer(self) -> Option<usize> {
        match self {
            Self::Buffer(buffer) | Self::Offset { buffer, .. } => Some(buffer),
            _ => None,
        }
    }

    /// May a kernel come to this buffer by it? What structures and textures hold is not looked at.
    pub fn may_lead_to(self, buffer: usize) -> bool {
        matches!(self, Self::Structure(_) | Self::Texture(_)) || self.buffer() == Some(buffer)
    }
}

/// One launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// Name expression as CUDA C++ writes it, template arguments evaluated: `block_sum<256>`.
    pub kernel: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub shared: u32,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// `//@ launch cooperative ...`
    pub cooperative: bool,
    /// `//@ launch cluster(...) ...`: blocks of a cluster in x, y, z, where the kernel was compiled for none.
    #[cfg_attr(not(target_family = "wasm"), serde(default, skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub cluster: Option<[u32; 3]>,
    /// Blocks of it that the device holds at once, where the machine code tells.
    #[serde(default)]
    pub resident: Option<u32>,
    /// Line of the kernel file.
    pub line: u32,
}

impl Launch {
    /// Threads of its grid.
    pub fn threads(&self) -> u64 {
        self.blocks().saturating_mul(product(self.block))
    }

    /// Blocks of its grid.
    pub fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Does its grid extend along one axis at most?
    pub fn is_flat(&self) -> bool {
        self.grid.iter().filter(|extent| **extent > 1).count() <= 1
    }
}

fn product(extents: [u32; 3]) -> u64 {
    extents.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// Buffers and launches of one version at one size.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Buffers, inputs and outputs in the problem's order, then scratch.
    pub buffers: Vec<Buffer>,
    /// Launches in order.
    pub launches: Vec<Launch>,
    /// Structures that launches pass by value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structures: Vec<Structure>,
    /// Textures and surfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub textures: Vec<Texture>,
    /// Module variables that are filled before the launches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<Constant>,
    /// What the host does after them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostSum>,
    /// Numbers that stand in the version's code, which some of its inputs are to hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<i64>,
    /// Which way the file's expressions went.
    #[cfg_attr(not(target_family = "wasm"), serde(default, skip_serializing_if = "Vec::is_empty"))]
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub choices: Vec<Choice>,
}

/// What an operation in an expression may come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceKind {
    /// A quotient, a remainder or a shift: something, or 0.
    NotZero,
    /// A minimum, a maximum or a remainder: its first operand, or not. One that the device's figures have a say in is none.
    First,
}

/// An operation in an expression of a kernel file, and what it came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Line of the kernel file.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What was asked.
    pub kind: ChoiceKind,
    /// The answer was yes once.
    pub yes: bool,
    /// It was no once.
    pub no: bool,
}

impl Plan {
    /// Bytes of all buffers together.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::bytes).fold(0, u64::saturating_add)
    }

    /// Threads of all launches together.
    pub fn threads(&self) -> u64 {
        self.launches.iter().map(Launch::threads).fold(0, u64::saturating_add)
    }
}

/// `//@ host OUT = sum(BUFFER)`: the host fetches a buffer, adds its elements in order, and writes the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostSum {
    /// Index of the buffer that is added up.
    pub from: usize,
    /// Index of the buffer of one element that gets the sum.
    pub to: usize,
}

/// `//@ constant NAME = VALUE`: before the launches a `__constant__` or `__device__` variable gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// The variable as the compiler was asked for it: `&ns::coef`.
    pub variable: String,
    /// What it gets.
    pub value: ConstantValue,
    /// Line of the kernel file.
    pub line: u32,
}

/// What a variable gets before the launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConstantValue {
    /// A buffer's elements.
    Buffer(usize),
    /// A structure: index into [`Plan::structures`].
    Structure(usize),
}

//! The statements of a kernel file: `//@` lines, each parsed into data with the places it was written at.

mod launch;
mod line;
mod texture;

use crate::error::SourceLine;
use crate::expr::Expr;
use crate::kernel_name::KernelName;
use crate::mutant::Reason;
pub use line::{DIRECTIVES, Line, parse_bytes, parse_dtype, parse_line};
use plan::dtype::DType;
use plan::{Fill, Role};
pub use texture::{SamplingWords, TextureStatement};

/// One `//@` line.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The line, for messages.
    pub source: SourceLine,
    /// What it says.
    pub kind: StatementKind,
}

/// What a `//@` line says.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// `in`, `out`, `inout` (stand-alone files) or `scratch`.
    Buffer(BufferStatement),
    /// `size NAME = EXPR` (stand-alone files): a default.
    Size(Assignment),
    /// `let NAME = EXPR`.
    Let(Assignment),
    /// `launch ...`.
    Launch(LaunchStatement),
    /// `for (NAME = EXPR; CONDITION; NAME = EXPR)` up to its `end`.
    For(Box<ForStatement>),
    /// `swap A, B`: from here on the two scratch buffers have each other's names.
    Swap([Named; 2]),
    /// `texture` or `surface` (stand-alone files).
    Texture(Box<TextureStatement>),
    /// `constant NAME = VALUE` (stand-alone files): the variable with its namespaces, then a buffer or a structure.
    Constant(Named, ArgExpr),
    /// `host OUT = sum(BUFFER)`, after all launches: OUT, then BUFFER.
    Host([Named; 2]),
    /// `blocks N, N, ...` (a ladder's versions): the block sizes it claims.
    Blocks(Vec<i64>),
    /// `mutant REASON: SENTENCE`.
    Mutant(Reason, String),
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Column of the name.
    pub column: u32,
    /// The name.
    pub name: String,
}

/// A buffer's declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct BufferStatement {
    /// Its part.
    pub role: Role,
    /// Column of the name.
    pub column: u32,
    /// Its name.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: Expr,
    /// For `in` and `inout`.
    pub fill: Option<Fill>,
}

/// `NAME = EXPR`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Column of the name.
    pub column: u32,
    /// The name.
    pub name: String,
    /// Its value.
    pub value: Expr,
}

/// A launch.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchStatement {
    /// `launch cooperative ...`
    pub cooperative: bool,
    /// `launch cluster(...) ...`: blocks of a cluster.
    pub cluster: Option<Extent>,
    /// What is launched.
    pub kernel: KernelName,
    /// Blocks.
    pub grid: Extent,
    /// Threads a block.
    pub block: Extent,
    /// Dynamic shared memory in bytes.
    pub shared: Option<Expr>,
    /// Arguments in order.
    pub args: Vec<ArgExpr>,
}

/// GRID or BLOCK: one to three expressions for x, y, z.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    /// Column of its first character.
    pub column: u32,
    /// One to three expressions.
    pub dims: Vec<Expr>,
}

/// An argument of a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgExpr {
    /// Column of its first character.
    pub column: u32,
    /// What it is.
    pub value: ArgValue,
}

/// What an argument is written as.
#[derive(Debug, Clone, PartialEq)]
pub enum ArgValue {
    /// An expression, or a buffer's name by itself.
    Expr(Expr),
    /// A real literal.
    Real(f64),
    /// `{...}`: a structure by value.
    Structure(Vec<MemberExpr>),
}

/// A member of a structure in a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberExpr {
    /// Its type, where it is written: `f32 1`, and how often it comes: `f32[16] 0`.
    pub dtype: Option<(DType, u32)>,
    /// A real that is written `1.0f`: `float`, as in C++.
    pub single: bool,
    /// The value.
    pub value: ArgExpr,
}

/// A loop of launches.
#[derive(Debug, Clone, PartialEq)]
pub struct ForStatement {
    /// The loop's variable.
    pub variable: Named,
    /// Its first value; without one it is a `let` from before the loop, which goes on from its value and keeps its last.
    pub start: Option<Expr>,
    /// Goes on while `left COMPARISON right`.
    pub condition: (Expr, Comparison, Expr),
    /// The variable's next value.
    pub step: Expr,
    /// `let`s, launches, swaps and loops.
    pub body: Vec<Statement>,
}

/// Comparison in a loop's condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    /// Does it hold?
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
        }
    }
}

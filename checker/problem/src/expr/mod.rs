//! EXPR: checked 64-bit integer arithmetic over sizes, `let`s and the device's figures.
//!
//! Every evaluation ends and fits on any stack: there are no loops, and a line has few values.

mod choices;
pub(crate) mod cursor;
mod eval;
pub(crate) mod formula;
mod parse;
mod scope;

use super::kernel_name::KernelName;
use serde::{Deserialize, Serialize};

pub use eval::{EvalError, MAX_OPERATIONS};
pub use plan::Sizes;
pub use scope::{ActiveBlocks, Binding, Scope};

/// An expression with the place it was written at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// Column of its operator or first character, from 1.
    pub column: u32,
    /// What it is.
    pub node: Node,
}

/// Kinds of expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// A literal.
    Int(i64),
    /// A size, `let` or figure of the device.
    Name(String),
    /// Unary minus.
    Neg(Box<Expr>),
    /// `a OP b`.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `ceil_div(a, b)` and the like.
    Call(Function, Vec<Expr>),
    /// `active_blocks(kernel, block, shared)`: in kernel files, of which nobody writes an expression down.
    #[serde(skip)]
    ActiveBlocks(Box<KernelName>, Box<[Expr; 2]>),
}

/// Binary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Op {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
}

/// Functions of integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Function {
    CeilDiv,
    Min,
    Max,
    Log2,
}

impl Expr {
    /// Calls `visit` with every kernel that `active_blocks` asks about.
    pub fn kernels<'e>(&'e self, visit: &mut dyn FnMut(&'e KernelName)) {
        match &self.node {
            Node::Int(_) | Node::Name(_) => {}
            Node::Neg(inner) => inner.kernels(visit),
            Node::Binary(_, left, right) => {
                left.kernels(visit);
                right.kernels(visit);
            }
            Node::Call(_, args) => args.iter().for_each(|arg| arg.kernels(visit)),
            Node::ActiveBlocks(kernel, operands) => {
                visit(kernel);
                operands.iter().for_each(|operand| operand.kernels(visit));
            }
        }
    }
}

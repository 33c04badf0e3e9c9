//! Matrix instructions.

use super::{AddressSpace, Reg};
use crate::num::matrix;

/// What a matrix instruction does.
#[derive(Debug, Clone)]
pub enum MatrixKind {
    Product(matrix::Product),
    /// `ldmatrix`, by rows of 8 x 8 matrices of 16 bits.
    Load {
        transposed: bool,
    },
    /// `stmatrix`
    Store {
        transposed: bool,
    },
    /// `movmatrix`
    Transpose,
    WmmaLoad {
        shape: matrix::MatrixShape,
        role: matrix::MatrixOperand,
        element: matrix::Element,
        row_major: bool,
    },
    WmmaStore {
        shape: matrix::MatrixShape,
        role: matrix::MatrixOperand,
        element: matrix::Element,
        row_major: bool,
    },
}

/// A matrix instruction of a whole warp.
#[derive(Debug, Clone)]
pub struct MatrixOp {
    /// What.
    pub kind: MatrixKind,
    /// Destination registers.
    pub d: Vec<Reg>,
    /// Source registers, operand after operand.
    pub sources: Vec<Reg>,
    /// Address register.
    pub base: Reg,
    /// Added to it.
    pub offset: i64,
    /// Where it points.
    pub space: AddressSpace,
    /// Elements between rows or columns in memory.
    pub stride: Reg,
    /// The shared array that it has to stay in, where that is known.
    pub array: Option<crate::isa::provenance::Array>,
}

//! What goes into a problem's kernels and comes out: all that has to be known of a manifest to run one and to judge it, and
//! what a page of the book gets of it.

use crate::error::LineError;
use crate::expr::Sizes;
use crate::formula::Formula;
use crate::planning::check_len;
use crate::types::Types;
use plan::dtype::DType;
use plan::{Buffer, Fill, Role};
use serde::{Deserialize, Serialize};

/// An input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InputSpec {
    /// Name in launches.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: Formula,
    /// How it is filled.
    pub fill: Fill,
}

/// An output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputSpec {
    /// Name in launches.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Elements.
    pub len: Formula,
    /// For an in-place buffer: how it is filled before the run.
    pub fill: Option<Fill>,
    /// How far it may be from the oracle's.
    pub error: ErrorBound,
}

/// How far an output may be from the oracle's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ErrorBound {
    /// Not at all.
    Exact,
    /// `ops * u(unit) * magnitude + 1 ulp`.
    Ops {
        /// Rounding operations on the way to an element.
        ops: Formula,
        /// The type they round to.
        unit: DType,
    },
}

/// Inputs and outputs, and the names of types that lines may use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// Inputs in order.
    pub inputs: Vec<InputSpec>,
    /// Outputs in order.
    pub outputs: Vec<OutputSpec>,
    /// Names of types that `//@` lines may use.
    pub types: Types,
}

impl Interface {
    /// Inputs and outputs at sizes, in the problem's order: what `KernelFile::plan` takes.
    ///
    /// # Errors
    ///
    /// A length that is negative, too large, or has no value.
    pub fn io(&self, sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
        io(&self.inputs, &self.outputs, sizes)
    }

    /// The buffers of the oracle: as [`Interface::io`] with float outputs in f64, each followed by NAME_magnitude where
    /// `writes_magnitude(NAME_magnitude)` says that the reference passes it to a launch.
    ///
    /// An in-place float buffer is f64 here too: it starts as the values that the problem's own element type holds.
    ///
    /// # Errors
    ///
    /// As [`Interface::io`].
    pub fn reference_io(
        &self,
        sizes: &Sizes,
        writes_magnitude: impl Fn(&str) -> bool,
    ) -> Result<Vec<Buffer>, LineError> {
        Ok(of_reference(self.io(sizes)?, writes_magnitude))
    }
}

pub(super) fn io(inputs: &[InputSpec], outputs: &[OutputSpec], sizes: &Sizes) -> Result<Vec<Buffer>, LineError> {
    let mut buffers = Vec::with_capacity(inputs.len() + outputs.len());
    for input in inputs {
        let len = length(&input.name, &input.len, input.dtype, sizes)?;
        let fill = Some(input.fill.clone());
        buffers.push(Buffer { name: input.name.clone(), dtype: input.dtype, len, role: Role::In, fill });
    }
    for output in outputs {
        let len = length(&output.name, &output.len, output.dtype, sizes)?;
        let role = if output.fill.is_some() { Role::InOut } else { Role::Out };
        let fill = output.fill.clone();
        buffers.push(Buffer { name: output.name.clone(), dtype: output.dtype, len, role, fill });
    }
    Ok(buffers)
}

pub(super) fn of_reference(io: Vec<Buffer>, writes_magnitude: impl Fn(&str) -> bool) -> Vec<Buffer> {
    let mut buffers = Vec::new();
    for mut buffer in io {
        if buffer.role == Role::In {
            buffers.push(buffer);
            continue;
        }
        if buffer.dtype.is_float() {
            let dtype = std::mem::replace(&mut buffer.dtype, DType::F64);
            buffer.fill = buffer.fill.map(|fill| Fill::Held { dtype, fill: Box::new(fill) });
        }
        // An integer's is not looked at, but an oracle of several element types writes it for all.
        let magnitude = Buffer {
            name: magnitude_name(&buffer.name),
            dtype: DType::F64,
            role: Role::Out,
            fill: None,
            ..buffer.clone()
        };
        buffers.push(buffer);
        if writes_magnitude(&magnitude.name) {
            buffers.push(magnitude);
        }
    }
    buffers
}

/// Name of the buffer in which the oracle writes an output's magnitudes.
pub fn magnitude_name(output: &str) -> String {
    format!("{output}_magnitude")
}

fn length(name: &str, len: &Formula, dtype: DType, sizes: &Sizes) -> Result<u64, LineError> {
    check_len(name, len.eval(sizes)?, dtype.size()).map_err(|message| len.error(message))
}

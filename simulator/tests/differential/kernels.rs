//! Everything that a GPU is asked.

use super::kernel::Kernel;
use super::{cases, copies, matrices, programs, tensor};

/// All kernels, in the order of the answers.
pub fn all() -> Vec<Kernel> {
    let cases = cases::all();
    cases
        .iter()
        .map(cases::Case::kernel)
        .chain(programs::all())
        .chain(matrices::all())
        .chain(tensor::all())
        .chain(copies::all())
        .collect()
}

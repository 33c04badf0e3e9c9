//! What a measurement does on the device: inputs drawn, samples taken, outputs judged, by kernels of the checker.

pub(super) mod answers;
pub(super) mod inputs;
pub(super) mod roof;
pub(super) mod seal;
pub(super) mod side;
pub(super) mod tools;

//! The parts of a report, each as it is laid out.

pub(crate) mod goals;
pub(crate) mod numbers;
pub(crate) mod runs;
pub(crate) mod stages;
pub(crate) mod verdict;

//! What is wrong with a kernel is found, and nothing else.

pub(super) mod atomics;
pub(super) mod collectives;
pub(super) mod copies;
pub(super) mod defined;
pub(super) mod endless;
pub(super) mod limits;
pub(super) mod matrices;
pub(super) mod ordering;
pub(super) mod printed;
pub(super) mod provenance;
pub(super) mod returned;

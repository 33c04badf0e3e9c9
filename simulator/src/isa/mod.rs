//! Decoded code: a flat vector of small fixed-size operations with register numbers resolved, and side tables for what
//! does not fit. The executor sees only this.

pub mod class;
pub mod control_flow;
pub mod decode;
mod flow;
pub mod function;
pub mod liveness;
pub mod lower_arith;
pub mod lower_bulk;
pub mod lower_call;
pub mod lower_cvt;
pub mod lower_float;
pub mod lower_matrix;
pub mod lower_memory;
pub mod lower_sync;
mod marks;
pub mod op;
pub mod parts;
pub mod provenance;
pub mod table;

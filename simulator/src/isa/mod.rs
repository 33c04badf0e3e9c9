//! Decoded code: a flat vector of small fixed-size operations with register numbers resolved, and side tables for what
//! does not fit. The executor sees only this.

pub mod control_flow;
pub mod decode;
pub mod function;
pub mod integer;
pub mod lower_arith;
pub mod lower_call;
pub mod lower_cvt;
pub mod lower_memory;
pub mod lower_sync;
pub mod op;

pub use op::{
    AccessOp, AtomicFn, AtomicOp, BarrierOp, Callee, CallOp, CallValue, Cmp, Code, CollectiveOp, FenceOp, FunctionInfo,
    Inst, MapFn, MapOp, Op, Reg, Special, Vote,
};

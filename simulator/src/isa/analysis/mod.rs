//! What a function's text tells before it runs.

mod by_size;
#[cfg(not(target_family = "wasm"))]
pub(in crate::isa) mod clocked;
/// Without what a page does not need: any clock counts in any loop.
#[cfg(target_family = "wasm")]
pub(in crate::isa) mod clocked {
    use crate::isa::op::{Code, Op};

    pub fn mark(code: &mut Code) {
        let reads =
            |op: &Op| matches!(op, Op::Special32 { which, .. } | Op::Special64 { which, .. } if which.is_clock());
        code.reads_clock = code.insts.iter().any(|inst| reads(&inst.op));
        code.clocked = vec![true; if code.reads_clock { code.insts.len() } else { 0 }];
    }
}
pub mod control_flow;
pub(in crate::isa) mod flow;
#[cfg(feature = "threads")]
pub mod independent;
pub mod liveness;
pub(in crate::isa) mod marks;
#[cfg(not(target_family = "wasm"))]
pub mod placed;
pub mod provenance;
pub mod turns;
pub(in crate::isa) mod unused;

//! Findings in a line of words. A limit is called by its name in [`crate::Limits`].

use crate::finding::{Access, FindingKind, Usage};
use std::fmt;

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Access { what, space, address, size, object, .. } = self;
        write!(f, "{what} of {size} bytes at {space} {address:#x}, {object}")
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => f.write_str("an address"),
            Self::Condition => f.write_str("a condition"),
            Self::Barrier => f.write_str("an mbarrier"),
            Self::Output { object } => write!(f, "a result, {object}"),
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfBounds { access } => write!(f, "out of bounds: {access}"),
            Self::Misaligned { access } => write!(f, "misaligned: {access}"),
            Self::WriteToConstant { access } => write!(f, "write to constant memory: {access}"),
            Self::InputChanged { access } => write!(f, "write to an input: {access}"),
            Self::Uninitialised { access, usage } => {
                write!(f, "a value that nothing wrote is used as {usage}: {access}, line {}", access.place.ptx_line)
            }
            Self::Race { first, second, .. } => {
                write!(f, "race: {second}, line {}; {first}, line {}", second.place.ptx_line, first.place.ptx_line)
            }
            Self::Trap => f.write_str("trap"),
            Self::Assert { message } => f.write_str(message),
            Self::Deadlock { explanation } => write!(f, "deadlock: {explanation}"),
            Self::OrderDependent { object, differing, elements, first, second, .. } => write!(
                f,
                "`{object}` depends on the order: {differing} of {elements} elements differ between {} and {}",
                first.schedule, second.schedule
            ),
            Self::EndlessLoop { explanation } => write!(f, "endless loop: {explanation}"),
            Self::Livelock { explanation } => write!(f, "livelock: {explanation}"),
            Self::DivergentBarrier { explanation } => write!(f, "divergent barrier: {explanation}"),
            Self::SyncMask { explanation } => write!(f, "mask: {explanation}"),
            Self::StepLimit { limit, .. } => {
                write!(f, "no block ended within {limit} warp instructions: the limit `steps` is {limit}")
            }
            Self::StackOverflow { limit } => {
                write!(f, "a thread needs more local memory and stack: the limit `stack` is {limit} bytes")
            }
            Self::StateLimit { limit } => {
                write!(f, "registers, local and shared memory of resident blocks: the limit `state` is {limit} bytes")
            }
            Self::BadJump { target } => write!(f, "a jump to {target:#x}, which is no place to go"),
            Self::BrokenPromise { what } => f.write_str(what),
            Self::Unsupported { instruction } => write!(f, "not known to the simulator: {instruction}"),
            Self::PrintfOverflow { dropped } => {
                write!(f, "{dropped} bytes of printf output dropped: beyond the limit `printf`")
            }
            Self::FindingsOverflow { dropped } => write!(f, "{dropped} findings dropped: beyond the limit `findings`"),
        }
    }
}

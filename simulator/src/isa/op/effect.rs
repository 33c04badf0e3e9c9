//! What an operation does to others. Exhaustive: a new operation has to say.

use super::{Code, MatrixKind, Op};
use crate::opcodes::Effect;

impl Op {
    /// What it does to others.
    #[expect(clippy::too_many_lines, reason = "a table: an operation a row")]
    pub fn effect(&self, code: &Code) -> Effect {
        match self {
            Self::Bra { .. }
            | Self::BrIndexed(_)
            | Self::Call(_)
            | Self::Ret
            | Self::Exit
            | Self::Trap
            | Self::Returned
            | Self::Unsupported(_)
            | Self::Uniform { .. }
            | Self::SameTarget { .. }
            | Self::Join => Effect::Flow,
            Self::Nop => Effect::Nothing,
            #[cfg(not(target_family = "wasm"))]
            Self::Prefetch(_) => Effect::Nothing,
            Self::Load(_)
            | Self::Store(_)
            | Self::Discard(_)
            | Self::Atomic(_)
            | Self::CopyAsync(_)
            | Self::CopyBulk(_) => Effect::Memory,
            #[cfg(not(target_family = "wasm"))]
            Self::Texture(_) => Effect::Memory,
            Self::Collective(_) | Self::ActiveMask { .. } => Effect::Exchange,
            Self::WarpBarrier { .. }
            | Self::Barrier(_)
            | Self::Fence(_)
            | Self::ProxyFence { .. }
            | Self::NanoSleep
            | Self::CopyCommit { .. }
            | Self::CopyWait { .. }
            | Self::Mbarrier(_) => Effect::Synchronises,
            #[cfg(not(target_family = "wasm"))]
            Self::ClusterArrive { .. } | Self::ClusterWait { .. } => Effect::Synchronises,
            Self::Matrix(index) => match code.matrices[*index as usize].kind {
                MatrixKind::Product(_) | MatrixKind::Transpose => Effect::Exchange,
                MatrixKind::Load { .. }
                | MatrixKind::Store { .. }
                | MatrixKind::WmmaLoad { .. }
                | MatrixKind::WmmaStore { .. } => Effect::Memory,
            },
            Self::Mov32 { .. }
            | Self::Mov64 { .. }
            | Self::MovP { .. }
            | Self::NotP { .. }
            | Self::AndP { .. }
            | Self::OrP { .. }
            | Self::XorP { .. }
            | Self::Special32 { .. }
            | Self::Special64 { .. }
            | Self::Param32 { .. }
            | Self::Param64 { .. }
            | Self::LocalAddress64 { .. }
            | Self::Add32 { .. }
            | Self::Sub32 { .. }
            | Self::Mul32 { .. }
            | Self::MulHiS32 { .. }
            | Self::MulHiU32 { .. }
            | Self::MulWideS32 { .. }
            | Self::MulWideU32 { .. }
            | Self::Mad32 { .. }
            | Self::MadWideS32 { .. }
            | Self::MadWideU32 { .. }
            | Self::And32 { .. }
            | Self::Or32 { .. }
            | Self::Xor32 { .. }
            | Self::Not32 { .. }
            | Self::Neg32 { .. }
            | Self::Shl32 { .. }
            | Self::ShrU32 { .. }
            | Self::ShrS32 { .. }
            | Self::MinS32 { .. }
            | Self::MaxS32 { .. }
            | Self::MinU32 { .. }
            | Self::MaxU32 { .. }
            | Self::Add64 { .. }
            | Self::Sub64 { .. }
            | Self::Mul64 { .. }
            | Self::Mad64 { .. }
            | Self::And64 { .. }
            | Self::Or64 { .. }
            | Self::Xor64 { .. }
            | Self::Shl64 { .. }
            | Self::ShrU64 { .. }
            | Self::ShrS64 { .. }
            | Self::AddF32 { .. }
            | Self::SubF32 { .. }
            | Self::MulF32 { .. }
            | Self::FmaF32 { .. }
            | Self::NegF32 { .. }
            | Self::AbsF32 { .. }
            | Self::AddF64 { .. }
            | Self::SubF64 { .. }
            | Self::MulF64 { .. }
            | Self::FmaF64 { .. }
            | Self::SetS32 { .. }
            | Self::SetU32 { .. }
            | Self::SetS64 { .. }
            | Self::SetU64 { .. }
            | Self::SetF32 { .. }
            | Self::SetF64 { .. }
            | Self::Sel32 { .. }
            | Self::Sel64 { .. }
            | Self::Zext { .. }
            | Self::Sext { .. }
            | Self::Trunc { .. }
            | Self::High { .. }
            | Self::Pack64 { .. }
            | Self::S32ToF32 { .. }
            | Self::U32ToF32 { .. }
            | Self::Map(_) => Effect::Pure,
        }
    }
}

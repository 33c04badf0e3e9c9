//! Which registers an operation reads and writes, and what for.

use super::{CallValue, Callee, Code, NO_GUARD, Op, Reg};

/// What an operation does with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterUse {
    /// Its value goes into a result or into memory.
    Value,
    /// It is an address, or a part of one.
    Address,
    /// It decides what happens: where to jump, who takes part, how many bytes.
    Decides,
    /// It gets a new value.
    Result,
}

impl Op {
    /// Calls `visit` for every register of the operation, [`Reg::None`] included.
    #[expect(clippy::too_many_lines, reason = "a table: an operation a row")]
    pub fn registers(&self, code: &Code, visit: &mut dyn FnMut(Reg, RegisterUse)) {
        use Reg::{P, R32, R64};
        use RegisterUse::{Address, Decides, Result, Value};
        let mut pure = |d: Reg, sources: &[Reg]| {
            sources.iter().for_each(|reg| visit(*reg, Value));
            visit(d, Result);
        };
        match *self {
            Self::Join
            | Self::Bra { .. }
            | Self::Ret
            | Self::Exit
            | Self::Trap
            | Self::Nop
            | Self::Returned
            | Self::Unsupported(_)
            | Self::Fence(_)
            | Self::ProxyFence { .. }
            | Self::NanoSleep
            | Self::CopyCommit { .. }
            | Self::CopyWait { .. } => {}
            #[cfg(not(target_family = "wasm"))]
            Self::ClusterArrive { .. } | Self::ClusterWait { .. } => {}
            Self::Uniform { guard } => visit(super::registers::guard(guard), Decides),
            Self::SameTarget { a } => visit(a, Decides),
            Self::Mov32 { d, a }
            | Self::Not32 { d, a }
            | Self::Neg32 { d, a }
            | Self::NegF32 { d, a }
            | Self::AbsF32 { d, a }
            | Self::S32ToF32 { d, a }
            | Self::U32ToF32 { d, a } => pure(R32(d), &[R32(a)]),
            Self::Mov64 { d, a } => pure(R64(d), &[R64(a)]),
            Self::MovP { d, a } | Self::NotP { d, a } => pure(P(d), &[P(a)]),
            Self::AndP { d, a, b } | Self::OrP { d, a, b } | Self::XorP { d, a, b } => pure(P(d), &[P(a), P(b)]),
            Self::Special32 { d, .. } | Self::Param32 { d, .. } => pure(R32(d), &[]),
            Self::Special64 { d, .. } | Self::Param64 { d, .. } | Self::LocalAddress64 { d, .. } => pure(R64(d), &[]),
            Self::Add32 { d, a, b }
            | Self::Sub32 { d, a, b }
            | Self::Mul32 { d, a, b }
            | Self::MulHiS32 { d, a, b }
            | Self::MulHiU32 { d, a, b }
            | Self::And32 { d, a, b }
            | Self::Or32 { d, a, b }
            | Self::Xor32 { d, a, b }
            | Self::Shl32 { d, a, b }
            | Self::ShrU32 { d, a, b }
            | Self::ShrS32 { d, a, b }
            | Self::MinS32 { d, a, b }
            | Self::MaxS32 { d, a, b }
            | Self::MinU32 { d, a, b }
            | Self::MaxU32 { d, a, b }
            | Self::AddF32 { d, a, b }
            | Self::SubF32 { d, a, b }
            | Self::MulF32 { d, a, b } => pure(R32(d), &[R32(a), R32(b)]),
            Self::MulWideS32 { d, a, b } | Self::MulWideU32 { d, a, b } | Self::Pack64 { d, a, b } => {
                pure(R64(d), &[R32(a), R32(b)]);
            }
            Self::Mad32 { d, a, b, c } | Self::FmaF32 { d, a, b, c } => pure(R32(d), &[R32(a), R32(b), R32(c)]),
            Self::MadWideS32 { d, a, b, c } | Self::MadWideU32 { d, a, b, c } => {
                pure(R64(d), &[R32(a), R32(b), R64(c)]);
            }
            Self::Add64 { d, a, b }
            | Self::Sub64 { d, a, b }
            | Self::Mul64 { d, a, b }
            | Self::And64 { d, a, b }
            | Self::Or64 { d, a, b }
            | Self::Xor64 { d, a, b }
            | Self::AddF64 { d, a, b }
            | Self::SubF64 { d, a, b }
            | Self::MulF64 { d, a, b } => pure(R64(d), &[R64(a), R64(b)]),
            Self::Shl64 { d, a, b } | Self::ShrU64 { d, a, b } | Self::ShrS64 { d, a, b } => {
                pure(R64(d), &[R64(a), R32(b)]);
            }
            Self::Mad64 { d, a, b, c } | Self::FmaF64 { d, a, b, c } => pure(R64(d), &[R64(a), R64(b), R64(c)]),
            Self::SetS32 { d, a, b, .. } | Self::SetU32 { d, a, b, .. } | Self::SetF32 { d, a, b, .. } => {
                pure(P(d), &[R32(a), R32(b)]);
            }
            Self::SetS64 { d, a, b, .. } | Self::SetU64 { d, a, b, .. } | Self::SetF64 { d, a, b, .. } => {
                pure(P(d), &[R64(a), R64(b)]);
            }
            Self::Sel32 { d, a, b, p } => pure(R32(d), &[R32(a), R32(b), P(p)]),
            Self::Sel64 { d, a, b, p } => pure(R64(d), &[R64(a), R64(b), P(p)]),
            Self::Zext { d, a } | Self::Sext { d, a } => pure(R64(d), &[R32(a)]),
            Self::Trunc { d, a } | Self::High { d, a } => pure(R32(d), &[R64(a)]),
            Self::Map(index) => {
                let op = &code.maps[index as usize];
                pure(op.d, &op.sources);
            }
            Self::BrIndexed(index) => visit(code.indexed[index as usize].index, Decides),
            Self::Call(index) => {
                let op = &code.calls[index as usize];
                if let Callee::Indirect(reg) = op.callee {
                    visit(reg, Decides);
                }
                for (values, role) in [(&op.args, Value), (&op.returns, Result)] {
                    for value in values {
                        if let CallValue::Register(reg) = value {
                            visit(*reg, role);
                        }
                    }
                }
            }
            Self::Load(index) => {
                let op = &code.accesses[index as usize];
                visit(op.base, Address);
                op.regs.iter().for_each(|reg| visit(*reg, Result));
            }
            Self::Store(index) | Self::Discard(index) => {
                let op = &code.accesses[index as usize];
                visit(op.base, Address);
                op.regs.iter().for_each(|reg| visit(*reg, Value));
            }
            #[cfg(not(target_family = "wasm"))]
            Self::Prefetch(index) => {
                let op = &code.accesses[index as usize];
                visit(op.base, Address);
                op.regs.iter().for_each(|reg| visit(*reg, Decides));
            }
            Self::Atomic(index) => {
                let op = &code.atomics[index as usize];
                visit(op.base, Address);
                op.b.iter().chain([&op.c, &op.c_high]).for_each(|reg| visit(*reg, Value));
                op.d.iter().for_each(|reg| visit(*reg, Result));
            }
            Self::Collective(index) => {
                let op = &code.collectives[index as usize];
                visit(op.mask, Decides);
                [op.a, op.b, op.c].into_iter().for_each(|reg| visit(reg, Value));
                [op.d, op.p].into_iter().for_each(|reg| visit(reg, Result));
            }
            Self::WarpBarrier { mask } => visit(R32(mask), Decides),
            Self::Barrier(index) => {
                let op = &code.barriers[index as usize];
                [op.id, op.count].into_iter().for_each(|reg| visit(reg, Decides));
                visit(op.a, Value);
                visit(op.d, Result);
            }
            Self::ActiveMask { d } => visit(R32(d), Result),
            Self::CopyAsync(index) => {
                let op = &code.copies[index as usize];
                [op.to, op.from].into_iter().for_each(|reg| visit(reg, Address));
                [op.source_size, op.ignore].into_iter().for_each(|reg| visit(reg, Decides));
            }
            Self::CopyBulk(index) => {
                let op = &code.bulk[index as usize];
                [op.to, op.from].into_iter().for_each(|reg| visit(reg, Address));
                visit(op.size, Decides);
            }
            Self::Mbarrier(index) => {
                let op = &code.mbarriers[index as usize];
                visit(op.base, Address);
                visit(op.a, Decides);
                visit(op.d, Result);
            }
            #[cfg(not(target_family = "wasm"))]
            Self::Texture(index) => {
                let op = &code.textures[index as usize];
                visit(op.object, Address);
                op.coordinates.iter().for_each(|reg| visit(*reg, Address));
                let role = if matches!(op.act, super::TextureAct::Store(_)) { Value } else { Result };
                op.regs.iter().for_each(|reg| visit(*reg, role));
                visit(op.resident, Result);
            }
            Self::Matrix(index) => {
                let op = &code.matrices[index as usize];
                visit(op.base, Address);
                visit(op.stride, Decides);
                op.sources.iter().for_each(|reg| visit(*reg, Value));
                op.d.iter().for_each(|reg| visit(*reg, Result));
            }
        }
    }
}

#[cfg(not(target_family = "wasm"))]
impl Code {
    /// The registers that an operation reads; a guard is its instruction's.
    pub fn sources(&self, at: u32) -> Vec<Reg> {
        self.of_role(at, |role| role != RegisterUse::Result)
    }

    /// `ld.global.v4.f32`; empty where it is none of the text.
    pub fn opcode_of(&self, at: u32) -> &str {
        self.opcodes.get(self.origins[at as usize].opcode as usize).map_or("", String::as_str)
    }

    /// Those that it writes.
    pub fn results(&self, at: u32) -> Vec<Reg> {
        self.of_role(at, |role| role == RegisterUse::Result)
    }

    fn of_role(&self, at: u32, is: impl Fn(RegisterUse) -> bool) -> Vec<Reg> {
        let mut found = Vec::new();
        self.insts[at as usize].op.registers(self, &mut |reg, role| {
            if is(role) && reg != Reg::None {
                found.push(reg);
            }
        });
        found
    }
}

/// The predicate of a guard.
pub fn guard(guard: u16) -> Reg {
    if guard == NO_GUARD { Reg::None } else { Reg::P(guard >> 1) }
}

//! The instructions that the simulator knows by name, for documentation, fuzzers and whoever writes PTX for it.

use crate::isa::table;

/// What an instruction does to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Computes registers of its own lane from registers.
    Pure,
    /// Reads or writes memory.
    Memory,
    /// Exchanges values between the lanes of a warp.
    Exchange,
    /// Waits for others, or orders what they see.
    Synchronises,
    /// Goes elsewhere, or ends the thread.
    Flow,
    /// Nothing: a hint.
    Nothing,
    /// Known by name, and a finding when it is executed.
    NotSimulated,
}

impl Effect {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Pure, Self::Memory, Self::Exchange, Self::Synchronises, Self::Flow, Self::Nothing, Self::NotSimulated];

    /// In documentation.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Pure => "computes registers from registers",
            Self::Memory => "reads or writes memory",
            Self::Exchange => "between the lanes of a warp",
            Self::Synchronises => "waits for others, or orders what they see",
            Self::Flow => "goes elsewhere, or ends",
            Self::Nothing => "hints: nothing happens",
            Self::NotSimulated => "not simulated: a finding where it is executed",
        }
    }
}

/// A mnemonic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What stands before the first dot.
    pub mnemonic: &'static str,
    /// A statement with it, inside of a kernel that begins with [`HEAD`] and ends with [`TAIL`].
    pub example: &'static str,
    /// What it does to others.
    pub effect: Effect,
}

/// What examples need: registers of every type, shared memory, a function.
pub const HEAD: &str = ".version 8.8
.target sm_90
.address_size 64
.func f() { ret; }
.shared .align 16 .b8 s[1024];
.visible .entry k(.param .u64 a)
{
.reg .pred %p<4>;
.reg .b16 %h<4>;
.reg .b32 %r<10>;
.reg .b64 %rd<4>;
.reg .f32 %f<5>;
.reg .f64 %fd<4>;
";

/// What ends the kernel.
pub const TAIL: &str = "
L:
ret;
}
";

/// All of them, by name.
pub fn all() -> impl Iterator<Item = Instruction> {
    table::OPCODES.iter().map(|row| Instruction { mnemonic: row.mnemonic, example: row.example, effect: row.effect })
}

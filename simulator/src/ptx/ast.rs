//! The syntax tree: modules, functions, statements, operands. Names stay names; scopes are resolved while decoding.

/// State spaces of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VarSpace {
    /// `.global`
    Global,
    /// `.const`
    Const,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// `.param`
    Param,
    /// `.reg` (only as a function's formal parameter)
    Reg,
}

/// Fundamental types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ty {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F64,
    U16x2,
    S16x2,
    F32x2,
    E4m3,
    E5m2,
    Pred,
}

impl Ty {
    /// By its name without the dot.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "b128" => Self::B128,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f16" => Self::F16,
            "f16x2" => Self::F16x2,
            "bf16" => Self::Bf16,
            "bf16x2" => Self::Bf16x2,
            "tf32" => Self::Tf32,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "u16x2" => Self::U16x2,
            "s16x2" => Self::S16x2,
            "f32x2" => Self::F32x2,
            "e4m3" => Self::E4m3,
            "e5m2" => Self::E5m2,
            "pred" => Self::Pred,
            _ => return None,
        })
    }

    /// Bytes (a predicate counts as 1).
    pub fn size(self) -> u32 {
        match self {
            Self::B8 | Self::U8 | Self::S8 | Self::Pred | Self::E4m3 | Self::E5m2 => 1,
            Self::B16 | Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 | Self::F32x2 => 8,
            Self::B128 => 16,
            _ => 4,
        }
    }

    /// `.sN`
    pub fn signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// A floating-point type of one element.
    pub fn float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::Tf32 | Self::F32 | Self::F64)
    }

    /// The name without the dot.
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// One part of an initialiser.
#[derive(Debug, Clone, PartialEq)]
pub enum Init {
    /// Integer, to be cut to the element's size.
    Int(u64),
    /// A `0f` literal.
    F32(u32),
    /// A `0d` or decimal literal.
    F64(u64),
    /// The address of a symbol plus an offset; `mask` selects a byte (`0xFF00(sym)`).
    Symbol {
        /// Name.
        name: String,
        /// Added bytes.
        offset: i64,
        /// Mask, all ones without one.
        mask: u64,
    },
}

/// A variable declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Var {
    /// Where it lives.
    pub space: VarSpace,
    /// Name.
    pub name: String,
    /// Element type.
    pub ty: Ty,
    /// Bytes in all; `None` for `name[]` (extern shared memory).
    pub size: Option<u64>,
    /// Alignment in bytes.
    pub align: u32,
    /// Flattened initial values, element by element.
    pub init: Vec<Init>,
}

/// An operand as written.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// Register, symbol, label or special register, with a constant offset (`sym+4`).
    Name(String, i64),
    /// Integer literal (two's complement).
    Int(u64),
    /// `0f...`
    F32(u32),
    /// `0d...` or a decimal literal.
    F64(u64),
    /// `[base+offset]`, further operands after commas.
    Address(Vec<Operand>),
    /// `{a, b, ...}`
    Vector(Vec<Operand>),
    /// `(a, b, ...)`
    List(Vec<Operand>),
    /// `p|q`
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`
    Not(Box<Operand>),
    /// `-r`
    Negated(Box<Operand>),
    /// `_`
    Sink,
}

/// A guard predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// Register.
    pub name: String,
    /// `@!p`
    pub negated: bool,
}

/// An instruction as written.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Guard.
    pub guard: Option<Guard>,
    /// Opcode with all its modifiers, "ld.global.v2.f32".
    pub opcode: String,
    /// Operands.
    pub operands: Vec<Operand>,
    /// PTX line, from 1.
    pub line: u32,
    /// It stands in an `asm` of the source, by NVRTC's comments around it.
    pub written: bool,
}

/// A source position from `.loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Loc {
    /// Index from `.file`.
    pub file: u32,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

/// A statement of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// `name:`
    Label(String),
    /// An instruction.
    Instruction(Instruction),
    /// `.loc`, with the position it was inlined at.
    Loc(Loc, Option<Loc>),
    /// `.reg .ty name` or `name<count>`.
    Reg {
        /// Type.
        ty: Ty,
        /// Elements of a vector register, else 1.
        lanes: u32,
        /// Name or prefix.
        name: String,
        /// `Some` for `name<count>`.
        count: Option<u32>,
    },
    /// A variable.
    Var(Var),
    /// `{ ... }`
    Block(Vec<Statement>),
    /// `name: .branchtargets a, b;` or a `.calltargets` list.
    Targets(String, Vec<String>),
    /// `.pragma "used_bytes_mask m"`: of the next load only these bytes are used.
    UsedBytes(u64),
    /// `name: .callprototype ...;`
    Prototype(String, Prototype),
}

/// The shape of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prototype {
    /// Return parameters.
    pub returns: Vec<Var>,
    /// Parameters.
    pub params: Vec<Var>,
    /// `.noreturn`: whoever calls it never comes back, and the assembler drops what stands behind the call.
    pub never_returns: bool,
}

/// A function or entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// `.entry`
    pub entry: bool,
    /// Parameters and return parameters.
    pub prototype: Prototype,
    /// Threads a block at most, by `.maxntid` or `.reqntid`.
    pub max_threads: Option<u32>,
    /// A block's extents by `.reqntid`: these and no others.
    pub required_block: Option<[u32; 3]>,
    /// A directive that means something which the simulator does not know.
    pub unknown: Option<String>,
    /// Blocks a cluster in x, y, z: `.reqnctapercluster`.
    pub cluster: Option<[u32; 3]>,
    /// `None` for a declaration.
    pub body: Option<Vec<Statement>>,
    /// PTX line of its name.
    pub line: u32,
}

/// A module.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// Number of the architecture after `.target sm_`, 0 without one.
    pub target: u32,
    /// `.file` entries: index and path.
    pub files: Vec<(u32, String)>,
    /// Module-level variables.
    pub vars: Vec<Var>,
    /// Functions, in order.
    pub functions: Vec<Function>,
    /// `.alias`: another name, and the function it stands for.
    pub aliases: Vec<(String, String)>,
}

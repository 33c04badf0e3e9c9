//! Element types of buffers and scalars.

use serde::{Deserialize, Serialize};

/// TYPE in `//@` lines and `problem.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DType {
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16 (`__half`).
    F16,
    /// bfloat16 (`__nv_bfloat16`).
    Bf16,
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 8-bit integer.
    U8,
    /// Signed 16-bit integer.
    I16,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 64-bit integer.
    U64,
}

impl DType {
    /// Its place in [`DType::ALL`].
    pub fn index(self) -> u64 {
        self as u64
    }

    /// Types that the host adds up (`//@ host`).
    pub const SUMMABLE: [Self; 6] = [Self::F64, Self::F32, Self::I32, Self::U32, Self::I64, Self::U64];

    /// All types.
    pub const ALL: [Self; 12] = [
        Self::F64,
        Self::F32,
        Self::F16,
        Self::Bf16,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
    ];

    /// Its name in `//@` lines and `problem.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// As CUDA C++ calls it; the 16-bit floats need their headers.
    pub const fn cpp(self) -> &'static str {
        match self {
            Self::F64 => "double",
            Self::F32 => "float",
            Self::F16 => "__half",
            Self::Bf16 => "__nv_bfloat16",
            Self::I8 => "signed char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned int",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
        }
    }

    /// Bytes of one element.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Self::F64 | Self::I64 | Self::U64 => 8,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::I8 | Self::U8 => 1,
        }
    }

    /// Does an integer type hold the value? A float type takes any.
    pub fn holds(self, value: i64) -> bool {
        match self {
            Self::F64 | Self::F32 | Self::F16 | Self::Bf16 | Self::I64 => true,
            Self::I8 => i8::try_from(value).is_ok(),
            Self::U8 => u8::try_from(value).is_ok(),
            Self::I16 => i16::try_from(value).is_ok(),
            Self::U16 => u16::try_from(value).is_ok(),
            Self::I32 => i32::try_from(value).is_ok(),
            Self::U32 => u32::try_from(value).is_ok(),
            Self::U64 => value >= 0,
        }
    }

    /// Is it a floating-point type?
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F64 | Self::F32 | Self::F16 | Self::Bf16)
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The half that is nearest to the float that is nearest. Processors with an instruction for halves convert from floats only, others from
/// doubles as well, rounding once: inputs and arguments have to be the same everywhere, in a browser too.
pub fn half(value: f64) -> half::f16 {
    half::f16::from_f32(value as f32)
}

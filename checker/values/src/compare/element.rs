//! Elements of any type as numbers and as text.

use super::Array;
use crate::Value;
use half::{bf16, f16};
use plan::dtype::{DType, half};

pub(super) fn element(array: Array<'_>, index: usize) -> &[u8] {
    let size = array.dtype.size();
    &array.bytes[index * size..(index + 1) * size]
}

pub(super) fn as_real(value: Value) -> f64 {
    match value {
        Value::Real(x) => x,
        Value::Signed(x) => x as f64,
        Value::Unsigned(x) => x as f64,
    }
}

/// An element as a number without loss. `bytes` has the type's size.
pub fn value(dtype: DType, bytes: &[u8]) -> Value {
    match dtype {
        DType::F64 | DType::F32 | DType::F16 | DType::Bf16 => Value::Real(real(dtype, bytes)),
        DType::I8 => Value::Signed(i8::from_le_bytes(fixed(bytes)).into()),
        DType::I16 => Value::Signed(i16::from_le_bytes(fixed(bytes)).into()),
        DType::I32 => Value::Signed(i32::from_le_bytes(fixed(bytes)).into()),
        DType::I64 => Value::Signed(i64::from_le_bytes(fixed(bytes))),
        DType::U8 => Value::Unsigned(u8::from_le_bytes(fixed(bytes)).into()),
        DType::U16 => Value::Unsigned(u16::from_le_bytes(fixed(bytes)).into()),
        DType::U32 => Value::Unsigned(u32::from_le_bytes(fixed(bytes)).into()),
        DType::U64 => Value::Unsigned(u64::from_le_bytes(fixed(bytes))),
    }
}

/// An element as a double; `bytes` has the type's size. 64-bit integers are rounded.
#[inline]
pub fn real(dtype: DType, bytes: &[u8]) -> f64 {
    match dtype {
        DType::F64 => f64::from_le_bytes(fixed(bytes)),
        DType::F32 => f32::from_le_bytes(fixed(bytes)).into(),
        DType::F16 => f16::from_le_bytes(fixed(bytes)).to_f64(),
        DType::Bf16 => bf16::from_le_bytes(fixed(bytes)).to_f64(),
        _ => as_real(value(dtype, bytes)),
    }
}

/// The first N bytes; there are always so many.
#[inline]
fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// `value` rounded to a float type.
pub(super) fn rounded(dtype: DType, value: f64) -> f64 {
    match dtype {
        DType::F32 => f64::from(value as f32),
        DType::F16 => half(value).to_f64(),
        DType::Bf16 => bf16::from_f64(value).to_f64(),
        _ => value,
    }
}

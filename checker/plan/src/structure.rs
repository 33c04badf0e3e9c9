//! A structure by value, laid out as C lays it out: each member at a multiple of its own alignment, the whole a multiple of
//! the largest.

use crate::Object;
use crate::dtype::DType;
use serde::{Deserialize, Serialize};

/// Most bytes that a kernel's parameters may have (PTX ISA, "Kernel Function Parameters").
pub const MOST_BYTES: usize = 32764;

/// A member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Member {
    /// An integer of that type.
    Int(DType, i64),
    /// A real of that type.
    Real(DType, f64),
    /// A pointer: index of the buffer and bytes from its start.
    Pointer(usize, u64),
    /// A texture or surface object, by index.
    Texture(usize),
    /// A structure inside.
    Structure(Structure),
}

/// Members in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// The members.
    pub members: Vec<Member>,
    /// Its own alignment, where it is larger than its members' (`float4` has 16).
    #[serde(default)]
    pub align: usize,
}

impl Member {
    /// Size and alignment in bytes.
    fn shape(&self) -> (usize, usize) {
        match self {
            Self::Int(dtype, _) | Self::Real(dtype, _) => (dtype.size(), dtype.size()),
            Self::Pointer(..) | Self::Texture(_) => (8, 8),
            Self::Structure(inner) => (inner.size(), inner.alignment()),
        }
    }
}

impl Structure {
    /// Alignment in bytes.
    pub fn alignment(&self) -> usize {
        self.members.iter().map(|member| member.shape().1).fold(self.align.max(1), usize::max)
    }

    /// Size in bytes; an empty structure has 1.
    pub fn size(&self) -> usize {
        let end = self.members.iter().fold(0_usize, |at, member| {
            let (size, align) = member.shape();
            at.next_multiple_of(align) + size
        });
        end.max(1).next_multiple_of(self.alignment())
    }

    /// The little-endian bytes, with each object's value. Padding is 0.
    pub fn bytes(&self, value: &dyn Fn(Object) -> u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for member in &self.members {
            let (_, align) = member.shape();
            bytes.resize(bytes.len().next_multiple_of(align), 0);
            match member {
                Member::Int(dtype, number) => bytes.extend(integer(*dtype, *number)),
                Member::Real(dtype, number) => bytes.extend(real(*dtype, *number)),
                Member::Pointer(buffer, offset) => {
                    bytes.extend((value(Object::Buffer(*buffer)) + offset).to_le_bytes());
                }
                Member::Texture(index) => bytes.extend(value(Object::Texture(*index)).to_le_bytes()),
                Member::Structure(inner) => bytes.extend(inner.bytes(value)),
            }
        }
        bytes.resize(self.size(), 0);
        bytes
    }
}

/// An integer as that type holds it.
fn integer(dtype: DType, value: i64) -> Vec<u8> {
    if dtype.is_float() { real(dtype, value as f64) } else { value.to_le_bytes()[..dtype.size()].to_vec() }
}

/// A real as that type holds it.
fn real(dtype: DType, value: f64) -> Vec<u8> {
    match dtype {
        DType::F64 => value.to_le_bytes().to_vec(),
        DType::F32 => (value as f32).to_le_bytes().to_vec(),
        DType::F16 => crate::dtype::half(value).to_bits().to_le_bytes().to_vec(),
        DType::Bf16 => half::bf16::from_f64(value).to_bits().to_le_bytes().to_vec(),
        other => (value as i64).to_le_bytes()[..other.size()].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Member::{Int, Pointer, Real};

    /// Offsets as C has them: a char, an int after three bytes of padding, a double at 8, a pointer, a short and the rest
    /// of its eight bytes.
    #[test]
    fn members_lie_where_c_puts_them() {
        let members = vec![
            Int(DType::I8, -1),
            Int(DType::I32, 0x0102_0304),
            Real(DType::F64, 1.0),
            Pointer(1, 16),
            Int(DType::I16, 7),
        ];
        let whole = Structure { members, align: 0 };
        assert_eq!((whole.size(), whole.alignment()), (32, 8));
        let bytes = whole.bytes(&|object| if object == Object::Buffer(1) { 0x1000 } else { 0 });
        assert_eq!(bytes[..8], [0xff, 0, 0, 0, 4, 3, 2, 1]);
        assert_eq!(bytes[8..16], 1f64.to_le_bytes());
        assert_eq!(bytes[16..24], 0x1010u64.to_le_bytes());
        assert_eq!(bytes[24..], [7, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_structure_inside_keeps_its_own_padding() {
        let inner = Structure { members: vec![Real(DType::F64, 0.5), Int(DType::U8, 1)], align: 0 };
        let whole =
            Structure { members: vec![Int(DType::U8, 9), Member::Structure(inner), Int(DType::U8, 8)], align: 0 };
        assert_eq!((whole.size(), whole.bytes(&|_| 0)[24]), (32, 8));
        let vector = Structure { members: vec![Real(DType::F32, 1.0); 4], align: 16 };
        assert_eq!((vector.size(), vector.alignment()), (16, 16));
        assert_eq!(Structure::default().size(), 1);
    }
}

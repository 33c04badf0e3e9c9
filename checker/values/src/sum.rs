//! What `//@ host OUT = sum(BUFFER)` asks of the host after the launches: fetch, add in order, put back.

use plan::dtype::DType;

/// The sum of the elements, one after the other in their own type, as one element; integers wrap around.
pub fn sum(dtype: DType, bytes: &[u8]) -> Vec<u8> {
    macro_rules! add {
        ($number:ty, $zero:expr, $add:expr) => {{
            const SIZE: usize = size_of::<$number>();
            let values = bytes.as_chunks::<SIZE>().0.iter().map(|element| <$number>::from_le_bytes(*element));
            values.fold($zero, $add).to_le_bytes().to_vec()
        }};
    }
    match dtype {
        DType::F64 => add!(f64, 0.0, |a, b| a + b),
        DType::F32 => add!(f32, 0.0, |a, b| a + b),
        DType::I32 => add!(i32, 0, i32::wrapping_add),
        DType::U32 => add!(u32, 0, u32::wrapping_add),
        DType::I64 => add!(i64, 0, i64::wrapping_add),
        DType::U64 => add!(u64, 0, u64::wrapping_add),
        // A plan names no others.
        _ => vec![0; dtype.size()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_taken_in_the_type_and_in_order() {
        let floats: Vec<u8> = [1e8f32, 1.0, -1e8, 1.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        // The first 1 is lost in 1e8, the second is not.
        assert_eq!(sum(DType::F32, &floats), 1.0f32.to_le_bytes());
        let integers: Vec<u8> = [i32::MAX, 1].iter().flat_map(|value| value.to_le_bytes()).collect();
        assert_eq!(sum(DType::I32, &integers), i32::MIN.to_le_bytes());
        assert_eq!(sum(DType::U64, &[]), 0u64.to_le_bytes());
    }
}

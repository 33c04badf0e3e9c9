//! NumPy's `.npy` files (format 1.0 to 3.0, numpy.lib.format): little-endian, C order, one dimension or flattened.

use plan::dtype::DType;
use std::fs::File;
use std::io::{self, Read, Write};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// A header longer than this is not one.
const LONGEST_HEADER: usize = 1 << 16;

/// The file's name for a type; bfloat16, which NumPy does not have, travels as its 16 bits.
fn descriptor(dtype: DType) -> &'static str {
    match dtype {
        DType::F64 => "<f8",
        DType::F32 => "<f4",
        DType::F16 => "<f2",
        DType::Bf16 | DType::U16 => "<u2",
        DType::I8 => "|i1",
        DType::U8 => "|u1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::U32 => "<u4",
        DType::I64 => "<i8",
        DType::U64 => "<u8",
    }
}

/// Reads `len` elements of `dtype` from an open file. The error says what is wrong and what was expected.
pub fn read(mut file: File, dtype: DType, len: u64) -> Result<Vec<u8>, String> {
    let mut prefix = [0u8; 8];
    file.read_exact(&mut prefix).map_err(|_| "not a .npy file: shorter than its header".to_owned())?;
    if &prefix[..6] != MAGIC {
        return Err("not a .npy file: it does not start with \\x93NUMPY".into());
    }
    let mut size = [0u8; 4];
    let width = if prefix[6] == 1 { 2 } else { 4 };
    file.read_exact(&mut size[..width]).map_err(|_| "cut off in its header".to_owned())?;
    let header_len = u32::from_le_bytes(size) as usize;
    if header_len > LONGEST_HEADER {
        return Err(format!("its header claims {header_len} bytes"));
    }
    let mut header = vec![0; header_len];
    file.read_exact(&mut header).map_err(|_| "cut off in its header".to_owned())?;
    let header = String::from_utf8_lossy(&header).into_owned();
    let (found, fortran, shape) =
        parse_header(&header).ok_or("cannot read its header: it has no descr, fortran_order and shape")?;
    let expected = descriptor(dtype);
    if found.trim_start_matches(['<', '|', '=']) != &expected[1..] || found.starts_with('>') {
        return Err(format!("it holds `{found}`, the buffer needs `{expected}`"));
    }
    if fortran && shape.len() > 1 {
        return Err("it is in Fortran order; save it in C order (numpy.ascontiguousarray)".into());
    }
    let elements = shape.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent));
    if elements != Some(len) {
        return Err(format!("its shape is {shape:?}, the buffer has {len} elements"));
    }
    let bytes = usize::try_from(len).ok().and_then(|len| len.checked_mul(dtype.size())).ok_or("too large")?;
    let mut data = Vec::new();
    file.take(bytes as u64).read_to_end(&mut data).map_err(|error| error.to_string())?;
    if data.len() != bytes {
        return Err(format!("cut off: {} of {bytes} bytes", data.len()));
    }
    Ok(data)
}

/// (descr, fortran_order, shape) of the header's Python dictionary.
fn parse_header(header: &str) -> Option<(String, bool, Vec<u64>)> {
    let after = |key: &str| {
        let start = header.find(&format!("'{key}'"))? + key.len() + 2;
        header[start..].trim_start().strip_prefix(':').map(str::trim_start)
    };
    let descr = after("descr")?.strip_prefix('\'')?.split('\'').next()?.to_owned();
    let fortran = after("fortran_order")?.starts_with("True");
    let shape = after("shape")?.strip_prefix('(')?.split(')').next()?;
    let shape: Option<Vec<u64>> =
        shape.split(',').map(str::trim).filter(|extent| !extent.is_empty()).map(|extent| extent.parse().ok()).collect();
    Some((descr, fortran, shape?))
}

/// Writes the header of a one-dimensional array; the elements follow it.
pub fn write_header(to: &mut impl Write, dtype: DType, len: u64) -> io::Result<()> {
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({len},), }}", descriptor(dtype));
    // The data starts at a multiple of 64 bytes, the header ends with a newline.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    to.write_all(MAGIC)?;
    to.write_all(&[1, 0])?;
    to.write_all(&(header.len() as u16).to_le_bytes())?;
    to.write_all(header.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dtype: DType, len: u64, data: &[u8]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write_header(&mut file, dtype, len).unwrap();
        file.write_all(data).unwrap();
        file
    }

    #[test]
    fn what_is_written_is_read_back() {
        let data: Vec<u8> = (0..40).collect();
        for (dtype, len) in [(DType::F32, 10), (DType::F64, 5), (DType::Bf16, 20), (DType::U8, 40)] {
            let file = written(dtype, len, &data);
            assert_eq!(read(file.reopen().unwrap(), dtype, len).unwrap(), data);
            let start = std::fs::read(file.path()).unwrap().len() - data.len();
            assert_eq!(start % 64, 0);
        }
    }

    #[test]
    fn wrong_files_say_what_is_wrong() {
        let file = written(DType::F32, 10, &[0; 40]);
        assert!(read(file.reopen().unwrap(), DType::F64, 10).unwrap_err().contains("`<f4`"));
        assert!(read(file.reopen().unwrap(), DType::F32, 11).unwrap_err().contains("[10]"));
        let short = written(DType::F32, 10, &[0; 39]);
        assert!(read(short.reopen().unwrap(), DType::F32, 10).unwrap_err().contains("39 of 40"));
        let mut text = tempfile::NamedTempFile::new().unwrap();
        text.write_all(b"1,2,3,4,5,6,7,8").unwrap();
        assert!(read(text.reopen().unwrap(), DType::F32, 10).unwrap_err().contains("NUMPY"));
    }
}

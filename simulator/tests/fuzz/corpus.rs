//! The corpus: PTX texts in one deflated file, each with its length before it.

use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use std::io::{Read, Write};

/// The texts of a corpus file.
pub fn unpack(file: &[u8]) -> Option<Vec<String>> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(file).read_to_end(&mut bytes).ok()?;
    let (mut rest, mut texts) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (text, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        texts.push(std::str::from_utf8(text).ok()?.to_string());
        rest = after;
    }
    Some(texts)
}

/// The corpus file of texts.
#[allow(dead_code, reason = "only the example that packs it needs it")]
pub fn pack(texts: &[String]) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    for text in texts {
        encoder.write_all(&(text.len() as u32).to_le_bytes())?;
        encoder.write_all(text.as_bytes())?;
    }
    encoder.finish()
}

/// The committed one.
pub fn committed() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus.z");
    let file = std::fs::read(path).expect("simulator/fuzz/corpus.z is readable");
    unpack(&file).expect("simulator/fuzz/corpus.z is whole: pack it again")
}

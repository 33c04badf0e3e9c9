//! The GPU's answers: a text index and the output buffers, deflated into one committed file: what [`Keep`] says of each.
//!
//! Index: a line `# DEVICE`, then a line `NAME FINGERPRINT OFFSET BYTES` a kernel, or `NAME FINGERPRINT failed MESSAGE`.

use super::cases::Near;
use super::inputs::hash;
use super::kernel::{Keep, Kernel};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use std::collections::HashMap;
use std::io::{Read, Write};

/// What one kernel wrote.
pub enum Answer {
    /// What is kept of the output buffer.
    Bytes { fingerprint: u64, bytes: Vec<u8> },
    /// The driver refused the kernel, with its message.
    Failed { fingerprint: u64, message: String },
}

/// All answers of one device.
pub struct Answers {
    /// Device, driver.
    pub device: String,
    /// By name.
    pub by_name: HashMap<String, Answer>,
}

/// A kernel's text and inputs as one number: an answer to other text is stale.
pub fn fingerprint(kernel: &Kernel) -> u64 {
    hash(kernel.ptx.as_bytes()) ^ hash(&kernel.inputs).rotate_left(1)
}

/// The committed file from the script's two: of each kernel's output what is to be kept.
pub fn pack(kernels: &[Kernel], index: &str, outputs: &[u8]) -> std::io::Result<Vec<u8>> {
    let invalid = |line: &str| std::io::Error::other(format!("not a line of an index: {line}"));
    let (mut kept_index, mut kept) = (String::new(), Vec::new());
    for line in index.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, fingerprint, offset, length] = words[..] else {
            kept_index += line;
            kept_index.push('\n');
            continue;
        };
        let (Ok(offset), Ok(length)) = (offset.parse::<usize>(), length.parse::<usize>()) else {
            return Err(invalid(line));
        };
        let output = outputs.get(offset..offset + length).ok_or_else(|| invalid(line))?;
        let keep = kernels.iter().find(|kernel| kernel.name == name).map_or(Keep::Whole, |kernel| kernel.keep);
        let bytes = keep.of(output);
        kept_index += &format!("{name} {fingerprint} {} {}\n", kept.len(), bytes.len());
        kept.extend_from_slice(&bytes);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&(kept_index.len() as u64).to_le_bytes())?;
    encoder.write_all(kept_index.as_bytes())?;
    encoder.write_all(&kept)?;
    encoder.finish()
}

/// Reads the committed file.
pub fn unpack(file: &[u8]) -> Option<Answers> {
    let mut bytes = Vec::new();
    ZlibDecoder::new(file).read_to_end(&mut bytes).ok()?;
    let (length, rest) = bytes.split_at_checked(8)?;
    let (index, outputs) = rest.split_at_checked(u64::from_le_bytes(length.try_into().ok()?) as usize)?;
    let mut answers = Answers { device: String::new(), by_name: HashMap::new() };
    for line in std::str::from_utf8(index).ok()?.lines() {
        if let Some(device) = line.strip_prefix("# ") {
            answers.device = device.to_string();
            continue;
        }
        let mut words = line.splitn(4, ' ');
        let (name, fingerprint) = (words.next()?, u64::from_str_radix(words.next()?, 16).ok()?);
        let (offset, last) = (words.next()?, words.next()?);
        let answer = if offset == "failed" {
            Answer::Failed { fingerprint, message: last.to_string() }
        } else {
            let offset = offset.parse::<usize>().ok()?;
            let bytes = outputs.get(offset..offset + last.parse::<usize>().ok()?)?.to_vec();
            Answer::Bytes { fingerprint, bytes }
        };
        answers.by_name.insert(name.to_string(), answer);
    }
    Some(answers)
}

impl Near {
    /// Whether `got` is an acceptable answer where the GPU said `want`.
    pub fn accepts(self, got: u64, want: u64) -> bool {
        if got == want {
            return true;
        }
        let close = |got: f64, want: f64, relative: f64, absolute: f64| {
            got.is_nan() && want.is_nan() || (got - want).abs() <= relative * want.abs() + absolute
        };
        match self {
            Near::Exact => false,
            Near::F32 { relative, absolute } => {
                let value = |bits: u64| f64::from(f32::from_bits(bits as u32));
                close(value(got), value(want), relative, absolute)
            }
            Near::F64 { relative } => close(f64::from_bits(got), f64::from_bits(want), relative, 0.0),
            Near::Halves { bf16, relative } => [0, 16].into_iter().all(|shift| {
                let value = |bits: u64| {
                    let bits = (bits >> shift) as u16;
                    if bf16 { half::bf16::from_bits(bits).to_f64() } else { half::f16::from_bits(bits).to_f64() }
                };
                close(value(got), value(want), relative, 0.0)
            }),
        }
    }
}

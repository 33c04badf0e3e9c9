//! What all kernels of the differential tests have in common.

/// A kernel `k(const void* in, void* out)`, its launch and its inputs.
pub struct Kernel {
    /// Unique; a file's name.
    pub name: String,
    /// The module.
    pub ptx: String,
    /// Blocks in x.
    pub blocks: u32,
    /// Threads a block.
    pub threads: u32,
    /// What `in` points to.
    pub inputs: Vec<u8>,
    /// Bytes that `out` points to.
    pub outputs: usize,
    /// How its answer is kept.
    pub keep: Keep,
}

/// How an answer is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All bytes.
    Whole,
    /// One byte of each 32-bit word's hash: says which words differ, not what they were.
    Digest,
}

impl Keep {
    /// What is kept of an output.
    pub fn of(self, output: &[u8]) -> Vec<u8> {
        match self {
            Self::Whole => output.to_vec(),
            Self::Digest => output
                .chunks(4)
                .map(|word| {
                    let bits = word.iter().rev().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
                    (bits.wrapping_mul(0x9e37_79b1) ^ bits.wrapping_mul(0x85eb_ca6b) >> 16).to_le_bytes()[3]
                })
                .collect(),
        }
    }
}

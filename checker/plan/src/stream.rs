//! Random numbers that depend on a seed, a name and an index, and nothing else: SplitMix64 (Steele, Lea and Flood, OOPSLA
//! 2014) used as a counter-based generator, so that any number of threads, in any process, draw the same.

/// Independent random bits for every index.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    key: u64,
}

impl Stream {
    /// The stream of buffer `name` in the run of `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, so that two buffers of one run differ.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Self { key: mix(seed ^ mix(hash)) }
    }

    /// What the stream is known by.
    pub fn key(self) -> u64 {
        self.key
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(self, index: u64) -> u64 {
        mix(self.key.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A real in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn unit(self, index: u64) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 53) as f64;
        (self.bits(index) >> 11) as f64 * STEP
    }

    /// An integer in [lo, hi], both included.
    #[inline]
    pub fn integer(self, index: u64, lo: i64, hi: i64) -> i64 {
        let range = (i128::from(hi) - i128::from(lo) + 1).max(1) as u128;
        let draw = (u128::from(self.bits(index)) * range) >> 64;
        (i128::from(lo) + draw as i128) as i64
    }
}

/// SplitMix64's finaliser.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

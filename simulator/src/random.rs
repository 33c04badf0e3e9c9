//! Random numbers by seed: splitmix64 (Steele, Lea, Flood 2014). It scatters the keys of maps, too.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Scatters the bits of a number.
pub fn mix(value: u64) -> u64 {
    finish(value.wrapping_add(STEP))
}

/// Its output function: scatters the bits of a state.
pub fn finish(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes numbers.
#[derive(Default)]
pub struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mix(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(number);
    }
}

/// A map by addresses or the like, which nobody chooses to fall into one place.
pub type ByNumber<T> = HashMap<u64, T, BuildHasherDefault<Mixed>>;

/// A generator; its state is its seed.
#[cfg(test)]
pub struct Random(pub u64);

#[cfg(test)]
impl Random {
    /// The next number.
    pub fn bits(&mut self) -> u64 {
        let bits = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        bits
    }

    /// One below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }
}

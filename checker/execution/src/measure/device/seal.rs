//! Seals: what the checker's own kernels leave in device memory while a version's kernels run, those can find and overwrite. So
//! beside every word lies a hash of it that nobody can make who does not know the measurement's key.

use crate::backend::JobError;

/// 128 bits that no kernel knows. There is no `Debug`: it is not to be printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u64; 2]);

/// What a key is for, and what a sealed word says: as in `tools.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Cycles (pass 0) and nanoseconds (pass 1) of the spin before a sample.
    Clock,
    /// Wrong places of a pass, or a fingerprint.
    Result,
    /// What inputs are fingerprinted with.
    Inputs,
    /// What the oracle's answers are hidden with.
    Answers,
    /// What these, hidden, are fingerprinted with.
    Hidden,
}

impl Key {
    /// A key from the operating system's randomness. The seed of the inputs would not do: whoever runs a check may know that.
    ///
    /// # Errors
    /// The system gives none.
    pub fn drawn() -> Result<Self, JobError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| JobError::Random { message: error.to_string() })?;
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        Ok(Self([words.next().unwrap_or(0), words.next().unwrap_or(0)]))
    }

    /// A key of its own for one use: whoever learns it knows no other.
    #[must_use]
    pub fn of(self, what: What, number: u64) -> Self {
        Self([0, 1].map(|half| self.hash(&[what as u64, number, half])))
    }

    /// As kernels take it.
    pub fn words(self) -> [u64; 2] {
        self.0
    }

    /// The seal of a value. Sample (or reading) and pass are in it, so that an older word does not fit in a newer one's place.
    pub fn seal(self, what: What, sample: u64, pass: u64, value: u64) -> u64 {
        self.hash(&[what as u64, sample, pass, value])
    }

    /// SipHash-2-4 (Aumasson and Bernstein, 2012) of whole words.
    fn hash(self, words: &[u64]) -> u64 {
        let [k0, k1] = self.0;
        let mut v = [
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ];
        let length = (words.len() as u64 * 8) << 56;
        for word in words.iter().copied().chain([length]) {
            v[3] ^= word;
            round(&mut v);
            round(&mut v);
            v[0] ^= word;
        }
        v[2] ^= 0xff;
        (0..4).for_each(|_| round(&mut v));
        v[0] ^ v[1] ^ v[2] ^ v[3]
    }
}

fn round(v: &mut [u64; 4]) {
    let half = |v: &mut [u64; 4], [a, b, c, d]: [usize; 4], [left, right]: [u32; 2]| {
        v[a] = v[a].wrapping_add(v[b]);
        v[b] = v[b].rotate_left(left) ^ v[a];
        v[c] = v[c].wrapping_add(v[d]);
        v[d] = v[d].rotate_left(right) ^ v[c];
    };
    half(v, [0, 1, 2, 3], [13, 16]);
    v[0] = v[0].rotate_left(32);
    half(v, [2, 1, 0, 3], [17, 21]);
    v[2] = v[2].rotate_left(32);
}

/// Words with their seals as they were read from the device, of passes from 0 on: the words, or nothing if a seal does not fit.
pub fn opened(key: Key, what: What, sample: u64, bytes: &[u8]) -> Option<Vec<u64>> {
    let pairs = bytes.as_chunks::<16>().0.iter().enumerate();
    let one = |(pass, pair): (usize, &[u8; 16])| {
        let mut words = pair.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let (value, seal) = (words.next()?, words.next()?);
        (key.seal(what, sample, pass as u64, value) == seal).then_some(value)
    };
    pairs.map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key([0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908]);

    /// Vectors of the reference implementation: the bytes 00, 01, ... under the key 00, 01, ... 0f.
    #[test]
    fn hashes_are_siphash_2_4() {
        assert_eq!(KEY.hash(&[]), 0x726f_db47_dd0e_0e31);
        assert_eq!(KEY.hash(&[0x0706_0504_0302_0100]), 0x93f5_f579_9a93_2462);
        assert_eq!(KEY.hash(&[0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908]), 0x3f2a_cc7f_57c2_9bdb);
    }

    fn pairs(what: What, sample: u64, values: &[u64]) -> Vec<u8> {
        let pair = |(pass, value): (usize, &u64)| [*value, KEY.seal(what, sample, pass as u64, *value)];
        values.iter().enumerate().flat_map(pair).flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn what_was_sealed_is_read() {
        let bytes = pairs(What::Result, 7, &[0, 3, u64::MAX]);
        assert_eq!(opened(KEY, What::Result, 7, &bytes), Some(vec![0, 3, u64::MAX]));
        assert_eq!(opened(KEY, What::Result, 7, &[]), Some(Vec::new()));
    }

    #[test]
    fn what_was_changed_moved_or_put_back_is_not() {
        let bytes = pairs(What::Result, 7, &[0, 3]);
        for byte in 0..bytes.len() {
            let mut forged = bytes.clone();
            forged[byte] ^= 1;
            assert_eq!(opened(KEY, What::Result, 7, &forged), None, "byte {byte}");
        }
        // Another pass's word with its seal.
        let moved = [&bytes[16..], &bytes[..16]].concat();
        assert_eq!(opened(KEY, What::Result, 7, &moved), None);
        // That of an older sample, of another kind, under another key.
        assert_eq!(opened(KEY, What::Result, 8, &bytes), None);
        assert_eq!(opened(KEY, What::Clock, 7, &bytes), None);
        assert_eq!(opened(KEY.of(What::Result, 1), What::Result, 7, &bytes), None);
        // Words that nobody has written.
        assert_eq!(opened(KEY, What::Result, 7, &[0; 32]), None);
    }

    #[test]
    fn keys_are_their_own() {
        let (one, other) = (Key::drawn().unwrap(), Key::drawn().unwrap());
        assert!(one != other, "128 drawn bits");
        let all = [KEY.of(What::Clock, 0), KEY.of(What::Clock, 1), KEY.of(What::Answers, 0), KEY, one, other];
        for (at, key) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|before| before != key));
        }
    }
}

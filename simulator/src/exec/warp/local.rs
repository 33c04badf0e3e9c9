//! Local memory, lane by lane.

use super::Warp;

impl Warp {
    /// One value of local memory of a lane; the caller has checked the range.
    pub fn load_local(&self, lane: usize, at: u32, size: u32) -> u64 {
        let word = |at: u32| u64::from(self.local[at as usize / 4][lane]);
        match size {
            8 => word(at) | word(at + 4) << 32,
            4 => word(at),
            _ => word(at) >> ((at & 3) * 8) & if size == 1 { 0xff } else { 0xffff },
        }
    }

    /// Stores one value.
    pub fn store_local(&mut self, lane: usize, at: u32, size: u32, value: u64) {
        let word = at as usize / 4;
        match size {
            8 => {
                self.local[word][lane] = value as u32;
                self.local[word + 1][lane] = (value >> 32) as u32;
            }
            4 => self.local[word][lane] = value as u32,
            _ => {
                let shift = (at & 3) * 8;
                let mask: u32 = if size == 1 { 0xff } else { 0xffff };
                let cell = &mut self.local[word][lane];
                *cell = *cell & !(mask << shift) | (value as u32 & mask) << shift;
            }
        }
    }

    /// Is it local memory? A call may pass more than the callee has declared.
    pub fn has_local(&self, at: u32, size: u32) -> bool {
        (at as usize + size as usize).div_ceil(4) <= self.local.len()
    }
}

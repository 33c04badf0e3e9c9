//! Control fields: how the compiler schedules an instruction (Volta to Blackwell).
//!
//! Of the 128-bit encoding, bits 105-108 are the stall count, 109 yield (inverted), 110-112 the scoreboard that the
//! result signals, 113-115 the scoreboard that signals when the sources have been read (7: none), 116-121 the scoreboards
//! to wait for, 122-124 the operand slots whose register is kept in the reuse cache. Learned from the encodings
//! themselves: the reuse bits agree with `.reuse` in nvdisasm's text on every instruction the tests compile.

use serde::Serialize;
use std::fmt;

/// Scheduling of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Control {
    /// Cycles before the warp's next instruction may issue, 0 to 15.
    pub stall: u8,
    /// The scheduler may prefer another warp afterwards.
    pub yields: bool,
    /// Scoreboard 0 to 5 that is released when the result is written.
    pub write_barrier: Option<u8>,
    /// Scoreboard 0 to 5 that is released when the sources have been read.
    pub read_barrier: Option<u8>,
    /// Bit n: wait for scoreboard n before issuing.
    pub wait_mask: u8,
    /// Bit n: source slot n stays in the reuse cache.
    pub reuse: u8,
}

impl Control {
    /// Decodes the high half of an encoding (bits 64 to 127).
    pub fn decode(high: u64) -> Self {
        let bits = |first: u32, count: u32| ((high >> (first - 64)) & ((1 << count) - 1)) as u8;
        let scoreboard = |n: u8| (n != 7).then_some(n);
        Self {
            stall: bits(105, 4),
            yields: bits(109, 1) == 0,
            write_barrier: scoreboard(bits(110, 3)),
            read_barrier: scoreboard(bits(113, 3)),
            wait_mask: bits(116, 6),
            reuse: bits(122, 3),
        }
    }

    /// Whether it waits for the scoreboard.
    pub fn waits_for(self, scoreboard: u8) -> bool {
        self.wait_mask >> scoreboard & 1 == 1
    }
}

/// Waits, read scoreboard, write scoreboard, yield, stall: `B--2---:R-:W0:Y:S01`, the notation of the public assemblers.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("B")?;
        for n in 0..6 {
            if self.waits_for(n) { write!(f, "{n}")? } else { f.write_str("-")? }
        }
        for (letter, scoreboard) in [('R', self.read_barrier), ('W', self.write_barrier)] {
            match scoreboard {
                Some(n) => write!(f, ":{letter}{n}")?,
                None => write!(f, ":{letter}-")?,
            }
        }
        write!(f, ":{}:S{:02}", if self.yields { 'Y' } else { '-' }, self.stall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_load() {
        // LDG.E.SYS R3, [R2] of sm_75: releases scoreboard 2, waits for nothing, stalls 1.
        let c = Control::decode(0x000e_a200_001e_e900);
        assert_eq!(
            c,
            Control { stall: 1, yields: false, write_barrier: Some(2), read_barrier: None, wait_mask: 0, reuse: 0 }
        );
        assert_eq!(c.to_string(), "B------:R-:W2:-:S01");
    }

    #[test]
    fn fields_of_a_consumer() {
        // IMAD.IADD R7, R0, 0x1, R3 behind that load: waits for scoreboard 2.
        let c = Control::decode(0x004f_d000_078e_0203);
        assert!(c.waits_for(2) && !c.waits_for(1));
        assert_eq!(c.to_string(), "B--2---:R-:W-:Y:S08");
        assert_eq!(Control::decode(0x040f_e400_078e_c0ff).reuse, 1);
    }
}

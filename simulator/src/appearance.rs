//! What a kernel can see of the machine that runs it and must not rely on: clocks, where blocks and warps are placed, numbers
//! of grids, addresses, the last bit of approximations, bits of NaNs. On hardware they differ from run to run; here they follow from [`crate::Config::machine`].

pub mod nans;

use crate::isa::op::Approximate;
use crate::random::{finish, mix};

/// Warps that an SM holds (CUDA C++ Programming Guide, technical specifications, from compute capability 3.0 on; 48 on
/// 8.6 and 8.9, 32 on 7.5).
pub const WARPS_PER_SM: u64 = 64;
/// Nanoseconds between two values of `%globaltimer`: an H200's, and older GPUs'.
const TIMER_STEPS: [u64; 2] = [32, 1024];
/// Steps between two times that an SM does something else, as a power of 2 at least and at most.
const PAUSES: [u64; 2] = [2, 8];
/// Cycles that it takes then, as a power of 2 at most.
const PAUSE: u64 = 20;
/// Bytes that an allocation's address is a multiple of (CUDA C++ Programming Guide, device memory accesses).
pub const ALIGNMENT: u64 = 256;

/// One machine's appearance. [`Appearance::PLAIN`] is the simplest: clocks that count instructions from 0, the first warp is
/// number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appearance {
    seed: u64,
}

impl Appearance {
    /// The simplest one.
    #[cfg(test)]
    pub const PLAIN: Self = Self { seed: 0 };

    /// The machine of that number; 0 is [`Appearance::PLAIN`].
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Is it the simplest one?
    pub fn is_plain(self) -> bool {
        self.seed == 0
    }

    /// Random bits for a purpose; 0 on the plain machine.
    pub fn bits(self, purpose: u64) -> u64 {
        if self.seed == 0 { 0 } else { finish(self.seed.wrapping_add(purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15))) }
    }

    /// Cycles of an SM's clock after `steps` warp instructions: 1 to 24 a step, on half of the machines now and then up to a million more,
    /// as where others have their turn, and a start that is anything. Always more for more steps.
    pub fn clock(self, steps: u64) -> u64 {
        let rate = 1 + self.bits(1) % 24;
        // Up to weeks of running.
        (self.bits(2) >> 14).wrapping_add(steps.wrapping_mul(rate)).wrapping_add(self.paused(steps))
    }

    /// Cycles up to a step in which nothing of the launch ran.
    fn paused(self, steps: u64) -> u64 {
        let drawn = self.bits(11);
        if drawn.is_multiple_of(2) {
            return 0;
        }
        let every = PAUSES[0] + (drawn >> 8) % (PAUSES[1] - PAUSES[0] + 1);
        let first = (drawn >> 16) % (1 << every);
        (steps + first) >> every << ((drawn >> 32) % (PAUSE + 1))
    }

    /// `%globaltimer` after so many steps: nanoseconds since 1970, at a clock of about 1 GHz to 2 GHz.
    pub fn timer(self, steps: u64) -> u64 {
        if self.seed == 0 {
            return steps;
        }
        // From 2024 on, some years.
        let start = 1_704_067_200_000_000_000 + (self.bits(3) >> 7);
        let ns = steps.wrapping_mul(1 + self.bits(4) % 12).wrapping_add(self.paused(steps));
        let step = TIMER_STEPS[(self.bits(12) % 2) as usize];
        start.wrapping_add(ns) / step * step
    }

    /// The SM of a block: each of a wave of `sms` blocks has another one. A quarter of the machines begins with SM 0 and goes on with the
    /// next one, a quarter with the next but one, as GPUs do whose SMs stand in pairs; the others have an order of their own.
    pub fn sm(self, linear: u64, sms: u64) -> u64 {
        let sms = sms.max(1);
        if self.seed == 0 {
            return linear % sms;
        }
        let (wave, place) = (linear / sms, linear % sms);
        match self.bits(9) % 4 {
            0 => return place,
            1 => {
                let first = sms.div_ceil(2);
                return if place < first { 2 * place } else { 2 * (place - first) + 1 };
            }
            _ => {}
        }
        // A step that visits all of them.
        let step = (1 + self.bits(5) % sms..=2 * sms + 1).find(|step| gcd(*step, sms) == 1).unwrap_or(1);
        let first = self.bits(6).wrapping_add(finish(self.seed ^ wave)) % sms;
        ((place * (step % sms)) % sms + first) % sms
    }

    /// `%warpid` of a warp of a block that has `warps`. They follow each other, up or down, round the end of what an SM holds.
    pub fn warp(self, linear: u64, warps: u64, index: u64) -> u64 {
        if self.seed == 0 {
            return index;
        }
        let (drawn, places) = (self.bits(7), (WARPS_PER_SM / warps.max(1)).max(1));
        let index = if drawn >> 32 & 1 == 0 { index } else { warps - 1 - index.min(warps - 1) };
        ((drawn ^ finish(linear)) % places * warps + index + (drawn >> 40)) % WARPS_PER_SM
    }

    /// Number of the grid of a launch, from 1.
    pub fn grid(self, launch: u64) -> u64 {
        launch + (self.bits(8) >> 40)
    }

    /// What an approximate instruction gives to each lane: of the nearest single, which the simplest machine has, some machines have
    /// a neighbour. It depends on the operands alone, whatever their signs. Results that can be exact are.
    ///
    /// An H200 has another single than the nearest for 4 % (`ex2`) to 25 % (`lg2`) of operands (`differential/approximate.md`); here
    /// it is half of them.
    pub fn approximate(self, what: Approximate, sources: &[[u64; 32]; 4], results: &mut [u64; 32]) {
        if self.seed == 0 {
            return;
        }
        let unsigned = |word: u64| word & 0x7fff_ffff;
        for (lane, result) in results.iter_mut().enumerate() {
            let (bits, [a, b]) = (*result as u32, [unsigned(sources[0][lane]), unsigned(sources[1][lane])]);
            let exact = match what {
                Approximate::Function => bits & EXACT == 0,
                Approximate::Quotient => b & SIGNIFICAND == 0,
            };
            // Neither zero nor subnormal nor infinite, and no neighbour is.
            let far = matches!(bits >> 23 & 0xff, 2..=253);
            if far && !exact {
                let up = match finish(self.bits(10) ^ mix(a ^ b << 32)) % 4 {
                    0 => 1,
                    1 => u32::MAX,
                    _ => 0,
                };
                *result = bits.wrapping_add(up).into();
            }
        }
    }
}

/// Lowest bits of a single that are zero where a function of a short operand is exact, as a root of a square or a power of two is.
const EXACT: u32 = 0xfff;
/// Of a single.
const SIGNIFICAND: u64 = 0x7f_ffff;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Whatever the machine: a wave of blocks fills every SM once, clocks go forward, a block's warps fit into an SM.
    #[test]
    fn every_machine_is_one_that_could_be() {
        for seed in 0..200 {
            let machine = Appearance::new(seed);
            for sms in [1u64, 2, 40, 46, 132] {
                for wave in 0..3 {
                    let wave: HashSet<u64> = (0..sms).map(|block| machine.sm(wave * sms + block, sms)).collect();
                    assert_eq!(wave, (0..sms).collect(), "seed {seed}, {sms} SMs");
                }
            }
            assert!((0..100).all(|step| machine.clock(step) < machine.clock(step + 1)), "seed {seed}");
            assert!((0..100).all(|step| machine.timer(step) <= machine.timer(step + 1)), "seed {seed}");
            for warps in 1..=32 {
                let all: HashSet<u64> = (0..warps).map(|index| machine.warp(seed * 7, warps, index)).collect();
                assert!(
                    all.len() as u64 == warps && all.iter().all(|warp| *warp < WARPS_PER_SM),
                    "seed {seed}: {all:?}"
                );
            }
        }
    }

    /// Two machines differ in all of it: nothing that a kernel sees is the same everywhere.
    #[test]
    fn machines_differ() {
        let seen =
            |f: &dyn Fn(Appearance) -> u64| (1..100).map(|seed| f(Appearance::new(seed))).collect::<HashSet<_>>();
        assert!(seen(&|machine| machine.clock(0)).len() > 90);
        assert!(seen(&|machine| machine.clock(1) - machine.clock(0)).len() > 10);
        let longest = |machine: Appearance| (0..512).map(|step| machine.clock(step + 1) - machine.clock(step)).max();
        let pauses = (1..100).filter(|seed| longest(Appearance::new(*seed)) > Some(10_000)).count();
        assert!((10..60).contains(&pauses), "{pauses} of 99 machines with much between two instructions");
        assert!(seen(&|machine| machine.timer(0)).len() > 90);
        let coarse = (1..100).filter(|seed| Appearance::new(*seed).timer(7).is_multiple_of(1024)).count();
        assert!((30..70).contains(&coarse), "{coarse} of 99 timers in steps of a microsecond");
        assert!(seen(&|machine| machine.sm(0, 132)).len() > 25);
        let count = |place: u64| (1..100).filter(|seed| Appearance::new(*seed).sm(1, 132) == place).count();
        assert!(count(1) > 10 && count(2) > 10, "as GPUs place them: {} and {}", count(1), count(2));
        assert!(seen(&|machine| machine.sm(1, 132).wrapping_sub(machine.sm(0, 132))).len() > 20);
        assert!(seen(&|machine| machine.warp(0, 4, 1)).len() > 30);
        assert!(seen(&|machine| machine.warp(0, 4, 1).wrapping_sub(machine.warp(0, 4, 0))).len() > 1);
        assert!(seen(&|machine| machine.grid(1)).len() > 90);
        assert_eq!(Appearance::PLAIN.clock(7), 7);
        assert_eq!(Appearance::PLAIN.sm(133, 132), 1);
    }

    /// Half of the results are the nearest ones, the others their neighbours; a sign changes nothing, exact ones stay, and another
    /// machine has others.
    #[test]
    fn approximations_are_a_machines_own() {
        let approximated = |machine: Appearance, what, operands: [u64; 2], result: f32| {
            let mut out = [u64::from(result.to_bits()); 32];
            machine.approximate(what, &[[operands[0]; 32], [operands[1]; 32], [0; 32], [0; 32]], &mut out);
            out[7] as i64 - i64::from(result.to_bits())
        };
        let (one, other) = (Appearance::new(5), Appearance::new(6));
        let mut seen = [[0; 3]; 2];
        let mut apart = 0;
        for n in 3..2000u32 {
            let (operand, result) = (u64::from((n as f32).to_bits()), 1.1 / n as f32);
            let by = approximated(one, Approximate::Function, [operand, 0], result);
            assert_eq!(by, approximated(one, Approximate::Function, [operand | 1 << 31, 0], result));
            seen[0][(by + 1) as usize] += 1;
            apart += u32::from(by != approximated(other, Approximate::Function, [operand, 0], result));
            let by = approximated(one, Approximate::Quotient, [operand, operand ^ 1], 1.0);
            seen[1][(by + 1) as usize] += 1;
            assert_eq!(approximated(one, Approximate::Function, [operand, 0], n as f32), 0);
            assert_eq!(approximated(Appearance::PLAIN, Approximate::Function, [operand, 0], result), 0);
        }
        assert!(seen.iter().flatten().all(|&count| count > 400), "{seen:?}");
        assert!(apart > 1000, "{apart}");
        for exact in [f32::INFINITY, 0.0, f32::MIN_POSITIVE, f32::MAX] {
            assert_eq!(approximated(one, Approximate::Function, [77, 0], exact), 0, "{exact}");
        }
        assert_eq!(approximated(one, Approximate::Quotient, [77, u64::from(4f32.to_bits())], 0.3), 0);
    }
}

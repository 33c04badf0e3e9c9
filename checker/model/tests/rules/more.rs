//! Whatever there is more of, it does not make a kernel faster.

use crate::made::{op, streaming, us};
use model::Unit;

/// Numbers by seed, below `n`.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn more_is_never_faster() {
    let mut draw = Draw(7);
    for round in 0..300 {
        let sectors = 4 + 4 * draw.below(200);
        let scale = draw.below(18).max(1);
        let blocks = 1 + draw.below(1 << scale);
        let mut before = streaming(sectors, blocks);
        before.launches[0].counters.shared_load_wavefronts = draw.below(2000);
        before.launches[0].counters.divergent_branches = draw.below(20);
        let mut after = before.clone();
        let launch = &mut after.launches[0];
        let what = match round % 7 {
            0 => {
                launch.counters.global_load_sectors += sectors;
                "sectors loaded"
            }
            1 => {
                launch.counters.global_store_sectors += sectors;
                launch.counters.global_store_bytes += 32 * sectors;
                "sectors stored"
            }
            2 => {
                launch.counters.shared_load_wavefronts += 1 + draw.below(500);
                "wavefronts"
            }
            3 => {
                after.codes[0].blocks[1].ops.push(op(Unit::Alu, 2));
                "instructions"
            }
            4 => {
                launch.times += 1;
                "launches"
            }
            5 => {
                launch.blocks += 1 + draw.below(200);
                "blocks"
            }
            _ => {
                let atomics = 1 + draw.below(1000);
                launch.counters.global_atomics += atomics;
                launch.counters.global_atomic_requests += atomics.div_ceil(32);
                launch.counters.global_atomic_sectors += atomics;
                "atomics"
            }
        };
        let (before, after) = (us(&before), us(&after));
        assert!(after >= before * (1.0 - 1e-9), "round {round}: more {what} take {after} us and not {before} us");
    }
}

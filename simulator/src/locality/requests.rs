//! What the requests of a block cost the first-level cache and the way to the second.

use super::JOINED;
use crate::exec::traffic::wavefronts;
use crate::observe::{AccessKind, Space, WarpAccess};

/// Sums of [`Locality`].
#[derive(Default, Clone, Copy)]
pub(super) struct Traffic {
    pub(super) requests: u64,
    pub(super) wavefronts: u64,
    pub(super) store_lines: u64,
    pub(super) store_sectors: u64,
    pub(super) local_words: u64,
    pub(super) joined: [u64; JOINED.len()],
}

impl Traffic {
    /// An access to lines in ascending order, and those of the store just before it.
    pub(super) fn add(&mut self, access: &WarpAccess<'_>, lines: &[(u64, u8)], before: &[(u64, u8)]) {
        let (store, count) = (access.kind == AccessKind::Store, lines.len() as u64);
        if access.space == Space::Local {
            let words = u64::from(access.mask.count_ones() * access.size.div_ceil(4));
            self.local_words += if store { words } else { 0 };
        } else if access.kind != AccessKind::Atomic {
            self.requests += 1;
            // Whether parts of loads become one is measured for shared memory only.
            let (passes, _) = wavefronts(access.addresses, access.mask, access.size, AccessKind::Store);
            self.wavefronts += passes.max(count.div_ceil(2));
        }
        if store && access.space != Space::Local {
            self.store_lines += count;
            self.store_sectors += lines.iter().map(|(_, sectors)| u64::from(sectors.count_ones())).sum::<u64>();
            if let Some(class) = JOINED.iter().position(|most| count <= *most) {
                self.joined[class] += in_both(before, lines);
            }
        }
    }
}

/// Sectors that both have, of lines in ascending order.
fn in_both(one: &[(u64, u8)], other: &[(u64, u8)]) -> u64 {
    let (mut at, mut sectors) = (0, 0);
    for (line, bits) in other {
        while one.get(at).is_some_and(|(before, _)| before < line) {
            at += 1;
        }
        if let Some((_, same)) = one.get(at).filter(|(same, _)| same == line) {
            sectors += u64::from((bits & same).count_ones());
        }
    }
    sectors
}

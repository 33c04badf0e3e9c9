//! What memory held before a launch, where it may write: for one that has to be run anew.

use super::parallel::side_by_side;
use crate::memory::global::{Allocation, Global};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What was put aside of each allocation that may be written to. Its memory is used again by the next launch.
#[derive(Debug, Default)]
pub(super) struct Before(Vec<Contents>);

#[derive(Debug)]
enum Contents {
    /// Nobody writes there.
    ReadOnly,
    /// This word again and again.
    Filled(u32),
    Words(Vec<u32>),
}

/// Words that a host thread copies at a time.
const PIECE: usize = 1 << 16;
/// Bytes that are kept from launch to launch.
const ROOM: u64 = 32 << 20;

impl Before {
    /// Puts aside what is there. False if more than `most` bytes would have to be copied.
    pub(super) fn put_aside(&mut self, global: &mut Global, most: u64, hosts: u32) -> bool {
        let copied = |one: &Allocation| if one.is_read_only() || one.filled.is_some() { 0 } else { one.size };
        if global.allocations.iter().map(copied).sum::<u64>() > most {
            return false;
        }
        self.0.resize_with(global.allocations.len(), || Contents::ReadOnly);
        let mut pieces = Vec::new();
        for (kept, allocation) in self.0.iter_mut().zip(&mut global.allocations) {
            match allocation.filled {
                _ if allocation.is_read_only() => *kept = Contents::ReadOnly,
                Some(word) => *kept = Contents::Filled(word),
                None => pieces.extend(
                    kept.room(allocation.words.len()).chunks_mut(PIECE).zip(allocation.words.chunks_mut(PIECE)),
                ),
            }
        }
        side_by_side(hosts, pieces, |(to, from): (&mut [u32], &mut [AtomicU32])| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from.get_mut());
        });
        true
    }

    pub(super) fn restore(&self, global: &Global) {
        for (kept, allocation) in self.0.iter().zip(&global.allocations) {
            let words = allocation.words.iter();
            match kept {
                Contents::ReadOnly => {}
                Contents::Filled(value) => words.for_each(|word| word.store(*value, Relaxed)),
                Contents::Words(values) => words.zip(values).for_each(|(word, value)| word.store(*value, Relaxed)),
            }
        }
    }

    /// It is needed no longer: gives back what is too much to be kept.
    pub(super) fn done(&mut self) {
        let words = |kept: &Contents| if let Contents::Words(words) = kept { 4 * words.len() as u64 } else { 0 };
        if self.0.iter().map(words).sum::<u64>() > ROOM {
            self.0.clear();
        }
    }
}

impl Contents {
    /// Room for so many words.
    fn room(&mut self, words: usize) -> &mut [u32] {
        if !matches!(self, Self::Words(known) if known.len() == words) {
            *self = Self::Words(vec![0; words]);
        }
        if let Self::Words(words) = self { words } else { &mut [] }
    }
}

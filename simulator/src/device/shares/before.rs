//! What memory held before a launch, where it may write, and what had been read of it: for one that has to be run anew.

use super::parallel::side_by_side;
use crate::memory::global::{Allocation, Global};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What was put aside, allocation by allocation. Its memory is used again by the next launch.
#[derive(Debug, Default)]
pub(super) struct Before {
    contents: Vec<Words>,
    /// Flags of what was read.
    reads: Vec<Words>,
}

#[derive(Debug, Default)]
enum Words {
    /// They stay as they are, or there are none.
    #[default]
    None,
    /// This one again and again.
    Filled(u32),
    Copied(Vec<u32>),
}

/// Words that a host thread copies at a time.
const PIECE: usize = 1 << 16;
/// Bytes that are kept from launch to launch.
const ROOM: u64 = 32 << 20;

/// From where to where.
type Piece<'a> = (&'a mut [u32], &'a mut [AtomicU32]);

impl Before {
    /// Puts aside what is there. False if more than `most` bytes would have to be copied.
    pub(super) fn put_aside(&mut self, global: &mut Global, most: u64, hosts: u32) -> bool {
        let copied = |one: &Allocation| {
            let reads = one.reads.as_ref().is_some_and(|reads| !reads.are_none());
            let contents = !one.is_read_only() && one.filled.is_none();
            one.size * (u64::from(reads) + u64::from(contents))
        };
        if global.allocations.iter().map(copied).sum::<u64>() > most {
            return false;
        }
        self.contents.resize_with(global.allocations.len(), Words::default);
        self.reads.resize_with(global.allocations.len(), Words::default);
        let mut pieces = Vec::new();
        for (allocation, (contents, reads)) in
            global.allocations.iter_mut().zip(self.contents.iter_mut().zip(&mut self.reads))
        {
            let filled = allocation.filled;
            match allocation.is_read_only() {
                true => *contents = Words::None,
                false => contents.put(&mut allocation.words, filled, &mut pieces),
            }
            match &mut allocation.reads {
                None => *reads = Words::None,
                Some(noted) => {
                    let none = noted.are_none().then_some(0);
                    reads.put(noted.flags(), none, &mut pieces);
                }
            }
        }
        side_by_side(hosts, pieces, |(to, from): Piece<'_>| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from.get_mut());
        });
        true
    }

    pub(super) fn restore(&self, global: &mut Global) {
        for (allocation, (contents, reads)) in global.allocations.iter_mut().zip(self.contents.iter().zip(&self.reads))
        {
            contents.restore(&allocation.words);
            if let Some(noted) = &mut allocation.reads {
                reads.restore(noted.flags());
            }
        }
    }

    /// It is needed no longer: gives back what is too much to be kept.
    pub(super) fn done(&mut self) {
        let bytes = |words: &Words| if let Words::Copied(words) = words { 4 * words.len() as u64 } else { 0 };
        if self.contents.iter().chain(&self.reads).map(bytes).sum::<u64>() > ROOM {
            *self = Self::default();
        }
    }
}

impl Words {
    /// Makes room for words of which all are `filled` with one, or that will be copied by `pieces`.
    fn put<'a>(&'a mut self, words: &'a mut [AtomicU32], filled: Option<u32>, pieces: &mut Vec<Piece<'a>>) {
        if let Some(word) = filled {
            *self = Self::Filled(word);
            return;
        }
        if !matches!(self, Self::Copied(known) if known.len() == words.len()) {
            *self = Self::Copied(vec![0; words.len()]);
        }
        if let Self::Copied(room) = self {
            pieces.extend(room.chunks_mut(PIECE).zip(words.chunks_mut(PIECE)));
        }
    }

    fn restore(&self, words: &[AtomicU32]) {
        match self {
            Self::None => {}
            Self::Filled(value) => words.iter().for_each(|word| word.store(*value, Relaxed)),
            Self::Copied(values) => words.iter().zip(values).for_each(|(word, value)| word.store(*value, Relaxed)),
        }
    }
}

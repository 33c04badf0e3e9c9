//! Memory that workers share: who finds too little of it waits until others have given theirs back.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

/// So much memory, for whoever comes first.
#[derive(Debug)]
pub struct Room {
    all: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    taken: u64,
    /// Who waits, the longest first.
    waiting: VecDeque<u64>,
    /// The next one's number.
    next: u64,
}

impl Room {
    /// Of so many bytes.
    pub fn new(bytes: u64) -> Self {
        Self { all: bytes, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Takes a part, when it is there. Who asks for more than there is waits until nobody else has any. Nothing if it is too late by then.
    pub(super) fn take(&self, bytes: u64, until: Option<Instant>) -> Option<Part<'_>> {
        let bytes = bytes.min(self.all);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        state.next += 1;
        state.waiting.push_back(number);
        // In the order in which they came: who needs much would wait for ever among those that need little.
        while state.waiting.front() != Some(&number) || state.taken + bytes > self.all {
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => {
                    state.waiting.retain(|waiting| *waiting != number);
                    self.changed.notify_all();
                    return None;
                }
                Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        state.waiting.pop_front();
        state.taken += bytes;
        drop(state);
        // The next one may find enough, too.
        self.changed.notify_all();
        Some(Part { room: self, bytes })
    }
}

/// A part of the memory, until it is dropped.
#[derive(Debug)]
pub(super) struct Part<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        self.room.state.lock().unwrap_or_else(PoisonError::into_inner).taken -= self.bytes;
        self.room.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{MEMORY, WorkerOptions};
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    /// Whatever the number of cores, workers at work have no more than there is.
    #[test]
    fn workers_of_any_number_of_cores_keep_within_the_memory() {
        for cores in [1, 2, 3, 4, 8, 16, 128] {
            let room = Room::new(MEMORY);
            let share = WorkerOptions::default().one_of(cores).share();
            let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
            std::thread::scope(|scope| {
                for _ in 0..cores {
                    scope.spawn(|| {
                        for _ in 0..20 {
                            let part = room.take(share, None);
                            most.fetch_max(now.fetch_add(share, SeqCst) + share, SeqCst);
                            std::thread::yield_now();
                            now.fetch_sub(share, SeqCst);
                            drop(part);
                        }
                    });
                }
            });
            let most = most.into_inner();
            assert!((share..=MEMORY).contains(&most), "{cores} cores: {most} bytes");
        }
    }

    #[test]
    fn who_waits_is_served_in_turn_and_not_behind_its_time() {
        let room = Room::new(8);
        let part = room.take(6, None);
        assert!(room.take(3, Some(Instant::now())).is_none());
        assert!(room.take(2, Some(Instant::now())).is_some(), "who has left the row keeps nobody back");
        drop(part);
        assert_eq!(room.take(u64::MAX, None).map(|part| part.bytes), Some(8));
    }
}

//! Work that brings more work, on several threads.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What is to be done, and who is at it.
struct Queue<T, E> {
    state: Mutex<State<T, E>>,
    changed: Condvar,
}

struct State<T, E> {
    waiting: BTreeSet<T>,
    running: usize,
    /// One is at work that wants nobody beside it.
    alone: bool,
    failed: Option<E>,
}

/// Does all of this and what it brings, on so many threads: what is least first, and what is `alone` while nothing else is done.
///
/// # Errors
/// The first one; what has not begun by then is left.
pub fn in_order<T: Ord + Send, E: Send>(
    threads: usize,
    first: Vec<T>,
    alone: impl Fn(&T) -> bool + Sync,
    work: impl Fn(T) -> Result<Vec<T>, E> + Sync,
) -> Result<(), E> {
    let waiting = BTreeSet::from_iter(first);
    let state = State { waiting, running: 0, alone: false, failed: None };
    let queue = Queue { state: Mutex::new(state), changed: Condvar::new() };
    let worker = || {
        while let Some(task) = queue.next(&alone) {
            let mut running = Running { queue: &queue, brought: Ok(Vec::new()) };
            running.brought = work(task);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    queue.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed.map_or(Ok(()), Err)
}

impl<T: Ord, E> Queue<T, E> {
    fn state(&self) -> MutexGuard<'_, State<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to do now; nothing when all is done, or nothing more is to be begun.
    fn next(&self, alone: &impl Fn(&T) -> bool) -> Option<T> {
        let mut state = self.state();
        loop {
            let ended = state.failed.is_some();
            let next = state.waiting.first().filter(|_| !ended);
            let all_done = state.waiting.is_empty() && state.running == 0;
            match next {
                Some(next) if !state.alone && (state.running == 0 || !alone(next)) => {
                    state.alone = alone(next);
                    state.running += 1;
                    return state.waiting.pop_first();
                }
                _ if ended || all_done => return None,
                _ => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Somebody at work, until that is done or has panicked.
struct Running<'a, T: Ord, E> {
    queue: &'a Queue<T, E>,
    brought: Result<Vec<T>, E>,
}

impl<T: Ord, E> Drop for Running<'_, T, E> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        (state.running, state.alone) = (state.running - 1, false);
        match std::mem::replace(&mut self.brought, Ok(Vec::new())) {
            Ok(more) => state.waiting.extend(more),
            Err(error) => {
                state.failed.get_or_insert(error);
            }
        }
        drop(state);
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn what_is_least_comes_first_and_all_that_it_brings_is_done() {
        let done = Mutex::new(Vec::new());
        let work = |task: u32| {
            done.lock().expect("no panic").push(task);
            // Each ten brings its ones.
            Ok::<_, ()>(if task.is_multiple_of(10) { (1..4).map(|more| task + more).collect() } else { Vec::new() })
        };
        in_order(1, vec![20, 0, 10], |_| false, work).expect("nothing fails");
        assert_eq!(*done.lock().expect("no panic"), [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
        done.lock().expect("no panic").clear();
        in_order(4, vec![20, 0, 10], |_| false, work).expect("nothing fails");
        let mut all = done.into_inner().expect("no panic");
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23]);
    }

    #[test]
    fn who_wants_nobody_beside_it_has_nobody() {
        let (running, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |task: u32| {
            let beside = running.fetch_add(1, SeqCst);
            for _ in 0..100 {
                std::thread::yield_now();
                let beside = beside.max(running.load(SeqCst) - 1);
                met.fetch_max(if task.is_multiple_of(3) { beside } else { 0 }, SeqCst);
            }
            running.fetch_sub(1, SeqCst);
            Ok::<_, ()>(Vec::new())
        };
        in_order(4, (0..60).collect(), |task| task.is_multiple_of(3), work).expect("nothing fails");
        assert_eq!(met.into_inner(), 0);
    }

    #[test]
    fn the_first_error_ends_it() {
        let begun = AtomicUsize::new(0);
        let work = |task: u32| {
            begun.fetch_add(1, SeqCst);
            if task == 5 { Err(task) } else { Ok(Vec::new()) }
        };
        assert_eq!(in_order(1, (0..9).collect(), |_| false, work), Err(5));
        assert_eq!(begun.into_inner(), 6);
    }

    #[test]
    fn a_panic_keeps_nobody_waiting() {
        let ran = std::panic::catch_unwind(|| {
            in_order(
                3,
                vec![1, 2, 3],
                |_| false,
                |task: u32| {
                    assert!(task != 1, "so it is meant");
                    Ok::<_, ()>(Vec::new())
                },
            )
        });
        assert!(ran.is_err());
    }
}

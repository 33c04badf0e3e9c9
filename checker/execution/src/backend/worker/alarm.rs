//! A worker's clock: shortly before its parent would end it, its launches are stopped, so that what they found until then is
//! told, and where they were.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A stopped launch has this long to be told of, or a quarter of its time.
const BEFORE: Duration = Duration::from_millis(1500);
/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(50);

/// Stops launches when its time has come.
#[derive(Debug)]
pub struct Alarm {
    bell: Arc<AtomicBool>,
    at: Arc<Mutex<Option<Instant>>>,
}

impl Alarm {
    /// One that is not set. Without a thread it never rings, and the parent ends the worker.
    pub fn start() -> Self {
        let (bell, at) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Option<Instant>>>::default());
        let (rings, due) = (bell.clone(), at.clone());
        let _ = std::thread::Builder::new().spawn(move || {
            loop {
                std::thread::sleep(LOOK);
                let at = due.lock().unwrap_or_else(PoisonError::into_inner);
                if at.is_some_and(|at| Instant::now() >= at) {
                    rings.store(true, Ordering::Relaxed);
                }
            }
        });
        Self { bell, at }
    }

    /// What launches look at.
    pub fn bell(&self) -> Arc<AtomicBool> {
        self.bell.clone()
    }

    /// Sets it to ring somewhat before so much time is over, and not before.
    pub fn set(&self, time: Duration) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        *at = Some(Instant::now() + time.saturating_sub(BEFORE.min(time / 4)));
        self.bell.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rings_in_time_and_is_set_anew() {
        let alarm = Alarm::start();
        let bell = alarm.bell();
        alarm.set(Duration::ZERO);
        while !bell.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        alarm.set(Duration::from_secs(3600));
        std::thread::sleep(3 * LOOK);
        assert!(!bell.load(Ordering::Relaxed));
    }
}

//! A worker's clock: shortly before its parent would end it, its launches are stopped, so that what they found until then is
//! told, and where they were.

use crate::backend::spent::{Clock, Spent, Stopwatch, longest};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A stopped launch has this long to be told of, or a quarter of its time.
const BEFORE: Duration = Duration::from_millis(1500);
/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(50);

/// Stops launches when its time has come.
#[derive(Debug)]
pub struct Alarm {
    bell: Arc<AtomicBool>,
    /// It rang, and not for what the unit itself had.
    hasty: Arc<AtomicBool>,
    set: Arc<Mutex<Option<(Stopwatch, Due)>>>,
}

impl Alarm {
    /// One that is not set. Without a thread it never rings, and the parent ends the worker.
    pub fn start() -> Self {
        let (bell, hasty) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let set = Arc::<Mutex<Option<(Stopwatch, Due)>>>::default();
        let (rings, rings_hastily, due) = (bell.clone(), hasty.clone(), set.clone());
        let _ = std::thread::Builder::new().spawn(move || {
            loop {
                std::thread::sleep(LOOK);
                let due = due.lock().unwrap_or_else(PoisonError::into_inner);
                let Some((stopwatch, due)) = due.filter(|_| !rings.load(Ordering::Relaxed)) else { continue };
                let spent = stopwatch.spent();
                if due.rings(&spent) {
                    rings_hastily.store(spent.is_little(due.unit), Ordering::Relaxed);
                    rings.store(true, Ordering::Relaxed);
                }
            }
        });
        Self { bell, hasty, set }
    }

    /// What launches look at.
    pub fn bell(&self) -> Arc<AtomicBool> {
        self.bell.clone()
    }

    /// Sets it to ring somewhat before a unit has had its time, or the time for all is over, and not before.
    pub fn set(&self, unit: Duration, all: Option<Duration>) {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        *set = Some((Stopwatch::start(Clock::Own), Due { unit, all: longest(unit, all) }));
        self.bell.store(false, Ordering::Relaxed);
    }

    /// Was what it stopped far from its own limit?
    pub fn was_hasty(&self) -> bool {
        self.bell.load(Ordering::Relaxed) && self.hasty.load(Ordering::Relaxed)
    }
}

/// When it rings.
#[derive(Debug, Clone, Copy)]
struct Due {
    /// What the unit may have.
    unit: Duration,
    /// What the clock gives it.
    all: Duration,
}

impl Due {
    fn rings(&self, spent: &Spent) -> bool {
        let before = |time: Duration| time.saturating_sub(BEFORE.min(time / 4));
        spent.counts() >= before(self.unit) || spent.wall >= before(self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rings_in_time_and_is_set_anew() {
        let alarm = Alarm::start();
        let bell = alarm.bell();
        alarm.set(Duration::ZERO, None);
        while !bell.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        alarm.set(Duration::from_secs(3600), None);
        std::thread::sleep(3 * LOOK);
        assert!(!bell.load(Ordering::Relaxed) && !alarm.was_hasty());
        // The time for all is over before the unit had anything of its own.
        alarm.set(Duration::from_secs(3600), Some(Duration::ZERO));
        while !bell.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
        assert!(alarm.was_hasty());
    }

    #[test]
    fn a_unit_that_waits_for_a_processor_has_the_time_for_all() {
        let due = Due { unit: Duration::from_secs(20), all: Duration::from_secs(30) };
        let rings = |wall, processor| {
            let [wall, processor] = [wall, processor].map(Duration::from_secs);
            due.rings(&Spent { wall, processor: Some(processor) })
        };
        assert!(!rings(28, 10), "half of the processors' time is somebody else's");
        assert!(rings(19, 19), "it went round a loop all the time");
        assert!(rings(19, 38), "so did two threads");
        assert!(rings(29, 1), "the check ends");
    }
}

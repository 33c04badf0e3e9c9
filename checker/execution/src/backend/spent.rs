//! What a unit of a worker's work has had of its time. On a busy machine the clock runs on while a worker waits for a processor, so a
//! simulation is held to the processor time that it took.

use std::time::{Duration, Instant};

/// What has less than one part in so many of its limit cannot be told from what would soon have ended.
const FAIR: u32 = 4;

/// Where nothing says when all has to end, a unit may take so many times its limit on the clock.
const PATIENCE: u32 = 4;

/// What the clock gives a unit of this limit, of what is left for all.
pub fn longest(limit: Duration, left: Option<Duration>) -> Duration {
    left.unwrap_or_else(|| limit.saturating_mul(PATIENCE))
}

/// What a unit has had since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    /// On the clock.
    pub wall: Duration,
    /// Of processors, all threads together; nothing where that says nothing.
    pub processor: Option<Duration>,
}

impl Spent {
    /// What counts against its limit: of several threads processor time runs faster than the clock.
    pub fn counts(&self) -> Duration {
        self.processor.map_or(self.wall, |processor| processor.min(self.wall))
    }

    /// Has a simulation had too little of its limit for anybody to say that it does not end?
    pub fn is_little(&self, limit: Duration) -> bool {
        self.processor.is_some() && self.counts() < limit / FAIR
    }
}

/// Whose processor time it is.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// Nobody's: a GPU works while its process waits.
    Wall,
    /// This process's.
    Own,
    /// That of the process of this number.
    Of(u32),
}

impl Clock {
    /// Processor time until now, where the system tells.
    fn read(self) -> Option<Duration> {
        match self {
            Self::Wall => None,
            Self::Own => {
                let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
                Some(Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?))
            }
            Self::Of(process) => {
                let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
                ticks(&stat).map(|ticks| Duration::from_millis(1000 * ticks / rustix::param::clock_ticks_per_second()))
            }
        }
    }
}

/// User and system time in what `/proc/PID/stat` says, the 14th and 15th of its fields. The second is the program's name in parentheses,
/// which may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    let mut times = behind.split_whitespace().skip(11).map(str::parse::<u64>);
    Some(times.next()?.ok()? + times.next()?.ok()?)
}

/// Runs since a unit began.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    clock: Clock,
    began: Instant,
    processor: Option<Duration>,
}

impl Stopwatch {
    /// One that begins now.
    pub fn start(clock: Clock) -> Self {
        Self { clock, began: Instant::now(), processor: clock.read() }
    }

    /// What was spent since then.
    pub fn spent(&self) -> Spent {
        let processor = self.processor.zip(self.clock.read()).map(|(then, now)| now.saturating_sub(then));
        Spent { wall: self.began.elapsed(), processor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn spent(wall: u64, processor: Option<u64>) -> Spent {
        let processor = match processor {
            Some(seconds) => Some(Duration::from_secs(seconds)),
            None => None,
        };
        Spent { wall: Duration::from_secs(wall), processor }
    }

    #[test]
    fn a_simulation_is_held_to_the_processor_time_it_took_and_a_gpu_to_the_clock() {
        let counts = |wall, processor| spent(wall, processor).counts().as_secs();
        assert_eq!([counts(20, Some(3)), counts(20, Some(40)), counts(20, None)], [3, 20, 20]);
    }

    #[test]
    fn what_had_less_than_a_quarter_of_its_limit_is_not_said_to_be_endless() {
        let limit = Duration::from_secs(20);
        assert!(spent(30, Some(4)).is_little(limit) && !spent(30, Some(5)).is_little(limit));
        assert!(!spent(1, None).is_little(limit), "a GPU may have worked all the time");
    }

    #[test]
    fn processor_time_is_read_behind_whatever_a_program_is_called() {
        let stat = "7 (a) 1 (b) R 1 7 7 0 -1 4194304 5 0 0 0 250 50 9 9 20 0 1 0 9 9";
        assert_eq!((ticks(stat), ticks("7 (a) R 1"), ticks("")), (Some(300), None, None));
        #[cfg(target_os = "linux")]
        assert!(Clock::Of(std::process::id()).read().is_some() && Clock::Own.read().is_some());
    }
}

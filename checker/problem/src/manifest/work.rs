//! Bounds on work that hold beside every goal: a goal on one number is no leave to spend all others. What a kernel must not do
//! more of than the baseline, by how much, is one table; `[work]` in `problem.toml` changes a bound where the idea of a
//! problem costs more of something.

use crate::goal::{Condition, Goal};
use crate::metric::{Counter, Metric};
use simulator::Counters;
use simulator::counters::Sum;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkKind {
    /// Warp instructions.
    Instructions,
    /// Sectors of global memory, in both directions.
    GlobalSectors,
    /// Passes over the banks of shared memory.
    SharedWavefronts,
    /// Lanes' atomics.
    Atomics,
    /// Sectors of local memory.
    LocalSectors,
    /// Warps' arrivals at block barriers.
    Barriers,
}

/// A kind's default bound: so many times the baseline's, and so much for each of the baseline's warp instructions, which
/// leaves room for what the baseline does nothing of.
struct Row {
    work: WorkKind,
    name: &'static str,
    counter: Counter,
    times: f64,
    an_instruction: f64,
}

/// 2 for instructions: five rounds of shuffles, or four comparisons in place of an index, take more of them and less time.
/// 2.1 for global memory: a lane that takes a `float4` or neighbouring elements touches each sector twice, and a stride of
/// two as well; caches make up for that. A histogram in shared memory has one atomic for each of the global ones and one a bin
/// and block, and its wavefronts are a tenth of the instructions. Local memory is for a spill or two.
const DEFAULTS: [Row; 6] = [
    Row {
        work: WorkKind::Instructions,
        name: "instructions",
        counter: Counter::Field("instructions"),
        times: 2.0,
        an_instruction: 0.0,
    },
    Row {
        work: WorkKind::GlobalSectors,
        name: "global_sectors",
        counter: Counter::Sum(Sum::GlobalSectors),
        times: 2.1,
        an_instruction: 0.0,
    },
    Row {
        work: WorkKind::SharedWavefronts,
        name: "shared_wavefronts",
        counter: Counter::Sum(Sum::SharedWavefronts),
        times: 1.1,
        an_instruction: 0.25,
    },
    Row {
        work: WorkKind::Atomics,
        name: "atomics",
        counter: Counter::Sum(Sum::Atomics),
        times: 1.1,
        an_instruction: 0.1,
    },
    Row {
        work: WorkKind::LocalSectors,
        name: "local_sectors",
        counter: Counter::Sum(Sum::LocalSectors),
        times: 1.0,
        an_instruction: 0.05,
    },
    Row {
        work: WorkKind::Barriers,
        name: "barriers",
        counter: Counter::Field("barriers"),
        times: 1.1,
        an_instruction: 0.25,
    },
];

impl WorkKind {
    fn row(self) -> &'static Row {
        // The table has a row for every kind; a test sees to the order.
        &DEFAULTS[self as usize]
    }

    /// As `[work]` calls it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// By that name.
    pub fn by_name(name: &str) -> Option<Self> {
        DEFAULTS.iter().find(|row| row.name == name).map(|row| row.work)
    }

    /// All names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        DEFAULTS.iter().map(|row| row.name)
    }
}

/// What `[work]` calls a modelled time that atomics bind, which is no counter.
pub const QUEUEING: &str = "queueing";

/// A problem's bounds: the table, and what `[work]` changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkBounds {
    /// Times the baseline's, in place of the table's; of what the baseline does nothing of, times its instructions.
    pub changed: Vec<(WorkKind, f64)>,
    /// So many times the baseline's modelled time may one take whose atomics wait for each other; more than 0.
    pub queueing: Option<f64>,
}

impl WorkBounds {
    /// The bounds that a version breaks, as goals that it does not meet. `goals` are the problem's: what one of them bounds
    /// tighter is left to it. `room`: times the bounds. Pure in what both versions count.
    pub fn broken(&self, goals: &[Goal], baseline: &Counters, candidate: &Counters, room: f64) -> Vec<Goal> {
        let broken = |row: &Row| {
            let (before, after) = (row.counter.of(baseline)?, row.counter.of(candidate)?);
            let changed = self.changed.iter().find(|(work, _)| *work == row.work);
            let times = changed.map_or(row.times, |(_, times)| *times);
            let an_instruction = changed.filter(|_| before == 0.0).map_or(row.an_instruction, |(_, times)| *times);
            let bound = room * (times * before + an_instruction * baseline.instructions as f64);
            let metric = Metric::Count(row.counter);
            let told = goals.iter().any(|goal| goal.metric == metric && !goal.judge(Some(before), after));
            // Told as a ratio where the baseline does any of it, as a number where it does not.
            let condition =
                if before > 0.0 { Condition::RatioMax(bound / before) } else { Condition::Max(bound.floor()) };
            let why = "no number gets better because another one does this much worse".to_owned();
            (after > bound && !told).then(|| Goal { metric, conditions: vec![condition], why })
        };
        DEFAULTS.iter().filter_map(broken).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_row_and_its_name() {
        for (at, row) in DEFAULTS.iter().enumerate() {
            assert_eq!((row.work as usize, WorkKind::by_name(row.name)), (at, Some(row.work)));
            assert!(Metric::parse(&format!("count.{}", row.counter.name())).is_ok(), "{}", row.name);
        }
    }

    #[test]
    fn a_bound_is_broken_beyond_it_and_not_at_it() {
        let baseline = Counters { instructions: 1000, global_load_sectors: 100, ..Counters::default() };
        let names = |bounds: &WorkBounds, candidate: Counters| -> Vec<String> {
            bounds.broken(&[], &baseline, &candidate, 1.0).iter().map(|goal| goal.metric.to_string()).collect()
        };
        let plain = WorkBounds::default();
        assert!(names(&plain, Counters { instructions: 2000, global_load_sectors: 210, ..baseline }).is_empty());
        assert_eq!(names(&plain, Counters { instructions: 2001, ..baseline }), ["count.instructions"]);
        // An atomic that reads is a load and a store; what the baseline does nothing of has room by its instructions.
        let reads = Counters {
            global_load_sectors: 0,
            global_atomic_sectors: 106,
            global_atomic_return_sectors: 105,
            global_atomics: 101,
            ..baseline
        };
        assert_eq!(names(&plain, reads), ["count.global_sectors", "count.atomics"]);
        assert_eq!(names(&plain, Counters { local_load_sectors: 51, ..baseline }), ["count.local_sectors"]);
        assert!(names(&plain, Counters { local_load_sectors: 50, shared_load_wavefronts: 250, ..baseline }).is_empty());
        let more = WorkBounds { changed: vec![(WorkKind::Instructions, 4.0)], queueing: None };
        assert!(names(&more, Counters { instructions: 4000, ..baseline }).is_empty());
        let shared = WorkBounds { changed: vec![(WorkKind::SharedWavefronts, 0.4)], queueing: None };
        assert!(names(&shared, Counters { shared_load_wavefronts: 400, ..baseline }).is_empty());
        assert_eq!(names(&shared, Counters { shared_load_wavefronts: 401, ..baseline }), ["count.shared_wavefronts"]);
    }

    #[test]
    fn a_goal_on_the_same_number_speaks_for_itself() {
        let baseline = Counters { instructions: 1000, ..Counters::default() };
        let candidate = Counters { instructions: 3000, ..Counters::default() };
        let metric = Metric::Count(Counter::Field("instructions"));
        let goal = Goal { metric, conditions: vec![Condition::RatioMax(0.8)], why: "fewer".into() };
        assert!(WorkBounds::default().broken(&[goal], &baseline, &candidate, 1.0).is_empty());
    }
}

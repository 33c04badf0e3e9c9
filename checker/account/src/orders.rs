//! Schedules as `--schedule` writes them.

use execution::backend::Difference;
use report::{Reason, Verdict};
use simulator::finding::as_named;
use simulator::{Finding, FindingKind, OrderValue, Schedule, Severity, Witness};
use values::Value;

/// How many orderings a bug may need that `pct:SEED` looks for.
pub const PCT_DEPTH: u32 = 3;

/// What `--schedule` lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Orders {
    /// The schedules, in order.
    pub schedules: Vec<Schedule>,
    /// The order that [`Schedule::Replay`] follows.
    pub witness: Witness,
    /// As `--schedule` was given, when it was not the usual order.
    pub text: String,
}

/// A schedule's name: `its`, `pre-volta`, `adversarial:SEED`, `pct:SEED`, `pct:SEED:DEPTH`, `replay`.
pub fn schedule_name(schedule: &Schedule) -> String {
    match schedule {
        Schedule::PreVolta => "pre-volta".to_owned(),
        Schedule::Its => "its".to_owned(),
        Schedule::Adversarial { seed } => format!("adversarial:{seed}"),
        Schedule::Patient { seed } => format!("patient:{seed}"),
        Schedule::Pct { seed, depth: PCT_DEPTH, .. } => format!("pct:{seed}"),
        Schedule::Pct { seed, depth, .. } => format!("pct:{seed}:{depth}"),
        Schedule::InTurn => "in-turn".to_owned(),
        Schedule::Replay => "replay".to_owned(),
    }
}

/// What a newcomer has to know of a schedule, in a line; the same for all of a kind.
pub const fn meaning(schedule: &Schedule) -> &'static str {
    match schedule {
        Schedule::Its => "its: every lane goes on, as a GPU since Volta usually runs them",
        Schedule::PreVolta => "pre-volta: the lanes of a warp in lockstep, as GPUs ran them before Volta",
        Schedule::Adversarial { seed: 0..8 } => {
            "adversarial:0 to 7: orders that CUDA allows and a GPU seldom takes: lanes, warps or blocks in reverse, one ahead"
        }
        Schedule::Adversarial { .. } => "adversarial:SEED: lanes stopped at random before what others can see",
        Schedule::Patient { .. } => {
            "patient:SEED: the same, and who waits in a loop goes on for long before others may"
        }
        Schedule::Pct { .. } => "pct:SEED: random priorities, which change at a few random places",
        Schedule::InTurn => "in-turn: who draws from a counter, or competes for a word, lets all others go first",
        Schedule::Replay => "replay: exactly the order that is written there",
    }
}

/// A schedule's name with what it does, where that is one thing: "adversarial:4 (the last block goes first)".
pub fn schedule_with_words(schedule: &Schedule) -> String {
    /// What the simulator's `extreme` orders do, by seed.
    const EXTREMES: [&str; 8] = [
        "the last lane goes first",
        "lane 0 goes ahead",
        "the last lane goes ahead",
        "the last warp goes first",
        "the last block goes first",
        "the upper half of a warp goes ahead",
        "one lane after the other",
        "lanes, warps and blocks from the last to the first",
    ];
    let name = schedule_name(schedule);
    let words = match schedule {
        Schedule::Adversarial { seed } => usize::try_from(*seed).ok().and_then(|seed| EXTREMES.get(seed)),
        _ => None,
    };
    words.map_or(name.clone(), |words| format!("{name} ({words})"))
}

/// What speaks against an output that another order leaves different; `at` says which run.
pub fn reason(difference: &Difference, other: Schedule, this: Schedule, at: &str) -> Reason {
    let Difference { name, len, differing, index, first, second, apart, .. } = difference;
    let how_many = match (differing, len) {
        (1, 1) => String::new(),
        (1, len) => format!(": 1 of {len} elements differs between two orders"),
        (differing, len) => format!(": {differing} of {len} elements differ between two orders"),
    };
    let mut details = vec![format!(
        "{name}[{index}] is {first} under {} and {second} under {}",
        schedule_name(&other),
        schedule_name(&this)
    )];
    if difference.dtype.is_float() {
        details.push(format!("they are up to {apart:.2e} apart: more than the order of a sum's terms explains"));
    }
    details.push(at.to_owned());
    let text = format!("{}{how_many}", finding(difference, other, this).kind.explain(&as_named).sentence);
    Reason::new(Verdict::OrderDependent, text).with_details(details).with_element(name, *index)
}

/// The same as a finding.
pub fn finding(difference: &Difference, other: Schedule, this: Schedule) -> Finding {
    let value =
        |schedule: &Schedule, value: &Value| OrderValue { schedule: schedule_name(schedule), value: value.to_string() };
    let kind = FindingKind::OrderDependent {
        object: difference.name.clone(),
        elements: difference.len,
        differing: difference.differing,
        index: difference.index,
        first: value(&other, &difference.first),
        second: value(&this, &difference.second),
    };
    let place = difference.writers[1].clone().or_else(|| difference.writers[0].clone()).unwrap_or_default();
    Finding { kind, severity: Severity::Error, place, count: difference.differing }
}

/// A difference that rounding explains, in a sentence.
pub fn rounding(difference: &Difference, other: Schedule, this: Schedule) -> String {
    let Difference { name, index, first, second, apart, .. } = difference;
    format!(
        "`{name}` differs between orders by rounding only, at most {apart:.2e} ({name}[{index}] is {first} under {} and \
         {second} under {}): the terms of a sum come in another order",
        schedule_name(&other),
        schedule_name(&this)
    )
}

/// PCT, of a length that its first run finds out.
fn pct(seed: u64, depth: u32) -> Schedule {
    Schedule::Pct { seed, depth, operations: 0 }
}

impl Orders {
    /// Reads a list joined by commas; `seed` draws what the list leaves open. `replay:` takes all that follows.
    ///
    /// # Errors
    /// A name that there is not, in a sentence.
    pub fn parse(text: &str, seed: u64) -> Result<Self, String> {
        // All that follows is the witness, which has commas of its own.
        let (before, witness) = match text.split_once("replay:") {
            Some((before, witness)) if before.trim().is_empty() => return Self::replay(witness),
            Some((before, witness)) => (before.trim_end().trim_end_matches(','), Some(Self::replay(witness)?)),
            None => (text, None),
        };
        let lists = before.split(',').map(|name| listed(name.trim(), seed)).collect::<Result<Vec<_>, _>>()?;
        let mut schedules: Vec<Schedule> = Vec::new();
        for schedule in lists.into_iter().flatten() {
            if !schedules.contains(&schedule) {
                schedules.push(schedule);
            }
        }
        if let Some(replayed) = witness {
            schedules.push(Schedule::Replay);
            return Ok(Self { schedules, witness: replayed.witness, text: text.to_owned() });
        }
        let text = if schedules == [Schedule::Its] { String::new() } else { text.to_owned() };
        Ok(Self { schedules, text, ..Self::default() })
    }

    /// A schedule's name; a witness is part of it.
    pub fn name(&self, schedule: &Schedule) -> String {
        match schedule {
            Schedule::Replay => format!("replay:{}", self.witness),
            schedule => schedule_name(schedule),
        }
    }

    /// What is written after `checker run FILE.cu` to run under these schedules.
    pub fn option(&self) -> String {
        if self.text.is_empty() { String::new() } else { format!(" --schedule {}", self.text) }
    }

    /// The order that a witness says.
    ///
    /// # Errors
    /// A text that is none, in a sentence.
    pub fn replay(witness: &str) -> Result<Self, String> {
        let witness: Witness = witness.parse().map_err(|error: simulator::explore::WitnessError| error.to_string())?;
        let text = format!("replay:{witness}");
        Ok(Self { schedules: vec![Schedule::Replay], witness, text })
    }
}

fn listed(name: &str, seed: u64) -> Result<Vec<Schedule>, String> {
    let numbers = |text: &str| text.split(':').map(|number| number.parse::<u64>().ok()).collect::<Option<Vec<_>>>();
    let (kind, rest) = name.split_once(':').map_or((name, None), |(kind, rest)| (kind, numbers(rest)));
    Ok(match (kind, rest.as_deref(), name.contains(':')) {
        ("its", None, false) => vec![Schedule::Its],
        ("pre-volta", None, false) => vec![Schedule::PreVolta],
        // Past the fixed extremes, so that every seed is an order of its own.
        ("adversarial", None, false) => vec![Schedule::Adversarial { seed: seed.saturating_add(8) }],
        ("adversarial", Some(&[seed]), _) => vec![Schedule::Adversarial { seed }],
        ("in-turn", None, false) => vec![Schedule::InTurn],
        ("patient", None, false) => vec![Schedule::Patient { seed }],
        ("patient", Some(&[seed]), _) => vec![Schedule::Patient { seed }],
        ("pct", None, false) => vec![pct(seed, PCT_DEPTH)],
        ("pct", Some(&[seed]), _) => vec![pct(seed, PCT_DEPTH)],
        ("pct", Some(&[seed, depth @ 1..=64]), _) => vec![pct(seed, depth as u32)],
        ("all", None, false) => all(seed),
        _ => {
            return Err(format!(
                "no schedule is called `{name}`; there are its, pre-volta, adversarial, adversarial:SEED, patient, patient:SEED, \
                 in-turn, pct, pct:SEED, pct:SEED:DEPTH, replay:WITNESS and all"
            ));
        }
    })
}

/// Every kind of order: the two of hardware, the fixed extremes, and some that the seed draws.
fn all(seed: u64) -> Vec<Schedule> {
    let fixed = (0..8).map(|seed| Schedule::Adversarial { seed });
    let random = (0..8).map(|n| Schedule::Adversarial { seed: seed.saturating_add(8 + n) });
    let priorities = (0..16).map(|n| pct(seed.saturating_add(n), if n < 4 { 2 } else { PCT_DEPTH }));
    let patient = (0..2).map(|n| Schedule::Patient { seed: seed.saturating_add(n) });
    let hardware = [Schedule::Its, Schedule::PreVolta].into_iter();
    hardware.chain(fixed).chain(random).chain(patient).chain(priorities).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedules(text: &str) -> Option<Vec<Schedule>> {
        Orders::parse(text, 5).ok().map(|orders| orders.schedules)
    }

    #[test]
    fn by_name() {
        assert_eq!(schedules("its"), Some(vec![Schedule::Its]));
        let two = vec![Schedule::Adversarial { seed: 3 }, Schedule::PreVolta];
        assert_eq!(schedules("adversarial:3,pre-volta, adversarial:3"), Some(two));
        assert_eq!(schedules("pct:7:2,pct"), Some(vec![pct(7, 2), pct(5, 3)]));
        let all = schedules("all").expect("a list");
        assert!(all.contains(&Schedule::Adversarial { seed: 0 }) && all.contains(&Schedule::PreVolta));
        assert!(all.contains(&pct(5, 2)) && all.contains(&pct(12, 3)));
        for bad in ["fair", "adversarial:x", "its:3", "pct:1:0", "pct:1:2:3", "all:", "", "replay"] {
            assert_eq!(schedules(bad), None, "{bad}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for schedule in all(9) {
            assert_eq!(schedules(&schedule_name(&schedule)), Some(vec![schedule]));
        }
    }

    #[test]
    fn a_witness_may_come_last_in_a_list() {
        let orders = Orders::parse("its,replay:b0.w0.l3@2,b0.w1@0=7", 5).expect("a list");
        assert_eq!(orders.schedules, vec![Schedule::Its, Schedule::Replay]);
        assert_eq!(orders.name(&Schedule::Replay), "replay:b0.w0.l3@2,b0.w1@0=7");
        assert!(Orders::parse("its,other,replay:b0.w0@0", 5).is_err());
    }

    #[test]
    fn a_witness_is_taken_whole() {
        let orders = Orders::parse("replay:b0.w0.l3@2,b0.w1@0=7", 5).expect("a witness");
        assert_eq!((orders.schedules, orders.witness.preemptions.len()), (vec![Schedule::Replay], 2));
        assert!(Orders::parse("replay:b0", 5).expect_err("none").contains("`b0` is no part of a witness"));
    }
}

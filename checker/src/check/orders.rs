//! Schedules as `--schedule` writes them.

use simulator::{Schedule, Witness};

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
        Schedule::Pct { seed, depth: PCT_DEPTH, .. } => format!("pct:{seed}"),
        Schedule::Pct { seed, depth, .. } => format!("pct:{seed}:{depth}"),
        Schedule::Replay => "replay".to_owned(),
    }
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
        if let Some(witness) = text.trim().strip_prefix("replay:") {
            return Self::replay(witness);
        }
        let lists = text.split(',').map(|name| listed(name.trim(), seed)).collect::<Result<Vec<_>, _>>()?;
        let mut schedules: Vec<Schedule> = Vec::new();
        for schedule in lists.into_iter().flatten() {
            if !schedules.contains(&schedule) {
                schedules.push(schedule);
            }
        }
        let text = if schedules == [Schedule::Its] { String::new() } else { text.to_owned() };
        Ok(Self { schedules, text, ..Self::default() })
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
        ("pct", None, false) => vec![pct(seed, PCT_DEPTH)],
        ("pct", Some(&[seed]), _) => vec![pct(seed, PCT_DEPTH)],
        ("pct", Some(&[seed, depth @ 1..=64]), _) => vec![pct(seed, depth as u32)],
        ("all", None, false) => all(seed),
        _ => {
            return Err(format!(
                "no schedule is called `{name}`; there are its, pre-volta, adversarial, adversarial:SEED, pct, pct:SEED, \
                 pct:SEED:DEPTH, replay:WITNESS and all"
            ));
        }
    })
}

/// Every kind of order: the two of hardware, the fixed extremes, and some that the seed draws.
fn all(seed: u64) -> Vec<Schedule> {
    let fixed = (0..8).map(|seed| Schedule::Adversarial { seed });
    let random = (0..8).map(|n| Schedule::Adversarial { seed: seed.saturating_add(8 + n) });
    let priorities = (0..16).map(|n| pct(seed.saturating_add(n), if n < 4 { 2 } else { PCT_DEPTH }));
    [Schedule::Its, Schedule::PreVolta].into_iter().chain(fixed).chain(random).chain(priorities).collect()
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
    fn a_witness_is_taken_whole() {
        let orders = Orders::parse("replay:b0.w0.l3@2,b0.w1@0=7", 5).expect("a witness");
        assert_eq!((orders.schedules, orders.witness.preemptions.len()), (vec![Schedule::Replay], 2));
        assert!(Orders::parse("replay:b0", 5).expect_err("none").contains("`b0` is no part of a witness"));
    }
}

//! A reduction's tree as it ran: which lane adds which word to which, a row per round. A round ends at a barrier, or is a
//! shuffle. Sums that do not reach the result are drawn grey.

use super::record::Recorded;
use anyhow::{Result, bail};
use draw::{Anchor, Ink, runs};
use simulator::observe::{AccessKind, Space};
use simulator::trace::{Event, What};
use std::collections::{BTreeMap, BTreeSet};

/// One addition: a lane takes words and puts their sum into one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Add {
    /// Lane of its warp.
    pub lane: u32,
    /// Columns it takes besides `to`.
    pub from: Vec<usize>,
    /// Column of the sum.
    pub to: usize,
    /// Is it part of the result?
    pub used: bool,
}

/// A tree: its columns and its rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// "word" of shared memory, or "lane", whose register it is.
    pub column: &'static str,
    /// How many.
    pub columns: usize,
    /// From the leaves on.
    pub rounds: Vec<Vec<Add>>,
}

/// Most columns that a phone shows with a number in each.
const COLUMNS: usize = 16;

impl Tree {
    /// Reads the tree out of what a warp did.
    ///
    /// # Errors
    /// It adds nothing that other lanes had, or takes more columns than a picture has.
    pub fn of(events: &[Event]) -> Result<Self> {
        let shared = through_memory(events);
        let (column, mut rounds) = if shared.is_empty() { ("lane", shuffles(events)) } else { ("word", shared) };
        let columns = rounds.iter().flatten().flat_map(|add| add.from.iter().copied().chain([add.to])).max();
        let Some(columns) = columns.map(|last| last + 1) else {
            bail!("no lane adds what another one had: a tree is drawn of sums in shared memory or by shuffles");
        };
        if columns > COLUMNS {
            bail!("the tree has {columns} {column}s, and a picture has room for {COLUMNS}: give it a smaller size=");
        }
        mark_used(&mut rounds);
        Ok(Self { column, columns, rounds })
    }

    /// Additions of all rounds.
    pub fn adds(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    /// In words, a round a sentence.
    pub fn words(&self) -> String {
        (0..self.rounds.len()).map(|index| self.round(index)).collect::<Vec<_>>().join(" ")
    }

    /// A round in words.
    fn round(&self, index: usize) -> String {
        let adds = &self.rounds[index];
        let one = |add: &Add| {
            let from: Vec<String> = add.from.iter().map(usize::to_string).collect();
            match self.column {
                "lane" => format!("lane {} takes that of {}", add.lane, from.join(" and ")),
                _ => format!("lane {} adds {} to {}", add.lane, from.join(" and "), add.to),
            }
        };
        let each: Vec<String> = adds.iter().filter(|add| add.used).map(one).collect();
        let unused = adds.len() - each.len();
        let rest = if unused > 0 { format!("; {unused} sums that nobody uses") } else { String::new() };
        format!("Round {}: {}{rest}.", index + 1, each.join(", "))
    }

    /// The picture: the tree, and under it which lanes work in each round.
    pub fn draw(&self, id: &str, title: &str) -> String {
        const LEFT: f64 = 34.0;
        const STEP: f64 = 19.0;
        const ROW: f64 = 36.0;
        const TOP: f64 = 44.0;
        const CELL: f64 = 15.0;
        let x = |column: usize| LEFT + STEP / 2.0 + column as f64 * STEP;
        let y = |row: usize| TOP + row as f64 * ROW;
        let mut ink = Ink::default();
        ink.text("quiet", (4.0, 16.0), Anchor::Start, self.column);
        for column in 0..self.columns {
            ink.text("quiet", (x(column), 16.0), Anchor::Middle, &column.to_string());
        }
        // Lines lie under what they join: a word's last place is where it was written last.
        let mut place = vec![0usize; self.columns];
        for (index, adds) in self.rounds.iter().enumerate() {
            let row = index + 1;
            ink.step(row, &self.round(index), |ink| {
                for used in [false, true] {
                    for add in adds.iter().filter(|add| add.used == used) {
                        let class = if used { "edge" } else { "edge unused" };
                        for from in add.from.iter().chain([&add.to]) {
                            ink.line(class, (x(*from), y(place[*from])), (x(add.to), y(row)));
                        }
                    }
                }
            });
            adds.iter().for_each(|add| place[add.to] = row);
        }
        for column in 0..self.columns {
            ink.circle("leaf", (x(column), y(0)), 4.0);
        }
        for (index, adds) in self.rounds.iter().enumerate() {
            let at = y(index + 1);
            ink.step(index + 1, "", |ink| {
                ink.text("quiet", (4.0, at + 4.0), Anchor::Start, &(index + 1).to_string());
                for add in adds {
                    let class = if add.used { "sum" } else { "sum unused" };
                    ink.circle(class, (x(add.to), at), 8.5);
                    ink.text("in", (x(add.to), at + 4.0), Anchor::Middle, &add.lane.to_string());
                }
            });
        }
        let mut at = y(self.rounds.len()) + 36.0;
        let lanes = self.lanes();
        let heading = format!("lanes at work in each round, of 0 to {}", lanes - 1);
        ink.text("quiet", (4.0, at), Anchor::Start, &heading);
        at += 8.0;
        for (index, adds) in self.rounds.iter().enumerate() {
            ink.step(index + 1, "", |ink| {
                ink.text("quiet", (4.0, at + CELL - 3.0), Anchor::Start, &(index + 1).to_string());
                for lane in 0..lanes {
                    let class = if adds.iter().any(|add| add.lane == lane) { "busy" } else { "idle" };
                    ink.rect(class, (x(lane as usize) - 8.0, at + 1.0), (16.0, CELL - 3.0));
                }
            });
            at += CELL;
        }
        ink.finish(id, at + 8.0, title, &format!("{} {}", self.words(), self.workers()))
    }

    fn lanes(&self) -> u32 {
        self.columns as u32
    }

    fn workers(&self) -> String {
        let round = |(index, adds): (usize, &Vec<Add>)| {
            let lanes: BTreeSet<u32> = adds.iter().map(|add| add.lane).collect();
            let lanes: Vec<u32> = lanes.into_iter().collect();
            format!("in round {} lanes {}", index + 1, runs(&lanes))
        };
        format!("At work: {}.", self.rounds.iter().enumerate().map(round).collect::<Vec<_>>().join("; "))
    }
}

/// Additions through shared memory: a lane's stores after loads of its own.
fn through_memory(events: &[Event]) -> Vec<Vec<Add>> {
    let mut loaded: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let mut columns = BTreeSet::new();
    let mut rounds: Vec<Vec<(u32, Vec<u64>, u64)>> = vec![Vec::new()];
    for event in events {
        let lanes = (0..32).filter(|lane| event.lanes >> lane & 1 != 0);
        match &event.what {
            What::Barrier if rounds.last().is_some_and(|round| !round.is_empty()) => rounds.push(Vec::new()),
            What::Memory { space: Space::Shared, kind: AccessKind::Load, addresses, .. } => {
                for (lane, address) in lanes.zip(addresses) {
                    loaded.entry(lane).or_default().push(*address);
                }
            }
            What::Memory { space: Space::Shared, addresses, .. } => {
                for (lane, address) in lanes.zip(addresses) {
                    columns.insert(*address);
                    let mut from = loaded.remove(&lane).unwrap_or_default();
                    from.retain(|word| word != address);
                    if !from.is_empty()
                        && let Some(round) = rounds.last_mut()
                    {
                        columns.extend(&from);
                        round.push((lane, from, *address));
                    }
                }
            }
            _ => {}
        }
    }
    let columns: Vec<u64> = columns.into_iter().collect();
    let column = |address: u64| columns.binary_search(&address).unwrap_or_default();
    let add = |(lane, from, to): (u32, Vec<u64>, u64)| Add {
        lane,
        from: from.into_iter().map(column).collect(),
        to: column(to),
        used: true,
    };
    rounds.into_iter().filter(|round| !round.is_empty()).map(|round| round.into_iter().map(add).collect()).collect()
}

/// A round per shuffle: each lane adds what another one had to its own.
fn shuffles(events: &[Event]) -> Vec<Vec<Add>> {
    let round = |event: &Event| {
        let What::Shuffle { from } = &event.what else { return None };
        let lanes = (0..32).filter(|lane| event.lanes >> lane & 1 != 0);
        let adds = lanes.zip(from).filter(|(lane, from)| lane != *from);
        let adds = adds.map(|(lane, from)| Add { lane, from: vec![*from as usize], to: lane as usize, used: true });
        Some(adds.collect::<Vec<_>>()).filter(|adds| !adds.is_empty())
    };
    events.iter().filter_map(round).collect()
}

/// What the lowest column of the last round needs, from the end to the leaves.
fn mark_used(rounds: &mut [Vec<Add>]) {
    let result = rounds.last().and_then(|adds| adds.iter().map(|add| add.to).min());
    let mut needed: BTreeSet<usize> = result.into_iter().collect();
    for adds in rounds.iter_mut().rev() {
        let before = needed.clone();
        for add in adds {
            add.used = before.contains(&add.to);
            if add.used {
                needed.extend(&add.from);
            }
        }
    }
}

/// The picture of a run, with its caption.
pub fn picture(recorded: &Recorded, id: &str) -> Result<(String, String)> {
    let tree = Tree::of(recorded.events())?;
    let title = format!("The tree of {}: {} rounds, {} additions", recorded.file, tree.rounds.len(), tree.adds());
    let what = if tree.column == "lane" {
        "a number is the lane whose register gets the sum"
    } else {
        "a number is the lane that adds"
    };
    let caption = format!("{} rounds, {} additions; {what}", tree.rounds.len(), tree.adds());
    Ok((tree.draw(id, &title), caption))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(kind: AccessKind, lanes: u32, addresses: &[u64]) -> Event {
        let what = What::Memory { space: Space::Shared, kind, bytes: 4, addresses: addresses.to_vec() };
        Event { step: 0, warp: 0, place: 0, lanes, what }
    }

    fn barrier() -> Event {
        Event { step: 0, warp: 0, place: 0, lanes: 0xf, what: What::Barrier }
    }

    /// Four words; lane 0 adds word 1 to 0 and lane 2 word 3 to 2, then lane 0 word 2 to 0.
    fn neighbours() -> Vec<Event> {
        use AccessKind::{Load, Store};
        vec![
            memory(Store, 0xf, &[64, 68, 72, 76]),
            barrier(),
            memory(Load, 0b101, &[68, 76]),
            memory(Load, 0b101, &[64, 72]),
            memory(Store, 0b101, &[64, 72]),
            barrier(),
            memory(Load, 1, &[72]),
            memory(Load, 1, &[64]),
            memory(Store, 1, &[64]),
            barrier(),
        ]
    }

    #[test]
    fn a_tree_in_shared_memory_is_what_its_lanes_touched() {
        let tree = Tree::of(&neighbours()).unwrap();
        assert_eq!((tree.column, tree.columns, tree.rounds.len(), tree.adds()), ("word", 4, 2, 3));
        assert_eq!(tree.words(), "Round 1: lane 0 adds 1 to 0, lane 2 adds 3 to 2. Round 2: lane 0 adds 2 to 0.");
        let svg = tree.draw("t", "x");
        assert_eq!(svg.matches("class=\"sum\"").count(), 3);
        assert_eq!((svg.matches("class=\"busy\"").count(), svg.matches("class=\"idle\"").count()), (3, 5));
        // Lines, sums and lanes at work of each round, so that a script can show them one by one.
        let steps = |round: usize| svg.matches(&format!("<g data-step=\"{round}\"")).count();
        assert_eq!((steps(1), steps(2), steps(3)), (3, 3, 0));
        assert!(svg.contains("data-says=\"Round 2: lane 0 adds 2 to 0.\""), "{svg}");
        assert!(!svg.contains("\n\n"));
    }

    #[test]
    fn sums_of_a_shuffle_that_nobody_uses_are_told_apart() {
        let down = |from: [u32; 4]| Event {
            step: 0,
            warp: 0,
            place: 0,
            lanes: 0xf,
            what: What::Shuffle { from: from.to_vec() },
        };
        let tree = Tree::of(&[down([2, 3, 2, 3]), down([1, 2, 3, 3])]).unwrap();
        assert_eq!(
            tree.words(),
            "Round 1: lane 0 takes that of 2, lane 1 takes that of 3. \
             Round 2: lane 0 takes that of 1; 2 sums that nobody uses."
        );
        assert_eq!(tree.draw("t", "x").matches("sum unused").count(), 2);
    }

    #[test]
    fn a_kernel_without_a_tree_is_named_so() {
        let copy = [memory(AccessKind::Store, 0xf, &[0, 4, 8, 12])];
        assert!(Tree::of(&copy).unwrap_err().to_string().contains("no lane adds"));
    }
}

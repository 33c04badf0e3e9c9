//! A reduction's tree as it ran: who adds which value to which, a row per round, with the loads above it and the barriers between.
//! Sums that do not reach the result are drawn grey.

mod columns;
mod flow;
mod legend;
mod sketch;
#[cfg(test)]
mod tests;

use super::record::Recorded;
use anyhow::{Result, bail};
use draw::number;
use flow::Flow;
use report::Traced;
use std::collections::BTreeSet;

/// Whose values are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// Each thread of a block.
    Threads,
    /// Each block of a grid.
    Blocks,
}

/// Where a value is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    Register,
    Shared,
    Global,
    Host,
}

/// A value's place in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    pub holder: Holder,
    pub column: usize,
}

/// One addition or move: the sum of some values is put into a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Add {
    /// The thread, or the block.
    pub who: usize,
    /// What it takes besides `to`.
    pub from: Vec<Spot>,
    /// Where the sum goes.
    pub to: Spot,
    /// Is what was there part of the sum?
    pub keeps: bool,
    /// Is it part of the result?
    pub used: bool,
}

impl Add {
    /// How many additions: none where a value is only moved.
    fn sums(&self) -> usize {
        (self.from.len() + usize::from(self.keeps)).saturating_sub(1)
    }

    fn is_sum(&self) -> bool {
        self.sums() > 0
    }
}

/// What ends a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    Warp,
    Block,
    Launch,
    Host,
}

/// A row of the picture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    pub adds: Vec<Add>,
    /// Blocks that take a ticket, in their order.
    pub tickets: Vec<usize>,
    /// Warp instructions until here, of all warps.
    pub instructions: u64,
    /// What follows it.
    pub lines: BTreeSet<Line>,
}

impl Round {
    fn is_sum(&self) -> bool {
        self.adds.iter().any(Add::is_sum)
    }
}

/// A tree: what is loaded, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    grain: Grain,
    /// By thread or block: bytes of each load of elements.
    loads: Vec<(usize, Vec<u32>)>,
    /// From the loads on, which are row 0.
    rows: Vec<Round>,
    /// Columns of the picture.
    columns: usize,
}

/// Most columns that a phone's width can tell apart.
const COLUMNS: usize = 64;

/// Bytes of an element or word, where a picture counts them.
const ELEMENT: u32 = 4;

impl Tree {
    fn new(grain: Grain, loads: Vec<(usize, Vec<u32>)>, rows: Vec<Round>) -> Self {
        let spots = rows.iter().flat_map(|row| &row.adds).flat_map(|add| add.from.iter().chain([&add.to]));
        let loading = loads.iter().filter(|(_, loads)| !loads.is_empty()).map(|(who, _)| *who);
        let columns = spots.map(|spot| spot.column).chain(loading).max().map_or(0, |last| last + 1);
        let mut tree = Self { grain, loads, rows, columns };
        tree.mark_used();
        tree
    }

    /// Reads the tree out of what the warps did: of a block's threads in the first launch, unless it adds nothing; of blocks in
    /// all launches. `host`: the host adds what is left.
    ///
    /// # Errors
    /// Nothing is added, or there are more columns than a picture has.
    pub fn of(recorded: &Recorded, grain: Grain, host: bool) -> Result<Self> {
        let launches = recorded.launches();
        let of = |launches: &[Traced]| {
            let mut flow = Flow::new(grain);
            launches.iter().for_each(|launch| flow.launch(&launch.trace, &launch.texts));
            if host {
                flow.host();
            }
            flow.finish()
        };
        let first = of(&launches[..1]);
        let alone = grain == Grain::Threads && first.rounds() > 0;
        let tree = if alone { first } else { of(launches) };
        if !tree.rows.iter().any(Round::is_sum) {
            bail!("nobody adds what another one had: a tree is drawn of sums in memory or by shuffles");
        }
        if tree.loads.iter().flat_map(|(_, loads)| loads).any(|bytes| bytes % ELEMENT != 0) {
            bail!("a tree counts elements of {ELEMENT} bytes: take type=float or int");
        }
        if tree.columns > COLUMNS {
            bail!(
                "the tree has {} columns, and a picture has room for {COLUMNS}: give it a smaller size=",
                tree.columns
            );
        }
        Ok(tree)
    }

    /// What the result needs, from the end to the leaves.
    fn mark_used(&mut self) {
        let last = self.rows.iter().rev().find(|row| !row.adds.is_empty());
        let result = last.and_then(|row| row.adds.iter().map(|add| add.to).min_by_key(|to| to.column));
        let mut needed: BTreeSet<Spot> = result.into_iter().collect();
        for row in self.rows.iter_mut().rev() {
            let below = needed.clone();
            for add in &mut row.adds {
                add.used = below.contains(&add.to);
                if add.used && !add.keeps {
                    needed.remove(&add.to);
                }
            }
            needed.extend(row.adds.iter().filter(|add| add.used).flat_map(|add| &add.from));
        }
    }

    /// Rows in which something is added.
    pub fn rounds(&self) -> usize {
        self.rows.iter().filter(|row| row.is_sum()).count()
    }

    /// Additions in all rows, without those of a thread's own elements: those of the result, and the others.
    pub fn adds(&self) -> (usize, usize) {
        let all = || self.rows.iter().flat_map(|row| &row.adds);
        let used = all().filter(|add| add.used).map(Add::sums).sum();
        (used, all().map(Add::sums).sum::<usize>() - used)
    }

    /// "thread", "block".
    const fn who(&self) -> &'static str {
        match self.grain {
            Grain::Threads => "thread",
            Grain::Blocks => "block",
        }
    }

    /// What each thread or block loads, where all that load do alike: how many loads of how many elements.
    fn load(&self) -> Option<(usize, u32)> {
        let mut each = self.loads.iter().filter(|(_, loads)| !loads.is_empty()).map(|(_, loads)| loads);
        let first = each.next()?;
        let bytes = *first.first()?;
        let alike = first.iter().all(|load| *load == bytes) && each.all(|loads| loads == first);
        alike.then_some((first.len(), bytes / ELEMENT))
    }

    /// In words, a row a sentence.
    pub fn words(&self) -> String {
        let rows = (0..self.rows.len()).map(|index| self.row(index)).filter(|words| !words.is_empty());
        rows.collect::<Vec<_>>().join(" ")
    }

    /// Which number a row has among those that add, from 1.
    fn number(&self, index: usize) -> Option<usize> {
        self.rows[index].is_sum().then(|| self.rows[..=index].iter().filter(|row| row.is_sum()).count())
    }

    /// A row in words.
    fn row(&self, index: usize) -> String {
        let row = &self.rows[index];
        let who = self.who();
        if index == 0 {
            return match self.load() {
                Some((loads, elements)) if self.grain == Grain::Threads && loads as u32 * elements > 1 => format!(
                    "Each thread loads {} elements, {elements} per load, and adds them.",
                    loads as u32 * elements
                ),
                Some(_) if self.grain == Grain::Threads => "Each thread loads one element.".to_owned(),
                _ => format!("Each {who} adds its own elements."),
            };
        }
        let mut words = String::new();
        if !row.tickets.is_empty() {
            let last = row.tickets.last().copied().unwrap_or_default();
            words = format!("Each block takes a ticket; block {last} has the last one.");
        }
        let used: Vec<String> = row.adds.iter().filter(|add| add.used).map(|add| self.one(add)).collect();
        if !row.adds.is_empty() {
            let unused = row.adds.len() - used.len();
            let rest = match (unused, used.is_empty()) {
                (0, _) => String::new(),
                (_, true) => format!("{unused} that nobody uses"),
                (_, false) => format!("; {unused} more that nobody uses"),
            };
            let head = self.number(index).map_or_else(|| "Then".to_owned(), |number| format!("Round {number}"));
            words = format!("{words}{head}: {}{rest}.", few(&used));
        }
        for line in &row.lines {
            words.push_str(match line {
                Line::Warp => " A barrier of the warp.",
                Line::Block => " A barrier of the block.",
                Line::Launch => " The launch ends.",
                Line::Host => " The host waits.",
            });
        }
        words
    }

    /// An addition in words.
    fn one(&self, add: &Add) -> String {
        let who = format!("{} {}", self.who(), add.who);
        let columns = |spots: &[Spot]| few(&spots.iter().map(|spot| spot.column.to_string()).collect::<Vec<_>>());
        let from = columns(&add.from);
        let to = add.to.column;
        match (add.to.holder, add.from.first().map(|spot| spot.holder)) {
            (Holder::Host, _) => format!("the host adds words {from}"),
            (Holder::Register, Some(Holder::Register)) => format!("{who} takes that of {from}"),
            (Holder::Register, _) if add.is_sum() => format!("{who} adds words {from} in a register"),
            (Holder::Register, _) => format!("{who} loads word {from}"),
            (_, Some(Holder::Register)) if add.is_sum() => format!("{who} adds its sum to word {to} by an atomic"),
            (_, Some(Holder::Register)) => format!("{who} stores word {to}"),
            _ if add.keeps => format!("{who} adds {from} to {to}"),
            _ if add.is_sum() => format!("{who} adds {from} and stores word {to}"),
            _ => format!("{who} copies word {from} to word {to}"),
        }
    }
}

/// A list that leaves out its middle when it is long.
fn few(all: &[String]) -> String {
    match all {
        [first, second, .., last] if all.len() > 5 => format!("{first}, {second}, … {last}"),
        _ => all.join(", "),
    }
}

/// The picture of a run, with its caption.
pub fn picture(recorded: &Recorded, grain: Grain, host: bool, id: &str) -> Result<(String, String)> {
    let tree = Tree::of(recorded, grain, host)?;
    let count = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let (used, unused) = tree.adds();
    let mut caption = format!("{}, {}", count(tree.rounds(), "round"), count(used, "addition"));
    let title = format!("The tree of {}: {caption}", recorded.file);
    if unused > 0 {
        caption = format!("{caption}, and {unused} that nobody uses (grey)");
    }
    if let (Grain::Blocks, Some((loads, elements))) = (grain, tree.load()) {
        caption = format!("{caption}; each block first adds {} elements", number(f64::from(loads as u32 * elements)));
    }
    Ok((tree.draw(id, &title), caption))
}

//! How a reduction's values flow, read from what its warps did: loads, sums in registers, in shared and in global memory, shuffles,
//! barriers. An instruction of a warp is one row; it stands below everything that it takes, and below the last barrier.

use super::columns::{Columns, Place};
use super::{Add, ELEMENT, Grain, Holder, Line, Round, Tree};
use simulator::observe::{AccessKind, Space};
use simulator::trace::{Event, Trace, What};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One addition or move before its columns are known.
#[derive(Debug)]
struct Raw {
    who: usize,
    from: Vec<Place>,
    to: Place,
    keeps: bool,
}

/// One row before its columns are known.
#[derive(Debug, Default)]
struct Row {
    adds: Vec<Raw>,
    tickets: Vec<usize>,
    instructions: u64,
    lines: BTreeSet<Line>,
}

/// What a thread, or a block, has at hand.
#[derive(Debug, Default, Clone)]
struct Hand {
    /// Words that it has loaded since it stored last.
    loaded: Vec<Place>,
    /// Bytes per load of elements.
    elements: Vec<u32>,
    /// The last row in which it did something.
    acted: usize,
}

/// Reads launches one after the other.
#[derive(Debug)]
pub struct Flow {
    grain: Grain,
    hands: BTreeMap<usize, Hand>,
    /// Row in which each place was written last.
    written: HashMap<Place, usize>,
    /// Registers with nothing in them that was added.
    empty: BTreeSet<Place>,
    rows: Vec<Row>,
    /// Nothing comes above this row: a launch or a barrier ended there.
    base: HashMap<u32, usize>,
    /// Instructions of a warp that belong to no row yet.
    open: HashMap<u32, u64>,
    /// Words of global memory that were stored; a load of any other is one of elements.
    words: BTreeSet<u64>,
}

impl Flow {
    /// Whose values are told apart.
    pub fn new(grain: Grain) -> Self {
        Self {
            grain,
            hands: BTreeMap::new(),
            written: HashMap::new(),
            empty: BTreeSet::new(),
            // Row 0 is what the threads have loaded.
            rows: vec![Row::default()],
            base: HashMap::new(),
            open: HashMap::new(),
            words: BTreeSet::new(),
        }
    }

    /// One launch; `texts` are the instructions of its places.
    pub fn launch(&mut self, trace: &Trace, texts: &[String]) {
        let last = self.rows.len() - 1;
        if last > 0 {
            self.rows[last].lines.insert(Line::Launch);
        }
        self.base = (0..trace.warps.len() as u32).map(|warp| (warp, last)).collect();
        self.open.clear();
        self.hands.values_mut().for_each(|hand| hand.loaded.clear());
        let mut events = trace.events.iter().peekable();
        for (index, step) in trace.steps.iter().enumerate() {
            *self.open.entry(step.warp).or_default() += step.instructions;
            while let Some(event) = events.next_if(|event| event.step as usize <= index) {
                let text = texts.get(event.place as usize).map_or("", String::as_str);
                let (block, within) = trace.warps.get(event.warp as usize).map_or((0, 0), |of| (of.block, of.warp));
                let first = match self.grain {
                    Grain::Threads => 32 * within as usize,
                    Grain::Blocks => block as usize,
                };
                self.event(event, first, text);
            }
        }
    }

    /// The host's part: it adds all words that the launches before have left.
    pub fn host(&mut self) {
        let last = self.rows.len() - 1;
        self.rows[last].lines.insert(Line::Host);
        let from = self.words.iter().map(|&word| (Holder::Global, word)).collect();
        let add = Raw { who: 0, from, to: (Holder::Host, 0), keeps: false };
        self.rows.push(Row { adds: vec![add], ..Row::default() });
    }

    /// `first`: the warp's first thread, or its block.
    fn event(&mut self, event: &Event, first: usize, text: &str) {
        let lanes: Vec<usize> = (0..32).filter(|lane| event.lanes >> lane & 1 != 0).collect();
        let threads = self.grain == Grain::Threads;
        let who = move |lane: usize| if threads { first + lane } else { first };
        match &event.what {
            What::Barrier if threads && text.contains("warp") => self.syncwarp(event.warp, first),
            What::Barrier if threads => self.barrier(event.warp),
            What::Shuffle { from } if threads => self.shuffle(event.warp, first, &lanes, from),
            What::Memory { space: Space::Shared, .. } if !threads => {}
            What::Memory { space, kind, bytes, addresses } if *space != Space::Local => {
                let holder = if *space == Space::Shared { Holder::Shared } else { Holder::Global };
                let each: Vec<(usize, Place)> =
                    lanes.iter().zip(addresses).map(|(lane, address)| (who(*lane), (holder, *address))).collect();
                match kind {
                    AccessKind::Load => self.load(&each, *bytes),
                    AccessKind::Store => self.store(event.warp, &each),
                    AccessKind::Atomic if text.contains(".inc") => self.ticket(event.warp, &each),
                    AccessKind::Atomic => each.iter().for_each(|one| self.atomic(event.warp, *one)),
                }
            }
            _ => {}
        }
    }

    fn load(&mut self, each: &[(usize, Place)], bytes: u32) {
        for (who, place) in each {
            let hand = self.hands.entry(*who).or_default();
            if place.0 == Holder::Global && !self.words.contains(&place.1) {
                hand.elements.push(bytes);
            } else {
                // A wide load takes several words.
                let words = (0..u64::from(bytes)).step_by(ELEMENT as usize).map(|offset| (place.0, place.1 + offset));
                hand.loaded.extend(words);
            }
        }
    }

    /// A store: of a sum of words, of a word, or of what a register holds.
    fn store(&mut self, warp: u32, each: &[(usize, Place)]) {
        let mut adds = Vec::new();
        for &(who, to) in each {
            let register = (Holder::Register, who as u64);
            let known = self.written.contains_key(&to);
            let hand = self.hands.entry(who).or_default();
            let mut from = std::mem::take(&mut hand.loaded);
            let own = from.contains(&to);
            from.retain(|place| *place != to);
            let keeps = !from.is_empty() && (own || known && from.iter().any(|place| place.0 == to.0));
            let has = !hand.elements.is_empty() || self.written.contains_key(&register);
            if from.is_empty() && !own && has {
                from.push(register);
            }
            if !from.is_empty() {
                adds.push(Raw { who, from, to, keeps });
            }
        }
        self.row(warp, adds);
        self.words.extend(each.iter().filter(|(_, to)| to.0 == Holder::Global).map(|(_, to)| to.1));
    }

    /// Each lane adds what another one has to its own. Where some lanes have loaded words before, a new sum begins: they take these,
    /// and the others have nothing.
    fn shuffle(&mut self, warp: u32, first: usize, lanes: &[usize], from: &[u32]) {
        let register = |lane: usize| (Holder::Register, (first + lane) as u64);
        let mut taken = Vec::new();
        let mut nothing = BTreeSet::new();
        for &lane in lanes {
            let hand = self.hands.entry(first + lane).or_default();
            let words = std::mem::take(&mut hand.loaded);
            if words.is_empty() {
                nothing.insert(register(lane));
            } else {
                taken.push(Raw { who: first + lane, from: words, to: register(lane), keeps: false });
            }
        }
        if !taken.is_empty() {
            self.empty.extend(nothing);
        }
        self.row(warp, taken);
        let others = lanes.iter().zip(from).filter(|(lane, from)| **lane != **from as usize);
        let add = |(lane, from): (&usize, &u32)| {
            let (from, to) = (register(*from as usize), register(*lane));
            let keeps = !self.empty.contains(&to);
            (!self.empty.contains(&from)).then(|| Raw { who: first + lane, from: vec![from], to, keeps })
        };
        let adds: Vec<Raw> = others.filter_map(add).collect();
        self.row(warp, adds);
    }

    /// Atomics on one word come one after the other.
    fn atomic(&mut self, warp: u32, (who, to): (usize, Place)) {
        let add = Raw { who, from: vec![(Holder::Register, who as u64)], to, keeps: true };
        self.row(warp, vec![add]);
        self.words.insert(to.1);
    }

    fn ticket(&mut self, warp: u32, each: &[(usize, Place)]) {
        for (who, _) in each {
            let row = self.below(warp, *who, 0);
            self.reach(row);
            self.rows[row].tickets.push(*who);
            self.hands.entry(*who).or_default().acted = row;
        }
    }

    /// Of a block: below everything so far. All its warps come here, one after the other.
    fn barrier(&mut self, warp: u32) {
        let row = self.hands.values().map(|hand| hand.acted).max().unwrap_or_default();
        self.line(warp, row, Line::Block);
    }

    /// Of the warp whose first thread this is.
    fn syncwarp(&mut self, warp: u32, first: usize) {
        let row = self.hands.range(first..first + 32).map(|(_, hand)| hand.acted).max().unwrap_or_default();
        self.line(warp, row.max(self.base.get(&warp).copied().unwrap_or_default()), Line::Warp);
    }

    fn line(&mut self, warp: u32, row: usize, line: Line) {
        self.rows[row].instructions += self.open.remove(&warp).unwrap_or_default();
        self.rows[row].lines.insert(line);
        self.base.insert(warp, row);
    }

    /// The first row below `row`, below the warp's last barrier, and below what `who` did last.
    fn below(&self, warp: u32, who: usize, row: usize) -> usize {
        let base = self.base.get(&warp).copied().unwrap_or_default();
        row.max(base).max(self.hands.get(&who).map_or(0, |hand| hand.acted)) + 1
    }

    /// Puts what one instruction does into its row.
    fn row(&mut self, warp: u32, adds: Vec<Raw>) {
        let level = |place: &Place| self.written.get(place).copied().unwrap_or_default();
        let needs =
            |add: &Raw| add.from.iter().chain(add.keeps.then_some(&add.to)).map(level).max().unwrap_or_default();
        let Some(row) = adds.iter().map(|add| self.below(warp, add.who, needs(add))).max() else { return };
        self.reach(row);
        self.rows[row].instructions += self.open.remove(&warp).unwrap_or_default();
        for add in adds {
            self.written.insert(add.to, row);
            self.empty.remove(&add.to);
            self.hands.entry(add.who).or_default().acted = row;
            self.rows[row].adds.push(add);
        }
    }

    fn reach(&mut self, row: usize) {
        while self.rows.len() <= row {
            self.rows.push(Row::default());
        }
    }

    /// The tree, with its columns.
    pub fn finish(self) -> Tree {
        let places = self.rows.iter().flat_map(|row| &row.adds).flat_map(|add| add.from.iter().chain([&add.to]));
        let columns = Columns::of(places.copied().collect());
        let rounds = self.rows.into_iter().map(|row| Round {
            adds: row
                .adds
                .into_iter()
                .map(|add| Add {
                    who: add.who,
                    from: add.from.into_iter().map(|place| columns.spot(place)).collect(),
                    to: columns.spot(add.to),
                    keeps: add.keeps,
                    used: true,
                })
                .collect(),
            tickets: row.tickets,
            instructions: row.instructions,
            lines: row.lines,
        });
        let loads = self.hands.into_iter().map(|(who, hand)| (who, hand.elements)).collect();
        Tree::new(self.grain, loads, rounds.collect())
    }
}

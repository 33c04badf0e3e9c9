//! The tree as a picture: loads on top, a row per round, barriers as lines, and below it who works in each round.

use super::{Add, ELEMENT, Grain, Holder, Line, Round, Spot, Tree};
use draw::{Anchor, Ink, WIDTH, number};
use std::collections::BTreeMap;

/// Left of the columns: a round's number.
const LEFT: f64 = 22.0;
/// Right of them: a row's instructions.
const RIGHT: f64 = 36.0;
/// The widest column.
const WIDEST: f64 = 19.0;
/// Radius of a circle that holds a number.
const ROUND: f64 = 7.6;
/// Rows beyond which they are drawn closer together: a queue is long.
const MANY: usize = 14;
/// Where the loads begin, below the columns' numbers.
const TOP: f64 = 24.0;

/// Distance of a row that adds from the one above it, of one that only moves values, and of a queue's.
const HEIGHTS: (f64, f64, f64) = (24.0, 19.0, 5.5);

/// Where things stand.
struct Plan {
    /// Width of a column.
    cell: f64,
    /// Where each row is.
    rows: Vec<f64>,
    /// Is it drawn row by row, with numbers?
    loose: bool,
}

impl Plan {
    fn of(tree: &Tree) -> Self {
        let cell = ((WIDTH - LEFT - RIGHT) / tree.columns as f64).min(WIDEST);
        let loose = tree.rows.len() <= MANY;
        let sums = tree.grain == Grain::Blocks || tree.load().is_none_or(|(loads, each)| loads as u32 * each > 1);
        let mut at = TOP + tree.load_rows() as f64 * load_height(tree) + if sums { 10.0 } else { -4.0 };
        let mut rows = vec![at];
        for row in &tree.rows[1..] {
            at += match (loose, row.is_sum()) {
                (false, _) => HEIGHTS.2,
                (true, false) if tree.grain == Grain::Threads => HEIGHTS.1,
                (true, _) => HEIGHTS.0,
            };
            rows.push(at);
        }
        Self { cell, rows, loose }
    }

    fn x(&self, column: usize) -> f64 {
        LEFT + (column as f64 + 0.5) * self.cell
    }

    fn y(&self, row: usize) -> f64 {
        self.rows[row]
    }

    /// Half the size of a mark without a number.
    fn small(&self) -> f64 {
        (self.cell * 0.42).min(if self.loose { 4.2 } else { 2.2 })
    }

    /// A row that can be shown after the one above; those of a queue are all alike.
    fn step(&self, ink: &mut Ink, row: usize, words: &str, draw: impl FnOnce(&mut Ink)) {
        if self.loose { ink.step(row, words, draw) } else { draw(ink) }
    }

    /// The class of lines that are as close as these.
    fn edge(&self, used: bool) -> &'static str {
        match (used, self.cell < 6.0) {
            (true, false) => "edge",
            (true, true) => "edge thin",
            (false, false) => "edge unused",
            (false, true) => "edge thin unused",
        }
    }
}

/// Height of one load: that of four elements is striped.
fn load_height(tree: &Tree) -> f64 {
    match tree.load() {
        Some((_, elements)) if elements > 1 => 15.0,
        _ => 8.0,
    }
}

impl Tree {
    /// Loads above each other; those of a block are not drawn one by one.
    pub(super) fn load_rows(&self) -> usize {
        match self.grain {
            Grain::Blocks => 0,
            Grain::Threads => self.loads.iter().map(|(_, loads)| loads.len()).max().unwrap_or_default(),
        }
    }

    /// The picture.
    pub fn draw(&self, id: &str, title: &str) -> String {
        let plan = Plan::of(self);
        let mut ink = Ink::default();
        self.heading(&mut ink, &plan);
        self.edges(&mut ink, &plan);
        self.loaded(&mut ink, &plan);
        self.marks(&mut ink, &plan);
        let mut at = plan.y(self.rows.len() - 1) + 28.0;
        if self.grain == Grain::Threads && self.rows.len() <= MANY {
            at = self.workers(&mut ink, &plan, at);
        }
        at = self.legend(&mut ink, at);
        ink.finish(id, at, title, &self.words())
    }

    /// Columns by number: as many numbers as there is room for.
    fn heading(&self, ink: &mut Ink, plan: &Plan) {
        let every = (1..).map(|power| 1 << (power - 1)).find(|every| *every as f64 * plan.cell >= 17.0).unwrap_or(1);
        for column in (0..self.columns).step_by(every) {
            ink.text("quiet", (plan.x(column), 14.0), Anchor::Middle, &column.to_string());
        }
        if self.counts() {
            ink.text("quiet", (WIDTH - 2.0, 14.0), Anchor::End, "instr.");
        }
    }

    /// Are instructions counted by row? A queue has one row per atomic and no place for numbers.
    fn counts(&self) -> bool {
        self.grain == Grain::Threads && self.rows.len() <= MANY
    }

    /// Lines lie under what they join: a value is where it was written last.
    fn edges(&self, ink: &mut Ink, plan: &Plan) {
        let mut written: BTreeMap<Spot, usize> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate().skip(1) {
            plan.step(ink, index, &self.row(index), |ink| {
                for used in [false, true] {
                    for add in row.adds.iter().filter(|add| add.used == used) {
                        let class = plan.edge(used);
                        for from in add.from.iter().chain(add.keeps.then_some(&add.to)) {
                            let above = written.get(from).copied().unwrap_or_default();
                            let (start, end) = (plan.x(from.column), plan.x(add.to.column));
                            ink.line(class, (start, plan.y(above)), (end, plan.y(index)));
                        }
                    }
                }
                // As far below as the next row is above.
                let at = plan.rows.get(index + 1).map_or(plan.y(index) + 13.0, |next| (plan.y(index) + next) / 2.0);
                row.lines.iter().for_each(|line| Self::barrier(ink, *line, at));
            });
            written.extend(row.adds.iter().map(|add| (add.to, index)));
        }
    }

    /// A line across.
    fn barrier(ink: &mut Ink, line: Line, at: f64) {
        let class = match line {
            Line::Warp => "meet warp",
            Line::Block => "meet",
            Line::Launch | Line::Host => "meet launch",
        };
        ink.line(class, (LEFT - 4.0, at), (WIDTH - RIGHT + 4.0, at));
    }

    /// The elements that each thread loads, one load below the other; a sum of several is a register.
    fn loaded(&self, ink: &mut Ink, plan: &Plan) {
        let height = load_height(self);
        let (small, width) = (plan.small(), (plan.cell - 1.4).min(10.0));
        for (who, loads) in &self.loads {
            let x = plan.x(*who);
            if self.grain == Grain::Blocks {
                if !loads.is_empty() {
                    ink.circle("sum", (x, plan.y(0)), ROUND);
                    ink.text("in", (x, plan.y(0) + 4.0), Anchor::Middle, &who.to_string());
                }
                continue;
            }
            for (index, bytes) in loads.iter().enumerate() {
                let y = TOP + index as f64 * height;
                ink.rect("load", (x - width / 2.0, y), (width, height - 2.0));
                let elements = bytes / ELEMENT;
                for part in 1..elements {
                    let at = y + f64::from(part) * (height - 2.0) / f64::from(elements);
                    ink.line("slice", (x - width / 2.0, at), (x + width / 2.0, at));
                }
            }
            let elements: u32 = loads.iter().map(|bytes| bytes / ELEMENT).sum();
            if elements > 1 {
                ink.line(plan.edge(true), (x, TOP + loads.len() as f64 * height - 2.0), (x, plan.y(0)));
                ink.circle("sum", (x, plan.y(0)), small);
            }
        }
    }

    /// Sums and moved values, with the number of who makes them where there is room.
    fn marks(&self, ink: &mut Ink, plan: &Plan) {
        for (index, row) in self.rows.iter().enumerate().skip(1) {
            let at = plan.y(index);
            plan.step(ink, index, "", |ink| {
                if let Some(round) = self.number(index).filter(|_| plan.loose) {
                    ink.text("quiet", (2.0, at + 4.0), Anchor::Start, &round.to_string());
                }
                if self.counts() && row.instructions > 0 {
                    ink.text("quiet", (WIDTH - 2.0, at + 4.0), Anchor::End, &number(row.instructions as f64));
                }
                let room = room(row, plan);
                row.adds.iter().for_each(|add| {
                    mark(ink, add, (plan.x(add.to.column), at), room.unwrap_or(plan.small()), room.is_some())
                });
                for (ticket, block) in row.tickets.iter().enumerate() {
                    ink.rect("ticket", (plan.x(*block) - 8.0, at - 8.0), (16.0, 16.0));
                    ink.text("plain", (plan.x(*block), at + 4.0), Anchor::Middle, &(ticket + 1).to_string());
                }
            });
        }
    }

    /// Which threads add in each round.
    fn workers(&self, ink: &mut Ink, plan: &Plan, top: f64) -> f64 {
        const CELL: f64 = 11.0;
        ink.text("quiet", (2.0, top), Anchor::Start, "threads that add, by round");
        let mut at = top + 7.0;
        for (index, row) in self.rows.iter().enumerate() {
            let Some(number) = self.number(index) else { continue };
            ink.step(index, "", |ink| {
                ink.text("quiet", (2.0, at + CELL - 2.0), Anchor::Start, &number.to_string());
                for thread in 0..self.columns {
                    let class = if row.adds.iter().any(|add| add.who == thread) { "busy" } else { "idle" };
                    let width = (plan.cell - 1.2).min(16.0);
                    ink.rect(class, (plan.x(thread) - width / 2.0, at), (width, CELL - 2.0));
                }
            });
            at += CELL;
        }
        at + 18.0
    }
}

/// Is there room for a number in every mark of the row? Then their radius.
fn room(row: &Round, plan: &Plan) -> Option<f64> {
    let mut columns: Vec<usize> = row.adds.iter().map(|add| add.to.column).collect();
    columns.sort_unstable();
    let least = columns.windows(2).map(|two| two[1] - two[0]).min().unwrap_or(usize::MAX);
    (plan.loose && least as f64 * plan.cell >= 2.0 * ROUND).then_some(ROUND)
}

fn mark(ink: &mut Ink, add: &Add, (x, y): (f64, f64), size: f64, number: bool) {
    shape(ink, add.to.holder, add.used, (x, y), size);
    if number && add.to.holder != Holder::Host {
        ink.text("in", (x, y + 4.0), Anchor::Middle, &add.who.to_string());
    }
}

/// Registers are round, words are square.
pub fn shape(ink: &mut Ink, holder: Holder, used: bool, (x, y): (f64, f64), size: f64) {
    let class = match (holder, used) {
        (_, false) => "sum unused",
        (Holder::Global, true) => "sum global",
        (Holder::Host, true) => "sum host",
        _ => "sum",
    };
    match holder {
        Holder::Register => ink.circle(class, (x, y), size),
        _ => ink.rect(class, (x - size, y - size), (2.0 * size, 2.0 * size)),
    }
}

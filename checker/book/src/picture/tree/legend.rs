//! What the picture's shapes and lines mean: those that it has.

use super::sketch::shape;
use super::{Grain, Holder, Line, Tree};
use draw::{Anchor, Ink, WIDTH};

impl Tree {
    /// Shapes and lines that the picture has.
    pub(super) fn legend(&self, ink: &mut Ink, top: f64) -> f64 {
        let spots = || self.rows.iter().flat_map(|row| &row.adds).flat_map(|add| add.from.iter().chain([&add.to]));
        let lines = || self.rows.iter().flat_map(|row| &row.lines);
        let mut keys: Vec<(Key, String)> = Vec::new();
        if self.load_rows() > 0 {
            keys.push((
                Key::Load,
                match self.load() {
                    Some((_, each)) if each > 1 => format!("load of {each} elements"),
                    _ => "load".to_owned(),
                },
            ));
        }
        for (holder, words) in [
            (Holder::Register, if self.grain == Grain::Blocks { "block's sum" } else { "register" }),
            (Holder::Shared, "shared word"),
            (Holder::Global, "global word"),
            (Holder::Host, "host"),
        ] {
            let sums = holder == Holder::Register && self.load().is_some_and(|(loads, each)| loads as u32 * each > 1);
            if sums || spots().any(|spot| spot.holder == holder && (holder != Holder::Register || !self.leaves())) {
                keys.push((Key::Held(holder), words.to_owned()));
            }
        }
        if self.rows.iter().any(|row| !row.tickets.is_empty()) {
            keys.push((Key::Ticket, "ticket, in the order of arrival".to_owned()));
        }
        for (line, words) in [
            (Line::Block, "barrier of the block"),
            (Line::Warp, "of the warp"),
            (Line::Launch, "end of a launch"),
            (Line::Host, "host waits"),
        ] {
            if lines().any(|other| *other == line) {
                keys.push((Key::Line(line), words.to_owned()));
            }
        }
        let (mut x, mut at) = (2.0, top);
        for (key, words) in keys {
            let width = 22.0 + 5.9 * words.chars().count() as f64;
            if x + width > WIDTH {
                (x, at) = (2.0, at + 17.0);
            }
            key.draw(ink, (x + 6.0, at - 4.0));
            ink.text("quiet", (x + 16.0, at), Anchor::Start, &words);
            x += width + 6.0;
        }
        at + 8.0
    }

    /// Are registers only what was loaded? Then no mark stands for one.
    fn leaves(&self) -> bool {
        self.grain == Grain::Threads
            && self.rows.iter().flat_map(|row| &row.adds).all(|add| add.to.holder != Holder::Register)
    }
}

/// What the legend explains.
enum Key {
    Load,
    Ticket,
    Held(Holder),
    Line(Line),
}

impl Key {
    fn draw(&self, ink: &mut Ink, (x, y): (f64, f64)) {
        match self {
            Self::Load => ink.rect("load", (x - 4.0, y - 4.0), (8.0, 8.0)),
            Self::Ticket => ink.rect("ticket", (x - 5.0, y - 5.0), (10.0, 10.0)),
            Self::Held(holder) => shape(ink, *holder, true, (x, y), 4.2),
            Self::Line(Line::Warp) => ink.line("meet warp", (x - 6.0, y), (x + 7.0, y)),
            Self::Line(Line::Block) => ink.line("meet", (x - 6.0, y), (x + 7.0, y)),
            Self::Line(_) => ink.line("meet launch", (x - 6.0, y), (x + 7.0, y)),
        }
    }
}

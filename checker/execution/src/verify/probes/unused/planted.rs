//! Elements of inputs, and what they become.

use crate::backend::machine::{Session, Stop};
use crate::backend::{Program, RunId};
use crate::verify::inputs::filled;
use plan::stream::Stream;
use plan::{Buffer, Role};
use values::compare::real;
use values::fill;

/// Times the elements of an output from which on an input is long, and may be hidden.
const LONG: u64 = 2;
/// Elements of an input that change at once, where it is long: one for each element of the output, if these are so few.
const MOST: u64 = 1 << 12;
/// The same where it is not: so few that one of them is alone in what an element of an output is made of.
const FEW: u64 = 16;

/// What an element becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// An end of its interval.
    End {
        /// Which.
        upper: bool,
    },
    /// What it is in another run.
    Drawn(u64),
}

impl Instead {
    /// The other end.
    pub(super) fn other(self) -> Self {
        match self {
            Self::End { upper } => Self::End { upper: !upper },
            drawn @ Self::Drawn(_) => drawn,
        }
    }
}

/// Inputs of a run, in so many parts of which one element each changes.
pub(super) struct Places<'a> {
    run: &'a RunId,
    inputs: Vec<&'a Buffer>,
    parts: u64,
}

/// A run of inputs whose elements are drawn one by one, though it is another fill's turn.
pub(in crate::verify::probes) fn drawn(program: &Program, run: &RunId) -> RunId {
    let turns = (0..fill::TURNS)
        .map(|turn| RunId { seed: fill::first_turn(run.seed) + (run.seed + turn) % fill::TURNS, ..*run });
    let has = |run: &RunId, buffer: &Buffer| fill::end(buffer, (run.seed, run.values), true).is_some();
    let ends = |run: &RunId| program.plan.buffers.iter().filter(|buffer| has(run, buffer)).count();
    // The nearest turn of those in which most inputs are.
    turns.rev().max_by_key(ends).unwrap_or(*run)
}

/// The inputs that are much longer than the shortest output, of `least` elements.
pub(super) fn long<'a>(program: &'a Program, run: &'a RunId, least: u64) -> Option<Places<'a>> {
    of(program, run, least.clamp(1, MOST), |buffer| buffer.len / LONG >= least)
}

/// The others.
pub(super) fn others<'a>(program: &'a Program, run: &'a RunId, least: u64) -> Option<Places<'a>> {
    of(program, run, FEW, |buffer| buffer.len / LONG < least)
}

fn of<'a>(program: &'a Program, run: &'a RunId, parts: u64, is: impl Fn(&Buffer) -> bool) -> Option<Places<'a>> {
    let changes = |buffer: &&Buffer| {
        let input = matches!(buffer.role, Role::In | Role::InOut) && buffer.len > 0 && is(buffer);
        input && fill::end(buffer, (run.seed, run.values), true).is_some()
    };
    let inputs: Vec<_> = program.plan.buffers.iter().filter(changes).collect();
    (!inputs.is_empty()).then_some(Places { run, inputs, parts })
}

impl Places<'_> {
    /// Elements of each input that change at once.
    pub(super) fn parts(&self) -> u64 {
        self.parts
    }

    /// The elements of one of so many rounds: the last of each part, later one that is drawn in each.
    pub(super) fn planted(&self, round: (u64, u64), instead: Instead) -> Planted<'_> {
        Planted { places: self, round, parts: (0..self.parts).collect(), instead }
    }

    /// The element of a part of an input in a round.
    fn element(&self, len: u64, part: u64, (round, rounds): (u64, u64)) -> u64 {
        let share = |cell: u64, cells: u64| (u128::from(len) * u128::from(cell) / u128::from(cells)) as u64;
        let Some(drawn) = round.checked_sub(1) else { return share(part + 1, self.parts).saturating_sub(1) };
        let (cell, cells) = (part * (rounds - 1) + drawn, self.parts * (rounds - 1));
        let (first, after) = (share(cell, cells), share(cell + 1, cells));
        let element = Stream::new(self.run.seed, "planted").integer(cell, first as i64, after as i64 - 1);
        element.clamp(first as i64, len as i64 - 1) as u64
    }
}

/// Elements that change together.
pub(super) struct Planted<'a> {
    places: &'a Places<'a>,
    round: (u64, u64),
    parts: Vec<u64>,
    /// What they become.
    pub(super) instead: Instead,
}

impl Planted<'_> {
    /// Leaves the first half of the parts, and gives the other; nothing where there is one.
    pub(super) fn split(&mut self) -> Option<Self> {
        let half = self.parts.split_off(self.parts.len().div_ceil(2));
        (!half.is_empty()).then_some(Self { parts: half, ..*self })
    }

    /// The elements, input by input.
    pub(super) fn elements(&self) -> Vec<(String, u64)> {
        let of = |buffer: &Buffer| self.of(buffer).map(|element| (buffer.name.clone(), element)).collect::<Vec<_>>();
        self.places.inputs.iter().flat_map(|buffer| of(buffer)).collect()
    }

    fn of(&self, buffer: &Buffer) -> impl Iterator<Item = u64> {
        self.parts.iter().map(move |&part| self.places.element(buffer.len, part, self.round))
    }

    /// Writes the inputs, changed, where a program has them.
    ///
    /// # Errors
    /// An input that cannot be made, or the backend's.
    pub(super) fn write(&self, session: &mut dyn Session, to: &Program) -> Result<(), Stop> {
        for buffer in &self.places.inputs {
            let same = |(_, other): &(usize, &Buffer)| other.name == buffer.name;
            let Some((index, held)) = to.plan.buffers.iter().enumerate().find(same) else { continue };
            let mut bytes = filled(to, held, self.places.run)?.to_vec();
            let size = held.dtype.size();
            for element in self.of(buffer) {
                let instead = self.bytes(buffer, element);
                // An oracle may hold it in double precision.
                let wide = (held.dtype != buffer.dtype).then(|| real(buffer.dtype, &instead).to_le_bytes().to_vec());
                let at = element as usize * size;
                bytes[at..at + size].copy_from_slice(&wide.unwrap_or(instead));
            }
            session.write(index, &bytes)?;
        }
        Ok(())
    }

    /// What an element becomes, as its bytes.
    fn bytes(&self, buffer: &Buffer, element: u64) -> Vec<u8> {
        let RunId { seed, values, .. } = *self.places.run;
        let drawn = |number: u64| {
            let mut bytes = vec![0; buffer.dtype.size()];
            let other = (1..number).fold(fill::second_seed(seed), |seed, _| fill::second_seed(seed));
            // Of several fills the same.
            let other = fill::first_turn(other) + seed % fill::TURNS;
            fill::fill_part(buffer, other, values, element, &mut bytes);
            bytes
        };
        match self.instead {
            Instead::End { upper } => fill::end(buffer, (seed, values), upper).unwrap_or_else(|| drawn(1)),
            Instead::Drawn(number) => drawn(number),
        }
    }
}

//! A block over inputs that are the same everywhere but for an element or two.

use super::Launch;
use crate::backend::machine::Stop;
use crate::backend::message::job::Program;
use crate::backend::sim::Sim;
use crate::backend::sim::sampled::opened::{Opened, READ, as_stated, bytes_of, open_filled};
use plan::{Buffer, Role};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use values::compare::real;
use values::fill::{self, Values};

/// Of an interval that is narrower than this part of the numbers in it, one number is like the other.
const NARROW: f64 = 1.0 / 64.0;

/// Bytes of what is counted where something follows.
const WORD: usize = 4;

/// The same of numbers that are twice as long.
const WIDE: u64 = 8;

/// Numbers that elements become, besides the other end: some that are drawn as the input's are, ...
const DRAWN: u64 = 3;
/// ... and with edge values so many in all.
pub const VALUES: usize = 8;

/// An element of a buffer that becomes another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub buffer: usize,
    pub element: u64,
    /// Which: the other end is 0, then come some that are drawn, and edge values.
    pub value: usize,
}

/// What a block leaves: where, and bytes.
pub type Left = Vec<(u64, Vec<u8>)>;

/// How many words are other ones, of four bytes, or of eight in what is `wide`: from where to where.
pub fn different(one: &Left, other: &Left, wide: &[(u64, u64)]) -> u64 {
    if one == other {
        return 0;
    }
    let words = |left: &Left| -> BTreeSet<(u64, Vec<u8>)> {
        let words = left.iter().flat_map(|(first, bytes)| (*first..).step_by(WORD).zip(bytes.chunks(WORD)));
        words.map(|(place, word)| (place, word.to_vec())).collect()
    };
    let (one, other) = (words(one), words(other));
    let number = |place: u64| match wide.iter().find(|(from, to)| (*from..*to).contains(&place)) {
        Some((from, _)) => place - (place - from) % WIDE,
        None => place,
    };
    let places: BTreeSet<u64> = one.symmetric_difference(&other).map(|(place, _)| number(*place)).collect();
    places.len() as u64
}

/// What a block reads: buffers, and from where to where.
pub type Read = Vec<(usize, Vec<(u64, u64)>)>;

/// What elements are instead: buffer, first byte, bytes.
type Planted = Arc<Mutex<Vec<(usize, u64, Vec<u8>)>>>;

/// Both ends of an input's interval, or two numbers of those that it may hold, as bytes. They lie so far apart that one among many of
/// the other makes a difference.
pub fn ends(program: &Program, buffer: usize, seed: u64) -> Option<[Vec<u8>; 2]> {
    let buffer = &program.plan.buffers[buffer];
    if !READ.contains(&buffer.role) {
        return None;
    }
    let end = |upper| fill::end(buffer, (seed, Values::AsStated), upper);
    let [mut lower, upper] = [end(false)?, end(true)?];
    if lower == upper {
        fill::fill_part(buffer, seed, Values::AsStated, 0, &mut lower);
    }
    let [low, high] = [&lower, &upper].map(|bytes| real(buffer.dtype, bytes));
    ((high - low).abs() > low.abs().max(high.abs()) * NARROW).then_some([lower, upper])
}

/// A program whose inputs are all at one end, and single elements at the other.
pub struct Trial<'p> {
    pub opened: Opened<'p>,
    planted: Planted,
    /// What such elements are, by buffer and [`Place::value`].
    others: Vec<Option<Vec<Vec<u8>>>>,
    /// See [`wide`].
    pub wide: Vec<(u64, u64)>,
}

/// Buffers and variables of numbers of eight bytes, from where to where: a change of one may carry over from half to half.
fn wide(opened: &Opened<'_>) -> Vec<(u64, u64)> {
    let buffers = opened.program.plan.buffers.iter().zip(&opened.addresses);
    let buffers = buffers.filter(|(buffer, _)| buffer.dtype.size() as u64 == WIDE);
    let buffers = buffers.map(|(buffer, address)| (*address, address + buffer.bytes()));
    let variables = opened.device.variables().filter(|(_, bytes)| *bytes == WIDE);
    buffers.chain(variables.map(|(address, bytes)| (address, address + bytes))).collect()
}

impl<'p> Trial<'p> {
    /// # Errors
    /// As of [`open_filled`].
    pub fn open(sim: &Sim, program: &'p Program, seed: u64, upper: bool) -> Result<Self, Stop> {
        let planted = Planted::default();
        let all: Vec<_> = (0..program.plan.buffers.len()).map(|index| ends(program, index, seed)).collect();
        let input = |index: usize, buffer: &Buffer| -> simulator::Fill {
            let Some(ends) = &all[index] else { return as_stated(buffer, seed) };
            let (same, planted) = (ends[usize::from(upper)].clone(), planted.clone());
            Arc::new(move |at, bytes| {
                // Pages begin where elements do.
                let whole = same.repeat(bytes.len().div_ceil(same.len()));
                bytes.copy_from_slice(&whole[..bytes.len()]);
                let planted = planted.lock().unwrap_or_else(PoisonError::into_inner);
                for (_, from, other) in planted.iter().filter(|(buffer, ..)| *buffer == index) {
                    let place = from.checked_sub(at).map(|place| place as usize..place as usize + other.len());
                    if let Some(element) = place.and_then(|place| bytes.get_mut(place)) {
                        element.copy_from_slice(other);
                    }
                }
            })
        };
        let opened = open_filled(sim, program, &|_| bytes_of(0), &input)?;
        let numbers = |(index, ends): (usize, Option<[Vec<u8>; 2]>)| {
            let (other, buffer) = (ends?[usize::from(!upper)].clone(), &program.plan.buffers[index]);
            let size = other.len();
            let drawn = |element: u64| {
                let mut number = vec![0; size];
                fill::fill_part(buffer, seed, Values::AsStated, element, &mut number);
                number
            };
            let mut edges = fill::inner_edges(buffer, (seed, Values::AsStated));
            let turn = seed as usize % edges.len().max(1);
            edges.rotate_left(turn);
            let all = (0..DRAWN.min(buffer.len)).map(drawn).chain(edges).take(VALUES);
            Some([other].into_iter().chain(all).collect())
        };
        let others = all.into_iter().enumerate().map(numbers).collect();
        let wide = wide(&opened);
        Ok(Self { opened, planted, others, wide })
    }

    /// Runs a block as if nothing had run but the single blocks of some launches before it. `None`: it says nothing.
    pub fn run(&mut self, (before, launch): Launch<'_>, block: u64, changed: &[Place]) -> Option<Left> {
        let planted = |place: &Place| {
            let number = self.others[place.buffer].as_ref()?.get(place.value)?.clone();
            Some((place.buffer, place.element * number.len() as u64, number))
        };
        *self.planted.lock().unwrap_or_else(PoisonError::into_inner) = changed.iter().filter_map(planted).collect();
        self.opened.rewind();
        self.prepare(before)?;
        self.opened.blocks(launch, vec![block]).ok().filter(|told| *told)?;
        self.left()
    }

    /// What is there when a launch begins, where it has left something.
    pub fn prepared(&mut self, (before, _): Launch<'_>, left: &Left) -> Option<Left> {
        self.planted.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.opened.rewind();
        self.prepare(before)?;
        self.contents(left.iter().map(|(address, bytes)| (*address, bytes.len() as u64)))
    }

    fn contents(&self, ranges: impl Iterator<Item = (u64, u64)>) -> Option<Left> {
        let read = |(address, size): (u64, u64)| {
            let mut bytes = vec![0; size as usize];
            self.opened.device.read(address, &mut bytes).ok()?;
            Some((address, bytes))
        };
        ranges.map(read).collect()
    }

    fn prepare(&mut self, before: &[usize]) -> Option<()> {
        before.iter().try_for_each(|&launch| self.opened.blocks(launch, vec![0]).ok().filter(|told| *told).map(drop))
    }

    fn left(&self) -> Option<Left> {
        let opened = &self.opened;
        let buffers = opened.program.plan.buffers.iter().enumerate();
        let written = buffers.filter(|(_, buffer)| buffer.role != Role::In).flat_map(|(index, _)| {
            let ranges = opened.touched(index).written.into_iter();
            ranges.map(move |(from, to)| (opened.addresses[index] + from, to - from))
        });
        self.contents(written.chain(opened.device.variables()))
    }

    /// What the block that ran last read of the inputs that can be changed.
    pub fn read(&self) -> Read {
        let changeable = (0..self.others.len()).filter(|index| self.others[*index].is_some());
        changeable.map(|index| (index, self.opened.touched(index).read)).filter(|(_, read)| !read.is_empty()).collect()
    }

    /// All numbers that were left of a buffer, by where they are.
    pub fn numbers(&self, buffer: usize, left: &Left) -> BTreeMap<u64, f64> {
        let (first, buffer) = (self.opened.addresses[buffer], &self.opened.program.plan.buffers[buffer]);
        let inside = left.iter().filter(|(address, _)| (first..first + buffer.bytes()).contains(address));
        let size = buffer.dtype.size();
        let all = inside.flat_map(|(at, bytes)| (*at..).step_by(size).zip(bytes.chunks_exact(size)));
        all.map(|(place, bytes)| (place, real(buffer.dtype, bytes))).collect()
    }

    /// Bytes of an element of a buffer.
    pub fn size(&self, buffer: usize) -> u64 {
        self.opened.program.plan.buffers[buffer].dtype.size() as u64
    }
}

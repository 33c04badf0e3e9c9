//! Memory that exists only where it is touched: pages are filled when a kernel first comes there, and remember which of their
//! bytes were read and written. So a few blocks of a huge grid cost no more than those of a small one.

mod lanes;
mod page;
#[cfg(test)]
mod tests;

use crate::random::ByNumber;
use lanes::{Run, gather, runs, spread};
use page::{Marks, PAGE, Page};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Gives bytes from an offset on, always the same ones.
pub type Fill = Arc<dyn Fn(u64, &mut [u8]) + Send + Sync>;

/// Pages whose place is remembered: lanes often walk along many of them at once.
const RECENT: usize = 256;

#[derive(Default)]
struct Inside {
    #[expect(
        clippy::vec_box,
        reason = "tens of thousands of them would be moved whenever there is no room for one more"
    )]
    pages: Vec<Box<Page>>,
    /// Of pages by number: the index in `pages`.
    places: ByNumber<usize>,
    /// The same of pages that were touched lately, by the last bits of their number.
    recent: Vec<(u64, usize)>,
    /// A byte was read that no kernel wrote and that has no value of its own.
    unknown: bool,
}

impl Inside {
    /// Index of a page, which `fill` gives its bytes if it was not there.
    fn find(&mut self, number: u64, fill: impl FnOnce(&mut [u8])) -> usize {
        let recent = (number % RECENT as u64) as usize;
        match self.recent.get(recent) {
            Some((known, place)) if *known == number => return *place,
            Some(_) => {}
            None => self.recent.resize(RECENT, (u64::MAX, 0)),
        }
        let place = *self.places.entry(number).or_insert_with(|| {
            let none = Marks::NONE;
            let mut page = Box::new(Page {
                bytes: [0; PAGE as usize],
                read: none.clone(),
                written: none.clone(),
                changed: none.clone(),
                summed: none,
            });
            fill(&mut page.bytes);
            self.pages.push(page);
            self.pages.len() - 1
        });
        self.recent[recent] = (number, place);
        place
    }
}

/// The contents of a sparse allocation.
pub struct Sparse {
    fill: Fill,
    /// What is filled in has a value that a kernel may use; else only what kernels write has.
    known: bool,
    /// See [`Self::meeting`].
    #[cfg(not(target_family = "wasm"))]
    meets: bool,
    /// On the page there is none: nothing of it is in the module.
    #[cfg(target_family = "wasm")]
    _never: std::convert::Infallible,
    inside: Mutex<Inside>,
}

impl fmt::Debug for Sparse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sparse").field("known", &self.known).finish_non_exhaustive()
    }
}

impl Sparse {
    /// Untouched. `known`: what `fill` gives is data; otherwise it only keeps the place of what is to be written.
    #[cfg(not(target_family = "wasm"))]
    pub fn new(fill: Fill, known: bool) -> Self {
        Self { fill, known, meets: false, inside: Mutex::default() }
    }

    /// Where the blocks of a cooperative grid meet, for some of them that run without the others: whoever arrives is told of another phase
    /// than the one that it will read, and goes on. (`grid.sync()` compares the highest bit of what its atomic brought with
    /// that of what it reads until the two differ.)
    #[cfg(not(target_family = "wasm"))]
    pub fn meeting() -> Self {
        Self { meets: true, ..Self::new(std::sync::Arc::new(|_, bytes| bytes.fill(0)), true) }
    }

    /// Does something to the page of an offset; `f` gets the place in it and says whether all it used has a value.
    fn page<R>(&self, offset: u64, f: impl FnOnce(&mut Page, usize) -> (R, bool)) -> R {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let number = offset / PAGE;
        let at = inside.find(number, |page| (self.fill)(number * PAGE, page));
        let (result, sound) = f(&mut inside.pages[at], (offset % PAGE) as usize);
        inside.unknown |= !sound;
        result
    }

    /// Reads a naturally aligned value of 1 to 8 bytes.
    pub fn load(&self, offset: u64, size: u32) -> u64 {
        self.page(offset, |page, at| {
            let size = size as usize;
            page.read.set(at, size);
            (page.value(at, size), page.has_value(self.known, at, size))
        })
    }

    /// Changes a naturally aligned value of 1 to 8 bytes, and says what it was; `used`: somebody looks at that.
    pub fn change(&self, offset: u64, size: u32, used: bool, f: impl FnOnce(u64) -> u64) -> u64 {
        #[cfg(not(target_family = "wasm"))]
        if self.meets {
            return self.load(offset, size) ^ 0x8000_0000;
        }
        self.page(offset, |page, at| {
            let size = size as usize;
            let (before, sound) = page.update(self.known, (at, size), f);
            if !sound && !used {
                page.changed.set(at, size);
            }
            (before, sound || !used)
        })
    }

    /// A launch is over of which not all blocks ran: what they changed by atomics is a part of a sum, and has no value any more.
    pub fn end_part(&self) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        for page in &mut inside.pages {
            for (changed, summed) in page.changed.0.iter_mut().zip(&mut page.summed.0) {
                *changed |= std::mem::take(summed);
            }
        }
    }

    /// Reads each lane's `count` values of `size` bytes, naturally aligned together.
    pub fn load_lanes(&self, mask: u32, offsets: &[u64; 32], size: u32, values: &mut [[u64; 32]]) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = size as usize * values.len();
        let mut recent = None;
        let mut sound = true;
        for Run { lane, count, number, from } in runs(mask, offsets, whole) {
            let at = match recent {
                Some((known, at)) if known == number => at,
                _ => inside.find(number, |page| (self.fill)(number * PAGE, page)),
            };
            recent = Some((number, at));
            let page = &mut inside.pages[at];
            let bytes = &page.bytes[from..from + count * whole];
            match size {
                1 => spread::<1>(bytes, lane, values),
                2 => spread::<2>(bytes, lane, values),
                4 => spread::<4>(bytes, lane, values),
                _ => spread::<8>(bytes, lane, values),
            }
            sound &= page.read_run(self.known, from, count * whole);
        }
        inside.unknown |= !sound;
    }

    /// Writes each lane's `count` values of `size` bytes, naturally aligned together.
    pub fn store_lanes(&self, mask: u32, offsets: &[u64; 32], size: u32, values: &[[u64; 32]]) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = size as usize * values.len();
        for Run { lane, count, number, from } in runs(mask, offsets, whole) {
            let at = inside.find(number, |page| (self.fill)(number * PAGE, page));
            let page = &mut inside.pages[at];
            let bytes = &mut page.bytes[from..from + count * whole];
            match size {
                1 => gather::<1>(bytes, lane, values),
                2 => gather::<2>(bytes, lane, values),
                4 => gather::<4>(bytes, lane, values),
                _ => gather::<8>(bytes, lane, values),
            }
            page.written_run(from, count * whole);
        }
    }

    /// Stores a naturally aligned value of 1 to 8 bytes.
    pub fn store(&self, offset: u64, size: u32, value: u64) {
        self.page(offset, |page, at| {
            page.put(at, size as usize, value);
            ((), true)
        });
    }

    /// Copies bytes out, for the host: leaves no marks.
    pub fn peek(&self, offset: u64, into: &mut [u8]) {
        let mut done = 0;
        while done < into.len() {
            let at = offset + done as u64;
            let count = ((PAGE - at % PAGE) as usize).min(into.len() - done);
            let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
            let part = &mut into[done..done + count];
            match inside.places.get(&(at / PAGE)).map(|place| &inside.pages[*place]) {
                Some(page) => part.copy_from_slice(&page.bytes[(at % PAGE) as usize..][..count]),
                None => (self.fill)(at, part),
            }
            done += count;
        }
    }

    /// What was done to it.
    pub fn touched(&self, size: u64) -> Touched {
        let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut touched = Touched { unknown: inside.unknown, ..Touched::default() };
        let mut pages: Vec<(u64, &Page)> =
            inside.places.iter().map(|(number, place)| (*number, &*inside.pages[*place])).collect();
        pages.sort_unstable_by_key(|(number, _)| *number);
        for (number, page) in pages {
            touched.read_bytes += page.read.ones();
            touched.written_bytes += page.written.ones();
            touched.changed |= page.changed.ones() > 0;
            ranges(&mut touched.read, &page.read, number * PAGE, size);
            ranges(&mut touched.written, &page.written, number * PAGE, size);
        }
        touched
    }

    /// [`Touched::read_bytes`] and [`Touched::written_bytes`] alone.
    pub fn bytes(&self) -> (u64, u64) {
        let inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside
            .pages
            .iter()
            .fold((0, 0), |(read, written), page| (read + page.read.ones(), written + page.written.ones()))
    }

    /// [`Touched::unknown`] alone.
    pub fn unknown(&self) -> bool {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner).unknown
    }

    /// Forgets every mark and every store.
    pub fn forget(&self) {
        *self.inside.lock().unwrap_or_else(PoisonError::into_inner) = Inside::default();
    }
}

/// Adds the marked bytes of a page, joined with what ends where they begin.
fn ranges(all: &mut Vec<(u64, u64)>, marks: &Marks, base: u64, size: u64) {
    let mut add = |from: u64, to: u64| match all.last_mut() {
        Some((_, end)) if *end == from => *end = to,
        _ => all.push((from, to)),
    };
    for (index, &word) in marks.0.iter().enumerate() {
        let from = base + index as u64 * 64;
        match word {
            0 => {}
            u64::MAX => add(from, (from + 64).min(size)),
            _ => (0..64).filter(|bit| word >> bit & 1 != 0).for_each(|bit| add(from + bit, from + bit + 1)),
        }
    }
}

/// What kernels did to a sparse allocation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Bytes that were read, from and to, ascending.
    pub read: Vec<(u64, u64)>,
    /// Bytes that were written.
    pub written: Vec<(u64, u64)>,
    /// How many were read.
    pub read_bytes: u64,
    /// How many were written.
    pub written_bytes: u64,
    /// A byte was read that has no value: what follows from it means nothing.
    pub unknown: bool,
    /// Some of the bytes written were changed by atomics without a result where nothing had a value.
    pub changed: bool,
}

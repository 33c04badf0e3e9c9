//! Memory that exists only where it is touched: pages are filled when a kernel first comes there, and remember which of their
//! bytes were read and written. So a few blocks of a huge grid cost no more than those of a small one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// Gives bytes from an offset on, always the same ones.
pub type Fill = Arc<dyn Fn(u64, &mut [u8]) + Send + Sync>;

/// What a page's bytes went through: a bit a byte.
#[derive(Clone)]
struct Marks([u64; PAGE as usize / 64]);

impl Marks {
    const NONE: Self = Self([0; PAGE as usize / 64]);

    fn set(&mut self, from: usize, size: usize) {
        (from..from + size).for_each(|at| self.0[at / 64] |= 1 << (at % 64));
    }

    fn all(&self, from: usize, size: usize) -> bool {
        (from..from + size).all(|at| self.0[at / 64] >> (at % 64) & 1 != 0)
    }

    fn ones(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

struct Page {
    bytes: [u8; PAGE as usize],
    read: Marks,
    written: Marks,
}

#[derive(Default)]
struct Inside {
    pages: BTreeMap<u64, Box<Page>>,
    /// A byte was read that no kernel wrote and that has no value of its own.
    unknown: bool,
}

/// The contents of a sparse allocation.
pub struct Sparse {
    fill: Fill,
    /// What is filled in has a value that a kernel may use; else only what kernels write has.
    known: bool,
    inside: Mutex<Inside>,
}

impl fmt::Debug for Sparse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sparse").field("known", &self.known).finish_non_exhaustive()
    }
}

impl Sparse {
    /// Untouched. `known`: what `fill` gives is data; otherwise it only keeps the place of what is to be written.
    pub fn new(fill: Fill, known: bool) -> Self {
        Self { fill, known, inside: Mutex::default() }
    }

    /// Does something to the page of an offset; `f` gets the place in it and says whether all it used has a value.
    fn page<R>(&self, offset: u64, f: impl FnOnce(&mut Page, usize) -> (R, bool)) -> R {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let Inside { pages, unknown } = &mut *inside;
        let number = offset / PAGE;
        let page = pages.entry(number).or_insert_with(|| {
            let mut page = Box::new(Page { bytes: [0; PAGE as usize], read: Marks::NONE, written: Marks::NONE });
            (self.fill)(number * PAGE, &mut page.bytes);
            page
        });
        let (result, sound) = f(page, (offset % PAGE) as usize);
        *unknown |= !sound;
        result
    }

    /// Reads a naturally aligned value of 1 to 8 bytes.
    pub fn load(&self, offset: u64, size: u32) -> u64 {
        self.page(offset, |page, at| {
            let mut bytes = [0; 8];
            bytes[..size as usize].copy_from_slice(&page.bytes[at..at + size as usize]);
            let sound = self.known || page.written.all(at, size as usize);
            page.read.set(at, size as usize);
            (u64::from_le_bytes(bytes), sound)
        })
    }

    /// Stores a naturally aligned value of 1 to 8 bytes.
    pub fn store(&self, offset: u64, size: u32, value: u64) {
        self.page(offset, |page, at| {
            page.bytes[at..at + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
            page.written.set(at, size as usize);
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
            match inside.pages.get(&(at / PAGE)) {
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
        for (number, page) in &inside.pages {
            touched.read_bytes += page.read.ones();
            touched.written_bytes += page.written.ones();
            ranges(&mut touched.read, &page.read, number * PAGE, size);
            ranges(&mut touched.written, &page.written, number * PAGE, size);
        }
        touched
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting() -> Fill {
        Arc::new(|offset, bytes: &mut [u8]| {
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = (offset + at as u64) as u8;
            }
        })
    }

    #[test]
    fn pages_come_when_they_are_touched() {
        let memory = Sparse::new(counting(), true);
        assert_eq!(memory.load((1 << 40) + 4, 4), 0x0706_0504);
        memory.store(PAGE - 1, 1, 0xab);
        memory.store(PAGE, 2, 0x1234);
        assert_eq!(memory.load(PAGE - 1, 1), 0xab);
        let touched = memory.touched(1 << 41);
        assert_eq!(touched.read, [(PAGE - 1, PAGE), ((1 << 40) + 4, (1 << 40) + 8)]);
        assert_eq!(touched.written, [(PAGE - 1, PAGE + 2)], "joined over the edge of a page");
        assert_eq!((touched.read_bytes, touched.written_bytes), (5, 3));
        assert!(!touched.unknown);
        let mut bytes = [0; 4];
        memory.peek(PAGE - 2, &mut bytes);
        assert_eq!(bytes, [0xfe, 0xab, 0x34, 0x12]);
        memory.forget();
        assert_eq!(memory.touched(1 << 41), Touched::default());
        assert_eq!(memory.load(PAGE - 1, 1), 0xff);
    }

    #[test]
    fn what_nobody_wrote_has_no_value() {
        let memory = Sparse::new(counting(), false);
        memory.store(8, 4, 1);
        memory.load(8, 4);
        assert!(!memory.touched(4096).unknown);
        memory.load(8, 8);
        assert!(memory.touched(4096).unknown);
    }
}

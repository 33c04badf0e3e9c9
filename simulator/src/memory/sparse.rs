//! Memory that exists only where it is touched: pages are filled when a kernel first comes there, and remember which of their
//! bytes were read and written. So a few blocks of a huge grid cost no more than those of a small one.

use crate::random::ByNumber;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page: kernels that jump from row to row need little of each.
pub const PAGE: u64 = 1024;

/// Gives bytes from an offset on, always the same ones.
pub type Fill = Arc<dyn Fn(u64, &mut [u8]) + Send + Sync>;

/// What a page's bytes went through: a bit a byte.
#[derive(Clone)]
struct Marks([u64; PAGE as usize / 64]);

impl Marks {
    const NONE: Self = Self([0; PAGE as usize / 64]);

    /// The word with the bits of naturally aligned 1 to 32 bytes, and those bits.
    fn place(from: usize, size: usize) -> (usize, u64) {
        (from / 64, ((1 << size) - 1) << (from % 64))
    }

    fn set(&mut self, from: usize, size: usize) {
        let (word, bits) = Self::place(from, size);
        self.0[word] |= bits;
    }

    fn clear(&mut self, from: usize, size: usize) {
        let (word, bits) = Self::place(from, size);
        self.0[word] &= !bits;
    }

    fn any(&self, from: usize, size: usize) -> bool {
        let (word, bits) = Self::place(from, size);
        bits & self.0[word] != 0
    }

    fn all(&self, from: usize, size: usize) -> bool {
        let (word, bits) = Self::place(from, size);
        bits & !self.0[word] == 0
    }

    /// The words of any bytes, each with their bits in it.
    fn places(from: usize, size: usize) -> impl Iterator<Item = (usize, u64)> {
        let end = from + size;
        (from / 64..end.div_ceil(64)).map(move |word| {
            let (low, high) = (from.max(64 * word) - 64 * word, end.min(64 * word + 64) - 64 * word);
            (word, u64::MAX >> (64 - (high - low)) << low)
        })
    }

    fn ones(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

struct Page {
    bytes: [u8; PAGE as usize],
    read: Marks,
    written: Marks,
    /// Changed by atomics without a result, on nothing that has a value: neither has what is there now.
    changed: Marks,
    /// Changed by atomics of launches that are not over.
    summed: Marks,
}

impl Page {
    /// Do these bytes have a value, where what is filled in is `known` or not?
    fn has_value(&self, known: bool, from: usize, size: usize) -> bool {
        (known || self.written.all(from, size)) && !self.changed.any(from, size)
    }

    /// The same of any number of bytes; they are read.
    fn read_run(&mut self, known: bool, from: usize, size: usize) -> bool {
        let mut sound = true;
        for (word, bits) in Marks::places(from, size) {
            sound &= (known || bits & !self.written.0[word] == 0) && bits & self.changed.0[word] == 0;
            self.read.0[word] |= bits;
        }
        sound
    }

    /// Any number of bytes were written.
    fn written_run(&mut self, from: usize, size: usize) {
        for (word, bits) in Marks::places(from, size) {
            self.written.0[word] |= bits;
            self.changed.0[word] &= !bits;
            self.summed.0[word] &= !bits;
        }
    }

    fn value(&self, from: usize, size: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.bytes[from..from + size]);
        u64::from_le_bytes(bytes)
    }

    fn put(&mut self, from: usize, size: usize, value: u64) {
        self.bytes[from..from + size].copy_from_slice(&value.to_le_bytes()[..size]);
        self.written.set(from, size);
        self.changed.clear(from, size);
        self.summed.clear(from, size);
    }

    /// Puts in what an atomic makes of what is there: what that was, and whether it had a value.
    fn update(&mut self, known: bool, (from, size): (usize, usize), f: impl FnOnce(u64) -> u64) -> (u64, bool) {
        let sound = self.has_value(known, from, size);
        self.read.set(from, size);
        let before = self.value(from, size);
        self.put(from, size, f(before));
        self.summed.set(from, size);
        (before, sound)
    }
}

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

/// Gives lanes from `lane` on their values of `SIZE` bytes, as many each as there are rows.
fn spread<const SIZE: usize>(bytes: &[u8], lane: usize, values: &mut [[u64; 32]]) {
    let count = values.len();
    for (at, bytes) in bytes.as_chunks::<SIZE>().0.iter().enumerate() {
        let mut value = [0; 8];
        value[..SIZE].copy_from_slice(bytes);
        values[at % count][lane + at / count] = u64::from_le_bytes(value);
    }
}

/// The other way round.
fn gather<const SIZE: usize>(bytes: &mut [u8], lane: usize, values: &[[u64; 32]]) {
    let count = values.len();
    for (at, bytes) in bytes.as_chunks_mut::<SIZE>().0.iter_mut().enumerate() {
        bytes.copy_from_slice(&values[at % count][lane + at / count].to_le_bytes()[..SIZE]);
    }
}

/// Lanes whose bytes follow each other in a page.
struct Run {
    /// The first of them.
    lane: usize,
    /// How many.
    count: usize,
    /// The page.
    number: u64,
    /// Where in the page the first one's bytes begin.
    from: usize,
}

/// All lanes of `mask`, of `whole` bytes each, in order. Neighbours are at neighbouring places, as a rule.
fn runs(mask: u32, offsets: &[u64; 32], whole: usize) -> impl Iterator<Item = Run> + '_ {
    let mut next = 0;
    std::iter::from_fn(move || {
        let lane = next + (u64::from(mask) >> next).trailing_zeros() as usize;
        if lane >= 32 {
            return None;
        }
        let (number, from) = (offsets[lane] / PAGE, (offsets[lane] % PAGE) as usize);
        let follows = |count: &usize| {
            mask >> (lane + count) & 1 != 0 && offsets[lane + count] == offsets[lane] + (count * whole) as u64
        };
        let most = (32 - lane).min((PAGE as usize - from) / whole).max(1);
        let count = (1..most).find(|count| !follows(count)).unwrap_or(most);
        next = lane + count;
        Some(Run { lane, count, number, from })
    })
}

/// The contents of a sparse allocation.
pub struct Sparse {
    fill: Fill,
    /// What is filled in has a value that a kernel may use; else only what kernels write has.
    known: bool,
    /// See [`Self::meeting`].
    meets: bool,
    /// On the page there is none: nothing of it is in the module.
    #[cfg(target_family = "wasm")]
    never: std::convert::Infallible,
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
    fn lanes_read_together_what_they_read_alone() {
        let [together, alone] = [(); 2].map(|()| Sparse::new(counting(), false));
        for memory in [&together, &alone] {
            memory.store(64, 8, 0x1122_3344_5566_7788);
        }
        for (size, count, mask) in [(4u32, 1usize, u32::MAX), (4, 4, 0x00ff_0f01), (8, 2, 0xf000_0000), (1, 2, 1)] {
            let stride = u64::from(size) * count as u64 * if mask == u32::MAX { 1 } else { 67 };
            let offsets: [u64; 32] = std::array::from_fn(|lane| lane as u64 * stride);
            let mut values = vec![[0; 32]; count];
            together.load_lanes(mask, &offsets, size, &mut values);
            for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                for (at, values) in values.iter().enumerate() {
                    let offset = offsets[lane] + u64::from(size) * at as u64;
                    assert_eq!(values[lane], alone.load(offset, size), "lane {lane}, element {at} of {size} bytes");
                }
            }
        }
        assert_eq!(together.touched(1 << 20), alone.touched(1 << 20));
        assert!(together.unknown());
    }

    #[test]
    fn pages_with_the_same_last_bits_are_not_mixed_up() {
        let memory = Sparse::new(counting(), true);
        let far = |page: u64| page * RECENT as u64 * PAGE;
        for round in 0..2 {
            for page in 0..3 {
                assert_eq!(memory.load(far(page), 8), if round == 0 { 0x0706_0504_0302_0100 } else { page });
                memory.store(far(page), 8, page);
            }
        }
        assert_eq!(memory.touched(1 << 40).written, [0, 1, 2].map(|page| (far(page), far(page) + 8)));
    }

    #[test]
    fn what_nobody_wrote_has_no_value() {
        let memory = Sparse::new(counting(), false);
        memory.store(8, 4, 1);
        memory.load(8, 4);
        assert!(!memory.touched(4096).unknown);
        // Who changes what is there without looking at it knows no more than before, and says where it was.
        assert_eq!(memory.change(8, 4, false, |before| before + 4), 1);
        memory.change(64, 4, false, |before| before + 1);
        let touched = memory.touched(4096);
        assert!(!touched.unknown && touched.changed && touched.written == [(8, 12), (64, 68)], "{touched:?}");
        memory.load(8, 4);
        assert!(!memory.touched(4096).unknown);
        memory.load(64, 4);
        assert!(memory.touched(4096).unknown);
        memory.forget();
        memory.load(8, 8);
        assert!(memory.touched(4096).unknown);
    }

    #[test]
    fn a_part_of_a_sum_has_no_value_for_later_launches() {
        let memory = Sparse::new(counting(), false);
        for at in [0, 4, 8] {
            memory.store(at, 4, 0);
        }
        // Within a launch blocks take numbers from a word, or look at what they have added.
        assert_eq!((memory.change(0, 4, true, |_| 5), memory.change(4, 4, false, |_| 6)), (0, 0));
        assert_eq!((memory.load(0, 4), memory.load(4, 4)), (5, 6));
        memory.end_part();
        assert!(!memory.unknown());
        // Who clears it anew knows what is there; so does who comes to what no atomic has changed.
        memory.store(4, 4, 7);
        assert_eq!((memory.load(4, 4), memory.load(8, 4)), (7, 0));
        assert!(!memory.unknown());
        memory.load(0, 4);
        assert!(memory.unknown());
    }
}

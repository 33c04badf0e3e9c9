//! A page: its bytes, and what they went through.

/// Bytes of a page: kernels that jump from row to row need little of each.
pub const PAGE: u64 = 1024;

/// What a page's bytes went through: a bit a byte.
#[derive(Clone)]
pub(super) struct Marks(pub(super) [u64; PAGE as usize / 64]);

impl Marks {
    pub(super) const NONE: Self = Self([0; PAGE as usize / 64]);

    /// The word with the bits of naturally aligned 1 to 32 bytes, and those bits.
    fn place(from: usize, size: usize) -> (usize, u64) {
        (from / 64, ((1 << size) - 1) << (from % 64))
    }

    pub(super) fn set(&mut self, from: usize, size: usize) {
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

    pub(super) fn ones(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

pub(super) struct Page {
    pub(super) bytes: [u8; PAGE as usize],
    pub(super) read: Marks,
    pub(super) written: Marks,
    /// Changed by atomics without a result, on nothing that has a value: neither has what is there now.
    pub(super) changed: Marks,
    /// Changed by atomics of launches that are not over.
    pub(super) summed: Marks,
}

impl Page {
    /// Do these bytes have a value, where what is filled in is `known` or not?
    pub(super) fn has_value(&self, known: bool, from: usize, size: usize) -> bool {
        (known || self.written.all(from, size)) && !self.changed.any(from, size)
    }

    /// The same of any number of bytes; they are read.
    pub(super) fn read_run(&mut self, known: bool, from: usize, size: usize) -> bool {
        let mut sound = true;
        for (word, bits) in Marks::places(from, size) {
            sound &= (known || bits & !self.written.0[word] == 0) && bits & self.changed.0[word] == 0;
            self.read.0[word] |= bits;
        }
        sound
    }

    /// Any number of bytes were written.
    pub(super) fn written_run(&mut self, from: usize, size: usize) {
        for (word, bits) in Marks::places(from, size) {
            self.written.0[word] |= bits;
            self.changed.0[word] &= !bits;
            self.summed.0[word] &= !bits;
        }
    }

    pub(super) fn value(&self, from: usize, size: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.bytes[from..from + size]);
        u64::from_le_bytes(bytes)
    }

    pub(super) fn put(&mut self, from: usize, size: usize, value: u64) {
        self.bytes[from..from + size].copy_from_slice(&value.to_le_bytes()[..size]);
        self.written.set(from, size);
        self.changed.clear(from, size);
        self.summed.clear(from, size);
    }

    /// Puts in what an atomic makes of what is there: what that was, and whether it had a value.
    pub(super) fn update(
        &mut self,
        known: bool,
        (from, size): (usize, usize),
        f: impl FnOnce(u64) -> u64,
    ) -> (u64, bool) {
        let sound = self.has_value(known, from, size);
        self.read.set(from, size);
        let before = self.value(from, size);
        self.put(from, size, f(before));
        self.summed.set(from, size);
        (before, sound)
    }
}

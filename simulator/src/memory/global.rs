//! Global memory: allocations of 32-bit words that host threads share. Accesses are relaxed atomics, so a racy kernel is
//! a wrong kernel and never undefined behaviour.

use super::layout::Layout;
use super::reads::Reads;
use super::sparse::Sparse;
use crate::appearance::Appearance;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// One allocation.
#[derive(Debug)]
pub struct Allocation {
    /// First address.
    pub base: u64,
    /// Bytes asked for.
    pub size: u64,
    /// Name in findings.
    pub name: String,
    /// Stores are refused.
    pub constant: bool,
    /// Stores are findings.
    pub input: bool,
    /// What `malloc` takes from: only its blocks may be touched.
    pub heap: bool,
    /// Contents, the last word padded; empty where they are sparse.
    pub words: Box<[AtomicU32]>,
    /// Contents that exist only where they are touched.
    pub sparse: Option<Sparse>,
    /// What kernels read of it, if somebody wants to know.
    pub reads: Option<Reads>,
    /// What the host has filled all of it with, word by word, if nobody has written anything since.
    pub filled: Option<u32>,
}

const STRIPES: usize = 64;

/// All allocations, ordered by address.
#[derive(Debug)]
pub struct Global {
    /// The allocations.
    pub allocations: Vec<Allocation>,
    /// Bytes in use.
    pub in_use: u64,
    layout: Layout,
    /// Where what was placed begins and ends.
    placed: Option<Range<u64>>,
    /// Where allocations that were not placed begin and end, by address.
    reserved: Vec<Range<u64>>,
    locks: Vec<Mutex<()>>,
}

impl Global {
    /// Empty; addresses as on that machine.
    pub fn new(appearance: Appearance) -> Self {
        Self {
            allocations: Vec::new(),
            in_use: 0,
            layout: Layout::new(appearance),
            placed: None,
            reserved: Vec::new(),
            locks: (0..STRIPES).map(|_| Mutex::new(())).collect(),
        }
    }

    /// Adds an allocation at a fixed address, before any other kind; gives its index.
    pub fn place(&mut self, base: u64, size: u64, name: &str, constant: bool) -> usize {
        let end = base + size;
        self.placed = Some(self.placed.take().map_or(base..end, |all| all.start.min(base)..all.end.max(end)));
        self.insert(Allocation { constant, ..Allocation::of_words(base, size, name) })
    }

    /// Adds an allocation that needs memory only where it is touched.
    #[cfg(not(target_family = "wasm"))]
    pub fn alloc_sparse(&mut self, size: u64, name: &str, contents: Sparse) -> u64 {
        let base = self.reserve(size);
        let none = Allocation::of_words(base, 0, name);
        self.insert(Allocation { size, sparse: Some(contents), filled: None, ..none });
        base
    }

    /// Takes addresses for an allocation that nobody has.
    fn reserve(&mut self, size: u64) -> u64 {
        let mut there = self.reserved.clone();
        let at = self.placed.as_ref().map(|placed| there.partition_point(|one| one.start < placed.start));
        if let (Some(at), Some(placed)) = (at, &self.placed) {
            there.insert(at, placed.clone());
        }
        let base = self.layout.next(&there, self.reserved.len() as u64, size);
        let at = self.reserved.partition_point(|one| one.start < base);
        self.reserved.insert(at, base..base + size);
        base
    }

    /// Puts an allocation where it belongs by its address; gives its index.
    fn insert(&mut self, allocation: Allocation) -> usize {
        if allocation.sparse.is_none() {
            self.in_use += allocation.size;
        }
        let at = self.allocations.partition_point(|one| one.base <= allocation.base);
        self.allocations.insert(at, allocation);
        at
    }

    /// Adds an allocation: 256-byte aligned, and at least 512 bytes away from all others.
    pub fn alloc(&mut self, size: u64, name: &str) -> u64 {
        let base = self.reserve(size);
        self.insert(Allocation::of_words(base, size, name));
        base
    }

    /// Index of the allocation that holds all of `address .. address + size`.
    #[inline]
    pub fn find(&self, address: u64, size: u64) -> Option<usize> {
        let at = self.allocations.partition_point(|allocation| allocation.base <= address).checked_sub(1)?;
        let allocation = &self.allocations[at];
        let offset = address - allocation.base;
        (offset <= allocation.size && size <= allocation.size - offset).then_some(at)
    }

    /// May that allocation be written to without a look at it?
    #[inline(always)]
    pub fn is_writable(&self, allocation: usize) -> bool {
        !self.allocations[allocation].is_read_only()
    }

    /// A launch has run: what it may have written is no longer what the host filled it with.
    pub fn launched(&mut self) {
        for allocation in &mut self.allocations {
            allocation.filled = None;
            allocation.reads.iter_mut().for_each(Reads::launched);
        }
    }

    /// The lock that guards a 64-bit word.
    pub fn lock(&self, address: u64) -> &Mutex<()> {
        &self.locks[(address >> 3) as usize % STRIPES]
    }
}

impl Allocation {
    /// One that may be read and written, all zero.
    fn of_words(base: u64, size: u64, name: &str) -> Self {
        Self {
            base,
            size,
            name: name.to_string(),
            constant: false,
            input: false,
            heap: false,
            // Zeroed by who lends memory, as it is touched: collecting them where they are costs nothing (in an optimised build).
            words: vec![0; size.div_ceil(4) as usize].into_iter().map(AtomicU32::new).collect(),
            sparse: None,
            reads: None,
            filled: Some(0),
        }
    }

    /// Is a store something to be looked at?
    pub fn is_read_only(&self) -> bool {
        self.constant || self.input
    }

    /// A naturally aligned value of 1 to 8 bytes.
    #[inline(always)]
    pub fn load(&self, offset: u64, size: u32) -> u64 {
        if let Some(sparse) = &self.sparse {
            return sparse.load(offset, size);
        }
        if let Some(reads) = &self.reads {
            reads.note(offset, size);
        }
        self.peek(offset, size)
    }

    /// The same for the simulator's own ends: no kernel has read it.
    #[inline(always)]
    pub fn peek(&self, offset: u64, size: u32) -> u64 {
        if let Some(sparse) = &self.sparse {
            let mut bytes = [0; 8];
            sparse.peek(offset, &mut bytes[..size as usize]);
            return u64::from_le_bytes(bytes);
        }
        let at = (offset >> 2) as usize;
        match size {
            4 => self.words[at].load(Relaxed).into(),
            8 => u64::from(self.words[at].load(Relaxed)) | u64::from(self.words[at + 1].load(Relaxed)) << 32,
            _ => {
                let word = self.words[at].load(Relaxed) >> ((offset & 3) * 8);
                u64::from(if size == 1 { word & 0xff } else { word & 0xffff })
            }
        }
    }

    /// Stores a naturally aligned value of 1 to 8 bytes.
    #[inline(always)]
    pub fn store(&self, offset: u64, size: u32, value: u64) {
        if let Some(sparse) = &self.sparse {
            return sparse.store(offset, size, value);
        }
        let at = (offset >> 2) as usize;
        match size {
            4 => self.words[at].store(value as u32, Relaxed),
            8 => {
                self.words[at].store(value as u32, Relaxed);
                self.words[at + 1].store((value >> 32) as u32, Relaxed);
            }
            _ => {
                let shift = (offset & 3) * 8;
                let mask: u32 = if size == 1 { 0xff } else { 0xffff };
                let put = |word: u32| word & !(mask << shift) | (value as u32 & mask) << shift;
                // Never fails: the closure always gives a value.
                let _ = self.words[at].fetch_update(Relaxed, Relaxed, |word| Some(put(word)));
            }
        }
    }

    /// Copies bytes out.
    pub fn read(&self, offset: u64, into: &mut [u8]) {
        if let Some(sparse) = &self.sparse {
            return sparse.peek(offset, into);
        }
        let (mut at, mut rest) = (offset, into);
        if at & 3 == 0 {
            let (whole, last) = rest.as_chunks_mut::<4>();
            let words = &self.words[(at >> 2) as usize..][..whole.len()];
            whole.iter_mut().zip(words).for_each(|(into, word)| *into = word.load(Relaxed).to_le_bytes());
            at += whole.len() as u64 * 4;
            rest = last;
        }
        while !rest.is_empty() {
            let word = self.words[(at >> 2) as usize].load(Relaxed).to_le_bytes();
            let from = (at & 3) as usize;
            let count = (4 - from).min(rest.len());
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&word[from..from + count]);
            at += count as u64;
            rest = later;
        }
    }

    /// Copies bytes in; only the host does, while nothing runs.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        if let Some(sparse) = &self.sparse {
            (offset..).zip(bytes).for_each(|(at, byte)| sparse.store(at, 1, (*byte).into()));
            return;
        }
        let (mut at, mut rest) = (offset, bytes);
        if at & 3 == 0 {
            let (whole, last) = rest.as_chunks::<4>();
            let words = &self.words[(at >> 2) as usize..][..whole.len()];
            whole.iter().zip(words).for_each(|(from, word)| word.store(u32::from_le_bytes(*from), Relaxed));
            at += whole.len() as u64 * 4;
            rest = last;
        }
        while !rest.is_empty() {
            let cell = &self.words[(at >> 2) as usize];
            let from = (at & 3) as usize;
            let count = (4 - from).min(rest.len());
            let mut word = cell.load(Relaxed).to_le_bytes();
            word[from..from + count].copy_from_slice(&rest[..count]);
            cell.store(u32::from_le_bytes(word), Relaxed);
            at += count as u64;
            rest = &rest[count..];
        }
    }
}

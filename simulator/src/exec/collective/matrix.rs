//! Matrix instructions of a whole warp.

use crate::exec::accessing::{Accessing, LaneBytes, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::defined::{Fragments, Reached};
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, MatrixKind, MatrixOp, Reg};
use crate::num::matrix::{self, Element, Family, MatrixOperand, MatrixShape};
use crate::observe::{AccessKind, MemoryOrder, Observer, Scope};

impl<O: Observer> Worker<'_, O> {
    /// Which of the lanes that store to one place in one instruction comes last is not defined. A schedule stops lanes before most
    /// stores; those that lanes execute together come in reverse where it has the last warps go first.
    pub(in crate::exec) fn last_stores_first(&self) -> bool {
        self.control.as_ref().is_some_and(|control| control.warps_reversed)
    }

    /// Executes one of them.
    pub fn matrix(&mut self, shared: &mut Shared, warp: &mut Warp, at: usize, op: &MatrixOp) -> Flow {
        let group = warp.groups[at];
        let input = fragments(warp, group.frame, &op.sources);
        let doubts = Fragments::of(warp, group.frame, &op.sources);
        match &op.kind {
            MatrixKind::Product(product) => {
                let words: usize = op.d.iter().map(|reg| words_of(*reg)).sum();
                let mut output = vec![[0; 32]; words];
                product.run(&input, &mut output);
                let shape = product.shape;
                let flops = 2 * u64::from(shape.m) * u64::from(shape.n) * u64::from(shape.k);
                if !product.a.is_integer() {
                    self.count(group.pc, |c| {
                        c.flops += flops;
                        c.flops_matrix += flops;
                    });
                }
                let doubts = doubts.map(|doubts| doubts.product(product, &input, &output));
                write_fragments(warp, group.frame, &op.d, group.mask, &output);
                if let Some(doubts) = doubts {
                    doubts.mark(warp, &group, &op.d);
                }
                Flow::Continue
            }
            MatrixKind::Transpose => {
                let output = matrix::movmatrix(&input[0]);
                write_fragments(warp, group.frame, &op.d, group.mask, &[output]);
                if let Some(mut doubts) = doubts {
                    doubts.words[0] = matrix::movmatrix(&doubts.words[0]);
                    doubts.mark(warp, &group, &op.d);
                }
                Flow::Continue
            }
            MatrixKind::Load { transposed } => self.rows(shared, warp, at, op, *transposed, None),
            MatrixKind::Store { transposed } => self.rows(shared, warp, at, op, *transposed, Some(&input)),
            MatrixKind::WmmaLoad { shape, role, element, row_major } => {
                self.wmma(shared, warp, at, op, (*shape, *role, *element, *row_major), None)
            }
            MatrixKind::WmmaStore { shape, role, element, row_major } => {
                self.wmma(shared, warp, at, op, (*shape, *role, *element, *row_major), Some(&input))
            }
        }
    }

    /// `ldmatrix`, `stmatrix`: lane `8 i + r` has the address of row `r` of matrix `i`.
    fn rows(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        at: usize,
        op: &MatrixOp,
        transposed: bool,
        stored: Option<&[[u32; 32]]>,
    ) -> Flow {
        let group = warp.groups[at];
        let count = stored.map_or(op.d.len(), <[_]>::len);
        let mut found = self.lane_addresses(warp, group.frame, op.base, op.offset, false);
        let mask = u32::MAX >> (32 - 8 * count.min(4));
        let kind = if stored.is_some() { AccessKind::Store } else { AccessKind::Load };
        let by = |lanes| Accessing { pc: group.pc, lanes, kind };
        let mut output = vec![[0; 32]; count];
        let mut doubts = Fragments::defined(count);
        let stored_doubts = stored.and_then(|_| Fragments::of(warp, group.frame, &op.sources));
        for (space, part) in Self::by_space(op.space, mask, &mut found) {
            let row = WarpBytes::new(space, &found, 16);
            if let Some(stop) = self.outside_array(shared, warp, by(part), row, op.array) {
                return stop;
            }
            self.count_access(group.pc, space, kind, part, &found, 16);
            if stored.is_some() && space == AddressSpace::Global {
                self.protect(shared, warp, by(part), &found, 16);
            }
            for lane in (0..32).filter(|lane| part >> lane & 1 != 0) {
                if !found[lane].is_multiple_of(16) {
                    let row = LaneBytes::new(space, found[lane], 16);
                    return self.bad_access(shared, warp, by(1 << lane), row, AccessError::Misaligned);
                }
            }
            let mut all: Vec<_> = halves(count).collect();
            if stored.is_some() && self.last_stores_first() {
                all.reverse();
            }
            for (number, lane, half) in all {
                let (row, column) = matrix::ldmatrix_place(lane, half, transposed);
                let from = 8 * number + row as usize;
                if part >> from & 1 == 0 {
                    continue;
                }
                let address = found[from].wrapping_add(u64::from(2 * column));
                let bytes = LaneBytes::new(space, address, 2);
                let result = match stored {
                    Some(words) => {
                        let value = u64::from(words[number][lane as usize] >> (16 * half) & 0xffff);
                        self.store_lane(shared, warp, from, bytes, value)
                    }
                    None => self.load_lane(shared, warp, from, bytes).map(|value| {
                        output[number][lane as usize] |= (value as u32) << (16 * half);
                    }),
                };
                if let Err(bad) = result {
                    let row = LaneBytes::new(space, address, 16);
                    return self.bad_access(shared, warp, by(1 << from), row, bad);
                }
            }
            if O::ACTIVE {
                let order = (MemoryOrder::Weak, Scope::Gpu);
                let unwritten = self.observe(shared, warp, by(part), WarpBytes::new(space, &found, 16), order);
                let to = Reached { pc: group.pc, space, mask: part, addresses: &found, unwritten };
                if self.doubts(&to) || stored_doubts.is_some() {
                    for (number, lane, half) in halves(count) {
                        let (row, column) = matrix::ldmatrix_place(lane, half, transposed);
                        let (from, at) = (8 * number + row as usize, (2 * column, 2));
                        if part >> from & 1 == 0 {
                            continue;
                        }
                        let shift = 16 * half;
                        if stored.is_some() {
                            let bits = stored_doubts.as_ref().map_or((0, None), |doubts| {
                                (u64::from(doubts.words[number][lane as usize] >> shift & 0xffff), doubts.origin)
                            });
                            self.fragment_written(shared, warp, &to, from, at, bits);
                        } else {
                            let bits = self.fragment_read(shared, warp, &to, from, at, &mut doubts);
                            doubts.words[number][lane as usize] |= (bits as u32) << shift;
                        }
                    }
                }
            }
        }
        write_fragments(warp, group.frame, &op.d, group.mask, &output);
        if doubts.origin.is_some() {
            doubts.mark(warp, &group, &op.d);
        }
        Flow::Continue
    }

    /// Counts the requests of `wmma.load` and `wmma.store`. Who holds which element is left open, and is another matter.
    fn request(
        &mut self,
        warp: &Warp,
        at: usize,
        op: &MatrixOp,
        (shape, role, element, row_major): (MatrixShape, MatrixOperand, Element, bool),
        (base, stride): (&[u64; 32], &[u64; 32]),
    ) {
        let group = warp.groups[at];
        let kind = if matches!(op.kind, MatrixKind::WmmaStore { .. }) { AccessKind::Store } else { AccessKind::Load };
        for request in matrix::wmma_requests(shape, role, element, row_major) {
            let mut found =
                std::array::from_fn(|lane| address_of(base[lane], stride[lane], request.places[lane], element));
            for (space, part) in Self::by_space(op.space, group.mask, &mut found) {
                self.count_access(group.pc, space, kind, part, &found, request.elements * element.bits() / 8);
            }
        }
    }

    /// Refuses a matrix in memory that does not begin at a multiple of 256 bits, or whose rows or columns are not multiples of 128
    /// bits apart, as the CUDA guide asks. Elements of a byte and less need no more than a fragment's size, as the PTX manual says:
    /// tiles of 16 bytes a row lie next to each other.
    fn misplaced(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        by: Accessing,
        op: &MatrixOp,
        (base, stride): (&[u64; 32], &[u64; 32]),
        (element, words): (Element, u32),
    ) -> Option<Flow> {
        let begin = if element.bits() < 16 { 32.min(4 * words) } else { 32 };
        let second = |lane: usize| address_of(base[lane], stride[lane], (1, 0), element);
        let apart = |lane: usize| second(lane).wrapping_sub(base[lane]);
        let of = |wrong: &dyn Fn(usize) -> bool| {
            (0..32).filter(|&lane| by.lanes >> lane & 1 != 0 && wrong(lane)).fold(0u32, |mask, lane| mask | 1 << lane)
        };
        let early = of(&|lane| !base[lane].is_multiple_of(begin.into()));
        let (lanes, size) = if early == 0 { (of(&|lane| !apart(lane).is_multiple_of(16)), 16) } else { (early, begin) };
        let lane = (0..32).find(|lane| lanes >> lane & 1 != 0)?;
        let at = if early == 0 { second(lane) } else { base[lane] };
        let (space, at) = Self::resolve(op.space, at);
        let bytes = LaneBytes::new(space, at, size);
        Some(self.bad_access(shared, warp, Accessing { lanes, ..by }, bytes, AccessError::Misaligned))
    }

    /// `wmma.load`, `wmma.store`.
    fn wmma(
        &mut self,
        shared: &mut Shared,
        warp: &mut Warp,
        at: usize,
        op: &MatrixOp,
        (shape, role, element, row_major): (MatrixShape, MatrixOperand, Element, bool),
        stored: Option<&[[u32; 32]]>,
    ) -> Flow {
        let group = warp.groups[at];
        // Elements narrower than a byte are accessed by words.
        let bytes = if element.bits() < 8 { 4 } else { element.bits() / 8 };
        let elements = bytes * 8 / element.bits();
        let words = matrix::words(Family::Wmma, shape, role, element);
        let base = self.lane_addresses(warp, group.frame, op.base, op.offset, false);
        let stride = warp.read(group.frame, op.stride);
        let kind = if stored.is_some() { AccessKind::Store } else { AccessKind::Load };
        let by = |lanes| Accessing { pc: group.pc, lanes, kind };
        let mut output = vec![[0u32; 32]; words as usize];
        let mut doubts = Fragments::defined(words as usize);
        let stored_doubts = stored.and_then(|_| Fragments::of(warp, group.frame, &op.sources));
        if let Some(stop) = self.misplaced(shared, warp, by(group.mask), op, (&base, &stride), (element, words)) {
            return stop;
        }
        self.request(warp, at, op, (shape, role, element, row_major), (&base, &stride));
        let last_first = stored.is_some() && self.last_stores_first();
        let count = words * 4 / bytes;
        for index in (0..count).map(|index| if last_first { count - 1 - index } else { index }) {
            let mut found = element_of(&base, &stride, (shape, role, element, row_major), index * elements);
            let (word, shift) = ((index * bytes / 4) as usize, index * bytes % 4 * 8);
            for (space, part) in Self::by_space(op.space, group.mask, &mut found) {
                let accessed = WarpBytes::new(space, &found, bytes);
                if let Some(stop) = self.outside_array(shared, warp, by(part), accessed, op.array) {
                    return stop;
                }
                if stored.is_some() && space == AddressSpace::Global {
                    self.protect(shared, warp, by(part), &found, bytes);
                }
                for lane in in_order(part, last_first) {
                    let accessed = LaneBytes::new(space, found[lane], bytes);
                    let result = match stored {
                        Some(words) => {
                            let mut value = u64::from(words[word][lane] >> shift);
                            if bytes == 8 {
                                value |= u64::from(words[word + 1][lane]) << 32;
                            }
                            self.store_lane(shared, warp, lane, accessed, value)
                        }
                        None => self.load_lane(shared, warp, lane, accessed).map(|value| {
                            output[word][lane] |= (value as u32) << shift;
                            if bytes == 8 {
                                output[word + 1][lane] = (value >> 32) as u32;
                            }
                        }),
                    };
                    if let Err(bad) = result {
                        return self.bad_access(shared, warp, by(1 << lane), accessed, bad);
                    }
                }
                if O::ACTIVE {
                    let order = (MemoryOrder::Weak, Scope::Gpu);
                    let unwritten = self.observe(shared, warp, by(part), WarpBytes::new(space, &found, bytes), order);
                    let to = Reached { pc: group.pc, space, mask: part, addresses: &found, unwritten };
                    if self.doubts(&to) || stored_doubts.is_some() {
                        for lane in (0..32).filter(|lane| part >> lane & 1 != 0) {
                            if stored.is_some() {
                                let bits = stored_doubts.as_ref().map_or((0, None), |doubts| {
                                    let low = u64::from(doubts.words[word][lane] >> shift);
                                    let high = if bytes == 8 { doubts.words[word + 1][lane] } else { 0 };
                                    ((low | u64::from(high) << 32) & u64::MAX >> (64 - 8 * bytes), doubts.origin)
                                });
                                self.fragment_written(shared, warp, &to, lane, (0, bytes), bits);
                            } else {
                                let bits = self.fragment_read(shared, warp, &to, lane, (0, bytes), &mut doubts);
                                doubts.words[word][lane] |= (bits as u32) << shift;
                                if bytes == 8 {
                                    doubts.words[word + 1][lane] = (bits >> 32) as u32;
                                }
                            }
                        }
                    }
                }
            }
        }
        write_fragments(warp, group.frame, &op.d, group.mask, &output);
        if doubts.origin.is_some() {
            doubts.mark(warp, &group, &op.d);
        }
        Flow::Continue
    }
}

/// Where an element of a matrix in memory lies, by its coordinates along the stride and along neighbours.
fn address_of(base: u64, stride: u64, (slow, fast): (u32, u32), element: Element) -> u64 {
    let position = u64::from(slow) * (stride & 0xffff_ffff) + u64::from(fast);
    base.wrapping_add(position * u64::from(element.bits()) / 8)
}

/// Where the elements lie that are the lanes' `index`th.
fn element_of(
    base: &[u64; 32],
    stride: &[u64; 32],
    (shape, role, element, row_major): (MatrixShape, MatrixOperand, Element, bool),
    index: u32,
) -> [u64; 32] {
    std::array::from_fn(|lane| {
        let (row, column) = matrix::place(Family::Wmma, shape, role, element, lane as u32, index);
        let place = if row_major { (row, column) } else { (column, row) };
        address_of(base[lane], stride[lane], place, element)
    })
}

/// The lanes of a mask, the last one first perhaps.
pub(in crate::exec) fn in_order(mask: u32, last_first: bool) -> impl Iterator<Item = usize> {
    let lanes = (0..32).map(move |lane| if last_first { 31 - lane } else { lane });
    lanes.filter(move |lane| mask >> lane & 1 != 0)
}

/// The halves of words that lanes hold of matrices of 8 x 8: matrix, lane, half.
fn halves(count: usize) -> impl Iterator<Item = (usize, u32, u32)> {
    (0..count).flat_map(|number| (0..32).flat_map(move |lane| (0..2).map(move |half| (number, lane, half))))
}

fn words_of(reg: Reg) -> usize {
    if matches!(reg, Reg::R64(_)) { 2 } else { 1 }
}

fn fragments(warp: &Warp, frame: u32, regs: &[Reg]) -> Vec<[u32; 32]> {
    let mut out = Vec::with_capacity(regs.len());
    for &reg in regs {
        let lanes = warp.read(frame, reg);
        out.push(lanes.map(|value| value as u32));
        if words_of(reg) == 2 {
            out.push(lanes.map(|value| (value >> 32) as u32));
        }
    }
    out
}

fn write_fragments(warp: &mut Warp, frame: u32, regs: &[Reg], mask: u32, words: &[[u32; 32]]) {
    let mut at = 0;
    for &reg in regs {
        let Some(low) = words.get(at) else { return };
        let high = words.get(at + 1);
        let values = std::array::from_fn(|lane| {
            let high = if words_of(reg) == 2 { high.map_or(0, |high| u64::from(high[lane])) } else { 0 };
            u64::from(low[lane]) | high << 32
        });
        warp.write(frame, reg, mask, &values);
        at += words_of(reg);
    }
}

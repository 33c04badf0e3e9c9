//! `printf` as CUDA's runtime formats it.

use super::format::{Size, Spec};
use crate::exec::accessing::LaneBytes;
#[cfg(not(target_family = "wasm"))]
use crate::exec::accessing::{Accessing, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::context::Worker;
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, CallOp};
use crate::observe::Observer;
#[cfg(not(target_family = "wasm"))]
use crate::{
    exec::defined::Reached,
    observe::{AccessKind, MemoryOrder, Scope},
};

/// Longest string followed.
const TEXT: usize = 4096;

/// What `printf` returns of a format: how many arguments it asks for.
fn asked_for(format: &[u8]) -> u32 {
    let (mut count, mut rest) = (0, format);
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        let mut spec = Spec::default();
        let Some((kind, behind)) = rest.get(spec.parse(rest)..).and_then(<[u8]>::split_first) else { break };
        rest = behind;
        count += u32::from(spec.width_argument);
        count += u32::from(!spec.unknown && b"diuoxXcpsfFeEgGaA".contains(kind));
    }
    count
}

impl<O: Observer> Worker<'_, O> {
    /// A C string at a generic address, cut at its NUL.
    pub fn text(&mut self, shared: &Shared, warp: &Warp, lane: usize, address: u64) -> Vec<u8> {
        let mut out = Vec::new();
        while out.len() < TEXT {
            let at = address.wrapping_add(out.len() as u64);
            match self.byte(shared, warp, lane, at, 1) {
                Some(0) | None => break,
                Some(byte) => out.push(byte as u8),
            }
        }
        out
    }

    fn byte(&mut self, shared: &Shared, warp: &Warp, lane: usize, address: u64, size: u32) -> Option<u64> {
        let (space, address) = Self::resolve(AddressSpace::Generic, address);
        self.load_lane(shared, warp, lane, LaneBytes::new(space, address, size)).ok()
    }

    /// Is an argument there? What is not is whatever lies behind the others.
    #[cfg(not(target_family = "wasm"))]
    fn given(&mut self, shared: &Shared, warp: &Warp, (pc, lane): (u32, usize), address: u64, size: u32) {
        let (space, address) = Self::resolve(AddressSpace::Generic, address);
        if !O::ACTIVE || space != AddressSpace::Local {
            return;
        }
        let mut addresses = [0; 32];
        addresses[lane] = address;
        let by = Accessing { pc, lanes: 1 << lane, kind: AccessKind::Load };
        let bytes = WarpBytes::new(space, &addresses, size);
        let unwritten = self.observe(shared, warp, by, bytes, (MemoryOrder::Weak, Scope::Cta));
        self.printed(shared, warp, &Reached { pc, space, mask: 1 << lane, addresses: &addresses, unwritten }, size);
    }

    /// `vprintf(format, arguments)` for the lanes of `mask`.
    pub fn printf_call(&mut self, shared: &Shared, warp: &mut Warp, frame: u32, pc: u32, mask: u32, op: &CallOp) {
        let formats = self.argument(warp, frame, op, 0, 8);
        let arguments = self.argument(warp, frame, op, 1, 8);
        let limit = self.context.config.limits.printf;
        let mut known: Option<(u64, Vec<u8>, u32)> = None;
        let mut returned = [0; 32];
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            if known.as_ref().is_none_or(|(address, ..)| *address != formats[lane]) {
                let format = self.text(shared, warp, lane, formats[lane]);
                let asked = if formats[lane] == 0 { u32::MAX } else { asked_for(&format) };
                known = Some((formats[lane], format, asked));
            }
            let Some((_, format, asked)) = &known else { continue };
            returned[lane] = *asked;
            if self.printf.len() >= limit {
                // The buffer is full for good: what it would have been is not worth the time.
                self.dropped += format.len() as u64;
                if self.dropped_at.is_none() {
                    self.dropped_at = Some(self.place(shared.index, warp, pc, 1 << lane));
                }
                continue;
            }
            let format = format.clone();
            let line = self.format(shared, warp, (pc, lane), &format, arguments[lane]);
            let room = limit - self.printf.len();
            if line.len() > room && self.dropped_at.is_none() {
                self.dropped_at = Some(self.place(shared.index, warp, pc, 1 << lane));
            }
            self.dropped += line.len().saturating_sub(room) as u64;
            self.printf.extend_from_slice(&line[..line.len().min(room)]);
        }
        if let Some(crate::isa::op::CallValue::Memory { offset, .. }) = op.returns.first() {
            let at = warp.frames[frame as usize].local + offset;
            let mask = if warp.has_local(at, 4) { mask } else { 0 };
            for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
                warp.store_local(lane, at, 4, returned[lane].into());
            }
        }
    }

    fn format(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (pc, lane): (u32, usize),
        format: &[u8],
        mut next: u64,
    ) -> Vec<u8> {
        #[cfg(target_family = "wasm")]
        let _ = pc;
        let mut out = Vec::new();
        let mut rest = format;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte != b'%' {
                out.push(byte);
                continue;
            }
            let mut spec = Spec::default();
            let length = spec.parse(tail);
            let Some(&kind) = tail.get(length) else {
                out.push(b'%');
                continue;
            };
            rest = &tail[length + 1..];
            let mut take = |worker: &mut Self, size: u32| {
                next = next.next_multiple_of(u64::from(size));
                let value = worker.byte(shared, warp, lane, next, size).unwrap_or(0);
                #[cfg(not(target_family = "wasm"))]
                worker.given(shared, warp, (pc, lane), next, size);
                next += u64::from(size);
                value
            };
            if spec.width_argument {
                spec.set_width(take(self, 4) as i32);
            }
            spec.width = spec.width.min(TEXT);
            spec.precision = spec.precision.map(|precision| precision.min(TEXT));
            let wide = if spec.size == Size::Long { 8 } else { 4 };
            match Some(kind).filter(|_| !spec.unknown) {
                Some(b'%') => out.push(b'%'),
                Some(b'd' | b'i') => {
                    let raw = take(self, wide);
                    spec.signed(&mut out, raw);
                }
                Some(b'u' | b'o' | b'x' | b'X') => {
                    let raw = take(self, wide);
                    spec.unsigned(&mut out, kind, raw);
                }
                Some(b'c') => {
                    let value = take(self, 4) as u8;
                    spec.pad(&mut out, &[value]);
                }
                Some(b'p') => {
                    let value = take(self, 8);
                    spec.pointer(&mut out, value);
                }
                Some(b's') => {
                    let address = take(self, 8);
                    let text = (address != 0).then(|| self.text(shared, warp, lane, address));
                    spec.string(&mut out, text);
                }
                Some(b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A') => {
                    let value = f64::from_bits(take(self, 8));
                    spec.float(&mut out, kind, value);
                }
                // What is not known is printed as it stands, and takes no argument.
                _ => {
                    out.push(b'%');
                    out.extend_from_slice(&tail[..=length]);
                }
            }
        }
        out
    }
}

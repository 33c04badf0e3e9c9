//! `printf` as CUDA's runtime formats it.

use super::format::{Size, Spec};
use crate::exec::accessing::LaneBytes;
#[cfg(not(target_family = "wasm"))]
use crate::exec::accessing::{Accessing, WarpBytes};
use crate::exec::block::Shared;
use crate::exec::cell::AccessError;
use crate::exec::context::{Flow, Worker};
use crate::exec::warp::Warp;
use crate::isa::op::{AddressSpace, CallOp};
use crate::observe::Observer;
#[cfg(not(target_family = "wasm"))]
use crate::{
    exec::defined::Reached,
    finding::Usage,
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
                Ok(0) | Err(_) => break,
                Ok(byte) => out.push(byte as u8),
            }
        }
        out
    }

    /// The same of at most so many bytes, and whoever checks accesses sees it read.
    #[cfg(not(target_family = "wasm"))]
    fn string(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (pc, lane): (u32, usize),
        address: u64,
        most: usize,
    ) -> Result<Vec<u8>, Flow> {
        let by = Accessing { pc, lanes: 1 << lane, kind: AccessKind::Load };
        if let Some(stop) = self.foreign(shared, warp, by, &[address; 32], 1) {
            return Err(stop);
        }
        let (space, address) = Self::resolve(AddressSpace::Generic, address);
        let (mut out, mut read, mut bad) = (Vec::new(), 0, None);
        while out.len() < most {
            let bytes = LaneBytes::new(space, address.wrapping_add(read), 1);
            match self.load_lane(shared, warp, lane, bytes) {
                Ok(byte) => {
                    read += 1;
                    if byte == 0 {
                        break;
                    }
                    out.push(byte as u8);
                }
                Err(error) => {
                    bad = Some((bytes, error));
                    break;
                }
            }
        }
        if O::ACTIVE {
            self.string_read(shared, warp, (by, lane), (space, address), read);
        }
        match bad {
            Some((bytes, error)) => Err(self.bad_access(shared, warp, by, bytes, error)),
            None => Ok(out),
        }
    }

    #[cfg(target_family = "wasm")]
    fn string(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (_, lane): (u32, usize),
        address: u64,
        _: usize,
    ) -> Result<Vec<u8>, Flow> {
        Ok(self.text(shared, warp, lane, address))
    }

    /// Tells of so many bytes of a string, in aligned parts. Of what nobody has written the first part says enough.
    #[cfg(not(target_family = "wasm"))]
    fn string_read(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (by, lane): (Accessing, usize),
        (space, mut address): (AddressSpace, u64),
        mut bytes: u64,
    ) {
        let mut told = false;
        while bytes > 0 {
            let size = (1 << address.trailing_zeros().min(bytes.ilog2()).min(3)) as u32;
            let mut addresses = [0; 32];
            addresses[lane] = address;
            let part = WarpBytes::new(space, &addresses, size);
            let unwritten = self.observe(shared, warp, by, part, (MemoryOrder::Weak, Scope::Cta));
            if !told {
                let to = Reached { pc: by.pc, space, mask: by.lanes, addresses: &addresses, unwritten };
                told = self.printed(shared, warp, &to, size, Usage::Printed);
            }
            address = address.wrapping_add(size.into());
            bytes -= u64::from(size);
        }
    }

    fn byte(&mut self, shared: &Shared, warp: &Warp, lane: usize, address: u64, size: u32) -> Result<u64, AccessError> {
        let (space, address) = Self::resolve(AddressSpace::Generic, address);
        self.load_lane(shared, warp, lane, LaneBytes::new(space, address, size))
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
        let to = Reached { pc, space, mask: 1 << lane, addresses: &addresses, unwritten };
        self.printed(shared, warp, &to, size, Usage::NotGiven);
    }

    /// `vprintf(format, arguments)` for the lanes of `mask`.
    pub fn printf_call(
        &mut self,
        shared: &Shared,
        warp: &mut Warp,
        frame: u32,
        pc: u32,
        mask: u32,
        op: &CallOp,
    ) -> Flow {
        let formats = self.argument(warp, frame, op, 0, 8);
        let arguments = self.argument(warp, frame, op, 1, 8);
        let limit = self.context.config.limits.printf;
        let mut known: Option<(u64, Vec<u8>, u32)> = None;
        let mut returned = [0; 32];
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            if known.as_ref().is_none_or(|(address, ..)| *address != formats[lane]) {
                let (format, asked) = if formats[lane] == 0 {
                    (Vec::new(), u32::MAX)
                } else {
                    match self.string(shared, warp, (pc, lane), formats[lane], TEXT) {
                        Ok(format) => {
                            let asked = asked_for(&format);
                            (format, asked)
                        }
                        Err(stop) => return stop,
                    }
                };
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
            let line = match self.format(shared, warp, (pc, lane), &format, arguments[lane]) {
                Ok(line) => line,
                Err(stop) => return stop,
            };
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
        Flow::Continue
    }

    fn format(
        &mut self,
        shared: &Shared,
        warp: &Warp,
        (pc, lane): (u32, usize),
        format: &[u8],
        mut next: u64,
    ) -> Result<Vec<u8>, Flow> {
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
                    let most = spec.precision.unwrap_or(TEXT);
                    let text = match address {
                        0 => None,
                        _ => Some(self.string(shared, warp, (pc, lane), address, most)?),
                    };
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
        Ok(out)
    }
}

//! `printf` as CUDA's runtime formats it.

use super::block::Shared;
use super::context::Worker;
use super::warp::Warp;
use crate::isa::op::{AddressSpace, CallOp};
use crate::observe::Observer;

/// Longest string followed.
const TEXT: usize = 4096;

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
        self.load_lane(shared, warp, lane, space, address, size).ok()
    }

    /// `vprintf(format, arguments)` for the lanes of `mask`.
    pub fn printf_call(&mut self, shared: &Shared, warp: &mut Warp, frame: u32, pc: u32, mask: u32, op: &CallOp) {
        let formats = self.argument(warp, frame, op, 0, 8);
        let arguments = self.argument(warp, frame, op, 1, 8);
        let limit = self.context.config.limits.printf;
        let mut known: Option<(u64, Vec<u8>)> = None;
        for lane in (0..32usize).filter(|lane| mask >> lane & 1 != 0) {
            if known.as_ref().is_none_or(|(address, _)| *address != formats[lane]) {
                known = Some((formats[lane], self.text(shared, warp, lane, formats[lane])));
            }
            let Some((_, format)) = &known else { continue };
            if self.printf.len() >= limit {
                // The buffer is full for good: what it would have been is not worth the time.
                self.dropped += format.len() as u64;
                if self.dropped_at.is_none() {
                    self.dropped_at = Some(self.place(shared.index, warp, pc, 1 << lane));
                }
                continue;
            }
            let format = format.clone();
            let line = self.format(shared, warp, lane, &format, arguments[lane]);
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
                warp.store_local(lane, at, 4, 1);
            }
        }
    }

    fn format(&mut self, shared: &Shared, warp: &Warp, lane: usize, format: &[u8], mut next: u64) -> Vec<u8> {
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
                next += u64::from(size);
                value
            };
            if spec.width_argument {
                let width = take(self, 4) as i32;
                spec.left |= width < 0;
                spec.width = width.unsigned_abs() as usize;
            }
            if spec.precision_argument {
                spec.precision = usize::try_from(take(self, 4) as i32).ok();
            }
            spec.width = spec.width.min(TEXT);
            spec.precision = spec.precision.map(|precision| precision.min(TEXT));
            let wide = if spec.long { 8 } else { 4 };
            match kind {
                b'%' => out.push(b'%'),
                b'd' | b'i' => {
                    let raw = take(self, wide);
                    let value = if spec.long { raw as i64 } else { i64::from(raw as i32) };
                    spec.integer(&mut out, value < 0, &value.unsigned_abs().to_string());
                }
                b'u' => {
                    let value = take(self, wide);
                    spec.integer(&mut out, false, &value.to_string());
                }
                b'x' => {
                    let value = take(self, wide);
                    let prefix = if spec.alternate && value != 0 { "0x" } else { "" };
                    spec.integer(&mut out, false, &format!("{prefix}{value:x}"));
                }
                b'X' => {
                    let value = take(self, wide);
                    let prefix = if spec.alternate && value != 0 { "0X" } else { "" };
                    spec.integer(&mut out, false, &format!("{prefix}{value:X}"));
                }
                b'o' => {
                    let value = take(self, wide);
                    spec.integer(&mut out, false, &format!("{value:o}"));
                }
                b'c' => {
                    let value = take(self, 4) as u8;
                    spec.pad(&mut out, &[value]);
                }
                b'p' => {
                    let value = take(self, 8);
                    spec.pad(&mut out, format!("{value:#x}").as_bytes());
                }
                b's' => {
                    let address = take(self, 8);
                    let mut text = self.text(shared, warp, lane, address);
                    text.truncate(spec.precision.unwrap_or(TEXT));
                    spec.pad(&mut out, &text);
                }
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                    let value = f64::from_bits(take(self, 8));
                    spec.float(&mut out, kind, value);
                }
                other => out.extend([b'%', other]),
            }
        }
        out
    }
}

/// A conversion specification.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    width_argument: bool,
    precision: Option<usize>,
    precision_argument: bool,
    long: bool,
}

impl Spec {
    /// Reads up to the conversion letter; how many bytes that were.
    fn parse(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        let number = |at: &mut usize| {
            let mut value = 0usize;
            while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
                value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                *at += 1;
            }
            value
        };
        loop {
            match text.get(at) {
                Some(b'-') => self.left = true,
                Some(b'+') => self.plus = true,
                Some(b' ') => self.space = true,
                Some(b'0') => self.zero = true,
                Some(b'#') => self.alternate = true,
                _ => break,
            }
            at += 1;
        }
        if text.get(at) == Some(&b'*') {
            self.width_argument = true;
            at += 1;
        } else {
            self.width = number(&mut at);
        }
        if text.get(at) == Some(&b'.') {
            at += 1;
            if text.get(at) == Some(&b'*') {
                self.precision_argument = true;
                at += 1;
            } else {
                self.precision = Some(number(&mut at));
            }
        }
        while let Some(b'h' | b'l' | b'z' | b'j' | b't' | b'L') = text.get(at) {
            self.long |= text[at] != b'h';
            at += 1;
        }
        at
    }

    fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let fill = self.width.saturating_sub(text.len());
        if !self.left {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match () {
            () if negative => "-",
            () if self.plus => "+",
            () if self.space => " ",
            () => "",
        }
    }

    fn signed(&self, out: &mut Vec<u8>, negative: bool, digits: &str, zeros: bool) {
        let sign = self.sign(negative);
        let fill = self.width.saturating_sub(sign.len() + digits.len());
        if zeros && !self.left {
            out.extend_from_slice(sign.as_bytes());
            out.resize(out.len() + fill, b'0');
            out.extend_from_slice(digits.as_bytes());
        } else {
            self.pad(out, format!("{sign}{digits}").as_bytes());
        }
    }

    fn integer(&self, out: &mut Vec<u8>, negative: bool, digits: &str) {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!("{digits:0>precision$}"),
            None => digits.to_string(),
        };
        self.signed(out, negative, &digits, self.zero && self.precision.is_none());
    }

    fn float(&self, out: &mut Vec<u8>, kind: u8, value: f64) {
        let upper = kind.is_ascii_uppercase();
        if !value.is_finite() {
            let text = if value.is_nan() { "nan" } else { "inf" };
            let text = if upper { text.to_uppercase() } else { text.to_string() };
            self.signed(out, value.is_sign_negative(), &text, false);
            return;
        }
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let text = match kind.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.precision$}"),
            b'e' => exponential(magnitude, precision),
            b'g' => general(magnitude, precision.max(1), self.alternate),
            _ => hexadecimal(magnitude, self.precision),
        };
        let text = if upper { text.to_uppercase() } else { text };
        self.signed(out, value.is_sign_negative(), &text, self.zero);
    }
}

fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

fn general(value: f64, precision: usize, keep: bool) -> String {
    let scientific = exponential(value, precision - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep || !text.contains('.') {
            text.to_string()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    };
    if exponent < -4 || exponent >= precision as i32 {
        let (mantissa, tail) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        format!("{}e{tail}", trim(mantissa))
    } else {
        let digits = (precision as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{value:.digits$}"))
    }
}

fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (lead, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let mut digits = format!("{fraction:013x}");
    match precision {
        Some(precision) => digits.truncate(precision),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

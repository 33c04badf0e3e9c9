//! Undefined values: what nobody wrote may be read, copied and thrown away; only its use is wrong.
//!
//! Every bit of a register and of memory is defined or not, as in valgrind's memcheck. Reading memory that nothing wrote
//! gives undefined bits, and so does a register without a value. They travel with the value, through memory too. A use is
//! an address, a condition, whatever else decides what happens, and a result that the host reads. So what the
//! compiler loads ahead of its guard, padding that is copied with its structure, and an old value that nobody looks at
//! are no findings.
//!
//! What an operation makes of undefined bits is not a table of rules: [`step`] executes the operation itself with several
//! [`fillings`](fill) of the undefined bits, and a bit of the result that differs between them is undefined. So `x & 0`
//! and a selection that takes the other side are defined, for every opcode there is. A filling too few can miss a
//! dependence; it cannot invent one.
//!
//! Hardly any warp of a right kernel ever holds an undefined bit. [`Shadow`] keeps those registers only that have some, and
//! while there are none the executor runs as it does without the check.

mod access;
mod cells;
mod fill;
mod frames;
mod matrix;
mod pass;
mod report;
mod step;

pub use access::Reached;
pub use cells::{Cell, Cells, Owner};

pub use matrix::Fragments;
pub use report::{Origins, Stored};

use crate::exec::warp::Frame;
use crate::isa::liveness::Liveness;
use crate::isa::op::{Code, FunctionInfo, Reg};
use std::collections::HashMap;

/// Number of an undefined value's origin in [`Origins`].
pub type Origin = u32;

/// What is known of undefined values, besides what each warp's registers hold. It lives as long as the device.
#[derive(Debug, Default)]
pub struct Defined {
    /// Memory with undefined bits.
    pub cells: Cells,
    /// Where they came from.
    pub origins: Origins,
    bench: step::TrialWarp,
    liveness: HashMap<u32, Liveness>,
}

impl Defined {
    /// Is nothing undefined, and has nothing been?
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.origins.is_empty()
    }

    /// A launch has begun and ended in which nothing was undefined.
    #[cfg(feature = "threads")]
    pub fn passed_over(&mut self) {
        self.origins.launch_start();
        self.cells.launch_end();
    }

    fn liveness(&mut self, code: &Code, function: u32) -> &Liveness {
        let of = || Liveness::of(code, &code.functions[function as usize]);
        self.liveness.entry(function).or_insert_with(of)
    }
}

/// A register of a warp, whatever its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slot {
    R32(u32),
    R64(u32),
    P(u32),
}

impl Slot {
    /// The register of a frame; nothing for [`Reg::None`].
    pub fn of(frame: &Frame, reg: Reg) -> Option<Self> {
        match reg {
            Reg::R32(r) => Some(Self::R32(frame.base32 + u32::from(r))),
            Reg::R64(r) => Some(Self::R64(frame.base64 + u32::from(r))),
            Reg::P(r) => Some(Self::P(frame.base_p + u32::from(r))),
            Reg::None => None,
        }
    }

    /// Bits that a lane of it has.
    pub fn all(self) -> u64 {
        match self {
            Self::R32(_) => u32::MAX.into(),
            Self::R64(_) => u64::MAX,
            Self::P(_) => 1,
        }
    }
}

/// What is undefined of a register, and where that came from.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    /// Undefined bits by lane.
    pub bits: [u64; 32],
    /// The first of them.
    pub origin: Origin,
}

impl Mark {
    /// The lanes of `mask` that have an undefined bit.
    pub fn lanes(&self, mask: u32) -> u32 {
        (0..32)
            .filter(|lane| mask >> lane & 1 != 0 && self.bits[*lane as usize] != 0)
            .fold(0, |all, lane| all | 1 << lane)
    }
}

/// A warp's registers that have undefined bits.
#[derive(Debug, Default)]
pub struct Shadow {
    marks: HashMap<Slot, Box<Mark>>,
    /// Origins that were told of when all marks were last looked at for that.
    told: usize,
    /// Blocks of code in which what nobody reads any more was not looked for.
    passed: usize,
}

/// So many marks are looked through at any time; where there are more, so seldom that it costs as little.
const FEW: usize = 16;

impl Shadow {
    /// Is everything defined?
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Everything is defined.
    pub fn clear(&mut self) {
        self.marks.clear();
        (self.told, self.passed) = (0, 0);
    }

    /// What is undefined of a register.
    pub fn get(&self, slot: Slot) -> Option<&Mark> {
        self.marks.get(&slot).map(|mark| &**mark)
    }

    /// The lanes of `mask` in which the register has undefined bits.
    pub fn lanes(&self, slot: Option<Slot>, mask: u32) -> u32 {
        slot.and_then(|slot| self.get(slot)).map_or(0, |mark| mark.lanes(mask))
    }

    /// The lanes of `mask` have a new value with these bits undefined.
    pub fn set(&mut self, slot: Slot, mask: u32, bits: &[u64; 32], origin: Option<Origin>) {
        let any = (0..32).any(|lane| mask >> lane & 1 != 0 && bits[lane] != 0);
        let Some(origin) = origin.filter(|_| any) else { return self.define(slot, mask) };
        let mark = self.marks.entry(slot).or_insert_with(|| Box::new(Mark { bits: [0; 32], origin }));
        mark.origin = origin;
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            mark.bits[lane] = bits[lane];
        }
    }

    /// The lanes of `mask` have a new value.
    pub fn define(&mut self, slot: Slot, mask: u32) {
        let Some(mark) = self.marks.get_mut(&slot) else { return };
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            mark.bits[lane] = 0;
        }
        if mark.bits == [0; 32] {
            self.marks.remove(&slot);
        }
    }

    /// Forgets what has been told of.
    fn forget_told(&mut self, origins: &Origins) {
        let told = origins.how_many_told();
        if told != self.told || told > 0 && self.marks.len() <= FEW {
            self.told = told;
            self.marks.retain(|_, mark| !origins.is_told(mark.origin));
        }
    }

    /// A frame begins for the lanes of `mask`: what its registers were before is past, and those that the function may
    /// read before it writes them are undefined.
    pub fn enter(&mut self, frame: &Frame, mask: u32, info: &FunctionInfo, origin: Option<Origin>) {
        let inside: Vec<Slot> = self.marks.keys().copied().filter(|slot| belongs(frame, *slot)).collect();
        inside.into_iter().for_each(|slot| self.define(slot, mask));
        for slot in info.unassigned.iter().filter_map(|reg| Slot::of(frame, *reg)) {
            self.set(slot, mask, &[slot.all(); 32], origin);
        }
    }

    /// Forgets what nobody reads any more: only the registers that `lives` are looked at again by the lanes of `mask`.
    pub fn retain(&mut self, frame: &Frame, mask: u32, lives: impl Fn(Reg) -> bool) {
        self.passed += FEW;
        if self.passed < self.marks.len() {
            return;
        }
        self.passed = 0;
        let dead = |slot: &Slot| belongs(frame, *slot) && !register(frame, *slot).is_some_and(&lives);
        let dead: Vec<Slot> = self.marks.keys().copied().filter(|slot| dead(slot)).collect();
        dead.into_iter().for_each(|slot| self.define(slot, mask));
    }
}

/// Is it a register of that frame, or of one further in?
fn belongs(frame: &Frame, slot: Slot) -> bool {
    match slot {
        Slot::R32(at) => at >= frame.base32,
        Slot::R64(at) => at >= frame.base64,
        Slot::P(at) => at >= frame.base_p,
    }
}

/// The register's name in the frame.
fn register(frame: &Frame, slot: Slot) -> Option<Reg> {
    let within = |at: u32, base: u32| at.checked_sub(base).and_then(|at| u16::try_from(at).ok());
    Some(match slot {
        Slot::R32(at) => Reg::R32(within(at, frame.base32)?),
        Slot::R64(at) => Reg::R64(within(at, frame.base64)?),
        Slot::P(at) => Reg::P(within(at, frame.base_p)?),
    })
}

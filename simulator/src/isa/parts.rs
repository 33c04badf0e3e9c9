//! An opcode's parts, and which of its modifiers a lowering has looked at: what is left over is unknown to the simulator.

use super::function::{Lower, Unknown};
use super::table::{self, Opcode};
use crate::num::Rounding;
use crate::ptx::ast::Ty;
use std::cell::Cell;

/// The dotted parts of an opcode. Whoever asks for a modifier has used it; [`Parts::left`] says which nobody asked for.
pub struct Parts<'a> {
    /// The mnemonic.
    pub base: &'a str,
    /// Its row, if it is known.
    pub row: Option<&'static Opcode>,
    mods: Vec<&'a str>,
    /// Modifiers that were asked for, a bit each.
    seen: Cell<u64>,
}

impl<'a> Parts<'a> {
    /// Of "ld.global.v2.f32".
    pub fn new(opcode: &'a str) -> Self {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or("");
        Self { base, row: table::find(base), mods: parts.collect(), seen: Cell::new(0) }
    }

    /// Is the modifier there?
    pub fn has(&self, name: &str) -> bool {
        self.pick(|found| (found == name).then_some(())).is_some()
    }

    /// Are both modifiers there, and the second one in front?
    pub fn is_behind(&self, name: &str, other: &str) -> bool {
        let at = |wanted: &str| self.mods.iter().position(|found| *found == wanted);
        at(name).zip(at(other)).is_some_and(|(name, other)| name > other)
    }

    /// The first modifier that means something to `f`.
    pub fn pick<T>(&self, mut f: impl FnMut(&'a str) -> Option<T>) -> Option<T> {
        let (at, value) = self.mods.iter().enumerate().find_map(|(at, name)| Some((at, f(name)?)))?;
        self.see(at);
        Some(value)
    }

    /// All modifiers that mean something to `f`, in order.
    pub fn picks<T>(&self, mut f: impl FnMut(&'a str) -> Option<T>) -> Vec<T> {
        let found = self.mods.iter().enumerate().filter_map(|(at, name)| {
            let value = f(name)?;
            self.see(at);
            Some(value)
        });
        found.collect()
    }

    /// All types, in order.
    pub fn types(&self) -> Vec<Ty> {
        self.picks(Ty::from_name)
    }

    /// The only type.
    pub fn ty(&self) -> Lower<Ty> {
        match self.types()[..] {
            [ty] => Ok(ty),
            _ => Err(Unknown),
        }
    }

    /// The last type: of an instruction with several that of its sources.
    pub fn last_type(&self) -> Lower<Ty> {
        self.types().last().copied().ok_or(Unknown)
    }

    /// The rounding modifier, if any.
    pub fn rounding(&self) -> Option<Rounding> {
        self.pick(|name| {
            Some(match name {
                "rn" | "rni" => Rounding::Nearest,
                "rna" => Rounding::NearestAway,
                "rz" | "rzi" => Rounding::Zero,
                "rm" | "rmi" => Rounding::Down,
                "rp" | "rpi" => Rounding::Up,
                _ => return None,
            })
        })
    }

    fn see(&self, at: usize) {
        self.seen.set(self.seen.get() | 1u64.checked_shl(at as u32).unwrap_or(0));
    }

    /// The first modifier that nobody asked for and that is not known to be without effect.
    pub fn left(&self) -> Option<&'a str> {
        let unseen = |at: usize| 1u64.checked_shl(at as u32).is_none_or(|bit| self.seen.get() & bit == 0);
        let ignored = |name: &str| self.row.is_some_and(|row| row.ignores(name));
        let left = |(at, name): &(usize, &&str)| unseen(*at) && !ignored(name);
        self.mods.iter().enumerate().find(left).map(|(_, name)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn what_nobody_asked_for_is_left() {
        let parts = Parts::new("add.bogus.s32");
        assert!(parts.ty().is_ok());
        assert_eq!(parts.left(), Some("bogus"));
        parts.has("bogus");
        assert_eq!(parts.left(), None);
    }

    #[test]
    fn hints_belong_to_their_instructions() {
        assert_eq!(Parts::new("ld.L1::evict_last").left(), None);
        assert_eq!(Parts::new("add.L1::evict_last").left(), Some("L1::evict_last"));
        assert_eq!(Parts::new("mul.lo").left(), None);
        assert_eq!(Parts::new("add.lo").left(), Some("lo"));
    }

    #[test]
    fn a_modifier_beyond_those_that_are_counted_is_left() {
        let opcode = format!("add{}", ".s32".repeat(70));
        let parts = Parts::new(&opcode);
        assert_eq!(parts.types().len(), 70);
        assert_eq!(parts.left(), Some("s32"));
    }
}

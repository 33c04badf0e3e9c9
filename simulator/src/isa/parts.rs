//! An opcode's parts, and which of its modifiers a lowering has looked at: what is left over is unknown to the simulator.

use super::function::{Lower, Unknown};
use crate::num::Rounding;
use crate::ptx::ast::Ty;
use std::cell::Cell;

/// The dotted parts of an opcode. Whoever asks for a modifier has used it; [`Parts::left`] says which nobody asked for.
pub struct Parts<'a> {
    /// The mnemonic.
    pub base: &'a str,
    mods: Vec<&'a str>,
    /// Modifiers that were asked for, a bit each.
    seen: Cell<u64>,
}

impl<'a> Parts<'a> {
    /// Of "ld.global.v2.f32".
    pub fn new(opcode: &'a str) -> Self {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or("");
        Self { base, mods: parts.collect(), seen: Cell::new(0) }
    }

    /// Is the modifier there?
    pub fn has(&self, name: &str) -> bool {
        self.pick(|found| (found == name).then_some(())).is_some()
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

    /// Forgets what was asked for: the next lowering begins anew.
    pub fn forget(&self) {
        self.seen.set(0);
    }

    fn see(&self, at: usize) {
        self.seen.set(self.seen.get() | 1u64.checked_shl(at as u32).unwrap_or(0));
    }

    /// The first modifier that nobody asked for and that is not known to be without effect.
    pub fn left(&self) -> Option<&'a str> {
        let unseen = |at: usize| 1u64.checked_shl(at as u32).is_none_or(|bit| self.seen.get() & bit == 0);
        let left = |(at, name): &(usize, &&str)| unseen(*at) && !without_effect(self.base, name);
        self.mods.iter().enumerate().find(left).map(|(_, name)| *name)
    }
}

/// Modifiers that change no result in the simulator, by mnemonic.
#[rustfmt::skip]
const WITHOUT_EFFECT: &[(&[&str], &[&str])] = &[
    // Caches, which the simulator has none of: where and how long a line is kept, and reading past them.
    (&["ld", "ldu", "st"], &["ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "mmio"]),
    (&["cp"], &["ca", "cg", "async"]),
    (&["prefetch", "prefetchu", "applypriority", "discard"], &["global", "local", "L1", "L2", "tensormap", "const", "param"]),
    (&["createpolicy"], &["fractional", "range", "global", "b64"]),
    // Promises of uniformity. They are held to where a guard could break them: `Op::Uniform`.
    (&["bra", "brx", "call", "ret"], &["uni"]),
    (&["brx"], &["idx"]),
    // Words that every form of the instruction has.
    (&["bar", "barrier"], &["sync", "cta", "cluster", "pred", "u32", "wait"]),
    (&["shfl", "vote", "match", "redux", "elect", "mma", "wmma", "ldmatrix", "stmatrix", "movmatrix", "setmaxnreg"], &["sync"]),
    (&["shfl", "vote", "activemask"], &["b32", "pred"]),
    (&["mul", "mad", "madc", "mul24", "mad24"], &["lo"]),
    (&["shf", "bmsk", "szext", "vshl", "vshr"], &["clamp"]),
    (&["dp2a"], &["lo"]),
    (&["lop3"], &["and", "b32"]),
    (&["nanosleep", "setmaxnreg"], &["u32"]),
    (&["mbarrier"], &["b64"]),
    (&["cp", "red"], &["b64", "arrive", "shared", "shared::cta", "global"]),
    // All lanes of the warp execute it, in converged code: checked where it is executed.
    (&["mma", "wmma", "ldmatrix", "stmatrix", "setmaxnreg"], &["aligned"]),
    (&["barrier"], &["aligned"]),
    // The only layout or rounding that the form has; the count of matrices is that of the registers.
    (&["mma", "wmma"], &["row", "col", "rn", "mma", "popc", "xor"]),
    (&["ldmatrix", "stmatrix"], &["x1", "x2", "x4"]),
    (&["wmma"], &["d"]),
    // Atomics on halves never flush subnormals here.
    (&["atom", "red", "cp"], &["noftz"]),
    // Between blocks of a cluster of one block, and copies that are done when they are issued: memory is in order.
    (&["barrier", "mbarrier"], &["acquire", "release", "relaxed", "cta", "cluster"]),
    (&["cp"], &["bulk_group", "read", "relaxed", "release", "cta", "cluster", "gpu", "sys"]),
    // Proxies: there is one way to memory.
    (&["fence", "membar"], &["proxy", "alias", "async", "async::generic", "generic", "tensormap::generic", "to", "from",
        "global", "shared::cta", "shared::cluster", "mbarrier_init", "sync_restrict::shared::cta",
        "sync_restrict::shared::cluster", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys"]),
    // Hints about the grid and the register file, and a counter for a profiler.
    (&["griddepcontrol"], &["launch_dependents", "wait"]),
    (&["setmaxnreg"], &["inc", "dec"]),
    (&["pmevent"], &["mask"]),
];

/// Is the modifier without effect on results in that instruction?
fn without_effect(base: &str, name: &str) -> bool {
    const CACHED: [&str; 11] =
        ["ld", "ldu", "st", "atom", "red", "cp", "prefetch", "prefetchu", "applypriority", "discard", "createpolicy"];
    let hint = name.starts_with("L1::") || name.starts_with("L2::") || name.starts_with("level::");
    hint && CACHED.contains(&base)
        || WITHOUT_EFFECT.iter().any(|(bases, names)| bases.contains(&base) && names.contains(&name))
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
        parts.forget();
        assert_eq!(parts.left(), Some("bogus"));
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

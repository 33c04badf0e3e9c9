//! Integer, logic, shift and bit-field instructions (PTX ISA 9.7.1, 9.7.2, 9.7.8), over bits.
//!
//! Functions named `_s16`, `_s32`, `_s64` take two's complement bits in the unsigned type of that width. Plain wrapping
//! `add`, `sub`, `mul.lo` and logic are the host's own operators and are not repeated here.

/// One width's operations, signed and unsigned.
macro_rules! width {
    ($(#[$doc:meta])* $module:ident, $u:ty, $s:ty, $wide:ty, $swide:ty) => {
        $(#[$doc])*
        pub mod $module {
            const BITS: u32 = <$u>::BITS;


            /// `mul.hi.u` (9.7.1.3).
            #[inline]
            pub fn mul_hi_u(a: $u, b: $u) -> $u {
                ((<$wide>::from(a) * <$wide>::from(b)) >> BITS) as $u
            }

            /// `mul.hi.s` (9.7.1.3).
            #[inline]
            pub fn mul_hi_s(a: $u, b: $u) -> $u {
                ((<$swide>::from(a as $s) * <$swide>::from(b as $s)) >> BITS) as $u
            }

            /// `mul.wide.u` (9.7.1.3).
            #[inline]
            pub fn mul_wide_u(a: $u, b: $u) -> $wide {
                <$wide>::from(a) * <$wide>::from(b)
            }

            /// `mul.wide.s` (9.7.1.3).
            #[inline]
            pub fn mul_wide_s(a: $u, b: $u) -> $wide {
                (<$swide>::from(a as $s) * <$swide>::from(b as $s)) as $wide
            }

            /// `sad.u` (9.7.1.7): `c + |a - b|`.
            #[inline]
            pub fn sad_u(a: $u, b: $u, c: $u) -> $u {
                c.wrapping_add(a.abs_diff(b))
            }

            /// `sad.s` (9.7.1.7).
            #[inline]
            pub fn sad_s(a: $u, b: $u, c: $u) -> $u {
                c.wrapping_add((a as $s).abs_diff(b as $s))
            }

            /// `div.u` (9.7.1.8). By zero (unspecified): all ones, as the hardware's sequence gives.
            #[inline]
            pub fn div_u(a: $u, b: $u) -> $u {
                a.checked_div(b).unwrap_or(<$u>::MAX)
            }

            /// `div.s` (9.7.1.8). By zero (unspecified): all ones; the most negative number by -1 is itself.
            #[inline]
            pub fn div_s(a: $u, b: $u) -> $u {
                if b == 0 { <$u>::MAX } else { (a as $s).wrapping_div(b as $s) as $u }
            }

            /// `rem.u` (9.7.1.9). By zero (unspecified): all ones.
            #[inline]
            pub fn rem_u(a: $u, b: $u) -> $u {
                a.checked_rem(b).unwrap_or(<$u>::MAX)
            }

            /// `rem.s` (9.7.1.9): the sign of the dividend. By zero (unspecified): all ones.
            #[inline]
            pub fn rem_s(a: $u, b: $u) -> $u {
                if b == 0 { <$u>::MAX } else { (a as $s).wrapping_rem(b as $s) as $u }
            }

            /// `abs` (9.7.1.10).
            #[inline]
            pub fn abs(a: $u) -> $u {
                (a as $s).wrapping_abs() as $u
            }

            /// `min.s` (9.7.1.12); unsigned `min` is the host's.
            #[inline]
            pub fn min_s(a: $u, b: $u) -> $u {
                (a as $s).min(b as $s) as $u
            }

            /// `max.s` (9.7.1.13).
            #[inline]
            pub fn max_s(a: $u, b: $u) -> $u {
                (a as $s).max(b as $s) as $u
            }

            /// `cnot` (9.7.8.5): 1 if zero, else 0.
            #[inline]
            pub fn cnot(a: $u) -> $u {
                <$u>::from(a == 0)
            }

            /// `shl.b` (9.7.8.8): amounts beyond the width give 0.
            #[inline]
            pub fn shl(a: $u, b: u32) -> $u {
                a.checked_shl(b).unwrap_or(0)
            }

            /// `shr.u` and `shr.b` (9.7.8.9): amounts beyond the width give 0.
            #[inline]
            pub fn shr_u(a: $u, b: u32) -> $u {
                a.checked_shr(b).unwrap_or(0)
            }

            /// `shr.s` (9.7.8.9): amounts beyond the width give the sign.
            #[inline]
            pub fn shr_s(a: $u, b: u32) -> $u {
                ((a as $s) >> b.min(BITS - 1)) as $u
            }

            /// `setp` and `set` on signed operands (9.7.6).
            #[inline]
            pub fn compare_s(op: crate::num::Compare, a: $u, b: $u) -> bool {
                op.decide(Some((a as $s).cmp(&(b as $s))))
            }

            /// `setp` and `set` on unsigned or untyped operands (9.7.6).
            #[inline]
            pub fn compare_u(op: crate::num::Compare, a: $u, b: $u) -> bool {
                op.decide(Some(a.cmp(&b)))
            }
        }
    };
}

/// What only 32 and 64 bits have.
macro_rules! bits {
    ($module:ident, $u:ty, $s:ty) => {
        /// Bit-field instructions and carry arithmetic of this width.
        pub mod $module {
            const BITS: u32 = <$u>::BITS;

            /// `bfind.u` (9.7.1.16): position of the most significant one, `0xffffffff` if there is none. With
            /// `.shiftamt`, the left shift that brings it to the top.
            #[inline]
            pub fn bfind_u(a: $u, shift_amount: bool) -> u32 {
                match a.checked_ilog2() {
                    None => u32::MAX,
                    Some(position) if shift_amount => BITS - 1 - position,
                    Some(position) => position,
                }
            }

            /// `bfind.s` (9.7.1.16): the most significant bit that differs from the sign.
            #[inline]
            pub fn bfind_s(a: $u, shift_amount: bool) -> u32 {
                bfind_u(if (a as $s) < 0 { !a } else { a }, shift_amount)
            }

            /// Position or length of a bit field: the 32-bit instructions look at 8 bits only, the sequences for 64 bits
            /// at all.
            #[inline]
            fn field_amount(amount: u32) -> u32 {
                if BITS == 32 { amount & 0xff } else { amount }
            }

            /// `bfe.u` (9.7.1.19): `length` bits of `a` from `position`, both modulo 256 in the 32-bit form;
            /// an H200 takes those of the 64-bit form as they are.
            #[inline]
            pub fn bfe_u(a: $u, position: u32, length: u32) -> $u {
                let (position, length) = (field_amount(position), field_amount(length));
                let field = a.checked_shr(position).unwrap_or(0);
                if length >= BITS { field } else { field & ((1 << length) - 1) }
            }

            /// `bfe.s` (9.7.1.19): sign-extended by the field's top bit, which is the sign of `a` if the field reaches
            /// beyond it.
            #[inline]
            pub fn bfe_s(a: $u, position: u32, length: u32) -> $u {
                let (position, length) = (field_amount(position), field_amount(length));
                if length == 0 {
                    return 0;
                }
                let top = position.saturating_add(length - 1).min(BITS - 1);
                let sign = a >> top & 1 != 0;
                if position >= BITS {
                    return if sign { <$u>::MAX } else { 0 };
                }
                let field = a >> position;
                let kept = if length >= BITS { <$u>::MAX } else { (1 << length) - 1 };
                // Bits of the field beyond the register take the sign as well.
                let inside = if BITS - position >= BITS { <$u>::MAX } else { (1 << (BITS - position)) - 1 };
                let kept = kept & inside;
                if sign { field | !kept } else { field & kept }
            }

            /// `bfi` (9.7.1.20): `b` with `length` bits from `position` on replaced by the low bits of `a`.
            #[inline]
            pub fn bfi(a: $u, b: $u, position: u32, length: u32) -> $u {
                let (position, length) = (field_amount(position), field_amount(length));
                let field = if length >= BITS { <$u>::MAX } else { (1 << length) - 1 };
                let mask = <$u>::checked_shl(field, position).unwrap_or(0);
                b & !mask | a.checked_shl(position).unwrap_or(0) & mask
            }

            /// `add.cc`, `addc.cc` (9.7.2): sum and carry out.
            #[inline]
            pub fn add_carry(a: $u, b: $u, carry: bool) -> ($u, bool) {
                let (sum, first) = a.overflowing_add(b);
                let (sum, second) = sum.overflowing_add(<$u>::from(carry));
                (sum, first | second)
            }

            /// `sub.cc`, `subc.cc` (9.7.2): difference and borrow out.
            #[inline]
            pub fn sub_borrow(a: $u, b: $u, borrow: bool) -> ($u, bool) {
                let (difference, first) = a.overflowing_sub(b);
                let (difference, second) = difference.overflowing_sub(<$u>::from(borrow));
                (difference, first | second)
            }
        }
    };
}

width!(/** 16-bit operations. */ w16, u16, i16, u32, i32);
width!(/** 32-bit operations. */ w32, u32, i32, u64, i64);
width!(/** 64-bit operations. */ w64, u64, i64, u128, i128);
bits!(b32, u32, i32);
bits!(b64, u64, i64);

/// `add.sat.s32` (9.7.1.1).
#[inline]
pub fn add_sat_s32(a: u32, b: u32) -> u32 {
    (a as i32).saturating_add(b as i32) as u32
}

/// `sub.sat.s32` (9.7.1.2).
#[inline]
pub fn sub_sat_s32(a: u32, b: u32) -> u32 {
    (a as i32).saturating_sub(b as i32) as u32
}

/// `mad.hi.sat.s32` (9.7.1.4).
#[inline]
pub fn mad_hi_sat_s32(a: u32, b: u32, c: u32) -> u32 {
    add_sat_s32(w32::mul_hi_s(a, b), c)
}

fn product24(a: u32, b: u32, signed: bool) -> i64 {
    let extend = |x: u32| if signed { i64::from((x << 8) as i32 >> 8) } else { i64::from(x & 0xff_ffff) };
    extend(a) * extend(b)
}

/// `mul24.lo` (9.7.1.5): low 32 bits of the 48-bit product of the low 24 bits.
#[inline]
pub fn mul24_lo(a: u32, b: u32, signed: bool) -> u32 {
    product24(a, b, signed) as u32
}

/// `mul24.hi` (9.7.1.5): bits 47 to 16 of the product.
#[inline]
pub fn mul24_hi(a: u32, b: u32, signed: bool) -> u32 {
    (product24(a, b, signed) >> 16) as u32
}

/// `mad24.hi.sat.s32` (9.7.1.6).
#[inline]
pub fn mad24_hi_sat_s32(a: u32, b: u32, c: u32) -> u32 {
    add_sat_s32(mul24_hi(a, b, true), c)
}

/// `fns.b32` (9.7.1.17): position of the `offset`-th set bit of `mask` counted from `base` (upwards if positive,
/// downwards if negative; 0 asks for `base` itself), `0xffffffff` if there is none.
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    // A base beyond the register is unspecified; nothing is set there.
    if base > 31 {
        return u32::MAX;
    }
    let set = |position: &u32| mask >> position & 1 != 0;
    let found = match offset {
        0 => Some(base).filter(set),
        1.. => (base..32).filter(set).nth(offset as usize - 1),
        _ => (0..=base).rev().filter(set).nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX)
}

/// `bmsk.clamp`/`bmsk.wrap` (9.7.1.22): `b` ones from position `a` on.
#[inline]
pub fn bmsk(a: u32, b: u32, wrap: bool) -> u32 {
    let (a, b) = if wrap { (a & 31, b & 31) } else { (a, b.min(32)) };
    let ones = 1u32.checked_shl(b).unwrap_or(0).wrapping_sub(1);
    ones.checked_shl(a).unwrap_or(0)
}

/// `szext.clamp`/`szext.wrap` (9.7.1.21): the low `b` bits of `a`, sign- or zero-extended.
#[inline]
pub fn szext(a: u32, b: u32, wrap: bool, signed: bool) -> u32 {
    let width = if wrap { b & 31 } else { b.min(32) };
    match (width, signed) {
        (0, _) => 0,
        (_, true) => ((a << (32 - width)) as i32 >> (32 - width)) as u32,
        (_, false) => a << (32 - width) >> (32 - width),
    }
}

/// `shf.l` (9.7.8.7): high word of `[high:low]` shifted left, the amount clamped to 32 or wrapped modulo 32.
#[inline]
pub fn shf_l(low: u32, high: u32, amount: u32, wrap: bool) -> u32 {
    let amount = if wrap { amount & 31 } else { amount.min(32) };
    let pair = u64::from(high) << 32 | u64::from(low);
    (pair << amount >> 32) as u32
}

/// `shf.r` (9.7.8.7): low word of `[high:low]` shifted right.
#[inline]
pub fn shf_r(low: u32, high: u32, amount: u32, wrap: bool) -> u32 {
    let amount = if wrap { amount & 31 } else { amount.min(32) };
    let pair = u64::from(high) << 32 | u64::from(low);
    (pair >> amount) as u32
}

/// `lop3.b32` (9.7.8.6): the bitwise function whose truth table is `table`.
#[inline]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut result = 0;
    for row in 0..8u32 {
        if table >> row & 1 != 0 {
            let pick = |x: u32, on: u32| if on != 0 { x } else { !x };
            result |= pick(a, row & 4) & pick(b, row & 2) & pick(c, row & 1);
        }
    }
    result
}

/// Modes of `prmt` (9.7.9.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PrmtMode {
    /// No mode: four selectors of four bits, the top bit replicates the byte's sign.
    #[default]
    Generic,
    /// `.f4e`
    Forward4Extract,
    /// `.b4e`
    Backward4Extract,
    /// `.rc8`
    Replicate8,
    /// `.ecl`
    EdgeClampLeft,
    /// `.ecr`
    EdgeClampRight,
    /// `.rc16`
    Replicate16,
}

/// `prmt.b32` (9.7.9.7): four bytes picked from the eight of `[b:a]`.
#[inline]
pub fn prmt(a: u32, b: u32, selector: u32, mode: PrmtMode) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let s = selector & 3;
    let mut result = 0;
    for position in 0..4u32 {
        let pick = match mode {
            PrmtMode::Generic => selector >> (4 * position) & 15,
            PrmtMode::Forward4Extract => s + position,
            PrmtMode::Backward4Extract => s.wrapping_sub(position) & 7,
            PrmtMode::Replicate8 => s,
            PrmtMode::EdgeClampLeft => s.max(position),
            PrmtMode::EdgeClampRight => s.min(position),
            PrmtMode::Replicate16 => (s & 1) * 2 + (position & 1),
        };
        let mut byte = (bytes >> (8 * (pick & 7))) as u8;
        if pick & 8 != 0 {
            byte = ((byte as i8) >> 7) as u8;
        }
        result |= u32::from(byte) << (8 * position);
    }
    result
}

fn byte(x: u32, index: u32, signed: bool) -> i32 {
    let byte = (x >> (8 * index)) as u8;
    if signed { i32::from(byte as i8) } else { i32::from(byte) }
}

/// `dp4a` (9.7.1.23): `c` plus the dot product of four bytes.
#[inline]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32))
}

/// `dp2a.lo`/`dp2a.hi` (9.7.1.24): `c` plus the two halves of `a` times the low or high two bytes of `b`.
#[inline]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    (0..2).fold(c, |sum, i| {
        let half = (a >> (16 * i)) as u16;
        let half = if a_signed { i32::from(half as i16) } else { i32::from(half) };
        sum.wrapping_add((half * byte(b, i + 2 * u32::from(high), b_signed)) as u32)
    })
}

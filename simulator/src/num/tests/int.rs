//! Integer instructions against bit-by-bit transcriptions of the manual's semantics.

use super::Random;
use crate::num::int::*;

#[test]
fn bit_fields_follow_the_bitwise_definition() {
    let mut random = Random(10);
    for _ in 0..50_000 {
        let (a, b) = (random.bits() as u32, random.bits() as u32);
        let (position, length) = (random.bits() as u32 % 70, random.bits() as u32 % 70);
        let bit = |x: u32, i: u32| i < 32 && x >> i & 1 != 0;
        let sign = length != 0 && bit(a, (position + length - 1).min(31));
        for signed in [false, true] {
            let mut want = 0u32;
            for i in 0..32 {
                let inside = i < length && position + i < 32;
                let on = if inside { bit(a, position + i) } else { signed && sign };
                want |= u32::from(on) << i;
            }
            let got = if signed { b32::bfe_s(a, position, length) } else { b32::bfe_u(a, position, length) };
            assert_eq!(got, want, "bfe {a:#x} {position} {length} {signed}");
        }
        let mut want = b;
        for i in (0..length).take_while(|i| position + i < 32) {
            want = want & !(1 << (position + i)) | u32::from(bit(a, i)) << (position + i);
        }
        assert_eq!(b32::bfi(a, b, position, length), want, "bfi {a:#x} {b:#x} {position} {length}");
        let want = (0..32).filter(|i| *i >= position && *i < position + length.min(32)).fold(0u32, |m, i| m | 1 << i);
        assert_eq!(bmsk(position, length, false), want, "bmsk {position} {length}");
    }
    assert_eq!(b64::bfe_s(0x8000_0000_0000_0000, 60, 8), u64::MAX << 3);
    assert_eq!(b64::bfi(u64::MAX, 0, 60, 64), 0xf << 60);
    assert_eq!(b32::bfe_s(0x8000_0000, 0x140, 1), u32::MAX);
    assert_eq!(szext(0x80, 8, false, true), 0xffff_ff80);
    assert_eq!(szext(0x1ff, 8, false, false), 0xff);
    assert_eq!(szext(0xdead_beef, 40, false, true), 0xdead_beef);
    assert_eq!(szext(0xff, 36, true, true), 0xffff_ffff);
}

#[test]
fn searches() {
    assert_eq!(b32::bfind_u(0, false), u32::MAX);
    assert_eq!(b32::bfind_u(0x10, false), 4);
    assert_eq!(b32::bfind_u(0x10, true), 27);
    assert_eq!(b32::bfind_s(u32::MAX, false), u32::MAX);
    assert_eq!(b32::bfind_s(0xffff_fffe, false), 0);
    assert_eq!(b64::bfind_u(1 << 40, false), 40);
    assert_eq!(b64::bfind_u(1 << 40, true), 23);
    // The manual's pseudo-code for fns.
    let manual = |mask: u32, base: u32, offset: i32| -> u32 {
        if offset == 0 {
            return if mask & 1 << base != 0 { base } else { u32::MAX };
        }
        let mut pos = base as i32;
        let mut count = offset.abs() - 1;
        let inc = offset.signum();
        while (0..32).contains(&pos) {
            if mask & 1 << pos != 0 {
                if count == 0 {
                    return pos as u32;
                }
                count -= 1;
            }
            pos += inc;
        }
        u32::MAX
    };
    let mut random = Random(11);
    for _ in 0..20_000 {
        let mask = random.bits() as u32 & random.bits() as u32;
        let (base, offset) = (random.bits() as u32 % 32, random.bits() as i32 % 12);
        assert_eq!(fns(mask, base, offset), manual(mask, base, offset), "{mask:#x} {base} {offset}");
    }
}

#[test]
fn shifts_clamp() {
    assert_eq!(w32::shl(1, 31), 0x8000_0000);
    assert_eq!(w32::shl(1, 32), 0);
    assert_eq!(w32::shr_s(0x8000_0000, 100), u32::MAX);
    assert_eq!(w32::shr_u(0x8000_0000, 32), 0);
    assert_eq!(w64::shr_s(1 << 63, 63), u64::MAX);
    assert_eq!(w16::shl(0xffff, 15), 0x8000);
    let mut random = Random(12);
    for _ in 0..10_000 {
        let (low, high, by) = (random.bits() as u32, random.bits() as u32, random.bits() as u32 % 80);
        let (clamped, wrapped) = (by.min(32), by % 32);
        let left = |n: u32| {
            if n == 32 {
                low
            } else if n == 0 {
                high
            } else {
                high << n | low >> (32 - n)
            }
        };
        let right = |n: u32| {
            if n == 32 {
                high
            } else if n == 0 {
                low
            } else {
                high << (32 - n) | low >> n
            }
        };
        assert_eq!(shf_l(low, high, by, false), left(clamped));
        assert_eq!(shf_l(low, high, by, true), left(wrapped));
        assert_eq!(shf_r(low, high, by, false), right(clamped));
        assert_eq!(shf_r(low, high, by, true), right(wrapped));
    }
}

#[test]
fn products() {
    assert_eq!(w32::mul_hi_u(u32::MAX, u32::MAX), 0xffff_fffe);
    assert_eq!(w32::mul_hi_s(u32::MAX, u32::MAX), 0);
    assert_eq!(w16::mul_wide_s(0xffff, 2), 0xffff_fffe);
    assert_eq!(w16::mul_hi_s(0x8000, 0x8000), 0x4000);
    assert_eq!(w64::mul_hi_u(u64::MAX, u64::MAX), u64::MAX - 1);
    assert_eq!(mul24_lo(0xff_ffff, 2, true), 0xffff_fffe);
    assert_eq!(mul24_lo(0xff_ffff, 2, false), 0x1ff_fffe);
    assert_eq!(mul24_hi(0xff_ffff, 0xff_ffff, false), ((0xff_ffff_u64 * 0xff_ffff) >> 16) as u32);
    assert_eq!(mul24_hi(0x80_0000, 1, true), 0xffff_ff80);
    assert_eq!(mad_hi_sat_s32(0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff), 0x7fff_ffff);
    assert_eq!(dp4a(0xff01_0203, 0x0101_0101, 10, true, true), 10 + 3 + 2 + 1 - 1);
    assert_eq!(dp4a(0xff01_0203, 0xff01_0101, 10, false, true), (10 + 3 + 2 + 1 - 255i32) as u32);
    assert_eq!(dp2a(0xffff_0002, 0x0403_0201, 0, true, false, false), 0);
    assert_eq!(dp2a(0xffff_0002, 0x0403_0201, 0, true, true, true), 2);
}

#[test]
fn quotients_and_differences() {
    assert_eq!(w32::div_s(0x8000_0000, u32::MAX), 0x8000_0000);
    assert_eq!(w32::rem_s(0x8000_0000, u32::MAX), 0);
    assert_eq!(w32::rem_s(-7i32 as u32, 3) as i32, -1);
    assert_eq!(w32::div_u(7, 0), u32::MAX);
    assert_eq!(w64::div_s(7, 0), u64::MAX);
    assert_eq!(w32::sad_s(-5i32 as u32, 5, 1), 11);
    assert_eq!(w32::sad_u(5, 9, 1), 5);
    assert_eq!(w32::abs(0x8000_0000), 0x8000_0000);
    assert_eq!(w32::cnot(0), 1);
    assert_eq!(w32::cnot(5), 0);
    assert_eq!(w32::min_s(u32::MAX, 1), u32::MAX);
    assert_eq!(w16::max_s(0x8000, 1), 1);
    assert_eq!(add_sat_s32(0x7fff_ffff, 1), 0x7fff_ffff);
    assert_eq!(sub_sat_s32(0x8000_0000, 1), 0x8000_0000);
    assert_eq!(b32::add_carry(u32::MAX, 0, true), (0, true));
    assert_eq!(b32::add_carry(u32::MAX, u32::MAX, true), (u32::MAX, true));
    assert_eq!(b32::sub_borrow(0, 0, true), (u32::MAX, true));
    assert_eq!(b64::sub_borrow(5, 4, true), (0, false));
}

#[test]
fn permutations_and_logic() {
    let (a, b) = (0x3322_1100, 0x7766_5544);
    assert_eq!(prmt(a, b, 0x7531, PrmtMode::Generic), 0x7755_3311);
    assert_eq!(prmt(0x0000_8000, 0, 0x0009, PrmtMode::Generic), 0x0000_00ff);
    assert_eq!(prmt(a, b, 1, PrmtMode::Forward4Extract), 0x4433_2211);
    assert_eq!(prmt(a, b, 1, PrmtMode::Backward4Extract), 0x6677_0011);
    assert_eq!(prmt(a, b, 2, PrmtMode::Replicate8), 0x2222_2222);
    assert_eq!(prmt(a, b, 1, PrmtMode::EdgeClampLeft), 0x3322_1111);
    assert_eq!(prmt(a, b, 1, PrmtMode::EdgeClampRight), 0x1111_1100);
    assert_eq!(prmt(a, b, 1, PrmtMode::Replicate16), 0x3322_3322);
    let (x, y, z) = (0xf0f0_1234, 0xcccc_9876, 0xaaaa_5555);
    assert_eq!(lop3(x, y, z, 0x80), x & y & z);
    assert_eq!(lop3(x, y, z, 0xfe), x | y | z);
    assert_eq!(lop3(x, y, z, 0x96), x ^ y ^ z);
    assert_eq!(lop3(x, y, z, 0xca), x & y | !x & z);
}

//! SIMD video instructions: values worked out by hand.

use crate::num::Compare;
use crate::num::video::*;

#[test]
fn lanes() {
    let plain = |op| Simd::new(op, 4);
    let (a, b) = (0x01ff_8010, 0x02ff_0120);
    assert_eq!(plain(Video::Add).run(a, b, 0), 0x03fe_8130);
    assert_eq!(Simd { sat: true, ..plain(Video::Add) }.run(a, b, 0), 0x03ff_8130);
    assert_eq!(plain(Video::AbsoluteDifference).run(a, b, 0), 0x0100_7f10);
    assert_eq!(Simd { add: true, ..plain(Video::AbsoluteDifference) }.run(a, b, 5), 5 + 1 + 0x7f + 0x10);
    let sum = Simd { add: true, ..Simd::new(Video::Add, 2) };
    assert_eq!(sum.run(0xae46_eae7, 0xb8a0_a744, 0x1f95_07b5), 0x1f98_00c6);
    assert_eq!(plain(Video::Average).run(a, b, 0), 0x02ff_4118);
    assert_eq!(plain(Video::Max).run(a, b, 0), 0x02ff_8020);
    assert_eq!(Simd { a_signed: true, b_signed: true, ..plain(Video::Max) }.run(a, b, 0), 0x02ff_0120);
    assert_eq!(plain(Video::Set(Compare::Eq)).run(a, b, 0), 0x0001_0000);
    assert_eq!(Simd { mask: 1, ..plain(Video::Sub) }.run(a, b, 0xaaaa_aaaa), 0xaaaa_aaf0);
    assert_eq!(Simd::new(Video::Sub, 2).run(0x0001_0005, 0x0002_0003, 0), 0xffff_0002);
    let average = Simd { d_signed: true, a_signed: true, b_signed: true, ..plain(Video::Average) };
    // (-3 - 4) / 2 and (3 + 4) / 2, both away from zero.
    assert_eq!(average.run(0xfd03, 0xfc04, 0), 0xfc04);
    let signed = Simd { d_signed: true, a_signed: true, b_signed: true, sat: true, ..plain(Video::Add) };
    assert_eq!(signed.run(0x8070_0000, 0x8070_0000, 0), 0x807f_0000);
}

#[test]
fn a_word_is_shifted_out_as_a_whole() {
    let shift = |signed, sat| ScalarVideo {
        op: Scalar::Shl(false),
        then: Then::Merge(Part::Whole),
        d_signed: signed,
        a: (Part::Whole, signed),
        b: (Part::Whole, false),
        sat,
    };
    for a in [0x8000_0000, u32::MAX, 0x7fff_ffff, 1] {
        for signed in [false, true] {
            assert_eq!(shift(signed, false).run(a, 32, 0), 0, "{a:#x}");
            assert_eq!(shift(signed, false).run(a, u32::MAX, 0), 0, "{a:#x}");
        }
        assert_eq!(shift(false, true).run(a, 40, 0), u32::MAX, "{a:#x}");
        assert_eq!(shift(false, false).run(a, 4, 0), a << 4, "{a:#x}");
    }
    assert_eq!(shift(true, true).run(0x8000_0000, 32, 0), 0x8000_0000);
}

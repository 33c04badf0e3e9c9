//! Where a texture is read, and what becomes of the texels there (CUDA C++ Programming Guide, "Texture Fetching").

use super::half;
use crate::texture::{AddressMode, Channel};

/// A texel along one axis and its weight in parts of [`ONE`]; no index: outside, where there are zeros.
pub type Tap = (Option<u32>, u32);

/// Weights have eight binary digits.
pub const ONE: u32 = 256;

/// The texel at a place along an axis of `size` texels, which may lie outside.
fn inside(at: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let size = i64::from(size);
    Some(match mode {
        AddressMode::Border if !(0..size).contains(&at) => return None,
        AddressMode::Clamp | AddressMode::Border => at.clamp(0, size - 1) as u32,
        AddressMode::Wrap => at.rem_euclid(size) as u32,
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at) as u32
        }
    })
}

/// A coordinate in texels.
fn scaled(x: f32, size: u32, normalized: bool) -> f64 {
    if normalized { f64::from(x) * f64::from(size) } else { f64::from(x) }
}

/// The texel that a coordinate falls into.
pub fn nearest(x: f32, size: u32, mode: AddressMode, normalized: bool) -> Option<u32> {
    inside(scaled(x, size, normalized).floor() as i64, size, mode)
}

/// The two texels between whose centres a coordinate lies.
pub fn between(x: f32, size: u32, mode: AddressMode, normalized: bool) -> [Tap; 2] {
    let fixed = (scaled(x, size, normalized) * f64::from(ONE) + 0.5).floor() as i64;
    let fixed = fixed.saturating_sub(i64::from(ONE / 2));
    let (at, weight) = (fixed >> 8, fixed as u32 & (ONE - 1));
    [(inside(at, size, mode), ONE - weight), (inside(at.saturating_add(1), size, mode), weight)]
}

/// The face that a direction points to, and the place on it, from 0 to 1.
pub fn face([x, y, z]: [f32; 3]) -> (u32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, major, s, t) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, ax, -z, -y) } else { (1, ax, z, -y) }
    } else if ay >= az {
        if y >= 0.0 { (2, ay, x, z) } else { (3, ay, x, -z) }
    } else if z >= 0.0 {
        (4, az, x, -y)
    } else {
        (5, az, -x, -y)
    };
    let place = |along: f32| ((f64::from(along) / f64::from(major) + 1.0) / 2.0) as f32;
    (face, place(s), place(t))
}

/// A channel's bits as a real.
pub fn real(bits: u32, channel: Channel) -> f64 {
    match channel {
        Channel::F32 => f32::from_bits(bits).into(),
        Channel::F16 => half::f16_to_f32(bits as u16).into(),
        Channel::U8 => f64::from(bits as u8) / 255.0,
        Channel::I8 => (f64::from(bits as i8) / 127.0).max(-1.0),
        Channel::U16 => f64::from(bits as u16) / 65535.0,
        Channel::I16 => (f64::from(bits as i16) / 32767.0).max(-1.0),
        // Fractions are of 8 and 16 bits.
        Channel::U32 | Channel::I32 => f64::from(bits),
    }
}

/// A channel's bits as they are read into a register of 32 bits.
pub fn integer(bits: u32, channel: Channel) -> u32 {
    match channel {
        Channel::I8 => bits as i8 as u32,
        Channel::I16 => bits as i16 as u32,
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AddressMode::{Border, Clamp, Mirror, Wrap};

    #[test]
    fn modes_say_what_lies_outside() {
        let ends = |mode| [-9, -2, -1, 0, 3, 4, 5, 9].map(|at| inside(at, 4, mode));
        assert_eq!(ends(Clamp), [0, 0, 0, 0, 3, 3, 3, 3].map(Some));
        assert_eq!(ends(Wrap), [3, 2, 3, 0, 3, 0, 1, 1].map(Some));
        assert_eq!(ends(Mirror), [0, 1, 0, 0, 3, 3, 2, 1].map(Some));
        assert_eq!(ends(Border), [None, None, None, Some(0), Some(3), None, None, None]);
    }

    #[test]
    fn a_coordinate_falls_into_a_texel_or_between_two_centres() {
        assert_eq!(nearest(1.999, 4, Clamp, false), Some(1));
        assert_eq!(nearest(0.5, 4, Clamp, true), Some(2));
        assert_eq!(nearest(f32::NAN, 4, Clamp, false), Some(0));
        assert_eq!(nearest(f32::INFINITY, 4, Clamp, false), Some(3));
        assert_eq!(between(1.5, 4, Clamp, false), [(Some(1), 256), (Some(2), 0)], "the centre of a texel");
        assert_eq!(between(2.25, 4, Clamp, false), [(Some(1), 64), (Some(2), 192)]);
        assert_eq!(between(0.0, 4, Clamp, false), [(Some(0), 128), (Some(0), 128)]);
        assert_eq!(between(0.0, 4, Wrap, true), [(Some(3), 128), (Some(0), 128)]);
        assert_eq!(between(4.0, 4, Border, false), [(Some(3), 128), (None, 128)]);
        assert_eq!(between(1.5 + 1.0 / 1024.0, 4, Clamp, false)[1].1, 0, "weights have eight digits");
        let far = between(f32::NEG_INFINITY, 4, Clamp, false);
        assert_eq!(far.map(|(at, _)| at), [Some(0); 2]);
    }

    #[test]
    fn directions_point_to_faces() {
        let directions = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
        for (at, direction) in directions.into_iter().enumerate() {
            assert_eq!(face(direction), (at as u32, 0.5, 0.5));
        }
        assert_eq!(face([2.0, 1.0, -1.0]), (0, 0.75, 0.25));
        assert_eq!(face([1.0, -4.0, 2.0]), (3, 0.625, 0.25));
    }

    #[test]
    fn channels_are_reals_and_integers() {
        assert_eq!(real(255, Channel::U8), 1.0);
        assert_eq!(real(0x80, Channel::I8), -1.0);
        assert_eq!(real(0x3c00, Channel::F16), 1.0);
        assert_eq!(integer(0xff, Channel::I8), u32::MAX);
        assert_eq!(integer(0xff, Channel::U8), 255);
    }
}

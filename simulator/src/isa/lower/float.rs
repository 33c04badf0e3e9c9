//! Floating-point arithmetic: f32 and f64 to nearest in the executor's own loops, everything else through `num`.

use crate::appearance::nans::{Bits, Nans};
use crate::isa::analysis::contract::{Part, Unrounded};
use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::lower::arith::{map1, map2, map3};
use crate::isa::op::{Approximate, LongFn, MapFn, Op, Reg};
use crate::isa::parts::Parts;
use crate::num::cvt::Float;
use crate::num::float as f;
use crate::num::half::{self, Half};
use crate::num::{MinMax, Rounding, TestP, approx};
use crate::ptx::ast::{Operand, Ty};

/// Lowers one of them.
pub fn lower(b: &mut Builder<'_>, parts: &Parts<'_>, operands: &[Operand]) -> Lower<()> {
    let types = parts.types();
    let mixed = types.len() == 2 && matches!(parts.base, "add" | "sub" | "fma");
    let ty = match types[..] {
        [ty] => ty,
        [Ty::F32, from @ (Ty::F16 | Ty::Bf16)] if mixed => from,
        _ => return Err(Unknown),
    };
    let (d, sources) = operands.split_first().ok_or(Unknown)?;
    if sources.len() > 4 {
        return Err(Unknown);
    }
    let narrow_first = mixed.then(|| types[1]).filter(|from| from.size() == 2);
    let regs = sources
        .iter()
        .enumerate()
        .map(|(at, operand)| {
            // `add.f32.f16 d, a, c`: the factors are narrow, the addend wide.
            let last = at + 1 == sources.len();
            match narrow_first {
                Some(from) if !last => {
                    let narrow = b.source(operand, from)?;
                    let wide = Reg::R32(b.temp32());
                    let float = if from == Ty::F16 { Float::F16 } else { Float::Bf16 };
                    let to = Float::F32;
                    b.emit_map(
                        wide,
                        &[narrow],
                        0,
                        map1(move |a| crate::num::cvt::float_to_float(a & 0xffff, float, to, Default::default())),
                    );
                    Ok(wide)
                }
                _ => b.source(operand, if narrow_first.is_some() { Ty::F32 } else { ty }),
            }
        })
        .collect::<Lower<Vec<_>>>()?;
    let ty = if narrow_first.is_some() { Ty::F32 } else { ty };
    let d = b.destination(d)?;
    let approximate = approximate(parts)?;
    let (ftz, sat) = (parts.has("ftz"), sum(parts.base) && parts.has("sat"));
    let rounding = rounding(parts, ty, approximate)?;
    if sat && matches!(ty, Ty::F64 | Ty::F32x2) || ftz && ty == Ty::F64 && !approximate {
        return Err(Unknown);
    }
    let unrounded = unrounded(parts, ty, (ftz, sat), (d, &regs)).filter(|_| narrow_first.is_none());
    if rounding == Rounding::Nearest && !ftz && !sat && common(b, parts.base, ty, d, &regs) {
        b.unrounded.extend(unrounded.map(|one| (b.insts.len() - 1, one)));
        return Ok(());
    }
    let (map, flops): (MapFn, u8) = match ty {
        Ty::F32 => single(parts, regs.len(), rounding, ftz, sat, approximate)?,
        Ty::F64 => double(parts, regs.len(), rounding, ftz, approximate)?,
        Ty::F16 | Ty::F16x2 => halves(parts, Half::F16, ty == Ty::F16x2, ftz, sat)?,
        Ty::Bf16 | Ty::Bf16x2 => halves(parts, Half::Bf16, ty == Ty::Bf16x2, ftz, sat)?,
        Ty::F32x2 => pairs(parts, rounding, ftz)?,
        _ => return Err(Unknown),
    };
    b.emit_map(d, &regs, flops, map);
    b.unrounded.extend(unrounded.map(|one| (b.insts.len() - 1, one)));
    if let Some(nans) = nans(parts, ty) {
        b.makes_nans(nans);
    }
    if ty == Ty::F32 && (approximate || parts.has("full")) {
        b.approximates(if parts.base == "div" { Approximate::Quotient } else { Approximate::Function });
    }
    if !approximate && let Some(long) = long_way(parts, ty) {
        b.goes_a_long_way(long);
    }
    Ok(())
}

/// The NaNs that the assembler may make: of operations on bits, and of those that it takes for copies of an operand.
fn nans(parts: &Parts<'_>, ty: Ty) -> Option<Nans> {
    let bits = match parts.base {
        "neg" => Bits::Negated,
        "abs" => Bits::Absolute,
        "mul" => Bits::Copied,
        "min" | "max" if !parts.has("NaN") => Bits::Copied,
        _ => return None,
    };
    let float = match ty {
        Ty::F32 => Float::F32,
        Ty::F64 => Float::F64,
        Ty::F16 | Ty::F16x2 => Float::F16,
        Ty::Bf16 | Ty::Bf16x2 => Float::Bf16,
        _ => return None,
    };
    Some(Nans { bits, from: float, to: float, packed: matches!(ty, Ty::F16x2 | Ty::Bf16x2) })
}

/// A product, a sum or a difference that names no rounding.
fn unrounded(parts: &Parts<'_>, ty: Ty, (ftz, sat): (bool, bool), (d, from): (Reg, &[Reg])) -> Option<Unrounded> {
    let part = match parts.base {
        "mul" if !sat => Part::Product,
        "add" => Part::Sum,
        "sub" => Part::Difference,
        _ => return None,
    };
    let &[a, b] = from else { return None };
    let one = Unrounded { part, ty, ftz, sat, d, from: [a, b] };
    (parts.rounding().is_none() && ty != Ty::F32x2).then_some(one)
}

/// For which operands the machine leaves the short way that it has for a division, a reciprocal or a root that is rounded: what the
/// code of the assembler tests before it calls. What `FCHK` tests of a division of f32 nobody publishes: here its exponents, as those of
/// f64 are tested.
fn long_way(parts: &Parts<'_>, ty: Ty) -> Option<LongFn> {
    let full = parts.has("full");
    Some(match (parts.base, ty) {
        ("div", Ty::F32) if !full => |a, b| {
            let (a, b) = (exponent32(a), exponent32(b));
            a <= 24 || a == 255 || b == 0 || b >= 253 || !(-125..=126).contains(&(a - b))
        },
        ("rcp", Ty::F32) => |a, _| matches!(exponent32(a), 0 | 253..=255),
        ("sqrt", Ty::F32) => |a, _| (a as u32).wrapping_sub(0x0d00_0000) > 0x727f_ffff,
        ("div", Ty::F64) => |a, b| {
            let (a, b) = (exponent64(a), exponent64(b));
            a < 54 || b == 0 || b >= 0x7f8 || !(-1022..=0x3f8).contains(&(a - b))
        },
        ("rcp", Ty::F64) => |a, _| matches!(exponent64(a), 0 | 0x7fd..=0x7ff),
        ("sqrt", Ty::F64) => |a, _| ((a >> 32) as u32).wrapping_sub(0x0350_0000) >= 0x7ca0_0000,
        _ => return None,
    })
}

fn exponent32(bits: u64) -> i32 {
    (bits >> 23 & 0xff) as i32
}

fn exponent64(bits: u64) -> i32 {
    (bits >> 52 & 0x7ff) as i32
}

/// Instructions that have `.sat`.
fn sum(base: &str) -> bool {
    matches!(base, "add" | "sub" | "mul" | "fma" | "mad")
}

/// The arithmetic of every kernel, each an operation of its own.
fn common(b: &mut Builder<'_>, base: &str, ty: Ty, d: Reg, regs: &[Reg]) -> bool {
    use Reg::{R32, R64};
    let op = match (base, ty, d, regs) {
        ("add", Ty::F32, R32(d), &[R32(a), R32(b)]) => Op::AddF32 { d, a, b },
        ("sub", Ty::F32, R32(d), &[R32(a), R32(b)]) => Op::SubF32 { d, a, b },
        ("mul", Ty::F32, R32(d), &[R32(a), R32(b)]) => Op::MulF32 { d, a, b },
        ("fma" | "mad", Ty::F32, R32(d), &[R32(a), R32(b), R32(c)]) => Op::FmaF32 { d, a, b, c },
        ("neg", Ty::F32, R32(d), &[R32(a)]) => Op::NegF32 { d, a },
        ("abs", Ty::F32, R32(d), &[R32(a)]) => Op::AbsF32 { d, a },
        ("add", Ty::F64, R64(d), &[R64(a), R64(b)]) => Op::AddF64 { d, a, b },
        ("sub", Ty::F64, R64(d), &[R64(a), R64(b)]) => Op::SubF64 { d, a, b },
        ("mul", Ty::F64, R64(d), &[R64(a), R64(b)]) => Op::MulF64 { d, a, b },
        ("fma" | "mad", Ty::F64, R64(d), &[R64(a), R64(b), R64(c)]) => Op::FmaF64 { d, a, b, c },
        _ => return false,
    };
    b.emit(op);
    true
}

fn test_of(parts: &Parts<'_>) -> Lower<TestP> {
    let test = |name: &str| {
        Some(match name {
            "finite" => TestP::Finite,
            "infinite" => TestP::Infinite,
            "number" => TestP::Number,
            "notanumber" => TestP::NotANumber,
            "normal" => TestP::Normal,
            "subnormal" => TestP::Subnormal,
            _ => return None,
        })
    };
    parts.pick(test).ok_or(Unknown)
}

/// Of `min` and `max`; the others have none of them.
fn options(parts: &Parts<'_>) -> MinMax {
    if !matches!(parts.base, "min" | "max") {
        return MinMax::default();
    }
    let xorsign_abs = parts.has("xorsign") && parts.has("abs");
    MinMax { ftz: parts.has("ftz"), nan: parts.has("NaN"), xorsign_abs }
}

/// `.approx`, where an instruction has it.
fn approximate(parts: &Parts<'_>) -> Lower<bool> {
    let only = matches!(parts.base, "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh");
    let may = only || matches!(parts.base, "div" | "rcp" | "sqrt");
    let is = may && parts.has("approx");
    if only && !is { Err(Unknown) } else { Ok(is) }
}

/// The rounding of an operation on `ty`. What has no other form names it, as the assembler demands.
fn rounding(parts: &Parts<'_>, ty: Ty, approximate: bool) -> Lower<Rounding> {
    let may = match parts.base {
        "add" | "sub" | "mul" | "fma" | "mad" | "div" | "rcp" | "sqrt" => !approximate,
        _ => false,
    };
    let found = if may { parts.rounding() } else { None };
    let must = match parts.base {
        "fma" | "div" | "rcp" | "sqrt" => may,
        "mad" => matches!(ty, Ty::F32 | Ty::F64),
        _ => false,
    };
    let half = matches!(ty, Ty::F16 | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2);
    match found {
        None if must && !(parts.base == "div" && parts.has("full")) => Err(Unknown),
        Some(Rounding::NearestAway) => Err(Unknown),
        Some(other) if half && other != Rounding::Nearest => Err(Unknown),
        found => Ok(found.unwrap_or(Rounding::Nearest)),
    }
}

fn single(parts: &Parts<'_>, sources: usize, r: Rounding, z: bool, s: bool, approximate: bool) -> Lower<(MapFn, u8)> {
    let m = options(parts);
    let one = |g: fn(u32, bool) -> u32| map1(move |a| g(a as u32, z).into());
    macro_rules! fma {
        ($r:expr, $z:expr, $s:expr) => {
            map3(move |a, b, c| f::fma_f32(a as u32, b as u32, c as u32, $r, $z, $s).into())
        };
    }
    let map = match parts.base {
        "add" => map2(move |a, b| f::add_f32(a as u32, b as u32, r, z, s).into()),
        "sub" => map2(move |a, b| f::sub_f32(a as u32, b as u32, r, z, s).into()),
        "mul" => map2(move |a, b| f::mul_f32(a as u32, b as u32, r, z, s).into()),
        "fma" | "mad" => {
            // Those of `expf` and of fast arithmetic have functions of their own, in which nothing is left to be asked.
            let map = match (r, z, s) {
                (Rounding::Nearest, false, true) => fma!(Rounding::Nearest, false, true),
                (Rounding::Down, false, false) => fma!(Rounding::Down, false, false),
                (Rounding::Nearest, true, false) => fma!(Rounding::Nearest, true, false),
                (Rounding::Nearest, true, true) => fma!(Rounding::Nearest, true, true),
                _ => fma!(r, z, s),
            };
            return Ok((map, 2));
        }
        "div" if approximate => map2(move |a, b| approx::div_f32_approx(a as u32, b as u32, z).into()),
        "div" if parts.has("full") => map2(move |a, b| approx::div_f32_full(a as u32, b as u32, z).into()),
        "div" => map2(move |a, b| f::div_f32(a as u32, b as u32, r, z).into()),
        "rcp" if approximate => one(approx::rcp_f32),
        "rcp" => map1(move |a| f::rcp_f32(a as u32, r, z).into()),
        "sqrt" if approximate => one(approx::sqrt_f32),
        "sqrt" => map1(move |a| f::sqrt_f32(a as u32, r, z).into()),
        "rsqrt" => one(approx::rsqrt_f32),
        "sin" => one(approx::sin_f32),
        "cos" => one(approx::cos_f32),
        "lg2" => one(approx::lg2_f32),
        "ex2" => one(approx::ex2_f32),
        "tanh" => map1(|a| approx::tanh_f32(a as u32).into()),
        "neg" => return Ok((one(f::neg_f32), 0)),
        "abs" => return Ok((one(f::abs_f32), 0)),
        "min" if sources == 3 => map3(move |a, b, c| f::min3_f32(a as u32, b as u32, c as u32, m).into()),
        "max" if sources == 3 => map3(move |a, b, c| f::max3_f32(a as u32, b as u32, c as u32, m).into()),
        // The plain forms are in every loop: what is known when they are lowered need not be asked lane by lane.
        "min" if m == MinMax::default() => {
            return Ok((map2(|a, b| f::min_f32(a as u32, b as u32, MinMax::default()).into()), 0));
        }
        "max" if m == MinMax::default() => {
            return Ok((map2(|a, b| f::max_f32(a as u32, b as u32, MinMax::default()).into()), 0));
        }
        "min" => return Ok((map2(move |a, b| f::min_f32(a as u32, b as u32, m).into()), 0)),
        "max" => return Ok((map2(move |a, b| f::max_f32(a as u32, b as u32, m).into()), 0)),
        // copysign d, a, b: the sign of a, the magnitude of b.
        "copysign" => return Ok((map2(|a, b| f::copysign_f32(a as u32, b as u32).into()), 0)),
        "testp" => {
            let test = test_of(parts)?;
            return Ok((map1(move |a| f::testp_f32(a as u32, test).into()), 0));
        }
        _ => return Err(Unknown),
    };
    Ok((map, u8::from(matches!(parts.base, "add" | "sub" | "mul"))))
}

fn double(parts: &Parts<'_>, sources: usize, r: Rounding, ftz: bool, approximate: bool) -> Lower<(MapFn, u8)> {
    let map = match parts.base {
        "add" => map2(move |a, b| f::add_f64(a, b, r)),
        "sub" => map2(move |a, b| f::sub_f64(a, b, r)),
        "mul" => map2(move |a, b| f::mul_f64(a, b, r)),
        "fma" | "mad" if sources == 3 => return Ok((map3(move |a, b, c| f::fma_f64(a, b, c, r)), 2)),
        "div" => map2(move |a, b| f::div_f64(a, b, r)),
        "rcp" if approximate => map1(approx::rcp_f64_ftz),
        "rcp" => map1(move |a| f::rcp_f64(a, r)),
        "sqrt" => map1(move |a| f::sqrt_f64(a, r)),
        "rsqrt" if ftz => map1(approx::rsqrt_f64_ftz),
        "rsqrt" => map1(approx::rsqrt_f64),
        "neg" => return Ok((map1(f::neg_f64), 0)),
        "abs" => return Ok((map1(f::abs_f64), 0)),
        "min" => return Ok((map2(f::min_f64), 0)),
        "max" => return Ok((map2(f::max_f64), 0)),
        "copysign" => return Ok((map2(f::copysign_f64), 0)),
        "testp" => {
            let test = test_of(parts)?;
            return Ok((map1(move |a| f::testp_f64(a, test).into()), 0));
        }
        _ => return Err(Unknown),
    };
    Ok((map, u8::from(matches!(parts.base, "add" | "sub" | "mul"))))
}

fn halves(parts: &Parts<'_>, t: Half, packed: bool, ftz: bool, sat: bool) -> Lower<(MapFn, u8)> {
    let m = half::Modifiers { ftz, sat, relu: matches!(parts.base, "fma") && parts.has("relu") };
    let options = options(parts);
    let one = |g: Box<dyn Fn(u16) -> u16 + Send + Sync>| {
        map1(move |a| if packed { half::packed1(a as u32, &g).into() } else { g(a as u16).into() })
    };
    let two = |g: fn(Half, u16, u16, half::Modifiers) -> u16| {
        map2(move |a, b| {
            let g = |a, b| g(t, a, b, m);
            if packed { half::packed2(a as u32, b as u32, g).into() } else { g(a as u16, b as u16).into() }
        })
    };
    let bounds = |g: fn(Half, u16, u16, MinMax) -> u16| {
        map2(move |a, b| {
            let g = |a, b| g(t, a, b, options);
            if packed { half::packed2(a as u32, b as u32, g).into() } else { g(a as u16, b as u16).into() }
        })
    };
    let width = 1 + u8::from(packed);
    if (t, m) == (Half::F16, half::Modifiers::default())
        && let Some(map) = plain_halves(parts, packed)
    {
        return Ok((map, if matches!(parts.base, "fma" | "mad") { 2 * width } else { width }));
    }
    Ok(match parts.base {
        "add" => (two(half::add), width),
        "sub" => (two(half::sub), width),
        "mul" => (two(half::mul), width),
        "fma" | "mad" => {
            let g = if parts.has("oob") { half::fma_oob } else { half::fma };
            let map = map3(move |a, b, c| {
                let g = |a, b, c| g(t, a, b, c, m);
                if packed {
                    half::packed3(a as u32, b as u32, c as u32, g).into()
                } else {
                    g(a as u16, b as u16, c as u16).into()
                }
            });
            (map, 2 * width)
        }
        "neg" => (one(Box::new(move |a| half::neg(t, a, ftz))), 0),
        "abs" => (one(Box::new(move |a| half::abs(t, a, ftz))), 0),
        "tanh" => (one(Box::new(move |a| half::tanh_approx(t, a))), 0),
        "ex2" => (one(Box::new(move |a| half::ex2_approx(t, a, ftz))), 0),
        "min" => (bounds(half::min), 0),
        "max" => (bounds(half::max), 0),
        _ => return Err(Unknown),
    })
}

/// Arithmetic on `f16` without modifiers, in functions of their own: what is known when they are lowered need not be asked lane by
/// lane.
fn plain_halves(parts: &Parts<'_>, packed: bool) -> Option<MapFn> {
    const PLAIN: half::Modifiers = half::Modifiers { ftz: false, sat: false, relu: false };
    macro_rules! of_two {
        ($g:path) => {
            if packed {
                map2(|a, b| half::packed2(a as u32, b as u32, |a, b| $g(Half::F16, a, b, PLAIN)).into())
            } else {
                map2(|a, b| $g(Half::F16, a as u16, b as u16, PLAIN).into())
            }
        };
    }
    Some(match parts.base {
        "add" => of_two!(half::add),
        "sub" => of_two!(half::sub),
        "mul" => of_two!(half::mul),
        "fma" | "mad" if parts.has("oob") => return None,
        "fma" | "mad" if packed => map3(|a, b, c| {
            let fma = |a, b, c| half::fma(Half::F16, a, b, c, PLAIN);
            half::packed3(a as u32, b as u32, c as u32, fma).into()
        }),
        "fma" | "mad" => map3(|a, b, c| half::fma(Half::F16, a as u16, b as u16, c as u16, PLAIN).into()),
        _ => return None,
    })
}

/// `add.rn.f32x2` and its kin on two singles in 64 bits.
fn pairs(parts: &Parts<'_>, r: Rounding, z: bool) -> Lower<(MapFn, u8)> {
    let split = |x: u64| (x as u32, (x >> 32) as u32);
    let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let two = |g: fn(u32, u32, Rounding, bool, bool) -> u32| {
        map2(move |a, b| {
            let ((a0, a1), (b0, b1)) = (split(a), split(b));
            join(g(a0, b0, r, z, false), g(a1, b1, r, z, false))
        })
    };
    Ok(match parts.base {
        "add" => (two(f::add_f32), 2),
        "sub" => (two(f::sub_f32), 2),
        "mul" => (two(f::mul_f32), 2),
        "fma" => {
            let map = map3(move |a, b, c| {
                let ((a0, a1), (b0, b1), (c0, c1)) = (split(a), split(b), split(c));
                join(f::fma_f32(a0, b0, c0, r, z, false), f::fma_f32(a1, b1, c1, r, z, false))
            });
            (map, 4)
        }
        _ => return Err(Unknown),
    })
}

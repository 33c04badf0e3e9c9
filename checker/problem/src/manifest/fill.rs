//! FILL: how a buffer is filled, as it is written. Generation is `verify`'s.

use crate::cursor::{Cursor, Number};
use crate::error::{LineError, did_you_mean};
use plan::Fill;

/// The form of a fill.
pub const FORM: &str = "uniform(LO, HI), band(LO, HI, WIDTH), band(LO, HI, WIDTH, LEN), integers(LO, HI), few(LO, HI, COUNT), \
                        sorted(RUN), sorted(RUN, SHORT), scaled(LO, HI, LEN), iota, zeros, constant(VALUE) or \"FILE.npy\"; several with \
                        `or` between them take turns";
const NAMES: [&str; 9] = ["uniform", "band", "integers", "few", "sorted", "scaled", "iota", "zeros", "constant"];
/// Exponents of f32 numbers, subnormal ones included, less some room for a sum; and below, where all that is drawn is zero.
const EXPONENTS: std::ops::RangeInclusive<i64> = -65536..=120;

/// Parses a fill, or several with `or` between them; leaves what follows to the caller.
pub fn parse(cursor: &mut Cursor) -> Result<Fill, LineError> {
    let first = single(cursor)?;
    let mut all = vec![first];
    while cursor.take("or") {
        all.push(single(cursor)?);
    }
    Ok(if all.len() > 1 { Fill::OneOf(all) } else { all.swap_remove(0) })
}

fn single(cursor: &mut Cursor) -> Result<Fill, LineError> {
    let column = cursor.column();
    if let Some(path) = cursor.take_string()? {
        if !path.to_lowercase().ends_with(".npy") {
            return Err(cursor.error_at(column, format!("`{path}` is not a .npy file")).expected(FORM));
        }
        return Ok(Fill::Npy(path));
    }
    let Some(name) = cursor.take_name() else {
        let found = cursor.found();
        return Err(cursor.error(format!("expected a fill, found {found}")).expected(FORM));
    };
    match name.as_str() {
        "iota" => Ok(Fill::Iota),
        "zeros" => Ok(Fill::Zeros),
        "constant" => {
            let [value] = reals(cursor)?;
            Ok(Fill::Constant(value))
        }
        "uniform" => {
            let [lo, hi] = reals(cursor)?;
            if lo > hi || !(hi - lo).is_finite() {
                return Err(
                    cursor.error_at(column, format!("uniform({lo}, {hi}): no finite interval from LO up to HI"))
                );
            }
            Ok(Fill::Uniform { lo, hi })
        }
        "band" => {
            let (lo, hi, width, len) = match numbers_between(cursor, 3, 4)?.as_slice() {
                [lo, hi, width, Number::Int(len)] => (real(*lo), real(*hi), real(*width), *len),
                [lo, hi, width] => (real(*lo), real(*hi), real(*width), 0),
                _ => return Err(cursor.error_at(column, "`band`: LEN is an integer").expected(FORM)),
            };
            if !(hi - lo).is_finite() || !(0.0..=hi - lo).contains(&width) || len < 0 {
                let message = format!(
                    "band({lo}, {hi}, {width}): an interval of that width has to fit between LO and HI, and LEN is not negative"
                );
                return Err(cursor.error_at(column, message));
            }
            Ok(Fill::Band { lo, hi, width, len })
        }
        "integers" => {
            let [lo, hi] = integers(cursor, &name, column)?;
            if lo > hi {
                return Err(cursor.error_at(column, format!("integers({lo}, {hi}): LO is greater than HI")));
            }
            Ok(Fill::Integers { lo, hi })
        }
        "few" => {
            let [lo, hi, count] = integers(cursor, &name, column)?;
            if lo > hi || count < 1 {
                let message = format!("few({lo}, {hi}, {count}): from LO up to HI, and at least one number");
                return Err(cursor.error_at(column, message));
            }
            Ok(Fill::Few { lo, hi, count })
        }
        "sorted" => sorted(cursor, column),
        "scaled" => {
            let [lo, hi, len] = integers(cursor, &name, column)?;
            if lo > hi || len < 1 || !EXPONENTS.contains(&lo) || !EXPONENTS.contains(&hi) {
                let (least, most) = (EXPONENTS.start(), EXPONENTS.end());
                let message =
                    format!("scaled({lo}, {hi}, {len}): exponents from {least} up to {most}, a length from 1");
                return Err(cursor.error_at(column, message));
            }
            Ok(Fill::Scaled { lo, hi, len })
        }
        _ => {
            let hint = did_you_mean(&name, NAMES);
            Err(cursor.error_at(column, format!("unknown fill `{name}`{hint}")).expected(FORM))
        }
    }
}

fn sorted(cursor: &mut Cursor, column: u32) -> Result<Fill, LineError> {
    let numbers = numbers_between(cursor, 1, 2)?;
    let [Number::Int(run), rest @ ..] = numbers.as_slice() else {
        return Err(cursor.error_at(column, "`sorted`: RUN is an integer").expected(FORM));
    };
    if *run < 1 {
        return Err(cursor.error_at(column, format!("sorted({run}): a run has at least one element")));
    }
    match rest {
        [] => Ok(Fill::Sorted { run: *run, short: 0 }),
        [Number::Int(short), ..] if (1..=*run).contains(short) => Ok(Fill::Sorted { run: *run, short: *short }),
        _ => {
            let message = format!("sorted({run}, SHORT): SHORT is an integer from 1 to RUN");
            Err(cursor.error_at(column, message).expected(FORM))
        }
    }
}

fn numbers<const N: usize>(cursor: &mut Cursor) -> Result<[Number; N], LineError> {
    let mut values = [Number::Int(0); N];
    // As many as asked for came back.
    values.copy_from_slice(&numbers_between(cursor, N, N)?);
    Ok(values)
}

/// `least` to `most` numbers in parentheses.
fn numbers_between(cursor: &mut Cursor, least: usize, most: usize) -> Result<Vec<Number>, LineError> {
    cursor.require("(")?;
    let mut values = Vec::new();
    while values.len() < most {
        match values.len() {
            0 => {}
            len if len < least => cursor.require(",")?,
            _ if cursor.take(",") => {}
            _ => break,
        }
        let negative = cursor.take("-");
        let Some(number) = cursor.take_number()? else {
            let found = cursor.found();
            return Err(cursor.error(format!("expected a number, found {found}")));
        };
        values.push(match number {
            Number::Int(n) => Number::Int(if negative { -n } else { n }),
            Number::Real(x) => Number::Real(if negative { -x } else { x }),
        });
    }
    cursor.require(")")?;
    Ok(values)
}

fn integers<const N: usize>(cursor: &mut Cursor, fill: &str, column: u32) -> Result<[i64; N], LineError> {
    let mut integers = [0; N];
    for (integer, number) in integers.iter_mut().zip(numbers::<N>(cursor)?) {
        let Number::Int(value) = number else {
            return Err(cursor.error_at(column, format!("`{fill}` takes integers")).expected(FORM));
        };
        *integer = value;
    }
    Ok(integers)
}

fn reals<const N: usize>(cursor: &mut Cursor) -> Result<[f64; N], LineError> {
    Ok(numbers(cursor)?.map(real))
}

fn real(number: Number) -> f64 {
    match number {
        Number::Int(n) => n as f64,
        Number::Real(x) => x,
    }
}

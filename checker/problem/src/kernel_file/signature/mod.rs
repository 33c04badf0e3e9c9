//! What a compiled kernel takes, read off its symbol, and whether a launch gives it that.
//!
//! A C++ symbol spells the parameters' types (`_Z9block_sumILi256EEvPKfPfi`: two pointers to float and an int). An
//! `extern "C"` symbol does not: there only the sizes are known, from the PTX's `.param` list.

mod param;

use crate::error::LineError;
use crate::kernel_file::KernelFile;
use crate::statement::ArgExpr;
pub use param::{Param, Pointee, Scalar, parameters};
use plan::dtype::DType;
use plan::{Arg, Member, Plan, Structure};

use DType::*;

/// Checks one launch of a plan against the kernel's parameters, and turns its arguments into what those take: an integer
/// for a float becomes a real, a real for a `__half` its bits.
///
/// # Errors
///
/// A wrong number of arguments or one that the parameter cannot take, at the argument's place in the file.
pub fn check(file: &KernelFile, plan: &mut Plan, launch: usize, params: &[Param]) -> Result<(), LineError> {
    let Plan { buffers, launches, structures, .. } = plan;
    let Some(launch) = launches.get_mut(launch) else { return Ok(()) };
    let written = file.launch_on(launch.line);
    let line = launch.line;
    let kernel = launch.kernel.clone();
    if launch.args.len() != params.len() {
        let (given, wanted) = (launch.args.len(), params.len());
        let types: Vec<String> = params.iter().map(Param::words).collect();
        let column = written.map_or(1, |launch| launch.kernel.column);
        let plural = if wanted == 1 { "" } else { "s" };
        let error = file
            .line(line)
            .error(column, format!("`{kernel}` takes {wanted} argument{plural}, the launch gives {given}"));
        return Err(if types.is_empty() { error } else { error.expected(types.join(", ")) });
    }
    for (index, (arg, param)) in launch.args.iter_mut().zip(params).enumerate() {
        let place: Option<&ArgExpr> = written.and_then(|launch| launch.args.get(index));
        let buffer = arg.buffer().and_then(|buffer| buffers.get(buffer));
        let structure = match *arg {
            Arg::Structure(at) => structures.get_mut(at),
            _ => None,
        };
        if let Some(structure) = structure {
            fit_structure(structure, param).map_err(|given| {
                let message = format!("argument {} of `{kernel}` is {}, but {given}", index + 1, param.words());
                file.line(line).error(place.map_or(1, |arg| arg.column), message).expected(STRUCTURE)
            })?;
            continue;
        }
        *arg = fit(*arg, buffer.map(|b| (b.name.as_str(), b.dtype)), param).map_err(|given| {
            let message = format!("argument {} of `{kernel}` is {}, but {given}", index + 1, param.words());
            file.line(line).error(place.map_or(1, |arg| arg.column), message)
        })?;
    }
    Ok(())
}

/// The form of a structure, for messages.
const STRUCTURE: &str =
    "{1, 2.5f, i64 3, f32[4] 0, buffer, {...}}, each member as C++ has its literal or with its type";

/// Makes a structure what the parameter is: a vector's members are of its type. What is wrong stands after "but".
fn fit_structure(structure: &mut Structure, param: &Param) -> Result<(), String> {
    let (wanted, vector) = match param {
        Param::Structure { bytes, vector, .. } => (*bytes, *vector),
        Param::Opaque { bytes } => (*bytes, None),
        Param::Pointer { .. } | Param::Scalar { .. } | Param::Unsupported { .. } => {
            return Err("a structure is given".to_string());
        }
    };
    if let Some((dtype, count, align)) = vector {
        if structure.members.len() != count {
            return Err(format!("{} members are given; it has {count}", structure.members.len()));
        }
        structure.align = align;
        for member in &mut structure.members {
            *member = match *member {
                Member::Int(_, value) if dtype.is_float() => Member::Real(dtype, value as f64),
                Member::Int(_, value) if dtype.holds(value) => Member::Int(dtype, value),
                Member::Real(_, value) if dtype.is_float() => Member::Real(dtype, value),
                _ => return Err(format!("its members are of {dtype}")),
            };
        }
    }
    let given = structure.size();
    if given == wanted as usize {
        return Ok(());
    }
    Err(format!("these members make {given} bytes and it has {wanted}; check their types"))
}

/// The argument as the parameter takes it, or what is wrong with it, to stand after "but".
fn fit(arg: Arg, buffer: Option<(&str, DType)>, param: &Param) -> Result<Arg, String> {
    match (arg, param) {
        (_, Param::Unsupported { .. }) => {
            Err("launch lines give buffers, numbers and structures: no references, functions or deeper pointers"
                .to_string())
        }
        (Arg::Structure(_), _) => Ok(arg),
        (
            Arg::Texture(_),
            Param::Scalar { scalar: Scalar::Int { bytes: 8, .. }, .. }
            | Param::Opaque { bytes: 8 }
            | Param::Structure { bytes: 8, .. },
        ) => Ok(arg),
        (Arg::Texture(_), _) => Err("a texture or surface object is given".to_string()),
        (Arg::Buffer(_) | Arg::Offset { .. }, param) => {
            let (name, dtype) = buffer.ok_or_else(|| "the buffer does not exist".to_string())?;
            match param {
                Param::Pointer { to: Pointee::Elements(types), ty } if !types.contains(&dtype) => {
                    // `const uint4*`, or `const int*` of bytes: whoever wants wide loads.
                    let element = ty.trim_end_matches("__restrict__").trim_end_matches(['*', ' ']);
                    let vector = element.ends_with(['2', '3', '4']) && !element.contains("bfloat16");
                    let wide = vector || types.iter().all(|one| one.size() > dtype.size());
                    let cast = if wide { ": take the buffer's own type and cast inside the kernel" } else { "" };
                    Err(format!("`{name}` is a buffer of {dtype}{cast}"))
                }
                Param::Pointer { .. } | Param::Opaque { bytes: 8 } => Ok(arg),
                _ => Err(format!("`{name}` is a buffer of {dtype}")),
            }
        }
        // A null pointer: an argument that is left out.
        (Arg::Int(0), Param::Pointer { .. }) => Ok(arg),
        (Arg::Int(value), Param::Pointer { .. }) => Err(format!("{value} is an integer; name a buffer, or 0 for none")),
        (Arg::Real(value), Param::Pointer { .. }) => Err(format!("{value:?} is a real; name a buffer")),
        (Arg::Int(value), Param::Scalar { scalar: Scalar::Bool, .. }) => {
            if matches!(value, 0 | 1) {
                Ok(arg)
            } else {
                Err(format!("{value} is neither 0 nor 1"))
            }
        }
        (Arg::Int(value), Param::Scalar { scalar: Scalar::Int { bytes, signed }, .. }) => {
            let bits = bytes * 8;
            let fits = match (signed, bits) {
                (_, 64) => *signed || value >= 0,
                (true, _) => (-(1_i64 << (bits - 1))..1 << (bits - 1)).contains(&value),
                (false, _) => (0..1_i64 << bits).contains(&value),
            };
            if fits { Ok(arg) } else { Err(format!("{value} does not fit into it")) }
        }
        (Arg::Int(value), Param::Scalar { scalar: Scalar::Float(dtype), .. }) => Ok(real(value as f64, *dtype)),
        (Arg::Real(value), Param::Scalar { scalar: Scalar::Float(dtype), .. }) => Ok(real(value, *dtype)),
        (Arg::Real(value), Param::Scalar { .. }) => Err(format!("{value:?} is a real")),
        // An enumeration looks like a structure.
        (
            Arg::Int(value),
            Param::Opaque { bytes } | Param::Structure { bytes: bytes @ (1 | 2 | 4 | 8), vector: None, .. },
        ) => {
            let fits = match bytes {
                8 => true,
                1 | 2 | 4 => (-(1_i64 << (bytes * 8 - 1))..1 << (bytes * 8)).contains(&value),
                _ => false,
            };
            if fits { Ok(arg) } else { Err(format!("{value} does not fit into it")) }
        }
        (Arg::Int(_) | Arg::Real(_), Param::Structure { bytes, .. }) => {
            Err(format!("a number is given for its {bytes} bytes; write `{{...}}`"))
        }
        (Arg::Real(_), Param::Opaque { bytes: 4 | 8 }) => Ok(arg),
        (Arg::Real(value), Param::Opaque { .. }) => Err(format!("{value:?} is a real; float has 4 bytes, double 8")),
    }
}

/// A real for a parameter of that type. Backends know float and double; the 16-bit types travel as their bits.
fn real(value: f64, dtype: DType) -> Arg {
    match dtype {
        F16 => Arg::Int(i64::from(plan::dtype::half(value).to_bits())),
        Bf16 => Arg::Int(i64::from(half::bf16::from_f64(value).to_bits())),
        _ => Arg::Real(value),
    }
}

#[cfg(test)]
mod tests;

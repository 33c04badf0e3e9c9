//! What a compiled kernel takes, read off its symbol, and whether a launch gives it that.
//!
//! A C++ symbol spells the parameters' types (`_Z9block_sumILi256EEvPKfPfi`: two pointers to float and an int). An
//! `extern "C"` symbol does not: there only the sizes are known, from the PTX's `.param` list.

use crate::error::LineError;
use crate::kernel_file::KernelFile;
use crate::statement::ArgExpr;
use plan::dtype::DType;
use plan::{Arg, Member, Plan, Structure};

/// One parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param {
    /// A pointer; `ty` as C++ writes it.
    Pointer {
        /// What it points to.
        to: Pointee,
        /// `const float*`
        ty: String,
    },
    /// A number.
    Scalar {
        /// Its kind.
        scalar: Scalar,
        /// `unsigned int`
        ty: String,
    },
    /// A structure by value.
    Structure {
        /// Bytes.
        bytes: u32,
        /// Of a vector (`float3`) its members' type and number, and its own alignment.
        vector: Option<(DType, usize, usize)>,
        /// The type.
        ty: String,
    },
    /// A type that no launch line can give: an array, a pointer to pointers, ...
    Unsupported {
        /// The type.
        ty: String,
    },
    /// Of an `extern "C"` kernel: only the size in bytes is known.
    Opaque {
        /// Bytes.
        bytes: u32,
    },
}

/// What a pointer points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pointee {
    /// Anything (`void`), or a class of the kernel's own, whose layout is its own affair.
    Any,
    /// Elements, or vectors of elements, of one of these types.
    Elements(&'static [DType]),
}

/// Kinds of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `bool`.
    Bool,
    /// An integer.
    Int {
        /// Bytes.
        bytes: u32,
        /// Signed?
        signed: bool,
    },
    /// A floating-point number.
    Float(DType),
}

use DType::*;

/// CUDA's names of elements and their vectors, without the digits of the vector (`float`, `float4`).
const ELEMENTS: [(&str, &[DType]); 28] = [
    ("float", &[F32]),
    ("double", &[F64]),
    ("__half", &[F16]),
    ("half", &[F16]),
    ("__nv_bfloat16", &[Bf16]),
    ("nv_bfloat16", &[Bf16]),
    // Whether char is signed is the platform's choice.
    ("char", &[I8, U8]),
    ("signed char", &[I8]),
    ("unsigned char", &[U8]),
    ("uchar", &[U8]),
    ("bool", &[U8, I8]),
    ("short", &[I16]),
    ("unsigned short", &[U16]),
    ("ushort", &[U16]),
    ("int", &[I32]),
    ("unsigned", &[U32]),
    ("unsigned int", &[U32]),
    ("uint", &[U32]),
    ("long", &[I64]),
    ("unsigned long", &[U64]),
    ("ulong", &[U64]),
    ("long long", &[I64]),
    ("unsigned long long", &[U64]),
    ("longlong", &[I64]),
    ("ulonglong", &[U64]),
    ("__nv_bfloat162", &[Bf16]),
    ("__half2", &[F16]),
    ("half2", &[F16]),
];

/// Vector types whose name without digits is that of a scalar: char4, float2, ulonglong2, ...
fn element(name: &str) -> Option<&'static [DType]> {
    let find = |name: &str| ELEMENTS.iter().find(|(known, _)| *known == name).map(|(_, types)| *types);
    // double4_16a and the like name their alignment.
    let name = name.strip_suffix("_16a").or_else(|| name.strip_suffix("_32a")).unwrap_or(name);
    find(name).or_else(|| {
        let stem = name.strip_suffix(['1', '2', '3', '4'])?;
        if stem.contains(' ') || stem.starts_with("__") { None } else { find(stem) }
    })
}

/// The parameters of a kernel: from its symbol where that spells them, else from the sizes of its PTX parameters.
pub fn parameters(symbol: &str, sizes: &[u32]) -> Vec<Param> {
    match demangled_types(symbol) {
        Some(types) if types.len() == sizes.len() => {
            types.iter().zip(sizes).map(|(ty, bytes)| param(ty, *bytes)).collect()
        }
        _ => sizes.iter().map(|&bytes| Param::Opaque { bytes }).collect(),
    }
}

/// The parameter types that a symbol spells.
fn demangled_types(symbol: &str) -> Option<Vec<String>> {
    let parsed = cpp_demangle::Symbol::new(symbol).ok()?;
    let text = parsed.demangle().ok()?;
    // The parameter list is the last parenthesis: template arguments may hold others before it.
    let inner = text.strip_suffix(')')?;
    let mut depth = 1_u32;
    let open = inner.char_indices().rev().find_map(|(at, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let list = inner[open + 1..].trim();
    if list.is_empty() || list == "void" {
        return Some(Vec::new());
    }
    let (mut types, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' => depth += 1,
            ')' | '>' | ']' => depth -= 1,
            ',' if depth == 0 => {
                types.push(list[start..at].trim().to_string());
                start = at + 1;
            }
            _ => {}
        }
    }
    types.push(list[start..].trim().to_string());
    Some(types)
}

/// A demangled type: `float const*`, `unsigned long`; `bytes` is its size.
fn param(text: &str, bytes: u32) -> Param {
    let bare = |text: &str| -> String {
        text.split_whitespace()
            .filter(|word| !matches!(*word, "const" | "volatile" | "restrict" | "__restrict__"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let ty = readable(text);
    let unsupported = || Param::Unsupported { ty: ty.clone() };
    let trimmed = text.trim_end_matches("restrict").trim_end_matches("const").trim_end();
    if let Some(to) = trimmed.strip_suffix('*') {
        let to = bare(to);
        if to.contains(['*', '&', '(', '[']) {
            return unsupported();
        }
        let to = match element(&to) {
            Some(types) => Pointee::Elements(types),
            None => Pointee::Any,
        };
        return Param::Pointer { to, ty };
    }
    let name = bare(text);
    let scalar = match (name.as_str(), element(&name)) {
        ("bool", _) => Scalar::Bool,
        // Vectors by value are structures; their names end in a digit.
        (name, Some([first, ..])) if !name.ends_with(|c: char| c.is_ascii_digit()) || name == "__nv_bfloat16" => {
            if first.is_float() {
                Scalar::Float(*first)
            } else {
                let signed = matches!(first, I8 | I16 | I32 | I64);
                Scalar::Int { bytes: first.size() as u32, signed }
            }
        }
        (name, _) if name.contains(['&', '[', '(']) => return unsupported(),
        (name, _) => return Param::Structure { bytes, vector: vector(name), ty },
    };
    Param::Scalar { scalar, ty }
}

/// Of CUDA's vector types the members' type and number, and the alignment (CUDA C++ Programming Guide, "Built-in Vector
/// Types").
fn vector(name: &str) -> Option<(DType, usize, usize)> {
    if name == "dim3" {
        return Some((U32, 3, 4));
    }
    let (stem, align) = match (name.strip_suffix("_16a"), name.strip_suffix("_32a")) {
        (Some(stem), _) => (stem, Some(16)),
        (_, Some(stem)) => (stem, Some(32)),
        _ => (name, None),
    };
    let dtype = *element(stem)?.first()?;
    // `__nv_bfloat162` is two of `__nv_bfloat16`.
    let count = stem.chars().last()?.to_digit(10).filter(|count| (1..=4).contains(count))? as usize;
    let whole = if count == 3 { dtype.size() } else { (count * dtype.size()).min(16) };
    Some((dtype, count, align.unwrap_or(whole)))
}

/// `float const*` as people write it: `const float*`.
fn readable(text: &str) -> String {
    match text.split_once(" const*") {
        Some((base, rest)) if !base.contains(['*', '(']) => format!("const {base}*{rest}"),
        _ => text.to_string(),
    }
}

impl Param {
    /// The type in words, for messages.
    fn words(&self) -> String {
        match self {
            Self::Pointer { ty, .. }
            | Self::Scalar { ty, .. }
            | Self::Structure { ty, .. }
            | Self::Unsupported { ty } => format!("`{ty}`"),
            Self::Opaque { bytes } => format!("a parameter of {bytes} bytes"),
        }
    }
}

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
            Err("launch lines give buffers, numbers and structures: no arrays, references or pointers to pointers"
                .to_string())
        }
        (Arg::Structure(_), _) => Ok(arg),
        (Arg::Buffer(_) | Arg::Offset { .. }, param) => {
            let (name, dtype) = buffer.ok_or_else(|| "the buffer does not exist".to_string())?;
            match param {
                Param::Pointer { to: Pointee::Elements(types), .. } if !types.contains(&dtype) => {
                    Err(format!("`{name}` is a buffer of {dtype}"))
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
mod tests {
    use super::*;

    /// Symbols as NVRTC 13 writes them.
    #[test]
    fn symbols_spell_the_parameters() {
        let cases = [
            ("_Z2bsILi256EEvPKfPfi", "const float*, float*, int"),
            ("_Z3bs2ILi256ELb1EL4Mode1EEvPK6float4PS1_m", "const float4*, float4*, unsigned long"),
            ("_Z3twoIfdEvPKT_PKT0_PS0_PS3_S0_", "const float*, const double*, float*, double*, float"),
            ("_ZN2ns36_GLOBAL__N__00000000_4_t_cu_c67081f74anonEPKfPf", "const float*, float*"),
            ("_ZN2ns1kI7__half2EEvPKT_PS2_j", "const __half2*, __half2*, unsigned int"),
            ("_Z4nonev", ""),
            (
                "_Z5typesPKvP6__halfP13__nv_bfloat16PcPaPhstlmxybdS1_PVi1SPSA_4ModePPfP5uint4P9longlong2PA4_Kf",
                "const void*, __half*, __nv_bfloat16*, char*, signed char*, unsigned char*, short, unsigned short, long, \
                 unsigned long, long long, unsigned long long, bool, double, __half, int volatile*, S, S*, Mode, float**, \
                 uint4*, longlong2*, float const (*) [4]",
            ),
        ];
        for (symbol, want) in cases {
            let count = if want.is_empty() { 0 } else { want.split(", ").count() };
            let words: Vec<String> = parameters(symbol, &vec![8; count])
                .iter()
                .map(|param| param.words().trim_matches('`').to_string())
                .collect();
            assert_eq!(words.join(", "), want, "{symbol}");
        }
    }

    #[test]
    fn pointers_take_buffers_of_their_elements() {
        let cases: [(&str, &[DType]); 14] = [
            ("float const*", &[F32]),
            ("float4*", &[F32]),
            ("double2 const*", &[F64]),
            ("double4_16a*", &[F64]),
            ("__half2*", &[F16]),
            ("__nv_bfloat162 const*", &[Bf16]),
            ("__nv_bfloat16*", &[Bf16]),
            ("uchar4*", &[U8]),
            ("char*", &[I8, U8]),
            ("unsigned long long*", &[U64]),
            ("longlong2*", &[I64]),
            ("int volatile*", &[I32]),
            ("void const*", &DType::ALL),
            ("Point*", &DType::ALL),
        ];
        for (ty, takes) in cases {
            for dtype in DType::ALL {
                let fits = fit(Arg::Buffer(0), Some(("b", dtype)), &param(ty, 8)).is_ok();
                assert_eq!(fits, takes.contains(&dtype), "{ty} and {dtype}");
            }
        }
        for ty in ["float**", "float const (*) [4]", "S&"] {
            assert!(matches!(param(ty, 8), Param::Unsupported { .. }), "{ty}");
        }
        for ty in ["S", "float4", "__half2", "Mode"] {
            assert!(matches!(param(ty, 8), Param::Structure { .. }), "{ty}");
        }
    }

    #[test]
    fn integers_are_narrowed_only_when_they_fit() {
        let cases = [
            ("int", -2_147_483_648, true),
            ("int", 2_147_483_648, false),
            ("unsigned int", 4_294_967_295, true),
            ("unsigned int", -1, false),
            ("unsigned char", 256, false),
            ("signed char", -128, true),
            ("unsigned long", -1, false),
            ("long long", i64::MIN, true),
            ("bool", 1, true),
            ("bool", 2, false),
        ];
        for (ty, value, fits) in cases {
            assert_eq!(fit(Arg::Int(value), None, &param(ty, 8)).is_ok(), fits, "{value} for {ty}");
        }
        assert_eq!(fit(Arg::Int(3), None, &param("float", 4)), Ok(Arg::Real(3.0)));
        assert_eq!(fit(Arg::Real(1.5), None, &param("__half", 4)), Ok(Arg::Int(0x3e00)));
        assert_eq!(fit(Arg::Real(1.5), None, &param("__nv_bfloat16", 4)), Ok(Arg::Int(0x3fc0)));
        assert!(fit(Arg::Real(1.5), None, &param("int", 4)).is_err());
        assert!(fit(Arg::Int(70_000), None, &Param::Opaque { bytes: 2 }).is_err());
    }

    #[test]
    fn a_wrong_launch_is_shown_at_its_argument() {
        let text = "template <int B> __global__ void block_sum(const float *, float *, int) {}\n\
                    //@ in a: f32[8] = iota\n\
                    //@ out c: i32[8]\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, c, 8)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a, a)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a, 0.5)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a)\n\
                    //@ launch block_sum<256><<<1, 256>>>(1, a, 3)\n\
                    //@ launch block_sum<256><<<1, 256>>>(a, a, 1 << 31)\n";
        let file = KernelFile::parse(std::path::Path::new("kernel.cu"), text).unwrap();
        let context = crate::PlanContext {
            sizes: Default::default(),
            device: crate::DeviceShape::H200,
            active_blocks: &|_, _, _| Ok(1),
        };
        let mut plan = file.plan(&context, &[]).unwrap();
        let params = parameters("_Z9block_sumILi256EEvPKfPfi", &[8, 8, 4]);
        let all: Vec<String> = (0..plan.launches.len())
            .map(|launch| check(&file, &mut plan, launch, &params).unwrap_err().to_string())
            .collect();
        insta::assert_snapshot!(all.join("\n\n"));
    }
}

//! What parameters a kernel has, by its demangled name.

use DType::*;
use plan::dtype::DType;

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
pub(super) fn element(name: &str) -> Option<&'static [DType]> {
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

/// A type without what stands between `<` and `>`: `atomic<int, (thread_scope)1>*` is a pointer to a class, whatever its arguments are. A
/// namespace without a name has none, and no parentheses.
fn outside(text: &str) -> String {
    let mut depth = 0_u32;
    text.replace("(anonymous namespace)::", "")
        .chars()
        .filter(|c| {
            depth += u32::from(*c == '<');
            let inside = depth > 0;
            depth = depth.saturating_sub(u32::from(*c == '>'));
            !inside
        })
        .collect()
}

/// A demangled type: `float const*`, `unsigned long`; `bytes` is its size.
pub(super) fn param(text: &str, bytes: u32) -> Param {
    let bare = |text: &str| -> String {
        text.split_whitespace()
            .filter(|word| !matches!(*word, "const" | "volatile" | "restrict" | "__restrict__"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let ty = readable(text);
    let unsupported = || Param::Unsupported { ty: ty.clone() };
    // `float a[][4]` points to rows, whose elements lie one after the other.
    let shape = outside(text);
    if let Some((row, rest)) = shape.split_once("(*)") {
        let plain =
            rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '[' | ']' | ' ')) && !row.contains(['*', '&']);
        return match (element(&bare(row)), plain) {
            (Some(types), true) => Param::Pointer { to: Pointee::Elements(types), ty },
            _ => unsupported(),
        };
    }
    let trimmed = text.trim_end_matches("restrict").trim_end_matches("const").trim_end();
    if let Some(to) = trimmed.strip_suffix('*') {
        let to = bare(to);
        // Addresses that a kernel has put there.
        let addresses = to.strip_suffix('*').filter(|inner| !outside(inner).contains(['*', '&', '(', '[']));
        if outside(&to).contains(['*', '&', '(', '[']) && addresses.is_none() {
            return unsupported();
        }
        let to = match element(&to) {
            _ if addresses.is_some() => Pointee::Elements(&[U64]),
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
        (name, _) if outside(name).contains(['&', '[', '(']) => return unsupported(),
        (name, _) => return Param::Structure { bytes, vector: vector(name), ty },
    };
    Param::Scalar { scalar, ty }
}

/// Of CUDA's vector types the members' type and number, and the alignment (CUDA C++ Programming Guide, "Built-in Vector
/// Types").
pub(super) fn vector(name: &str) -> Option<(DType, usize, usize)> {
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
    pub(super) fn words(&self) -> String {
        match self {
            Self::Pointer { ty, .. }
            | Self::Scalar { ty, .. }
            | Self::Structure { ty, .. }
            | Self::Unsupported { ty } => format!("`{ty}`"),
            Self::Opaque { bytes } => format!("a parameter of {bytes} bytes"),
        }
    }
}

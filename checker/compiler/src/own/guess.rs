//! What a kernel's parameter is taken for, by its type and its name.

use super::heads::Parameter;
use std::cmp::Ordering;

/// What a parameter is taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guess {
    /// A buffer of this element type.
    Buffer(&'static str),
    /// A number that says how large the input is.
    Size,
    /// Any other integer.
    Int,
    /// A real.
    Real,
    /// A vector of that many members: `float3`.
    Vector(&'static str, u32),
    /// A texture or a surface.
    Handle,
    /// A structure whose members are known.
    Structure,
    /// Something whose members only the owner knows.
    Unknown,
}

/// C++'s names of elements as `//@` lines call them.
const TYPES: [(&str, &str); 37] = [
    ("float", "f32"),
    ("double", "f64"),
    ("cufftReal", "f32"),
    ("cufftDoubleReal", "f64"),
    ("half", "f16"),
    ("__half", "f16"),
    ("__nv_bfloat16", "bf16"),
    ("nv_bfloat16", "bf16"),
    ("char", "i8"),
    ("signed char", "i8"),
    ("int8_t", "i8"),
    ("unsigned char", "u8"),
    ("uchar", "u8"),
    ("uint8_t", "u8"),
    ("bool", "u8"),
    ("short", "i16"),
    ("int16_t", "i16"),
    ("unsigned short", "u16"),
    ("ushort", "u16"),
    ("uint16_t", "u16"),
    ("int", "i32"),
    ("int32_t", "i32"),
    ("unsigned", "u32"),
    ("unsigned int", "u32"),
    ("uint", "u32"),
    ("uint32_t", "u32"),
    ("long", "i64"),
    ("long long", "i64"),
    ("int64_t", "i64"),
    ("intptr_t", "i64"),
    ("ptrdiff_t", "i64"),
    ("unsigned long", "u64"),
    ("unsigned long long", "u64"),
    ("uint64_t", "u64"),
    ("uintptr_t", "u64"),
    ("size_t", "u64"),
    ("clock_t", "i64"),
];

/// Types of textures and surfaces.
const HANDLES: [&str; 4] = ["cudaTextureObject_t", "cudaSurfaceObject_t", "CUtexObject", "CUsurfObject"];

/// Bytes of a type by its C++ name.
pub fn width(base: &str) -> Option<u32> {
    element(base).map(|(ty, count)| scalar(ty) as u32 * count)
}

/// Bytes of a type by its name in `//@` lines: `f32` has 4.
pub fn scalar(ty: &str) -> u64 {
    let bits: u64 = ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(8);
    bits / 8
}

/// C++ lets the words of an integer's type stand in any order, and `int` go without saying: `long unsigned int` is `unsigned long`.
fn fundamental(base: &str) -> Option<String> {
    let words: Vec<&str> = base.split(' ').collect();
    let count = |word: &str| words.iter().filter(|one| **one == word).count();
    let (long, short) = (count("long"), count("short"));
    let known = long + short + count("int") + count("unsigned") + count("signed");
    if words.len() < 2 || known < words.len() || count("int") > 1 || count("unsigned") + count("signed") > 1 {
        return None;
    }
    let sign = if count("unsigned") == 1 { "unsigned " } else { "" };
    let length = match (long, short) {
        (0, 0) => "int",
        (1, 0) => "long",
        (2, 0) => "long long",
        (0, 1) => "short",
        _ => return None,
    };
    Some(format!("{sign}{length}"))
}

/// An element's type, `std::` before it left out; of a vector its members' and their number.
pub fn element(base: &str) -> Option<(&'static str, u32)> {
    let base = base.trim_start_matches("::").trim_start_matches("std::");
    let plain = fundamental(base);
    let base = plain.as_deref().unwrap_or(base);
    let find = |name: &str| TYPES.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty);
    if let Some(ty) = find(base) {
        return Some((ty, 1));
    }
    // What an atomic of libcu++'s holds lies there as it does by itself.
    if let Some(held) =
        ["cuda::atomic<", "cuda::std::atomic<", "atomic<"].iter().find_map(|word| base.strip_prefix(word))
    {
        return element(held.split([',', '>']).next().filter(|held| !held.contains('<'))?);
    }
    match base {
        "cufftComplex" | "cuComplex" | "cuFloatComplex" => return Some(("f32", 2)),
        "cufftDoubleComplex" | "cuDoubleComplex" => return Some(("f64", 2)),
        _ => {}
    }
    let (stem, count) = base.split_at_checked(base.len().checked_sub(1)?)?;
    let count = count.parse().ok().filter(|count| (1..=4).contains(count))?;
    let stem = match stem {
        "longlong" => "long long",
        "ulonglong" => "unsigned long long",
        "ulong" => "unsigned long",
        stem => stem,
    };
    Some((find(stem)?, count))
}

/// Of an array of three dimensions each.
const EXTENT: u32 = 16;

/// What lies at a pointer: elements of a type, and how many of them are one of what it points to.
pub fn cells(parameter: &Parameter) -> Option<(&'static str, u32)> {
    element(&parameter.base).or(parameter.cells)
}

/// The guess at a parameter.
pub fn guess(parameter: &Parameter) -> Guess {
    let known = if parameter.pointers == 1 { cells(parameter) } else { element(&parameter.base) };
    match (parameter.pointers, known) {
        (1, Some((ty, _))) => Guess::Buffer(ty),
        (2, _) => Guess::Buffer("u64"),
        (1, None) if HANDLES.contains(&parameter.base.as_str()) => Guess::Buffer("u64"),
        (1, None) => Guess::Buffer("u8"),
        (0, Some((_, 1))) if parameter.choice => Guess::Int,
        (0, Some((ty, 1))) if ty.starts_with(['i', 'u']) => {
            // A size does not fit into a byte.
            if is_size(&parameter.name) && scalar(ty) > 1 { Guess::Size } else { Guess::Int }
        }
        (0, Some((_, 1))) => Guess::Real,
        (0, Some((ty, count))) => Guess::Vector(ty, count),
        (0, None) if !parameter.members.is_empty() => Guess::Structure,
        (0, None) if HANDLES.contains(&parameter.base.as_str()) => Guess::Handle,
        _ => Guess::Unknown,
    }
}

/// Does a name sound like the size of something?
pub fn is_size(name: &str) -> bool {
    const WHOLE: [&str; 16] = [
        "n", "m", "k", "w", "h", "nx", "ny", "nz", "dim", "rows", "cols", "width", "height", "depth", "pitch", "length",
    ];
    const PARTS: [&str; 9] = ["num", "size", "count", "len", "width", "height", "elements", "total", "row"];
    let lower = name.to_lowercase();
    is_side(name) || WHOLE.contains(&lower.as_str()) || PARTS.iter().any(|part| lower.contains(part))
}

/// What an integer that is the size of nothing is worth at first: one capital or two stand for an extent of an array of several
/// dimensions (`B`, `T`, `C`, `NH`), sixteen cubed being as many elements as a buffer has.
pub fn worth(name: &str) -> u32 {
    if name.len() <= 2 && name.chars().all(|c| c.is_ascii_uppercase()) { EXTENT } else { 1 }
}

/// Sides that go along x, and such as go along y, by their whole names.
const COLUMNS: [&str; 4] = ["w", "nx", "cols", "width"];
const ROWS: [&str; 4] = ["h", "ny", "rows", "height"];

/// Is it one of several sizes of a matrix?
pub fn is_side(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["m", "n", "k", "nz"].contains(&lower.as_str()) || axis(name) != Ordering::Equal
}

/// Less of what goes along x, greater of what goes along y: columns before rows.
pub fn axis(name: &str) -> Ordering {
    let lower = name.to_lowercase();
    let one = |words: [&str; 4], letter: char, parts: [&str; 3]| {
        words.contains(&lower.as_str())
            || lower.starts_with(letter) && lower.len() == 2
            || parts.iter().any(|part| lower.contains(part))
    };
    match (one(COLUMNS, 'w', ["width", "cols", "column"]), one(ROWS, 'h', ["height", "rows", "nrow"])) {
        (true, _) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => Ordering::Equal,
    }
}

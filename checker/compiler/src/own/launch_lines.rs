//! `//@` lines made from the kernels' own parameters: a first guess to be pasted and corrected.

use super::heads::{KernelHead, Parameter};
use std::collections::BTreeMap;

/// Elements of a buffer, where no parameter says more.
const ELEMENTS: u32 = 4096;
/// Columns or rows of a guess at a matrix.
const SIDE: u32 = 64;
/// Threads of a guessed block, and the side of one of two dimensions.
const BLOCK: u32 = 256;
const TILE: u32 = 16;

/// What a parameter is taken for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Guess {
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
    /// Something whose members only the owner knows.
    Unknown,
}

/// C++'s names of elements as `//@` lines call them.
const TYPES: [(&str, &str); 32] = [
    ("float", "f32"),
    ("double", "f64"),
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
    ("unsigned long", "u64"),
    ("unsigned long long", "u64"),
    ("uint64_t", "u64"),
    ("size_t", "u64"),
    ("clock_t", "i64"),
];

/// An element's type, `std::` before it left out; of a vector its members' and their number.
fn element(base: &str) -> Option<(&'static str, u32)> {
    let base = base.trim_start_matches("std::");
    let find = |name: &str| TYPES.iter().find(|(known, _)| *known == name).map(|(_, ty)| *ty);
    if let Some(ty) = find(base) {
        return Some((ty, 1));
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

fn guess(parameter: &Parameter) -> Guess {
    match (parameter.pointers, element(&parameter.base)) {
        (1, Some((ty, _))) => Guess::Buffer(ty),
        (1, None) => Guess::Buffer("u8"),
        (0, Some((ty, 1))) if ty.starts_with(['i', 'u']) => {
            if is_size(&parameter.name) && parameter.base != "bool" {
                Guess::Size
            } else {
                Guess::Int
            }
        }
        (0, Some((_, 1))) => Guess::Real,
        (0, Some((ty, count))) => Guess::Vector(ty, count),
        _ => Guess::Unknown,
    }
}

/// Does a name sound like the size of something?
fn is_size(name: &str) -> bool {
    const WHOLE: [&str; 16] = [
        "n", "m", "k", "w", "h", "nx", "ny", "nz", "dim", "rows", "cols", "width", "height", "depth", "pitch", "length",
    ];
    const PARTS: [&str; 9] = ["num", "size", "count", "len", "width", "height", "elements", "total", "row"];
    let lower = name.to_lowercase();
    is_side(name) || WHOLE.contains(&lower.as_str()) || PARTS.iter().any(|part| lower.contains(part))
}

/// Is it one of several sizes of a matrix?
fn is_side(name: &str) -> bool {
    const SIDES: [&str; 12] = ["m", "n", "k", "w", "h", "nx", "ny", "nz", "rows", "cols", "width", "height"];
    let lower = name.to_lowercase();
    SIDES.contains(&lower.as_str())
        || lower.starts_with('w') && lower.len() == 2
        || lower.starts_with('h') && lower.len() == 2
        || ["width", "height", "rows", "cols"].iter().any(|part| lower.contains(part))
}

/// A buffer that several kernels may share.
struct Shared {
    ty: &'static str,
    each: u32,
    read_first: bool,
    written: bool,
}

/// The lines for a file's kernels, in the order in which they are to stand.
pub fn launch_lines(kernels: &[KernelHead]) -> Vec<String> {
    let mut sizes: Vec<&str> = Vec::new();
    let mut buffers: Vec<String> = Vec::new();
    let mut shared: BTreeMap<String, Shared> = BTreeMap::new();
    for parameter in kernels.iter().flat_map(|kernel| &kernel.parameters) {
        let name = parameter.name.as_str();
        match guess(parameter) {
            Guess::Size if !sizes.contains(&name) => sizes.push(name),
            Guess::Buffer(ty) => {
                let each = element(&parameter.base).map_or(8, |(_, count)| count);
                let name = buffer_name(name, ty, &shared);
                let known = shared.contains_key(&name);
                let buffer =
                    shared.entry(name.clone()).or_insert(Shared { ty, each, read_first: false, written: false });
                buffer.each = buffer.each.max(each);
                // What a kernel reads before anybody wrote it needs a fill.
                buffer.read_first |= !buffer.written && (parameter.constant || parameter.read_first);
                buffer.written |= !parameter.constant && parameter.written;
                if !known {
                    buffers.push(name);
                }
            }
            _ => {}
        }
    }
    sizes.retain(|name| !shared.contains_key(*name));
    let sides: Vec<&str> = sizes.iter().copied().filter(|name| is_side(name)).take(2).collect();
    let own = if shared.contains_key("n") { "elements" } else { "n" };
    let length = match (sides.as_slice(), sizes.as_slice()) {
        ([a, b], _) => format!("{a} * {b}"),
        ([side], [_]) if kernels.iter().any(|kernel| kernel.two_dimensional) => format!("{side} * {side}"),
        (_, [first, ..]) => (*first).to_owned(),
        _ => own.to_owned(),
    };
    let mut lines = Vec::new();
    if sizes.is_empty() {
        lines.push(format!("//@ size   {own} = {ELEMENTS}"));
    }
    for name in &sizes {
        let value = if sides.contains(name) && length.contains('*') { SIDE } else { ELEMENTS };
        lines.push(format!("//@ size   {name} = {value}"));
    }
    for name in &buffers {
        let Shared { ty, each, read_first, written } = &shared[name];
        let fill = if ty.starts_with('f') || *ty == "bf16" { "uniform(-1, 1)" } else { "integers(0, 9)" };
        let many = if *each > 1 { format!("{each} * {length}") } else { length.clone() };
        lines.push(match (read_first, written) {
            (true, false) => format!("//@ in     {name}: {ty}[{many}] = {fill}"),
            (true, true) => format!("//@ inout  {name}: {ty}[{many}] = {fill}"),
            _ => format!("//@ out    {name}: {ty}[{many}]"),
        });
    }
    lines.extend(kernels.iter().map(|kernel| launch(kernel, &sides, &length, &shared)));
    lines
}

/// A buffer's name: the parameter's, with its type where another kernel's parameter of that name has another.
fn buffer_name(name: &str, ty: &str, shared: &BTreeMap<String, Shared>) -> String {
    match shared.get(name) {
        Some(known) if known.ty != ty => format!("{name}_{ty}"),
        _ => name.to_owned(),
    }
}

fn launch(kernel: &KernelHead, sides: &[&str], length: &str, shared: &BTreeMap<String, Shared>) -> String {
    let arguments: Vec<String> = kernel
        .parameters
        .iter()
        .map(|parameter| match guess(parameter) {
            Guess::Buffer(ty) => buffer_name(&parameter.name, ty, shared),
            Guess::Size => parameter.name.clone(),
            Guess::Int => "1".to_owned(),
            Guess::Real => "1.0".to_owned(),
            Guess::Vector(ty, count) => {
                let member = if ty.starts_with('f') { "1.0" } else { "1" };
                format!("{{{}}}", vec![member; count as usize].join(", "))
            }
            Guess::Unknown => "{0}".to_owned(),
        })
        .collect();
    let instance = match kernel.instance.as_slice() {
        [] => String::new(),
        arguments => format!("<{}>", arguments.join(", ")),
    };
    let block = kernel.threads.map_or(BLOCK, |threads| threads.min(BLOCK));
    let (word, grid, block) = if kernel.cooperative {
        (" cooperative", "sms".to_owned(), block.to_string())
    } else if kernel.two_dimensional {
        let (x, y) = match sides {
            [x, y] => (*x, *y),
            [one] => (*one, *one),
            _ => (length, "1"),
        };
        ("", format!("(ceil_div({x}, {TILE}), ceil_div({y}, {TILE}))"), format!("({TILE}, {TILE})"))
    } else {
        ("", format!("ceil_div({length}, {block})"), block.to_string())
    };
    let dynamic = if kernel.dynamic_shared { format!(", {}", 8 * BLOCK) } else { String::new() };
    format!("//@ launch{word} {}{instance}<<<{grid}, {block}{dynamic}>>>({})", kernel.name, arguments.join(", "))
}

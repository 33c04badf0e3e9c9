//! The element that a byte of an object belongs to: `s[31]` for 124 bytes into `s`. How wide an element is tell the buffers of the
//! plan and the declarations of arrays in shared, `__device__` and constant memory in the source; where neither does, the access.

use super::reasons::name;
use plan::Buffer;
use plan::dtype::DType;
use simulator::MemoryLocation;
use simulator::finding::{before, behind};
use std::collections::BTreeMap;

/// What is known of objects by their names in the source.
#[derive(Debug, Default)]
pub struct Elements {
    known: BTreeMap<String, ArrayShape>,
    /// Name of the one array of dynamic shared memory.
    dynamic: Option<String>,
}

/// An array's element in bytes (0: a structure, whose members are accessed), and its inner extents, where they are written as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ArrayShape {
    bytes: u64,
    inner: Vec<u64>,
}

/// The simulator's name for what `extern __shared__` declares.
const DYNAMIC: &str = "dynamic shared memory";

impl Elements {
    /// What these buffers and these lines of source tell.
    pub fn new(lines: &[String], buffers: &[Buffer]) -> Self {
        let mut elements = Self::default();
        for buffer in buffers {
            let shape = ArrayShape { bytes: buffer.dtype.size() as u64, inner: Vec::new() };
            elements.known.insert(buffer.name.clone(), shape);
        }
        let mut dynamic = Vec::new();
        let structures: Vec<&str> = lines.iter().filter_map(|line| structure(line)).collect();
        for line in lines {
            elements.known.extend(line.trim_start().strip_prefix("//@").and_then(of_line));
            let line = line.split("//").next().unwrap_or_default();
            let spaces = ["__shared__", "__device__", "__constant__"];
            let Some((before, declared)) = spaces.iter().find_map(|space| line.split_once(space)) else { continue };
            // Of a function's head neither parameters nor body are meant.
            let own = declaration(declared.split([';', '=', '{']).next().unwrap_or_default(), &structures);
            if before.contains("extern") || declared.trim_start().starts_with("extern") {
                dynamic.extend(own.iter().map(|(name, _)| name.clone()));
            }
            elements.known.extend(own);
        }
        dynamic.sort();
        dynamic.dedup();
        elements.dynamic = dynamic.pop().filter(|_| dynamic.is_empty());
        elements
    }

    /// A location by the name that its object has in the source, and the element in the place of an offset in bytes; `access`
    /// is how many bytes are accessed, where that is known.
    pub fn say(&self, location: &MemoryLocation, access: Option<u32>) -> String {
        match location {
            MemoryLocation::Inside { name: object, offset } => self.object(object, '+', *offset, access).0,
            MemoryLocation::Behind { name: object, offset, bytes, lies_in } => {
                let (said, width) = self.object(object, '+', *offset, access);
                let remark = width.and_then(|width| behind_in_elements(*offset, *bytes, width));
                let remark = remark.unwrap_or_else(|| behind(*offset, *bytes));
                format!("{said} ({remark}){}", self.instead(lies_in.as_deref(), access))
            }
            MemoryLocation::Before { name: object, distance, bytes, lies_in } => {
                let (said, width) = self.object(object, '-', *distance, access);
                let remark = width.and_then(|width| elements(*bytes, width));
                let remark = remark
                    .map_or_else(|| before(*distance, *bytes), |elements| format!("before its start, of {elements}"));
                format!("{said} ({remark}){}", self.instead(lies_in.as_deref(), access))
            }
            other => other.to_string(),
        }
    }

    /// What is there instead.
    fn instead(&self, location: Option<&MemoryLocation>, access: Option<u32>) -> String {
        location.map_or_else(String::new, |location| format!(", that is {}", self.say(location, access)))
    }

    /// An object and an offset, and the width of an element if that is what stands there.
    fn object(&self, object: &str, sign: char, offset: u64, access: Option<u32>) -> (String, Option<u64>) {
        match self.element(object, sign == '-', offset, access) {
            Some((element, width)) => (element, Some(width)),
            None if offset == 0 => (name(object), None),
            None => (format!("{} {sign} {offset}", name(object)), None),
        }
    }

    /// The element so many bytes behind the beginning of an object, or before it, and its width.
    fn element(&self, object: &str, negative: bool, offset: u64, access: Option<u32>) -> Option<(String, u64)> {
        let shown = match (object, &self.dynamic) {
            (DYNAMIC, Some(dynamic)) => dynamic.clone(),
            _ => name(object).trim_matches('`').to_owned(),
        };
        let plain = shown.chars().all(|c| c.is_alphanumeric() || c == '_');
        let by_access = || Some(ArrayShape { bytes: access?.into(), inner: Vec::new() });
        let shape = self.known.get(&shown).cloned().or_else(by_access).filter(|shape| shape.bytes > 0)?;
        let bytes = shape.bytes;
        if object.starts_with("__local_depot") || (negative && !offset.is_multiple_of(bytes)) {
            return None;
        }
        let element = match (negative, plain) {
            (true, true) => format!("`{shown}[-{}]`", offset / bytes),
            (false, true) => format!("`{shown}{}`", shape.index(offset / bytes)),
            (false, false) => format!("element {} of {shown}", offset / bytes),
            (true, false) => return None,
        };
        let within = match offset % bytes {
            0 => String::new(),
            1 => " + 1 byte".to_owned(),
            more => format!(" + {more} bytes"),
        };
        Some((element + &within, bytes))
    }
}

impl ArrayShape {
    /// "[3][1]"
    fn index(&self, flat: u64) -> String {
        let (mut left, mut out) = (flat, String::new());
        for (at, _) in self.inner.iter().enumerate() {
            let below: u64 = self.inner[at..].iter().product();
            out.push_str(&format!("[{}]", left / below.max(1)));
            left %= below.max(1);
        }
        format!("{out}[{left}]")
    }
}

/// "3 elements"; `None` where the bytes are no whole elements.
fn elements(bytes: u64, width: u64) -> Option<String> {
    let count = bytes.is_multiple_of(width).then_some(bytes / width)?;
    Some(if count == 1 { "1 element".to_owned() } else { format!("{count} elements") })
}

/// How far behind its end, in elements; `None` where that is no whole number of them.
fn behind_in_elements(offset: u64, bytes: u64, width: u64) -> Option<String> {
    let size = elements(bytes, width)?;
    Some(match offset.saturating_sub(bytes) {
        0 => format!("right behind its {size}"),
        past => format!("{} behind the end of its {}", elements(past, width)?, bytes / width),
    })
}

/// Name and shape of a kernel file's line: "scratch lock: i32[16]".
fn of_line(line: &str) -> Option<(String, ArrayShape)> {
    let (name, rest) = line.trim_start().strip_prefix("scratch ")?.split_once(':')?;
    let dtype = DType::from_name(rest.split_once('[')?.0.trim())?;
    Some((name.trim().to_owned(), ArrayShape { bytes: dtype.size() as u64, inner: Vec::new() }))
}

/// Names and shapes of "float tile[32][33], *p, s[]".
fn declaration(text: &str, structures: &[&str]) -> Vec<(String, ArrayShape)> {
    let mut rest = text.trim_start();
    // `__align__(16)`, `alignas(8)`
    for attribute in ["__align__", "alignas"] {
        if let Some(at) = rest.find(attribute) {
            let Some((before, after)) =
                Some(&rest[at..]).and_then(|text| text.split_once(')')).map(|(_, b)| (&rest[..at], b))
            else {
                return Vec::new();
            };
            rest = if before.trim().is_empty() { after.trim_start() } else { rest };
        }
    }
    let Some(open) = rest.find('[') else { return Vec::new() };
    let first = rest[..open].trim_end();
    let start = first.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let of_a_structure = || first[..start].split_whitespace().any(|word| structures.contains(&word)).then_some(0);
    let Some(bytes) = width(&first[..start]).or_else(of_a_structure) else { return Vec::new() };
    let mut found = Vec::new();
    for part in rest[start..].split(',') {
        let Some((name, extents)) = part.split_once('[') else { continue };
        let extents: Vec<Option<u64>> =
            extents.split('[').map(|text| text.split(']').next().and_then(|text| text.trim().parse().ok())).collect();
        let inner: Option<Vec<u64>> = extents.into_iter().skip(1).collect();
        found.push((name.trim().to_owned(), ArrayShape { bytes, inner: inner.unwrap_or_default() }));
    }
    found
}

/// The structure that a line declares: what its members are called and how wide they are, nobody asks.
fn structure(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.find(|word| matches!(*word, "struct" | "class" | "union"))?;
    words.find(|word| !word.starts_with("__") && *word != "alignas" && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Bytes of a type as CUDA's own types are written; `None` for any other.
fn width(words: &str) -> Option<u64> {
    let names: Vec<&str> = words
        .split_whitespace()
        .filter(|word| !matches!(*word, "volatile" | "const" | "static" | "extern" | "unsigned" | "signed"))
        .map(|word| word.trim_start_matches("std::"))
        .collect();
    Some(match names.as_slice() {
        ["char" | "bool" | "int8_t" | "uint8_t"] => 1,
        ["short" | "int16_t" | "uint16_t" | "half" | "__half" | "__nv_bfloat16"] => 2,
        ["int" | "float" | "int32_t" | "uint32_t" | "half2" | "__half2" | "__nv_bfloat162"] => 4,
        [] if words.contains("unsigned") => 4,
        ["double" | "int64_t" | "uint64_t" | "size_t" | "float2" | "int2" | "uint2" | "long"] | ["long", "long"] => 8,
        ["float3" | "int3" | "uint3"] => 12,
        ["float4" | "int4" | "uint4" | "double2"] => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Role;
    use simulator::Poll;

    fn elements() -> Elements {
        let lines = [
            "    __shared__ float s[32], tile[32][33];  // __shared__ int never[4]",
            "    __shared__ __align__(16) double sums[N][2];",
            "    extern __shared__ __align__(8) unsigned char raw[];",
            "    __shared__ Particle p[8];",
            "    __shared__ volatile unsigned counts [64];",
            "//@ scratch partial: f64[ceil_div(n, 64)]",
            "__device__ unsigned short lock[2] = { 0, 0 };",
            "__device__ float sum_of(const double rows[8][4], int n) { return 0.0f; }",
        ];
        let buffer = Buffer { name: "a".into(), dtype: DType::F64, len: 8, role: Role::In, fill: None };
        Elements::new(&lines.map(str::to_owned), &[buffer])
    }

    #[test]
    fn offsets_are_elements_of_the_declared_type() {
        let inside = |name: &str, offset| MemoryLocation::Inside { name: name.into(), offset };
        let cases = [
            (inside("_ZZ4turnPKfPfiE1s", 124), "`s[31]`"),
            (past("s", 128, 128), "`s[32]` (right behind its 32 elements)"),
            (inside("tile", 400), "`tile[3][1]`"),
            (inside("sums", 24), "`sums[1][1]`"),
            (inside("dynamic shared memory", 64), "`raw[64]`"),
            (inside("counts", 4), "`counts[1]`"),
            (inside("lock", 2), "`lock[1]`"),
            (inside("partial", 24), "`partial[3]`"),
            (inside("rows", 32), "`rows[2]`"),
            (inside("a", 16), "`a[2]`"),
            (ahead("a", 8, 64), "`a[-1]` (before its start, of 8 elements)"),
            (past("a", 80, 64), "`a[10]` (2 elements behind the end of its 8)"),
            (
                MemoryLocation::Behind {
                    name: "s".into(),
                    offset: 128,
                    bytes: 128,
                    lies_in: Some(Box::new(inside("tile", 0))),
                },
                "`s[32]` (right behind its 32 elements), that is `tile[0][0]`",
            ),
        ];
        for (location, said) in cases {
            assert_eq!(elements().say(&location, Some(16)), said, "{location}");
        }
    }

    /// Members of different widths: an index by the width of what is accessed would be none of the array's.
    #[test]
    fn an_array_of_structures_has_no_element_by_its_member() {
        let lines =
            ["struct __align__(16) Pair { int key; double weight; };", "__shared__ Pair p[64];", "__shared__ T q[64];"];
        let elements = Elements::new(&lines.map(str::to_owned), &[]);
        let inside = |name: &str| MemoryLocation::Inside { name: name.into(), offset: 524 };
        assert_eq!(elements.say(&inside("p"), Some(4)), "`p` + 524");
        assert_eq!(elements.say(&inside("q"), Some(4)), "`q[131]`", "a template's argument is a number, as a rule");
    }

    fn past(name: &str, offset: u64, bytes: u64) -> MemoryLocation {
        MemoryLocation::Behind { name: name.into(), offset, bytes, lies_in: None }
    }

    fn ahead(name: &str, distance: u64, bytes: u64) -> MemoryLocation {
        MemoryLocation::Before { name: name.into(), distance, bytes, lies_in: None }
    }

    #[test]
    fn what_a_loop_polls_is_called_by_its_element() {
        let poll = Poll {
            lanes: "lane 3 of warp 0".into(),
            several: false,
            line: "line 7".into(),
            location: Some(MemoryLocation::Inside { name: "s".into(), offset: 4 }),
            last_change: Some("lane 0 of warp 1 changed last, in line 9".into()),
            lacks: None,
        };
        assert_eq!(
            poll.say(|location| elements().say(location, None)),
            "lane 3 of warp 0 goes round a loop in line 7 and polls `s[1]`, which lane 0 of warp 1 changed last, in line 9"
        );
    }

    #[test]
    fn without_a_type_the_access_tells_and_without_that_nothing_does() {
        let inside = |name: &str, offset| MemoryLocation::Inside { name: name.into(), offset };
        let unknown = Elements::default();
        assert_eq!(unknown.say(&inside("c", 124), Some(4)), "`c[31]`");
        assert_eq!(elements().say(&inside("p", 32), Some(4)), "`p[8]`");
        assert_eq!(unknown.say(&inside("dynamic shared memory", 64), Some(4)), "element 16 of dynamic shared memory");
        assert_eq!(unknown.say(&inside("c", 124), None), "`c` + 124");
        assert_eq!(unknown.say(&inside("lock", 0), None), "`lock`");
        assert_eq!(unknown.say(&past("c", 6, 4), Some(4)), "`c[1]` + 2 bytes (2 bytes behind the end of its 4)");
        assert_eq!(unknown.say(&ahead("a", 2, 4), Some(4)), "`a` - 2 (2 bytes before its start, of 4)");
        assert_eq!(unknown.say(&MemoryLocation::Null { offset: 8 }, Some(4)), "a null pointer + 8");
        assert_eq!(
            unknown.say(&past("__local_depot0", 12, 12), Some(4)),
            "the local arrays + 12 (right behind its 12 bytes)"
        );
    }
}

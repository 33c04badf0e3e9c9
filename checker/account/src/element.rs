//! The element that a byte of an object belongs to: `s[31]` for "`s` + 124". How wide an element is tell the buffers of the
//! plan and the declarations of shared arrays in the source; where neither does, the width of the access.

use super::reasons::name;
use plan::Buffer;
use std::collections::BTreeMap;

/// What is known of objects by their names in the source.
#[derive(Debug, Default)]
pub struct Elements {
    known: BTreeMap<String, Shape>,
    /// Name of the one array of dynamic shared memory.
    dynamic: Option<String>,
}

/// An array's element in bytes, and its inner extents, where they are written as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
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
            let shape = Shape { bytes: buffer.dtype.size() as u64, inner: Vec::new() };
            elements.known.insert(buffer.name.clone(), shape);
        }
        let mut dynamic = Vec::new();
        for line in lines {
            let line = line.split("//").next().unwrap_or_default();
            let Some((before, declared)) = line.split_once("__shared__") else { continue };
            let own = declaration(declared.split(';').next().unwrap_or_default());
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

    /// Text with objects' names as in the source, and their elements in the place of offsets in bytes; `access` is how many
    /// bytes are accessed, where that is known.
    pub fn say(&self, text: &str, access: Option<u32>) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, (object, behind))) =
            rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
        {
            out.push_str(before);
            rest = match self.element(object, behind, access) {
                Some((element, behind)) => {
                    out.push_str(&element);
                    behind
                }
                None => {
                    out.push_str(&name(object));
                    behind
                }
            };
        }
        out + rest
    }

    /// The element at " + 124" behind an object's name, and what follows that.
    fn element<'t>(&self, object: &str, behind: &'t str, access: Option<u32>) -> Option<(String, &'t str)> {
        let (negative, digits) = match behind.strip_prefix(" + ") {
            Some(digits) => (false, digits),
            None => (true, behind.strip_prefix(" - ")?),
        };
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (offset, behind) = (digits[..end].parse::<u64>().ok()?, &digits[end..]);
        let shown = match (object, &self.dynamic) {
            (DYNAMIC, Some(dynamic)) => dynamic.clone(),
            _ => name(object).trim_matches('`').to_owned(),
        };
        let plain = shown.chars().all(|c| c.is_alphanumeric() || c == '_');
        let by_access = || Some(Shape { bytes: access?.into(), inner: Vec::new() });
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
        let (remark, behind) = remark(behind, bytes).unwrap_or((String::new(), behind));
        Some((format!("{element}{remark}"), behind))
    }
}

impl Shape {
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

/// What stands behind an offset, in elements, and what follows it. `None` where bytes are no whole elements.
fn remark(text: &str, bytes: u64) -> Option<(String, &str)> {
    let (inside, behind) = text.strip_prefix(" (")?.split_once(')')?;
    let whole =
        |text: &str| text.parse::<u64>().ok().filter(|size| size.is_multiple_of(bytes)).map(|size| size / bytes);
    let elements = |count: u64| if count == 1 { "1 element".to_owned() } else { format!("{count} elements") };
    let said = if let Some(size) = inside.strip_prefix("right behind its ").and_then(|text| text.strip_suffix(" bytes"))
    {
        format!("right behind its {}", elements(whole(size)?))
    } else if let Some((past, size)) = inside.split_once(" bytes behind the end of its ") {
        format!("{} behind the end of its {}", elements(whole(past)?), whole(size)?)
    } else {
        let (_, size) = inside.split_once(" bytes before its start, of ")?;
        format!("before its start, of {}", elements(whole(size)?))
    };
    Some((format!(" ({said})"), behind))
}

/// Names and shapes of "float tile[32][33], *p, s[]".
fn declaration(text: &str) -> Vec<(String, Shape)> {
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
    let Some(bytes) = width(&first[..start]) else { return Vec::new() };
    let mut found = Vec::new();
    for part in rest[start..].split(',') {
        let Some((name, extents)) = part.split_once('[') else { continue };
        let extents: Vec<Option<u64>> =
            extents.split('[').map(|text| text.split(']').next().and_then(|text| text.trim().parse().ok())).collect();
        let inner: Option<Vec<u64>> = extents.into_iter().skip(1).collect();
        found.push((name.trim().to_owned(), Shape { bytes, inner: inner.unwrap_or_default() }));
    }
    found
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
    use plan::dtype::DType;

    fn elements() -> Elements {
        let lines = [
            "    __shared__ float s[32], tile[32][33];  // __shared__ int never[4]",
            "    __shared__ __align__(16) double sums[N][2];",
            "    extern __shared__ __align__(8) unsigned char raw[];",
            "    __shared__ Particle p[8];",
            "    __shared__ volatile unsigned counts [64];",
        ];
        let buffer = Buffer { name: "a".into(), dtype: DType::F64, len: 8, role: Role::In, fill: None };
        Elements::new(&lines.map(str::to_owned), &[buffer])
    }

    #[test]
    fn offsets_are_elements_of_the_declared_type() {
        let cases = [
            ("`_ZZ4turnPKfPfiE1s` + 124", "`s[31]`"),
            ("`s` + 128 (right behind its 128 bytes)", "`s[32]` (right behind its 32 elements)"),
            ("`tile` + 400", "`tile[3][1]`"),
            ("`sums` + 24", "`sums[1][1]`"),
            ("`dynamic shared memory` + 64", "`raw[64]`"),
            ("`counts` + 4", "`counts[1]`"),
            ("`a` + 16", "`a[2]`"),
            ("`a` - 8 (8 bytes before its start, of 64)", "`a[-1]` (before its start, of 8 elements)"),
            ("`a` + 80 (16 bytes behind the end of its 64)", "`a[10]` (2 elements behind the end of its 8)"),
            ("lane 3 polls `s` + 4 for ever; `__syncthreads`", "lane 3 polls `s[1]` for ever; `__syncthreads`"),
        ];
        for (text, said) in cases {
            assert_eq!(elements().say(text, Some(16)), said, "{text}");
        }
    }

    #[test]
    fn without_a_type_the_access_tells_and_without_that_nothing_does() {
        let unknown = Elements::default();
        assert_eq!(unknown.say("`c` + 124", Some(4)), "`c[31]`");
        assert_eq!(elements().say("`p` + 32", Some(4)), "`p[8]`");
        assert_eq!(unknown.say("`dynamic shared memory` + 64", Some(4)), "element 16 of dynamic shared memory");
        assert_eq!(unknown.say("`c` + 124", None), "`c` + 124");
        assert_eq!(
            unknown.say("`c` + 6 (2 bytes behind the end of its 4)", Some(4)),
            "`c[1]` (2 bytes behind the end of its 4)"
        );
        assert_eq!(
            unknown.say("`a` - 2 (2 bytes before its start, of 4)", Some(4)),
            "`a` - 2 (2 bytes before its start, of 4)"
        );
        assert_eq!(unknown.say("nothing ` near", Some(4)), "nothing ` near");
        assert_eq!(
            unknown.say("`__local_depot0` + 12 (right behind its 12 bytes)", Some(4)),
            "the local arrays + 12 (right behind its 12 bytes)"
        );
    }
}

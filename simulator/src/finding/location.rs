//! What an address belongs to, or is nearest to.

use super::Place;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The variable, buffer or block of the heap that an address falls into or is nearest to. Offsets and sizes are in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case", tag = "relation")]
pub enum MemoryLocation {
    /// Not known.
    #[default]
    Unknown,
    /// Within a variable or buffer.
    Inside {
        /// As in the PTX, or as the host called it.
        name: String,
        /// From its beginning.
        offset: u64,
    },
    /// Behind the end of the nearest one.
    Behind {
        /// As in the PTX, or as the host called it.
        name: String,
        /// From its beginning.
        offset: u64,
        /// Its size.
        bytes: u64,
        /// What is there instead, for a pointer into one array that leads into another.
        #[serde(default)]
        lies_in: Option<Box<MemoryLocation>>,
    },
    /// Before the beginning of the nearest one.
    Before {
        /// As in the PTX, or as the host called it.
        name: String,
        /// To its beginning.
        distance: u64,
        /// Its size.
        bytes: u64,
        /// What is there instead, for a pointer into one array that leads into another.
        #[serde(default)]
        lies_in: Option<Box<MemoryLocation>>,
    },
    /// A block that the kernel allocated.
    Heap {
        /// From its beginning; negative before it.
        offset: i64,
        /// Its size.
        bytes: u64,
        /// Who allocated it.
        allocated: Box<Place>,
        /// Who freed it.
        #[serde(default)]
        freed: Option<Box<Place>>,
    },
    /// The local memory of another thread than the one that asks.
    OtherThread {
        /// Its index (x, y, z).
        thread: [u32; 3],
        /// It belongs to the same block.
        same_block: bool,
    },
    /// At or shortly behind a null pointer.
    Null {
        /// From address 0.
        offset: u64,
    },
    /// Nobody's: there is nothing in that memory.
    Nobodys {
        /// The memory: "shared memory", "no allocation".
        memory: String,
    },
    /// In no allocation of the device.
    Address {
        /// The address.
        address: u64,
    },
    /// No memory at all: a variable without a value.
    Register,
    /// A variable of a thread, whether it is in memory or not. The simulator does not know them: whoever knows the text says so.
    Variable {
        /// Its name in the source.
        name: String,
        /// The source line of its declaration.
        line: u32,
        /// It is an array.
        #[serde(default)]
        array: bool,
    },
}

/// The memory of nobody: dynamic shared memory in a launch without any.
pub const NO_DYNAMIC: &str = "the kernel has no array there, and the launch gives it no dynamic memory";
/// The memory of nobody: a function's that has returned.
pub const RETURNED: &str = "local memory of a function that has returned";
/// The memory of nobody: a generic address of a block's or a thread's own memory, taken for global memory.
pub const OWN: &str = "an address in shared or local memory, which is a block's or a thread's own and ends with it";

/// The memory of nobody: an address that is near no allocation.
pub const NO_POINTER: &str = "an address that is nobody's: no allocation is anywhere near";

impl MemoryLocation {
    /// The variable or buffer that it lies in or is nearest to.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Inside { name, .. } | Self::Behind { name, .. } | Self::Before { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The location of an address beside the object of that name that begins at `base`.
    pub(crate) fn relative(name: &str, (base, bytes): (u64, u64), address: u64) -> Self {
        let name = name.to_owned();
        match address.checked_sub(base) {
            None => Self::Before { name, distance: base - address, bytes, lies_in: None },
            Some(offset) if offset < bytes => Self::Inside { name, offset },
            Some(offset) => Self::Behind { name, offset, bytes, lies_in: None },
        }
    }
}

impl fmt::Display for MemoryLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => Ok(()),
            Self::Inside { name, offset } => write!(f, "`{name}` + {offset}"),
            Self::Behind { name, offset, bytes, lies_in } => {
                write!(f, "`{name}` + {offset} ({})", behind(*offset, *bytes))?;
                instead(f, lies_in.as_deref())
            }
            Self::Before { name, distance, bytes, lies_in } => {
                write!(f, "`{name}` - {distance} ({})", before(*distance, *bytes))?;
                instead(f, lies_in.as_deref())
            }
            Self::Heap { offset, bytes, allocated, freed } => heap(f, *offset, *bytes, allocated, freed.as_deref()),
            Self::OtherThread { thread: [x, y, z], same_block } => {
                let whose = if *same_block { "this block" } else { "another block" };
                write!(f, "local memory of thread ({x}, {y}, {z}) of {whose}")
            }
            Self::Null { offset } => write!(f, "a null pointer + {offset}"),
            Self::Nobodys { memory } => f.write_str(memory),
            Self::Address { address } => write!(f, "{address:#x}"),
            Self::Register => f.write_str("a variable that has got no value"),
            Self::Variable { name, line, array: false } => {
                write!(f, "`{name}` is read before it has a value (declared in line {line})")
            }
            Self::Variable { name, line, array: true } => {
                write!(f, "an element of `{name}` is read before it has a value (declared in line {line})")
            }
        }
    }
}

/// How far behind the end of `bytes` bytes an offset is.
pub fn behind(offset: u64, bytes: u64) -> String {
    // An access that begins within the last bytes has crossed the end.
    match offset.saturating_sub(bytes) {
        0 => format!("right behind its {bytes} bytes"),
        behind => format!("{behind} bytes behind the end of its {bytes}"),
    }
}

/// How far before the start of `bytes` bytes an address is.
pub fn before(distance: u64, bytes: u64) -> String {
    format!("{distance} bytes before its start, of {bytes}")
}

fn instead(f: &mut fmt::Formatter<'_>, lies_in: Option<&MemoryLocation>) -> fmt::Result {
    lies_in.map_or(Ok(()), |lies_in| write!(f, ", that is {lies_in}"))
}

fn heap(f: &mut fmt::Formatter<'_>, offset: i64, bytes: u64, allocated: &Place, freed: Option<&Place>) -> fmt::Result {
    let by = |place: &Place| {
        let line = if place.line > 0 { place.line } else { place.ptx_line };
        let index = |[x, y, z]: [u32; 3]| if y == 0 && z == 0 { x.to_string() } else { format!("({x}, {y}, {z})") };
        format!("in line {line} by thread {} of block {}", index(place.thread), index(place.block))
    };
    let allocated = by(allocated);
    let Ok(offset) = u64::try_from(offset) else {
        return write!(f, "{} bytes before the block of {bytes} allocated {allocated}", offset.unsigned_abs());
    };
    match freed {
        Some(freed) if offset < bytes => {
            write!(f, "byte {offset} of a block of {bytes} that was freed {} (allocated {allocated})", by(freed))
        }
        _ if offset < bytes => write!(f, "byte {offset} of the block of {bytes} allocated {allocated}"),
        _ => {
            let behind = offset - bytes;
            write!(f, "byte {offset} of the block of {bytes} allocated {allocated}: {behind} behind its end")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_json_a_location_is_its_relation_and_its_numbers() {
        let lies_in = Some(Box::new(MemoryLocation::relative("t", (128, 128), 128)));
        let location = MemoryLocation::Behind { name: "s".into(), offset: 128, bytes: 128, lies_in };
        let value = serde_json::to_value(&location).expect("plain data");
        let expected = serde_json::json!({ "relation": "behind", "name": "s", "offset": 128, "bytes": 128,
            "lies_in": { "relation": "inside", "name": "t", "offset": 0 } });
        assert_eq!(value, expected);
        assert_eq!(serde_json::from_value::<MemoryLocation>(value).expect("the same"), location);
        assert_eq!(location.to_string(), "`s` + 128 (right behind its 128 bytes), that is `t` + 0");
    }
}

//! Lists of instructions as they are sent from one process to another: names once, all else as numbers in one text. One has
//! hundreds of instructions, and each spelled out takes a tenth of a second of a check.
//!
//! For fields: `#[serde(with = "simulator::coverage::packed")]`.

use super::{Covered, LineCoverage};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt::Write;

/// What can be sent so.
pub trait Packs: Sized {
    /// Its names and numbers, one after the other.
    fn pack(&self, into: &mut Packer);
    /// The next one; nothing where there is none, or what follows is none.
    fn unpack(from: &mut Unpacker<'_>) -> Option<Self>;
}

/// Names, each once, and numbers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Packer {
    names: Vec<String>,
    numbers: String,
}

impl Packer {
    fn number(&mut self, number: u64) {
        // Writing to a string does not fail.
        let _ = write!(self.numbers, "{number} ");
    }

    fn name(&mut self, name: &str) {
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        self.number(at as u64);
    }
}

/// What is left of them.
#[derive(Debug)]
pub struct Unpacker<'p> {
    names: &'p [String],
    numbers: &'p str,
}

impl Unpacker<'_> {
    fn number<N: TryFrom<u64>>(&mut self) -> Option<N> {
        let (number, rest) = self.numbers.split_once(' ')?;
        self.numbers = rest;
        N::try_from(number.parse::<u64>().ok()?).ok()
    }

    fn name(&mut self) -> Option<String> {
        let at: usize = self.number()?;
        self.names.get(at).cloned()
    }
}

impl Packs for Covered {
    fn pack(&self, into: &mut Packer) {
        into.number(self.at.into());
        into.name(&self.file);
        into.number(self.line.into());
        into.number(self.ptx_line.into());
        into.name(&self.opcode);
        into.number(self.warps);
        into.number(self.parted);
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        Some(Self {
            at: from.number()?,
            file: from.name()?,
            line: from.number()?,
            ptx_line: from.number()?,
            opcode: from.name()?,
            warps: from.number()?,
            parted: from.number()?,
        })
    }
}

impl Packs for LineCoverage {
    fn pack(&self, into: &mut Packer) {
        into.name(&self.file);
        into.number(self.line.into());
        into.name(&self.opcode);
        into.number(self.warps.len() as u64);
        self.warps.iter().chain(&self.parted).for_each(|warps| into.number(*warps));
        self.ptx_lines.iter().for_each(|line| into.number((*line).into()));
    }

    fn unpack(from: &mut Unpacker<'_>) -> Option<Self> {
        let (file, line, opcode) = (from.name()?, from.number()?, from.name()?);
        let many: usize = from.number()?;
        let warps = (0..many).map(|_| from.number()).collect::<Option<_>>()?;
        let parted = (0..many).map(|_| from.number()).collect::<Option<_>>()?;
        let ptx_lines = (0..many).map(|_| from.number()).collect::<Option<_>>()?;
        Some(Self { file, line, opcode, warps, parted, ptx_lines })
    }
}

fn pack<P: Packs>(list: &[P]) -> Packer {
    let mut packer = Packer::default();
    list.iter().for_each(|one| one.pack(&mut packer));
    packer
}

/// The list; nothing if it is cut off or says something else.
fn unpack<P: Packs>(packed: &Packer) -> Option<Vec<P>> {
    let mut from = Unpacker { names: &packed.names, numbers: &packed.numbers };
    let mut list = Vec::new();
    while !from.numbers.is_empty() {
        list.push(P::unpack(&mut from)?);
    }
    Some(list)
}

/// Writes a list.
///
/// # Errors
/// The serializer's.
pub fn serialize<P: Packs, S: Serializer>(list: &[P], serializer: S) -> Result<S::Ok, S::Error> {
    pack(list).serialize(serializer)
}

/// Reads one.
///
/// # Errors
/// The deserializer's, or what it read is no such list.
pub fn deserialize<'de, P: Packs, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<P>, D::Error> {
    unpack(&Packer::deserialize(deserializer)?).ok_or_else(|| de::Error::custom("no list of instructions"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_is_what_was_packed() {
        let covered = |at: u32, file: &str, opcode: &str| Covered {
            at,
            file: file.into(),
            line: at * 7,
            ptx_line: u32::MAX - at,
            opcode: opcode.into(),
            warps: u64::MAX - u64::from(at),
            parted: u64::from(at) << 33,
        };
        let all = vec![covered(0, "a b.cu", "add.s32"), covered(1, "", "add.s32"), covered(2, "a b.cu", "bra")];
        let packed = pack(&all);
        assert_eq!(packed.names, ["a b.cu", "add.s32", "", "bra"], "each name once");
        assert_eq!(unpack::<Covered>(&packed).as_ref(), Some(&all));
        let lines = super::super::by_line(all);
        assert_eq!(unpack::<LineCoverage>(&pack(&lines)), Some(lines));
        assert_eq!(unpack::<Covered>(&pack::<Covered>(&[])), Some(Vec::new()));
    }

    #[test]
    fn what_is_cut_off_or_names_nothing_is_no_list() {
        let list = |names: &[&str], numbers: &str| {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            unpack::<Covered>(&Packer { names, numbers: numbers.to_owned() })
        };
        assert!(list(&["k.cu", "add"], "0 0 1 2 1 3 0 ").is_some());
        assert!(list(&["k.cu", "add"], "0 0 1 2 1 3 ").is_none());
        assert!(list(&["k.cu"], "0 0 1 2 1 3 0 ").is_none());
        assert!(list(&["k.cu", "add"], "0 0 4294967296 2 1 3 0 ").is_none());
        assert!(list(&["k.cu", "add"], "0 0 -1 2 1 3 0 ").is_none());
    }
}

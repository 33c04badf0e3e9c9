//! Just enough of a CUBIN's ELF (64 bit, little endian) to read sections and symbols. Every read is checked: a truncated or
//! corrupt file is an error, not a panic.

use super::Error;

/// A section.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// `.text._Z1kPi`
    pub name: &'a str,
    /// Bytes it has in memory (`SHT_NOBITS` sections have no data).
    pub size: u64,
    /// Its bytes in the file.
    pub data: &'a [u8],
}

/// A CUBIN taken apart.
#[derive(Debug)]
pub struct Elf<'a> {
    /// All sections.
    pub sections: Vec<Section<'a>>,
    /// Names of the symbols by index.
    pub symbols: Vec<&'a str>,
    /// Data objects: names, and the index of the section that each is in.
    objects: Vec<(&'a str, u16)>,
}

const SHT_SYMTAB: u32 = 2;
const SHT_NOBITS: u32 = 8;
const STT_OBJECT: u8 = 1;

impl<'a> Elf<'a> {
    /// Reads headers and symbol names.
    pub fn parse(file: &'a [u8]) -> Result<Self, Error> {
        if file.get(..6) != Some(b"\x7fELF\x02\x01") {
            return Err(Error::Cubin("it is not a 64-bit little-endian ELF file"));
        }
        let headers = u64_at(file, 0x28)?;
        let (count, names) = (u16_at(file, 0x3c)?, u16_at(file, 0x3e)?);
        let header = |n: u16| slice(file, headers.checked_add(u64::from(n) * 64), 64);
        let body = |header: &[u8]| -> Result<&'a [u8], Error> {
            match u32_at(header, 4)? {
                SHT_NOBITS => Ok(&[]),
                _ => slice(file, Some(u64_at(header, 0x18)?), u64_at(header, 0x20)?),
            }
        };
        let strings = body(header(names)?)?;
        let mut elf = Self { sections: Vec::new(), symbols: Vec::new(), objects: Vec::new() };
        for n in 0..count {
            let h = header(n)?;
            let section = Section { name: text_at(strings, u32_at(h, 0)?)?, size: u64_at(h, 0x20)?, data: body(h)? };
            if u32_at(h, 4)? == SHT_SYMTAB {
                let link = u16::try_from(u32_at(h, 0x28)?).map_err(|_| TRUNCATED)?;
                let names = body(header(link)?)?;
                for entry in section.data.chunks_exact(24) {
                    let name = text_at(names, u32_at(entry, 0)?)?;
                    elf.symbols.push(name);
                    if entry[4] & 0xf == STT_OBJECT {
                        elf.objects.push((name, u16_at(entry, 6)?));
                    }
                }
            }
            elf.sections.push(section);
        }
        Ok(elf)
    }

    /// Names of the variables in device memory: `__device__` and `__constant__` ones, those of functions and string literals
    /// among them. `None` where one has no name.
    pub fn variables(&self) -> Option<Vec<&'a str>> {
        let holds = |section: &Section<'_>| {
            let named = section.name.starts_with(".nv.global") || section.name == ".nv.constant3";
            named && section.size > 0
        };
        let inside = |at: u16| self.sections.get(usize::from(at)).is_some_and(holds);
        let names: Vec<&str> = self.objects.iter().filter(|(_, at)| inside(*at)).map(|(name, _)| *name).collect();
        let complete = !names.is_empty() || !self.sections.iter().any(holds);
        (complete && names.iter().all(|name| !name.is_empty())).then_some(names)
    }

    /// The section of that name.
    pub fn section(&self, name: &str) -> Option<Section<'a>> {
        self.sections.iter().find(|s| s.name == name).copied()
    }
}

const TRUNCATED: Error = Error::Cubin("it is truncated or corrupt");

fn slice(bytes: &[u8], at: Option<u64>, len: u64) -> Result<&[u8], Error> {
    let at = at.and_then(|a| usize::try_from(a).ok()).ok_or(TRUNCATED)?;
    let end = usize::try_from(len).ok().and_then(|l| at.checked_add(l)).ok_or(TRUNCATED)?;
    bytes.get(at..end).ok_or(TRUNCATED)
}

/// Little-endian number at an offset.
pub fn u16_at(bytes: &[u8], at: usize) -> Result<u16, Error> {
    bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u16::from_le_bytes(*b)).ok_or(TRUNCATED)
}

/// Little-endian number at an offset.
pub fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Error> {
    bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b)).ok_or(TRUNCATED)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64, Error> {
    bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u64::from_le_bytes(*b)).ok_or(TRUNCATED)
}

fn text_at(strings: &[u8], at: u32) -> Result<&str, Error> {
    let rest = strings.get(at as usize..).ok_or(TRUNCATED)?;
    let end = rest.iter().position(|b| *b == 0).ok_or(TRUNCATED)?;
    std::str::from_utf8(&rest[..end]).map_err(|_| TRUNCATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrupt_files_are_errors() {
        assert!(Elf::parse(b"").is_err());
        assert!(Elf::parse(b"\x7fELF\x02\x01").is_err());
        let mut bytes = vec![0xff; 256];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert!(Elf::parse(&bytes).is_err());
        bytes[0x28..0x30].copy_from_slice(&64u64.to_le_bytes());
        assert!(Elf::parse(&bytes).is_err());
    }
}

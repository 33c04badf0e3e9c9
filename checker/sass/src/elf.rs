//! Sections and symbols of a CUBIN, an ELF file (64 bit, little endian). A truncated or corrupt file is an error, not a panic.

use super::SassError;
use object::LittleEndian;
use object::elf::{FileHeader64, SHT_SYMTAB, STT_OBJECT, STT_SECTION};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use std::collections::BTreeMap;

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
    /// Names of the symbols by index; of a section's symbol the section's name.
    pub symbols: Vec<&'a str>,
    /// Data objects: names, and the index of the section that each is in.
    objects: Vec<(&'a str, u16)>,
}

impl<'a> Elf<'a> {
    /// Reads headers and symbol names.
    pub fn parse(file: &'a [u8]) -> Result<Self, SassError> {
        if !file.starts_with(b"\x7fELF\x02\x01") {
            return Err(SassError::Cubin("it is not a 64-bit little-endian ELF file"));
        }
        let header = FileHeader64::<LittleEndian>::parse(file).map_err(|_| TRUNCATED)?;
        let corrupt = |_| TRUNCATED;
        let table = header.sections(LittleEndian, file).map_err(corrupt)?;
        let text = |name: &'a [u8]| std::str::from_utf8(name).map_err(|_| TRUNCATED);
        let mut sections = Vec::new();
        for section in table.iter() {
            let name = text(table.section_name(LittleEndian, section).map_err(corrupt)?)?;
            let data = section.data(LittleEndian, file).map_err(corrupt)?;
            sections.push(Section { name, size: section.sh_size(LittleEndian), data });
        }
        let symbols = table.symbols(LittleEndian, file, SHT_SYMTAB).map_err(corrupt)?;
        let mut elf = Self { sections, symbols: Vec::new(), objects: Vec::new() };
        for symbol in symbols.iter() {
            let name = text(symbol.name(LittleEndian, symbols.strings()).map_err(corrupt)?)?;
            let section = || elf.sections.get(usize::from(symbol.st_shndx(LittleEndian))).map(|section| section.name);
            let shown = if symbol.st_type() == STT_SECTION { section().unwrap_or(name) } else { name };
            elf.symbols.push(shown);
            if symbol.st_type() == STT_OBJECT {
                elf.objects.push((name, symbol.st_shndx(LittleEndian)));
            }
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

    /// Functions whose addresses go into a section, by where.
    pub fn relocated(&self, section: &str) -> BTreeMap<u64, String> {
        let mut found = BTreeMap::new();
        for (prefix, size) in [(".rel", 16), (".rela", 24)] {
            let Some(table) = self.section(&format!("{prefix}{section}")) else { continue };
            for entry in table.data.chunks_exact(size) {
                let number = |at: usize| entry[at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
                let (Some(at), Some(info)) = (number(0), number(8)) else { continue };
                if let Some(name) = usize::try_from(info >> 32).ok().and_then(|index| self.symbols.get(index)) {
                    found.insert(at, name.strip_prefix(".text.").unwrap_or(name).to_owned());
                }
            }
        }
        found
    }

    /// The section of that name.
    pub fn section(&self, name: &str) -> Option<Section<'a>> {
        self.sections.iter().find(|s| s.name == name).copied()
    }
}

const TRUNCATED: SassError = SassError::Cubin("it is truncated or corrupt");

/// Little-endian number at an offset.
pub fn u16_at(bytes: &[u8], at: usize) -> Result<u16, SassError> {
    bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u16::from_le_bytes(*b)).ok_or(TRUNCATED)
}

/// Little-endian number at an offset.
pub fn u32_at(bytes: &[u8], at: usize) -> Result<u32, SassError> {
    bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b)).ok_or(TRUNCATED)
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

//! An ELF file in the making: sections and symbols, 64 bit, little endian.

use object::elf::{FileHeader64, SHT_NOBITS, SHT_STRTAB, SHT_SYMTAB, STB_LOCAL, SectionHeader64, Sym64};
use object::pod::bytes_of;
use object::{LittleEndian as LE, U16, U32, U64};
use std::borrow::Cow;

/// Sections that every file begins with, after the one that is none: section names, symbol names, symbols.
const NAMES: u16 = 1;
const STRINGS: u32 = 2;
pub const SYMBOLS: u32 = 3;
const FIRST: u32 = 4;

/// A symbol by the order in which it was added; the file's own order puts local ones first.
#[derive(Debug, Clone, Copy)]
pub struct SymbolNumber(usize);

/// A symbol, as the format has it.
pub struct Symbol<'a> {
    pub name: &'a str,
    /// Binding and type.
    pub info: u8,
    pub other: u8,
    pub section: u32,
    pub value: u64,
    pub size: u64,
}

/// What `sh_info` of a section means.
#[derive(Debug, Clone, Copy)]
pub enum Info {
    /// A number of another section, or any.
    Plain(u32),
    /// A symbol, below other bits.
    Symbol(SymbolNumber, u32),
}

/// A section, as the format has it.
pub struct Section<'a> {
    pub name: &'a str,
    pub kind: u32,
    pub flags: u64,
    pub link: u32,
    pub info: Info,
    pub align: u64,
    pub entry: u64,
    pub data: Cow<'a, [u8]>,
}

impl<'a> Section<'a> {
    /// Bytes that name nothing else.
    pub fn plain(name: &'a str, kind: u32, data: Vec<u8>) -> Self {
        Self { name, kind, flags: 0, link: 0, info: Info::Plain(0), align: 1, entry: 0, data: data.into() }
    }
}

struct Strings(Vec<u8>);

impl Strings {
    fn add(&mut self, name: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(0);
        at
    }
}

/// The file.
pub struct File<'a> {
    names: Strings,
    strings: Strings,
    symbols: Vec<(u32, Symbol<'a>)>,
    sections: Vec<(u32, Section<'a>)>,
}

impl<'a> File<'a> {
    pub fn new() -> Self {
        let empty = || Strings(vec![0]);
        Self { names: empty(), strings: empty(), symbols: Vec::new(), sections: Vec::new() }
    }

    /// Adds a section and returns its number.
    pub fn section(&mut self, section: Section<'a>) -> u32 {
        self.sections.push((self.names.add(section.name), Section { name: "", ..section }));
        FIRST + self.sections.len() as u32 - 1
    }

    /// Says later what a section's `sh_info` is.
    pub fn inform(&mut self, section: u32, info: Info) {
        self.sections[(section - FIRST) as usize].1.info = info;
    }

    /// Adds a symbol.
    pub fn symbol(&mut self, symbol: Symbol<'a>) -> SymbolNumber {
        let name = if symbol.name.is_empty() { 0 } else { self.strings.add(symbol.name) };
        self.symbols.push((name, Symbol { name: "", ..symbol }));
        SymbolNumber(self.symbols.len() - 1)
    }

    /// Where each symbol will be.
    pub fn places(&self) -> Places {
        let is_local = |n: &usize| self.symbols[*n].1.info >> 4 == STB_LOCAL;
        let (mut order, global): (Vec<usize>, Vec<usize>) = (0..self.symbols.len()).partition(is_local);
        let locals = 1 + order.len() as u32;
        order.extend(global);
        let mut place = vec![0; order.len()];
        for (at, &n) in (1..).zip(&order) {
            place[n] = at;
        }
        Places { order, place, locals }
    }

    /// Its bytes; the rest of the header is that of `like`. `None` when it has more sections than the format counts.
    pub fn write(mut self, places: &Places, like: &FileHeader64<LE>) -> Option<Vec<u8>> {
        let mut symbols = vec![0; size_of::<Sym64<LE>>()];
        for &n in &places.order {
            let (name, symbol) = &self.symbols[n];
            symbols.extend_from_slice(bytes_of(&Sym64::<LE> {
                st_name: U32::new(LE, *name),
                st_info: symbol.info,
                st_other: symbol.other,
                st_shndx: U16::new(LE, u16::try_from(symbol.section).ok()?),
                st_value: U64::new(LE, symbol.value),
                st_size: U64::new(LE, symbol.size),
            }));
        }
        let entry = size_of::<Sym64<LE>>() as u64;
        let table = |kind, data| Section::plain("", kind, data);
        let [names, strings, symbol_names] = [".shstrtab", ".strtab", ".symtab"].map(|name| self.names.add(name));
        let own = [
            (names, table(SHT_STRTAB, self.names.0)),
            (strings, table(SHT_STRTAB, self.strings.0)),
            (
                symbol_names,
                Section {
                    link: STRINGS,
                    info: Info::Plain(places.locals),
                    align: 8,
                    entry,
                    ..table(SHT_SYMTAB, symbols)
                },
            ),
        ];
        let mut bytes = vec![0; size_of::<FileHeader64<LE>>()];
        let mut headers = vec![0; size_of::<SectionHeader64<LE>>()];
        let mut count = 1_u16;
        for (name, section) in own.into_iter().chain(self.sections) {
            let align = section.align.max(1) as usize;
            bytes.resize(bytes.len().next_multiple_of(align), 0);
            headers.extend_from_slice(bytes_of(&header(name, &section, bytes.len(), places)));
            if section.kind != SHT_NOBITS {
                bytes.extend_from_slice(&section.data);
            }
            count = count.checked_add(1)?;
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let mut first = *like;
        first.e_phoff = U64::new(LE, 0);
        first.e_phnum = U16::new(LE, 0);
        first.e_shoff = U64::new(LE, bytes.len() as u64);
        first.e_shentsize = U16::new(LE, size_of::<SectionHeader64<LE>>() as u16);
        first.e_shnum = U16::new(LE, count);
        first.e_shstrndx = U16::new(LE, NAMES);
        bytes[..size_of::<FileHeader64<LE>>()].copy_from_slice(bytes_of(&first));
        bytes.extend_from_slice(&headers);
        Some(bytes)
    }
}

/// The order of a file's symbols.
pub struct Places {
    order: Vec<usize>,
    place: Vec<u32>,
    locals: u32,
}

impl Places {
    /// A symbol's number in the file.
    pub fn of(&self, symbol: SymbolNumber) -> u32 {
        self.place[symbol.0]
    }
}

fn header(name: u32, section: &Section<'_>, at: usize, places: &Places) -> SectionHeader64<LE> {
    let info = match section.info {
        Info::Plain(number) => number,
        Info::Symbol(symbol, above) => places.of(symbol) | above,
    };
    let (number, wide) = (|value| U32::new(LE, value), |value| U64::new(LE, value));
    SectionHeader64 {
        sh_name: number(name),
        sh_type: number(section.kind),
        sh_flags: wide(section.flags),
        sh_addr: wide(0),
        sh_offset: wide(at as u64),
        sh_size: wide(section.data.len() as u64),
        sh_link: number(section.link),
        sh_info: number(info),
        sh_addralign: wide(section.align),
        sh_entsize: wide(section.entry),
    }
}

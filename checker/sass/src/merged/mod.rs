//! Many CUBINs as one. nvdisasm takes half a second before it lists a first instruction, however little there is to list: laid
//! side by side, dozens of kernels take no longer than one. Each brings its code, its line table and the notes that make labels,
//! under names of its own, and the text is cut apart again. A part is held against its machine code like the text of a single run.

mod file;

use file::{File, Info, Places, SYMBOLS, Section, Symbol, SymbolNumber};
use object::LittleEndian as LE;
use object::elf::{
    FileHeader64, Rel64, Rela64, SHF_INFO_LINK, SHT_PROGBITS, SHT_REL, SHT_RELA, SHT_SYMTAB, SectionHeader64,
};
use object::pod::bytes_of;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{I64, U64};
use std::collections::BTreeMap;

/// In front of the names of part `n`: no name that a compiler makes begins so.
fn prefix(n: usize) -> String {
    format!("part{n}$")
}

/// What CUBINs have in common that can be one file: the architecture and the dialect. `None` of one that cannot be moved.
pub fn kind(cubin: &[u8]) -> Option<(u32, u8, u8, bool)> {
    let header = FileHeader64::<LE>::parse(cubin).ok()?;
    let mut moved = Vec::new();
    Part::of(0, cubin)?.add(&mut File::new(), &mut Vec::new(), &mut moved)?;
    let addends = moved.iter().all(|moved| moved.addend.is_some());
    Some((header.e_flags.get(LE), header.e_ident.os_abi, header.e_ident.abi_version, addends))
}

/// One file with the code of all. `None` where one has what cannot be moved (code that is still to be relocated), or is no CUBIN
/// of which this knows enough.
pub fn merge(cubins: &[&[u8]]) -> Option<Vec<u8>> {
    let parts: Vec<Part<'_>> = cubins.iter().enumerate().map(|(n, cubin)| Part::of(n, cubin)).collect::<Option<_>>()?;
    let mut file = File::new();
    let mut lines = Vec::new();
    let mut moved = Vec::new();
    for part in &parts {
        part.add(&mut file, &mut lines, &mut moved)?;
    }
    let places = file.places();
    if !lines.is_empty() {
        let table = file.section(Section::plain(".debug_line", SHT_PROGBITS, lines));
        let addends = moved.iter().all(|moved: &Moved| moved.addend.is_some());
        let (name, kind, entry) = match addends {
            true => (".rela.debug_line", SHT_RELA, size_of::<Rela64<LE>>()),
            false => (".rel.debug_line", SHT_REL, size_of::<Rel64<LE>>()),
        };
        let data = moved.iter().flat_map(|moved| moved.bytes(&places, addends)).collect();
        file.section(Section {
            flags: SHF_INFO_LINK.into(),
            link: SYMBOLS,
            info: Info::Plain(table),
            align: 8,
            entry: entry as u64,
            ..Section::plain(name, kind, data)
        });
    }
    file.write(&places, FileHeader64::parse(*cubins.first()?).ok()?)
}

/// The texts of the parts: the head of the whole, then their sections under their own names.
pub fn split(text: &str, parts: usize) -> Vec<String> {
    const RULE: &str = "\n//---------------------";
    let mut sections = text.split(RULE);
    let mut texts = vec![sections.next().unwrap_or_default().to_owned(); parts];
    for section in sections {
        let name = section.trim_start().strip_prefix(".text.part").and_then(|rest| rest.split_once('$'));
        let Some(n) = name.and_then(|(n, _)| n.parse::<usize>().ok()).filter(|n| *n < parts) else { continue };
        texts[n].push_str(RULE);
        texts[n].push_str(&section.replace(&prefix(n), ""));
    }
    texts
}

/// A relocation of the line tables: where they name code. Those of older CUBINs have no addend of their own.
struct Moved {
    offset: u64,
    symbol: SymbolNumber,
    kind: u32,
    addend: Option<i64>,
}

impl Moved {
    fn bytes(&self, places: &Places, addends: bool) -> Vec<u8> {
        let (r_offset, symbol) = (U64::new(LE, self.offset), places.of(self.symbol));
        let addend = I64::new(LE, self.addend.unwrap_or_default());
        if addends {
            bytes_of(&Rela64 { r_offset, r_info: Rela64::r_info(LE, false, symbol, self.kind), r_addend: addend })
                .to_vec()
        } else {
            bytes_of(&Rel64 { r_offset, r_info: Rel64::r_info(LE, symbol, self.kind) }).to_vec()
        }
    }
}

/// A CUBIN taken apart, with the names that it gets.
struct Part<'a> {
    bytes: &'a [u8],
    sections: Vec<(&'a str, String, &'a SectionHeader64<LE>)>,
    /// Name, the name that it gets, and the symbol.
    symbols: Vec<(String, &'a object::elf::Sym64<LE>)>,
}

impl<'a> Part<'a> {
    fn of(n: usize, bytes: &'a [u8]) -> Option<Self> {
        let header = FileHeader64::<LE>::parse(bytes).ok()?;
        let table = header.sections(LE, bytes).ok()?;
        let prefix = prefix(n);
        let renamed = |name: &str| match [".text.", ".nv.info."].into_iter().find(|kind| name.starts_with(kind)) {
            Some(kind) => format!("{kind}{prefix}{}", &name[kind.len()..]),
            None if name.is_empty() => String::new(),
            None => format!("{prefix}{name}"),
        };
        let section = |section: &'a SectionHeader64<LE>| {
            let name = std::str::from_utf8(table.section_name(LE, section).ok()?).ok()?;
            Some((name, renamed(name), section))
        };
        let symbols = table.symbols(LE, bytes, SHT_SYMTAB).ok()?;
        let symbol = |symbol: &'a object::elf::Sym64<LE>| {
            Some((renamed(std::str::from_utf8(symbol.name(LE, symbols.strings()).ok()?).ok()?), symbol))
        };
        Some(Self {
            bytes,
            sections: table.iter().map(section).collect::<Option<_>>()?,
            symbols: symbols.iter().map(symbol).collect::<Option<_>>()?,
        })
    }

    /// Adds its code and its notes to the file, its line table to `lines`.
    fn add(&'a self, file: &mut File<'a>, lines: &mut Vec<u8>, moved: &mut Vec<Moved>) -> Option<()> {
        let data = |section: &SectionHeader64<LE>| section.data(LE, self.bytes).ok();
        // Code first: all else names it.
        let mut code = BTreeMap::new();
        for (at, (name, renamed, section)) in self.sections.iter().enumerate() {
            if name.starts_with(".text.") {
                code.insert(at, file.section(section_like(section, renamed, SYMBOLS, data(section)?.into())));
            }
        }
        let mut symbols = BTreeMap::new();
        for (at, (name, symbol)) in self.symbols.iter().enumerate() {
            let Some(&section) = code.get(&usize::from(symbol.st_shndx.get(LE))) else { continue };
            let (info, other) = (symbol.st_info, symbol.st_other);
            let (value, size) = (symbol.st_value.get(LE), symbol.st_size.get(LE));
            symbols.insert(at as u32, file.symbol(Symbol { name, info, other, section, value, size }));
        }
        let start = lines.len() as u64;
        for (at, (name, renamed, section)) in self.sections.iter().enumerate() {
            let of = code.get(&(section.sh_info.get(LE) as usize));
            if let Some(own) = code.get(&at) {
                // The function, below the number of registers.
                const SYMBOL: u32 = 0x00ff_ffff;
                let info = section.sh_info.get(LE);
                let function = symbols.get(&(info & SYMBOL));
                file.inform(*own, function.map_or(Info::Plain(0), |function| Info::Symbol(*function, info & !SYMBOL)));
            } else if name.starts_with(".nv.info.") {
                let notes = without_symbols(data(section)?)?;
                let notes = section_like(section, renamed, SYMBOLS, notes.into());
                file.section(Section { info: Info::Plain(*of?), ..notes });
            } else if *name == ".debug_line" {
                lines.extend_from_slice(data(section)?);
            } else if name.starts_with(".rel.text.") || name.starts_with(".rela.text.") {
                data(section)?.is_empty().then_some(())?;
            } else if matches!(*name, ".rel.debug_line" | ".rela.debug_line") {
                moved.extend(relocations(section, self.bytes, start, &symbols)?);
            }
        }
        Some(())
    }
}

fn section_like<'a>(
    section: &SectionHeader64<LE>,
    name: &'a str,
    link: u32,
    data: std::borrow::Cow<'a, [u8]>,
) -> Section<'a> {
    Section {
        name,
        kind: section.sh_type.get(LE),
        flags: section.sh_flags.get(LE),
        link,
        info: Info::Plain(0),
        align: section.sh_addralign.get(LE),
        entry: section.sh_entsize.get(LE),
        data,
    }
}

fn relocations(
    section: &SectionHeader64<LE>,
    bytes: &[u8],
    start: u64,
    symbols: &BTreeMap<u32, SymbolNumber>,
) -> Option<Vec<Moved>> {
    let moved = |offset: U64<LE>, symbol: u32, kind, addend| {
        Some(Moved { offset: start + offset.get(LE), symbol: *symbols.get(&symbol)?, kind, addend })
    };
    if let Some((all, _)) = section.rela(LE, bytes).ok()? {
        let addend = |r: &Rela64<LE>| Some(r.r_addend.get(LE));
        return all.iter().map(|r| moved(r.r_offset, r.r_sym(LE, false), r.r_type(LE, false), addend(r))).collect();
    }
    let (all, _) = section.rel(LE, bytes).ok()??;
    all.iter().map(|r| moved(r.r_offset, r.r_sym(LE), r.r_type(LE), None)).collect()
}

/// The notes on a kernel (`.nv.info`) without those that name symbols, which no listing shows: the bank of its parameters, and
/// functions that are elsewhere. A note is its format, what it is about, and two bytes: a value, or how many bytes follow.
fn without_symbols(notes: &[u8]) -> Option<Vec<u8>> {
    const FOLLOWED: u8 = 4;
    const NAMING: [u8; 2] = [0x0a, 0x0f];
    let mut kept = Vec::with_capacity(notes.len());
    let mut rest = notes;
    while let Some(&[format, about, low, high]) = rest.first_chunk() {
        let more = if format == FOLLOWED { usize::from(u16::from_le_bytes([low, high])) } else { 0 };
        let (note, behind) = rest.split_at_checked(4 + more)?;
        if !NAMING.contains(&about) {
            kept.extend_from_slice(note);
        }
        rest = behind;
    }
    Some(kept)
}

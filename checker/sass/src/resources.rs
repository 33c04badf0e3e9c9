//! What a kernel needs, from the CUBIN: registers, shared memory, stack, barriers, launch bounds; and spills.
//!
//! Sizes come from `.nv.info` (attribute numbers below) and section sizes. An array in local memory is stack, not a spill.

use super::{
    SassError,
    elf::{Elf, u16_at, u32_at},
    listing::Kernel,
    sm_number, spills,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Resources of one kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Resources {
    /// 32-bit registers a thread.
    pub registers: u32,
    /// Static shared memory in bytes, without what the driver reserves.
    pub shared: u32,
    /// Local memory a thread in bytes: arrays, spills, call frames.
    pub stack: u32,
    /// Instructions that store a spilled register.
    pub spill_stores: u32,
    /// Instructions that load one back.
    pub spill_loads: u32,
    /// Named barriers (`bar.sync`).
    pub barriers: u32,
    /// Bytes of kernel parameters.
    pub parameters: u32,
    /// Bytes of `__constant__` variables of the module, bank 3.
    pub constant: u32,
    /// `__launch_bounds__`: threads a block, x * y * z.
    pub max_threads: Option<u32>,
}

impl Resources {
    /// Spill stores and loads together.
    pub fn spills(&self) -> u32 {
        self.spill_stores + self.spill_loads
    }
}

// Attributes of .nv.info, named as nvdisasm prints them.
const EIATTR_MAX_THREADS: u8 = 0x05;
const EIATTR_FRAME_SIZE: u8 = 0x11;
const EIATTR_MIN_STACK_SIZE: u8 = 0x12;
const EIATTR_CBANK_PARAM_SIZE: u8 = 0x19;
const EIATTR_REGCOUNT: u8 = 0x2f;
const EIATTR_NUM_BARRIERS: u8 = 0x4c;

/// From Hopper on, static shared memory begins behind 1 KiB that the driver keeps, and the section's size includes it.
const RESERVED_SHARED: u64 = 1024;

/// Resources of all functions of a CUBIN for this architecture ("sm_90") by their linked names, without a listing: so nothing is known
/// of spills.
///
/// # Errors
/// It is no CUBIN, or is cut off.
pub fn of_cubin(cubin: &[u8], arch: &str) -> Result<BTreeMap<String, Resources>, SassError> {
    let elf = Elf::parse(cubin)?;
    all(&elf, sm_number(arch), elf.sections.iter().filter_map(|section| section.name.strip_prefix(".text.")))
}

/// Fills in the resources of a module's kernels. `sm` is the architecture's number (75, 90, 100, ...).
pub fn read(elf: &Elf, sm: u32, kernels: &mut [Kernel]) -> Result<(), SassError> {
    let found = all(elf, sm, kernels.iter().map(|kernel| kernel.name.as_str()))?;
    for k in kernels.iter_mut() {
        spills::mark(elf, k)?;
        let spills = || k.code().iter().filter(|i| i.is_spill());
        let stores = spills().filter(|i| i.opcode.mnemonic() == "STL").count();
        let loads = spills().count() - stores;
        let known = found.get(&k.name).copied().unwrap_or_default();
        k.resources = Resources { spill_stores: small(stores as u64), spill_loads: small(loads as u64), ..known };
    }
    Ok(())
}

/// Those of the functions of these names.
fn all<'n>(elf: &Elf, sm: u32, names: impl Iterator<Item = &'n str>) -> Result<BTreeMap<String, Resources>, SassError> {
    let constant = elf.sections.iter().filter(|s| s.name == ".nv.constant3").map(|s| s.size).sum();
    let reserved = if sm >= 90 { RESERVED_SHARED } else { 0 };
    let of = |name: &str| {
        let shared = elf.section(&format!(".nv.shared.{name}")).map_or(0, |s| s.size.saturating_sub(reserved));
        Resources { shared: small(shared), constant: small(constant), ..Resources::default() }
    };
    let mut kernels: BTreeMap<String, Resources> = names.map(|name| (name.to_owned(), of(name))).collect();
    for section in &elf.sections {
        let owner = match section.name.strip_prefix(".nv.info") {
            Some("") => None,
            Some(name) => Some(name.trim_start_matches('.')),
            None => continue,
        };
        for attribute in attributes(section.data)? {
            apply(&attribute, owner, elf, &mut kernels)?;
        }
    }
    Ok(kernels)
}

fn apply(
    a: &Attribute,
    owner: Option<&str>,
    elf: &Elf,
    kernels: &mut BTreeMap<String, Resources>,
) -> Result<(), SassError> {
    match (owner, a.id) {
        // Module-wide attributes: (symbol, value).
        (None, EIATTR_REGCOUNT | EIATTR_FRAME_SIZE | EIATTR_MIN_STACK_SIZE) => {
            let (symbol, value) = (u32_at(a.data, 0)?, u32_at(a.data, 4)?);
            let Some(r) = elf.symbols.get(symbol as usize).and_then(|name| kernels.get_mut(*name)) else {
                return Ok(());
            };
            match a.id {
                EIATTR_REGCOUNT => r.registers = value,
                // All ones: recursion, the need is unknown.
                _ if value == u32::MAX => {}
                _ => r.stack = r.stack.max(value),
            }
        }
        (Some(name), EIATTR_MAX_THREADS) => {
            let [x, y, z] = [u32_at(a.data, 0)?, u32_at(a.data, 4)?, u32_at(a.data, 8)?];
            if let Some(r) = kernels.get_mut(name) {
                r.max_threads = Some(x.saturating_mul(y).saturating_mul(z));
            }
        }
        (Some(name), EIATTR_CBANK_PARAM_SIZE | EIATTR_NUM_BARRIERS) => {
            let Some(r) = kernels.get_mut(name) else { return Ok(()) };
            match a.id {
                EIATTR_CBANK_PARAM_SIZE => r.parameters = a.value.into(),
                _ => r.barriers = u32::from(a.value & 0xff),
            }
        }
        _ => {}
    }
    Ok(())
}

/// One entry of `.nv.info`: a short value, or data.
pub(super) struct Attribute<'a> {
    pub id: u8,
    pub value: u16,
    pub data: &'a [u8],
}

/// Entries are a format byte, an attribute byte, and 16 bits that are the value, or (format 4) the length of the data.
pub(super) fn attributes(mut bytes: &[u8]) -> Result<Vec<Attribute<'_>>, SassError> {
    let mut entries = Vec::new();
    while bytes.len() >= 4 {
        let (format, id, value) = (bytes[0], bytes[1], u16_at(bytes, 2)?);
        let len = if format == 4 { usize::from(value) } else { 0 };
        let data = bytes.get(4..4 + len).ok_or(SassError::Cubin("its .nv.info section is truncated"))?;
        entries.push(Attribute { id, value, data });
        bytes = &bytes[4 + len..];
    }
    Ok(entries)
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::listing::parse;

    /// An ELF file of sections (name, type, size in memory, data); the symbols are the given names.
    pub fn cubin(sections: &[(&str, u32, u64, Vec<u8>)], symbols: &[&str]) -> Vec<u8> {
        let mut strings = vec![0];
        let mut intern = |text: &str| {
            let at = strings.len() as u32;
            strings.extend(text.as_bytes());
            strings.push(0);
            at
        };
        let symbols: Vec<u8> =
            symbols.iter().flat_map(|name| [&intern(name).to_le_bytes()[..], &[0; 20]].concat()).collect();
        let mut all: Vec<(u32, u32, u64, Vec<u8>)> =
            vec![(0, 0, 0, vec![]), (intern(".symtab"), 2, symbols.len() as u64, symbols)];
        all.extend(sections.iter().map(|(name, kind, size, data)| (intern(name), *kind, *size, data.clone())));
        all.push((intern(".strtab"), 3, strings.len() as u64, strings));
        let mut file = vec![0; 64];
        let mut headers = Vec::new();
        for (name, kind, size, data) in &all {
            let (at, link) = (file.len() as u64, all.len() as u32 - 1);
            headers.extend([name.to_le_bytes(), kind.to_le_bytes()].concat());
            headers.extend([0u64, 0, at, *size].iter().flat_map(|n| n.to_le_bytes()));
            headers.extend([link.to_le_bytes(), [0; 4]].concat());
            // Alignment, and the size of an entry of the table of symbols.
            headers.extend([1, if *kind == 2 { 24 } else { 0u64 }].iter().flat_map(|n| n.to_le_bytes()));
            file.extend(data);
        }
        let at = file.len() as u64;
        file.extend(headers);
        file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        file[0x14] = 1;
        file[0x3a..0x3c].copy_from_slice(&64u16.to_le_bytes());
        file[0x28..0x30].copy_from_slice(&at.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&(all.len() as u16).to_le_bytes());
        file[0x3e..0x40].copy_from_slice(&(all.len() as u16 - 1).to_le_bytes());
        file
    }

    fn example() -> Vec<u8> {
        let word = |n: u32| n.to_le_bytes().to_vec();
        let sized = |id: u8, data: Vec<u8>| [vec![4, id], (data.len() as u16).to_le_bytes().to_vec(), data].concat();
        let of_module = [
            sized(EIATTR_REGCOUNT, [word(1), word(37)].concat()),
            sized(EIATTR_FRAME_SIZE, [word(1), word(48)].concat()),
            sized(EIATTR_MIN_STACK_SIZE, [word(1), word(16)].concat()),
            // A symbol that does not exist.
            sized(EIATTR_REGCOUNT, [word(77), word(99)].concat()),
        ];
        let of_kernel = [
            vec![3, EIATTR_CBANK_PARAM_SIZE, 20, 0],
            vec![2, EIATTR_NUM_BARRIERS, 1, 0],
            // An attribute nobody here knows.
            sized(0xee, vec![1, 2, 3]),
            sized(EIATTR_MAX_THREADS, [word(32), word(4), word(1)].concat()),
        ];
        let info = |parts: &[Vec<u8>]| parts.concat();
        let (module, kernel) = (info(&of_module), info(&of_kernel));
        cubin(
            &[
                (".nv.info", 0x7000_0000, module.len() as u64, module),
                (".nv.info.k", 0x7000_0000, kernel.len() as u64, kernel),
                (".nv.shared.k", 8, 1024 + 640, vec![]),
                (".nv.constant3", 1, 8, vec![0; 8]),
                (".text.k", 1, 64, vec![0; 64]),
            ],
            &["", "k"],
        )
    }

    fn kernels() -> Vec<Kernel> {
        let spilling = "/*0000*/ STL [R1], R2 (*\"SpillRefill\"*); \n/*0010*/ LDL R2, [R1] (*\"SpillRefill\"*);\n\
                        /*0020*/ LDL R2, [R1+0x8] (*\"SpillRefill\"*);\n/*0030*/ LDL R3, [R4] ;\n";
        parse(&format!("\t.section\t.text.k,\"ax\"\n{spilling}")).kernels
    }

    #[test]
    fn attributes_of_a_kernel() {
        let file = example();
        let mut found = kernels();
        read(&Elf::parse(&file).unwrap(), 90, &mut found).unwrap();
        let expected = Resources {
            registers: 37,
            shared: 640,
            stack: 48,
            spill_stores: 1,
            spill_loads: 2,
            barriers: 1,
            parameters: 20,
            constant: 8,
            max_threads: Some(128),
        };
        assert_eq!(found[0].resources, expected);
        // The file alone knows all but the spills.
        let without = Resources { spill_stores: 0, spill_loads: 0, ..expected };
        assert_eq!(of_cubin(&file, "sm_90a").unwrap(), BTreeMap::from([("k".to_owned(), without)]));
        // Before Hopper the section is the kernel's alone.
        read(&Elf::parse(&file).unwrap(), 89, &mut found).unwrap();
        assert_eq!(found[0].resources.shared, 1664);
    }

    #[test]
    fn cut_or_garbled_files_are_errors_at_worst() {
        let file = example();
        let attempt = |bytes: &[u8]| {
            Elf::parse(bytes).and_then(|elf| {
                let mut kernels = kernels();
                read(&elf, 90, &mut kernels)
            })
        };
        for n in 0..file.len() {
            assert!(attempt(&file[..n]).is_err(), "cut at {n}");
            for value in [0, 1, 0x7f, 0xff] {
                let mut garbled = file.clone();
                garbled[n] = value;
                let _ = attempt(&garbled);
            }
        }
    }
}

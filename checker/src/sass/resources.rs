//! What a kernel needs, from the CUBIN: registers, shared memory, stack, barriers, launch bounds; and spills.
//!
//! Sizes come from `.nv.info` (attribute numbers below) and section sizes. Spills are the instructions that the compiler
//! itself marks `SpillRefill` in the listing: an array in local memory is stack, not a spill.

use super::{
    Error,
    elf::{Elf, u16_at, u32_at},
    listing::Kernel,
};
use serde::Serialize;

/// Resources of one kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
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

/// Fills in the resources of a module's kernels. `sm` is the architecture's number (75, 90, 100, ...).
pub fn read(elf: &Elf, sm: u32, kernels: &mut [Kernel]) -> Result<(), Error> {
    let constant = elf.sections.iter().filter(|s| s.name == ".nv.constant3").map(|s| s.size).sum();
    for k in kernels.iter_mut() {
        let spills = || k.code().iter().filter(|i| i.is_spill());
        let stores = spills().filter(|i| i.opcode.mnemonic() == "STL").count();
        let loads = spills().count() - stores;
        let reserved = if sm >= 90 { RESERVED_SHARED } else { 0 };
        let shared = elf.section(&format!(".nv.shared.{}", k.name)).map_or(0, |s| s.size.saturating_sub(reserved));
        k.resources = Resources {
            shared: small(shared),
            constant: small(constant),
            spill_stores: small(stores as u64),
            spill_loads: small(loads as u64),
            ..Resources::default()
        };
    }
    for section in &elf.sections {
        let owner = match section.name.strip_prefix(".nv.info") {
            Some("") => None,
            Some(name) => Some(name.trim_start_matches('.')),
            None => continue,
        };
        for attribute in attributes(section.data)? {
            apply(&attribute, owner, elf, kernels)?;
        }
    }
    Ok(())
}

fn named<'a>(kernels: &'a mut [Kernel], name: &str) -> Option<&'a mut Resources> {
    kernels.iter_mut().find(|k| k.name == name).map(|k| &mut k.resources)
}

fn apply(a: &Attribute, owner: Option<&str>, elf: &Elf, kernels: &mut [Kernel]) -> Result<(), Error> {
    match (owner, a.id) {
        // Module-wide attributes: (symbol, value).
        (None, EIATTR_REGCOUNT | EIATTR_FRAME_SIZE | EIATTR_MIN_STACK_SIZE) => {
            let (symbol, value) = (u32_at(a.data, 0)?, u32_at(a.data, 4)?);
            let Some(r) = elf.symbols.get(symbol as usize).and_then(|name| named(kernels, name)) else { return Ok(()) };
            match a.id {
                EIATTR_REGCOUNT => r.registers = value,
                // All ones: recursion, the need is unknown.
                _ if value == u32::MAX => {}
                _ => r.stack = r.stack.max(value),
            }
        }
        (Some(name), EIATTR_MAX_THREADS) => {
            let [x, y, z] = [u32_at(a.data, 0)?, u32_at(a.data, 4)?, u32_at(a.data, 8)?];
            if let Some(r) = named(kernels, name) {
                r.max_threads = Some(x.saturating_mul(y).saturating_mul(z));
            }
        }
        (Some(name), EIATTR_CBANK_PARAM_SIZE | EIATTR_NUM_BARRIERS) => {
            let Some(r) = named(kernels, name) else { return Ok(()) };
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
struct Attribute<'a> {
    id: u8,
    value: u16,
    data: &'a [u8],
}

/// Entries are a format byte, an attribute byte, and 16 bits that are the value, or (format 4) the length of the data.
fn attributes(mut bytes: &[u8]) -> Result<Vec<Attribute<'_>>, Error> {
    let mut entries = Vec::new();
    while bytes.len() >= 4 {
        let (format, id, value) = (bytes[0], bytes[1], u16_at(bytes, 2)?);
        let len = if format == 4 { usize::from(value) } else { 0 };
        let data = bytes.get(4..4 + len).ok_or(Error::Cubin("its .nv.info section is truncated"))?;
        entries.push(Attribute { id, value, data });
        bytes = &bytes[4 + len..];
    }
    Ok(entries)
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

//! Device memory as the host sees it: allocations, what is written there and read, what launches touched.

use super::Device;
use super::error::MemoryError;
use super::history::History;
use crate::appearance::Appearance;
use crate::memory::heap::Heap;
use crate::memory::reads::Reads;
#[cfg(not(target_family = "wasm"))]
use crate::memory::sparse::Fill;
use crate::memory::sparse::{Sparse, Touched};
use crate::texture::Texture;
use crate::{Finding, MemoryLocation, Module};
use std::ops::Range;
use std::sync::{Arc, Mutex};

impl Device {
    /// Findings about what a kernel has stored in these bytes without anybody having written the value: the host is about
    /// to use them as a result. Nothing unless [`crate::Checks::uninitialised`] is on.
    pub fn undefined(&self, address: u64, bytes: u64) -> Vec<Finding> {
        let locate = |address: u64| match self.global.find(address, 4) {
            Some(at) => {
                let allocation = &self.global.allocations[at];
                MemoryLocation::Inside { name: allocation.name.clone(), offset: address - allocation.base }
            }
            None => MemoryLocation::Address { address },
        };
        self.defined.origins.read(&self.defined.cells.within(address, bytes), locate)
    }

    /// Address and size in bytes of one of the module's `.global` or `.const` variables.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let found = self.module.decoded().variables.iter().find(|variable| variable.name == name)?;
        Some((found.address, found.size))
    }

    /// Address and size in bytes of each of the module's `.global` variables, which launches may change.
    pub fn variables(&self) -> impl Iterator<Item = (u64, u64)> {
        let variables = self.module.decoded().variables.iter().filter(|variable| !variable.constant);
        variables.map(|variable| (variable.address, variable.size))
    }

    /// Puts module variables back to how they began, and takes back all that launches did to sparse allocations.
    pub fn rewind(&mut self) {
        let module = Arc::clone(&self.module);
        for variable in module.decoded().variables.iter().filter(|variable| !variable.constant) {
            let mut bytes = variable.init.clone();
            bytes.resize(variable.size as usize, 0);
            if let Some(at) = self.global.find(variable.address, variable.size) {
                self.global.allocations[at].write(0, &bytes);
            }
        }
        self.global.allocations.iter().filter_map(|allocation| allocation.sparse.as_ref()).for_each(Sparse::forget);
    }

    /// Allocates `bytes` of global memory (256-byte aligned, surrounded by addresses that belong to nothing), called
    /// `name` in findings. Its bytes count as uninitialised until they are written.
    ///
    /// # Errors
    /// [`Limits::memory`](crate::Limits::memory) does not leave that much.
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, MemoryError> {
        let (in_use, limit) = (self.global.in_use, self.config.limits.memory);
        if in_use.saturating_add(bytes) > limit {
            return Err(MemoryError::Limit { asked: bytes, in_use, limit });
        }
        let address = self.global.alloc(bytes, name);
        self.remember(History::Allocated(address, bytes));
        Ok(address)
    }

    /// Makes the allocation that begins at `address` an input: a kernel that writes there is reported, whatever it writes.
    ///
    /// # Errors
    /// No allocation is there.
    pub fn protect(&mut self, address: u64) -> Result<(), MemoryError> {
        let at = self.global.find(address, 0).ok_or(MemoryError::Range { address, size: 0 })?;
        self.global.allocations[at].input = true;
        Ok(())
    }

    /// Makes a texture or surface of bytes in device memory; gives its object.
    ///
    /// # Errors
    /// Its texels do not lie in one allocation.
    pub fn texture(&mut self, texture: Texture) -> Result<u64, MemoryError> {
        let (address, size) = (texture.address, texture.bytes());
        self.global.find(address, size).ok_or(MemoryError::Range { address, size })?;
        self.textures.push(texture);
        Ok(self.textures.len() as u64)
    }

    /// Notes from now on what kernels read of the allocation that begins at `address`: see [`Device::unread`].
    ///
    /// # Errors
    /// No allocation is there.
    pub fn note_reads(&mut self, address: u64) -> Result<(), MemoryError> {
        let at = self.global.find(address, 0).ok_or(MemoryError::Range { address, size: 0 })?;
        let allocation = &mut self.global.allocations[at];
        allocation.reads = Some(Reads::none(allocation.words.len()));
        Ok(())
    }

    /// The bytes of an allocation that no kernel has read since [`Device::note_reads`], from and to, ascending; `None` where
    /// nothing was noted.
    pub fn unread(&self, address: u64) -> Option<Vec<Range<u64>>> {
        let allocation = &self.global.allocations[self.global.find(address, 0)?];
        Some(allocation.reads.as_ref()?.left(allocation.size))
    }

    /// Allocates memory of which only the pages exist that a launch touches. `fill` gives their bytes from an offset on;
    /// where they are not `known`, they only keep the place of what is to be written. It takes nothing of the memory limit.
    /// In launches that are watched, races in it are found; reads of what nobody wrote are in [`Touched::unknown`] alone.
    ///
    /// # Errors
    /// More than 2^40 bytes.
    #[cfg(not(target_family = "wasm"))]
    pub fn alloc_sparse(&mut self, name: &str, bytes: u64, fill: Fill, known: bool) -> Result<u64, MemoryError> {
        let (in_use, limit) = (self.global.in_use, 1 << 40);
        if bytes > limit {
            return Err(MemoryError::Limit { asked: bytes, in_use, limit });
        }
        let address = self.global.alloc_sparse(bytes, name, Sparse::new(fill, known));
        self.remember(History::AllocatedSparse(address, bytes));
        Ok(address)
    }

    /// What launches did to a sparse allocation since it was made or forgotten; `None` for any other.
    pub fn touched(&self, address: u64) -> Option<Touched> {
        let allocation = &self.global.allocations[self.global.find(address, 0)?];
        Some(allocation.sparse.as_ref()?.touched(allocation.size))
    }

    /// [`Touched::read_bytes`] and [`Touched::written_bytes`] alone, which cost less.
    pub fn bytes_touched(&self, address: u64) -> Option<(u64, u64)> {
        let at = self.global.find(address, 0)?;
        self.global.allocations[at].sparse.as_ref().map(Sparse::bytes)
    }

    /// [`Touched::unknown`] alone, which costs nothing.
    pub fn touched_unknown(&self, address: u64) -> Option<bool> {
        let allocation = &self.global.allocations[self.global.find(address, 0)?];
        Some(allocation.sparse.as_ref()?.unknown())
    }

    /// The launches before were of a part of their blocks: what they changed by atomics in sparse memory is a part of a sum, and
    /// a later launch that reads it reads what has no value ([`Touched::unknown`]).
    pub fn end_part(&mut self) {
        self.global.allocations.iter().filter_map(|allocation| allocation.sparse.as_ref()).for_each(Sparse::end_part);
    }

    /// Writes bytes from the host; they count as initialised.
    ///
    /// # Errors
    /// They do not lie in one allocation.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let size = bytes.len() as u64;
        let at = self.global.find(address, size).ok_or(MemoryError::Range { address, size })?;
        let allocation = &mut self.global.allocations[at];
        allocation.write(address - allocation.base, bytes);
        allocation.filled = None;
        self.remember(History::Written(address, size));
        Ok(())
    }

    /// Fills from the host with a repeated pattern but leaves the bytes uninitialised for the checks: poison.
    ///
    /// # Errors
    /// They do not lie in one allocation.
    pub fn poison(&mut self, address: u64, bytes: u64, pattern: &[u8]) -> Result<(), MemoryError> {
        let at = self.global.find(address, bytes).ok_or(MemoryError::Range { address, size: bytes })?;
        let allocation = &mut self.global.allocations[at];
        let mut piece: Vec<u8> = pattern.iter().copied().cycle().take(pattern.len() * 1024).collect();
        if pattern.is_empty() {
            piece = vec![0; 1024];
        }
        let mut done = 0;
        while done < bytes {
            let count = (bytes - done).min(piece.len() as u64);
            allocation.write(address - allocation.base + done, &piece[..count as usize]);
            done += count;
        }
        let word = |first: &[u8; 4]| u32::from_le_bytes(*first);
        let whole = bytes == allocation.size && 4 % pattern.len().max(1) == 0;
        allocation.filled = if whole { piece.first_chunk().map(word) } else { None };
        self.remember(History::Poisoned(address, bytes));
        Ok(())
    }

    /// Reads bytes to the host.
    ///
    /// # Errors
    /// They do not lie in one allocation.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        let size = into.len() as u64;
        let at = self.global.find(address, size).ok_or(MemoryError::Range { address, size })?;
        let allocation = &self.global.allocations[at];
        allocation.read(address - allocation.base, into);
        Ok(())
    }

    /// Blocks of the device heap that nobody has freed so far, and their bytes.
    #[cfg(not(target_family = "wasm"))]
    pub fn heap_left(&mut self) -> (u64, u64) {
        self.heap.as_mut().and_then(|heap| heap.get_mut().ok()).map_or((0, 0), |heap| heap.left())
    }

    /// The most bytes of the device heap that each block of the last launch held at a time, and those that it has left; blocks
    /// that held none are left out.
    #[cfg(not(target_family = "wasm"))]
    pub fn heap_held(&mut self) -> Vec<(u64, u64)> {
        self.heap.as_mut().and_then(|heap| heap.get_mut().ok()).map_or_else(Vec::new, |heap| heap.held().collect())
    }

    /// Makes room for `malloc`, if the module calls it. Where the memory limit leaves none, `malloc` returns null.
    pub(super) fn need_heap(&mut self, module: &Module) {
        let bytes = self.config.limits.heap;
        if !module.decoded().code.allocates() {
            return;
        }
        // Of a selection all run as if they were resident: nobody knows who else would be.
        let resident = if self.config.blocks.is_some() { u64::MAX } else { self.config.resident_blocks.max(1).into() };
        let held = self.config.heap_held;
        let appearance = Appearance::new(self.config.machine);
        if let Some(heap) = self.heap.as_mut().and_then(|heap| heap.get_mut().ok()) {
            heap.launch(resident, held);
            return;
        }
        // Twice as much, so that mistakes have room to show; where that does not fit, what there is.
        let room = [bytes.saturating_mul(2), bytes].into_iter().find_map(|room| {
            let base = self.alloc("device heap", room).ok()?;
            let mut heap = Heap::new(base, room, bytes, appearance);
            heap.launch(resident, held);
            let at = self.global.find(base, room)?;
            self.global.allocations[at].heap = true;
            Some(heap)
        });
        self.heap = Some(Mutex::new(room.unwrap_or_default()));
    }
}

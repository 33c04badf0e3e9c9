//! Memory of the device, freed with its owner.

use super::stream::Stream;
use super::{CudaError, Result, named};
use cudarc::driver::result::{self};
use std::marker::PhantomData;

/// Device memory. Freed when dropped.
#[derive(Debug)]
pub struct Memory {
    pub(super) address: u64,
    pub(super) bytes: usize,
    _one_thread: PhantomData<*const ()>,
}

impl Memory {
    /// Allocates; at least one byte, so that every buffer has an address.
    pub fn new(bytes: usize) -> Result<Self> {
        // SAFETY: the result is owned by the returned value alone.
        let address = unsafe { result::malloc_sync(bytes.max(1)) }.map_err(named("cuMemAlloc"))?;
        Ok(Self { address, bytes, _one_thread: PhantomData })
    }

    /// Device address, 256-byte aligned.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The range's device address.
    fn range(&self, call: &'static str, offset: usize, bytes: usize) -> Result<u64> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(self.address + offset as u64),
            _ => Err(CudaError { call, name: "CUDA_ERROR_INVALID_VALUE".into(), message: "beyond the buffer".into() }),
        }
    }

    /// Copies from the host, to its end.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        let to = self.range("cuMemcpyHtoD", offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the range lies within this allocation; the copy is synchronous.
        unsafe { result::memcpy_htod_sync(to, bytes) }.map_err(named("cuMemcpyHtoD"))
    }

    /// Copies to the host, to its end.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let from = self.range("cuMemcpyDtoH", offset, into.len())?;
        if into.is_empty() {
            return Ok(());
        }
        // SAFETY: as for `write`.
        unsafe { result::memcpy_dtoh_sync(into, from) }.map_err(named("cuMemcpyDtoH"))
    }

    /// Fills with a byte, in the stream's order.
    pub fn fill(&self, stream: &Stream, offset: usize, bytes: usize, byte: u8) -> Result<()> {
        let to = self.range("cuMemsetD8Async", offset, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range lies within this allocation, which the caller keeps until the stream is synchronised;
        // freeing it earlier would wait for the device (cuMemFree synchronises).
        unsafe { result::memset_d8_async(to, byte, bytes, stream.handle) }.map_err(named("cuMemsetD8Async"))
    }

    /// Copies from other device memory, in the stream's order.
    pub fn copy_from(&self, stream: &Stream, offset: usize, other: &Self, from: usize, bytes: usize) -> Result<()> {
        let to = self.range("cuMemcpyDtoDAsync", offset, bytes)?;
        let from = other.range("cuMemcpyDtoDAsync", from, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: as for `fill`, for both ranges.
        unsafe { result::memcpy_dtod_async(to, from, bytes, stream.handle) }.map_err(named("cuMemcpyDtoDAsync"))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed once. After a fault the driver refuses; nothing can be done then.
        let _ = unsafe { result::free_sync(self.address) };
    }
}

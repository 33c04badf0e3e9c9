//! What `malloc` and `free` of device code share: one allocation of global memory, [`crate::Limits::heap`] bytes, which
//! lives as long as the device.
//!
//! Freed memory is handed out again only when the rest is used up, so that most uses after `free` touch memory that is
//! nobody else's.

use std::collections::BTreeMap;

/// Alignment of what `malloc` returns.
const ALIGN: u64 = 16;

/// Blocks by address.
#[derive(Debug, Default)]
pub struct Heap {
    next: u64,
    end: u64,
    live: BTreeMap<u64, u64>,
    free: BTreeMap<u64, u64>,
}

impl Heap {
    /// A heap of `size` bytes at an address.
    pub fn new(base: u64, size: u64) -> Self {
        Self { next: base, end: base + size, ..Self::default() }
    }

    /// `malloc`: the address, 0 if there is no room or nothing was asked for.
    pub fn allocate(&mut self, size: u64) -> u64 {
        let Some(bytes) = size.checked_next_multiple_of(ALIGN).filter(|bytes| *bytes > 0) else { return 0 };
        let address = if bytes <= self.end - self.next {
            let address = self.next;
            self.next += bytes;
            address
        } else {
            let Some((&address, &room)) = self.free.iter().find(|(_, room)| **room >= bytes) else { return 0 };
            self.free.remove(&address);
            if room > bytes {
                self.free.insert(address + bytes, room - bytes);
            }
            address
        };
        self.live.insert(address, bytes);
        address
    }

    /// `free`: false if `malloc` did not return this address, or it was freed since. Nothing happens at 0.
    pub fn release(&mut self, address: u64) -> bool {
        if address == 0 {
            return true;
        }
        let Some(mut bytes) = self.live.remove(&address) else { return false };
        let mut start = address;
        if let Some(after) = self.free.remove(&(address + bytes)) {
            bytes += after;
        }
        if let Some((&before, &room)) = self.free.range(..address).next_back()
            && before + room == address
        {
            start = before;
            bytes += room;
        }
        self.free.insert(start, bytes);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Heap;

    #[test]
    fn blocks_do_not_overlap_and_come_back() {
        let mut heap = Heap::new(4096, 64);
        let (a, b) = (heap.allocate(1), heap.allocate(30));
        assert_eq!((a, b), (4096, 4112));
        assert_eq!(heap.allocate(17), 0, "no room");
        assert_eq!(heap.allocate(0), 0);
        assert_eq!(heap.allocate(u64::MAX), 0);
        assert!(heap.release(a) && !heap.release(a) && !heap.release(b + 16) && heap.release(0));
        assert_eq!(heap.allocate(16), 4144, "what was never used comes first");
        assert!(heap.release(b));
        assert_eq!(heap.allocate(48), 4096, "neighbours are joined");
    }
}

//! Who took a lock: the last thread that changed a word by an atomic with a result.

/// Words remembered; of two with the same place the later stays.
const WORDS: usize = 256;

/// The last writers by address.
#[derive(Debug, Default)]
pub struct Writers {
    table: Vec<Option<Writer>>,
    /// The warp that changed one last, and which of its lanes did since somebody asked.
    fresh: (u64, u32, u32),
}

/// A change of a word.
#[derive(Debug, Clone, Copy)]
pub struct Writer {
    address: u64,
    /// Slot of the block, for shared memory.
    slot: Option<u32>,
    /// Linear block index.
    pub block: u64,
    /// Warp of the block.
    pub warp: u32,
    /// Lane of the warp.
    pub lane: u32,
    /// The operation.
    pub pc: u32,
}

impl Writer {
    /// A change at an address; of shared memory with the block's slot.
    pub fn new(slot: Option<u32>, address: u64, block: u64, (warp, lane): (u32, u32), pc: u32) -> Self {
        Self { address, slot, block, warp, lane, pc }
    }
}

impl Writers {
    fn place(slot: Option<u32>, address: u64) -> usize {
        let key = address >> 2 ^ slot.map_or(0, |slot| u64::from(slot) + 1).wrapping_mul(0x9e37_79b9);
        key as usize % WORDS
    }

    /// Remembers a change.
    pub fn note(&mut self, writer: Writer) {
        if self.table.is_empty() {
            self.table.resize(WORDS, None);
        }
        self.table[Self::place(writer.slot, writer.address)] = Some(writer);
        let (block, warp, lanes) = self.fresh;
        let before = if (block, warp) == (writer.block, writer.warp) { lanes } else { 0 };
        self.fresh = (writer.block, writer.warp, before | 1 << writer.lane);
    }

    /// Which of these lanes have changed a word since this was asked last, with nobody of another warp after them.
    pub fn taken(&mut self, by: (u64, u32), lanes: u32) -> u32 {
        let (block, warp, changed) = self.fresh;
        let taken = if (block, warp) == by { changed & lanes } else { 0 };
        self.fresh.2 &= !taken;
        taken
    }

    /// Who changed that word last, if it is still known.
    pub fn last(&self, slot: Option<u32>, address: u64) -> Option<&Writer> {
        let found = self.table.get(Self::place(slot, address))?.as_ref()?;
        (found.address == address && found.slot == slot).then_some(found)
    }
}

//! What comes from memory and what goes there, of a whole launch.

use super::work::SECTOR;
use crate::device::Device;
use crate::facts::{Facts, LaunchFacts, Start};
use simulator::locality::Touch;

/// Bytes of a launch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dram {
    read: f64,
    /// Those of them in sectors whose neighbour the block does not read.
    scattered: f64,
    written: f64,
    /// Those of them that leave the L2 cache in no order.
    scattered_written: f64,
    /// Share of what is asked for that comes from memory.
    pub(super) share: f64,
}

impl Dram {
    /// In microseconds.
    pub(super) fn us(&self, device: &Device) -> f64 {
        let memory = &device.memory;
        let side_by_side = (self.read - self.scattered) / memory.read_gb_per_s
            + (self.written - self.scattered_written).max(0.0) / memory.write_gb_per_s;
        let rows =
            self.scattered / memory.scattered_sectors_per_ns + self.scattered_written / memory.scattered_stores_per_ns;
        (side_by_side + rows / SECTOR) / 1e3
    }

    pub(super) fn of(facts: &Facts, launch: &LaunchFacts, device: &Device) -> Self {
        let (locality, counters, l2) = (&launch.locality, &launch.counters, device.memory.l2_bytes);
        let ran = launch.ran.max(1) as f64;
        let all_bytes: u64 = facts.memory.iter().map(|memory| memory.bytes).sum();
        let stays = facts.start == Start::Warm && (all_bytes as f64) < l2;
        let unseen = unseen(launch);
        let sectors: u64 = locality.written.iter().map(|touch| touch.sectors).sum();
        // The block that was traced may do more than others: what it stores is as much as it asks for in sectors.
        let traced = locality.store_sectors as f64 / counters.global_store_sectors.max(1) as f64;
        let blocks = if locality.store_sectors > 0 { traced } else { 1.0 / (ran * unseen) };
        let stores =
            counters.global_store_bytes as f64 * blocks + (WORD * counters.global_atomics) as f64 / (ran * unseen);
        let whole = stores >= WHOLE * SECTOR * sectors as f64;
        let mut all = Self::default();
        let mut hit = 0.0;
        for (at, memory) in facts.memory.iter().enumerate() {
            let bytes = memory.bytes as f64;
            let touch = |all: &[Touch]| scaled(all.get(at).copied().unwrap_or_default(), unseen);
            let (read, written) = (touch(&locality.read), touch(&locality.written));
            let (fetched, again) = fetched(&read, launch, bytes, device);
            hit += again;
            if facts.start == Start::Warm && memory.input && bytes < l2 {
                hit += fetched;
            } else {
                all.read += fetched;
                all.scattered += fetched * apart(&read);
            }
            if !stays {
                all.written += touched_once(&written, launch, launch.blocks, bytes);
                if !whole {
                    all.incomplete([&read, &written], launch, bytes, device);
                }
            }
        }
        all.share = all.read / (all.read + hit).max(1.0);
        all
    }

    /// Sectors of which a block writes a part, and its neighbours no other one: they leave the L2 cache as they are, but for as much of the
    /// buffer as it has room for, and memory has to be read for the rest of them, if the block has not read them anyway. Whoever writes
    /// another part later has them come and leave once more.
    fn incomplete(&mut self, [read, written]: [&Touch; 2], launch: &LaunchFacts, bytes: f64, device: &Device) {
        let (own, fresh) = own_and_fresh(written, launch);
        if fresh < WHOLE * own {
            return;
        }
        let visits = visited(written, launch, launch.blocks);
        let gone = 1.0 - held(visits.min(bytes), device);
        let unread = 1.0 - (read.sectors as f64 / written.sectors.max(1) as f64).min(1.0);
        let (left, scattered) = (visits * gone, apart(written));
        self.read += left * unread;
        self.scattered += left * unread * scattered;
        self.written += (visits - bytes).max(0.0) * gone;
        self.scattered_written += left * scattered;
    }
}

/// Bytes of an atomic.
const WORD: u64 = 4;

/// Share of a sector that counts as all of it.
const WHOLE: f64 = 0.75;

/// How often as much as the trace of a block has seen it touches: one that ended early has seen a part.
pub(super) fn unseen(launch: &LaunchFacts) -> f64 {
    let counters = &launch.counters;
    let asked = (counters.global_load_sectors + counters.local_load_sectors) as f64 / launch.ran.max(1) as f64;
    launch.locality.unseen(asked)
}

pub(super) fn scaled(touch: Touch, times: f64) -> Touch {
    let more = |count: u64| (count as f64 * times) as u64;
    let [sectors, pairs, second, new] = [touch.sectors, touch.pairs, touch.second, touch.new].map(more);
    Touch { sectors, pairs, second, new, ..touch }
}

/// The share of a block's sectors whose neighbour (memory moves two at once) it does not touch.
fn apart(touch: &Touch) -> f64 {
    if touch.sectors == 0 { 0.0 } else { (2 * touch.pairs).saturating_sub(touch.sectors) as f64 / touch.sectors as f64 }
}

/// Bytes of a buffer that a block touches, and those of them that no block before it did: what its neighbour does not share with it, or
/// as fast as blocks far apart go through the buffer. Neighbours may well write the same sector, and all of them the whole buffer.
fn own_and_fresh(touch: &Touch, launch: &LaunchFacts) -> (f64, f64) {
    let own = touch.sectors as f64 * SECTOR;
    let beside = if touch.second > 0 { own * touch.new as f64 / touch.second as f64 } else { own };
    let away = touch.away as f64 * SECTOR / launch.locality.away.max(1) as f64;
    (own, beside.max(away.min(own)))
}

/// Bytes of a buffer that so many blocks touch, once for neighbours and again for blocks far apart.
fn visited(touch: &Touch, launch: &LaunchFacts, blocks: u64) -> f64 {
    let (own, fresh) = own_and_fresh(touch, launch);
    own + fresh * (blocks as f64 - 1.0)
}

/// Bytes of a buffer that so many blocks touch, each once.
pub(super) fn touched_once(touch: &Touch, launch: &LaunchFacts, blocks: u64, bytes: f64) -> f64 {
    visited(touch, launch, blocks).min(bytes)
}

/// Bytes from memory, and bytes that are asked for again and lie in the L2 cache.
fn fetched(touch: &Touch, launch: &LaunchFacts, bytes: f64, device: &Device) -> (f64, f64) {
    // What neighbours do not share, and what is more than the buffer has, others have fetched before; it is still there in part.
    let apart = visited(touch, launch, launch.blocks);
    let once = apart.min(bytes);
    let read = once + (apart - once) * (1.0 - kept(touch, launch, bytes, device));
    let asked = touch.sectors as f64 * SECTOR * launch.blocks as f64;
    (read, (asked - read).max(0.0))
}

/// The share of what the L2 cache still has of so many bytes when they are wanted again, by another multiprocessor. Where blocks go through
/// a buffer once, from its beginning to its end, that is soon: what lies between the ends of what one of them touches is all that has come since.
fn kept(touch: &Touch, launch: &LaunchFacts, bytes: f64, device: &Device) -> f64 {
    let step = touch.away as f64 * SECTOR / launch.locality.away.max(1) as f64;
    let way = step * launch.blocks as f64;
    let once = launch.locality.away > 0 && (ONCE.0 * bytes..ONCE.1 * bytes).contains(&way);
    let window = if once { (touch.span as f64 * SECTOR).min(bytes) } else { bytes };
    held(window, device)
}

/// The share of so many bytes for which the L2 cache has room, whichever multiprocessor wants them.
fn held(bytes: f64, device: &Device) -> f64 {
    (device.memory.l2_shared_bytes / bytes.max(1.0)).min(1.0)
}

/// How far blocks come that go through a buffer once, in buffers.
const ONCE: (f64, f64) = (0.8, 1.25);

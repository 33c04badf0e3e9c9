//! Streams: sectors that are read and written, whole and in parts.

use crate::made::{bar, scattering, streaming, us};
use model::{Bound, Device, Facts, model};

/// A block that is traced and does more than others do on average writes whole sectors all the same.
#[test]
fn a_block_with_more_to_do_than_others_leaves_no_sector_incomplete() {
    let even = streaming(256, 1 << 16);
    let mut uneven = even.clone();
    let launch = &mut uneven.launches[0];
    // Four blocks have run, the traced one with 256 sectors, the others with 128.
    (launch.ran, launch.counters.warps) = (4, 32);
    let sectors = 256 + 3 * 128;
    (launch.counters.global_load_sectors, launch.counters.global_load_requests) = (sectors, sectors / 4);
    (launch.counters.global_store_sectors, launch.counters.global_store_bytes) = (sectors, 32 * sectors);
    launch.locality.store_sectors = 256;
    assert!(us(&uneven) <= us(&even) * 1.01, "{} and {}", us(&uneven), us(&even));
}

#[test]
fn a_stream_is_bound_by_memory_and_little_occupancy_by_latency() {
    let device = Device::h200().unwrap();
    let full = model(&streaming(64, 1 << 19), &device);
    assert_eq!(full.bound, Bound::Dram, "{full:?}");
    let bytes = 2.0 * 64.0 * 32.0 * f64::from(1 << 19);
    let rate = bytes / full.us / 1e3;
    assert!((3500.0..4300.0).contains(&rate), "{rate} GB/s");
    let mut lone = streaming(64, 1 << 15);
    lone.launches[0].resident = 1;
    let lone = model(&lone, &device);
    assert_eq!(lone.bound, Bound::Latency, "{lone:?}");
}

#[test]
fn parts_of_sectors_cost_as_much_as_whole_ones_and_leave_together_where_they_follow() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 256;
    let l2 = |facts: &Facts| bar(facts, Bound::L2, &device);
    let all = l2(&scattering(8, blocks));
    let expected = 8.0 * 256.0 * blocks as f64 / device.memory.partial_sectors_per_ns[2] / 1e3;
    assert!((all / expected - 1.0).abs() < 0.01, "{all} us, by hand {expected}");
    // A sector of a line at a time is worse.
    let mut single = scattering(8, blocks);
    single.launches[0].locality.store_lines = 256 * 8;
    let [one, _, four] = device.memory.partial_sectors_per_ns;
    assert!((l2(&single) / all - four / one).abs() < 0.01, "{} {all}", l2(&single));
    // Of seven that follow another one, in four lines.
    let mut following = scattering(8, blocks);
    following.launches[0].locality.joined[0] = 7 * 256;
    let left = 1.0 - 7.0 / 8.0 * device.memory.joins[0];
    assert!((l2(&following) / all - left).abs() < 0.01, "{} {all}", l2(&following));
}

#[test]
fn sectors_that_stay_incomplete_are_read_before_they_are_written() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 2048;
    let dram = |facts: &Facts| bar(facts, Bound::Dram, &device);
    let whole = dram(&scattering(8, blocks));
    // One word of each sector, and nobody writes another one: as much again is read.
    let mut part = scattering(1, blocks);
    part.memory[1].bytes = 32 * 256 * blocks;
    let more = 32.0 * 256.0 * blocks as f64 / device.memory.read_gb_per_s / 1e3;
    let kept = device.memory.l2_shared_bytes / (32.0 * 256.0 * blocks as f64);
    let expected = whole + more * (1.0 - kept);
    assert!((dram(&part) / expected - 1.0).abs() < 0.01, "{} us, by hand {expected}", dram(&part));
    // Who reads them first has their rest.
    let mut update = part.clone();
    update.launches[0].locality.read.swap(0, 1);
    update.launches[0].locality.read[1] = update.launches[0].locality.written[1];
    assert!(dram(&update) < dram(&part), "{} {}", dram(&update), dram(&part));
    // All blocks come back to the same eighth of it: what has left comes once more.
    let mut again = scattering(1, blocks);
    let eighth = 4.0 * 256.0 * blocks as f64;
    again.memory[1].bytes = 4 * 256 * blocks;
    let gone = 1.0 - device.memory.l2_shared_bytes / eighth;
    let expected = (32.0 * 256.0 * blocks as f64 * (1.0 + gone)) / device.memory.read_gb_per_s / 1e3
        + (eighth + 7.0 * eighth * gone) / device.memory.write_gb_per_s / 1e3;
    assert!((dram(&again) / expected - 1.0).abs() < 0.01, "{} us, by hand {expected}", dram(&again));
    // In the L2 cache all of it waits for the others.
    again.memory[1].bytes = 30 << 20;
    assert!(dram(&again) < whole, "{} {whole}", dram(&again));
}

#[test]
fn what_is_read_again_soon_is_still_there() {
    let device = Device::h200().unwrap();
    let blocks = 132 * 256;
    let mut facts = streaming(256, blocks);
    facts.memory[0].bytes = 256 * blocks * 8;
    let anywhere = bar(&facts, Bound::Dram, &device);
    // Each block reads four times what is new for it, in a window that moves with the blocks.
    let launch = &mut facts.launches[0];
    launch.locality.away = 100;
    (launch.locality.read[0].away, launch.locality.read[0].span) = (100 * 64, 4096);
    let near = bar(&facts, Bound::Dram, &device);
    let again = 32.0 * 256.0 * blocks as f64 - facts.memory[0].bytes as f64;
    let gone = 1.0 - device.memory.l2_shared_bytes / facts.memory[0].bytes as f64;
    let expected = again * gone / device.memory.read_gb_per_s / 1e3;
    assert!(((anywhere - near) / expected - 1.0).abs() < 0.01, "{anywhere} and {near} us, by hand {expected}");
    // From where to where one block reads is more than the cache has.
    facts.launches[0].locality.read[0].span = 1 << 30;
    assert!((bar(&facts, Bound::Dram, &device) - anywhere).abs() < 1e-6);
}

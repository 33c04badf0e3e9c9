//! A few blocks of a huge grid, over memory that exists only where it is touched; and what a machine looks like.

use simulator::{Arg, Checks, Config, Device, Launch, LaunchStatus, Module, Touched};
use std::collections::HashSet;
use std::sync::Arc;

/// `y[i] = x[i] + 1` in blocks of 64, a thread an element; one word of `z` counts the blocks.
const ADD: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 z)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.u64 %rd7, [z];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    mov.u32 %r7, %ntid.x;
    mad.wide.u32 %rd3, %r1, %r7, 0;
    cvt.u64.u32 %rd4, %r2;
    add.s64 %rd3, %rd3, %rd4;
    shl.b64 %rd3, %rd3, 2;
    add.s64 %rd5, %rd1, %rd3;
    add.s64 %rd6, %rd2, %rd3;
    ld.global.u32 %r3, [%rd5];
    add.u32 %r4, %r3, 1;
    st.global.u32 [%rd6], %r4;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra done;
    atom.global.add.u32 %r5, [%rd7], 1;
done:
    ret;
}";

#[test]
fn some_blocks_of_a_grid_that_no_machine_could_hold() {
    let module = Arc::new(Module::parse(ADD).unwrap());
    let blocks = 1u64 << 31;
    let (blocks, last) = (blocks - 1, blocks - 2);
    let bytes = blocks * 64 * 4;
    let config = Config { blocks: Some(vec![0, 1_000_000_007, last]), ..Config::default() };
    let mut device = Device::new(module, config);
    let x = device
        .alloc_sparse(
            "x",
            bytes,
            Arc::new(|offset, bytes: &mut [u8]| {
                for (word, place) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    *place = ((offset / 4) as u32).wrapping_add(word as u32).to_le_bytes();
                }
            }),
            true,
        )
        .unwrap();
    let y = device.alloc_sparse("y", bytes, Arc::new(|_, bytes: &mut [u8]| bytes.fill(0xff)), false).unwrap();
    let z = device.alloc_sparse("z", 4, Arc::new(|_, _: &mut [u8]| ()), false).unwrap();
    let launch = Launch {
        kernel: "add".into(),
        grid: [blocks as u32, 1, 1],
        block: [64, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(x), Arg::Pointer(y), Arg::Pointer(z)],
        cooperative: false,
    };
    assert_eq!(device.launch(&launch).unwrap().status, LaunchStatus::Finished);
    let at = |block: u64| (block * 256, block * 256 + 256);
    let (read, written) = (device.touched(x).unwrap(), device.touched(y).unwrap());
    assert_eq!(read.read, [at(0), at(1_000_000_007), at(last)]);
    assert_eq!(written.written, read.read);
    assert!(!read.unknown && !written.unknown);
    let added = device.touched(z).unwrap();
    assert!(
        added.changed && !added.unknown,
        "an atomic without a result: nobody knows what is there, and nobody has looked"
    );
    let mut element = [0; 4];
    let index = 1_000_000_007 * 64 + 5;
    device.read(y + index * 4, &mut element).unwrap();
    assert_eq!(u32::from_le_bytes(element), (index as u32).wrapping_add(1));
    assert_eq!(device.bytes_touched(y), Some((0, written.written_bytes)));
    device.rewind();
    assert!([x, y, z].into_iter().all(|address| device.touched(address).unwrap() == Touched::default()));
    // One element beyond the last is still out of bounds.
    let launch = Launch { grid: [blocks as u32, 1, 1], block: [65, 1, 1], ..launch };
    assert_eq!(device.launch(&launch).unwrap().status, LaunchStatus::Stopped);
}

/// Writes what it sees of the machine.
const LOOK: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry look(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<10>;
    .shared .b32 held;
    .local .b32 own;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %smid;
    st.global.u32 [%rd1], %r1;
    mov.u32 %r2, %warpid;
    st.global.u32 [%rd1+4], %r2;
    mov.u64 %rd2, %clock64;
    st.global.u64 [%rd1+8], %rd2;
    mov.u64 %rd3, %globaltimer;
    st.global.u64 [%rd1+16], %rd3;
    mov.u64 %rd4, %gridid;
    st.global.u64 [%rd1+24], %rd4;
    st.global.u64 [%rd1+32], %rd1;
    mov.u64 %rd5, %clock64;
    sub.s64 %rd6, %rd5, %rd2;
    st.global.u64 [%rd1+40], %rd6;
    mov.u32 %r3, %nsmid;
    st.global.u32 [%rd1+48], %r3;
    mov.u64 %rd7, held;
    cvta.shared.u64 %rd7, %rd7;
    st.global.u64 [%rd1+56], %rd7;
    mov.u64 %rd8, own;
    cvta.local.u64 %rd8, %rd8;
    st.global.u64 [%rd1+64], %rd8;
    mov.u32 %r4, 5;
    st.u32 [%rd7], %r4;
    st.u32 [%rd8], %r4;
    cvta.to.shared.u64 %rd7, %rd7;
    cvta.to.local.u64 %rd8, %rd8;
    ld.shared.u32 %r5, [%rd7];
    ld.local.u32 %r6, [%rd8];
    add.u32 %r5, %r5, %r6;
    st.global.u32 [%rd1+72], %r5;
    ret;
}";

/// Nothing that a kernel sees is the same on all machines, except what launch lines may rely on; the same number is the same
/// machine, under every check and order.
#[test]
fn every_machine_looks_different() {
    let module = Arc::new(Module::parse(LOOK).unwrap());
    let seen = |machine: u64, checks: Checks| -> Vec<u64> {
        let mut device = Device::new(module.clone(), Config { machine, checks, ..Config::default() });
        let out = device.alloc("out", 80).unwrap();
        device.write(out, &[0; 80]).unwrap();
        let launch = Launch {
            kernel: "look".into(),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            args: vec![Arg::Pointer(out)],
            cooperative: false,
        };
        device.launch(&launch).unwrap();
        let mut bytes = [0; 80];
        device.read(out, &mut bytes).unwrap();
        let (words, doubles) = (bytes.as_chunks::<4>().0, bytes.as_chunks::<8>().0);
        let word = |at: usize| u64::from(u32::from_le_bytes(words[at]));
        let double = |at: usize| u64::from_le_bytes(doubles[at]);
        vec![
            word(0),
            word(1),
            double(1),
            double(2),
            double(3),
            double(4),
            double(5),
            double(7),
            double(8),
            word(12),
            word(18),
        ]
    };
    let all: Vec<Vec<u64>> = (1..40).map(|machine| seen(machine, Checks::NONE)).collect();
    let mut names = vec!["smid", "warpid", "clock", "globaltimer", "gridid", "address", "cycles between two clocks"];
    names.extend(["generic address of shared memory", "generic address of local memory"]);
    for (at, name) in names.iter().enumerate() {
        let values: HashSet<u64> = all.iter().map(|values| values[at]).collect();
        assert!(values.len() >= 8, "{name}: {values:?}");
    }
    assert!(all.iter().all(|values| values[9] == 132 && values[5] % 256 == 0 && values[6] > 0));
    assert!(
        all.iter().all(|values| values[10] == 10),
        "what generic addresses are stored to is where the windows have it"
    );
    assert_eq!(seen(7, Checks::ALL), all[6]);
}

/// Each thread goes round a loop 65,536 times and stores to an element of its own each time, as a block does that shares a large array with few
/// others.
const WALK: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry walk(.param .u64 y)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %rd2, %r1, 4, %rd1;
    mov.u32 %r2, 0;
again:
    st.global.u32 [%rd2], %r2;
    add.s64 %rd2, %rd2, 128;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 65536;
    @%p1 bra again;
    ret;
}";

/// Whether a store changes anything is asked where a loop runs for long. That is nobody's reading what nothing has written.
#[test]
fn a_look_at_memory_is_no_read() {
    let module = Arc::new(Module::parse(WALK).unwrap());
    let config = Config { checks: Checks::NONE, blocks: Some(vec![0]), ..Config::default() };
    let mut device = Device::new(module, config);
    let bytes = 65536 * 128;
    let y = device.alloc_sparse("y", bytes, Arc::new(|_, bytes: &mut [u8]| bytes.fill(0xff)), false).unwrap();
    let launch = Launch {
        kernel: "walk".into(),
        grid: [7, 1, 1],
        block: [32, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(y)],
        cooperative: false,
    };
    assert_eq!(device.launch(&launch).unwrap().status, LaunchStatus::Finished);
    let touched = device.touched(y).unwrap();
    assert_eq!((touched.unknown, touched.written), (false, vec![(0, bytes)]));
    assert!(touched.read.is_empty(), "{:?}", touched.read);
}

/// Blocks of a cooperative launch arrive at the grid's barrier as `grid.sync()` does, and wait for another phase.
const MEET: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry meet(.param .u64 y)
{
    .reg .pred %p<2>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    mov.b64 %rd3, {%r2, %r1};
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r8, 0;
again:
    atom.add.release.gpu.global.u32 %r4, [%rd3+4], 1;
wait:
    ld.acquire.gpu.global.u32 %r5, [%rd3+4];
    xor.b32 %r6, %r4, %r5;
    setp.ge.s32 %p1, %r6, 0;
    @%p1 bra wait;
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 3;
    @%p1 bra again;
    mad.wide.u32 %rd2, %r3, 4, %rd1;
    st.global.u32 [%rd2], %r8;
    ret;
}";

#[test]
fn some_blocks_of_a_cooperative_grid_find_the_others_at_its_barrier() {
    let module = Arc::new(Module::parse(MEET).unwrap());
    let config = Config { checks: Checks::NONE, blocks: Some(vec![0, 5, 6]), ..Config::default() };
    let mut device = Device::new(module, config);
    let y = device.alloc_sparse("y", 400, Arc::new(|_, bytes: &mut [u8]| bytes.fill(0xff)), false).unwrap();
    let launch = Launch {
        kernel: "meet".into(),
        grid: [100, 1, 1],
        block: [1, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(y)],
        cooperative: true,
    };
    assert_eq!(device.launch(&launch).unwrap().status, LaunchStatus::Finished);
    assert_eq!(device.touched(y).unwrap().written, [(0, 4), (20, 28)]);
    let mut element = [0; 4];
    device.read(y + 20, &mut element).unwrap();
    assert_eq!(u32::from_le_bytes(element), 3, "as often as they meet");
}

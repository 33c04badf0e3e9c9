//! A kernel for the examples: threads of two warps hand a value to their neighbour through shared memory. The barrier between the write and
//! the read is missing in one version.

use simulator::{Arg, Config, Device, Launch, LaunchReport, Module};
use std::sync::Arc;

/// `out[i] = i + 1`'s double, by way of shared memory; with or without `bar.sync`.
pub fn neighbour(barrier: bool) -> String {
    let barrier = if barrier { "bar.sync 0;" } else { "" };
    format!(
        ".version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b8 tile[256];
.visible .entry neighbour(.param .u64 out) {{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 1;            // twice the thread's number
    mov.u32 %r3, tile;
    mad.lo.s32 %r4, %r1, 4, %r3;
    st.shared.u32 [%r4], %r2;
    {barrier}
    add.s32 %r5, %r1, 1;
    and.b32 %r5, %r5, 63;           // the neighbour, around the block
    mad.lo.s32 %r6, %r5, 4, %r3;
    ld.shared.u32 %r7, [%r6];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r7;
    ret;
}}
"
    )
}

/// One block of 64 threads: its report, and what it left in memory.
pub fn run(ptx: &str, config: Config) -> Result<(LaunchReport, Vec<u32>), Box<dyn std::error::Error>> {
    let mut device = Device::new(Arc::new(Module::parse(ptx)?), config);
    let out = device.alloc("out", 4 * 64)?;
    let report = device.launch(&Launch {
        kernel: "neighbour".into(),
        grid: [1, 1, 1],
        block: [64, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(out)],
        cooperative: false,
    })?;
    let mut bytes = [0; 4 * 64];
    device.read(out, &mut bytes)?;
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    Ok((report, words))
}

//! Random whole programs: integers and floats of every width, divergent branches, loops, switches, calls, recursion,
//! function pointers, local arrays, vectors, shared memory between barriers, shuffles, votes, atomics.
//!
//! Deterministic by construction: shared memory is written and read on opposite sides of a barrier, collective operations
//! name lanes that come, every loop counts down, atomics whose order could show have results that nobody reads, and a NaN
//! loses its bits before it becomes an integer. A program has minima of one signedness only: ptxas 13.0 takes
//! `min.s32 t, x, y; max.u32 d, t, y` for `mov d, y`.

mod arithmetic;
mod control;
mod functions;
mod memory;
mod together;
mod writer;

use super::inputs::{Random, hash};
use super::kernel::{Keep, Kernel};
use std::fmt::Write;
use writer::{Place, Writer};

/// Programs in the set.
pub const PROGRAMS: u64 = 2400;
/// Threads of the kernels of [`kernel`].
pub const THREADS: u32 = 96;
/// Words after the threads' own, for atomics of the whole grid.
const COUNTERS: u32 = 8;

/// A kernel of two 32-bit inputs and one 32-bit output a thread.
pub fn kernel(name: String, ptx: String) -> Kernel {
    Kernel {
        inputs: words(&name, 2 * THREADS),
        name,
        ptx,
        blocks: 1,
        threads: THREADS,
        outputs: 4 * THREADS as usize,
        keep: Keep::Whole,
    }
}

fn words(name: &str, count: u32) -> Vec<u8> {
    let mut random = Random(hash(name.as_bytes()));
    (0..count).flat_map(|_| (random.bits() as u32).to_le_bytes()).collect()
}

/// All programs.
pub fn all() -> impl Iterator<Item = Kernel> {
    (0..PROGRAMS).map(generate)
}

/// The program of a seed.
pub fn generate(seed: u64) -> Kernel {
    let name = format!("program{seed:04}");
    let mut random = Random(seed ^ 0x5eed_0001);
    let (blocks, threads) = (1 + random.below(2) as u32, 32 * (1 + random.below(3) as u32));
    let mut w = Writer::new(random, Place::Kernel);
    w.functions = functions::choose(&mut w.random);
    for _ in 0..3 + w.random.below(4) {
        let length = 2 + w.random.below(6);
        w.block(length);
        w.together();
    }
    let Writer { random, text: body, functions, signed, .. } = w;
    let device = functions::write(random, &functions, signed);
    let fold = writer::fold();
    let ptx = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n{device}\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n{}\
         .reg .b64 from, to, sums;\n.reg .b32 slot, base, tid, index, threads;\n\
         .shared .align 16 .b8 words[{}];\n.local .align 16 .b8 own[64];\n\
         ld.param.u64 from, [in];\nld.param.u64 to, [out];\n\
         cvta.to.global.u64 from, from;\ncvta.to.global.u64 to, to;\n\
         mov.u32 tid, %tid.x;\nmov.u32 lane, %laneid;\nmov.u32 threads, %ntid.x;\nmov.u32 t, %ctaid.x;\n\
         mad.lo.u32 index, t, threads, tid;\n\
         mov.u32 base, words;\nshl.b32 t, tid, 2;\nadd.u32 slot, base, t;\n\
         add.u64 sums, to, {};\n\
         mad.wide.u32 from, index, 8, from;\nmad.wide.u32 to, index, 4, to;\n\
         ld.global.u32 r0, [from];\nld.global.u32 r1, [from+4];\n{}{body}{fold}\
         st.global.u32 [to], r0;\nret;\n}}\n",
        writer::declarations(),
        threads * 16,
        blocks * threads * 4,
        writer::start("index"),
    );
    let count = blocks * threads;
    Kernel {
        inputs: words(&name, 2 * count),
        name,
        ptx,
        blocks,
        threads,
        outputs: 4 * (count + COUNTERS) as usize,
        keep: Keep::Digest,
    }
}

/// Registers into `r0`, what every program and function ends with, as lines.
fn mix(into: &mut String, register: &str) {
    let _ = writeln!(into, "mad.lo.u32 r0, r0, 0x9e3779b1, {register};");
}

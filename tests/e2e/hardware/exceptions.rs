//! Where the simulator and the GPU count differently for a reason.

/// Versions, their counters that differ, and why.
struct Exception {
    versions: &'static [&'static str],
    counters: &'static [&'static str],
    why: &'static str,
}

const ONCE: &str = "the profiler counts the bytes of a word once for all lanes that read it, the simulator once a lane";

/// An exception that is not needed fails the test.
const EXCEPTIONS: &[Exception] = &[
    Exception {
        versions: &[
            "atomics/solution",
            "ex94/baseline",
            "ex95/baseline",
            "ex95/solution",
            "single-pass/baseline",
            "single-pass/solution",
        ],
        counters: &["shared_load_requests", "shared_load_wavefronts", "shared_load_bytes"],
        why: "the assembler merges the loads of the warps' partial sums into LDS.128",
    },
    Exception {
        versions: &["reduction/full-unroll"],
        counters: &["shared_load_requests", "shared_load_wavefronts"],
        why: "the assembler merges the last two loads into LDS.64",
    },
    Exception {
        versions: &[
            "reduction/ticket",
            "reduction/best",
            "ex94/solution",
            "ex42/solution",
            "ex63/solution",
            "ex75/baseline",
            "ex75/solution",
            "ex76/baseline",
            "ex76/solution",
            "lifetimes/baseline",
            "lifetimes/solution",
            "sgemm/sweep",
        ],
        counters: &["shared_load_bytes"],
        why: ONCE,
    },
    Exception {
        versions: &[
            "coefficients/baseline",
            "ex95/baseline",
            "cures/sweep",
            "early-loads/sweep",
            "ex11/baseline",
            "ex11/solution",
            "ex13/baseline",
            "ex13/solution",
            "ex14/baseline",
            "ex14/solution",
            "ex22/baseline",
            "ex22/solution",
            "ex24/baseline",
            "ex24/solution",
            "ex41/baseline",
            "ex41/solution",
            "ex73/baseline",
            "ex73/solution",
            "interleaving/sweep",
            "lifetimes/baseline",
            "lifetimes/solution",
            "opcodes/baseline",
            "opcodes/solution",
            "survivors/baseline",
            "survivors/solution",
        ],
        counters: &["global_load_bytes"],
        why: ONCE,
    },
    Exception {
        versions: &["few-long/sweep"],
        counters: &["shared_load_requests", "shared_load_wavefronts", "shared_load_bytes"],
        why: "the assembler merges the loads of the warps' counts into LDS.128",
    },
    Exception {
        versions: &["sorting/sweep", "trip-counts/solution"],
        counters: &["shared_load_requests", "shared_load_wavefronts", "shared_load_bytes", "shared_store_requests"],
        why: "the assembler merges loads and stores of two counts side by side into LDS.64 and STS.64",
    },
    Exception {
        versions: &["spills/baseline", "register-budget/sweep"],
        counters: &["local_loads", "local_stores"],
        why: "what the assembler spills is not in the PTX",
    },
    Exception {
        versions: &["ex33/baseline"],
        counters: &["local_loads", "local_stores"],
        why: "the assembler keeps a part of the array in registers",
    },
    Exception {
        versions: &["ex32/baseline"],
        counters: &["local_loads", "local_stores", "global_store_requests", "global_store_sectors"],
        why: "in the machine code a call keeps registers in local memory, and lanes that come back from it at different times store at different times",
    },
    Exception {
        versions: &["targets/sweep"],
        counters: &["global_load_bytes", "shared_load_bytes", "local_loads", "local_stores"],
        why: "the assembler leaves out most loads of the objects and their tables; why it counts bytes of shared memory is not found",
    },
    Exception {
        versions: &["ex85/baseline"],
        counters: &["divergent_branches"],
        why: "a root has a branch of its own in the machine code",
    },
    Exception {
        versions: &[
            "atomics/baseline",
            "atomics/solution",
            "reduction/atomic",
            "reduction/block-atomic",
            "ex82/baseline",
            "vector-red/baseline",
            "vector-red/solution",
        ],
        counters: &["flops_fp32"],
        why: "an atomic add is a flop here; the GPU adds in its L2 cache, which is no instruction",
    },
    Exception {
        versions: &[
            "ex61/solution",
            "ex62/solution",
            "ex82/solution",
            "ex84/baseline",
            "ex84/solution",
            "shuffle/solution",
            "which-tree/solution",
            "ex12/baseline",
            "ex23/solution",
            "sum-loads/sweep",
        ],
        counters: &["flops_fp32"],
        why: "the assembler makes an operation whose result only some lanes use a predicated one",
    },
    Exception {
        versions: &[
            "fuse/baseline",
            "fuse/solution",
            "ex85/baseline",
            "ex85/solution",
            "ex95/baseline",
            "ex95/solution",
            "ex63/solution",
            "ex78/baseline",
            "intrinsics/baseline",
            "intrinsics/solution",
        ],
        counters: &["flops_fp32"],
        why: "divisions, roots, exponentials and sines become multiplications and additions in the machine's code",
    },
];

/// Why a version's counter may differ.
pub fn exception(version: &str, counter: &str) -> Option<&'static str> {
    let excepted = |known: &&Exception| known.versions.contains(&version) && known.counters.contains(&counter);
    EXCEPTIONS.iter().find(excepted).map(|known| known.why)
}

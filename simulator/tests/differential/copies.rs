//! Bulk copies between global and shared memory, with and without arithmetic, waited for by `mbarrier` and by groups.

use super::kernel::Kernel;
use super::programs::{self, THREADS};

/// Bytes of the inputs.
const IN: u32 = 8 * THREADS;
/// Bytes of the outputs.
const OUT: u32 = 4 * THREADS;

/// All kernels.
pub fn all() -> Vec<Kernel> {
    let mut kernels = vec![load_and_store()];
    for (what, bytes) in [
        ("add.u32", 4),
        ("min.s32", 4),
        ("max.u32", 4),
        ("xor.b32", 4),
        ("and.b32", 4),
        ("or.b64", 8),
        ("inc.u32", 4),
        ("dec.u32", 4),
        ("add.u64", 8),
        ("min.s64", 8),
        ("max.u64", 8),
        ("add.noftz.f16", 2),
        ("add.noftz.bf16", 2),
        ("min.f16", 2),
        ("max.bf16", 2),
    ] {
        kernels.push(reduce(what, bytes));
    }
    kernels
}

fn kernel(name: &str, body: &str) -> Kernel {
    let ptx = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b64 from, to, x;\n.reg .b32 t, u, tid, base, bar, slot;\n.reg .pred p, first;\n\
         .shared .align 128 .b8 words[{}];\n.shared .align 8 .b64 barrier;\n\
         ld.param.u64 from, [in];\nld.param.u64 to, [out];\n\
         cvta.to.global.u64 from, from;\ncvta.to.global.u64 to, to;\n\
         mov.u32 tid, %tid.x;\nmov.u32 base, words;\nmov.u32 bar, barrier;\nsetp.eq.u32 first, tid, 0;\n\
         shl.b32 t, tid, 2;\nadd.u32 slot, base, t;\n{body}ret;\n}}\n",
        IN + OUT
    );
    programs::kernel(name.into(), ptx)
}

/// All inputs to shared memory, combined there, and back to global memory.
fn load_and_store() -> Kernel {
    let half = IN / 2;
    kernel(
        "bulk.load.store",
        &format!(
            "@first mbarrier.init.shared::cta.b64 [bar], 1;\n@first fence.mbarrier_init.release.cluster;\nbar.sync 0;\n\
             @first mbarrier.arrive.expect_tx.shared::cta.b64 x, [bar], {IN};\n\
             @first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [words], [from], {half}, [bar];\n\
             @first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [words+{half}], [from+{half}], {half}, [bar];\n\
             WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [bar], 0;\n@!p bra WAIT;\n\
             mad.lo.u32 u, tid, 8, base;\nld.shared.u32 t, [u];\nld.shared.u32 u, [u+4];\nxor.b32 t, t, u;\n\
             st.shared.u32 [slot+{IN}], t;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n\
             @first cp.async.bulk.global.shared::cta.bulk_group [to], [words+{IN}], {OUT};\n\
             @first cp.async.bulk.commit_group;\n@first cp.async.bulk.wait_group 0;\n"
        ),
    )
}

/// The first half of the inputs into the outputs, which the second half was put into before.
fn reduce(what: &str, bytes: u32) -> Kernel {
    // Halves are made small and finite, so that NaN has no say.
    let small = if bytes == 2 { "and.b32 t, t, 0xbfffbfff;\nand.b32 u, u, 0xbfffbfff;\n" } else { "" };
    kernel(
        &format!("bulk.reduce.{what}"),
        &format!(
            "mul.wide.u32 x, tid, 8;\nadd.u64 x, from, x;\nld.global.u32 t, [x];\nld.global.u32 u, [x+4];\n{small}\
             st.shared.u32 [slot], t;\nmul.wide.u32 x, tid, 4;\nadd.u64 x, to, x;\nst.global.u32 [x], u;\n\
             fence.proxy.async;\nbar.sync 0;\n\
             @first cp.reduce.async.bulk.global.shared::cta.bulk_group.{what} [to], [words], {OUT};\n\
             @first cp.async.bulk.commit_group;\n@first cp.async.bulk.wait_group 0;\n"
        ),
    )
}

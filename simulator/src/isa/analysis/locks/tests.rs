use super::Unsure;
use crate::Module;

/// What is not known of a kernel's swaps.
fn unsure(body: &str) -> Vec<Unsure> {
    let ptx = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n.reg .pred %p<9>; .reg .b32 \
         %r<20>; .reg .b64 %d<9>; .reg .f32 %f<9>;\nld.param.u64 %d1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r9, 0;\n{body}\nret;\n}}\n"
    );
    Module::parse(&ptx).unwrap().unsure_swaps().into_values().collect()
}

/// How many swaps of a kernel are not known in any way.
fn locks(body: &str) -> usize {
    unsure(body).len()
}

/// `atomicMax` for floats, as the Programming Guide has `atomicAdd` for doubles.
const MAXIMUM: &str = "ld.global.u32 %r2, [%d1];\nAGAIN:\nmov.b32 %f1, %r2;\nmax.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r3, %f2;\n\
                       atom.global.cas.b32 %r4, [%d1], %r2, %r3;\nsetp.ne.s32 %p1, %r2, %r4;\nmov.u32 %r2, %r4;\n@%p1 bra AGAIN;";

#[test]
fn who_tries_again_after_anothers_success_waits_for_nobody() {
    assert_eq!(locks(MAXIMUM), 0);
    // It stops early where there is nothing to do, by a branch of its own or by the same one.
    let early = MAXIMUM.replace("max.f32", "setp.leu.f32 %p2, %f1, 0f3F800000;\n@%p2 bra DONE;\nmax.f32") + "\nDONE:";
    assert_eq!(locks(&early), 0);
    let both = MAXIMUM.replace("@%p1 bra", "setp.lt.s32 %p2, %r2, 7;\nand.pred %p3, %p1, %p2;\n@%p3 bra");
    assert_eq!(locks(&both), 0);
    // The word is read again by a load.
    let loads = "AGAIN:\nld.volatile.global.u32 %r2, [%d1];\nadd.s32 %r3, %r2, 1;\natom.global.cas.b32 %r4, [%d1], %r2, %r3;\n\
                 setp.eq.s32 %p1, %r2, %r4;\n@!%p1 bra AGAIN;";
    assert_eq!(locks(loads), 0);
    // For each of several elements.
    let many = format!(
        "EACH:\nadd.u64 %d1, %d1, 4;\n{MAXIMUM}\nadd.s32 %r9, %r9, 1;\nsetp.lt.s32 %p5, %r9, %r1;\n@%p5 bra EACH;"
    );
    assert_eq!(locks(&many), 0);
}

#[test]
fn exchanges_that_decide_about_no_loop_are_no_locks() {
    assert_eq!(locks("atom.global.exch.b32 %r2, [%d1], 0;\nst.global.u32 [%d1+4], %r2;"), 0);
    let clears = "EACH:\natom.global.exch.b32 %r2, [%d1], 0;\nadd.u64 %d1, %d1, 4;\nadd.s32 %r9, %r9, 1;\nsetp.lt.s32 %p5, %r9, %r1;\n\
                  @%p5 bra EACH;";
    assert_eq!(locks(clears), 0);
    let counts =
        clears.replace("add.u64", "setp.ne.s32 %p1, %r2, 0;\n@%p1 bra SKIP;\nadd.s32 %r5, %r5, 1;\nSKIP:\nadd.u64");
    assert_eq!(locks(&counts), 0);
}

#[test]
fn loops_that_take_a_lock_wait() {
    let spin = "AGAIN:\natom.global.cas.b32 %r2, [%d1], 0, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra AGAIN;";
    assert_eq!(locks(spin), 1, "compare-and-swap");
    assert_eq!(locks(&spin.replace("cas.b32 %r2, [%d1], 0, 1", "exch.b32 %r2, [%d1], 1")), 1, "exchange");
    let done = "AGAIN:\natom.global.cas.b32 %r2, [%d1], 0, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra LATER;\nst.volatile.global.u32 [%d1+4], \
                7;\natom.global.exch.b32 %r3, [%d1], 0;\nmov.u32 %r9, 1;\nLATER:\nsetp.eq.s32 %p2, %r9, 0;\n@%p2 bra AGAIN;";
    assert_eq!(locks(done), 2, "what is held is done in the loop");
    let passed = "AGAIN:\natom.global.cas.b32 %r2, [%d1], 0, 1;\nst.shared.u32 [4], %r2;\nbar.sync 0;\nld.shared.u32 %r3, \
                  [4];\nsetp.ne.s32 %p1, %r3, 0;\n@%p1 bra AGAIN;";
    assert_eq!(locks(passed), 1, "told through memory");
}

/// A lock by what looks like an update.
#[test]
fn locks_in_the_shape_of_an_update_are_locks() {
    let bit = "ld.global.u32 %r2, [%d1];\nAGAIN:\nand.b32 %r5, %r2, -2;\nor.b32 %r3, %r5, 1;\natom.global.cas.b32 %r4, [%d1], %r5, \
               %r3;\nsetp.ne.s32 %p1, %r5, %r4;\nmov.u32 %r2, %r4;\n@%p1 bra AGAIN;";
    assert_eq!(locks(bit), 1, "it expects what is not there");
    let held = MAXIMUM.replace("@%p1 bra", "setp.eq.s32 %p2, %r4, 1;\nor.pred %p3, %p1, %p2;\n@%p3 bra");
    assert_eq!(locks(&held), 1, "success is not enough");
    let outer = format!("LOCK:\n{MAXIMUM}\nsetp.eq.s32 %p4, %r2, 1;\n@%p4 bra LOCK;");
    assert_eq!(locks(&outer), 1, "success is not enough, in a loop of its own");
    let before = "AGAIN:\nld.volatile.global.u32 %r2, [%d1];\nsetp.ne.s32 %p2, %r2, 0;\n@%p2 bra AGAIN;\natom.global.cas.b32 %r4, [%d1], \
                  %r2, 1;\nsetp.ne.s32 %p1, %r2, %r4;\n@%p1 bra AGAIN;";
    assert_eq!(locks(before), 1, "it looks until the lock is free, and tries then");
    let elsewhere = "AGAIN:\nld.global.u32 %r2, [%d1+8];\natom.global.cas.b32 %r4, [%d1], %r2, 1;\nsetp.ne.s32 %p1, %r2, %r4;\n@%p1 bra AGAIN;";
    assert_eq!(locks(elsewhere), 1, "it expects what stands elsewhere");
}

/// What a compare-and-swap compares is a condition that no branch shows.
#[test]
fn compare_and_swaps_that_are_tried_once_may_find_anything() {
    assert_eq!(unsure("atom.global.cas.b32 %r2, [%d1], 7, %r1;\nst.global.u32 [%d1+4], %r2;"), [Unsure::Finds]);
    let each = "EACH:\natom.global.cas.b32 %r2, [%d1], 7, 1;\nadd.u64 %d1, %d1, 4;\nadd.s32 %r9, %r9, 1;\nsetp.lt.s32 %p5, %r9, %r1;\n\
                @%p5 bra EACH;";
    assert_eq!(unsure(each), [Unsure::Finds]);
    let spin = "AGAIN:\natom.global.cas.b32 %r2, [%d1], 0, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 bra AGAIN;";
    assert_eq!(unsure(spin), [Unsure::Waits]);
}

//! Matrix instructions on small whole numbers, where every order of additions gives the same bits: what is compared is
//! which lane holds what.

use super::kernel::Kernel;
use super::programs::{self, THREADS};
use std::fmt::Write;

/// A factor type: its name, and how a random word `t` becomes a word of small numbers of it.
#[derive(Clone, Copy)]
struct Factor {
    name: &'static str,
    bits: u32,
    make: &'static str,
}

const F16: Factor = Factor { name: "f16", bits: 16, make: "and.b32 X, t, 0x00010001;\nmul.lo.u32 X, X, 0x3c00;" };
const BF16: Factor = Factor { name: "bf16", bits: 16, make: "and.b32 X, t, 0x00010001;\nmul.lo.u32 X, X, 0x3f80;" };
const TF32: Factor = Factor { name: "tf32", bits: 32, make: "and.b32 X, t, 7;\ncvt.rn.f32.u32 f, X;\nmov.b32 X, f;" };
const F64: Factor = Factor { name: "f64", bits: 64, make: "and.b32 t, t, 7;\ncvt.rn.f64.u32 X, t;" };
const S8: Factor = Factor { name: "s8", bits: 8, make: "mov.b32 X, t;" };
const U8: Factor = Factor { name: "u8", bits: 8, make: "mov.b32 X, t;" };
const S4: Factor = Factor { name: "s4", bits: 4, make: "mov.b32 X, t;" };
const B1: Factor = Factor { name: "b1", bits: 1, make: "mov.b32 X, t;" };
/// As addends.
const F32: Factor = TF32;

/// All programs.
pub fn all() -> Vec<Kernel> {
    let mut programs = Vec::new();
    for (m, n, k, factor, sum) in [
        (16, 8, 8, F16, "f32"),
        (16, 8, 16, F16, "f32"),
        (16, 8, 8, F16, "f16"),
        (16, 8, 16, F16, "f16"),
        (16, 8, 8, BF16, "f32"),
        (16, 8, 16, BF16, "f32"),
        (16, 8, 4, TF32, "f32"),
        (16, 8, 8, TF32, "f32"),
        (8, 8, 4, F64, "f64"),
        (16, 8, 4, F64, "f64"),
        (16, 8, 8, F64, "f64"),
        (16, 8, 16, F64, "f64"),
        (8, 8, 16, S8, "s32"),
        (16, 8, 16, S8, "s32"),
        (16, 8, 32, S8, "s32"),
        (16, 8, 32, U8, "s32"),
        (16, 8, 32, S4, "s32"),
        (16, 8, 64, S4, "s32"),
    ] {
        programs.push(mma(m, n, k, factor, sum, ""));
    }
    for (m, k) in [(8, 128), (16, 128), (16, 256)] {
        for combine in [".xor.popc", ".and.popc"] {
            programs.push(mma(m, 8, k, B1, "s32", combine));
        }
    }
    programs.push(wmma(8, 8, 32, S4, "s32", ""));
    programs.push(wmma(8, 8, 128, B1, "s32", ".xor.popc"));
    for (m, n) in [(16, 16), (8, 32), (32, 8)] {
        for (factor, sum) in [(F16, "f32"), (F16, "f16"), (BF16, "f32"), (S8, "s32"), (U8, "s32")] {
            programs.push(wmma(m, n, 16, factor, sum, ""));
        }
    }
    for count in [1, 2, 4] {
        for transposed in ["", ".trans"] {
            programs.push(ldmatrix(count, transposed));
        }
    }
    programs
}

/// Registers and the hash `r0` of what `body` folds into it with `FOLD x`.
fn program(name: String, body: &str) -> Kernel {
    let ptx = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b64 from, to;\n.reg .b32 t, u, lane, warp, slot, base, tid, r0, r1;\n.reg .f32 f;\n\
         .shared .align 128 .b8 words[16384];\n\
         ld.param.u64 from, [in];\nld.param.u64 to, [out];\n\
         cvta.to.global.u64 from, from;\ncvta.to.global.u64 to, to;\n\
         mov.u32 tid, %tid.x;\nmov.u32 lane, %laneid;\nshr.u32 warp, tid, 5;\nmov.u32 base, words;\n\
         mad.wide.u32 from, tid, 8, from;\nmad.wide.u32 to, tid, 4, to;\n\
         ld.global.u32 r0, [from];\nld.global.u32 r1, [from+4];\n{body}st.global.u32 [to], r0;\nret;\n}}\n"
    );
    programs::kernel(name, ptx)
}

fn fold(body: &mut String, word: &str) {
    let _ = writeln!(body, "mad.lo.u32 r0, r0, 0x9e3779b1, {word};");
}

/// Declares `prefix0`.. and fills each from the thread's inputs; returns the operand list.
fn fragment(body: &mut String, prefix: &str, words: u32, factor: Factor) -> String {
    let width = factor.bits.max(32);
    let _ = writeln!(body, ".reg .b{width} {prefix}<{words}>;");
    for word in 0..words {
        let salt = u32::from(prefix.as_bytes()[0]).wrapping_mul(0x9e37_79b1u32.wrapping_mul(2 * word + 1)) | 1;
        let _ = writeln!(body, "mad.lo.u32 t, r0, 0x{salt:x}, r1;\nshr.u32 u, t, 15;\nxor.b32 t, t, u;");
        let _ = writeln!(body, "{}", factor.make.replace('X', &format!("{prefix}{word}")));
    }
    list(prefix, words)
}

fn list(prefix: &str, words: u32) -> String {
    format!("{{{}}}", (0..words).map(|word| format!("{prefix}{word}")).collect::<Vec<_>>().join(", "))
}

fn addend(sum: &str) -> Factor {
    match sum {
        "f32" => F32,
        "f16" => F16,
        "f64" => F64,
        _ => Factor { name: "s32", bits: 32, make: "mov.b32 X, t;" },
    }
}

fn fold_all(body: &mut String, prefix: &str, words: u32, bits: u32) {
    for word in 0..words {
        if bits == 64 {
            let _ = writeln!(body, "mov.b64 {{t, u}}, {prefix}{word};");
            fold(body, "t");
            fold(body, "u");
        } else {
            fold(body, &format!("{prefix}{word}"));
        }
    }
}

fn mma(m: u32, n: u32, k: u32, factor: Factor, sum: &str, combine: &str) -> Kernel {
    let c = addend(sum);
    let words = |elements: u32, bits: u32| elements * bits / 32 / bits.max(32);
    let mut body = String::new();
    let a_list = fragment(&mut body, "a", words(m * k, factor.bits), factor);
    let b_list = fragment(&mut body, "b", words(k * n, factor.bits), factor);
    let c_words = words(m * n, c.bits);
    let c_list = fragment(&mut body, "c", c_words, c);
    let _ = writeln!(body, ".reg .b{} d<{c_words}>;", c.bits.max(32));
    let name = factor.name;
    let opcode = format!("mma.sync.aligned.m{m}n{n}k{k}.row.col.{sum}.{name}.{name}.{sum}{combine}");
    let _ = writeln!(body, "{opcode} {}, {a_list}, {b_list}, {c_list};", list("d", c_words));
    fold_all(&mut body, "d", c_words, c.bits);
    program(opcode, &body)
}

/// Through shared memory, so that the opaque layout does not matter: A row-major, B column-major, D row-major.
fn wmma(m: u32, n: u32, k: u32, factor: Factor, sum: &str, combine: &str) -> Kernel {
    let c = addend(sum);
    let name = factor.name;
    let words = |elements: u32| match name {
        "f16" => 8,
        _ => elements * factor.bits / 1024,
    };
    let (a, b, d) = (words(m * k), words(k * n), m * n * c.bits / 1024);
    let mut body = String::new();
    // A and B from offset 0 and 2048 on, written by all threads; results 4096 on, 2048 bytes a warp.
    for (at, salt) in [(0, 0x85eb_ca6bu32), (1, 0xc2b2_ae35), (2, 0x27d4_eb2f), (3, 0x1656_67b1)] {
        let _ = writeln!(body, "mad.lo.u32 t, r0, 0x{salt:x}, r1;\nshr.u32 u, t, 15;\nxor.b32 t, t, u;");
        let _ = writeln!(body, "{}", factor.make.replace('X', "u"));
        let _ = writeln!(body, "shl.b32 slot, tid, 2;\nadd.u32 slot, slot, base;");
        for half in [0, 2048] {
            let _ = writeln!(body, "st.shared.u32 [slot+{}], u;", half + at * 4 * THREADS);
        }
    }
    let _ = writeln!(body, "bar.sync 0;\n.reg .b32 a<{a}>, b<{b}>, d<{d}>, c<{d}>;");
    let (a_list, b_list, c_list, d_list) = (list("a", a), list("b", b), list("c", d), list("d", d));
    let shape = format!("m{m}n{n}k{k}");
    let _ = writeln!(body, "wmma.load.a.sync.aligned.row.{shape}.shared.{name} {a_list}, [base], {k};");
    let _ = writeln!(body, "add.u32 slot, base, 2048;");
    let _ = writeln!(body, "wmma.load.b.sync.aligned.col.{shape}.shared.{name} {b_list}, [slot], {k};");
    for word in 0..d {
        let _ = writeln!(body, "mov.b32 c{word}, 0;");
    }
    let types = if name == "f16" { format!("{sum}.{sum}") } else { format!("{sum}.{name}.{name}.{sum}") };
    let opcode = format!("wmma.mma{combine}.sync.aligned.row.col.{shape}.{types}");
    let _ = writeln!(body, "{opcode} {d_list}, {a_list}, {b_list}, {c_list};");
    let _ = writeln!(body, "mad.lo.u32 slot, warp, 2048, base;\nadd.u32 slot, slot, 4096;");
    let _ = writeln!(body, "wmma.store.d.sync.aligned.row.{shape}.shared.{sum} [slot], {d_list}, {n};\nbar.sync 0;");
    let _ = writeln!(body, "shl.b32 t, lane, 2;\nadd.u32 slot, slot, t;");
    for row in 0..m * n * c.bits / 1024 {
        let _ = writeln!(body, "ld.shared.u32 u, [slot+{}];", row * 128);
        fold(&mut body, "u");
    }
    program(opcode, &body)
}

fn ldmatrix(count: u32, transposed: &str) -> Kernel {
    let mut body = String::from("shl.b32 slot, tid, 2;\nadd.u32 slot, slot, base;\n");
    for (offset, word) in [(0, "r0"), (4 * THREADS, "r1")] {
        let _ = writeln!(body, "st.shared.u32 [slot+{offset}], {word};");
    }
    let words = list("d", count);
    // Rows in a scrambled order: lane i names row 5 i modulo 32.
    let _ = writeln!(body, "bar.sync 0;\nmul.lo.u32 t, lane, 5;\nand.b32 t, t, 31;\nmad.lo.u32 slot, t, 16, base;");
    let opcode = format!("ldmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16");
    let _ = writeln!(body, ".reg .b32 d<{count}>;\n{opcode} {words}, [slot];");
    fold_all(&mut body, "d", count, 32);
    program(opcode, &body)
}

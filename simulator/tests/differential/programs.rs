//! Random whole programs: arithmetic, divergent branches and bounded loops, shared memory between barriers, shuffles and
//! votes of whole warps. Deterministic by construction: shared memory is written and read on opposite sides of a
//! barrier, collective operations stand outside branches, every loop counts down.

use super::inputs::{Random, hash};
use std::fmt::Write;

/// Programs in the set.
pub const PROGRAMS: u64 = 64;
/// Threads of the only block.
pub const THREADS: u32 = 96;
/// Working registers `r0`...
const REGISTERS: u64 = 8;

/// A program's name and PTX. The kernel is `k(in, out)`: two 32-bit inputs and one 32-bit output a thread.
pub struct Program {
    pub name: String,
    pub ptx: String,
}

impl Program {
    /// The words it starts from.
    pub fn inputs(&self) -> Vec<u32> {
        let mut random = Random(hash(self.name.as_bytes()));
        (0..2 * THREADS).map(|_| random.bits() as u32).collect()
    }
}

/// All programs.
pub fn all() -> Vec<Program> {
    (0..PROGRAMS).map(generate).collect()
}

struct Writer {
    random: Random,
    text: String,
    labels: u32,
    /// The predicate that is safe to change.
    depth: u32,
}

impl Writer {
    fn register(&mut self) -> String {
        format!("r{}", self.random.below(REGISTERS))
    }

    fn line(&mut self, line: String) {
        self.text += &line;
        self.text.push('\n');
    }

    /// One arithmetic instruction.
    fn arithmetic(&mut self) {
        let (d, a, b, c) = (self.register(), self.register(), self.register(), self.register());
        let amount = self.random.below(33);
        let line = match self.random.below(18) {
            0 => format!("add.s32 {d}, {a}, {b};"),
            1 => format!("sub.u32 {d}, {a}, {b};"),
            2 => format!("mad.lo.s32 {d}, {a}, {b}, {c};"),
            3 => format!("mul.hi.u32 {d}, {a}, {b};"),
            4 => format!("xor.b32 {d}, {a}, {b};"),
            5 => format!("lop3.b32 {d}, {a}, {b}, {c}, 0x{:x};", self.random.below(256)),
            6 => format!("shl.b32 {d}, {a}, {amount};"),
            7 => format!("shr.s32 {d}, {a}, {amount};"),
            8 => format!("shf.l.wrap.b32 {d}, {a}, {b}, {amount};"),
            9 => format!("prmt.b32 {d}, {a}, {b}, 0x{:x};", self.random.below(0x1_0000)),
            10 => format!("popc.b32 {d}, {a};"),
            11 => format!("brev.b32 {d}, {a};"),
            12 => format!("dp4a.u32.s32 {d}, {a}, {b}, {c};"),
            13 => format!("bfi.b32 {d}, {a}, {b}, {}, {};", self.random.below(32), self.random.below(32)),
            14 => format!("setp.lt.s32 p0, {a}, {b};\nselp.b32 {d}, {b}, {c}, p0;"),
            15 => format!("or.b32 t, {b}, 1;\nrem.u32 {d}, {a}, t;"),
            // Singles made of integers, so that no NaN has bits of its own.
            16 => format!(
                "and.b32 t, {a}, 0xffff;\ncvt.rn.f32.u32 f0, t;\nand.b32 t, {b}, 0xfff;\ncvt.rn.f32.u32 f1, t;\n\
                 fma.rn.f32 f0, f0, f1, 0f3F000000;\nmov.b32 {d}, f0;"
            ),
            _ => format!("min.s32 t, {a}, {b};\nmax.u32 {d}, t, {c};"),
        };
        self.line(line);
    }

    /// A few statements, some of them branches or loops.
    fn block(&mut self, length: u64) {
        for _ in 0..length {
            match self.random.below(6) {
                0 if self.depth < 3 => self.branch(),
                1 if self.depth < 2 => self.bounded_loop(),
                _ => self.arithmetic(),
            }
        }
    }

    fn branch(&mut self) {
        let label = self.labels;
        self.labels += 1;
        self.depth += 1;
        let (a, b) = (self.register(), self.register());
        let condition = match self.random.below(3) {
            0 => format!("setp.lt.u32 p1, {a}, {b};"),
            1 => format!("and.b32 t, {a}, {};\nsetp.ne.u32 p1, t, 0;", 1 << self.random.below(8)),
            _ => format!("setp.lt.u32 p1, lane, {};", self.random.below(32)),
        };
        self.line(format!("{condition}\n@p1 bra ELSE_{label};"));
        let (then, other) = (1 + self.random.below(4), self.random.below(4));
        self.block(then);
        self.line(format!("bra.uni JOIN_{label};\nELSE_{label}:"));
        self.block(other);
        self.line(format!("JOIN_{label}:"));
        self.depth -= 1;
    }

    fn bounded_loop(&mut self) {
        let label = self.labels;
        self.labels += 1;
        let counter = format!("n{}", self.depth);
        self.depth += 1;
        let a = self.register();
        // Trip counts differ from lane to lane.
        self.line(format!(
            "and.b32 {counter}, {a}, 7;\nLOOP_{label}:\nsetp.eq.u32 p2, {counter}, 0;\n@p2 bra DONE_{label};"
        ));
        let length = 1 + self.random.below(3);
        self.block(length);
        self.line(format!("sub.u32 {counter}, {counter}, 1;\nbra.uni LOOP_{label};\nDONE_{label}:"));
        self.depth -= 1;
    }

    /// Something that all lanes do together.
    fn collective(&mut self) {
        let (d, a) = (self.register(), self.register());
        let lane = self.random.below(32);
        let mask = "0xffffffff";
        let line = match self.random.below(8) {
            0 => format!("shfl.sync.down.b32 {d}|p3, {a}, {lane}, 31, {mask};"),
            1 => format!("shfl.sync.up.b32 {d}|p3, {a}, {lane}, 0, {mask};"),
            2 => format!("shfl.sync.bfly.b32 {d}|p3, {a}, {lane}, 31, {mask};\n@p3 add.u32 {d}, {d}, 1;"),
            3 => format!("and.b32 t, {a}, 31;\nshfl.sync.idx.b32 {d}, {a}, t, 31, {mask};"),
            4 => format!("shfl.sync.bfly.b32 {d}|p3, {a}, {}, 0x1807, {mask};", lane % 8),
            5 => format!("setp.lt.s32 p3, {a}, 0;\nvote.sync.ballot.b32 {d}, p3, {mask};"),
            6 => format!("and.b32 t, {a}, 3;\nmatch.any.sync.b32 {d}, t, {mask};"),
            _ => format!("redux.sync.add.s32 {d}, {a}, {mask};"),
        };
        self.line(line);
    }

    /// A store by every thread, a barrier, loads from anywhere, a barrier.
    fn exchange(&mut self) {
        let (a, b, d) = (self.register(), self.register(), self.register());
        self.line(format!(
            "st.shared.u32 [slot], {a};\nbar.sync 0;\n\
             rem.u32 t, {b}, {THREADS};\nshl.b32 t, t, 2;\nadd.u32 t, t, base;\nld.shared.u32 {d}, [t];\nbar.sync 0;"
        ));
    }

    /// Adds from all threads into one word: the order does not matter, the returned values are not used.
    fn atomic(&mut self) {
        let (a, d) = (self.register(), self.register());
        self.line(format!(
            "st.shared.u32 [slot], 0;\nbar.sync 0;\nrem.u32 t, {d}, {THREADS};\nshl.b32 t, t, 2;\nadd.u32 t, t, base;\n\
             red.shared.add.u32 [t], {a};\nbar.sync 0;\nld.shared.u32 {d}, [slot];\nbar.sync 0;"
        ));
    }
}

fn generate(seed: u64) -> Program {
    let name = format!("program{seed:02}");
    let mut w = Writer { random: Random(seed ^ 0x5eed), text: String::new(), labels: 0, depth: 0 };
    for _ in 0..4 + w.random.below(5) {
        let length = 2 + w.random.below(6);
        w.block(length);
        match w.random.below(4) {
            0 => w.exchange(),
            1 => w.atomic(),
            _ => w.collective(),
        }
    }
    let mut fold = String::new();
    for register in 1..REGISTERS {
        let _ = writeln!(fold, "mad.lo.u32 r0, r0, 0x9e3779b1, r{register};");
    }
    let body = w.text;
    let ptx = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b64 from, to;\n.reg .b32 t, lane, slot, base, tid, n<4>, r<{REGISTERS}>;\n.reg .f32 f<2>;\n\
         .reg .pred p<4>;\n.shared .align 4 .b8 words[{}];\n\
         ld.param.u64 from, [in];\nld.param.u64 to, [out];\n\
         cvta.to.global.u64 from, from;\ncvta.to.global.u64 to, to;\n\
         mov.u32 tid, %tid.x;\nmov.u32 lane, %laneid;\n\
         mov.u32 base, words;\nshl.b32 t, tid, 2;\nadd.u32 slot, base, t;\n\
         mad.wide.u32 from, tid, 8, from;\nmad.wide.u32 to, tid, 4, to;\n\
         ld.global.u32 r0, [from];\nld.global.u32 r1, [from+4];\n\
         add.u32 r2, r0, r1;\nxor.b32 r3, r0, tid;\nmul.lo.u32 r4, r1, 0x85ebca6b;\nmov.u32 r5, tid;\n\
         mov.u32 r6, lane;\nsub.u32 r7, r0, r1;\n{body}{fold}st.global.u32 [to], r0;\nret;\n}}\n",
        THREADS * 4
    );
    Program { name, ptx }
}

//! What threads do together: shuffles, votes, barriers, atomics.

use super::writer::Writer;

impl Writer {
    /// One of them; stands outside branches.
    pub fn together(&mut self) {
        match self.below(8) {
            0..3 => self.collective("0xffffffff"),
            3 => self.partial(),
            4 => self.exchange(),
            5 => self.atomic(),
            6 => self.reduction(),
            _ => self.grid(),
        }
    }

    fn collective(&mut self, mask: &str) {
        let (d, a, b) = (self.any('r'), self.any('r'), self.any('r'));
        let w = self.any('w');
        let lane = self.below(32);
        // Of the lanes of a mask only: segments of sixteen stay on one side.
        let segment = if mask == "0xffffffff" { self.one(&["31", "0x1807", "0x101f"]) } else { "0x101f" };
        let up = if mask == "0xffffffff" { "0" } else { "0x1000" };
        let near = self.below(16);
        let sign = if self.signed { "s32" } else { "u32" };
        let line = match self.below(13) {
            0 => format!("shfl.sync.down.b32 {d}|p5, {a}, {near}, {segment}, {mask};"),
            1 => format!("shfl.sync.up.b32 {d}|p5, {a}, {near}, {up}, {mask};"),
            2 => format!("shfl.sync.bfly.b32 {d}|p5, {a}, {near}, {segment}, {mask};\n@p5 add.u32 {d}, {d}, 1;"),
            3 => format!("and.b32 t, {b}, 15;\nshfl.sync.idx.b32 {d}, {a}, t, {segment}, {mask};"),
            4 => format!("setp.lt.s32 p5, {a}, {b};\nvote.sync.ballot.b32 {d}, p5, {mask};"),
            5 => format!(
                "setp.ne.u32 p5, {a}, {lane};\nvote.sync.{}.pred p6, {}p5, {mask};\n@p6 xor.b32 {d}, {d}, {b};",
                self.one(&["all", "any", "uni"]),
                self.one(&["", "!"])
            ),
            6 => format!("and.b32 t, {a}, 3;\nmatch.any.sync.b32 {d}, t, {mask};"),
            7 => format!("and.b64 x, {w}, 1;\nmatch.all.sync.b64 {d}|p6, x, {mask};\n@p6 add.u32 {b}, {b}, 9;"),
            8 => format!("redux.sync.add.s32 {d}, {a}, {mask};"),
            9 => format!("redux.sync.{}.{sign} {d}, {a}, {mask};", self.one(&["min", "max"])),
            10 => format!("redux.sync.{}.b32 {d}, {a}, {mask};", self.one(&["and", "or", "xor"])),
            11 => format!("bar.warp.sync {mask};\nmov.b32 {d}, {a};"),
            _ => format!(
                "mov.b64 {{t, u}}, {w};\nshfl.sync.bfly.b32 t, t, {near}, {segment}, {mask};\n\
                 shfl.sync.bfly.b32 u, u, {near}, {segment}, {mask};\nmov.b64 {w}, {{u, t}};"
            ),
        };
        self.line(line);
    }

    /// Half of the lanes on each side of a branch.
    fn partial(&mut self) {
        let label = self.label();
        self.line(format!("setp.lt.u32 p7, lane, 16;\n@p7 bra HALF_{label};"));
        self.depth += 3;
        self.arithmetic();
        self.collective("0xffff0000");
        self.line(format!("bra WHOLE_{label};\nHALF_{label}:"));
        self.collective("0x0000ffff");
        self.arithmetic();
        self.depth -= 3;
        self.line(format!("WHOLE_{label}:\nbar.warp.sync 0xffffffff;"));
    }

    /// Stores by every thread, a barrier, loads from anywhere, a barrier.
    fn exchange(&mut self) {
        let (a, b, d, c) = (self.any('r'), self.any('r'), self.any('r'), self.any('r'));
        let w = self.any('w');
        let line = match self.below(3) {
            0 => format!(
                "st.shared.u32 [slot], {a};\nbar.sync 0;\nrem.u32 t, {b}, threads;\nshl.b32 t, t, 2;\n\
                 add.u32 t, t, base;\nld.shared.u32 {d}, [t];\nbar.sync 0;"
            ),
            1 => format!(
                "mad.lo.u32 u, tid, 16, base;\nst.shared.v4.b32 [u], {{{a}, {b}, {c}, {a}}};\nbar.sync 0;\n\
                 rem.u32 t, {b}, threads;\nmad.lo.u32 t, t, 16, base;\nld.shared.v2.b64 {{{w}, x}}, [t];\n\
                 mov.b64 {{{d}, t}}, x;\nbar.sync 0;"
            ),
            _ => format!(
                "mad.lo.u32 u, tid, 2, base;\nst.shared.u16 [u], {a};\nbar.sync 0;\nrem.u32 t, {b}, threads;\n\
                 mad.lo.u32 t, t, 2, base;\nadd.u32 u, base, t;\nsub.u32 u, u, base;\ncvt.u64.u32 x, u;\n\
                 cvta.shared.u64 x, x;\nld.s16 {d}, [x];\nbar.sync 0;"
            ),
        };
        self.line(line);
    }

    /// All threads into one word: the order does not matter, the returned values are not used.
    fn atomic(&mut self) {
        let (a, d) = (self.any('r'), self.any('r'));
        let sign = if self.signed { "s32" } else { "u32" };
        let op = match self.below(7) {
            0..2 => "add.u32".to_string(),
            2 => format!("min.{sign}"),
            3 => format!("max.{sign}"),
            4 => "or.b32".into(),
            5 => "and.b32".into(),
            _ => "xor.b32".into(),
        };
        let use_old = self.below(3) == 0;
        // A thread alone at its word may read the old value.
        let own = if use_old {
            format!("atom.shared.{op} t, [slot], {a};\nxor.b32 {d}, {d}, t;\nbar.sync 0;\n")
        } else {
            String::new()
        };
        self.line(format!(
            "st.shared.u32 [slot], {d};\nbar.sync 0;\n{own}rem.u32 t, {a}, threads;\nshl.b32 t, t, 2;\nadd.u32 t, t, base;\n\
             red.shared.{op} [t], {a};\nbar.sync 0;\nld.shared.u32 {d}, [slot];\nbar.sync 0;"
        ));
    }

    /// A barrier that counts or combines.
    fn reduction(&mut self) {
        let (a, b, d) = (self.any('r'), self.any('r'), self.any('r'));
        let op = self.one(&["popc", "and", "or"]);
        self.line(format!("setp.lt.s32 p5, {a}, {b};"));
        self.line(if op == "popc" {
            format!("bar.red.popc.u32 {d}, 0, p5;")
        } else {
            format!("bar.red.{op}.pred p6, 0, p5;\n@p6 add.u32 {d}, {d}, {a};")
        });
    }

    /// Atomics on words of the whole grid, one word an operation.
    fn grid(&mut self) {
        let a = self.any('r');
        let w = self.any('w');
        let line = match self.below(6) {
            0 => format!("red.global.add.u32 [sums], {a};"),
            1 => format!("red.relaxed.gpu.global.min.s32 [sums+4], {a};"),
            2 => format!("red.global.max.u32 [sums+8], {a};"),
            3 => format!("red.global.xor.b32 [sums+12], {a};"),
            4 => format!("red.global.add.u64 [sums+16], {w};"),
            _ => format!("shr.u32 t, {a}, 8;\nred.global.or.b32 [sums+24], t;"),
        };
        self.line(line);
    }
}

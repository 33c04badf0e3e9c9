//! Local arrays by address, vectors, bytes.

use super::writer::Writer;

impl Writer {
    /// Stores to a thread's own array and loads from it, at places that lanes choose.
    pub fn local(&mut self) {
        let (a, b, c, d) = (self.any('r'), self.any('r'), self.any('r'), self.any('r'));
        let w = self.any('w');
        let line = match self.below(5) {
            0 => format!(
                "mov.u32 u, own;\nand.b32 t, {a}, 15;\nshl.b32 t, t, 2;\nst.local.v4.u32 [own], {{{a}, {b}, {c}, {d}}};\n\
                 st.local.v4.u32 [own+16], {{{b}, {b}, {c}, {a}}};\nst.local.v2.u64 [own+32], {{{w}, {w}}};\n\
                 st.local.v2.u32 [own+48], {{{d}, {a}}};\nst.local.u64 [own+56], {w};\nadd.u32 u, u, t;\n\
                 ld.local.u32 {d}, [u];"
            ),
            1 => format!(
                "st.local.v4.u32 [own], {{{a}, {b}, {c}, {d}}};\nand.b32 t, {a}, 15;\ncvt.u64.u32 x, t;\nmov.u64 y, own;\n\
                 cvta.local.u64 y, y;\nadd.u64 x, x, y;\nld.{} t, [x];\nadd.u32 {d}, {d}, t;",
                self.one(&["u8", "s8"])
            ),
            2 => format!(
                "st.local.u32 [own+4], {a};\nst.local.u8 [own+5], {b};\nst.local.u16 [own+6], {c};\n\
                 ld.local.u32 {d}, [own+4];"
            ),
            3 => format!("st.local.u64 [own+8], {w};\nld.local.v2.u32 {{{a}, {b}}}, [own+8];"),
            _ => format!(
                "st.local.v2.b16 [own+4], {{h0, h1}};\nst.local.b16 [own], h2;\nst.local.b16 [own+2], h0;\nld.local.b64 {w}, [own];"
            ),
        };
        self.line(line);
    }
}

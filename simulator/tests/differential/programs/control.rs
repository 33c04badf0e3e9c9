//! Branches, loops, switches.

use super::writer::Writer;

impl Writer {
    pub fn branch(&mut self) {
        let label = self.label();
        self.depth += 1;
        self.condition("p1");
        self.line(format!("@p1 bra ELSE_{label};"));
        let (then, other) = (1 + self.below(4), self.below(4));
        self.block(then);
        self.line(format!("bra JOIN_{label};\nELSE_{label}:"));
        self.block(other);
        self.line(format!("JOIN_{label}:"));
        self.depth -= 1;
    }

    /// Trip counts differ from lane to lane; some lanes leave early, some skip the rest of a round.
    pub fn bounded_loop(&mut self) {
        let label = self.label();
        let counter = format!("n{}", self.depth);
        self.depth += 1;
        let a = self.any('r');
        self.line(format!("and.b32 {counter}, {a}, 7;"));
        self.line(format!("LOOP_{label}:\nsetp.eq.u32 p2, {counter}, 0;\n@p2 bra DONE_{label};"));
        self.line(format!("sub.u32 {counter}, {counter}, 1;"));
        let length = 1 + self.below(3);
        self.block(length);
        match self.below(3) {
            0 => {
                self.condition("p3");
                self.line(format!("@p3 bra DONE_{label};"));
            }
            1 => {
                self.condition("p3");
                self.line(format!("@p3 bra LOOP_{label};"));
                self.block(1);
            }
            _ => {}
        }
        self.line(format!("bra LOOP_{label};\nDONE_{label}:"));
        self.depth -= 1;
    }

    /// `brx.idx` over three or four ways, some of which fall into the next.
    pub fn switch(&mut self) {
        let label = self.label();
        self.depth += 1;
        let a = self.any('r');
        let ways = 3 + self.below(2);
        let names: Vec<String> = (0..ways).map(|way| format!("WAY_{label}_{way}")).collect();
        self.line(format!("rem.u32 t, {a}, {ways};\nLIST_{label}: .branchtargets {};", names.join(", ")));
        self.line(format!("brx.idx t, LIST_{label};"));
        for name in &names {
            self.line(format!("{name}:"));
            let length = 1 + self.below(2);
            self.block(length);
            if self.below(4) != 0 {
                self.line(format!("bra END_{label};"));
            }
        }
        self.line(format!("END_{label}:"));
        self.depth -= 1;
    }
}

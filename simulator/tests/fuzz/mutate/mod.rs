//! Structure-aware mutation of PTX: pieces of lines, operands, types, labels, numbers and declarations change places or
//! are replaced by nasty ones. Deterministic: the same input and seed give the same text.

mod step;
mod words;

use step::{cut, step};

/// splitmix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// One below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// A text like `text`, with up to four things changed; pieces may come from `other`. At most `longest` bytes.
pub fn mutate(text: &str, other: &str, seed: u64, longest: usize) -> String {
    let mut random = Random(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..1 + random.below(4) {
        step(&mut lines, &others, &mut random);
    }
    let mut out = lines.join("\n");
    if random.below(24) == 0 {
        out.truncate(cut(&out, random.below(out.len() + 1)));
    }
    if random.below(24) == 0 {
        let at = cut(&out, random.below(out.len() + 1));
        out.insert_str(
            at,
            random.of(&["\0", "\u{80}", "/*", "\"", "//", "\r", "é", "`", "\\", "@", "!", "|", "<", ">", "=", "::"]),
        );
    }
    out.truncate(cut(&out, longest));
    out
}

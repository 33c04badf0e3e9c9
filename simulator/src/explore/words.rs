//! What a witness says, in words.

use super::text::lanes;
use super::{Preempted, Rank, Witness};

impl Preempted {
    /// "lane 3 of warp 0 in block 0 stops before line 17; it goes on when nobody else can"
    pub fn explain(&self) -> String {
        let stop = &self.preemption;
        let many = stop.lanes.count_ones() > 1;
        let who = match (stop.lanes, many) {
            (u32::MAX, _) => format!("warp {} in block {}", stop.warp, stop.block),
            (mask, true) => {
                format!("lanes {} of warp {} in block {}", lanes(mask, ", ", " to "), stop.warp, stop.block)
            }
            (mask, false) => format!("lane {} of warp {} in block {}", lanes(mask, "", ""), stop.warp, stop.block),
        };
        let (stops, they, go) = match (many, stop.lanes) {
            (true, mask) if mask != u32::MAX => ("stop", "they", "go"),
            _ => ("stops", "it", "goes"),
        };
        let place = if self.line > 0 { format!("line {}", self.line) } else { format!("PTX line {}", self.ptx_line) };
        let which = if stop.before == 0 { ", the first thing that others can see" } else { "" };
        let then = match stop.rank {
            Rank::Last => format!("{they} {go} on when nobody else can"),
            Rank::Among(number) => format!("{they} {go} on when all without a number and with one below {number} wait"),
            Rank::InWarp(_) => format!("{they} {go} on alone, after the lanes of the warp with a smaller number"),
            Rank::Aside => "its block goes on when no other can, or when the others have waited for it".to_owned(),
        };
        let launch = if stop.launch > 0 { format!(" (launch {})", stop.launch + 1) } else { String::new() };
        format!("{who} {stops} before {place}{which}{launch}; {then}")
    }
}

impl Witness {
    /// A sentence a step; `preempted` are the steps as they took place.
    pub fn explain(&self, preempted: &[Preempted]) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.warps_reversed {
            sentences.push(
                "of the warps of a block the last goes first (and of the lanes that store to one place in one matrix or \
                 surface instruction)"
                    .to_owned(),
            );
        }
        if self.blocks_reversed {
            sentences.push("of the blocks of the grid the last goes first".to_owned());
        }
        if self.patient {
            sentences.push("whoever waits in a loop goes on for long before those that it waits for".to_owned());
        }
        if self.late.is_some() {
            sentences.push(
                "atomics without a result and volatile stores of a block come late to other blocks where no __threadfence() \
                 puts them before what follows"
                    .to_owned(),
            );
        }
        sentences.extend(preempted.iter().map(Preempted::explain));
        if sentences.is_empty() {
            sentences.push(
                "nothing out of the ordinary: every thread goes as far as it can, in order (of a copy that ends at an mbarrier \
                 whoever asks first is told that it has not ended)"
                    .to_owned(),
            );
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Preempted, Witness};

    #[test]
    fn sentences() {
        let say = |text: &str, line| {
            let witness: Witness = text.parse().expect("a witness");
            Preempted { preemption: witness.preemptions[0], line, ptx_line: 40 }.explain()
        };
        assert_eq!(
            say("b0.w0.l3@2", 17),
            "lane 3 of warp 0 in block 0 stops before line 17; it goes on when nobody else can"
        );
        assert_eq!(
            say("k1.b7.w2.l0-3+9@0", 0),
            "lanes 0 to 3, 9 of warp 2 in block 7 stop before PTX line 40, the first thing that others can see \
             (launch 2); they go on when nobody else can"
        );
        assert!(say("b0.w1@2=5", 17).starts_with("warp 1 in block 0 stops before line 17; it goes on when all"));
        assert!(
            say("b0.w1@2=aside", 17)
                .ends_with("; its block goes on when no other can, or when the others have waited for it")
        );
    }
}

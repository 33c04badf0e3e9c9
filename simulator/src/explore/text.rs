//! The short text form of a witness.

use super::{Preemption, Rank, Witness};
use std::fmt;
use std::str::FromStr;

/// How [`Rank::Aside`] is written.
const ASIDE: &str = "=aside";

/// A text that is no witness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{item}` is no part of a witness: {expected}")]
pub struct WitnessError {
    /// The part that was not understood.
    pub item: String,
    /// What was expected.
    pub expected: &'static str,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items: Vec<String> = Vec::new();
        items.extend(self.warps_reversed.then(|| "warps-reversed".to_owned()));
        items.extend(self.blocks_reversed.then(|| "blocks-reversed".to_owned()));
        items.extend(self.patient.then(|| "patient".to_owned()));
        items.extend(self.late.map(|which| format!("late={which}")));
        items.extend(self.preemptions.iter().map(ToString::to_string));
        if items.is_empty() { f.write_str("plain") } else { f.write_str(&items.join(",")) }
    }
}

impl fmt::Display for Preemption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.launch > 0 {
            write!(f, "k{}.", self.launch)?;
        }
        write!(f, "b{}.w{}", self.block, self.warp)?;
        if self.lanes != u32::MAX {
            write!(f, ".l{}", lanes(self.lanes, "+", "-"))?;
        }
        write!(f, "@{}", self.before)?;
        match self.rank {
            Rank::Last => Ok(()),
            Rank::Among(number) => write!(f, "={number}"),
            Rank::InWarp(number) => write!(f, "~{number}"),
            Rank::Aside => f.write_str(ASIDE),
        }
    }
}

/// The lanes of a mask as ranges: "0-3+7".
pub(crate) fn lanes(mask: u32, and: &str, to: &str) -> String {
    let mut parts = Vec::new();
    let mut lane = 0;
    while lane < 32 {
        let run = (mask >> lane).trailing_ones();
        match run {
            0 => lane += 1,
            1 => parts.push(lane.to_string()),
            _ => parts.push(format!("{lane}{to}{}", lane + run - 1)),
        }
        lane += run;
    }
    parts.join(and)
}

impl FromStr for Witness {
    type Err = WitnessError;

    fn from_str(text: &str) -> Result<Self, WitnessError> {
        let mut witness = Self::default();
        for item in text.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty()) {
            match item {
                "plain" => {}
                "warps-reversed" => witness.warps_reversed = true,
                "blocks-reversed" => witness.blocks_reversed = true,
                "patient" => witness.patient = true,
                _ => match item.strip_prefix("late=") {
                    Some(which) => witness.late = Some(which.parse().map_err(|_| late(item))?),
                    None => witness.preemptions.push(item.parse()?),
                },
            }
        }
        Ok(witness)
    }
}

fn late(item: &str) -> WitnessError {
    WitnessError { item: item.to_owned(), expected: "a number was expected, as in late=0" }
}

impl FromStr for Preemption {
    type Err = WitnessError;

    fn from_str(item: &str) -> Result<Self, WitnessError> {
        const FORM: &str = "lanes that stop are written like b0.w1.l3-5+7@12";
        let error = |expected| WitnessError { item: item.to_owned(), expected };
        let (place, when) = item.split_once('@').ok_or_else(|| error(FORM))?;
        let number = |text: &str| text.parse::<u32>().map_err(|_| error("a number below 2^32 was expected"));
        let (before, rank) = if let Some(before) = when.strip_suffix(ASIDE) {
            (before, Rank::Aside)
        } else if let Some((before, number_of)) = when.split_once('=') {
            (before, Rank::Among(number(number_of)?))
        } else if let Some((before, number_of)) = when.split_once('~') {
            (before, Rank::InWarp(number(number_of)?))
        } else {
            (when, Rank::Last)
        };
        let mut preemption = Self { launch: 0, block: 0, warp: 0, lanes: u32::MAX, before: number(before)?, rank };
        let (mut block, mut warp) = (false, false);
        for part in place.split('.') {
            let (name, rest) = part.split_at_checked(1).ok_or_else(|| error(FORM))?;
            let long = || rest.parse::<u64>().map_err(|_| error("a number was expected"));
            match name {
                "k" => preemption.launch = long()?,
                "b" => (preemption.block, block) = (long()?, true),
                "w" => (preemption.warp, warp) = (number(rest)?, true),
                "l" => preemption.lanes = mask(rest).ok_or_else(|| error("lanes are 0 to 31, as in l3-5+7"))?,
                _ => return Err(error(FORM)),
            }
        }
        if block && warp { Ok(preemption) } else { Err(error("it has to name a block and a warp, as in b0.w1@12")) }
    }
}

fn mask(text: &str) -> Option<u32> {
    text.split('+').try_fold(0u32, |mask, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        let upto = u32::MAX >> 31u32.checked_sub(last)?;
        (first <= last).then(|| mask | upto & u32::MAX << first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_back() {
        for text in [
            "plain",
            "b0.w1.l3-5+7@12",
            "warps-reversed,blocks-reversed,patient,late=17,k2.b70000.w31@0=4294967295",
            "b0.w0.l31@1~31,b0.w0.l0-30@1,b2.w0.l3@7=aside",
        ] {
            assert_eq!(text.parse::<Witness>().map(|witness| witness.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_witness_is_named() {
        for text in [
            "b0@1",
            "w0@1",
            "b0.w0",
            "b0.w0.l32@1",
            "b0.w0.l5-3@1",
            "b0.w0@-1",
            "b0.w0@1=x",
            "b0.w0@=aside",
            "b0.w0.z@1",
            ".@",
            "b0.é@1",
            "late=x",
        ] {
            let error = text.parse::<Witness>().expect_err(text);
            assert_eq!(error.item, text);
        }
    }
}

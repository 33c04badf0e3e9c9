//! Elements that are wrong, and what they have in common.

use crate::{Value, real};
use serde::{Deserialize, Serialize};

/// One element that is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Element index.
    pub index: u64,
    /// The version's.
    pub got: Value,
    /// The oracle's.
    pub want: Value,
    /// Largest error allowed there.
    #[serde(with = "real")]
    pub bound: f64,
}

/// What the wrong elements have in common.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum LooksLike {
    /// Nothing that stands out.
    Nothing,
    /// Every wrong element still holds the poison: it was never written.
    NeverWritten,
    /// Every wrong element is zero.
    Zero,
    /// Every wrong element is NaN (and not poison).
    Nan,
    /// Exactly the elements from `from` to the end were never written: the tail is missing.
    Tail {
        /// First wrong element.
        from: u64,
    },
    /// Exactly the elements from `from` to the end are wrong, and they were written.
    From {
        /// First wrong element.
        from: u64,
    },
    /// Exactly every `step`-th element is wrong.
    EveryKth {
        /// Distance between wrong elements.
        step: u64,
        /// First wrong element.
        first: u64,
    },
    /// Every wrong element is the right one times a common factor.
    Scaled {
        /// got over want.
        factor: f64,
    },
    /// Every wrong element is near the right one: so many binary digits of each are right.
    Digits {
        /// Of the worst.
        right: u32,
    },
    /// Every element is within its bound, and together they are off by more than roundings are: `ops` independent roundings
    /// come to `sqrt(ops) * u * magnitude` at most, in the root mean square, where their largest sum is `ops * u * magnitude`.
    OffOnAverage {
        /// Root mean square of the errors over that of so many independent roundings.
        times: f64,
    },
    /// Right in the first run, wrong when run again without reloading the module.
    SecondRunOnly {
        /// Every wrong element was never written then.
        unwritten: bool,
    },
}

//! How much stands on the first screen. The verdict, its reason and what to try first must be seen at once on a terminal of
//! 24 rows, so less important things give way, one after the other, until the page fits.

/// Rows of a page: a screen of 24 without the cursor's and the two that `checker watch` writes below.
pub const ROWS: usize = 21;

/// Rows of a report in brief: `checker watch` shows a hint below it, of up to six.
pub const BRIEF_ROWS: usize = 15;

/// What may take how many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Reasons that are told.
    pub reasons: usize,
    /// Of these, those with their places and details; the others have one sentence.
    pub whole: usize,
    /// The line of source before the one concerned.
    pub context: bool,
    /// Details of a reason: the first ones, and if there are two and more the last one, which says at what size and in which order.
    pub details: usize,
    /// Goals that are not met, one by one; of the others only their number is told.
    pub unmet: usize,
    /// Goals that are met, likewise.
    pub met: usize,
    /// Goals that cannot be judged here; the heading has their number.
    pub unjudged: bool,
    /// Schedules one by one, or in a row.
    pub orders: bool,
    /// Lines that the kernel printed.
    pub printf: usize,
    /// Notes. Without these and `printf` a row tells how many there are.
    pub notes: usize,
}

impl Room {
    /// As much as there is.
    pub const ALL: Self = Self {
        reasons: usize::MAX,
        whole: usize::MAX,
        context: true,
        details: usize::MAX,
        unmet: usize::MAX,
        met: usize::MAX,
        unjudged: true,
        orders: true,
        printf: 20,
        notes: usize::MAX,
    };
    /// The two gravest reasons with all that belongs to them.
    pub const TWO: Self = Self { reasons: 2, whole: 2, ..Self::ALL };

    /// From generous to thrifty: the first that fits is taken, else the last.
    pub const STEPS: [Self; 13] = {
        let two = Self::TWO;
        let few = Self { printf: 6, notes: 2, ..two };
        let row = Self { orders: false, ..few };
        let bare = Self { context: false, ..row };
        let four = Self { met: 4, ..bare };
        let one = Self { whole: 1, context: true, ..four };
        let only = Self { reasons: 1, ..one };
        let brief = Self { context: false, met: 2, printf: 3, notes: 1, ..only };
        let none = Self { met: 0, ..brief };
        let three = Self { details: 3, unmet: 5, ..none };
        let pair = Self { details: 2, unmet: 2, unjudged: false, printf: 2, notes: 0, ..three };
        let least = Self { details: 1, ..pair };
        let tiny = Self { details: 0, printf: 0, ..least };
        [two, few, row, bare, four, one, only, brief, none, three, pair, least, tiny]
    };
}

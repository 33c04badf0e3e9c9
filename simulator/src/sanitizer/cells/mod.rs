//! What each byte remembers of who accessed it, and what it says to the next access.

pub(super) mod epoch;
pub(super) mod order;
pub(super) mod region;
pub(super) mod shadow;

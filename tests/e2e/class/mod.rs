//! A class: from what is handed in to what graders read.

mod cheats;
mod claims;
mod formats;
pub(super) mod grade;
mod intake;
mod reach;

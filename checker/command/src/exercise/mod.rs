//! What a learner types: where one is, what is next, a check, a hint, a fresh start.

pub mod check;
pub mod hint;
pub mod home;
pub mod list;
pub mod reset;
pub mod watch;

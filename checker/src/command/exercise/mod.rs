//! What a learner types: where one is, what is next, a check, a hint, a fresh start.

pub(super) mod check;
pub(super) mod hint;
pub(super) mod home;
pub(super) mod list;
pub(super) mod reset;
pub(super) mod watch;

//! A class: what is handed out, and what it is worth when it comes back.

pub(super) mod dist;
pub(super) mod grade;

//! A class: what is handed out, and what it is worth when it comes back.

pub mod dist;
pub mod grade;

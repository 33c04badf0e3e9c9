//! Kernel files that run by themselves, under every order.

mod causes;
mod counts;
mod findings;
mod orders;
mod own;
mod run;
mod schedules;
mod textures;
mod unset;

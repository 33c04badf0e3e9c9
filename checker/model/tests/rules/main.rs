//! What must hold of every modelled time, whatever the constants: more is never faster, and the rules of thumb come out.

mod made;
mod more;
mod places;
mod sectors;
mod units;
mod warps;

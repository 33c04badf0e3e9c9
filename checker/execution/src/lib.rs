//! A plan run: the simulator and the GPU behind one interface, in a worker process ([`backend`]), outputs compared with an
//! oracle's ([`verify`]), versions timed in turn ([`measure`]).

pub mod backend;
pub mod measure;
pub mod verify;

//! NVIDIA's compiler: where it is found or installed ([`toolchain`]), how source becomes PTX and machine code in a process
//! with limits ([`compile`]), what is done to a file with host code ([`own`]), and which locals it may read before they have a value
//! ([`unset`]).

pub mod compile;
pub mod own;
pub mod toolchain;
pub mod unset;

//! NVIDIA's compiler: where it is found or installed ([`toolchain`]), how source becomes PTX and machine code in a process
//! with limits ([`compile`]), and what is done to a file with host code ([`own`]).

pub mod compile;
pub mod own;
pub mod toolchain;

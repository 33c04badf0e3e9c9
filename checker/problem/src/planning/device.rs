//! The device that a plan is made for.

/// The figures of a device that launch lines may use and must respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeviceShape {
    /// Streaming multiprocessors.
    pub sms: i64,
    /// Threads a warp.
    pub warp: i64,
    /// Resident threads an SM.
    pub max_threads_per_sm: i64,
    /// Bytes of shared memory an SM.
    pub shared_per_sm: i64,
    /// Bytes of shared memory a block can ask for (opt-in).
    pub shared_per_block: i64,
    /// Bytes of device memory.
    pub memory: i64,
}

impl DeviceShape {
    /// The H200 (sm_90), which the simulator plays: CUDA C++ Programming Guide, "Technical Specifications per Compute
    /// Capability", 132 SMs, and 143,771 MiB as its driver says.
    pub const H200: Self = Self {
        sms: 132,
        warp: 32,
        max_threads_per_sm: 2048,
        shared_per_sm: 233_472,
        shared_per_block: 232_448,
        memory: 143_771 << 20,
    };

    /// The names that expressions may use.
    pub const NAMES: [&str; 4] = ["sms", "warp", "max_threads_per_sm", "shared_per_sm"];

    pub(super) fn values(&self) -> [i64; 4] {
        [self.sms, self.warp, self.max_threads_per_sm, self.shared_per_sm]
    }
}

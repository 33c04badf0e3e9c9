//! What a launch, or an access of the host to device memory, is refused for.

/// A launch that cannot start: the caller's mistake, not the kernel's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// No entry of that name.
    #[error("no kernel `{name}` in the module; it has: {available}")]
    NoKernel {
        /// Asked for.
        name: String,
        /// What there is, joined by commas.
        available: String,
    },
    /// Grid or block extents out of range.
    #[error("{what} is {value}: the limit is {limit}")]
    Extent {
        /// "block.x", "threads a block", "grid.y", ...
        what: String,
        /// Given.
        value: u64,
        /// Allowed.
        limit: u64,
    },
    /// Another block than `.reqntid` asks for.
    #[error(
        "`{kernel}` is compiled for blocks of exactly {required:?} threads (.reqntid), and {given:?} were asked for"
    )]
    Required {
        /// The kernel.
        kernel: String,
        /// What it takes.
        required: [u32; 3],
        /// What the launch asks for.
        given: [u32; 3],
    },
    /// Other clusters than `.reqnctapercluster` asks for.
    #[cfg(not(target_family = "wasm"))]
    #[error("`{kernel}` is compiled for clusters of {required:?} blocks, and {given:?} were asked for")]
    RequiredCluster {
        /// The kernel.
        kernel: String,
        /// What it takes.
        required: [u32; 3],
        /// What the launch asks for.
        given: [u32; 3],
    },
    /// A grid that is no whole number of clusters.
    #[cfg(not(target_family = "wasm"))]
    #[error("`{kernel}` is launched in clusters of {cluster:?} blocks, and a grid of {grid:?} is no multiple of that")]
    Cluster {
        /// The kernel.
        kernel: String,
        /// A cluster's extents.
        cluster: [u32; 3],
        /// What the launch asks for.
        grid: [u32; 3],
    },
    /// Static plus dynamic shared memory beyond [`crate::Config::shared_per_block`].
    #[error("{bytes} bytes of shared memory a block: the limit `shared_per_block` is {limit}")]
    Shared {
        /// Asked for.
        bytes: u64,
        /// Allowed.
        limit: u64,
    },
    /// Wrong number of arguments.
    #[error("`{kernel}` takes {expected} arguments, {given} were given")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Parameters.
        expected: usize,
        /// Arguments.
        given: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} of `{kernel}` has {given} bytes, the parameter has {expected}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// From 0.
        index: usize,
        /// Parameter's bytes.
        expected: u32,
        /// Argument's bytes.
        given: u32,
    },
    /// The module's variables do not fit into [`crate::Limits::memory`].
    #[error(
        "the module's variable `{name}` of {bytes} bytes does not fit into device memory: the limit `memory` is {limit}"
    )]
    Variable {
        /// The first that does not fit.
        name: String,
        /// Its bytes.
        bytes: u64,
        /// Allowed in all.
        limit: u64,
    },
    /// A cooperative launch of more blocks than can be resident.
    #[error("a cooperative launch of {blocks} blocks: the limit `resident_blocks` is {limit}")]
    TooManyBlocks {
        /// Asked for.
        blocks: u64,
        /// Allowed.
        limit: u64,
    },
}

/// A host-side access to device memory that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Beyond [`crate::Limits::memory`].
    #[error("{asked} bytes of device memory asked for, {in_use} in use: the limit `memory` is {limit}")]
    Limit {
        /// Asked for.
        asked: u64,
        /// In use.
        in_use: u64,
        /// Allowed.
        limit: u64,
    },
    /// Not inside one allocation.
    #[error("{size} bytes at {address:#x} are not inside one allocation")]
    Range {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
    },
}

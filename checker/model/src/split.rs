//! Which problems constants may be fitted on: half of them, drawn by name. The others, and kernels that nobody here has seen,
//! judge the model.

/// Draws the halves; another number would draw others.
const SEED: u64 = 16;

/// May constants be fitted on this problem?
pub fn is_fitted(problem: &str) -> bool {
    // FNV-1a, and the mixing of SplitMix64 behind it.
    let hash = problem
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64 ^ SEED, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ mixed >> 31) & 1 == 1
}

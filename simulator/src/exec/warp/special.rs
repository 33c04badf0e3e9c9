//! Special registers and parameters.

use crate::appearance::WARPS_PER_SM;
use crate::exec::context::Context;
use crate::isa::op::Special;
use crate::memory::window;

/// Bytes of shared memory that are given out together (CUDA C++ Programming Guide; 128 from compute capability 8.0 on).
const SHARED_UNIT: u64 = 128;

/// A special register that is the same for all lanes; nothing if it is not.
pub fn uniform(which: Special, context: &Context<'_>, index: u32, block: [u32; 3], clock: u64) -> Option<u64> {
    let threads = || context.block.iter().product::<u32>();
    Some(match which {
        Special::Tid(0..3) => return None,
        Special::Laneid
        | Special::LanemaskEq
        | Special::LanemaskLt
        | Special::LanemaskLe
        | Special::LanemaskGt
        | Special::LanemaskGe
        | Special::LocalWindow => return None,
        Special::Tid(_) | Special::Ctaid(3..) => 0,
        Special::Ntid(3..) | Special::Nctaid(3..) => 1,
        Special::Ntid(at) => context.block[at as usize].into(),
        Special::Ctaid(at) => block[at as usize].into(),
        Special::Nctaid(at) => context.grid[at as usize].into(),
        Special::Warpid => {
            let warps = u64::from(threads().div_ceil(32));
            context.appearance.warp(linear(context, block), warps, index.into())
        }
        Special::Nwarpid => WARPS_PER_SM,
        Special::Smid => context.appearance.sm(linear(context, block), context.config.sms.into()),
        Special::Nsmid => context.config.sms.into(),
        Special::Gridid => context.appearance.grid(context.launch),
        Special::Clock => context.appearance.clock(clock) & 0xffff_ffff,
        Special::ClockHi => context.appearance.clock(clock) >> 32,
        Special::Clock64 => context.appearance.clock(clock),
        Special::GlobaltimerLo => context.appearance.timer(clock) & 0xffff_ffff,
        Special::GlobaltimerHi => context.appearance.timer(clock) >> 32,
        Special::Globaltimer => context.appearance.timer(clock),
        Special::Envreg(1) => context.workspace >> 32,
        Special::Envreg(2) => context.workspace & 0xffff_ffff,
        Special::Envreg(_) | Special::Zero | Special::Stopped => 0,
        #[cfg(target_family = "wasm")]
        Special::One => 1,
        #[cfg(not(target_family = "wasm"))]
        Special::Cluster(which) => crate::exec::cluster::special(which, context, block),
        Special::DynamicSmemSize => context.dynamic_shared.into(),
        Special::DynamicSmemBase => context.dynamic_base().into(),
        Special::ReservedSmem => context.decoded.reserved_shared.into(),
        Special::ReservedForTiles => window::RESERVED_FOR_TILES.min(context.decoded.reserved_shared).into(),
        Special::AggregateSmemSize => u64::from(context.decoded.reserved_shared) + shared_bytes(context),
        Special::TotalSmemSize => shared_bytes(context),
        Special::SharedWindow => window::SHARED ^ window::place(context.appearance),
    })
}

/// Bytes of a block's own shared memory, as they are given out.
fn shared_bytes(context: &Context<'_>) -> u64 {
    (u64::from(context.static_shared) + u64::from(context.dynamic_shared)).next_multiple_of(SHARED_UNIT)
}

/// Number of a block in its grid, x first.
fn linear(context: &Context<'_>, block: [u32; 3]) -> u64 {
    let [x, y, z] = block.map(u64::from);
    x + u64::from(context.grid[0]) * (y + u64::from(context.grid[1]) * z)
}

/// A special register that differs by lane, of lanes that have these numbers; 0 for all others.
pub fn by_lane(which: Special, tid: &[[u32; 32]; 3], number: impl Fn(usize) -> u32) -> [u64; 32] {
    let each = |f: fn(u32) -> u32| std::array::from_fn(|lane| u64::from(f(number(lane))));
    match which {
        Special::Tid(axis @ 0..3) => tid[axis as usize].map(u64::from),
        Special::Laneid => each(|lane| lane),
        Special::LanemaskEq => each(|lane| 1 << lane),
        Special::LanemaskLt => each(|lane| (1 << lane) - 1),
        Special::LanemaskLe => each(|lane| u32::MAX >> (31 - lane)),
        Special::LanemaskGt => each(|lane| !(u32::MAX >> (31 - lane))),
        Special::LanemaskGe => each(|lane| !((1 << lane) - 1)),
        _ => [0; 32],
    }
}

/// A value among the parameter bytes, 0 beyond them.
pub fn parameter(params: &[u8], offset: u32, size: usize) -> u64 {
    let mut bytes = [0; 8];
    if let Some(found) = params.get(offset as usize..offset as usize + size) {
        bytes[..size].copy_from_slice(found);
    }
    u64::from_le_bytes(bytes)
}

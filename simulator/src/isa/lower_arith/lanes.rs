//! Scalar functions as functions of 32 lanes.

use crate::isa::op::MapFn;
use std::sync::Arc;

/// Lanes of a one-source function.
pub fn map1(f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane]);
        }
    })
}

/// Lanes of a two-source function.
pub fn map2(f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane], s[1][lane]);
        }
    })
}

/// Lanes of a three-source function.
pub fn map3(f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane], s[1][lane], s[2][lane]);
        }
    })
}

/// Lanes of a four-source function.
pub fn map4(f: impl Fn(u64, u64, u64, u64) -> u64 + Send + Sync + 'static) -> MapFn {
    Arc::new(move |s, out| {
        for lane in 0..32 {
            out[lane] = f(s[0][lane], s[1][lane], s[2][lane], s[3][lane]);
        }
    })
}

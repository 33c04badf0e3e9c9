//! Scalar functions as functions of 32 lanes.

use crate::isa::function::{Builder, Lower, Unknown};
use crate::isa::op::MapFn;
use crate::ptx::ast::{Operand, Ty};
use std::sync::Arc;

/// Emits a pure function of up to four operands of that type into the first operand. The last `words` are of 32 bits
/// whatever the type: bit positions and lengths.
pub fn emit(b: &mut Builder<'_>, operands: &[Operand], ty: Ty, words: usize, f: MapFn) -> Lower<()> {
    let (d, sources) = operands.split_first().ok_or(Unknown)?;
    if sources.is_empty() || sources.len() > 4 {
        return Err(Unknown);
    }
    let d = b.destination(d)?;
    let first_word = sources.len().saturating_sub(words);
    let typed = |at| if at >= first_word { Ty::U32 } else { ty };
    let sources = sources.iter().enumerate();
    let sources = sources.map(|(at, operand)| b.source(operand, typed(at))).collect::<Lower<Vec<_>>>()?;
    b.emit_map(d, &sources, 0, f);
    Ok(())
}

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

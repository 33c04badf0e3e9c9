//! What a run leaves behind besides its verdict: summaries of outputs, files, sums of counters.

use super::case::{PIECE, explain, read_all};
use super::compare::{real, value};
use super::npy;
use crate::backend::machine::Session;
use crate::backend::{BufferSummary, Failure};
use crate::plan::{Buffer, Plan, Role};
use simulator::Counters;
use std::io::{BufWriter, Write};
use std::path::Path;

/// What outputs hold, where no oracle judges them.
pub fn summaries(session: &mut dyn Session, plan: &Plan, poison: u8) -> Result<Vec<BufferSummary>, Failure> {
    let mut found = Vec::new();
    for (index, buffer) in plan.buffers.iter().enumerate() {
        if matches!(buffer.role, Role::Out | Role::InOut) {
            // After a fault memory may be gone; the fault says more than a summary.
            let Ok(bytes) = read_all(session, index, buffer) else { continue };
            let unwritten = if buffer.role == Role::Out { Some(poison) } else { None };
            found.push(summarise(buffer, &bytes, unwritten));
        }
    }
    Ok(found)
}

/// Head, extremes, mean; `poison` tells which elements nothing wrote.
fn summarise(buffer: &Buffer, bytes: &[u8], poison: Option<u8>) -> BufferSummary {
    const HEAD: usize = 8;
    let size = buffer.dtype.size();
    let head = bytes.chunks_exact(size).take(HEAD).map(|element| value(buffer.dtype, element)).collect();
    let (mut min, mut max, mut sum, mut finite, mut nans, mut unwritten) =
        (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0, 0, 0);
    for element in bytes.chunks_exact(size) {
        if poison.is_some_and(|poison| element.iter().all(|&byte| byte == poison)) {
            unwritten += 1;
            continue;
        }
        let x = real(buffer.dtype, element);
        nans += u64::from(x.is_nan());
        if x.is_finite() {
            (min, max, sum, finite) = (min.min(x), max.max(x), sum + x, finite + 1);
        }
    }
    let some = |x: f64| (finite > 0).then_some(x);
    BufferSummary {
        name: buffer.name.clone(),
        dtype: buffer.dtype,
        len: buffer.len,
        head,
        min: some(min),
        max: some(max),
        mean: some(sum / f64::from(finite.max(1))),
        nans,
        unwritten,
    }
}

/// Writes a buffer to a NumPy file.
pub fn write_dump(session: &mut dyn Session, plan: &Plan, name: &str, path: &Path) -> Result<(), Failure> {
    let failed = |message: String| Failure::Write { path: path.to_owned(), message };
    let (index, buffer) = plan
        .buffers
        .iter()
        .enumerate()
        .find(|(_, buffer)| buffer.name == name)
        .ok_or_else(|| failed(format!("no buffer `{name}` to write there")))?;
    let bytes = buffer.len as usize * buffer.dtype.size();
    let file = std::fs::File::create(path).map_err(|error| failed(error.to_string()))?;
    let mut file = BufWriter::new(file);
    npy::write_header(&mut file, buffer.dtype, buffer.len).map_err(|error| failed(error.to_string()))?;
    let mut piece = vec![0; PIECE.min(bytes)];
    for offset in (0..bytes).step_by(PIECE) {
        let part = &mut piece[..PIECE.min(bytes - offset)];
        session.read(index, offset as u64, part).map_err(|stop| failed(explain(&stop)))?;
        file.write_all(part).map_err(|error| failed(error.to_string()))?;
    }
    file.flush().map_err(|error| failed(error.to_string()))
}

/// Field by field.
pub fn sum(a: Counters, b: &Counters) -> Counters {
    Counters {
        instructions: a.instructions + b.instructions,
        thread_instructions: a.thread_instructions + b.thread_instructions,
        branches: a.branches + b.branches,
        divergent_branches: a.divergent_branches + b.divergent_branches,
        global_load_requests: a.global_load_requests + b.global_load_requests,
        global_load_sectors: a.global_load_sectors + b.global_load_sectors,
        global_load_bytes: a.global_load_bytes + b.global_load_bytes,
        global_store_requests: a.global_store_requests + b.global_store_requests,
        global_store_sectors: a.global_store_sectors + b.global_store_sectors,
        global_store_bytes: a.global_store_bytes + b.global_store_bytes,
        shared_load_requests: a.shared_load_requests + b.shared_load_requests,
        shared_load_wavefronts: a.shared_load_wavefronts + b.shared_load_wavefronts,
        shared_store_requests: a.shared_store_requests + b.shared_store_requests,
        shared_store_wavefronts: a.shared_store_wavefronts + b.shared_store_wavefronts,
        shared_bank_conflicts: a.shared_bank_conflicts + b.shared_bank_conflicts,
        local_loads: a.local_loads + b.local_loads,
        local_stores: a.local_stores + b.local_stores,
        global_atomics: a.global_atomics + b.global_atomics,
        shared_atomics: a.shared_atomics + b.shared_atomics,
        barriers: a.barriers + b.barriers,
        warp_barriers: a.warp_barriers + b.warp_barriers,
        shuffles: a.shuffles + b.shuffles,
        votes: a.votes + b.votes,
        flops: a.flops + b.flops,
    }
}

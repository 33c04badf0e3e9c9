//! What a run leaves behind besides its verdict: summaries of outputs, files, sums of counters.

use super::case::explain;
use super::judge::{PIECE, read_all};
use crate::backend::machine::Session;
use crate::backend::{BufferSummary, JobError};
use plan::{Buffer, Plan, Role};
use std::io::{BufWriter, Write};
use std::path::Path;
use system::files::Replacement;
use values::compare::{real, value};
use values::npy;

/// What outputs hold, where no oracle judges them.
pub fn summaries(session: &mut dyn Session, plan: &Plan, poison: u8) -> Result<Vec<BufferSummary>, JobError> {
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
pub fn write_dump(session: &mut dyn Session, plan: &Plan, name: &str, path: &Path) -> Result<(), JobError> {
    let failed = |message: String| JobError::Write { path: path.to_owned(), message };
    let (index, buffer) = plan
        .buffers
        .iter()
        .enumerate()
        .find(|(_, buffer)| buffer.name == name)
        .ok_or_else(|| failed(format!("no buffer `{name}` to write there")))?;
    let bytes = buffer.len as usize * buffer.dtype.size();
    let file = Replacement::of(path).map_err(|error| failed(error.to_string()))?;
    let mut file = BufWriter::new(file);
    npy::write_header(&mut file, buffer.dtype, buffer.len).map_err(|error| failed(error.to_string()))?;
    let mut piece = vec![0; PIECE.min(bytes)];
    for offset in (0..bytes).step_by(PIECE) {
        let part = &mut piece[..PIECE.min(bytes - offset)];
        session.read(index, offset as u64, part).map_err(|stop| failed(explain(&stop)))?;
        file.write_all(part).map_err(|error| failed(error.to_string()))?;
    }
    let file = file.into_inner().map_err(|error| failed(error.to_string()))?;
    file.finish().map_err(|error| failed(error.to_string()))
}

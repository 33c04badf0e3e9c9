//! What a device can do at best, which no kernel is faster than.

use crate::CheckError;
use crate::time::{Tools, driver};
use compiler::toolchain::{Toolchain, home::Home};
use execution::backend::{self, DeviceInfo, Measure, Status, WorkerOptions};
use execution::measure::{Peak, RoofValues, Timed};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// By so much a roof that is measured anew has to be higher, or it is the same one.
const HIGHER: f64 = 1.02;

/// The least share of the device's peak that a roof is believed at for good: copies, reads, arithmetic. Alone an H200 comes to 0.87, 0.93 and
/// 0.97; beside five others it came to 0.16, 0.93 and 0.19. Arithmetic is held back by the power that a card may draw, too.
const SHARES: [f64; 3] = [0.75, 0.75, 0.5];
/// A lower one is measured anew after so long: others may have used the device.
const BELIEVED: Duration = Duration::from_secs(60);

/// The device's roof: measured once, then kept by device and driver.
pub fn roof(toolchain: &Toolchain, info: &DeviceInfo) -> Result<RoofValues, CheckError> {
    let path = kept(info);
    let known = system::files::read_named(&path, 1 << 20)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<RoofValues>(&bytes).ok())
        // An older one does not know the L2 cache.
        .filter(|roof| roof.l2_gb_per_s > 0.0);
    let young = || {
        path.metadata().and_then(|about| about.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age < BELIEVED))
    };
    match known {
        Some(roof) if is_likely(&roof, &Peak::of(info)) || young() => Ok(roof),
        known => {
            let fresh = fresh(toolchain, info, &WorkerOptions::default())?;
            let roof = match known {
                Some(known) => higher(&known, fresh).unwrap_or(known),
                None => fresh,
            };
            keep(info, &roof);
            Ok(roof)
        }
    }
}

/// Can it be what the device does alone?
fn is_likely(roof: &RoofValues, peak: &Peak) -> bool {
    let rates = [
        (roof.copy_gb_per_s, peak.memory_gb_per_s),
        (roof.read_gb_per_s, peak.memory_gb_per_s),
        (roof.fma_gflop_per_s, peak.fma_gflop_per_s),
    ];
    rates.iter().zip(SHARES).all(|((rate, peak), share)| peak.is_none_or(|peak| *rate >= share * peak))
}

/// The least times of timings under a roof, in microseconds.
type Least<'l> = dyn Fn(&RoofValues) -> Result<Vec<Option<f64>>, CheckError> + 'l;

/// Measures under the device's roof. Where something is faster than the device can be, the roof is measured anew: what else ran there when
/// it was measured may have held it back, and it is kept for long. Under a higher one all is measured once more.
pub fn timed(
    toolchain: &Toolchain,
    info: &DeviceInfo,
    mut job: Measure,
    options: &WorkerOptions,
    least: &Least<'_>,
) -> Result<Vec<Timed>, CheckError> {
    let mut measure = |roof: &RoofValues| -> Result<Vec<Timed>, CheckError> {
        for (timing, least) in job.timings.iter_mut().zip(least(roof)?) {
            timing.least_us = least;
        }
        Ok(backend::measure(&job, options)?)
    };
    let known = roof(toolchain, info)?;
    let timed = measure(&known)?;
    let impossible = timed.iter().any(|timed| matches!(timed.status, Status::Impossible { .. }));
    if !impossible || options.until.is_some_and(|until| Instant::now() >= until) {
        return Ok(timed);
    }
    let anew = fresh(toolchain, info, &WorkerOptions { until: options.until, ..WorkerOptions::default() })?;
    let Some(higher) = higher(&known, anew) else { return Ok(timed) };
    keep(info, &higher);
    measure(&higher)
}

/// Measures it, whatever is known.
pub fn fresh(toolchain: &Toolchain, info: &DeviceInfo, options: &WorkerOptions) -> Result<RoofValues, CheckError> {
    let tools = Tools::build(toolchain, &info.arch)?;
    Ok(backend::roof(info.ordinal, &tools.artefact(), options)?)
}

/// The better of both, if the second is the better one anywhere.
fn higher(known: &RoofValues, fresh: RoofValues) -> Option<RoofValues> {
    let pairs = [
        (known.copy_gb_per_s, fresh.copy_gb_per_s),
        (known.read_gb_per_s, fresh.read_gb_per_s),
        (known.l2_gb_per_s, fresh.l2_gb_per_s),
        (known.fma_gflop_per_s, fresh.fma_gflop_per_s),
    ];
    if pairs.iter().all(|(known, fresh)| *fresh <= known * HIGHER) {
        return None;
    }
    let [copy_gb_per_s, read_gb_per_s, l2_gb_per_s, fma_gflop_per_s] = pairs.map(|(known, fresh)| known.max(fresh));
    Some(RoofValues { copy_gb_per_s, read_gb_per_s, l2_gb_per_s, fma_gflop_per_s, ..fresh })
}

fn kept(info: &DeviceInfo) -> PathBuf {
    let key: String = format!("roof-{}-{}", info.uuid, driver(info))
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' })
        .collect();
    Home::from_environment().probes().join(key + ".json")
}

/// A cache only: a disk that cannot be written costs the next run some time.
fn keep(info: &DeviceInfo, roof: &RoofValues) {
    let kept = kept(info);
    if let (Some(folder), Ok(bytes)) = (kept.parent(), serde_json::to_vec(roof)) {
        let _ = std::fs::create_dir_all(folder).map(|()| system::files::replace(&kept, &bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_roof_is_the_better_of_both_and_noise_is_none() {
        let roof = |copy: f64, read: f64| RoofValues {
            copy_gb_per_s: copy,
            read_gb_per_s: read,
            l2_gb_per_s: 9000.0,
            fma_gflop_per_s: 5e4,
            kernels: Vec::new(),
            clock_mhz: 1980.0,
        };
        assert_eq!(higher(&roof(4000.0, 4500.0), roof(4040.0, 4000.0)), None);
        let found = higher(&roof(2000.0, 4500.0), roof(4040.0, 4400.0)).expect("twice as much");
        assert_eq!((found.copy_gb_per_s, found.read_gb_per_s), (4040.0, 4500.0));
    }

    #[test]
    fn what_was_measured_beside_others_is_not_believed_for_good() {
        // Of an H200, alone and beside five others.
        let peak = Peak { l2_bytes: 5e7, memory_gb_per_s: Some(4916.7), fma_gflop_per_s: Some(66_908.0) };
        let roof = |copy_gb_per_s, fma_gflop_per_s| RoofValues {
            copy_gb_per_s,
            read_gb_per_s: 4570.0,
            l2_gb_per_s: 8162.0,
            fma_gflop_per_s,
            kernels: Vec::new(),
            clock_mhz: 1976.0,
        };
        assert!(is_likely(&roof(4286.0, 65_128.0), &peak));
        assert!(!is_likely(&roof(772.0, 65_128.0), &peak));
        assert!(!is_likely(&roof(4286.0, 12_995.0), &peak));
        assert!(is_likely(&roof(772.0, 12_995.0), &Peak { memory_gb_per_s: None, fma_gflop_per_s: None, ..peak }));
    }
}

//! The least time that a problem's work takes on a device. Who is faster has left work out: such a time is IMPOSSIBLE.

use super::outcome::RoofValues;
use crate::backend::{DeviceInfo, L2State};

/// What a time may be below the roof's: the roof is itself a median of measurements, events have a resolution of half a
/// microsecond, and the clock of the one moment is not that of the other. The best kernels of the book come to 1.003 of it.
const MARGIN: f64 = 0.9;
/// Lanes of an SM for single precision: multiply-adds a cycle (CUDA Programming Guide, "Throughput of Native Arithmetic Instructions").
const FP32_LANES: [(&str, u32); 7] =
    [("sm_75", 64), ("sm_80", 64), ("sm_86", 128), ("sm_89", 128), ("sm_90", 128), ("sm_100", 128), ("sm_120", 128)];
/// Working sets of fewer cache sizes than this may lie in the L2 cache in part, whatever was done to empty it.
const CACHES: f64 = 4.0;

/// What has to be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FloorWork {
    /// Bytes that have to be moved.
    pub bytes: Option<f64>,
    /// Operations in single precision that have to be made.
    pub flops: Option<f64>,
    /// What may lie in the cache.
    pub cache: L2State,
}

/// What a device's clocks and units come to, which nothing exceeds; `None` where they are not known. A roof that was measured while others
/// used the device is too low, and so it can blame those who were luckier; this one is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// Bytes of the L2 cache.
    pub l2_bytes: f64,
    /// GB/s of memory.
    pub memory_gb_per_s: Option<f64>,
    /// GFLOP/s in single precision, a multiply-add being two.
    pub fma_gflop_per_s: Option<f64>,
}

impl Peak {
    /// Of a device.
    pub fn of(device: &DeviceInfo) -> Self {
        let known = |value: f64| Some(value).filter(|value| *value > 0.0);
        // Two words of the bus a clock: as the driver states the clock, whatever kind the memory is of.
        let memory = 2.0 * f64::from(device.memory_clock_khz) * f64::from(device.memory_bus_bits) / 8.0;
        let lanes = FP32_LANES.iter().find(|(arch, _)| *arch == device.arch).map(|(_, lanes)| f64::from(*lanes));
        Self {
            l2_bytes: device.l2_bytes as f64,
            memory_gb_per_s: known(memory / 1e6),
            fma_gflop_per_s: lanes
                .and_then(|lanes| known(2.0 * lanes * f64::from(device.sms) * f64::from(device.clock_khz) / 1e6)),
        }
    }
}

impl FloorWork {
    /// The least time in microseconds on a device with this roof, the margin taken off, or that of its peak if it is shorter; `None` where
    /// nothing is known.
    pub fn least_us(&self, roof: &RoofValues, peak: &Peak) -> Option<f64> {
        let memory = roof.copy_gb_per_s.max(roof.read_gb_per_s);
        // The cache's peak is not known.
        let rates = |bytes: f64| match self.cache {
            L2State::Cold if bytes > CACHES * peak.l2_bytes => (memory, peak.memory_gb_per_s),
            // The faster of the two, so that a roof that was measured badly blames nobody.
            _ if roof.l2_gb_per_s > 0.0 => (roof.l2_gb_per_s.max(memory), None),
            _ => (f64::INFINITY, None),
        };
        // A thousand operations or bytes a microsecond are 1e9 a second.
        let time = |work: f64, (rate, peak): (f64, Option<f64>)| {
            let at = |rate: f64| if work > 0.0 && rate > 0.0 { work / (rate * 1e3) } else { 0.0 };
            peak.map_or(f64::INFINITY, at).min(MARGIN * at(rate))
        };
        let moving = self.bytes.map_or(0.0, |bytes| time(bytes, rates(bytes)));
        let computing = self.flops.map_or(0.0, |flops| time(flops, (roof.fma_gflop_per_s, peak.fma_gflop_per_s)));
        Some(moving.max(computing)).filter(|us| *us > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOF: RoofValues = RoofValues {
        copy_gb_per_s: 4000.0,
        read_gb_per_s: 4200.0,
        l2_gb_per_s: 8000.0,
        fma_gflop_per_s: 60_000.0,
        kernels: Vec::new(),
        clock_mhz: 1980.0,
    };
    const UNKNOWN: Peak = Peak { l2_bytes: 50e6, memory_gb_per_s: None, fma_gflop_per_s: None };
    /// Of an H200: 3201 MHz and 6144 bits; 132 SMs at 1980 MHz.
    const PEAK: Peak = Peak { memory_gb_per_s: Some(4916.7), fma_gflop_per_s: Some(66_908.0), ..UNKNOWN };

    fn least(bytes: Option<f64>, flops: Option<f64>, cache: L2State) -> Option<f64> {
        FloorWork { bytes, flops, cache }.least_us(&ROOF, &UNKNOWN)
    }

    #[test]
    fn large_data_comes_from_memory_and_small_from_the_cache() {
        assert_eq!(least(Some(4.2e9), None, L2State::Cold), Some(900.0));
        assert_eq!(least(Some(8e6), None, L2State::Cold), Some(0.9));
        assert_eq!(least(Some(4.2e9), None, L2State::Warm), Some(0.9 * 525.0));
        // The attack of issue 8: 512 MiB in a tenth of the time that they take.
        assert!(least(Some(536_870_912.0), None, L2State::Cold).is_some_and(|least| least > 115.0 && least < 140.0));
    }

    #[test]
    fn operations_count_where_they_take_longer() {
        assert_eq!(least(Some(4.2e6), Some(6e9), L2State::Cold), Some(90.0));
        assert_eq!(least(None, Some(6e7), L2State::Warm), Some(0.9));
    }

    #[test]
    fn nothing_stated_and_nothing_measured_blames_nobody() {
        assert_eq!(least(None, None, L2State::Cold), None);
        assert_eq!(least(Some(0.0), None, L2State::Cold), None);
        let unmeasured = RoofValues { l2_gb_per_s: 0.0, ..ROOF };
        assert_eq!(
            FloorWork { bytes: Some(1e6), flops: None, cache: L2State::Warm }.least_us(&unmeasured, &UNKNOWN),
            None
        );
    }

    #[test]
    fn a_roof_that_was_measured_beside_others_blames_nobody() {
        let shared = RoofValues { copy_gb_per_s: 2000.0, read_gb_per_s: 2100.0, fma_gflop_per_s: 44_000.0, ..ROOF };
        let least = |bytes, flops| FloorWork { bytes, flops, cache: L2State::Cold }.least_us(&shared, &PEAK);
        assert_eq!(least(Some(4.9167e9), None), Some(1000.0));
        assert_eq!(least(None, Some(66.908e9)), Some(1000.0));
        let work = FloorWork { bytes: Some(4.2e9), flops: None, cache: L2State::Cold };
        assert_eq!(work.least_us(&shared, &UNKNOWN), Some(1800.0));
    }

    #[test]
    fn a_peak_is_of_clocks_and_units() {
        let device = DeviceInfo {
            arch: "sm_90".into(),
            sms: 132,
            l2_bytes: 50_000_000,
            clock_khz: 1_980_000,
            memory_clock_khz: 3_201_000,
            memory_bus_bits: 6144,
            ..DeviceInfo::default()
        };
        let peak = Peak::of(&device);
        assert!(peak.memory_gb_per_s.is_some_and(|rate| (rate - 4916.7).abs() < 0.1), "{peak:?}");
        assert!(peak.fma_gflop_per_s.is_some_and(|rate| (rate - 66_908.0).abs() < 1.0), "{peak:?}");
        let unknown = DeviceInfo { arch: "sm_990".into(), memory_clock_khz: 0, ..device };
        let unknown = Peak::of(&unknown);
        assert_eq!((unknown.memory_gb_per_s, unknown.fma_gflop_per_s), (None, None));
    }
}

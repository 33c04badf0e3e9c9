//! The least time that a problem's work takes on a device. Who is faster has left work out: such a time is IMPOSSIBLE.

use super::outcome::RoofValues;
use crate::backend::L2State;

/// What a time may be below the roof's: the roof is itself a median of measurements, events have a resolution of half a
/// microsecond, and the clock of the one moment is not that of the other. The best kernels of the book come to 1.003 of it.
const MARGIN: f64 = 0.9;
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

impl FloorWork {
    /// The least time in microseconds on a device with this roof and this L2 cache, the margin taken off; `None` where nothing is
    /// known.
    pub fn least_us(&self, roof: &RoofValues, l2_bytes: f64) -> Option<f64> {
        let memory = roof.copy_gb_per_s.max(roof.read_gb_per_s);
        let rate = |bytes: f64| match self.cache {
            L2State::Cold if bytes > CACHES * l2_bytes => memory,
            // The faster of the two, so that a roof that was measured badly blames nobody.
            _ if roof.l2_gb_per_s > 0.0 => roof.l2_gb_per_s.max(memory),
            _ => f64::INFINITY,
        };
        // A thousand operations or bytes a microsecond are 1e9 a second.
        let time = |work: f64, rate: f64| if work > 0.0 && rate > 0.0 { work / (rate * 1e3) } else { 0.0 };
        let moving = self.bytes.map_or(0.0, |bytes| time(bytes, rate(bytes)));
        let computing = self.flops.map_or(0.0, |flops| time(flops, roof.fma_gflop_per_s));
        Some(MARGIN * moving.max(computing)).filter(|us| *us > 0.0)
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
    const L2: f64 = 50e6;

    fn least(bytes: Option<f64>, flops: Option<f64>, cache: L2State) -> Option<f64> {
        FloorWork { bytes, flops, cache }.least_us(&ROOF, L2)
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
        assert_eq!(FloorWork { bytes: Some(1e6), flops: None, cache: L2State::Warm }.least_us(&unmeasured, L2), None);
    }
}

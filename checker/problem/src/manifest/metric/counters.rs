//! How reports call the simulator's counters, quotients and sums: a row each, in a report's order. What each counts stands
//! in [`simulator::counters`].

use super::Better::{self, Less, More, Neither};
use super::Shown::{self, Always, Changed, Never};

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct CounterRow {
    /// The name behind `count.`.
    pub name: &'static str,
    /// In reports.
    pub label: &'static str,
    /// Which way is good.
    pub better: Better,
    /// When it is worth a line.
    pub shown: Shown,
}

const fn row(name: &'static str, label: &'static str, better: Better, shown: Shown) -> CounterRow {
    CounterRow { name, label, better, shown }
}

/// Every counter, quotient and sum.
pub const COUNTERS: &[CounterRow] = &[
    row("warps", "warps", Neither, Never),
    row("instructions", "warp instructions", Less, Always),
    row("instructions_per_warp", "instructions per warp", Less, Never),
    row("active_thread_instructions", "active lanes' instructions", Less, Never),
    row("thread_instructions", "thread instructions", Less, Never),
    row("thread_fp16", "half-precision thread instructions", Neither, Never),
    row("thread_fp32", "single-precision thread instructions", Neither, Never),
    row("thread_fp64", "double-precision thread instructions", Neither, Never),
    row("thread_special", "special-function thread instructions", Neither, Never),
    row("thread_integer", "integer thread instructions", Neither, Never),
    row("thread_conversion", "conversion thread instructions", Neither, Never),
    row("thread_control", "control thread instructions", Neither, Never),
    row("thread_memory", "memory thread instructions", Neither, Never),
    row("thread_exchange", "exchange thread instructions", Neither, Never),
    row("thread_matrix", "matrix thread instructions", Neither, Never),
    row("thread_other", "other thread instructions", Neither, Never),
    row("lane_efficiency", "lane efficiency", More, Always),
    row("idle_lanes", "idle lane slots", Less, Never),
    row("warp_execution_efficiency", "warp execution efficiency", More, Never),
    row("control_flow_divergence", "control-flow divergence", Less, Never),
    row("branches", "branches", Less, Never),
    row("divergent_branches", "divergent branches", Less, Changed),
    row("branch_efficiency", "branch efficiency", More, Never),
    row("branch_divergence", "branch divergence", Less, Never),
    row("global_load_requests", "global load requests", Less, Changed),
    row("global_load_sectors", "global load sectors", Less, Changed),
    row("global_load_bytes", "global load bytes", Less, Never),
    row("global_polls", "global polls", Neither, Never),
    row("global_load_sectors_per_request", "sectors per load request", Neither, Never),
    row("global_load_bytes_per_request", "bytes per load request", Neither, Never),
    row("global_load_efficiency", "global load efficiency", More, Never),
    row("global_store_requests", "global store requests", Less, Changed),
    row("global_store_sectors", "global store sectors", Less, Changed),
    row("global_store_bytes", "global store bytes", Less, Never),
    row("global_store_sectors_per_request", "sectors per store request", Neither, Never),
    row("global_store_efficiency", "global store efficiency", More, Never),
    row("global_atomics", "global atomics", Less, Changed),
    row("global_atomic_requests", "global atomic requests", Less, Never),
    row("global_atomic_sectors", "global atomic sectors", Less, Never),
    row("global_atomic_return_sectors", "sectors atomics bring back", Less, Never),
    row("global_atomic_sectors_per_request", "sectors per atomic request", Neither, Never),
    row("global_read_sectors", "global sectors read", Less, Never),
    row("global_sectors", "global sectors in all", Less, Never),
    row("global_requests", "global requests in all", Less, Never),
    row("shared_load_requests", "shared load requests", Less, Never),
    row("shared_load_wavefronts", "shared load wavefronts", Less, Changed),
    row("shared_load_bytes", "shared load bytes", Neither, Never),
    row("shared_load_wavefronts_per_request", "wavefronts per load request", Less, Never),
    row("shared_store_requests", "shared store requests", Less, Never),
    row("shared_store_wavefronts", "shared store wavefronts", Less, Changed),
    row("shared_store_bytes", "shared store bytes", Neither, Never),
    row("shared_store_wavefronts_per_request", "wavefronts per store request", Less, Never),
    row("shared_bank_conflicts", "shared bank conflicts", Less, Changed),
    row("shared_efficiency", "shared memory efficiency", More, Never),
    row("shared_atomics", "shared atomics", Less, Changed),
    row("shared_atomic_requests", "shared atomic requests", Less, Never),
    row("shared_wavefronts", "shared wavefronts in all", Less, Never),
    row("atomics", "atomics in all", Less, Never),
    row("constant_loads", "constant memory loads", Neither, Never),
    row("constant_load_bytes", "constant memory bytes", Neither, Never),
    row("constant_load_wavefronts", "constant memory wavefronts", Neither, Never),
    row("local_loads", "local memory loads", Less, Changed),
    row("local_load_sectors", "local load sectors", Less, Never),
    row("local_load_sectors_per_request", "sectors per local load", Neither, Never),
    row("local_stores", "local memory stores", Less, Changed),
    row("local_store_sectors", "local store sectors", Less, Never),
    row("local_store_sectors_per_request", "sectors per local store", Neither, Never),
    row("local_sectors", "local sectors in all", Less, Never),
    row("local_memory_overhead", "local memory overhead", Less, Never),
    row("barriers", "block barriers", Less, Changed),
    row("warp_barriers", "warp barriers", Neither, Changed),
    row("fences", "memory fences", Neither, Never),
    row("shuffles", "shuffles", Neither, Changed),
    row("votes", "votes, matches, redux", Neither, Changed),
    row("match_values", "different values of match.any", Less, Changed),
    row("long_divisions", "divisions and roots the long way", Less, Changed),
    row("flops", "floating-point operations", Neither, Changed),
    row("flops_fp16", "in half precision", Neither, Never),
    row("flops_fp32", "in single precision", Neither, Never),
    row("flops_fp64", "in double precision", Neither, Never),
    row("double_precision", "double precision in any way", Neither, Never),
    row("flops_matrix", "of matrix products", Neither, Never),
    row("instructions_per_byte", "instructions per byte", Neither, Never),
    row("flops_per_byte", "operations per byte", Neither, Never),
];

#[cfg(test)]
mod tests {
    use super::super::{Metric, Unit};
    use super::COUNTERS;
    use simulator::Counters;
    use simulator::counters::{self, Ratio, Sum};

    #[test]
    fn every_counter_and_quotient_has_a_row() {
        let names = Counters::FIELDS.iter().map(|field| field.name).chain(Ratio::ALL.iter().map(|ratio| ratio.name()));
        let names: Vec<&str> = names.chain(Sum::ALL.iter().map(|sum| sum.name())).collect();
        for name in &names {
            assert_eq!(COUNTERS.iter().filter(|row| row.name == *name).count(), 1, "{name}");
            let metric = Metric::parse(&format!("count.{name}")).expect(name);
            let percent = Ratio::by_name(name).is_some_and(|ratio| ratio.unit() != counters::Unit::Number);
            assert_eq!(metric.unit().symbol() == "%", percent, "{name}");
            assert_eq!(metric.unit() == Unit::Count, Ratio::by_name(name).is_none(), "{name}");
        }
        assert_eq!(COUNTERS.len(), names.len());
    }
}

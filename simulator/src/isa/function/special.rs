//! Special registers by name.

#[cfg(not(target_family = "wasm"))]
use crate::isa::op::ClusterSpecial;
use crate::isa::op::Special;

/// A special register and whether it is 64 bits wide.
pub fn register(name: &str) -> Option<(Special, bool)> {
    let (base, part) = match name.rsplit_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        Some((base, "w")) => (base, 3),
        _ => (name, 0),
    };
    let narrow = match base {
        "%tid" => Special::Tid(part),
        "%ntid" => Special::Ntid(part),
        "%ctaid" => Special::Ctaid(part),
        "%nctaid" => Special::Nctaid(part),
        "%laneid" => Special::Laneid,
        "%warpid" => Special::Warpid,
        "%nwarpid" => Special::Nwarpid,
        "%smid" => Special::Smid,
        "%nsmid" => Special::Nsmid,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%clock" => Special::Clock,
        "%clock_hi" => Special::ClockHi,
        "%globaltimer_lo" => Special::GlobaltimerLo,
        "%globaltimer_hi" => Special::GlobaltimerHi,
        "%dynamic_smem_size" => Special::DynamicSmemSize,
        "%total_smem_size" => Special::TotalSmemSize,
        "%aggr_smem_size" => Special::AggregateSmemSize,
        _ if base.contains("cluster") => cluster(base, part)?,
        "%reserved_smem_offset_end" | "%reserved_smem_offset_cap" => Special::ReservedSmem,
        "%reserved_smem_offset_1" => Special::ReservedForTiles,
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_0" => Special::Zero,
        "%clock64" => return Some((Special::Clock64, true)),
        "%globaltimer" => return Some((Special::Globaltimer, true)),
        "%gridid" => return Some((Special::Gridid, true)),
        // Where a cooperative grid meets.
        "%envreg1" => Special::Envreg(1),
        "%envreg2" => Special::Envreg(2),
        // What the driver, a profiler or a graph has put there is nobody's to rely on, and is not made up: `%envreg<32>`, `%pm<8>`,
        // `%current_graph_exec`.
        _ => return None,
    };
    Some((narrow, false))
}

/// A special register of clusters.
#[cfg(not(target_family = "wasm"))]
fn cluster(name: &str, part: u8) -> Option<Special> {
    Some(Special::Cluster(match name {
        "%clusterid" => ClusterSpecial::Id(part),
        "%nclusterid" => ClusterSpecial::Count(part),
        "%cluster_ctaid" => ClusterSpecial::Block(part),
        "%cluster_nctaid" => ClusterSpecial::Blocks(part),
        "%cluster_ctarank" => ClusterSpecial::Rank,
        "%cluster_nctarank" => ClusterSpecial::Ranks,
        "%is_explicit_cluster" => ClusterSpecial::Explicit,
        _ => return None,
    }))
}

/// Where clusters are not simulated, each has one block.
#[cfg(target_family = "wasm")]
fn cluster(name: &str, part: u8) -> Option<Special> {
    Some(match name {
        "%clusterid" => Special::Ctaid(part),
        "%nclusterid" => Special::Nctaid(part),
        "%cluster_ctaid" | "%cluster_ctarank" | "%is_explicit_cluster" => Special::Zero,
        "%cluster_nctaid" | "%cluster_nctarank" => Special::One,
        _ => return None,
    })
}

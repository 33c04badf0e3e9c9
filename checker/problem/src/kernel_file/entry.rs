//! What a kernel's head in PTX asks of a launch: sizes of its parameters and the block size it was compiled for.

use crate::error::LineError;
use crate::kernel_file::KernelFile;
use crate::signature::{self, Param};
use plan::Plan;
use simulator::outline::{Head, Outline};
use std::collections::BTreeMap;

/// What the head of an `.entry` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Most threads of a block: `.maxntid` or `.reqntid`, from `__launch_bounds__`.
    pub max_threads: Option<u32>,
    /// The only block that it takes: `.reqntid`, from `__block_size__`.
    pub required: Option<[u32; 3]>,
    /// The extents of its clusters in blocks: `.reqnctapercluster`, from `__cluster_dims__`.
    pub cluster: Option<[u32; 3]>,
}

impl Entry {
    fn of(head: &Head) -> Self {
        let sizes: Vec<u32> = head.params.iter().map(|param| param.size).collect();
        let params = signature::parameters(&head.name, &sizes);
        Self { params, max_threads: head.max_threads, required: head.required_block, cluster: head.cluster }
    }
}

/// What all kernels of a module ask, by symbol. A version is planned at dozens of sizes, and symbols are slow to read: once is
/// enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entries(BTreeMap<String, Entry>);

impl Entries {
    /// Reads them.
    pub fn of(outline: &Outline) -> Self {
        Self(outline.kernels.iter().map(|head| (head.name.clone(), Entry::of(head))).collect())
    }

    /// The kernel of that symbol.
    pub fn find(&self, symbol: &str) -> Option<&Entry> {
        self.0.get(symbol)
    }
}

/// Threads of a block, or blocks of a cluster, of these extents.
fn threads_of(block: [u32; 3]) -> u32 {
    block.iter().fold(1, |all, extent| all.saturating_mul(*extent))
}

/// Blocks that a cluster has on any device that knows clusters.
const MAX_CLUSTER: u32 = 8;

/// What is wrong with the clusters of a launch of a kernel that was compiled for clusters of these extents.
fn misfit(kernel: &str, compiled: Option<[u32; 3]>, launch: &plan::Launch) -> Option<String> {
    let cluster = compiled.or(launch.cluster).filter(|_| cfg!(not(target_family = "wasm")))?;
    let extents = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let from = if compiled.is_some() { " (__cluster_dims__)" } else { "" };
    if let Some(asked) = launch.cluster.filter(|asked| *asked != cluster) {
        let [asked, cluster] = [asked, cluster].map(extents);
        return Some(format!("clusters of {asked} blocks, but `{kernel}` is compiled for clusters of {cluster}{from}"));
    }
    let blocks = threads_of(cluster);
    let (size, grid) = (extents(cluster), extents(launch.grid));
    if blocks > MAX_CLUSTER {
        return Some(format!(
            "clusters of {size} blocks{from}, {blocks} in all: every device that knows clusters takes {MAX_CLUSTER}, not every one more"
        ));
    }
    let whole = launch.grid.iter().zip(cluster).all(|(grid, cluster)| grid % cluster.max(1) == 0);
    (!whole).then(|| {
        format!(
            "a grid of {grid} blocks, but `{kernel}` is launched in clusters of {size}{from}: each has to be a multiple"
        )
    })
}

/// Checks every launch of a plan against the compiled kernels: that they are there, take these arguments (which become
/// what the parameters take) and a block of this size.
///
/// `names` maps name expressions to symbols, as the compiler gave them.
///
/// # Errors
///
/// The first launch that cannot be made, at its place in the file.
pub fn check_plan(
    file: &KernelFile,
    plan: &mut Plan,
    names: &BTreeMap<String, String>,
    entries: &Entries,
) -> Result<(), LineError> {
    for index in 0..plan.launches.len() {
        let launch = &plan.launches[index];
        let kernel = launch.kernel.clone();
        let symbol = names.get(&kernel).map_or(kernel.as_str(), String::as_str);
        let Some(entry) = entries.find(symbol) else { return Err(file.missing_kernel(&kernel)) };
        let threads = threads_of(launch.block);
        if let Some([x, y, z]) = entry.required.filter(|required| *required != launch.block) {
            let [a, b, c] = launch.block;
            let message = format!(
                "a block of {a} x {b} x {c} threads, but `{kernel}` is compiled for exactly {x} x {y} x {z}: .reqntid"
            );
            return Err(file.line(launch.line).error(file.launch_column(launch.line), message));
        }
        if let Some(most) = entry.max_threads.filter(|most| threads > *most) {
            let message = format!(
                "a block of {threads} threads, but `{kernel}` is compiled for at most {most}: __launch_bounds__"
            );
            return Err(file.line(launch.line).error(file.launch_column(launch.line), message));
        }
        if let Some(message) = misfit(&kernel, entry.cluster, launch) {
            return Err(file.line(launch.line).error(file.launch_column(launch.line), message));
        }
        signature::check(file, plan, index, &entry.params)?;
    }
    Ok(())
}

impl KernelFile {
    /// Column of the kernel's name in the launch on that line; 1 when there is none.
    pub fn launch_column(&self, line: u32) -> u32 {
        self.launch_on(line).map_or(1, |launch| launch.kernel.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceShape, PlanContext, Sizes};
    use std::path::Path;

    /// Heads as NVRTC 13 writes them.
    const PTX: &str = ".version 9.3\n.target sm_90\n\
        .visible .entry _Z4treePKfPfi8(\n\t.param .u64 .ptr .align 1 _Z4treePKfPfi8_param_0\n)\n{\n\tret;\n}\n\
        .visible .entry _Z4treePKfPfi(\n\
        \t.param .u64 .ptr .align 1 _Z4treePKfPfi_param_0,\n\
        \t.param .u64 .ptr .align 1 _Z4treePKfPfi_param_1,\n\
        \t.param .u32 _Z4treePKfPfi_param_2\n)\n.maxntid 256\n.minnctapersm 2\n{\n\tret;\n}\n\
        .visible .entry plain(\n\t.param .f64 plain_param_0,\n\t.param .align 4 .b8 plain_param_1[12]\n)\n\
        .reqntid 8, 4, 1\n{\n}\n\
        .visible .entry _Z4nonev()\n{\n}\n";

    #[test]
    fn heads_give_parameters_and_bounds() {
        let entries = |ptx: &str| Entries::of(&Outline::read(ptx));
        let find = |ptx: &str, symbol: &str| entries(ptx).find(symbol).cloned();
        let tree = find(PTX, "_Z4treePKfPfi").unwrap();
        assert_eq!((tree.params.len(), tree.max_threads), (3, Some(256)));
        assert!(matches!(&tree.params[0], Param::Pointer { ty, .. } if ty == "const float*"), "{tree:?}");
        let plain = find(PTX, "plain").unwrap();
        assert_eq!(plain.params, [Param::Opaque { bytes: 8 }, Param::Opaque { bytes: 12 }]);
        assert_eq!((plain.max_threads, plain.required), (Some(32), Some([8, 4, 1])));
        assert_eq!(
            find(PTX, "_Z4nonev"),
            Some(Entry { params: vec![], max_threads: None, required: None, cluster: None })
        );
        assert_eq!(find(PTX, "_Z4tree"), None);
        assert_eq!(find("", "plain"), None);
        assert_eq!(find(".entry plain(", "plain"), None);
    }

    #[test]
    fn launches_are_checked_against_the_compiled_kernels() {
        let plan_with = |launch: &str| {
            let text = format!(
                "__global__ void tree(const float *, float *, int) {{}}\n__device__ void helper() {{}}\n\
                 //@ in a: f32[8] = iota\n//@ out c: f32[8]\n//@ launch {launch}\n"
            );
            let file = KernelFile::parse(Path::new("k.cu"), &text).unwrap();
            let context =
                PlanContext { sizes: Sizes::new(), device: DeviceShape::H200, active_blocks: &|_, _, _| Ok(1) };
            let mut plan = file.plan(&context, &[]).unwrap();
            let names = BTreeMap::from([("tree".to_string(), "_Z4treePKfPfi".to_string())]);
            check_plan(&file, &mut plan, &names, &Entries::of(&Outline::read(PTX))).map(|()| plan)
        };
        assert!(plan_with("tree<<<1, 256>>>(a, c, 8)").is_ok());
        let cases = [
            ("tree<<<1, 512>>>(a, c, 8)", "5:12: a block of 512 threads, but `tree` is compiled for at most 256"),
            ("tree<<<1, 256>>>(a, c)", "5:12: `tree` takes 3 arguments, the launch gives 2"),
            ("tree<<<1, 256>>>(a, 3, 8)", "5:32: argument 2 of `tree` is `float*`, but 3 is an integer"),
            ("helper<<<1, 256>>>()", "5:12: no kernel `helper` in this file; it has `tree`"),
        ];
        for (launch, says) in cases {
            let error = plan_with(launch).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}

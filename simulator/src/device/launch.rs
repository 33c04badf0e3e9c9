//! Runs a kernel: with observers, without, over several host threads.

use super::Device;
use super::error::LaunchError;
use super::history::History;
#[cfg(feature = "threads")]
use super::shares::Shared;
use crate::appearance::Appearance;
use crate::exec::context::Context;
use crate::exec::defined::Defined;
use crate::exec::grid::{self, Outcome, Part};
#[cfg(not(target_family = "wasm"))]
use crate::exec::kinds;
use crate::launch::Arg;
use crate::memory::global::Global;
#[cfg(not(target_family = "wasm"))]
use crate::memory::sparse::Sparse;
use crate::memory::view::View;
use crate::observe::Nobody;
use crate::sanitizer::Sanitizer;
use crate::{Config, Kernel, Launch, LaunchReport, Module};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Bytes of the cooperative grid barrier's workspace.
const WORKSPACE: u64 = 64;

impl Device {
    /// Runs a kernel to its end or its fault: a fault is a result, and in the report.
    ///
    /// # Errors
    /// It cannot be launched so: no such kernel, other arguments, a grid, block or shared memory that no device has.
    pub fn launch(&mut self, launch: &Launch) -> Result<LaunchReport, LaunchError> {
        self.launch_in_clusters(launch, None)
    }

    /// The same in clusters of so many blocks, by axis: as `cuLaunchKernelEx` with that attribute. A kernel that was compiled for clusters
    /// (`.reqnctapercluster`) has its own.
    ///
    /// # Errors
    /// As of [`Device::launch`]; and a grid that is no whole number of clusters, or clusters of more blocks than any device takes.
    pub fn launch_in_clusters(
        &mut self,
        launch: &Launch,
        cluster: Option<crate::Dim3>,
    ) -> Result<LaunchReport, LaunchError> {
        let module = Arc::clone(&self.module);
        let function = self.check(&module, (launch, cluster))?;
        let workspace = if launch.cooperative { self.workspace() } else { 0 };
        self.need_heap(&module);
        self.launches += 1;
        let stop = AtomicBool::new(false);
        let mut context = Context {
            workspace,
            launch: self.launches,
            operations: self.operations,
            heap: self.heap.as_ref(),
            #[cfg(not(target_family = "wasm"))]
            textures: &self.textures,
            interrupt: self.interrupt.as_deref(),
            ..context(&self.config, &module, function, (launch, cluster), &stop)
        };
        let checks = self.config.checks;
        let next = AtomicU64::new(0);
        let slots = self.config.resident_blocks.max(1);
        // Events are told to observers; one that looks for nothing will do.
        let told = self.config.trace.as_ref().is_some_and(|request| request.events);
        if !checks.races && !checks.uninitialised && !told {
            // Nobody kept watch over this launch: what it wrote is not known.
            self.watch = None;
            self.defined = Defined::default();
            let report = match &self.config.locality {
                #[cfg(not(target_family = "wasm"))]
                Some(request) => run_folding(&context, &mut self.global, request, &next, slots),
                _ => {
                    let outcomes = run_unwatched(&mut context, &mut self.global, &next, slots);
                    grid::report(&context, outcomes)
                }
            };
            self.operations += report.order.operations;
            self.global.launched();
            self.all_written();
            return Ok(report);
        }
        let known = self.watch.take().filter(|(for_checks, _)| *for_checks == checks);
        let (_, mut watch) = known.unwrap_or_else(|| (checks, remembering(checks, &self.history)));
        #[cfg(feature = "threads")]
        let mut outcomes =
            Shared { context: &context, global: &mut self.global, defined: &mut self.defined, kept: &mut self.shares }
                .run(&mut watch)
                .unwrap_or_default();
        #[cfg(not(feature = "threads"))]
        let mut outcomes = Vec::new();
        if outcomes.is_empty() {
            let defined = std::mem::take(&mut self.defined);
            let mut outcome = grid::work(
                &context,
                View::Alone(&mut self.global),
                &mut watch,
                defined,
                Part::from_the_row(&next, 0..slots),
            );
            self.defined = std::mem::take(&mut outcome.defined);
            outcomes.push(outcome);
        }
        let report = grid::report(&context, outcomes);
        self.operations += report.order.operations;
        self.global.launched();
        self.watch = Some((checks, watch));
        Ok(report)
    }

    /// Blocks of a launch in which something that hangs on no data, a condition or arithmetic, comes out as in none that is known: they may
    /// do what nobody has seen. Those of the rarest and of the commonest kinds come first; nothing is run.
    ///
    /// # Errors
    /// As of [`Device::launch`].
    #[cfg(not(target_family = "wasm"))]
    pub fn unlike(
        &self,
        launch: &Launch,
        cluster: Option<crate::Dim3>,
        asked: kinds::Unlike<'_>,
    ) -> Result<Vec<u64>, LaunchError> {
        let function = self.check(&self.module, (launch, cluster))?;
        let stop = AtomicBool::new(false);
        let context = context(&self.config, &self.module, function, (launch, cluster), &stop);
        Ok(kinds::unlike(&context, asked))
    }

    /// The barrier of a cooperative grid, which begins anew: where it is.
    fn workspace(&mut self) -> u64 {
        #[cfg(not(target_family = "wasm"))]
        if self.config.blocks.is_some() {
            let make = |global: &mut Global| global.alloc_sparse(WORKSPACE, "grid workspace", Sparse::meeting());
            return *self.meeting.get_or_insert_with(|| make(&mut self.global));
        }
        let workspace = match self.workspace {
            Some(workspace) => workspace,
            None => {
                let workspace = self.global.alloc(WORKSPACE, "grid workspace");
                self.remember(History::Allocated(workspace, WORKSPACE));
                self.workspace = Some(workspace);
                workspace
            }
        };
        if let Some(at) = self.global.find(workspace, WORKSPACE) {
            self.global.allocations[at].write(0, &[0; WORKSPACE as usize]);
        }
        self.remember(History::Written(workspace, WORKSPACE));
        workspace
    }

    /// Whatever a launch that nobody watched may have written counts as written.
    fn all_written(&mut self) {
        for allocation in self.global.allocations.iter().filter(|allocation| allocation.sparse.is_none()) {
            self.history.push(History::Written(allocation.base, allocation.size));
        }
        // Of equal events the last one counts.
        let mut seen = std::collections::HashSet::new();
        self.history.reverse();
        self.history.retain(|event| seen.insert((event.range(), event.order())));
        self.history.reverse();
    }
}

/// One that knows what the host has done.
fn remembering(checks: crate::Checks, history: &[History]) -> Sanitizer {
    let mut watch = Sanitizer::new(checks);
    history.iter().for_each(|event| event.replay(&mut watch));
    watch
}

/// A launch, the first on a device.
fn context<'a>(
    config: &'a Config,
    module: &'a Module,
    function: usize,
    (launch, cluster): (&Launch, Option<crate::Dim3>),
    stop: &'a AtomicBool,
) -> Context<'a> {
    let info = &module.kernels()[function];
    let cluster = cluster.or(info.cluster);
    let clustered = cluster.is_some_and(|cluster| cluster != [1; 3]) || module.decoded().code.uses_clusters;
    Context {
        decoded: module.decoded(),
        config,
        function: module.decoded().entries[function],
        params: parameters(info, &launch.args),
        grid: launch.grid,
        block: launch.block,
        #[cfg(not(target_family = "wasm"))]
        cluster: cluster.unwrap_or([1; 3]),
        #[cfg(not(target_family = "wasm"))]
        explicit_cluster: cluster.is_some(),
        clustered,
        static_shared: info.static_shared,
        dynamic_shared: launch.shared,
        workspace: 0,
        steps: AtomicU64::new(0),
        stop,
        threads: 1,
        appearance: Appearance::new(config.machine),
        launch: 1,
        operations: 0,
        interrupt: None,
        heap: None,
        #[cfg(not(target_family = "wasm"))]
        textures: &[],
    }
}

/// Parameter bytes as the kernel sees them.
fn parameters(kernel: &Kernel, args: &[Arg]) -> Vec<u8> {
    let mut out = Vec::new();
    for (offset, arg) in kernel.offsets().zip(args) {
        out.resize(offset as usize, 0);
        match arg {
            Arg::Pointer(address) => out.extend_from_slice(&address.to_le_bytes()),
            Arg::Bytes(bytes) => out.extend_from_slice(bytes),
        }
    }
    out
}

/// Runs it with an eye on where its accesses lie.
#[cfg(not(target_family = "wasm"))]
fn run_folding(
    context: &Context<'_>,
    global: &mut Global,
    request: &crate::locality::LocalityRequest,
    next: &AtomicU64,
    slots: u32,
) -> LaunchReport {
    let mut watch = Sanitizer::folding(crate::locality::Fold::new(request.clone()));
    let outcome =
        grid::work(context, View::Alone(global), &mut watch, Defined::default(), Part::from_the_row(next, 0..slots));
    let code = &context.decoded.code;
    let place = |pc: u32| {
        let (file, line) = code.lines[code.origins[pc as usize].place as usize];
        (if line > 0 { code.file(file).to_string() } else { String::new() }, line)
    };
    let locality = watch.folded().map(|fold| fold.finish(place));
    LaunchReport { locality, ..grid::report(context, vec![outcome]) }
}

#[cfg(not(feature = "threads"))]
fn run_unwatched(context: &mut Context<'_>, global: &mut Global, next: &AtomicU64, slots: u32) -> Vec<Outcome> {
    vec![grid::work(context, View::Alone(global), &mut Nobody, Defined::default(), Part::from_the_row(next, 0..slots))]
}

#[cfg(feature = "threads")]
fn run_unwatched(context: &mut Context<'_>, global: &mut Global, next: &AtomicU64, slots: u32) -> Vec<Outcome> {
    use crate::isa::independent::{self, Blocks};
    use crate::memory::later::Later;
    use crate::memory::view::Several;
    use std::sync::Mutex;
    use std::sync::atomic::Ordering::Relaxed;
    let blocks: u64 = context.grid.iter().map(|&extent| u64::from(extent)).product();
    let explored = context.config.schedule.is_explored();
    let sparse = global.allocations.iter().any(|allocation| allocation.sparse.is_some());
    let single = explored || context.clustered || sparse || context.config.trace.is_some();
    let threads = if single { 1 } else { context.config.threads.max(1) };
    let threads = (threads as u64).min(blocks).min(u64::from(slots)) as u32;
    if threads == 1 {
        return vec![grid::work(
            context,
            View::Alone(global),
            &mut Nobody,
            Defined::default(),
            Part::from_the_row(next, 0..slots),
        )];
    }
    let part = |at: u32| slots * at / threads..slots * (at + 1) / threads;
    let row = in_a_row(blocks, (0..threads).map(part));
    next.store(row * u64::from(threads), Relaxed);
    context.threads = threads.into();
    let (context, global) = (&*context, &*global);
    let kind = independent::blocks(&context.decoded.code, context.function);
    let exchanges = kind == Blocks::InOrder { exchanges: true };
    // Each host thread, this one among them, has its share of the resident blocks. One operating-system thread each: blocks of
    // different threads may wait for each other, so a pool that runs them one after the other would never end.
    let outcomes = Mutex::new(Vec::new());
    let run = |at: u32| {
        let mut later = Later::new(exchanges, None);
        let view = View::Shared(global, &mut later, Several::Threads);
        let first = u64::from(at) * row..u64::from(at + 1) * row;
        let part = Part { next, slots: part(at), first, hosts: threads.into() };
        let outcome = grid::work(context, view, &mut Nobody, Defined::default(), part);
        if let Ok(mut all) = outcomes.lock() {
            all.push((at, outcome));
        }
    };
    std::thread::scope(|scope| {
        let run = &run;
        for at in 1..threads {
            scope.spawn(move || run(at));
        }
        run(0);
    });
    let mut all = outcomes.into_inner().unwrap_or_default();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Blocks that a host thread takes at a time, given how many it may have resident: taking one after the other, threads would get into
/// each other's way where blocks are short. Those that are resident together may wait for each other, so whoever takes blocks of the first
/// ones begins them all.
#[cfg(feature = "threads")]
fn in_a_row(blocks: u64, resident: impl Iterator<Item = std::ops::Range<u32>>) -> u64 {
    let (mut all, mut row, mut threads) = (0, 16, 0);
    for slots in resident {
        let count = slots.len() as u64;
        row = row.min(1 << count.trailing_zeros());
        (all, threads) = (all + count, threads + 1);
    }
    if blocks > all && blocks >= 8 * row * threads { row } else { 1 }
}

#[cfg(all(test, feature = "threads"))]
mod tests {
    use super::in_a_row;

    #[test]
    fn rows_are_of_blocks_that_can_all_begin() {
        let halves = |slots: u32| [0..slots / 2, slots / 2..slots].into_iter();
        assert_eq!(in_a_row(1 << 20, halves(1056)), 16);
        assert_eq!(in_a_row(1 << 20, halves(24)), 4);
        assert_eq!(in_a_row(1 << 20, halves(25)), 1);
        assert_eq!(in_a_row(1056, halves(1056)), 1, "all are resident together");
        assert_eq!(in_a_row(100, halves(64)), 1, "there would be few rows");
    }
}

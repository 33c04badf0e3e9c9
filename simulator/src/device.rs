//! A simulated device: memory, a module, launches.

use crate::appearance::Appearance;
use crate::exec::context::Context;
use crate::exec::defined::Defined;
use crate::exec::grid::{self, Outcome};
use crate::launch::Arg;
use crate::memory::global::Global;
use crate::memory::heap::Heap;
use crate::memory::reads::Reads;
use crate::memory::sparse::{Fill, Sparse, Touched};
use crate::memory::view::View;
use crate::observe::Nobody;
use crate::sanitizer::Sanitizer;
use crate::{Checks, Config, Finding, Launch, LaunchReport, Module};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

/// Threads a block may have.
const MAX_THREADS: u64 = 1024;
/// Bytes of the cooperative grid barrier's workspace.
const WORKSPACE: u64 = 64;

/// A launch that cannot start: the caller's mistake, not the kernel's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No entry of that name.
    #[error("no kernel `{name}` in the module; it has: {available}")]
    NoKernel {
        /// Asked for.
        name: String,
        /// What there is, joined by commas.
        available: String,
    },
    /// Grid or block extents out of range.
    #[error("{what} is {value}: the limit is {limit}")]
    Extent {
        /// "block.x", "threads a block", "grid.y", ...
        what: String,
        /// Given.
        value: u64,
        /// Allowed.
        limit: u64,
    },
    /// Another block than `.reqntid` asks for.
    #[error(
        "`{kernel}` is compiled for blocks of exactly {required:?} threads (.reqntid), and {given:?} were asked for"
    )]
    Required {
        /// The kernel.
        kernel: String,
        /// What it takes.
        required: [u32; 3],
        /// What the launch asks for.
        given: [u32; 3],
    },
    /// Static plus dynamic shared memory beyond [`Config::shared_per_block`].
    #[error("{bytes} bytes of shared memory a block: the limit `shared_per_block` is {limit}")]
    Shared {
        /// Asked for.
        bytes: u64,
        /// Allowed.
        limit: u64,
    },
    /// Wrong number of arguments.
    #[error("`{kernel}` takes {expected} arguments, {given} were given")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Parameters.
        expected: usize,
        /// Arguments.
        given: usize,
    },
    /// An argument of the wrong size.
    #[error("argument {index} of `{kernel}` has {given} bytes, the parameter has {expected}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// From 0.
        index: usize,
        /// Parameter's bytes.
        expected: u32,
        /// Argument's bytes.
        given: u32,
    },
    /// The module's variables do not fit into [`crate::Limits::memory`].
    #[error(
        "the module's variable `{name}` of {bytes} bytes does not fit into device memory: the limit `memory` is {limit}"
    )]
    Variable {
        /// The first that does not fit.
        name: String,
        /// Its bytes.
        bytes: u64,
        /// Allowed in all.
        limit: u64,
    },
    /// A cooperative launch of more blocks than can be resident.
    #[error("a cooperative launch of {blocks} blocks: the limit `resident_blocks` is {limit}")]
    TooManyBlocks {
        /// Asked for.
        blocks: u64,
        /// Allowed.
        limit: u64,
    },
}

/// A host-side access to device memory that cannot be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Beyond [`crate::Limits::memory`].
    #[error("{asked} bytes of device memory asked for, {in_use} in use: the limit `memory` is {limit}")]
    Limit {
        /// Asked for.
        asked: u64,
        /// In use.
        in_use: u64,
        /// Allowed.
        limit: u64,
    },
    /// Not inside one allocation.
    #[error("{size} bytes at {address:#x} are not inside one allocation")]
    Range {
        /// Address.
        address: u64,
        /// Bytes.
        size: u64,
    },
}

/// A simulated device holding one module: its memory lives until the device is dropped.
#[derive(Debug)]
pub struct Device {
    config: Config,
    module: Arc<Module>,
    global: Global,
    workspace: Option<u64>,
    /// A variable that did not fit.
    unplaced: Option<(String, u64)>,
    /// For `malloc`, once a launch may need it.
    heap: Option<Mutex<Heap>>,
    watch: Option<(Checks, Sanitizer)>,
    /// Undefined values that were stored, while uninitialised memory is watched.
    defined: Defined,
    /// What the host did to memory, for checks that are switched on later.
    history: Vec<History>,
    launches: u64,
    operations: u64,
    /// Set from outside, it stops launches.
    interrupt: Option<Arc<AtomicBool>>,
}

/// Something the host did to memory.
#[derive(Debug, Clone, Copy)]
enum History {
    Allocated(u64, u64),
    Written(u64, u64),
    Poisoned(u64, u64),
}

impl Device {
    /// A device with the module's `.global` and `.const` variables in their initial state.
    pub fn new(module: Arc<Module>, config: Config) -> Self {
        let global = Global::new(Appearance::new(config.machine));
        let mut device = Self {
            config,
            module,
            global,
            workspace: None,
            unplaced: None,
            heap: None,
            watch: None,
            defined: Defined::default(),
            history: Vec::new(),
            launches: 0,
            interrupt: None,
            operations: 0,
        };
        let module = Arc::clone(&device.module);
        for variable in &module.decoded().variables {
            // What does not fit is left out, and no launch begins.
            if device.global.in_use.saturating_add(variable.size) > device.config.limits.memory {
                device.unplaced.get_or_insert_with(|| (variable.name.clone(), variable.size));
                continue;
            }
            device.global.place(variable.address, variable.size, &variable.name, variable.constant);
            if let Some(allocation) = device.global.allocations.last() {
                allocation.write(0, &variable.init);
            }
            device.remember(History::Allocated(variable.address, variable.size));
            device.remember(History::Written(variable.address, variable.size));
        }
        device
    }

    fn remember(&mut self, event: History) {
        // Writes of the same place again and again (one a launch) do not grow the list.
        if let Some(last) = self.history.iter().rposition(|known| known.range() == event.range()) {
            let replaces = !matches!(self.history[last], History::Allocated(..));
            let later = self.history[last + 1..].iter().all(|known| !known.overlaps(&event));
            if replaces && later {
                self.history[last] = event;
            } else {
                self.history.push(event);
            }
        } else {
            self.history.push(event);
        }
        if let Some((_, watch)) = &mut self.watch {
            event.tell(watch);
        }
        let (address, bytes) = event.range();
        self.defined.cells.written(address, bytes);
    }

    /// Findings about what a kernel has stored in these bytes without anybody having written the value: the host is about
    /// to use them as a result. Nothing unless [`Checks::uninitialised`] is on.
    pub fn undefined(&self, address: u64, bytes: u64) -> Vec<Finding> {
        let name = |address: u64| match self.global.find(address, 4) {
            Some(at) => {
                let allocation = &self.global.allocations[at];
                format!("`{}` + {}", allocation.name, address - allocation.base)
            }
            None => format!("{address:#x}"),
        };
        self.defined.origins.read(&self.defined.cells.within(address, bytes), name)
    }

    /// Launches end with a finding ([`crate::FindingKind::Interrupted`]) when this is set, by another thread: within some
    /// thousands of warp instructions. Not by an operation that takes long by itself.
    pub fn set_interrupt(&mut self, interrupt: Option<Arc<AtomicBool>>) {
        self.interrupt = interrupt;
    }

    /// The settings; they may be changed between launches.
    pub fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }

    /// The module.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Address and size in bytes of one of the module's `.global` or `.const` variables.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let found = self.module.decoded().variables.iter().find(|variable| variable.name == name)?;
        Some((found.address, found.size))
    }

    /// Allocates `bytes` of global memory (256-byte aligned, surrounded by addresses that belong to nothing), called
    /// `name` in findings. Its bytes count as uninitialised until they are written.
    pub fn alloc(&mut self, name: &str, bytes: u64) -> Result<u64, MemoryError> {
        let (in_use, limit) = (self.global.in_use, self.config.limits.memory);
        if in_use.saturating_add(bytes) > limit {
            return Err(MemoryError::Limit { asked: bytes, in_use, limit });
        }
        let address = self.global.alloc(bytes, name);
        self.remember(History::Allocated(address, bytes));
        Ok(address)
    }

    /// Makes the allocation that begins at `address` an input: a kernel that writes there is reported, whatever it writes.
    pub fn protect(&mut self, address: u64) -> Result<(), MemoryError> {
        let at = self.global.find(address, 0).ok_or(MemoryError::Range { address, size: 0 })?;
        self.global.allocations[at].input = true;
        Ok(())
    }

    /// Notes from now on what kernels read of the allocation that begins at `address`: see [`Device::unread`].
    ///
    /// # Errors
    /// No allocation is there.
    pub fn note_reads(&mut self, address: u64) -> Result<(), MemoryError> {
        let at = self.global.find(address, 0).ok_or(MemoryError::Range { address, size: 0 })?;
        let allocation = &mut self.global.allocations[at];
        allocation.reads = Some(Reads::none(allocation.words.len()));
        Ok(())
    }

    /// The bytes of an allocation that no kernel has read since [`Device::note_reads`], from and to, ascending; `None` where
    /// nothing was noted.
    pub fn unread(&self, address: u64) -> Option<Vec<Range<u64>>> {
        let allocation = &self.global.allocations[self.global.find(address, 0)?];
        Some(allocation.reads.as_ref()?.left(allocation.size))
    }

    /// Allocates memory of which only the pages exist that a launch touches. `fill` gives their bytes from an offset on;
    /// where they are not `known`, they only keep the place of what is to be written. It takes nothing of the memory limit,
    /// and launches that see it should not be watched.
    pub fn alloc_sparse(&mut self, name: &str, bytes: u64, fill: Fill, known: bool) -> Result<u64, MemoryError> {
        let (in_use, limit) = (self.global.in_use, 1 << 40);
        if bytes > limit {
            return Err(MemoryError::Limit { asked: bytes, in_use, limit });
        }
        Ok(self.global.alloc_sparse(bytes, name, Sparse::new(fill, known)))
    }

    /// What launches did to a sparse allocation since it was made or forgotten; `None` for any other.
    pub fn touched(&self, address: u64) -> Option<Touched> {
        let allocation = &self.global.allocations[self.global.find(address, 0)?];
        Some(allocation.sparse.as_ref()?.touched(allocation.size))
    }

    /// [`Touched::unknown`] alone, which costs nothing.
    pub fn touched_unknown(&self, address: u64) -> Option<bool> {
        let allocation = &self.global.allocations[self.global.find(address, 0)?];
        Some(allocation.sparse.as_ref()?.unknown())
    }

    /// Takes back all that launches did to a sparse allocation.
    pub fn forget(&mut self, address: u64) {
        let found = self.global.find(address, 0).map(|at| &self.global.allocations[at]);
        if let Some(sparse) = found.and_then(|allocation| allocation.sparse.as_ref()) {
            sparse.forget();
        }
    }

    /// Writes bytes from the host; they count as initialised.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let size = bytes.len() as u64;
        let at = self.global.find(address, size).ok_or(MemoryError::Range { address, size })?;
        let allocation = &self.global.allocations[at];
        allocation.write(address - allocation.base, bytes);
        self.remember(History::Written(address, size));
        Ok(())
    }

    /// Fills from the host with a repeated pattern but leaves the bytes uninitialised for the checks: poison.
    pub fn poison(&mut self, address: u64, bytes: u64, pattern: &[u8]) -> Result<(), MemoryError> {
        let at = self.global.find(address, bytes).ok_or(MemoryError::Range { address, size: bytes })?;
        let allocation = &self.global.allocations[at];
        let mut piece: Vec<u8> = pattern.iter().copied().cycle().take(pattern.len() * 1024).collect();
        if pattern.is_empty() {
            piece = vec![0; 1024];
        }
        let mut done = 0;
        while done < bytes {
            let count = (bytes - done).min(piece.len() as u64);
            allocation.write(address - allocation.base + done, &piece[..count as usize]);
            done += count;
        }
        self.remember(History::Poisoned(address, bytes));
        Ok(())
    }

    /// Reads bytes to the host.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        let size = into.len() as u64;
        let at = self.global.find(address, size).ok_or(MemoryError::Range { address, size })?;
        let allocation = &self.global.allocations[at];
        allocation.read(address - allocation.base, into);
        Ok(())
    }

    /// Makes room for `malloc`, if the module calls it. Where the memory limit leaves none, `malloc` returns null.
    fn need_heap(&mut self, module: &Module) {
        let bytes = self.config.limits.heap;
        if self.heap.is_some() || !module.decoded().code.allocates() {
            return;
        }
        // Twice as much, so that mistakes have room to show; where that does not fit, what there is.
        let room = [bytes.saturating_mul(2), bytes].into_iter().find_map(|room| {
            let base = self.alloc("device heap", room).ok()?;
            Some(Heap::new(base, room, bytes))
        });
        if let (Some(_), Some(allocation)) = (&room, self.global.allocations.last_mut()) {
            allocation.heap = true;
        }
        self.heap = Some(Mutex::new(room.unwrap_or_default()));
    }

    /// Runs a kernel to its end or its fault.
    pub fn launch(&mut self, launch: &Launch) -> Result<LaunchReport, LaunchError> {
        let module = Arc::clone(&self.module);
        let function = self.check(&module, launch)?;
        if launch.cooperative {
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
        }
        self.need_heap(&module);
        let info = &module.kernels()[function];
        self.launches += 1;
        let context = Context {
            decoded: module.decoded(),
            config: &self.config,
            function: module.decoded().entries[function],
            params: parameters(&info.params, &launch.args),
            grid: launch.grid,
            block: launch.block,
            static_shared: info.static_shared,
            dynamic_shared: launch.shared,
            workspace: if launch.cooperative { self.workspace.unwrap_or(0) } else { 0 },
            steps: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            appearance: Appearance::new(self.config.machine),
            launch: self.launches,
            operations: self.operations,
            heap: self.heap.as_ref(),
            interrupt: self.interrupt.as_deref(),
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
                _ => grid::report(&context, run_unwatched(&context, &mut self.global, &next, slots)),
            };
            self.operations += report.order.operations;
            for allocation in self.global.allocations.iter().filter(|allocation| allocation.sparse.is_none()) {
                self.history.push(History::Written(allocation.base, allocation.size));
            }
            // Of equal events the last one counts.
            let mut seen = std::collections::HashSet::new();
            self.history.reverse();
            self.history.retain(|event| seen.insert((event.range(), event.order())));
            self.history.reverse();
            return Ok(report);
        }
        let known = self.watch.take().filter(|(for_checks, _)| *for_checks == checks);
        let (_, mut watch) = known.unwrap_or_else(|| {
            let mut watch = Sanitizer::new(checks);
            for event in &self.history {
                event.tell(&mut watch);
            }
            (checks, watch)
        });
        let defined = std::mem::take(&mut self.defined);
        let mut outcome = grid::work(&context, View::Alone(&mut self.global), &mut watch, defined, &next, 0..slots);
        self.defined = std::mem::take(&mut outcome.defined);
        let report = grid::report(&context, vec![outcome]);
        self.operations += report.order.operations;
        self.watch = Some((checks, watch));
        Ok(report)
    }

    fn check(&self, module: &Module, launch: &Launch) -> Result<usize, LaunchError> {
        let kernels = module.kernels();
        let Some(at) = kernels.iter().position(|kernel| kernel.name == launch.kernel) else {
            let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
            return Err(LaunchError::NoKernel { name: launch.kernel.clone(), available: names.join(", ") });
        };
        if let Some((name, bytes)) = &self.unplaced {
            let limit = self.config.limits.memory;
            return Err(LaunchError::Variable { name: name.clone(), bytes: *bytes, limit });
        }
        let kernel = &kernels[at];
        let extent = |what: String, value: u64, limit: u64| {
            if value == 0 || value > limit { Err(LaunchError::Extent { what, value, limit }) } else { Ok(()) }
        };
        let limits = [("x", MAX_THREADS, (1 << 31) - 1), ("y", MAX_THREADS, 65535), ("z", 64, 65535)];
        for (axis, (name, block, grid)) in limits.into_iter().enumerate() {
            extent(format!("block.{name}"), launch.block[axis].into(), block)?;
            extent(format!("grid.{name}"), launch.grid[axis].into(), grid)?;
        }
        if let Some(required) = kernel.required_block.filter(|required| *required != launch.block) {
            return Err(LaunchError::Required { kernel: kernel.name.clone(), required, given: launch.block });
        }
        let threads: u64 = launch.block.iter().map(|&extent| u64::from(extent)).product();
        let limit = kernel.max_threads.map_or(MAX_THREADS, |max| u64::from(max).min(MAX_THREADS));
        extent("threads a block".into(), threads, limit)?;
        let bytes = u64::from(kernel.static_shared) + u64::from(launch.shared);
        let limit = u64::from(self.config.shared_per_block);
        if bytes > limit {
            return Err(LaunchError::Shared { bytes, limit });
        }
        let (expected, given) = (kernel.params.len(), launch.args.len());
        if expected != given {
            return Err(LaunchError::ArgumentCount { kernel: kernel.name.clone(), expected, given });
        }
        for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
            let given = match arg {
                Arg::Pointer(_) => 8,
                Arg::Bytes(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            };
            if given != param.size {
                let (kernel, expected) = (kernel.name.clone(), param.size);
                return Err(LaunchError::ArgumentSize { kernel, index, expected, given });
            }
        }
        let blocks: u64 = launch.grid.iter().map(|&extent| u64::from(extent)).product();
        let limit = u64::from(self.config.resident_blocks);
        if launch.cooperative && blocks > limit {
            return Err(LaunchError::TooManyBlocks { blocks, limit });
        }
        Ok(at)
    }
}

impl History {
    fn range(&self) -> (u64, u64) {
        match *self {
            Self::Allocated(at, size) | Self::Written(at, size) | Self::Poisoned(at, size) => (at, size),
        }
    }

    fn order(&self) -> u8 {
        match self {
            Self::Allocated(..) => 0,
            Self::Written(..) => 1,
            Self::Poisoned(..) => 2,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ((a, m), (b, n)) = (self.range(), other.range());
        a < b + n && b < a + m
    }

    fn tell(&self, watch: &mut Sanitizer) {
        match *self {
            Self::Allocated(at, size) => watch.allocated(at, size),
            Self::Written(at, size) => watch.written(at, size),
            Self::Poisoned(at, size) => watch.poisoned(at, size),
        }
    }
}

/// Parameter bytes as the kernel sees them.
fn parameters(params: &[crate::Param], args: &[Arg]) -> Vec<u8> {
    let mut out = Vec::new();
    for (param, arg) in params.iter().zip(args) {
        out.resize(out.len().next_multiple_of(param.align.max(1) as usize), 0);
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
    request: &crate::locality::Request,
    next: &AtomicU64,
    slots: u32,
) -> LaunchReport {
    let mut watch = Sanitizer::folding(crate::locality::Fold::new(request.clone()));
    let outcome = grid::work(context, View::Alone(global), &mut watch, Defined::default(), next, 0..slots);
    let code = &context.decoded.code;
    let place = |pc: u32| {
        let (file, line) = code.lines[code.origins[pc as usize].place as usize];
        (if line > 0 { code.file(file).to_string() } else { String::new() }, line)
    };
    let locality = watch.folded().map(|fold| fold.finish(place));
    LaunchReport { locality, ..grid::report(context, vec![outcome]) }
}

#[cfg(not(feature = "threads"))]
fn run_unwatched(context: &Context<'_>, global: &mut Global, next: &AtomicU64, slots: u32) -> Vec<Outcome> {
    vec![grid::work(context, View::Alone(global), &mut Nobody, Defined::default(), next, 0..slots)]
}

#[cfg(feature = "threads")]
fn run_unwatched(context: &Context<'_>, global: &mut Global, next: &AtomicU64, slots: u32) -> Vec<Outcome> {
    use std::sync::Mutex;
    let blocks: u64 = context.grid.iter().map(|&extent| u64::from(extent)).product();
    let explored = context.config.schedule.is_explored();
    let sparse = global.allocations.iter().any(|allocation| allocation.sparse.is_some());
    let single = explored || sparse || context.config.trace.is_some();
    let threads = if single { 1 } else { context.config.threads.max(1) };
    let threads = (threads as u64).min(blocks).min(u64::from(slots)) as u32;
    if threads == 1 {
        return vec![grid::work(context, View::Alone(global), &mut Nobody, Defined::default(), next, 0..slots)];
    }
    let global = &*global;
    // Each host thread has its share of the resident blocks. One operating-system thread each: blocks of different
    // threads may wait for each other, so a pool that runs them one after the other would never end.
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for at in 0..threads {
            let outcomes = &outcomes;
            let slots = slots * at / threads..slots * (at + 1) / threads;
            scope.spawn(move || {
                let outcome = grid::work(context, View::Shared(global), &mut Nobody, Defined::default(), next, slots);
                if let Ok(mut all) = outcomes.lock() {
                    all.push((at, outcome));
                }
            });
        }
    });
    let mut all = outcomes.into_inner().unwrap_or_default();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, outcome)| outcome).collect()
}

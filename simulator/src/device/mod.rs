//! A simulated device: memory, a module, launches.

mod check;
mod error;
mod history;
mod launch;
mod memory;
#[cfg(feature = "threads")]
mod shares;

use crate::appearance::Appearance;
use crate::exec::defined::Defined;
use crate::memory::global::Global;
use crate::memory::heap::Heap;
use crate::sanitizer::Sanitizer;
use crate::texture::Texture;
use crate::{Checks, Config, Module};
pub use error::{LaunchError, MemoryError};
use history::History;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// A simulated device holding one module: its memory lives until the device is dropped.
#[derive(Debug)]
pub struct Device {
    config: Config,
    module: Arc<Module>,
    global: Global,
    workspace: Option<u64>,
    /// The same for launches of some blocks.
    #[cfg(not(target_family = "wasm"))]
    meeting: Option<u64>,
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
    textures: Vec<Texture>,
    /// What launches that were shared out between host threads have left.
    #[cfg(feature = "threads")]
    shares: shares::Kept,
    /// Set from outside, it stops launches.
    interrupt: Option<Arc<AtomicBool>>,
}

impl Device {
    /// A device with the module's `.global` and `.const` variables in their initial state.
    pub fn new(module: Arc<Module>, config: Config) -> Self {
        let machine = Appearance::new(config.machine);
        let (module, global) = (module.on(machine), Global::new(machine));
        let mut device = Self {
            config,
            module,
            global,
            workspace: None,
            #[cfg(not(target_family = "wasm"))]
            meeting: None,
            unplaced: None,
            heap: None,
            watch: None,
            defined: Defined::default(),
            history: Vec::new(),
            launches: 0,
            interrupt: None,
            textures: Vec::new(),
            operations: 0,
            #[cfg(feature = "threads")]
            shares: Default::default(),
        };
        let module = Arc::clone(&device.module);
        for variable in &module.decoded().variables {
            // What does not fit is left out, and no launch begins.
            if device.global.in_use.saturating_add(variable.size) > device.config.limits.memory {
                device.unplaced.get_or_insert_with(|| (variable.name.clone(), variable.size));
                continue;
            }
            let at = device.global.place(variable.address, variable.size, &variable.name, variable.constant);
            let allocation = &mut device.global.allocations[at];
            allocation.write(0, &variable.init);
            allocation.filled = allocation.filled.filter(|_| variable.init.is_empty());
            device.remember(History::Allocated(variable.address, variable.size));
            device.remember(History::Written(variable.address, variable.size));
        }
        device
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
}

//! Where the simulator for pages lies: WebAssembly, which not every machine can build, so it is looked for.

use std::path::{Path, PathBuf};

/// Names the simulator for pages; empty: no page runs its kernels.
const VARIABLE: &str = "WARPBOOK_SIMULATOR";

/// What `scripts/wasm.sh` builds, below the target folder; Debian's compiler has a folder of its own there.
const BUILT: [&str; 2] = ["wasm32-unknown-unknown/page/live.wasm", "debian/wasm32-unknown-unknown/page/live.wasm"];

/// As [`VARIABLE`] says; else beside the command, as a release has it, or where the checkout's build puts it.
pub fn find(root: &Path) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("simulator.wasm")));
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    beside.into_iter().chain(BUILT.map(|path| target.join(path))).find(|path| path.is_file())
}

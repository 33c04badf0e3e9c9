//! The checker's own program, which starts itself again as a child: to compile, to run hostile programs, to install.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_CHECKER: AtomicBool = AtomicBool::new(false);

/// Remembers that this very program answers to the hidden arguments. For `main` only.
pub fn this_is_the_checker() {
    IS_CHECKER.store(true, Ordering::Relaxed);
}

/// The checker's program: this one, or, from a test, the one that was built beside it.
///
/// # Errors
/// The system does not say which program this is, or none lies beside it.
pub fn program() -> io::Result<PathBuf> {
    if IS_CHECKER.load(Ordering::Relaxed) {
        // The link also works when the file was replaced by a new build meanwhile.
        let link = Path::new("/proc/self/exe");
        return if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() };
    }
    let this = std::env::current_exe()?;
    let name = format!("checker{}", std::env::consts::EXE_SUFFIX);
    let beside = this.ancestors().skip(1).take(3).map(|dir| dir.join(&name)).find(|path| path.is_file());
    beside.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no {name} beside {}", this.display())))
}

//! What a kernel, a file or an interruption does never harms anybody.

mod backend;
mod interrupt;
mod leaks;

use crate::support::{Ran, checker};

/// Libraries are loaded from the home folder: in a folder where everybody writes, it must be nobody else's.
#[test]
fn a_home_that_somebody_else_may_have_made_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let doctor = || -> Ran {
        let mut command = checker();
        for name in ["HOME", "XDG_CACHE_HOME", "WARPBOOK_HOME", "LOCALAPPDATA"] {
            command.env_remove(name);
        }
        let ran = command.arg("doctor").env("TMPDIR", folder.path()).env("WARPBOOK_OFFLINE", "1").output();
        ran.expect("it starts").into()
    };
    let home = folder.path().join("warpbook");
    let fresh = doctor();
    assert!(!fresh.stdout.contains("not yours alone") && home.is_dir(), "{fresh:?}");
    std::fs::remove_dir_all(&home).expect("it is there");
    let others = folder.path().join("others");
    std::fs::create_dir(&others).expect("a folder");
    std::os::unix::fs::symlink(&others, &home).expect("a link");
    let ran = doctor();
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("warpbook is not yours alone") && ran.stdout.contains("WARPBOOK_HOME"), "{ran:?}");
}

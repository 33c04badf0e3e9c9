//! `checker bench` where there is no GPU, and its bad usage. What it measures is tried by scripts/gpu/all.sh.

use crate::support::run;

#[test]
fn without_a_gpu_it_says_so_and_ends_with_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = run(["bench", "local-array", "--out", &folder.path().display().to_string()]);
    if ran.code == Some(0) {
        println!("skipped: there is a GPU here");
        return;
    }
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.is_empty(), "{ran:?}");
    assert!(ran.stderr.contains("NVIDIA") || ran.stderr.contains("GPU"), "{ran:?}");
}

#[test]
fn bad_usage_ends_with_2() {
    for args in [
        &["bench"][..],
        &["bench", "no-such-problem"],
        &["bench", "--all", "local-array"],
        &["bench", "--characterise", "--all"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(!ran.stderr.is_empty());
    }
}

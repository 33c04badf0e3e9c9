//! Ctrl-C at any point: exit status 130, workers gone, no half-written files.

use crate::support::{Workbook, checker};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(killed.success());
}

/// Processes whose parent was `parent`, by /proc.
fn children(parent: u32) -> Vec<u32> {
    let stat = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let pids = std::fs::read_dir("/proc")
        .expect("Linux has it")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let Some(text) = stat(*pid) else { return false };
        let rest = text.rsplit(')').next().unwrap_or_default().to_owned();
        rest.split_whitespace().nth(1) == Some(&parent.to_string())
    })
    .collect()
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn watch_ends_with_130_and_checks_again_on_save() {
    let workbook = Workbook::copy("small");
    let kernel = workbook.path("exercises/ex01/kernel.cu");
    std::fs::write(&kernel, "//@ lett x = 1\n").expect("a file");
    let mut child = workbook
        .command()
        .args(["watch", "ex01", "--backend", "sim"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("did you mean `let`")), "the first check");
    assert!(lines.any(|line| line.contains("watching")), "then it waits");
    // As an editor does it: a new file, renamed over the old one.
    let new = workbook.path("exercises/ex01/.kernel.cu.swp");
    std::fs::write(&new, "//@ lunch k<<<1, 1>>>()\n").expect("a file");
    std::fs::rename(&new, &kernel).expect("renamed");
    assert!(lines.any(|line| line.contains("did you mean `launch`")), "the second check");
    interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn an_endless_kernel_is_interrupted_and_leaves_nobody_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "//@ out c: f32[1]\n//@ launch k<<<1, 32>>>(c)\n\
                __global__ void k(float* c) { for (;;) *(volatile float*)c = 1; }\n";
    std::fs::write(folder.path().join("endless.cu"), text).expect("a file");
    let mut child = checker()
        .args(["run", "endless.cu", "--backend", "sim", "--dump", "c=out.npy"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let is_worker = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("__worker")
    };
    let mut workers = Vec::new();
    wait_until("a worker starts", || {
        workers = children(child.id()).into_iter().filter(is_worker).collect();
        !workers.is_empty()
    });
    interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    wait_until("the worker ends", || workers.iter().all(|pid| !is_worker(pid)));
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").map(|e| e.expect("e").file_name()).collect();
    assert_eq!(left, [Path::new("endless.cu").as_os_str()]);
}

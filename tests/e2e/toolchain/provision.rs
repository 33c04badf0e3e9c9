//! Provisioning as it meets a user: interrupted, twice at once, without network, disk space or Python. pip is played by
//! a script on the search path, which links the toolchain that the other tests use.

use crate::support::{Ran, checker, executable};
use crate::toolchain::compile::toolchain;
use compiler::toolchain::ToolchainOptions;
use compiler::toolchain::doctor::{DoctorStatus, examine};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A home, and a search path with a `python3` of ours.
struct Stage {
    dir: TempDir,
}

impl Stage {
    /// `install` is what the script does when pip is asked to install; `$target` is the folder it is given.
    fn new(install: &str) -> Stage {
        let stage = Stage { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(stage.bin()).unwrap();
        stage.play(install);
        stage
    }

    fn play(&self, install: &str) {
        let log = self.dir.path().join("installs");
        let script = format!(
            "#!/bin/sh\nPATH=/usr/bin:/bin\ncase \"$*\" in *--version*) exit 0;; esac\necho run >> '{}'\n\
             while [ $# -gt 0 ]; do case $1 in --target) target=$2;; esac; shift; done\n{install}\n",
            log.display()
        );
        executable(&self.bin().join("python3"), &script);
    }

    fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn command(&self) -> Command {
        let mut command = checker();
        command.args(["__toolchain", "own"]).env("PATH", self.bin()).env("WARPBOOK_HOME", self.home());
        command.env_remove("WARPBOOK_OFFLINE").env_remove("WARPBOOK_CUDA");
        command
    }

    fn run(&self) -> Ran {
        self.command().output().unwrap().into()
    }

    fn installs(&self) -> usize {
        fs::read_to_string(self.dir.path().join("installs")).unwrap_or_default().lines().count()
    }

    /// Names in the toolchain folder.
    fn folders(&self) -> Vec<String> {
        let entries = fs::read_dir(self.home().join("toolchain")).into_iter().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != ".lock");
        names
    }
}

/// The script's part that installs: a tree of links.
fn link() -> String {
    let root = ["include", "lib", "bin"].map(|part| real(part).display().to_string());
    format!("mkdir -p $target/nvidia/cu13 && cp -rs {} $target/nvidia/cu13", root.join(" "))
}

/// A part of the toolchain that the other tests use.
fn real(part: &str) -> PathBuf {
    let toolchain = toolchain();
    let path = match part {
        "include" => return toolchain.includes[0].clone(),
        "lib" => &toolchain.nvrtc,
        _ => &toolchain.nvdisasm,
    };
    path.parent().unwrap().to_owned()
}

fn nvrtc(ran: &Ran) -> PathBuf {
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    Path::new(json["nvrtc"].as_str().unwrap()).to_owned()
}

#[test]
fn installs_once_and_says_so_in_one_plain_line() {
    let stage = Stage::new(&link());
    let first = stage.run();
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(nvrtc(&first).starts_with(stage.home()));
    assert_eq!(first.stderr.lines().count(), 1, "{}", first.stderr);
    let second = stage.run();
    assert_eq!((second.code, second.stderr.as_str(), stage.installs()), (Some(0), "", 1));
}

#[test]
fn two_runs_at_once_install_once() {
    let stage = Stage::new(&format!("sleep 0.5\n{}", link()));
    let start = || stage.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let runs = [start(), start(), start()];
    let ran = runs.map(|run| Ran::from(run.wait_with_output().unwrap()));
    for run in &ran {
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(nvrtc(run), nvrtc(&ran[0]));
    }
    assert_eq!(stage.installs(), 1);
}

#[test]
#[ignore = "long"]
fn killed_installation_leaves_nothing_that_counts() {
    // It writes and writes, and makes its folder anew if somebody removes it. If nobody ends it, it says so.
    let stage = Stage::new(
        "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); mkdir -p $target/nvidia/cu13/lib; \
         echo half > $target/nvidia/cu13/lib/libnvrtc.so.13; done; echo > $target/../../survived",
    );
    let begun = || {
        let toolchains = stage.home().join("toolchain");
        stage.folders().iter().any(|name| toolchains.join(name).join("target/nvidia").exists())
    };
    let mut run = stage.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !begun() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(stage.folders().iter().all(|name| name.starts_with('.')), "{:?}", stage.folders());
    stage.play(&link());
    let again = stage.run();
    assert_eq!(again.code, Some(0), "{again:?}");
    let left = stage.folders();
    assert!(left.iter().all(|name| !name.starts_with('.') && name != "survived"), "swept: {left:?}");
}

#[test]
#[ignore = "long"]
fn damaged_folder_is_installed_anew() {
    let stage = Stage::new(&link());
    let library = nvrtc(&stage.run());
    let header = library.parent().unwrap().parent().unwrap().join("include/cuda_fp16.h");
    // The tree is made of links: replace one, never write through it.
    let damage = |path: &Path, content: &[u8]| {
        fs::remove_file(path).unwrap();
        fs::write(path, content).unwrap();
    };
    damage(&header, b"half");
    assert_eq!(stage.run().code, Some(0));
    assert!(fs::metadata(&header).unwrap().len() > 4);
    fs::remove_file(&header).unwrap();
    assert_eq!(stage.run().code, Some(0));
    assert!(header.exists());
    // Of the right size and still no library: found out by loading it.
    let size = fs::metadata(&library).unwrap().len();
    damage(&library, b"");
    fs::File::options().write(true).open(&library).unwrap().set_len(size).unwrap();
    assert_eq!(stage.run().code, Some(0));
    assert_eq!(stage.installs(), 4);
}

/// Runs an installation that fails and returns what the user reads.
fn failing(install: &str) -> String {
    let stage = Stage::new(install);
    let ran = stage.run();
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(stage.folders(), [""; 0], "nothing is left");
    assert!(ran.stderr.contains("\n  next: "), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn failures_name_the_trouble_and_the_next_step() {
    let text = failing(
        "echo \"WARNING: Retrying after connection broken by NewConnectionError: [Errno -3] Temporary failure in name \
         resolution\" >&2; echo 'ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.5.37' >&2; exit 1",
    );
    assert!(text.contains("could not be downloaded"), "{text}");
    let text = failing(
        "echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' >&2; exit 1",
    );
    assert!(text.contains("no space left"), "{text}");
    let text = failing("echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.' >&2; exit 1");
    assert!(text.contains("not the one Warpbook pins"), "{text}");
    let text = failing("echo 'ERROR: something new' >&2; exit 1");
    assert!(text.contains("something new"), "{text}");
    let text = failing("mkdir -p $target/nvidia/cu13/lib");
    assert!(text.contains("still lacks"), "{text}");
}

#[test]
fn nothing_to_install_with() {
    let stage = Stage::new("");
    fs::remove_file(stage.bin().join("python3")).unwrap();
    let ran = stage.run();
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("neither `uv` nor `python3 -m pip`"), "{}", ran.stderr);
}

#[test]
fn offline_forbids_installing() {
    let stage = Stage::new(&link());
    let ran: Ran = stage.command().env("WARPBOOK_OFFLINE", "1").output().unwrap().into();
    assert_eq!((ran.code, stage.installs()), (Some(3), 0));
    assert!(ran.stderr.contains("WARPBOOK_OFFLINE"), "{}", ran.stderr);
}

#[test]
fn home_that_cannot_be_written() {
    let stage = Stage::new(&link());
    // Below a file nobody can write, not even root.
    fs::write(stage.home(), "a file").unwrap();
    let ran = stage.run();
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("WARPBOOK_HOME"), "{}", ran.stderr);
}

#[test]
fn doctor_finds_what_is_there_and_what_is_not() {
    toolchain();
    let healthy = examine(&ToolchainOptions::default());
    assert_eq!(healthy.exit_code(), 0, "{healthy:?}");
    // What the kernel of this system offers is told, one way or the other.
    for name in ["system calls", "precompiled headers"] {
        assert!(healthy.checks.iter().any(|check| check.name == name), "{name}: {healthy:?}");
    }
    for name in ["NVRTC", "headers", "nvdisasm", "compiler"] {
        assert!(
            healthy.checks.iter().any(|check| check.name == name && check.status == DoctorStatus::Good),
            "{name}: {healthy:?}"
        );
    }
    let empty = tempfile::tempdir().unwrap();
    let ill = examine(&ToolchainOptions { dir: Some(empty.path().to_owned()), ..ToolchainOptions::default() });
    assert_eq!(ill.exit_code(), 3);
    let problem = ill.checks.iter().find(|check| check.status == DoctorStatus::Problem).unwrap();
    assert!(problem.finding.contains("no CUDA headers") && problem.next.is_some(), "{problem:?}");
}

#[test]
fn explicit_folder_is_used_or_refused_never_replaced() {
    let stage = Stage::new(&link());
    let run = |dir: &Path| -> Ran {
        let mut command = checker();
        command.arg("__toolchain").env("WARPBOOK_CUDA", dir).env("WARPBOOK_HOME", stage.home());
        command.output().unwrap().into()
    };
    let missing = run(&stage.dir.path().join("nowhere"));
    assert_eq!(missing.code, Some(3));
    assert!(missing.stderr.contains("does not exist"), "{}", missing.stderr);
    let empty = run(&stage.bin());
    assert!(empty.stderr.contains("has no NVRTC"), "{}", empty.stderr);

    let cuda = stage.dir.path().join("cuda");
    fs::create_dir(&cuda).unwrap();
    for part in ["include", "lib", "bin"] {
        std::os::unix::fs::symlink(real(part), cuda.join(part)).unwrap();
    }
    let used = run(&cuda);
    assert_eq!(used.code, Some(0), "{used:?}");
    assert!(nvrtc(&used).starts_with(&cuda));
    fs::remove_file(cuda.join("lib")).unwrap();
    fs::create_dir(cuda.join("lib")).unwrap();
    fs::write(cuda.join("lib/libnvrtc.so.13"), "not a library").unwrap();
    let broken = run(&cuda);
    assert_eq!(broken.code, Some(3));
    assert!(broken.stderr.contains("cannot be loaded"), "{}", broken.stderr);
}

//! Limits on the children that handle hostile input, the compiler and nvdisasm: time, memory, and what they may read.
//!
//! The file system is closed by Landlock: after NVRTC is loaded, only the CUDA header folders can be opened, whatever
//! the preprocessor is tricked into. Where the kernel has no Landlock the child runs unconfined and says so; then the
//! compiler's check of `#include` lines is the only guard.

use std::path::{Path, PathBuf};

/// What a confined process may use.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Processor time in seconds.
    pub cpu_seconds: u64,
    /// Address space in bytes.
    pub memory: u64,
    /// Bytes that a file may grow to.
    pub file: u64,
}

/// Files that may be open at a time: headers include each other, a few dozen deep.
#[cfg(unix)]
const FILES: u64 = 256;

/// Limits CPU time and address space, forbids core files and growing files, and ties the child's life to its parent's.
pub fn limit(cpu_seconds: u64, memory: u64) {
    limit_to(Bounds { cpu_seconds, memory, file: 0 });
}

/// As [`limit`], with output to a file that is open already.
pub fn limit_to(bounds: Bounds) {
    limit_alone(bounds);
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

/// As [`limit_to`], for a process that may outlive its parent.
#[cfg(unix)]
pub fn limit_alone(Bounds { cpu_seconds, memory, file }: Bounds) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let hard = |value: u64| Rlimit { current: Some(value), maximum: Some(value) };
    // A limit that cannot be set is a lower one already in force.
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(cpu_seconds), maximum: Some(cpu_seconds + 1) });
    let _ = setrlimit(Resource::As, hard(memory));
    let _ = setrlimit(Resource::Core, hard(0));
    let _ = setrlimit(Resource::Fsize, hard(file));
    let _ = setrlimit(Resource::Nofile, hard(FILES));
}

/// Elsewhere only the parent's time limit holds.
#[cfg(not(unix))]
pub fn limit_alone(_bounds: Bounds) {}

/// Closes the file system except for reading below the given folders, and for a folder of temporary files. Returns whether that is
/// enforced.
#[cfg(target_os = "linux")]
pub fn confine(readable: &[PathBuf], scratch: Option<&Path>) -> bool {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
        path_beneath_rules,
    };
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let rules = path_beneath_rules(readable.iter().cloned().chain(link_targets(readable)), read);
    let temporary = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::MakeReg | AccessFs::RemoveFile;
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|ruleset| ruleset.create())
        .and_then(|ruleset| ruleset.add_rules(rules))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(scratch, temporary)))
        .and_then(|ruleset| ruleset.restrict_self())
        .is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// Closes the file system except for loading programs from these folders and files. Returns whether that is enforced.
#[cfg(target_os = "linux")]
pub fn confine_program(folders: &[PathBuf], files: &[PathBuf]) -> bool {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
        path_beneath_rules,
    };
    let load = AccessFs::ReadFile | AccessFs::Execute;
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V5))
        .and_then(|ruleset| ruleset.create())
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(folders, load | AccessFs::ReadDir)))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(files, load)))
        .and_then(|ruleset| ruleset.restrict_self())
        .is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

/// Some distributions make the header folder a tree of links into another folder: that one must be readable too. It is
/// found through headers that every CUDA has.
#[cfg(target_os = "linux")]
fn link_targets(folders: &[PathBuf]) -> Vec<PathBuf> {
    const MARKERS: &[&str] =
        &["cuda_runtime.h", "cuda_fp16.h", "cooperative_groups.h", "crt/mma.h", "cuda/std/cstdint"];
    let mut targets = Vec::new();
    for folder in folders {
        for marker in MARKERS {
            let path = folder.join(marker);
            let Ok(target) = path.canonicalize() else { continue };
            // Only a folder in which the header lies under the same name is a header folder.
            let depth = marker.split('/').count();
            if let Some(base) = target.ancestors().nth(depth).filter(|base| base.join(marker) == target) {
                targets.push(base.to_owned());
            }
        }
    }
    targets.sort();
    targets.dedup();
    targets
}

/// Not available elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn confine(_readable: &[PathBuf], _scratch: Option<&Path>) -> bool {
    false
}

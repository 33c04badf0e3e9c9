//! What is installed, what is missing, and what to do about it. Looks only: it installs nothing.

use super::home::{self, Home};
use super::{Origin, ToolchainError, ToolchainOptions, provision, search};
use crate::compile::precompiled::{self, Use};
use crate::compile::{CompileError, CompileRequest, Limits, compile};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DoctorStatus {
    /// As it should be.
    Good,
    /// Works, with less; or will be put right at the next need.
    Warning,
    /// Kernels cannot be compiled until it is put right.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// What: "NVRTC", "headers", ...
    pub name: &'static str,
    /// How it came out.
    pub status: DoctorStatus,
    /// What was found.
    pub finding: String,
    /// What to do, unless it is good.
    pub next: Option<String>,
}

/// All checks, in the order in which one depends on another.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The workbook's own folder.
    pub home: PathBuf,
    /// The checks.
    pub checks: Vec<Check>,
}

impl Report {
    /// The worst of all checks.
    pub fn status(&self) -> DoctorStatus {
        self.checks.iter().map(|check| check.status).max().unwrap_or(DoctorStatus::Good)
    }

    /// 3 when kernels cannot be compiled, else 0.
    pub fn exit_code(&self) -> u8 {
        if self.status() == DoctorStatus::Problem { 3 } else { 0 }
    }

    fn add(&mut self, name: &'static str, status: DoctorStatus, finding: impl Into<String>, next: Option<&str>) {
        self.checks.push(Check { name, status, finding: finding.into(), next: next.map(str::to_owned) });
    }
}

/// Looks at everything the checker needs on this machine. A trial compilation shows that it works together.
pub fn examine(options: &ToolchainOptions) -> Report {
    let home = Home::from_environment();
    let mut report = Report { home: home.root().to_owned(), checks: Vec::new() };
    match search::find(options, &home) {
        Ok(mut found) => match found.complete(&home) {
            Ok(Some(toolchain)) => {
                let from = |path: &Path, origin: Origin| format!("{} (from: {origin})", path.display());
                let nvrtc = format!("{}, {}", toolchain.compiler(), from(&toolchain.nvrtc, toolchain.nvrtc_origin));
                report.add("NVRTC", DoctorStatus::Good, nvrtc, None);
                let archs: Vec<String> = toolchain.archs.iter().map(|arch| format!("sm_{arch}")).collect();
                report.add("architectures", DoctorStatus::Good, archs.join(" "), None);
                for dir in &toolchain.includes {
                    report.add("headers", DoctorStatus::Good, from(dir, toolchain.includes_origin), None);
                }
                report.add("nvdisasm", DoctorStatus::Good, from(&toolchain.nvdisasm, toolchain.nvdisasm_origin), None);
                trial(&mut report, &toolchain);
                precompiled(&mut report, &home, &toolchain);
            }
            Ok(None) => missing(&mut report, &found),
            Err(error) => problem(&mut report, &error),
        },
        Err(error) => problem(&mut report, &error),
    }
    storage(&mut report, &home);
    driver(&mut report);
    report
}

fn problem(report: &mut Report, error: &ToolchainError) {
    report.add("toolchain", DoctorStatus::Problem, error.finding(), Some(error.next_step()));
}

fn missing(report: &mut Report, found: &search::Found) {
    for root in &found.roots {
        if let (Some(nvrtc), Some(reason)) = (&root.nvrtc, &root.refused) {
            let next = "nothing: another one will be used";
            report.add("NVRTC", DoctorStatus::Warning, format!("{}: {reason}", nvrtc.display()), Some(next));
        }
    }
    let what = format!("no {}", found.missing().join(", no "));
    if let Some(dir) = &found.setting {
        problem(report, &ToolchainError::SettingIncomplete { dir: dir.clone(), missing: found.missing() });
    } else if home::offline() {
        problem(report, &ToolchainError::Offline { missing: found.missing() });
    } else if let Some(installer) = provision::installer_name() {
        let next = format!("nothing: the first check installs it with {installer} (about 70 MB to download)");
        report.add("toolchain", DoctorStatus::Warning, what, Some(&next));
    } else {
        problem(report, &ToolchainError::NoInstaller { missing: found.missing() });
    }
}

/// Compiles a kernel, past the cache.
fn trial(report: &mut Report, toolchain: &super::Toolchain) {
    let nonce = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let source = format!("// {nonce}\n__global__ void trial(float* a) {{ a[threadIdx.x] = 1.0f; }}\n");
    let arch = if toolchain.archs.contains(&90) { 90 } else { toolchain.archs.last().copied().unwrap_or(90) };
    let result = CompileRequest::new("trial.cu", source.as_bytes(), &format!("sm_{arch}")).and_then(|request| {
        compile(toolchain, &CompileRequest { limits: Limits::default(), ..request.kernels(["trial"]) })
    });
    match result {
        Ok(compiled) => {
            let finding = format!("a kernel compiles for sm_{arch}: {} bytes of machine code", compiled.cubin.len());
            report.add("compiler", DoctorStatus::Good, finding, None);
            if compiled.confined {
                report.add(
                    "sandbox",
                    DoctorStatus::Good,
                    "the compiler can read CUDA's headers only, and the simulator its inputs (Landlock)",
                    None,
                );
            } else {
                let finding =
                    "this system has no Landlock: only the check of #include lines keeps sources from reading files";
                let next =
                    "nothing for your own kernels; to grade those of others, use Linux 5.13 or newer with Landlock";
                report.add("sandbox", DoctorStatus::Warning, finding, Some(next));
            }
            if compiled.closed {
                let finding = "compiler, nvdisasm and simulator have no network and reach no other process (seccomp)";
                report.add("system calls", DoctorStatus::Good, finding, None);
            } else {
                let finding =
                    "this system takes no seccomp filter: compiler, nvdisasm and simulator may call what you may";
                let next = "nothing for your own kernels; to grade those of others, use Linux with seccomp filters";
                report.add("system calls", DoctorStatus::Warning, finding, Some(next));
            }
        }
        Err(error @ CompileError::Environment(_)) => {
            report.add(
                "compiler",
                DoctorStatus::Problem,
                error.to_string(),
                Some("set WARPBOOK_CUDA to another CUDA folder"),
            );
        }
        Err(error) => {
            let next = "set WARPBOOK_CUDA to another CUDA folder, or unset it";
            report.add("compiler", DoctorStatus::Problem, error.to_string(), Some(next));
        }
    }
}

/// Without them everything works, later.
fn precompiled(report: &mut Report, home: &Home, toolchain: &super::Toolchain) {
    let slow = "kernels that include cooperative groups, CUB or <cuda/...> take about 2 s longer after every change";
    let (status, finding, next) = match precompiled::examine(home, toolchain) {
        Use::Possible { kept: 0, .. } => {
            let when = "in use; none is kept yet: the first kernel that needs one has it made";
            (DoctorStatus::Good, when.to_owned(), None)
        }
        Use::Possible { kept, bytes } => {
            let place = home.precompiled();
            let finding = format!("in use; {kept} kept in {} ({} MB)", place.display(), bytes / 1_000_000);
            (DoctorStatus::Good, finding, None)
        }
        Use::Off => (DoctorStatus::Warning, format!("off (WARPBOOK_PCH=0): {slow}"), Some("unset WARPBOOK_PCH")),
        Use::Lacking => {
            let finding = format!("not possible with {} on this system: {slow}", toolchain.compiler());
            (DoctorStatus::Warning, finding, Some("nothing; they are for Linux with NVRTC 12.8 or newer"))
        }
        Use::Unplaced => {
            let finding = format!("this system lets no process fix its addresses, as in many containers: {slow}");
            (DoctorStatus::Warning, finding, Some("nothing; or allow the system call `personality` in the container"))
        }
    };
    report.add("precompiled headers", status, finding, next);
}

fn storage(report: &mut Report, home: &Home) {
    let trial = std::fs::create_dir_all(home.root()).and_then(|()| tempfile::tempfile_in(home.root()));
    if let (Ok(_), Err(error)) = (&trial, home.secure()) {
        report.add("storage", DoctorStatus::Problem, error.finding(), Some(error.next_step()));
        return;
    }
    match trial {
        Ok(_) => report.add("storage", DoctorStatus::Good, format!("{} is writable", home.root().display()), None),
        Err(error) => {
            let finding =
                format!("{} cannot be written ({error}): compiled kernels are not kept", home.root().display());
            report.add(
                "storage",
                DoctorStatus::Warning,
                finding,
                Some("set WARPBOOK_HOME to a folder that you may write"),
            );
        }
    }
}

/// The NVIDIA driver, as the kernel shows it. Without one, kernels run on the simulator.
fn driver(report: &mut Report) {
    let version = std::fs::read_to_string("/proc/driver/nvidia/version").ok();
    let Some(version) = version else {
        report.add(
            "GPU",
            DoctorStatus::Warning,
            "no NVIDIA driver: kernels run on the simulator, nothing is timed",
            None,
        );
        return;
    };
    let version = version.lines().next().unwrap_or_default().trim_start_matches("NVRM version:").trim().to_owned();
    let gpus = std::fs::read_dir("/proc/driver/nvidia/gpus").into_iter().flatten().flatten();
    let models: Vec<String> = gpus
        .filter_map(|gpu| {
            let text = std::fs::read_to_string(gpu.path().join("information")).ok()?;
            Some(text.lines().find_map(|line| line.strip_prefix("Model:"))?.trim().to_owned())
        })
        .collect();
    if models.is_empty() {
        let next = "check `nvidia-smi`; without a GPU kernels run on the simulator";
        report.add("GPU", DoctorStatus::Warning, format!("a driver ({version}) but no GPU"), Some(next));
    } else {
        report.add("GPU", DoctorStatus::Good, format!("{} ({version})", models.join(", ")), None);
    }
}

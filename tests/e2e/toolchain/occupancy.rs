//! Occupancy against NVIDIA's own `cuda_occupancy.h`, compiled here with the system's C++ compiler.

use crate::support::repository;
use sass::limits::DEVICES;
use sass::occupancy::{Limiter, Settings, Usage, occupancy};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every combination of these on every architecture.
struct Sweep {
    registers: Vec<u32>,
    shared: Vec<u32>,
    threads: Vec<u32>,
    /// Percent; the header takes -1 for the driver's choice.
    carveouts: Vec<Option<u32>>,
    barriers: Vec<u32>,
}

/// Everything at once, around the places where something changes.
fn broad() -> Sweep {
    let registers =
        [0, 1, 8, 9, 16, 24, 25, 32, 33, 40, 41, 48, 56, 63, 64, 65, 72, 80, 96, 97, 128, 129, 168, 200, 255, 256, 257];
    let shared = [
        0,
        1,
        1000,
        1024,
        7 << 10,
        12345,
        32 << 10,
        48 << 10,
        49153,
        64 << 10,
        99 << 10,
        163 << 10,
        227 << 10,
        300_000,
    ];
    let threads = [1, 31, 32, 33, 64, 96, 128, 160, 256, 320, 512, 736, 1000, 1024, 1025, 2048];
    Sweep {
        registers: registers.into(),
        shared: shared.into(),
        threads: threads.into(),
        carveouts: vec![None, Some(37), Some(100)],
        barriers: vec![0, 1, 16],
    }
}

/// Shared memory in fine steps against every carveout.
fn shared() -> Sweep {
    Sweep {
        registers: vec![16],
        shared: (0..=236).map(|kib| kib * 1024 - u32::from(kib % 3 == 1) * 129).collect(),
        threads: vec![32, 256],
        carveouts: (0..=100).map(Some).collect(),
        barriers: vec![1],
    }
}

/// Registers and block sizes one by one.
fn registers() -> Sweep {
    Sweep {
        registers: (0..=260).collect(),
        shared: vec![0],
        threads: (1..=1056).step_by(11).collect(),
        carveouts: vec![None],
        barriers: vec![1],
    }
}

/// The oracle's program, or why there is none.
fn compile_oracle(folder: &Path, include: &Path) -> Result<PathBuf, String> {
    let program = folder.join("oracle");
    let source = repository().join("tests/fixtures/occupancy.cpp");
    for compiler in ["c++", "g++", "clang++"] {
        let mut command = Command::new(compiler);
        command.args(["-O1", "-std=c++17", "-w", "-o"]).arg(&program).arg(&source).arg("-I").arg(include);
        match command.output() {
            Ok(output) if output.status.success() => return Ok(program),
            Ok(output) => panic!("{compiler} does not compile the oracle: {}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => {}
        }
    }
    Err("no C++ compiler (c++, g++, clang++)".to_owned())
}

pub(super) fn list(numbers: impl IntoIterator<Item = i64>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    format!("{} {}\n", words.len(), words.join(" "))
}

#[test]
#[ignore = "long"]
fn equal_to_cuda_occupancy_h() {
    let toolchain = compiler::toolchain::locate(&Default::default()).expect("a toolchain");
    let Some(include) = toolchain.includes.iter().find(|dir| dir.join("cuda_occupancy.h").is_file()) else {
        eprintln!("skipped: this toolchain has no cuda_occupancy.h");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = match compile_oracle(folder.path(), include) {
        Ok(program) => program,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let mut compared = 0;
    for sweep in [broad(), shared(), registers()] {
        compared += compare(&program, &sweep);
    }
    assert!(compared > 1_500_000, "{compared}");
}

/// Asks the oracle about a sweep and compares; the number of comparisons.
fn compare(program: &Path, sweep: &Sweep) -> usize {
    let mut question = format!("{}\n", DEVICES.len());
    for d in DEVICES {
        question += &format!(
            "{} {} {} {} {} {} {} {}\n",
            d.sm,
            d.threads_per_block,
            d.threads_per_sm,
            d.registers_per_sm,
            d.shared_per_sm,
            d.shared_per_block,
            d.shared_opt_in,
            d.shared_reserved
        );
    }
    for numbers in [&sweep.registers, &sweep.shared, &sweep.threads] {
        question += &list(numbers.iter().map(|n| i64::from(*n)));
    }
    question += &list(sweep.carveouts.iter().map(|c| c.map_or(-1, i64::from)));
    question += &list(sweep.barriers.iter().map(|n| i64::from(*n)));

    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the oracle starts");
    child.stdin.take().expect("a pipe").write_all(question.as_bytes()).expect("the oracle reads");
    let answer = child.wait_with_output().expect("the oracle answers");
    assert!(answer.status.success());
    let mut numbers = answer.stdout.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]]));

    let mut compared = 0;
    for device in DEVICES {
        for usage in usages(sweep) {
            for (carveout, barriers) in sweep.carveouts.iter().flat_map(|c| sweep.barriers.iter().map(|b| (*c, *b))) {
                for opt_in in [false, true] {
                    let usage = Usage { barriers, ..usage };
                    let ours = occupancy(device, &usage, Settings { carveout, opt_in });
                    let theirs: Vec<i16> = numbers.by_ref().take(7).collect();
                    assert_eq!(as_the_header_says(&ours), theirs, "{} {usage:?} {carveout:?} {opt_in}", device.sm);
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(numbers.next(), None);
    compared
}

fn usages(sweep: &Sweep) -> impl Iterator<Item = Usage> {
    sweep.registers.iter().flat_map(move |&registers| {
        sweep.shared.iter().flat_map(move |&shared| {
            sweep.threads.iter().map(move |&threads| Usage { threads, registers, shared, barriers: 0 })
        })
    })
}

/// The header keeps the other factors' flags when barriers allow still fewer blocks; we name barriers alone then.
fn as_the_header_says(o: &sass::Occupancy) -> Vec<i16> {
    let allowed: Vec<Option<u32>> = o.limits.iter().map(|l| l.blocks).collect();
    let without_barriers = allowed[..4].iter().flatten().min().copied();
    let header_flags = [(Limiter::Warps, 1), (Limiter::Registers, 2), (Limiter::Shared, 4), (Limiter::Blocks, 8)];
    let mut flags: i16 = header_flags
        .iter()
        .zip(&allowed)
        .filter(|(_, blocks)| blocks.is_some() && **blocks == without_barriers)
        .map(|((_, flag), _)| flag)
        .sum();
    if allowed[4] == Some(o.active_blocks) {
        flags += 16;
    }
    // Our own list is the flags' list, but for that case.
    let ours: i16 =
        o.limiters.iter().map(|l| header_flags.iter().find(|(f, _)| f == l).map_or(16, |(_, flag)| *flag)).sum();
    let barriers_alone = without_barriers > Some(o.active_blocks);
    assert_eq!(ours, if barriers_alone { 16 } else { flags });
    let number = |n: Option<u32>| n.map_or(-1, |n| i16::try_from(n).expect("a small number"));
    let mut all = vec![number(Some(o.active_blocks)), flags];
    all.extend(allowed.into_iter().map(number));
    all
}

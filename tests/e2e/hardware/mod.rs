//! The simulator's counters against an H200's own, read with its profiler: every version of the workbook at its `count`
//! size. The profiler's values are committed in `h200.csv`; no GPU is needed to compare.
//!
//! To read them anew (here, then on a machine with the GPU, nvcc and ncu, then here again):
//!
//! ```text
//! WARPBOOK_NCU=WORK cargo test -p checker --test e2e hardware::write -- --ignored
//! scripts/ncu.sh WORK OUT
//! WARPBOOK_NCU=OUT cargo test -p checker --test e2e hardware::pack -- --ignored
//! ```

mod cases;
mod exceptions;
mod table;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The table of the book's page on the simulator.
const AGREEMENT: &str = "book/results/nvidia-h200/tables/agreement.json";

fn data() -> PathBuf {
    crate::support::repository().join("tests/e2e/hardware/h200.csv")
}

/// What the two that are no tests work in; nothing where nobody asked for them by name.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("WARPBOOK_NCU").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: WARPBOOK_NCU names no folder");
    }
    folder
}

#[test]
fn counters_agree_with_an_h200() {
    let file = std::fs::read_to_string(data()).unwrap();
    let committed = table::read(&file);
    let (mut compared, mut stale, mut wrong, mut needless) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut agreement = table::Agreement::default();
    for case in cases::all() {
        let Some(row) = committed.iter().find(|row| row.name == case.name && row.fingerprint == case.fingerprint)
        else {
            stale.push(case.name);
            continue;
        };
        compared += 1;
        let counters = case.simulate();
        for table::Compared { counter, ours, theirs, varies, agrees } in table::compare(&counters, row) {
            agreement.add(counter, ours, theirs, varies);
            match (agrees || varies, exceptions::exception(&case.name, counter)) {
                (false, None) => wrong.push(format!("{}: {counter}: simulator {ours}, H200 {theirs}", case.name)),
                (true, Some(_)) => needless.push(format!("{}: {counter}", case.name)),
                _ => {}
            }
        }
    }
    println!("{compared} versions compared; changed since they were measured: {stale:?}");
    assert!(compared >= 150, "{compared} compared, measure anew: {stale:?}");
    assert!(wrong.is_empty(), "{} counters differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(needless.is_empty(), "these agree, drop their exceptions:\n{}", needless.join("\n"));

    // The book shows how many agree. A third of the versions is compared in turn otherwise.
    let device = file.lines().next().unwrap().trim_start_matches("# ").replace(",ncu", ", ncu");
    let (written, path) = (agreement.written(&device), crate::support::repository().join(AGREEMENT));
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &written).unwrap();
    }
    let shown = std::fs::read_to_string(&path).unwrap();
    assert_eq!(shown, written, "{AGREEMENT} is not what the comparison finds; run this test with INSTA_UPDATE=always");
}

/// Writes what `scripts/ncu.sh` needs.
#[test]
#[ignore = "writes the folder that WARPBOOK_NCU names"]
fn write() {
    let Some(folder) = folder() else { return };
    std::fs::create_dir_all(&folder).unwrap();
    let mut manifest = String::new();
    for (index, case) in cases::all().iter().enumerate() {
        std::fs::write(folder.join(format!("{index}.cubin")), &case.compiled.cubin).unwrap();
        writeln!(manifest, "case {} {:016x} {index}.cubin", case.name, case.fingerprint).unwrap();
        for (at, (buffer, fill)) in case.plan.buffers.iter().zip(&case.fills).enumerate() {
            let bytes = buffer.len * buffer.dtype.size() as u64;
            let name = if fill.is_empty() { "-".to_owned() } else { format!("{index}.{at}.bin") };
            if !fill.is_empty() {
                std::fs::write(folder.join(&name), fill).unwrap();
            }
            writeln!(manifest, "buffer {bytes} {name}").unwrap();
        }
        for (launch, (kernel, args)) in case.plan.launches.iter().zip(case.launches()) {
            let [x, y, z] = launch.grid;
            let [i, j, k] = launch.block;
            let (shared, cooperative) = (launch.shared, u8::from(launch.cooperative));
            write!(manifest, "launch {kernel} {x} {y} {z} {i} {j} {k} {shared} {cooperative} {}", args.len()).unwrap();
            for (arg, bytes) in launch.args.iter().zip(args) {
                match (arg, bytes) {
                    (plan::Arg::Buffer(buffer), _) => write!(manifest, " b{buffer}").unwrap(),
                    (_, bytes) => {
                        let hex: String = bytes.unwrap_or_default().iter().map(|byte| format!("{byte:02x}")).collect();
                        write!(manifest, " x{hex}").unwrap();
                    }
                }
            }
            manifest.push('\n');
        }
    }
    std::fs::write(folder.join("manifest.txt"), manifest).unwrap();
    std::fs::write(folder.join("metrics.txt"), table::metrics().collect::<Vec<_>>().join(",")).unwrap();
}

/// Makes `h200.csv` from what `scripts/ncu.sh` brought back.
#[test]
#[ignore = "reads the folder that WARPBOOK_NCU names"]
fn pack() {
    let Some(folder) = folder() else { return };
    let read = |name: &str| std::fs::read_to_string(Path::new(&folder).join(name)).unwrap();
    let profiles = ["1", "2", "3"].map(|run| read(&format!("ncu.{run}.csv")));
    std::fs::write(data(), table::pack(&read("manifest.txt"), &profiles, read("device.txt").trim())).unwrap();
}

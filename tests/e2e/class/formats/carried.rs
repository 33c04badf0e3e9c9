//! What judging reads outside a problem's folder goes with it to platforms and students, and a grade's key hangs on it.

use crate::support::{Ran, Workbook, rows_in_turn};
use serde_json::Value;
use std::path::Path;

/// Results of an exercise whose starter cannot be modelled: it is judged by what the starter once took.
const RECORD: &str = "book/results/nvidia-h200/ex32.json";

/// Every thread sleeps for long before it works.
fn sleepy(workbook: &Workbook) -> String {
    let solution = workbook.read("solutions/ex32/solution.cu");
    let sleeps = "    for (int nap = 0; nap < 20; ++nap) asm volatile(\"nanosleep.u32 1000000;\");\n    int row =";
    assert!(solution.contains("    int row ="), "{solution}");
    solution.replacen("    int row =", sleeps, 1)
}

/// Key and points of the only grade, by the workbook in that folder.
fn graded(workbook: &Workbook, by: &Path, book: &str) -> (Value, Value) {
    let args = ["grade", "ada.cu", "--exercise", "ex32", "--seed", "7", "--book", book];
    let ran: Ran = workbook.command().args(args).env("WARPBOOK_ROOT", by).output().expect("it starts").into();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let folder = workbook.path(&format!("{book}/grades/ex32"));
    let file = std::fs::read_dir(folder).expect("grades").flatten().next().expect("a grade");
    let grade: Value = serde_json::from_slice(&std::fs::read(file.path()).expect("a file")).expect("JSON");
    (grade["key"].clone(), grade["points"]["earned"].clone())
}

#[test]
#[ignore = "long"]
fn a_platform_has_what_judging_reads_and_a_key_says_so() {
    let workbook = Workbook::copy_of_parts(&["exercises/ex32", "solutions/ex32", "book/results", "kernels/atomics"]);
    workbook.write("ada.cu", sleepy(&workbook));
    workbook.write("seed", "7");
    let args = ["--for", "gradescope", "--exercise", "ex32", "--seed-file", "seed", "--checker", "seed"];
    let handed_out = |out: &str, args: &[&str]| {
        let ran = workbook.run([&["dist", out][..], args].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    handed_out("platform", &args);
    handed_out("students", &["--exercise", "ex32"]);
    for place in ["platform/workbook/", "students/"] {
        assert_eq!(workbook.read(&format!("{place}{RECORD}")), workbook.read(RECORD));
        let devices = std::fs::read_dir(workbook.path(&format!("{place}book/results/nvidia-h200"))).expect("results");
        assert_eq!(devices.count(), 1, "other exercises' results stay at home");
    }
    let here = graded(&workbook, &workbook.path(""), "here");
    for other in rows_in_turn([Results::HandedOut, Results::None, Results::OfAnotherDevice]) {
        match other {
            Results::HandedOut => assert_eq!(graded(&workbook, &workbook.path("platform/workbook"), "there"), here),
            // The same kernel is judged otherwise, and nobody takes that for the same check.
            Results::None => {
                std::fs::remove_file(workbook.path("platform/workbook").join(RECORD)).expect("removed");
                let without = graded(&workbook, &workbook.path("platform/workbook"), "without");
                assert!(without.0 != here.0 && without.1 != here.1, "{without:?} {here:?}");
            }
            // They change what a report shows, and not what is judged.
            Results::OfAnotherDevice => {
                let other = workbook.read(RECORD).replace("NVIDIA H200", "NVIDIA A100").replace("2856.4", "28.4");
                workbook.write("book/results/nvidia-a100/ex32.json", other);
                let beside = graded(&workbook, &workbook.path(""), "beside");
                assert!(beside.0 != here.0 && beside.1 == here.1, "{beside:?} {here:?}");
            }
        }
    }
}

/// What else a kernel is judged with, beside the results at home.
enum Results {
    HandedOut,
    None,
    OfAnotherDevice,
}

//! What `checker grade` takes: layouts of platforms, and archives that somebody made to do harm.

use crate::grade::class;
use crate::support::Workbook;
use std::io::Write;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A zip of these files.
fn zipped(workbook: &Workbook, name: &str, files: &[(&str, &[u8])]) {
    let mut zip = ZipWriter::new(std::fs::File::create(workbook.path(name)).expect("a file"));
    for (path, bytes) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        match path.strip_prefix("link:") {
            Some(path) => zip.add_symlink(path, std::str::from_utf8(bytes).expect("a path"), options).expect("a link"),
            None => {
                zip.start_file(*path, options).expect("an entry");
                zip.write_all(bytes).expect("its bytes");
            }
        }
    }
    zip.finish().expect("the end");
}

/// `student,points` of ex01 after grading what `name` holds.
fn points(workbook: &Workbook, name: &str) -> Vec<String> {
    let book = format!("book-of-{name}");
    let ran = workbook.run(["grade", name, "--seed", "7", "--exercise", "ex01", "--book", &book]);
    assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
    let table = workbook.read(&format!("{book}/grades.csv"));
    table.lines().skip(1).map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect()
}

#[test]
fn exports_of_platforms() {
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    let bad = workbook.read("exercises/ex01/starter.cu");
    let (good, bad) = (good.as_bytes(), bad.as_bytes());
    zipped(
        &workbook,
        "moodle.zip",
        &[
            ("Jane Doe_4711_assignsubmission_file_/kernel.cu", good),
            ("Jane Doe_4712_assignsubmission_file_/kernel.cu", bad),
        ],
    );
    assert_eq!(points(&workbook, "moodle.zip"), ["Jane Doe,4711,10", "Jane Doe,4712,0"]);
    zipped(&workbook, "canvas.zip", &[("doejane_11_22_kernel.cu", bad), ("doejane_LATE_11_23_kernel-1.cu", good)]);
    assert_eq!(points(&workbook, "canvas.zip"), ["doejane,11,10"]);
    zipped(
        &workbook,
        "gradescope.zip",
        &[
            ("assignment_1_export/submission_metadata.yml", b"---\n"),
            ("assignment_1_export/submission_7/kernel.cu", good),
            ("assignment_1_export/submission_8/mine.cu", bad),
        ],
    );
    assert_eq!(points(&workbook, "gradescope.zip"), ["submission_7,7,10", "submission_8,8,0"]);
    // An archive each, in an archive.
    zipped(&workbook, "ada.zip", &[("exercises/ex01/kernel.cu", good), ("exercises/ex01/starter.cu", bad)]);
    let inner = std::fs::read(workbook.path("ada.zip")).expect("an archive");
    zipped(&workbook, "class.zip", &[("ada.zip", &inner), ("bob/kernel.cu", bad)]);
    assert_eq!(points(&workbook, "class.zip"), ["ada,,10", "bob,,0"]);
    // A list as JSON.
    workbook.write("list.json", r#"[{"student": "ada", "exercise": "ex01", "path": "class/ada/ex01/kernel.cu"}]"#);
    assert_eq!(points(&workbook, "list.json"), ["ada,,10"]);
}

#[test]
fn archives_that_mean_harm() {
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    let good = good.as_bytes();
    let bomb = vec![b' '; 64 << 20];
    zipped(
        &workbook,
        "harm.zip",
        &[
            ("ada/kernel.cu", good),
            ("bomb/kernel.cu", &bomb),
            ("../outside/kernel.cu", good),
            ("/absolute/kernel.cu", good),
            ("link:link/kernel.cu", b"/etc/passwd"),
            ("two\nlines\x1b[2J/kernel.cu", good),
            ("=cmd()/kernel.cu", good),
            ("empty/kernel.cu", b""),
            ("binary/kernel.cu", b"\xff\xfe\x00"),
            ("twice/a.cu", good),
            ("twice/b.cu", good),
            ("nested/inner.zip", b"PK\x03\x04 no archive"),
        ],
    );
    let ran = workbook.run(["grade", "harm.zip", "--seed", "7", "--exercise", "ex01"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    insta::assert_snapshot!("grade-harm", ran.stdout);
    insta::assert_snapshot!("grade-harm-points", workbook.read("grades/submissions.csv"));
    assert!(!workbook.path("../outside").exists() && !std::path::Path::new("/absolute").exists());

    // An archive that is cut off, one that is none, a list with a wrong column, nothing at all.
    let whole = std::fs::read(workbook.path("harm.zip")).expect("an archive");
    workbook.write("cut.zip", &whole[..whole.len() / 2]);
    workbook.write("text.zip", "no archive");
    workbook.write("columns.csv", "name,file\nada,class/ada/ex01/kernel.cu\n");
    workbook.write("away.csv", "student,exercise,path\nada,ex01,../../../../etc/passwd\n");
    workbook.write("no-such.csv", "student,exercise,path\nada,ex77,class/ada/ex01/kernel.cu\n");
    std::fs::create_dir(workbook.path("nobody")).expect("a folder");
    for (name, code, says) in [
        ("cut.zip", 2, "not a zip archive"),
        ("text.zip", 2, "not a zip archive"),
        ("columns.csv", 2, "student,exercise,path"),
        ("no-such.csv", 2, "there is no exercise ex77"),
        ("nobody", 2, "no kernel file"),
        ("absent", 2, "absent"),
    ] {
        let ran = workbook.run(["grade", name, "--seed", "7", "--book", "other"]);
        assert_eq!(ran.code, Some(code), "{name}: {ran:?}");
        assert!(ran.stderr.contains(says), "{name}: {}", ran.stderr);
    }
    let away = workbook.run(["grade", "away.csv", "--seed", "7", "--book", "other"]);
    assert!(away.code == Some(0) && away.stdout.contains("leads out of its folder"), "{away:?}");
}

#[cfg(unix)]
#[test]
fn folders_with_links_pipes_and_odd_names() {
    use std::os::unix::ffi::OsStrExt;
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    for who in std::fs::read_dir(workbook.path("class")).expect("a class").flatten() {
        std::fs::remove_dir_all(who.path()).expect("removed");
    }
    workbook.write("class/ada/kernel.cu", &good);
    std::os::unix::fs::symlink(workbook.path("solutions/ex01/solution.cu"), workbook.path("class/link.cu"))
        .expect("a link");
    std::os::unix::fs::symlink(workbook.path("class/ada"), workbook.path("class/thief")).expect("a link");
    std::fs::create_dir(workbook.path("class/pipe")).expect("a folder");
    let pipe =
        std::process::Command::new("mkfifo").arg(workbook.path("class/pipe/kernel.cu")).status().expect("mkfifo");
    assert!(pipe.success());
    let odd = workbook.path("class").join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).expect("a folder");
    std::fs::write(odd.join("kernel.cu"), &good).expect("a file");
    let ran = workbook.run(["grade", "class", "--seed", "7", "--exercise", "ex01"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    insta::assert_snapshot!("grade-folder", ran.stdout);
    insta::assert_snapshot!("grade-folder-points", workbook.read("grades/grades.csv"));
}

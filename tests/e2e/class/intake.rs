//! What `checker grade` takes: layouts of platforms, and archives that somebody made to do harm.

use crate::class::grade::{class, only};
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
#[ignore = "long"]
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
            // Who is called like somebody's folder is nobody but himself.
            ("Jane Doe_4711_assignsubmission__4713_assignsubmission_file_/kernel.cu", bad),
        ],
    );
    let own = "Jane Doe_4711_assignsubmission_,4713,0";
    assert_eq!(points(&workbook, "moodle.zip"), ["Jane Doe,4711,10", "Jane Doe,4712,0", own]);
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
#[ignore = "long"]
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
    only(&workbook, None);
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

/// Gradescope says beside its folders who handed them in, and when: groups, numbers, times with a zone.
#[test]
fn gradescope_says_who_and_when() {
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    let metadata = "---\nsubmission_7:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '0471'\n    :email: j@example.org\n  \
                    - :name: 'Roe: R'\n    :sid: 12\n  :created_at: 2026-11-02 09:00:00.5 Z\n  :results:\n    output: |-\n      \
                    submission_8: {\nsubmission_8:\n  :submitters:\n  - :email: ann@example.org\n  :created_at: 2026-11-01 09:00:00 Z\n";
    let rubric = "[late]\ndeadline = \"2026-11-01T12:00:00Z\"\nper_day = 0.1\n";
    workbook.write("rubric.toml", rubric);
    let export = |name: &str, metadata: &str| {
        zipped(
            &workbook,
            name,
            &[
                ("assignment_1_export/submission_metadata.yml", metadata.as_bytes()),
                ("assignment_1_export/submission_7/kernel.cu", good.as_bytes()),
                ("assignment_1_export/submission_8/ex01.cu", good.as_bytes()),
                // What a student calls so says nothing.
                (
                    "assignment_1_export/submission_8/deep/submission_metadata.yml",
                    b"submission_8:\n  :submitters:\n  - :name: Somebody else\n",
                ),
            ],
        );
        let args =
            ["grade", name, "--seed", "7", "--exercise", "ex01", "--rubric", "rubric.toml", "--book", "of-gradescope"];
        let _ = std::fs::remove_dir_all(workbook.path("of-gradescope"));
        let ran = workbook.run(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        (ran.stdout, workbook.read("of-gradescope/grades.csv"))
    };
    let (_, points) = export("export.zip", metadata);
    assert_eq!(
        points,
        "student,id,ex01,total,of,not_graded\nJane Doe,0471,9,9,10,0\nRoe: R,12,9,9,10,0\nann@example.org,ann@example.org,10,10,10,0\n"
    );
    let (said, points) = export("damaged.zip", "submission_7: [");
    assert!(said.contains("students are called after their folders"), "{said}");
    assert!(points.contains("submission_7,7,10,"), "{points}");
}

/// A name that says an exercise which there is not is not taken for another's, whatever else is said.
#[test]
fn what_is_for_no_exercise_is_graded_as_none() {
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    for path in ["odd/ada/ex99/kernel.cu", "odd/ex07/bob.cu", "odd/cyd_ex3.cu", "odd/dan/kernel.cu"] {
        workbook.write(path, &good);
    }
    let ran = workbook.run(["grade", "odd", "--seed", "7", "--exercise", "ex01", "--book", "odd-book"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for says in
        ["ada/ex99/kernel.cu: there is no exercise ex99", "there is no exercise ex07", "there is no exercise ex3"]
    {
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
    }
    // Nobody is lost: each has a row, and is to be looked at until something of theirs is taken.
    let table = |book: &str| workbook.read(&format!("{book}/grades.csv"));
    let rows = "ada,,,0,10,0\nbob,,,0,10,0\ncyd,,,0,10,0\ndan,,10,10,10,0\neve,,,0,10,0\n";
    workbook.write("odd/eve/kernel.cu.txt", &good);
    let grade = || workbook.run(["grade", "odd", "--seed", "7", "--exercise", "ex01", "--book", "odd-book"]);
    assert_eq!(grade().code, Some(0));
    assert_eq!(table("odd-book"), format!("student,id,ex01,total,of,not_graded\n{rows}"));
    let looked_at = |who: &str| {
        workbook.read("odd-book/pages/index.html").contains(&format!("<td>{who}</td><td></td><td>nothing taken</td>"))
    };
    assert!(["ada", "bob", "cyd", "eve"].into_iter().all(looked_at), "{}", workbook.read("odd-book/pages/index.html"));
    let ran = workbook.run(["grade", "explain", "eve", "ex01", "--book", "odd-book"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("there is eve/kernel.cu.txt"), "{ran:?}");
    std::fs::remove_dir_all(workbook.path("odd")).expect("removed");
    workbook.write("odd/ada/kernel.cu", &good);
    assert_eq!(grade().code, Some(0));
    assert_eq!(
        table("odd-book"),
        format!("student,id,ex01,total,of,not_graded\n{}", rows.replace("ada,,,0,10,0", "ada,,10,10,10,0"))
    );
    assert!(!looked_at("ada") && looked_at("eve"));
    let ran = workbook.run(["grade", "explain", "ada", "ex01", "--book", "odd-book"]);
    assert!(ran.stdout.contains("checker grade again --book odd-book ada ex01"), "{ran:?}");
}

/// Archives in archives: one that is mostly nothing is left out, and those beside it are taken.
#[test]
#[ignore = "long"]
fn an_archive_that_swells_is_left_out() {
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    let inner = |name: &str, padding: usize| {
        zipped(&workbook, name, &[("ex01/kernel.cu", good.as_bytes())]);
        let mut bytes = std::fs::read(workbook.path(name)).expect("an archive");
        // In front of an archive there may be anything.
        bytes.splice(0..0, std::iter::repeat_n(0, padding));
        bytes
    };
    let (bomb, honest) = (inner("a.zip", 65 << 20), inner("b.zip", 0));
    zipped(&workbook, "class.zip", &[("a-bomb.zip", &bomb), ("ada.zip", &honest), ("bob.zip", &honest)]);
    let outer = std::fs::metadata(workbook.path("class.zip")).expect("an archive").len();
    assert!(outer < 1 << 20, "it is small where it lies: {outer}");
    let ran = workbook.run(["grade", "class.zip", "--seed", "7", "--book", "bombed"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.contains("passed over: a-bomb.zip: it has more than the 67108864 bytes possible"),
        "{}",
        ran.stdout
    );
    assert_eq!(
        workbook.read("bombed/grades.csv"),
        "student,id,ex01,total,of,not_graded\na-bomb,,,0,10,0\nada,,10,10,10,0\nbob,,10,10,10,0\n"
    );
}

/// Lists as spreadsheets save them, and two rows of one name.
#[test]
fn lists_of_spreadsheets() {
    let workbook = class();
    let list = "student;exercise;path\r\nJos\u{e9};ex01;class/ada/ex01/kernel.cu\r\nAnn;ex01;class/ada/ex01/kernel.cu\r\n\
                Ann;ex01;class/bob/ex01/kernel.cu\r\n";
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(list.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    workbook.write("list.csv", utf16);
    let ran = workbook.run(["grade", "list.csv", "--seed", "7", "--book", "listed"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("note: Ann ex01: 2 rows are taken for tries of one student"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Jos\u{e9} ex01:"), "{}", ran.stdout);
    assert_eq!(
        workbook.read("listed/grades.csv"),
        "student,id,ex01,total,of,not_graded\nAnn,,10,10,10,0\nJos\u{e9},,10,10,10,0\n"
    );
    workbook.write("latin.csv", b"student,exercise,path\nJos\xe9,ex01,class/ada/ex01/kernel.cu\n");
    let ran = workbook.run(["grade", "latin.csv", "--seed", "7", "--book", "listed"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("latin.csv") && ran.stderr.contains("CSV UTF-8"), "{ran:?}");
}

/// Nothing can be written there, or what is there is half of it: a message that names it, and nothing is lost.
#[test]
#[ignore = "long"]
fn grade_books_that_cannot_be_written_or_are_half_written() {
    let workbook = class();
    let grade = |book: &str| workbook.run(["grade", "class/ada", "--student", "ada", "--seed", "7", "--book", book]);
    // Below a file nothing can be made, not even by who may do everything.
    workbook.write("file", "");
    let ran = grade("file/book");
    assert!(ran.code == Some(3) && ran.stderr.contains("file/book"), "{ran:?}");
    let ran =
        workbook.run(["grade", "class/ada", "--student", "ada", "--seed", "7", "--for", "vpl", "--out", "file/out"]);
    assert!(ran.code == Some(3) && ran.stderr.contains("file/out"), "{ran:?}");
    let grades = |book: &str| workbook.read(&format!("{book}/grades.csv"));
    assert_eq!(grade("marks").code, Some(0));
    let whole = grades("marks");
    // Half of a mark, a kernel, a table: made again.
    let kernel =
        std::fs::read_dir(workbook.path("marks/kernels")).expect("kernels").flatten().next().expect("one").path();
    let kernel = kernel.join("kernel.cu");
    let text = std::fs::read(&kernel).expect("a kernel");
    for (path, half) in [
        (workbook.path("marks/grade-book.json"), &b"{ \"sch"[..]),
        (kernel.clone(), &text[..text.len() / 2]),
        (workbook.path("marks/grades.csv"), &b"student,id"[..]),
        (workbook.path("marks/grades/ex01/.left.new"), &b"{"[..]),
        (workbook.path("marks/pages/.left.new"), &b"<"[..]),
    ] {
        std::fs::write(&path, half).expect("written");
        let ran = grade("marks");
        assert_eq!(ran.code, Some(0), "{path:?}: {ran:?}");
    }
    assert_eq!((grades("marks"), std::fs::read(&kernel).expect("a kernel")), (whole.clone(), text));
    for left in ["marks/grades/ex01/.left.new", "marks/pages/.left.new"] {
        assert!(!workbook.path(left).exists(), "{left}");
    }
    // Looking at it writes nothing.
    std::fs::remove_file(workbook.path("marks/.lock")).expect("a lock");
    assert_eq!(workbook.run(["grade", "explain", "ada", "ex01", "--book", "marks"]).code, Some(0));
    assert!(!workbook.path("marks/.lock").exists());
    // Without its secret no grade could be repeated: nothing is drawn in its place.
    workbook.write("marks/secret", "");
    let ran = grade("marks");
    assert!(ran.code == Some(3) && ran.stderr.contains("it is empty"), "{ran:?}");
    workbook.write("marks/secret", "7");
    workbook.write("marks/rubric.toml", "[default]\nresults =");
    let ran = grade("marks");
    assert!(ran.code == Some(2) && ran.stderr.contains("rubric.toml"), "{ran:?}");
    assert_eq!(grades("marks"), whole);
}

#[test]
fn two_entries_of_one_name_are_not_chosen_between() {
    let workbook = class();
    let good = workbook.read("solutions/ex01/solution.cu");
    let bad = workbook.read("exercises/ex01/starter.cu");
    zipped(&workbook, "twice.zip", &[("ana/ex01/kernel.cu", bad.as_bytes()), ("ana/ex01/kernel.cX", good.as_bytes())]);
    let zip = std::fs::read(workbook.path("twice.zip")).expect("the archive");
    let same: Vec<u8> = zip.iter().map(|byte| if *byte == b'X' { b'u' } else { *byte }).collect();
    std::fs::write(workbook.path("twice.zip"), same).expect("the archive");
    let ran = workbook.run(["grade", "twice.zip", "--seed", "7"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("two entries named ana/ex01/kernel.cu"), "{ran:?}");
    // A second name in an entry's extra field (Info-ZIP's Unicode Path) is a name. The library writes none: another field becomes one.
    let renamed = "ana/ex01/kernel.cu";
    let mut field = vec![1];
    field.extend(0x4eac_9bdeu32.to_le_bytes());
    field.extend(renamed.as_bytes());
    let mut options = zip::write::FullFileOptions::default();
    options.add_extra_field(0x6666, field, false).expect("a field");
    let mut writer = ZipWriter::new(std::fs::File::create(workbook.path("other.zip")).expect("a file"));
    writer.start_file("zoe/ex01/kernel.cu", options).expect("an entry");
    writer.write_all(good.as_bytes()).expect("its bytes");
    writer.start_file(renamed, SimpleFileOptions::default()).expect("an entry");
    writer.write_all(bad.as_bytes()).expect("its bytes");
    writer.finish().expect("the end");
    let mut zip = std::fs::read(workbook.path("other.zip")).expect("the archive");
    for at in 0..zip.len() - 5 {
        if zip[at..].starts_with(b"ff") && zip[at + 4] == 1 {
            zip[at..at + 2].copy_from_slice(&0x7075u16.to_le_bytes());
        }
    }
    std::fs::write(workbook.path("other.zip"), zip).expect("the archive");
    let ran = workbook.run(["grade", "other.zip", "--seed", "7", "--book", "other"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("two entries named zoe/ex01/kernel.cu"), "{ran:?}");
    // Of a student's own archive, too; nobody else is held up by it.
    std::fs::create_dir_all(workbook.path("class/ana")).expect("a folder");
    std::fs::rename(workbook.path("twice.zip"), workbook.path("class/ana/ex01.zip")).expect("a student's archive");
    std::fs::create_dir_all(workbook.path("class/ben/ex01")).expect("a folder");
    workbook.write("class/ben/ex01/kernel.cu", &good);
    let ran = workbook.run(["grade", "class", "--seed", "7", "--book", "twice"]);
    assert!(ran.stderr.contains("two entries named") || ran.stdout.contains("two entries named"), "{ran:?}");
    assert!(workbook.read("twice/grades.csv").contains("ben,,10"), "{ran:?}");
}

//! `checker NAME` on what a learner may write: every mistake ends in a report with its place and the right status.

use crate::support::{Ran, Workbook};

/// Runs a check on the simulator with a fixed seed.
pub fn check(workbook: &Workbook, more: &[&str]) -> Ran {
    workbook.run([&["ex01", "--backend", "sim", "--seed", "7"], more].concat())
}

/// The report, with what differs between machines taken out.
pub fn redacted(text: &str) -> String {
    let line = |line: &str| {
        let version = line.find("NVRTC ").map_or(line.len(), |at| at + "NVRTC ".len());
        let (head, tail) = line.split_at(version);
        match tail.split_once(' ') {
            Some((number, rest)) if !head.is_empty() && number.contains('.') => {
                format!("{head}[version] {}", rest.replace(", from the cache", ""))
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The fixture with an edited kernel.
pub fn with_kernel(edit: impl Fn(&str) -> String) -> Workbook {
    let workbook = Workbook::copy("small");
    let text = workbook.read("exercises/ex01/kernel.cu");
    let edited = edit(&text);
    assert_ne!(text, edited, "the edit changes nothing");
    workbook.write("exercises/ex01/kernel.cu", edited);
    workbook
}

#[test]
fn what_does_not_compile_shows_the_learners_line() {
    let ran = check(&with_kernel(|text| text.replace("a[i]", "a[j]")), &[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    insta::assert_snapshot!("check-does-not-compile", redacted(&ran.stdout));
}

/// What is no kernel file at all is told as that, whatever the editor made of it; not a `//@` line is at fault.
#[test]
fn a_file_that_is_no_text_is_a_bad_file() {
    let workbook = Workbook::copy("small");
    let right = workbook.read("exercises/ex01/kernel.cu");
    let utf16 = |bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        mark.encode_utf16().chain(right.encode_utf16()).flat_map(bytes).collect()
    };
    for (what, bytes, says) in [
        ("empty", Vec::new(), "the file is empty"),
        ("blank", b" \n\n".to_vec(), "the file is empty"),
        ("UTF-16 as Notepad has it", utf16(u16::to_le_bytes, "\u{feff}"), "UTF-16 text: save it as UTF-8"),
        ("UTF-16 without a mark", utf16(u16::to_le_bytes, ""), "UTF-16 text: save it as UTF-8"),
        ("UTF-16, the other way round", utf16(u16::to_be_bytes, ""), "UTF-16 text: save it as UTF-8"),
        ("a program", b"\x7fELF\x02\x01\x01\0\0\0\0\xff\xfe\0\0".to_vec(), "the file is no text"),
        ("a zero at the end", format!("{right}\0").into_bytes(), "the file is no text"),
        ("old line ends", right.replace('\n', "\r").into_bytes(), "carriage returns only (CR)"),
        ("Latin-1", [b"// \xe9\n", right.as_bytes()].concat(), "byte 0xe9 is not UTF-8"),
    ] {
        workbook.write("exercises/ex01/kernel.cu", bytes);
        let ran = check(&workbook, &["--plain"]);
        assert!(ran.code == Some(1) && ran.stdout.contains("BAD FILE") && ran.stdout.contains(says), "{what}: {ran:?}");
        assert!(!ran.stdout.contains("//@") && !ran.stdout.contains("Correct"), "{what}: {ran:?}");
    }
    // Line ends of other systems and a mark are no fault.
    for text in [right.replace('\n', "\r\n"), format!("\u{feff}{right}")] {
        workbook.write("exercises/ex01/kernel.cu", text);
        assert!(!check(&workbook, &["--plain"]).stdout.contains("BAD"));
    }
}

#[test]
fn launches_that_cannot_be_made() {
    let launch = "launch scale<<<ceil_div(n, block), block>>>(a, b, n)";
    for (name, from, to) in [
        ("zero-blocks", launch, "launch scale<<<n / 1000000, block>>>(a, b, n)"),
        ("zero-threads", "block = 128", "block = 0"),
        ("too-many-threads", "block = 128", "block = 2048"),
        ("too-much-shared", launch, "launch scale<<<ceil_div(n, block), block, 300000>>>(a, b, n)"),
        ("no-such-kernel", "launch scale", "launch scole"),
        ("too-few-arguments", "(a, b, n)", "(a, b)"),
        ("wrong-argument", "(a, b, n)", "(n, b, a)"),
        ("no-launch", "//@ launch", "//"),
        ("no-such-buffer", "(a, b, n)", "(a, c, n)"),
        ("unknown-statement", "//@ let ", "//@ lett"),
        ("unbalanced", "block>>>(", "block>>("),
        ("division-by-zero", "block = 128", "block = 128 / (n - n)"),
    ] {
        let ran = check(&with_kernel(|text| text.replace(from, to)), &[]);
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        assert!(!ran.stdout.contains("panicked") && !ran.stderr.contains("panicked"), "{name}: {ran:?}");
        insta::assert_snapshot!(format!("launch-{name}"), redacted(&ran.stdout));
    }
}

#[test]
fn files_that_are_no_kernel() {
    let workbook = Workbook::copy("small");
    for (content, says) in [
        (Vec::new(), "empty"),
        (b"  \n\n".to_vec(), ""),
        (b"//@ launch k<<<1, 1>>>()\n\xff\xfe__global__ void k() {}\n".to_vec(), "UTF-8"),
        (vec![b' '; 3 << 20], "bytes"),
        (b"//@ launch k<<<1, 1>>>()\n__global__ void k() {}\0".to_vec(), ""),
    ] {
        workbook.write("exercises/ex01/kernel.cu", &content);
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{says}: {ran:?}");
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    }
    std::fs::remove_file(workbook.path("exercises/ex01/kernel.cu")).expect("it was there");
    let gone = check(&workbook, &[]);
    assert_eq!(gone.code, Some(2), "{gone:?}");
    assert!(gone.stderr.contains("checker reset ex01"), "{}", gone.stderr);
}

#[test]
fn sources_that_would_read_what_they_may_not() {
    for target in ["/etc/passwd", "/dev/zero", "../../solutions/ex01/solution.cu", "/proc/self/environ"] {
        let workbook = with_kernel(|text| format!("#include \"{target}\"\n{text}"));
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{target}: {ran:?}");
        assert!(ran.stdout.contains("DOES NOT COMPILE"), "{target}: {}", ran.stdout);
        assert!(!ran.stdout.contains("root:"), "{target}: {}", ran.stdout);
    }
    for target in ["/etc/passwd", "/dev/zero", "../../../../../../../etc/passwd"] {
        let workbook = with_kernel(|text| format!("#line 1 \"{target}\"\n#error here\n{text}"));
        let ran = check(&workbook, &[]);
        assert_eq!(ran.code, Some(1), "{target}: {ran:?}");
        assert!(ran.stdout.contains("#error") && !ran.stdout.contains("root:"), "{target}: {}", ran.stdout);
    }
}

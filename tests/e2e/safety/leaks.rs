//! What must not get out, or in: other files' text in reports, links and pipes where a file is expected, escape sequences
//! on a terminal, a submission's word about itself.

use crate::support::{Ran, Workbook, checker};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

/// A text that no report may show.
const SECRET: &str = "the-secret-line";

/// `checker ARGS` in this folder, with no workbook named. A command that hangs is ended and fails the test.
fn run(folder: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
    let mut command = checker();
    command.args(args).current_dir(folder);
    bounded(command)
}

/// Runs a command that must end: a FIFO without a writer must not hold it.
fn bounded(mut command: std::process::Command) -> Ran {
    use std::process::Stdio;
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the binary starts");
    let id = rustix::process::Pid::from_raw(child.id().try_into().expect("a number")).expect("a process");
    let (sender, receiver) = std::sync::mpsc::channel();
    let waiter = std::thread::spawn(move || {
        let output = child.wait_with_output();
        let _ = sender.send(());
        output
    });
    if receiver.recv_timeout(Duration::from_secs(300)).is_err() {
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        panic!("it hangs: {command:?}");
    }
    waiter.join().expect("a thread").expect("an output").into()
}

/// A folder with a secret, and a kernel file that goes wrong in line 12 of what it says is another file.
fn kernel(before: &str, body: &str) -> String {
    format!(
        "//@ out c: f32[32]\n//@ launch k<<<1, 32>>>(c)\n{before}\n__global__ void k(float* c)\n{{\n{body}\n    c[threadIdx.x + 1000000] = 1;\n}}\n"
    )
}

fn fifo(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a FIFO");
}

#[test]
#[ignore = "long"]
fn line_information_quotes_no_other_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = folder.path().join("solution.cu");
    fs::write(&secret, format!("{SECRET}\n").repeat(60)).expect("a file");
    let path = secret.display().to_string();
    // Each names the secret's first line for what follows, behind another disguise; the last four as line information
    // of the machine code, which the preprocessor does not see.
    let sources = [
        kernel(&format!("/* */ #line 1 \"{path}\""), ""),
        kernel(&format!("%:line 1 \"{path}\""), ""),
        kernel(&format!("#li\\\nne 1 \"{path}\""), ""),
        kernel(&format!("/*\n*/ # /* */ 1 \"{path}\""), ""),
        kernel("", &format!("    asm volatile(\".file 7 \\\"{path}\\\"\\n\\t.loc 7 3 0\");")),
        kernel("", "    asm volatile(\".file 7 \\\"solution.cu\\\"\\n\\t.loc 7 3 0\");"),
        kernel("", "    asm volatile(\".file 7 \\\"./solution.cu\\\"\\n\\t.loc 7 3 0\");"),
        kernel("", "    asm volatile(\".file 7 \\\"/etc/passwd\\\"\\n\\t.loc 7 1 0\");"),
    ];
    for source in &sources {
        fs::write(folder.path().join("k.cu"), source).expect("a file");
        for args in [
            &["run", "k.cu", "--seed", "1"][..],
            &["run", "k.cu", "--lines", "--trace", "--json"],
            &["sass", "k.cu", "--lines"],
        ] {
            let ran = run(folder.path(), args);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!said.contains(SECRET) && !said.contains("root:"), "{source}\n{said}");
            assert_ne!(ran.code, Some(3), "{source}\n{said}");
            assert!(args[0] == "sass" || ran.code == Some(1), "{source}\n{said}");
        }
    }
}

#[test]
fn a_kernel_file_is_quoted_and_a_cuda_header_too() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("k.cu"), kernel("", "")).expect("a file");
    let ran = run(folder.path(), ["run", "k.cu", "--seed", "1"]);
    assert!(ran.stdout.contains("c[threadIdx.x + 1000000] = 1;"), "{}", ran.stdout);
    let body = "    __half x = *reinterpret_cast<__half*>(c + 1000000); c[0] = __half2float(__ldg(&x + 0));";
    fs::write(folder.path().join("k.cu"), kernel("#include <cuda_fp16.h>", body)).expect("a file");
    let ran = run(folder.path(), ["run", "k.cu", "--lines", "--check", "none"]);
    assert!(ran.stdout.contains("cuda_fp16.h"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(SECRET));
}

#[test]
fn a_kernel_file_is_a_regular_file_and_no_link() {
    let book = Workbook::copy("small");
    let starter = book.read("exercises/ex01/starter.cu");
    let kernel = book.path("exercises/ex01/kernel.cu");
    let solution = book.path("solutions/ex01/solution.cu");
    let empty = || {
        let _ = fs::remove_file(&kernel).or_else(|_| fs::remove_dir_all(&kernel));
    };
    let make: [(&str, &dyn Fn()); 7] = [
        ("a symbolic link", &|| symlink("/etc/passwd", &kernel).expect("a link")),
        ("a symbolic link", &|| symlink(&solution, &kernel).expect("a link")),
        ("a symbolic link", &|| symlink("starter.cu", &kernel).expect("a link")),
        ("FIFO", &|| fifo(&kernel)),
        ("a symbolic link", &|| symlink("/dev/zero", &kernel).expect("a link")),
        ("a folder", &|| fs::create_dir(&kernel).expect("a folder")),
        ("possible", &|| fs::write(&kernel, " ".repeat((1 << 20) + 1)).expect("a file")),
    ];
    for (said, make) in make {
        empty();
        make();
        for args in [
            &["ex01"][..],
            &["run", "exercises/ex01/kernel.cu"],
            &["sass", "exercises/ex01/kernel.cu"],
            &["sass", "ex01"],
            &["reset", "ex01", "--yes"],
        ] {
            let mut command = book.command();
            command.args(args);
            let ran = bounded(command);
            let text = format!("{}{}", ran.stdout, ran.stderr);
            let large = said == "possible" && args[0] != "reset";
            assert!(matches!(ran.code, Some(1 | 2)), "{args:?} {said}: {text}");
            assert!(text.contains(said) || large, "{args:?} {said}: {text}");
            assert!(!text.contains("root:") && !text.contains("__global__"), "{args:?}: {text}");
        }
        assert!(fs::symlink_metadata(&kernel).is_ok(), "{said}: nothing took its place");
    }
    // The folder may not be one either.
    empty();
    fs::rename(book.path("exercises/ex01"), book.path("elsewhere")).expect("a folder moved");
    fs::write(book.path("elsewhere/kernel.cu"), &starter).expect("a file");
    symlink(book.path("elsewhere"), book.path("exercises/ex01")).expect("a link");
    let ran = book.run(["ex01"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("symbolic link"), "{}", ran.stderr);
}

#[test]
fn progress_and_backups_go_through_no_link() {
    for what in ["folder", "lock", "progress", "backups", "progress-fifo"] {
        let book = Workbook::copy("small");
        let precious = book.path("precious");
        fs::create_dir(&precious).expect("a folder");
        fs::write(precious.join("file"), SECRET).expect("a file");
        let own = book.path(".warpbook");
        if what != "folder" {
            fs::create_dir(&own).expect("a folder");
        }
        match what {
            "folder" => symlink(&precious, &own).expect("a link"),
            "lock" => symlink(precious.join("file"), own.join("lock")).expect("a link"),
            "progress" => symlink(precious.join("file"), own.join("progress.json")).expect("a link"),
            "backups" => symlink(&precious, own.join("backups")).expect("a link"),
            _ => fifo(&own.join("progress.json")),
        }
        let kernel = "// mine\n".to_owned() + &book.read("exercises/ex01/kernel.cu");
        book.write("exercises/ex01/kernel.cu", &kernel);
        for args in [&["hint", "ex01"][..], &["list"], &["reset", "ex01", "--yes"]] {
            let mut command = book.command();
            command.args(args);
            let ran = bounded(command);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!said.contains(SECRET), "{what} {args:?}: {said}");
            let touched = what == "backups" && args[0] == "reset" || what == "folder";
            assert!(!touched || said.contains("symbolic link"), "{what} {args:?}: {said}");
            assert_ne!(ran.code, None, "{what} {args:?}: {said}");
        }
        let left: Vec<_> =
            fs::read_dir(&precious).expect("a folder").map(|entry| entry.expect("one").file_name()).collect();
        assert_eq!(left, ["file"], "{what}");
        assert_eq!(fs::read_to_string(precious.join("file")).expect("a file"), SECRET, "{what}");
        let kept = matches!(what, "folder" | "backups");
        assert!(!kept || book.read("exercises/ex01/kernel.cu") == kernel, "{what}: no backup, so nothing is replaced");
    }
}

/// What would act on a terminal, or hide something from a reader.
fn acts(text: &str) -> Option<char> {
    text.chars().find(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    })
}

/// Title, clear, colour, 8-bit CSI, delete, direction override, zero-width space.
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31m\u{9b}2J\u{7f}\u{202e}\u{200b}";

#[test]
#[ignore = "long"]
fn no_escape_sequence_reaches_the_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = "//@ out c: f32[1]\n//@ launch k<<<1, 1>>>(c)\n";
    let octal = "\\033]0;owned\\007\\033[2J\\302\\2332J\\177\\342\\200\\256";
    let sources = [
        ("error", format!("{good}__global__ void k(float* c) {{ error\"{ESCAPES}\"; }}\n")),
        ("excerpt", format!("{good}__global__ void k(float* c) {{ c[9] = 1; }} // {ESCAPES}\n")),
        (
            "warning",
            format!("{good}#warning {ESCAPES}\n__global__ void k(float* c) {{ int unused; c[0] = 1; }} // {ESCAPES}\n"),
        ),
        (
            "assert",
            format!("{good}#include <cassert>\n__global__ void k(float* c) {{ assert(c == 0 && \"{ESCAPES}\"); }}\n"),
        ),
        (
            "printf",
            format!(
                "{good}#include <cstdio>\n__global__ void k(float* c) {{ printf(\"{octal}\\n\\r\\b\"); c[0] = 1; }}\n"
            ),
        ),
        ("line", format!("//@ out c{ESCAPES}: f32[1]\n__global__ void k(float* c) {{}}\n")),
        ("include", format!("{good}#include \"{ESCAPES}.h\"\n__global__ void k(float* c) {{}}\n")),
        (
            "loc",
            format!(
                "{good}__global__ void k(float* c) {{ asm volatile(\".file 7 \\\"{ESCAPES}\\\"\\n.loc 7 1 0\"); c[9] = 1; }}\n"
            ),
        ),
        ("identifier", format!("{good}__global__ void k(float* c) {{ no_such_{ESCAPES}(c); }}\n")),
    ];
    for (what, source) in &sources {
        fs::write(folder.path().join("k.cu"), source).expect("a file");
        for args in [
            &["run", "k.cu"][..],
            &["run", "k.cu", "--json"],
            &["run", "k.cu", "--lines", "-v"],
            &["sass", "k.cu", "--lines"],
        ] {
            let ran = run(folder.path(), args);
            for text in [&ran.stdout, &ran.stderr] {
                assert_eq!(acts(text), None, "{what} {args:?}: {text:?}");
            }
            if args.contains(&"--json") && !ran.stdout.is_empty() {
                serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("JSON stays JSON");
            }
        }
    }
    // With colour only colours of ours are there, and none around what the kernel printed.
    fs::write(folder.path().join("k.cu"), &sources[4].1).expect("a file");
    let ran = run(folder.path(), ["run", "k.cu", "--color", "always"]);
    assert!(ran.stdout.contains("\\x1b]0;owned\\x07\\x1b[2J"), "{:?}", ran.stdout);
    assert!(ran.stdout.contains("\u{1b}[") && !ran.stdout.contains("\u{1b}]"), "{:?}", ran.stdout);
}

#[test]
fn names_on_the_command_line_are_shown_harmlessly() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a\u{1b}[2J\u{202e}.cu", "a\nPASSED.cu"] {
        let kernel = "//@ out c: f32[1]\n//@ launch k<<<1, 1>>>(c)\n__global__ void k(float* c) { c[9] = 1; }\n";
        fs::write(folder.path().join(name), kernel).expect("a file");
        for ran in [
            run(folder.path(), ["run", name]),
            run(folder.path(), ["sass", name]),
            run(folder.path(), ["run", &name.replace('a', "b")]),
            run(folder.path(), [name]),
            run(folder.path(), ["--nonsense", name]),
            run(folder.path(), ["run", "--witness", name, "--backend", name]),
        ] {
            for text in [&ran.stdout, &ran.stderr] {
                assert_eq!(acts(text), None, "{text:?}");
                assert!(!text.lines().any(|line| line.trim_start().starts_with("PASSED")), "{text:?}");
            }
        }
    }
    let odd = OsStr::from_bytes(b"odd-\xff\x9b.cu");
    fs::write(
        folder.path().join(odd),
        "//@ out c: f32[1]\n//@ launch k<<<1, 1>>>(c)\n__global__ void k(float* c) { c[0] = 1; }\n",
    )
    .expect("a file");
    let ran = run(folder.path(), [OsStr::new("run"), odd]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("odd-\\xff\\x9b.cu"), "{}", ran.stdout);
}

/// A submission that says of itself that all is well.
fn submission(folder: &Path) {
    let toml =
        fs::read_to_string(crate::support::repository().join("tests/fixtures/small/exercises/ex01/problem.toml"));
    fs::write(folder.join("problem.toml"), toml.expect("a file")).expect("a file");
    for name in ["kernel.cu", "starter.cu", "reference.cu"] {
        let text = "//@ launch k<<<1, 1>>>(a, b, n)\n__global__ void k(const float* a, float* b, int n) { for (int i = 0; i < n; ++i) b[i] = 0; }\n";
        fs::write(folder.join(name), text).expect("a file");
    }
}

#[test]
fn a_submission_is_not_believed_about_itself() {
    let book = Workbook::copy("small");
    let outside = tempfile::tempdir().expect("a folder");
    for folder in ["kernels/none", "exercises/ex01"] {
        fs::create_dir_all(outside.path().join(folder)).expect("a folder");
    }
    submission(&outside.path().join("exercises/ex01"));
    let kernel = outside.path().join("exercises/ex01/kernel.cu");
    let workbook = book.path("");
    // From the teacher's workbook, by its option, by its variable.
    let mut command = checker();
    command.arg("run").arg(&kernel).current_dir(&workbook);
    let here = bounded(command);
    let mut command = checker();
    command.args(["run", "kernel.cu", "--workbook"]).arg(&workbook).current_dir(outside.path().join("exercises/ex01"));
    let named = bounded(command);
    let mut command = book.command();
    command.args(["run", "kernel.cu"]).current_dir(outside.path().join("exercises/ex01"));
    let variable = bounded(command);
    for ran in [here, named, variable] {
        assert_ne!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("problem.toml beside the file says nothing"), "{}{}", ran.stdout, ran.stderr);
    }
    // A submission that lies in the workbook and looks like one is judged by the workbook it lies in.
    let inner = book.path("submissions/ada");
    for folder in ["kernels/none", "exercises/ex01"] {
        fs::create_dir_all(inner.join(folder)).expect("a folder");
    }
    submission(&inner.join("exercises/ex01"));
    let ran = run(&inner, ["ex01", "--backend", "sim"]);
    assert!(ran.stdout.contains("NOT YET"), "judged is the workbook's own starter: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("judged by the workbook in"), "{}{}", ran.stdout, ran.stderr);
    // Who stands in it need not be told.
    let ran = run(&workbook, ["ex01", "--backend", "sim"]);
    assert!(!ran.stdout.contains("judged by"), "{}{}", ran.stdout, ran.stderr);
    // A folder that is none says so.
    let ran = run(outside.path(), ["--workbook", "kernels", "list"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("holds no workbook"), "{}", ran.stderr);
}

/// Outside of any workbook none is taken, that in which the command was built neither.
#[test]
fn who_stands_outside_is_told_so() {
    let outside = tempfile::tempdir().expect("a folder");
    for command in ["ex01", "list", "hint"] {
        let ran = run(outside.path(), [command]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{command}: {}", ran.stderr);
        let told = ran.stderr.contains("no workbook at or above") && ran.stderr.contains("--workbook FOLDER");
        assert!(told, "{command}: {}", ran.stderr);
    }
    // A file that says itself how it is run needs none.
    let text =
        "//@ out o: u32[32]\n//@ launch k<<<1, 32>>>(o)\n__global__ void k(unsigned* o) { o[threadIdx.x] = 1; }\n";
    fs::write(outside.path().join("k.cu"), text).expect("a file");
    let ran = run(outside.path(), ["run", "k.cu", "--backend", "sim"]);
    assert!(ran.code == Some(0) && ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn fills_and_dumps_stay_where_they_belong() {
    let top = tempfile::tempdir().expect("a folder");
    let folder = top.path().join("inner");
    fs::create_dir(&folder).expect("a folder");
    let run_text = |fill: &str, args: &[&str]| {
        let text = format!(
            "//@ in a: f32[4] = \"{fill}\"\n//@ out c: f32[4]\n//@ launch k<<<1, 4>>>(a, c)\n__global__ void k(const float* a, float* c) {{ c[threadIdx.x] = a[threadIdx.x]; }}\n"
        );
        fs::write(folder.join("k.cu"), text).expect("a file");
        run(&folder, ["run", "k.cu"].iter().chain(args))
    };
    // A good file, made by the command itself.
    fs::write(
        folder.join("make.cu"),
        "//@ out c: f32[4]\n//@ launch k<<<1, 4>>>(c)\n__global__ void k(float* c) { c[threadIdx.x] = 7; }\n",
    )
    .expect("a file");
    assert_eq!(run(&folder, ["run", "make.cu", "--dump", "c=good.npy"]).code, Some(0));
    fs::copy(folder.join("good.npy"), top.path().join("up.npy")).expect("a copy");
    symlink(top.path().join("up.npy"), folder.join("link.npy")).expect("a link");
    symlink(top.path(), folder.join("way")).expect("a link");
    fifo(&folder.join("pipe.npy"));
    let ran = run_text("good.npy", &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let up = top.path().join("up.npy").display().to_string();
    for fill in ["../up.npy", up.as_str(), "link.npy", "way/up.npy", "pipe.npy", "/etc/passwd"] {
        let ran = run_text(fill, &[]);
        assert!(matches!(ran.code, Some(1 | 2)), "{fill}: {}{}", ran.stdout, ran.stderr);
        assert!(!ran.stdout.contains("root:"), "{fill}: {}", ran.stdout);
    }
    // A dump goes where the command line says, and through no link.
    fs::write(top.path().join("precious"), SECRET).expect("a file");
    symlink(top.path().join("precious"), folder.join("out.npy")).expect("a link");
    let ran = run_text("good.npy", &["--dump", "c=out.npy"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("symbolic link"), "{}", ran.stderr);
    let ran = run_text("good.npy", &["--trace", "out.svg"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    fs::remove_file(folder.join("out.svg")).expect("it was written");
    symlink(top.path().join("precious"), folder.join("out.svg")).expect("a link");
    let ran = run_text("good.npy", &["--trace", "out.svg"]);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(fs::read_to_string(top.path().join("precious")).expect("a file"), SECRET);
}

#[test]
#[ignore = "long"]
fn a_listing_in_the_cache_is_believed_only_if_it_is_the_code() {
    let toolchain = crate::toolchain::compile::toolchain();
    let cuda = toolchain.nvdisasm.ancestors().nth(2).expect("a CUDA folder").to_owned();
    let (home, folder) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    for (name, factor) in [("a.cu", "2"), ("b.cu", "a[1]")] {
        let text = format!("__global__ void k(float* a) {{ a[0] *= {factor}; }}\n");
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let list = |name: &str| {
        let mut command = checker();
        command.args(["sass", name]).current_dir(folder.path());
        command.env("WARPBOOK_HOME", home.path()).env("WARPBOOK_CUDA", &cuda);
        let ran = bounded(command);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        ran.stdout
    };
    let entries = || -> Vec<std::path::PathBuf> {
        let folders = fs::read_dir(home.path().join("sass")).expect("a cache").map(|entry| entry.expect("one").path());
        folders
            .flat_map(|folder| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path()))
            .collect()
    };
    let a = list("a.cu");
    let [of_a] = entries().try_into().expect("one listing");
    let b = list("b.cu");
    assert_ne!(a, b);
    let of_b = entries().into_iter().find(|entry| *entry != of_a).expect("another listing");
    // Another kernel's listing under this name, a changed one, an empty one, a link.
    let whole = fs::read(&of_b).expect("an entry");
    let mut changed = whole.clone();
    let at = whole.len() / 2;
    changed[at] ^= 1;
    for forged in [&whole[..], &changed, b""] {
        fs::write(&of_a, forged).expect("an entry");
        assert_eq!(list("a.cu"), a);
    }
    fs::remove_file(&of_a).expect("an entry");
    symlink(&of_b, &of_a).expect("a link");
    assert_eq!(list("a.cu"), a);
    assert_eq!(fs::read(&of_b).expect("an entry"), whole, "nothing was written through the link");
}

#[test]
fn nvdisasm_is_confined_and_leaves_nothing_behind() {
    let (folder, temporary) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    // Line information that imitates a listing, and a path that is hardly one.
    for path in ["x\\n        /*0000*/  NOP ;  /* 0x1 */", &"x/".repeat(20_000), "%n%s%s%s"] {
        let body = format!("    asm volatile(\".file 7 \\\"{path}\\\"\\n\\t.loc 7 1 0\");");
        fs::write(folder.path().join("k.cu"), kernel("", &body)).expect("a file");
        for args in [&["sass", "k.cu", "--lines"][..], &["run", "k.cu"]] {
            let mut command = checker();
            command.args(args).current_dir(folder.path()).env("TMPDIR", temporary.path());
            let ran = bounded(command);
            assert!(matches!(ran.code, Some(0 | 1)), "{args:?}: {:?} {}{}", ran.code, ran.stdout, ran.stderr);
            assert!(args[0] != "run" || ran.code == Some(1), "{}", ran.stdout);
        }
    }
    assert_eq!(fs::read_dir(temporary.path()).expect("a folder").count(), 0);
    // The confined program itself: no environment, no file but its own and the system's libraries.
    let confined = |program: &str, args: &[&str]| {
        let mut command = checker();
        command.arg("__confined").arg(std::process::id().to_string()).arg(program).args(args).env("SECRET", SECRET);
        bounded(command)
    };
    let environment = confined("/usr/bin/env", &[]);
    assert!(!environment.stdout.contains(SECRET), "{}", environment.stdout);
    if compiler::compile::compile(
        crate::toolchain::compile::toolchain(),
        &compiler::compile::CompileRequest::new("k.cu", b"int x;", "sm_90").unwrap(),
    )
    .is_ok_and(|made| made.confined)
    {
        let read = confined("/bin/cat", &["/etc/passwd"]);
        assert!(read.code != Some(0) && !read.stdout.contains("root:"), "{}{}", read.stdout, read.stderr);
        let started = confined("/usr/bin/env", &["/bin/cat", "/dev/null"]);
        assert_ne!(started.code, Some(0), "no other program is started");
    }
}

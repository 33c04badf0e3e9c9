//! Running the real binary on fixtures of its own.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The top of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("checker/ is inside the repository")
}

/// `checker`, with nothing inherited that changes what it prints.
pub fn checker() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checker"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "WARPBOOK_ROOT"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color");
    command
}

/// Exit status, stdout and stderr of a finished command.
#[derive(Debug)]
pub struct Ran {
    /// Exit status; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs `checker ARGS` at the top of the repository.
pub fn run(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
    checker().args(args).current_dir(repository()).output().expect("the binary starts").into()
}

/// Writes a shell script that can be started at once. A process of its own writes it: a child that another test's thread starts
/// meanwhile would hold a file that is open here for writing until it becomes its program, and "text file busy" be the answer.
pub fn executable(path: &Path, script: &str) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    writer.stdin.take().expect("its input").write_all(script.as_bytes()).expect("it reads");
    assert!(writer.wait().expect("it ends").success(), "{}", path.display());
}

/// A copy of a fixture workbook in a temporary folder, so that a test may write into it.
#[derive(Debug)]
pub struct Workbook {
    folder: tempfile::TempDir,
}

impl Workbook {
    /// Copies `tests/fixtures/NAME`.
    pub fn copy(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&repository().join("tests/fixtures").join(name), folder.path());
        Self { folder }
    }

    /// Copies folders of the repository's own workbook.
    pub fn copy_of_parts(parts: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for part in parts {
            let to = folder.path().join(part);
            std::fs::create_dir_all(&to).expect("a folder");
            copy(&repository().join(part), &to);
        }
        Self { folder }
    }

    /// A path inside.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file inside, with its folders.
    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().expect("inside the workbook")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    /// Reads a file inside.
    pub fn read(&self, relative: &str) -> String {
        std::fs::read_to_string(self.path(relative)).expect("a readable file")
    }

    /// `checker` with this workbook, started inside it.
    pub fn command(&self) -> Command {
        let mut command = checker();
        command.env("WARPBOOK_ROOT", self.folder.path()).current_dir(self.folder.path());
        command
    }

    /// Runs `checker ARGS` with this workbook.
    pub fn run(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
        self.command().args(args).output().expect("the binary starts").into()
    }
}

/// Files below a folder, by their paths inside it.
pub fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => found.push(path.strip_prefix(folder).expect("inside").to_string_lossy().into_owned()),
            }
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let entry = entry.expect("a readable folder");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copied file");
        }
    }
}

/// Is all to be tried, however long it takes?
pub fn long() -> bool {
    std::env::var_os("WARPBOOK_LONG").is_some()
}

/// Of what takes long a plain `cargo test` tries a part: which one says the number `WARPBOOK_TURN`, of which `.ci/run` has another for another
/// commit. Nothing: `WARPBOOK_LONG=1`, all of it.
fn turn() -> Option<usize> {
    if long() {
        return None;
    }
    Some(std::env::var("WARPBOOK_TURN").map_or(0, |turn| turn.parse().expect("WARPBOOK_TURN is a number")))
}

/// Is it this one's turn? Of what grows with the workbook's content every third is tried, by name.
pub fn in_turn(name: &str) -> bool {
    let sum: usize = name.bytes().map(usize::from).sum();
    turn().is_none_or(|turn| (sum + turn).is_multiple_of(3))
}

/// Of a table's rows that take seconds each those whose turn it is: every third, and every second one of two.
pub fn rows_in_turn<T, const ROWS: usize>(rows: [T; ROWS]) -> impl Iterator<Item = T> {
    let (turn, of) = (turn(), ROWS.min(3));
    rows.into_iter().enumerate().filter(move |(at, _)| turn.is_none_or(|turn| at % of == turn % of)).map(|(_, row)| row)
}

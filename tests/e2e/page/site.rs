//! A small book built with kernels that run on their page, behind a file server that knows nothing of it.

use crate::support::{Workbook, repository};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// A served book.
pub struct Site {
    server: Child,
    /// Its address, with a slash at the end.
    pub address: String,
    /// Its workbook.
    pub workbook: Workbook,
}

/// The simulator for pages, built once by the process that runs the tests; `None`, with a word, where it cannot be built.
pub fn simulator() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let script = repository().join("scripts/wasm.sh");
        let ran = Command::new(script).arg("--page").stdout(Stdio::piped()).stderr(Stdio::inherit()).output().ok()?;
        let path = String::from_utf8_lossy(&ran.stdout).lines().last().map(PathBuf::from);
        path.filter(|path| ran.status.success() && path.is_file())
    });
    if built.is_none() {
        println!("skipped: there is no Rust for WebAssembly here");
    }
    built.clone()
}

/// Builds the fixture with these files in place of its own and serves it.
pub fn site(files: &[(&str, &str)]) -> Option<Site> {
    let simulator = simulator()?;
    let workbook = Workbook::copy("small");
    for entry in std::fs::read_dir(repository().join("book/theme/live")).expect("scripts").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        workbook.write(&format!("book/theme/live/{name}"), std::fs::read(entry.path()).expect("a script"));
    }
    for name in ["warpbook.js", "warpbook.css", "live.css"] {
        let path = repository().join("book/theme").join(name);
        workbook.write(&format!("book/theme/{name}"), std::fs::read(path).expect("a style"));
    }
    let shipped = std::fs::read_to_string(repository().join("book/book.toml")).expect("book.toml");
    workbook.write("book/book.toml", shipped);
    for (path, text) in files {
        workbook.write(path, text);
    }
    let built = workbook.command().env("WARPBOOK_SIMULATOR", simulator).args(["book", "build"]).output().expect("starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut server = Command::new("python3")
        .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"])
        .arg(workbook.path("book/book"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("piped")).read_line(&mut line).expect("its first line");
    let port = line.split("port ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a port").to_owned();
    Some(Site { server, address: format!("http://127.0.0.1:{port}/"), workbook })
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

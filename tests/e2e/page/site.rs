//! A small book built with kernels that run on their page, behind a file server that knows nothing of it.

use crate::support::{Workbook, repository};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

/// A served book.
pub struct Site {
    server: Child,
    /// Its address, with a slash at the end.
    pub address: String,
    /// Its workbook.
    pub workbook: Workbook,
}

/// The simulator for pages, which `scripts/wasm.sh --page` builds in minutes; `None`, with a word, where there is none of these
/// sources.
pub fn simulator() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from);
    let places = ["", "debian"].map(|part| target.join(part).join("wasm32-unknown-unknown/page/live.wasm"));
    let changed = |path: &Path| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    let built = places.into_iter().find_map(|path| Some((changed(&path)?, path)));
    let crates = ["account", "draw", "execution", "live", "plan", "problem", "report", "sass", "system", "values"];
    let sources = crates.map(|name| repository().join(format!("checker/{name}/src")));
    let newest = sources.iter().chain([&repository().join("simulator/src")]).filter_map(|folder| newest(folder)).max();
    match built {
        Some((when, path)) if newest.is_none_or(|newest| newest <= when) => Some(path),
        Some(_) => {
            println!("skipped: the simulator for pages is older than its sources: scripts/wasm.sh --page");
            None
        }
        None => {
            println!("skipped: there is no simulator for pages: scripts/wasm.sh --page builds it");
            None
        }
    }
}

/// When the last file below a folder was changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let when = |entry: std::fs::DirEntry| {
        if entry.path().is_dir() { newest(&entry.path()) } else { entry.metadata().ok()?.modified().ok() }
    };
    entries.filter_map(when).max()
}

/// The fixture with the book's own theme, and these files in place of its own.
pub fn themed(files: &[(&str, &str)]) -> Workbook {
    let workbook = Workbook::copy("small");
    for folder in ["", "live", "live/run", "live/served", "editor"] {
        for entry in std::fs::read_dir(repository().join("book/theme").join(folder)).expect("a theme").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_file() {
                let path = format!("book/theme/{folder}/{name}").replace("//", "/");
                workbook.write(&path, std::fs::read(entry.path()).expect("a file"));
            }
        }
    }
    let shipped = std::fs::read_to_string(repository().join("book/book.toml")).expect("book.toml");
    workbook.write("book/book.toml", shipped);
    for (path, text) in files {
        workbook.write(path, text);
    }
    workbook
}

/// Builds it with kernels that run on their page, and serves it.
pub fn site(files: &[(&str, &str)]) -> Option<Site> {
    let simulator = simulator()?;
    let workbook = themed(files);
    let built =
        workbook.command().env("WARPBOOK_SIMULATOR", simulator).args(["book", "build"]).output().expect("starts");
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

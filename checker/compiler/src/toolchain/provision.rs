//! Installs the pinned CUDA pieces into the workbook's folder, once.
//!
//! Rules: an installation is made in a temporary folder beside its final place, checked, stamped with the size of every
//! file, and renamed as a whole; so a killed run leaves nothing that looks complete. A lock lets one process install
//! while others wait; the installer inherits it and ends with the checker, so whoever has the lock is alone in the
//! folder. No package index is named: pip's or uv's own configuration decides.

use super::home::{self, Home};
use super::{ToolchainError, installing, probe, search, short_hash};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The pinned, hash-checked list.
pub(super) const REQUIREMENTS: &str = include_str!("../../toolchain/requirements.txt");

const STAMP: &str = "stamp.txt";

/// Bytes that come and go in the temporary folder during an installation, for the progress bar only: the downloads and
/// what they unpack to (measured on Linux x86_64).
const EXPECTED_BYTES: u64 = 255_000_000;

/// The final folder for the pinned list.
fn folder(home: &Home) -> PathBuf {
    let hash =
        short_hash(&[REQUIREMENTS.as_bytes(), std::env::consts::OS.as_bytes(), std::env::consts::ARCH.as_bytes()]);
    home.toolchains().join(&hash[..12])
}

/// The root of a whole installation, if there is one.
pub(super) fn installed(home: &Home) -> Option<PathBuf> {
    let folder = folder(home);
    intact(&folder).then(|| root_in(&folder)).flatten()
}

fn root_in(folder: &Path) -> Option<PathBuf> {
    let roots = fs::read_dir(folder.join("nvidia")).ok()?.flatten().map(|entry| entry.path());
    let mut roots: Vec<PathBuf> = roots.filter(|path| path.is_dir()).collect();
    roots.sort();
    roots.pop()
}

/// Whether every file that the stamp lists has its size.
fn intact(folder: &Path) -> bool {
    let Ok(stamp) = fs::read_to_string(folder.join(STAMP)) else { return false };
    let mut path = folder.to_owned();
    let mut whole = false;
    for line in stamp.lines() {
        if line == "end" {
            whole = true;
            break;
        }
        let Some((size, name)) = line.split_once(' ') else { return false };
        path.push(name);
        let same = fs::metadata(&path).is_ok_and(|meta| size.parse() == Ok(meta.len()));
        path = folder.to_owned();
        if !same {
            return false;
        }
    }
    whole
}

fn write_stamp(folder: &Path) -> io::Result<()> {
    let mut lines = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if let Ok(name) = entry.path().strip_prefix(folder) {
                lines.push(format!("{} {}\n", fs::metadata(entry.path())?.len(), name.display()));
            }
        }
    }
    lines.sort();
    lines.push("end\n".to_owned());
    fs::write(folder.join(STAMP), lines.concat())
}

/// Installs the pinned list unless an intact installation is there (`anew` distrusts even that). Returns its root.
pub(super) fn provision(home: &Home, missing: &[&'static str], anew: bool) -> Result<PathBuf, ToolchainError> {
    if home::offline() {
        return Err(ToolchainError::Offline { missing: missing.to_vec() });
    }
    let base = home.toolchains();
    fs::create_dir_all(&base).map_err(|error| write_error(&base, &error))?;
    let (lock, alone) = lock(&base)?;
    if let (false, Some(root)) = (anew, installed(home)) {
        return Ok(root);
    }
    if alone {
        sweep(&base);
    }
    let installers = installers();
    if installers.is_empty() {
        return Err(ToolchainError::NoInstaller { missing: missing.to_vec() });
    }
    let work =
        tempfile::Builder::new().prefix(".install-").tempdir_in(&base).map_err(|error| write_error(&base, &error))?;
    let target = work.path().join("target");
    let mut failure = None;
    for installer in &installers {
        match install(installer, &lock, work.path(), &target) {
            Ok(()) => {
                failure = None;
                break;
            }
            Err(error) => {
                // The first failure that says something definite is the one worth showing.
                let definite = !matches!(error, ToolchainError::InstallFailed { .. });
                failure = Some(error);
                if definite {
                    break;
                }
            }
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    // What an installer calls success may still be another platform's packages.
    let lacking = root_in(&target).map_or_else(|| missing.to_vec(), |root| search::lacking(&root));
    if !lacking.is_empty() {
        return Err(ToolchainError::Incomplete { missing: lacking });
    }
    finish(&target, &folder(home)).map_err(|error| write_error(&base, &error))?;
    installed(home).ok_or(ToolchainError::Incomplete { missing: missing.to_vec() })
}

/// Drops what nobody needs, stamps and renames.
fn finish(target: &Path, folder: &Path) -> io::Result<()> {
    if let Some(root) = root_in(target) {
        for name in search::unneeded_libraries(&root) {
            fs::remove_file(name)?;
        }
        #[cfg(unix)]
        if let Some(nvdisasm) = search::nvdisasm_in(&root) {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(nvdisasm, fs::Permissions::from_mode(0o755))?;
        }
    }
    write_stamp(target)?;
    if folder.exists() {
        // A broken installation: out of the way first, so that the rename below stays one step.
        let aside = tempfile::Builder::new().prefix(".broken-").tempdir_in(folder.parent().unwrap_or(folder))?;
        fs::rename(folder, aside.path().join("old"))?;
    }
    fs::rename(target, folder)
}

/// Removes what killed installations left. Only called with the lock held, so nobody writes there any more. What cannot be
/// removed (another user's) is in nobody's way: every installation has a folder of its own.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(".install-") || name.starts_with(".broken-")) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The lock file, and whether it is really locked.
fn lock(base: &Path) -> Result<(File, bool), ToolchainError> {
    let path = base.join(".lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|error| write_error(base, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            eprintln!("Another checker is installing the CUDA toolchain; waiting for it.");
            file.lock().map_err(|error| write_error(base, &error))?;
        }
        // Some network file systems have no locks; the rename at the end still keeps the folder whole.
        Err(fs::TryLockError::Error(_)) => return Ok((file, false)),
    }
    Ok((file, true))
}

fn write_error(dir: &Path, error: &io::Error) -> ToolchainError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ToolchainError::DiskFull { dir: dir.to_owned() },
        _ => ToolchainError::NotWritable { dir: dir.to_owned(), detail: error.to_string() },
    }
}

/// A program that installs Python packages.
struct Installer {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
}

/// pip first: its configuration is the one people have; uv where there is no pip.
fn installers() -> Vec<Installer> {
    let mut installers = Vec::new();
    for name in ["python3", "python"] {
        if let Some(program) = probe::on_path(name) {
            let has_pip = Command::new(&program)
                .args(["-m", "pip", "--version"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success());
            if has_pip {
                let arguments = &[
                    "-m",
                    "pip",
                    "install",
                    "--no-user",
                    "--no-compile",
                    "--progress-bar=off",
                    "--disable-pip-version-check",
                    "--no-input",
                    "--retries=2",
                    "--timeout=20",
                ];
                installers.push(Installer { name: "python3 -m pip", program, arguments });
                break;
            }
        }
    }
    if let Some(program) = probe::on_path("uv") {
        installers.push(Installer { name: "uv", program, arguments: &["pip", "install", "--no-progress"] });
    }
    installers
}

/// The installer that would be used, if there is one.
pub(super) fn installer_name() -> Option<&'static str> {
    installers().first().map(|installer| installer.name)
}

fn install(installer: &Installer, lock: &File, work: &Path, target: &Path) -> Result<(), ToolchainError> {
    let list = work.join("requirements.txt");
    let scratch = work.join("tmp");
    fs::write(&list, REQUIREMENTS)
        .and_then(|()| fs::create_dir_all(&scratch))
        .map_err(|error| write_error(work, &error))?;
    let failed = |detail: String| ToolchainError::InstallFailed { installer: installer.name.to_owned(), detail };
    // Empty, so it reads as nothing; and while the installer or anything it started lives, the lock is held.
    let stdin = lock.try_clone().map_err(|error| failed(error.to_string()))?;
    let mut child = installing::command(&installer.program)
        .args(installer.arguments)
        .args(["--require-hashes", "--no-deps", "--only-binary=:all:", "--target"])
        .arg(target)
        .arg("-r")
        .arg(&list)
        // Downloads stay on the disk that receives them, and a killed run's remains are swept with the folder.
        .env("TMPDIR", &scratch)
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .current_dir(work)
        .stdin(stdin)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let bar = progress();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {
                if !bar.is_hidden() {
                    bar.set_position(size_of(work).clamp(bar.position(), EXPECTED_BYTES));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(error) => return Err(failed(error.to_string())),
        }
    };
    bar.finish_and_clear();
    let text = reader.join().unwrap_or_default();
    if status.success() { Ok(()) } else { Err(classify(installer, target, &text)) }
}

fn progress() -> ProgressBar {
    const TITLE: &str = "Installing NVIDIA's compiler, headers and nvdisasm (once, about 70 MB to download)";
    if !io::stderr().is_terminal() {
        eprintln!("{TITLE} ...");
        return ProgressBar::hidden();
    }
    eprintln!("{TITLE}");
    let bar = ProgressBar::new(EXPECTED_BYTES);
    if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:40}] {percent:>3}% {elapsed}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

fn size_of(dir: &Path) -> u64 {
    let mut size = 0;
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        size += if meta.is_dir() { size_of(&entry.path()) } else { meta.len() };
    }
    size
}

/// Words of pip and uv that mean: the index was not reached; with what to tell. The definite ones first.
const NETWORK: &[(&str, &str)] = &[
    ("name resolution", "host names are not resolved"),
    ("name or service not known", "host names are not resolved"),
    ("nodename nor servname", "host names are not resolved"),
    ("dns error", "host names are not resolved"),
    ("proxyerror", "the proxy does not answer"),
    ("cannot connect to proxy", "the proxy does not answer"),
    ("certificate verify", "the index's certificate is not trusted"),
    ("sslerror", "the encrypted connection fails"),
    ("network is unreachable", "the network is unreachable"),
    ("no route to host", "no route to the host"),
    ("connection refused", "the connection is refused"),
    ("timed out", "the connection timed out"),
    ("newconnectionerror", "no connection to the package index"),
    ("connectionerror", "no connection to the package index"),
    ("connection error", "no connection to the package index"),
    ("error sending request", "no connection to the package index"),
    ("failed to fetch", "no connection to the package index"),
];

/// A line of readable length.
fn crop(line: &str) -> String {
    line.chars().take(240).collect()
}

/// Which of the known troubles the installer's words mean.
fn classify(installer: &Installer, target: &Path, text: &str) -> ToolchainError {
    let lower = text.to_lowercase();
    let says = |needles: &[&str]| needles.iter().any(|needle| lower.contains(needle));
    // The last error line is the sum of it; pip repeats retries before.
    let line = text.lines().rev().find(|line| line.to_lowercase().contains("error")).or(text.lines().last());
    let detail = crop(line.unwrap_or("it said nothing").trim());
    let network = NETWORK.iter().find(|(word, _)| lower.contains(word));
    let dir = target.parent().and_then(Path::parent).unwrap_or(target).to_owned();
    if says(&["no space left", "errno 28", "disk quota exceeded", "errno 122"]) {
        ToolchainError::DiskFull { dir }
    } else if says(&["do not match the hashes", "hash mismatch", "hashes are required"]) {
        ToolchainError::HashMismatch { detail }
    } else if says(&["permission denied", "errno 13", "read-only file system"]) {
        ToolchainError::NotWritable { dir, detail }
    } else if let Some((_, meaning)) = network {
        ToolchainError::NoNetwork { detail: (*meaning).to_owned() }
    } else {
        ToolchainError::InstallFailed { installer: installer.name.to_owned(), detail }
    }
}

//! Slow questions (what does this NVRTC say it is, where are Python's packages), each answered once: the answer is
//! kept in the workbook's folder under a key of everything it depends on.

use super::home::Home;
use super::{fingerprint, short_hash};
use crate::compile::nvrtc_child;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What an NVRTC library says about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Nvrtc {
    pub version: (u32, u32),
    pub archs: Vec<u32>,
}

/// Loads the library in a child process and asks it. Only good answers are kept.
pub(super) fn nvrtc(home: &Home, library: &Path) -> Result<Nvrtc, String> {
    let key = short_hash(&[b"nvrtc", fingerprint(library).as_bytes()]);
    if let Some(known) = recall(home, &key) {
        return Ok(known);
    }
    let (version, archs) = nvrtc_child::probe(library).map_err(|error| error.to_string())?;
    let answer = Nvrtc { version, archs };
    remember(home, &key, &answer);
    Ok(answer)
}

/// The version of the nvdisasm program, as (major, minor).
pub(super) fn nvdisasm_version(home: &Home, program: &Path) -> Option<(u32, u32)> {
    let key = short_hash(&[b"nvdisasm", fingerprint(program).as_bytes()]);
    if let Some(known) = recall(home, &key) {
        return Some(known);
    }
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (major, minor) = text.split("release ").nth(1)?.split(',').next()?.trim().split_once('.')?;
    let version = (major.parse().ok()?, minor.parse().ok()?);
    remember(home, &key, &version);
    Some(version)
}

/// The CUDA version of the headers: CUDART_VERSION is 1000 * major + 10 * minor.
pub(super) fn headers_version(includes: &[PathBuf]) -> Option<(u32, u32)> {
    let text = includes.iter().find_map(|dir| std::fs::read(dir.join("cuda_runtime_api.h")).ok())?;
    let text = String::from_utf8_lossy(&text);
    let number = text.lines().find_map(|line| line.trim().strip_prefix("#define CUDART_VERSION"))?;
    let number: u32 = number.trim().parse().ok()?;
    Some((number / 1000, number % 1000 / 10))
}

/// CUDA roots among the packages of `python3` on the search path: `nvidia/cu13` and its like, and `nvidia` itself for
/// the older layout. Python is asked for its package folders once for each interpreter; the folders are looked at anew.
pub(super) fn python_roots(home: &Home) -> Vec<PathBuf> {
    let Some(python) = on_path("python3").or_else(|| on_path("python")) else { return Vec::new() };
    // A virtual environment's python3 is a link to the base interpreter: the unresolved path tells them apart.
    let environment: Vec<String> = ["VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYENV_VERSION", "HOME"]
        .iter()
        .map(|name| format!("{:?}", std::env::var_os(name)))
        .collect();
    let here = std::env::current_dir().unwrap_or_default();
    let key = short_hash(&[
        b"python",
        fingerprint(&python).as_bytes(),
        environment.join(" ").as_bytes(),
        here.as_os_str().as_encoded_bytes(),
    ]);
    let folders: Vec<PathBuf> = recall(home, &key).unwrap_or_else(|| {
        let folders = ask_python(&python);
        remember(home, &key, &folders);
        folders
    });
    let mut roots = Vec::new();
    for folder in folders {
        let nvidia = folder.join("nvidia");
        let mut versions: Vec<PathBuf> = std::fs::read_dir(&nvidia)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with("cu1")))
            .map(|entry| entry.path())
            .collect();
        versions.sort();
        roots.extend(versions.into_iter().rev());
        if nvidia.is_dir() {
            roots.push(nvidia);
        }
    }
    roots
}

fn ask_python(python: &Path) -> Vec<PathBuf> {
    // -c with -I would hide the user's own packages; the current folder is dropped instead.
    let script = "import sys; print('\\n'.join(p for p in sys.path if p.endswith('-packages')))";
    Command::new(python)
        .args(["-c", script])
        .stdin(std::process::Stdio::null())
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect())
        .unwrap_or_default()
}

/// The program of that name on the search path.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|dir| dir.join(&file)).find(|candidate| candidate.is_file())
}

fn recall<T: DeserializeOwned>(home: &Home, key: &str) -> Option<T> {
    serde_json::from_slice(&std::fs::read(home.probes().join(key)).ok()?).ok()
}

/// Best effort: where nothing can be kept, the question is asked again next time.
fn remember<T: Serialize>(home: &Home, key: &str, answer: &T) {
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(home.probes())?;
        let mut file = tempfile::NamedTempFile::new_in(home.probes())?;
        serde_json::to_writer(&mut file, answer)?;
        file.persist(home.probes().join(key))?;
        Ok(())
    };
    let _ = write();
}

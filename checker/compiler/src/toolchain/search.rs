//! The places where CUDA lives, and which pieces each has.

use super::home::Home;
use super::{Origin, Toolchain, ToolchainError, ToolchainOptions, fingerprint, probe, provision, short_hash};
use std::fs;
use std::path::{Path, PathBuf};

/// One CUDA root and what it has.
#[derive(Debug, Clone)]
pub(super) struct Root {
    pub origin: Origin,
    pub nvrtc: Option<PathBuf>,
    pub includes: Option<Vec<PathBuf>>,
    pub nvdisasm: Option<PathBuf>,
    /// Why its NVRTC is not used, if it is not.
    pub refused: Option<String>,
}

impl Root {
    fn examine(origin: Origin, path: &Path) -> Root {
        Root { origin, nvrtc: nvrtc_in(path), includes: includes_in(path), nvdisasm: nvdisasm_in(path), refused: None }
    }

    fn is_empty(&self) -> bool {
        self.nvrtc.is_none() && self.includes.is_none() && self.nvdisasm.is_none()
    }
}

/// The pieces that a root lacks.
pub(super) fn lacking(path: &Path) -> Vec<&'static str> {
    let root = Root::examine(Origin::Workbook, path);
    let pieces = [
        ("NVRTC", root.nvrtc.is_some()),
        ("CUDA headers", root.includes.is_some()),
        ("nvdisasm", root.nvdisasm.is_some()),
    ];
    pieces.into_iter().filter(|(_, there)| !there).map(|(name, _)| name).collect()
}

/// All roots in the order of preference.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// The explicitly named folder: nothing else is used then.
    pub setting: Option<PathBuf>,
    pub roots: Vec<Root>,
}

impl Found {
    pub fn add(&mut self, origin: Origin, path: &Path) {
        let root = Root::examine(origin, path);
        let known = self.roots.iter().any(|other| other.nvrtc.is_some() && other.nvrtc == root.nvrtc);
        if !root.is_empty() && !known {
            self.roots.push(root);
        }
    }

    /// The names of the pieces that no root has.
    pub fn missing(&self) -> Vec<&'static str> {
        let mut missing = Vec::new();
        if !self.roots.iter().any(|root| root.nvrtc.is_some() && root.refused.is_none()) {
            missing.push("NVRTC 12.0 or newer");
        }
        if !self.roots.iter().any(|root| root.includes.is_some()) {
            missing.push("CUDA headers");
        }
        if !self.roots.iter().any(|root| root.nvdisasm.is_some()) {
            missing.push("nvdisasm");
        }
        if missing.is_empty() {
            missing.push("NVRTC, headers and nvdisasm of one CUDA version");
        }
        missing
    }

    /// The first root that has everything; else pieces of several roots, when their versions agree.
    pub fn complete(&mut self, home: &Home) -> Result<Option<Toolchain>, ToolchainError> {
        for mixed in [false, true] {
            for index in 0..self.roots.len() {
                if let Some(toolchain) = self.with_nvrtc_of(home, index, mixed)? {
                    return Ok(Some(toolchain));
                }
            }
        }
        Ok(None)
    }

    fn with_nvrtc_of(&mut self, home: &Home, index: usize, mixed: bool) -> Result<Option<Toolchain>, ToolchainError> {
        let root = &self.roots[index];
        let whole = root.includes.is_some() && root.nvdisasm.is_some();
        let (Some(nvrtc), None, true) = (root.nvrtc.clone(), &root.refused, mixed || whole) else { return Ok(None) };
        let origin = root.origin;
        let refused = match probe::nvrtc(home, &nvrtc) {
            Ok(probe) if probe.version >= super::OLDEST => {
                let own = std::slice::from_ref(root);
                let all = if mixed { &self.roots[..] } else { own };
                let headers = all.iter().find_map(|other| {
                    let dirs = other.includes.clone()?;
                    (!mixed || probe::headers_version(&dirs) == Some(probe.version)).then_some((dirs, other.origin))
                });
                let nvdisasm = all.iter().find_map(|other| {
                    let path = other.nvdisasm.clone()?;
                    (!mixed || probe::nvdisasm_version(home, &path)? >= probe.version).then_some((path, other.origin))
                });
                let (Some((includes, includes_origin)), Some((nvdisasm, nvdisasm_origin))) = (headers, nvdisasm) else {
                    return Ok(None);
                };
                let mut parts = vec![fingerprint(&nvrtc), fingerprint(&nvdisasm)];
                parts.extend(includes.iter().map(|dir| fingerprint(&dir.join("cuda_runtime.h"))));
                let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
                return Ok(Some(Toolchain {
                    id: short_hash(&parts),
                    nvrtc,
                    nvrtc_version: probe.version,
                    archs: probe.archs,
                    nvrtc_origin: origin,
                    includes,
                    includes_origin,
                    nvdisasm,
                    nvdisasm_origin,
                }));
            }
            Ok(probe) if self.setting.is_some() => {
                return Err(ToolchainError::TooOld { path: nvrtc, version: probe.version });
            }
            Ok(probe) => format!("NVRTC {}.{} is older than 12.0", probe.version.0, probe.version.1),
            Err(detail) if self.setting.is_some() => return Err(ToolchainError::Unusable { path: nvrtc, detail }),
            Err(detail) => detail,
        };
        self.roots[index].refused = Some(refused);
        Ok(None)
    }
}

/// Looks in all places, in order, and stops asking slow ones once every piece is there.
pub(super) fn find(options: &ToolchainOptions, home: &Home) -> Result<Found, ToolchainError> {
    home.secure()?;
    let mut found = Found::default();
    if options.own_only {
        if let Some(root) = provision::installed(home) {
            found.add(Origin::Workbook, &root);
        }
        return Ok(found);
    }
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(dir) = options.dir.clone().or_else(|| var("WARPBOOK_CUDA")) {
        if !dir.is_dir() {
            return Err(ToolchainError::SettingMissing { dir });
        }
        let dir = std::path::absolute(&dir).unwrap_or(dir);
        found.add(Origin::Setting, &dir);
        found.setting = Some(dir);
        return Ok(found);
    }
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(dir) = var(name) {
            found.add(Origin::Environment, &dir);
        }
    }
    for root in system_roots() {
        found.add(Origin::System, &root);
    }
    // A system CUDA that is too old or broken must not hide the other places, so each step asks whether it completes.
    if found.complete(home)?.is_some() {
        return Ok(found);
    }
    let own = provision::installed(home);
    if own.is_none() {
        for root in probe::python_roots(home) {
            found.add(Origin::Python, &root);
        }
    }
    if let Some(root) = own {
        found.add(Origin::Workbook, &root);
    }
    Ok(found)
}

/// Usual system places, newest version first.
fn system_roots() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("/usr/local/cuda")];
    let mut versioned: Vec<(Vec<u32>, PathBuf)> = fs::read_dir("/usr/local")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix("cuda-")?;
            let numbers = version.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()?;
            Some((numbers, entry.path()))
        })
        .collect();
    versioned.sort_by(|a, b| b.0.cmp(&a.0));
    roots.extend(versioned.into_iter().map(|(_, path)| path));
    roots.extend(["/opt/cuda", "/usr/lib/cuda", "/usr"].map(PathBuf::from));
    roots.retain(|root| root.is_dir());
    roots
}

/// Library folders below a CUDA root: the toolkit's, the distributions', the Python packages' (new and old layout).
fn library_dirs(root: &Path) -> Vec<PathBuf> {
    let machine = std::env::consts::ARCH;
    vec![
        root.join("lib64"),
        root.join("lib"),
        root.join(format!("targets/{machine}-linux/lib")),
        root.join(format!("lib/{machine}-linux-gnu")),
        root.join("cuda_nvrtc/lib"),
        root.join("bin/x64"),
        root.join("bin"),
    ]
}

/// The NVRTC library below a root: the file with the highest version.
fn nvrtc_in(root: &Path) -> Option<PathBuf> {
    library_dirs(root).iter().find_map(|dir| {
        let mut candidates: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(dir)
            .ok()?
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let name = name.to_str()?;
                let version = if let Some(rest) = name.strip_prefix("libnvrtc.so") {
                    rest.split('.').skip(1).map(|part| part.parse().ok()).collect::<Option<Vec<u32>>>()?
                } else {
                    let digits = name.strip_prefix("nvrtc64_")?.strip_suffix("_0.dll")?;
                    vec![digits.parse().ok()?]
                };
                entry.path().is_file().then(|| (version, entry.path()))
            })
            .collect();
        candidates.sort();
        candidates.pop().map(|(_, path)| path)
    })
}

/// Header folders below a root, if it has what kernels include: the runtime, its compiler part and CCCL.
fn includes_in(root: &Path) -> Option<Vec<PathBuf>> {
    let machine = std::env::consts::ARCH;
    // The toolkit's folder, its target's, and the packages for CUDA 12, which spread headers over sibling folders.
    let bases = ["include".to_owned(), format!("targets/{machine}-linux/include"), "cuda_runtime/include".to_owned()];
    let base = bases.iter().map(|base| root.join(base)).find(|base| base.join("cuda_runtime.h").is_file())?;
    let mut includes = vec![base.clone()];
    let others = [base.join("cccl"), root.join("cuda_cccl/include"), root.join("cuda_nvcc/include")];
    includes.extend(others.into_iter().filter(|dir| dir.is_dir()));
    let has = |header: &&str| includes.iter().any(|dir| dir.join(header).is_file());
    ["cuda_fp16.h", "cooperative_groups.h", "crt/mma.h", "cuda/std/cstdint"].iter().all(has).then_some(includes)
}

/// The nvdisasm program below a root.
pub(super) fn nvdisasm_in(root: &Path) -> Option<PathBuf> {
    ["bin/nvdisasm", "bin/nvdisasm.exe", "cuda_nvdisasm/bin/nvdisasm", "cuda_nvcc/bin/nvdisasm"]
        .iter()
        .map(|name| root.join(name))
        .find(|path| path.is_file())
}

/// Libraries of the Python packages that compiling does not need: static ones and the alternative build.
pub(super) fn unneeded_libraries(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.ends_with(".a") || name.contains(".alt.")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    #[test]
    fn nvrtc_of_the_highest_version_is_taken() {
        let dir = tree(&[
            "lib64/libnvrtc.so.9.0",
            "lib64/libnvrtc.so.12.4.99",
            "lib64/libnvrtc-builtins.so.12.4",
            "lib64/libnvrtc.alt.so.13",
        ]);
        assert_eq!(nvrtc_in(dir.path()), Some(dir.path().join("lib64/libnvrtc.so.12.4.99")));
        assert_eq!(nvrtc_in(tree(&["lib64/libnvrtc_static.a"]).path()), None);
    }

    #[test]
    fn every_layout_is_understood() {
        let runtime = ["cuda_runtime.h", "cuda_fp16.h", "cooperative_groups.h", "crt/mma.h"];
        let layouts = [
            // The toolkit, CUDA 13's packages, CUDA 12's packages.
            ("include", "include", "include/cuda/std/cstdint", "bin/nvdisasm", "lib64/libnvrtc.so.12"),
            ("include", "include", "include/cccl/cuda/std/cstdint", "bin/nvdisasm", "lib/libnvrtc.so.13"),
            (
                "cuda_runtime/include",
                "cuda_nvcc/include",
                "cuda_cccl/include/cuda/std/cstdint",
                "cuda_nvcc/bin/nvdisasm",
                "cuda_nvrtc/lib/libnvrtc.so.12",
            ),
        ];
        for (include, crt, cccl, nvdisasm, nvrtc) in layouts {
            let mut files: Vec<String> = runtime[..3].iter().map(|file| format!("{include}/{file}")).collect();
            files.push(format!("{crt}/{}", runtime[3]));
            files.extend([cccl, nvdisasm, nvrtc].map(str::to_owned));
            let whole: Vec<&str> = files.iter().map(String::as_str).collect();
            assert_eq!(lacking(tree(&whole).path()), [""; 0], "{files:?}");
            for left_out in 0..whole.len() {
                let mut part = whole.clone();
                part.remove(left_out);
                assert_eq!(lacking(tree(&part).path()).len(), 1, "without {}", whole[left_out]);
            }
        }
    }

    #[test]
    fn toolchain_is_of_one_folder_unless_versions_agree() {
        let home = Home::at(tempfile::tempdir().unwrap().path());
        let all = [
            "include/cuda_runtime.h",
            "include/cuda_fp16.h",
            "include/cooperative_groups.h",
            "include/crt/mma.h",
            "include/cuda/std/cstdint",
        ];
        let headers = tree(&all);
        let program = tree(&["bin/nvdisasm"]);
        let mut found = Found::default();
        found.add(Origin::System, headers.path());
        found.add(Origin::Python, program.path());
        assert_eq!(found.missing(), ["NVRTC 12.0 or newer"]);
        assert!(found.complete(&home).unwrap().is_none());
        // A file that is no library is passed over, with its reason.
        let broken = tree(&["lib/libnvrtc.so.13", "bin/nvdisasm"]);
        found.add(Origin::System, broken.path());
        assert!(found.complete(&home).unwrap().is_none());
        assert!(found.roots[2].refused.is_some());
    }
}

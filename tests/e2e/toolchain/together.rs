//! Many CUBINs listed by one run of nvdisasm read as each does alone.

use crate::support::repository;
use compiler::compile::{CompileRequest, compile};
use sass::DisassemblyOptions;
use std::path::Path;

/// Files in a cache.
fn kept(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.map(|path| if path.is_dir() { kept(&path) } else { 1 }).sum()
}

#[test]
#[ignore = "long"]
fn what_is_listed_together_reads_as_what_is_listed_alone() {
    let toolchain = compiler::toolchain::locate(&Default::default()).expect("a toolchain");
    let mut cubins = Vec::new();
    for arch in ["sm_75", "sm_90", "sm_120"] {
        // Functions, divisions, branches of which nothing is left, shared and constant memory, template instances.
        for (file, launched) in [
            ("tests/fixtures/sass/stack_array.cu", None),
            ("kernels/opcodes/forms.cu", Some("steps<9>")),
            // One name for two kernels.
            ("kernels/last-warp/optimised.cu", None),
            ("kernels/last-warp/naive.cu", None),
        ] {
            let path = repository().join(file);
            let source = std::fs::read(&path).expect("a kernel file");
            let request = CompileRequest::new(&path, &source, arch).expect("a request").kernels(launched);
            cubins.push(compile(&toolchain, &request).expect(file).cubin);
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = |cache: &str| DisassemblyOptions {
        nvdisasm: toolchain.nvdisasm.clone(),
        cache: Some(folder.path().join(cache)),
        live: false,
        timeout: sass::TIMEOUT,
    };
    let all: Vec<&[u8]> = cubins.iter().map(Vec::as_slice).chain([&b"no CUBIN"[..], &cubins[0]]).collect();
    sass::prepare(&all, &options("together"));
    let together = kept(&folder.path().join("together"));
    assert_eq!(together, cubins.len(), "each has a text of its own");
    for cubin in &cubins {
        let [one, other] =
            ["together", "alone"].map(|cache| sass::disassemble(cubin, &options(cache)).expect("a listing"));
        assert!(one.kernels.iter().any(|kernel| !kernel.code().is_empty()), "{}", one.target);
        assert_eq!(one, other);
    }
    assert_eq!(kept(&folder.path().join("together")), together, "nothing was listed again");
}

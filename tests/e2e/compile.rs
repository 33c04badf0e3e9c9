//! From source to PTX and CUBIN, in the compiling process of the real binary.

use checker::compile::{CompileError, Compiled, Request, compile};
use checker::toolchain::{self, Toolchain};
use std::sync::OnceLock;

/// The toolchain, located (and provisioned, where there is none) once for all tests.
pub fn toolchain() -> &'static Toolchain {
    static TOOLCHAIN: OnceLock<Toolchain> = OnceLock::new();
    TOOLCHAIN.get_or_init(|| toolchain::locate(&toolchain::Options::default()).unwrap())
}

fn build(source: &str, kernels: &[&str]) -> Result<Compiled, CompileError> {
    compile(toolchain(), &Request::new("dir/k.cu", source.as_bytes(), "sm_90")?.kernels(kernels.iter().copied()))
}

#[test]
fn kernel_becomes_ptx_and_cubin() {
    let source = "template <int N> __global__ void scale(float* a) { a[threadIdx.x] *= N; }\n";
    let compiled = build(source, &["scale<3>"]).unwrap();
    assert_eq!(compiled.names["scale<3>"], "_Z5scaleILi3EEvPf");
    assert!(compiled.ptx.contains(".entry _Z5scaleILi3EEvPf"));
    assert!(compiled.ptx.contains(".loc"), "line information is always on");
    assert_eq!(&compiled.cubin[..4], b"\x7fELF");
}

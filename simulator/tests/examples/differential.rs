//! Writes the kernels of the differential tests for a GPU, and packs its answers: see `tests/differential/main.rs`.

#[path = "../differential/answers.rs"]
#[expect(dead_code, reason = "the tests read answers, this only packs them")]
mod answers;
#[path = "../differential/approximate.rs"]
mod approximate;
#[path = "../differential/cases/mod.rs"]
#[expect(dead_code, reason = "the tests compare, this only writes")]
mod cases;
#[path = "../differential/copies.rs"]
mod copies;
#[path = "../differential/inputs.rs"]
mod inputs;
#[path = "../differential/kernel.rs"]
mod kernel;
#[path = "../differential/kernels.rs"]
mod kernels;
#[path = "../differential/matrices.rs"]
mod matrices;
#[path = "../differential/programs/mod.rs"]
mod programs;
#[path = "../differential/tensor.rs"]
mod tensor;

use kernel::Kernel;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => write(Path::new(folder)),
        ["pack", folder] => pack(Path::new(folder)),
        ["table"] => table(),
        _ => Err("usage: differential write FOLDER | differential pack FOLDER | differential table".into()),
    }
}

/// One PTX file a kernel, all inputs in one file, and a manifest:
/// `NAME FINGERPRINT BLOCKS THREADS IN_OFFSET IN_BYTES OUT_BYTES`.
fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let (mut manifest, mut all, mut count) = (String::new(), Vec::new(), 0);
    for kernel in kernels::all() {
        let Kernel { name, ptx, blocks, threads, inputs, outputs, .. } = &kernel;
        let fingerprint = answers::fingerprint(&kernel);
        let at = all.len();
        writeln!(manifest, "{name} {fingerprint:x} {blocks} {threads} {at} {} {outputs}", inputs.len())?;
        all.extend_from_slice(inputs);
        std::fs::write(folder.join(format!("{name}.ptx")), ptx)?;
        count += 1;
    }
    std::fs::write(folder.join("manifest.txt"), manifest)?;
    std::fs::write(folder.join("inputs.bin"), &all)?;
    println!("{count} kernels, {} bytes of inputs in {}", all.len(), folder.display());
    Ok(())
}

/// The documentation's table of `approximate.txt`.
fn table() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../differential");
    let data = std::fs::read_to_string(folder.join("approximate.txt"))?;
    let table = approximate::table(&data).ok_or("approximate.txt is not what approximate.cu writes")?;
    std::fs::write(folder.join("approximate.md"), table)?;
    Ok(())
}

/// `index.txt` and `outputs.bin` of `run_on_gpu.sh` become the committed file.
fn pack(folder: &Path) -> Result<(), Box<dyn Error>> {
    let packed = answers::pack(
        &kernels::all(),
        &std::fs::read_to_string(folder.join("index.txt"))?,
        &std::fs::read(folder.join("outputs.bin"))?,
    )?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../differential/answers.z");
    std::fs::write(&file, &packed)?;
    println!("{} bytes in {}", packed.len(), file.display());
    Ok(())
}

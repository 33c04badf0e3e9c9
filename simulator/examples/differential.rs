//! Writes the kernels of the differential tests for a GPU, and packs its answers: see `tests/differential/main.rs`.

#[path = "../tests/differential/answers.rs"]
#[expect(dead_code, reason = "the tests read answers, this only packs them")]
mod answers;
#[path = "../tests/differential/cases.rs"]
#[expect(dead_code, reason = "the tests compare, this only writes")]
mod cases;
#[path = "../tests/differential/inputs.rs"]
mod inputs;
#[path = "../tests/differential/matrices.rs"]
mod matrices;
#[path = "../tests/differential/programs.rs"]
mod programs;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => write(Path::new(folder)),
        ["pack", folder] => pack(Path::new(folder)),
        _ => Err("usage: differential write FOLDER | differential pack FOLDER".into()),
    }
}

/// One PTX file a kernel, all inputs in one file, and a manifest: `NAME FINGERPRINT THREADS IN_OFFSET IN_BYTES OUT_BYTES`.
fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let mut kernels = Vec::new();
    for case in cases::all() {
        let inputs: Vec<u8> = case.inputs().iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        kernels.push((case.name.clone(), case.ptx(), inputs, cases::TUPLES as u32, 8 * cases::TUPLES));
    }
    for program in programs::all().into_iter().chain(matrices::all()) {
        let inputs = program.inputs().iter().flat_map(|x| x.to_le_bytes()).collect();
        kernels.push((program.name, program.ptx, inputs, programs::THREADS, 4 * programs::THREADS as usize));
    }
    let (mut manifest, mut all) = (String::new(), Vec::new());
    for (name, ptx, inputs, threads, outputs) in &kernels {
        let fingerprint = answers::fingerprint(ptx, inputs);
        writeln!(manifest, "{name} {fingerprint:x} {threads} {} {} {outputs}", all.len(), inputs.len())?;
        all.extend_from_slice(inputs);
        std::fs::write(folder.join(format!("{name}.ptx")), ptx)?;
    }
    std::fs::write(folder.join("manifest.txt"), manifest)?;
    std::fs::write(folder.join("inputs.bin"), &all)?;
    println!("{} kernels, {} bytes of inputs in {}", kernels.len(), all.len(), folder.display());
    Ok(())
}

/// `index.txt` and `outputs.bin` of `run_on_gpu.sh` become the committed file.
fn pack(folder: &Path) -> Result<(), Box<dyn Error>> {
    let packed = answers::pack(&std::fs::read(folder.join("index.txt"))?, &std::fs::read(folder.join("outputs.bin"))?)?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("differential/answers.z");
    std::fs::write(&file, &packed)?;
    println!("{} bytes in {}", packed.len(), file.display());
    Ok(())
}

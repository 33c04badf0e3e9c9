//! The simulator against a real GPU: every opcode over special and random operands, and random whole programs.
//!
//! The GPU's answers are committed in `simulator/differential/answers.z`. To make them anew after a change of the
//! generator, on a machine with cargo, then on one with nvcc and an sm_90 GPU, then here again:
//!
//! ```text
//! cargo run -p simulator-tests --example differential -- write simulator/differential/work
//! simulator/differential/run_on_gpu.sh simulator/differential/work OUTDIR
//! cargo run -p simulator-tests --example differential -- pack OUTDIR
//! nvcc -O3 -arch=sm_90 -o approximate simulator/differential/approximate.cu     # on the GPU's machine
//! ./approximate > simulator/differential/approximate.txt
//! cargo run -p simulator-tests --example differential -- table
//! ```

mod answers;
mod approximate;
mod cases;
mod copies;
mod inputs;
mod kernel;
mod kernels;
mod matrices;
mod programs;
mod tensor;

use answers::{Answer, Answers};
use kernel::{Keep, Kernel};
use simulator::{Arg, Checks, Config, Device, Launch, LaunchStatus, Module, Schedule};
use std::sync::Arc;

/// The committed answers.
fn committed() -> Answers {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../differential/answers.z");
    let file = std::fs::read(path).expect("simulator/differential/answers.z is readable");
    answers::unpack(&file).expect("simulator/differential/answers.z is whole: pack it again")
}

/// Kernels whose answers contradict the PTX manual, with how many operand tuples differ.
const DEPARTURES: &str = include_str!("../../differential/departures.txt");

/// How many tuples of a kernel are known to differ.
fn departures(name: &str) -> usize {
    let line = DEPARTURES.lines().filter_map(|line| line.split_once(' ')).find(|(kernel, _)| *kernel == name);
    line.map_or(0, |(_, count)| count.parse().expect("a count after the name"))
}

/// The answer to a kernel, as it is kept; or why it cannot be used.
fn answer<'a>(answers: &'a Answers, kernel: &Kernel) -> Result<&'a [u8], String> {
    let (name, now) = (&kernel.name, answers::fingerprint(kernel));
    match answers.by_name.get(name) {
        Some(Answer::Bytes { fingerprint, bytes }) if *fingerprint == now => Ok(bytes),
        Some(Answer::Failed { fingerprint, message }) if *fingerprint == now => {
            Err(format!("{name}: the GPU's driver refused it: {message}"))
        }
        Some(_) => Err(format!("{name}: its answer is of an older generator")),
        None => Err(format!("{name}: no GPU was asked: run run_on_gpu.sh")),
    }
}

/// Ends a test with its list of differences.
fn conclude(failures: &[String], compared: usize, device: &str) {
    assert!(compared > 0, "nothing was compared");
    assert!(
        failures.is_empty(),
        "{} of {compared} kernels differ from {device}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Where a case differs from `want`, if in another number of tuples than is `known`.
fn compare_case(case: &cases::Case, known: usize, got: impl Fn(usize) -> u64, want: &[u8]) -> Option<String> {
    let inputs = case.inputs();
    let mut wrong = Vec::new();
    for (at, chunk) in want.chunks_exact(8).enumerate() {
        let want = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        let got = got(at);
        if !case.near.accepts(got, want) {
            let operands: Vec<String> = inputs[at][..case.kinds.len()].iter().map(|x| format!("{x:#x}")).collect();
            wrong.push(format!("  {} -> {got:#x}, the GPU {want:#x}", operands.join(", ")));
        }
    }
    let count = wrong.len();
    wrong.truncate(4);
    (count != known).then(|| {
        let known = if known > 0 { format!(", {known} are known to") } else { String::new() };
        format!("{}: {count} of {} differ{known}\n{}", case.name, cases::TUPLES, wrong.join("\n"))
    })
}

#[test]
fn num_agrees_with_the_gpu() {
    let answers = committed();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases::all() {
        compared += 1;
        let inputs = case.inputs();
        match answer(&answers, &case.kernel()) {
            Ok(want) => {
                failures.extend(compare_case(&case, departures(&case.name), |at| (case.model)(inputs[at]), want))
            }
            Err(why) => failures.push(why),
        }
    }
    conclude(&failures, compared, &answers.device);
}

/// Runs a kernel on the simulator.
fn simulate(kernel: &Kernel) -> Result<Vec<u8>, String> {
    simulate_with(Config::default(), kernel)
}

fn simulate_with(config: Config, kernel: &Kernel) -> Result<Vec<u8>, String> {
    let module = Module::parse(&kernel.ptx).map_err(|e| e.to_string())?;
    let mut device = Device::new(Arc::new(module), config);
    let from = device.alloc("in", kernel.inputs.len() as u64).map_err(|e| e.to_string())?;
    let to = device.alloc("out", kernel.outputs as u64).map_err(|e| e.to_string())?;
    device.write(from, &kernel.inputs).map_err(|e| e.to_string())?;
    device.write(to, &vec![0xcd; kernel.outputs]).map_err(|e| e.to_string())?;
    let launch = Launch {
        kernel: "k".into(),
        grid: [kernel.blocks, 1, 1],
        block: [kernel.threads, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(from), Arg::Pointer(to)],
        cooperative: false,
    };
    let report = device.launch(&launch).map_err(|e| e.to_string())?;
    if report.status != LaunchStatus::Finished || !report.findings.is_empty() {
        return Err(format!("{:?}: {:?}", report.status, report.findings.first()));
    }
    let mut bytes = vec![0; kernel.outputs];
    device.read(to, &mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

#[test]
fn opcodes_agree_with_the_gpu() {
    let answers = committed();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases::all() {
        compared += 1;
        let kernel = case.kernel();
        let want = match answer(&answers, &kernel) {
            Ok(want) => want,
            Err(why) => {
                failures.push(why);
                continue;
            }
        };
        match simulate(&kernel) {
            Ok(got) => {
                let word = |at: usize| u64::from_le_bytes(got[8 * at..8 * at + 8].try_into().expect("eight bytes"));
                failures.extend(compare_case(&case, departures(&case.name), word, want));
            }
            Err(why) => failures.push(format!("{}: {why}", case.name)),
        }
    }
    conclude(&failures, compared, &answers.device);
}

/// Needs no GPU: the simulator's parser, decoder and executor against `num`, which computes the same bits directly.
#[test]
fn opcodes_agree_with_num() {
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases::all() {
        compared += 1;
        let inputs = case.inputs();
        let want: Vec<u8> = inputs.iter().flat_map(|x| (case.model)(*x).to_le_bytes()).collect();
        match simulate(&case.kernel()) {
            Ok(got) => {
                let exact = cases::Case { near: cases::Near::Exact, ..case };
                let word = |at: usize| u64::from_le_bytes(got[8 * at..8 * at + 8].try_into().expect("eight bytes"));
                failures.extend(compare_case(&exact, 0, word, &want));
            }
            Err(why) => failures.push(format!("{}: {why}", case.name)),
        }
    }
    conclude(&failures, compared, "num");
}

/// Needs no GPU: every program ends without a finding, and no schedule changes its results.
#[test]
fn programs_do_not_depend_on_the_schedule() {
    let (mut failures, mut compared) = (Vec::new(), 0);
    for program in programs::all().take(100) {
        let run = |schedule| {
            let config = Config { schedule, checks: Checks { races: true, ..Checks::NONE }, ..Config::default() };
            simulate_with(config, &program)
        };
        let want = run(Schedule::Its);
        for schedule in [Schedule::PreVolta, Schedule::Adversarial { seed: 1 }, Schedule::Adversarial { seed: 2 }] {
            compared += 1;
            match (&want, run(schedule)) {
                (Ok(want), Ok(got)) if *want == got => {}
                (Ok(_), Ok(_)) => failures.push(format!("{}: {schedule:?} changes the results", program.name)),
                (Err(why), _) => failures.push(format!("{}: its: {why}", program.name)),
                (_, Err(why)) => failures.push(format!("{}: {schedule:?}: {why}", program.name)),
            }
        }
    }
    conclude(&failures, compared, "themselves");
}

/// Where an output differs from an answer, by 32-bit words.
fn difference(kernel: &Kernel, got: &[u8], want: &[u8]) -> Option<String> {
    let kept = kernel.keep.of(got);
    let size = if kernel.keep == Keep::Whole { 4 } else { 1 };
    let wrong: Vec<usize> =
        kept.chunks(size).zip(want.chunks(size)).enumerate().filter(|(_, (x, y))| x != y).map(|(at, _)| at).collect();
    let first = wrong.first()?;
    let is =
        got.get(4 * first..4 * first + 4).map_or(0, |word| word.iter().rev().fold(0u32, |x, b| x << 8 | u32::from(*b)));
    Some(format!(
        "{}: {} of {} words differ, first word {first}, here {is:#x}",
        kernel.name,
        wrong.len(),
        got.len() / 4
    ))
}

/// Compares all kernels, on as many host threads as there are.
fn agree_with_the_gpu(kernels: &[Kernel]) {
    let answers = committed();
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let compare = &|kernel: &Kernel| match answer(&answers, kernel).and_then(|want| Ok((simulate(kernel)?, want))) {
        Ok((got, want)) => difference(kernel, &got, want),
        Err(why) => Some(format!("{}: {why}", kernel.name)),
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let parts: Vec<_> = kernels
            .chunks(kernels.len().div_ceil(threads))
            .map(|part| scope.spawn(move || part.iter().filter_map(compare).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("no comparison panics")).collect()
    });
    conclude(&failures, kernels.len(), &answers.device);
}

#[test]
fn programs_agree_with_the_gpu() {
    agree_with_the_gpu(&programs::all().collect::<Vec<_>>());
}

#[test]
fn matrices_agree_with_the_gpu() {
    agree_with_the_gpu(&matrices::all());
}

#[test]
fn copies_agree_with_the_gpu() {
    agree_with_the_gpu(&copies::all());
}

#[test]
fn inexact_products_agree_with_the_gpu() {
    agree_with_the_gpu(&tensor::all());
}

/// The machinery itself: packing round trips, stale and changed answers are told.
#[test]
fn answers_survive_packing_and_changes_are_seen() {
    let case = &cases::all()[0];
    let kernel = case.kernel();
    let mut outputs: Vec<u8> = case.inputs().iter().flat_map(|x| (case.model)(*x).to_le_bytes()).collect();
    let read = |outputs: &[u8]| {
        let fingerprint = answers::fingerprint(&kernel);
        let index = format!("# test device\n{} {fingerprint:x} 0 {}\n", case.name, outputs.len());
        let packed = answers::pack(&[case.kernel()], &index, outputs).expect("packs");
        answers::unpack(&packed).expect("unpacks")
    };
    let compare = |answers: &Answers, kernel: &Kernel| match answer(answers, kernel) {
        Ok(want) => compare_case(case, 0, |at| (case.model)(case.inputs()[at]), want),
        Err(why) => Some(why),
    };
    assert_eq!(compare(&read(&outputs), &kernel), None);
    let other = Kernel { ptx: "other".into(), ..case.kernel() };
    assert!(compare(&read(&outputs), &other).is_some_and(|why| why.contains("older generator")));
    outputs[8] ^= 1;
    assert!(compare(&read(&outputs), &kernel).is_some_and(|why| why.contains("1 of 128 differ")));
}

/// A digest sees a change of any bit of any word.
#[test]
fn digests_see_changes() {
    let words: Vec<u8> = (0..64u32).flat_map(|at| at.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    let kept = Keep::Digest.of(&words);
    assert_eq!(kept.len(), 64);
    let unseen = (0..words.len() * 8)
        .filter(|bit| {
            let mut changed = words.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            Keep::Digest.of(&changed) == kept
        })
        .count();
    assert!(unseen < 16, "{unseen} of {} changes of a bit are not seen", words.len() * 8);
}

#[test]
fn the_table_of_approximations_is_what_was_measured() {
    let read = |name: &str| {
        let path = format!("{}/../differential/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("it is committed")
    };
    let table = approximate::table(&read("approximate.txt")).expect("lines of approximate.cu");
    assert_eq!(table, read("approximate.md"), "run the example `differential` with `table`");
}

#[test]
fn departures_are_of_kernels() {
    let names: Vec<String> = cases::all().into_iter().map(|case| case.name).collect();
    for line in DEPARTURES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let name = line.split(' ').next().expect("a line has a first word");
        assert!(departures(name) > 0 && names.iter().any(|known| known == name), "{line}");
    }
}

#[test]
fn kernels_have_names_of_their_own() {
    let mut names: Vec<String> = kernels::all().into_iter().map(|kernel| kernel.name).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count > 1000, "{count} kernels");
}

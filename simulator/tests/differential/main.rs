//! The simulator against a real GPU: every opcode over special and random operands, and random whole programs.
//!
//! The GPU's answers are committed in `simulator/differential/answers.z`. To make them anew after a change of the
//! generator, on a machine with cargo, then on one with nvcc and an sm_90 GPU, then here again:
//!
//! ```text
//! cargo run -p simulator --example differential -- write simulator/differential/work
//! simulator/differential/run_on_gpu.sh simulator/differential/work OUTDIR
//! cargo run -p simulator --example differential -- pack OUTDIR
//! ```

mod answers;
mod cases;
mod inputs;
mod matrices;
mod programs;

use answers::{Answer, Answers};
use simulator::{Arg, Checks, Config, Device, Launch, Module, Schedule, Status};
use std::sync::Arc;

/// Programs whose results are known to differ from the H200's, each with what is known. One that agrees again fails the
/// test, so that the list stays true.
const DIFFERING_PROGRAMS: [(&str, &str); 1] = [(
    "program46",
    "22 of 96 threads differ (20 of them in warp 0); the cause is not found. Its opcodes agree one by one, and the \
     simulator gives the same results under every schedule.",
)];

/// The committed answers.
fn committed() -> Answers {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/differential/answers.z");
    let file = std::fs::read(path).expect("simulator/differential/answers.z is readable");
    answers::unpack(&file).expect("simulator/differential/answers.z is whole: pack it again")
}

fn case_bytes(case: &cases::Case) -> Vec<u8> {
    case.inputs().iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

/// The answer to a kernel, or why there is none.
fn answer<'a>(answers: &'a Answers, name: &str, ptx: &str, inputs: &[u8]) -> Result<&'a [u8], String> {
    let now = answers::fingerprint(ptx, inputs);
    match answers.by_name.get(name) {
        Some(Answer::Bytes { fingerprint, bytes }) if *fingerprint == now => Ok(bytes),
        Some(Answer::Failed { fingerprint, message }) if *fingerprint == now => {
            Err(format!("{name}: the GPU's driver refused it: {message}"))
        }
        Some(_) => Err(format!("{name}: its answer is of an older generator")),
        None => Err(format!("{name}: no answer")),
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

fn compare_case(case: &cases::Case, got: impl Fn(usize) -> u64, want: &[u8]) -> Option<String> {
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
    (count > 0).then(|| format!("{}: {count} of {} differ\n{}", case.name, cases::TUPLES, wrong.join("\n")))
}

#[test]
fn num_agrees_with_the_gpu() {
    let answers = committed();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases::all() {
        compared += 1;
        let inputs = case.inputs();
        match answer(&answers, &case.name, &case.ptx(), &case_bytes(&case)) {
            Ok(want) => failures.extend(compare_case(&case, |at| (case.model)(inputs[at]), want)),
            Err(why) => failures.push(why),
        }
    }
    conclude(&failures, compared, &answers.device);
}

/// Runs `k(in, out)` on one block of the simulator.
fn simulate(ptx: &str, inputs: &[u8], outputs: usize, threads: u32) -> Result<Vec<u8>, String> {
    simulate_with(Config::default(), ptx, inputs, outputs, threads)
}

fn simulate_with(config: Config, ptx: &str, inputs: &[u8], outputs: usize, threads: u32) -> Result<Vec<u8>, String> {
    let module = Module::parse(ptx).map_err(|e| e.to_string())?;
    let mut device = Device::new(Arc::new(module), config);
    let from = device.alloc("in", inputs.len() as u64).map_err(|e| e.to_string())?;
    let to = device.alloc("out", outputs as u64).map_err(|e| e.to_string())?;
    device.write(from, inputs).map_err(|e| e.to_string())?;
    let launch = Launch {
        kernel: "k".into(),
        grid: [1; 3],
        block: [threads, 1, 1],
        shared: 0,
        args: vec![Arg::Pointer(from), Arg::Pointer(to)],
        cooperative: false,
    };
    let report = device.launch(&launch).map_err(|e| e.to_string())?;
    if report.status != Status::Finished || !report.findings.is_empty() {
        return Err(format!("{:?}: {:?}", report.status, report.findings.first()));
    }
    let mut bytes = vec![0; outputs];
    device.read(to, &mut bytes).map_err(|e| e.to_string())?;
    Ok(bytes)
}

#[test]
fn opcodes_agree_with_the_gpu() {
    let answers = committed();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for case in cases::all() {
        compared += 1;
        let (ptx, inputs) = (case.ptx(), case_bytes(&case));
        let want = match answer(&answers, &case.name, &ptx, &inputs) {
            Ok(want) => want,
            Err(why) => {
                failures.push(why);
                continue;
            }
        };
        match simulate(&ptx, &inputs, want.len(), cases::TUPLES as u32) {
            Ok(got) => {
                let word = |at: usize| u64::from_le_bytes(got[8 * at..8 * at + 8].try_into().expect("eight bytes"));
                failures.extend(compare_case(&case, word, want));
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
        match simulate(&case.ptx(), &case_bytes(&case), want.len(), cases::TUPLES as u32) {
            Ok(got) => {
                let exact = cases::Case { near: cases::Near::Exact, ..case };
                let word = |at: usize| u64::from_le_bytes(got[8 * at..8 * at + 8].try_into().expect("eight bytes"));
                failures.extend(compare_case(&exact, word, &want));
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
    for program in programs::all() {
        let inputs: Vec<u8> = program.inputs().iter().flat_map(|x| x.to_le_bytes()).collect();
        let run = |schedule| {
            let config = Config { schedule, checks: Checks { races: true, ..Checks::NONE }, ..Config::default() };
            simulate_with(config, &program.ptx, &inputs, 4 * programs::THREADS as usize, programs::THREADS)
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

#[test]
fn programs_agree_with_the_gpu() {
    let answers = committed();
    let (mut failures, mut compared) = (Vec::new(), 0);
    for program in programs::all().into_iter().chain(matrices::all()) {
        compared += 1;
        let inputs: Vec<u8> = program.inputs().iter().flat_map(|x| x.to_le_bytes()).collect();
        let want = match answer(&answers, &program.name, &program.ptx, &inputs) {
            Ok(want) => want,
            Err(why) => {
                failures.push(why);
                continue;
            }
        };
        let known = DIFFERING_PROGRAMS.iter().find(|(name, _)| *name == program.name);
        match (simulate(&program.ptx, &inputs, want.len(), programs::THREADS), known) {
            (Ok(got), None) if got == want => {}
            (Ok(got), Some((name, why))) if got == want => {
                failures.push(format!("{name} agrees now, take it off DIFFERING_PROGRAMS ({why})"));
            }
            (Ok(_), Some(_)) => {}
            (Ok(got), None) => {
                let thread = got.chunks(4).zip(want.chunks(4)).position(|(x, y)| x != y).unwrap_or(0);
                failures.push(format!("{}: first differs in thread {thread}", program.name));
            }
            (Err(why), _) => failures.push(format!("{}: {why}", program.name)),
        }
    }
    conclude(&failures, compared, &answers.device);
}

/// The machinery itself: packing round trips, stale and changed answers are told.
#[test]
fn answers_survive_packing_and_changes_are_seen() {
    let case = &cases::all()[0];
    let (ptx, inputs) = (case.ptx(), case_bytes(case));
    let mut outputs: Vec<u8> = case.inputs().iter().flat_map(|x| (case.model)(*x).to_le_bytes()).collect();
    let read = |outputs: &[u8], ptx: &str| {
        let fingerprint = answers::fingerprint(ptx, &inputs);
        let index = format!("# test device\n{} {fingerprint:x} 0 {}\n", case.name, outputs.len());
        let packed = answers::pack(index.as_bytes(), outputs).expect("packs");
        answers::unpack(&packed).expect("unpacks")
    };
    let compare = |answers: &Answers| match answer(answers, &case.name, &ptx, &inputs) {
        Ok(want) => compare_case(case, |at| (case.model)(case.inputs()[at]), want),
        Err(why) => Some(why),
    };
    assert_eq!(compare(&read(&outputs, &ptx)), None);
    assert!(compare(&read(&outputs, "other")).is_some_and(|why| why.contains("older generator")));
    outputs[8] ^= 1;
    assert!(compare(&read(&outputs, &ptx)).is_some_and(|why| why.contains("1 of 128 differ")));
}

#[test]
fn cases_have_names_of_their_own() {
    let mut names: Vec<String> = cases::all().into_iter().map(|case| case.name).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count > 500, "{count} cases");
}

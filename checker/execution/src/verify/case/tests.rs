//! Cases on a machine made for the test, whose kernels are closures over host memory.

use super::*;
use crate::backend::Fault;
use crate::backend::machine::{BrokenGuard, Pass, Session};
use half::f16;
use plan::{Fill, Launch, Plan};
use simulator::Counters;
use std::cell::{Cell, RefCell};
use values::npy;
use values::{LooksLike, Value};

/// What a "kernel" does with its buffers, by buffer name; `launches` counts passes since the module was loaded.
type Kernel = fn(buffers: &mut [Vec<u8>], launches: u32) -> Result<(), Stop>;

struct Host {
    kernels: Vec<(&'static str, Kernel)>,
    schedules: Vec<Option<Schedule>>,
    broken: Cell<bool>,
    guard: Option<BrokenGuard>,
    /// Whether each pass was to be watched.
    watched: RefCell<Vec<bool>>,
}

impl Host {
    fn new(kernels: Vec<(&'static str, Kernel)>) -> Self {
        Self { kernels, schedules: vec![None], broken: Cell::new(false), guard: None, watched: RefCell::default() }
    }
}

struct HostSession<'a> {
    host: &'a Host,
    kernel: Kernel,
    buffers: Vec<Vec<u8>>,
    launches: u32,
}

impl Machine for Host {
    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, Stop> {
        let kernel = self.kernels.iter().find(|(name, _)| *name == program.name).unwrap().1;
        let buffers =
            program.plan.buffers.iter().map(|buffer| vec![0; buffer.len as usize * buffer.dtype.size()]).collect();
        Ok(Box::new(HostSession { host: self, kernel, buffers, launches: 0 }))
    }
    fn schedules(&self) -> Vec<Option<Schedule>> {
        self.schedules.clone()
    }
    fn broken(&self) -> bool {
        self.broken.get()
    }
}

impl Session for HostSession<'_> {
    fn write(&mut self, buffer: usize, bytes: &[u8]) -> Result<(), Stop> {
        self.buffers[buffer].copy_from_slice(bytes);
        Ok(())
    }
    fn poison(&mut self, buffer: usize, byte: u8) -> Result<(), Stop> {
        self.buffers[buffer].fill(byte);
        Ok(())
    }
    fn read(&mut self, buffer: usize, offset: u64, into: &mut [u8]) -> Result<(), Stop> {
        into.copy_from_slice(&self.buffers[buffer][offset as usize..offset as usize + into.len()]);
        Ok(())
    }
    fn set_checked(&mut self, checked: bool) {
        self.host.watched.borrow_mut().push(checked);
    }
    fn pass(&mut self, _: Option<Schedule>) -> Pass {
        let stop = (self.kernel)(&mut self.buffers, self.launches).err();
        self.launches += 1;
        if matches!(stop, Some(Stop::Fault(_))) {
            self.host.broken.set(true);
        }
        Pass { stop, ..Pass::default() }
    }
    fn broken_guard(&mut self) -> Result<Option<BrokenGuard>, Stop> {
        Ok(self.host.guard.clone())
    }
}

const N: u64 = 1000;

fn program(name: &str, out: DType) -> Program {
    let buffer = |name: &str, dtype, role, fill| Buffer { name: name.into(), dtype, len: N, role, fill };
    let uniform = Some(Fill::Uniform { lo: -1.0, hi: 1.0 });
    Program {
        name: name.into(),
        plan: Plan {
            buffers: vec![buffer("a", DType::F32, Role::In, uniform), buffer("c", out, Role::Out, None)],
            launches: Vec::<Launch>::new(),
            ..Plan::default()
        },
        ..Program::default()
    }
}

fn case(versions: &[&str]) -> Case {
    Case {
        name: "n = 1000".into(),
        seed: 7,
        oracle: Some(program("oracle", DType::F64)),
        outputs: vec![Output { name: "c".into(), tolerance: Tolerance::Bound { ops: 2.0, unit: DType::F32 } }],
        versions: versions.iter().map(|name| program(name, DType::F32)).collect(),
        thoroughness: Thoroughness::Full,
        ..Case::default()
    }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|x| f32::from_le_bytes(x.try_into().unwrap())).collect()
}

/// c = 3 a in double precision.
fn oracle(buffers: &mut [Vec<u8>], _: u32) -> Result<(), Stop> {
    buffers[1] = floats(&buffers[0]).iter().flat_map(|&x| (3.0 * f64::from(x)).to_le_bytes()).collect();
    Ok(())
}

fn triple(buffers: &mut [Vec<u8>], from: usize, to: usize) {
    let products: Vec<u8> = floats(&buffers[0]).iter().flat_map(|&x| (3.0 * x).to_le_bytes()).collect();
    buffers[1][4 * from..4 * to].copy_from_slice(&products[4 * from..4 * to]);
}

fn good(buffers: &mut [Vec<u8>], _: u32) -> Result<(), Stop> {
    triple(buffers, 0, N as usize);
    Ok(())
}

fn results(host: &Host, case: &Case) -> Vec<Checked> {
    let mut found = Vec::new();
    run_case(host, 0, case, &|_| true, &mut |reply| {
        if let Reply::Checked { result, .. } = reply {
            found.push(*result);
        }
    })
    .unwrap();
    found
}

fn only(kernel: Kernel) -> Checked {
    let host = Host::new(vec![("oracle", oracle), ("k", kernel)]);
    results(&host, &case(&["k"])).remove(0)
}

fn looks_like(checked: &Checked) -> LooksLike {
    match &checked.status {
        Status::Wrong { outputs } => outputs[0].looks_like,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_right_kernel_passes_twice_with_different_poison_and_inputs() {
    let checked = only(good);
    assert_eq!(checked.status, Status::Passed);
    let runs: Vec<_> = checked.runs.iter().map(|result| (result.run.poison, result.run.seed)).collect();
    assert_eq!(runs.len(), 2);
    assert!(runs[0].0 != runs[1].0 && runs[0].1 != runs[1].1);
    assert!((0.0..1.0).contains(&checked.error_over_bound.unwrap()));
}

#[test]
fn a_kernel_that_writes_nothing_or_stops_early_fails() {
    assert_eq!(looks_like(&only(|_, _| Ok(()))), LooksLike::NeverWritten);
    let tail = only(|buffers, _| {
        triple(buffers, 0, 992);
        Ok(())
    });
    assert_eq!(looks_like(&tail), LooksLike::Tail { from: 992 });
}

#[test]
fn state_left_by_the_first_run_is_told_from_other_faults() {
    let stale = only(|buffers, launches| {
        triple(buffers, 0, if launches == 0 { N as usize } else { 0 });
        Ok(())
    });
    assert_eq!(looks_like(&stale), LooksLike::SecondRunOnly { unwritten: true });
    assert_eq!(stale.failed_run().unwrap().number, 1);
}

#[test]
fn changed_inputs_and_broken_guards_fail() {
    let changed = only(|buffers, _| {
        triple(buffers, 0, N as usize);
        buffers[0][4 * 500..4 * 501].copy_from_slice(&9f32.to_le_bytes());
        Ok(())
    });
    assert!(matches!(&changed.status, Status::InputChanged { buffer, index: 500, got: Value::Real(x), .. }
        if buffer == "a" && *x == 9.0));
    let mut host = Host::new(vec![("oracle", oracle), ("k", good)]);
    host.guard = Some(BrokenGuard { buffer: 1, offset: 4000 });
    let checked = results(&host, &case(&["k"])).remove(0);
    assert_eq!(checked.status, Status::GuardBroken { buffer: "c".into(), offset: 4000, bytes: 4000 });
}

#[test]
fn exact_integers_catch_what_the_tolerance_hides() {
    // One element is off by far less than the (deliberately wide) bound allows for reals.
    let sloppy: Kernel = |buffers, _| {
        triple(buffers, 0, N as usize);
        // No place where values at the edges of their interval are put, whose bound is narrow.
        let one = &mut buffers[1][4 * 500..4 * 501];
        let x = floats(one)[0];
        one.copy_from_slice(&(x + 0.5).to_le_bytes());
        Ok(())
    };
    let host = Host::new(vec![("oracle", oracle), ("sloppy", sloppy), ("good", good)]);
    let mut wide = case(&["sloppy", "good"]);
    wide.outputs[0].tolerance = Tolerance::Bound { ops: 1e12, unit: DType::F32 };
    assert!(results(&host, &wide).iter().all(|checked| checked.status.passed()));
    wide.exact_integers = true;
    let found = results(&host, &wide);
    assert!(
        matches!(&found[0].status, Status::Wrong { outputs } if outputs[0].exact_integers && outputs[0].wrong == 1)
    );
    assert_eq!(found[0].failed_run().unwrap().values, Values::ExactIntegers);
    assert_eq!(found[1].status, Status::Passed);
}

/// The sum of 4096 halves in chunks of eight, rounded after every addition inside a chunk.
fn sum_in_chunks(buffers: &mut [Vec<u8>], round: fn(f64) -> f64) {
    let halves: Vec<f64> = buffers[0].chunks(2).map(|x| f16::from_le_bytes([x[0], x[1]]).to_f64()).collect();
    let chunk = |chunk: &[f64]| chunk.iter().fold(0.0, |sum, x| round(sum + x));
    let sum: f64 = halves.chunks(8).map(chunk).sum();
    buffers[1] = (sum as f32).to_le_bytes().to_vec();
}

#[test]
fn repeating_values_show_sums_in_the_type_of_the_elements() {
    let exact: Kernel = |buffers, _| {
        let halves = buffers[0].chunks(2).map(|x| f16::from_le_bytes([x[0], x[1]]).to_f64());
        let (sum, magnitude) = halves.fold((0.0, 0.0), |(sum, all), x| (sum + x, all + x.abs()));
        buffers[1] = f64::to_le_bytes(sum).to_vec();
        buffers[2] = f64::to_le_bytes(magnitude).to_vec();
        Ok(())
    };
    let narrow: Kernel = |buffers, _| {
        sum_in_chunks(buffers, |x| f16::from_f64(x).to_f64());
        Ok(())
    };
    let wide: Kernel = |buffers, _| {
        sum_in_chunks(buffers, |x| f64::from(x as f32));
        Ok(())
    };
    let sum = |name: &str, out: DType| {
        let mut program = program(name, out);
        program.plan.buffers[0].dtype = DType::F16;
        program.plan.buffers[0].len = 4096;
        program.plan.buffers[1].len = 1;
        program
    };
    let mut oracle = sum("oracle", DType::F64);
    oracle.plan.buffers.push(Buffer { name: "c_magnitude".into(), ..oracle.plan.buffers[1].clone() });
    let host = Host::new(vec![("oracle", exact), ("narrow", narrow), ("wide", wide)]);
    let mut case = case(&[]);
    case.outputs[0].tolerance = Tolerance::Bound { ops: 200.0, unit: DType::F32 };
    case.oracle = Some(oracle);
    case.versions = vec![sum("narrow", DType::F32), sum("wide", DType::F32)];
    let (mut only_repeating, mut missed) = (0, 0);
    for seed in 0..40 {
        case.seed = seed;
        let found = results(&host, &case);
        let failed = found[0].failed_run().map(|run| run.values);
        only_repeating += u32::from(failed == Some(Values::Repeating));
        missed += u32::from(failed.is_none());
        assert_eq!(found[1].status, Status::Passed, "seed {seed}");
    }
    // At one size; a problem has several, and each has a pattern of its own.
    assert!(
        missed <= 2 && only_repeating >= 4 * missed.max(1),
        "{missed} missed, {only_repeating} by repeating values only"
    );
}

#[test]
fn a_fault_that_breaks_the_device_keeps_what_came_before() {
    let fault: Kernel =
        |_, _| Err(Stop::Fault(Fault { name: "X".into(), message: String::new(), hint: None, launch: 0, line: 3 }));
    let host = Host::new(vec![("oracle", oracle), ("good", good), ("bad", fault), ("late", good)]);
    let found = results(&host, &case(&["good", "bad", "late"]));
    assert_eq!(found.len(), 2, "what comes after needs a new worker");
    assert_eq!(found[0].status, Status::Passed);
    assert!(matches!(&found[1].status, Status::Fault { fault } if fault.line == 3));
}

#[test]
fn every_schedule_is_tried_even_after_one_failed() {
    let mut host = Host::new(vec![("oracle", oracle), ("k", |_, _| Ok(()))]);
    host.schedules = vec![Some(Schedule::Its), Some(Schedule::PreVolta)];
    let checked = results(&host, &case(&["k"])).remove(0);
    let tried: Vec<_> = checked.runs.iter().map(|result| result.run.schedule).collect();
    assert_eq!(tried, host.schedules);
}

#[test]
fn of_a_large_size_the_first_run_of_an_order_is_watched() {
    let orders = [Schedule::Its, Schedule::Adversarial { seed: 0 }];
    let mut host = Host::new(vec![("oracle", oracle), ("good", good)]);
    host.schedules = orders.map(Some).to_vec();
    let watched = |threads: u32| {
        let mut case = Case { exact_integers: true, ..case(&["good"]) };
        case.versions[0].plan.launches = vec![Launch {
            kernel: "good".into(),
            grid: [threads / 32, 1, 1],
            block: [32, 1, 1],
            shared: 0,
            args: Vec::new(),
            cooperative: false,
            cluster: None,
            resident: None,
            line: 1,
        }];
        assert!(results(&host, &case)[0].status.passed());
        host.watched.take()
    };
    let small = watched(1024);
    assert!(small.len() > 3 && small.iter().all(|watched| *watched), "{small:?}");
    // Of those at one end there is none, nor of those over neighbours that are alike, and the last run is the other order's.
    let mut large = vec![false; small.len() - 2];
    (large[0], large[small.len() - 3]) = (true, true);
    assert_eq!(watched(1 << 15), large);
}

#[test]
fn an_oracle_that_fails_is_the_problems_fault() {
    let failing: Kernel = |_, _| Err(Stop::BadLaunch { launch: 0, line: 9, message: "no kernel".into() });
    let host = Host::new(vec![("oracle", failing), ("k", good)]);
    let checked = results(&host, &case(&["k"])).remove(0);
    assert!(matches!(&checked.status, Status::OracleFailed { message } if message.contains("line 9")));
    let host = Host::new(vec![("oracle", oracle), ("k", good)]);
    let mut unknown = case(&["k"]);
    unknown.outputs[0].name = "d".into();
    assert!(matches!(results(&host, &unknown)[0].status, Status::OracleFailed { .. }));
}

#[test]
fn buffers_are_dumped_and_summarised() {
    let folder = tempfile::tempdir().unwrap();
    let host = Host::new(vec![("k", |buffers, _| {
        triple(buffers, 0, 10);
        Ok(())
    })]);
    let path = folder.path().join("c.npy");
    let mut run = case(&["k"]);
    run.oracle = None;
    run.thoroughness = Thoroughness::Once;
    run.dump = vec![("c".into(), path.clone())];
    let checked = results(&host, &run).remove(0);
    assert_eq!(checked.dumped, std::slice::from_ref(&path));
    assert_eq!(checked.outputs[0].unwritten, 990);
    assert_eq!(checked.outputs[0].head.len(), 8);
    let data = npy::read(std::fs::File::open(&path).unwrap(), DType::F32, N).unwrap();
    assert!(floats(&data)[9].abs() <= 3.0 && floats(&data)[10].is_nan());
}

#[test]
fn counters_are_summed_field_by_field() {
    // Every field differs, so that none can be left out or mixed up.
    let counters = |scale: u64| -> Counters {
        let serde_json::Value::Object(mut fields) = serde_json::to_value(Counters::default()).unwrap() else {
            panic!()
        };
        for (index, value) in fields.values_mut().enumerate() {
            *value = (scale * (index as u64 + 1)).into();
        }
        serde_json::from_value(fields.into()).unwrap()
    };
    let mut sum = counters(1);
    sum.add(&counters(10));
    assert_eq!(sum, counters(11));
}

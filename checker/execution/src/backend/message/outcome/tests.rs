use super::*;
use crate::backend::{Death, Fault, Reply, Untried, WrongOutput};
use simulator::FindingKind;
use values::{LooksLike, Mismatch};

/// What was stopped says nothing of a kernel, what was found before does.
#[test]
fn what_was_cut_short_is_not_a_kernels_fault() {
    let name = FindingName::Interrupted.name().to_owned();
    let fault = |name: &str| Status::Fault {
        fault: Fault { name: name.into(), message: "m".into(), hint: None, launch: 0, line: 1 },
    };
    let cut = |status: Status| {
        let found = |kind| Found {
            finding: Finding {
                kind,
                severity: simulator::Severity::Fault,
                place: simulator::Place::default(),
                count: 1,
            },
            schedule: Schedule::Its,
            launch: 0,
        };
        let mut checked = Checked::only(status);
        checked.findings = vec![
            found(FindingKind::Interrupted { steps: 1, done: 0, blocks: 1, turns: 0, polls: Vec::new() }),
            found(FindingKind::StackOverflow { limit: 1 }),
        ];
        checked.cut_short();
        (checked.status, checked.findings.len())
    };
    assert_eq!(cut(fault(&name)), (Status::OutOfTime, 1));
    assert_eq!(cut(Status::OracleFailed { message: "m".into() }), (Status::OutOfTime, 1));
    assert_eq!(cut(fault("trap")), (fault("trap"), 1));
    assert_eq!(cut(Status::Passed), (Status::Passed, 1));
}

/// What a few blocks of a large size tell.
fn of_some_blocks() -> Vec<Status> {
    vec![
        Status::LeavesOut { reads: true, part: 0.25 },
        Status::NeverReached { buffer: "y".into(), index: 134_217_727, reads: false, block: Some(524_287) },
        Status::NoEffect { buffer: "x".into(), index: 25_600_000, block: 100_000, some: true },
        Status::DoesLess { reads: true, block: 17, bytes: 389_120, others: 507_904 },
        Status::Miscounts { buffer: "x".into(), block: 96, used: 96_000, read: 127_104 },
        Status::OtherEffect {
            buffer: "x".into(),
            index: 7,
            block: 2,
            changes: vec![("bins".into(), 1, -1.0)],
            others: Vec::new(),
        },
        Status::Unread { buffer: "parts".into(), index: 3165, block: 1055 },
        Status::LeavesOther { block: 1055, left: vec![("parts".into(), 3166, 1.5)], others: Vec::new() },
    ]
}

/// Every kind of status, with numbers that JSON does not have, over the way a worker sends them.
#[test]
fn results_survive_json() {
    let mismatch = |got| Mismatch { index: u64::MAX, got, want: Value::Signed(i64::MIN), bound: f64::INFINITY };
    let wrong = WrongOutput {
        name: "c".into(),
        dtype: DType::F32,
        len: 9,
        wrong: 2,
        first: vec![mismatch(Value::Real(-0.1)), mismatch(Value::Unsigned(u64::MAX))],
        looks_like: LooksLike::Scaled { factor: 2.0 },
        exact_integers: true,
    };
    let death = Death { how: "SIGSEGV".into(), out_of_memory: true, stderr: "x\ny".into() };
    let fault = Fault { name: "X".into(), message: "m".into(), hint: None, launch: 1, line: 2 };
    let value = Value::Real(1.5);
    let statuses = [
        Status::Passed,
        Status::Wrong { outputs: vec![wrong] },
        Status::OrderDependent { other: Schedule::Its, outputs: Vec::new() },
        Status::Untried {
            what: Untried::Condition {
                file: "k.cu".into(),
                line: 3,
                question: simulator::Question::Kept,
                holds: true,
                some: false,
            },
            from: Some(1),
            shown: false,
        },
        Status::Untried { what: Untried::Kernel { kernel: "k".into(), line: 3 }, from: None, shown: false },
        Status::WaitsForLater { line: 1, sizes: "n = 9".into(), grid: [9, 99], tried: [2, 18] },
        Status::NeverReads { buffer: "x".into(), first: 1_100_000, count: 3 },
        Status::NeverUses { elements: vec![("x".into(), 1_100_000)] },
        Status::Impossible { us: 1.5, least_us: 3.0 },
        Status::InputChanged { buffer: "a".into(), index: 3, got: value, want: value },
        Status::GuardBroken { buffer: "a".into(), offset: -4, bytes: 8 },
        Status::WroteElsewhere { what: "the clock".into() },
        Status::Fault { fault },
        Status::BadLaunch { launch: 0, line: 1, message: "m".into() },
        Status::TimedOut { seconds: 0.5 },
        Status::WorkerDied { death },
        Status::NotRun { reason: "r".into() },
        Status::OutOfTime,
        Status::OracleFailed { message: "m".into() },
    ];
    for status in statuses.into_iter().chain(of_some_blocks()) {
        let mut result = Checked::only(status.clone());
        let run =
            RunId { number: 1, seed: u64::MAX, values: Values::AsStated, poison: 1, schedule: Some(Schedule::Its) };
        result.runs = vec![RunResult { run, status }];
        result.outputs = vec![BufferSummary {
            name: "c".into(),
            dtype: DType::F16,
            len: 1,
            head: vec![Value::Real(f64::INFINITY)],
            min: None,
            max: Some(1.0),
            mean: None,
            nans: 1,
            unwritten: 0,
        }];
        result.findings = vec![Found {
            finding: Finding {
                kind: FindingKind::StepLimit { limit: 5, turns: 0, polls: Vec::new() },
                severity: simulator::Severity::Fault,
                place: simulator::Place::default(),
                count: 1,
            },
            schedule: Schedule::Adversarial { seed: u64::MAX },
            launch: 0,
        }];
        let reply = Reply::Checked { case: 0, version: 1, result: Box::new(result) };
        let sent = serde_json::to_string(&reply).unwrap();
        assert_eq!(serde_json::from_str::<Reply>(&sent).unwrap(), reply, "{sent}");
    }
}

#[test]
fn not_a_number_survives_json() {
    let sent = serde_json::to_string(&Value::Real(f64::NAN)).unwrap();
    assert!(matches!(serde_json::from_str(&sent).unwrap(), Value::Real(x) if x.is_nan()), "{sent}");
}

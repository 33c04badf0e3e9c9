//! Worker processes: what a kernel or a worker does never harms the checker.

use crate::support::executable;
use execution::backend::{
    self, BackendError, Case, Checked, End, Job, On, Program, Reply, Status, Verify, WorkerOptions,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn options() -> WorkerOptions {
    WorkerOptions { worker: Some(env!("CARGO_BIN_EXE_checker").into()), ..WorkerOptions::default() }
}

/// A "worker" that is a shell script.
fn script(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("worker.sh");
    executable(&path, &format!("#!/bin/sh\n{body}\n"));
    path
}

fn run_script(body: &str, timeout: Duration) -> Result<End, BackendError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = WorkerOptions { timeout, worker: Some(script(folder.path(), body)), ..WorkerOptions::default() };
    backend::run(&Job::Devices, &[], &options, &mut |_| {})
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn an_endless_worker_is_ended_with_what_it_started() {
    let end = run_script("exec sleep 1000", Duration::from_millis(300)).unwrap();
    assert!(matches!(end, End::TimedOut { seconds } if seconds < 900.0), "{end:?}");
}

#[test]
fn all_of_a_check_has_one_deadline() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let worker = Some(script(folder.path(), "exec sleep 1000"));
    let options =
        WorkerOptions { timeout: LONG * 100, until: Some(Instant::now()), worker, ..WorkerOptions::default() };
    let end = backend::run(&Job::Devices, &[], &options, &mut |_| {}).unwrap();
    assert!(matches!(end, End::TimedOut { seconds } if seconds < 900.0), "{end:?}");
}

/// What ran before the oracle has used up the time of a check: the oracle is not blamed for that, and a check with time left blames it.
#[test]
fn an_oracle_that_is_cut_off_by_the_end_of_a_check_is_not_to_blame() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let only = Checked::only(Status::OracleFailed { message: "it was stopped".into() });
    let replies = [
        Reply::Started { case: 0, version: None },
        Reply::Checked { case: 0, version: 0, result: Box::new(only) },
        Reply::Done,
    ];
    let lines: Vec<String> = replies.iter().map(|reply| serde_json::to_string(reply).expect("JSON")).collect();
    let worker = Some(script(folder.path(), &format!("cat <<'END'\n{}\nEND", lines.join("\n"))));
    let case = Case { versions: vec![Program::default()], ..Case::default() };
    let on = On::Sim { config: simulator::Config::default(), schedules: Vec::new(), minimise: None };
    let status = |left: Duration| {
        let options =
            WorkerOptions { until: Some(Instant::now() + left), worker: worker.clone(), ..WorkerOptions::default() };
        let job = Verify { on: on.clone(), cases: vec![case.clone()], stop_at_failure: false };
        backend::verify(&job, &options).expect("results")[0][0].status.clone()
    };
    assert_eq!(status(Duration::from_millis(1900)), Status::OutOfTime);
    assert!(matches!(status(LONG * 100), Status::OracleFailed { .. }));
}

/// On a busy machine the clock runs on while a worker waits for a processor: that says nothing of its kernel. One that was busy all the
/// time does not end.
#[test]
fn a_simulation_is_held_to_the_processor_time_that_it_had() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let started = serde_json::to_string(&Reply::Started { case: 0, version: Some(0) }).expect("JSON");
    let case = Case { versions: vec![Program::default()], ..Case::default() };
    let on = On::Sim { config: simulator::Config::default(), schedules: Vec::new(), minimise: None };
    let job = Verify { on, cases: vec![case], stop_at_failure: false };
    let status = |body: &str, timeout: Duration, left: Duration| {
        let worker = Some(script(folder.path(), &format!("echo '{started}'; {body}")));
        let until = Some(Instant::now() + left);
        let options = WorkerOptions { timeout, until, worker, ..WorkerOptions::default() };
        backend::verify(&job, &options).expect("results")[0][0].status.clone()
    };
    assert_eq!(status("exec sleep 1000", LONG, Duration::from_millis(300)), Status::OutOfTime);
    let busy = status("while :; do :; done", Duration::from_millis(300), LONG * 100);
    assert!(matches!(busy, Status::TimedOut { .. }), "{busy:?}");
}

#[test]
fn a_crash_is_reported_with_its_signal_and_last_words() {
    let End::Died(death) = run_script("echo last words >&2; kill -SEGV $$", LONG).unwrap() else { panic!() };
    assert_eq!((death.how.as_str(), death.stderr.as_str(), death.out_of_memory), ("SIGSEGV", "last words", false));
    let End::Died(death) = run_script("exit 7", LONG).unwrap() else { panic!() };
    assert_eq!(death.how, "exit status 7");
    let End::Died(death) = run_script("echo memory allocation of 9 bytes failed >&2; kill -ABRT $$", LONG).unwrap()
    else {
        panic!()
    };
    assert!(death.out_of_memory);
}

#[test]
fn floods_are_cut() {
    assert_eq!(run_script("exec yes", LONG).unwrap(), End::Flooded);
    assert_eq!(run_script("exec tr '\\0' x </dev/zero", LONG).unwrap(), End::Flooded);
    // A flood on stderr is read and dropped: the worker can still finish.
    let quiet = run_script("yes | head -c 10000000 >&2; echo '\"done\"'", LONG).unwrap();
    assert_eq!(quiet, End::Done);
}

#[test]
fn a_worker_that_cannot_be_started_is_an_error_with_its_path() {
    let options = WorkerOptions { worker: Some("/no/such/worker".into()), ..WorkerOptions::default() };
    let error = backend::run(&Job::Devices, &[], &options, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("/no/such/worker"), "{error}");
}

#[test]
fn a_worker_ends_when_its_parent_goes() {
    use std::process::{Command, Stdio};
    // Standard input stays open until the parent goes; here it goes at once, before a request has come.
    let mut worker = Command::new(env!("CARGO_BIN_EXE_checker"))
        .arg("__worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(worker.stdin.take());
    assert!(!worker.wait().unwrap().success());
}

#[test]
fn no_gpu_is_an_answer_not_a_crash() {
    match backend::devices(&options()) {
        Ok(devices) => assert!(!devices.is_empty() && devices[0].arch.starts_with("sm_")),
        Err(BackendError::Failure(backend::JobError::NoGpu(reason))) => {
            println!("no GPU here: {reason}");
            assert!(!reason.to_string().is_empty());
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn replies_survive_the_way_over_the_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let sent = Reply::Started { case: 3, version: Some(1) };
    let line = serde_json::to_string(&sent).unwrap();
    let worker = script(folder.path(), &format!("echo '{line}'; echo '\"done\"'"));
    let options = WorkerOptions { worker: Some(worker), ..WorkerOptions::default() };
    let mut seen = Vec::new();
    backend::run(&Job::Devices, &[], &options, &mut |reply| seen.push(reply.clone())).unwrap();
    assert_eq!(seen, [sent]);
}

/// A job for the simulator with nothing to do.
fn nothing() -> Job {
    let on = On::Sim { config: simulator::Config::default(), schedules: Vec::new(), minimise: None };
    Job::Verify(Box::new(Verify { on, cases: Vec::new(), stop_at_failure: false }))
}

#[test]
fn a_worker_that_is_ready_does_the_next_job_and_one_that_is_gone_is_replaced() {
    for (body, started) in [
        // Ready again and again; once, and gone before the next request or right after it; never.
        ("while read -r job; do echo '\"ready\"'; done", 1),
        ("read -r job; echo '\"ready\"'", 3),
        ("read -r job; echo '\"ready\"'; read -r job", 3),
        ("read -r job; echo '\"done\"'", 3),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("started");
        let worker = script(folder.path(), &format!("echo started >>{}\n{body}", log.display()));
        let options = WorkerOptions { worker: Some(worker), ..WorkerOptions::default() };
        for _ in 0..3 {
            assert_eq!(backend::run(&nothing(), &[], &options, &mut |_| {}).unwrap(), End::Done, "{body}");
        }
        let log = std::fs::read_to_string(log).unwrap();
        assert_eq!(log.lines().count(), started, "{body}");
    }
}

#[test]
fn only_jobs_for_the_simulator_share_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("started");
    let body = format!("echo started >>{}\nwhile read -r job; do echo '\"ready\"'; done", log.display());
    let options = WorkerOptions { worker: Some(script(folder.path(), &body)), ..WorkerOptions::default() };
    for job in [nothing(), Job::Devices, nothing(), Job::Devices] {
        backend::run(&job, &[], &options, &mut |_| {}).unwrap();
    }
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 3);
}

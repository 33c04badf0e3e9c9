//! What a page tells is what the terminal tells: the module in node against the same code here, and against `checker run`.

use super::site::{Site, simulator};
use crate::support::repository;
use live::message::Desk;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// One of every kind.
const SCHEDULES: [&str; 4] = ["its", "pre-volta", "adversarial:2", "pct:7"];

/// The kernels of a built book.
fn kernels(book: &Path) -> Vec<Value> {
    let files = std::fs::read_dir(book.join("live")).expect("kernels").flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort();
    files.iter().map(|path| serde_json::from_slice(&std::fs::read(path).expect("a kernel")).expect("JSON")).collect()
}

/// What the module in node answers.
fn in_node(messages: &[String]) -> Option<Vec<String>> {
    let simulator = simulator()?;
    let script = repository().join("tests/e2e/page/answers.mjs");
    let node = Command::new("node").arg(script).arg(simulator).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut node) = node else {
        println!("skipped: there is no node here");
        return None;
    };
    let mut input = node.stdin.take().expect("piped");
    let lines = messages.join("\n");
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = node.wait_with_output().expect("node ends");
    writer.join().expect("no panic").expect("node reads");
    assert!(output.status.success());
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The message that runs a kernel under a schedule.
fn message(kernel: &Value, schedule: &str) -> String {
    let ask = json!({ "schedule": schedule, "seed": 5, "trace": [[0, 0]], "shortest": 50 });
    json!({ "kernel": kernel, "ask": ask }).to_string()
}

/// What messages are answered here; the module in node has to answer the same.
fn answers(messages: &[String]) -> Vec<String> {
    let mut desk = Desk::default();
    let here: Vec<String> =
        messages.iter().map(|message| String::from_utf8(desk.answer(message.as_bytes())).expect("JSON")).collect();
    for (message, answer) in messages.iter().zip(&here) {
        assert!(answer.starts_with("{\"told\""), "{answer}\n{}", &message[..200]);
    }
    if let Some(there) = in_node(messages) {
        assert_eq!(here.len(), there.len());
        for (here, there) in here.iter().zip(&there) {
            assert!(here == there, "{here}\n\n{there}");
        }
    }
    here
}

/// Holds every kernel of a book against the same code compiled for this machine.
pub fn hold(site: &Site) {
    let kernels = kernels(&site.workbook.path("book/book"));
    assert!(kernels.len() >= 4, "{}", kernels.len());
    let of = |kernel| SCHEDULES.map(|schedule| message(kernel, schedule));
    let here = answers(&kernels.iter().flat_map(of).collect::<Vec<_>>());
    // The first schedule of every kernel as a command gives it.
    for (kernel, answer) in kernels.iter().zip(here.iter().step_by(SCHEDULES.len())) {
        let told: Value = serde_json::from_str(answer).expect("JSON");
        let page = &told["told"]["report"];
        let file = kernel["file"].as_str().expect("a path");
        let ran = site.workbook.run(["run", file, "--seed", "5", "--lines", "--json"]);
        let terminal: Value = serde_json::from_str(&ran.stdout).expect(file);
        for field in
            ["verdict", "reasons", "findings", "counters", "launches", "lines", "outputs", "try_first", "printf"]
        {
            assert_eq!(page[field], terminal[field], "{file}: {field}");
        }
    }
}

/// The files of the workbook's problems that pages run: what launches something, but for sweeps, which have no sizes of their own, and
/// for what is wrong on purpose.
fn files() -> Vec<String> {
    let folders = ["kernels", "exercises", "solutions"].map(|folder| repository().join(folder));
    let below = |folder: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let files = folders.iter().flat_map(|folder| below(folder)).flat_map(|problem| below(&problem));
    let launches = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "cu")
            && !path.with_file_name("sweep.cu").exists()
            && std::fs::read_to_string(path).is_ok_and(|text| text.contains("//@ launch"))
    };
    let name =
        |path: std::path::PathBuf| path.strip_prefix(repository()).expect("inside").to_string_lossy().into_owned();
    let mut files: Vec<String> = files.filter(launches).map(name).collect();
    files.sort();
    files
}

/// Every kernel of the workbook in WebAssembly and here, under every kind of schedule: results, findings, counters and traces. Without
/// `WARPBOOK_LONG=1` some of them, under one schedule each.
#[test]
fn every_kernel_does_the_same_in_webassembly() {
    if simulator().is_none() {
        return;
    }
    let workbook = problem::Workbook::around(repository()).expect("the workbook");
    let toolchain = crate::toolchain::compile::toolchain();
    let long = crate::support::long();
    let files = files();
    assert!(files.len() > 150, "{}", files.len());
    let tried = files.iter().enumerate().filter(|(at, file)| long || (at % 3 == 0 && crate::support::in_turn(file)));
    let messages = tried.flat_map(|(at, file)| {
        let kernel = check::page_kernel(toolchain, &workbook, file).unwrap_or_else(|error| panic!("{file}: {error}"));
        let kernel = serde_json::to_value(kernel).expect("JSON");
        let schedules = SCHEDULES.iter().enumerate().filter(move |(index, _)| long || at % SCHEDULES.len() == *index);
        schedules.map(move |(_, schedule)| message(&kernel, schedule)).collect::<Vec<_>>()
    });
    answers(&messages.collect::<Vec<_>>());
}

//! The server behind the pages, asked without a browser: who gets what, and bad input.

use super::served::{NOTES, Served, served, started};
use super::site::themed;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const PAGES: [(&str, &str); 2] = [
    ("book/src/first.md", "# First things\n\n{{pair twice}}\n\n{{exercise ex01}}\n"),
    ("book/src/second.md", "# Second\n\n{{exercise ex02}}\n"),
];
const KERNEL: &str = "exercises/ex01/kernel.cu";

fn solved(site: &Served) -> String {
    site.workbook.read("solutions/ex01/solution.cu")
}

/// The lines before the kernel, so that only what stands in it is new.
fn with_body(body: &str) -> String {
    format!(
        "//@ launch scale<<<ceil_div(n, 128), 128>>>(a, b, n)\n__global__ void scale(const float* a, float* b, int n)\n{{\n{body}\n}}\n"
    )
}

#[test]
fn only_the_printed_link_gets_anything_done() {
    let site = served(&[], &PAGES);
    let page = site.raw("GET", "/first.html", &[], "");
    assert!(page.status == 200 && page.body.contains("content=\"served\""), "{page:?}");
    for path in ["/../../Cargo.toml", "/..%2f..%2fCargo.toml", "//etc/passwd", "/nothing.html"] {
        assert_eq!(site.raw("GET", path, &[], "").status, 404, "{path}");
    }
    assert_eq!(site.raw("POST", "/first.html", &[], "x").status, 405);

    let token = ("x-warpbook-token", site.token.as_str());
    let own = format!("http://{}", site.host);
    let work = json!({ "page": "p", "work": { "do": "check", "name": "ex01" } }).to_string();
    let text = json!({ "text": "mine", "seen": "", "anyway": true }).to_string();
    for (headers, want) in [
        (&[][..], 401),
        (&[("x-warpbook-token", "0123456789abcdef0123456789abcdef")], 401),
        (&[token, ("Origin", "http://localhost:1")], 403),
        (&[token, ("Origin", "null")], 403),
        (&[token, ("Sec-Fetch-Site", "same-site")], 403),
        (&[token, ("Host", "rebound.example")], 403),
        (&[token, ("Host", "192.168.7.7:3000")], 403),
    ] {
        let before = site.workbook.read(KERNEL);
        for (method, path, body) in
            [("GET", "state", ""), ("PUT", "kernel/ex01", &text), ("POST", "reset/ex01", ""), ("POST", "job", &work)]
        {
            let answer = site.raw(method, &format!("/api/{path}"), headers, body);
            assert_eq!(answer.status, want, "{method} {path} {headers:?}: {answer:?}");
        }
        assert_eq!(site.workbook.read(KERNEL), before);
    }
    // A page of another site gets no leave to send the token's header either.
    let preflight = [("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")];
    let answer = site.raw("OPTIONS", "/api/job", &preflight, "");
    assert!(answer.status == 401 || answer.status == 403, "{answer:?}");
    assert_eq!(
        site.raw("GET", "/api/state", &[token, ("Origin", &own), ("Sec-Fetch-Site", "same-origin")], "").status,
        200
    );
}

#[test]
fn kernel_files_are_written_by_page_and_editor_and_nothing_is_lost() {
    let site = served(&[], &PAGES);
    let first = site.ask("GET", "kernel/ex01", &Value::Null).json();
    assert_eq!(first["text"], site.workbook.read(KERNEL));
    let put = |text: &str, seen: &Value, anyway: bool| {
        site.ask("PUT", "kernel/ex01", &json!({ "text": text, "seen": seen, "anyway": anyway }))
    };
    let mine = put("// mine\n", &first["hash"], false);
    assert_eq!((mine.status, site.workbook.read(KERNEL).as_str()), (200, "// mine\n"));

    // An editor writes: who has not seen it writes nothing, and may write over it with what it had kept.
    site.workbook.write(KERNEL, "// theirs\n");
    let conflict = put("// mine, too\n", &mine.json()["hash"], false);
    assert_eq!(conflict.json()["conflict"]["text"], "// theirs\n", "{conflict:?}");
    assert_eq!(site.workbook.read(KERNEL), "// theirs\n");
    let over = put("// mine, too\n", &mine.json()["hash"], true).json();
    assert_eq!(site.workbook.read(KERNEL), "// mine, too\n");
    assert_eq!(site.workbook.read(over["kept"].as_str().expect("kept")), "// theirs\n");

    // Reset keeps it; no file at all shows the starter, which the first write makes a file of.
    let reset = site.ask("POST", "reset/ex01", &Value::Null).json();
    assert_eq!(site.workbook.read(KERNEL), site.workbook.read("exercises/ex01/starter.cu"));
    assert_eq!(site.workbook.read(reset["kept"].as_str().expect("kept")), "// mine, too\n");
    std::fs::remove_file(site.workbook.path(KERNEL)).expect("removed");
    let gone = site.ask("GET", "kernel/ex01", &Value::Null).json();
    assert_eq!((gone["text"].as_str(), gone["hash"].as_str()), (reset["text"].as_str(), Some("")));
    assert_eq!(put("// anew\n", &gone["hash"], false).status, 200);
    assert_eq!(site.workbook.read(KERNEL), "// anew\n");

    // What is no exercise, and what is no file of the workbook, is nothing to write; a copy lies where its problem judges it.
    assert_eq!(site.ask("PUT", "kernel/twice", &json!({ "text": "", "seen": "" })).status, 404);
    assert_eq!(site.ask("GET", "kernel/..%2fex01", &Value::Null).status, 404);
    for file in ["../outside.cu", "/etc/passwd", "kernels/twice/problem.toml", "kernels/nothing.cu"] {
        assert_eq!(site.ask("POST", "keep", &json!({ "text": "x", "file": file })).status, 404, "{file}");
        if !file.ends_with("toml") {
            let told = site.job(json!({ "do": "compile", "file": file, "text": "x" }));
            assert!(told.get("kernel").is_none(), "{file}: {told}");
        }
    }
    let copy = site.workbook.read("kernels/twice/optimised.cu") + "// a copy\n";
    let kept = site.ask("POST", "keep", &json!({ "text": copy, "file": "kernels/twice/optimised.cu" })).json();
    let kept = kept["kept"].as_str().expect("kept");
    assert_eq!(site.workbook.read(kept), copy);
    let ran = site.workbook.run(["run", kept]);
    assert!(ran.code == Some(0) && ran.stdout.contains("ok results"), "{ran:?}");
}

/// The build waits for a page that is a pipe here, and the server does not.
#[test]
fn the_server_answers_before_the_book_is_built_and_shows_what_changes() {
    let workbook = themed(&PAGES);
    let page = workbook.path("book/src/first.md");
    std::fs::remove_file(&page).expect("removed");
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &page, pipe, 0o600.into(), 0).expect("a pipe");
    let site = started(Path::new(""), &[], workbook);
    let early = site.raw("GET", "/first.html", &[], "");
    assert!(early.status == 503 && early.body.contains("The book is being built"), "{early:?}");
    assert_eq!(site.ask("GET", "state", &Value::Null).json()["exercises"][0]["name"], "ex01");
    let mut writer = std::fs::File::options().write(true).open(&page).expect("the build reads it");
    // Whoever reads it again reads a file.
    site.workbook.write("book/src/first.new", PAGES[0].1);
    std::fs::rename(site.workbook.path("book/src/first.new"), &page).expect("renamed");
    writer.write_all(PAGES[0].1.as_bytes()).expect("it reads");
    drop(writer);
    let built = site.until(|page| page.status == 200);
    assert!(built.body.contains("First things"), "{built:?}");

    // A page that is wrong leaves the book as it was; mended, it is shown.
    let changed = |words: &str| site.workbook.write("book/src/first.md", PAGES[0].1.to_owned() + words);
    changed("\n{{pair nobody}}\n");
    let until = Instant::now() + Duration::from_secs(60);
    while !site.workbook.read(NOTES).contains("the pages are those of the last build: in book/src/first.md") {
        assert!(Instant::now() < until, "{}", site.workbook.read(NOTES));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(site.raw("GET", "/first.html", &[], "").body.contains("First things"));
    changed("\nNew words.\n");
    site.until(|page| page.body.contains("New words."));
}

/// A book that cannot be built ends the server, with the reason.
#[test]
fn a_book_that_cannot_be_built_is_said() {
    let wrong = PAGES[0].1.to_owned() + "\n{{pair nobody}}\n";
    let workbook = themed(&[("book/src/first.md", &wrong), PAGES[1]]);
    let ran = workbook.run(["book", "serve", "--port", "0"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("book/src/first.md"), "{ran:?}");
}

#[test]
fn a_check_on_the_page_is_that_of_the_terminal() {
    let site = served(&[], &PAGES);
    let check = || site.job(json!({ "do": "check", "name": "ex01" }));
    let told = check()["told"].clone();
    assert_eq!((told["badge"].as_str(), told["good"].as_bool()), (Some("NOT YET"), Some(false)));
    assert!(told["report"]["goals"].as_array().is_some_and(|goals| goals.len() == 2), "{told}");

    // Another text is checked and nothing is kept of it; the file is solved, and all know.
    let solution = solved(&site);
    let other = site.job(json!({ "do": "check", "name": "ex01", "text": solution }));
    assert_eq!(other["told"]["badge"], "PASSED");
    let state = || site.ask("GET", "state", &Value::Null).json();
    assert_eq!(state()["solved"], json!([]));
    site.workbook.write(KERNEL, &solution);
    assert_eq!(check()["told"]["badge"], "PASSED");
    assert_eq!(state()["solved"], json!(["ex01"]));
    let list = site.workbook.run(["list", "--json"]);
    assert!(list.stdout.contains("\"solved\": true"), "{}", list.stdout);

    // Hints are counted in the same file; the terminal's count is the page's.
    site.workbook.run(["hint", "ex01"]);
    assert_eq!(state()["hints"], json!({ "ex01": 1 }));
    let hints = site.ask("POST", "hints/ex01", &json!({ "first": 2 })).json();
    assert_eq!((hints["hints"].as_array().map(Vec::len), hints["of"].as_u64()), (Some(2), Some(3)));
    let next = site.workbook.run(["hint", "ex01", "--json"]);
    assert!(next.stdout.contains("Write 1.5f."), "{}", next.stdout);
    assert_eq!(site.ask("GET", "solution/ex01", &Value::Null).json()["text"], solution);

    // A pair: the copy of its better kernel is what is compared.
    let worse = site.workbook.read("kernels/twice/naive.cu");
    let compared = site.job(json!({ "do": "check", "name": "twice", "text": worse }));
    assert_eq!(compared["told"]["badge"], "NOT YET", "{compared}");
    assert_eq!(site.job(json!({ "do": "check", "name": "twice" }))["told"]["badge"], "PASSED");
}

#[test]
#[ignore = "long"]
fn bad_texts_end_in_words() {
    let site = served(&[], &PAGES);
    let check = |text: &str| site.job(json!({ "do": "check", "name": "ex01", "text": text }));
    let badge = |text: &str| check(text)["told"]["badge"].as_str().unwrap_or_default().to_owned();
    assert_eq!(badge(&with_body("this is no CUDA")), "DOES NOT COMPILE");
    assert_eq!(badge("\u{0}\u{7f} no text either"), "BAD FILE");
    assert_eq!(badge(&with_body("for (;;) printf(\"%d\\n\", n);")), "DID NOT END");
    let told = site.job(json!({ "do": "compile", "file": "kernels/twice/optimised.cu", "text": "//@ let x == 3" }));
    assert_eq!(told["told"]["badge"], "BAD //@ LINE");
    let place = &told["told"]["report"]["reasons"][0]["excerpts"][0];
    assert_eq!((place["file"].as_str(), place["line"].as_u64()), (Some("kernels/twice/optimised.cu"), Some(1)));

    // A megabyte is a text, more is none; a question of any length is refused before it fills the memory.
    let comment = "// 0123456789\n".repeat((1 << 20) / 14 - 20);
    assert_eq!(
        badge(&(with_body("int i = blockIdx.x * 128 + threadIdx.x; if (i < n) b[i] = a[i] * 1.7f;") + &comment)),
        "PASSED"
    );
    let before = site.workbook.read(KERNEL);
    let large =
        site.ask("PUT", "kernel/ex01", &json!({ "text": "x".repeat((1 << 20) + 1), "seen": "", "anyway": true }));
    assert!(large.status == 413 && large.body.contains("1048576"), "{large:?}");
    let flood = site.ask("PUT", "kernel/ex01", &json!({ "text": "x".repeat(5 << 20), "seen": "", "anyway": true }));
    assert!(flood.status == 413 || flood.status == 0, "{flood:?}");
    for wrong in [
        json!("text"),
        json!({ "text": 3, "seen": "" }),
        json!({ "text": "x" }),
        json!({ "text": "x", "seen": "", "more": 1 }),
    ] {
        assert_eq!(site.ask("PUT", "kernel/ex01", &wrong).status, 400, "{wrong}");
    }
    for work in [
        json!({ "do": "format" }),
        json!({ "do": "check", "name": "ex99" }),
        json!({ "do": "check", "name": "ex01", "gpu": true }),
    ] {
        let answer = site.ask("POST", "job", &json!({ "page": "p", "work": work }));
        assert!((400..500).contains(&answer.status) && answer.body.contains("error"), "{work}: {answer:?}");
    }
    assert_eq!(site.workbook.read(KERNEL), before);
}

/// A disk that takes no more is a limit on files' sizes here. A server that dies in the middle of a save leaves the old text or the
/// new one.
#[test]
fn a_full_disk_and_a_sudden_end_lose_nothing() {
    let site = served(&[], &PAGES);
    let seen = site.ask("GET", "kernel/ex01", &Value::Null).json()["hash"].clone();
    let before = site.workbook.read(KERNEL);
    let limited = Command::new("prlimit").args(["--fsize=4096", "--pid", &site.process().to_string()]).status();
    if !limited.is_ok_and(|status| status.success()) {
        println!("skipped: there is no prlimit here");
        return;
    }
    let long = json!({ "text": "// long\n".repeat(4096), "seen": seen });
    let full = site.ask("PUT", "kernel/ex01", &long);
    assert!(full.status == 507 && full.body.contains(KERNEL) && full.body.contains("still on this page"), "{full:?}");
    assert_eq!(site.workbook.read(KERNEL), before);
    let short = site.ask("PUT", "kernel/ex01", &json!({ "text": "// short\n", "seen": seen }));
    assert_eq!((short.status, site.workbook.read(KERNEL).as_str()), (200, "// short\n"));
    let names = std::fs::read_dir(site.workbook.path("exercises/ex01")).expect("a folder").flatten();
    let left: Vec<_> =
        names.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains(".new")).collect();
    assert!(left.is_empty(), "{left:?}");
    // In the middle of many saves.
    let mut seen = short.json()["hash"].clone();
    for round in 0..3 {
        seen = site.ask("PUT", "kernel/ex01", &json!({ "text": format!("// {round}\n"), "seen": seen })).json()["hash"]
            .clone();
    }
    let last = json!({ "text": "// last\n", "seen": seen }).to_string();
    let stream = site.send("PUT", "/api/kernel/ex01", &[("x-warpbook-token", &site.token)], &last);
    kill(site.process());
    drop(stream);
    let text = site.workbook.read(KERNEL);
    assert!(text == "// 2\n" || text == "// last\n", "{text}");
}

fn kill(process: u32) {
    Command::new("kill").args(["-KILL", &process.to_string()]).status().expect("kill");
}

/// The processes that a job has, by what they were started with.
fn jobs_of(site: &Served) -> usize {
    let own = site.workbook.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let entries = std::fs::read_dir("/proc").expect("Linux").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let of_job = |line: &Vec<u8>| {
        let line = String::from_utf8_lossy(line).replace('\0', " ");
        line.contains("book job") && line.contains(&own)
    };
    lines.filter(of_job).count()
}

#[test]
fn whoever_goes_away_ends_their_job() {
    // So much work that a check of it lasts until its own time is over, which is 30 s.
    let problem = crate::support::Workbook::copy("small").read("exercises/ex01/problem.toml");
    let cases: Vec<String> = (4090..4110).map(|n| format!("{{ n = {n} }}")).collect();
    let problem = problem.replace("cases = [", &format!("cases = [{}, ", cases.join(", ")));
    let site = served(&[], &[PAGES[0], PAGES[1], ("exercises/ex01/problem.toml", &problem)]);
    let endless = with_body(
        "int i = blockIdx.x * 128 + threadIdx.x; unsigned x = i + 1;\n\
         for (int k = 0; k < 100000; ++k) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; }\n\
         if (i < n) b[i] = x ? a[i] * 1.7f : 0.0f;",
    );
    let work = |page: &str, text: &str| {
        json!({ "page": page, "work": { "do": "check", "name": "ex01", "text": text } }).to_string()
    };
    let token = [("x-warpbook-token", site.token.as_str())];
    let stream = site.send("POST", "/api/job", &token, &work("a", &endless));
    let mut lines = BufReader::new(stream.try_clone().expect("a copy")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("simulating")), "it runs");
    assert_eq!(jobs_of(&site), 1);
    // Another page waits behind it, and has its turn when the first is closed.
    let waiting = site.send("POST", "/api/job", &token, &work("b", &solved(&site)));
    let mut heard = BufReader::new(waiting).lines().map_while(Result::ok);
    assert!(heard.any(|line| line.contains("\"waiting\":1")), "it waits");
    let until = Instant::now() + Duration::from_secs(20);
    drop(lines);
    stream.shutdown(std::net::Shutdown::Both).expect("closed");
    drop(stream);
    let last = heard.filter(|line| line.starts_with("data: ")).last().unwrap_or_default();
    assert!(last.contains("PASSED"), "{last}");
    assert!(Instant::now() < until, "it waited for the job that nobody listens to");
    while jobs_of(&site) > 0 {
        assert!(Instant::now() < until, "the job's process goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    // The server's own end takes jobs along.
    let stream = site.send("POST", "/api/job", &token, &work("a", &endless));
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("simulating")), "it runs");
    kill(site.process());
    let until = Instant::now() + Duration::from_secs(20);
    while jobs_of(&site) > 0 {
        assert!(Instant::now() < until, "the job outlives the server");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_class_room_writes_nothing_here() {
    let site = served(&["--lan", "--jobs", "1"], &PAGES);
    let guest = site.guest.clone().expect("a link for the class");
    assert_ne!(guest, site.token);
    site.workbook.write(KERNEL, "// the teacher's\n");
    let ask = |method: &str, path: &str, body: &Value| site.ask_as(&guest, method, path, body);
    let state = ask("GET", "state", &Value::Null).json();
    assert_eq!((state["role"].as_str(), &state["gpu"]), (Some("guest"), &Value::Null));
    assert_eq!(ask("GET", "kernel/ex01", &Value::Null).json()["text"], site.workbook.read("exercises/ex01/starter.cu"));
    assert_eq!(ask("PUT", "kernel/ex01", &json!({ "text": "x", "seen": "", "anyway": true })).status, 403);
    assert_eq!(ask("POST", "keep", &json!({ "text": "x", "name": "ex01" })).status, 403);
    assert_eq!(ask("POST", "reset/ex01", &Value::Null).status, 200);
    ask("POST", "hints/ex01", &json!({ "first": 3 }));
    let job = |work: Value| ask("POST", "job", &json!({ "page": "g", "work": work }));
    assert_eq!(job(json!({ "do": "check", "name": "ex01" })).status, 403);
    let told = job(json!({ "do": "check", "name": "ex01", "text": solved(&site) })).json();
    assert_eq!(told["told"]["badge"], "PASSED");
    assert_eq!(site.workbook.read(KERNEL), "// the teacher's\n");
    let owners = site.ask("GET", "state", &Value::Null).json();
    assert_eq!((&owners["solved"], &owners["hints"], owners["role"].as_str()), (&json!([]), &json!({}), Some("owner")));
    assert_eq!(site.raw("GET", "/first.html", &[("Host", "rebound.example")], "").status, 403);
    assert_eq!(site.raw("GET", "/first.html", &[("Host", "192.168.7.7:3000")], "").status, 200);
}

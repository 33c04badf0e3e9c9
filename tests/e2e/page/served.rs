//! A small book behind `checker book serve`, and questions to the server as a program asks them.

use super::site::themed;
use crate::support::Workbook;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What the server says of itself.
pub const NOTES: &str = "said-by-the-server";

/// A served book.
pub struct Served {
    server: Child,
    /// "127.0.0.1:PORT".
    pub host: String,
    /// Of this start.
    pub token: String,
    /// Of the class, with `--lan`.
    pub guest: Option<String>,
    /// Its workbook.
    pub workbook: Workbook,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

impl Answer {
    /// The body as JSON; of a job its last event.
    pub fn json(&self) -> Value {
        let last = self.body.trim().rsplit("data: ").next().unwrap_or_default();
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Builds the fixture with these files in place of its own and serves it; its pages run nothing, because most tests of editing need
/// no simulator in WebAssembly.
pub fn served(options: &[&str], files: &[(&str, &str)]) -> Served {
    served_with(Path::new(""), options, files)
}

/// The same with kernels that run on their page.
pub fn served_with(simulator: &Path, options: &[&str], files: &[(&str, &str)]) -> Served {
    let served = started(simulator, options, themed(files));
    served.until(|page| page.status == 200);
    served
}

/// A server that may still build its book.
pub fn started(simulator: &Path, options: &[&str], workbook: Workbook) -> Served {
    let mut command = workbook.command();
    command.env("WARPBOOK_SIMULATOR", simulator).args(["book", "serve", "--port", "0"]).args(options);
    // A signal that says that a file is too large would end it: tests of a full disk hold it back.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(workbook.path(""));
    let notes = std::fs::File::create(workbook.path(NOTES)).expect("a file");
    let mut server = shell.stdout(Stdio::piped()).stderr(notes).spawn().expect("it starts");
    let mut said = BufReader::new(server.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
    let link = said.next().expect("a link");
    let part = |link: &str| {
        let (address, token) = link.rsplit_once("/#token=").expect("a token");
        (address.rsplit(':').next().expect("a port").to_owned(), token.to_owned())
    };
    let (port, token) = part(&link);
    let guest = options.contains(&"--lan").then(|| part(&said.next().expect("a second link")).1);
    Served { server, host: format!("127.0.0.1:{port}"), token, guest, workbook }
}

impl Served {
    /// The address that the server printed, for a page.
    pub fn link(&self, page: &str) -> String {
        format!("http://{}/{page}#token={}", self.host, self.token)
    }

    /// The server's process.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// Waits until the first page's answer is such a one.
    pub fn until(&self, done: impl Fn(&Answer) -> bool) -> Answer {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let page = self.raw("GET", "/first.html", &[], "");
            if done(&page) {
                return page;
            }
            assert!(Instant::now() < until, "it never came: {page:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the server.
    pub fn stop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    /// Sends a question with these headers, and leaves the answer to come.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head += &format!("Host: {}\r\n", self.host);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{head}\r\n").as_bytes()).expect("it reads");
        // It may refuse before it has read all.
        let _ = stream.write_all(body.as_bytes());
        stream
    }

    /// The whole answer to it.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut bytes = Vec::new();
        let _ = self.send(method, path, headers, body).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Answer { status, body: if chunked { unchunked(body) } else { body.to_owned() } }
    }

    /// Asks with the owner's token.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.ask_as(&self.token, method, path, body)
    }

    /// Asks with this token.
    pub fn ask_as(&self, token: &str, method: &str, path: &str, body: &Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.raw(method, &format!("/api/{path}"), &[("x-warpbook-token", token)], &body)
    }

    /// Does a job, and gives its last word.
    pub fn job(&self, work: Value) -> Value {
        self.ask("POST", "job", &json!({ "page": "test", "work": work })).json()
    }
}

/// A body without the lengths of its chunks.
fn unchunked(body: &str) -> String {
    let mut rest = body;
    let mut text = String::new();
    while let Some((length, more)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0).min(more.len());
        text.push_str(&more[..length]);
        rest = more[length..].trim_start_matches("\r\n");
        if length == 0 {
            break;
        }
    }
    text
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

//! Chromium without a window, spoken to through the DevTools protocol over a pipe. Each page has a size and notes what it asked
//! for and what went wrong in it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// How long anything on a page may take here.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: Option<String>,
    events: Vec<Value>,
    // Removed when the browser has ended.
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts it; `None`, with a word, where there is none.
    pub fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|ran| ran.status.success());
        let Some(program) = names.iter().find(there) else {
            println!("skipped: there is no Chromium here");
            return None;
        };
        let profile = tempfile::tempdir().expect("a temporary folder");
        // The protocol goes over the descriptors 3 and 4.
        let line = format!(
            "exec {program} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --disable-background-networking --disable-component-update --disable-sync \
             --user-data-dir='{}' --remote-debugging-pipe 3<&0 4>&1 </dev/null >/dev/null 2>&1 about:blank",
            profile.path().display()
        );
        let mut child = Command::new("sh")
            .args(["-c", &line])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("piped");
        let mut replies = BufReader::new(child.stdout.take().expect("piped"));
        let (send, from) = mpsc::channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while let Ok(1..) = replies.read_until(0, &mut message) {
                let value = serde_json::from_slice(message.strip_suffix(&[0]).unwrap_or(&message));
                if value.is_ok_and(|value| send.send(value).is_err()) {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Self { child, to, from, next: 0, session: None, events: Vec::new(), _profile: profile };
        browser.another();
        Some(browser)
    }

    /// Opens another page beside those that there are, and turns to it; gives the one that was before, for [`Browser::turn_to`].
    pub fn another(&mut self) -> Option<String> {
        let before = self.session.take();
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.call("Target.attachToTarget", attach)["sessionId"].as_str().expect("a session").to_owned();
        self.session = Some(session);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        // Focus is told to pages in front only.
        self.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        before
    }

    /// Turns to a page, as a reader does who clicks on its tab; gives the one that was in front.
    pub fn turn_to(&mut self, page: Option<String>) -> Option<String> {
        let before = std::mem::replace(&mut self.session, page);
        self.call("Page.bringToFront", json!({}));
        before
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser listens");
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let reply = self.from.recv_timeout(left).unwrap_or_else(|_| panic!("{method}: no answer"));
            if reply["id"] != json!(id) {
                self.events.push(reply);
                continue;
            }
            assert!(reply.get("error").is_none(), "{method}: {reply}");
            return reply["result"].clone();
        }
    }

    /// A page of this size in CSS pixels, in this colour scheme.
    pub fn view(&mut self, width: u32, dark: bool) {
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Opens an address and waits until its scripts have run.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /// The value of an expression; a promise is waited for.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            if Instant::now() > until {
                let seen = self.value("document.querySelector('.wb-live')?.innerText ?? document.body.innerText");
                panic!("never came: {expression}\n{seen}\n{:#?}", self.wrong());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses a key, named as in `KeyboardEvent.key`.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, Some("\r")),
            " " => (32, Some(" ")),
            "Tab" => (9, None),
            "Escape" => (27, None),
            "Backspace" => (8, None),
            "ArrowRight" => (39, None),
            "ArrowDown" => (40, None),
            "ArrowLeft" => (37, None),
            other => panic!("no key {other}"),
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if let Some(text) = text {
            down["text"] = json!(text);
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }));
    }

    fn seen<'a>(&'a self, method: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| event["method"] == method).map(|event| &event["params"])
    }

    /// Every address that was asked for.
    pub fn asked(&self) -> Vec<String> {
        let address = |event: &Value| event["request"]["url"].as_str().map(str::to_owned);
        self.seen("Network.requestWillBeSent").filter_map(address).collect()
    }

    /// Errors of scripts, of the console and of the network.
    pub fn wrong(&self) -> Vec<String> {
        let thrown = self.seen("Runtime.exceptionThrown").map(|event| event["exceptionDetails"].to_string());
        let said = self.seen("Runtime.consoleAPICalled").filter(|event| event["type"] == "error");
        let logged = self.seen("Log.entryAdded").filter(|event| event["entry"]["level"] == "error");
        thrown.chain(said.chain(logged).map(ToString::to_string)).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

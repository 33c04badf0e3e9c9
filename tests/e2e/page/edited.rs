//! Exercises edited, hinted, checked and solved on their page, in a real browser.

use super::browser::Browser;
use super::served::{Served, served, served_with};
use super::site::simulator;
use serde_json::json;
use std::io::{Read, Write};

const KERNEL: &str = "exercises/ex01/kernel.cu";
const FIRST: &str = "# First things\n\n{{pair twice}}\n\n{{exercise ex01}}\n";
const SECOND: &str = "# Second thoughts\n\n{{contents}}\n\n{{exercise ex02}}\n";
/// The editor's text.
const TEXT: &str = "document.querySelector('.cm-content').cmTile.view.state.doc.toString()";

fn site() -> Served {
    served(&[], &[("book/src/first.md", FIRST), ("book/src/second.md", SECOND)])
}

impl Browser {
    fn has(&mut self, text: &str) {
        self.until(&format!("document.querySelector('main').innerText.includes({})", json!(text)));
    }

    /// Moves the focus on until it is on what has these words, once round the page if need be: what scrolls is a stop, too, and the
    /// editor keeps Tab for itself until Escape.
    fn tab_to(&mut self, words: &str) {
        let here = format!("document.activeElement?.innerText?.trim().startsWith({})", json!(words));
        for _ in 0..1000 {
            if self.value(&here) == json!(true) {
                return;
            }
            if self.value("document.activeElement?.matches('.cm-content')") == json!(true) {
                self.press("Escape");
            }
            self.press("Tab");
        }
        panic!("no key leads to {words}");
    }

    fn click(&mut self, words: &str) {
        let button = format!(
            "[...document.querySelectorAll('main button')].find(button => !button.hidden && button.innerText.trim().startsWith({}))",
            json!(words)
        );
        self.until(&button);
        self.value(&format!("{button}.click()"));
    }

    fn told_all(&mut self) -> String {
        self.value("document.querySelector('main').innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Puts the cursor behind the first of these words in the editor.
    fn cursor_behind(&mut self, words: &str) {
        let found = self.value(&format!(
            "(view => {{ const at = view.state.doc.toString().indexOf({0}); if (at < 0) return false; \
             view.dispatch({{ selection: {{ anchor: at + {0}.length }} }}); view.focus(); return true; }})\
             (document.querySelector('.cm-content').cmTile.view)",
            json!(words)
        ));
        assert_eq!(found, json!(true), "{words}");
    }

    fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }
}

#[test]
#[ignore = "long"]
fn ex01_is_solved_on_a_phone_by_keyboard() {
    let (Some(mut browser), site) = (Browser::start(), site()) else { return };
    browser.view(390, true);
    browser.open(&site.link("first.html"));
    browser.until("document.querySelector('.wb-desk > button')");
    assert_eq!(browser.value("location.hash"), "", "the token is out of sight");
    let early = browser.asked();
    assert!(!early.iter().any(|url| url.ends_with("codemirror.js")), "{early:#?}");
    browser.tab_to("✎ Edit exercises/ex01");
    browser.press("Enter");
    browser.until("document.querySelector('.cm-content') === document.activeElement");
    browser.has("NOT YET");
    browser.has("1 of 2 met");
    browser.has("Kernels do not run on this page: the book was built without the simulator for it");

    // Out of the editor by keys, to the hints: one at a time.
    browser.press("Escape");
    browser.tab_to("Hint (0 of 3)");
    browser.press("Enter");
    browser.has("Which instructions start with D?");
    assert!(!browser.told_all().contains("What is the type of 1.5?"));
    browser.tab_to("Hint (1 of 3)");
    browser.press("Enter");
    browser.has("What is the type of 1.5?");

    // The answer takes a question.
    browser.tab_to("Solution");
    browser.press("Enter");
    browser.has("1 hint is left. Show the worked answer?");
    browser.until("document.activeElement.innerText === 'Not yet'");
    browser.press("Enter");
    assert!(!browser.told_all().contains("The worked answer"));

    // An error while typing is marked at its place; then the letter, and the goal turns green.
    browser.cursor_behind("1.7");
    browser.type_text("fx");
    browser.has("DOES NOT COMPILE");
    browser.until("document.querySelector('.cm-lintRange-error')");
    browser.press("Backspace");
    browser.has("PASSED");
    browser.has("2 of 2 met");
    browser.until("!document.querySelector('.cm-lintRange-error')");
    assert!(site.workbook.read(KERNEL).contains("1.7f;"));
    let list = site.workbook.run(["list"]);
    assert!(list.stdout.contains("ok ex01"), "{}", list.stdout);
    browser.has("A literal without an f is a double");
    browser.until("document.querySelector('.wb-exercise h4 .wb-mark')");

    let wide = browser.value("document.documentElement.scrollWidth");
    assert!(wide.as_u64().is_some_and(|wide| wide <= 390), "{wide}");
    assert_eq!(browser.wrong(), Vec::<String>::new());
    let asked = browser.asked();
    let own = format!("http://{}/", site.host);
    assert!(asked.iter().all(|url| url.starts_with(&own) || url.starts_with("data:")), "{asked:#?}");

    // The contents know it, here and on every page.
    browser.open(&format!("{own}second.html"));
    browser
        .until("[...document.querySelectorAll('main table code')].some(code => code.innerText.startsWith('ex01 ✓'))");
}

/// The printed link leads to the first page, which may have no kernel on it.
#[test]
#[ignore = "long"]
fn the_token_is_taken_on_a_page_without_a_kernel() {
    let summary = "# Summary\n\n- [About](about.md)\n- [First things](first.md)\n- [Second thoughts](second.md)\n";
    let files = [
        ("book/src/SUMMARY.md", summary),
        ("book/src/about.md", "# About\n\nWords.\n"),
        ("book/src/first.md", FIRST),
        ("book/src/second.md", SECOND),
    ];
    let (Some(mut browser), site) = (Browser::start(), served(&[], &files)) else { return };
    browser.open(&site.link(""));
    browser.until("location.hash === ''");
    browser.open(&format!("http://{}/first.html", site.host));
    browser.until("document.querySelector('.wb-desk > button')");
    browser.click("✎ Edit exercises/ex01");
    browser.has("NOT YET");
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

#[test]
#[ignore = "long"]
fn the_starter_comes_back_and_goes_again() {
    let (Some(mut browser), site) = (Browser::start(), site()) else { return };
    let starter = site.workbook.read(KERNEL);
    let mine = format!("// mine\n{starter}");
    site.workbook.write(KERNEL, &mine);
    browser.view(1200, false);
    browser.open(&site.link("first.html"));
    browser.until("document.querySelector('.wb-desk > button')");
    browser.click("✎ Edit exercises");
    browser.until(&format!("document.querySelector('.cm-content') && {TEXT}.startsWith('// mine')"));
    browser.has("NOT YET");
    browser.click("Reset");
    browser.has("The starter is back; yours is kept: .warpbook/backups/");
    assert_eq!(site.workbook.read(KERNEL), starter);
    browser.click("Undo");
    browser.until(&format!("{TEXT}.startsWith('// mine')"));
    wait(|| site.workbook.read(KERNEL) == mine);

    // The reader's own editor writes: the page shows it, and checks it.
    site.workbook.write(KERNEL, site.workbook.read("solutions/ex01/solution.cu"));
    browser.until(&format!("{TEXT}.includes('1.7f')"));
    browser.has("PASSED");

    // Both write at once: nothing is written until the reader has chosen, and what gives way is kept.
    browser.type_text("// typed\n");
    site.workbook.write(KERNEL, "// elsewhere\n");
    browser.has("The file was changed elsewhere while you typed here.");
    assert_eq!(site.workbook.read(KERNEL), "// elsewhere\n");
    browser.click("Take the file's");
    browser.has("yours is kept: ");
    browser.until(&format!("{TEXT} === '// elsewhere\\n'"));
    let backups = std::fs::read_dir(site.workbook.path(".warpbook/backups")).expect("backups").flatten();
    let texts: Vec<String> = backups.map(|entry| std::fs::read_to_string(entry.path()).expect("text")).collect();
    assert!(texts.iter().any(|text| text.contains("// typed")), "{texts:#?}");
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

/// What is edited is compiled by the server and run by the page.
#[test]
fn a_copy_of_a_kernel_runs_on_its_page() {
    let (Some(simulator), Some(mut browser)) = (simulator(), Browser::start()) else { return };
    let page = "# First things\n\n{{run kernels/race.cu}}\n\n{{exercise ex01}}\n";
    let files = [("book/src/first.md", page), ("book/src/second.md", SECOND), ("kernels/race.cu", super::RACE)];
    let site = served_with(&simulator, &[], &files);
    browser.view(390, false);
    browser.open(&site.link("first.html"));
    browser.until("[...document.querySelectorAll('.wb-bar button')].some(button => button.innerText === '✎ Edit')");
    browser.click("✎ Edit");
    browser.until("document.querySelector('.cm-content')");
    browser.cursor_behind("    s[t] = a[t];\n");
    browser.type_text("    __syncthreads()\n");
    browser.has("DOES NOT COMPILE");
    browser.has("expected a \";\"");
    browser.cursor_behind("__syncthreads()");
    browser.type_text(";");
    browser.has("FINISHED");
    browser.has("63 62 61");
    browser.until("document.querySelector('.cm-counts span')");
    // The race is back under its own place, and its steps are marked in the editor.
    browser.cursor_behind("    __syncthreads();");
    for _ in 0.."__syncthreads();".len() {
        browser.press("Backspace");
    }
    browser.has("RACE");
    browser.until("document.querySelectorAll('.cm-lintRange-error').length >= 2");
    browser.click("Steps");
    browser.until("document.querySelector('.cm-line.cm-now')");
    // Kept, it lies in the workbook; the book's own text is as it was.
    browser.click("Keep");
    browser.has("Kept: kernels/mine/race-");
    assert_eq!(site.workbook.read("kernels/race.cu"), super::RACE);
    browser.click("The book's again");
    browser.until("!document.querySelector('.cm-content')");

    // An exercise's own text runs there, too.
    browser.click("✎ Edit exercises");
    browser.has("NOT YET");
    browser.value("document.querySelector('.wb-desk > .wb-settings').open = true");
    browser.value("document.querySelector('.wb-desk .wb-settings .wb-go').click()");
    browser.has("right at n = 4097: the same as the oracle");
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

/// A page of another site, at another port of this machine: what any server there may be.
fn elsewhere() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let page = "<title>elsewhere</title>";
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n", page.len());
            let _ = write!(stream, "{head}Connection: close\r\n\r\n{page}");
        }
    });
    address
}

#[test]
#[ignore = "long"]
fn a_page_of_another_site_gets_nothing_done() {
    let (Some(mut browser), site) = (Browser::start(), site()) else { return };
    browser.open(&elsewhere());
    let before = site.workbook.read(KERNEL);
    // Even one that has seen the token.
    let wishes = json!([
        ["first.html", {}],
        ["api/state", { "headers": { "x-warpbook-token": site.token } }],
        ["api/kernel/ex01", { "method": "PUT", "headers": { "x-warpbook-token": site.token }, "body": "{\"text\":\"\",\"seen\":\"\"}" }],
        ["api/reset/ex01", { "method": "POST", "headers": { "x-warpbook-token": site.token } }],
    ]);
    let got = browser.value(&format!(
        "Promise.all({wishes}.map(([path, wish]) => fetch('http://{}/' + path, wish).then(() => path, () => 'refused')))",
        site.host
    ));
    assert_eq!(got, json!(["refused", "refused", "refused", "refused"]));
    // What is sent without asking first has no token.
    browser.value(&format!(
        "fetch('http://{}/api/reset/ex01', {{ method: 'POST', mode: 'no-cors', body: '' }}).then(() => true)",
        site.host
    ));
    // Nobody frames a page to have it clicked.
    browser.value(&format!(
        "new Promise(done => {{ const frame = document.createElement('iframe'); frame.onload = done; \
         frame.src = 'http://{}/first.html'; document.documentElement.append(frame); }}).then(() => true)",
        site.host
    ));
    let wrong = browser.wrong();
    assert!(wrong.iter().any(|line| line.contains("frame-ancestors")), "{wrong:#?}");
    assert_eq!(site.workbook.read(KERNEL), before);
    assert!(!site.workbook.path(".warpbook/backups").exists(), "nothing was reset");
}

/// Waits for what a page does behind itself.
fn wait(done: impl Fn() -> bool) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !done() {
        assert!(std::time::Instant::now() < until, "it never came");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
#[ignore = "long"]
fn what_cannot_be_saved_stays_on_the_page() {
    let (Some(mut browser), mut site) = (Browser::start(), site()) else { return };
    browser.view(390, false);
    browser.open(&site.link("first.html"));
    browser.until("document.querySelector('.wb-desk > button')");
    browser.click("✎ Edit exercises");
    browser.until("document.querySelector('.cm-content')");
    browser.has("NOT YET");
    // A folder where the new text would be put.
    let there = site.workbook.path(&format!("{KERNEL}.{}.new", site.process()));
    std::fs::create_dir(&there).expect("a folder");
    browser.type_text("// typed\n");
    browser.has("Not saved: exercises/ex01/kernel.cu");
    assert!(!site.workbook.read(KERNEL).contains("// typed"));
    // Closed and opened again, the page still has it; mended, it is written.
    browser.open(&format!("http://{}/second.html", site.host));
    browser.open(&format!("http://{}/first.html", site.host));
    browser.until("document.querySelector('.wb-desk > button')");
    browser.click("✎ Edit exercises");
    browser.until(&format!("document.querySelector('.cm-content') && {TEXT}.includes('// typed')"));
    std::fs::remove_dir(&there).expect("removed");
    wait(|| site.workbook.read(KERNEL).contains("// typed"));
    browser.until("document.querySelector('.wb-desk > .wb-fault').hidden");

    // A server that is gone is said, with what to do.
    site.stop();
    browser.type_text("// and more\n");
    browser.has("the server does not answer; next: start `checker book serve` again");
}

#[test]
#[ignore = "long"]
fn two_tabs_on_one_exercise_lose_nothing() {
    let (Some(mut browser), site) = (Browser::start(), site()) else { return };
    let edit = |browser: &mut Browser, address: &str| {
        browser.view(390, false);
        browser.open(address);
        browser.click("✎ Edit exercises");
        browser.until("document.querySelector('.cm-content')");
        browser.has("NOT YET");
    };
    let page = format!("http://{}/first.html", site.host);
    edit(&mut browser, &site.link("first.html"));
    let first = browser.another();
    edit(&mut browser, &page);

    // What one writes the other shows.
    browser.type_text("// both\n");
    wait(|| site.workbook.read(KERNEL).contains("// both"));
    let second = browser.turn_to(first);
    browser.until(&format!("{TEXT}.includes('// both')"));

    // Both write at once: a server that is held up gets both texts together.
    signal("STOP", &site);
    browser.type_text("// one\n");
    let first = browser.turn_to(second);
    browser.type_text("// two\n");
    std::thread::sleep(std::time::Duration::from_millis(700));
    signal("CONT", &site);
    wait(|| ["// one", "// two"].iter().any(|text| site.workbook.read(KERNEL).contains(text)));
    let one = site.workbook.read(KERNEL).contains("// one");
    // Whoever came second has not seen the other's, and chooses.
    let other = if one { None } else { Some(browser.turn_to(first.clone())) };
    browser.has("The file was changed elsewhere while you typed here.");
    browser.click("Write mine");
    browser.has("Yours is written; the other is kept: .warpbook/backups/");
    let (won, kept) = if one { ("// two", "// one") } else { ("// one", "// two") };
    assert!(site.workbook.read(KERNEL).contains(won));
    let backups = || {
        let entries = std::fs::read_dir(site.workbook.path(".warpbook/backups")).expect("backups").flatten();
        entries.map(|entry| std::fs::read_to_string(entry.path()).expect("text")).collect::<Vec<_>>()
    };
    assert!(backups().iter().any(|text| text.contains(kept)), "{:#?}", backups());
    let first = if let Some(second) = other { browser.turn_to(second) } else { first };

    // Neither can be written, and both are closed: the browser keeps both.
    let there = site.workbook.path(&format!("{KERNEL}.{}.new", site.process()));
    std::fs::create_dir(&there).expect("a folder");
    let away = format!("http://{}/second.html", site.host);
    browser.until(&format!("{TEXT}.includes('{won}')"));
    browser.type_text("// three\n");
    browser.has("Not saved: ");
    let second = browser.turn_to(first);
    browser.until(&format!("{TEXT}.includes('{won}')"));
    browser.type_text("// four\n");
    browser.has("Not saved: ");
    browser.open(&away);
    let first = browser.turn_to(second);
    browser.open(&away);
    std::fs::remove_dir(&there).expect("removed");
    browser.turn_to(first);
    browser.open(&page);
    browser.click("✎ Edit exercises");
    browser.until(&format!("document.querySelector('.cm-content') && {TEXT}.includes('// three')"));
    wait(|| site.workbook.read(KERNEL).contains("// three"));
    browser.has("Another text of yours for ex01 was never written");
    browser.click("Show it");
    browser.until(&format!("{TEXT}.includes('// four') && !{TEXT}.includes('// three')"));
    wait(|| site.workbook.read(KERNEL).contains("// four"));
    assert!(!browser.told_all().contains("never written"));
}

/// Sends the server a signal.
fn signal(name: &str, site: &Served) {
    let sent = std::process::Command::new("kill").args([&format!("-{name}"), &site.process().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[test]
#[ignore = "long"]
fn nothing_serious_is_in_the_way_of_a_reader() {
    let (Some(mut browser), site) = (Browser::start(), site()) else { return };
    let axe = std::fs::read_to_string(crate::support::repository().join("tests/e2e/page/axe/axe.min.js")).expect("axe");
    for dark in [false, true] {
        browser.view(if dark { 390 } else { 1200 }, dark);
        browser.call("Page.navigate", json!({ "url": "about:blank" }));
        browser.open(&site.link("first.html"));
        browser.until("document.querySelector('.wb-desk > button')");
        browser.click("✎ Edit exercises");
        browser.until("document.querySelector('.cm-content')");
        browser.has("NOT YET");
        browser.click("Hint (");
        browser.click("Solution");
        browser.has("Show the worked answer?");
        browser.click("Show it");
        browser.has("The worked answer");
        browser.value(&axe);
        let look = "axe.run('main', { resultTypes: ['violations'] }).then(found => found.violations\
             .filter(one => ['serious', 'critical'].includes(one.impact))\
             .map(one => `${one.id}: ${one.nodes.map(node => node.html + ' ' + node.failureSummary).join('; ')}`))";
        let found = browser.value(look);
        assert_eq!(found, json!([]), "{found:#}");
        site.workbook.write(KERNEL, site.workbook.read("solutions/ex01/solution.cu"));
        browser.has("PASSED");
        let found = browser.value(look);
        assert_eq!(found, json!([]), "{found:#}");
        site.workbook.run(["reset", "ex01", "--yes"]);
    }
}

//! Kernels on their page, in a real browser, behind a plain file server.

mod asked;
mod browser;
mod edited;
mod same;
mod served;
mod site;

use browser::Browser;
use site::{Site, site};

/// Two warps, one array, no barrier.
const RACE: &str = "//@ size n = 64\n//@ in a: i32[n] = iota\n//@ out b: i32[n]\n//@ launch turn<<<1, n>>>(a, b)\n\
    __global__ void turn(const int* a, int* b)\n{\n    __shared__ int s[64];\n    int t = threadIdx.x;\n    s[t] = a[t];\n    \
    b[t] = s[63 - t];\n}\n";
/// As long as the reader wants.
const LONG: &str = "//@ size n = 1\n//@ in a: i32[1] = iota\n//@ out b: i32[1]\n//@ launch wait<<<1, 32>>>(a, b, n)\n\
    __global__ void wait(const int* a, int* b, int n)\n{\n    int x = a[0];\n    for (int k = 0; k < n; ++k)\n        \
    x = x * 1664525 + k;\n    if (threadIdx.x == 0) b[0] = x;\n}\n";
const FIRST: &str = "# First things\n\n{{pair twice}}\n\n{{run kernels/race.cu}}\n\n{{exercise ex01}}\n";
const SECOND: &str = "# Second thoughts\n\n{{run kernels/long.cu}}\n\n{{exercise ex02}}\n";

fn small() -> Option<Site> {
    site(&[
        ("kernels/race.cu", RACE),
        ("kernels/long.cu", LONG),
        ("book/src/first.md", FIRST),
        ("book/src/second.md", SECOND),
    ])
}

/// The panel under a listing, by its number on the page.
fn panel(number: usize) -> String {
    format!("document.querySelectorAll('.wb-live')[{number}]")
}

impl Browser {
    fn run(&mut self, number: usize) {
        let panel = panel(number);
        self.until(&format!("{panel}.querySelector('.wb-go')"));
        self.value(&format!("{panel}.querySelector('.wb-go').click()"));
        self.until(&format!("{panel}.querySelector('.wb-go:not([hidden])') && {panel}.querySelector('.wb-state b')"));
    }

    fn told(&mut self, number: usize) -> String {
        let text = self.value(&format!("{}.innerText", panel(number)));
        text.as_str().unwrap_or_default().to_owned()
    }
}

#[test]
fn kernels_run_on_a_page_of_a_plain_file_server() {
    let (Some(mut browser), Some(site)) = (Browser::start(), small()) else { return };
    browser.view(1200, false);
    browser.open(&format!("{}first.html", site.address));
    browser.until("document.querySelectorAll('.wb-live .wb-go').length === 4");
    let before = browser.asked();
    let early = [".wasm", ".json", "served.js", "server.js", "codemirror.js"];
    assert!(!before.iter().any(|url| early.iter().any(|end| url.ends_with(end))), "{before:#?}");

    // A pair's kernel: held against the oracle, counted, and the counts stand beside its lines.
    browser.run(0);
    let told = browser.told(0);
    assert!(told.contains("FINISHED") && told.contains("right at n = 4097: the same as the oracle"), "{told}");
    assert!(told.contains("warp instructions"), "{told}");
    let counted = browser.value("document.querySelector('.wb-pair .wb-line:nth-child(7)').dataset.count");
    assert!(counted.as_str().is_some_and(|count| !count.is_empty()), "{counted}");

    // A race: both sides are marked in the listing.
    browser.run(2);
    let told = browser.told(2);
    assert!(told.contains("RACE") && told.contains("`s[") && told.contains("nothing orders them"), "{told}");
    let marked = browser.value(&format!(
        "[...{}.querySelectorAll('.wb-bad')].map(line => line.textContent.trim() + ' | ' + line.dataset.note)",
        panel(2)
    ));
    let marked = marked.to_string();
    assert!(marked.contains("s[t] = a[t]; | write by thread"), "{marked}");
    assert!(marked.contains("b[t] = s[63 - t]; | read by thread"), "{marked}");

    assert_eq!(browser.wrong(), Vec::<String>::new());
    let asked = browser.asked();
    assert!(asked.iter().all(|url| url.starts_with(&site.address) || url.starts_with("data:")), "{asked:#?}");
    assert_eq!(asked.iter().filter(|url| url.ends_with(".wasm")).count(), 1, "{asked:#?}");
}

#[test]
fn a_page_tells_what_the_terminal_tells() {
    if let Some(site) = small() {
        same::hold(&site);
    }
}

#[test]
fn a_run_can_be_changed_and_stopped_by_keyboard_on_a_phone() {
    let (Some(mut browser), Some(site)) = (Browser::start(), small()) else { return };
    browser.view(390, true);
    browser.open(&format!("{}second.html", site.address));
    let panel = panel(0);
    browser.until(&format!("{panel}.querySelector('.wb-go')"));
    // Everything by keys: open the settings, choose a size, run, stop.
    browser.value(&format!("{panel}.querySelector('summary').focus()"));
    browser.press("Enter");
    browser.until(&format!("{panel}.querySelector('input[type=number][inputmode=numeric]:not([max])')"));
    browser.value(&format!(
        "(input => {{ input.focus(); input.select(); }})({panel}.querySelector('.wb-fields + .wb-fields input'))"
    ));
    browser.call("Input.insertText", serde_json::json!({ "text": "2000000000" }));
    browser.value(&format!("{panel}.querySelector('.wb-go').focus()"));
    browser.press("Enter");
    browser.until(&format!("{panel}.querySelector('.wb-state').textContent.startsWith('running')"));
    browser.until(&format!("document.activeElement === {panel}.querySelector('.wb-stop')"));
    browser.press("Enter");
    browser.until(&format!("{panel}.querySelector('.wb-state b')"));
    let told = browser.told(0);
    assert!(told.contains("STOPPED"), "{told}");

    // The next run has another worker, and the module that was fetched before.
    let size = format!("{panel}.querySelector('.wb-fields + .wb-fields input')");
    browser.value(&format!("{size}.value = '3'"));
    browser.run(0);
    let told = browser.told(0);
    assert!(told.contains("FINISHED") && told.contains("checker run kernels/long.cu --size n=3"), "{told}");
    assert_eq!(browser.asked().iter().filter(|url| url.ends_with(".wasm")).count(), 1);

    // A line that cannot be launched is a reason, at its place.
    browser.value(&format!(
        "(input => {{ input.value = input.value.replace('32>>>', '2048>>>'); }})({panel}.querySelector('.wb-statements input:last-child'))"
    ));
    browser.run(0);
    let told = browser.told(0);
    assert!(told.contains("BAD LAUNCH") && told.contains("2048 threads"), "{told}");

    // Nothing is wider than the phone, and nothing went wrong.
    let wide = browser.value("document.documentElement.scrollWidth");
    assert!(wide.as_u64().is_some_and(|wide| wide <= 390), "{wide}");
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

#[test]
fn a_race_is_replayed_to_its_step_and_an_order_made_by_hand() {
    let (Some(mut browser), Some(site)) = (Browser::start(), small()) else { return };
    browser.view(390, false);
    browser.open(&format!("{}first.html", site.address));
    browser.run(2);
    let panel = panel(2);
    // Both sides of the race have their step.
    let sides = browser.value(&format!(
        "[...{panel}.querySelectorAll('.wb-told > .wb-fields button')].map(button => button.innerText)"
    ));
    assert!(sides[0].as_str().is_some_and(|side| side.ends_with("line 10")), "{sides}");
    assert!(sides[1].as_str().is_some_and(|side| side.ends_with("line 9")), "{sides}");
    browser.value(&format!("{panel}.querySelectorAll('.wb-told > .wb-fields button')[0].click()"));
    browser.until(&format!("{panel}.querySelector('.wb-player')"));
    let at = |browser: &mut Browser| {
        let where_ = browser.value(&format!("{panel}.querySelector('.wb-where').innerText"));
        let marked = browser.value(&format!("{panel}.querySelector('.wb-line.wb-now').textContent.trim()"));
        (where_.as_str().unwrap_or_default().to_owned(), marked.as_str().unwrap_or_default().to_owned())
    };
    let (step, marked) = at(&mut browser);
    assert!(step.contains("10: b[t] = s[63 - t];"), "{step}");
    assert_eq!(marked, "b[t] = s[63 - t];");
    // Back by key, to what the other warp or the line before did; and on again.
    browser.until(&format!("document.activeElement === {panel}.querySelector('.wb-slider')"));
    browser.press("ArrowLeft");
    let (before, marked) = at(&mut browser);
    assert!(before != step && marked != "b[t] = s[63 - t];", "{before}");
    browser.press("ArrowRight");
    assert_eq!(at(&mut browser).0, step);
    // The PTX instruction is marked, too.
    let ptx = format!("{panel}.querySelector('.wb-ptx .wb-now').textContent");
    assert!(browser.value(&ptx).as_str().is_some_and(|line| line.contains(';')), "{}", browser.value(&ptx));

    // Lanes 3 and 4 of the first warp stop before their store to shared memory: they have loaded once.
    browser.value(&format!("{panel}.querySelector('.wb-look').click()"));
    browser.until(&format!("{panel}.querySelectorAll('.wb-warp').length === 1"));
    browser.value(&format!(
        "(slider => {{ while (!{panel}.querySelector('.wb-where').innerText.includes(' 10: ')) \
         {{ slider.value = +slider.value + 1; slider.dispatchEvent(new Event('input')); }} }})({panel}.querySelector('.wb-slider'))"
    ));
    browser.value(&format!("[3, 4].forEach(lane => {panel}.querySelectorAll('.wb-lane')[lane].click())"));
    browser.value(&format!(
        "[...{panel}.querySelectorAll('.wb-player button')].find(button => button.innerText.startsWith('Stop the')).click()"
    ));
    browser.until(&format!("{panel}.innerText.includes('replay:') && {panel}.querySelector('.wb-go:not([hidden])')"));
    let told = browser.told(2);
    assert!(told.contains("checker run kernels/race.cu --seed 1 --schedule replay:b0.w0.l3-4@2"), "{told}");
    let ran = site.workbook.run(["run", "kernels/race.cu", "--seed", "1", "--witness", "b0.w0.l3-4@2", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a report");
    let head: Vec<&str> =
        report["outputs"][0]["head"].as_array().expect("values").iter().filter_map(|v| v.as_str()).collect();
    assert!(told.contains(&head.join("  ")) || told.contains(&head.join(" ")), "{head:?}: {told}");
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

#[test]
fn machine_code_explains_itself_and_leads_to_its_source() {
    let page = "# First things\n\n{{pair twice}}\n\n{{sass twice}}\n\n{{exercise ex01}}\n";
    let files = [("book/src/first.md", page), ("book/src/second.md", SECOND), ("kernels/long.cu", LONG)];
    let (Some(mut browser), Some(site)) = (Browser::start(), site(&files)) else { return };
    browser.view(1200, true);
    browser.open(&format!("{}first.html", site.address));
    browser.until("document.querySelector('.wb-says')");
    // By keys through the table: the multiplication in double precision is only on the left.
    browser.value("document.querySelector('.wb-machine td[tabindex=\"0\"]').focus()");
    let first = browser.value("document.querySelector('.wb-says').innerText");
    browser.press("ArrowDown");
    assert_ne!(browser.value("document.querySelector('.wb-says').innerText"), first);
    browser.value(
        "[...document.querySelectorAll('.wb-machine td')].find(cell => cell.innerText.includes('DMUL')).focus()",
    );
    let says = browser.value("document.querySelector('.wb-says').innerText");
    let says = says.as_str().unwrap_or_default();
    assert!(says.contains("multiplies in double precision") && says.contains("From line 9."), "{says}");
    let marked = browser.value("document.querySelector('.wb-pair .wb-now').textContent.trim()");
    assert_eq!(marked, "b[i] = a[i] * 1.7;");
    // And back: a line of the source marks what became of it.
    browser.value("document.querySelector('.wb-pair .wb-line:nth-child(8)').click()");
    let from = browser.value("document.querySelectorAll('.wb-machine td:first-child.wb-from').length");
    assert!(from.as_u64().is_some_and(|count| count > 2), "{from}");
    // What is folded unfolds.
    browser.value("document.querySelector('.wb-machine .skip button')?.click()");
    assert_eq!(browser.value("document.querySelectorAll('.wb-machine tr[hidden]').length"), 0);
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

/// Lanes that read `stride` words apart.
const STRIDE: &str = "//@ size stride = 1\n//@ in a: f32[32 * stride] = iota\n//@ out b: f32[32]\n\
    //@ launch pick<<<1, 32>>>(a, b, stride)\n__global__ void pick(const float* a, float* b, int stride)\n{\n    \
    b[threadIdx.x] = a[stride * threadIdx.x];\n}\n";

/// Four words, halved twice.
const TREE: &str = "//@ size n = 4\n//@ in a: f32[4] = iota\n//@ out b: f32[1]\n//@ launch sum<<<1, n>>>(a, b)\n\
    __global__ void sum(const float* a, float* b)\n{\n    __shared__ float s[4];\n    int t = threadIdx.x;\n    \
    s[t] = a[t];\n    __syncthreads();\n    for (int w = 2; w > 0; w /= 2) {\n        if (t < w) s[t] += s[t + w];\n        \
    __syncthreads();\n    }\n    if (t == 0) *b = s[0];\n}\n";

#[test]
fn pictures_follow_their_sliders() {
    let page = "# First things\n\n{{sectors kernels/stride.cu kind=load slide=stride:1:32}}\n\n{{tree kernels/tree.cu}}\n\n\
        {{exercise ex01}}\n";
    let files = [
        ("kernels/stride.cu", STRIDE),
        ("kernels/tree.cu", TREE),
        ("kernels/long.cu", LONG),
        ("book/src/first.md", page),
        ("book/src/second.md", SECOND),
    ];
    let (Some(mut browser), Some(site)) = (Browser::start(), site(&files)) else { return };
    browser.view(390, false);
    browser.open(&format!("{}first.html", site.address));
    browser.until("document.querySelector('.wb-slide:not([hidden]) input')");
    let caption = "document.querySelector('figcaption').innerText";
    let built = browser.value(caption);
    assert!(built.as_str().is_some_and(|text| text.contains("128 bytes asked for, 128 fetched")), "{built}");
    browser.value("document.querySelector('.wb-slide input').focus()");
    browser.press("ArrowRight");
    browser.until(&format!("{caption}.includes('256 fetched, 50 % used')"));
    let frames = browser.value("document.querySelectorAll('figure svg .frame').length");
    assert_eq!(frames, 8, "a frame per sector");
    // A tree goes back a round, and says what the round before does.
    let steps = "document.querySelector('.wb-steps')";
    let now = browser.value(&format!("{steps}.innerText"));
    assert!(
        now.as_str().is_some_and(|text| text.contains("4 of 4") && text.contains("thread 0 copies word 0")),
        "{now}"
    );
    let hidden = "document.querySelectorAll('svg .later rect.sum').length";
    assert_eq!(browser.value(hidden), 0);
    browser.value(&format!("{steps}.querySelector('input').focus()"));
    browser.press("ArrowLeft");
    browser.press("ArrowLeft");
    browser.until(&format!("{steps}.innerText.includes('thread 0 adds 2 to 0, thread 1 adds 3 to 1')"));
    assert_eq!(browser.value(hidden), 2, "the second round's only sum, and the result");
    assert_eq!(browser.wrong(), Vec::<String>::new());
}

//! Ctrl-C at any point: exit status 130, workers gone, no half-written files.

use crate::support::Workbook;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(killed.success());
}

#[test]
fn watch_ends_with_130_and_checks_again_on_save() {
    let workbook = Workbook::copy("small");
    let kernel = workbook.path("exercises/ex01/kernel.cu");
    std::fs::write(&kernel, "//@ lett x = 1\n").expect("a file");
    let mut child = workbook
        .command()
        .args(["watch", "ex01", "--backend", "sim"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("did you mean `let`")), "the first check");
    assert!(lines.any(|line| line.contains("watching")), "then it waits");
    // As an editor does it: a new file, renamed over the old one.
    let new = workbook.path("exercises/ex01/.kernel.cu.swp");
    std::fs::write(&new, "//@ lunch k<<<1, 1>>>()\n").expect("a file");
    std::fs::rename(&new, &kernel).expect("renamed");
    assert!(lines.any(|line| line.contains("did you mean `launch`")), "the second check");
    interrupt(&child);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

//! The program that `cargo run` starts: it has every command of `checker`, some of them by becoming it.

// The helpers are test code too: a panic is how they fail.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Output};

fn learner(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_learner")).args(args).env_remove("WARPBOOK_ROOT").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_of_the_book_or_of_a_class_is_handed_to_the_checker_with_all_that_was_said() {
    for (args, has) in [
        (&["book", "--help"][..], "Usage: checker book"),
        (&["help", "grade"], "Usage: checker grade"),
        (&["--quiet", "dist", "-h"], "Usage: checker dist"),
    ] {
        let ran = learner(args);
        assert_eq!(ran.status.code(), Some(0), "{args:?}: {}", text(&ran.stderr));
        assert!(text(&ran.stdout).contains(has), "{args:?}: {}", text(&ran.stdout));
    }
    let ran = learner(&["grade", "--no-such-option", "ex01"]);
    assert_eq!(ran.status.code(), Some(2), "{}", text(&ran.stderr));
    assert!(text(&ran.stderr).contains("--no-such-option"), "{}", text(&ran.stderr));
}

#[test]
fn both_programs_say_the_same_of_themselves() {
    // Whoever asks for the book has `checker` built.
    assert_eq!(learner(&["help", "book"]).status.code(), Some(0));
    let checker = Path::new(env!("CARGO_BIN_EXE_learner")).with_file_name("checker");
    for args in [["--help"], ["--version"], ["list"]] {
        let other = Command::new(&checker).args(args).env_remove("WARPBOOK_ROOT").output().unwrap();
        let ran = learner(&args);
        assert_eq!(ran.status.code(), Some(0), "{args:?}: {}", text(&ran.stderr));
        assert_eq!(text(&ran.stdout), text(&other.stdout), "{args:?}");
    }
}

#[test]
fn without_cargo_the_checker_beside_it_is_taken_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let lonely = folder.path().join("learner");
    std::fs::copy(env!("CARGO_BIN_EXE_learner"), &lonely).unwrap();
    let book = || Command::new(&lonely).arg("book").env("CARGO", "/no/such/cargo").output().unwrap();
    let ran = book();
    assert_eq!(ran.status.code(), Some(3), "{}", text(&ran.stderr));
    assert!(text(&ran.stderr).contains("next: cargo build --bin checker"), "{}", text(&ran.stderr));

    std::os::unix::fs::symlink("/bin/echo", folder.path().join("checker")).unwrap();
    assert_eq!(text(&book().stdout), "book\n");
}

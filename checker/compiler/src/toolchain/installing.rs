//! Starts an installer so that it does not outlive the checker: `checker __install PARENT PROGRAM ARGUMENT...` ties its
//! life to its parent's and becomes PROGRAM.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The hidden first argument.
const ARGUMENT: &str = "__install";

/// The command that runs `program` and ends when this process ends. What the program itself starts may live a moment
/// longer; whoever needs to know holds a lock that all of them inherit.
pub(super) fn command(program: &Path) -> Command {
    let tied = cfg!(target_os = "linux").then(system::itself::program).and_then(Result::ok);
    match tied {
        Some(checker) => {
            let mut command = Command::new(checker);
            command.arg(ARGUMENT).arg(std::process::id().to_string()).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// Becomes the installer if this process was started to; otherwise returns. To be called first, by `main` only.
pub fn dispatch() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ARGUMENT) {
        let (parent, program) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
        eprintln!("error: {}", become_it(&parent, &program, arguments));
        std::process::exit(2);
    }
}

#[cfg(target_os = "linux")]
fn become_it(parent: &OsString, program: &OsString, arguments: impl Iterator<Item = OsString>) -> String {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    use std::os::unix::process::CommandExt;
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.to_string();
    }
    // A parent that was gone before sends no signal any more.
    let now = getppid().map(|pid| pid.as_raw_nonzero().to_string());
    if now.as_deref().map(OsString::from).as_ref() != Some(parent) {
        return "the checker that started this is gone".to_owned();
    }
    let error = Command::new(program).args(arguments).exec();
    format!("{}: {error}", program.display())
}

#[cfg(not(target_os = "linux"))]
fn become_it(_: &OsString, _: &OsString, _: impl Iterator<Item = OsString>) -> String {
    format!("{ARGUMENT} is for Linux")
}

//! Runs a program of the toolchain over hostile input: `checker __confined PARENT PROGRAM ARGUMENT...` limits itself,
//! closes the file system but for the program and the system's libraries, the network and other processes, ties its life to its
//! parent's and becomes PROGRAM, with an empty environment. Its input is standard input, which it can open as [`INPUT`].

use crate::sandbox;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The hidden first argument.
const ARGUMENT: &str = "__confined";
/// How a program that wants a file's name opens its standard input.
pub const INPUT: &str = "/proc/self/fd/0";
/// Status when the program could not be started at all. A number, as shells use it: the process is about to become another
/// program, whose output is whatever hostile input makes it print, so that no message of ours could be told from its.
pub const NOT_STARTED: i32 = 126;

/// Seconds of processor time, bytes of address space, bytes of output.
const CPU_SECONDS: u64 = 60;
const MEMORY: u64 = 8 << 30;
const OUTPUT: u64 = 1 << 30;

/// The command that runs `program` confined. Elsewhere than on Linux only its environment is empty.
pub fn command(program: &Path) -> Command {
    let confined = cfg!(target_os = "linux").then(crate::itself::program).and_then(Result::ok);
    let mut command = match confined {
        Some(checker) => {
            let mut command = Command::new(checker);
            command.arg(ARGUMENT).arg(std::process::id().to_string()).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.env_clear();
    #[cfg(unix)]
    command.current_dir("/");
    #[cfg(windows)]
    command.env("SystemRoot", std::env::var_os("SystemRoot").unwrap_or_default());
    command
}

/// Becomes the program if this process was started to; otherwise returns. For `main` only.
pub fn dispatch() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == ARGUMENT) {
        let (parent, program) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
        eprintln!("{}", become_it(&parent, Path::new(&program), arguments));
        std::process::exit(NOT_STARTED);
    }
}

/// Folders that programs and their libraries are loaded from.
const SYSTEM: &[&str] =
    &["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/nix/store", "/gnu/store"];

#[cfg(target_os = "linux")]
fn become_it(parent: &OsString, program: &Path, arguments: impl Iterator<Item = OsString>) -> String {
    use std::os::unix::process::CommandExt;
    sandbox::limit_to(sandbox::Bounds { cpu_seconds: CPU_SECONDS, memory: MEMORY, file: OUTPUT });
    // A parent that was gone before sends no signal any more.
    let now = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().to_string());
    if now.map(OsString::from).as_ref() != Some(parent) {
        return "the checker that started this is gone".to_owned();
    }
    let libraries = program.parent().and_then(Path::parent).map(|top| top.join("lib"));
    let folders: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).chain(libraries).collect();
    let files = [program.to_path_buf(), PathBuf::from("/etc/ld.so.cache")];
    sandbox::confine_program(&folders, &files);
    crate::calls::close(crate::calls::Programs::Allowed);
    let error = Command::new(program).args(arguments).env_clear().exec();
    format!("{}: {error}", crate::text::path(program))
}

#[cfg(not(target_os = "linux"))]
fn become_it(_: &OsString, _: &Path, _: impl Iterator<Item = OsString>) -> String {
    format!("{ARGUMENT} is for Linux")
}

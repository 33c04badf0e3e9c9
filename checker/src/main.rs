//! The `checker` command: everything is in the library, `command` dispatches.

use std::process::ExitCode;

fn main() -> ExitCode {
    checker::compile::child::dispatch();
    checker::command::main(std::env::args_os()).into()
}

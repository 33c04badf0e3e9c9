//! The `checker` command: everything is in the library, `command` dispatches.

use std::process::ExitCode;

fn main() -> ExitCode {
    checker::toolchain::installing::dispatch();
    checker::compile::child::dispatch();
    checker::confined::dispatch();
    checker::backend::worker::dispatch();
    checker::command::main(std::env::args_os()).into()
}

//! The `checker` command: everything is in libraries, `command` dispatches.

use std::process::ExitCode;

fn main() -> ExitCode {
    system::itself::this_is_the_checker();
    compiler::toolchain::installing::dispatch();
    compiler::compile::child::dispatch();
    system::confined::dispatch();
    execution::backend::worker::dispatch();
    checker::command::main(std::env::args_os()).into()
}

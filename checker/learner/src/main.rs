//! What `cargo run` builds: the checker without the commands of the book and of a class. Their crates are a quarter of a build from
//! nothing, which a newcomer would wait for; who asks for one of them gets the program `checker`, built by then.

use anyhow::anyhow;
use clap::{Args, Subcommand};
use command::{Commands, Context, Exit, Fault, Outcome};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// What `checker` has, as its help says it.
#[derive(Debug, Subcommand)]
enum Elsewhere {
    /// Build the book, or read it in a browser
    #[command(disable_help_flag = true)]
    Book(Rest),
    /// Grade a class: a folder, a zip or a list of submissions
    #[command(disable_help_flag = true)]
    Grade(Rest),
    /// Hand exercises out to students, or to a platform that grades them
    #[command(disable_help_flag = true)]
    Dist(Rest),
}

/// What follows is for `checker` to read.
#[derive(Debug, Args)]
struct Rest {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

impl Commands for Elsewhere {
    fn run(self, _: &Context) -> Outcome {
        Err(Fault { exit: Exit::Environment, error: become_checker() })
    }
}

fn main() -> ExitCode {
    // `help book`: the help of what is elsewhere is there, too.
    let asked = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect::<Vec<_>>();
    if let [help, name, ..] = asked.as_slice()
        && help == "help"
        && Elsewhere::has_subcommand(name)
    {
        let error = become_checker();
        command::terminal::context::say(&format!("checker: {error}"));
        return Exit::Environment.into();
    }
    command::main::<Elsewhere>()
}

/// Goes on as `checker` with the same arguments: as cargo builds it where there is cargo, else as it lies beside this program. Returns
/// only if neither can be.
fn become_checker() -> anyhow::Error {
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return error.into(),
    };
    let arguments = || std::env::args_os().skip(1);
    let folder = own.parent().unwrap_or(Path::new(""));
    if let Some(manifest) = Context::built_in().map(|root| root.join("Cargo.toml")).filter(|file| file.is_file()) {
        // `target/PROFILE/learner`; the profile `dev` has the folder `debug`.
        let profile = folder.file_name().filter(|name| *name != "debug").unwrap_or("dev".as_ref());
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["run", "--bin", "checker", "--manifest-path"]).arg(manifest).arg("--profile").arg(profile);
        if let Some(target) = folder.parent() {
            cargo.arg("--target-dir").arg(target);
        }
        let _ = cargo.arg("--").args(arguments()).exec();
    }
    let beside = folder.join("checker");
    let error = Command::new(&beside).args(arguments()).exec();
    anyhow!(
        "{}: {error}\nnext: cargo build --bin checker: the commands of the book and of a class are in that program",
        beside.display()
    )
}

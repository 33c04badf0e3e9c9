//! The compiling child: `checker __compile`. Reads one job, confines itself, compiles, answers, ends.

use super::precompiled::child as precompiled;
use super::wire::{self, Compile, CompileAnswer, Header, HeaderUse, Job, Reply};
use super::{headers, includes, nvrtc};
use crate::toolchain;
use std::io::{Read, Write};
use system::sandbox;

/// A hidden first argument that prints the toolchain, installing it where there is none, as JSON; `own` after it
/// looks in no place but the workbook's folder. For preparing a machine, and for tests.
const TOOLCHAIN: &str = "__toolchain";

/// The hidden first argument.
pub const ARGUMENT: &str = "__compile";

pub(super) use precompiled::PLACE;

/// Longest log that is handed back, in bytes: a template's backtrace can be endless.
const LONGEST_LOG: usize = 256 << 10;

/// Runs the child if this process was started as one; otherwise returns. To be called before anything else, by the
/// checker's `main` only: it also marks this program as one that can be started as a child.
pub fn dispatch() {
    let argument = |index| std::env::args_os().nth(index).unwrap_or_default();
    if argument(1) == ARGUMENT {
        let address = precompiled::settle(std::env::args_os().skip(2));
        let status = serve(&mut std::io::stdin().lock(), &mut std::io::stdout().lock(), address);
        std::process::exit(status);
    }
    if argument(1) == TOOLCHAIN {
        std::process::exit(show_toolchain(argument(2) == "own"));
    }
}

fn show_toolchain(own_only: bool) -> i32 {
    match toolchain::locate(&toolchain::ToolchainOptions { own_only, ..Default::default() }) {
        Ok(found) => {
            println!("{}", serde_json::to_string_pretty(&found).unwrap_or_default());
            0
        }
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code().into()
        }
    }
}

/// `address`: where NVRTC lies, if this process can use a precompiled header.
fn serve(input: &mut impl Read, output: &mut impl Write, address: Option<usize>) -> i32 {
    let mut text = Vec::new();
    let Ok(job) =
        input.read_to_end(&mut text).map_err(drop).and_then(|_| serde_json::from_slice::<Job>(&text).map_err(drop))
    else {
        eprintln!("{ARGUMENT} is a part of the checker that only the checker itself starts");
        return wire::NOT_TAKEN;
    };
    if job.protocol != wire::PROTOCOL {
        eprintln!("the checker was rebuilt while it ran: run it again");
        return wire::NOT_TAKEN;
    }
    if let (Some(Header::Make(stem)), Some(compile)) = (&job.header, &job.compile) {
        precompiled::make(&job, compile, stem, address);
        return 0;
    }
    let reply = wire::encode(&answer(&job, address));
    if output.write_all(&reply).and_then(|()| output.flush()).is_err() { 3 } else { 0 }
}

fn answer(job: &Job, address: Option<usize>) -> Reply {
    let (file, header) = precompiled::find(job, address);
    sandbox::limit_to(precompiled::bounds(job, address, file.is_some()));
    if let Err(reason) = nvrtc::load(&job.library) {
        return CompileAnswer::Unloadable { reason }.into();
    }
    let Some(compile) = &job.compile else {
        let answer = match nvrtc::version().and_then(|version| Ok((version, nvrtc::supported_archs()?))) {
            Ok((version, archs)) => CompileAnswer::Probed { version, archs },
            Err(reason) => CompileAnswer::Unloadable { reason },
        };
        return Reply { header, ..answer.into() };
    };
    let readable: Vec<_> = compile.includes.iter().chain(&file).cloned().collect();
    let confined = job.landlock && sandbox::confine(&readable, file.as_deref().map(precompiled::scratch).as_deref());
    let closed = system::calls::close(system::calls::Programs::Refused);
    let texts = std::iter::once(&compile.source).chain(compile.headers.iter().map(|(_, text)| text));
    let check = |text: &String| includes::check(text, |name| is_header(compile, name)).err();
    if !confined && let Some(refused) = texts.into_iter().find_map(check) {
        // In the compiler's own words, so that it is told like every other message.
        let log = format!("{}({}): error: cannot open source file \"{}\"", compile.name, refused.line, refused.name);
        return CompileAnswer::Rejected { log, confined }.into();
    }
    let Some(option) = file.as_deref().and_then(precompiled::option) else {
        return Reply { header, ..compiled(run(compile), compile, (confined, closed)) };
    };
    let options = compile.options.iter().cloned().chain([option]).collect();
    let mut outcome = run(&Compile { options, ..compile.clone() });
    let used = outcome.as_mut().is_ok_and(|(_, log)| precompiled::take_notice(log, &compile.name));
    let header = file.filter(|_| used).map_or(header, HeaderUse::Used);
    Reply { header, ..compiled(outcome, compile, (confined, closed)) }
}

fn compiled(outcome: Result<(nvrtc::Outcome, String), String>, compile: &Compile, guards: (bool, bool)) -> Reply {
    let (confined, closed) = guards;
    let (outcome, mut log) = match outcome {
        Ok(outcome) => outcome,
        Err(reason) => return CompileAnswer::Failed { reason, log: String::new() }.into(),
    };
    truncate(&mut log);
    match outcome {
        nvrtc::Outcome::Done { ptx, cubin, names } => {
            // The folder is always "/": leave it out of the names of the learner's file and of the headers beside it.
            let names_of_files = std::iter::once(&compile.name).chain(compile.headers.iter().map(|(name, _)| name));
            let ptx =
                names_of_files.fold(ptx, |ptx, name| ptx.replacen(&format!("\"/{name}\""), &format!("\"{name}\""), 1));
            Reply { ptx, cubin, ..CompileAnswer::Compiled { names, log, confined, closed }.into() }
        }
        nvrtc::Outcome::Rejected => CompileAnswer::Rejected { log, confined }.into(),
        nvrtc::Outcome::Failed(reason) => CompileAnswer::Failed { reason, log }.into(),
    }
}

pub(super) fn run(compile: &Compile) -> Result<(nvrtc::Outcome, String), String> {
    let own = compile.headers.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let beside = |name: &str| compile.headers.iter().any(|(header, _)| header == name);
    let known = headers::ALL.iter().copied().filter(|(name, _)| !beside(name));
    let headers: Vec<(&str, &str)> = known.chain(own).collect();
    nvrtc::compile(&compile.source, &compile.name, &headers, &compile.options, &compile.expressions)
}

fn is_header(compile: &Compile, name: &str) -> bool {
    super::is_header(&compile.includes, name) || compile.headers.iter().any(|(header, _)| header == name)
}

fn truncate(log: &mut String) {
    if log.len() > LONGEST_LOG {
        let end = (0..=LONGEST_LOG).rev().find(|end| log.is_char_boundary(*end)).unwrap_or(0);
        log.truncate(end);
        log.push_str("\n(the rest of the compiler's log is left out)\n");
    }
}

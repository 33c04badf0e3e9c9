//! `checker dev check`: proves for each problem that its files are well formed, that the starter fails its goals, that
//! the solution or the optimised version passes, and that each mutant fails for its stated reason.

use super::prove::{Proof, Prover};
use crate::command::exercise::check::BackendArg;
use crate::command::{Context, Exit, Fault, Outcome, spinner::Spinner, workbook};
use check::fresh_seed;
use clap::Args;
use compiler::toolchain;
use problem::{ProblemId, Workbook};
use std::path::PathBuf;

/// Options of `checker dev check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Problems to check; all unless given
    names: Vec<String>,
    /// Only the files: nothing is compiled or run
    #[arg(long)]
    files: bool,
    /// Where to run; mutants run on the simulator wherever their problem allows it
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,
    /// Repeat a check: the seed that it ends with
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR")]
    toolchain: Option<PathBuf>,
}

/// Problems whose versions are compiled and listed before the first of them is proven.
const TOGETHER: usize = 8;

/// Checks the problems named, or all.
pub fn run(context: &Context, args: &CheckArgs) -> Outcome {
    let workbook = workbook::open(context)?;
    let ids = chosen(&workbook, &args.names)?;
    let prover = Prover {
        workbook: &workbook,
        files_only: args.files,
        options: check::CheckOptions {
            backend: args.backend.into(),
            unmodelled: true,
            seed: Some(args.seed.unwrap_or_else(fresh_seed)),
            toolchain: toolchain::ToolchainOptions {
                dir: args.toolchain.clone(),
                ..toolchain::ToolchainOptions::default()
            },
            ..check::CheckOptions::default()
        },
    };
    let width = ids.iter().map(|id| id.as_str().len()).max().unwrap_or(0);
    let mut proofs: Vec<Proof> = Vec::new();
    for ids in ids.chunks(TOGETHER) {
        let spinner = Spinner::new(context);
        spinner.say(&format!("{}: compiling every version", ids[0]));
        prover.prepare(ids)?;
        drop(spinner);
        for id in ids {
            let spinner = Spinner::new(context);
            let proof = prover.prove(id, &|what| spinner.say(&format!("{id}: {what}")))?;
            drop(spinner);
            if !context.json {
                context.print(shown(&proof, width))?;
            }
            proofs.push(proof);
        }
    }
    let faulty = proofs.iter().filter(|proof| !proof.faults.is_empty()).count();
    if context.json {
        let value = serde_json::json!({
            "schema": report::SCHEMA,
            "seed": prover.options.seed,
            "problems": proofs,
        });
        context.print_json(&value)?;
    } else {
        let seed = match prover.options.seed {
            Some(seed) if !args.files => format!(" (seed {seed})"),
            _ => String::new(),
        };
        let total = proofs.len();
        let problems = if total == 1 { "problem" } else { "problems" };
        context.print(match faulty {
            0 if total == 1 => format!("\n1 problem holds{seed}\n"),
            0 => format!("\n{total} problems hold{seed}\n"),
            1 => format!("\n1 of {total} {problems} has faults{seed}\n"),
            _ => format!("\n{faulty} of {total} problems have faults{seed}\n"),
        })?;
    }
    Ok(if faulty == 0 { Exit::Met } else { Exit::NotMet })
}

/// "ex01  ok   starter fails, solution passes, 3 mutants caught" and the faults below it.
fn shown(proof: &Proof, width: usize) -> String {
    let verdict = match proof.faults.len() {
        0 => "ok".to_owned(),
        1 => "1 fault".to_owned(),
        count => format!("{count} faults"),
    };
    let mut text = format!("{:width$}  {verdict:8}  {}", proof.name, proof.summary());
    text.truncate(text.trim_end().len());
    text.push('\n');
    for fault in &proof.faults {
        fault.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    }
    text
}

fn chosen(workbook: &Workbook, names: &[String]) -> Result<Vec<ProblemId>, Fault> {
    // A malformed problem is what this command is for: it must be found by its name without being read.
    let ids = workbook.ids();
    if names.is_empty() {
        return Ok(ids);
    }
    names
        .iter()
        .map(|name| match ids.iter().find(|id| id.as_str() == name) {
            Some(id) => Ok(id.clone()),
            None => workbook::find(workbook, name).map(|problem| problem.id),
        })
        .collect()
}

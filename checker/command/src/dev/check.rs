//! `checker dev check`: proves for each problem that its files are well formed, that the starter fails its goals, that
//! the solution or the optimised version passes, and that each mutant fails for its stated reason.

use super::course::Prover;
use super::prove::Proof;
use crate::exercise::check::BackendArg;
use crate::{Context, Exit, Fault, Outcome, spinner::Spinner, workbook};
use check::fresh_seed;
use clap::Args;
use compiler::toolchain;
use problem::{ProblemId, Workbook};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

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
    let screen =
        Mutex::new(Shown { context, width, spinner: Some(Spinner::new(context)), proofs: BTreeMap::new(), next: 0 });
    let shown = || screen.lock().unwrap_or_else(PoisonError::into_inner);
    prover.prove(&ids, &|what| shown().say(what), &|at, proof| shown().add(at, proof))?;
    let proofs: Vec<Proof> = screen.into_inner().unwrap_or_else(PoisonError::into_inner).proofs.into_values().collect();
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

/// Proofs, shown in the order of the problems as they come.
struct Shown<'a> {
    context: &'a Context,
    width: usize,
    spinner: Option<Spinner>,
    proofs: BTreeMap<usize, Proof>,
    /// The first that is not shown yet.
    next: usize,
}

impl Shown<'_> {
    fn say(&self, what: &str) {
        if let Some(spinner) = &self.spinner {
            spinner.say(what);
        }
    }

    fn add(&mut self, at: usize, proof: Proof) -> Result<(), Fault> {
        self.proofs.insert(at, proof);
        while let Some(proof) = self.proofs.get(&self.next).filter(|_| !self.context.json) {
            // It has the line that this is written to.
            self.spinner = None;
            self.context.print(shown(proof, self.width))?;
            self.next += 1;
        }
        if self.spinner.is_none() {
            self.spinner = Some(Spinner::new(self.context));
        }
        Ok(())
    }
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

//! `checker dev check`: proves for each problem that its files are well formed.

use crate::command::{Context, Exit, Fault, Outcome, shelf};
use crate::problem::audit::audit;
use crate::problem::{ProblemId, Workbook};
use clap::Args;
use serde::Serialize;

/// Options of `checker dev check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Problems to check; all unless given
    names: Vec<String>,
    /// Only the files: nothing is compiled or run
    #[arg(long)]
    files: bool,
}

/// What was found out about one problem.
#[derive(Debug, Serialize)]
struct Proof {
    name: String,
    /// What is wrong, a text each.
    faults: Vec<String>,
}

/// Checks the problems named, or all.
pub fn run(context: &Context, args: &CheckArgs) -> Outcome {
    let workbook = shelf::open(context)?;
    let ids = chosen(&workbook, &args.names)?;
    let proofs: Vec<Proof> = ids.iter().map(|id| prove(&workbook, id)).collect();
    let faulty = proofs.iter().filter(|proof| !proof.faults.is_empty()).count();
    if context.json {
        let value = serde_json::json!({ "schema": crate::report::SCHEMA, "problems": proofs });
        context.print(&format!("{value:#}\n"))?;
    } else {
        let width = ids.iter().map(|id| id.as_str().len()).max().unwrap_or(0);
        let mut text = String::new();
        for proof in &proofs {
            let count = proof.faults.len();
            let verdict = match count {
                0 => "ok".to_owned(),
                1 => "1 fault".to_owned(),
                _ => format!("{count} faults"),
            };
            text.push_str(&format!("{:width$}  {verdict}\n", proof.name));
            for fault in &proof.faults {
                fault.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
            }
        }
        text.push_str(&match faulty {
            0 => format!("\n{} problems hold\n", proofs.len()),
            _ => format!("\n{faulty} of {} problems have faults\n", proofs.len()),
        });
        context.print(&text)?;
    }
    Ok(if faulty == 0 { Exit::Met } else { Exit::NotMet })
}

fn chosen(workbook: &Workbook, names: &[String]) -> Result<Vec<ProblemId>, Fault> {
    if names.is_empty() {
        return Ok(workbook.ids());
    }
    // A malformed problem is what this command is for: it must be found by its name without being read.
    let ids = workbook.ids();
    names
        .iter()
        .map(|name| match ids.iter().find(|id| id.as_str() == name) {
            Some(id) => Ok(id.clone()),
            None => shelf::find(workbook, name).map(|problem| problem.id),
        })
        .collect()
}

fn prove(workbook: &Workbook, id: &ProblemId) -> Proof {
    let faults = match workbook.load(id) {
        Ok(problem) => audit(workbook, &problem),
        Err(error) => vec![error.to_string()],
    };
    Proof { name: id.to_string(), faults }
}

//! `checker doctor`: what is installed, what is missing, what to do about it.

use super::spinner::Spinner;
use super::{Context, Exit, Outcome};
use clap::Args;
use compiler::toolchain;
use compiler::toolchain::doctor::{DoctorStatus, examine};
use execution::backend;
use report::{Pen, Tone, pad};
use std::path::PathBuf;

/// Options of `checker doctor`.
#[derive(Debug, Clone, Args)]
pub struct DoctorArgs {
    /// A CUDA folder to use instead of the one found
    #[arg(long, value_name = "DIR")]
    toolchain: Option<PathBuf>,
}

/// One line of the report, whoever found it.
struct Line {
    name: String,
    status: DoctorStatus,
    finding: String,
    next: Option<String>,
}

/// Looks and reports.
pub fn run(context: &Context, args: &DoctorArgs) -> Outcome {
    let spinner = Spinner::new(context);
    spinner.say("looking around");
    let options = toolchain::ToolchainOptions { dir: args.toolchain.clone(), ..toolchain::ToolchainOptions::default() };
    let report = examine(&options);
    let gpus = backend::devices(&backend::WorkerOptions::default());
    drop(spinner);
    let exit = if report.status() == DoctorStatus::Problem { Exit::Environment } else { Exit::Met };

    if context.json {
        let gpus = match &gpus {
            Ok(gpus) => serde_json::json!(gpus),
            Err(error) => serde_json::json!({ "none": error.to_string() }),
        };
        let value = serde_json::json!({
            "schema": report::SCHEMA,
            "home": report.home,
            "checks": report.checks,
            "gpus": gpus,
        });
        context.print_json(&value)?;
        return Ok(exit);
    }

    let mut lines: Vec<Line> = report
        .checks
        .into_iter()
        // The driver itself knows more of the GPUs than the files it leaves.
        .filter(|check| check.name != "GPU")
        .map(|check| Line {
            name: check.name.to_owned(),
            status: check.status,
            finding: check.finding,
            next: check.next,
        })
        .collect();
    match gpus {
        Ok(gpus) => lines.extend(gpus.into_iter().map(|gpu| Line {
            name: format!("GPU {}", gpu.ordinal),
            status: DoctorStatus::Good,
            finding: format!(
                "{}, {}, {} SMs, {} GiB; driver {}, CUDA {}",
                gpu.name,
                gpu.arch,
                gpu.sms,
                gpu.memory_bytes >> 30,
                gpu.driver.as_deref().unwrap_or("of unknown version"),
                gpu.driver_cuda
            ),
            next: None,
        })),
        Err(error) => lines.push(Line {
            name: "GPU".to_owned(),
            status: DoctorStatus::Warning,
            finding: error.to_string(),
            next: Some(
                "nothing, unless there is one: kernels run on the simulator; only measured times need a GPU".into(),
            ),
        }),
    }

    let mut pen = Pen::new(context.face);
    let width = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    pen.blank();
    for line in &lines {
        let (tone, mark) = match line.status {
            DoctorStatus::Good => (Tone::Good, pen.face.glyph("✓", "ok")),
            DoctorStatus::Warning => (Tone::Warn, pen.face.glyph("·", "--")),
            DoctorStatus::Problem => (Tone::Bad, pen.face.glyph("✗", "no")),
        };
        let name = pad(&line.name, width, false);
        let first =
            [(Tone::Text, "  "), (tone, mark), (Tone::Text, " "), (Tone::Strong, name.as_str()), (Tone::Text, "  ")];
        pen.wrapped(&first, Tone::Text, &line.finding);
        if let Some(next) = &line.next {
            let indent = " ".repeat(width + 6);
            pen.wrapped(&[(Tone::Text, &indent), (Tone::Accent, "next: ")], Tone::Text, next);
        }
    }
    pen.gap();
    context.print(pen.finish())?;
    Ok(exit)
}

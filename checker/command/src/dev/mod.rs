//! `checker dev`: for authors of problems.

mod check;
mod course;
mod model;
mod new;
mod prove;
mod queue;
mod screen;

use super::{Context, Outcome};
use clap::{Args, Subcommand};

/// Options of `checker dev`.
#[derive(Debug, Clone, Args)]
pub struct DevArgs {
    #[command(subcommand)]
    command: DevCommand,
}

#[derive(Debug, Clone, Subcommand)]
enum DevCommand {
    /// Prove that problems hold: starters fail, solutions pass, mutants fail for their stated reasons
    Check(check::CheckArgs),
    /// Judge the model of time on all that is recorded: errors, and right winners
    Model(model::ModelArgs),
    /// Begin an exercise or a pair from one that works
    New(new::NewArgs),
    /// Turn a coloured report on the standard input into SVG
    Screen(screen::ScreenArgs),
}

/// Runs the author's command.
pub fn run(context: &Context, args: &DevArgs) -> Outcome {
    match &args.command {
        DevCommand::Check(args) => check::run(context, args),
        DevCommand::Model(args) => model::run(context, args),
        DevCommand::New(args) => new::run(context, args),
        DevCommand::Screen(args) => screen::run(context, args),
    }
}

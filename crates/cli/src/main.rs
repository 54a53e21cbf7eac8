//! The command line: one file a command, and what several of them share.
//!
//! ```text
//! args ──> run, inspect, check, bench, compare, bisect, replay, shell ──> failure: message and exit status
//!          │ inputs, cases ──> values, image, random       (what a model is fed)
//!          └ results, summary, top, difference             (what it gave)
//! ```
#![forbid(unsafe_code)]

mod args;
mod bench;
mod bisect;
mod cases;
mod check;
mod compare;
mod debugging;
mod difference;
mod failure;
mod files;
mod image;
mod inputs;
mod inspect;
mod kernels;
mod model;
mod progress;
mod random;
mod render;
mod replay;
mod results;
mod run;
mod shell;
mod style;
mod summary;
mod top;
mod values;

use args::{Cli, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) if answer.use_stderr() => answer.exit(),
        // Help or a version: an answer like any other, which must reach its reader.
        Err(answer) => return answered(answer.print().and_then(|()| std::io::stdout().flush())),
    };
    cli.color.apply();
    let mut out = anstream::stdout().lock();
    let result = dispatch(&cli.command, &mut out).and_then(|exit| {
        out.flush()?;
        Ok(exit)
    });
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report().into(),
    }
}

fn answered(printed: std::io::Result<()>) -> ExitCode {
    match printed {
        Ok(()) => Exit::Done.into(),
        Err(error) => Failure::from(error).report().into(),
    }
}

fn dispatch(command: &Command, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => run::run(args, out),
        Command::Inspect(args) => inspect::run(args, out),
        Command::Check(args) => check::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Compare(args) => compare::run(args, out),
        Command::Bisect(args) => bisect::run(args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Kernels(args) => kernels::run(args, out),
        Command::Completions(args) => shell::completions(args, out),
        Command::Man(args) => shell::man(args, out),
    }
}

//! The command line: one file a command, and what several of them share.
//!
//! ```text
//! args ──> run, inspect, check, bench, compare ──> failure: message and exit status
//!          │ inputs ──> values, image, random      (what a model is fed)
//!          └ results, summary, top                 (what it gave)
//! ```
#![forbid(unsafe_code)]

mod args;
mod failure;
mod files;
mod image;
mod inputs;
mod model;
mod random;
mod results;
mod run;
mod summary;
mod top;
mod values;

use args::{Cli, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse();
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

fn dispatch(command: &Command, out: &mut dyn Write) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => run::run(args, out),
    }
}

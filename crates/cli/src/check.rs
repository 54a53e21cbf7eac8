//! `tilewright check`: whether models are valid and supported, with every problem.

use crate::failure::{Exit, Failure};
use crate::{files, model, render, style};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use tilewright::Diagnostic;

const EXIT_STATUS: &str = "\
Exit status: 0 all will run, 3 something is not supported, 4 a model is invalid, 1 a file cannot be read.

Example:
  tilewright check models/*.onnx";

/// Options of `check`.
#[derive(Args, Debug)]
#[command(after_help = EXIT_STATUS)]
pub struct CheckArgs {
    /// The models, ONNX files; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,

    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command. The status is that of the worst model: invalid, then not supported, then others.
///
/// # Errors
/// Standard output only.
pub fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut worst = Exit::Done;
    let mut reports = Vec::new();
    for path in &args.models {
        let name = files::shown(path);
        let (problems, warnings) = model::check(path);
        let exit = Exit::of_model(&problems);
        worst = worst.max(exit);
        if args.json {
            let [problems, warnings] = [problems, warnings].map(|l| l.iter().map(render::json).collect::<Vec<_>>());
            reports.push(json!({ "model": name, "status": status(exit), "problems": problems, "warnings": warnings }));
        } else {
            print(out, &name, exit, &problems)?;
            for warning in &warnings {
                writeln!(out, "{}", render::warning(warning))?;
            }
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({ "schema": 1, "models": reports }))?;
    }
    Ok(worst)
}

fn status(exit: Exit) -> &'static str {
    match exit {
        Exit::Done => "ok",
        Exit::Unsupported => "unsupported",
        Exit::Invalid => "invalid",
        Exit::Failed | Exit::Usage | Exit::Differs => "failed",
    }
}

fn print(out: &mut dyn Write, name: &str, exit: Exit, problems: &[Diagnostic]) -> Result<(), Failure> {
    let style = if exit == Exit::Done { style::GOOD } else { style::BAD };
    writeln!(out, "{style}{:<11}{style:#}  {name}", status(exit))?;
    if !problems.is_empty() {
        writeln!(out, "{}", render::problems(problems, None, usize::MAX))?;
    }
    Ok(())
}

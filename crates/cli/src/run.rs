//! `tilewright run`: runs a model on files or random values, and shows or writes what it gives.

use crate::args::ExecutionArgs;
use crate::failure::{Exit, Failure};
use crate::inputs::{Feed, Feeds, InputArgs};
use crate::model::Named;
use crate::{files, results, style, summary, top};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use tilewright::{Diagnostic, Options, Value, ValueSpec, plain};

const EXAMPLES: &str = "\
Examples:
  tilewright run digits.onnx *.png --top 1             the best class of each image
  tilewright run bert.onnx --input ids=ids.npy --input mask=mask.npy --output-dir out
  tilewright run resnet.onnx --random --shape image=1x3x224x224";

/// Options of `run`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct RunArgs {
    /// The model, an ONNX file; `-` is standard input
    pub model: PathBuf,

    /// Inputs.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Write the outputs to DIR as output_<i>.npy (.pb where .npy cannot hold them) and outputs.json
    ///
    /// With several runs each has a folder DIR/run_<k>.
    #[arg(short, long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,

    /// Print the K classes with the highest scores, for each row along the last axis
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,

    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,

    /// Execution.
    #[command(flatten)]
    pub execution: ExecutionArgs,
}

/// What one run gave.
struct Ran<'a> {
    feed: &'a Feed,
    outputs: Vec<Value>,
    files: Vec<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// Anything that goes wrong; results of earlier runs are printed and written by then.
pub fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let options = args.execution.options()?;
    args.execution.watch.traced(&options, || run_all(args, &options, out))
}

fn run_all(args: &RunArgs, options: &Options, out: &mut dyn Write) -> Result<Exit, Failure> {
    let named = Named::load(&args.model)?;
    let feeds = args.inputs.feeds(&named)?;
    let session = named.compile(options)?;
    let specs = named.model.outputs();
    let (several, width) = (feeds.runs.len() > 1, label_width(&feeds));
    let mut reports = Vec::new();
    for (i, feed) in feeds.runs.iter().enumerate() {
        let given = args.inputs.read(&feeds.fixed, feed)?;
        let outputs = session.run(given).map_err(|e| Failure::of_run(*while_on(e, feed), &named.name))?;
        let dir = args.output_dir.as_ref().map(|d| if several { d.join(format!("run_{i}")) } else { d.clone() });
        let ran = Ran { feed, files: write(dir.as_deref(), &specs, &outputs)?, outputs };
        match (args.json, args.top) {
            (true, _) => reports.push(report(args, &feeds, &specs, &ran)),
            (false, Some(k)) => print_top(out, &specs, &ran, k as usize, width)?,
            (false, None) => print_summary(out, &specs, &ran, several)?,
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({ "schema": 1, "model": named.name, "runs": reports }))?;
    }
    Ok(Exit::Done)
}

fn label_width(feeds: &Feeds) -> usize {
    feeds.runs.iter().map(|f| f.label.chars().count()).max().unwrap_or(0)
}

/// Names the files of a run that fails.
fn while_on(error: Box<Diagnostic>, feed: &Feed) -> Box<Diagnostic> {
    if feed.label.is_empty() { error } else { error.note(format!("run on {}", feed.label)) }
}

/// Writes outputs, if there is a folder for them; gives the paths.
fn write(dir: Option<&Path>, specs: &[ValueSpec], outputs: &[Value]) -> tilewright::Result<Vec<PathBuf>> {
    let Some(dir) = dir else { return Ok(Vec::new()) };
    Ok(results::write(dir, specs, outputs)?.into_iter().map(|file| dir.join(file)).collect())
}

/// A line for each row of each output, after the name of what it is about.
fn print_top(out: &mut dyn Write, specs: &[ValueSpec], ran: &Ran, k: usize, width: usize) -> Result<(), Failure> {
    for (spec, value) in specs.iter().zip(&ran.outputs) {
        let Value::Tensor(tensor) = value else { continue };
        let rows = top::rows(tensor, k);
        let percent = top::are_probabilities(tensor);
        for (i, row) in rows.iter().enumerate() {
            let mut label = format!("{:<width$}", ran.feed.label);
            if specs.len() > 1 || label.is_empty() {
                label = format!("{label} {}", plain(&spec.name)).trim_start().to_string();
            }
            if rows.len() > 1 {
                label += &format!(" [{i}]");
            }
            writeln!(out, "{label}  →  {}", top::line(row, percent))?;
        }
    }
    Ok(())
}

fn print_summary(out: &mut dyn Write, specs: &[ValueSpec], ran: &Ran, titled: bool) -> Result<(), Failure> {
    let (note, dim) = (style::NOTE, style::DIM);
    if titled {
        writeln!(out, "{note}{}{note:#}", ran.feed.label)?;
    }
    for (i, (spec, value)) in specs.iter().zip(&ran.outputs).enumerate() {
        writeln!(out, "{}", summary::text(&spec.name, value))?;
        if let Some(file) = ran.files.get(i) {
            writeln!(out, "  {dim}-> {}{dim:#}", files::shown(file))?;
        }
    }
    Ok(())
}

fn report(args: &RunArgs, feeds: &Feeds, specs: &[ValueSpec], ran: &Ran) -> serde_json::Value {
    let output = |(i, (spec, value)): (usize, (&ValueSpec, &Value))| {
        let mut object = summary::json(value);
        object["name"] = json!(spec.name);
        if let Some(file) = ran.files.get(i) {
            object["file"] = json!(file);
        }
        if let (Some(k), Value::Tensor(tensor)) = (args.top, value) {
            let rows = top::rows(tensor, k as usize);
            let pair = |s: &top::Scored| json!({ "class": s.class, "score": s.score });
            object["top"] = rows.iter().map(|row| row.iter().map(pair).collect::<Vec<_>>()).collect();
        }
        object
    };
    let fixed = feeds.fixed.iter().map(|(s, f, _)| (s, Some(f)));
    let own = ran.feed.files.iter().map(|(s, f)| (s, Some(f))).chain(ran.feed.random.iter().map(|s| (s, None)));
    let inputs: Vec<_> = fixed.chain(own).map(|(s, f)| json!({ "name": s.name, "file": f })).collect();
    let outputs: Vec<_> = specs.iter().zip(&ran.outputs).enumerate().map(output).collect();
    json!({ "inputs": inputs, "outputs": outputs })
}

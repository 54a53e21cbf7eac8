//! `tilewright run`: runs a model on files or random values, and shows or writes what it gives.

use crate::args::ExecutionArgs;
use crate::failure::{Exit, Failure};
use crate::inputs::{Feed, InputArgs};
use crate::model::Named;
use crate::{results, style, summary, top};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use tilewright::{Session, Value, ValueSpec};

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
    let named = Named::load(&args.model)?;
    let session = named.compile(&args.execution)?;
    let feeds = args.inputs.feeds(&named)?;
    let specs = named.model.outputs();
    let width = feeds.iter().map(|f| f.label.chars().count()).max().unwrap_or(0);
    let mut reports = Vec::new();
    for (i, feed) in feeds.iter().enumerate() {
        let dir =
            args.output_dir.as_ref().map(|d| if feeds.len() == 1 { d.clone() } else { d.join(format!("run_{i}")) });
        let ran = run_once(args, &session, &named, feed, dir.as_deref())?;
        match (args.json, args.top) {
            (true, _) => reports.push(report(args, &specs, &ran)),
            (false, Some(k)) => print_top(out, &specs, &ran, k as usize, width)?,
            (false, None) => print_summary(out, &specs, &ran, feeds.len() > 1)?,
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({ "schema": 1, "model": named.name, "runs": reports }))?;
    }
    Ok(Exit::Done)
}

fn run_once<'a>(
    args: &RunArgs,
    session: &Session,
    named: &Named,
    feed: &'a Feed,
    dir: Option<&Path>,
) -> Result<Ran<'a>, Failure> {
    let values = args.inputs.read(feed)?;
    let outputs = session.run(values).map_err(|e| Failure::of_run(e, &named.name))?;
    let files = match dir {
        None => Vec::new(),
        Some(dir) => results::write(dir, &named.model.outputs(), &outputs)?.into_iter().map(|f| dir.join(f)).collect(),
    };
    Ok(Ran { feed, outputs, files })
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
                label = format!("{label} {}", spec.name).trim_start().to_string();
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
        for file in ran.files.get(i) {
            writeln!(out, "  {dim}-> {}{dim:#}", file.display())?;
        }
    }
    Ok(())
}

fn report(args: &RunArgs, specs: &[ValueSpec], ran: &Ran) -> serde_json::Value {
    let output = |(i, (spec, value)): (usize, (&ValueSpec, &Value))| {
        let mut object = summary::json(value);
        object["name"] = json!(spec.name);
        for file in ran.files.get(i) {
            object["file"] = json!(file);
        }
        if let (Some(k), Value::Tensor(tensor)) = (args.top, value) {
            let rows = top::rows(tensor, k as usize);
            let pair = |s: &top::Scored| json!({ "class": s.class, "score": s.score });
            object["top"] = rows.iter().map(|row| row.iter().map(pair).collect::<Vec<_>>()).collect();
        }
        object
    };
    let inputs: Vec<_> = ran.feed.files.iter().map(|(s, f)| json!({ "name": s.name, "file": f })).collect();
    let outputs: Vec<_> = specs.iter().zip(&ran.outputs).enumerate().map(output).collect();
    json!({ "inputs": inputs, "outputs": outputs })
}

//! `tilewright bisect`: where the compiled path and the interpreters part.

use crate::args::ExecutionArgs;
use crate::debugging::save;
use crate::difference::{self, Difference, Tolerance};
use crate::failure::{Exit, Failure};
use crate::inputs::InputArgs;
use crate::model::Named;
use crate::progress::Progress;
use crate::{files, style, summary};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use tilewright::debug::{Bisected, Found, NodeValue};
use tilewright::{Options, Value, plain};

const NOTES: &str = "\
Each kernel runs as machine code and in the loop interpreter, on the same operands: the first whose results differ in a bit is shown. Then \
each node is compared with the graph interpreter on the same operands, within a tolerance. Both take long: take small inputs.

Exit status: 0 nothing differs, 5 something does; others as for `run`.

Examples:
  tilewright bisect model.onnx --random --save first.kernel
  tilewright replay first.kernel";

/// Options of `bisect`.
#[derive(Args, Debug)]
#[command(after_help = NOTES)]
pub struct BisectArgs {
    /// The model, an ONNX file; `-` is standard input
    pub model: PathBuf,

    /// Inputs.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Write the kernel that differs, with its operands, to FILE
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,

    /// Relative tolerance of a node's floats, as for `compare`
    #[arg(long, value_name = "X", value_parser = crate::compare::tolerance)]
    pub rtol: Option<f64>,

    /// Absolute tolerance of a node's floats
    ///
    /// The default is that of `compare` times the largest of the node's values, where that is more than 1.
    #[arg(long, value_name = "X", value_parser = crate::compare::tolerance)]
    pub atol: Option<f64>,

    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,

    /// Execution.
    #[command(flatten)]
    pub execution: ExecutionArgs,
}

/// What was found in one run.
struct Outcome {
    kernels: Bisected,
    nodes: usize,
    node: Option<Node>,
}

/// A node whose value is not what it should be.
struct Node {
    place: String,
    output: usize,
    difference: Difference,
}

/// Runs the command.
///
/// # Errors
/// Anything that goes wrong.
pub fn run(args: &BisectArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let named = Named::load(&args.model)?;
    let feeds = args.inputs.feeds(&named)?;
    let options = args.execution.options()?;
    args.execution.watch.traced(&options, || {
        let mut outcomes = Vec::new();
        for feed in &feeds.runs {
            let given = args.inputs.read(&feeds.fixed, feed)?;
            outcomes.push(search(args, &named, &options, given)?);
        }
        report(args, &named, &outcomes, out)
    })
}

fn search(
    args: &BisectArgs,
    named: &Named,
    options: &Options,
    given: Vec<(String, Value)>,
) -> Result<Outcome, Failure> {
    let session = named.compile(options)?;
    let mut progress = Progress::new();
    progress.show(|| "kernels".into());
    let failed = |e: Box<tilewright::Diagnostic>| Failure::of_run(*e, &named.name);
    let kernels = named.model.bisect(options, given.clone()).map_err(failed)?;
    progress.show(|| "nodes".into());
    let mut node = None;
    let mut go_on = |value: &NodeValue<'_>| {
        let difference = difference::compare(value.got, value.want, tolerance(args, value.want));
        if !matches!(difference, Difference::Within(_)) {
            node = Some(Node { place: value.node.to_string(), output: value.output, difference });
        }
        node.is_none()
    };
    let nodes = session.compare_nodes(given, &mut go_on).map_err(failed)?;
    Ok(Outcome { kernels, nodes, node })
}

/// The tolerance for a value: sums of large terms may be small.
fn tolerance(args: &BisectArgs, want: &Value) -> Tolerance {
    let given = Tolerance { rtol: args.rtol, atol: args.atol };
    match want {
        Value::Tensor(t) if args.atol.is_none() && t.dtype().is_float() => {
            let range = summary::Range::of(t);
            let largest = range.map_or(0.0, |r| r.min.abs().max(r.max.abs()));
            Tolerance { atol: Some(given.of(t.dtype()).1 * largest.max(1.0)), ..given }
        }
        _ => given,
    }
}

fn report(args: &BisectArgs, named: &Named, outcomes: &[Outcome], out: &mut dyn Write) -> Result<Exit, Failure> {
    let found = outcomes.iter().find_map(|o| o.kernels.found.as_ref());
    if let (Some(file), Some(found)) = (&args.save, found) {
        save(file, &found.replay)?;
    }
    let differs = |o: &&Outcome| o.kernels.found.is_some() || o.node.is_some();
    let differing = outcomes.iter().filter(differs).count();
    if args.json {
        let runs: Vec<_> = outcomes.iter().map(json_of).collect();
        writeln!(out, "{:#}", json!({ "schema": 1, "model": named.name, "runs": runs, "differing": differing }))?;
    } else {
        outcomes.iter().try_for_each(|o| print(out, o))?;
        if let (Some(file), Some(_)) = (&args.save, found) {
            writeln!(out, "  -> {}", files::shown(file))?;
        }
    }
    Ok(if differing == 0 { Exit::Done } else { Exit::Differs })
}

fn print(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    let (good, bad) = (style::GOOD, style::BAD);
    match &outcome.kernels.found {
        None => writeln!(out, "{good}agree  {good:#}  {} kernels, bit for bit", outcome.kernels.kernels)?,
        Some(found) => print_kernel(out, found)?,
    }
    let Some(node) = &outcome.node else {
        return writeln!(out, "{good}agree  {good:#}  {} values of nodes, within the tolerance", outcome.nodes);
    };
    write!(out, "{bad}differs{bad:#}  result {} of {}: ", node.output, node.place)?;
    match &node.difference {
        Difference::Type(text) => writeln!(out, "{text}"),
        Difference::Within(_) => writeln!(out),
        Difference::Elements { count, of, worst, .. } => {
            writeln!(out, "{count} of {of} elements; the worst:")?;
            let [error, allowed] = [worst.error, worst.allowed].map(summary::number);
            let (index, got, want) = (&worst.index, &worst.got, &worst.want);
            writeln!(out, "         {index:?}: got {got}, want {want}, error {error} (allowed {allowed})")
        }
    }
}

fn print_kernel(out: &mut dyn Write, found: &Found) -> io::Result<()> {
    let bad = style::BAD;
    let (kernel, different) = (found.replay.kernel(), &found.different);
    let (name, buffer) = (plain(&kernel.name), plain(&different.buffer));
    writeln!(out, "{bad}differs{bad:#}  kernel {name}, step {} of plan {}, {}", found.step, found.plan, found.node)?;
    let (count, of, level) = (different.count, different.of, found.level.name());
    writeln!(out, "         {count} of {of} elements of {buffer} ({}) at level {level}", different.dtype)?;
    for element in &different.first {
        let (got, want) = (&element.got, &element.want);
        writeln!(out, "         {buffer}[{}]: machine code {got}, loop interpreter {want}", element.at)?;
    }
    kernel.to_string().lines().try_for_each(|line| writeln!(out, "  {}", plain(line)))
}

fn json_of(outcome: &Outcome) -> serde_json::Value {
    let kernel = outcome.kernels.found.as_ref().map(|found| {
        let kernel = found.replay.kernel();
        let mut object = different(&found.different);
        object["name"] = json!(&*kernel.name);
        object["text"] = json!(kernel.to_string());
        object["plan"] = json!(found.plan);
        object["step"] = json!(found.step);
        object["node"] = json!(found.node.to_string());
        object["isa"] = json!(found.level.name());
        object
    });
    let node = outcome.node.as_ref().map(|node| {
        let mut object = json!({ "node": node.place, "output": node.output });
        match &node.difference {
            Difference::Within(_) => {}
            Difference::Type(text) => object["reason"] = json!(text),
            Difference::Elements { count, of, worst, .. } => {
                object["differing"] = json!(count);
                object["elements"] = json!(of);
                object["worst"] = worst.json();
            }
        }
        object
    });
    json!({ "kernels": outcome.kernels.kernels, "kernel": kernel, "nodes": outcome.nodes, "node": node })
}

/// Elements that differ, as JSON.
pub fn different(different: &tilewright::debug::Different) -> serde_json::Value {
    let element = |e: &tilewright::debug::Element| json!({ "index": e.at, "got": e.got, "want": e.want });
    let first: Vec<_> = different.first.iter().map(element).collect();
    json!({
        "buffer": different.buffer, "dtype": different.dtype.name(),
        "differing": different.count, "elements": different.of, "first": first,
    })
}

//! `tilewright compare`: runs a model on recorded inputs and compares with the recorded outputs.

use crate::args::ExecutionArgs;
use crate::cases::{self, Case};
use crate::difference::{self, Difference, Tolerance};
use crate::failure::{Exit, Failure};
use crate::model::Named;
use crate::progress::Progress;
use crate::{files, style, summary};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tilewright::{Diagnostic, Options, Session, ValueSpec, plain};

const LAYOUT: &str = "\
Recorded files are input_<i>.npy and output_<i>.npy (or .pb), numbered in the order of the model's inputs and outputs. They lie \
beside the model and in folders case_* and test_data_set_* there; each folder is one run.

Exit status: 0 all agree, 5 some differ; others as for `run`.";

/// Options of `compare`.
#[derive(Args, Debug)]
#[command(after_help = LAYOUT)]
pub struct CompareArgs {
    /// The model, an ONNX file; `-` is standard input
    pub model: PathBuf,

    /// Where the recorded files lie [default: the model's folder]
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Relative tolerance of floats: |got - want| <= atol + rtol * |want|
    ///
    /// The default is 1e-3 for f32 and f64, 1e-2 for f16, 5e-2 for narrower ones. Integers, bools and strings must be
    /// equal; NaN equals NaN.
    #[arg(long, value_name = "X", value_parser = tolerance)]
    pub rtol: Option<f64>,

    /// Absolute tolerance of floats
    ///
    /// The default is 1e-5 for f32 and f64, 1e-3 for f16, 1e-2 for narrower ones.
    #[arg(long, value_name = "X", value_parser = tolerance)]
    pub atol: Option<f64>,

    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,

    /// Execution.
    #[command(flatten)]
    pub execution: ExecutionArgs,
}

/// A tolerance.
pub fn tolerance(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| *x >= 0.0).ok_or_else(|| "give a number of at least 0".to_string())
}

/// Runs the command.
///
/// # Errors
/// `Usage` if nothing is recorded; whatever goes wrong in a run.
pub fn run(args: &CompareArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let options = args.execution.options()?;
    args.execution.watch.traced(&options, || compare(args, &options, out))
}

fn compare(args: &CompareArgs, options: &Options, out: &mut dyn Write) -> Result<Exit, Failure> {
    let named = Named::load(&args.model)?;
    let dir = args.dir.clone().unwrap_or_else(|| folder(&args.model));
    let found = cases::find(&dir)?;
    if found.is_empty() {
        let help = "it has neither output_0.npy nor a folder case_* or test_data_set_* with one: give --dir DIR";
        return Err(Diagnostic::usage(format!("nothing is recorded in {}", dir.display())).help(help).into());
    }
    let session = named.compile(options)?;
    let specs = named.model.outputs();
    let (mut reports, mut differing) = (Vec::new(), 0);
    for (i, case) in found.iter().enumerate() {
        let differences = run_case(args, &session, &named, case, || format!("case {} of {}", i + 1, found.len()))?;
        differing += usize::from(differences.iter().any(|(_, d)| !matches!(d, Difference::Within(_))));
        if args.json {
            reports.push(report(case, &specs, &differences));
        } else {
            print(out, case, &specs, &differences)?;
        }
    }
    if args.json {
        let whole = json!({ "schema": 1, "model": named.name, "cases": reports, "differing": differing });
        writeln!(out, "{whole:#}")?;
    } else {
        writeln!(out, "{} of {} cases agree", found.len() - differing, found.len())?;
    }
    Ok(if differing == 0 { Exit::Done } else { Exit::Differs })
}

fn folder(model: &Path) -> PathBuf {
    match model.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !files::is_stdin(model) => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Runs one case and compares each recorded output.
fn run_case(
    args: &CompareArgs,
    session: &Session,
    named: &Named,
    case: &Case,
    title: impl FnOnce() -> String,
) -> Result<Vec<(usize, Difference)>, Failure> {
    let inputs = named.model.inputs();
    let given = cases::read(&case.inputs, &inputs, "input")?;
    let wanted = cases::read(&case.outputs, &named.model.outputs(), "output")?;
    let mut progress = Progress::new();
    progress.show(title);
    let feed = given.into_iter().map(|(i, value)| (inputs[i].name.clone(), value));
    let note = |e: Box<Diagnostic>| if case.name.is_empty() { e } else { e.note(format!("in {}", case.name)) };
    let got = session.run(feed).map_err(|e| Failure::of_run(*note(e), &named.name))?;
    let tolerance = Tolerance { rtol: args.rtol, atol: args.atol };
    let compare = |(i, want)| (i, difference::compare(&got[i], &want, tolerance));
    Ok(wanted.into_iter().map(compare).collect())
}

fn print(out: &mut dyn Write, case: &Case, specs: &[ValueSpec], differences: &[(usize, Difference)]) -> io::Result<()> {
    let (good, bad) = (style::GOOD, style::BAD);
    for (i, difference) in differences {
        let name = plain(&specs[*i].name);
        let label = if case.name.is_empty() { name.to_string() } else { format!("{}: {name}", plain(&case.name)) };
        match difference {
            Difference::Within(error) => {
                writeln!(out, "{good}agrees {good:#}  {label}  largest error {}", summary::number(*error))?;
            }
            Difference::Type(text) => writeln!(out, "{bad}differs{bad:#}  {label}  is {text}")?,
            Difference::Elements { count, of, worst, cosine } => {
                writeln!(out, "{bad}differs{bad:#}  {label}  {count} of {of} elements{}; the worst:", shown(*cosine))?;
                let allowed = summary::number(worst.allowed);
                writeln!(
                    out,
                    "         {name}{:?}: got {}, want {}, error {} (allowed {allowed})",
                    worst.index,
                    worst.got,
                    worst.want,
                    summary::number(worst.error)
                )?;
            }
        }
    }
    Ok(())
}

fn shown(cosine: Option<f64>) -> String {
    cosine.map_or_else(String::new, |c| format!(", cosine {c:.5}"))
}

fn report(case: &Case, specs: &[ValueSpec], differences: &[(usize, Difference)]) -> serde_json::Value {
    let output = |(i, difference): &(usize, Difference)| {
        let name = &specs[*i].name;
        match difference {
            Difference::Within(error) => json!({ "name": name, "status": "agrees", "largest_error": error }),
            Difference::Type(text) => json!({ "name": name, "status": "differs", "reason": text }),
            Difference::Elements { count, of, worst, cosine } => json!({
                "name": name, "status": "differs", "differing": count, "elements": of, "cosine": cosine,
                "worst": worst.json(),
            }),
        }
    };
    json!({ "case": case.name, "outputs": differences.iter().map(output).collect::<Vec<_>>() })
}

//! `tilewright inspect`: what a model consists of.

use crate::args::PassArgs;
use crate::failure::{Exit, Failure};
use crate::model::Named;
use crate::{render, style};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use tilewright::{Description, Diagnostic, ValueSpec, plain};

/// Options of `inspect`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  tilewright inspect model.onnx --dump-ir 2> graph.txt")]
pub struct InspectArgs {
    /// The model, an ONNX file; `-` is standard input
    pub model: PathBuf,

    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,

    /// Passes.
    #[command(flatten)]
    pub passes: PassArgs,
}

/// Runs the command. A model that is not supported is described all the same.
///
/// # Errors
/// A model that cannot be loaded; standard output.
pub fn run(args: &InspectArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    if args.passes.dumps_kernels() {
        let message = "kernels are made for the sizes of a run, and `inspect` runs nothing";
        return Err(Diagnostic::usage(message).help("use `tilewright run` with the same --dump-ir").into());
    }
    let named = Named::load(&args.model)?;
    let description = named.model.describe();
    let defaults = named.model.defaults();
    let problems = named.model.problems();
    let options = args.passes.options()?;
    if problems.is_empty() && args.passes.tell() {
        named.compile(&options)?;
    }
    if args.json {
        writeln!(out, "{:#}", report(&named.name, &description, &defaults, &problems))?;
    } else {
        print(out, &named.name, &description, &defaults)?;
        print_problems(out, &problems)?;
    }
    Ok(Exit::Done)
}

fn print(out: &mut dyn Write, name: &str, d: &Description, defaults: &[ValueSpec]) -> io::Result<()> {
    let head = style::HEAD;
    writeln!(out, "{head}{name}{head:#}")?;
    let opsets: Vec<String> = d.opsets.iter().map(|(domain, version)| format!("{domain} {version}")).collect();
    let flops = d.flops.as_deref().map_or("depend on the inputs' values".into(), count);
    let parameters = format!("{} ({})", thousands(d.parameters), bytes(d.parameter_bytes));
    let rows = [
        ("producer", d.producer.clone()),
        ("format", format!("ONNX, IR version {}", d.ir_version)),
        ("opsets", opsets.join(", ")),
        ("nodes", thousands(d.nodes as u64)),
        ("parameters", parameters),
        ("FLOPs", flops),
    ];
    for (label, value) in rows.iter().filter(|(_, v)| !v.is_empty()) {
        writeln!(out, "  {label:<10}  {}", plain(value))?;
    }
    print_values(out, "inputs", &d.inputs)?;
    print_values(out, "inputs with a default", defaults)?;
    print_values(out, "outputs", &d.outputs)?;
    writeln!(out, "{head}operators{head:#}")?;
    let width = d.operators.iter().map(|o| plain(&o.op).chars().count()).max().unwrap_or(0);
    for op in &d.operators {
        writeln!(out, "  {:<width$}  {:>5}", plain(&op.op), op.count)?;
    }
    Ok(())
}

fn print_values(out: &mut dyn Write, title: &str, specs: &[ValueSpec]) -> io::Result<()> {
    let head = style::HEAD;
    if !specs.is_empty() {
        writeln!(out, "{head}{title}{head:#}")?;
    }
    let width = specs.iter().map(|s| plain(&s.name).chars().count()).max().unwrap_or(0);
    specs.iter().try_for_each(|s| writeln!(out, "  {:<width$}  {}", plain(&s.name), plain(&s.ty)))
}

fn print_problems(out: &mut dyn Write, problems: &[Diagnostic]) -> io::Result<()> {
    let head = style::HEAD;
    if problems.is_empty() {
        return writeln!(out, "{head}problems{head:#}\n  none: all of it is supported");
    }
    let text = render::problems(problems, None, render::FEW).replace('\n', "\n  ");
    writeln!(out, "{head}problems{head:#}\n  {text}")
}

fn report(name: &str, d: &Description, defaults: &[ValueSpec], problems: &[Diagnostic]) -> serde_json::Value {
    let value =
        |s: &ValueSpec| json!({ "name": s.name, "type": s.ty, "dtype": s.dtype.map(|t| t.name()), "dims": s.dims });
    let values = |specs: &[ValueSpec]| specs.iter().map(value).collect::<Vec<_>>();
    let opsets: Vec<_> = d.opsets.iter().map(|(domain, v)| json!({ "domain": domain, "version": v })).collect();
    let operators: Vec<_> = d.operators.iter().map(|o| json!({ "op": o.op, "count": o.count })).collect();
    json!({
        "schema": 1, "model": name, "producer": d.producer, "ir_version": d.ir_version, "opsets": opsets,
        "inputs": values(&d.inputs), "defaults": values(defaults), "outputs": values(&d.outputs),
        "nodes": d.nodes, "operators": operators, "parameters": d.parameters, "parameter_bytes": d.parameter_bytes,
        "flops": d.flops, "problems": problems.iter().map(render::json).collect::<Vec<_>>(),
    })
}

/// Numbers in groups of three digits.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let first = digits.len() % 3;
    let groups = digits.as_bytes()[first..].chunks(3).map(|g| String::from_utf8_lossy(g).into_owned());
    let head = (first > 0).then(|| digits[..first].to_string());
    head.into_iter().chain(groups).collect::<Vec<_>>().join(",")
}

/// `15.2 KiB`.
fn bytes(n: u64) -> String {
    scaled(n as f64, 1024.0, &["bytes", "KiB", "MiB", "GiB", "TiB"])
}

/// `1.5 G` of a number; expressions stay as they are.
fn count(expression: &str) -> String {
    match expression.parse::<f64>() {
        Ok(n) => scaled(n, 1000.0, &["", "k", "M", "G", "T"]).trim_end().to_string(),
        Err(_) => expression.to_string(),
    }
}

fn scaled(n: f64, base: f64, units: &[&str]) -> String {
    let (mut n, mut unit) = (n, 0);
    while n >= base && unit + 1 < units.len() {
        (n, unit) = (n / base, unit + 1);
    }
    if unit == 0 { format!("{n} {}", units[0]) } else { format!("{n:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(123456), "123,456");
        assert_eq!(thousands(1234567), "1,234,567");
        assert_eq!(bytes(12), "12 bytes");
        assert_eq!(bytes(15_565), "15.2 KiB");
        assert_eq!(count("999"), "999");
        assert_eq!(count("4110000000"), "4.1 G");
        assert_eq!(count("12*B"), "12*B");
    }
}

//! `tilewright kernels`: what this machine reaches.

use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::style;
use clap::Args;
use serde_json::json;
use std::io::Write;
use tilewright::kernels::{Level, Limits, Machine, Row, Target, listing, look_up, suite};
use tilewright::{Diagnostic, plain};

const NOTES: &str = "\
Peak and bandwidth are those of one core, measured in the same run; times are medians. Close other work first.

Example:
  tilewright kernels --only f32
  tilewright kernels --disasm contract_f32_8x48";

/// Options of `kernels`.
#[derive(Args, Debug)]
#[command(after_help = NOTES)]
pub struct KernelsArgs {
    /// Print a report as JSON
    #[arg(long, conflicts_with = "disasm")]
    pub json: bool,

    /// Print the instructions of a kernel, by the name that the report gives it
    #[arg(long, value_name = "NAME")]
    pub disasm: Option<String>,

    /// Only rows whose kind, dtype or name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub only: String,

    /// Numbers of threads to measure with
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1, 2], value_parser = threads)]
    pub threads: Vec<usize>,

    /// Use no more than these instructions: portable, avx2 or avx512
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub isa: Option<Level>,
}

fn threads(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| (1..=1024).contains(n)).ok_or_else(|| "expected a number from 1 to 1024".into())
}

/// A level by its name.
pub fn level(text: &str) -> Result<Level, String> {
    Level::named(text).ok_or_else(|| "expected portable, avx2 or avx512".into())
}

/// Runs the command.
///
/// # Errors
/// `Usage` for a kernel that is not known; standard output.
pub fn run(args: &KernelsArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let here = Target::detect();
    let machine = Machine::new(args.isa.map_or(here, |level| here.at_most(level)));
    if let Some(name) = &args.disasm {
        let text = listing(&machine, name)?.ok_or_else(|| {
            let message = format!("no kernel is called {:?}", plain(name));
            Diagnostic::usage(message).help("`tilewright kernels --only kernel` lists some")
        })?;
        write!(out, "{text}")?;
        return Ok(Exit::Done);
    }
    let limits = Limits::measure(&machine)?;
    let look_up = look_up(&machine)?.map(|seconds| seconds * 1e9);
    let mut progress = Progress::new();
    let mut rows = Vec::new();
    for (label, measure) in suite(&machine, &limits, &args.threads) {
        if label.contains(&args.only) {
            progress.show(|| label.clone());
            rows.push(measure()?);
        }
    }
    drop(progress);
    if args.json {
        writeln!(out, "{:#}", report(&machine, &limits, look_up, &rows))?;
    } else {
        print(out, &machine, &limits, &rows, look_up)?;
    }
    Ok(Exit::Done)
}

fn report(machine: &Machine, limits: &Limits, look_up: [f64; 2], rows: &[Row]) -> serde_json::Value {
    let peak: serde_json::Map<_, _> = limits
        .peak
        .iter()
        .map(|p| (if p.product.c().is_float() { p.product.name() } else { "int8" }.into(), json!(p.gflops)))
        .collect();
    let [l1, l2, l3, dram] = limits.bandwidth;
    let kernels: Vec<_> = rows
        .iter()
        .map(|r| {
            json!({
                "name": r.name, "kind": r.kind.name(), "dtype": r.dtype,
                "m": r.sizes[0], "n": r.sizes[1], "k": r.sizes[2], "threads": r.threads,
                "gflops": r.gflops(), "percent_of_peak": r.timed.percent,
                "gbps": r.gbps(), "percent_of_bandwidth": r.percent_of_bandwidth(limits, &machine.target()),
                "percent_of_plain": r.plain,
                "epilogue_cost_percent": r.cost.map(|c| json!({ "median": c.0, "half_width": c.1 })),
                "emit_us": r.emitted.map(|e| e.0 * 1e6), "code_bytes": r.emitted.map(|e| e.1),
            })
        })
        .collect();
    json!({
        "schema": 1, "isa": machine.target().level.name(), "peak": peak,
        "bandwidth": { "l1": l1, "l2": l2, "l3": l3, "dram": dram },
        "look_up_ns": { "contract": look_up[0], "map": look_up[1] }, "kernels": kernels,
    })
}

fn print(
    out: &mut dyn Write,
    machine: &Machine,
    limits: &Limits,
    rows: &[Row],
    look_up: [f64; 2],
) -> std::io::Result<()> {
    let head = style::HEAD;
    let peak: Vec<String> = limits.peak.iter().map(|p| format!("{} {:.0}", p.product.name(), p.gflops)).collect();
    let [l1, l2, l3, dram] = limits.bandwidth;
    let [contract, map] = look_up;
    writeln!(out, "{head}peak{head:#}       {} GFLOP/s ({})", peak.join(", "), machine.target().level.name())?;
    writeln!(out, "{head}bandwidth{head:#}  L1 {l1:.0}, L2 {l2:.0}, L3 {l3:.0}, memory {dram:.0} GB/s")?;
    writeln!(out, "{head}look-up{head:#}    a product {contract:.0} ns, a map of ten operations {map:.0} ns")?;
    writeln!(
        out,
        "{head}{:<9} {:<5} {:<36} {:>7} {:>9} {:>8} {:>7} {:>8} {:>7}{head:#}",
        "kind", "dtype", "kernel", "threads", "GFLOP/s", "of peak", "GB/s", "of plain", "emitted"
    )?;
    for r in rows {
        let percent = |share: f64| if share.is_nan() { String::new() } else { format!("{share:.1} %") };
        let (name, threads, gbps) = (&r.name, r.threads, r.gbps());
        let speed = if r.operations.is_nan() {
            format!("{:.1} us", r.timed.seconds * 1e6)
        } else {
            format!("{:.1}", r.gflops())
        };
        let (peak, plain) = (percent(r.timed.percent), percent(r.plain.unwrap_or(f64::NAN)));
        let emitted = r.emitted.map_or(String::new(), |e| format!("{:.0} us", e.0 * 1e6));
        write!(out, "{:<9} {:<5} {name:<36} {threads:>7} {speed:>9} {peak:>8} ", r.kind.name(), r.dtype)?;
        writeln!(out, "{gbps:>7.1} {plain:>8} {emitted:>7}")?;
    }
    Ok(())
}

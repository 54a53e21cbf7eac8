//! `tilewright bench`: how long a model takes to load and to run.

use crate::args::{ExecutionArgs, RandomArgs};
use crate::failure::{Exit, Failure};
use crate::model::Named;
use crate::progress::Progress;
use crate::{cases, files, results, style, summary};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tilewright::{Diagnostic, Options, Session, VERSION, Value, plain};

const CONTRACT: &str = "\
The model runs once (first_ms), then at least 5 and at most 2,000 times until --min-time has passed. With --json the last line is one \
object: load_s, first_ms, times_ms (a list), rss_load_peak_mb and rss_run_peak_mb (peaks of the process after loading and at the \
end; null where the system does not tell), arena_mb and arena_live_mb (the memory of values inside the model, and the most of it that is \
in use at one time), version.

Examples:
  tilewright bench model.onnx --shape image=1x3x224x224
  tilewright bench model.onnx --inputs recorded --threads 2 --min-time 5 --json";

const FEWEST: usize = 5;
const MOST: usize = 2_000;

/// Options of `bench`.
#[derive(Args, Debug)]
#[command(after_help = CONTRACT)]
pub struct BenchArgs {
    /// The model, an ONNX file; `-` is standard input
    pub model: PathBuf,

    /// Inputs from 00_<name>.npy, 01_<name>.npy, ... in DIR, in the order of the model's inputs
    ///
    /// Other files there are ignored. Without it the inputs are random.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["random", "shape"])]
    pub inputs: Option<PathBuf>,

    /// Random values.
    #[command(flatten)]
    pub random: RandomArgs,

    /// Seconds that the runs take together, at least
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    pub min_time: f64,

    /// Write the outputs of the last run to DIR as 00.npy, 01.npy, ...
    #[arg(long, value_name = "DIR")]
    pub outputs: Option<PathBuf>,

    /// Precision of the arithmetic
    #[arg(long, value_enum, default_value_t = Precision::F32)]
    pub precision: Precision,

    /// Print the figures as one line of JSON
    #[arg(long)]
    pub json: bool,

    /// Execution.
    #[command(flatten)]
    pub execution: ExecutionArgs,
}

/// The precision of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// What the model states, f32 for f32.
    F32,
}

fn seconds(text: &str) -> Result<f64, String> {
    let fits = |s: &f64| (0.0..=86_400.0).contains(s);
    text.parse().ok().filter(fits).ok_or_else(|| "give seconds from 0 to 86400".to_string())
}

/// What was measured.
struct Figures {
    load: Duration,
    first: Duration,
    times_ms: Vec<f64>,
    load_peak_mb: Option<f64>,
    run_peak_mb: Option<f64>,
    /// Bytes of the largest arena, and how many of these were in use at one time.
    arena: (usize, usize),
}

/// Runs the command.
///
/// # Errors
/// Anything that goes wrong.
pub fn run(args: &BenchArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let options = args.execution.options()?;
    args.execution.watch.traced(&options, || bench(args, &options, out))
}

fn bench(args: &BenchArgs, options: &Options, out: &mut dyn Write) -> Result<Exit, Failure> {
    let start = Instant::now();
    let named = Named::load(&args.model)?;
    let session = named.compile(options)?;
    let load = start.elapsed();
    let load_peak_mb = peak_mb();
    let feed = feed(args, &named)?;
    let (first, times_ms, outputs) =
        measure(&session, &feed, args.min_time).map_err(|e| Failure::of_run(*e, &named.name))?;
    let figures = Figures { load, first, times_ms, load_peak_mb, run_peak_mb: peak_mb(), arena: session.arena() };
    if let Some(dir) = &args.outputs {
        write_outputs(dir, &outputs)?;
    }
    if args.json {
        writeln!(out, "{}", report(&figures))?;
    } else {
        print(out, &named.name, &feed, &figures)?;
    }
    Ok(Exit::Done)
}

fn feed(args: &BenchArgs, named: &Named) -> Result<Vec<(String, Value)>, Failure> {
    let specs = named.model.inputs();
    let Some(dir) = &args.inputs else {
        let random = RandomArgs { random: args.random.seed().or(Some(0)), shape: args.random.shape.clone() };
        return Ok(random.values(&specs)?);
    };
    let files = cases::numbered(dir, |stem| stem.split_once('_')?.0.parse().ok())?;
    if files.len() != specs.len() {
        let message = format!("{} holds {} inputs, the model has {}", dir.display(), files.len(), specs.len());
        return Err(Diagnostic::usage(message).help("inputs are named 00_<name>.npy, 01_<name>.npy, ...").into());
    }
    let files: Vec<(usize, PathBuf)> = files.into_iter().enumerate().map(|(i, (_, path))| (i, path)).collect();
    let values = cases::read(&files, &specs, "input")?;
    Ok(values.into_iter().map(|(i, value)| (specs[i].name.clone(), value)).collect())
}

type Measured = (Duration, Vec<f64>, Vec<Value>);

fn measure(session: &Session, feed: &[(String, Value)], min_time: f64) -> tilewright::Result<Measured> {
    let once = || -> tilewright::Result<(Duration, Vec<Value>)> {
        let start = Instant::now();
        let outputs = session.run(feed.iter().cloned())?;
        Ok((start.elapsed(), outputs))
    };
    let mut progress = Progress::new();
    progress.show(|| "first run".into());
    let (first, mut outputs) = once()?;
    let mut times = Vec::new();
    let start = Instant::now();
    while times.len() < FEWEST || (start.elapsed().as_secs_f64() < min_time && times.len() < MOST) {
        let (time, given) = once()?;
        times.push(time.as_secs_f64() * 1e3);
        outputs = given;
        progress.show(|| format!("{} runs, {:.1} of {min_time} s", times.len(), start.elapsed().as_secs_f64()));
    }
    Ok((first, times, outputs))
}

fn write_outputs(dir: &Path, outputs: &[Value]) -> Result<(), Failure> {
    files::make_dir(dir)?;
    for (i, value) in outputs.iter().enumerate() {
        let (extension, bytes) = results::encode(value)?;
        files::write(&dir.join(format!("{i:02}.{extension}")), &bytes)?;
    }
    Ok(())
}

/// The largest memory of this process so far, where the system tells.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1024.0)
}

fn mb(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn report(f: &Figures) -> serde_json::Value {
    json!({
        "load_s": f.load.as_secs_f64(), "first_ms": f.first.as_secs_f64() * 1e3, "times_ms": f.times_ms,
        "rss_load_peak_mb": f.load_peak_mb, "rss_run_peak_mb": f.run_peak_mb,
        "arena_mb": mb(f.arena.0), "arena_live_mb": mb(f.arena.1), "version": VERSION,
    })
}

fn print(out: &mut dyn Write, name: &str, feed: &[(String, Value)], f: &Figures) -> io::Result<()> {
    let (head, good, dim) = (style::HEAD, style::GOOD, style::DIM);
    writeln!(out, "{head}{name}{head:#}  {dim}tilewright {VERSION}{dim:#}")?;
    for (name, value) in feed {
        let ty = value.as_tensor().map_or_else(|| value.kind().to_string(), summary::type_of);
        writeln!(out, "  {}  {ty}", plain(name))?;
    }
    let mut sorted = f.times_ms.clone();
    sorted.sort_by(f64::total_cmp);
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    let row = [sorted[0], mean, percentile(&sorted, 50), percentile(&sorted, 90), percentile(&sorted, 99)];
    let [min, mean, p50, p90, p99] = row.map(ms);
    writeln!(
        out,
        "  {dim}{:>10}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{dim:#}",
        "load", "first run", "min", "mean", "p50", "p90", "p99"
    )?;
    let [load, first] = [f.load, f.first].map(|t| ms(t.as_secs_f64() * 1e3));
    writeln!(out, "  {load:>10}{first:>12}{min:>12}{mean:>12}{good}{p50:>12}{good:#}{p90:>12}{p99:>12}")?;
    write!(out, "  {} runs", sorted.len())?;
    if let (Some(load), Some(run)) = (f.load_peak_mb, f.run_peak_mb) {
        write!(out, ", peak memory {load:.0} MB when loaded, {run:.0} MB in the end")?;
    }
    write!(out, ", {:.1} MB for values inside the model", mb(f.arena.0))?;
    writeln!(out)
}

/// The value below which so many of a hundred lie (nearest rank).
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() * percent).div_ceil(100).saturating_sub(1)]
}

/// `12.34 ms`.
fn ms(v: f64) -> String {
    match v {
        v if v < 1.0 => format!("{:.1} us", v * 1e3),
        v if v < 1e4 => format!("{v:.2} ms"),
        v => format!("{:.2} s", v / 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let sorted: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!([50, 90, 99].map(|p| percentile(&sorted, p)), [100.0, 180.0, 198.0]);
        assert_eq!([50, 90, 99].map(|p| percentile(&[7.0], p)), [7.0; 3]);
    }

    #[test]
    fn times_have_fitting_units() {
        assert_eq!([0.0123, 1.5, 12_345.0].map(ms), ["12.3 us", "1.50 ms", "12.35 s"]);
    }
}

//! `tilewright replay`: runs saved kernels at every level of this machine.

use crate::bisect::different;
use crate::failure::{Exit, Failure};
use crate::{files, style};
use clap::Args;
use serde_json::json;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;
use tilewright::debug::{Replay, Replayed};
use tilewright::{Result, plain};

const NOTES: &str = "\
A file is what `bisect --save` and `run --save-kernels` write. The kernel runs on its operands at every level of this machine, each time \
compared bit for bit with the loop interpreter; times are medians on one thread.

Exit status: 0 all is as it should be, 5 something differs, 1 a file is broken.

Example:
  tilewright run model.onnx --random --save-kernels kernels && tilewright replay kernels/*";

/// Options of `replay`.
#[derive(Args, Debug)]
#[command(after_help = NOTES)]
pub struct ReplayArgs {
    /// Files with kernels
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print a report as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// A file that cannot be read or is broken; what the interpreter refuses.
pub fn run(args: &ReplayArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let (mut reports, mut differing) = (Vec::new(), 0);
    for file in &args.files {
        let failed = |e: Box<tilewright::Diagnostic>| e.note(format!("in {}", files::shown(file)));
        let replay = Replay::parse(&files::read(file)?).map_err(failed)?;
        let levels = replay.run().map_err(failed)?;
        let name = replay.kernel().name.clone();
        differing += usize::from(levels.iter().any(|l| l.different.is_some() || l.unexpected.is_some()));
        if args.json {
            let levels: Vec<_> = levels.iter().map(report).collect();
            reports.push(json!({ "file": files::shown(file), "name": &*name, "levels": levels }));
        } else {
            writeln!(out, "{}{}{:#}  {}", style::HEAD, files::shown(file), style::HEAD, plain(&name))?;
            levels.iter().try_for_each(|level| print(out, level))?;
        }
    }
    if args.json {
        writeln!(out, "{:#}", json!({ "schema": 1, "kernels": reports, "differing": differing }))?;
    }
    Ok(if differing == 0 { Exit::Done } else { Exit::Differs })
}

fn print(out: &mut dyn Write, level: &Replayed) -> io::Result<()> {
    let (good, bad) = (style::GOOD, style::BAD);
    let us = |t: Duration| format!("{:.3} us", t.as_secs_f64() * 1e6);
    let parts = if level.whole { "one function" } else { "a function a leaf" };
    write!(out, "  {:<9} {:>14} {:<18}", level.level.name(), us(level.time), parts)?;
    if level.different.is_none() && level.unexpected.is_none() {
        writeln!(out, "{good}agrees {good:#}  interpreted in {}", us(level.interpreted))?;
    }
    let found = [("the loop interpreter", &level.different), ("the file, interpreted,", &level.unexpected)];
    for (whom, different) in found.into_iter().filter_map(|(whom, d)| Some((whom, d.as_ref()?))) {
        let (count, of, buffer) = (different.count, different.of, plain(&different.buffer));
        writeln!(out, "{bad}differs{bad:#}  from {whom} in {count} of {of} elements of {buffer}")?;
        for element in &different.first {
            writeln!(out, "    {buffer}[{}]: got {}, want {}", element.at, element.got, element.want)?;
        }
    }
    Ok(())
}

fn report(level: &Replayed) -> serde_json::Value {
    json!({
        "isa": level.level.name(), "one_function": level.whole,
        "time_us": level.time.as_secs_f64() * 1e6, "interpreted_us": level.interpreted.as_secs_f64() * 1e6,
        "different": level.different.as_ref().map(different), "unexpected": level.unexpected.as_ref().map(different),
    })
}

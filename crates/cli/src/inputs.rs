//! Which file goes to which input of which run.
//!
//! A file with a name (`NAME=FILE`) goes to that input in every run. Files without one go to the other inputs in order,
//! round after round: a model of one input runs once for each.

use crate::args::RandomArgs;
use crate::files::{is_stdin, shown};
use crate::model::Named;
use crate::values;
use clap::Args;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use tilewright::{Diagnostic, Model, Result, Value, ValueSpec};

/// What a model is fed.
#[derive(Args, Debug)]
pub struct InputArgs {
    /// Files for the inputs in order: .npy, .pb (ONNX), .png, .pgm or .ppm; `-` is standard input
    ///
    /// A model of one input runs once for each file, a model of two once for each two.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// A file for the input of that name; without a name, one more FILE
    #[arg(short, long = "input", value_name = "NAME=FILE")]
    pub inputs: Vec<OsString>,

    /// Random values.
    #[command(flatten)]
    pub random: RandomArgs,
}

/// What all runs are fed.
#[derive(Debug)]
pub struct Feeds {
    /// Values of the inputs named with a file, with that file.
    pub fixed: Vec<(ValueSpec, PathBuf, Value)>,
    /// What differs from run to run; at least one.
    pub runs: Vec<Feed>,
}

/// What one run is fed besides.
#[derive(Clone, Debug)]
pub struct Feed {
    /// Inputs with the file of each.
    pub files: Vec<(ValueSpec, PathBuf)>,
    /// Inputs that get random values.
    pub random: Vec<ValueSpec>,
    /// The files as the user wrote them; empty when all inputs have names.
    pub label: String,
}

impl InputArgs {
    /// The feeds of all runs; files of named inputs are read.
    ///
    /// # Errors
    /// `Usage` for unknown names, inputs without a value, and files without an input; as [`values::read`].
    pub fn feeds(&self, named: &Named) -> Result<Feeds> {
        let model = &named.model;
        let mut fixed = Vec::new();
        let mut loose = self.files.clone();
        for text in &self.inputs {
            match split(model, text)? {
                (Some(spec), file) => add(&mut fixed, spec, file)?,
                (None, file) => loose.push(file),
            }
        }
        let paths = fixed.iter().map(|(_, f): &(ValueSpec, PathBuf)| f).chain(&loose);
        if paths.filter(|f| is_stdin(f)).count() + usize::from(named.from_stdin) > 1 {
            return Err(Diagnostic::usage("standard input can be read only once"));
        }
        let mut open = model.inputs();
        open.retain(|spec| fixed.iter().all(|(given, _)| given.name != spec.name));
        self.random.shapes(&open)?;
        let runs = self.rounds(&open, &loose)?.into_iter().map(|files| feed(&open, files)).collect();
        let read = |(spec, file): (ValueSpec, PathBuf)| values::read(&file, &spec).map(|value| (spec, file, value));
        Ok(Feeds { fixed: fixed.into_iter().map(read).collect::<Result<_>>()?, runs })
    }

    /// Cuts files into rounds of one file an input.
    fn rounds<'a>(&self, open: &[ValueSpec], loose: &'a [PathBuf]) -> Result<Vec<&'a [PathBuf]>> {
        let missing = |spec: &ValueSpec| {
            let help = format!("it is {}: give --input {}=FILE, or --random", spec.ty, spec.name);
            Err(Diagnostic::usage(format!("input \"{}\" is not given", spec.name)).help(help))
        };
        match (open.len(), loose.len()) {
            (0, 0) => Ok(vec![loose]),
            (0, _) => {
                let file = shown(&loose[0]);
                Err(Diagnostic::usage(format!("there is no input left for {file}")))
            }
            (inputs, files) if files < inputs && self.random.seed().is_some() => Ok(vec![loose]),
            (inputs, files) if files < inputs => missing(&open[files]),
            (inputs, files) if files % inputs != 0 => {
                let names: Vec<&str> = open.iter().map(|s| s.name.as_str()).collect();
                let help = format!("each run takes one file for each of {}", names.join(", "));
                Err(Diagnostic::usage(format!("{files} files for {inputs} inputs do not come out even")).help(help))
            }
            (inputs, _) => Ok(loose.chunks(inputs).collect()),
        }
    }

    /// Reads the files of one run and makes its random values.
    ///
    /// # Errors
    /// As [`values::read`] and [`RandomArgs::values`].
    pub fn read(&self, fixed: &[(ValueSpec, PathBuf, Value)], feed: &Feed) -> Result<Vec<(String, Value)>> {
        let mut given = self.random.values(&feed.random)?;
        given.extend(fixed.iter().map(|(spec, _, value)| (spec.name.clone(), value.clone())));
        for (spec, file) in &feed.files {
            given.push((spec.name.clone(), values::read(file, spec)?));
        }
        Ok(given)
    }
}

fn feed(open: &[ValueSpec], files: &[PathBuf]) -> Feed {
    let (filled, random) = open.split_at(files.len());
    let label: Vec<String> = files.iter().map(|f| shown(f)).collect();
    Feed {
        files: filled.iter().cloned().zip(files.iter().cloned()).collect(),
        random: random.to_vec(),
        label: label.join(", "),
    }
}

fn add(fixed: &mut Vec<(ValueSpec, PathBuf)>, spec: ValueSpec, file: PathBuf) -> Result<()> {
    if fixed.iter().any(|(given, _)| given.name == spec.name) {
        let help = "files without a name are run one after the other";
        return Err(Diagnostic::usage(format!("input \"{}\" is given twice", spec.name)).help(help));
    }
    fixed.push((spec, file));
    Ok(())
}

/// Splits `NAME=FILE` at the longest name that the model has; names and files may contain `=`.
fn split(model: &Model, text: &OsStr) -> Result<(Option<ValueSpec>, PathBuf)> {
    let specs = model.inputs().into_iter().chain(model.defaults());
    let file = |spec: &ValueSpec| rest(text, &format!("{}=", spec.name));
    let named = specs.filter(|spec| file(spec).is_some()).max_by_key(|spec| spec.name.len());
    if let Some(spec) = named {
        return match file(&spec).filter(|file| !file.as_os_str().is_empty()) {
            Some(file) => Ok((Some(spec), file)),
            None => Err(Diagnostic::usage(format!("input \"{}\" is given no file", spec.name)).help("write NAME=FILE")),
        };
    }
    match text.to_string_lossy().split_once('=') {
        Some((name, _)) if !Path::new(text).exists() => Err(unknown(model, name)),
        None if text.is_empty() => Err(Diagnostic::usage("an input is given no file").help("write NAME=FILE")),
        _ => Ok((None, PathBuf::from(text))),
    }
}

/// What follows a prefix, as a path; paths need not be UTF-8.
fn rest(text: &OsStr, prefix: &str) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let rest = text.as_bytes().strip_prefix(prefix.as_bytes())?;
        Some(PathBuf::from(OsStr::from_bytes(rest)))
    }
    #[cfg(not(unix))]
    text.to_str()?.strip_prefix(prefix).map(PathBuf::from)
}

/// The error for a name that no input has.
pub fn unknown(model: &Model, name: &str) -> Box<Diagnostic> {
    let names: Vec<String> = model.inputs().into_iter().chain(model.defaults()).map(|s| s.name).collect();
    let help = if names.is_empty() { "it has no inputs".into() } else { format!("its inputs: {}", names.join(", ")) };
    Diagnostic::usage(format!("the model has no input \"{name}\"")).help(help)
}

//! Arguments: the commands, and groups of options that several of them share.

use crate::debugging::WatchArgs;
use crate::kernels::level;
use anstream::ColorChoice;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::io::Write;
use tilewright::kernels::Level;
use tilewright::{Options, Result, Sink};

const EXIT_STATUS: &str = "\
Exit status: 0 done, 1 failed, 2 wrong arguments, 3 the model needs something that is not supported, \
4 the model is invalid, 5 results differ.";

const DEBUGGING: &str = "Debugging";

/// Runs neural networks: ONNX models, on the CPU.
#[derive(Debug, Parser)]
#[command(name = "tilewright", version, after_help = EXIT_STATUS, max_term_width = 110)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Colours and other styles in what is printed
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a model on files, or on random values
    Run(crate::run::RunArgs),
    /// Show what a model consists of
    Inspect(crate::inspect::InspectArgs),
    /// Say whether models are valid and supported, with every problem
    Check(crate::check::CheckArgs),
    /// Measure how long a model runs
    Bench(crate::bench::BenchArgs),
    /// Compare what a model gives with recorded outputs
    Compare(crate::compare::CompareArgs),
    /// Find the first kernel, and the first node, whose result is not what the interpreters give
    Bisect(crate::bisect::BisectArgs),
    /// Run saved kernels at every level of this machine, and compare with the loop interpreter
    Replay(crate::replay::ReplayArgs),
    /// Measure what this machine reaches: its peak, its bandwidth, and the kernels against them
    Kernels(crate::kernels::KernelsArgs),
    /// Print the completions of a shell
    Completions(crate::shell::CompletionsArgs),
    /// Print the man page
    Man(crate::shell::ManArgs),
}

/// When to print colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set; anywhere if CLICOLOR_FORCE is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes all streams follow it.
    pub fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

/// What computes a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Machine code for this machine.
    Jit,
    /// The reference interpreter: written to be right, not fast.
    Interp,
}

/// How a model is executed.
#[derive(Args, Debug)]
pub struct ExecutionArgs {
    /// Threads of one run [default: one for each CPU]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// What computes the model
    #[arg(long, value_enum, default_value_t = Backend::Jit)]
    pub backend: Backend,

    /// Use no more than these instructions: portable, avx2 or avx512
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub isa: Option<Level>,

    /// Passes.
    #[command(flatten)]
    pub passes: PassArgs,

    /// What looks on.
    #[command(flatten)]
    pub watch: WatchArgs,
}

impl ExecutionArgs {
    /// The options they make.
    ///
    /// # Errors
    /// As [`PassArgs::options`] and [`WatchArgs::add`].
    pub fn options(&self) -> Result<Options> {
        let mut options = self.passes.options()?;
        options.threads = self.threads.map(usize::from);
        options.level = self.isa;
        options.backend = match self.backend {
            Backend::Jit => tilewright::Backend::Jit,
            Backend::Interp => tilewright::Backend::Interp,
        };
        self.watch.add(options)
    }
}

/// What passes do and tell.
#[derive(Args, Debug)]
pub struct PassArgs {
    /// Print the graph to standard error: `after:PASS`, `before:PASS` or `changed`; PASS may be `all`
    ///
    /// `kernels` (or `after:lower`) prints what a run is made of instead, whenever sizes are new: kernels with their loops,
    /// calls of the host with the reason, and the memory that they share.
    #[arg(long, value_name = "PLACE", num_args = 0..=1, require_equals = true, default_missing_value = "after:dce")]
    #[arg(help_heading = DEBUGGING)]
    pub dump_ir: Vec<String>,

    /// Print to standard error what each pass changed, and its time; for each plan those of lowering, memory and code
    #[arg(long, help_heading = DEBUGGING)]
    pub time_passes: bool,

    /// Let passes make only the first N changes: halve N until the change that breaks a model is found
    #[arg(long, value_name = "N", help_heading = DEBUGGING)]
    pub pass_fuel: Option<u64>,
}

impl PassArgs {
    /// Whether something is to be told.
    pub fn tell(&self) -> bool {
        self.time_passes || !self.dump_ir.is_empty()
    }

    /// Whether kernels are to be printed.
    pub fn dumps_kernels(&self) -> bool {
        self.dump_ir.iter().any(|place| place == "kernels" || place == "after:lower")
    }

    /// The options they make.
    ///
    /// # Errors
    /// `Usage` for a place among the passes that there is not.
    pub fn options(&self) -> Result<Options> {
        let mut options = Options::default();
        options.pass_fuel = self.pass_fuel;
        options.time_passes = self.time_passes;
        // With standard error closed there is nobody to show graphs to.
        options.sink = Sink::new(|text| drop(writeln!(anstream::stderr(), "{}", text.trim_end())));
        self.dump_ir.iter().try_fold(options, |options, place| options.dump_ir(place))
    }
}

/// Random inputs.
#[derive(Args, Debug)]
pub struct RandomArgs {
    /// Random values for all inputs without a file, the same for the same seed
    ///
    /// Floats are of the standard normal distribution, integers from 0 to 99, bools true; integers whose name contains
    /// "mask" are 1, "type" 0, "position" 0, 1, 2, ...
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub random: Option<u64>,

    /// Shape of a random input, such as `image=1x3x224x224`; implies --random
    ///
    /// Sizes that neither the model nor this option states are 1 for the first axis, 224 for others of images (rank 4),
    /// and 128 elsewhere; the same symbol has the same size everywhere. `NAME=` is a scalar.
    #[arg(long, value_name = "NAME=DIMS")]
    pub shape: Vec<String>,
}

impl RandomArgs {
    /// The seed, where random values are asked for.
    pub fn seed(&self) -> Option<u64> {
        self.random.or(if self.shape.is_empty() { None } else { Some(0) })
    }
}

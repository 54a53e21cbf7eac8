//! How a model is compiled and run.

use crate::pipeline::PIPELINE;
use std::fmt;
use std::sync::Arc;
use tilewright_executor::{Observer, Report, Trace, Watch};
use tilewright_passes::Dump;
use tilewright_support::Result;
use tilewright_support::target::Level;

/// Options of [`Model::compile`](crate::Model::compile). `Options::default()` suits most uses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Threads that one run may use; `None` is one for each CPU that the process may use. Results
    /// are the same bit for bit whatever their number.
    pub threads: Option<usize>,
    /// What computes the model.
    pub backend: Backend,
    /// The highest level of instructions that kernels may use; `None` is what the machine has.
    pub level: Option<Level>,
    /// Translations kept, for runs that differ in shapes or values that the graph depends on.
    pub plans: usize,
    /// The most bytes that the values inside the model may take, over all runs of a session that go on at one time. A
    /// run that would need more fails with [`Code::Limit`](crate::Code::Limit). `None` is no bound.
    pub max_memory: Option<usize>,
    /// The number of single changes that passes may make; to find the change that breaks a model.
    pub pass_fuel: Option<u64>,
    /// The number of kernels, in the order of plans and steps, that run as machine code; the others are interpreted, with
    /// the same results bit for bit. To find the kernel that breaks a model.
    pub jit_fuel: Option<u64>,
    /// Takes what runs when, in which thread.
    pub trace: Option<Arc<Trace>>,
    /// Sees each kernel that has run, with copies of its arguments.
    pub observer: Option<Observer>,
    /// Whether the times of passes and of the making of plans, and what they changed, are reported to [`Options::sink`].
    pub time_passes: bool,
    /// Where dumped graphs and reports go.
    pub sink: Sink,
    pub(crate) dumps: Vec<Dump>,
    pub(crate) dump_kernels: bool,
}

/// What computes a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Kernels of machine code, or of portable loops where the machine has none.
    #[default]
    Jit,
    /// The reference interpreter.
    Interp,
}

/// Takes lines of text; the default drops them.
#[derive(Clone)]
pub struct Sink(Arc<dyn Fn(&str) + Send + Sync>);

impl Sink {
    /// A sink that calls `f`.
    pub fn new(f: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(f))
    }

    pub(crate) fn put(&self, text: &str) {
        (self.0)(text);
    }
}

impl Default for Sink {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: None,
            backend: Backend::default(),
            level: None,
            plans: 64,
            max_memory: None,
            pass_fuel: None,
            jit_fuel: None,
            trace: None,
            observer: None,
            time_passes: false,
            sink: Sink::default(),
            dumps: Vec::new(),
            dump_kernels: false,
        }
    }
}

impl Options {
    /// The number of threads of a run.
    pub(crate) fn threads(&self) -> usize {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(available).max(1)
    }

    /// Prints the graph to the sink at `place`: `before:PASS`, `after:PASS` (or `all`), `changed`. At `kernels`, or
    /// `after:lower`, prints what a plan for known sizes consists of, whenever a run makes one.
    ///
    /// # Errors
    /// [`Code::Usage`](crate::Code::Usage), listing the passes, if there is no such place.
    pub fn dump_ir(mut self, place: &str) -> Result<Self> {
        match place {
            "kernels" | "after:lower" => self.dump_kernels = true,
            _ => {
                let note = "`kernels` or `after:lower` prints the kernels of each plan";
                self.dumps.push(Dump::parse(place, PIPELINE).map_err(|e| e.note(note))?);
            }
        }
        Ok(self)
    }

    /// What looks on at plans, if anything does.
    pub(crate) fn watch(&self) -> Option<Arc<Watch>> {
        let sink = self.sink.clone();
        let report: Report = Arc::new(move |text| sink.put(text));
        let watch = Watch {
            kernels: self.dump_kernels.then(|| report.clone()),
            times: self.time_passes.then_some(report),
            trace: self.trace.clone(),
            fuel: self.jit_fuel.map(|fuel| Arc::new(fuel.into())),
            observer: self.observer.clone(),
            ..Watch::default()
        };
        watch.is_on().then(|| Arc::new(watch))
    }
}

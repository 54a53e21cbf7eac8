//! What ran when, in which thread: as the JSON that `chrome://tracing` and Perfetto show.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tilewright_runtime::guarded::Guarded;

/// The most events that are kept: those after them are counted.
const MOST: usize = 1 << 20;

static THREADS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The number of this thread in traces.
    static THREAD: u32 = THREADS.fetch_add(1, Ordering::Relaxed);
}

/// Events of all runs of a session.
#[derive(Debug)]
pub struct Trace {
    begun: Instant,
    state: Guarded<State>,
}

#[derive(Debug, Default)]
struct State {
    events: Vec<Event>,
    left_out: u64,
    threads: Vec<(u32, String)>,
    totals: Totals,
}

#[derive(Debug)]
struct Event {
    what: What,
    thread: u32,
    start: Duration,
    time: Duration,
}

/// What an event is.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// Some iterations of a kernel.
    Kernel {
        /// Its name.
        name: Arc<str>,
        /// The node that it belongs to.
        node: Arc<str>,
        /// Bytes of its arguments, the part of these iterations.
        bytes: u64,
        /// How many iterations.
        iterations: usize,
    },
    /// A call of the host.
    Host {
        /// The node.
        node: Arc<str>,
    },
    /// A part of the making of a plan.
    Plan {
        /// The part.
        part: &'static str,
        /// The number of the plan.
        plan: usize,
    },
    /// Figures so far.
    Totals(Totals),
}

/// Figures that counters show.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// Kernels that have run.
    pub kernels: u64,
    /// Leaves that have run.
    pub leaves: u64,
    /// Bytes of arguments of kernels.
    pub bytes: u64,
    /// Bytes of the arena of the last run.
    pub arena: u64,
    /// Bytes of machine code in the process.
    pub code: u64,
}

impl Default for Trace {
    fn default() -> Self {
        Self { begun: Instant::now(), state: Guarded::default() }
    }
}

impl Trace {
    /// Adds something that this thread did.
    pub(crate) fn add(&self, what: What, start: Instant, time: Duration) {
        let thread = THREAD.with(|t| *t);
        let event = Event { what, thread, start: start.duration_since(self.begun), time };
        self.state.with(|state| state.add(event));
    }

    /// Changes the figures and shows them.
    pub(crate) fn count(&self, change: impl FnOnce(&mut Totals)) {
        let (thread, start) = (THREAD.with(|t| *t), self.begun.elapsed());
        self.state.with(|state| {
            change(&mut state.totals);
            state.add(Event { what: What::Totals(state.totals), thread, start, time: Duration::ZERO });
        });
    }

    /// All events so far, as a document of JSON.
    pub fn to_json(&self) -> String {
        self.state.with(|state| {
            let mut out = String::from("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
            out.push_str(
                "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"tilewright\"}}",
            );
            for (thread, name) in &state.threads {
                let name = quoted(name);
                out.push_str(",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, ");
                let _ = write!(out, "\"tid\": {thread}, \"args\": {{\"name\": {name}}}}}");
            }
            state.events.iter().for_each(|e| e.write(&mut out));
            let _ = writeln!(out, "\n], \"otherData\": {{\"left_out\": {}}}}}", state.left_out);
            out
        })
    }
}

impl State {
    fn add(&mut self, event: Event) {
        if self.threads.iter().all(|(t, _)| *t != event.thread) {
            let name = std::thread::current().name().map_or_else(|| format!("thread {}", event.thread), str::to_owned);
            self.threads.push((event.thread, name));
        }
        if self.events.len() < MOST {
            self.events.push(event);
        } else {
            self.left_out += 1;
        }
    }
}

impl Event {
    fn write(&self, out: &mut String) {
        let micros = |t: Duration| t.as_nanos() as f64 / 1e3;
        let (thread, start, time) = (self.thread, micros(self.start), micros(self.time));
        let place = format!("\"pid\": 1, \"tid\": {thread}, \"ts\": {start:.3}");
        let mut span = |name: &str, kind: &str, args: String| {
            let (name, place) = (quoted(name), &place);
            let _ = write!(out, ",\n{{\"name\": {name}, \"cat\": \"{kind}\", \"ph\": \"X\", {place}, ");
            let _ = write!(out, "\"dur\": {time:.3}, \"args\": {{{args}}}}}");
        };
        match &self.what {
            What::Kernel { name, node, bytes, iterations } => {
                let (kernel, node) = (quoted(name), quoted(node));
                let numbers = format!("\"bytes\": {bytes}, \"iterations\": {iterations}");
                span(name, "kernel", format!("\"kernel\": {kernel}, \"node\": {node}, {numbers}"));
            }
            What::Host { node } => span(node, "host", format!("\"node\": {}", quoted(node))),
            What::Plan { part, plan } => span(part, "plan", format!("\"plan\": {plan}")),
            What::Totals(totals) => totals.write(&place, out),
        }
    }
}

impl Totals {
    fn write(&self, place: &str, out: &mut String) {
        let figures = [
            ("kernels", self.kernels),
            ("leaves", self.leaves),
            ("bytes moved", self.bytes),
            ("arena bytes", self.arena),
            ("code bytes", self.code),
        ];
        for (name, value) in figures {
            let _ =
                write!(out, ",\n{{\"name\": \"{name}\", \"ph\": \"C\", {place}, \"args\": {{\"value\": {value}}}}}");
        }
    }
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_those_of_json() {
        assert_eq!(quoted("a\"b\\c\n\u{9b}é"), "\"a\\\"b\\\\c\\u000a\\u009bé\"");
    }

    #[test]
    fn events_beyond_the_bound_are_counted() {
        let mut state = State::default();
        let what = What::Plan { part: "lower", plan: 0 };
        for _ in 0..MOST + 3 {
            state.add(Event { what: what.clone(), thread: 0, start: Duration::ZERO, time: Duration::ZERO });
        }
        assert_eq!((state.events.len(), state.left_out, state.threads.len()), (MOST, 3, 1));
    }
}

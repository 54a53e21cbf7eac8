//! Plans as text, and the times of their making.

use crate::constants::Constants;
use crate::plan::{At, Plan};
use std::fmt::Write;
use std::time::{Duration, Instant};
use tilewright_graph::Graph;
use tilewright_lower::{Layout, Module, SlotId, Work};
use tilewright_nests::Kernel;

/// The steps of a module as text, those that run once and those of each run.
pub fn steps(module: &Module, constants: &Constants, graph: &Graph) -> String {
    let mut out = String::new();
    for (n, step) in module.steps.iter().enumerate() {
        let node = &graph.nodes[step.node].loc;
        let once = if constants.done(step) { ", once" } else { "" };
        let (reads, writes) = (slots(&step.reads), slots(&step.writes));
        let _ = writeln!(out, "step {n}{once}: {writes} <- {reads}  // {node}");
        match &step.work {
            Work::Kernel(k) => out.push_str(&kernel(k)),
            Work::Check(checks) => checks.iter().for_each(|c| {
                let _ = writeln!(out, "  test that operand {} is from {} to {}", c.operand, c.low, c.high);
            }),
            Work::Host(why) => drop(writeln!(out, "  call of the host: {why}")),
        }
    }
    out
}

/// A kernel, and its schedule where it has one.
fn kernel(kernel: &Kernel) -> String {
    let text: String = kernel.to_string().lines().map(|line| format!("  {line}\n")).collect();
    match kernel.spec() {
        Ok(spec) if !spec.is_empty() => format!("  // loops: {spec}\n{text}"),
        _ => text,
    }
}

fn slots(slots: &[SlotId]) -> String {
    let slots: Vec<String> = slots.iter().map(|s| format!("%{}", s.0)).collect();
    if slots.is_empty() { "()".into() } else { slots.join(", ") }
}

/// A plan as text: its memory, its slots, and its steps, which are given.
pub fn plan(plan: &Plan, bound: &str, steps: &str) -> String {
    let (arena, live) = plan.memory();
    let mut out =
        format!("// plan {}{bound}: an arena of {arena} bytes, {live} of them in use at one time, ", plan.number);
    let _ = writeln!(out, "{} of scratch for each thread, {} of results", plan.scratch, plan.own);
    for (n, slot) in plan.slots.iter().enumerate() {
        let ty = slot.layout.as_ref().map_or_else(|| "of unknown size".into(), layout);
        let at = match &slot.at {
            At::Arena(at) => {
                let end = slot.layout.as_ref().map_or(*at, |l| at + l.bytes());
                format!("arena {at}..{end}")
            }
            At::Constant(_) => "constant".into(),
            At::Given(v) => format!("given as value {}", v.index()),
            At::Own => "result".into(),
            At::Host => "from the host".into(),
            At::View(of) => format!("view of %{}", of.0),
            At::Gone => continue,
        };
        let _ = writeln!(out, "%{n}: {ty}, {at}");
    }
    out + steps
}

/// The type of a layout, with its strides where they are not those of a whole buffer.
fn layout(l: &Layout) -> String {
    let dims: Vec<String> = l.shape.iter().map(usize::to_string).collect();
    let ty = format!("{}[{}]", l.dtype, dims.join(", "));
    if l.is_plain() { ty } else { format!("{ty} at {} by {:?}", l.offset, l.strides) }
}

/// How long the parts of a plan's making took.
#[derive(Debug)]
pub struct Stages {
    begun: Instant,
    last: Instant,
    /// Kernels emitted so far by the process, and their bytes.
    emitted: (u64, usize),
    /// The parts in order.
    pub parts: Vec<Part>,
}

/// A part of a plan's making.
#[derive(Debug)]
pub struct Part {
    /// What it is.
    pub name: &'static str,
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub time: Duration,
}

impl Stages {
    /// Nothing yet.
    pub fn begin() -> Self {
        let now = Instant::now();
        Self { begun: now, last: now, emitted: emitted(), parts: Vec::new() }
    }

    /// Ends a part.
    pub fn end(&mut self, name: &'static str) {
        let now = Instant::now();
        self.parts.push(Part { name, start: self.last, time: now.duration_since(self.last) });
        self.last = now;
    }

    /// The table of a plan.
    pub fn table(&self, plan: &Plan) -> String {
        let ms = |t: Duration| t.as_secs_f64() * 1e3;
        let (kernels, bytes) = emitted();
        let kernels = kernels.saturating_sub(self.emitted.0);
        let bytes = bytes.saturating_sub(self.emitted.1);
        let mut out =
            format!("plan {}: {} steps, {kernels} functions, {bytes} bytes of code\n", plan.number, plan.tasks.len());
        for Part { name, time, .. } in &self.parts {
            let _ = writeln!(out, "{name:<21} {:>10.3} ms", ms(*time));
        }
        let _ = writeln!(out, "{:<21} {:>10.3} ms", "in all", ms(self.last.duration_since(self.begun)));
        out
    }
}

/// Kernels that the process has emitted, and the bytes of code that are there.
fn emitted() -> (u64, usize) {
    let (cache, code) = tilewright_kernels::usage();
    (cache.emissions, code.live)
}

/// The sizes of symbols, as text.
pub fn bound(bindings: &tilewright_graph::interp::Bindings) -> String {
    let mut sizes: Vec<String> = bindings.iter().map(|(s, n)| format!("{s} = {n}")).collect();
    sizes.sort();
    if sizes.is_empty() { String::new() } else { format!(" for {}", sizes.join(", ")) }
}

//! The one list of passes, in the order in which they run.

use crate::options::Options;
use tilewright_graph::Graph;
use tilewright_passes::{self as passes, Pass, Report, run_passes};
use tilewright_support::Result;

/// From an imported graph to the one that runs.
pub(crate) const PIPELINE: &[Pass] = &[
    passes::inline::PASS,
    // What is there twice is not computed twice.
    passes::cse::PASS,
    passes::fold::PASS,
    passes::identity::PASS,
    passes::compose::PASS,
    passes::cse::PASS,
    passes::dce::PASS,
    passes::fuse::PASS,
    passes::dce::PASS,
];

/// For graphs that run only to find something out: drops what does not matter for it.
pub(crate) const PROBE: &[Pass] = &[passes::dce::PASS];

/// Runs passes over a graph and verifies the result.
pub(crate) fn prepare(graph: &mut Graph, list: &[Pass], options: &Options) -> Result<()> {
    let settings = passes::Options {
        dump: &options.dumps,
        print: &|text| options.sink.put(text),
        fuel: options.pass_fuel,
        time: options.time_passes,
        ..passes::Options::default()
    };
    let report = run_passes(graph, list, &settings)?;
    if options.time_passes {
        options.sink.put(&table(&report));
    }
    graph.verify()
}

fn table(report: &Report) -> String {
    let row = |s: &passes::Step| {
        let ms = s.time.map_or(0.0, |t| t.as_secs_f64() * 1e3);
        format!("{:<10} {:>10} {:>10.3} ms\n", s.pass, s.changes, ms)
    };
    let rows: String = report.steps.iter().map(row).collect();
    format!("{:<10} {:>10} {:>13}\n{rows}", "pass", "changes", "time")
}

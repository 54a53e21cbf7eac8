//! `cargo xtask tidy`: one file per check, each a function from the [`Tree`] to findings in a [`Report`].

mod budgets;
mod edges;
mod headers;
mod leaks;
mod lengths;
mod manifest;
mod ops;
mod reasons;
mod report;
mod rust;
mod stubs;
mod tree;
mod unsafety;
mod words;

use report::Report;
use std::path::Path;
use tree::Tree;

/// A check: reads the tree, adds findings.
type Check = fn(&Tree, &mut Report);

/// All checks, in the order of their output.
const CHECKS: &[(&str, Check)] = &[
    ("dependency edges follow the table of layers", edges::check),
    ("each outside dependency has its reason", reasons::check),
    ("crates keep their line budgets", budgets::check),
    ("files and functions are short", lengths::check),
    ("structured operations only declare, opaque ones are few", ops::check),
    ("unsafe code stays where it belongs", unsafety::check),
    ("every file says what it is", headers::check),
    ("nothing is left unfinished", stubs::check),
    ("nothing leaks from the machine it was written on", leaks::check),
    ("names use the vocabulary", words::check),
];

/// Runs all checks on the repository at `root`.
pub fn run(root: &Path) -> Result<Report, String> {
    let tree = Tree::read(root)?;
    let mut report = Report::default();
    for (title, check) in CHECKS {
        report.section(title);
        check(&tree, &mut report);
    }
    Ok(report)
}

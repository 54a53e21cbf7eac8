//! Each crate stays small enough for one person to hold in mind.
//!
//! Counted are lines with code: no blank lines, no comments, no tests.

use super::report::Report;
use super::tree::{Crate, Tree};

/// Crates that share a budget, and the lines of code they may have.
const BUDGETS: &[(&[&str], usize)] = &[
    (&["support"], 2_000),
    (&["tensor"], 5_000),
    (&["scalar"], 2_000),
    (&["graph"], 9_000),
    (&["passes"], 6_000),
    (&["algorithms"], 5_000),
    (&["onnx-file"], 3_000),
    (&["onnx"], 9_000),
    (&["lang", "nn"], 6_000),
    (&["lower"], 8_000),
    (&["loops"], 6_000),
    (&["nests"], 3_000),
    (&["codegen"], 9_000),
    (&["runtime"], 4_000),
    (&["kernels"], 3_000),
    (&["executor"], 4_000),
    (&["tilewright"], 4_000),
    (&["cli"], 4_000),
    (&["python"], 3_000),
    (&["serve"], 3_000),
    (&["capi"], 2_000),
    (&["conformance"], 4_000),
    (&["fuzz"], 1_000),
    (&["bench"], 1_000),
    (&["xtask"], 2_000),
];

/// Prints code and budget of each crate and reports budgets that are exceeded or missing.
pub fn check(tree: &Tree, report: &mut Report) {
    report.line(format!("{:<14}{:>8}{:>8}{:>8}", "crate", "code", "budget", "tests"));
    let mut total = Lines::default();
    for (names, budget) in BUDGETS {
        let members: Vec<&Crate> = tree.crates.iter().filter(|c| names.contains(&c.name.as_str())).collect();
        if members.is_empty() {
            continue;
        }
        let lines = members.iter().map(|c| count(c)).fold(Lines::default(), Lines::plus);
        let label = names.join(" + ");
        report.line(format!("{label:<14}{:>8}{budget:>8}{:>8}", lines.code, lines.tests));
        if lines.code > *budget {
            report.error(&label, format_args!("{} lines of code, the budget is {budget}", lines.code));
        }
        total = total.plus(lines);
    }
    report.line(format!("{:<14}{:>8}{:>8}{:>8}", "all", total.code, "", total.tests));
    let known = |name: &str| BUDGETS.iter().any(|(names, _)| names.contains(&name));
    for member in tree.crates.iter().filter(|c| !known(&c.name)) {
        report.error(&member.path, format_args!("crate `{}` has no line budget", member.name));
    }
}

#[derive(Clone, Copy, Default)]
struct Lines {
    code: usize,
    tests: usize,
}

impl Lines {
    fn plus(self, other: Self) -> Self {
        Self { code: self.code + other.code, tests: self.tests + other.tests }
    }
}

fn count(member: &Crate) -> Lines {
    member.sources.iter().fold(Lines::default(), |sum, file| {
        let all = file.source.code_lines(0..file.source.text.len());
        let tests = if file.is_test { all } else { file.source.test_lines() };
        sum.plus(Lines { code: all - tests, tests })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::errors_in;

    #[test]
    fn only_code_counts() {
        let code = "fn f() {}\n".repeat(9_000);
        assert!(errors_in(check, &code).is_empty());
        assert!(errors_in(check, &format!("{code}\n// why\n#[cfg(test)]\nmod tests {{\nfn g() {{}}\n}}\n")).is_empty());
        assert_eq!(errors_in(check, &format!("{code}fn g() {{}}\n")).len(), 1);
    }
}

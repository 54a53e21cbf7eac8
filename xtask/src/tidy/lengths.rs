//! Files fit in one reading, functions on one screen.

use super::report::Report;
use super::rust::Function;
use super::tree::{Crate, SourceFile, Tree};

/// Lines of a file, its tests left out.
const FILE_WARN: usize = 600;
const FILE_MAX: usize = 1_000;
/// Lines of code of a function.
const FUNCTION_MAX: usize = 100;
/// Lines of tests inside a module, beyond which they move to a file of their own.
const TESTS_WARN: usize = 300;

/// Tables that are long by nature: path, and the function (or `*` for the file itself).
const LONG_BY_NATURE: &[(&str, &str)] = &[];

/// Reports what is too long and prints the lengths' distribution by crate.
pub fn check(tree: &Tree, report: &mut Report) {
    report.line(format!("{:<14}{:>10}{:>10}{:>10}{:>14}", "crate", "functions", "median", "p90", "longest file"));
    for member in tree.crates.iter().filter(|c| !c.sources.is_empty()) {
        let mut functions = Vec::new();
        for file in member.sources.iter().filter(|file| !file.is_test) {
            check_file(file, report);
            functions.extend(check_functions(file, report));
        }
        functions.sort_unstable();
        report.line(format!(
            "{:<14}{:>10}{:>10}{:>10}{:>14}",
            member.name,
            functions.len(),
            quantile(&functions, 50),
            quantile(&functions, 90),
            longest_file(member)
        ));
    }
}

fn check_file(file: &SourceFile, report: &mut Report) {
    let (lines, tests) = (file_lines(file), file.source.test_lines());
    if lines > FILE_MAX && !is_listed(&file.path, "*") {
        report.error(&file.path, format_args!("{lines} lines, at most {FILE_MAX}"));
    } else if lines > FILE_WARN && !is_listed(&file.path, "*") {
        report.warn(&file.path, format_args!("{lines} lines"));
    }
    if tests > TESTS_WARN {
        report.warn(&file.path, format_args!("{tests} lines of tests; move them to a `tests.rs`"));
    }
}

/// The lengths of a file's functions outside tests.
fn check_functions(file: &SourceFile, report: &mut Report) -> Vec<usize> {
    let outside = |f: &Function| !file.source.in_tests(f.range.start);
    let functions = file.source.functions().into_iter().filter(outside);
    let mut lengths = Vec::new();
    for function in functions {
        let lines = file.source.code_lines(function.range.clone());
        if lines > FUNCTION_MAX && !is_listed(&file.path, &function.name) {
            let place = file.place(function.range.start);
            report.error(place, format_args!("`{}` has {lines} lines of code, at most {FUNCTION_MAX}", function.name));
        }
        lengths.push(lines);
    }
    lengths
}

fn file_lines(file: &SourceFile) -> usize {
    let tests = file.source.tests.iter().map(|range| file.source.text[range.clone()].lines().count());
    file.source.text.lines().count() - tests.sum::<usize>()
}

fn is_listed(path: &str, name: &str) -> bool {
    LONG_BY_NATURE.contains(&(path, name))
}

fn longest_file(member: &Crate) -> usize {
    member.sources.iter().filter(|file| !file.is_test).map(file_lines).max().unwrap_or(0)
}

/// The smallest of the sorted values that at least `percent` of them do not exceed.
fn quantile(sorted: &[usize], percent: usize) -> usize {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::errors_in;

    #[test]
    fn long_functions_and_files() {
        let function = |lines: usize| format!("fn f() {{\n{}}}\n", "g();\n".repeat(lines));
        assert!(errors_in(check, &function(98)).is_empty());
        assert_eq!(errors_in(check, &function(99)).len(), 1);
        assert!(errors_in(check, &format!("#[cfg(test)]\nmod tests {{ {} }}", function(2_000))).is_empty());
        assert_eq!(errors_in(check, &"// a\n".repeat(1_001)).len(), 1);
    }

    #[test]
    fn quantiles() {
        assert_eq!(quantile(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90), 9);
        assert_eq!(quantile(&[], 90), 0);
    }
}

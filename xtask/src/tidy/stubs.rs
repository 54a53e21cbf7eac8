//! No stubs, no skipped tests, no notes to oneself.

use super::report::Report;
use super::rust::words;
use super::tree::{SourceFile, Tree};

/// Code that stands for code to be written, and tests that do not run.
const CODE: &[&str] = &["todo!(", "unimplemented!(", "#[ignore"];

/// Words in comments that say so.
const COMMENTS: &[&str] = &["FIXME", "TODO", "XXX"];

/// Reports each of them.
pub fn check(tree: &Tree, report: &mut Report) {
    for (_, file) in tree.sources() {
        for (at, what) in find(file) {
            report.error(file.place(at), format_args!("`{what}`"));
        }
    }
}

fn find(file: &SourceFile) -> Vec<(usize, &'static str)> {
    let in_code = CODE.iter().flat_map(|&stub| file.source.code.match_indices(stub).map(move |(at, _)| (at, stub)));
    let comments = words(&file.source.comments);
    let in_comments = comments.filter_map(|(at, word)| Some((at, *COMMENTS.iter().find(|&&stub| stub == word)?)));
    in_code.chain(in_comments).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::errors_in;

    #[test]
    fn stubs() {
        let cases = [
            ("fn f() { todo!() }", 1),
            ("fn f() { unimplemented!(\"g\") }", 1),
            ("#[ignore]\nfn f() {}", 1),
            ("// FIXME: g", 1),
            ("const FIXME: &str = \"todo!()\"; // what `todo` means", 0),
        ];
        for (text, expected) in cases {
            assert_eq!(errors_in(check, text).len(), expected, "{text}");
        }
    }
}

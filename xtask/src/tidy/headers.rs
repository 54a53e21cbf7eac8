//! Every Rust file starts with a `//!` comment that says what it is.

use super::report::Report;
use super::tree::Tree;

/// Reports files without a header.
pub fn check(tree: &Tree, report: &mut Report) {
    for (_, file) in tree.sources().filter(|(_, file)| !has_header(&file.source.text)) {
        report.error(&file.path, "does not start with a `//!` comment");
    }
}

fn has_header(text: &str) -> bool {
    text.trim_start().strip_prefix("//!").is_some_and(|rest| !rest.lines().next().unwrap_or("").trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let cases = [("//! Head.\nfn f() {}", true), ("//!\n", false), ("// Head.", false), ("", false)];
        for (text, expected) in cases {
            assert_eq!(has_header(text), expected, "{text}");
        }
    }
}

//! Nothing in the repository depends on, or tells of, the machine it was written on.

use super::report::Report;
use super::tree::{File, Tree};

/// Paths of a machine and hosts of package registries, written so that this file does not hold them.
const LEAKS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("proxy.golang", ".org"),
    concat!("replace", "-with"),
    concat!("index", "-url"),
];

/// Where locked packages come from.
const LOCK_SOURCE: &str = concat!("source = \"registry+https://github.com/rust-lang/crates", ".io-index\"");

/// Reports every such place, and locked packages from anywhere but the public registry.
pub fn check(tree: &Tree, report: &mut Report) {
    for file in &tree.files {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(what) = leak(file, line) {
                report.error(format_args!("{}:{}", file.path, number + 1), format_args!("`{what}`"));
            }
        }
    }
}

fn leak<'a>(file: &File, line: &'a str) -> Option<&'a str> {
    if file.path.ends_with("Cargo.lock") {
        return (line.starts_with("source = ") && line != LOCK_SOURCE).then_some(line);
    }
    LEAKS.iter().copied().find(|pattern| line.contains(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::errors;

    #[test]
    fn leaks() {
        let cases = [
            ("README.md", "cargo test".to_owned(), 0),
            ("README.md", format!("see {}x", LEAKS[0]), 1),
            (".cargo/config.toml", format!("{} = \"mirror\"", concat!("replace", "-with")), 1),
            ("Cargo.lock", LOCK_SOURCE.to_owned(), 0),
            ("Cargo.lock", "source = \"git+https://example.org\"".to_owned(), 1),
        ];
        for (path, text, expected) in cases {
            assert_eq!(errors(check, &[(path, &text)]).len(), expected, "{path}: {text}");
        }
    }
}

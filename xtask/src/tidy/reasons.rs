//! `deny.toml` gives a reason for each outside crate that a crate of the workspace names in its manifest.
//!
//! The reasons are comment lines of the form `#- name: why it is here`.

use super::edges;
use super::report::Report;
use super::tree::Tree;
use std::collections::BTreeSet;

const FILE: &str = "deny.toml";

/// Reports dependencies without a reason, and reasons without a dependency.
pub fn check(tree: &Tree, report: &mut Report) {
    let text = tree.files.iter().find(|file| file.path == FILE).map_or("", |file| file.text.as_str());
    let reasons: BTreeSet<&str> = text.lines().filter_map(reason).collect();
    let used: BTreeSet<&str> = tree
        .crates
        .iter()
        .flat_map(|member| member.manifest.dependencies.iter().map(String::as_str))
        .filter(|name| !edges::is_member(name))
        .collect();
    for name in used.difference(&reasons) {
        report.error(FILE, format_args!("no reason for the dependency `{name}`; add a line `#- {name}: why`"));
    }
    for name in reasons.difference(&used) {
        report.error(FILE, format_args!("a reason for `{name}`, which nothing depends on"));
    }
    report.line(format!("{} direct outside dependencies", used.len()));
}

/// The crate that a line gives a reason for.
fn reason(line: &str) -> Option<&str> {
    let (name, why) = line.strip_prefix("#- ")?.split_once(':')?;
    (!why.trim().is_empty()).then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::errors;

    #[test]
    fn reasons_match_dependencies() {
        let manifest = "[package]\nname = \"tilewright-onnx\"\n[dependencies]\nprost = \"1\"\ntilewright-graph = \"1\"";
        let cases = [
            ("#- prost: reads protobuf", 0),
            ("#- prost:", 1),
            ("", 1),
            ("#- prost: reads protobuf\n#- libm: mathematics", 1),
        ];
        for (deny, expected) in cases {
            let files = [("crates/onnx/Cargo.toml", manifest), (FILE, deny)];
            assert_eq!(errors(check, &files).len(), expected, "{deny}");
        }
    }
}

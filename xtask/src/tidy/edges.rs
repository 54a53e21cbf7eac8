//! Dependencies between the crates point downwards only, as drawn in ARCHITECTURE.md.

use super::report::Report;
use super::tree::{Tree, short_name};

/// Crate, and the crates of the workspace that it may use. Development dependencies follow the same table.
const ALLOWED: &[(&str, &[&str])] = &[
    ("support", &[]),
    ("tensor", &["support"]),
    ("algorithms", &["support", "tensor"]),
    ("scalar", &["support", "tensor"]),
    ("graph", &["support", "tensor", "algorithms", "scalar"]),
    ("passes", &["support", "tensor", "graph"]),
    ("onnx-file", &["support", "tensor"]),
    ("onnx", &["support", "tensor", "graph", "onnx-file"]),
    ("lang", &["support", "tensor", "graph"]),
    ("nn", &["support", "tensor", "graph", "lang"]),
    ("loops", &["support", "tensor", "scalar"]),
    ("nests", &["support", "tensor", "scalar", "loops"]),
    ("lower", &["support", "tensor", "scalar", "graph", "loops", "nests"]),
    ("runtime", &["support", "tensor"]),
    ("codegen", &["support", "tensor", "scalar", "loops", "nests"]),
    ("kernels", &["support", "tensor", "scalar", "loops", "nests", "codegen", "runtime"]),
    ("executor", &["support", "tensor", "graph", "loops", "nests", "lower", "runtime", "kernels"]),
    ("tilewright", &FACADE),
    ("cli", &ABOVE_FACADE),
    ("python", &ABOVE_FACADE),
    ("serve", &ABOVE_FACADE),
    ("capi", &ABOVE_FACADE),
    ("conformance", &EVERYTHING),
    ("fuzz", &EVERYTHING),
    ("bench", &EVERYTHING),
    ("xtask", &[]),
];

const FACADE: [&str; 15] = [
    "nests",
    "executor",
    "support",
    "tensor",
    "graph",
    "passes",
    "onnx-file",
    "onnx",
    "lang",
    "nn",
    "loops",
    "lower",
    "codegen",
    "runtime",
    "kernels",
];
const ABOVE_FACADE: [&str; 2] = ["support", "tilewright"];
const EVERYTHING: [&str; 18] = [
    "nests",
    "executor",
    "scalar",
    "kernels",
    "algorithms",
    "onnx-file",
    "support",
    "tensor",
    "graph",
    "passes",
    "onnx",
    "lang",
    "nn",
    "loops",
    "lower",
    "codegen",
    "runtime",
    "tilewright",
];

/// Reports every edge that is not in the table and every crate that is not listed.
pub fn check(tree: &Tree, report: &mut Report) {
    for member in &tree.crates {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == member.name) else {
            report.error(&member.path, format_args!("crate `{}` has no line in the table of layers", member.name));
            continue;
        };
        let members = member.manifest.dependencies.iter().filter(|name| is_member(name));
        for used in members.map(|name| short_name(name)).filter(|used| !allowed.contains(used)) {
            report.error(&member.path, format_args!("`{}` must not use `{used}`", member.name));
        }
    }
}

/// Whether a package belongs to the project.
pub fn is_member(package: &str) -> bool {
    package == "tilewright" || package.starts_with("tilewright-") || package == "xtask"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::errors;

    #[test]
    fn edges_point_down() {
        let manifest = |name: &str, uses: &str| format!("[package]\nname = \"{name}\"\n[dependencies]\n{uses}");
        let cases = [
            (manifest("tilewright-graph", "tilewright-tensor.workspace = true\nlibm = \"1\""), 0),
            (manifest("tilewright-graph", "tilewright-passes.workspace = true"), 1),
            (manifest("tilewright-cli", "tilewright = { path = \"..\" }"), 0),
            (manifest("tilewright-cli", "tilewright-onnx = { path = \"../onnx\" }"), 1),
            (manifest("tilewright-other", ""), 1),
        ];
        for (text, expected) in cases {
            assert_eq!(errors(check, &[("crates/x/Cargo.toml", &text)]).len(), expected, "{text}");
        }
    }

    #[test]
    fn table_has_no_cycle() {
        // Each crate is listed after those it uses.
        for (i, (name, uses)) in ALLOWED.iter().enumerate() {
            let above = |used: &&&str| !ALLOWED[..i].iter().any(|(earlier, _)| earlier == *used);
            assert_eq!(uses.iter().filter(above).count(), 0, "{name}");
        }
    }
}

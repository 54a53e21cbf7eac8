//! The operator sets that are known, and the versions of each.
use std::ops::RangeInclusive;

/// Versions of the file format that are read.
pub const IR_VERSIONS: RangeInclusive<i64> = 1..=14;

/// The domain of contributed operators, which files use without importing it.
pub(crate) const MICROSOFT: &str = "com.microsoft";

const KNOWN: [(&str, RangeInclusive<i64>); 5] = [
    ("", 1..=28),
    ("ai.onnx.ml", 1..=5),
    ("ai.onnx.preview", 1..=1),
    ("ai.onnx.preview.training", 1..=1),
    (MICROSOFT, 1..=1),
];

/// The versions of a domain that are known, `None` for a foreign domain. `""` is ai.onnx.
pub fn versions(domain: &str) -> Option<RangeInclusive<i64>> {
    KNOWN.iter().find(|(known, _)| *known == domain).map(|(_, versions)| versions.clone())
}

/// The domain without its alias: `ai.onnx` is `""`.
pub(crate) fn canonical(domain: String) -> String {
    if domain == "ai.onnx" { String::new() } else { domain }
}

/// The name of a domain in messages.
pub(crate) fn shown(domain: &str) -> &str {
    if domain.is_empty() { "ai.onnx" } else { domain }
}

//! Names say what a thing is: words that fit anything are reported where they are given as a name.

use super::report::Report;
use super::rust::{Source, words};
use super::tree::Tree;
use std::collections::BTreeMap;

/// Words that say nothing.
const BANNED: &[&str] =
    &["manager", "helper", "helpers", "util", "utils", "handler", "handlers", "data", "info", "infos", "process"];

/// Names that are not ours to choose: fields and types of ONNX's protobuf schema.
const GIVEN: &[&str] = &[
    "data_type",
    "data_location",
    "raw_data",
    "float_data",
    "int32_data",
    "int64_data",
    "uint64_data",
    "double_data",
    "string_data",
    "external_data",
    "DataType",
    "value_info",
    "ValueInfo",
    "ValueInfoProto",
    "DataLocation",
];

/// Mathematical functions whose name ends in 2.
const ENDS_IN_TWO: &[&str] = &["log2", "exp2", "atan2", "pow2"];

/// Keywords after which a name is given.
const DEFINING: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "mod", "type", "const", "static", "let", "mut", "macro_rules"];

/// Reports names and paths with such words.
pub fn check(tree: &Tree, report: &mut Report) {
    for (_, file) in tree.sources() {
        let stem = file.path.trim_end_matches(".rs");
        if let Some(word) = stem.split('/').find_map(banned) {
            report.warn(&file.path, format_args!("`{word}` in a path"));
        }
        let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, name) in names(&file.source).filter(|(_, name)| banned(name).is_some()) {
            found.entry(name).or_default().push(at);
        }
        for (name, places) in found {
            report.warn(file.place(places[0]), format_args!("the name `{name}` ({}x)", places.len()));
        }
    }
}

/// The names that a file gives: defined items, bindings, fields and parameters.
fn names(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let mut previous = "";
    words(&source.code).filter(move |(at, word)| {
        let defined = DEFINING.contains(&previous) && !DEFINING.contains(word);
        previous = *word;
        let rest = source.code[at + word.len()..].trim_start();
        defined || (rest.starts_with(':') && !rest.starts_with("::"))
    })
}

/// The banned word in a name, if any.
fn banned(name: &str) -> Option<&'static str> {
    if GIVEN.contains(&name) {
        return None;
    }
    if name.starts_with("do_") {
        return Some("do_");
    }
    if name.len() > 3 && name.strip_suffix('2').is_some_and(|stem| is_second(name, stem)) {
        return Some("2");
    }
    parts(name).find_map(|part| BANNED.iter().copied().find(|word| *word == part))
}

/// Whether the 2 makes `name` the second thing called `stem`, rather than a quantity such as `conv1x2`.
fn is_second(name: &str, stem: &str) -> bool {
    stem.ends_with(char::is_alphabetic) && !stem.contains(char::is_numeric) && !ENDS_IN_TWO.contains(&name)
}

/// The lower-case words of a snake_case or CamelCase name.
fn parts(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push('_');
        }
        spaced.extend(c.to_lowercase());
    }
    spaced.split('_').filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banned_names() {
        let cases = [
            ("pass_manager", Some("manager")),
            ("PassManager", Some("manager")),
            ("processor", None),
            ("raw_data", None),
            ("do_it", Some("do_")),
            ("Graph2", Some("2")),
            ("log2", None),
            ("x2", None),
            ("f8e5m2", None),
        ];
        for (name, expected) in cases {
            assert_eq!(banned(name), expected, "{name}");
        }
    }

    #[test]
    fn given_names() {
        let source = Source::new("fn f(data: u8) { let mut info = a.process(std::data::B); }".into());
        assert_eq!(names(&source).map(|(_, name)| name).collect::<Vec<_>>(), ["f", "data", "info"]);
    }
}

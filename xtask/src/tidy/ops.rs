//! Structured operations are declarations and nothing else; opaque ones are few.
//!
//! What a declaration cannot name it cannot do: the files of declarations have no word for a tensor's elements, a graph,
//! a finished comprehension or a result's type, so they hold no evaluation, gradient, FLOP count or shape. The other way
//! round, what is derived from declarations does not know any operation by name.

use super::report::Report;
use super::rust::{Function, words};
use super::tree::{SourceFile, Tree};
use std::collections::BTreeSet;

/// The lists of operations: what they count, the file, and the macro that holds the list.
const STRUCTURED: List = List { path: "crates/graph/src/ops/mod.rs", macro_name: "ops" };
const OPAQUE: List = List { path: "crates/algorithms/src/lib.rs", macro_name: "opaques" };

/// Composites: the operators whose translation into these operations is a row of an importer's table.
const TRANSLATIONS: (&str, &str) = ("crates/onnx/src/import/", "Row::new(");

/// The most opaque operations.
const OPAQUE_MAX: usize = 12;

/// Where the declarations are.
const DECLARATIONS: &str = "crates/graph/src/ops/";

/// All that the trait of declarations asks for or gives.
const TRAIT: &[&str] = &["NAME", "DOC", "OPERANDS", "declare", "samples", "comp"];

/// All that a declaration implements.
const IMPLEMENTED: &[&str] = &["NAME", "DOC", "OPERANDS", "declare", "samples"];

/// Words that a declaration would need to do more than declare, and what that would be.
const FOREIGN: &[(&str, &str)] = &[
    ("Tensor", "evaluation"),
    ("TensorMut", "evaluation"),
    ("Value", "evaluation"),
    ("Lanes", "evaluation"),
    ("interp", "evaluation"),
    ("Graph", "a decomposition or gradient"),
    ("Builder", "a decomposition or gradient"),
    ("diff", "a gradient"),
    ("Comp", "a shape"),
    ("Axis", "a shape"),
    ("Type", "a shape"),
];

/// Beginnings of function names that say the same.
const FOREIGN_FUNCTIONS: &[&str] = &["infer", "shape", "eval", "vjp", "jvp", "grad", "adjoint", "flop"];

/// Folders of what is derived from declarations.
const DERIVED: &[&str] = &["crates/graph/src/interp/", "crates/graph/src/diff/", "crates/graph/src/contraction/"];

struct List {
    path: &'static str,
    macro_name: &'static str,
}

/// Prints the counts and reports what breaks the rules. Without the graph crate there is nothing to check.
pub fn check(tree: &Tree, report: &mut Report) {
    let files: Vec<&SourceFile> = tree.sources().map(|(_, file)| file).collect();
    let structured = listed(&files, &STRUCTURED);
    let opaque = listed(&files, &OPAQUE);
    let composite = translated(&files);
    let (structured_count, opaque_count) = (structured.len(), opaque.len());
    report.line(format!("{structured_count} structured, {composite} composite (by onnx), {opaque_count} opaque"));
    if opaque.len() > OPAQUE_MAX {
        report.error(OPAQUE.path, format_args!("{} opaque operations, at most {OPAQUE_MAX}", opaque.len()));
    }
    let declarations: Vec<&SourceFile> =
        files.iter().copied().filter(|file| file.path.starts_with(DECLARATIONS) && !file.is_test).collect();
    let mut declared = BTreeSet::new();
    for file in &declarations {
        if file.path == STRUCTURED.path {
            check_trait(file, report);
        } else {
            check_words(file, report);
            declared.extend(check_declarations(file, report));
        }
    }
    for op in structured.symmetric_difference(&declared) {
        report.error(STRUCTURED.path, format_args!("`{op}` is in the list or declared, but not both"));
    }
    let names: Vec<&str> = declarations.iter().flat_map(|file| names(file)).collect();
    for file in files.iter().filter(|file| DERIVED.iter().any(|folder| file.path.starts_with(folder))) {
        check_derived(file, &names, report);
    }
}

/// The operations in a list.
fn listed<'a>(files: &[&'a SourceFile], list: &List) -> BTreeSet<&'a str> {
    let Some(file) = files.iter().find(|file| file.path == list.path) else { return BTreeSet::new() };
    let start = format!("\n{}! {{", list.macro_name);
    let Some((_, rest)) = file.source.code.split_once(&start) else { return BTreeSet::new() };
    words(rest.split('}').next().unwrap_or("")).map(|(_, word)| word).collect()
}

/// The number of distinct operators that importers translate.
fn translated(files: &[&SourceFile]) -> usize {
    let (folder, row) = TRANSLATIONS;
    let tables = files.iter().filter(|file| file.path.starts_with(folder) && !file.is_test);
    let rows = tables.flat_map(|file| file.source.text.split(row).skip(1));
    let names = rows.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    names.collect::<BTreeSet<_>>().len()
}

fn check_trait(file: &SourceFile, report: &mut Report) {
    for (at, item) in items(file, "pub trait Structured {").into_iter().filter(|(_, item)| !TRAIT.contains(item)) {
        report.error(file.place(at), format_args!("`Structured::{item}`: a declaration gives {}", TRAIT.join(", ")));
    }
}

/// Names and types of operations, and functions that do more than declare.
fn check_words(file: &SourceFile, report: &mut Report) {
    for (at, word) in words(&file.source.code).filter(|(at, _)| !file.source.in_tests(*at)) {
        if let Some((_, what)) = FOREIGN.iter().find(|(foreign, _)| *foreign == word) {
            report.error(file.place(at), format_args!("`{word}` in a declaration: that is {what}"));
        }
    }
    for function in file.source.functions().iter().filter(|f| !file.source.in_tests(f.range.start)) {
        check_function(file, function, report);
    }
}

fn check_function(file: &SourceFile, function: &Function, report: &mut Report) {
    let place = file.place(function.range.start);
    if FOREIGN_FUNCTIONS.iter().any(|stem| function.name.starts_with(stem)) {
        report.error(&place, format_args!("function `{}` beside a declaration", function.name));
    }
    let types = words(&file.source.code[function.range.clone()]).any(|(_, word)| word == "TensorType");
    if types && function.name != "samples" {
        report.error(&place, format_args!("`{}` handles types; shapes follow from what is declared", function.name));
    }
}

/// The operations declared in a file.
fn check_declarations<'a>(file: &'a SourceFile, report: &mut Report) -> Vec<&'a str> {
    let code = &file.source.code;
    let mut declared = Vec::new();
    for (at, start) in code.match_indices("impl Structured for ") {
        let rest = &code[at + start.len()..];
        let op = words(rest).next().map_or("", |(_, word)| word);
        let header = &code[at..at + start.len() + rest.find('{').map_or(0, |brace| brace + 1)];
        for (at, item) in items(file, header).into_iter().filter(|(_, item)| !IMPLEMENTED.contains(item)) {
            report.error(file.place(at), format_args!("`{op}::{item}`: an operation gives {}", IMPLEMENTED.join(", ")));
        }
        declared.push(op);
    }
    declared
}

/// The constants, types and functions directly inside the block that `header` opens.
fn items<'a>(file: &'a SourceFile, header: &str) -> Vec<(usize, &'a str)> {
    let code = &file.source.code;
    let Some(start) = code.find(header).map(|at| at + header.len()) else { return Vec::new() };
    let (mut depth, mut end) = (0i32, start);
    let mut found = Vec::new();
    while end < code.len() && depth >= 0 {
        let rest = &code[end..];
        let next = rest.find(['{', '}']).unwrap_or(rest.len());
        if depth == 0 {
            found.extend(defined(&rest[..next]).map(|(at, word)| (end + at, word)));
        }
        depth += if rest[next..].starts_with('{') { 1 } else { -1 };
        end += next + 1;
    }
    found
}

/// The words after `const`, `type` and `fn`.
fn defined(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut previous = "";
    words(code).filter(move |(_, word)| {
        let names = matches!(std::mem::replace(&mut previous, word), "const" | "type" | "fn");
        names && *word != "fn"
    })
}

/// The names by which operations are printed.
fn names(file: &SourceFile) -> Vec<&str> {
    let starts = file.source.text.match_indices("const NAME: &'static str = \"");
    starts.filter_map(|(at, start)| file.source.text[at + start.len()..].split('"').next()).collect()
}

/// What is derived does not tell operations apart by name.
fn check_derived(file: &SourceFile, names: &[&str], report: &mut Report) {
    if file.is_test {
        return;
    }
    for name in names {
        let literal = format!("\"{name}\"");
        let is_code = |at: usize| file.source.comments.as_bytes()[at] == b' ' && !file.source.in_tests(at);
        for (at, _) in file.source.text.match_indices(&literal).filter(|(at, _)| is_code(*at)) {
            report.error(file.place(at), format_args!("knows the operation {literal} by name"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::samples::{errors, tree};

    const MANIFEST: (&str, &str) = ("crates/graph/Cargo.toml", "[package]\nname = \"tilewright-graph\"");
    const LIST: (&str, &str) = (
        STRUCTURED.path,
        "pub trait Structured {\n    const NAME: &'static str;\n    fn declare(&self);\n}\nops! { Map }",
    );

    /// The errors for a declaration of `Map` with further items in its `impl` and after it.
    fn errors_with(inside: &str, after: &str) -> Vec<String> {
        let text = format!(
            "use super::TensorType;\nimpl Structured for Map {{\n    const NAME: &'static str = \"map\";\n    \
             fn declare(&self) {{ if a {{ b() }} }}\n    fn samples() -> TensorType {{}}\n{inside}}}\n{after}"
        );
        errors(check, &[MANIFEST, LIST, ("crates/graph/src/ops/map.rs", &text)])
    }

    #[test]
    fn declarations_only_declare() {
        let cases = [
            ("", "", 0),
            ("", "fn check(n: usize) {}", 0),
            ("fn comp(&self) {}", "", 1),
            ("fn vjp(&self) {}", "", 2),
            ("", "fn eval(x: &Tensor) {}", 2),
            ("", "fn ranks(x: &TensorType) {}", 1),
            ("", "use crate::interp;", 1),
            ("", "#[cfg(test)]\nmod tests { fn eval(x: &Tensor) {} }", 0),
            ("", "impl Structured for Other {}", 1),
        ];
        for (inside, after, expected) in cases {
            let found = errors_with(inside, after);
            assert_eq!(found.len(), expected, "{inside} {after}: {found:?}");
        }
    }

    #[test]
    fn trait_and_lists_are_closed() {
        let trait_with_more = "pub trait Structured {\n    fn flops(&self);\n}\nops! {  }";
        assert_eq!(errors(check, &[MANIFEST, (STRUCTURED.path, trait_with_more)]).len(), 1);
        let thirteen =
            format!("\nopaques! {{ {} }}", ('A'..='M').map(|c| c.to_string()).collect::<Vec<_>>().join(", "));
        let algorithms = ("crates/algorithms/Cargo.toml", "[package]\nname = \"tilewright-algorithms\"");
        assert_eq!(errors(check, &[MANIFEST, algorithms, (OPAQUE.path, &thirteen)]).len(), 1);
    }

    #[test]
    fn translations_count_once() {
        let manifest = ("crates/onnx/Cargo.toml", "[package]\nname = \"tilewright-onnx\"");
        let rows = "const A: &[Row] = &[Row::new(\"Add\", 2), Row::new(\"Add\", 1).since(7), Row::new(\n\"Abs\", 1)];";
        let tree = tree(&[manifest, ("crates/onnx/src/import/ops/a.rs", rows)]);
        let files: Vec<&SourceFile> = tree.sources().map(|(_, file)| file).collect();
        assert_eq!(translated(&files), 2);
    }

    #[test]
    fn what_is_derived_knows_no_names() {
        let map = ("crates/graph/src/ops/map.rs", "impl Structured for Map { const NAME: &'static str = \"map\"; }");
        let cases = [("if name == \"map\" {}", 1), ("// \"map\"", 0), ("let a = \"maps\";", 0)];
        for (text, expected) in cases {
            let found = errors(check, &[MANIFEST, LIST, map, ("crates/graph/src/diff/mod.rs", text)]);
            assert_eq!(found.len(), expected, "{text}");
        }
    }
}

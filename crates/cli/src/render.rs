//! Problems for people and as JSON.

use crate::style;
use serde_json::json;
use tilewright::{Diagnostic, Loc, plain};

/// Nodes that are named where many have the same problem.
pub const FEW: usize = 4;

/// Problems for people; the same problem of several nodes is told once, with `most` of their names.
///
/// ```text
/// error[shape]: node "layer.3" (MatMul-13): inner dims differ: 768 and 512
///   --> model.onnx
///   note: a is f32[batch, 768]
///   help: check the model's exporter
/// ```
pub fn problems(problems: &[Diagnostic], model: Option<&str>, most: usize) -> String {
    let mut groups: Vec<Vec<&Diagnostic>> = Vec::new();
    for problem in problems {
        match groups.iter_mut().find(|g| alike(g[0], problem)) {
            Some(group) => group.push(problem),
            None => groups.push(vec![problem]),
        }
    }
    groups.iter().map(|g| group(g, model, most)).collect::<Vec<_>>().join("\n")
}

/// What is accepted although the rules forbid it.
pub fn warning(warning: &Diagnostic) -> String {
    group(&[warning], None, FEW).replacen("error[", "warning[", 1)
}

fn alike(a: &Diagnostic, b: &Diagnostic) -> bool {
    let (Loc::Node { op: x, .. }, Loc::Node { op: y, .. }) = (&a.loc, &b.loc) else { return false };
    x == y && a.code == b.code && a.message == b.message && a.notes == b.notes && a.help == b.help
}

fn group(group: &[&Diagnostic], model: Option<&str>, most: usize) -> String {
    let (bad, head, note) = (style::BAD, style::HEAD, style::NOTE);
    let first = group[0];
    let mut text = format!("{bad}error[{}]{bad:#}{head}:{head:#} ", first.code.word());
    match &first.loc {
        Loc::Unknown => {}
        Loc::Node { op, .. } if group.len() > 1 => text += &format!("{} nodes ({}): ", group.len(), plain(op)),
        loc => text += &format!("{loc}: "),
    }
    text += &plain(&first.message);
    if let Some(file) = model.filter(|_| !matches!(&first.loc, Loc::File(_))) {
        text += &format!("\n  {note}-->{note:#} {file}");
    }
    if group.len() > 1 {
        text += &format!("\n  {note}nodes:{note:#} {}", names(group, most));
    }
    for line in &first.notes {
        text += &format!("\n  {note}note:{note:#} {}", lines(line));
    }
    if let Some(line) = &first.help {
        text += &format!("\n  {note}help:{note:#} {}", plain(line));
    }
    text
}

/// The lines of a note, all under its first.
fn lines(note: &str) -> String {
    note.lines().map(plain).collect::<Vec<_>>().join("\n      ")
}

fn names(group: &[&Diagnostic], most: usize) -> String {
    let mut names: Vec<String> =
        group.iter().filter_map(|p| node(&p.loc)).map(|(name, _)| format!("{name:?}")).collect();
    if names.len() > most {
        let left_out = names.len() - most;
        names.truncate(most);
        names.push(format!("and {left_out} more (`tilewright check` names all)"));
    }
    names.join(", ")
}

/// The node of a location: its name and operator.
fn node(loc: &Loc) -> Option<(&str, &str)> {
    match loc {
        Loc::Node { name, op } => Some((name, op)),
        Loc::Within { of, .. } => node(of),
        Loc::Unknown | Loc::File(_) | Loc::Source { .. } => None,
    }
}

/// A problem as JSON.
pub fn json(problem: &Diagnostic) -> serde_json::Value {
    let node = node(&problem.loc);
    json!({
        "code": problem.code.word(), "message": problem.message, "notes": problem.notes, "help": problem.help,
        "place": (!problem.loc.is_unknown()).then(|| problem.loc.to_string()),
        "node": node.map(|n| n.0), "op": node.map(|n| n.1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(list: &[Diagnostic], most: usize) -> String {
        anstream::adapter::strip_str(&problems(list, Some("m.onnx"), most)).to_string()
    }

    #[test]
    fn names_the_file_once() {
        let error = Diagnostic::shape("dims differ").at(&Loc::node("a", "Add-14")).note("two\nlines").help("look");
        let want =
            "error[shape]: node \"a\" (Add-14): dims differ\n  --> m.onnx\n  note: two\n      lines\n  help: look";
        assert_eq!(plain(&[*error], FEW), want);
        let error = Diagnostic::io("gone").at(&Loc::file("m.onnx"));
        assert_eq!(plain(&[*error], FEW), "error[io]: m.onnx: gone");
    }

    #[test]
    fn tells_the_same_problem_of_many_nodes_once() {
        let of = |name: &str, op: &str| *Diagnostic::unsupported("not supported").at(&Loc::node(name, op));
        let list = [of("a", "Foo-1"), of("x", "Bar-1"), of("b", "Foo-1"), of("c", "Foo-1")];
        let want = "error[unsupported]: 3 nodes (Foo-1): not supported\n  --> m.onnx\n  nodes: \"a\", \"b\", \
                    and 1 more (`tilewright check` names all)\n\
                    error[unsupported]: node \"x\" (Bar-1): not supported\n  --> m.onnx";
        assert_eq!(plain(&list, 2), want);
        assert!(plain(&list, usize::MAX).contains("nodes: \"a\", \"b\", \"c\"\n"));
        assert_eq!(json(&list[0])["node"], "a");
    }
}

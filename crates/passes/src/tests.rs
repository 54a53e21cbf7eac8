//! The passes one by one on graphs in text form, and what they must not do.

use super::*;
use tilewright_graph::Graph;
use tilewright_support::Code;
use tilewright_tensor::{Tensor, Value};

const ALL: [Pass; 7] = [inline::PASS, identity::PASS, compose::PASS, fold::PASS, cse::PASS, fuse::PASS, dce::PASS];

fn parse(text: &str) -> Graph {
    Graph::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The text after passes, verified, and the number of changes.
fn after(passes: &[Pass], text: &str) -> (String, u64) {
    let mut graph = parse(text);
    let report = run_passes(&mut graph, passes, &Options { verify: true, ..Options::default() }).unwrap();
    let printed = graph.to_text();
    assert_eq!(parse(&printed), graph);
    (printed, report.changes())
}

/// Asserts what a pass makes of a graph given by its inputs, if there are any, and lines.
fn becomes(passes: &[Pass], before: &str, expected: &str) {
    let whole = |body: &str| {
        let (first, rest) = body.trim().split_once('\n').unwrap();
        let (inputs, lines) = if first.contains(" = ") { ("", body) } else { (first, rest) };
        parse(&format!("graph ({inputs}) {{ {lines} }}")).to_text()
    };
    assert_eq!(after(passes, &whole(before)).0, whole(expected));
}

fn unchanged(passes: &[Pass], graph: &str) {
    becomes(passes, graph, graph);
}

#[test]
fn fold_computes_what_is_constant() {
    becomes(
        &[fold::PASS],
        r#"
        %0 "x": f32[2]
        %1: f32[2] = constant [1.0, 2.0]
        %2: f32[2] = map (%1) { i:2 : neg($0[i]) } @ node("n", "Neg-13")
        %3: f32[] = reduce (%2) { | sum k:2 : $0[k] }
        %4: f32[2] = map (%0, %3) { i:2 : $0[i] + $1[] }
        return (%4)"#,
        r#"
        %0 "x": f32[2]
        %1: f32[2] = constant [1.0, 2.0]
        %2: f32[2] = constant [-1.0, -2.0] @ node("n", "Neg-13")
        %3: f32[] = constant [-3.0]
        %4: f32[2] = map (%0, %3) { i:2 : $0[i] + $1[] }
        return (%4)"#,
    );
    let bodies =
        "\n%0: f32[] = call \"c\" () graph () { %0: f32[] = map () { : 1.0:f32 + 2.0:f32 } return (%0) } return (%0)";
    assert!(after(&[fold::PASS], &format!("graph () {{ {bodies} }}")).0.contains("%0: f32[] = constant [3.0]"));
}

#[test]
fn fold_leaves_failures_random_numbers_and_growth() {
    for line in [
        "%2: f32[2] = gather (%1, %0) { i:2 : $0[$1[i]] }",
        "%2: u32[2] = map (%0) { i:2 : philox($0[i], index(i)) }",
        "%2: i64[300, 300] = broadcast (%0) { i:300, j:300 : $0[0] }",
        "%2: i64[2] = barrier (%0)",
        "%2: i64[1, n] = nonzero (%0)",
        "%2: seq(i64[2]) = sequence_construct (%0)",
    ] {
        unchanged(
            &[fold::PASS],
            &format!("%0: i64[2] = constant [1, 7]\n%1: f32[3] = constant [1.0, 2.0, 3.0]\n{line}\nreturn (%2)"),
        );
    }
}

#[test]
fn cse_merges_equal_nodes_and_keeps_outputs() {
    let exp = "map (%0) { i:2 : exp($0[i]) }";
    becomes(
        &[cse::PASS],
        &format!(
            "%0 \"x\": f32[2]
             %1: f32[2] = {exp}
             %2 \"a\": f32[2] = {exp}
             %3 \"y\": f32[2] = map (%1, %2) {{ i:2 : $0[i] / $1[i] }}
             %4 \"z\": f32[2] = map (%2, %1) {{ i:2 : $0[i] / $1[i] }}
             return (%2, %3, %4)"
        ),
        &format!(
            "%0 \"x\": f32[2]
             %1 \"a\": f32[2] = {exp}
             %2 \"y\": f32[2] = map (%1, %1) {{ i:2 : $0[i] / $1[i] }}
             %3 \"z\": f32[2] = map (%1, %1) {{ i:2 : $0[i] / $1[i] }}
             return (%1, %2, %3)"
        ),
    );
    // Constants that differ in the sign of zero, and barriers.
    unchanged(&[cse::PASS], "%0: f32[] = constant [0.0]\n%1: f32[] = constant [-0.0]\nreturn (%0, %1)");
    unchanged(&[cse::PASS], "%0: f32[]\n%1: f32[] = barrier (%0)\n%2: f32[] = barrier (%0)\nreturn (%1, %2)");
}

#[test]
fn dce_keeps_assertions_and_bindings() {
    becomes(
        &[dce::PASS],
        r#"
        %0: f32[N], %1: bool[], %2: i64[2]
        %3: f32[N] = map (%0) { i:N : exp($0[i]) }
        %4: f32[N] = assert "small" (%3, %1)
        %5: i64[1, n] = nonzero (%0)
        %6: i64[1, m] = nonzero (%0)
        define [a, b] (%2)
        define [c, d] (%2)
        %7: i64[2] = dims () { d:2 : index(n) where (0 == d) else index(2*a) }
        %8: f32[N] = map (%0) { i:N : tanh($0[i]) }
        return (%7)"#,
        r#"
        %0: f32[N], %1: bool[], %2: i64[2]
        %3: f32[N] = map (%0) { i:N : exp($0[i]) }
        %4: f32[N] = assert "small" (%3, %1)
        %5: i64[1, n] = nonzero (%0)
        define [a, b] (%2)
        %6: i64[2] = dims () { d:2 : index(n) where (0 == d) else index(2*a) }
        return (%6)"#,
    );
}

#[test]
fn dce_keeps_what_a_body_needs() {
    let body = |dead: &str| {
        format!(
            "%0: f32[4], %1: bool[], %2: i64[1]
             define [k] (%2)
             %3: f32[k] = if (%1, %0) then graph (%0: f32[4]) {{
               {dead}
               %1: f32[k] = slice (%0) {{ i:k : $0[i] }} return (%1) }}
             else graph (%0: f32[4]) {{ %1: f32[k] = slice (%0) {{ i:k : $0[4 - k + i] }} return (%1) }}
             return (%3)"
        )
    };
    becomes(&[dce::PASS], &body("%2: f32[4] = map (%0) { i:4 : exp($0[i]) }"), &body(""));
}

#[test]
fn identities_vanish() {
    for line in ["permute (%1) { i:2, j:N, k:1 : $0[i, j, k] }", "slice (%1) { i:2, j:N, k:1 : $0[i, j, 0] }"] {
        becomes(
            &[identity::PASS],
            &format!(
                "%0: f32[2, N, 1]
                 %1: f32[2, N, 1] = map (%0) {{ i:2, j:N, k:1 : exp($0[i, j, 0]) }}
                 %2 \"y\": f32[2, N, 1] = {line}
                 return (%2)"
            ),
            "%0: f32[2, N, 1]
             %1 \"y\": f32[2, N, 1] = map (%0) { i:2, j:N, k:1 : exp($0[i, j, 0]) }
             return (%1)",
        );
    }
    for line in [
        "%1: f32[2, 2] = permute (%0) { i:2, j:2 : $0[j, i] }",
        "%1: f32[2, 2] = slice (%0) { i:2, j:2 : $0[i, 1 - j] }",
        "%1: f32[1, 2] = slice (%0) { i:1, j:2 : $0[0, j] }",
        "%1: f32[2, 2] = copy (%0) { i:2, j:2 : $0[i, j] ; N == 2 \"N\" }",
    ] {
        unchanged(
            &[identity::PASS],
            &format!("%0: f32[2, 2], %2: f32[N]\n{line}\nreturn (%1)").replace("%2:", "%9:").replace("%9", "%2"),
        );
    }
}

#[test]
fn views_compose_where_that_is_simple() {
    becomes(
        &[compose::PASS, dce::PASS, identity::PASS],
        "%0: f32[N, 4]
         %1: f32[4, N] = permute (%0) { i:4, j:N : $0[j, i] }
         %2: f32[N, 4] = permute (%1) { i:N, j:4 : $0[j, i] }
         %3 \"y\": f32[2, N] = slice (%1) { i:2, j:N : $0[2*i + 1, j] }
         %4: f32[N, 4] = map (%2) { i:N, j:4 : exp($0[i, j]) }
         return (%3, %4)",
        "%0: f32[N, 4]
         %1 \"y\": f32[2, N] = slice (%0) { i:2, j:N : $0[j, 2*i + 1] }
         %2: f32[N, 4] = map (%0) { i:N, j:4 : exp($0[i, j]) }
         return (%1, %2)",
    );
    becomes(
        &[compose::PASS, dce::PASS],
        "%0: f32[2, 3]
         %1: f32[6] = reshape (%0) { i:6 : $0[div(i, 3), mod(i, 3)] }
         %2: f32[2, 3] = reshape (%1) { i:2, j:3 : $0[3*i + j] }
         return (%2)",
        "%0: f32[2, 3]
         %1: f32[2, 3] = reshape (%0) { i:2, j:3 : $0[i, j] }
         return (%1)",
    );
    // A division would join the index; the inner slice may be out of bounds.
    unchanged(
        &[compose::PASS],
        "%0: f32[2, 3]
         %1: f32[6] = reshape (%0) { i:6 : $0[div(i, 3), mod(i, 3)] }
         %2: f32[6] = reverse (%1) { i:6 : $0[5 - i] }
         return (%2)",
    );
    unchanged(
        &[compose::PASS],
        "%0: f32[N], %1: f32[M]
         %2: f32[M] = slice (%0) { i:M : $0[i] }
         %3: f32[1] = slice (%2) { i:1 : $0[0] }
         return (%3)",
    );
}

#[test]
fn calls_and_constant_choices_expand() {
    let twice = "graph (%0: f32[N]) {
        %1: i64[1, u.0] = nonzero (%0)
        %2: f32[N] = map (%0) { i:N : $0[i] * 2.0:f32 } @ node(\"inner\", \"Mul-14\")
        return (%2, %1) }";
    becomes(
        &[inline::PASS],
        &format!(
            "%0: f32[N]
             %1: f32[N], %2: i64[1, u.0] = call \"Twice\" (%0) {twice} @ node(\"a\", \"Twice-1\")
             %3: f32[N], %4: i64[1, u.1] = call \"Twice\" (%1) {twice} @ node(\"b\", \"Twice-1\")
             return (%3, %4)"
        ),
        "%0: f32[N]
         %1: i64[1, u.0] = nonzero (%0) @ \"Twice\" of node(\"a\", \"Twice-1\")
         %2: f32[N] = map (%0) { i:N : $0[i] * 2.0:f32 } @ \"node \\\"inner\\\" (Mul-14)\" of \"Twice\" of node(\"a\", \"Twice-1\")
         %3: i64[1, u.1] = nonzero (%2) @ \"Twice\" of node(\"b\", \"Twice-1\")
         %4: f32[N] = map (%2) { i:N : $0[i] * 2.0:f32 } @ \"node \\\"inner\\\" (Mul-14)\" of \"Twice\" of node(\"b\", \"Twice-1\")
         return (%4, %3)",
    );
    let choice = |c: bool| {
        format!(
            "%0: f32[N]
             %1: bool[] = constant [{c}]
             %2: f32[N] = if (%1, %0) then graph (%0: f32[N]) {{ return (%0) }}
               else graph (%0: f32[N]) {{ %1: f32[N] = map (%0) {{ i:N : exp($0[i]) }} return (%1) }}
             %3: f32[N] = map (%2) {{ i:N : tanh($0[i]) }}
             return (%3)"
        )
    };
    let chosen = |line: &str, x: usize| {
        format!("%0: f32[N]\n{line} %{}: f32[N] = map (%{x}) {{ i:N : tanh($0[i]) }} return (%{})", x + 1, x + 1)
    };
    becomes(&[inline::PASS, dce::PASS], &choice(true), &chosen("", 0));
    let exp = "%1: f32[N] = map (%0) { i:N : exp($0[i]) } @ \"else\" of unknown";
    becomes(&[inline::PASS, dce::PASS], &choice(false), &chosen(exp, 1));
}

#[test]
fn symbols_of_a_body_that_is_inlined_twice_stay_apart() {
    let count = "graph (%0: f32[N]) {
        %1: i64[1, c] = nonzero (%0)
        %2: i64[1] = dims () { d:1 : index(c) }
        return (%2) }";
    let text = format!(
        "graph (%0: f32[N], %1: f32[N]) {{
           %2: i64[1] = call \"Count\" (%0) {count}
           %3: i64[1] = call \"Count\" (%1) {count}
           return (%2, %3) }}"
    );
    let (printed, changes) = after(&[inline::PASS], &text);
    assert!(changes == 2 && printed.contains("[1, c.1]") && printed.contains("[1, c.2]"), "{printed}");
    let x = |v: [f32; 3]| Value::Tensor(Tensor::from_slice(&[3], &v).unwrap());
    let inputs = [x([1.0, 0.0, 0.0]), x([1.0, 2.0, 0.0])];
    let run = |text: &str| tilewright_graph::interp::run(&parse(text), &inputs).unwrap();
    assert_eq!(run(&printed), run(&text));
}

#[test]
fn a_body_that_calls_bodies_does_not_explode() {
    let mut body = "graph (%0: f32[]) { %1: f32[] = map (%0) { : exp($0[]) } return (%1) }".to_string();
    for _ in 0..8 {
        body = format!("graph (%0: f32[]) {{ %1: f32[] = call \"f\" (%0) {body} return (%1) }}");
    }
    let (printed, changes) = after(&ALL, &format!("{body}\n"));
    assert_eq!((changes, printed.lines().count()), (8, 4));
}

/// A62: a permutation that keeps the order is none. A63: `x - (x + 1)` is what it is. A64: a value
/// in the midst of others that is also an output is still given.
#[test]
fn known_mistakes_of_optimisers_are_not_made() {
    let x = |shape: &[usize]| {
        let n: usize = shape.iter().product();
        Value::Tensor(Tensor::from_slice(shape, &(0..n).map(|i| i as f32 - 2.5).collect::<Vec<_>>()).unwrap())
    };
    let cases: [(&str, Vec<Value>); 4] = [
        (
            "graph (%0: f32[3, 4], %1: f32[4, 5], %2: f32[5]) {
               %3: f32[3, 4] = permute (%0) { i:3, j:4 : $0[i, j] }
               %4: f32[3, 5] = matmul (%3, %1) { i:3, j:5 | sum k:4 : $0[i, k] * $1[k, j] }
               %5: f32[3, 5] = map (%4, %2) { i:3, j:5 : $0[i, j] + $1[j] }
               return (%5) }",
            vec![x(&[3, 4]), x(&[4, 5]), x(&[5])],
        ),
        (
            "graph (%0: f32[]) {
               %1: f32[] = constant [1.0]
               %2: f32[] = map (%0, %1) { : $0[] + $1[] }
               %3: f32[] = map (%0, %2) { : $0[] - $1[] }
               return (%3) }",
            vec![x(&[])],
        ),
        (
            "graph (%0 \"x\": f32[4]) {
               %1 \"a\": f32[4] = map (%0) { i:4 : exp($0[i]) }
               %2 \"b\": f32[4] = copy (%1) { i:4 : $0[i] }
               %3 \"c\": f32[4] = map (%0) { i:4 : exp($0[i]) }
               %4 \"d\": f32[4] = copy (%0) { i:4 : $0[i] }
               %5 \"e\": f32[] = reduce (%3) { | sum k:4 : $0[k] }
               return (%1, %2, %3, %4, %0, %5) }",
            vec![x(&[4])],
        ),
        (
            "graph (%0: f32[4], %1: i64[2]) {
               %2: f32[2] = gather (%0, %1) { i:2 : $0[$1[i]] }
               %3: f32[2] = map (%2) { i:2 : $0[i] + $0[i] }
               %4: f32[4] = scatter replace (%0, %1, %3) { i:2 : out[$1[i]] <- $2[i] }
               return (%4, %0) }",
            vec![x(&[4]), Value::Tensor(Tensor::from_slice(&[2], &[3i64, 1]).unwrap())],
        ),
    ];
    for (text, inputs) in cases {
        let graph = parse(text);
        let mut optimised = graph.clone();
        run_passes(&mut optimised, &ALL, &Options::default()).unwrap();
        let run = |g: &Graph| tilewright_graph::interp::run(g, &inputs).unwrap();
        assert_eq!(run(&optimised), run(&graph), "{}", optimised.to_text());
        assert_eq!(run(&optimised), run(&optimised));
        let names = |g: &Graph| g.outputs.iter().map(|v| g.values[v.index()].name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&optimised), names(&graph));
    }
}

#[test]
fn producers_move_into_their_only_reader() {
    becomes(
        &[fuse::PASS, dce::PASS],
        r#"
        %0: f32[4, 2], %1: f32[2]
        %2: f32[4, 2] = map (%0) { i:4, j:2 : exp($0[i, j]) }
        %3: f32[2, 4] = map (%2, %1) { j:2, i:4 : ($0[i, j] + $1[j]) * $0[i, j] }
        return (%3)"#,
        r#"
        %0: f32[4, 2], %1: f32[2]
        %2: f32[2, 4] = map (%1, %0) { j:2, i:4 : (exp($1[i, j]) + $0[j]) * exp($1[i, j]) }
        return (%2)"#,
    );
    // Computed once for each row, it would be computed for each element.
    unchanged(
        &[fuse::PASS],
        r#"
        %0: f32[4], %1: f32[4, 9]
        %2: f32[4] = map (%0) { i:4 : exp($0[i]) }
        %3: f32[4, 9] = map (%2, %1) { i:4, j:9 : $0[i] * $1[i, j] }
        return (%3)"#,
    );
    // A sum of rounded products is no sum of products.
    unchanged(
        &[fuse::PASS],
        r#"
        %0: f32[4], %1: f32[4]
        %2: f32[4] = map (%0, %1) { i:4 : $0[i] * $1[i] }
        %3: f32[] = reduce (%2) { | sum k:4 : $0[k] }
        return (%3)"#,
    );
    // A padding is multiplied as it stands.
    becomes(
        &[fuse::PASS, dce::PASS],
        r#"
        %0: f32[4], %1: f32[4]
        %2: f32[4] = map (%0) { i:4 : $0[i - 1] where (0 <= i - 1) else 0.0:f32 }
        %3: f32[4] = map (%2, %1) { i:4 : $0[i] * $1[i] }
        return (%3)"#,
        r#"
        %0: f32[4], %1: f32[4]
        %2: f32[4] = map (%1, %0) { i:4 : ($1[i - 1] where (0 <= i - 1) else 0.0:f32) * $0[i] }
        return (%2)"#,
    );
}

/// Views and what is repeated stay outside: the places at which a sum reads say in which order it adds.
#[test]
fn sums_keep_their_order() {
    unchanged(
        &[fuse::PASS],
        r#"
        %0: f32[9, 8], %1: f32[8]
        %2: f32[9, 5] = slice (%0) { i:9, j:5 : $0[i, j + 2] }
        %3: f32[] = reduce (%2) { | sum k:9, l:5 : $0[k, l] }
        %4: f32[9, 8] = broadcast (%1) { i:9, j:8 : $0[j] }
        %5: f32[] = contract (%4, %0) { | sum k:9, l:8 : $0[k, l] * $1[k, l] }
        return (%3, %5)"#,
    );
    becomes(
        &[fuse::PASS, dce::PASS],
        r#"
        %0: f32[9, 8]
        %1: f32[9, 8] = map (%0) { i:9, j:8 : exp($0[i, j]) }
        %2: f32[9] = reduce (%1) { i:9 | sum k:8 : $0[i, k] }
        %3: f32[8, 9] = permute (%0) { i:8, j:9 : $0[j, i] }
        %4: f32[9] = reduce (%3) { i:9 | max k:8 : $0[k, i] }
        return (%2, %4)"#,
        r#"
        %0: f32[9, 8]
        %1: f32[9] = reduce (%0) { i:9 | sum k:8 : exp($0[i, k]) }
        %2: f32[9] = reduce (%0) { i:9 | max k:8 : $0[i, k] }
        return (%1, %2)"#,
    );
}

#[test]
fn fuel_stops_after_so_many_changes() {
    let text = "graph (%0: f32[2]) {
        %1: f32[2] = map (%0) { i:2 : exp($0[i]) }
        %2: f32[2] = map (%0) { i:2 : exp($0[i]) }
        %3: f32[2] = map (%0) { i:2 : tanh($0[i]) }
        %4: f32[2] = map (%1, %2) { i:2 : $0[i] + $1[i] }
        return (%4) }";
    let changes = |fuel| {
        let mut graph = parse(text);
        let report = run_passes(&mut graph, &ALL, &Options { fuel, verify: true, ..Options::default() }).unwrap();
        (report.changes(), graph.nodes.len())
    };
    assert_eq!([Some(0), Some(1), Some(2), Some(9), None].map(changes), [(0, 4), (1, 3), (2, 3), (4, 1), (4, 1)]);
}

#[test]
fn dumps_times_and_errors_name_the_pass() {
    let mut graph = parse("graph (%0: f32[2]) { %1: f32[2] = map (%0) { i:2 : exp($0[i]) } return (%0) }");
    let shown = std::cell::RefCell::new(String::new());
    let print = |s: &str| shown.borrow_mut().push_str(s);
    let dump = ["before:dce", "after:fold", "changed"].map(|d| Dump::parse(d, &ALL).unwrap());
    let options = Options { dump: &dump, print: &print, time: true, ..Options::default() };
    let report = run_passes(&mut graph, &ALL, &options).unwrap();
    assert!(report.steps.iter().all(|s| s.time.is_some()));
    let shown = shown.into_inner();
    let heads: Vec<&str> = shown.lines().filter(|l| l.starts_with("//")).collect();
    assert_eq!(heads, ["// after fold, changes: 0", "// before dce", "// after dce, changes: 1"]);
    for bad in ["after", "after:nothing", "changed:dce", "during:dce"] {
        assert_eq!(Dump::parse(bad, &ALL).unwrap_err().code, Code::Usage);
    }
    fn spoil(graph: &mut Graph, _: &PassCx) -> tilewright_support::Result<Changed> {
        graph.outputs.push(tilewright_graph::ValueId(99));
        Ok(Changed::Yes)
    }
    let spoil = Pass { name: "spoil", doc: "", requires: &[], establishes: &[], run: spoil };
    let error = run_passes(&mut graph, &[spoil], &Options { verify: true, ..Options::default() }).unwrap_err();
    assert_eq!(error.notes, ["after pass spoil"]);
    let needy = Pass { requires: &[Fact::Live], ..cse::PASS };
    assert!(check_order(&[needy, dce::PASS]).is_err());
    assert!(check_order(&[dce::PASS, needy]).is_ok());
}

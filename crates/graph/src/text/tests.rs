//! Round trips, errors, and mutated texts.

use super::*;
use crate::comp::{Axis, Combiner, Comp, Role};
use crate::scalar::Scalar;
use crate::{Builder, Type, ops};
use std::collections::HashSet;
use tilewright_support::{Code, Loc};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// Texts in the very form that printing gives.
const TEXTS: &[&str] = &[
    r#"graph () {
  return ()
}
"#,
    r#"graph (%0 "x": f32[N, 768], %1 "w": f32[768, 64]) {
  %2 "y": f32[N, 64] = matmul (%0, %1) { i:N, j:64 | sum k:768 : $0[i, k] * $1[k, j] } @ node("layer.0/MatMul", "MatMul-13")
  return (%2)
}
"#,
    r#"graph (%2 "say \"x\"\n": f32["batch size", ?, "a+b", u.0], %0: i64[N]) {
  %1: i64[N] = cumulate (%0) { s:N scan reverse exclusive | sum : $0[s] } @ "step" of "part" of file("m.onnx")
  unused %3 "spare": seq(f32[?, 3])
  return (%1, %1)
}
"#,
    r#"graph (%0: f32[5, 7], %1: i32[4]) {
  %2: i64[5] = reduce (%0) { i:5 | argmax_last k:7 : $0[i, k] }
  %3: f32[4, 7] = gather (%0, %1) { a:4, i:7 : $0[min(4, max(0, $1[a])), i] } @ source("lib.rs", 7)
  %4: f32[5, 7] = scatter max (%0, %1, %3) { i:4, j:7 : out[$1[i], j] <- $2[i, j] - -1.5:f32 * cast(f32, index(7*i + j)) }
  return (%2, %3, %4)
}
"#,
    r#"graph (%0: f32[N, 4], %1: i64[2], %2: bool[]) {
  define [rows, "two words"] (%1)
  %3: f32[rows, "two words"] = "define" (%0) { i:rows, j:"two words" : $0[i, j] where (0 <= N - i - 1, 0 == mod(i + j, 3)) else $0[i - 1, 0] where (0 <= i - 1) else NaN:f32 ; N == rows "rows \"of\" x" }
  %4: f32[N, 4] = barrier (%0)
  %5: f32[N, 4] = assert "N must be even" (%4, %2)
  %6: f32[N, 4] = stop_gradient (%5)
  %7: i64[2, n] = nonzero (%6)
  return (%3, %6, %7)
}
"#,
    r#"graph (%0: bool[], %1: f32[N], %2: i64[]) {
  %3: f32[N] = if (%0, %1) then graph (%0: f32[N]) {
    %1: f32[N] = call "Twice" (%0) graph (%0: f32[N]) {
      %1: f32[N] = map (%0) { i:N : $0[i] * 2.0:f32 }
      return (%1)
    }
    return (%1)
  } else graph (%0: f32[N]) {
    return (%0)
  } @ node("If_0", "If-16")
  %4: f32[N], %5: f32[m, N] = loop [carried=1, scanned=0, stacked=1, counted=true, conditional=false] (%2, %1) graph (%0: i64[], %1: f32[N]) {
    return (%1, %1)
  }
  return (%3, %4, %5)
}
"#,
    r#"graph (%0: seq(f32[?, 3]), %1: f32[2, 3], %2: i64[], %3: opt(f32[...])) {
  %4: seq(f32[?, 3]) = sequence_insert (%0, %1, %2)
  %5: f32[...] = concat_from_sequence [axis=-1, stack=false] (%4)
  %6: seq(f32[1, 3]) = split_to_sequence [axis=0, keep=true] (%1)
  %7: bool[] = optional_has_element (%3)
  return (%5, %6, %7)
}
"#,
    r#"graph () {
  %0: f32[3] = constant [1.5, -0.0, inf]
  %1: i8[2, 2] = constant [-128, 0, 1, 127]
  %2: bool[2] = constant [true, false]
  %3: str[2] = constant ["a\"b", "\u{200b}ü"]
  %4: f32[2] = constant 0x0100c07f0000807f
  %5: i4[3] = constant [-8, 7, 0]
  %6: u64[] = constant [18446744073709551615]
  %7: f64[0] = constant []
  %8: u8[17] = constant 0x000102030405060708090a0b0c0d0e0f10
  %9: f16[2] = constant [0.099975586, NaN]
  return (%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)
}
"#,
    r#"graph (%0: f16[4], %1: u64[4], %2: str[4]) {
  %3: f32[4] = map (%0) { i:4 : exp(cast(f32, $0[i]) - (1.0:f32 - 3e-7:f32)) / (2.5:f32 / inf:f32) }
  %4: u64[4] = map (%1) { i:4 : select(lt($0[i], 18446744073709551615:u64), $0[i], cast_special(u64, -3:i8)) }
  %5: u16[4] = map (%0) { i:4 : bitcast(u16, $0[i] * ($0[i] where (0 == i - 1) else 0x7ff8000000000001:f16)) }
  %6: bool[4] = map (%2) { i:4 : and(eq($0[i], ""), true) }
  return (%3, %4, %5, %6)
}
"#,
];

#[test]
fn texts_read_and_print_back() {
    for text in TEXTS {
        let graph = Graph::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(graph.to_text(), *text);
    }
}

#[test]
fn declared_operations_round_trip() {
    for row in ops::STRUCTURED {
        for sample in (row.samples)() {
            let mut b = Builder::new();
            let types = sample.operands.iter().enumerate();
            let inputs: Vec<_> = types.map(|(i, t)| b.input(&format!("x{i}"), Type::Tensor(t.clone()))).collect();
            let y = b.comp(sample.comp.unwrap(), &inputs);
            let graph = b.finish(&[y]);
            let text = graph.to_text();
            assert_eq!(Graph::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")), graph);
        }
    }
}

#[test]
fn axis_names_are_made_unique() {
    let mut b = Builder::new();
    let x = b.input("x", Type::tensor(DType::F32, vec![Ix::sym("i"), 3.into(), 4.into(), 5.into()]));
    let names = ["i", "i", "two words", "i_1"];
    let sizes = [Ix::sym("i"), 3.into(), 4.into(), 5.into()];
    let axis =
        |(name, extent): (&&str, &Ix)| Axis { name: (*name).into(), extent: extent.clone(), role: Role::Parallel };
    let axes = names.iter().zip(&sizes).map(axis).collect();
    let body = Scalar::read(0, DType::F32, (0..4).map(Ix::axis).collect());
    let y = b.comp(Comp::new("copy", axes, Combiner::Map, body), &[x]);
    let graph = b.finish(&[y]);
    let text = graph.to_text();
    let shown = r#"{ i:"i", i_1 "i":3, a "two words":4, i_1_1 "i_1":5 : $0[i, i_1, a, i_1_1] }"#;
    assert!(text.contains(shown), "{text}");
    assert_eq!(Graph::parse(&text).unwrap(), graph);
}

#[test]
fn constants_of_every_dtype_are_exact() {
    for &dtype in DType::ALL.iter().filter(|d| **d != DType::String) {
        for len in [1, 9, 40] {
            let bytes: Vec<u8> = (0..dtype.byte_len(len).unwrap()).map(|i| (i * 37 + 191) as u8).collect();
            let mut b = Builder::new();
            let c = b.constant(Tensor::from_bytes(dtype, &[len], &bytes).unwrap());
            let graph = b.finish(&[c]);
            assert_eq!(Graph::parse(&graph.to_text()).unwrap(), graph, "{}", graph.to_text());
        }
    }
}

#[test]
fn the_short_form_shortens_constants() {
    let mut b = Builder::new();
    b.loc = Loc::node("c", "Constant-13");
    let c = b.constant(Tensor::from_slice(&[100], &[0.5f32; 100]).unwrap());
    let text = b.finish(&[c]).to_short_text();
    assert!(text.contains("constant [0.5, 0.5, 0.5, 0.5, ... 96 more] @ node("), "{text}");
    assert!(Graph::parse(&text).unwrap_err().message.contains("expected a number, found `...`"));
}

#[test]
fn operation_words_are_distinct() {
    let words = OP_WORDS.iter().copied().chain(crate::opaque::OPAQUE.iter().map(|(n, _)| *n));
    let words: Vec<String> = words.map(String::from).chain(host_ops().iter().map(|h| h.name().to_string())).collect();
    assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len(), "{words:?}");
}

#[test]
fn errors_name_line_column_and_what_was_expected() {
    let body = |b: &str| format!("graph (%0: f32[2]) {{\n  %1: f32[2] = map (%0) {{ i:2 : {b} }}\n  return (%1)\n}}");
    let cases = [
        ("".to_string(), "line 1, column 1: expected `graph`, found the end"),
        ("graph (\n%0: f33[2]".into(), "line 2, column 5: expected a dtype, found `f33`"),
        ("graph () { return (%0) }".into(), "line 1, column 20: value %0 is not defined"),
        ("graph (%1: f32[]) { return () }".into(), "values must be %0 to %0"),
        ("graph (%0: f32[], %0: f32[]) {".into(), "line 1, column 19: value %0 is defined twice"),
        ("graph () { return () } graph".into(), "expected the end of the text, found `graph`"),
        ("graph () { # }".into(), "line 1, column 12: unexpected character '#'"),
        ("graph () { call \"x".into(), "line 1, column 17: a string without an end"),
        ("graph () { %0: i8[1] = constant [300] return () }".into(), "column 34: 300 is no i8"),
        ("graph () { %0: i8[2] = constant 0x01 return () }".into(), "takes 2 bytes, but 1 are given"),
        ("graph () { loop [carried=1] () graph () { return () } }".into(), "attribute `scanned` is missing"),
        (body("$0[i] + 1.0"), "line 2, column 45: expected `:`, found `}`"),
        (body("$0[i] + 1:i32"), "line 2, column 39: add does not take (f32, i32)"),
        (body("tanh($0[i]"), "expected `,` or `)`, found `}`"),
        (body("tann($0[i])"), "line 2, column 33: expected an expression, found `tann`"),
        (body("$2[i]"), "line 2, column 33: there is no tensor $2"),
        (body("$0[7*]"), "line 2, column 38: expected an index, found `]`"),
        (body("$0[n]"), "symbol n is used before it is bound"),
        (body("$0[0, 0]"), "operand 0 of rank 1 is read with 2 indices"),
        ("graph () { define [a] () return () }".into(), "define takes"),
        ("graph () { %0: f32[] = barrier () return () }".into(), "barrier has wrong inputs"),
        (body("is_nan($0[i])"), "map gives bool[2], not f32[2]"),
    ];
    for (text, message) in cases {
        let error = Graph::parse(&text).unwrap_err();
        assert!(error.message.contains(message), "{} instead of {message}", error.message);
        assert_eq!(error.code, Code::Invalid);
    }
}

#[test]
fn nesting_is_limited() {
    let deep = |open: &str, close: &str, n: usize| {
        let (open, close) = (open.repeat(n), close.repeat(n));
        format!("graph (%0: f32[1]) {{ %1: f32[1] = map (%0) {{ i:1 : {open}$0[0]{close} }} return (%1) }}")
    };
    assert!(Graph::parse(&deep("neg(", ")", 150)).is_ok());
    assert!(Graph::parse(&deep("", " where (0 <= i) else 0.0:f32", 1500)).is_ok());
    for (open, close) in [("(", ")"), ("neg(", ")"), ("", " - 1.0:f32"), ("", " where (0 <= i) else 0.0:f32")] {
        let message = Graph::parse(&deep(open, close, 20_000)).unwrap_err().message;
        assert!(message.contains("deep"), "{message}");
    }
    for (open, close) in [("seq(", ")"), ("[", "]"), ("call \"x\" () graph () {", "return ()}"), ("\"p\" of ", "")] {
        let text = format!("graph () {{ %0: {} {} }}", open.repeat(20_000), close.repeat(20_000));
        assert!(Graph::parse(&text).is_err());
    }
    let sum = (0..400).map(|i| format!("s{i}")).collect::<Vec<_>>().join(" + ");
    let product = (0..20).map(|i| format!("div(2*a{i} + 2*b{i}, 2)")).collect::<Vec<_>>().join("*");
    for size in [sum, product] {
        assert!(Graph::parse(&format!("graph (%0: f32[{size}]) {{}}")).unwrap_err().message.contains("too many"));
    }
}

/// Pseudo-random numbers below `n`.
fn random(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) as usize % n
}

/// Removes, repeats, replaces or swaps in pieces of tokens.
fn mutate(text: &str, seed: &mut u64) -> String {
    let splits = |c: char| !c.is_ascii_alphanumeric();
    let mut pieces: Vec<&str> = text.split_inclusive(splits).collect();
    for _ in 0..1 + random(seed, 3) {
        let (at, from) = (random(seed, pieces.len()), random(seed, pieces.len()));
        match random(seed, 5) {
            0 => drop(pieces.drain(at..pieces.len().min(at + 1 + from % 3))),
            1 => pieces.insert(at, pieces[from]),
            2 => pieces[at] = pieces[from],
            3 => pieces.swap(at, from),
            _ => {
                const ODD: [&str; 8] = ["9223372036854775808", "-", "4294967295", "\"", "0x", "ü", "%", "{"];
                pieces[at] = ODD[random(seed, ODD.len())];
            }
        }
        if pieces.is_empty() {
            pieces.push("graph");
        }
    }
    pieces.concat()
}

#[test]
fn mutated_texts_never_panic_and_what_reads_prints() {
    let mut seed = 7;
    let mut read = 0;
    for round in 0..8000 {
        let text = mutate(TEXTS[round % TEXTS.len()], &mut seed);
        if let Ok(graph) = Graph::parse(&text) {
            read += 1;
            let printed = graph.to_text();
            assert_eq!(Graph::parse(&printed).unwrap_or_else(|e| panic!("{e}\n{text}\n{printed}")), graph);
        }
    }
    assert!(read > 100, "only {read} mutated texts were read");
}

//! Reference pages made from declarations.

use crate::comp::Combiner;
use crate::opaque::OPAQUE;
use crate::ops::{STRUCTURED, Sample, Structured};
use crate::scalars::{Rule, TABLE};
use crate::types::TensorType;
use std::fmt::Write;

/// The page of one structured operation: what it computes, and for each sample the comprehension
/// that it is, with result type and floating-point operations.
pub fn page<S: Structured>() -> String {
    let samples = S::samples().into_iter().map(|(op, operands)| {
        let comp = op.comp(&operands);
        Sample { name: S::NAME, comp, operands }
    });
    section(S::NAME, S::DOC, &samples.collect::<Vec<_>>())
}

/// The pages of everything that the graph's operations are made of.
pub fn reference() -> String {
    let mut out = String::from(
        "# Operations\n\nMade from the declarations in `crates/graph/src`; `BLESS=1 cargo test -p tilewright-graph docs` \
         writes it anew.\n\n## Structured\n\nEach is one comprehension; shapes, evaluation, derivatives and counts follow \
         from it. `$0` is the first operand.\n",
    );
    for row in STRUCTURED {
        out += &section(row.name, row.doc, &(row.samples)());
    }
    out += "\n## Opaque\n\nAlgorithms that are not comprehensions, at most twelve.\n\n| name | meaning |\n|---|---|\n";
    for (name, doc) in OPAQUE {
        let _ = writeln!(out, "| `{name}` | {} |", cell(doc));
    }
    out += "\n## Combiners\n\n| name | identity, NaN and tie rule |\n|---|---|\n";
    for c in Combiner::ALL {
        let _ = writeln!(out, "| `{}` | {} |", c.name(), cell(c.doc()));
    }
    out += "\n## Scalar functions\n\n| name | arguments | meaning |\n|---|---|---|\n";
    for row in TABLE {
        let _ = writeln!(out, "| `{}` | {} | {} |", row.name, takes(row.rule, row.arity), cell(row.doc));
    }
    out + "| `cast(dtype, a)` | any | ONNX `Cast` with saturation; `cast_special` without |\n| `bitcast(dtype, a)` | any of \
           the same width | The same bits read as another dtype. |\n"
}

fn section(name: &str, doc: &str, samples: &[Sample]) -> String {
    let mut out = format!("\n### {name}\n\n{doc}\n\n```text\n");
    for s in samples {
        let operands: Vec<String> = s.operands.iter().map(TensorType::to_string).collect();
        let _ = writeln!(out, "({})", operands.join(", "));
        let _ = match &s.comp {
            Ok(c) => writeln!(out, "  {c}\n  {}, {} FLOPs", TensorType::new(c.dtype(), c.shape()), c.flops()),
            Err(e) => writeln!(out, "  {e}"),
        };
    }
    out + "```\n"
}

fn takes(rule: Rule, arity: usize) -> String {
    let kind = match rule {
        Rule::Num => "numbers of one dtype",
        Rule::Float => "floats of one dtype",
        Rule::Bits => "integers or bools of one dtype",
        Rule::Compare => "values of one dtype, to bool",
        Rule::Test => "a float, to bool",
        Rule::Select => "a bool and two values of one dtype",
        Rule::Random => "i64 key and counter, to u32",
        Rule::Convert => "any",
    };
    format!("{arity}: {kind}")
}

fn cell(text: &str) -> String {
    text.trim().replace('|', "\\|").replace('\n', " ")
}

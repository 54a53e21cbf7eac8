//! `docs/tpp.md` lists the published names of tensor processing primitives, what each is here, and the rows of the
//! tables. `BLESS=1` writes it anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use tilewright_loops::map::{Combiner, Map, Operand, Order, Program};
use tilewright_loops::movement::Move;
use tilewright_loops::tpp::{
    ELEMENTWISE, Elementwise, Here, LIST, Numbers, REDUCTIONS, Reduction, Type, elementwise, reduction,
};
use tilewright_support::Result;
use tilewright_tensor::DType::{self, BF16, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

const DTYPES: [DType; 12] = [F64, F32, F16, BF16, I64, U64, I32, U32, I16, U16, I8, U8];

fn names(rows: &[&str]) -> String {
    rows.iter().map(|r| format!("`{r}`")).collect::<Vec<_>>().join(", ")
}

fn here(here: &Here) -> String {
    match here {
        Here::Elementwise(rows) => names(rows),
        Here::Reduction(rows) => format!("reduction {}", names(rows)),
        Here::Moves(orders, how) => {
            // The name of the order without the size of the elements.
            let order = |o: &_| Move { element: 1, order: *o }.name()["move_1_".len()..].to_string();
            let orders: Vec<String> = orders.iter().map(order).collect();
            let alike = orders.iter().all(|o| o.split('_').next() == orders[0].split('_').next());
            let orders = orders.join(if alike { " or " } else { ", then " });
            format!("Move {orders}{}{how}", if how.is_empty() { "" } else { ": " })
        }
        Here::Contract(how) => format!("Contract: {how}"),
        Here::Map(how) => format!("Map: {how}"),
        Here::Absent(why) => format!("left out: {why}"),
    }
}

fn types(types: &[Type]) -> String {
    let name = |t: &Type| match t {
        Type::Value => "any",
        Type::Within => "any, in range",
        Type::Is(dtype) => dtype.name(),
    };
    types.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The dtypes that maps can be expanded in.
fn computes(map: impl Fn(DType) -> Result<Map>) -> String {
    let can = |dtype: &DType| map(*dtype).and_then(|m| Program::new(&m)).is_ok();
    let missing: Vec<&str> = DTYPES.iter().filter(|d| !can(d)).map(|d| d.name()).collect();
    let floats = DTYPES.iter().all(|d| can(d) == d.is_float());
    match missing.len() {
        0 => "all".to_string(),
        _ if floats => "floats".to_string(),
        _ => format!("all but {}", missing.join(", ")),
    }
}

fn operands(types: &[Type], value: DType) -> Vec<Operand> {
    let dtype = |t: &Type| match t {
        Type::Is(dtype) => *dtype,
        _ => value,
    };
    types.iter().map(|t| Operand::tile(dtype(t))).collect()
}

fn elementwise_row(text: &mut String, row: &Elementwise) {
    let map = |d| row.map(&operands(row.inputs, d), &operands(row.outputs, d), d);
    let any = row.inputs.iter().chain(row.outputs).any(|t| !matches!(t, Type::Is(_)));
    let computes = if any { computes(map) } else { "as given".to_string() };
    assert!(row.numbers == Numbers::All || computes == "floats", "{}: {computes}", row.name);
    let _ = writeln!(text, "| `{}` | {} | {} | {computes} |", row.name, types(row.inputs), types(row.outputs));
}

fn reduction_row(text: &mut String, row: &Reduction) {
    let outputs = |d| row.combiners.iter().map(|c| Operand::column(c.result(d))).collect::<Vec<_>>();
    let map = |d| row.map(&vec![Operand::tile(d); row.inputs], &outputs(d), Order::Rows, d);
    let combiner = |c: &Combiner| match c {
        Combiner::Sum => "sum",
        Combiner::Prod => "product",
        Combiner::Max => "largest",
        Combiner::Min => "smallest",
        Combiner::ArgMax { .. } => "place of the largest",
        Combiner::ArgMin { .. } => "place of the smallest",
    };
    let results: Vec<&str> = row.combiners.iter().map(combiner).collect();
    let _ = writeln!(text, "| `{}` | {} | {} | {} |", row.name, row.inputs, results.join(", "), computes(map));
}

fn table() -> String {
    let mut text = String::from(
        "# Tensor processing primitives\n\n\
         Generated from `tilewright_loops::tpp`: `BLESS=1 cargo test -p tilewright-loops --test tpp`.\n\n\
         Operands of maps have any of bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32 and f64. An argument or\n\
         result of *any* dtype is converted to or from the dtype that is computed in, rounded once; one *in range*\n\
         saturates. Truth values are bytes or packed bits. Every operand may be a tile, one row, one column or one\n\
         element, at general strides, and its rows may be found through indices of 32 or 64 bits. What each level of\n\
         machine code computes is in [supports.md](supports.md).\n\n\
         ## Published names\n\n| name | here |\n|---|---|\n",
    );
    for named in LIST {
        let _ = writeln!(text, "| {} | {} |", named.name, here(&named.here));
    }
    text += "\n## Elementwise\n\n`_inv` is the derivative. `Elementwise::map`; with a combiner `Elementwise::reduce`.\n\n\
             | row | arguments | results | computes in |\n|---|---|---|---|\n";
    ELEMENTWISE.iter().for_each(|row| elementwise_row(&mut text, row));
    text += "\n## Reductions\n\nAlong rows or columns: `Reduction::map`; added to what the result holds: `accumulate`; over \
             both axes: `whole`.\n\n| row | arguments | results | computes in |\n|---|---|---|---|\n";
    REDUCTIONS.iter().for_each(|row| reduction_row(&mut text, row));
    text
}

#[test]
fn docs_are_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tpp.md");
    let wanted = table();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/tpp.md is out of date; run: BLESS=1 cargo test -p tilewright-loops --test tpp");
}

#[test]
fn names_are_rows() {
    let mut seen = BTreeSet::new();
    for named in LIST {
        assert!(seen.insert(named.name), "{} twice", named.name);
        match named.here {
            Here::Elementwise(rows) => assert!(rows.iter().all(|r| elementwise(r).is_some()), "{}", named.name),
            Here::Reduction(rows) => assert!(rows.iter().all(|r| reduction(r).is_some()), "{}", named.name),
            Here::Moves(orders, _) => assert!(!orders.is_empty()),
            Here::Contract(text) | Here::Map(text) | Here::Absent(text) => assert!(!text.is_empty()),
        }
    }
}

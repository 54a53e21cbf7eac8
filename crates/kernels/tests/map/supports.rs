//! `docs/supports.md` lists which functions of which dtypes machine code computes at each level, and what each form does
//! not take. Every row that it claims is emitted and run here. `BLESS=1` writes it anew.

use super::levels;
use super::random::Random;
use super::run::Run;
use std::fmt::Write;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::contract;
use tilewright_codegen::map::supports;
use tilewright_codegen::supports::{CONTRACT, Constraint, EPILOGUE, MOVE};
use tilewright_loops::contract::{Contract, Product, Steps};
use tilewright_loops::map::{Combiner, LARGEST, Map, Operand, Program, Sink};
use tilewright_loops::tpp::function;
use tilewright_scalar::func::TABLE;
use tilewright_scalar::{Func, Overflow};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// The dtypes of operands of maps.
const DTYPES: [DType; 13] = {
    use DType::*;
    [F64, F32, F16, BF16, I64, U64, I32, U32, I16, U16, I8, U8, Bool]
};

const NUMBERS: [DType; 12] = {
    use DType::*;
    [F64, F32, F16, BF16, I64, U64, I32, U32, I16, U16, I8, U8]
};

const LEVELS: [Level; 2] = [Level::Avx512, Level::Avx2];

fn functions() -> Vec<(String, Func)> {
    let rows = TABLE.iter().map(|r| (r.name.to_string(), r.func));
    let casts = DTYPES.map(|to| (format!("cast to {}", to.name()), Func::Cast(to, Overflow::Saturate)));
    let bits = DTYPES.map(|to| (format!("bitcast to {}", to.name()), Func::Bitcast(to)));
    rows.chain(casts).chain(bits).collect()
}

/// The dtypes of arguments that a function takes.
fn dtypes(func: Func) -> Vec<DType> {
    DTYPES.into_iter().filter(|dtype| function(func, *dtype).is_ok()).collect()
}

fn at(level: Level) -> Target {
    Target { level, ..Target::detect() }
}

fn is_supported(map: &Map, level: Level) -> bool {
    supports(map, &at(level)).is_ok()
}

fn supported(func: Func, dtype: DType, level: Level) -> bool {
    function(func, dtype).is_ok_and(|map| is_supported(&map, level))
}

fn combiners() -> [(&'static str, Combiner); 6] {
    let last = false;
    [
        ("sum", Combiner::Sum),
        ("product", Combiner::Prod),
        ("largest", Combiner::Max),
        ("smallest", Combiner::Min),
        ("place of the largest", Combiner::ArgMax { last }),
        ("place of the smallest", Combiner::ArgMin { last }),
    ]
}

/// A reduction along rows.
fn reduction(combiner: Combiner, dtype: DType) -> Map {
    let operands = vec![Operand::tile(dtype), Operand::column(combiner.result(dtype))];
    let map = Map { operands, ..Map::default() };
    let sink = Sink::Reduce { combiner, value: map.read(0) };
    let map = map.stage([sink]);
    let value = map.value_of_row(0);
    map.stage([Sink::Store { operand: 1, value }])
}

/// Some of the dtypes that a function takes.
fn cell(all: &[DType], can: impl Fn(DType) -> bool) -> String {
    let names = |list: Vec<&DType>| list.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
    let (yes, no): (Vec<&DType>, Vec<&DType>) = all.iter().partition(|d| can(**d));
    match (yes.len(), no.len()) {
        (0, _) => "none".to_string(),
        (1, 0) => names(yes),
        (_, 0) => "all".to_string(),
        _ if no.len() < yes.len() => format!("all but {}", names(no)),
        _ => names(yes),
    }
}

fn constraints<T>(text: &mut String, form: &str, list: &[Constraint<T>]) {
    let refused: Vec<&str> = list.iter().map(|c| c.refused).collect();
    let _ = writeln!(text, "- {form}: none {}.", refused.join("; "));
}

fn table() -> String {
    let mut text = String::from(
        "# What machine code computes\n\n\
         Generated: `BLESS=1 cargo test -p tilewright-kernels --test map supports`, which emits and runs every row.\n\n\
         The dtypes of a function's arguments, of those it takes, that maps compute: at each level in machine code, and\n\
         by loops on every machine. `select` and `philox` name the dtypes of the values.\n\n\
         | function | takes | avx512 | avx2 | loops |\n|---|---|---|---|---|\n",
    );
    for (name, func) in functions() {
        let all = dtypes(func);
        let [avx512, avx2] = LEVELS.map(|level| cell(&all, |d| supported(func, d, level)));
        let loops = cell(&all, |d| function(func, d).is_ok_and(|map| Program::new(&map).is_ok()));
        let takes = cell(&all, |_| true);
        let takes = if all.len() == DTYPES.len() || all.len() == 1 { takes } else { kinds(&all) };
        let _ = writeln!(text, "| {name} | {takes} | {avx512} | {avx2} | {loops} |");
    }
    text += "\n\
             | reduction | takes | avx512 | avx2 | loops |\n|---|---|---|---|---|\n";
    for (name, combiner) in combiners() {
        let [avx512, avx2] = LEVELS.map(|level| cell(&NUMBERS, |d| is_supported(&reduction(combiner, d), level)));
        let loops = cell(&NUMBERS, |d| Program::new(&reduction(combiner, d)).is_ok());
        let _ = writeln!(text, "| {name} | numbers | {avx512} | {avx2} | {loops} |");
    }
    text += "\n| Contract | avx512 | avx2 |\n|---|---|---|\n";
    for product in Product::ALL {
        let tile = Contract { product, rows: 6, vectors: 2, group: 5, a_steps: Steps::Dense, partial: false };
        let [avx512, avx2] = LEVELS.map(|level| match contract::supports(&tile, &at(level)) {
            Ok(()) => "yes",
            Err(_) => "no",
        });
        let _ = writeln!(text, "| {} | {avx512} | {avx2} |", product.name());
    }
    text += "\n## Forms\n\n";
    let _ =
        writeln!(text, "- Map: none of more than {LARGEST} rows or columns; none of packed bits that are not bools.");
    constraints(&mut text, "Map over the sums of a Contract", EPILOGUE);
    constraints(&mut text, "Contract", CONTRACT);
    constraints(&mut text, "Move", MOVE);
    text
}

/// A name for some dtypes.
fn kinds(all: &[DType]) -> String {
    let is = |fits: fn(&DType) -> bool| DTYPES.iter().filter(|d| fits(d)).eq(all);
    match () {
        () if is(|d| d.is_float()) => "floats".to_string(),
        () if is(|d| d.is_float() || d.is_int()) => "numbers".to_string(),
        () if is(|d| !d.is_float()) => "integers, bool".to_string(),
        () => all.iter().map(|d| d.name()).collect::<Vec<_>>().join(", "),
    }
}

#[test]
fn docs_are_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/supports.md");
    let wanted = table();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/supports.md is out of date; run: BLESS=1 cargo test -p tilewright-kernels supports");
}

/// Runs a map at every level of this machine, with all registers and with few; gives at how many as machine code.
fn check(name: &str, map: &Map) -> usize {
    let mut rows = 0;
    for level in levels() {
        let is_code = level != Level::Portable;
        let all = Registers::of_level(level);
        for registers in [all, Registers { vectors: 8, ..all }] {
            let run = Run::new(map, &at(level), registers);
            assert_eq!(run.is_some(), !is_code || is_supported(map, level), "{name} at {}", level.name());
            let Some(run) = run else { continue };
            assert_eq!(run.is_emitted(), is_code);
            let mut random = Random(31);
            [1, 5, 16, 39, 70].into_iter().for_each(|n| run.compare(3, n, &mut random));
        }
        rows += usize::from(is_code && is_supported(map, level));
    }
    rows
}

#[test]
fn every_row_is_emitted_and_right() {
    let mut rows = 0;
    for (name, func) in functions() {
        rows += dtypes(func).into_iter().map(|d| check(&name, &function(func, d).unwrap())).sum::<usize>();
    }
    for (name, combiner) in combiners() {
        rows += NUMBERS.into_iter().map(|d| check(name, &reduction(combiner, d))).sum::<usize>();
    }
    assert!(Target::detect().level == Level::Portable || rows > 500, "{rows}");
}

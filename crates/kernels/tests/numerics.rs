//! Long measurements of scalar functions in machine code, by request, best with `--release`.
//!
//! `TW_EXHAUSTIVE=1`, or names of functions with commas, tries all 2^32 arguments of f32. `TW_TIMES=1` writes the times
//! in `docs/numerics.md` anew.

#[path = "../../loops/tests/numerics/functions.rs"]
mod functions;

use functions::{FUNCTIONS, Row, row};
use std::fmt::Write;
use std::time::Instant;
use tilewright_kernels::measure::median;
use tilewright_kernels::{Callable, Machine};
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_scalar::{Func, Scalar};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::{DType, convert};

/// Functions of f32 whose results must be the rounded ones.
const EXACT: [Row; 8] = [
    row(Func::Sqrt, f64::sqrt, Some(0.5)),
    row(Func::Neg, std::ops::Neg::neg, Some(0.0)),
    row(Func::Abs, f64::abs, Some(0.0)),
    row(Func::Sign, |x| if x == 0.0 || x.is_nan() { x } else { x.signum() }, Some(0.0)),
    row(Func::Floor, f64::floor, Some(0.0)),
    row(Func::Ceil, f64::ceil, Some(0.0)),
    row(Func::Trunc, f64::trunc, Some(0.0)),
    row(Func::RoundEven, f64::round_ties_even, Some(0.0)),
];

/// The reference of a row, for angles the platform's, which is quick where they are large.
fn reference(row: &Row) -> fn(f64) -> f64 {
    match row.func {
        Func::Sin => f64::sin,
        Func::Cos => f64::cos,
        Func::Tan => f64::tan,
        _ => row.reference,
    }
}

/// A function of operands of a dtype.
fn map(func: Func, dtype: DType) -> Map {
    let arity = func.row().unwrap().arity;
    let map = Map { operands: vec![Operand::tile(dtype); arity + 1], ..Map::default() };
    let value = Scalar::call(func, (0..arity).map(|n| map.read(n as u32)).collect());
    map.stage([Sink::Store { operand: arity as u32, value }])
}

/// Runs a map over one row.
fn run(kernel: &Callable, operands: &[*mut u8], n: usize) {
    let mut args: Vec<u64> = operands.iter().map(|o| *o as u64).collect();
    args.resize(3 * operands.len(), 0);
    args.extend([1, n as u64]);
    // SAFETY: each operand has `n` elements next to each other.
    unsafe { kernel.call(args.as_ptr()) };
}

/// How far an f32 is from what it should be, in units of the last place there.
fn ulps(found: f32, wanted: f64) -> f64 {
    if wanted.is_nan() || wanted.is_infinite() || wanted == 0.0 || found.is_nan() {
        let same = f64::from(found).to_bits() == wanted.to_bits() || (found.is_nan() && wanted.is_nan());
        return if same { 0.0 } else { f64::INFINITY };
    }
    let top = 2f64.powi(128);
    let (found, wanted) = (f64::from(found).clamp(-top, top), wanted.clamp(-top, top));
    let exponent = (wanted.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    (found - wanted).abs() * 2f64.powi(23 - exponent.clamp(-126, 127))
}

/// Columns of a call.
const BLOCK: usize = 1 << 14;

/// The largest error over every so many blocks of arguments, and its argument.
fn part(kernel: &Callable, reference: fn(f64) -> f64, first: usize, step: usize) -> (f64, u32) {
    let (mut x, mut y) = (vec![0u32; BLOCK], vec![0f32; BLOCK]);
    let mut worst = (0.0, 0);
    for block in (first..(1 << 32) / BLOCK).step_by(step) {
        x.iter_mut().enumerate().for_each(|(n, x)| *x = (block * BLOCK + n) as u32);
        run(kernel, &[x.as_mut_ptr().cast(), y.as_mut_ptr().cast()], BLOCK);
        for (x, y) in x.iter().zip(&y) {
            let error = ulps(*y, reference(f32::from_bits(*x).into()));
            if error > worst.0 {
                worst = (error, *x);
            }
        }
    }
    worst
}

#[test]
fn every_f32() {
    let Ok(which) = std::env::var("TW_EXHAUSTIVE") else { return };
    let machine = Machine::new(Target::detect());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for row in FUNCTIONS.iter().chain(&EXACT).filter(|r| which == "1" || which.split(',').any(|w| w == r.func.name())) {
        let kernel = machine.map(&map(row.func, DType::F32)).unwrap();
        let (kernel, start) = (&kernel, Instant::now());
        let (error, at) = std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..threads).map(|t| scope.spawn(move || part(kernel, reference(row), t, threads))).collect();
            let found = running.into_iter().map(|t| t.join().unwrap());
            found.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
        });
        println!("{}: {error:.4} ulp at {at:#x}, {:.0} s", row.func.name(), start.elapsed().as_secs_f64());
        assert!(error <= row.worst.map_or(2.0, |w| w + 0.005), "{}: {error} ulp at {at:#x}", row.func.name());
    }
}

/// Cycles of a second: a product of 64 bits takes three.
fn clock() -> f64 {
    let mut x = 3u64;
    let rounds = 100_000;
    let seconds = median(21, || (0..rounds).for_each(|_| x = x.wrapping_mul(x)));
    assert_ne!(x, 0);
    3.0 * f64::from(rounds) / seconds
}

/// Columns of a timed call.
const COLUMNS: usize = 1024;

/// Cycles of a vector of so many bits; `None` where a level has no machine code.
fn cycles(func: Func, dtype: DType, level: Level, clock: f64) -> Option<f64> {
    let machine = Machine::new(Target::detect().at_most(level));
    let kernel = machine.map(&map(func, dtype)).ok().filter(|k| matches!(k, Callable::Code(_)))?;
    let size = dtype.bits() / 8;
    let element = |n: usize| {
        let x = 0.25 + 2.0 * (n % 61) as f64 / 61.0;
        if dtype.is_float() { convert::encode_f64(dtype, x, false) } else { (x * 1e7) as u64 }
    };
    let line: Vec<u8> = (0..COLUMNS).flat_map(|n| element(n).to_le_bytes()[..size].to_vec()).collect();
    let mut lines = vec![line; func.row().unwrap().arity + 1];
    let operands: Vec<*mut u8> = lines.iter_mut().map(|l| l.as_mut_ptr()).collect();
    let seconds = median(21, || run(&kernel, &operands, COLUMNS));
    Some(seconds * clock * (level.vector_bytes() / size) as f64 / COLUMNS as f64)
}

/// Rows of a table: functions of some dtypes at some levels.
fn table(title: &str, funcs: &[Func], dtypes: &[DType], levels: &[Level], clock: f64) -> String {
    let columns: Vec<(DType, Level)> = dtypes.iter().flat_map(|d| levels.iter().map(|l| (*d, *l))).collect();
    let names: Vec<String> = columns.iter().map(|(d, l)| format!("{} {}", d.name(), l.name())).collect();
    let mut text = format!("| {title} | {} |\n|---{}|\n", names.join(" | "), "|---".repeat(columns.len()));
    for func in funcs {
        let cell = |(dtype, level): &(DType, Level)| {
            cycles(*func, *dtype, *level, clock).map_or("-".to_string(), |c| format!("{c:.0}"))
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let _ = writeln!(text, "| {} | {} |", func.name(), cells.join(" | "));
    }
    text
}

/// The kind of processor.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|l| l.split(':').next().is_some_and(|k| k.trim() == name));
        line.and_then(|l| l.split(':').nth(1)).unwrap_or("?").trim().to_string()
    };
    format!("{}, family {}, model {}", field("model name"), field("cpu family"), field("model"))
}

#[test]
fn times() {
    if std::env::var_os("TW_TIMES").is_none() {
        return;
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/numerics.md");
    let before = std::fs::read_to_string(&path).unwrap();
    let before = before.split("\n## Times").next().unwrap();
    let (clock, best) = (clock(), Target::detect().level);
    let levels: Vec<Level> = [Level::Avx512, Level::Avx2].into_iter().filter(|l| *l <= best).collect();
    let mut floats: Vec<Func> = FUNCTIONS.iter().map(|r| r.func).collect();
    floats.extend([Func::Pow, Func::Rem, Func::Mod, Func::Sqrt, Func::Div, Func::Add]);
    let floats = table("function", &floats, &[DType::F32, DType::F64], &levels, clock);
    let whole = [Func::Div, Func::Rem, Func::Mod, Func::Pow];
    let whole = table("function", &whole, &[DType::I32, DType::I64, DType::U64], &levels, clock);
    let text = format!(
        "{before}\n## Times\n\nMeasured: `TW_TIMES=1 cargo test --release -p tilewright-kernels --test numerics`, no \
         test compares them. Cycles for\na vector (64 bytes in avx512, 32 in avx2), loaded, computed and stored, of rows \
         of {COLUMNS} elements in the first cache; one\ncore of an {} at {:.1} GHz.\n\n{floats}\n{whole}",
        processor(),
        clock / 1e9
    );
    std::fs::write(&path, text).unwrap();
}

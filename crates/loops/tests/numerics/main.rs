//! `docs/numerics.md` says how exact the functions are and what they cost. `BLESS=1` writes it anew, but for the times.

mod exact;
mod functions;

use exact::Exact;
use functions::{FUNCTIONS, Row};
use std::fmt::Write;
use tilewright_loops::block::{Block, Step, Val};
use tilewright_loops::expand;
use tilewright_loops::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_support::target::Level;
use tilewright_tensor::{DType, convert};

/// A function of floats as a block: elements loaded, the function, its bits.
struct Program {
    dtype: DType,
    block: Block,
    result: Val,
}

/// Lanes computed at a time, and the arguments of a strip, of which a function of one takes the first.
const STRIP: usize = 256;
type Strip = [u64; STRIP];
type Args = [Strip; 2];

impl Program {
    fn new(func: Func, dtype: DType, level: Level) -> Self {
        let mut block = Block::for_level(level);
        let raw = match dtype {
            DType::F64 => Lane::F64,
            DType::F32 => Lane::F32,
            _ => Lane::I32,
        };
        let arity = func.row().unwrap().arity;
        let load = |n: usize| {
            let raw = block.step(Step::Load(n as u32), raw);
            expand::loaded(&mut block, dtype, raw)
        };
        let args: Vec<Val> = (0..arity).map(load).collect();
        let value = expand::call(&mut block, func, &vec![dtype; arity], dtype, &args).unwrap();
        let result = expand::stored(&mut block, dtype, value);
        Self { dtype, block, result }
    }

    /// Operations, without those that only read the same bits as another lane.
    fn cost(&self) -> usize {
        self.block.steps().iter().filter(|(s, _)| matches!(s, Step::Prim(p, _) if *p != Prim::Bits)).count()
    }

    /// The bits of the function of every element, given as bits.
    fn run(&self, args: &Args, values: &mut Vec<Strip>) -> Strip {
        values.resize(self.block.steps().len(), [0; STRIP]);
        for (at, (step, _)) in self.block.steps().iter().enumerate() {
            let (before, after) = values.split_at_mut(at);
            match step {
                Step::Const(bits) => after[0].fill(*bits),
                Step::Prim(prim, args) => {
                    let lane = self.block.lane(args[2]);
                    let [a, b, c] = args.map(|v| &before[v.index()]);
                    (0..STRIP).for_each(|i| after[0][i] = prim.eval(lane, [a[i], b[i], c[i]]));
                }
                Step::Load(n) => after[0] = args[*n as usize],
                _ => {}
            }
        }
        values[self.result.index()]
    }
}

/// Bits of precision and least exponent.
fn format(dtype: DType) -> (i32, i32) {
    match dtype {
        DType::F64 => (53, -1022),
        DType::F32 => (24, -126),
        DType::BF16 => (8, -126),
        _ => (11, -14),
    }
}

/// How far a result is from what it should be, in units of the last place there.
fn ulps(dtype: DType, found: f64, wanted: Exact) -> f64 {
    let (precision, least) = format(dtype);
    let Exact { high, low, scale } = wanted;
    if !high.is_finite() || found.is_nan() || high == 0.0 {
        let same = found.to_bits() == high.to_bits() || (high.is_nan() && found.is_nan());
        return if same { 0.0 } else { f64::INFINITY };
    }
    // Infinity stands for the first number beyond the largest, and so does what is larger still.
    let (exponent, top) = (libm::ilogb(high) + scale, 2 - least);
    let unit = precision - 1 - exponent.min(top - 1).max(least);
    let largest = libm::ldexp(1.0, top + unit);
    let beyond = |x: f64| largest.copysign(x);
    let (high, low) = match exponent >= top {
        true => (beyond(high), 0.0),
        false => (libm::ldexp(high, scale + unit), libm::ldexp(low, scale + unit)),
    };
    let found = if found.is_infinite() { beyond(found) } else { libm::ldexp(found, unit) };
    // Both signs of zero are right where the true result underflows.
    ((found - high) - low).abs()
}

/// The largest error of a program, and the arguments of it.
fn measure(
    program: &Program,
    reference: &dyn Fn(f64, f64) -> Exact,
    strips: impl Iterator<Item = Args>,
) -> (f64, [u64; 2]) {
    let (mut values, mut worst) = (Vec::new(), (0.0, [0; 2]));
    let decode = |bits: u64| convert::decode_f64(program.dtype, bits);
    for args in strips {
        let found = program.run(&args, &mut values);
        for (n, found) in found.into_iter().enumerate() {
            let [x, y] = [args[0][n], args[1][n]];
            let error = ulps(program.dtype, decode(found), reference(decode(x), decode(y)));
            if error > worst.0 {
                worst = (error, [x, y]);
            }
        }
    }
    worst
}

fn random(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Around zeros, ones, halves, infinities; of either sign.
fn special(dtype: DType, n: u64) -> u64 {
    let mask = u64::MAX >> (64 - dtype.bits());
    let bits = convert::encode_f64(dtype, [0.0, 1.0, f64::INFINITY, f64::NAN, 0.5, 2.0][n as usize % 6], false);
    bits.wrapping_add(n / 12 % 41).wrapping_sub(20) & (mask >> 1) | ((n / 6 % 2) << (dtype.bits() - 1))
}

/// Of any sign, from 2^-6 to 2^7.
fn near(dtype: DType, n: u64) -> u64 {
    let (precision, least) = format(dtype);
    let exponent = (1 - least) as u64 - 6 + random(n ^ 1) % 13;
    let fraction = random(n) & ((1 << (precision - 1)) - 1);
    (exponent << (precision - 1)) | fraction | (random(n ^ 2) & (1 << (dtype.bits() - 1)))
}

/// All bits of 16-bit dtypes. Else a fixed sample: special values, all exponents alike, and values near 1.
fn sample(dtype: DType) -> impl Iterator<Item = Args> {
    let mask = u64::MAX >> (64 - dtype.bits());
    let strips = if dtype.bits() == 16 { 256 } else { 1600 };
    (0..strips).map(move |strip| {
        let strip = std::array::from_fn(|i| {
            let n = strip * STRIP as u64 + i as u64;
            match strip {
                _ if dtype.bits() == 16 => n,
                0..4 => special(dtype, n),
                4..800 => random(n) & mask,
                _ => near(dtype, n * 4),
            }
        });
        [strip, strip]
    })
}

/// Pairs of special values, of values near 1, of any, and of such whose power is a number.
fn sample_of_powers(dtype: DType) -> impl Iterator<Item = Args> {
    let mask = u64::MAX >> (64 - dtype.bits());
    let (_, least) = format(dtype);
    let pair = move |n: u64| match n % 4 {
        _ if n < 242_064 => [special(dtype, n / 492), special(dtype, n % 492)],
        0 => [near(dtype, 8 * n), near(dtype, 8 * n + 3)],
        1 => [random(n) & mask, random(n + 1) & mask],
        _ => {
            let x = random(n) & (mask >> 1);
            let share = (random(n + 1) >> 32) as f64 / 2f64.powi(31) - 1.0;
            let y = share * f64::from(30 - least) / libm::log2(convert::decode_f64(dtype, x));
            [x, convert::encode_f64(dtype, y, false)]
        }
    };
    (0..2400).map(move |strip| {
        let pairs: [[u64; 2]; STRIP] = std::array::from_fn(|i| pair(strip * STRIP as u64 + i as u64));
        [0, 1].map(|side| pairs.map(|p| p[side]))
    })
}

const HEADER: &str = "\
# Numerics of scalar functions

Generated: `BLESS=1 cargo test -p tilewright-loops --test numerics`.

The largest error found, in units of the last place: of f32 over all 2^32 arguments where the figure has a star, else over
a fixed sample of the whole range, denormals included; of f64 over such a sample; of f16 and bf16 over all arguments, of
powers over pairs. The reference is a `libm` in f64; for f64 it has some 100 bits, but where the figure has a dash, which
includes the error of the `libm`, up to 1. Every NaN, infinity and signed zero is as it must be. Operations are the
primitives that an element costs, loads and stores aside; for f16 and bf16 add conversion and rounding. AVX-512 looks up
tables where that is said; the error is the larger one.

Arithmetic, remainders, integer powers, comparisons, rounding, bit functions and conversions are exact as
`tilewright_scalar::func` states them, for every dtype that kernels compute in. Powers by the constants -1, 0, 1/2, 1, 2
and 3 are products, quotients and roots.

| function | f32 ulp | operations | f64 ulp | operations | f16 ulp | bf16 ulp |
|---|---|---|---|---|---|---|
";

/// The largest error of a function of a dtype; powers have no row.
fn error(program: &Program, func: Func, row: Option<&Row>) -> f64 {
    let dtype = program.dtype;
    let exact = exact::of(func).filter(|_| dtype == DType::F64);
    let (error, at) = match (row, exact) {
        (None, _) => measure(program, &exact::pow, sample_of_powers(dtype)),
        (_, Some(exact)) => measure(program, &|x, _| exact(x), sample(dtype)),
        (Some(row), _) => measure(program, &|x, _| (row.reference)(x).into(), sample(dtype)),
    };
    println!("{} {} {error:.3} at {at:#x?}", func.name(), dtype.name());
    assert!(error <= 2.0, "{} {}: {error} ulp at {at:#x?}", func.name(), dtype.name());
    error
}

/// The cells of a function.
fn cells(func: Func, row: Option<&Row>) -> Vec<String> {
    let mut cells = Vec::new();
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        let levels = [Level::Portable, Level::Avx512].map(|level| Program::new(func, dtype, level));
        // A level without an expansion of its own is not measured again.
        let own = levels[0].block.steps() != levels[1].block.steps();
        let measured = &levels[..=usize::from(own)];
        let error = measured.iter().map(|program| error(program, func, row)).fold(0.0, f64::max);
        cells.push(match (dtype, row.and_then(|r| r.worst)) {
            (DType::F32, Some(worst)) => {
                assert!(error < worst + 0.005, "{}: {error} ulp, not {worst} at most", func.name());
                format!("{worst:.2}*")
            }
            (DType::F64, _) if row.is_some() && exact::of(func).is_none() => format!("{error:.2}-"),
            _ => format!("{error:.2}"),
        });
        if dtype.bits() >= 32 {
            let costs = levels.map(|program| program.cost());
            cells.push(match costs[0] == costs[1] {
                true => costs[0].to_string(),
                false => format!("{}, {} by tables", costs[0], costs[1]),
            });
        }
    }
    cells
}

fn table() -> String {
    let mut text = HEADER.to_string();
    for row in &FUNCTIONS {
        let _ = writeln!(text, "| {} | {} |", row.func.name(), cells(row.func, Some(row)).join(" | "));
    }
    let _ = writeln!(text, "| pow | {} |", cells(Func::Pow, None).join(" | "));
    text
}

#[test]
fn docs_are_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/numerics.md");
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let (found, times) = found.split_at(found.find("\n## ").unwrap_or(found.len()));
    let wanted = table();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, wanted + times).unwrap();
        return;
    }
    assert!(found == wanted, "docs/numerics.md is out of date; run: BLESS=1 cargo test -p tilewright-loops numerics");
}

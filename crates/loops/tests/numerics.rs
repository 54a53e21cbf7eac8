//! `docs/numerics.md` says how exact the functions are and what they cost. `BLESS=1` writes it anew;
//! `TW_EXHAUSTIVE=1`, or the name of a function, measures f32 over all 2^32 inputs, `TW_STRIDE=n` over every n-th.

use std::fmt::Write;
use tilewright_loops::block::{Block, Step, Val};
use tilewright_loops::expand;
use tilewright_loops::prim::{Lane, Prim};
use tilewright_scalar::Func;
use tilewright_tensor::{DType, convert};

/// What a function should be.
type Reference = fn(f64) -> f64;

/// The functions that approximate, with a reference.
const FUNCTIONS: [(Func, Reference); 18] = [
    (Func::Exp, libm::exp),
    (Func::Expm1, libm::expm1),
    (Func::Log, libm::log),
    (Func::Log1p, libm::log1p),
    (Func::Sigmoid, sigmoid),
    (Func::Tanh, libm::tanh),
    (Func::Erf, libm::erf),
    (Func::Sinh, libm::sinh),
    (Func::Cosh, libm::cosh),
    (Func::Asinh, libm::asinh),
    (Func::Acosh, acosh),
    (Func::Atanh, libm::atanh),
    (Func::Sin, libm::sin),
    (Func::Cos, libm::cos),
    (Func::Tan, libm::tan),
    (Func::Asin, libm::asin),
    (Func::Acos, libm::acos),
    (Func::Atan, libm::atan),
];

fn sigmoid(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// `libm` is wrong for some values far below 1.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// A function of one float as a block: an element loaded, the function, its bits.
struct Program {
    dtype: DType,
    block: Block,
    result: Val,
}

/// Lanes computed at a time.
const STRIP: usize = 256;

impl Program {
    fn new(func: Func, dtype: DType) -> Option<Self> {
        let mut block = Block::new();
        let raw = match dtype {
            DType::F64 => Lane::F64,
            DType::F32 => Lane::F32,
            _ => Lane::I32,
        };
        let raw = block.step(Step::Load(0), raw);
        let x = expand::loaded(&mut block, dtype, raw);
        let value = expand::call(&mut block, func, &[dtype], dtype, &[x])?;
        let result = expand::stored(&mut block, dtype, value);
        Some(Self { dtype, block, result })
    }

    /// Operations, without those that only read the same bits as another lane.
    fn cost(&self) -> usize {
        self.block.steps().iter().filter(|(s, _)| matches!(s, Step::Prim(p, _) if *p != Prim::Bits)).count()
    }

    /// The bits of the function of every element, given as bits.
    fn run(&self, x: &[u64; STRIP], values: &mut Vec<[u64; STRIP]>) -> [u64; STRIP] {
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
                _ => after[0] = *x,
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

/// How far a result is from what it should be, in units of the last place there; right results of f32 count as 1/2.
fn ulps(dtype: DType, found: f64, wanted: f64) -> f64 {
    let (precision, least) = format(dtype);
    if wanted.is_nan() || found.is_nan() || wanted.is_infinite() || wanted == 0.0 {
        let same = found.to_bits() == wanted.to_bits() || (wanted.is_nan() && found.is_nan());
        return if same { 0.0 } else { f64::INFINITY };
    }
    if dtype == DType::F32 && found == f64::from(wanted as f32) {
        return 0.5;
    }
    // Infinity stands for the first number beyond the largest.
    let top = libm::ldexp(1.0, if dtype == DType::F16 { 16 } else { (2 - least).min(1023) });
    let (found, wanted) = (found.clamp(-top, top), wanted.clamp(-top, top));
    let to_ulps = precision - 1 - libm::ilogb(wanted).max(least);
    let (found, wanted) = (libm::ldexp(found, to_ulps), libm::ldexp(wanted, to_ulps));
    // Both signs of zero are right where the true result underflows.
    (found - wanted).abs()
}

/// The worst of a strip: its error and its argument.
fn worst(program: &Program, reference: Reference, x: &[u64; STRIP], values: &mut Vec<[u64; STRIP]>) -> (f64, u64) {
    let dtype = program.dtype;
    let found = program.run(x, values);
    let error = |i: usize| {
        let wanted = reference(convert::decode_f64(dtype, x[i]));
        (ulps(dtype, convert::decode_f64(dtype, found[i]), wanted), x[i])
    };
    (0..STRIP).map(error).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

/// The worst over arguments in strips.
fn measure(program: &Program, reference: Reference, strips: impl Iterator<Item = [u64; STRIP]>) -> (f64, u64) {
    let mut values = Vec::new();
    let all = strips.map(|x| worst(program, reference, &x, &mut values));
    all.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

fn random(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// All bits of 16-bit dtypes. Else a fixed sample: special values, all exponents alike, and values from 2^-6 to 2^7.
fn sample(dtype: DType) -> impl Iterator<Item = [u64; STRIP]> {
    let (precision, least) = format(dtype);
    let mask = u64::MAX >> (64 - dtype.bits());
    let special = move |n: u64| {
        let bits = convert::encode_f64(dtype, [0.0, 1.0, f64::INFINITY, f64::NAN, 0.5, 2.0][n as usize % 6], false);
        bits.wrapping_add(n / 12 % 41).wrapping_sub(20) & (mask >> 1) | ((n / 6 % 2) << (dtype.bits() - 1))
    };
    let near = move |n: u64| {
        let exponent = (1 - least) as u64 - 6 + random(n ^ 1) % 13;
        (exponent << (precision - 1))
            | (random(n) & ((1 << (precision - 1)) - 1))
            | (random(n ^ 2) & (1 << (dtype.bits() - 1)))
    };
    let strips = if dtype.bits() == 16 { 256 } else { 1600 };
    (0..strips).map(move |strip| {
        std::array::from_fn(|i| {
            let n = strip * STRIP as u64 + i as u64;
            match strip {
                _ if dtype.bits() == 16 => n,
                0..4 => special(n),
                4..800 => random(n) & mask,
                _ => near(n * 4),
            }
        })
    })
}

fn table() -> String {
    let mut text = String::from(
        "# Numerics of scalar functions\n\nGenerated: `BLESS=1 cargo test -p tilewright-loops --test numerics`.\n\n\
         The largest error found, in units of the last place, against an f64 `libm`: over all values of f16 and bf16,\n\
         over fixed samples of the whole range, denormals included, of f32 and f64. The reference's own error, about 1\n\
         ulp of f64, is part of the figures of f64. Every NaN, infinity and signed zero is as it must be. Operations are\n\
         the primitives an element costs, loads and stores aside; for f16 and bf16 add conversion and rounding. `-`: not\n\
         expanded.\n\n\
         Arithmetic, comparisons, rounding, bit functions and conversions are exact as `tilewright_scalar::func` states\n\
         them. Not expanded: powers but by -1, 0, 1/2, 1, 2 and 3; remainders of floats; division of 64-bit integers.\n\n\
         | function | f32 ulp | operations | f64 ulp | operations | f16 ulp | bf16 ulp |\n|---|---|---|---|---|---|---|\n",
    );
    for (func, reference) in FUNCTIONS {
        let mut cells = Vec::new();
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
            let program = Program::new(func, dtype);
            let (error, at) = program.as_ref().map_or((0.0, 0), |p| measure(p, reference, sample(dtype)));
            println!("{} {} {error:.2} at {at:#x}", func.name(), dtype.name());
            // The reference of f64 errs too.
            let bound = if dtype == DType::F64 { 3.0 } else { 2.0 };
            assert!(error <= bound, "{} {}: {error} ulp at {at:#x}", func.name(), dtype.name());
            cells.push(if program.is_some() { format!("{error:.2}") } else { "-".to_string() });
            if dtype.bits() >= 32 {
                cells.push(program.map_or("-".to_string(), |p| p.cost().to_string()));
            }
        }
        let _ = writeln!(text, "| {} | {} |", func.name(), cells.join(" | "));
    }
    text
}

#[test]
fn docs_are_up_to_date() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/numerics.md");
    let wanted = table();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/numerics.md is out of date; run: BLESS=1 cargo test -p tilewright-loops numerics");
}

#[test]
fn every_f32_is_within_two_ulps() {
    let Ok(which) = std::env::var("TW_EXHAUSTIVE") else { return };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let stride: u64 = std::env::var("TW_STRIDE").map_or(1, |s| s.parse().unwrap());
    let strips = (1u64 << 32) / (STRIP as u64 * stride);
    for (func, reference) in FUNCTIONS.into_iter().filter(|(f, _)| which == "1" || which == f.name()) {
        let part = |thread: u64| {
            let program = Program::new(func, DType::F32).unwrap();
            let starts = (thread..strips).step_by(threads as usize).map(|s| s * STRIP as u64 * stride);
            measure(&program, reference, starts.map(|s| std::array::from_fn(|i| s + i as u64 * stride)))
        };
        let (error, at) = std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|t| scope.spawn(move || part(t))).collect();
            let found = running.into_iter().map(|t| t.join().unwrap());
            found.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
        });
        println!("{} f32: {error:.3} ulp at {at:#x}", func.name());
        assert!(error <= 2.0, "{}: {error} ulp at {at:#x}", func.name());
    }
}

//! Expansions against the scalar functions' meaning, bit for bit.

use super::{Leaves, call, floor, lane, loaded, scalar, stored};
use crate::block::{Block, Step, Val};
use crate::prim::{Lane, Prim};
use tilewright_scalar::func::{Lanes, Rule, TABLE};
use tilewright_scalar::{Func, Kind, Overflow, Pred, Scalar};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, convert};

const DTYPES: [DType; 13] = [
    DType::Bool,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
];

/// Functions that approximate: `tests/numerics.rs` measures them.
const MEASURED: [Func; 19] = [
    Func::Exp,
    Func::Expm1,
    Func::Log,
    Func::Log1p,
    Func::Sin,
    Func::Cos,
    Func::Tan,
    Func::Asin,
    Func::Acos,
    Func::Atan,
    Func::Sinh,
    Func::Cosh,
    Func::Tanh,
    Func::Asinh,
    Func::Acosh,
    Func::Atanh,
    Func::Erf,
    Func::Sigmoid,
    Func::Pow,
];

/// The lane that a load of a dtype gives.
fn raw_lane(dtype: DType) -> Lane {
    match lane(dtype) {
        Some(Lane::F32) if dtype.bits() == 16 => Lane::I32,
        Some(Lane::Mask) => Lane::I32,
        other => other.unwrap(),
    }
}

/// What a load gives for the bits of an element.
fn extended(dtype: DType, bits: u64) -> u64 {
    let spare = 64 - dtype.bits() as u32;
    let wide = if dtype.is_signed() && dtype.is_int() { (bits << spare) as i64 >> spare } else { bits as i64 };
    if dtype.bits() <= 32 { u64::from(wide as u32) } else { bits }
}

/// An operand of a dtype.
fn operand(block: &mut Block, number: u32, dtype: DType) -> Val {
    let raw = block.step(Step::Load(number), raw_lane(dtype));
    loaded(block, dtype, raw)
}

/// `func` of elements given and returned as their bits.
fn expanded(func: Func, from: &[DType], to: DType, args: &[Vec<u64>]) -> Option<Vec<u64>> {
    let mut block = Block::new();
    let vals: Vec<Val> = from.iter().enumerate().map(|(i, d)| operand(&mut block, i as u32, *d)).collect();
    let result = call(&mut block, func, from, to, &vals)?;
    assert_eq!(Some(block.lane(result)), lane(to), "{func:?} of {from:?}");
    let out = stored(&mut block, to, result);
    let mask = if to.bits() == 64 { u64::MAX } else { (1 << to.bits()) - 1 };
    let one = |n: usize| {
        let values = block.eval(&mut |step, _| match step {
            Step::Load(i) => extended(from[i as usize], args[i as usize][n]),
            _ => 0,
        });
        values[out.index()] & mask
    };
    Some((0..args[0].len()).map(one).collect())
}

fn decoded(dtype: DType, bits: &[u64]) -> Lanes {
    if dtype.is_float() {
        Lanes::F(bits.iter().map(|b| convert::decode_f64(dtype, *b)).collect())
    } else {
        Lanes::I(bits.iter().map(|b| convert::wrap_to(dtype, *b as i64)).collect())
    }
}

/// The same by [`Func::eval`].
fn meant(func: Func, from: &[DType], to: DType, args: &[Vec<u64>]) -> Vec<u64> {
    let lanes: Vec<Lanes> = from.iter().zip(args).map(|(d, a)| decoded(*d, a)).collect();
    let refs: Vec<&Lanes> = lanes.iter().collect();
    let mask = if to.bits() == 64 { u64::MAX } else { (1 << to.bits()) - 1 };
    match func.eval(to, from, &refs, args[0].len()) {
        Lanes::F(v) => v.iter().map(|x| convert::encode_f64(to, *x, false)).collect(),
        Lanes::I(v) => v.iter().map(|x| *x as u64 & mask).collect(),
    }
}

/// Bits worth a test: ends of ranges, powers of two, special floats.
fn special(dtype: DType) -> Vec<u64> {
    if dtype == DType::Bool {
        return vec![0, 1];
    }
    let bits = dtype.bits() as u32;
    let mask = u64::MAX >> (64 - bits);
    let mut found = vec![0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, mask, mask - 1, mask >> 1, (mask >> 1) + 1];
    if dtype.is_float() {
        let numbers = [1.0, -1.0, 0.5, 1.5, 2.5, -3.0, 127.5, 128.0, 255.0, 256.5, 32768.0, 65519.0, 65520.0, 65536.0];
        let large = [2147483647.0, 2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0, 9.3e18, 1.8446744e19, 2e19];
        let ends = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0, -0.0, 3e38, -3e38, 1e-40, 6e-8, 1e-5];
        for x in numbers.iter().chain(&large).chain(&ends) {
            found.push(convert::encode_f64(dtype, *x, false));
            found.push(convert::encode_f64(dtype, -*x, false));
        }
    }
    (0..bits).for_each(|i| found.push(1 << i));
    found.iter().map(|b| b & mask).collect()
}

/// A fixed sequence of numbers, each bit as often 0 as 1.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    state.wrapping_mul(0x2545_F491_4F6C_DD1D)
}

/// Every pair of special values and random ones; bools are 0 or 1.
fn samples(from: &[DType]) -> Vec<Vec<u64>> {
    let mut state = 0x1234_5678_9abc_def1;
    let special: Vec<Vec<u64>> = from.iter().map(|d| special(*d)).collect();
    let mut args = vec![Vec::new(); from.len()];
    let pairs = special[0].len() * special.get(1).map_or(1, Vec::len);
    for n in 0..pairs + 3000 {
        for (i, arg) in args.iter_mut().enumerate() {
            let list = &special[i];
            let place = if i == 0 { n } else { n / special[0].len() };
            let mask = if from[i] == DType::Bool { 1 } else { u64::MAX >> (64 - from[i].bits()) };
            // Near values too, so that equal ones, ties and cancellation come up.
            let value = match n {
                _ if n < pairs && i < 2 => list[place % list.len()],
                _ if n % 3 == 0 => list[random(&mut state) as usize % list.len()] ^ (random(&mut state) >> 60),
                _ => random(&mut state) >> (random(&mut state) % 40),
            };
            arg.push(value & mask);
        }
    }
    args
}

fn is_nan(dtype: DType, bits: u64) -> bool {
    dtype.is_float() && convert::decode_f64(dtype, bits).is_nan()
}

/// Whether `func` is supported; fails where it differs from its meaning.
fn agrees(func: Func, from: &[DType], to: DType) -> bool {
    let args = samples(from);
    let Some(found) = expanded(func, from, to, &args) else { return false };
    let wanted = meant(func, from, to, &args);
    for n in 0..found.len() {
        // Which NaN is not part of the meaning.
        let same = found[n] == wanted[n] || (is_nan(to, found[n]) && is_nan(to, wanted[n]));
        let same = same || (matches!(func, Func::Bitcast(_)) && is_nan(from[0], args[0][n]));
        let given: Vec<String> = args.iter().map(|a| format!("{:#x}", a[n])).collect();
        assert!(same, "{func:?} {from:?} -> {to:?} of {given:?}: {:#x}, not {:#x}", found[n], wanted[n]);
    }
    true
}

/// Argument dtypes of a function of the list for an element dtype.
fn signature(rule: Rule, arity: usize, dtype: DType) -> Vec<DType> {
    match rule {
        Rule::Select => vec![DType::Bool, dtype, dtype],
        Rule::Random => vec![DType::I64; 2],
        _ => vec![dtype; arity],
    }
}

#[test]
fn exact_functions_mean_what_the_list_says() {
    let mut missing = Vec::new();
    for row in TABLE.iter() {
        for dtype in DTYPES {
            let from = signature(row.rule, row.arity, dtype);
            let lits: Vec<Scalar> = from.iter().map(|d| Scalar::read(0, *d, vec![])).collect();
            let measured = MEASURED.contains(&row.func) && dtype.is_float();
            if measured || row.func.check(&lits).is_err() {
                continue;
            }
            if !agrees(row.func, &from, row.func.result(&lits)) {
                missing.push(format!("{} {}", row.name, dtype.name()));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn casts_mean_what_the_list_says() {
    for from in DTYPES {
        for to in DTYPES {
            assert!(agrees(Func::Cast(to, Overflow::Saturate), &[from], to));
            if from.bits() == to.bits() && (from == to || from != DType::Bool) && to != DType::Bool {
                assert!(agrees(Func::Bitcast(to), &[from], to));
            }
        }
    }
}

#[test]
fn constant_powers_are_products_quotients_and_roots() {
    for (exponent, x, wanted) in
        [(2.0, -3.0, 9.0), (3.0, -2.0, -8.0), (0.5, -0.0, 0.0), (0.5, f64::NEG_INFINITY, f64::INFINITY)]
    {
        let mut block = Block::new();
        let (a, b) = (block.f64(x), block.f64(exponent));
        let result = call(&mut block, Func::Pow, &[DType::F64; 2], DType::F64, &[a, b]).unwrap();
        assert_eq!(block.constant(result), Some(f64::to_bits(wanted)));
    }
}

#[test]
fn angles_next_to_a_quarter_turn_are_reduced_exactly() {
    // Of all f64 this is the one nearest to an odd multiple of pi / 2.
    let x = 6_381_956_970_095_103.0 * 2f64.powi(797);
    let found = expanded(Func::Cos, &[DType::F64], DType::F64, &[vec![x.to_bits()]]).unwrap();
    assert_eq!(f64::from_bits(found[0]), -4.687_165_924_254_628e-19);
}

#[test]
fn powers_of_special_values_are_those_of_the_standard() {
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let values = [0.0, 0.5, 1.0, 2.0, 3.0, 1e30, 2f64.powi(60) + 256.0, f64::INFINITY, f64::MIN_POSITIVE];
        let near = [1.0, 2.0].map(f64::to_bits).into_iter().flat_map(|b| [b + (1 << 45), b - (1 << 45)]);
        let values: Vec<f64> = values.into_iter().chain(near.map(f64::from_bits)).flat_map(|x| [x, -x]).collect();
        let bits = |x: f64| convert::encode_f64(dtype, x, false);
        let all: Vec<u64> = values.into_iter().chain([f64::NAN]).map(bits).collect();
        let args: [Vec<u64>; 2] = [0, 1].map(|side| {
            let pair = |n: usize| if side == 0 { all[n / all.len()] } else { all[n % all.len()] };
            (0..all.len() * all.len()).map(pair).collect()
        });
        let found = expanded(Func::Pow, &[dtype; 2], dtype, &args).unwrap();
        let wanted = meant(Func::Pow, &[dtype; 2], dtype, &args);
        for n in 0..found.len() {
            let [x, y] = [0, 1].map(|side| convert::decode_f64(dtype, args[side][n]));
            let [a, b] = [found[n], wanted[n]].map(|v| convert::decode_f64(dtype, v));
            let near = found[n].abs_diff(wanted[n]) <= 1 && b.is_finite() && b != 0.0 && b != 1.0;
            assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()) || near, "{x}^{y}: {a}, not {b}");
        }
    }
}

#[test]
fn extremes_by_constants_keep_nan_and_ties() {
    for func in [Func::Min, Func::Max] {
        for c in [0.0, -0.0, 1.0, f64::INFINITY, f64::NAN] {
            for x in [0.0, -0.0, f64::NAN, 2.0, -2.0, f64::NEG_INFINITY] {
                let mut block = Block::new();
                let (a, c_val) = (operand(&mut block, 0, DType::F64), block.f64(c));
                let result = call(&mut block, func, &[DType::F64; 2], DType::F64, &[a, c_val]).unwrap();
                let found = f64::from_bits(block.eval(&mut |_, _| x.to_bits())[result.index()]);
                let args = [Lanes::F(vec![x]), Lanes::F(vec![c])];
                let wanted = func.eval(DType::F64, &[DType::F64; 2], &[&args[0], &args[1]], 1).f()[0];
                let same = found.to_bits() == wanted.to_bits() || (found.is_nan() && wanted.is_nan());
                assert!(same, "{func:?} {x} {c}: {found}, not {wanted}");
            }
        }
    }
}

/// Counts reads, and gives the same step for all.
struct Reads(usize, Option<Val>);

impl Leaves for Reads {
    fn is_guarded(&self, node: &Scalar) -> bool {
        matches!(node.kind(), Kind::Read(..))
    }

    fn leaf(&mut self, block: &mut Block, node: &Scalar, mask: Option<Val>) -> Option<Val> {
        (self.0, self.1) = (self.0 + 1, mask);
        matches!(node.kind(), Kind::Read(..)).then(|| block.step(Step::Load(0), Lane::F32))
    }

    fn holds(&mut self, block: &mut Block, preds: &[Pred], _: Option<Val>) -> Option<Val> {
        Some(block.step(Step::Load(preds.len() as u32), Lane::Mask))
    }
}

#[test]
fn expressions_share_and_leave_reads_to_the_caller() {
    let x = Scalar::read(0, DType::F32, vec![]);
    let mut square = x.clone() * x.clone() + 1.0;
    for _ in 0..60 {
        square = square.clone() * square;
    }
    let (mut block, mut reads) = (Block::new(), Reads(0, None));
    assert!(scalar(&mut block, &square, &mut reads).is_some());
    // x * x + 1 and sixty squares.
    assert_eq!((reads.0, block.steps().len()), (1, 64));
    assert!(scalar(&mut block, &x.cast(DType::F8E5M2), &mut reads).is_none());
}

#[test]
fn guarded_reads_know_their_guards() {
    let guard = |x: &Scalar, n: usize| {
        let preds = (0..n).map(|k| Pred::Ge0(Ix::axis(0) - Ix::from(k))).collect();
        Scalar::call(Func::Add, vec![Scalar::guarded(preds, x.clone(), x.lit(0.0)), x.lit(n as f64)])
    };
    let x = Scalar::read(0, DType::F32, vec![]);
    let (mut block, mut reads) = (Block::new(), Reads(0, None));
    let twice = guard(&guard(&x, 1), 2);
    scalar(&mut block, &twice, &mut reads).unwrap();
    let [one, two] = [1, 2].map(|n| block.step(Step::Load(n), Lane::Mask));
    assert_eq!(reads.1, Some(block.prim(Prim::MaskAnd, &[two, one])));
    // Read once under each of the guards that it stands under.
    let mut many = x.clone();
    for n in 1..40 {
        many = guard(&many, 2 * n) + guard(&many, 2 * n + 1);
    }
    let mut reads = Reads(0, None);
    assert!(scalar(&mut Block::new(), &many, &mut reads).is_none());
}

#[test]
fn floors_of_all_signs() {
    let sizes = (0..63).flat_map(|b| [(1i64 << b) - 1, 1 << b, (1 << b) + 1, 3 << (b / 2), 7 << (b / 3)]);
    let divisors: Vec<i64> = sizes.chain([1000, 641, 6_700_417, 1_000_000_007]).filter(|d| *d > 0).collect();
    let numbers = divisors.iter().flat_map(|x| [*x, -*x]).chain([0, 12, -12, i64::MIN, i64::MAX]);
    let numbers: Vec<i64> = numbers.collect();
    for (lane, most) in [(Lane::I32, i64::from(i32::MAX)), (Lane::I64, i64::MAX)] {
        for by in divisors.iter().copied().filter(|d| *d <= most) {
            let mut block = Block::new();
            let x = block.step(Step::Load(0), lane);
            let found = floor(&mut block, x, by);
            for n in numbers.iter().flat_map(|n| [*n, n.wrapping_mul(by)]).filter(|n| (-most - 1..=most).contains(n)) {
                let values = block.eval(&mut |_, _| n as u64);
                let value = |v: Val| {
                    if lane == Lane::I32 { values[v.index()] as u32 as i32 as i64 } else { values[v.index()] as i64 }
                };
                assert_eq!(found.map(value), [n.div_euclid(by), n.rem_euclid(by)], "{n} by {by} in {lane:?}");
            }
        }
    }
}

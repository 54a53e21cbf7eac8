//! Maps around a product against the map, the product, the map, each by its meaning.

use super::{Matrix, machines, product};
use crate::MOST;
use crate::guarded::Guarded;
use crate::random::Random;
use tilewright_kernels::matmul::{Around, Matmul, Operands, Right, Sizes, Tile2d};
use tilewright_kernels::{Machine, Plain};
use tilewright_loops::contract::Product;
use tilewright_loops::map::{self, Map, Operand, Order, Program, Rows, Sink, Tile};
use tilewright_loops::{normalize, tpp};
use tilewright_scalar::{Func, Overflow, Scalar};
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType::{self, BF16, F32, I32, U8};

fn of(operands: &[Operand], outputs: &[u32], values: impl Fn(&Map) -> Vec<Scalar>) -> Map {
    let map = Map { operands: operands.to_vec(), ..Map::default() };
    let store = |(operand, value): (&u32, Scalar)| Sink::Store { operand: *operand, value };
    let sinks: Vec<Sink> = outputs.iter().zip(values(&map)).map(store).collect();
    map.stage(sinks)
}

fn relu(x: &Scalar) -> Scalar {
    Scalar::call(Func::Max, vec![x.clone(), x.lit(0.0)])
}

/// `x` to the nearest of 0 to 255.
fn quantize(x: &Scalar) -> Scalar {
    let low = Scalar::call(Func::Max, vec![x.clone(), x.lit(0.0)]);
    let clamped = Scalar::call(Func::Min, vec![low.clone(), low.lit(255.0)]);
    let whole = Scalar::call(Func::RoundEven, vec![clamped]);
    Scalar::call(Func::Cast(U8, Overflow::Saturate), vec![whole])
}

/// Maps that make A: from bytes with a scale for each row and a shift for each column, by an activation, to bytes, by
/// rows as a whole.
fn makers() -> Vec<(Product, Map)> {
    let tile = Operand::tile;
    let bytes = of(&[tile(U8), Operand::column(F32), Operand::row(F32), tile(F32)], &[3], |m| {
        vec![m.read(0).cast(F32) * m.read(1) + m.read(2)]
    });
    let active = of(&[tile(F32), tile(BF16)], &[1], |m| vec![relu(&m.read(0)).cast(BF16)]);
    let quantized =
        of(&[tile(F32), Operand::scalar(F32), tile(U8)], &[2], |m| vec![quantize(&(m.read(0) * m.read(1)))]);
    let kept = of(&[tile(F32), tile(F32), tile(F32)], &[1, 2], |m| vec![m.read(0) + m.read(0), relu(&m.read(0))]);
    let softmax = normalize::softmax(tile(F32), tile(F32), F32);
    vec![
        (Product::F32, bytes),
        (Product::Bf16, active),
        (Product::U8S8, quantized.clone()),
        (Product::U8U8, quantized),
        (Product::F32, kept),
        (Product::F32, softmax),
    ]
}

/// Maps over sums: short ones, one of many operations, those that see whole rows or everything, one in place.
fn followers() -> Vec<(Product, Map)> {
    let tile = Operand::tile;
    let copies = of(&[tile(F32), Operand::row(F32), tile(BF16), tile(F32)], &[2, 3], |m| {
        let sum = m.read(0) + m.read(1);
        vec![sum.clone().cast(BF16), relu(&sum)]
    });
    let long = of(&[tile(F32), Operand::row(F32), tile(F32)], &[2], |m| {
        let x = m.read(0) + m.read(1);
        let erf = Scalar::call(Func::Erf, vec![&x * &x.lit(std::f64::consts::FRAC_1_SQRT_2)]);
        let tanh = Scalar::call(Func::Tanh, vec![erf]);
        vec![Scalar::call(Func::Exp, vec![tanh]) * x]
    });
    let in_place = of(&[tile(F32)], &[0], |m| vec![relu(&m.read(0))]);
    let softmax = normalize::softmax(tile(F32), tile(F32), F32);
    let row = Operand::row(F32);
    let norm = normalize::layer_norm([tile(F32), row, row, tile(F32)], 1e-5, F32);
    let sums = tpp::reduction("reduce_add").unwrap();
    let of_rows = sums.map(&[tile(F32)], &[Operand::column(F32)], Order::Rows, F32).unwrap();
    let of_columns = sums.map(&[tile(F32)], &[Operand::row(F32)], Order::Columns, F32).unwrap();
    let dequantize = of(&[tile(I32), Operand::row(F32), tile(F32)], &[2], |m| vec![m.read(0).cast(F32) * m.read(1)]);
    let mut all = vec![(Product::U8S8, dequantize)];
    for map in [copies, long, in_place, softmax, norm, of_rows, of_columns] {
        all.extend([(Product::F32, map.clone()), (Product::F16, map)]);
    }
    all
}

/// Memory of a map's operands: lines a little apart.
fn memory(operands: &[Operand], [m, n]: [usize; 2], random: &mut Random) -> Vec<(Vec<u8>, usize)> {
    let one = |operand: &Operand| {
        let row = operand.row_bytes(n).next_multiple_of(8) + 8 * random.below(2);
        let rows = if operand.rows == Rows::One { 1 } else { m };
        let mut bytes = vec![0; row * rows];
        random.fill(operand.dtype, MOST, &mut bytes);
        (bytes, row)
    };
    operands.iter().map(one).collect()
}

/// Runs a map by its meaning at a level.
fn interpret(map: &Map, level: Level, sizes: [usize; 2], memory: &mut [(Vec<u8>, usize)]) {
    let mut tiles: Vec<Tile> = memory.iter_mut().map(|(bytes, row)| Tile::rows(bytes, *row)).collect();
    map::interpret_program(map, &Program::for_level(map, level).unwrap(), sizes, &[], &mut tiles).unwrap();
}

/// The same between pages that nobody may touch.
fn guarded(memory: &[(Vec<u8>, usize)]) -> Vec<(Guarded, usize)> {
    memory.iter().map(|(bytes, row)| (Guarded::new(bytes, true), *row)).collect()
}

fn tiles(memory: &[(Guarded, usize)]) -> Vec<Tile2d> {
    let tile =
        |(x, row): &(Guarded, usize)| Tile2d { address: x.address() as *mut u8, len: x.bytes().len(), row: *row };
    memory.iter().map(tile).collect()
}

fn equal(found: &[(Guarded, usize)], want: &[(Vec<u8>, usize)]) -> bool {
    found.iter().zip(want).all(|(found, want)| found.0.bytes() == want.0)
}

/// A matrix of rows a line apart.
fn matrix(bytes: &[u8], line: usize, dtype: DType) -> Matrix {
    Matrix { memory: Guarded::new(bytes, true), line, element: dtype.bits() / 8, transposed: false }
}

fn surrounded(machine: &Machine, of: Product, [m, n, k]: [usize; 3], around: &Around<'_>, random: &mut Random) {
    let plain = Map { operands: vec![Operand::tile(of.a())], ..Map::default() };
    let before = around.before.unwrap_or(&plain);
    let level = machine.target().level;
    let mut made = memory(&before.operands, [m, k], random);
    let found_before = guarded(&made);
    let (source, source_row) = made[0].clone();
    interpret(before, level, [m, k], &mut made);
    let (a, a_row) = made.last().unwrap().clone();
    let b = Matrix::new(of.b(), [k, n], false, 1, random);
    let sums = product(of, [m, n, k], &matrix(&a, a_row, of.a()), &b);
    let plain = Map { operands: vec![Operand::tile(of.c())], ..Map::default() };
    let after = around.after.unwrap_or(&plain);
    let mut want = memory(&after.operands, [m, n], random);
    let found = guarded(&want);
    want[0] = (sums, n * of.c_bytes());
    interpret(after, level, [m, n], &mut want);
    let sizes = Sizes { m, n, k, a_row: source_row, c_row: found[0].1 };
    let plan = Matmul::around(machine, of, sizes, around).unwrap();
    let plain = Plain { bytes: b.memory.bytes(), row: b.line, transposed: false };
    let mut packed = plan.packed().unwrap();
    packed.fill(machine, plain).unwrap();
    for threads in [1, 2] {
        let mut scratch = plan.scratch(machine, threads).unwrap();
        let right = if threads == 1 { Right::Packed(&packed) } else { Right::Plain(plain, &mut scratch) };
        let inner = 1..found_before.len().max(2) - 1;
        let (before, after) = (tiles(&found_before[inner.clone()]), tiles(&found));
        // SAFETY: the operands are as large as they say and used by nobody else.
        unsafe {
            let c = std::slice::from_raw_parts_mut(after[0].address, after[0].len);
            let operands = Operands { a: &source, c, before: &before, after: &after[1..] };
            plan.run_around(right, operands, threads).unwrap();
        }
        let what = || format!("{of:?} {m}x{n}x{k} {around:?} on {:?} by {threads}", machine.target());
        assert!(equal(&found[1..], &want[1..]), "{}", what());
        assert!(equal(&found_before[inner.clone()], &made[inner]), "{}", what());
        if around.after.is_none_or(|map| map.operands.len() == 1) {
            let (row, used) = (found[0].1, n * of.c_bytes());
            let rows = found[0].0.bytes().chunks_exact(row).zip(want[0].0.chunks_exact(used.max(1)));
            rows.for_each(|(found, want)| assert!(found[..used] == *want, "{}", what()));
        }
    }
}

const SIZES: [[usize; 3]; 4] = [[1, 1, 1], [5, 17, 30], [31, 130, 64], [70, 40, 33]];

/// Products of all sizes with each map, on every machine.
fn surrounded_by(cases: &[(Product, Map)], around: impl Fn(&Map) -> Around<'_>, seed: u64) {
    let mut random = Random(seed);
    for machine in machines() {
        for ((of, map), sizes) in cases.iter().flat_map(|case| SIZES.map(|sizes| (case, sizes))) {
            surrounded(&machine, *of, sizes, &around(map), &mut random);
        }
    }
}

#[test]
fn maps_make_a() {
    surrounded_by(&makers(), |map| Around { before: Some(map), ..Around::default() }, 21);
}

#[test]
fn maps_follow_the_sums() {
    surrounded_by(&followers(), |map| Around { after: Some(map), ..Around::default() }, 22);
}

/// Attention's first half: bytes that are scaled, times B, then a softmax.
#[test]
fn maps_on_both_sides() {
    let mut random = Random(23);
    let (makers, followers) = (makers(), followers());
    for machine in machines() {
        for (_, after) in followers.iter().filter(|(of, _)| *of == Product::F32) {
            let around = Around { before: Some(&makers[0].1), after: Some(after), transposed: false };
            surrounded(&machine, Product::F32, [37, 70, 20], &around, &mut random);
        }
    }
}

#[test]
fn maps_that_cannot_surround_a_product_are_refused() {
    let machine = Machine::new(Target::detect());
    let sizes = Sizes { m: 4, n: 4, k: 4, a_row: 16, c_row: 16 };
    let refused = |around: Around<'_>| Matmul::around(&machine, Product::F32, sizes, &around).unwrap_err().message;
    let tile = Operand::tile(F32);
    let sums = tpp::reduction("reduce_add").unwrap().map(&[tile], &[Operand::row(F32)], Order::Columns, F32).unwrap();
    assert!(refused(Around { before: Some(&sums), ..Around::default() }).contains("all rows at once"));
    let in_place = of(&[tile, tile], &[0], |m| vec![relu(&m.read(0))]);
    assert!(refused(Around { before: Some(&in_place), ..Around::default() }).contains("last operand is not A"));
    let other = of(&[Operand::tile(I32), tile], &[1], |m| vec![m.read(0).cast(F32)]);
    assert!(refused(Around { after: Some(&other), ..Around::default() }).contains("operand 0 is not the sums"));
    let many = of(&[tile; 9], &[8], |m| vec![m.read(0)]);
    assert!(refused(Around { after: Some(&many), ..Around::default() }).contains("more than 8 operands"));
    let made = of(&[tile, tile], &[1], |m| vec![relu(&m.read(0))]);
    let transposed = Around { before: Some(&made), transposed: true, ..Around::default() };
    assert!(refused(transposed).contains("transposed"));
}

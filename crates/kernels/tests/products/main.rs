//! Products of every dtype and layout through the driver, and with the maps that surround them, bit for bit.
#[path = "../guarded/mod.rs"]
mod guarded;
#[path = "../random/mod.rs"]
mod random;
mod surrounded;

use guarded::Guarded;
use random::Random;
use tilewright_kernels::matmul::{Around, Matmul, Sizes};
use tilewright_kernels::{Machine, Plain};
use tilewright_loops::contract::Product;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;

/// The largest number of an operand.
const MOST: f64 = 13.0;

/// A matrix in memory, its lines apart; what is between them are no zeros.
struct Matrix {
    memory: Guarded,
    line: usize,
    element: usize,
    transposed: bool,
}

impl Matrix {
    /// Random numbers in lines of which a whole number of `whole` bytes is zero after the last element.
    fn new(dtype: DType, [rows, columns]: [usize; 2], transposed: bool, whole: usize, random: &mut Random) -> Self {
        let (lines, length) = if transposed { (columns, rows) } else { (rows, columns) };
        let element = dtype.bits() / 8;
        let used = (length * element).next_multiple_of(whole);
        let line = used + whole * random.below(3);
        let mut bytes = vec![0xff; (lines.max(1) - 1) * line + used];
        for start in (0..lines).map(|n| n * line) {
            let (elements, rest) = bytes[start..start + used].split_at_mut(length * element);
            random.fill(dtype, MOST, elements);
            rest.fill(0);
        }
        Self { memory: Guarded::new(&bytes, true), line, element, transposed }
    }

    fn bits(&self, row: usize, column: usize) -> u64 {
        let (line, at) = if self.transposed { (column, row) } else { (row, column) };
        let start = line * self.line + at * self.element;
        self.memory.bytes()[start..start + self.element].iter().rev().fold(0, |bits, b| bits << 8 | u64::from(*b))
    }
}

/// The sums by their meaning, row by row.
fn product(product: Product, [m, n, k]: [usize; 3], a: &Matrix, b: &Matrix) -> Vec<u8> {
    let (per_step, size) = (product.per_step(), product.c_bytes());
    let step = |s: usize, at: &dyn Fn(usize) -> u64| {
        let elements = (s * per_step..((s + 1) * per_step).min(k)).enumerate();
        product.factor(elements.fold(0, |bits, (n, at_k)| bits | at(at_k) << (n * 8 * product.step_bytes() / per_step)))
    };
    let mut c = Vec::with_capacity(m * n * size);
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let sum = (0..k.div_ceil(per_step))
            .fold(0, |sum, s| product.step(sum, step(s, &|at| a.bits(i, at)), step(s, &|at| b.bits(at, j))));
        c.extend_from_slice(&sum.to_le_bytes()[..size]);
    }
    c
}

/// Every level, and the widest without dot products, each also with a second cache that makes many blocks.
fn machines() -> Vec<Machine> {
    let here = Target::detect();
    let plain = Target { vnni: false, bf16: false, ..here };
    let targets = Level::ALL.into_iter().map(|level| here.at_most(level)).chain([plain]);
    targets.flat_map(|target| [target, Target { l2: 4096, ..target }]).map(Machine::new).collect()
}

#[test]
fn every_product_and_layout() {
    let mut random = Random(11);
    for (n, machine) in machines().iter().enumerate() {
        for (of, sizes) in Product::ALL.into_iter().flat_map(|p| SIZES.map(|sizes| (p, sizes))) {
            for transposed in [[false, false], [true, false], [false, true], [true, true]] {
                layout(machine, of, sizes, (transposed, 1 + n % 3), &mut random);
            }
        }
    }
}

/// Rows of narrow panels are packed together, in parts of a panel's steps; the last panels are fewer.
#[test]
fn many_narrow_panels() {
    let mut random = Random(13);
    for machine in machines() {
        for (of, sizes) in [Product::U8S8, Product::Bf16].into_iter().flat_map(|p| MANY.map(|sizes| (p, sizes))) {
            for (threads, b_transposed) in [(1, false), (2, false), (2, true)] {
                layout(&machine, of, sizes, ([false, b_transposed], threads), &mut random);
            }
        }
    }
}

const MANY: [[usize; 3]; 2] = [[8, 1000, 10], [8, 250, 300]];

const SIZES: [[usize; 3]; 6] = [[1, 1, 1], [5, 7, 9], [31, 47, 63], [13, 35, 70], [29, 100, 130], [3, 5, 0]];

fn layout(
    machine: &Machine,
    of: Product,
    [m, n, k]: [usize; 3],
    ([a_transposed, b_transposed], threads): ([bool; 2], usize),
    random: &mut Random,
) {
    let whole = if a_transposed { 1 } else { of.step_bytes() };
    let a = Matrix::new(of.a(), [m, k], a_transposed, whole, random);
    let b = Matrix::new(of.b(), [k, n], b_transposed, 1, random);
    let want = product(of, [m, n, k], &a, &b);
    let c_row = n * of.c_bytes();
    let sizes = Sizes { m, n, k, a_row: a.line, c_row };
    let around = Around { transposed: a_transposed, ..Around::default() };
    let plan = Matmul::around(machine, of, sizes, &around).unwrap();
    let plain = Plain { bytes: b.memory.bytes(), row: b.line, transposed: b_transposed };
    let mut packed = plan.packed().unwrap();
    packed.fill(machine, plain).unwrap();
    let mut scratch = plan.scratch(machine, threads).unwrap();
    let mut c = [vec![0xff; m * c_row], vec![0xff; m * c_row]];
    plan.run(a.memory.bytes(), &packed, &mut c[0], threads).unwrap();
    plan.run_plain(a.memory.bytes(), plain, &mut c[1], &mut scratch).unwrap();
    for c in c {
        let target = machine.target();
        assert!(c == want, "{of:?} {m}x{n}x{k}, transposed: {a_transposed} {b_transposed}, {target:?}");
    }
    if m > 0 && k > 0 {
        let short = &a.memory.bytes()[1..];
        assert!(plan.run(short, &packed, &mut vec![0; m * c_row], threads).is_err());
        let short = Plain { bytes: &plain.bytes[1..], ..plain };
        assert!(packed.fill(machine, short).is_err());
    }
}

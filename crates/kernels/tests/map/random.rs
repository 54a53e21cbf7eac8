//! Random maps and random bytes.

use super::run::FLAT;
use tilewright_loops::map::{Combiner, Index, Map, Operand, Order, Rows, Sink, Stage, Stride};
use tilewright_scalar::func::{Rule, TABLE};
use tilewright_scalar::{Func, Overflow, Pred, Scalar};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// A linear congruential generator.
pub struct Random(pub u64);

const DTYPES: [DType; 14] = [
    DType::F32,
    DType::F32,
    DType::F32,
    DType::I32,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::U8,
    DType::U32,
    DType::I16,
    DType::F64,
    DType::I64,
    DType::Bool,
    DType::Bool,
];

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 29
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Indices of so many rows; some may be the same.
    pub fn indices(&mut self, rows: usize, distinct: bool) -> Vec<usize> {
        if !distinct {
            return (0..rows).map(|_| self.below(rows + 3)).collect();
        }
        let mut all: Vec<usize> = (0..rows + 3).collect();
        (0..rows).map(|_| all.swap_remove(self.below(all.len()))).collect()
    }

    /// A number that comes with a call.
    pub fn place(&mut self, small: bool) -> i64 {
        if !small && self.below(8) == 0 {
            (self.next() ^ self.next() << 31) as i64
        } else {
            self.below(201) as i64 - 100
        }
    }

    fn rows(&mut self) -> Rows {
        let all = [Rows::Strided, Rows::Indexed(Index::I32), Rows::Indexed(Index::I64), Rows::One];
        let at = [0, 0, 0, 0, 0, 1, 2, 3, 3];
        all[self.pick(&at)]
    }

    /// An operand that can be stored to, if `stored`.
    fn operand(&mut self, dtype: DType, stored: bool) -> Operand {
        let column = match (dtype, stored) {
            (DType::Bool, _) => self.pick(&[Stride::Bits, Stride::Bits, Stride::Unit, Stride::General]),
            (_, true) => self.pick(&[Stride::Unit, Stride::Unit, Stride::General]),
            _ => self.pick(&[Stride::Unit, Stride::Unit, Stride::Unit, Stride::Zero, Stride::General]),
        };
        let rows = match self.rows() {
            Rows::One if stored => Rows::Strided,
            rows => rows,
        };
        Operand { dtype, rows, column }
    }

    /// Elements of a dtype: mostly plain numbers, some special ones.
    pub fn fill(&mut self, dtype: DType, len: usize) -> Vec<u8> {
        let size = dtype.bits() / 8;
        let specials = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -3e38, 65519.0, 1e-6];
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let plain = (self.below(2001) as f64 - 1000.0) / 77.0;
            let x = if self.below(40) == 0 { self.pick(&specials) } else { plain };
            let bits = match dtype {
                DType::Bool => self.below(2) as u64,
                _ if dtype.is_float() => tilewright_tensor::convert::encode_f64(dtype, x, false),
                _ if self.below(3) == 0 => self.next() ^ self.next() << 31,
                _ => (self.below(41) as i64 - 20) as u64,
            };
            bytes.extend(&bits.to_le_bytes()[..size]);
        }
        bytes.truncate(len);
        bytes
    }
}

/// A map of one to three stages.
pub fn map(r: &mut Random) -> Map {
    let order = if r.below(4) == 0 { Order::Columns } else { Order::Rows };
    let mut operands = Vec::new();
    for _ in 0..1 + r.below(4) {
        let dtype = r.pick(&DTYPES);
        operands.push(match r.below(4) {
            0 => Operand::flat(dtype),
            _ => r.operand(dtype, false),
        });
    }
    let mut map = Map { operands, order, places: r.below(3) as u32, narrow: r.below(2) == 0, ..Map::default() };
    for _ in 0..1 + r.below(3) {
        map.stages.push(Stage::default());
        for _ in 0..1 + r.below(2) {
            let sink = sink(&mut map, r);
            let last = map.stages.len() - 1;
            map.stages[last].sinks.push(sink);
        }
    }
    map
}

fn sink(map: &mut Map, r: &mut Random) -> Sink {
    let dtype = r.pick(&DTYPES);
    let depth = 1 + r.below(4);
    let value = expression(map, r, dtype, depth);
    if r.below(3) == 0 && dtype != DType::Bool {
        let last = r.below(2) == 0;
        let arg = [Combiner::ArgMax { last }, Combiner::ArgMin { last }];
        let combiner = r.pick(&[Combiner::Sum, Combiner::Prod, Combiner::Max, Combiner::Min, arg[0], arg[1]]);
        return Sink::Reduce { combiner, value };
    }
    map.operands.push(r.operand(dtype, true));
    // Values of the row are numbered after operands.
    let operand = map.operands.len() as u32 - 1;
    let shift = |s: &Scalar| s.map_operands(&|o| if o >= operand { o + 1 } else { o });
    for sink in map.stages.iter_mut().flat_map(|s| &mut s.sinks) {
        match sink {
            Sink::Store { value, .. } | Sink::Reduce { value, .. } => *value = shift(value),
        }
    }
    Sink::Store { operand, value: shift(&value) }
}

fn expression(map: &Map, r: &mut Random, dtype: DType, depth: usize) -> Scalar {
    if depth == 0 {
        return leaf(map, r, dtype);
    }
    if r.below(6) == 0 {
        let from = r.pick(&DTYPES);
        let arg = expression(map, r, from, depth - 1);
        return Scalar::call(Func::Cast(dtype, Overflow::Saturate), vec![arg]);
    }
    if r.below(12) == 0 {
        let ix = index(map, r, 2);
        let pred = if r.below(3) == 0 { Pred::Eq0(ix) } else { Pred::Ge0(ix) };
        let sides = [0, 1].map(|_| expression(map, r, dtype, depth - 1));
        let [then, otherwise] = sides;
        return Scalar::guarded(vec![pred], then, otherwise);
    }
    if let Some(read) = flat_read(map, r, dtype) {
        return read;
    }
    for _ in 0..20 {
        let row = &TABLE[r.below(TABLE.len())];
        let from = match row.rule {
            Rule::Compare if dtype == DType::Bool => r.pick(&DTYPES),
            Rule::Test if dtype == DType::Bool => DType::F32,
            Rule::Num if dtype != DType::Bool => dtype,
            Rule::Float if dtype.is_float() => dtype,
            Rule::Bits if !dtype.is_float() => dtype,
            _ => continue,
        };
        let args = (0..row.arity).map(|_| expression(map, r, from, depth - 1)).collect();
        return Scalar::call(row.func, args);
    }
    let test = expression(map, r, DType::Bool, depth - 1);
    let sides = [0, 1].map(|_| expression(map, r, dtype, depth - 1));
    test.select(&sides[0], &sides[1])
}

/// An index of every kind of part.
fn index(map: &Map, r: &mut Random, depth: usize) -> Ix {
    let c = Ix::konst(r.pick(&[0, 1, -1, 2, 3, -4, 7, 40]));
    let axis = Ix::axis(r.below(2 + map.places as usize) as u32);
    if depth == 0 {
        return &axis * &c;
    }
    let [a, b] = [0, 1].map(|_| index(map, r, depth - 1));
    let by = Ix::konst(r.pick(&[1, 2, 3, 5, 8, 12, 37, 1000]));
    let integer = |o: &u32| {
        let dtype = map.operands[*o as usize].dtype;
        dtype.is_int() && (!map.narrow || dtype.bits() < 32)
    };
    let loads: Vec<u32> = (0..map.operands.len() as u32).filter(integer).collect();
    let sum = &(&a + &axis) + &c;
    match r.below(8) {
        0 => sum.floor_div(&by),
        1 => sum.modulo(&by),
        2 => a.min_with(&b),
        3 => a.max_with(&b),
        4 if !loads.is_empty() => {
            let o = r.pick(&loads);
            match map.operands[o as usize].is_flat() {
                true => &a + &Ix::load(o, vec![sum.modulo(&Ix::from(FLAT))]),
                false => &a + &Ix::load(o, vec![Ix::axis(0), Ix::axis(1)]),
            }
        }
        5 => &a * &axis,
        _ => sum,
    }
}

/// An element of a flat operand: by a number that is always in range, or where it is.
fn flat_read(map: &Map, r: &mut Random, dtype: DType) -> Option<Scalar> {
    let mut operands =
        (0..map.operands.len()).filter(|o| map.operands[*o].dtype == dtype && map.operands[*o].is_flat());
    let o = operands.next().filter(|_| r.below(3) == 0)? as u32;
    let (mut number, size) = (index(map, r, 2), Ix::from(FLAT));
    if r.below(3) == 0 {
        // Elements of columns that stand next to each other.
        let c = Ix::konst(r.pick(&[-9, -1, 0, 5, 13]));
        number = &(&(&Ix::axis(0) * &c) + &c) + &Ix::axis(1);
    }
    if r.below(2) == 0 {
        return Some(map.read_flat(o, number.modulo(&size)));
    }
    let other = Scalar::konst(dtype, 3.0);
    Some(match r.below(3) {
        0 => {
            let outside = Pred::less(&number, &Ix::zero());
            let below = Scalar::guarded(vec![Pred::less(&number, &size)], map.read_flat(o, number), other.clone());
            Scalar::guarded(vec![outside], other, below)
        }
        _ => Scalar::guarded(Pred::within(&number, &size).to_vec(), map.read_flat(o, number), other),
    })
}

fn leaf(map: &Map, r: &mut Random, dtype: DType) -> Scalar {
    let plain = |o: &usize| !map.operands[*o].is_flat();
    let operands = (0..map.operands.len()).filter(plain).filter(|o| map.operands[*o].dtype == dtype);
    let mut found: Vec<Scalar> = operands.map(|o| map.read(o as u32)).collect();
    let earlier = &map.stages[..map.stages.len() - 1];
    let current = earlier.iter().flat_map(|s| &s.sinks).filter(|s| matches!(s, Sink::Reduce { .. })).count();
    found.extend((0..current).map(|n| map.value_of_row(n)).filter(|v| v.dtype() == dtype));
    if dtype == DType::I64 {
        found.push(Scalar::index(Ix::axis(1)));
        found.push(Scalar::index(index(map, r, 2)));
    }
    if dtype == DType::F32 {
        let any = (0..map.operands.len()).filter(plain).map(|o| map.read(o as u32).cast(DType::F32));
        found.extend(any);
    }
    if found.is_empty() || r.below(5) == 0 {
        return Scalar::konst(dtype, r.pick(&[0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 100.0]));
    }
    let at = r.below(found.len());
    found.swap_remove(at)
}

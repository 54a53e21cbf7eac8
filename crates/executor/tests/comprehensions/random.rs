//! Random comprehensions.

use tilewright_graph::{Axis, Combiner, Comp, Func, Pred, Role, Scalar};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor};

/// A linear congruential generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// Small values, some of them special.
    pub fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        let n: usize = shape.iter().product();
        let special = if self.chance(15) { 8 } else { 0 };
        if !dtype.is_float() {
            let low = if dtype.is_signed() { 3 } else { 0 };
            let values: Vec<i64> = (0..n).map(|_| self.below(7) as i64 - low).collect();
            return Tensor::from_i64(dtype, shape, &values).unwrap();
        }
        let value = |r: &mut Self| match r.below(100) < special {
            true => r.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 3e38]),
            false => (r.below(129) as f64 - 64.0) / 16.0,
        };
        let values: Vec<f64> = (0..n).map(|_| value(self)).collect();
        Tensor::from_f64(dtype, shape, &values).unwrap()
    }
}

pub const DTYPES: [DType; 13] = [
    DType::F32,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::F64,
    DType::I8,
    DType::U8,
    DType::I16,
    DType::U16,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::Bool,
];

/// A comprehension and its operands.
pub struct Case {
    pub comp: Comp,
    pub operands: Vec<Tensor>,
}

struct Maker<'a> {
    random: &'a mut Random,
    extents: Vec<i64>,
    operands: Vec<Tensor>,
}

/// A random comprehension over at most some thousand points.
pub fn case(random: &mut Random) -> Case {
    let dtype = random.pick(&DTYPES);
    let combiner = if random.chance(50) { Combiner::Map } else { combiner(random, dtype) };
    let scans = combiner != Combiner::Map && !combiner.is_arg() && random.chance(20);
    let rank = random.below(4).max(usize::from(scans));
    let reduces = if combiner == Combiner::Map || scans { 0 } else { 1 + random.below(2) };
    let mut extents: Vec<i64> = (0..rank + reduces).map(|_| extent(random)).collect();
    // Large ones have tiles in several blocks.
    let most = if random.chance(4) { 40_000 } else { 6000 };
    if most > 6000 && rank > 0 {
        extents[random.below(rank)] = random.pick(&[130, 257, 1000, 4097, 9000]);
    }
    while extents.iter().product::<i64>() > most {
        let at = random.below(extents.len());
        extents[at] = extents[at] / 2 + 1;
    }
    let scanned = random.below(rank);
    let role = |random: &mut Random, a: usize| match a {
        _ if a >= rank => Role::Reduce,
        _ if scans && a == scanned => Role::Scan { reverse: random.chance(50), exclusive: random.chance(50) },
        _ => Role::Parallel,
    };
    let axes = extents.iter().enumerate().map(|(a, n)| Axis {
        name: format!("a{a}").into(),
        extent: Ix::konst(*n),
        role: role(random, a),
    });
    let axes: Vec<Axis> = axes.collect();
    let mut maker = Maker { random, extents, operands: Vec::new() };
    let body = maker.body(dtype, 2);
    let comp = Comp::new("random", axes, combiner, body);
    Case { comp, operands: maker.operands }
}

fn extent(random: &mut Random) -> i64 {
    if random.chance(3) {
        return 0;
    }
    random.pick(&[1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 33, 64, 70, 200])
}

fn combiner(random: &mut Random, dtype: DType) -> Combiner {
    if dtype == DType::Bool {
        return random.pick(&[Combiner::Any, Combiner::All]);
    }
    let all: Vec<Combiner> =
        Combiner::ALL.into_iter().filter(|c| !matches!(c, Combiner::Map | Combiner::Any | Combiner::All)).collect();
    random.pick(&all)
}

impl Maker<'_> {
    fn body(&mut self, dtype: DType, depth: usize) -> Scalar {
        if depth == 0 || self.random.chance(40) {
            return self.leaf(dtype);
        }
        let x = self.body(dtype, depth - 1);
        match self.random.below(10) {
            0 if dtype != DType::Bool => x.abs(),
            1 => {
                let other = self.body(dtype, depth - 1);
                let preds = vec![self.pred()];
                Scalar::guarded(preds, x, other)
            }
            2 if dtype == DType::I64 => x + Scalar::index(self.index()),
            _ => {
                let y = self.body(dtype, depth - 1);
                let funcs: &[Func] = match dtype {
                    DType::Bool => &[Func::And, Func::Or],
                    _ => &[Func::Add, Func::Sub, Func::Mul, Func::Max, Func::Min],
                };
                Scalar::call(self.random.pick(funcs), vec![x, y])
            }
        }
    }

    fn pred(&mut self) -> Pred {
        let e = self.index();
        let (low, _) = self.bounds(&e);
        let e = &e - &Ix::konst(low + self.random.below(6) as i64);
        match self.random.below(3) {
            0 => Pred::Ge0(e),
            1 => Pred::Ge0(-e),
            _ => Pred::Eq0(e),
        }
    }

    fn leaf(&mut self, dtype: DType) -> Scalar {
        if self.random.chance(15) {
            return Scalar::int(dtype, self.random.below(5) as i64);
        }
        let rank = self.random.below(4);
        let mut index: Vec<Ix> = (0..rank).map(|_| self.index()).collect();
        if self.random.chance(40) {
            index = (0..self.extents.len()).map(|a| Ix::axis(a as u32)).collect();
        }
        let mut preds = Vec::new();
        let mut shape = Vec::new();
        for ix in &mut index {
            let (low, high) = self.bounds(ix);
            *ix = &*ix - &Ix::konst(low);
            let size = (high - low + 1).max(1);
            // Sometimes the operand is smaller, and a guard keeps the read inside.
            let cut = if self.random.chance(12) { self.random.below(3) as i64 } else { 0 };
            if cut > 0 {
                *ix = &*ix - &Ix::konst(1);
                preds.extend(Pred::within(ix, &Ix::konst((size - cut).max(1))));
            }
            shape.push((size - cut).max(1) as usize);
        }
        self.random.chance(10).then(|| self.gather(&mut index, &shape));
        self.operands.push(self.random.tensor(dtype, &shape));
        let read = Scalar::read(self.operands.len() as u32 - 1, dtype, index);
        let fill = read.lit(self.random.below(2) as f64);
        Scalar::guarded(preds, read, fill)
    }

    /// Makes one dim computed.
    fn gather(&mut self, index: &mut [Ix], shape: &[usize]) {
        if index.is_empty() || self.extents.is_empty() {
            return;
        }
        let dim = self.random.below(index.len());
        let axis = self.random.below(self.extents.len());
        let n = self.extents[axis].max(1) as usize;
        let values: Vec<i64> = (0..n).map(|_| self.random.below(shape[dim]) as i64).collect();
        let dtype = self.random.pick(&[DType::I32, DType::I64]);
        self.operands.push(Tensor::from_i64(dtype, &[n], &values).unwrap());
        index[dim] = Ix::load(self.operands.len() as u32 - 1, vec![Ix::axis(axis as u32)]);
    }

    fn bounds(&self, ix: &Ix) -> (i64, i64) {
        let extents: Vec<Ix> = self.extents.iter().map(|n| Ix::konst((*n).max(1))).collect();
        let (low, high) = ix.range(&extents).unwrap();
        (low.as_const().unwrap(), high.as_const().unwrap())
    }

    /// An index over the axes.
    fn index(&mut self) -> Ix {
        if self.extents.is_empty() {
            return Ix::zero();
        }
        let axis = Ix::axis(self.random.below(self.extents.len()) as u32);
        let other = Ix::axis(self.random.below(self.extents.len()) as u32);
        let k = Ix::konst(2 + self.random.below(3) as i64);
        match self.random.below(12) {
            0 => &axis * 2 + other,
            1 => axis.floor_div(&k),
            2 => axis.modulo(&k),
            3 => -axis,
            4 => axis + other,
            5 => (axis + 1).floor_div(&k),
            6 => axis.min_with(&(other + 1)),
            7 => axis * 3,
            _ => axis,
        }
    }
}

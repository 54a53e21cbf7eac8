//! The adjoint identity `<dy, A x> = <A' dy, x>` on random access maps.

mod common;

use common::{Random, add_phase, assembled, dot, sizes};
use tilewright_graph::contraction::{Phase, phases};
use tilewright_graph::diff::flow::flows;
use tilewright_graph::diff::term::term;
use tilewright_graph::{Axis, Combiner, Comp, Pred, Role, Scalar, interp};
use tilewright_tensor::ix::{Ix, Sym, show_shape, volume};
use tilewright_tensor::{DType, Tensor};

/// A random map from 1 to 4 axes into 1 to 3 dims.
struct Map {
    /// The least size that a symbol stands for.
    least: i64,
    extents: Vec<Ix>,
    rank: usize,
    shape: Vec<Ix>,
    index: Vec<Ix>,
    preds: Vec<Pred>,
}

/// A size: a constant, or (if symbols are wanted) sometimes a symbol.
fn size(random: &mut Random, top: i64, symbols: bool) -> Ix {
    match symbols && random.below(2) == 0 {
        true => Ix::sym(["n", "m", "h"][random.below(3) as usize]),
        false => Ix::konst(random.between(1, top)),
    }
}

fn linear(random: &mut Random, axes: usize) -> Ix {
    let mut e = Ix::konst(random.between(-2, 3));
    for a in 0..axes {
        if random.below(2) == 0 {
            e = e + Ix::axis(a as u32) * random.between(-2, 6);
        }
    }
    e
}

fn divided(random: &mut Random, e: Ix) -> Ix {
    let k = Ix::konst(random.between(2, 3));
    match random.below(5) {
        0 => e.floor_div(&k),
        1 => e.modulo(&k),
        _ => e,
    }
}

fn map(random: &mut Random, symbols: bool) -> Map {
    let axes = random.between(1, 4) as usize;
    let extents: Vec<Ix> = (0..axes).map(|_| size(random, 5, symbols)).collect();
    let shape: Vec<Ix> = (0..random.between(1, 3)).map(|_| size(random, 9, symbols)).collect();
    let mut index: Vec<Ix> = Vec::new();
    for _ in &shape {
        let mut e = linear(random, axes);
        e = divided(random, e);
        if random.below(4) == 0 {
            let more = linear(random, axes);
            e = e + divided(random, more) * random.between(1, 2);
        }
        index.push(divided(random, e));
    }
    let mut preds: Vec<Pred> = Vec::new();
    if random.below(3) == 0 {
        preds.push(Pred::Eq0(linear(random, axes).modulo(&Ix::konst(2))));
    }
    preds.extend(index.iter().zip(&shape).flat_map(|(e, n)| Pred::within(e, n)));
    Map { least: 0, rank: random.between(0, axes as i64) as usize, extents, shape, index, preds }
}

/// Row-major order kept: the digits of a number in another radix, somewhat shifted.
fn reshaped(random: &mut Random, symbols: bool) -> Map {
    let extents: Vec<Ix> = (0..random.between(1, 3)).map(|_| size(random, 4, symbols)).collect();
    let shape: Vec<Ix> = (0..random.between(1, 3)).map(|_| size(random, 6, symbols)).collect();
    let axes = extents.iter().enumerate();
    let flat = axes.fold(Ix::konst(random.between(0, 2)), |at, (a, n)| &(&at * n) + &Ix::axis(a as u32));
    let digit = |d: usize| {
        let place = flat.floor_div(&volume(&shape[d + 1..]));
        if d == 0 { place } else { place.modulo(&shape[d]) }
    };
    let index: Vec<Ix> = (0..shape.len()).map(digit).collect();
    let preds = index.iter().zip(&shape).flat_map(|(e, n)| Pred::within(e, n)).collect();
    Map { least: 1, rank: random.between(0, extents.len() as i64) as usize, extents, shape, index, preds }
}

impl Map {
    fn forward(&self) -> Comp {
        let axis = |(i, e): (usize, &Ix)| Axis {
            name: format!("a{i}").into(),
            extent: e.clone(),
            role: if i < self.rank { Role::Parallel } else { Role::Reduce },
        };
        let axes: Vec<Axis> = self.extents.iter().enumerate().map(axis).collect();
        let read = Scalar::read(0, DType::F64, self.index.clone());
        let zero = read.lit(0.0);
        let combiner = if self.rank == axes.len() { Combiner::Map } else { Combiner::Sum };
        Comp::new("random", axes, combiner, Scalar::guarded(self.preds.clone(), read, zero))
    }
}

/// The adjoint of a linear map of one operand, of dims `shape`; `None` if its body is 0.
fn adjoint(forward: &Comp, shape: &[Ix]) -> Option<Comp> {
    let rank = forward.rank();
    let at = (0..rank).map(|a| Ix::axis(a as u32)).collect();
    let flows = flows(&forward.body, Scalar::read(1, DType::F64, at), None).unwrap();
    let adjoint = flows.first().map(|f| term("adjoint", &forward.extents(), rank, f, shape))?;
    let body = adjoint.body.map_operands(&|_| 0);
    let adjoint = Comp { body, ..adjoint };
    adjoint.verify(&[(DType::F64, rank)]).unwrap();
    Some(adjoint)
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
}

fn random_input(random: &mut Random, shape: &[Ix]) -> Tensor {
    let shape: Vec<usize> = sizes(shape).iter().map(|n| *n as usize).collect();
    random.tensor(DType::F64, &shape, 2)
}

impl std::fmt::Display for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let show = |all: &[Ix]| all.iter().map(Ix::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "x{}[{}] over {}, ", show_shape(&self.shape), show(&self.index), show(&self.extents))?;
        write!(f, "{} of them parallel, where {:?}", self.rank, self.preds)
    }
}

/// Larger domains take too long.
const MOST: i64 = 100_000;

/// Checks a map, once symbols are bound: the identity; that the adjoint's adjoint is the map; that
/// the phases of the adjoint make it up. Whether anything was mapped.
fn check(map: &Map, random: &mut Random) -> bool {
    let forward = map.forward();
    let Some(backward) = adjoint(&forward, &map.shape) else { return false };
    let again = adjoint(&backward, &forward.shape());
    let bound: Vec<i64> = (0..3).map(|_| random.between(map.least, 5)).collect();
    let bind = |s: &Sym| ["n", "m", "h"].iter().position(|n| *n == &**s).map(|i| Ix::konst(bound[i]));
    let (forward, backward) = (forward.bind(&bind), backward.bind(&bind));
    if [&forward, &backward].iter().any(|c| sizes(&c.extents()).iter().product::<i64>() > MOST) {
        return false;
    }
    let x = random_input(random, &backward.shape());
    let dy = random_input(random, &forward.shape());
    let y = interp::eval_comp(&forward, std::slice::from_ref(&x)).unwrap();
    let dx = interp::eval_comp(&backward, std::slice::from_ref(&dy)).unwrap();
    assert!(near(&[dot(&dy, &y)], &[dot(&dx, &x)]), "{} is not {}: {map}", dot(&dy, &y), dot(&dx, &x));
    let again = again.map(|c| c.bind(&bind)).filter(|c| sizes(&c.extents()).iter().product::<i64>() <= MOST);
    if let Some(again) = again {
        let twice = interp::eval_comp(&again, std::slice::from_ref(&x)).unwrap();
        assert!(near(&twice.to_vec_f64(), &y.to_vec_f64()), "the adjoint's adjoint of {map}");
    }
    let add = |phase: &Phase, values: &mut [f64]| {
        add_phase(phase, &backward.shape(), std::slice::from_ref(&dy), values);
    };
    if let Some(parts) = assembled(&backward, add) {
        assert!(near(&parts, &dx.to_vec_f64()), "the phases of the adjoint of {map}");
    }
    dot(&dy, &y) != 0.0
}

/// The number of maps through which anything went.
fn live(seed: u64, count: usize, make: impl Fn(&mut Random) -> Map) -> usize {
    let mut random = Random(seed);
    let one = |_: &usize| {
        let map = make(&mut random);
        check(&map, &mut random)
    };
    (0..count).filter(one).count()
}

#[test]
fn random_maps() {
    let n = live(7, 3000, |random| map(random, false));
    assert!(n > 1500, "{n}");
}

#[test]
fn random_maps_of_symbolic_sizes() {
    let n = live(8, 1000, |random| map(random, true));
    assert!(n > 300, "{n}");
}

#[test]
fn random_reshapes() {
    let n = live(9, 500, |random| reshaped(random, false));
    assert!(n > 300, "{n}");
    let n = live(10, 500, |random| reshaped(random, true));
    assert!(n > 200, "{n}");
}

/// Sizes and coefficients of an untrusted model: derived without overflow, in bounded time.
#[test]
fn extreme_maps() {
    let mut random = Random(11);
    let extremes = [i64::MAX, i64::MIN, i64::MIN + 1, 1 << 40, -(1 << 33), 0, -1, 1, 3, 7];
    for _ in 0..1000 {
        let mut map = map(&mut random, true);
        let mut extreme = || Ix::konst(extremes[random.below(extremes.len() as i64) as usize]);
        for e in &mut map.index {
            let changed = &(&*e * &extreme()) + &(&Ix::axis(0) * &extreme());
            *e = match extreme().as_const() {
                Some(1 | 3) => changed.floor_div(&extreme().max_with(&Ix::konst(1))),
                Some(7) => changed.modulo(&extreme().max_with(&Ix::konst(1))),
                _ => changed,
            };
        }
        map.extents[0] = extreme().max_with(&Ix::zero());
        map.preds = map.index.iter().zip(&map.shape).flat_map(|(e, n)| Pred::within(e, n)).collect();
        if let Some(backward) = adjoint(&map.forward(), &map.shape) {
            phases(&backward);
        }
    }
}

//! The adjoint identity `<dy, A x> = <A' dy, x>` on random access maps.

mod common;

use common::{Random, dot};
use tilewright_graph::diff::flow::flows;
use tilewright_graph::diff::term::term;
use tilewright_graph::{Axis, Combiner, Comp, Pred, Role, Scalar, interp};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Sym};

/// A random map from 1 to 4 axes into 1 to 3 dims.
struct Map {
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
    Map { rank: random.between(0, axes as i64) as usize, extents, shape, index, preds }
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

    /// The sum of the adjoint's terms, each a comprehension over the cotangent; `None` if there are
    /// none: the domain is provably empty.
    fn backward(&self, forward: &Comp) -> Option<Comp> {
        let at = (0..self.rank).map(|a| Ix::axis(a as u32)).collect();
        let flows = flows(&forward.body, Scalar::read(1, DType::F64, at), None).unwrap();
        let adjoint = flows.first().map(|f| term("adjoint", &self.extents, self.rank, f, &self.shape))?;
        let body = adjoint.body.map_operands(&|_| 0);
        let adjoint = Comp { body, ..adjoint };
        adjoint.verify(&[(DType::F64, self.rank)]).unwrap();
        Some(adjoint)
    }
}

fn sizes(extents: &[Ix]) -> Vec<usize> {
    extents.iter().map(|e| e.as_const().unwrap() as usize).collect()
}

/// Whether the identity holds once symbols are bound.
fn holds(map: &Map, random: &mut Random) -> bool {
    let forward = map.forward();
    let Some(backward) = map.backward(&forward) else { return false };
    let bound: Vec<i64> = (0..3).map(|_| random.between(0, 5)).collect();
    let bind = |s: &Sym| ["n", "m", "h"].iter().position(|n| *n == &**s).map(|i| Ix::konst(bound[i]));
    let (forward, backward) = (forward.bind(&bind), backward.bind(&bind));
    let x = random.tensor(DType::F64, &sizes(&backward.shape()), 2);
    let dy = random.tensor(DType::F64, &sizes(&forward.shape()), 2);
    let y = interp::eval_comp(&forward, std::slice::from_ref(&x)).unwrap();
    let dx = interp::eval_comp(&backward, std::slice::from_ref(&dy)).unwrap();
    let (left, right) = (dot(&dy, &y), dot(&dx, &x));
    let shown = |p: &[Pred]| p.iter().map(|p| format!("{p:?}")).collect::<Vec<_>>().join(" ");
    assert!(
        (left - right).abs() <= 1e-9 * (1.0 + left.abs()),
        "{left} is not {right}: x{:?}[{}] over {}; rank {}, where {}",
        x.shape(),
        map.index.iter().map(Ix::to_string).collect::<Vec<_>>().join(", "),
        common::axes(&forward.axes),
        map.rank,
        shown(&map.preds)
    );
    left != 0.0
}

#[test]
fn random_maps_of_static_sizes() {
    let mut random = Random(7);
    let live = (0..3000).filter(|_| {
        let map = map(&mut random, false);
        holds(&map, &mut random)
    });
    let live = live.count();
    assert!(live > 1500, "{live}");
}

#[test]
fn random_maps_of_symbolic_sizes() {
    let mut random = Random(8);
    let live = (0..1000).filter(|_| {
        let map = map(&mut random, true);
        (0..3).filter(|_| holds(&map, &mut random)).count() > 0
    });
    let live = live.count();
    assert!(live > 500, "{live}");
}

//! Bodies, marks, and values whose sizes only a run tells.

use super::{Maker, Random, Style};
use std::sync::Arc;
use tilewright_graph::{Loop, Mark, Op, Type, ValueId, opaque, ops};
use tilewright_tensor::DType;

impl Maker {
    /// A call, a choice or a loop over one value, with the same few nodes inside.
    pub(super) fn body(&mut self) -> Option<ValueId> {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        let condition = self.random.pick(&self.values);
        if let Some((_, body)) = self.bodies.iter().find(|(t, _)| *t == ty).filter(|_| self.random.chance(50)) {
            return Some(self.b.node1(Op::Call { name: "Again".into(), body: body.clone() }, &[x], ty));
        }
        let is_scalar = *self.b.ty(condition) == Type::tensor(DType::Bool, vec![]);
        let mut inner = |counted: bool| {
            let mut b = self.b.body();
            if counted {
                b.input("iteration", Type::tensor(DType::I64, vec![]));
            }
            let v = b.input("v", ty.clone());
            let seed = self.random.below(usize::MAX) as u64;
            let style = Style { largest: self.style.largest.min(2000), ..self.style.clone() };
            let mut maker = Maker { random: Random(seed), b, style, values: vec![v], bodies: vec![] };
            (0..3).for_each(|_| maker.grow());
            let same = maker.values.iter().rev().copied().find(|v| *maker.b.ty(*v) == ty).unwrap_or(v);
            let kept = maker.random.pick(&[same, v]);
            Arc::new(maker.b.finish(&[kept]))
        };
        let (then, otherwise, body) = (inner(false), inner(false), inner(true));
        if self.random.chance(40) {
            self.bodies.push((ty.clone(), then.clone()));
            return Some(self.b.node1(Op::Call { name: "Part".into(), body: then }, &[x], ty));
        }
        if self.random.chance(30) {
            let trips = self.b.scalar(DType::I64, self.random.below(4) as f64).ok()?;
            let looped = Loop { body, carried: 1, scanned: 0, stacked: 0, counted: true, conditional: false };
            return Some(self.b.node1(Op::Loop(looped), &[trips, x], ty));
        }
        let condition = match is_scalar {
            true => condition,
            false => self.b.scalar(DType::Bool, self.random.below(2) as f64).ok()?,
        };
        Some(self.b.node1(Op::If { then, otherwise }, &[condition, x], ty))
    }

    pub(super) fn mark(&mut self) -> Option<ValueId> {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        match self.random.below(3) {
            0 => Some(self.b.node1(Op::Mark(Mark::Barrier), &[x], ty)),
            1 => Some(self.b.node1(Op::Mark(Mark::StopGradient), &[x], ty)),
            _ => {
                let yes = self.b.scalar(DType::Bool, 1.0).ok()?;
                Some(self.b.node1(Op::Mark(Mark::Assert("holds".into())), &[x, yes], ty))
            }
        }
    }

    /// Values whose sizes are known only when the graph runs.
    pub(super) fn counted(&mut self) -> Option<ValueId> {
        let x = self.any();
        if self.random.chance(50) {
            let places = self.b.opaque(opaque::NonZero.into(), &[x]).ok()?[0];
            return self.tame(places);
        }
        let dims = self.dims(x);
        let vector = self.b.dims(&dims).ok()?;
        if dims.is_empty() || self.random.chance(50) {
            return self.tame(vector);
        }
        let sizes = self.b.define(vector).ok()?;
        self.b.apply(&ops::Broadcast { shape: sizes }, &[vector]).ok();
        let one = self.b.scalar(DType::F32, 1.0).ok()?;
        let again = self.b.define(vector).ok()?;
        self.b.broadcast(one, again).ok()
    }
}

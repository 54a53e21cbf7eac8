//! The place in a graph where one operation is differentiated.

use super::flow::{Flow, flows, under_guard};
use super::invert::{loads, named_axes};
use super::term::term;
use crate::builder::Builder;
use crate::comp::{Axis, Combiner, Comp, Role};
use crate::graph::ValueId;
use crate::op::{Combine, Scatter};
use crate::scalar::{Kind, Scalar, map_loads};
use crate::types::TensorType;
use std::sync::Arc;
use tilewright_support::Result;
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

/// An operation whose points each compute `body` and bring it to the result's place `at`. Bodies
/// read operands by position: the operation's inputs, its result, the result's cotangent, and what
/// [`Site::keep`] adds.
pub(super) struct Site {
    pub name: Arc<str>,
    pub axes: Vec<Axis>,
    pub at: Vec<Ix>,
    pub body: Scalar,
    operands: Vec<ValueId>,
    inputs: usize,
}

impl Site {
    /// A site over axes of the domain, those of the result first.
    pub fn new(
        (name, axes, at, body): (Arc<str>, Vec<Axis>, Vec<Ix>, Scalar),
        inputs: &[ValueId],
        [result, cotangent]: [ValueId; 2],
    ) -> Self {
        let operands = inputs.iter().copied().chain([result, cotangent]).collect();
        Self { name, axes, at, body, operands, inputs: inputs.len() }
    }

    /// The element of operand `position` at the point's place.
    pub fn read(&self, position: usize, dtype: DType) -> Scalar {
        Scalar::read(position as u32, dtype, self.at.clone())
    }

    /// The result's element.
    pub fn result(&self) -> Scalar {
        self.read(self.inputs, self.body.dtype())
    }

    /// The cotangent's element.
    pub fn cotangent(&self) -> Scalar {
        self.read(self.inputs + 1, self.body.dtype())
    }

    /// Adds a comprehension over the operands; its result, of the result's dims, is read at the
    /// point's place.
    pub fn keep(&mut self, b: &mut Builder, axes: Vec<Axis>, combiner: Combiner, body: Scalar) -> Scalar {
        let comp = Comp::new(self.label(), axes, combiner, body);
        let dtype = comp.dtype();
        let value = self.emit(b, comp);
        self.keep_value(value, dtype)
    }

    /// Adds a value of the result's dims, to be read at the point's place.
    pub fn keep_value(&mut self, value: ValueId, dtype: DType) -> Scalar {
        self.operands.push(value);
        self.read(self.operands.len() - 1, dtype)
    }

    fn label(&self) -> Arc<str> {
        format!("{}_adjoint", self.name).into()
    }

    /// The value of a comprehension over the operands; the operand itself where it is read as is.
    pub fn emit(&self, b: &mut Builder, comp: Comp) -> ValueId {
        if let Some(same) = self.identity(b, &comp) {
            return same;
        }
        let used = comp.operands();
        let inputs: Vec<ValueId> = used.iter().map(|o| self.operands[*o as usize]).collect();
        let body = comp.body.map_operands(&|o| used.iter().position(|u| *u == o).unwrap_or(0) as u32);
        b.comp(Comp { body, ..comp }, &inputs)
    }

    /// A read at the identity is the same tensor only if the shapes agree.
    fn identity(&self, b: &Builder, comp: &Comp) -> Option<ValueId> {
        let Kind::Read(operand, index) = comp.body.kind() else { return None };
        let value = self.operands[*operand as usize];
        let shape = comp.shape();
        let own = |(i, e): (usize, &Ix)| e.as_axis() == Some(i as u32) || (shape[i].is(1) && e.is(0));
        let same = comp.combiner == Combiner::Map
            && index.len() == shape.len()
            && b.tensor(value).is_ok_and(|t| t.shape == shape);
        (same && index.iter().enumerate().all(own)).then_some(value)
    }

    /// A scatter of `body` at `index` over the whole domain, into a copy of `init`.
    pub fn scatter(
        &self,
        b: &mut Builder,
        (init, combine): (ValueId, Combine),
        index: &[Ix],
        body: &Scalar,
    ) -> Result<ValueId> {
        let mut used = Vec::new();
        let mut note = |e: &Ix| {
            e.visit(&mut |a| {
                if let Atom::Load(o, _) = a {
                    used.push(*o);
                }
            })
        };
        index.iter().for_each(&mut note);
        body.visit_ix(&mut note);
        body.visit(&mut |s| {
            if let Kind::Read(o, _) = s.kind() {
                used.push(*o);
            }
        });
        used.sort_unstable();
        used.dedup();
        let place = |o: u32| 1 + used.iter().position(|u| *u == o).unwrap_or(0) as u32;
        let scatter = Scatter {
            axes: self.axes.iter().map(|a| (a.name.clone(), a.extent.clone())).collect(),
            index: index.iter().map(|e| map_loads(e, &place)).collect(),
            body: body.map_operands(&place),
            combine,
        };
        let inputs: Vec<ValueId> =
            std::iter::once(init).chain(used.iter().map(|o| self.operands[*o as usize])).collect();
        b.scatter(scatter, &inputs)
    }

    /// The gradients of the wanted inputs, for points whose body has the derivative `seed`.
    pub fn pull(
        &self,
        b: &mut Builder,
        seed: Scalar,
        result: Option<Scalar>,
        wanted: &[bool],
    ) -> Result<Vec<Option<ValueId>>> {
        let mut all = flows(&self.body, seed, result.as_ref())?;
        all.retain(|f| wanted.get(f.operand as usize) == Some(&true));
        let of = |operand: usize| all.iter().filter(|f| f.operand as usize == operand).collect::<Vec<_>>();
        let groups: Vec<Vec<&Flow>> = (0..self.inputs).map(of).collect();
        groups.iter().enumerate().map(|(i, flows)| self.gradient(b, self.operands[i], flows)).collect()
    }

    fn gradient(&self, b: &mut Builder, operand: ValueId, flows: &[&Flow]) -> Result<Option<ValueId>> {
        let ty = b.tensor(operand)?;
        let extents: Vec<Ix> = self.axes.iter().map(|a| a.extent.clone()).collect();
        let parallel = self.axes.iter().filter(|a| a.role != Role::Reduce).count();
        let mut maps: Option<Scalar> = None;
        let mut values = Vec::new();
        for flow in flows {
            if flow.index.iter().any(loads) {
                values.push(self.scattered(b, flow, &ty)?);
                continue;
            }
            let comp = term(self.label(), &extents, parallel, flow, &ty.shape);
            if comp.combiner == Combiner::Map {
                let own = under_guard(&comp.body, &|s| s.cast(ty.dtype));
                maps = Some(maps.map_or(own.clone(), |sum| &sum + &own));
            } else {
                values.push(self.emit(b, comp));
            }
        }
        if let Some(body) = maps {
            let axes = named_axes("u", &ty.shape, Role::Parallel);
            let comp = Comp::new(self.label(), axes, Combiner::Map, body);
            values.push(self.emit(b, comp));
        }
        total(b, &values, &ty)
    }

    /// The flow of a gather. As a comprehension it visits every pair of place and point (see
    /// [`term`], which is its meaning); a scatter visits the points.
    fn scattered(&self, b: &mut Builder, flow: &Flow, ty: &TensorType) -> Result<ValueId> {
        let guarded = matches!(flow.adjoint.kind(), Kind::Where(..));
        let inside = |(e, n): (&Ix, &Ix)| match guarded {
            true => e.max_with(&Ix::zero()).min_with(&(n - &Ix::konst(1))),
            false => e.clone(),
        };
        let index: Vec<Ix> = flow.index.iter().zip(&ty.shape).map(inside).collect();
        let init = zeros(b, &TensorType::new(flow.adjoint.dtype(), ty.shape.clone()));
        self.scatter(b, (init, Combine::Add), &index, &flow.adjoint)
    }
}

/// A tensor of zeros.
pub(super) fn zeros(b: &mut Builder, ty: &TensorType) -> ValueId {
    let axes = named_axes("u", &ty.shape, Role::Parallel);
    b.comp(Comp::new("zeros", axes, Combiner::Map, Scalar::konst(ty.dtype, 0.0)), &[])
}

/// The sum of values of one shape as a tensor of type `ty`; nothing of none.
pub(super) fn total(b: &mut Builder, values: &[ValueId], ty: &TensorType) -> Result<Option<ValueId>> {
    let index: Vec<Ix> = (0..ty.rank()).map(|d| Ix::axis(d as u32)).collect();
    let mut sum: Option<Scalar> = None;
    for (i, v) in values.iter().enumerate() {
        let own = Scalar::read(i as u32, b.dtype(*v)?, index.clone()).cast(ty.dtype);
        sum = Some(sum.map_or(own.clone(), |s| s + own));
    }
    Ok(match (values, sum) {
        ([one], _) if b.dtype(*one)? == ty.dtype => Some(*one),
        (_, None) => None,
        (_, Some(body)) => {
            let axes = named_axes("u", &ty.shape, Role::Parallel);
            Some(b.comp(Comp::new("sum", axes, Combiner::Map, body), values))
        }
    })
}

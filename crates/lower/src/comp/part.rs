//! A part of a comprehension: a box of points, the value at each, and where results go.

use crate::layout::Layout;
use std::sync::Arc;
use tilewright_graph::scalar::{Kind, Scalar};
use tilewright_graph::{Combiner, Comp, Role};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Atom, Ix};

/// An axis of a part.
#[derive(Clone, Debug)]
pub struct Span {
    /// The name of the axis that it comes from.
    pub name: Arc<str>,
    /// Points.
    pub extent: i64,
    /// Elements of the result from one point to the next; of reductions 0.
    pub stride: i64,
    /// What it is for.
    pub role: Role,
    /// Whether it is reduced over around those that are taken as one.
    pub outer: bool,
}

/// Points whose values are computed alike.
#[derive(Clone, Debug)]
pub struct Part {
    /// Parallel axes, then those of a reduction; a scanned one is among the parallel ones.
    pub axes: Vec<Span>,
    /// How values are combined.
    pub combiner: Combiner,
    /// The value at a point.
    pub body: Scalar,
    /// The element of the result at point 0.
    pub offset: i64,
}

impl Part {
    /// A whole comprehension, over a result.
    ///
    /// # Errors
    /// Unsupported, for sizes that are not known.
    pub fn whole(comp: &Comp, result: &Layout) -> Result<Self> {
        let unknown = || Diagnostic::unsupported("a size that is not known");
        let mut axes = Vec::with_capacity(comp.axes.len());
        for (n, axis) in comp.axes.iter().enumerate() {
            let extent = axis.extent.as_const().filter(|e| *e >= 0).ok_or_else(unknown)?;
            let stride = result.strides.get(n).copied().unwrap_or(0);
            axes.push(Span { name: axis.name.clone(), extent, stride, role: axis.role, outer: false });
        }
        Ok(Self { axes, combiner: comp.combiner, body: comp.body.clone(), offset: result.offset })
    }

    /// The number of axes that are not reduced over.
    pub fn rank(&self) -> usize {
        self.axes.iter().filter(|a| a.role != Role::Reduce).count()
    }

    /// The number of points in each axis.
    pub fn extents(&self) -> Vec<Ix> {
        self.axes.iter().map(|a| Ix::konst(a.extent)).collect()
    }

    /// The same points over other axes: axis `a` becomes `values[a]`.
    pub fn over(&self, axes: Vec<Span>, values: &[Ix]) -> Self {
        let extents: Vec<Ix> = axes.iter().map(|a| Ix::konst(a.extent)).collect();
        let body = self.body.subst_axes(values).simplify(&extents);
        Self { axes, body, ..self.clone() }
    }

    /// The points `from..to` of an axis that is not reduced over.
    pub fn within(&self, axis: usize, from: i64, to: i64) -> Self {
        let mut axes = self.axes.clone();
        axes[axis].extent = to - from;
        let own = |a: usize| if a == axis { Ix::axis(a as u32) + from } else { Ix::axis(a as u32) };
        let values: Vec<Ix> = (0..axes.len()).map(own).collect();
        let mut part = self.over(axes, &values);
        part.offset += from * self.axes[axis].stride;
        part
    }

    /// Without axes of one point.
    pub fn without_units(&self) -> Self {
        let kept: Vec<usize> = (0..self.axes.len()).filter(|a| self.axes[*a].extent != 1).collect();
        let place = |a: usize| kept.iter().position(|k| *k == a).map_or(Ix::zero(), |p| Ix::axis(p as u32));
        let values: Vec<Ix> = (0..self.axes.len()).map(place).collect();
        self.over(kept.iter().map(|a| self.axes[*a].clone()).collect(), &values)
    }

    /// The part with every element of an operand named by one index: its number in the operand's buffer.
    ///
    /// # Errors
    /// Unsupported, for an operand read at another rank.
    pub fn flat(&self, operands: &[Layout]) -> Result<Self> {
        let fits = std::cell::Cell::new(true);
        let number = |o: u32, index: &[Ix]| {
            let layout = operands.get(o as usize).filter(|l| l.strides.len() == index.len());
            fits.set(fits.get() && layout.is_some());
            let start = Ix::konst(layout.map_or(0, |l| l.offset));
            let strides = layout.map_or(&[][..], |l| &l.strides);
            index.iter().zip(strides).fold(start, |sum, (ix, stride)| sum + ix * *stride)
        };
        let extents = self.extents();
        let loads = |ix: &Ix| flat_loads(ix, &number).simplify(&extents);
        let body = self
            .body
            .rewrite(&loads, &|o, dtype, index| Scalar::read(o, dtype, vec![number(o, &index).simplify(&extents)]));
        if !fits.get() {
            return Err(Diagnostic::unsupported("an operand of another rank"));
        }
        Ok(Self { body: body.simplify(&extents), ..self.clone() })
    }
}

fn flat_loads(ix: &Ix, number: &dyn Fn(u32, &[Ix]) -> Ix) -> Ix {
    ix.subst(&|a| match a {
        Atom::Load(o, index) => {
            let index: Vec<Ix> = index.iter().map(|i| flat_loads(i, number)).collect();
            Some(Ix::load(*o, vec![number(*o, &index)]))
        }
        _ => None,
    })
}

/// The number of quotients, remainders, minima, maxima and gathered elements in a body.
pub fn bends(body: &Scalar) -> usize {
    let mut count = 0;
    body.visit_ix(&mut |ix| {
        ix.visit(&mut |a| count += usize::from(!matches!(a, Atom::Axis(_) | Atom::Sym(_))));
    });
    count
}

/// The factor of each axis and the constant of an index that is affine.
pub fn affine(ix: &Ix, axes: usize) -> Option<(i64, Vec<i64>)> {
    let (mut offset, mut factors) = (0, vec![0; axes]);
    for (product, c) in ix.terms() {
        match product.as_slice() {
            [] => offset = *c,
            [Atom::Axis(a)] => *factors.get_mut(*a as usize)? = *c,
            _ => return None,
        }
    }
    Some((offset, factors))
}

/// The smallest and largest value of an index over the axes.
pub fn bounds(ix: &Ix, extents: &[Ix]) -> Option<(i64, i64)> {
    let (low, high) = ix.range(extents)?;
    Some((low.as_const()?, high.as_const()?))
}

/// Visits the reads and gathered elements of a body.
pub fn visit_reads(body: &Scalar, f: &mut dyn FnMut(u32, &[Ix])) {
    body.visit(&mut |s| {
        if let Kind::Read(o, index) = s.kind() {
            f(*o, index);
        }
    });
    body.visit_ix(&mut |ix| {
        ix.visit(&mut |a| {
            if let Atom::Load(o, index) = a {
                f(*o, index);
            }
        });
    });
}

//! The two sides of a product of sums: what they are, and where their elements are in memory.

use super::Operand;
use crate::comp;
use crate::layout::Layout;
use crate::steps::{Planned, Ref, Steps};
use tilewright_graph::contraction::Phase;
use tilewright_graph::diff::flow::guard;
use tilewright_graph::diff::linear::Linear;
use tilewright_graph::scalar::{Kind, Pred, Scalar};
use tilewright_graph::{Axis, Combiner, Comp, Func, Role};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// A side in memory: a linear function of the axes.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub from: Ref,
    pub dtype: DType,
    pub room: usize,
    /// Elements from the start of the buffer to the one where all axes are 0.
    pub offset: i64,
    /// Elements from one position of each axis of the comprehension to the next.
    pub strides: Vec<i64>,
    /// Whether it follows from constants alone.
    pub constant: bool,
}

impl Side {
    /// The result, whose elements are at a linear function of the axes.
    pub fn result(layout: &Layout, (offset, strides): (i64, Vec<i64>)) -> Self {
        Self { from: Ref::Result, dtype: layout.dtype, room: layout.room, offset, strides, constant: false }
    }
}

/// A sum of products.
pub(super) struct Factors {
    pub sides: [Scalar; 2],
    pub scale: f64,
    guards: Vec<Pred>,
}

/// The most elements of a padded operand for each one of the operand and the result.
const GROWTH: usize = 4;

impl Factors {
    /// The body of a sum as a product.
    ///
    /// # Errors
    /// Unsupported, where it is no product of two factors.
    pub fn of(comp: &Comp) -> Result<Self> {
        let (guards, body) = guard(&comp.body);
        let (mut factors, mut scale) = (Vec::new(), 1.0);
        split(&body, &mut factors, &mut scale);
        match <[Scalar; 2]>::try_from(factors) {
            Ok(sides) if sides[0] != sides[1] => Ok(Self { sides, scale, guards }),
            _ => Err(Diagnostic::unsupported("a sum of no products of two factors")),
        }
    }

    /// Whether a side moves along an axis.
    pub fn touches(&self, side: usize, axis: usize) -> bool {
        let mut found = false;
        self.sides[side].visit_ix(&mut |e| found |= e.uses_axis(axis as u32));
        found
    }

    /// Puts both sides into memory, where they are not there yet. Absent points are multiplied as zeros, so what they are
    /// multiplied with must be finite.
    ///
    /// # Errors
    /// Unsupported, where that cannot be.
    pub fn place(&self, comp: &Comp, operands: &[Operand<'_>], steps: &mut Steps) -> Result<[Side; 2]> {
        let bounds = |s: usize, p: &Pred| within(&self.sides[s], operands, p);
        let (left, right): (Vec<Pred>, Vec<Pred>) = self.guards.iter().cloned().partition(|p| bounds(0, p));
        if !right.iter().all(|p| bounds(1, p)) {
            return Err(Diagnostic::unsupported("a product under a guard that is no bound of its operands"));
        }
        let finite = |s: usize| match self.sides[s].kind() {
            Kind::Read(o, _) => operands[*o as usize].constant.is_some_and(|t| is_finite(t.dtype(), t.bytes())),
            _ => false,
        };
        if !left.is_empty() && !finite(1) || !right.is_empty() && !finite(0) {
            return Err(Diagnostic::unsupported("absent points times what may not be finite"));
        }
        let a = self.side(0, &left, comp, operands, steps)?;
        Ok([a, self.side(1, &right, comp, operands, steps)?])
    }

    fn side(
        &self,
        side: usize,
        guards: &[Pred],
        comp: &Comp,
        operands: &[Operand<'_>],
        steps: &mut Steps,
    ) -> Result<Side> {
        match self.sides[side].kind() {
            Kind::Read(o, index) if guards.is_empty() => read(*o as usize, index, comp, operands),
            Kind::Read(o, index) => padded(*o as usize, index, comp, operands, steps),
            _ if guards.is_empty() => made(&self.sides[side], comp, operands, steps),
            _ => Err(Diagnostic::unsupported("absent points of a computed factor")),
        }
    }
}

fn split(s: &Scalar, factors: &mut Vec<Scalar>, scale: &mut f64) {
    match (s.kind(), s.as_const().filter(|_| s.dtype().is_float())) {
        (_, Some(c)) => *scale *= c,
        (Kind::Call(Func::Mul, args), _) if s.dtype() != DType::Bool => {
            args.iter().for_each(|a| split(a, factors, scale));
        }
        _ => factors.push(s.clone()),
    }
}

/// Whether a predicate says no more than that a read is in bounds.
fn within(side: &Scalar, operands: &[Operand<'_>], pred: &Pred) -> bool {
    let Kind::Read(o, index) = side.kind() else { return false };
    let shape = &operands[*o as usize].layout.shape;
    index.iter().zip(shape).any(|(e, n)| Pred::within(e, &Ix::konst(*n as i64)).contains(pred))
}

/// The factors of the axes in an index, and its value where they are all 0.
fn linear(e: &Ix, comp: &Comp) -> Result<(Vec<i64>, i64)> {
    let not = || Diagnostic::unsupported("an index that is not affine");
    let form = Linear::of(e, &|_| true).ok_or_else(not)?;
    let mut factors = vec![0; comp.axes.len()];
    for (axis, c) in &form.terms {
        factors[*axis as usize] = c.as_const().ok_or_else(not)?;
    }
    Ok((factors, form.rest.as_const().ok_or_else(not)?))
}

/// An element at an affine index of a layout, as a linear function of the axes.
pub(super) fn place(index: &[Ix], comp: &Comp, layout: &Layout) -> Result<(i64, Vec<i64>)> {
    let (mut offset, mut strides) = (layout.offset, vec![0i64; comp.axes.len()]);
    for (e, step) in index.iter().zip(&layout.strides) {
        let (factors, rest) = linear(e, comp)?;
        offset = offset.wrapping_add(rest.wrapping_mul(*step));
        strides.iter_mut().zip(factors).for_each(|(s, f)| *s = s.wrapping_add(f.wrapping_mul(*step)));
    }
    Ok((offset, strides))
}

fn read(o: usize, index: &[Ix], comp: &Comp, operands: &[Operand<'_>]) -> Result<Side> {
    let (layout, constant) = (operands[o].layout, operands[o].constant.is_some());
    let (offset, strides) = place(index, comp, layout)?;
    Ok(Side { from: Ref::Operand(o), dtype: layout.dtype, room: layout.room, offset, strides, constant })
}

/// A read that is partly out of bounds: the operand is copied with zeros around it.
fn padded(o: usize, index: &[Ix], comp: &Comp, operands: &[Operand<'_>], steps: &mut Steps) -> Result<Side> {
    let layout = operands[o].layout;
    let (mut axes, mut inside, mut shifted) = (Vec::new(), Vec::new(), Vec::new());
    for (d, (e, n)) in index.iter().zip(&layout.shape).enumerate() {
        let (factors, rest) = linear(e, comp)?;
        let (mut low, mut high) = (rest, rest);
        for (f, axis) in factors.iter().zip(&comp.axes) {
            let far = f.saturating_mul(axis.extent.as_const().unwrap_or(1).saturating_sub(1));
            (low, high) = (low.saturating_add(far.min(0)), high.saturating_add(far.max(0)));
        }
        let at = &Ix::axis(d as u32) + &Ix::konst(low);
        let extent = Ix::konst(high.saturating_sub(low).saturating_add(1));
        axes.push(Axis { name: format!("d{d}").into(), extent, role: Role::Parallel });
        inside.extend(Pred::within(&at, &Ix::konst(*n as i64)));
        shifted.push((at, e - &Ix::konst(low)));
    }
    let (at, index): (Vec<Ix>, Vec<Ix>) = shifted.into_iter().unzip();
    let value = Scalar::read(o as u32, layout.dtype, at);
    let zero = value.lit(0.0);
    let body = Scalar::guarded(inside, value, zero);
    let most = GROWTH * (layout.len() + extents(comp)[..comp.rank()].iter().product::<usize>()) + (1 << 16);
    let pad = Comp::new(format!("{}_pad", comp.name), axes, Combiner::Map, body);
    let (from, made) = make(&pad, most, operands, steps)?;
    let (offset, strides) = place(&index, comp, &made)?;
    let constant = operands[o].constant.is_some();
    Ok(Side { from, dtype: made.dtype, room: made.room, offset, strides, constant })
}

/// A factor that is computed: its values over the axes that it moves along.
fn made(factor: &Scalar, comp: &Comp, operands: &[Operand<'_>], steps: &mut Steps) -> Result<Side> {
    let uses = |axis: usize| {
        let mut found = false;
        factor.visit_ix(&mut |e| found |= e.uses_axis(axis as u32));
        found
    };
    let own: Vec<usize> = (0..comp.axes.len()).filter(|x| uses(*x)).collect();
    let number = |x: usize| own.iter().position(|a| *a == x).map_or_else(Ix::zero, |a| Ix::axis(a as u32));
    let values: Vec<Ix> = (0..comp.axes.len()).map(number).collect();
    let axes = own.iter().map(|x| Axis { role: Role::Parallel, ..comp.axes[*x].clone() }).collect();
    let map = Comp::new(format!("{}_factor", comp.name), axes, Combiner::Map, factor.subst_axes(&values));
    let sources: usize = map.operands().iter().map(|o| operands[*o as usize].layout.len()).sum();
    let constant = map.operands().iter().all(|o| operands[*o as usize].constant.is_some());
    let (from, layout) = make(&map, GROWTH * sources + (1 << 16), operands, steps)?;
    let mut strides = vec![0; comp.axes.len()];
    own.iter().zip(&layout.strides).for_each(|(x, s)| strides[*x] = *s);
    Ok(Side { from, dtype: layout.dtype, room: layout.room, offset: 0, strides, constant })
}

/// A value between kernels, of at most so many elements.
fn make(map: &Comp, most: usize, operands: &[Operand<'_>], steps: &mut Steps) -> Result<(Ref, Layout)> {
    let shape = extents(map);
    let count = shape.iter().try_fold(1usize, |n, e| n.checked_mul(*e));
    if count.is_none_or(|n| n > most) {
        return Err(Diagnostic::unsupported("a factor that is much larger than its operands"));
    }
    let layout = Layout::row_major(map.dtype(), &shape);
    let layouts: Vec<Layout> = operands.iter().map(|o| o.layout.clone()).collect();
    let kernels = comp::kernels(map, &layouts, &layout)?;
    let to = steps.make(layout.clone());
    let reads: Vec<Ref> = (0..operands.len()).map(Ref::Operand).collect();
    for kernel in kernels {
        steps.kernels.push(Planned { kernel, reads: reads.clone(), writes: to });
    }
    Ok((to, layout))
}

/// The sizes of a comprehension without symbols.
pub(super) fn extents(comp: &Comp) -> Vec<usize> {
    comp.axes.iter().map(|a| a.extent.as_const().and_then(|n| n.try_into().ok()).unwrap_or(0)).collect()
}

/// Where the points of a phase are in the result.
pub(super) fn result(phase: &Phase, layout: &Layout) -> Result<(i64, Vec<i64>)> {
    place(&phase.place, &phase.comp, layout)
}

fn is_finite(dtype: DType, bytes: &[u8]) -> bool {
    let all = |size: usize, exponent: u64| {
        bytes.chunks_exact(size).all(|c| {
            let bits = c.iter().rev().fold(0u64, |all, b| all << 8 | u64::from(*b));
            bits & exponent != exponent
        })
    };
    match dtype {
        DType::F32 => all(4, 0x7f80_0000),
        DType::F64 => all(8, 0x7ff0_0000_0000_0000),
        DType::F16 => all(2, 0x7c00),
        DType::BF16 => all(2, 0x7f80),
        other => other.is_int(),
    }
}

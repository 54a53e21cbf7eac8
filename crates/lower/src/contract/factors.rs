//! The two sides of a product of sums: what they are, and where their elements are in memory.

use super::Operand;
use super::plane::{self, Plane, Reach};
use crate::comp;
use crate::layout::Layout;
use crate::steps::{Planned, Ref, Steps};
use tilewright_graph::contraction::Phase;
use tilewright_graph::diff::flow::guard;
use tilewright_graph::diff::linear::Linear;
use tilewright_graph::scalar::{Kind, Pred, Scalar};
use tilewright_graph::{Axis, Combiner, Comp, Func, Role};
use tilewright_loops::contract::Product;
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
    /// What it is made of for each product, if it is.
    pub plane: Option<Plane>,
    /// The dtype of its elements in memory, if packing converts them.
    pub stored: Option<DType>,
}

impl Side {
    /// The result, whose elements are at a linear function of the axes.
    pub fn result(layout: &Layout, (offset, strides): (i64, Vec<i64>)) -> Self {
        Self {
            from: Ref::Result,
            dtype: layout.dtype,
            room: layout.room,
            offset,
            strides,
            constant: false,
            plane: None,
            stored: None,
        }
    }
}

/// A sum of products.
pub(super) struct Factors {
    pub sides: [Scalar; 2],
    pub scale: f64,
    pub product: Product,
    guards: Vec<Pred>,
}

/// The most elements of a factor for each one of what it is computed from, rows left out: they must not decide.
const GROWTH: usize = 4;

/// Elements that a factor of one row may have anyway, and those of all rows.
const FREE: usize = 1 << 16;
const FREE_IN_ALL: usize = 1 << 26;

/// Where what a factor needs comes from.
struct Sources<'a> {
    comp: &'a Comp,
    operands: &'a [Operand<'a>],
}

impl Factors {
    /// The body of a sum as a product.
    ///
    /// # Errors
    /// Unsupported, where it is no product of two factors that kernels multiply.
    pub fn of(comp: &Comp) -> Result<Self> {
        let (guards, body) = guard(&comp.body);
        let (mut factors, mut scale) = (Vec::new(), 1.0);
        split(&body, &mut factors, &mut scale);
        let not = || Diagnostic::unsupported("a sum of no products of two factors");
        let sides = <[Scalar; 2]>::try_from(factors).map_err(|_| not())?;
        if sides[0] == sides[1] {
            return Err(not());
        }
        let steps = extents(comp)[comp.rank()..].iter().product();
        let (dtype, product) = product(&sides, steps)?;
        let sides = sides.map(|side| side.cast(dtype));
        Ok(Self { sides, scale, product, guards })
    }

    /// Whether a side moves along an axis.
    pub fn touches(&self, side: usize, axis: usize) -> bool {
        uses(&self.sides[side], axis)
    }

    /// Puts both sides into memory, where they are not there yet. Absent points are multiplied as zeros, so what they are
    /// multiplied with must be finite.
    ///
    /// # Errors
    /// Unsupported, where that cannot be.
    pub fn place(&self, comp: &Comp, operands: &[Operand<'_>], steps: &mut Steps) -> Result<[Side; 2]> {
        let sources = Sources { comp, operands };
        let within = |s: usize, p: &Pred| sources.within(&self.sides[s], p);
        let (left, right): (Vec<Pred>, Vec<Pred>) = self.guards.iter().cloned().partition(|p| within(0, p));
        if !right.iter().all(|p| within(1, p)) {
            return Err(Diagnostic::unsupported("a product under a guard that is no bound of its operands"));
        }
        if !left.is_empty() && !sources.finite(&self.sides[1]) || !right.is_empty() && !sources.finite(&self.sides[0]) {
            return Err(Diagnostic::unsupported("absent points times what may not be finite"));
        }
        // A side with absent points may depend on where the other one moves.
        if right.is_empty() {
            let b = sources.side(&self.sides[1], true, None, steps)?;
            return Ok([sources.side(&self.sides[0], left.is_empty(), Some(&b), steps)?, b]);
        }
        let a = sources.side(&self.sides[0], left.is_empty(), None, steps)?;
        let b = sources.side(&self.sides[1], false, Some(&a).filter(|_| left.is_empty()), steps)?;
        Ok([a, b])
    }
}

/// The dtype of factors, and the product of these whose sums are those of a body: sums of integers are exact.
fn product(sides: &[Scalar; 2], steps: usize) -> Result<(DType, Product)> {
    let plain = sides.iter().all(|s| matches!(s.kind(), Kind::Read(..)));
    let dtype = sides[0].dtype();
    match dtype {
        DType::F32 | DType::BF16 => Ok((DType::F32, Product::F32)),
        DType::F64 => Ok((DType::F64, Product::F64)),
        DType::F16 if plain => Ok((DType::F16, Product::F16)),
        DType::F16 => Ok((DType::F32, Product::F32)),
        DType::I32 | DType::I64 => {
            let largest = most(&sides[0]) * most(&sides[1]) * steps as f64;
            match largest {
                ..=16_777_216.0 => Ok((DType::F32, Product::F32)),
                ..=9_007_199_254_740_992.0 => Ok((DType::F64, Product::F64)),
                _ => Err(Diagnostic::unsupported("sums of products of large integers")),
            }
        }
        _ => Err(Diagnostic::unsupported(format!("sums of products of {}", dtype.name()))),
    }
}

/// Levels of expressions that are looked into: what is shared would be met again and again.
const DEEPEST: u32 = 12;

/// The largest magnitude of an integer expression.
fn most(s: &Scalar) -> f64 {
    let all = if s.dtype().is_float() { f64::INFINITY } else { (s.dtype().bits() as f64).exp2() };
    match (s.kind(), s.as_const()) {
        (_, Some(c)) => c.abs(),
        _ if s.depth() > DEEPEST => all,
        (Kind::Call(Func::Cast(..), args), _) => most(&args[0]).min(all),
        (Kind::Call(Func::Sub | Func::Add, args), _) => (most(&args[0]) + most(&args[1])).min(all),
        (Kind::Read(..), _) if s.dtype().is_signed() => all / 2.0,
        _ => all,
    }
}

fn uses(s: &Scalar, axis: usize) -> bool {
    let mut found = false;
    s.visit_ix(&mut |e| found |= e.uses_axis(axis as u32));
    found
}

/// The one read of a factor that moves along axes, if nothing else does.
fn moving(factor: &Scalar) -> Option<(u32, Vec<Ix>)> {
    let moves = |e: &Ix| (e.as_const().is_none()).then_some(());
    let (mut reads, mut others) = (Vec::new(), false);
    factor.visit(&mut |s| match s.kind() {
        Kind::Read(o, index) if index.iter().any(|e| moves(e).is_some()) => {
            let read = (*o, index.clone());
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
        Kind::Index(_) | Kind::Where(..) => others = true,
        _ => {}
    });
    if others || reads.len() != 1 { None } else { reads.pop() }
}

/// The factors of a product; what has more levels is one.
fn split(s: &Scalar, factors: &mut Vec<Scalar>, scale: &mut f64) {
    match (s.kind(), s.as_const().filter(|_| s.dtype().is_float())) {
        (_, Some(c)) => *scale *= c,
        (Kind::Call(Func::Mul, args), _) if s.dtype() != DType::Bool && s.depth() <= DEEPEST => {
            args.iter().for_each(|a| split(a, factors, scale));
        }
        _ => factors.push(s.clone()),
    }
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

impl Sources<'_> {
    /// Whether a predicate says no more than that the read of a factor is in bounds.
    fn within(&self, factor: &Scalar, pred: &Pred) -> bool {
        let Some((o, index)) = moving(factor) else { return false };
        let shape = &self.operands[o as usize].layout.shape;
        index.iter().zip(shape).any(|(e, n)| Pred::within(e, &Ix::konst(*n as i64)).contains(pred))
    }

    /// Whether a factor is known to be finite everywhere.
    fn finite(&self, factor: &Scalar) -> bool {
        match factor.kind() {
            Kind::Read(o, _) => {
                let constant = self.operands[*o as usize].constant.and_then(|t| t.fetch().ok());
                constant.is_some_and(|t| is_finite(t.dtype(), t.bytes()))
            }
            Kind::Call(Func::Cast(..), args) => args[0].dtype().is_int(),
            _ => false,
        }
    }

    fn side(&self, factor: &Scalar, whole: bool, other: Option<&Side>, steps: &mut Steps) -> Result<Side> {
        if let Some((o, index)) = self.narrow(factor).filter(|_| whole) {
            let side = self.read(o, index)?;
            return Ok(Side { dtype: factor.dtype(), constant: false, stored: Some(side.dtype), ..side });
        }
        match (factor.kind(), moving(factor)) {
            (Kind::Read(o, index), _) if whole && !self.repeats(*o as usize, index) => self.read(*o as usize, index),
            (_, Some((o, index))) => self.region(factor, (o, &index), other.filter(|_| !whole), steps),
            _ if whole => self.made(factor, steps),
            _ => Err(Diagnostic::unsupported("absent points of a computed factor")),
        }
    }

    /// The read of a constant of bytes that a factor converts: packing does it, since what such constants become is four
    /// times as large or more, too large to keep.
    fn narrow<'f>(&self, factor: &'f Scalar) -> Option<(usize, &'f [Ix])> {
        match factor.kind() {
            Kind::Call(Func::Cast(..), args) if !args[0].dtype().is_float() => self.narrow(&args[0]),
            Kind::Read(o, index) if matches!(factor.dtype(), DType::I8 | DType::U8) => {
                let o = *o as usize;
                (self.operands[o].constant.is_some() && !self.repeats(o, index)).then_some((o, index))
            }
            _ => None,
        }
    }

    /// Whether a dim that has but one position in memory moves with a summed axis.
    fn repeats(&self, o: usize, index: &[Ix]) -> bool {
        let axes = self.comp.rank()..self.comp.axes.len();
        let mut one = index.iter().zip(&self.operands[o].layout.strides).filter(|(_, stride)| **stride == 0);
        one.any(|(e, _)| axes.clone().any(|x| e.uses_axis(x as u32)))
    }

    /// The number of positions of dims that are not rows: those that follow no axis of the result alone.
    fn apart(&self, index: &[Ix], sizes: &[usize]) -> usize {
        let row = |e: &Ix| e.as_axis().is_some_and(|x| (x as usize) < self.comp.rank());
        index.iter().zip(sizes).filter(|(e, _)| !row(e)).fold(1, |n, (_, size)| n.saturating_mul(*size))
    }

    fn read(&self, o: usize, index: &[Ix]) -> Result<Side> {
        let (layout, constant) = (self.operands[o].layout, self.operands[o].constant.is_some());
        let (offset, strides) = place(index, self.comp, layout)?;
        Ok(Side {
            from: Ref::Operand(o),
            dtype: layout.dtype,
            room: layout.room,
            offset,
            strides,
            constant,
            plane: None,
            stored: None,
        })
    }

    /// A factor computed from each element of the operand that it reads, with zeros for those out of bounds.
    fn region(
        &self,
        factor: &Scalar,
        (o, index): (u32, &[Ix]),
        other: Option<&Side>,
        steps: &mut Steps,
    ) -> Result<Side> {
        let layout = self.operands[o as usize].layout;
        let (mut axes, mut inside, mut shifted, mut reach) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (d, (e, n)) in index.iter().zip(&layout.shape).enumerate() {
            let (low, high) = range(e, self.comp)?;
            let at = &Ix::axis(d as u32) + &Ix::konst(low);
            let extent = Ix::konst(high.saturating_sub(low).saturating_add(1));
            reach.push(Reach { dim: *n, low, extent: extent.as_const().map_or(usize::MAX, |n| n as usize) });
            axes.push(Axis { name: format!("d{d}").into(), extent, role: Role::Parallel });
            inside.extend(Pred::within(&at, &Ix::konst(*n as i64)));
            shifted.push((at, e - &Ix::konst(low)));
        }
        let (at, index): (Vec<Ix>, Vec<Ix>) = shifted.into_iter().unzip();
        let moved = |n: u32, dtype, own: Vec<Ix>| {
            let fixed = own.iter().all(|e| e.as_const().is_some());
            Scalar::read(n, dtype, if fixed { own } else { at.clone() })
        };
        let value = factor.rewrite(&Ix::clone, &moved);
        let zero = value.lit(0.0);
        let body = Scalar::guarded(inside, value, zero);
        let pad = Comp::new(format!("{}_factor", self.comp.name), axes, Combiner::Map, body);
        let made = extents(&pad);
        let slides = |x: &usize| index.iter().any(|e| e.as_axis().is_none() && e.uses_axis(*x as u32));
        let results: usize = (0..self.comp.rank()).filter(slides).map(|x| extents(self.comp)[x]).product();
        moderate(self.apart(&index, &made), self.apart(&index, &layout.shape).saturating_add(results))?;
        if let Some(other) = other.filter(|_| matches!(factor.kind(), Kind::Read(..)))
            && let Some(side) = self.planes(o, (&reach, &index), other)?
        {
            return Ok(side);
        }
        let side = self.make(&pad, steps)?;
        let made = Layout::row_major(side.dtype, &extents(&pad));
        let (offset, strides) = place(&index, self.comp, &made)?;
        Ok(Side { offset, strides, ..side })
    }

    /// A read with absent points, by planes: whole dims that move with the other side too are those of a batch.
    fn planes(&self, o: u32, (reach, index): (&[Reach], &[Ix]), other: &Side) -> Result<Option<Side>> {
        let rank = self.comp.rank();
        let shared = |x: usize| x < rank && other.strides.get(x).is_some_and(|s| *s != 0);
        let whole = |r: &Reach| r.low == 0 && r.extent == r.dim;
        let batch: Vec<bool> =
            index.iter().zip(reach).map(|(e, r)| whole(r) && e.as_axis().is_some_and(|x| shared(x as usize))).collect();
        let own = |x: &usize| {
            extents(self.comp)[*x] > 1 && !index.iter().zip(&batch).any(|(e, b)| *b && e.uses_axis(*x as u32))
        };
        // Other dims that move with both sides would be of the batch too; products of one row and one column are taken as
        // the diagonal of others.
        let moves = |x: usize| index.iter().any(|e| e.uses_axis(x as u32));
        let mixed = (0..rank).any(|x| own(&x) && shared(x) && moves(x));
        if mixed || !(0..rank).any(|x| own(&x)) || self.operands[o as usize].constant.is_some() {
            return Ok(None);
        }
        let source = self.read(o as usize, &vec![Ix::zero(); reach.len()])?;
        Ok(plane::side((self.operands[o as usize].layout, source), (reach, index), &batch, self.comp))
    }

    /// A factor computed at each point of the axes that it moves along.
    fn made(&self, factor: &Scalar, steps: &mut Steps) -> Result<Side> {
        let count = self.comp.axes.len();
        let own: Vec<usize> = (0..count).filter(|x| uses(factor, *x)).collect();
        let number = |x: usize| own.iter().position(|a| *a == x).map_or_else(Ix::zero, |a| Ix::axis(a as u32));
        let values: Vec<Ix> = (0..count).map(number).collect();
        let axes = own.iter().map(|x| Axis { role: Role::Parallel, ..self.comp.axes[*x].clone() }).collect();
        let name = format!("{}_factor", self.comp.name);
        let map = Comp::new(name, axes, Combiner::Map, factor.subst_axes(&values));
        let summed = own.iter().filter(|x| **x >= self.comp.rank()).map(|x| extents(self.comp)[*x]).product();
        let mut sources = 0usize;
        factor.visit(&mut |s| {
            if let Kind::Read(o, index) = s.kind() {
                sources = sources.saturating_add(self.apart(index, &self.operands[*o as usize].layout.shape));
            }
        });
        moderate(summed, sources)?;
        let side = self.make(&map, steps)?;
        let layout = Layout::row_major(side.dtype, &extents(&map));
        let mut strides = vec![0; count];
        own.iter().zip(&layout.strides).for_each(|(x, s)| strides[*x] = *s);
        Ok(Side { strides, ..side })
    }

    /// A value between kernels.
    fn make(&self, map: &Comp, steps: &mut Steps) -> Result<Side> {
        let shape = extents(map);
        let sources: usize = map.operands().iter().map(|o| self.operands[*o as usize].layout.len()).sum();
        let count = shape.iter().fold(1usize, |n, e| n.saturating_mul(*e));
        if count > FREE_IN_ALL {
            moderate(count, sources)?;
        }
        let layout = Layout::row_major(map.dtype(), &shape);
        let layouts: Vec<Layout> = self.operands.iter().map(|o| o.layout.clone()).collect();
        let kernels = comp::kernels(map, &layouts, &layout)?;
        let constant = map.operands().iter().all(|o| self.operands[*o as usize].constant.is_some());
        let from = steps.make(layout.clone());
        let reads: Vec<Ref> = (0..self.operands.len()).map(Ref::Operand).collect();
        let planned = |kernel| Planned { kernel, reads: reads.clone(), writes: from };
        steps.kernels.extend(kernels.into_iter().map(planned));
        Ok(Side {
            from,
            dtype: layout.dtype,
            room: layout.room,
            offset: 0,
            strides: Vec::new(),
            constant,
            plane: None,
            stored: None,
        })
    }
}

/// Whether a factor is not much larger than what it is computed from.
fn moderate(count: usize, sources: usize) -> Result<()> {
    match count <= sources.saturating_mul(GROWTH).saturating_add(FREE) {
        true => Ok(()),
        false => Err(Diagnostic::unsupported("a factor that is much larger than its operands")),
    }
}

/// The least and the largest value of an index.
fn range(e: &Ix, comp: &Comp) -> Result<(i64, i64)> {
    let (factors, rest) = linear(e, comp)?;
    let (mut low, mut high) = (rest, rest);
    for (f, extent) in factors.iter().zip(extents(comp)) {
        let far = f.saturating_mul(extent as i64 - 1);
        (low, high) = (low.saturating_add(far.min(0)), high.saturating_add(far.max(0)));
    }
    Ok((low, high))
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

//! Evaluates one comprehension: loops over points, strips along one axis.

use super::accumulate::Accumulator;
use super::bitcast;
use super::index::{Element, Positions, Site};
use super::product::Product;
use super::strings::Strings;
use super::strip::{Code, CodeKind};
use crate::comp::{Combiner, Comp, Role};
use crate::scalars::Lanes;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, TensorMut, element_count};

/// Positions of a strip.
const STRIP: i64 = 256;

/// Evaluates a comprehension without symbols over its operands, on at most `threads` threads.
pub fn eval(comp: &Comp, operands: &[Tensor], threads: usize) -> Result<Tensor> {
    for c in &comp.checks {
        let differ = c.left.as_const().zip(c.right.as_const()).is_none_or(|(l, r)| l != r);
        if differ {
            return Err(Diagnostic::shape(format!("{}: {} vs {}", c.about, c.left, c.right)));
        }
    }
    if let Some(out) = bitcast::eval(comp, operands) {
        return out;
    }
    let mut strings = Strings::default();
    let operands: Vec<Tensor> = operands.iter().map(|t| strings.intern(t)).collect::<Result<_>>()?;
    let out = match comp.scan_axis() {
        Some(axis) => scan(comp, axis, &operands, threads)?,
        None => Loops::new(comp, &operands)?.run(threads)?,
    };
    if comp.dtype() == DType::String { strings.restore(&out) } else { Ok(out) }
}

/// Loops over a comprehension's domain.
struct Loops<'a> {
    comp: &'a Comp,
    operands: &'a [Tensor],
    extents: Vec<i64>,
    /// Distance in the result, in elements; 0 for reduction axes.
    strides: Vec<i64>,
    code: Code,
    /// The axis of strips.
    axis: usize,
    /// The other parallel axes.
    outer: Vec<usize>,
    /// The other reduction axes.
    inner: Vec<usize>,
    /// The result's dims and dtype.
    shape: Vec<usize>,
    dtype: DType,
}

/// Points from which on threads share the work.
const SHARED_WORK: i64 = 1 << 20;

/// The extents as numbers, and the dtype that results are stored in while strings are ids.
fn sizes(comp: &Comp) -> Result<(Vec<i64>, DType)> {
    let extents = comp.axes.iter().map(|a| match a.extent.as_const() {
        Some(n) if n >= 0 => Ok(n),
        _ => Err(Diagnostic::shape(format!("axis {} has the size {}", a.name, a.extent))),
    });
    let dtype = if comp.dtype() == DType::String { DType::I64 } else { comp.dtype() };
    Ok((extents.collect::<Result<_>>()?, dtype))
}

impl<'a> Loops<'a> {
    fn new(comp: &'a Comp, operands: &'a [Tensor]) -> Result<Self> {
        let (mut extents, dtype) = sizes(comp)?;
        let rank = comp.rank();
        let shape: Vec<usize> = extents[..rank].iter().map(|n| *n as usize).collect();
        element_count(dtype, &shape)?;
        let shapes: Vec<Vec<usize>> = operands.iter().map(|t| t.shape().to_vec()).collect();
        let mut constants: Vec<Ix> = comp.extents();
        let mut strides = vec![0; extents.len()];
        let mut step = 1;
        for i in (0..rank).rev() {
            strides[i] = step;
            step *= extents[i].max(1);
        }
        if extents.is_empty() {
            (extents, strides, constants) = (vec![1], vec![1], vec![Ix::konst(1)]);
        }
        let mut code = Code::new(&comp.body, &shapes, &constants)?;
        if comp.combiner == Combiner::Sum {
            code.widen();
        }
        merge(&mut code, &mut extents, &mut strides, rank);
        let axis = strip_axis(&code, &extents, &strides);
        let axes = || (0..extents.len()).filter(|a| *a != axis);
        let outer = axes().filter(|a| strides[*a] != 0).collect();
        let inner = axes().filter(|a| strides[*a] == 0).collect();
        Ok(Self { comp, operands, shape, dtype, extents, strides, code, axis, outer, inner })
    }

    fn parallel(&self, axis: usize) -> bool {
        self.strides[axis] != 0
    }

    /// Evaluates, with the first axis shared among at most `threads` threads. Every element is
    /// computed alike whatever their number.
    fn run(self, threads: usize) -> Result<Tensor> {
        let n = self.extents[0];
        let work = self.extents.iter().fold(1i64, |n, e| n.saturating_mul(*e));
        let whole_bytes = self.dtype.bits().is_multiple_of(8);
        let parts = if work < SHARED_WORK || !self.parallel(0) || !whole_bytes { 1 } else { n.min(threads as i64) };
        if parts < 2 {
            let mut out = TensorMut::new(self.dtype, &self.shape)?;
            if !out.is_empty() {
                self.part(0..if self.parallel(0) { n } else { 0 }, &mut out)?;
            }
            return Ok(out.finish());
        }
        let mut out = TensorMut::new(self.dtype, &self.shape)?;
        let size = self.strides[0] as usize;
        let ranges = (0..parts).map(|p| n * p / parts..n * (p + 1) / parts);
        let pieces: Vec<Result<TensorMut>> = std::thread::scope(|scope| {
            let spawn = |range: std::ops::Range<i64>| {
                let this = &self;
                scope.spawn(move || {
                    let mut piece = TensorMut::new(this.dtype, &[(range.end - range.start) as usize * size])?;
                    this.part(range, &mut piece)?;
                    Ok(piece)
                })
            };
            let handles: Vec<_> = ranges.map(spawn).collect();
            let lost = || Err(Diagnostic::internal("a thread of the interpreter was lost"));
            handles.into_iter().map(|h| h.join().unwrap_or_else(|_| lost())).collect()
        });
        let mut at = 0;
        for piece in pieces {
            let piece = piece?;
            out.bytes_mut()[at..at + piece.bytes().len()].copy_from_slice(piece.bytes());
            at += piece.bytes().len();
        }
        Ok(out.finish())
    }

    /// Results at the coordinates `first` of the first axis, if that is parallel; `out` holds these.
    fn part(&self, first: std::ops::Range<i64>, out: &mut TensorMut) -> Result<()> {
        let mut point = vec![0; self.extents.len()];
        let mut extents = self.extents.clone();
        let base = first.start * self.strides[0];
        if self.parallel(0) {
            extents[0] = first.end;
            point[0] = if self.axis == 0 { 0 } else { first.start };
        }
        let along = if self.axis == 0 && self.parallel(0) { first } else { 0..self.extents[self.axis] };
        loop {
            let start = point.iter().zip(&self.strides).map(|(p, s)| p * s).sum::<i64>() - base;
            match self.parallel(self.axis) {
                true => self.strips(&mut point, &along, (start, out))?,
                false => self.one(&mut point, start, out)?,
            }
            if !advance(&mut point, &self.outer, &extents) {
                return Ok(());
            }
        }
    }

    /// Results at the positions `along` the strip's axis, which is parallel.
    fn strips(
        &self,
        point: &mut [i64],
        along: &std::ops::Range<i64>,
        (start, out): (i64, &mut TensorMut),
    ) -> Result<()> {
        let stride = self.strides[self.axis];
        let product = Product::new(self.comp.combiner, &self.code, self.operands);
        let mut lines = product.as_ref().and_then(|p| p.lines(point, self.axis, &self.inner));
        let extents: Vec<i64> = self.inner.iter().map(|a| self.extents[*a]).collect();
        let empty = extents.contains(&0);
        let mut acc = Accumulator::new(self.comp.combiner, self.comp.body.dtype(), 0);
        for from in along.clone().step_by(STRIP as usize) {
            let len = (along.end - from).min(STRIP) as usize;
            acc.reset(len);
            match (&mut lines, acc.floats()) {
                _ if empty => {}
                (Some(lines), Some(sums)) => lines.add_all(sums, from, &extents),
                _ => self.points(point, (from, len), product.as_ref(), &mut acc)?,
            }
            write(out, start + from * stride, stride, &acc.finish());
        }
        Ok(())
    }

    /// Accumulates a strip over all reduction points.
    fn points(
        &self,
        point: &mut [i64],
        (from, len): (i64, usize),
        product: Option<&Product<'_>>,
        acc: &mut Accumulator,
    ) -> Result<()> {
        let positions = Positions::Range { start: from, step: 1, len };
        let mut at = 0;
        loop {
            let site = Site { point, axis: self.axis, positions: &positions, operands: self.operands };
            match (product, acc.floats()) {
                (Some(p), Some(sums)) => p.add_to(sums, &site)?,
                _ => acc.add(&self.code.eval(&site)?, at),
            }
            at += 1;
            if !advance(point, &self.inner, &self.extents) {
                return Ok(());
            }
        }
    }

    /// One result, reduced along the strip's axis among others.
    fn one(&self, point: &mut [i64], start: i64, out: &mut TensorMut) -> Result<()> {
        let mut acc = Accumulator::new(self.comp.combiner, self.comp.body.dtype(), 1);
        let product = Product::new(self.comp.combiner, &self.code, self.operands);
        let extent = self.extents[self.axis];
        let empty = extent == 0 || self.inner.iter().any(|a| self.extents[*a] == 0);
        let strides = self.reduction_strides();
        if empty {
            write(out, start, 1, &acc.finish());
            return Ok(());
        }
        loop {
            let at: i64 = point.iter().zip(&strides).map(|(p, s)| p * s).sum();
            for from in (0..extent).step_by(STRIP as usize) {
                let positions = Positions::Range { start: from, step: 1, len: (extent - from).min(STRIP) as usize };
                let site = Site { point, axis: self.axis, positions: &positions, operands: self.operands };
                match (&product, acc.floats()) {
                    (Some(p), Some(sums)) => p.fold_into(&mut sums[0], &site)?,
                    _ => {
                        let step = strides[self.axis];
                        acc.fold(&self.code.eval(&site)?, at + from * step, step);
                    }
                }
            }
            if !advance(point, &self.inner, &self.extents) {
                break;
            }
        }
        write(out, start, 1, &acc.finish());
        Ok(())
    }

    /// Row-major strides over the reduction axes, for positions.
    fn reduction_strides(&self) -> Vec<i64> {
        let mut strides = vec![0; self.extents.len()];
        let mut step = 1;
        for a in (0..self.extents.len()).rev().filter(|a| !self.parallel(*a)) {
            strides[a] = step;
            step *= self.extents[a];
        }
        strides
    }
}

fn write(out: &mut TensorMut, start: i64, stride: i64, lanes: &Lanes) {
    match lanes {
        Lanes::F(v) => out.write_f64(start as usize, stride as isize, v),
        Lanes::I(v) => out.write_i64(start as usize, stride as isize, v),
    }
}

/// The next point over `axes` in row-major order; false, and all zero, after the last.
pub fn advance(point: &mut [i64], axes: &[usize], extents: &[i64]) -> bool {
    for a in axes.iter().rev() {
        point[*a] += 1;
        if point[*a] < extents[*a] {
            return true;
        }
        point[*a] = 0;
    }
    false
}

/// Merges neighbouring axes of one role wherever every index moves as if they were one axis.
fn merge(code: &mut Code, extents: &mut [i64], strides: &mut [i64], rank: usize) {
    for inner in (1..extents.len()).rev() {
        let (outer, n) = (inner - 1, extents[inner]);
        if (inner < rank) != (outer < rank) || n == 0 || strides[outer] != strides[inner] * n {
            continue;
        }
        let mut fits = true;
        code.visit_ix(&mut |ix| {
            let joined = n == 1 || extents[outer] == 1 || ix.coefficients[outer] == ix.coefficients[inner] * n;
            fits &= joined && !ix.bends(inner) && !ix.bends(outer);
        });
        if !fits {
            continue;
        }
        // The merged axis takes the outer place; the inner place stays with one point.
        let keep = if n == 1 { None } else { Some(()) };
        code.visit_ix_mut(&mut |ix| {
            if keep.is_some() {
                ix.coefficients[outer] = ix.coefficients[inner];
            }
            ix.coefficients[inner] = 0;
        });
        if keep.is_some() {
            strides[outer] = strides[inner];
        }
        extents[outer] *= n;
        extents[inner] = 1;
    }
}

/// The axis along which most accesses, weighted by the run's length, have stride 0 or 1.
fn strip_axis(code: &Code, extents: &[i64], strides: &[i64]) -> usize {
    let score = |a: usize| {
        let mut near = if strides[a] <= 1 { 2 } else { 0 };
        for node in code.nodes() {
            let CodeKind::Read(Element { offset, .. }) = &node.kind else { continue };
            let unit = (0..=1).contains(&offset.coefficients[a]);
            near += match (offset.bends(a), unit) {
                (true, _) => -2,
                (false, true) => 2,
                (false, false) => 0,
            };
        }
        near * extents[a].clamp(1, 32).ilog2() as i64 * 4 + a as i64
    };
    let best = (0..extents.len()).max_by_key(|a| (extents[*a] > 1, score(*a))).unwrap_or(0);
    // A strip costs as much as a hundred of its positions: short ones do not pay, however near each other these are.
    let longer = |a: &usize| strides[*a] != 0 && score(*a) > 0 && extents[*a] / 8 >= extents[best];
    let other = (0..extents.len()).filter(longer).max_by_key(|a| extents[*a]);
    other.filter(|_| strides[best] != 0 && extents[best] < 32).unwrap_or(best)
}

/// Evaluates the body everywhere, then accumulates along the scanned axis.
fn scan(comp: &Comp, axis: usize, operands: &[Tensor], threads: usize) -> Result<Tensor> {
    let Role::Scan { reverse, exclusive } = comp.axes[axis].role else {
        return Err(Diagnostic::internal("the scanned axis has another role"));
    };
    let mut map = comp.clone();
    map.axes[axis].role = Role::Parallel;
    map.combiner = Combiner::Map;
    let values = Loops::new(&map, operands)?.run(threads)?;
    let n = values.shape()[axis];
    let stride: usize = values.shape()[axis + 1..].iter().product();
    let mut out = TensorMut::new(values.dtype(), values.shape())?;
    let lines = values.len().checked_div(n).unwrap_or(0);
    for line in 0..lines {
        let base = line / stride * stride * n + line % stride;
        let mut sum = Accumulator::new(comp.combiner, values.dtype(), 1);
        for i in 0..n {
            let at = base + stride * if reverse { n - 1 - i } else { i };
            let here = lane(&values, at);
            if exclusive {
                write(&mut out, at as i64, 1, &sum.finish());
            }
            sum.add(&here, i as i64);
            if !exclusive {
                write(&mut out, at as i64, 1, &sum.finish());
            }
        }
    }
    Ok(out.finish())
}

fn lane(t: &Tensor, at: usize) -> Lanes {
    if t.dtype().is_float() { Lanes::F(vec![t.get_f64(at)]) } else { Lanes::I(vec![t.get_i64(at)]) }
}

//! Evaluates one comprehension: loops over points, strips along one axis.

use super::accumulate::Accumulator;
use super::index::{Positions, Site};
use super::product::Product;
use super::strings::Strings;
use super::strip::{Code, CodeKind};
use crate::comp::{Combiner, Comp, Role};
use crate::scalars::Lanes;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, TensorMut};

/// Positions of a strip.
const STRIP: i64 = 256;

/// Evaluates a comprehension without symbols over its operands.
pub fn eval(comp: &Comp, operands: &[Tensor]) -> Result<Tensor> {
    for c in &comp.checks {
        let differ = c.left.as_const().zip(c.right.as_const()).is_none_or(|(l, r)| l != r);
        if differ {
            return Err(Diagnostic::shape(format!("{}: {} vs {}", c.about, c.left, c.right)));
        }
    }
    let mut strings = Strings::default();
    let operands: Vec<Tensor> = operands.iter().map(|t| strings.intern(t)).collect::<Result<_>>()?;
    let out = match comp.scan_axis() {
        Some(axis) => scan(comp, axis, &operands)?,
        None => Loops::new(comp, &operands)?.run()?,
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
    out: TensorMut,
}

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
        let out = TensorMut::new(dtype, &shape)?;
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
        Ok(Self { comp, operands, extents, strides, code, axis, out })
    }

    fn parallel(&self, axis: usize) -> bool {
        self.strides[axis] != 0
    }

    fn run(mut self) -> Result<Tensor> {
        let axes = 0..self.extents.len();
        let outer: Vec<usize> = axes.clone().filter(|a| *a != self.axis && self.parallel(*a)).collect();
        let inner: Vec<usize> = axes.filter(|a| *a != self.axis && !self.parallel(*a)).collect();
        let mut point = vec![0; self.extents.len()];
        if outer.iter().any(|a| self.extents[*a] == 0) || (self.parallel(self.axis) && self.extents[self.axis] == 0) {
            return Ok(self.out.finish());
        }
        loop {
            if self.parallel(self.axis) {
                self.strips(&mut point, &inner)?;
            } else {
                self.one(&mut point, &inner)?;
            }
            if !advance(&mut point, &outer, &self.extents) {
                return Ok(self.out.finish());
            }
        }
    }

    /// Results along the strip's axis, which is parallel.
    fn strips(&mut self, point: &mut [i64], inner: &[usize]) -> Result<()> {
        let start: i64 = point.iter().zip(&self.strides).map(|(p, s)| p * s).sum();
        let (stride, extent) = (self.strides[self.axis], self.extents[self.axis]);
        let product = Product::new(self.comp.combiner, &self.code, self.operands);
        let mut acc = Accumulator::new(self.comp.combiner, self.comp.body.dtype(), 0);
        for from in (0..extent).step_by(STRIP as usize) {
            let len = (extent - from).min(STRIP) as usize;
            let positions = Positions::Range { start: from, step: 1, len };
            acc.reset(len);
            inner.iter().for_each(|a| point[*a] = 0);
            let empty = inner.iter().any(|a| self.extents[*a] == 0);
            let mut at = 0;
            while !empty {
                let site = Site { point, axis: self.axis, positions: &positions, operands: self.operands };
                match (&product, acc.floats()) {
                    (Some(p), Some(sums)) => p.add_to(sums, &site)?,
                    _ => acc.add(&self.code.eval(&site)?, at),
                }
                at += 1;
                if !advance(point, inner, &self.extents) {
                    break;
                }
            }
            write(&mut self.out, start + from * stride, stride, &acc.finish());
        }
        inner.iter().for_each(|a| point[*a] = 0);
        Ok(())
    }

    /// One result, reduced along the strip's axis among others.
    fn one(&mut self, point: &mut [i64], inner: &[usize]) -> Result<()> {
        let start: i64 = point.iter().zip(&self.strides).map(|(p, s)| p * s).sum();
        let mut acc = Accumulator::new(self.comp.combiner, self.comp.body.dtype(), 1);
        let product = Product::new(self.comp.combiner, &self.code, self.operands);
        let extent = self.extents[self.axis];
        let empty = extent == 0 || inner.iter().any(|a| self.extents[*a] == 0);
        let strides = self.reduction_strides();
        while !empty {
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
            if !advance(point, inner, &self.extents) {
                break;
            }
        }
        inner.iter().for_each(|a| point[*a] = 0);
        write(&mut self.out, start, 1, &acc.finish());
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
        code.visit_reads(&mut |offset| {
            let unit = (0..=1).contains(&offset.coefficients[a]);
            near += match (offset.bends(a), unit) {
                (true, _) => -2,
                (false, true) => 2,
                (false, false) => 0,
            };
        });
        near * extents[a].clamp(1, 32).ilog2() as i64 * 4 + a as i64
    };
    (0..extents.len()).max_by_key(|a| (extents[*a] > 1, score(*a))).unwrap_or(0)
}

/// Evaluates the body everywhere, then accumulates along the scanned axis.
fn scan(comp: &Comp, axis: usize, operands: &[Tensor]) -> Result<Tensor> {
    let Role::Scan { reverse, exclusive } = comp.axes[axis].role else {
        return Err(Diagnostic::internal("the scanned axis has another role"));
    };
    let mut map = comp.clone();
    map.axes[axis].role = Role::Parallel;
    map.combiner = Combiner::Map;
    let values = Loops::new(&map, operands)?.run()?;
    let n = values.shape()[axis];
    let stride: usize = values.shape()[axis + 1..].iter().product();
    let mut out = TensorMut::new(values.dtype(), values.shape())?;
    let lines = if n == 0 { 0 } else { values.len() / n };
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

impl Code {
    /// Visits the row-major place of every read.
    fn visit_reads(&self, f: &mut dyn FnMut(&super::index::IxCode)) {
        match &self.kind {
            CodeKind::Read(e) => f(&e.offset),
            CodeKind::Call(_, _, args) => args.iter().for_each(|a| a.visit_reads(f)),
            CodeKind::Where(_, t, e) => {
                t.visit_reads(f);
                e.visit_reads(f);
            }
            CodeKind::Const(_) | CodeKind::Index(_) => {}
        }
    }

    fn visit_ix_mut(&mut self, f: &mut dyn FnMut(&mut super::index::IxCode)) {
        match &mut self.kind {
            CodeKind::Const(_) => {}
            CodeKind::Index(e) => f(e),
            CodeKind::Read(e) => {
                f(&mut e.offset);
                e.checks.iter_mut().for_each(|(ix, _)| f(ix));
            }
            CodeKind::Call(_, _, args) => args.iter_mut().for_each(|a| a.visit_ix_mut(f)),
            CodeKind::Where(preds, t, e) => {
                preds.iter_mut().for_each(|(_, ix)| f(ix));
                t.visit_ix_mut(f);
                e.visit_ix_mut(f);
            }
        }
    }
}

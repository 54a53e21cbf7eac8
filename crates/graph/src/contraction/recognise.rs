//! Recognition of contractions: sums of products whose axes fall into the classes of a matrix
//! product.
//!
//! | axis | in both sides | in one side | in none |
//! |---|---|---|---|
//! | parallel | batch | M (side A) or N (side B) | broadcast |
//! | reduction | K | summed before | - |
//!
//! A side is any expression over reads that are affine in the axes; reads are linearised with the
//! strides of their operands, so a window needs no case of its own: `y*s + r` gives `y` the stride
//! `s*W` and `r` the stride `W`.

use super::phase::Phase;
use crate::comp::{Axis, Combiner, Comp, Role};
use crate::diff::flow::guard;
use crate::diff::linear::Linear;
use crate::scalar::{Kind, Pred, Scalar};
use crate::scalars::Func;
use std::fmt;
use tilewright_tensor::ix::{Ix, Shape};

/// Why a comprehension is no contraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoMatch(pub String);

impl fmt::Display for NoMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The dims of a tensor and the distance in elements between neighbours along each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    /// Dims.
    pub shape: Shape,
    /// Strides.
    pub strides: Vec<Ix>,
}

impl Strided {
    /// Row-major order.
    pub fn row_major(shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        let strides = (0..shape.len()).map(|d| tilewright_tensor::ix::volume(&shape[d + 1..])).collect();
        Self { shape, strides }
    }
}

/// What an axis is to the matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Extent 1: no axis at all.
    Unit,
    /// A parallel axis of both sides.
    Batch,
    /// A parallel axis of side A alone.
    M,
    /// A parallel axis of side B alone.
    N,
    /// A reduction axis of both sides.
    K,
    /// A reduction axis of side A alone: A is summed over it beforehand.
    SumA,
    /// A reduction axis of side B alone.
    SumB,
    /// A parallel axis of neither side.
    Broadcast,
}

/// A tensor's element as a linear function of the axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The operand; none for the result.
    pub operand: Option<u32>,
    /// The element at the origin of the axes.
    pub offset: Ix,
    /// Elements from one position to the next, for each axis.
    pub strides: Vec<Ix>,
    /// Whether guards test that it is in bounds.
    pub padded: bool,
}

/// One factor of the product.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its value at a point.
    pub value: Scalar,
    /// What it reads, in order of appearance.
    pub reads: Vec<Access>,
}

impl Side {
    /// The only read, if the value is that or a cast of it.
    pub fn plain(&self) -> Option<&Access> {
        let inner = match self.value.kind() {
            Kind::Call(Func::Cast(..), args) => args[0].kind(),
            kind => kind,
        };
        matches!(inner, Kind::Read(..)).then(|| self.reads.first()).flatten()
    }
}

/// A predicate under which points count.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The predicate.
    pub pred: Pred,
    /// The operand and dim that it keeps in bounds, if it does nothing else.
    pub bounds: Option<(u32, usize)>,
    /// The axes that it mentions.
    pub axes: Vec<usize>,
}

/// A comprehension as a matrix product: `out = scale * sum over K of A * B` where the guards hold.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The class of each axis.
    pub classes: Vec<Class>,
    /// The side that does not move with the result's innermost axis.
    pub a: Side,
    /// The side that does.
    pub b: Side,
    /// Where results go.
    pub out: Access,
    /// A constant factor.
    pub scale: f64,
    /// Predicates.
    pub guards: Vec<Guard>,
    /// The axis of a kernel's rows, of class M.
    pub m: usize,
    /// The axis of a kernel's columns, of class N.
    pub n: usize,
    /// The axis that a kernel sums over, of class K; the others are offsets or loops.
    pub k: usize,
}

/// Reads a phase of a comprehension as a contraction, for given layouts of operands and result, or
/// says why it is none.
pub fn recognise(phase: &Phase, operands: &[Strided], out: &Strided) -> Result<Contraction, NoMatch> {
    let comp = &phase.comp;
    if comp.combiner != Combiner::Sum || comp.scan_axis().is_some() {
        return Err(NoMatch(format!("{} over no reduction of products", comp.combiner.name())));
    }
    let (preds, body) = guard(&comp.body);
    let product = Product::of(&body);
    let out = linearise(comp, None, &phase.place, out)?;
    let guards: Vec<Guard> = preds.into_iter().map(|p| placed(comp, p, &body, operands)).collect();
    side(comp, body, operands, &guards)?;
    let (left, right) = sides(comp, &product.factors)?;
    let turn = !moves_inner(comp, &out, &left, &right);
    let (a, b) = if turn { (right, left) } else { (left, right) };
    let classes: Vec<Class> = (0..comp.axes.len()).map(|x| class(comp, x, &a, &b)).collect::<Result<_, _>>()?;
    let (a, b) = (side(comp, a, operands, &guards)?, side(comp, b, operands, &guards)?);
    let pick = |of: Class, access: &Access| {
        let all: Vec<usize> = (0..classes.len()).filter(|x| classes[*x] == of).collect();
        longest_run(comp, &all, access)
    };
    let (m, n) = (pick(Class::M, &out), pick(Class::N, &out));
    let k = pick(Class::K, a.reads.first().or(b.reads.first()).unwrap_or(&out));
    Ok(Contraction { classes, a, b, out, scale: product.scale, guards, m, n, k })
}

/// A body as a product.
struct Product {
    factors: Vec<Scalar>,
    scale: f64,
}

/// Levels of products that are looked into: what is shared would be met again and again.
const DEEPEST: u32 = 12;

impl Product {
    fn of(body: &Scalar) -> Self {
        let mut out = Self { factors: Vec::new(), scale: 1.0 };
        out.add(body);
        out
    }

    /// Adds factors; what has more levels is one.
    fn add(&mut self, s: &Scalar) {
        match (s.kind(), s.as_const().filter(|_| s.dtype().is_float())) {
            (_, Some(c)) => self.scale *= c,
            (Kind::Call(Func::Mul, args), _) if s.depth() <= DEEPEST => args.iter().for_each(|a| self.add(a)),
            (Kind::Call(Func::Neg, args), _) => {
                self.scale = -self.scale;
                self.add(&args[0]);
            }
            _ => self.factors.push(s.clone()),
        }
    }
}

fn touches(s: &Scalar, axis: usize) -> bool {
    let mut found = false;
    s.visit_ix(&mut |e| found |= e.uses_axis(axis as u32));
    found
}

/// Groups factors into two sides: two of them make the classes, each other one joins the side whose
/// axes it stays within.
fn sides(comp: &Comp, factors: &[Scalar]) -> Result<(Scalar, Scalar), NoMatch> {
    let mut reason = NoMatch("pooling or a plain sum: there is one factor".into());
    let touched = |f: &Scalar| (0..comp.axes.len()).map(|x| touches(f, x)).collect();
    let own: Vec<Vec<bool>> = factors.iter().map(touched).collect();
    for i in 0..factors.len() {
        for j in i + 1..factors.len() {
            match pair(comp, factors, &own, [i, j]) {
                Ok(found) => return Ok(found),
                Err(why) => reason = why,
            }
        }
    }
    Err(reason)
}

fn pair(comp: &Comp, factors: &[Scalar], own: &[Vec<bool>], [i, j]: [usize; 2]) -> Result<(Scalar, Scalar), NoMatch> {
    let has = |parallel: bool, left: bool, right: bool| {
        let role = |x: usize| (comp.axes[x].role == Role::Parallel) == parallel;
        (0..comp.axes.len()).any(|x| role(x) && own[i][x] == left && own[j][x] == right)
    };
    if !has(false, true, true) {
        return Err(NoMatch("no axis is summed over in both factors".into()));
    }
    if !has(true, true, false) || !has(true, false, true) {
        let name = if has(true, true, true) { "depthwise" } else { "matrix-vector" };
        return Err(NoMatch(format!("{name}: one factor has no parallel axis of its own")));
    }
    let within = |f: usize, side: usize| own[f].iter().zip(&own[side]).all(|(x, y)| !x || *y);
    let (mut left, mut right) = (factors[i].clone(), factors[j].clone());
    for f in (0..factors.len()).filter(|f| ![i, j].contains(f)) {
        match (within(f, i), within(f, j)) {
            (true, _) => left = left * factors[f].clone(),
            (false, true) => right = right * factors[f].clone(),
            _ => return Err(NoMatch("a third factor spans both others".into())),
        }
    }
    Ok((left, right))
}

fn class(comp: &Comp, axis: usize, a: &Scalar, b: &Scalar) -> Result<Class, NoMatch> {
    let Axis { name, extent, role } = &comp.axes[axis];
    Ok(match (role, touches(a, axis), touches(b, axis)) {
        _ if extent.is(1) => Class::Unit,
        (Role::Parallel, true, true) => Class::Batch,
        (Role::Parallel, true, false) => Class::M,
        (Role::Parallel, false, true) => Class::N,
        (Role::Parallel, false, false) => Class::Broadcast,
        (_, true, true) => Class::K,
        (_, true, false) => Class::SumA,
        (_, false, true) => Class::SumB,
        (_, false, false) => return Err(NoMatch(format!("axis {name} is in no factor"))),
    })
}

/// The linear form of an index under strides.
fn linearise(comp: &Comp, operand: Option<u32>, index: &[Ix], at: &Strided) -> Result<Access, NoMatch> {
    let (mut offset, mut strides) = (Ix::zero(), vec![Ix::zero(); comp.axes.len()]);
    for (e, step) in index.iter().zip(&at.strides) {
        let form = Linear::of(e, &|_| true).filter(|f| f.rest.is_dim());
        let Some(form) = form else {
            return Err(NoMatch(format!("index {e} is not affine: split phases first")));
        };
        offset = &offset + &(&form.rest * step);
        for (axis, c) in &form.terms {
            let own = &mut strides[*axis as usize];
            *own = &*own + &(c * step);
        }
    }
    Ok(Access { operand, offset, strides, padded: false })
}

fn side(comp: &Comp, value: Scalar, operands: &[Strided], guards: &[Guard]) -> Result<Side, NoMatch> {
    let mut reads: Vec<Access> = Vec::new();
    let mut fault = None;
    value.visit(&mut |s| {
        let Kind::Read(o, index) = s.kind() else { return };
        let layout = operands.get(*o as usize).ok_or_else(|| NoMatch(format!("operand {o} has no layout")));
        match layout.and_then(|at| linearise(comp, Some(*o), index, at)) {
            Ok(access) if !reads.contains(&access) => reads.push(access),
            Ok(_) => {}
            Err(e) => fault = Some(e),
        }
    });
    for read in &mut reads {
        read.padded = guards.iter().any(|g| g.bounds.map(|(o, _)| o) == read.operand);
    }
    fault.map_or(Ok(Side { value, reads }), Err)
}

/// A predicate that is the lower or upper bound of a read is that and nothing else.
fn placed(comp: &Comp, pred: Pred, body: &Scalar, operands: &[Strided]) -> Guard {
    let mut bounds = None;
    body.visit(&mut |s| {
        let Kind::Read(o, index) = s.kind() else { return };
        for (d, e) in index.iter().enumerate() {
            let size = operands.get(*o as usize).and_then(|at| at.shape.get(d));
            if size.is_some_and(|n| Pred::within(e, n).contains(&pred)) {
                bounds = Some((*o, d));
            }
        }
    });
    let axes = (0..comp.axes.len()).filter(|x| pred.ix().uses_axis(*x as u32)).collect();
    Guard { pred, bounds, axes }
}

fn weight(e: &Ix) -> i64 {
    e.as_const().map_or(i64::MAX, |c| c.saturating_abs())
}

/// Whether the second side is the one that moves with the result's innermost axis.
fn moves_inner(comp: &Comp, out: &Access, left: &Scalar, right: &Scalar) -> bool {
    let own = |x: &usize| comp.axes[*x].role == Role::Parallel && !comp.axes[*x].extent.is(1);
    let one_side = |x: &usize| touches(left, *x) != touches(right, *x);
    let inner = (0..comp.axes.len()).filter(own).filter(one_side).min_by_key(|x| weight(&out.strides[*x]));
    inner.is_none_or(|x| touches(right, x))
}

/// The axis to give to a kernel: of those with at least 8 positions the one of least stride, else
/// the longest.
fn longest_run(comp: &Comp, axes: &[usize], access: &Access) -> usize {
    let extent = |x: usize| weight(&comp.axes[x].extent);
    let key = |x: &usize| (-extent(*x).min(8), weight(&access.strides[*x]));
    axes.iter().copied().min_by_key(key).unwrap_or(0)
}

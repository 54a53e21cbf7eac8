//! Declaring a structured operation: axes, reads and a body; shapes follow.
//!
//! An operation names its axes and says what it reads where. The extents of axes that are not
//! given follow from the reads: a bare axis as index has the operand's dim as its extent; an index
//! `s*a + rest` gives `(dim - 1 - max(rest)) / s + 1`. What does not fit is an error in the
//! operation's own axis names:
//!
//! ```text
//! axis k: k = 768 but 512 in a[B, S + 1, k=768] vs b[k=512, 64]
//! ```

use crate::comp::{Axis, Check, Combiner, Comp, Role};
use crate::scalar::{Pred, Scalar};
use crate::types::TensorType;
use std::cell::RefCell;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, Names};

/// A declaration in the making.
pub struct Decl {
    name: Arc<str>,
    operands: Vec<(String, TensorType)>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    axes: Vec<DeclAxis>,
    facts: Vec<Fact>,
    checks: Vec<Check>,
}

#[derive(Clone)]
struct DeclAxis {
    name: Arc<str>,
    extent: Option<Ix>,
    given: bool,
    role: Role,
}

/// `index` is an unguarded index into dim `dim` of an operand that has `size` places there.
struct Fact {
    operand: usize,
    dim: usize,
    index: Ix,
    size: Ix,
}

/// An operand of a declaration.
#[derive(Clone)]
pub struct Operand<'d> {
    decl: &'d Decl,
    position: usize,
    windows: Option<(Vec<Window>, Scalar)>,
}

/// Places around and between those of one dim of an operand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    /// Places before the first; negative takes some away.
    pub before: Ix,
    /// Places after the last; negative takes some away.
    pub after: Ix,
    /// Distance between neighbours; 1 means none between.
    pub stretch: i64,
}

impl Window {
    /// Padding alone.
    pub fn pad(before: impl Into<Ix>, after: impl Into<Ix>) -> Self {
        Self { before: before.into(), after: after.into(), stretch: 1 }
    }

    /// The number of places for a dim of size `dim`.
    pub fn size(&self, dim: &Ix) -> Ix {
        let stretched = if self.stretch == 1 { dim.clone() } else { (dim - &Ix::konst(1)) * self.stretch + 1 };
        &(&stretched + &self.before) + &self.after
    }
}

impl Decl {
    /// Starts the declaration of `name` over operands.
    pub fn new(name: &str, names: &[&str], types: &[TensorType]) -> Self {
        let called = |i: usize| names.get(i).map_or_else(|| format!("x{i}"), |n| n.to_string());
        let operands = types.iter().enumerate().map(|(i, t)| (called(i), t.clone())).collect();
        Self { name: name.into(), operands, state: RefCell::default() }
    }

    /// The number of operands.
    pub fn operands(&self) -> usize {
        self.operands.len()
    }

    /// Operand number `position`.
    pub fn operand(&self, position: usize) -> Result<Operand<'_>> {
        if position >= self.operands.len() {
            let message = format!("{} takes more than {} operands", self.name, self.operands.len());
            return Err(Diagnostic::internal(message));
        }
        Ok(Operand { decl: self, position, windows: None })
    }

    fn axis(&self, name: &str, extent: Option<Ix>, role: Role) -> Ix {
        let axes = &mut self.state.borrow_mut().axes;
        axes.push(DeclAxis { name: name.into(), given: extent.is_some(), extent, role });
        Ix::axis(axes.len() as u32 - 1)
    }

    /// A parallel axis whose extent follows from the reads.
    pub fn par(&self, name: &str) -> Ix {
        self.axis(name, None, Role::Parallel)
    }

    /// A parallel axis of a given extent.
    pub fn par_of(&self, name: &str, extent: impl Into<Ix>) -> Ix {
        self.axis(name, Some(extent.into()), Role::Parallel)
    }

    /// `n` parallel axes `name0`, `name1`, … whose extents follow from the reads.
    pub fn pars(&self, name: &str, n: usize) -> Vec<Ix> {
        (0..n).map(|i| self.par(&format!("{name}{i}"))).collect()
    }

    /// Parallel axes `name0`, `name1`, … of given extents.
    pub fn pars_of(&self, name: &str, extents: &[Ix]) -> Vec<Ix> {
        extents.iter().enumerate().map(|(i, e)| self.par_of(&format!("{name}{i}"), e.clone())).collect()
    }

    /// A reduction axis whose extent follows from the reads.
    pub fn reduce(&self, name: &str) -> Ix {
        self.axis(name, None, Role::Reduce)
    }

    /// A reduction axis of a given extent.
    pub fn reduce_of(&self, name: &str, extent: impl Into<Ix>) -> Ix {
        self.axis(name, Some(extent.into()), Role::Reduce)
    }

    /// An axis whose extent follows from the reads, along which values accumulate.
    pub fn scan(&self, name: &str, reverse: bool, exclusive: bool) -> Ix {
        self.axis(name, None, Role::Scan { reverse, exclusive })
    }

    /// Requires two sizes to be equal.
    pub fn require_equal(&self, left: &Ix, right: &Ix, about: &str) -> Result<()> {
        let difference = left - right;
        if difference.is(0) {
            return Ok(());
        }
        if difference.as_const().is_some() {
            return Err(Diagnostic::shape(format!("{about}: {left} vs {right}")));
        }
        let check = Check { left: left.clone(), right: right.clone(), about: about.into() };
        self.state.borrow_mut().checks.push(check);
        Ok(())
    }

    /// Requires a count of steps of a window to be at least zero: none fits where the window is larger
    /// than its places, and by more than a step the count would be negative.
    pub fn require_room(&self, count: &Ix, window: &Ix, places: &Ix, about: &str) -> Result<()> {
        if count.is_size() {
            return Ok(());
        }
        // 1 where the count is negative, else 0: then both sides are the window.
        let lacking = (-count.clone()).max_with(&Ix::zero()).min_with(&Ix::konst(1));
        self.require_equal(window, &(window + &(&(places - window) * &lacking)), about)
    }

    /// Finishes: infers extents, checks reads, and orders the axes.
    pub fn finish(self, combiner: Combiner, body: Scalar) -> Result<Comp> {
        self.infer()?;
        self.check_reads()?;
        let State { axes, checks, .. } = self.state.into_inner();
        let order: Vec<usize> = (0..axes.len())
            .filter(|i| axes[*i].role != Role::Reduce)
            .chain((0..axes.len()).filter(|i| axes[*i].role == Role::Reduce))
            .collect();
        let place = |i: usize| order.iter().position(|o| *o == i).unwrap_or(i);
        let map = || (0..axes.len()).map(|i| Ix::axis(place(i) as u32)).collect::<Vec<Ix>>();
        let body = if order.is_sorted() { body } else { body.subst_axes(&map()) };
        let ordered = order.iter().map(|i| {
            let a = &axes[*i];
            Axis { name: a.name.clone(), extent: a.extent.clone().unwrap_or_else(Ix::zero), role: a.role }
        });
        let mut comp = Comp::new(self.name, ordered.collect(), combiner, body);
        comp.checks = checks;
        let operands: Vec<(DType, usize)> = self.operands.iter().map(|(_, t)| (t.dtype, t.rank())).collect();
        comp.verify(&operands)?;
        Ok(comp)
    }

    fn infer(&self) -> Result<()> {
        let facts = std::mem::take(&mut self.state.borrow_mut().facts);
        for (i, f) in facts.iter().enumerate() {
            if let Some(a) = f.index.as_axis() {
                self.fix_bare(&facts, i, a as usize)?;
            }
        }
        while self.solve_one(&facts)? {}
        let open = self.state.borrow().axes.iter().find(|a| a.extent.is_none()).map(|a| a.name.clone());
        self.state.borrow_mut().facts = facts;
        match open {
            None => Ok(()),
            Some(a) => {
                Err(Diagnostic::shape(format!("no selection determines the extent of axis {a}; give its bound")))
            }
        }
    }

    /// A bare axis as index: its extent is the operand's dim.
    fn fix_bare(&self, facts: &[Fact], at: usize, a: usize) -> Result<()> {
        let size = &facts[at].size;
        let axis = self.state.borrow().axes[a].clone();
        if axis.given {
            return Ok(());
        }
        let Some(extent) = axis.extent else {
            self.state.borrow_mut().axes[a].extent = Some(size.clone());
            return Ok(());
        };
        if (&extent - size).as_const().is_some_and(|d| d != 0) {
            let bare = |f: &&Fact| f.index.as_axis() == Some(a as u32);
            let first = facts.iter().find(bare).unwrap_or(&facts[at]);
            return Err(Diagnostic::shape(format!(
                "axis {}: {} = {extent} but {size} in {} vs {}",
                axis.name,
                axis.name,
                self.show(first),
                self.show(&facts[at])
            )));
        }
        self.require_equal(&extent, size, &format!("axis {} of {}", axis.name, self.show(&facts[at])))
    }

    /// Solves one index `s*a + rest` with a single axis of unknown extent.
    fn solve_one(&self, facts: &[Fact]) -> Result<bool> {
        let axes = self.state.borrow().axes.clone();
        let known: Vec<Ix> = axes.iter().map(|a| a.extent.clone().unwrap_or_else(|| Ix::konst(1))).collect();
        for f in facts {
            let unknown: Vec<usize> =
                (0..axes.len()).filter(|a| axes[*a].extent.is_none() && f.index.uses_axis(*a as u32)).collect();
            let &[a] = unknown.as_slice() else { continue };
            let Some((s, rest)) = f.index.affine_in(a as u32) else { continue };
            let Some((_, high)) = rest.range(&known) else { continue };
            if s <= 0 {
                continue;
            }
            let extent = (&(&f.size - &Ix::konst(1)) - &high).floor_div(&Ix::konst(s)) + 1;
            let about = format!("window along axis {} exceeds its places in {}", axes[a].name, self.show(f));
            self.require_room(&extent, &(high + 1), &f.size, &about)?;
            self.state.borrow_mut().axes[a].extent = Some(extent);
            return Ok(true);
        }
        Ok(false)
    }

    /// Refuses reads that are outside whatever the symbols are.
    fn check_reads(&self) -> Result<()> {
        let state = self.state.borrow();
        let extents: Vec<Ix> = state.axes.iter().filter_map(|a| a.extent.clone()).collect();
        if extents.iter().any(|e| e.is(0)) {
            return Ok(());
        }
        let occurs = extents.iter().all(|e| (e - &Ix::konst(1)).is_size());
        for f in &state.facts {
            // A dim without places can still be read by an axis that turns out to be empty.
            if f.size.is(0) && !occurs {
                continue;
            }
            let Some((low, high)) = f.index.range(&extents) else { continue };
            let below = (Ix::konst(-1) - &low).is_size();
            let above = (&high - &f.size).is_size();
            if below || above {
                return Err(Diagnostic::shape(format!(
                    "selection {} reaches {low}..={high}, outside 0..{}",
                    self.show(f),
                    f.size
                )));
            }
        }
        Ok(())
    }

    /// Prints an operand with one index in place: `b[k=512, 64]`.
    fn show(&self, f: &Fact) -> String {
        let (name, ty) = &self.operands[f.operand];
        let state = self.state.borrow();
        let names = AxisNames(&state.axes);
        let dims: Vec<String> = ty
            .shape
            .iter()
            .enumerate()
            .map(|(d, size)| if d == f.dim { format!("{}={size}", Shown(&f.index, &names)) } else { size.to_string() })
            .collect();
        format!("{name}[{}]", dims.join(", "))
    }
}

struct AxisNames<'a>(&'a [DeclAxis]);

impl Names for AxisNames<'_> {
    fn axis(&self, a: u32) -> String {
        self.0.get(a as usize).map_or_else(|| format!("#{a}"), |x| x.name.to_string())
    }
    fn operand(&self, o: u32) -> String {
        format!("${o}")
    }
}

struct Shown<'a>(&'a Ix, &'a AxisNames<'a>);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.write(f, self.1)
    }
}

impl<'d> Operand<'d> {
    /// The dtype of the elements.
    pub fn dtype(&self) -> DType {
        self.decl.operands[self.position].1.dtype
    }

    /// The dims.
    pub fn shape(&self) -> &'d [Ix] {
        &self.decl.operands[self.position].1.shape
    }

    /// The number of dims.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// A constant of the operand's dtype.
    pub fn lit(&self, value: f64) -> Scalar {
        Scalar::konst(self.dtype(), value)
    }

    /// The same operand with places around and between its elements that read as `fill`. One window
    /// a dim; indices then count places.
    pub fn windowed(&self, windows: Vec<Window>, fill: Scalar) -> Self {
        Self { windows: Some((windows, fill)), ..self.clone() }
    }

    /// The element at an index. The index is in bounds for all points, or the declaration is in
    /// error.
    pub fn at(&self, index: &[Ix]) -> Scalar {
        let shape = self.shape();
        let mut preds = Vec::new();
        let mut inner = Vec::with_capacity(index.len());
        for (d, (ix, dim)) in index.iter().zip(shape).enumerate() {
            let window = self.windows.as_ref().and_then(|(w, _)| w.get(d));
            let size = window.map_or_else(|| dim.clone(), |w| w.size(dim));
            let fact = Fact { operand: self.position, dim: d, index: ix.clone(), size };
            self.decl.state.borrow_mut().facts.push(fact);
            inner.push(match window {
                None => ix.clone(),
                Some(w) => {
                    let place = ix - &w.before;
                    let stretch = Ix::konst(w.stretch);
                    let own = place.floor_div(&stretch);
                    if w.stretch != 1 {
                        preds.push(Pred::Eq0(place.modulo(&stretch)));
                    }
                    if w.stretch != 1 || !w.before.is(0) || !w.after.is(0) {
                        preds.extend(Pred::within(&own, dim));
                    }
                    own
                }
            });
        }
        let read = Scalar::read(self.position as u32, self.dtype(), inner);
        match &self.windows {
            None => read,
            Some((_, fill)) => Scalar::guarded(preds, read, fill.clone()),
        }
    }

    /// The element at an index where `preds` hold (and make the index legal), else `otherwise`.
    pub fn at_where(&self, preds: Vec<Pred>, index: &[Ix], otherwise: Scalar) -> Scalar {
        let read = Scalar::read(self.position as u32, self.dtype(), index.to_vec());
        Scalar::guarded(preds, read, otherwise)
    }

    /// An element of this integer operand, as part of an index.
    pub fn load(&self, index: &[Ix]) -> Ix {
        for (d, (ix, size)) in index.iter().zip(self.shape()).enumerate() {
            let fact = Fact { operand: self.position, dim: d, index: ix.clone(), size: size.clone() };
            self.decl.state.borrow_mut().facts.push(fact);
        }
        Ix::load(self.position as u32, index.to_vec())
    }
}

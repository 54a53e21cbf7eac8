//! Proofs that what is read lies in its operand.

use super::Check;
use super::part::{Part, bounds};
use crate::layout::Layout;
use std::collections::HashSet;
use tilewright_graph::scalar::{Kind, Pred, Scalar};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::{Atom, Ix};

/// Proves that the reads of a part, indexed by dims, are in range where they are evaluated.
/// Gives what must be tested of the elements of integer operands.
///
/// # Errors
/// Unsupported, where there is no proof.
pub fn prove(part: &Part, operands: &[Layout]) -> Result<Vec<Check>> {
    let extents = part.extents();
    let mut proof = Proof {
        operands,
        extents,
        known: Vec::new(),
        proved: HashSet::new(),
        order: Vec::new(),
        met: 0,
        checks: Vec::new(),
    };
    if part.axes.iter().all(|a| a.extent > 0) {
        proof.scalar(&part.body)?;
    }
    Ok(proof.checks)
}

/// The most nodes that are looked at: what is shared is looked at under each of its guards.
const MOST: usize = 1 << 16;

struct Proof<'a> {
    operands: &'a [Layout],
    extents: Vec<Ix>,
    /// What holds here.
    known: Vec<Pred>,
    /// Nodes that many may share, and are proved under no more than what holds here.
    proved: HashSet<*const Kind>,
    /// The same in the order in which they were met.
    order: Vec<*const Kind>,
    /// How many nodes were met, each under each of its guards.
    met: usize,
    checks: Vec<Check>,
}

impl Proof<'_> {
    fn scalar(&mut self, s: &Scalar) -> Result<()> {
        let node = std::ptr::from_ref(s.kind());
        if !self.proved.insert(node) {
            return Ok(());
        }
        self.order.push(node);
        self.met += 1;
        if self.met > MOST {
            return Err(Diagnostic::unsupported("what is shared under too many guards"));
        }
        match s.kind() {
            Kind::Const(_) => Ok(()),
            Kind::Index(ix) => self.loads(ix),
            Kind::Read(o, index) => self.element(*o, index),
            Kind::Call(_, args) => args.iter().try_for_each(|a| self.scalar(a)),
            Kind::Where(preds, then, otherwise) => {
                if let [Pred::Ge0(e)] = preds.as_slice() {
                    self.under(preds, then)?;
                    return self.under(&[Pred::Ge0(&Ix::konst(-1) - e)], otherwise);
                }
                // What is proved without the guard is not looked at again under it.
                self.scalar(otherwise)?;
                self.under(preds, then)
            }
        }
    }

    /// An expression where predicates hold; what is proved under them is not elsewhere.
    fn under(&mut self, preds: &[Pred], s: &Scalar) -> Result<()> {
        let (known, proved) = (self.known.len(), self.order.len());
        for p in preds {
            self.loads(p.ix())?;
            self.known.push(p.clone());
        }
        self.scalar(s)?;
        self.known.truncate(known);
        for node in self.order.drain(proved..) {
            self.proved.remove(&node);
        }
        Ok(())
    }

    /// All gathered elements in an index.
    fn loads(&mut self, ix: &Ix) -> Result<()> {
        let mut found = Ok(());
        ix.visit(&mut |a| {
            if let (Atom::Load(o, index), Ok(())) = (a, &found) {
                found = self.dims(*o, index);
            }
        });
        found
    }

    fn element(&mut self, o: u32, index: &[Ix]) -> Result<()> {
        index.iter().try_for_each(|ix| self.loads(ix))?;
        self.dims(o, index)
    }

    fn dims(&mut self, o: u32, index: &[Ix]) -> Result<()> {
        let shape = self.operands.get(o as usize).map(|l| l.shape.clone()).unwrap_or_default();
        index.iter().zip(shape).try_for_each(|(ix, n)| {
            let last = Ix::from(n) - 1;
            match self.at_least_zero(ix) && self.at_least_zero(&(&last - ix)) {
                true => Ok(()),
                false => self.check(ix, n as i64),
            }
        })
    }

    fn at_least_zero(&self, ix: &Ix) -> bool {
        let follows = |p: &Pred| match p {
            Pred::Ge0(e) => self.never_below(&(ix - e)),
            Pred::Eq0(e) => self.never_below(&(ix - e)) || self.never_below(&(ix + e)),
        };
        self.never_below(ix) || self.known.iter().any(follows)
    }

    fn never_below(&self, ix: &Ix) -> bool {
        ix.ge0(&self.extents) == Some(true) || self.low(ix).is_some_and(|low| low >= 0)
    }

    /// The least value, where a clamped element counts from its bounds.
    fn low(&self, ix: &Ix) -> Option<i64> {
        let mut sum = 0i64;
        for (product, c) in ix.terms() {
            let term = match product.as_slice() {
                [] => *c,
                [one] => {
                    let (low, high) = atom_bounds(one, &self.extents)?;
                    c.checked_mul(if *c > 0 { low } else { high })?
                }
                _ => return None,
            };
            sum = sum.checked_add(term)?;
        }
        Some(sum)
    }

    /// An element plus what is known: its operand must be tested.
    fn check(&mut self, ix: &Ix, n: i64) -> Result<()> {
        let open = || Diagnostic::unsupported("an index that is not proved to be in range");
        let is_load = |product: &[Atom]| matches!(product, [Atom::Load(..)]);
        let loads: Vec<_> = ix.terms().iter().filter(|(p, _)| is_load(p)).collect();
        let [(product, 1)] = loads.as_slice() else { return Err(open()) };
        let Some(Atom::Load(operand, _)) = product.first() else { return Err(open()) };
        let rest = ix - &Ix::atom(product[0].clone());
        let (low, high) = bounds(&rest, &self.extents).ok_or_else(open)?;
        let check = Check { operand: *operand as usize, low: -low, high: n - 1 - high };
        if !self.checks.contains(&check) {
            self.checks.push(check);
        }
        Ok(())
    }
}

/// Bounds of an atom; gathered elements count as any i64.
fn atom_bounds(atom: &Atom, extents: &[Ix]) -> Option<(i64, i64)> {
    let of = |ix: &Ix| wide_bounds(ix, extents);
    match atom {
        Atom::Load(..) => Some((i64::MIN, i64::MAX)),
        Atom::Min(a, b) => {
            let ((al, ah), (bl, bh)) = (of(a)?, of(b)?);
            Some((al.min(bl), ah.min(bh)))
        }
        Atom::Max(a, b) => {
            let ((al, ah), (bl, bh)) = (of(a)?, of(b)?);
            Some((al.max(bl), ah.max(bh)))
        }
        Atom::Mod(_, k) => k.as_const().filter(|k| *k > 0).map(|k| (0, k - 1)),
        Atom::Div(e, k) => {
            let ((low, high), k) = (of(e)?, k.as_const().filter(|k| *k > 0)?);
            Some((low.div_euclid(k), high.div_euclid(k)))
        }
        other => bounds(&Ix::atom(other.clone()), extents),
    }
}

/// Bounds of an index in saturating arithmetic.
fn wide_bounds(ix: &Ix, extents: &[Ix]) -> Option<(i64, i64)> {
    let (mut low, mut high) = (0i64, 0i64);
    for (product, c) in ix.terms() {
        let (l, h) = match product.as_slice() {
            [] => (1, 1),
            [one] => atom_bounds(one, extents)?,
            _ => return None,
        };
        let (l, h) = if *c >= 0 { (l, h) } else { (h, l) };
        (low, high) = (low.saturating_add(l.saturating_mul(*c)), high.saturating_add(h.saturating_mul(*c)));
    }
    Some((low, high))
}

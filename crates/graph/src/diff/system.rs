//! Systems of equations between *known* axes (the places of an operand) and *unknown* ones (the
//! points of a domain), solved exactly over the integers.
//!
//! Until no equation is left, the first rule that fits is applied:
//!
//! 1. no unknown left: the equation is a guard;
//! 2. *unit*: a single unknown, `s*a + c = 0`: a quotient, with divisibility as a guard;
//! 3. *name*: `e div k` and `e mod k` become new unknowns `z` and `t` with `e = k*z + t`;
//! 4. *digits*: a mixed radix number, read off digit by digit (reshape, pooling without overlap);
//! 5. *eliminate*: one of several unknowns by the others (window); where its coefficient is `s > 1`
//!    and one other unknown is not a multiple of `s`, that one is *split* by its remainder;
//! 6. *mask*: the equation becomes a guard, and its unknowns stay.
//!
//! Unknowns that nothing determines are the residual axes. Naming can chase its own tail; then the
//! system is solved again without it. Every rule keeps the set of solutions, and masks always
//! apply: inversion never fails, a mask only makes it slow.

use super::invert::Inverse;
use super::linear::{Linear, uses};
use crate::scalar::Pred;
use tilewright_tensor::ix::{Atom, Ix};

/// The number of atoms an equation may have.
const LONGEST: usize = 200;

fn atoms(e: &Ix) -> usize {
    let mut n = 0;
    e.visit(&mut |_| n += 1);
    n
}

/// The state of a solution.
#[derive(Clone)]
pub(super) struct System {
    /// Axes below this are known.
    known: usize,
    /// Unknown axes below this are eliminated before others.
    preferred: usize,
    extents: Vec<Ix>,
    /// What an axis was found to be, in terms of known and unknown ones; `None` of those.
    values: Vec<Option<Ix>>,
    equations: Vec<Ix>,
    guards: Vec<Pred>,
}

impl System {
    /// Equations, each an expression that is 0, over known axes and then those of a domain.
    pub fn new(known: &[Ix], domain: &[Ix], parallel: usize, equations: Vec<Ix>) -> Self {
        let unit = |e: &Ix| e.is(1).then(Ix::zero);
        Self {
            known: known.len(),
            preferred: known.len() + parallel,
            extents: [known, domain].concat(),
            values: vec![None; known.len()].into_iter().chain(domain.iter().map(unit)).collect(),
            equations,
            guards: Vec::new(),
        }
    }

    /// Solves; `None` when the steps run out, or expressions grow out of bounds.
    pub fn run(mut self, naming: bool) -> Option<Self> {
        let limit = 4 * (self.extents.len() + self.equations.len()) + 8;
        for _ in 0..limit {
            self.settle();
            if self.equations.is_empty() {
                return Some(self);
            }
            if self.equations.iter().any(|f| atoms(f) > LONGEST) {
                return None;
            }
            if !(self.unit() || naming && self.name() || self.digits() || self.eliminate()) {
                let mask = self.equations.remove(0);
                self.guards.push(Pred::Eq0(mask));
            }
        }
        None
    }

    /// The system with every equation as a guard.
    pub fn masked(mut self) -> Self {
        self.guards.extend(std::mem::take(&mut self.equations).into_iter().map(Pred::Eq0));
        self
    }

    /// The solutions for the first `domain` unknown axes.
    pub fn finish(self, domain: usize) -> Inverse {
        let open: Vec<usize> = (self.known..self.extents.len()).filter(|a| self.values[*a].is_none()).collect();
        let place = |a: usize| open.iter().position(|o| *o == a).map_or(a, |j| self.known + j);
        let renamed: Vec<Ix> = (0..self.extents.len()).map(|a| Ix::axis(place(a) as u32)).collect();
        let value = |a: usize| self.values[a].as_ref().map_or_else(|| renamed[a].clone(), |v| v.subst_axes(&renamed));
        let values: Vec<Ix> = (0..self.extents.len()).map(value).collect();
        Inverse {
            axes: values[self.known..self.known + domain].to_vec(),
            residual: open.iter().map(|a| self.extents[*a].clone()).collect(),
            guards: self.guards.iter().map(|p| p.map(&|e| e.subst_axes(&values))).collect(),
            equal: Vec::new(),
        }
    }

    fn unknown(&self, a: u32) -> bool {
        a as usize >= self.known && self.values[a as usize].is_none()
    }

    fn has_unknown(&self, atom: &Atom) -> bool {
        uses(atom, &|a| self.unknown(a))
    }

    /// Puts in what is solved; equations without unknowns, and gathers of unknowns, become guards.
    fn settle(&mut self) {
        let value = |a: usize| self.values[a].clone().unwrap_or_else(|| Ix::axis(a as u32));
        let values: Vec<Ix> = (0..self.extents.len()).map(value).collect();
        for f in std::mem::take(&mut self.equations) {
            let f = f.subst_axes(&values).simplify(&self.extents);
            let mut open = false;
            let mut gathers = false;
            f.visit(&mut |a| {
                open |= matches!(a, Atom::Axis(a) if self.unknown(*a));
                gathers |= matches!(a, Atom::Load(..)) && self.has_unknown(a);
            });
            match open && !gathers {
                true => self.equations.push(f),
                false if f.is(0) => {}
                false => self.guards.push(Pred::Eq0(f)),
            }
        }
    }

    /// The first equation that is linear and that `pick` finds something in.
    fn find<T>(&self, pick: impl Fn(&Self, &Linear) -> Option<T>) -> Option<(usize, T)> {
        let linear = |f: &Ix| Linear::of(f, &|a| self.unknown(a));
        let mut all = self.equations.iter().enumerate();
        all.find_map(|(i, f)| Some((i, linear(f).and_then(|l| pick(self, &l))?)))
    }

    fn solve(&mut self, a: u32, value: Ix) {
        self.guards.extend(Pred::within(&Ix::axis(a), &self.extents[a as usize]));
        let put = |x: &Atom| (*x == Atom::Axis(a)).then(|| value.clone());
        for v in self.values.iter_mut().flatten() {
            *v = v.subst(&put);
        }
        self.values[a as usize] = Some(value);
    }

    fn require_multiple(&mut self, e: &Ix, of: i64) {
        let left = e.modulo(&Ix::konst(of));
        if !left.is(0) {
            self.guards.push(Pred::Eq0(left));
        }
    }

    /// A new unknown.
    fn fresh(&mut self, extent: Ix) -> Ix {
        if extent.is(1) {
            return Ix::zero();
        }
        self.extents.push(extent);
        self.values.push(None);
        Ix::axis(self.extents.len() as u32 - 1)
    }

    fn unit(&mut self) -> bool {
        let single = |_: &Self, l: &Linear| match l.terms.as_slice() {
            [(a, s)] => s.as_const().filter(|s| *s != 0).map(|s| (*a, s, l.rest.clone())),
            _ => None,
        };
        let Some((i, (a, s, rest))) = self.find(single) else { return false };
        self.equations.remove(i);
        let e = if s < 0 { rest } else { -rest };
        self.require_multiple(&e, s.abs());
        self.solve(a, e.floor_div(&Ix::konst(s.abs())));
        true
    }

    /// The first quotient or remainder of unknowns whose range is known.
    fn quotient(&self) -> Option<(Ix, Ix, Ix, Ix)> {
        let atoms = self.equations.iter().flat_map(|f| f.terms()).flat_map(|(m, _)| m);
        atoms.filter(|a| self.has_unknown(a)).find_map(|a| match a {
            Atom::Div(e, k) | Atom::Mod(e, k) if k.is_dim() => {
                let (low, high) = e.range(&self.extents)?;
                let low = low.floor_div(k);
                let count = (high.floor_div(k) - &low + 1).max_with(&Ix::zero());
                Some((e.clone(), k.clone(), low, count))
            }
            _ => None,
        })
    }

    fn name(&mut self) -> bool {
        let Some((e, k, low, count)) = self.quotient() else { return false };
        let z = self.fresh(count) + low;
        let t = self.fresh(k.clone());
        let named = |a: &Atom| match a {
            Atom::Div(f, j) if (f, j) == (&e, &k) => Some(z.clone()),
            Atom::Mod(f, j) if (f, j) == (&e, &k) => Some(t.clone()),
            _ => None,
        };
        self.equations = self.equations.iter().map(|f| f.subst(&named)).collect();
        self.equations.push(&(&e - &(&z * &k)) - &t);
        true
    }

    fn digits(&mut self) -> bool {
        let found = self.find(|s, l| s.radix(l).or_else(|| s.radix(&l.negated())));
        let Some((i, (order, mut left))) = found else { return false };
        self.equations.remove(i);
        for (a, c) in order {
            self.require_positive(&c);
            self.solve(a, left.floor_div(&c));
            left = left.modulo(&c);
        }
        if !left.is(0) {
            self.guards.push(Pred::Eq0(left));
        }
        true
    }

    /// The unknowns as digits from the highest to the lowest, and the number they make up.
    fn radix(&self, l: &Linear) -> Option<(Vec<(u32, Ix)>, Ix)> {
        let mut open = l.terms.clone();
        let mut order = Vec::with_capacity(open.len());
        while !open.is_empty() {
            let top = (0..open.len()).find(|i| open.iter().all(|(_, c)| (&open[*i].1 - c).is_size()))?;
            order.push(open.swap_remove(top));
        }
        let mut below = Ix::zero();
        for (a, c) in order.iter().rev() {
            if !(&(c - &Ix::konst(1)) - &below).is_size() {
                return None;
            }
            below = &below + &(c * &(&self.extents[*a as usize] - &Ix::konst(1)));
        }
        Some((order, -l.rest.clone()))
    }

    /// Guards against a symbolic radix of 0, unless a place could not exist then.
    fn require_positive(&mut self, c: &Ix) {
        let below = c - &Ix::konst(1);
        let factor = |e: &Ix| match (e.terms(), c.terms()) {
            ([(m, _)], [(own, _)]) => own.iter().all(|a| m.contains(a)),
            _ => false,
        };
        if !below.is_size() && !self.extents[..self.known].iter().any(factor) {
            self.guards.push(Pred::Ge0(below));
        }
    }

    fn eliminate(&mut self) -> bool {
        let Some((i, (a, s, l))) = self.find(|system, l| system.candidate(l)) else { return false };
        self.equations.remove(i);
        let divided = |c: &Ix| c.as_const().is_some_and(|c| c % s == 0);
        let others: Vec<(u32, Ix)> = l.terms.iter().filter(|(x, _)| *x != a).cloned().collect();
        let odd: Vec<&(u32, Ix)> = others.iter().filter(|(_, c)| !divided(c)).collect();
        let less = |e: Ix, (x, c): &(u32, Ix)| e - c * &Ix::axis(*x);
        if let [(x, d)] = odd.as_slice()
            && let Some(d) = d.as_const()
        {
            let e = others.iter().filter(|(_, c)| divided(c)).fold(-l.rest, less);
            self.split((a, s), (*x, d), &e);
        } else {
            let e = others.iter().fold(-l.rest, less);
            self.require_multiple(&e, s);
            self.solve(a, e.floor_div(&Ix::konst(s)));
        }
        true
    }

    /// The unknown to eliminate, its coefficient made positive, and the equation likewise: a
    /// preferred axis, then one of symbolic extent, then the longest.
    fn candidate(&self, l: &Linear) -> Option<(u32, i64, Linear)> {
        let rank = |a: u32| {
            let late = a as usize >= self.preferred;
            (late, self.extents[a as usize].as_const().map(std::cmp::Reverse))
        };
        let usable = l.terms.iter().filter_map(|(a, c)| Some((*a, c.as_const().filter(|c| *c != 0)?)));
        let (a, s) = usable.min_by_key(|(a, _)| rank(*a))?;
        Some((a, s.abs(), if s < 0 { l.negated() } else { l.clone() }))
    }

    /// Solves `s*a + d*x = e` where `s` does not divide `d`: `x = m*q + rho` with a new unknown `q`.
    fn split(&mut self, (a, s): (u32, i64), (x, d): (u32, i64), e: &Ix) {
        let g = gcd(s, d);
        let m = Ix::konst(s / g);
        self.require_multiple(e, g);
        let rho = (e.floor_div(&Ix::konst(g)) * inverse(d / g, s / g)).modulo(&m);
        let q = self.fresh(self.extents[x as usize].ceil_div(&m));
        let s = Ix::konst(s);
        let left = (e.modulo(&s) - &rho * d).floor_div(&s);
        self.solve(x, &q * &m + &rho);
        self.solve(a, e.floor_div(&s) + left - q * (d / g));
    }
}

/// The greatest common divisor, positive unless both are 0.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// The inverse of `a` modulo `m`, which have no common divisor.
fn inverse(a: i64, m: i64) -> i64 {
    let (mut r, mut next, mut t, mut after) = (m, a.rem_euclid(m), 0, 1);
    while next != 0 {
        let q = r / next;
        (r, next, t, after) = (next, r - q * next, after, t - q * after);
    }
    t.rem_euclid(m)
}

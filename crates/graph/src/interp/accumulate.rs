//! Accumulators: how lanes are combined over reduction points, wider than they are stored.

use crate::comp::Combiner;
use crate::scalars::Lanes;
use tilewright_tensor::{DType, convert};

/// One accumulator a lane.
pub struct Accumulator {
    combiner: Combiner,
    dtype: DType,
    values: Lanes,
    /// Row-major position of the best so far; -1 before the first.
    positions: Vec<i64>,
}

impl Accumulator {
    /// `n` accumulators for a body of dtype `dtype`.
    pub fn new(combiner: Combiner, dtype: DType, n: usize) -> Self {
        let values = identity(combiner, dtype, n);
        let positions = if combiner.is_arg() { vec![-1; n] } else { Vec::new() };
        Self { combiner, dtype, values, positions }
    }

    /// Back to the identity, for `n` lanes.
    pub fn reset(&mut self, n: usize) {
        *self = Self::new(self.combiner, self.dtype, n);
    }

    /// The float accumulators, for sums formed elsewhere.
    pub fn floats(&mut self) -> Option<&mut [f64]> {
        match &mut self.values {
            Lanes::F(v) => Some(v),
            Lanes::I(_) => None,
        }
    }

    /// Combines lane `i` of `lanes` into accumulator `i`; all stand at reduction point `at`.
    pub fn add(&mut self, lanes: &Lanes, at: i64) {
        if self.combiner.is_arg() {
            for i in 0..self.positions.len() {
                self.challenge(i, lanes, i, at);
            }
            return;
        }
        let (combiner, dtype) = (self.combiner, self.dtype);
        match (&mut self.values, lanes) {
            (Lanes::F(acc), Lanes::F(v)) => acc.iter_mut().zip(v).for_each(|(a, x)| *a = float(combiner, *a, *x)),
            (Lanes::I(acc), Lanes::I(v)) => acc.iter_mut().zip(v).for_each(|(a, x)| *a = int(combiner, dtype, *a, *x)),
            _ => {}
        }
    }

    /// Combines all lanes into accumulator 0; lane `i` stands at reduction point `at + i*step`.
    pub fn fold(&mut self, lanes: &Lanes, at: i64, step: i64) {
        if self.combiner.is_arg() {
            for i in 0..lanes.f().len().max(lanes.i().len()) {
                self.challenge(0, lanes, i, at + step * i as i64);
            }
            return;
        }
        let (combiner, dtype) = (self.combiner, self.dtype);
        match (&mut self.values, lanes) {
            (Lanes::F(acc), Lanes::F(v)) => acc[0] = v.iter().fold(acc[0], |a, x| float(combiner, a, *x)),
            (Lanes::I(acc), Lanes::I(v)) => acc[0] = v.iter().fold(acc[0], |a, x| int(combiner, dtype, a, *x)),
            _ => {}
        }
    }

    /// Whether the value at point `at` takes the place of the best of accumulator `slot`.
    fn challenge(&mut self, slot: usize, lanes: &Lanes, lane: usize, at: i64) {
        let (last, most) = match self.combiner {
            Combiner::ArgMax { last } => (last, true),
            Combiner::ArgMin { last } => (last, false),
            _ => return,
        };
        let best = self.positions[slot];
        let unsigned = self.dtype == DType::U64;
        let (beats, ties) = match (&self.values, lanes) {
            (Lanes::F(acc), Lanes::F(v)) => {
                let (a, x) = (acc[slot], v[lane]);
                let beats = !a.is_nan() && (x.is_nan() || if most { x > a } else { x < a });
                (beats, a == x || (a.is_nan() && x.is_nan()))
            }
            (Lanes::I(acc), Lanes::I(v)) => {
                let flip = |x: i64| if unsigned { x ^ i64::MIN } else { x };
                let (a, x) = (flip(acc[slot]), flip(v[lane]));
                (if most { x > a } else { x < a }, a == x)
            }
            _ => return,
        };
        let later = if last { at > best } else { at < best };
        if best < 0 || beats || (ties && later) {
            self.positions[slot] = at;
            match (&mut self.values, lanes) {
                (Lanes::F(acc), Lanes::F(v)) => acc[slot] = v[lane],
                (Lanes::I(acc), Lanes::I(v)) => acc[slot] = v[lane],
                _ => {}
            }
        }
    }

    /// The results, rounded or wrapped to the dtype.
    pub fn finish(&self) -> Lanes {
        if self.combiner.is_arg() {
            return Lanes::I(self.positions.iter().map(|p| (*p).max(0)).collect());
        }
        match &self.values {
            Lanes::F(v) => {
                let mut v = v.clone();
                convert::round_slice(self.dtype, &mut v, false);
                Lanes::F(v)
            }
            Lanes::I(v) if self.dtype == DType::String => Lanes::I(v.clone()),
            Lanes::I(v) => Lanes::I(v.iter().map(|x| convert::wrap_to(self.dtype, *x)).collect()),
        }
    }
}

fn identity(combiner: Combiner, dtype: DType, n: usize) -> Lanes {
    let (low, high) = convert::int_bounds(dtype);
    let (float, int) = match combiner {
        Combiner::Map | Combiner::Sum | Combiner::Any => (0.0, 0),
        Combiner::Prod | Combiner::All => (1.0, 1),
        Combiner::Max | Combiner::ArgMax { .. } => (f64::NEG_INFINITY, low),
        Combiner::Min | Combiner::ArgMin { .. } => (f64::INFINITY, high),
    };
    if dtype.is_float() { Lanes::F(vec![float; n]) } else { Lanes::I(vec![int; n]) }
}

/// Combines two floats.
#[inline]
pub fn float(combiner: Combiner, a: f64, x: f64) -> f64 {
    match combiner {
        Combiner::Sum => a + x,
        Combiner::Prod => a * x,
        Combiner::Max if a.is_nan() || x > a || x.is_nan() => {
            if a.is_nan() {
                a
            } else {
                x
            }
        }
        Combiner::Min if a.is_nan() || x < a || x.is_nan() => {
            if a.is_nan() {
                a
            } else {
                x
            }
        }
        Combiner::Max | Combiner::Min => a,
        _ => x,
    }
}

/// Combines two integers or bools.
#[inline]
pub fn int(combiner: Combiner, dtype: DType, a: i64, x: i64) -> i64 {
    let flip = |x: i64| if dtype == DType::U64 { x ^ i64::MIN } else { x };
    match combiner {
        Combiner::Sum => a.wrapping_add(x),
        Combiner::Prod => a.wrapping_mul(x),
        Combiner::Max => {
            if flip(x) > flip(a) {
                x
            } else {
                a
            }
        }
        Combiner::Min => {
            if flip(x) < flip(a) {
                x
            } else {
                a
            }
        }
        Combiner::Any => a | x,
        Combiner::All => a & x,
        _ => x,
    }
}

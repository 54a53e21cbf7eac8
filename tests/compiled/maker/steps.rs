//! Elementwise operations, views, and what puts values together.

use super::{Maker, NUMBERS};
use std::sync::Arc;
use tilewright_graph::decl::Window;
use tilewright_graph::ops::{self, Bounds, Concat, Gather, GatherElements, Pad, Slice, Update};
use tilewright_graph::{Combine, Func, Scalar, Scatter, ValueId};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Ix, volume};

/// Functions of two floats that keep whole numbers whole.
const WHOLE: [Func; 7] = [Func::Add, Func::Sub, Func::Mul, Func::Max, Func::Min, Func::Mod, Func::Rem];
const INTS: [Func; 6] = [Func::Div, Func::And, Func::Or, Func::Xor, Func::Shl, Func::Shr];
const COMPARE: [Func; 6] = [Func::Lt, Func::Le, Func::Gt, Func::Ge, Func::Eq, Func::Ne];
const ROUNDING: [Func; 7] = [Func::Neg, Func::Abs, Func::Sign, Func::Floor, Func::Ceil, Func::Trunc, Func::RoundEven];
const ROUGH: [Func; 9] =
    [Func::Exp, Func::Tanh, Func::Sqrt, Func::Log, Func::Erf, Func::Sigmoid, Func::Sin, Func::Expm1, Func::Atan];

impl Maker {
    pub(super) fn elementwise(&mut self) -> Option<ValueId> {
        let x = self.any();
        let dtype = self.b.dtype(x).unwrap();
        if self.random.chance(30) {
            let number = self.random.pick(&NUMBERS);
            let to = self.random.pick(&[DType::F32, DType::I64, DType::F16, DType::Bool, number, number]);
            let x = self.tame(x)?;
            return self.b.cast(x, to).ok();
        }
        let y = self.any();
        let same = self.b.dtype(y).unwrap() == dtype;
        let two = |f: Func| move |a: &[Scalar]| Scalar::call(f, a.to_vec());
        if dtype == DType::Bool {
            let f = self.random.pick(&[Func::And, Func::Or, Func::Xor]);
            let found = if same { self.b.map(&[x, y], two(f)) } else { self.b.map(&[x], |a| a[0].not()) };
            return found.ok();
        }
        if same && self.random.chance(20) {
            let f = self.random.pick(&COMPARE);
            let chosen = self.random.chance(50);
            let choose = |a: &[Scalar]| match Scalar::call(f, a.to_vec()) {
                truth if chosen => truth.select(&a[0], &a[1]),
                truth => truth,
            };
            return self.b.map(&[x, y], choose).ok();
        }
        if same && self.random.chance(60) {
            let ints = if dtype.is_float() { &[Func::Add, Func::Mul][..] } else { &INTS };
            let f = if self.random.chance(70) { self.random.pick(&WHOLE) } else { self.random.pick(ints) };
            let f = if dtype.is_float() && !self.style.exact && self.random.chance(20) { Func::Div } else { f };
            let v = self.b.map(&[x, y], two(f)).ok()?;
            return self.tame(v);
        }
        let f = match (dtype.is_float(), self.style.exact) {
            (false, _) => self.random.pick(&[Func::Neg, Func::Abs, Func::Not, Func::Sign]),
            (true, true) => self.random.pick(&ROUNDING),
            (true, false) if self.random.chance(40) => self.random.pick(&ROUNDING),
            (true, false) => self.random.pick(&ROUGH),
        };
        let v = self.b.map(&[x], two(f)).ok()?;
        self.tame(v)
    }

    pub(super) fn view(&mut self) -> Option<ValueId> {
        let x = self.any();
        let dims = self.dims(x);
        let rank = dims.len();
        match self.random.below(6) {
            0 | 1 => {
                let order = self.random.permutation(rank);
                self.b.apply(&ops::Permute { order }, &[x]).ok()
            }
            2 => {
                let shape = if self.random.chance(50) { dims } else { vec![volume(&dims)] };
                self.b.apply(&ops::Reshape { shape }, &[x]).ok()
            }
            3 => {
                let shape = if self.random.chance(50) { dims } else { [vec![2.into()], dims].concat() };
                self.b.apply(&ops::Broadcast { shape }, &[x]).ok()
            }
            4 => self.part(x, &dims),
            _ => {
                let back = |d: &Ix| d.as_const().is_some_and(|n| n > 1);
                let flip: Vec<bool> = dims.iter().map(|d| back(d) && self.random.chance(40)).collect();
                let starts = dims.iter().zip(&flip).map(|(d, f)| if *f { d - &Ix::konst(1) } else { Ix::zero() });
                let steps = flip.iter().map(|f| if *f { -1 } else { 1 }).collect();
                self.b.apply(&Slice { starts: starts.collect(), steps, sizes: dims }, &[x]).ok()
            }
        }
    }

    /// A slice with any starts, steps and sizes, none included.
    fn part(&mut self, x: ValueId, dims: &[Ix]) -> Option<ValueId> {
        let mut slice = Slice { starts: vec![], steps: vec![], sizes: vec![] };
        for d in dims {
            let whole = (Ix::zero(), 1, d.clone());
            let (start, step, size) = match d.as_const() {
                Some(n) if n > 0 && self.random.chance(60) => {
                    let (start, step) = (self.random.below(n as usize) as i64, 1 + self.random.below(3) as i64);
                    let back = self.random.chance(40);
                    let room = if back { start / step + 1 } else { (n - 1 - start) / step + 1 };
                    let size = if self.random.chance(5) { 0 } else { 1 + self.random.below(room as usize) as i64 };
                    (Ix::konst(start), if back { -step } else { step }, Ix::konst(size))
                }
                _ => whole,
            };
            slice.starts.push(start);
            slice.steps.push(step);
            slice.sizes.push(size);
        }
        self.b.apply(&slice, &[x]).ok()
    }

    pub(super) fn assembly(&mut self) -> Option<ValueId> {
        let x = self.any();
        let dims = self.dims(x);
        let rank = Some(dims.len()).filter(|r| *r > 0)?;
        let axis = self.random.below(rank);
        let dtype = self.b.dtype(x).ok()?;
        match self.random.below(7) {
            0 | 1 => {
                let fits = |s: &Self, v: ValueId| s.b.dtype(v).unwrap() == dtype && s.b.rank(v).unwrap() == rank;
                let others: Vec<ValueId> = (0..3).map(|_| self.any()).collect();
                let y = others.into_iter().find(|v| fits(self, *v)).unwrap_or(x);
                let parts = if self.random.chance(50) { vec![x, y] } else { vec![y, x, x] };
                self.b.apply(&Concat { axis }, &parts).ok()
            }
            2 => {
                let windows = dims.iter().map(|_| Window {
                    before: (self.random.below(4) as i64 - 1).into(),
                    after: (self.random.below(4) as i64 - 1).into(),
                    stretch: 1 + self.random.below(5) as i64 / 4,
                });
                let windows = windows.collect();
                let fill = self.b.scalar(dtype, 1.0).ok()?;
                self.b.apply(&Pad { windows }, &[x, fill]).ok()
            }
            3 => self.gather(x, axis, &dims),
            4 => {
                let shape: Vec<usize> = dims.iter().map(|d| d.as_const().map(|n| n as usize)).collect::<Option<_>>()?;
                let n = *shape.get(axis).filter(|n| **n > 0)?;
                let count = shape.iter().product::<usize>();
                let at: Vec<i64> = (0..count).map(|_| self.random.below(n) as i64).collect();
                let at = tilewright_tensor::Tensor::from_i64(DType::I64, &shape, &at).ok()?;
                let at = self.b.constant(at);
                self.b.apply(&GatherElements { axis }, &[x, at]).ok()
            }
            5 => {
                let block = self.part(x, &dims)?;
                let starts = (0..rank).map(|_| self.random.below(3).into()).collect();
                self.b.apply(&Update { starts }, &[x, block]).ok()
            }
            _ => self.scatter(x, &dims),
        }
    }

    fn gather(&mut self, x: ValueId, axis: usize, dims: &[Ix]) -> Option<ValueId> {
        let bounds = self.random.pick(&[Bounds::Clamp, Bounds::Fill, Bounds::Error]);
        let numbers = self.any();
        let dtype = self.random.pick(&[DType::I64, DType::I32, DType::U8]);
        let at = match self.random.below(3) {
            0 => self.b.cast(numbers, dtype).ok()?,
            _ => {
                let n = self.random.below(4);
                self.filled(dtype, &[n])
            }
        };
        let at = match (bounds, dims[axis].as_const()) {
            (Bounds::Error, Some(n)) if n > 0 => {
                self.b.map(&[at], |a| Scalar::call(Func::Mod, vec![a[0].clone(), a[0].lit(n.min(100) as f64)])).ok()?
            }
            _ => at,
        };
        self.b.apply(&Gather { axis, bounds }, &[x, at]).ok()
    }

    fn scatter(&mut self, x: ValueId, dims: &[Ix]) -> Option<ValueId> {
        let dtype = self.b.dtype(x).ok().filter(|d| *d != DType::Bool)?;
        let axes: Vec<(Arc<str>, Ix)> = dims.iter().map(|d| ("i".into(), d.clone())).collect();
        let mut index: Vec<Ix> = (0..dims.len() as u32).map(Ix::axis).collect();
        let body = Scalar::read(0, dtype, index.clone());
        let back = self.random.chance(30);
        let first = &mut index[0];
        if back {
            *first = &(&dims[0] - &Ix::konst(1)) - &*first;
        } else if self.random.chance(40) {
            *first = first.floor_div(&Ix::konst(2));
        }
        let combine = self.random.pick(&[Combine::Add, Combine::Max, Combine::Min, Combine::Replace]);
        let v = self.b.scatter(Scatter { axes, index, body, combine }, &[x]).ok()?;
        self.tame(v)
    }

    pub(super) fn constant(&mut self) -> Option<ValueId> {
        let shape: Vec<usize> = (0..self.random.below(3)).map(|_| self.random.below(4)).collect();
        let number = self.random.pick(&NUMBERS);
        let dtype = self.random.pick(&[DType::F32, DType::I64, DType::Bool, number]);
        Some(self.filled(dtype, &shape))
    }
}

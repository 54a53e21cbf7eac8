//! Convolution of any rank, plain and transposed.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::{Decl, Window};
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The attributes of a convolution over `n` spatial dims.
#[derive(Clone)]
pub struct Conv {
    /// Step of the output, one a spatial dim.
    pub strides: Vec<i64>,
    /// Distance between taps.
    pub dilations: Vec<i64>,
    /// Distance between neighbours of the input; above 1 for transposed convolution.
    pub input_dilations: Vec<i64>,
    /// Places before and after the (dilated) input; a tap there is absent.
    pub pads: Vec<(Ix, Ix)>,
    /// Groups of channels.
    pub groups: i64,
    /// The weights are `[C, O/groups, taps…]` and taps run backwards, as in the adjoint.
    pub transposed: bool,
    /// The dtype in which products are formed and summed, where it is not the operands' own.
    pub accumulate: Option<DType>,
}

impl Conv {
    /// Stride 1, no padding, no dilation, one group.
    pub fn plain(spatial: usize) -> Self {
        Self {
            strides: vec![1; spatial],
            dilations: vec![1; spatial],
            input_dilations: vec![1; spatial],
            pads: vec![(Ix::zero(), Ix::zero()); spatial],
            groups: 1,
            transposed: false,
            accumulate: None,
        }
    }

    fn check(&self, spatial: usize) -> Result<()> {
        let lengths = [self.strides.len(), self.dilations.len(), self.input_dilations.len(), self.pads.len()];
        if lengths.iter().any(|n| *n != spatial) {
            return Err(Diagnostic::shape(format!("attributes for {lengths:?} of {spatial} spatial dims")));
        }
        let steps = self.strides.iter().chain(&self.dilations).chain(&self.input_dilations);
        if steps.chain([&self.groups]).any(|s| *s < 1) {
            return Err(Diagnostic::shape("strides, dilations and groups must be at least 1"));
        }
        Ok(())
    }
}

impl Structured for Conv {
    const NAME: &'static str = "conv";
    const DOC: &'static str = "Convolution (cross-correlation) of `x [N, C, spatial…]` with `w [O, C/groups, taps…]` to \
        `[N, O, spatial…]`; transposed, `w` is `[C, O/groups, taps…]`. Taps that fall on padding are absent.";
    const OPERANDS: &'static [&'static str] = &["x", "w"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (x, w) = (d.operand(0)?, d.operand(1)?);
        let spatial = x.rank().saturating_sub(2);
        if x.rank() < 2 || w.rank() != x.rank() {
            return Err(Diagnostic::shape(format!("x has rank {}, w has rank {}", x.rank(), w.rank())));
        }
        self.check(spatial)?;
        let groups = Ix::konst(self.groups);
        let (out_axis, in_axis) = if self.transposed { (1, 0) } else { (0, 1) };
        let out_per_group = w.shape()[out_axis].clone();
        let (out, in_per_group) = if self.transposed {
            (&out_per_group * &groups, w.shape()[in_axis].floor_div(&groups))
        } else {
            (out_per_group, w.shape()[in_axis].clone())
        };
        d.require_equal(&(&in_per_group * &groups), &x.shape()[1], "channels of w times groups, and of x")?;
        let total = if self.transposed { &w.shape()[in_axis] } else { &out };
        d.require_equal(&total.modulo(&groups), &Ix::zero(), "channels of w left over by groups")?;
        let per_group = out.floor_div(&groups);
        let n = d.par("n");
        let o = d.par_of("o", out);
        let y = d.pars("y", spatial);
        let c = d.reduce_of("c", in_per_group.clone());
        let r: Vec<Ix> = (0..spatial).map(|i| d.reduce_of(&format!("r{i}"), w.shape()[2 + i].clone())).collect();
        let group = if self.groups == 1 { Ix::zero() } else { o.floor_div(&per_group) };
        let channel = &(&group * &in_per_group) + &c;
        let (mut at, mut windows) = (vec![n, channel.clone()], vec![Window::pad(0, 0); 2]);
        for i in 0..spatial {
            let tap = if self.transposed { &(&w.shape()[2 + i] - &r[i]) - &Ix::konst(1) } else { r[i].clone() };
            at.push(&y[i] * self.strides[i] + tap * self.dilations[i]);
            let (before, after) = self.pads[i].clone();
            windows.push(Window { before, after, stretch: self.input_dilations[i] });
        }
        let own = if self.groups == 1 { o.clone() } else { o.modulo(&per_group) };
        let mut weight = if self.transposed { vec![channel, own] } else { vec![o, c] };
        weight.extend(r);
        let (x, w) = (x.windowed(windows, x.lit(0.0)).at(&at), w.at(&weight));
        let product = match self.accumulate {
            Some(t) => x.cast(t) * w.cast(t),
            None => x.taps(&w),
        };
        Ok((Combiner::Sum, product))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let pads = |n: &[(i64, i64)]| n.iter().map(|(a, b)| (Ix::konst(*a), Ix::konst(*b))).collect::<Vec<_>>();
        let two = Self::plain(2);
        vec![
            (Self::plain(1), vec![f32s(&[1, 2, 6]), f32s(&[3, 2, 3])]),
            (Self { pads: pads(&[(1, 1), (1, 1)]), ..two.clone() }, vec![f32s(&[2, 3, 5, 4]), f32s(&[2, 3, 3, 3])]),
            (
                Self { strides: vec![2, 3], pads: pads(&[(1, 0), (2, 1)]), ..two.clone() },
                vec![f32s(&[1, 2, 7, 8]), f32s(&[2, 2, 3, 2])],
            ),
            (Self { dilations: vec![2, 1], ..two.clone() }, vec![f32s(&[1, 1, 6, 5]), f32s(&[2, 1, 2, 3])]),
            (
                Self { groups: 2, pads: pads(&[(1, 1), (0, 0)]), ..two.clone() },
                vec![f32s(&[1, 4, 3, 3]), f32s(&[6, 2, 2, 2])],
            ),
            (Self { groups: 3, ..Self::plain(1) }, vec![f32s(&[2, 3, 5]), f32s(&[3, 1, 2])]),
            (
                Self { input_dilations: vec![2, 2], transposed: true, pads: pads(&[(2, 2), (1, 2)]), ..two.clone() },
                vec![f32s(&[1, 2, 3, 3]), f32s(&[2, 3, 3, 3])],
            ),
            (
                Self {
                    input_dilations: vec![3],
                    transposed: true,
                    groups: 2,
                    dilations: vec![2],
                    pads: pads(&[(2, 3)]),
                    ..Self::plain(1)
                },
                vec![f32s(&[1, 4, 4]), f32s(&[4, 3, 2])],
            ),
            (Self { strides: vec![1, 2, 1], ..Self::plain(3) }, vec![f32s(&[1, 1, 3, 4, 3]), f32s(&[1, 1, 2, 2, 2])]),
        ]
    }
}

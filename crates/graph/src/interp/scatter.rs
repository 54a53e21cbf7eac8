//! Evaluates a scatter: writes in row-major order of its domain.

use super::accumulate;
use super::comp::advance;
use super::index::{Element, Positions, Site, StripIx};
use super::strings::Strings;
use super::strip::Code;
use crate::comp::Combiner;
use crate::op::{Combine, Scatter};
use crate::scalars::Lanes;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::{DType, Tensor, TensorMut, convert};

/// Evaluates a scatter without symbols over its operands, of which the first is copied.
pub fn eval(scatter: &Scatter, operands: &[Tensor]) -> Result<Tensor> {
    let mut strings = Strings::default();
    let string = operands[0].dtype() == DType::String;
    let operands: Vec<Tensor> = operands.iter().map(|t| strings.intern(t)).collect::<Result<_>>()?;
    let out = write_all(scatter, &operands)?;
    if string { strings.restore(&out) } else { Ok(out) }
}

fn write_all(scatter: &Scatter, operands: &[Tensor]) -> Result<Tensor> {
    let mut extents = scatter.extents();
    if extents.is_empty() {
        extents.push(Ix::konst(1));
    }
    let sizes: Option<Vec<i64>> = extents.iter().map(Ix::as_const).collect();
    let sizes = sizes.ok_or_else(|| Diagnostic::internal("a scatter's domain is not bound"))?;
    let shapes: Vec<Vec<usize>> = operands.iter().map(|t| t.shape().to_vec()).collect();
    let code = Code::new(&scatter.body, &shapes, &extents)?;
    let target = Element::new(0, &scatter.index, &shapes, &extents)?;
    let mut out = TensorMut::copy_of(&operands[0])?;
    if sizes.iter().any(|n| *n <= 0) {
        return Ok(out.finish());
    }
    let last = sizes.len() - 1;
    let outer: Vec<usize> = (0..last).collect();
    let mut point = vec![0; sizes.len()];
    loop {
        for from in (0..sizes[last]).step_by(256) {
            let len = (sizes[last] - from).min(256) as usize;
            let positions = Positions::Range { start: from, step: 1, len };
            let site = Site { point: &point, axis: last, positions: &positions, operands };
            let places = target.locate(&site)?;
            write_strip(&mut out, scatter.combine, &places, &code.eval(&site)?, len);
        }
        if !advance(&mut point, &outer, &sizes) {
            return Ok(out.finish());
        }
    }
}

fn write_strip(out: &mut TensorMut, combine: Combine, places: &StripIx, lanes: &Lanes, len: usize) {
    let dtype = out.dtype();
    let combiner = match combine {
        Combine::Replace => Combiner::Map,
        Combine::Add => Combiner::Sum,
        Combine::Mul => Combiner::Prod,
        Combine::Min => Combiner::Min,
        Combine::Max => Combiner::Max,
    };
    for (i, at) in places.values(len).into_iter().enumerate() {
        let at = at as usize;
        match lanes {
            Lanes::F(v) if combine == Combine::Replace => out.set_f64(at, v[i]),
            Lanes::F(v) => {
                let sum = accumulate::float(combiner, out.get_f64(at), v[i]);
                out.set_f64(at, convert::round_to(dtype, sum, false));
            }
            Lanes::I(v) => out.set_i64(at, accumulate::int(combiner, dtype, out.get_i64(at), v[i])),
        }
    }
}

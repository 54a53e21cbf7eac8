//! Moving elements to other places, whatever their dtype: the move is written once, for any Rust type.
use crate::lanes::{At, Lanes, LanesMut};
use crate::tensor::{element_count, empty_strings};
use crate::{DType, Tensor, TensorMut};
use tilewright_support::Result;

/// A move of elements.
pub(crate) trait Rearrange {
    /// Fills `dst`, which holds zeros (empty strings), from `src`.
    fn run<T: Clone>(&self, src: &[T], dst: &mut [T]);
}

/// The tensor of `shape` that `plan` makes of the elements of `x`.
pub(crate) fn rearrange(x: &Tensor, shape: &[usize], plan: &impl Rearrange) -> Result<Tensor> {
    if let Some(strings) = x.strings() {
        let mut moved = empty_strings(element_count(DType::String, shape)?)?;
        plan.run(strings, &mut moved);
        return Tensor::from_strings(shape, moved);
    }
    let mut result = TensorMut::new(x.dtype(), shape)?;
    match x.dtype().bits() {
        8 => plan.run(x.bytes(), result.bytes_mut()),
        16 => run_as::<u16>(x, &mut result, plan),
        32 => run_as::<u32>(x, &mut result, plan),
        64 => run_as::<u64>(x, &mut result, plan),
        bits => run_packed(if bits == 4 { DType::U4 } else { DType::U2 }, x, &mut result, plan),
    }
    Ok(result.finish())
}

fn run_as<T: bytemuck::Pod>(x: &Tensor, result: &mut TensorMut, plan: &impl Rearrange) {
    plan.run(bytemuck::cast_slice::<u8, T>(x.bytes()), bytemuck::cast_slice_mut(result.bytes_mut()));
}

/// Packed elements move unpacked, as `codes` without sign.
fn run_packed(codes: DType, x: &Tensor, result: &mut TensorMut, plan: &impl Rearrange) {
    let mut src = vec![0; x.len()];
    Lanes { dtype: codes, len: x.len(), bytes: x.bytes() }.i64(At::Strided(0, 1), &mut src);
    let mut dst = vec![0; result.len()];
    plan.run(&src, &mut dst);
    LanesMut { dtype: codes, len: dst.len(), bytes: result.bytes_mut() }.i64(0, 1, &dst);
}

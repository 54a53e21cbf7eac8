//! Bits that are only read as another dtype: they are shared, since lanes would make NaNs canonical.

use crate::comp::{Combiner, Comp};
use crate::scalar::Kind;
use crate::scalars::Func;
use tilewright_support::Result;
use tilewright_tensor::Tensor;
use tilewright_tensor::ix::Ix;

/// The result, if the comprehension is a bitcast of a whole operand.
pub fn eval(comp: &Comp, operands: &[Tensor]) -> Option<Result<Tensor>> {
    let Kind::Call(Func::Bitcast(to), args) = comp.body.kind() else { return None };
    let Kind::Read(operand, index) = args.first()?.kind() else { return None };
    let x = operands.get(*operand as usize)?;
    let size = |n: &usize| Ix::from(*n);
    let same =
        comp.combiner == Combiner::Map && comp.shape().iter().eq(&x.shape().iter().map(size).collect::<Vec<_>>());
    let own = |(i, ix): (usize, &Ix)| ix.as_axis() == Some(i as u32) || (ix.is(0) && x.shape()[i] == 1);
    let whole = same && index.iter().enumerate().all(own);
    whole.then(|| Tensor::from_shared(*to, x.shape(), x.shared_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::eval_comp;
    use crate::ops::{Bitcast, Structured};
    use crate::types::{TensorType, Type};
    use tilewright_tensor::{DType, Tensor};

    #[test]
    fn bits_of_every_float_survive() {
        let pairs = [
            (DType::F16, DType::U16),
            (DType::BF16, DType::I16),
            (DType::F32, DType::U32),
            (DType::F64, DType::I64),
            (DType::F8E5M2, DType::U8),
            (DType::F4E2M1, DType::U4),
        ];
        for (float, int) in pairs {
            let ones = Tensor::from_i64(int, &[3, 1], &[-1, 1, -2]).unwrap();
            let cast = |x: &Tensor, to| {
                let Type::Tensor(ty) = Type::of(x) else { unreachable!() };
                let types: [TensorType; 1] = [ty];
                eval_comp(&Bitcast { to }.comp(&types).unwrap(), std::slice::from_ref(x)).unwrap()
            };
            let floats = cast(&ones, float);
            assert_eq!(floats.dtype(), float);
            assert!(cast(&floats, int).bit_eq(&ones), "{float}");
        }
    }
}

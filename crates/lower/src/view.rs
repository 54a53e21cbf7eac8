//! Comprehensions that only look at an operand from another side: their result is the operand's memory.

use crate::layout::Layout;
use tilewright_graph::scalar::Kind;
use tilewright_graph::{Combiner, Comp};
use tilewright_tensor::ix::Ix;

/// The operand and the layout of the result in its memory, of a comprehension without symbols that reads one element
/// for each of its own at a place that moves evenly along every axis.
pub fn of(comp: &Comp, operands: &[Layout]) -> Option<(usize, Layout)> {
    let settled = comp.checks.iter().all(|c| c.left == c.right);
    let Kind::Read(o, index) = comp.body.kind() else { return None };
    if comp.combiner != Combiner::Map || !settled {
        return None;
    }
    let from = operands.get(*o as usize)?;
    let extents = comp.extents();
    let shape: Vec<usize> = extents.iter().map(|e| e.as_const()?.try_into().ok()).collect::<Option<_>>()?;
    if comp.dtype() != from.dtype || shape.contains(&0) || index.len() != from.shape.len() {
        return None;
    }
    let inside = |(ix, n): (&Ix, &usize)| {
        let (low, high) = ix.range(&extents)?;
        (low.as_const()? >= 0 && high.as_const()? < *n as i64).then_some(())
    };
    index.iter().zip(&from.shape).try_for_each(inside)?;
    let terms = index.iter().zip(&from.strides);
    let mut rest = terms.fold(Ix::konst(from.offset), |sum, (ix, stride)| &sum + &(ix * &Ix::konst(*stride)));
    rest = rest.simplify(&extents);
    let mut strides = Vec::with_capacity(shape.len());
    for axis in 0..shape.len() as u32 {
        let (stride, others) = rest.affine_in(axis)?;
        strides.push(stride);
        rest = others;
    }
    // Dims of one position move as those of a tensor without gaps do.
    let mut step = 1;
    for (n, stride) in shape.iter().zip(&mut strides).rev() {
        *stride = if *n == 1 { step } else { *stride };
        step = *stride * *n as i64;
    }
    let view = Layout { dtype: from.dtype, shape, offset: rest.as_const()?, strides, room: from.room };
    view.is_inside().then_some((*o as usize, view))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_graph::Axis;
    use tilewright_graph::comp::Role;
    use tilewright_graph::scalar::Scalar;
    use tilewright_tensor::DType;

    fn comp(shape: &[i64], index: Vec<Ix>) -> Comp {
        let axis = |n: &i64| Axis { name: "i".into(), extent: Ix::konst(*n), role: Role::Parallel };
        Comp::new("look", shape.iter().map(axis).collect(), Combiner::Map, Scalar::read(0, DType::F32, index))
    }

    fn view(shape: &[i64], index: Vec<Ix>, from: &[usize]) -> Option<(i64, Vec<i64>)> {
        of(&comp(shape, index), &[Layout::row_major(DType::F32, from)]).map(|(_, l)| (l.offset, l.strides))
    }

    #[test]
    fn permutations_slices_and_broadcasts_are_views() {
        let (i, j, k) = (Ix::axis(0), Ix::axis(1), Ix::konst);
        assert_eq!(view(&[4, 3], vec![j.clone(), i.clone()], &[3, 4]), Some((0, vec![1, 4])));
        assert_eq!(view(&[2, 3], vec![&i + &k(1), &(&j * &k(-1)) + &k(2)], &[3, 4]), Some((6, vec![4, -1])));
        assert_eq!(view(&[5, 4], vec![k(0), j], &[1, 4]), Some((0, vec![0, 1])));
    }

    #[test]
    fn reshapes_of_what_has_no_gaps_are_views() {
        let flat = &(&Ix::axis(0) * &Ix::konst(4)) + &Ix::axis(1);
        let index = vec![flat.floor_div(&Ix::konst(6)), flat.modulo(&Ix::konst(6))];
        assert_eq!(view(&[3, 4], index.clone(), &[2, 6]), Some((0, vec![4, 1])));
        assert_eq!(view(&[3, 4], index, &[2, 7]), None);
    }

    #[test]
    fn what_may_lie_outside_is_none() {
        let i = Ix::axis(0);
        assert_eq!(view(&[4], vec![&i + &Ix::konst(1)], &[4]), None);
        assert_eq!(view(&[4], vec![&i - &Ix::konst(1)], &[4]), None);
        assert_eq!(view(&[0], vec![i], &[4]), None);
    }
}

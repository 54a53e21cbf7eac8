//! Sums of products as kernels of Blocks.
//!
//! ```text
//! comprehension --phases--> affine ones --factors--> sides in memory --dims--> batch, M, N, K --nest--> kernels
//! ```
//!
//! Threads share the batch and blocks of rows and columns. An operand that is no matrix as it stands is packed: once if
//! it is constant, else block by block. Every element is one chain in rising K, however it is cut. Axes of one point have no
//! class, so what decides whether there are kernels at all must be the same for one row, column or product as for many.

mod copy;
mod cuts;
mod dims;
mod factors;
mod nest;
mod once;
mod plane;
mod split;

use crate::layout::Layout;
use crate::steps::Steps;
use dims::{Dim, Dims};
use factors::{Factors, Side, extents};
use nest::Problem;
use tilewright_graph::contraction::{Phase, phases};
use tilewright_graph::{Combiner, Comp, Role};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;

/// An input of a comprehension.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    /// Where its elements are.
    pub layout: &'a Layout,
    /// Its value, if that is known.
    pub constant: Option<&'a Tensor>,
}

/// Kernels that compute a sum of products without symbols.
///
/// # Errors
/// Unsupported, by name, where it is none that Blocks compute.
pub fn kernels(comp: &Comp, operands: &[Operand<'_>], result: &Layout) -> Result<Steps> {
    if comp.combiner != Combiner::Sum || comp.scan_axis().is_some() || !comp.checks.is_empty() {
        return Err(Diagnostic::unsupported("no sum over whole axes"));
    }
    let mut steps = Steps::default();
    if result.is_empty() {
        return Ok(steps);
    }
    if extents(comp)[comp.rank()..].iter().all(|n| *n == 1) {
        return Err(Diagnostic::unsupported("products of which none is summed"));
    }
    let comp = &split::unfolded(comp);
    let phases = phases(comp).ok_or_else(|| Diagnostic::unsupported("a sum of many phases"))?;
    for phase in &phases {
        if !extents(&phase.comp)[..phase.comp.rank()].contains(&0) {
            one(phase, operands, result, &mut steps)?;
        }
    }
    Ok(steps)
}

fn one(phase: &Phase, operands: &[Operand<'_>], result: &Layout, steps: &mut Steps) -> Result<()> {
    let (comp, c) = (&phase.comp, factors::result(phase, result)?);
    let c = Side::result(result, c);
    if comp.combiner == Combiner::Map && comp.body.is(0.0) || comp.axes.iter().any(|a| a.extent.is(0)) {
        return nest::zeros(comp, &c, steps);
    }
    let factors = Factors::of(comp)?;
    let turn = turned(comp, &factors, &c)?;
    let [a, b] = factors.place(comp, operands, steps)?;
    let sides = if turn { [b, a, c] } else { [a, b, c] };
    let dims = dims(comp, &sides)?.joined();
    let Factors { product, scale, .. } = factors;
    nest::kernels(Problem { name: comp.name.clone(), product, dims, sides, scale }, steps)
}

/// Whether a comprehension without guards is a sum of products that kernels of Blocks take.
pub fn is_product(comp: &Comp) -> bool {
    let whole = comp.combiner == Combiner::Sum && comp.scan_axis().is_none();
    whole && Factors::of(comp).is_ok_and(|factors| sums_both(comp, &factors))
}

/// Whether both factors move along every summed axis.
fn sums_both(comp: &Comp, factors: &Factors) -> bool {
    let sizes = extents(comp);
    (comp.rank()..sizes.len()).all(|x| sizes[x] == 1 || factors.touches(0, x) && factors.touches(1, x))
}

/// Whether the first factor is the one that moves with the result's innermost axis.
///
/// # Errors
/// Unsupported, where a factor is summed alone.
fn turned(comp: &Comp, factors: &Factors, c: &Side) -> Result<bool> {
    if !sums_both(comp, factors) {
        return Err(Diagnostic::unsupported("a factor that is summed alone"));
    }
    let sizes = extents(comp);
    let alone = |x: &usize| sizes[*x] > 1 && factors.touches(0, *x) != factors.touches(1, *x);
    let inner = (0..comp.rank()).filter(alone).min_by_key(|x| c.strides[*x].abs());
    Ok(inner.is_some_and(|x| factors.touches(0, x)))
}

/// The classes of axes of more than one point. What neither factor moves along is computed again and again, as a batch.
fn dims(comp: &Comp, sides: &[Side; 3]) -> Result<Dims> {
    let mut dims = Dims::default();
    for (x, extent) in extents(comp).into_iter().enumerate().filter(|(_, extent)| *extent > 1) {
        let strides = [0, 1, 2].map(|side: usize| sides[side].strides[x]);
        let dim = Dim { extent, strides };
        let summed = comp.axes[x].role == Role::Reduce;
        match (summed, strides[0] != 0, strides[1] != 0) {
            (true, true, true) => dims.k.push(dim),
            (true, ..) => return Err(Diagnostic::unsupported("a factor that stays in place along a summed axis")),
            (false, true, false) => dims.m.push(dim),
            (false, false, true) => dims.n.push(dim),
            (false, ..) => dims.batch.push(dim),
        }
    }
    Ok(dims)
}

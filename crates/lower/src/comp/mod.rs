//! A comprehension as kernels.
//!
//! ```text
//! comprehension --unroll--> regions (guards decided) --prove--> flat reads --axes--> split, merged --tile--> kernels
//! ```
//!
//! Each region of the result is one kernel. What is proved only if the elements of an operand lie in a range comes as a
//! [`Check`].

mod axes;
mod frame;
mod index;
mod kernel;
mod leaf;
mod map;
mod part;
mod prove;
mod reduce;
mod regions;
mod scan;
mod tile;
mod turn;
mod unroll;
mod way;

pub use unroll::FEW;
pub use way::Way;

use crate::layout::Layout;
use part::Part;
use std::sync::Arc;
use tilewright_graph::scalar::{Kind, Scalar};
use tilewright_graph::scalars::Func;
use tilewright_graph::{Combiner, Comp, Role};
use tilewright_loops::map::Order;
use tilewright_nests::{self as nests, Kernel};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// Kernels that compute a comprehension.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The kernels, in order; their buffers are the operands, then the result.
    pub kernels: Vec<Kernel>,
    /// What must hold of the operands before they run.
    pub checks: Vec<Check>,
}

/// All elements of an integer operand lie in `low..=high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The operand.
    pub operand: usize,
    /// The smallest that may be.
    pub low: i64,
    /// The largest that may be.
    pub high: i64,
}

/// What kernels work on.
struct Target<'a> {
    name: Arc<str>,
    operands: &'a [Layout],
    result: &'a Layout,
    role: nests::Role,
}

/// Kernels that compute a comprehension without symbols, whatever its operands are: buffers are the operands in order, then
/// the result.
///
/// # Errors
/// Unsupported, by name, where no kernel computes it.
pub fn kernels(comp: &Comp, operands: &[Layout], result: &Layout) -> Result<Vec<Kernel>> {
    let lowered = lowered(comp, operands, result)?;
    match lowered.checks.is_empty() {
        true => Ok(lowered.kernels),
        false => Err(Diagnostic::unsupported("indices that must be tested")),
    }
}

/// Kernels that compute a comprehension without symbols, and what must hold of its operands.
///
/// # Errors
/// As [`kernels`].
pub fn lowered(comp: &Comp, operands: &[Layout], result: &Layout) -> Result<Lowered> {
    if !comp.checks.is_empty() {
        return Err(Diagnostic::unsupported("sizes that differ"));
    }
    let mut lowered = Lowered::default();
    if result.is_empty() {
        return Ok(lowered);
    }
    let mut whole = Part::whole(comp, result)?;
    let way = Way::of(&whole.body, &whole.extents(), whole.rank());
    way.mark(&mut whole);
    let order = way.order;
    let parts = regions::regions(&prepared(&whole, order));
    let role = if parts.len() == 1 && result.is_plain() { nests::Role::Write } else { nests::Role::Update };
    let mut target = Target { name: comp.name.clone(), operands, result, role };
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        let checks = prove::prove(&part, operands)?;
        lowered.checks.extend(checks.into_iter().filter(|c| !lowered.checks.contains(c)).collect::<Vec<_>>());
        flat.extend(axes::split(&part.flat(operands)?));
    }
    if flat.len() > 1 {
        target.role = nests::Role::Update;
    }
    for part in flat.iter().filter(|p| p.axes.iter().all(|a| a.extent > 0)) {
        lowered.kernels.push(match part.combiner {
            Combiner::Map => map::kernel(part, &target)?,
            _ if part.axes.iter().any(|a| matches!(a.role, Role::Scan { .. })) => scan::kernel(part, &target)?,
            _ => reduce::kernel(part, order, &target)?,
        });
    }
    Ok(lowered)
}

/// The part with a body that is as wide as it is accumulated; empty and short reductions become maps.
fn prepared(part: &Part, order: Order) -> Part {
    if part.axes.iter().all(|a| a.role != Role::Reduce) {
        return part.clone();
    }
    let rank = part.rank();
    if part.axes[rank..].iter().any(|a| a.extent == 0) {
        let dtype = part.combiner.result(part.body.dtype());
        let body = reduce::identity(part.combiner, part.body.dtype(), dtype);
        return Part { axes: part.axes[..rank].to_vec(), combiner: Combiner::Map, body, offset: part.offset };
    }
    let wide = Part { body: widened(part), ..part.clone() };
    unroll::unrolled(&wide, order).unwrap_or(wide)
}

/// The body of a reduction, of the dtype of accumulators. The product that a sum is over is formed as wide.
fn widened(part: &Part) -> Scalar {
    let body = &part.body;
    match (part.combiner, body.dtype()) {
        (Combiner::Any | Combiner::All, _) => body.cast(DType::I32),
        (Combiner::Sum, DType::F16 | DType::BF16) => product(body),
        (Combiner::Prod, DType::F16 | DType::BF16) => body.cast(DType::F32),
        _ => body.clone(),
    }
}

fn product(body: &Scalar) -> Scalar {
    match body.kind() {
        Kind::Where(preds, then, otherwise) => Scalar::guarded(preds.clone(), product(then), product(otherwise)),
        Kind::Call(Func::Mul, sides) => sides[0].cast(DType::F32) * sides[1].cast(DType::F32),
        _ => body.cast(DType::F32),
    }
}

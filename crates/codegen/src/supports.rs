//! What the forms do not take. Each refuses by this list, and the documentation prints it.
//!
//! Which scalar functions a level computes is listed nowhere: those whose primitives it has, see
//! [`map::supports`](crate::map::supports).

use tilewright_loops::block::Step;
use tilewright_loops::contract::Contract;
use tilewright_loops::map::{self, Map, Operand, Program, Rows, Stride};
use tilewright_loops::movement::{Move, Order};
use tilewright_support::{Diagnostic, Result};

/// Something that a form does not take, and how it is found.
pub struct Constraint<F> {
    /// What it is; a message ends with it.
    pub refused: &'static str,
    /// Whether something is so.
    pub broken: F,
}

/// The constraints of a form.
pub type Constraints<F> = &'static [Constraint<F>];

/// Refuses what breaks a constraint.
pub(crate) fn check<F: 'static>(
    constraints: Constraints<F>,
    broken: impl Fn(&F) -> bool,
    name: impl FnOnce() -> String,
) -> Result<()> {
    match constraints.iter().find(|c| broken(&c.broken)) {
        Some(c) => Err(Diagnostic::unsupported(format!("{} {}", name(), c.refused))),
        None => Ok(()),
    }
}

/// Of a Contract.
pub const CONTRACT: Constraints<fn(&Contract) -> bool> = &[
    Constraint { refused: "without rows", broken: |c| c.rows == 0 },
    Constraint { refused: "without columns", broken: |c| c.vectors == 0 },
    Constraint {
        refused: "with a group of no rows, or of more than address registers reach",
        broken: |c| !(1..=Contract::GROUP).contains(&c.group),
    },
];

/// Of a Move.
pub const MOVE: Constraints<fn(&Move) -> bool> = &[
    Constraint {
        refused: "of elements that have not 1, 2, 4 or 8 bytes",
        broken: |m| ![1, 2, 4, 8].contains(&m.element),
    },
    Constraint {
        refused: "of no rows, or of more than a Panel has",
        broken: |m| matches!(m.order, Order::Panel { rows } if !(1..=Order::PANEL).contains(&rows)),
    },
    Constraint {
        refused: "of groups that have not 2 or 4 rows",
        broken: |m| group(m).is_some_and(|group| ![2, 4].contains(&group)),
    },
    Constraint {
        refused: "of groups of more than 16 bytes",
        broken: |m| group(m).is_some_and(|group| group * m.element > 16),
    },
];

fn group(movement: &Move) -> Option<u8> {
    match movement.order {
        Order::Interleave { group } | Order::Separate { group } => Some(group),
        _ => None,
    }
}

/// A map over the sums of a Contract.
pub struct Fused<'a> {
    pub(crate) map: &'a Map,
    pub(crate) program: &'a Program,
    /// Bits of a sum.
    pub(crate) bits: usize,
}

/// Of a map over the sums of a Contract. What is refused runs as a map of its own.
pub const EPILOGUE: Constraints<fn(&Fused<'_>) -> bool> = &[
    Constraint { refused: "of several stages, or of none", broken: |f| f.program.passes.len() != 1 },
    Constraint {
        refused: "with reductions, or in the order of columns",
        broken: |f| f.map.order != map::Order::Rows || f.program.passes.iter().any(|p| !p.folds.is_empty()),
    },
    Constraint {
        refused: "whose operand 0 is not the sums",
        broken: |f| {
            let sums = |o: &Operand| o.rows == Rows::Strided && o.column == Stride::Unit && o.dtype.bits() == f.bits;
            !f.map.operands.first().is_some_and(sums)
        },
    },
    Constraint { refused: "that is stored to its operand 0", broken: |f| stores(f).any(|o| o == 0) },
    Constraint {
        refused: "that stores values of whole rows",
        broken: |f| stores(f).any(|o| f.map.operands[o].column == Stride::Zero),
    },
    Constraint {
        refused: "of positions, since it sees one tile",
        broken: |f| {
            let mut steps = f.program.passes.iter().flat_map(|p| p.block.steps());
            steps.any(|s| matches!(s.0, Step::Row | Step::Column))
        },
    },
    Constraint {
        refused: "over indexed rows",
        broken: |f| f.map.operands.iter().any(|o| matches!(o.rows, Rows::Indexed(_))),
    },
    Constraint { refused: "over flat operands", broken: |f| f.map.operands.iter().any(Operand::is_flat) },
    Constraint { refused: "with places", broken: |f| f.map.places > 0 },
    Constraint {
        refused: "of packed bits beside sums of 64 bits",
        broken: |f| f.bits == 64 && f.map.operands.iter().any(|o| o.column == Stride::Bits),
    },
    Constraint {
        refused: "over general strides",
        broken: |f| f.map.operands.iter().any(|o| o.column == Stride::General),
    },
    Constraint { refused: "over lanes wider than the sums", broken: |f| f.program.wide != (f.bits == 64) },
];

fn stores(fused: &Fused<'_>) -> impl Iterator<Item = usize> {
    fused.program.passes.iter().flat_map(|p| p.stores.iter().map(|s| s.0 as usize))
}

//! The way that a reduction is taken. It must not depend on the number of results, nor on whether there is but one of them
//! along an axis: of such an axis nothing is left in an index but the place where it was.

use super::part::{Part, visit_reads};
use std::ops::Range;
use tilewright_graph::scalar::Scalar;
use tilewright_graph::{Combiner, Role};
use tilewright_loops::map::Order;
use tilewright_tensor::ix::{Atom, Ix};

/// How the points of a reduction are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Along rows where the last dim of what is read first is reduced over, else along columns.
    pub order: Order,
    /// How many of the last axes are taken as one; the others are loops around it.
    pub along: usize,
}

impl Way {
    /// The way of a reduction with `rank` axes that stay.
    pub fn of(body: &Scalar, extents: &[Ix], rank: usize) -> Self {
        let mut first: Option<Vec<Ix>> = None;
        let reduced = rank..extents.len();
        visit_reads(body, &mut |_, index| {
            if first.is_none() && index.iter().any(|e| uses(e, reduced.clone())) {
                first = Some(index.to_vec());
            }
        });
        let index = first.unwrap_or_default();
        let side = |e: &Ix| uses(e, reduced.clone()) && !uses(e, 0..rank);
        let flat = |e: &Ix| inside(e, extents, rank) && index.iter().filter(|e| uses(e, reduced.clone())).count() == 1;
        let along = index.last().is_none_or(|e| side(e) || uses(e, reduced.clone()) && flat(e));
        if !along && rank > 0 {
            return Self { order: Order::Columns, along: reduced.len() };
        }
        let before = index.iter().rev().skip(1).take_while(|e| side(e)).count();
        let own = &index[index.len().saturating_sub(1 + before)..];
        let joins = |a: &usize| extents[*a].is(1) || own.iter().any(|e| e.uses_axis(*a as u32));
        let count = reduced.clone().rev().take_while(joins).count();
        let all = index.is_empty();
        Self { order: Order::Rows, along: if all { reduced.len() } else { count.max(1) } }
    }

    /// Marks the axes of a sum or product of floats that are loops around the others.
    pub fn mark(self, part: &mut Part) {
        let rounds = matches!(part.combiner, Combiner::Sum | Combiner::Prod) && part.body.dtype().is_float();
        let outer = part.axes.len().saturating_sub(self.along);
        for axis in part.axes.iter_mut().take(outer).filter(|a| rounds && a.role == Role::Reduce) {
            axis.outer = true;
        }
    }
}

fn uses(ix: &Ix, mut axes: Range<usize>) -> bool {
    axes.any(|a| ix.uses_axis(a as u32))
}

/// Whether the summed positions of an index are a block between two steps of the results: those of a flat tensor's rows.
fn inside(ix: &Ix, extents: &[Ix], rank: usize) -> bool {
    let (mut block, mut apart) = (1i64, i64::MAX);
    for (product, c) in ix.terms() {
        match product.as_slice() {
            [] => {}
            [Atom::Axis(a)] if *a as usize >= rank => {
                let n = extents[*a as usize].as_const().unwrap_or(i64::MAX);
                block = block.saturating_add(c.saturating_abs().saturating_mul(n.saturating_sub(1)));
            }
            atoms if atoms.iter().any(|a| uses(&Ix::atom(a.clone()), rank..extents.len())) => return false,
            _ => apart = apart.min(c.saturating_abs()),
        }
    }
    block <= apart
}

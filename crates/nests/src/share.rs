//! When a result may take the place of an operand.

use crate::kernel::{Access, Buffer, Form, Kernel, Leaf, Loop, Role};
use tilewright_loops::map::{Map, Rows, Sink};

impl Kernel {
    /// Whether argument `write` may lie where argument `read` does; arguments are all buffers but scratch, in order. It
    /// may if one leaf alone touches the two, both at the same places, each place once, and nothing is read at a place
    /// in a later pass than that which stores there.
    pub fn may_share(&self, read: usize, write: usize) -> bool {
        let arguments: Vec<usize> =
            (0..self.buffers.len()).filter(|b| self.buffers[*b].role != Role::Scratch).collect();
        let (Some(&r), Some(&w)) = (arguments.get(read), arguments.get(write)) else { return false };
        let fits = |a: &Buffer, b: &Buffer| {
            (a.role, b.role) == (Role::Read, Role::Write) && a.bytes == b.bytes && a.dtype.bits() == b.dtype.bits()
        };
        if r == w || !fits(&self.buffers[r], &self.buffers[w]) {
            return false;
        }
        let (mut touched, mut shared) = (0, false);
        self.leaves(&mut |loops, leaf| {
            if leaf.operands.iter().any(|o| touches(o, r) || touches(o, w)) {
                touched += 1;
                shared = in_one_leaf(loops, leaf, r, w);
            }
        });
        touched == 1 && shared
    }
}

fn touches(access: &Access, buffer: usize) -> bool {
    access.buffer == buffer || access.indices.as_deref().is_some_and(|i| i.buffer == buffer)
}

fn in_one_leaf(loops: &[&Loop], leaf: &Leaf, r: usize, w: usize) -> bool {
    let Form::Map(map) = &leaf.form else { return false };
    let of = |b: usize| (0..leaf.operands.len()).filter(move |o| touches(&leaf.operands[*o], b));
    let (Some(first), Some(stored)) = (of(r).next(), of(w).next()) else { return false };
    let place = |o: usize| (&leaf.operands[o], map.operands[o].rows, map.operands[o].column);
    let same = |o: usize| {
        let ((a, rows, column), (b, other_rows, other_column)) = (place(o), place(stored));
        let at = (a.offset, &a.steps, a.row, a.column) == (b.offset, &b.steps, b.row, b.column);
        at && a.indices.is_none() && rows == other_rows && column == other_column
    };
    let plain = matches!(map.operands[first].rows, Rows::One | Rows::Strided);
    plain && of(r).chain(of(w)).all(same) && apart(loops, leaf, map, stored) && read_first(map, r, leaf, stored)
}

/// Whether no pass after the first that stores to an operand reads the buffer.
fn read_first(map: &Map, buffer: usize, leaf: &Leaf, stored: usize) -> bool {
    let stores = |s: &Sink| matches!(s, Sink::Store { operand, .. } if *operand as usize == stored);
    let Some(first) = map.stages.iter().position(|s| s.sinks.iter().any(stores)) else { return false };
    let reads = |s: &Sink| {
        let (Sink::Store { value, .. } | Sink::Reduce { value, .. }) = s;
        let mut found = false;
        value.visit(&mut |v| {
            if let tilewright_scalar::Kind::Read(o, _) = v.kind() {
                found |= leaf.operands.get(*o as usize).is_some_and(|a| a.buffer == buffer);
            }
        });
        found
    };
    !map.stages[first + 1..].iter().flat_map(|s| &s.sinks).any(reads)
}

/// Whether the points of the loops and the elements of the tile are all at different places.
fn apart(loops: &[&Loop], leaf: &Leaf, map: &Map, o: usize) -> bool {
    let (access, operand) = (&leaf.operands[o], map.operands[o]);
    let size = operand.dtype.bits() as i64 / 8;
    let column = match operand.column {
        tilewright_loops::map::Stride::Zero => 0,
        tilewright_loops::map::Stride::Unit => size,
        tilewright_loops::map::Stride::General => access.column,
        tilewright_loops::map::Stride::Bits => return false,
    };
    let step = |d: usize| access.steps.get(d).copied().unwrap_or(0);
    let mut spans: Vec<(i64, usize)> = loops.iter().enumerate().map(|(d, l)| (step(d), l.trips)).collect();
    spans.push((if operand.has_rows() { access.row } else { 0 }, leaf.sizes[0].largest()));
    spans.push((column, leaf.sizes[1].largest()));
    spans.retain(|(_, n)| *n > 1);
    spans.sort_by_key(|(step, _)| step.unsigned_abs());
    let mut reach = Some(size as u64);
    for (step, n) in spans {
        let Some(before) = reach.filter(|r| step.unsigned_abs() >= *r) else { return false };
        reach = step.unsigned_abs().checked_mul(n as u64 - 1).and_then(|far| far.checked_add(before));
    }
    true
}

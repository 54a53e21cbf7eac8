//! What a leaf does to its operands: which bytes it may touch, and whether it reads or writes them.

use crate::kernel::{Access, Block, Form, Leaf};
use std::collections::HashSet;
use tilewright_loops::contract::Steps;
use tilewright_loops::map::{Index, Map, Operand, Rows, Sink, Stride};
use tilewright_loops::movement::{Move, Order};
use tilewright_scalar::{Kind, Scalar};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

/// What a leaf does to one of its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    /// Its elements.
    pub(crate) element: Element,
    /// Whether it is read before this leaf has written it.
    pub(crate) reads: bool,
    /// Whether it is written.
    pub(crate) writes: bool,
    /// Where its elements are.
    pub(crate) extent: Extent,
}

/// What elements are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Element {
    /// Of one dtype.
    Of(DType),
    /// Anything of so many bytes.
    Bytes(usize),
}

/// Where the elements of an operand are, from its first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// There are none.
    Nothing,
    /// Lines of contiguous bytes, at a distance from each other in bytes.
    Lines { lines: usize, distance: i64, bytes: usize },
    /// Elements in rows and columns at a distance in bytes.
    Grid { rows: (usize, i64), columns: (usize, i64), bytes: usize },
    /// Anywhere: rows are found through so many indices.
    Indexed { indices: usize, index: Index },
    /// Anywhere from the first one on: they are read by their numbers.
    Flat,
}

impl Extent {
    /// Bytes from the first element back to the lowest byte and on to the end of the highest. None where the data
    /// decide, or where no number says it.
    pub(crate) fn span(self) -> Option<(i64, i64)> {
        let dims = match self {
            Self::Nothing => return Some((0, 0)),
            Self::Lines { lines, distance, .. } => [(lines, distance), (1, 0)],
            Self::Grid { rows, columns, .. } => [rows, columns],
            Self::Indexed { .. } | Self::Flat => return None,
        };
        let far = |(n, step): (usize, i64)| i64::try_from(n).ok()?.checked_sub(1)?.checked_mul(step);
        let [a, b] = [far(dims[0])?, far(dims[1])?];
        let low = a.min(0).checked_add(b.min(0))?;
        let high = a.max(0).checked_add(b.max(0))?.checked_add(i64::try_from(self.line()).ok()?)?;
        Some((low, high))
    }

    /// Whether there are no elements.
    pub(crate) fn is_empty(self) -> bool {
        matches!(self, Self::Nothing | Self::Indexed { indices: 0, .. })
    }

    /// Bytes that are contiguous from the first element on.
    pub(crate) fn line(self) -> usize {
        match self {
            Self::Nothing | Self::Indexed { .. } | Self::Flat => 0,
            Self::Lines { bytes, .. } | Self::Grid { bytes, .. } => bytes,
        }
    }

    fn lines(lines: usize, distance: i64, bytes: usize) -> Self {
        if lines == 0 || bytes == 0 { Self::Nothing } else { Self::Lines { lines, distance, bytes } }
    }
}

/// What a leaf of some sizes does, operand by operand.
///
/// # Errors
/// Where the numbers of operands, sizes or indices are not those of the form.
pub(crate) fn uses(leaf: &Leaf, sizes: &[usize]) -> Result<Vec<Use>, String> {
    let uses = match &leaf.form {
        Form::Map(map) => of_map(map, &leaf.operands, sizes),
        Form::Move(m) => of_move(*m, &leaf.operands, sizes),
        Form::Block(form) => of_block(*form, &leaf.operands, sizes),
    };
    if let (Form::Block(form), [a, ..]) = (&leaf.form, &leaf.operands[..])
        && form.steps == Steps::Strided
        && a.row != form.product.step_bytes() as i64
    {
        return Err("a block has strided steps of rows that do not stand side by side".into());
    }
    let uses = uses.ok_or("a leaf has too many or too few operands or sizes")?;
    for (used, access) in uses.iter().zip(&leaf.operands) {
        if matches!(used.extent, Extent::Indexed { .. }) != access.indices.is_some() {
            return Err("an operand lacks indices, or has some and needs none".into());
        }
    }
    Ok(uses)
}

fn of_map(map: &Map, operands: &[Access], sizes: &[usize]) -> Option<Vec<Use>> {
    let [m, n] = *sizes else { return None };
    if operands.len() != map.operands.len() {
        return None;
    }
    let used = |(o, (operand, access)): (usize, (&Operand, &Access))| {
        let (reads, writes) = of_operand(map, o as u32);
        Use { element: Element::Of(operand.dtype), reads, writes, extent: tile(operand, access, [m, n]) }
    };
    Some(map.operands.iter().zip(operands).enumerate().map(used).collect())
}

/// Whether an operand is read before it is stored to, and whether it is stored to.
fn of_operand(map: &Map, o: u32) -> (bool, bool) {
    let (mut reads, mut writes) = (false, false);
    for stage in &map.stages {
        for Sink::Store { value, .. } | Sink::Reduce { value, .. } in &stage.sinks {
            reads |= !writes && reads_operand(value, o, &mut HashSet::new());
        }
        writes |= stage.sinks.iter().any(|s| matches!(s, Sink::Store { operand, .. } if *operand == o));
    }
    (reads, writes)
}

/// Whether an expression reads an operand, as a value or as an index; what is shared is looked at once.
fn reads_operand(value: &Scalar, o: u32, seen: &mut HashSet<*const Kind>) -> bool {
    if !seen.insert(std::ptr::from_ref(value.kind())) {
        return false;
    }
    let loads = |ix: &Ix| {
        let mut found = false;
        ix.visit(&mut |a| found |= matches!(a, Atom::Load(of, _) if *of == o));
        found
    };
    let own = match value.kind() {
        Kind::Read(of, index) => *of == o || index.iter().any(loads),
        Kind::Index(ix) => loads(ix),
        Kind::Where(preds, ..) => preds.iter().any(|p| loads(p.ix())),
        Kind::Const(_) | Kind::Call(..) => false,
    };
    own || value.kind().children().any(|child| reads_operand(child, o, seen))
}

fn tile(operand: &Operand, access: &Access, [m, n]: [usize; 2]) -> Extent {
    if let Rows::Indexed(index) = operand.rows {
        return Extent::Indexed { indices: m, index };
    }
    if operand.is_flat() {
        return Extent::Flat;
    }
    let rows = if operand.has_rows() { m } else { 1 };
    match operand.column {
        Stride::General if rows == 0 || n == 0 => Extent::Nothing,
        Stride::General => Extent::Grid {
            rows: (rows, if operand.has_rows() { access.row } else { 0 }),
            columns: (n, access.column),
            bytes: operand.dtype.bits() / 8,
        },
        _ => Extent::lines(rows, access.row, operand.row_bytes(n)),
    }
}

fn of_move(movement: Move, operands: &[Access], sizes: &[usize]) -> Option<Vec<Use>> {
    let [from, to] = operands else { return None };
    let (m, n, padded) = match (sizes, movement.order) {
        (&[m, n], _) => (m, n, n),
        (&[m, n, padded], Order::Copy { .. } | Order::Gather(_) | Order::Scatter(_)) => (m, n, padded.max(n)),
        _ => return None,
    };
    let size = usize::from(movement.element);
    let bytes = |columns: usize| columns.saturating_mul(size);
    let (plain, rows_of_to) = (Extent::lines(m, from.row, bytes(n)), Extent::lines(m, to.row, bytes(padded)));
    let indexed = |index| Extent::Indexed { indices: m, index };
    let (read, written) = match movement.order {
        Order::Copy { .. } => (plain, rows_of_to),
        Order::Gather(index) => (indexed(index), rows_of_to),
        Order::Scatter(index) => (plain, indexed(index)),
        Order::Transpose => (plain, Extent::lines(n, to.row, bytes(m))),
        Order::Panel { rows } if m == usize::from(rows) => (plain, Extent::lines(1, 0, bytes(m).saturating_mul(n))),
        Order::Panel { .. } => return None,
        Order::Interleave { group } => (plain, groups(to, [m, n, group.into(), size])),
        Order::Separate { group } => (groups(from, [m, n, group.into(), size]), rows_of_to),
    };
    let used = |extent, writes: bool| Use { element: Element::Bytes(size), reads: !writes, writes, extent };
    Some(vec![used(read, false), used(written, true)])
}

/// Rows that stand side by side in groups.
fn groups(access: &Access, [m, n, group, size]: [usize; 4]) -> Extent {
    Extent::lines(m.div_ceil(group), access.row, n.saturating_mul(group * size))
}

fn of_block(form: Block, operands: &[Access], sizes: &[usize]) -> Option<Vec<Use>> {
    let ([a, b, c], &[m, n, k]) = (operands, sizes) else { return None };
    let (product, size) = (form.product, form.product.step_bytes());
    let left = Extent::Grid { rows: (m, a.row), columns: (k, form.step(a)), bytes: size };
    let left = if m == 0 || n == 0 || k == 0 { Extent::Nothing } else { left };
    let right = Extent::lines(if m == 0 { 0 } else { k }, b.row, n.saturating_mul(size));
    let sums = Extent::lines(m, c.row, n.saturating_mul(product.c_bytes()));
    let used = |dtype, (reads, writes), extent| Use { element: Element::Of(dtype), reads, writes, extent };
    Some(vec![
        used(product.a(), (true, false), left),
        used(product.b(), (true, false), right),
        used(product.c(), (form.accumulate, true), sums),
    ])
}

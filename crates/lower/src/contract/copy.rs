//! Leaves that bring a block into another order, or fill it.

use std::sync::Arc;
use tilewright_graph::scalar::Scalar;
use tilewright_loops::map::{Map, Operand, Rows, Sink, Stride};
use tilewright_loops::movement::{Move, Order};
use tilewright_nests::{Access, Form, Kind, Leaf, Loop, Size, Stmt};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;

/// An axis of a block, and the elements from one of its positions to the next in what is read and in what is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub size: Size,
    pub from: i64,
    pub to: i64,
}

/// Where a block starts: an access without rows and columns.
pub(super) fn start(buffer: usize, offset: i64, steps: Vec<i64>) -> Access {
    Access { buffer, offset, steps, row: 0, column: 0, indices: None }
}

/// The statement that copies a block at the point of `depth` loops, from elements of one dtype to those of another.
///
/// # Errors
/// Unsupported, where two of its axes but the last vary in size.
pub(super) fn copy(dtypes: [DType; 2], axes: &[Along], from: &Access, to: &Access, depth: usize) -> Result<Stmt> {
    let mut axes: Vec<Along> = axes.to_vec();
    let last = axes.len() - 1;
    let column = axes.remove(axes.iter().position(|a| a.to == 1).unwrap_or(last));
    axes.retain(|a| a.size != Size::Fixed(1));
    let varies = |a: &Along| matches!(a.size, Size::Rest { .. });
    let key = |at: &usize| (varies(&axes[*at]), column.from != 1 && axes[*at].from == 1, axes[*at].size.largest());
    let row = (0..axes.len()).max_by_key(key).map(|at| axes.remove(at));
    let row = row.unwrap_or(Along { size: Size::Fixed(1), from: 0, to: 0 });
    if axes.iter().any(varies) {
        return Err(Diagnostic::unsupported("a block that varies along several axes"));
    }
    let [read, written] = dtypes.map(|d| d.bits() as i64 / 8);
    let stepped = |access: &Access, by: &dyn Fn(&Along) -> i64| {
        let mut access = access.clone();
        access.steps.resize(depth, 0);
        access.steps.extend(axes.iter().map(by));
        access
    };
    let operands = [stepped(from, &|a| a.from * read), stepped(to, &|a| a.to * written)];
    let leaf = tile(dtypes, [row, column], operands);
    let around = |inner: Stmt, (at, a): (usize, &Along)| {
        let axis = format!("p{at}").into();
        Stmt::Loop(Loop { axis, kind: Kind::Sequential, trips: a.size.largest() }, vec![inner])
    };
    Ok(axes.iter().enumerate().rev().fold(Stmt::Leaf(leaf), around))
}

/// The leaf that copies rows and columns; columns stand side by side in what is written.
fn tile(dtypes: [DType; 2], [row, column]: [Along; 2], [from, to]: [Access; 2]) -> Leaf {
    let [read, size] = dtypes.map(|d| d.bits() as i64 / 8);
    if dtypes[0] == dtypes[1] && column.from > 1 && row.from == 1 && row.to > 0 {
        let form = Form::Move(Move { element: size as u8, order: Order::Transpose });
        let operands = vec![Access { row: column.from * size, ..from }, Access { row: row.to * size, ..to }];
        return Leaf { form, sizes: vec![column.size, row.size], operands, places: Vec::new() };
    }
    let stride = match column.from {
        0 => Stride::Zero,
        1 => Stride::Unit,
        _ => Stride::General,
    };
    let rows = |by: i64| if by == 0 { Rows::One } else { Rows::Strided };
    let source = Operand { dtype: dtypes[0], rows: rows(row.from), column: stride };
    let map = Map { operands: vec![source, Operand::tile(dtypes[1])], ..Map::default() };
    let value = map.read(0).cast(dtypes[1]);
    let form = Form::Map(Arc::new(map.stage([Sink::Store { operand: 1, value }])));
    let operands = vec![
        Access { row: row.from * read, column: column.from * read, ..from },
        Access { row: row.to * size, column: size, ..to },
    ];
    Leaf { form, sizes: vec![row.size, column.size], operands, places: Vec::new() }
}

/// The leaf that fills rows and columns, the columns side by side, with zeros.
pub(super) fn zeros(dtype: DType, sizes: [Size; 2], to: Access) -> Leaf {
    let map = Map { operands: vec![Operand::tile(dtype)], ..Map::default() };
    let form = Form::Map(Arc::new(map.stage([Sink::Store { operand: 0, value: Scalar::konst(dtype, 0.0) }])));
    Leaf { form, sizes: sizes.to_vec(), operands: vec![to], places: Vec::new() }
}

/// The leaf that scales sums and converts them, from one place to another or in place.
pub(super) fn finish(sums: DType, result: (DType, i64), scale: f64, sizes: [Size; 2], places: Vec<Access>) -> Leaf {
    let (dtype, column) = result;
    let column = if column == 1 { Stride::Unit } else { Stride::General };
    let target = Operand { dtype, rows: Rows::Strided, column };
    let mut map = Map { operands: vec![Operand::tile(sums), target], ..Map::default() };
    if places.len() == 1 {
        map.operands.truncate(1);
    }
    let sum = map.read(0);
    let scaled = if scale == 1.0 { sum } else { &sum * &Scalar::konst(sums, scale) };
    // Integers wrap around.
    let value =
        if dtype.is_int() && sums == DType::F64 { scaled.cast(DType::I64).cast(dtype) } else { scaled.cast(dtype) };
    let store = Sink::Store { operand: places.len() as u32 - 1, value };
    Leaf { form: Form::Map(Arc::new(map.stage([store]))), sizes: sizes.to_vec(), operands: places, places: Vec::new() }
}

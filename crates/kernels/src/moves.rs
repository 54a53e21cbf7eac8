//! Moves of the report: how they cut matrices of typical sizes, and what they take.

use crate::machine::Machine;
use crate::measure::{Stream, Sweep, Timed, in_turns};
use crate::report::{Kind, Row, emission};
use tilewright_codegen::movement;
use tilewright_loops::movement::{ARGS, Arg, Index, Move, Order};
use tilewright_support::Result;

/// A Move of a matrix in one call or several.
pub struct Case {
    /// What is moved.
    pub name: String,
    form: Move,
    rows: usize,
    columns: usize,
    calls: Vec<Call>,
}

/// Rows of one call, and where its parts of both matrices are, in bytes.
struct Call {
    from: usize,
    from_row: usize,
    to: usize,
    to_row: usize,
    rows: usize,
    columns: usize,
}

/// Bytes of a row of B that are packed together.
const PANEL: usize = 192;

/// Rows of a panel of A.
const ROWS: u8 = 14;

/// Channels of a block.
const BLOCK: usize = 16;

/// Every case.
pub fn cases() -> Vec<Case> {
    let mut list = Vec::new();
    for [m, n] in [[64, 64], [128, 768], [768, 3072]] {
        list.push(whole("copy", Order::Copy { stream: false }, [m, n], n));
        list.push(whole("transpose", Order::Transpose, [m, n], m));
    }
    list.push(whole("gather", Order::Gather(Index::I64), [128, 768], 768));
    list.push(panels("copy", 4, Order::Copy { stream: false }, [768, 768]));
    list.push(panels("copy", 4, Order::Copy { stream: false }, [768, 3072]));
    for (element, group) in [(2, 2), (1, 4)] {
        list.push(panels(&format!("vnni{group}"), element, Order::Interleave { group }, [768, 768]));
        list.push(panels(&format!("vnni{group}"), element, Order::Interleave { group }, [768, 3072]));
    }
    list.push(tiles_of_a([126, 768]));
    list.push(blocks([64, 56 * 56]));
    list.push(blocks([512, 7 * 7]));
    list
}

/// A matrix of f32 in one call; rows of the result have so many elements.
fn whole(name: &str, order: Order, [rows, columns]: [usize; 2], to: usize) -> Case {
    let call = Call { from: 0, from_row: 4 * columns, to: 0, to_row: 4 * to, rows, columns };
    let form = Move { element: 4, order };
    Case { name: format!("{name} {rows}x{columns}"), form, rows, columns, calls: vec![call] }
}

/// B into panels of columns.
fn panels(name: &str, element: usize, order: Order, [rows, columns]: [usize; 2]) -> Case {
    let group = if let Order::Interleave { group } = order { group.into() } else { 1 };
    let wide = PANEL / element;
    let call = |panel: usize| Call {
        from: panel * PANEL,
        from_row: columns * element,
        to: panel * PANEL * rows,
        to_row: PANEL * group,
        rows,
        columns: wide,
    };
    let calls = (0..columns / wide).map(call).collect();
    let form = Move { element: element as u8, order };
    Case { name: format!("{name} {rows}x{columns} to columns of {wide}"), form, rows, columns, calls }
}

/// A into tiles of rows.
fn tiles_of_a([rows, columns]: [usize; 2]) -> Case {
    let high = usize::from(ROWS);
    let bytes = 4 * high * columns;
    let call = |tile: usize| {
        let at = tile * bytes;
        Call { from: at, from_row: 4 * columns, to: at, to_row: 0, rows: high, columns }
    };
    let form = Move { element: 4, order: Order::Panel { rows: ROWS } };
    let name = format!("panel {rows}x{columns} to rows of {ROWS}");
    Case { name, form, rows, columns, calls: (0..rows / high).map(call).collect() }
}

/// Channels one after the other to blocks of them.
fn blocks([rows, columns]: [usize; 2]) -> Case {
    let bytes = 4 * BLOCK * columns;
    let call = |block: usize| {
        let at = block * bytes;
        Call { from: at, from_row: 4 * columns, to: at, to_row: 4 * BLOCK, rows: BLOCK, columns }
    };
    let form = Move { element: 4, order: Order::Transpose };
    let name = format!("nchw->nchw{BLOCK}c {rows}x{columns}");
    Case { name, form, rows, columns, calls: (0..rows / BLOCK).map(call).collect() }
}

impl Call {
    fn arguments(&self, from: &Stream, to: &mut Stream, indices: &[u64]) -> [u64; ARGS] {
        let mut args = [0u64; ARGS];
        let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
        set(Arg::From, from.bytes()[self.from..].as_ptr() as usize);
        set(Arg::To, to.bytes_mut()[self.to..].as_mut_ptr() as usize);
        set(Arg::FromRow, self.from_row);
        set(Arg::ToRow, self.to_row);
        set(Arg::Rows, self.rows);
        set(Arg::Columns, self.columns);
        set(Arg::Indices, indices.as_ptr() as usize);
        args
    }
}

/// A Move beside a copy of as many bytes from end to end.
///
/// # Errors
/// `Limit` where there is no memory.
pub fn movement(machine: &Machine, case: &Case) -> Result<Row> {
    let element = usize::from(case.form.element);
    let bytes = case.rows * case.columns * element;
    let (from, mut to) = (Stream::new(0, bytes)?, Stream::new(1, bytes)?);
    // Rows in no order.
    let indices: Vec<u64> = (0..case.rows).map(|row| (row * 37 % case.rows) as u64).collect();
    let blocks: Vec<_> = case.calls.iter().map(|call| call.arguments(&from, &mut to, &indices)).collect();
    let kernel = machine.movement(&case.form)?;
    let mut plain = Sweep::new(machine, 1, bytes)?;
    let mut call = || {
        // SAFETY: all calls stay in the two buffers, and the indices among the rows.
        blocks.iter().for_each(|args| unsafe { kernel.call(args.as_ptr()) });
    };
    let timed = in_turns(&mut || plain.run(), &mut call);
    let dtype = match element {
        1 => "i8",
        2 => "bf16",
        _ => "f32",
    };
    Ok(Row {
        timed: Timed { percent: f64::NAN, ..timed },
        plain: Some(timed.percent),
        bytes: 2.0 * bytes as f64,
        emitted: emission(|| movement::emit(&case.form, &machine.target())),
        ..Row::new(case.name.clone(), Kind::Move, dtype, [case.rows, case.columns, 0])
    })
}

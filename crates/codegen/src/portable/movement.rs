//! The Move form: element by element, rows that stay rows at once.

use tilewright_loops::movement::{ARGS, Arg, Index, Move, Order};

/// Runs a Move; `args` as [`Arg`] says.
///
/// # Safety
/// The arguments describe operands that are there and do not overlap.
pub unsafe fn movement(form: &Move, args: *const u64) {
    // SAFETY: as the caller promises.
    unsafe {
        let places = Places::new(&*args.cast::<[u64; ARGS]>());
        match form.element {
            1 => places.run::<1>(form.order),
            2 => places.run::<2>(form.order),
            4 => places.run::<4>(form.order),
            _ => places.run::<8>(form.order),
        }
    }
}

/// The arguments.
struct Places {
    from: *const u8,
    to: *mut u8,
    from_row: usize,
    to_row: usize,
    rows: usize,
    columns: usize,
    padded: usize,
    indices: *const u8,
}

impl Places {
    fn new(args: &[u64; ARGS]) -> Self {
        let of = |arg: Arg| args[arg as usize] as usize;
        Self {
            from: of(Arg::From) as *const u8,
            to: of(Arg::To) as *mut u8,
            from_row: of(Arg::FromRow),
            to_row: of(Arg::ToRow),
            rows: of(Arg::Rows),
            columns: of(Arg::Columns),
            padded: of(Arg::Padded),
            indices: of(Arg::Indices) as *const u8,
        }
    }

    /// For elements of `SIZE` bytes.
    ///
    /// # Safety
    /// What the caller of `movement` promises.
    unsafe fn run<const SIZE: usize>(&self, order: Order) {
        // SAFETY: as the caller of `movement` promises.
        unsafe {
            match order {
                Order::Copy { .. } => (0..self.rows).for_each(|i| self.row::<SIZE>(i, i)),
                Order::Gather(index) => (0..self.rows).for_each(|i| self.row::<SIZE>(self.index(index, i), i)),
                Order::Scatter(index) => (0..self.rows).for_each(|i| self.row::<SIZE>(i, self.index(index, i))),
                Order::Transpose => self.turn::<SIZE>(self.rows, self.to_row),
                Order::Panel { rows } => self.turn::<SIZE>(rows.into(), usize::from(rows) * SIZE),
                Order::Interleave { group } => self.interleave::<SIZE>(group.into()),
                Order::Separate { group } => self.separate::<SIZE>(group.into()),
            }
        }
    }

    unsafe fn index(&self, index: Index, i: usize) -> usize {
        // SAFETY: there are as many indices as rows.
        unsafe {
            match index {
                Index::I32 => self.indices.cast::<u32>().add(i).read_unaligned() as usize,
                Index::I64 => self.indices.cast::<u64>().add(i).read_unaligned() as usize,
            }
        }
    }

    unsafe fn row<const SIZE: usize>(&self, from: usize, to: usize) {
        // SAFETY: the rows are there.
        unsafe {
            let to = self.to.add(to * self.to_row);
            to.copy_from_nonoverlapping(self.from.add(from * self.from_row), self.columns * SIZE);
            to.add(self.columns * SIZE).write_bytes(0, self.padded.saturating_sub(self.columns) * SIZE);
        }
    }

    unsafe fn turn<const SIZE: usize>(&self, rows: usize, stride: usize) {
        for column in 0..self.columns {
            for row in 0..rows {
                // SAFETY: the elements are there.
                unsafe {
                    let from = self.from.add(row * self.from_row + column * SIZE);
                    self.to.add(column * stride + row * SIZE).copy_from_nonoverlapping(from, SIZE);
                }
            }
        }
    }

    unsafe fn interleave<const SIZE: usize>(&self, group: usize) {
        for row in 0..self.rows.next_multiple_of(group) {
            for column in 0..self.columns {
                // SAFETY: the elements are there; groups are whole where they are written.
                unsafe {
                    let to = self.to.add(row / group * self.to_row + (column * group + row % group) * SIZE);
                    match row < self.rows {
                        true => to.copy_from_nonoverlapping(self.from.add(row * self.from_row + column * SIZE), SIZE),
                        false => to.write_bytes(0, SIZE),
                    }
                }
            }
        }
    }

    unsafe fn separate<const SIZE: usize>(&self, group: usize) {
        for row in 0..self.rows {
            for column in 0..self.columns {
                // SAFETY: the elements are there.
                unsafe {
                    let from = self.from.add(row / group * self.from_row + (column * group + row % group) * SIZE);
                    self.to.add(row * self.to_row + column * SIZE).copy_from_nonoverlapping(from, SIZE);
                }
            }
        }
    }
}

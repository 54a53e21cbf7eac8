//! Tiles in memory: how their elements are found.

pub use crate::movement::Index;

use tilewright_tensor::DType;

/// How an operand moves from column to column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stride {
    /// Not at all: one element for all columns. A store to it happens once a row.
    Zero,
    /// By one element.
    Unit,
    /// By some bytes, known at run time, in either direction.
    General,
    /// By one bit, of bools only: column `j` is bit `j % 8` of byte `j / 8`. A store writes the bytes that hold columns,
    /// and zeros to the bits after the last one.
    Bits,
}

/// How an operand moves from row to row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rows {
    /// Not at all: one row for all.
    One,
    /// By some bytes, known at run time, in either direction.
    Strided,
    /// Row `i` is row `indices[i]` of what is in memory. The caller has checked the indices; those of an operand that is
    /// stored differ from each other.
    Indexed(Index),
    /// There are no rows: the operand is a run of elements, each read by its number, see
    /// [`Step::Gather`](crate::block::Step::Gather). Nothing is stored to it, nor to memory that it shares.
    Flat,
}

/// A tile in memory, of `m` rows and `n` columns where it is not broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// Its elements.
    pub dtype: DType,
    /// From row to row.
    pub rows: Rows,
    /// From column to column.
    pub column: Stride,
}

impl Operand {
    /// A whole tile, its columns next to each other.
    pub fn tile(dtype: DType) -> Self {
        Self { dtype, rows: Rows::Strided, column: Stride::Unit }
    }

    /// One row for all.
    pub fn row(dtype: DType) -> Self {
        Self { dtype, rows: Rows::One, column: Stride::Unit }
    }

    /// One column for all.
    pub fn column(dtype: DType) -> Self {
        Self { dtype, rows: Rows::Strided, column: Stride::Zero }
    }

    /// One element for all.
    pub fn scalar(dtype: DType) -> Self {
        Self { dtype, rows: Rows::One, column: Stride::Zero }
    }

    /// A tile of packed truth values.
    pub fn bits() -> Self {
        Self { dtype: DType::Bool, rows: Rows::Strided, column: Stride::Bits }
    }

    /// A tile whose rows are found through indices.
    pub fn indexed(dtype: DType, index: Index) -> Self {
        Self { dtype, rows: Rows::Indexed(index), column: Stride::Unit }
    }

    /// Elements that are read by their numbers.
    pub fn flat(dtype: DType) -> Self {
        Self { dtype, rows: Rows::Flat, column: Stride::Unit }
    }

    /// Whether it has rows of its own.
    pub fn has_rows(&self) -> bool {
        matches!(self.rows, Rows::Strided | Rows::Indexed(_))
    }

    /// Whether its elements are read by their numbers.
    pub fn is_flat(&self) -> bool {
        self.rows == Rows::Flat
    }

    /// Bytes from the first to the last of so many columns, where they are next to each other.
    pub fn row_bytes(&self, columns: usize) -> usize {
        let size = self.dtype.bits() / 8;
        match self.column {
            Stride::Zero => size,
            Stride::Unit | Stride::General => columns.saturating_mul(size),
            Stride::Bits => columns.div_ceil(8),
        }
    }

    /// The element's bytes and its number in them, of a column in a row whose columns are `step` bytes apart where that
    /// is general.
    pub fn place(&self, column: usize, step: isize) -> (isize, u32) {
        match self.column {
            Stride::Zero => (0, 0),
            Stride::Unit => ((column * self.dtype.bits() / 8) as isize, 0),
            Stride::General => ((column as isize).wrapping_mul(step), 0),
            Stride::Bits => ((column / 8) as isize, column as u32 % 8),
        }
    }
}

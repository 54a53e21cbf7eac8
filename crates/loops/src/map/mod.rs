//! The Map form: expressions over a tile of `m` rows and `n` columns, with broadcasts and reductions.
//!
//! A map runs over its tile row by row; a [`Stage`] is one pass over the columns of a row, so softmax is three. Columns
//! are what vectors hold. [`Order::Columns`] turns this round: a stage is a pass over the rows of a column, so its
//! reductions give one value a column.
//!
//! # Calling convention
//! A kernel takes the address of a block of `u64`s, for `k` operands:
//!
//! ```text
//! 0 ..  k   addresses of element [0, 0]
//! k .. 2k   bytes from row to row; unread where the operand has one row for all. Of indexed rows, those in memory.
//! 2k .. 3k  bytes from column to column; read only where they are general
//! 3k        m
//! 3k + 1    n
//! 3k + 2 .. addresses of the indices of rows, one for each operand of indexed rows, in their order
//!        .. places
//! ```
//!
//! `m` and `n` are at most [`LARGEST`]. Two operands either share no byte, or every element of both is at one place.
//! Elements of an operand that is stored are apart from each other, where it has more than one.
//! An operand that is read and stored holds, for a later stage, what an earlier one stored.
//!
//! # Indices
//! Indices, predicates and the numbers of elements of flat operands are any [`Ix`] over axis 0, the row; axis 1, the
//! column; and axis `2 + k`, place `k`. Divisors are constants. A `Load` in them is an element of an integer operand: at
//! `[i, j]`, or at a number if it is flat.
//!
//! An element of a flat operand is read where all guards around it hold: the predicates of a `Where` around its first
//! side, their contrary around its second, and those before it in the same list. Elsewhere it is 0, and no memory is
//! touched. Where they hold the number is that of an element that is there, also in column 0 of a tile without columns.
//! The address of a flat operand is a multiple of its elements' size.
//!
//! # Order of a reduction
//! Along a row, 32 lanes: lane `l` combines columns `l`, `l + 32`, ... in rising order, starting from the combiner's
//! identity; then lane `l` with lane `l + 16`, and so by 8, 4, 2 and 1. Along a column, one chain in rising order.

mod combine;
mod index;
mod interpret;
mod name;
mod operand;
mod program;
#[cfg(test)]
mod tests;

pub use combine::Combine;
pub use interpret::{Tile, interpret, interpret_program};
pub use operand::{Index, Operand, Rows, Stride};
pub use program::{Fold, Pass, Program, Varies};

use tilewright_scalar::Scalar;
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// The most rows or columns of a tile.
pub const LARGEST: u64 = 1 << 28;

/// Lanes of a reduction along a row.
pub const LANES: usize = 32;

/// How the elements of a pass become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combiner {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Largest; NaN if any is.
    Max,
    /// Smallest; NaN if any is.
    Min,
    /// Position of the largest, an i32; NaN counts as largest, 0 over nothing.
    ArgMax {
        /// The last of equal ones, not the first.
        last: bool,
    },
    /// Position of the smallest, an i32; NaN counts as smallest, 0 over nothing.
    ArgMin {
        /// The last of equal ones, not the first.
        last: bool,
    },
}

/// What becomes of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sink {
    /// It is stored to an operand of its dtype.
    Store {
        /// The operand.
        operand: u32,
        /// The value.
        value: Scalar,
    },
    /// It is combined over the pass. The result is the next value of the row, see [`Map::value_of_row`].
    Reduce {
        /// How.
        combiner: Combiner,
        /// The value.
        value: Scalar,
    },
}

/// One pass: all values of an element are computed from what was there before, then stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage {
    /// What it computes.
    pub sinks: Vec<Sink>,
}

/// Which way passes run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Along each row.
    #[default]
    Rows,
    /// Along each column.
    Columns,
}

/// The form. Expressions read element `[i, j]` of operands; the values of the row are operands after those, of index
/// `[i]` (in [`Order::Columns`] of the column, `[j]`).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Map {
    /// Tiles that are read or stored.
    pub operands: Vec<Operand>,
    /// Passes over each row, in order.
    pub stages: Vec<Stage>,
    /// Which way they run.
    pub order: Order,
    /// How many numbers come with a call, for axes from 2 on.
    pub places: u32,
    /// Whether every index, what a predicate tests, and every part that is divided or an argument of `Min` and `Max`, is
    /// less than 2^30 in size wherever the guards around it hold. Then they are computed in 32 bits; else in 64, but
    /// where the expression alone shows that 32 are enough.
    pub narrow: bool,
}

impl Combiner {
    fn name(self) -> &'static str {
        match self {
            Self::Sum => "_sum_of",
            Self::Prod => "_prod_of",
            Self::Max => "_max_of",
            Self::Min => "_min_of",
            Self::ArgMax { .. } => "_argmax_of",
            Self::ArgMin { .. } => "_argmin_of",
        }
    }

    /// The dtype of the result for values of a dtype: at least 32 bits wide, and an i32 for positions.
    pub fn result(self, value: DType) -> DType {
        match (self, value) {
            (Self::ArgMax { .. } | Self::ArgMin { .. }, _) => DType::I32,
            (_, DType::F16 | DType::BF16) => DType::F32,
            (_, DType::I8 | DType::I16 | DType::U8 | DType::U16) => DType::I32,
            (_, other) => other,
        }
    }
}

impl Map {
    /// Element `[i, j]` of an operand.
    pub fn read(&self, operand: u32) -> Scalar {
        Scalar::read(operand, self.operands[operand as usize].dtype, vec![Ix::axis(0), Ix::axis(1)])
    }

    /// Element number `index` of a flat operand.
    pub fn read_flat(&self, operand: u32, index: Ix) -> Scalar {
        Scalar::read(operand, self.operands[operand as usize].dtype, vec![index])
    }

    /// Place number `at` in indices.
    pub fn place(at: u32) -> Ix {
        Ix::axis(2 + at)
    }

    /// The length of the block of arguments.
    pub fn arguments(&self) -> usize {
        self.first_place() + self.places as usize
    }

    /// Where the block of arguments has the places.
    pub fn first_place(&self) -> usize {
        3 * self.operands.len() + 2 + self.operands.iter().filter(|o| matches!(o.rows, Rows::Indexed(_))).count()
    }

    /// Where the block of arguments has the address of an operand's indices, and how these are stored.
    pub fn indices(&self, operand: usize) -> Option<(usize, Index)> {
        let Rows::Indexed(index) = self.operands.get(operand)?.rows else { return None };
        let before = self.operands[..operand].iter().filter(|o| matches!(o.rows, Rows::Indexed(_))).count();
        Some((3 * self.operands.len() + 2 + before, index))
    }

    /// Reductions of all stages: combiner and value.
    pub fn reductions(&self) -> impl Iterator<Item = (Combiner, &Scalar)> {
        self.stages.iter().flat_map(|s| &s.sinks).filter_map(|s| match s {
            Sink::Reduce { combiner, value } => Some((*combiner, value)),
            Sink::Store { .. } => None,
        })
    }

    /// What reduction number `at` gave for this row.
    pub fn value_of_row(&self, at: usize) -> Scalar {
        let dtype = self.reductions().nth(at).map_or(DType::F32, |(c, v)| c.result(v.dtype()));
        let axis = if self.order == Order::Rows { 0 } else { 1 };
        Scalar::read((self.operands.len() + at) as u32, dtype, vec![Ix::axis(axis)])
    }

    /// Adds a pass.
    #[must_use]
    pub fn stage(mut self, sinks: impl IntoIterator<Item = Sink>) -> Self {
        self.stages.push(Stage { sinks: sinks.into_iter().collect() });
        self
    }
}

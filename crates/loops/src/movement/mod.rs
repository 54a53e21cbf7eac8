//! The Move form: the same elements in another order or place.
//!
//! A matrix has `Rows` rows of `Columns` elements; a row is contiguous, rows stand at a distance given at run time. What
//! is read and what is written must not overlap. Blocked layouts (NCHWc) are a Transpose of each block of channels;
//! conversions between dtypes are Maps.

mod interpret;

pub use interpret::{Operands, interpret};

/// What is baked into the code of a Move. Everything else is an argument: sizes, distances, indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Bytes of an element: 1, 2, 4 or 8.
    pub element: u8,
    /// Where the elements go.
    pub order: Order,
}

/// Where the elements of a matrix `from` go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// `to[i][j] = from[i][j]`; a row of `to` is filled with zeros up to `Padded` columns. A distance of 0 between the
    /// rows of `from` replicates one row.
    Copy {
        /// Whether rows that start at a multiple of a vector are written past the caches: for what is larger than they.
        stream: bool,
    },
    /// `to[i][j] = from[indices[i]][j]`, padded as a Copy. The caller has checked the indices.
    Gather(Index),
    /// `to[indices[i]][j] = from[i][j]` in rising `i`, padded as a Copy. The caller has checked the indices.
    Scatter(Index),
    /// `to[j][i] = from[i][j]`.
    Transpose,
    /// A Transpose of a fixed number of rows, whose columns stand one after the other in `to` without gaps: a tile of A
    /// for a matrix product.
    Panel {
        /// The number of rows, at most [`Order::PANEL`].
        rows: u8,
    },
    /// `to[i / group][j][i % group] = from[i][j]`, zero for the rows after the last that complete a group: B for dot
    /// products of 16- or 8-bit elements.
    Interleave {
        /// Rows side by side: 2 or 4.
        group: u8,
    },
    /// The inverse: `to[i][j] = from[i / group][j][i % group]`.
    Separate {
        /// Rows side by side: 2 or 4.
        group: u8,
    },
}

impl Order {
    /// The most rows of a Panel.
    pub const PANEL: u8 = 28;
}

/// How the indices of rows are stored. None is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Index {
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
}

impl Index {
    /// Bytes of an index.
    pub fn bytes(self) -> usize {
        if self == Self::I32 { 4 } else { 8 }
    }
}

impl Move {
    /// The name in profiles: `move_4_panel_8`.
    pub fn name(&self) -> String {
        let order = match self.order {
            Order::Copy { stream: false } => "copy".to_string(),
            Order::Copy { stream: true } => "copy_stream".to_string(),
            Order::Gather(index) => format!("gather_{}", 8 * index.bytes()),
            Order::Scatter(index) => format!("scatter_{}", 8 * index.bytes()),
            Order::Transpose => "transpose".to_string(),
            Order::Panel { rows } => format!("panel_{rows}"),
            Order::Interleave { group } => format!("interleave_{group}"),
            Order::Separate { group } => format!("separate_{group}"),
        };
        format!("move_{}_{order}", self.element)
    }
}

/// Positions in the block of arguments; each is 64 bits. Distances are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Arg {
    /// The address that is read.
    From,
    /// The address that is written.
    To,
    /// From a row of `from` to the next; of a Separate, from a group of rows.
    FromRow,
    /// From a row of `to` to the next; of an Interleave, from a group of rows. A Panel has none.
    ToRow,
    /// The rows: of `from`, or of `to` where the order is Separate; of a Gather or Scatter, the number of indices. A Panel
    /// has them baked in.
    Rows,
    /// The columns of a row.
    Columns,
    /// The columns of a row of `to` with those that become zero: Copy, Gather, Scatter. Fewer than `Columns` add none.
    Padded,
    /// The address of the indices: Gather, Scatter.
    Indices,
}

/// The number of arguments.
pub const ARGS: usize = Arg::Indices as usize + 1;

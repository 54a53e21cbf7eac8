//! What a kernel is made of.

use std::sync::Arc;
use tilewright_loops::contract::{Product, Steps};
use tilewright_loops::map::Map;
use tilewright_loops::movement::Move;
use tilewright_tensor::DType;

/// Loops around leaves, over buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The name in dumps, traces and profiles.
    pub name: Arc<str>,
    /// What the leaves read and write.
    pub buffers: Vec<Buffer>,
    /// Loops whose iterations do not depend on each other, outermost first. Threads share their iterations, counted in
    /// row-major order.
    pub parallel: Vec<Loop>,
    /// One iteration.
    pub body: Vec<Stmt>,
}

/// A run of bytes. No two buffers of a kernel share a byte, but that a [`Role::Write`] may be a [`Role::Read`] of the same
/// size if every leaf reads an element of that one at or after the time it writes the same place of this one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// The name in dumps.
    pub name: Arc<str>,
    /// Its elements.
    pub dtype: DType,
    /// Its length.
    pub bytes: usize,
    /// What it is for.
    pub role: Role,
}

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An argument that is read.
    Read,
    /// An argument every byte of which is written; it may be read afterwards.
    Write,
    /// An argument that is read and written.
    Update,
    /// Memory of each thread, undefined at the start of an iteration of the parallel loops.
    Scratch,
}

/// A loop that counts from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loop {
    /// The name of the axis.
    pub axis: Arc<str>,
    /// What its iterations are to each other.
    pub kind: Kind,
    /// The number of iterations.
    pub trips: usize,
}

/// What the iterations of a loop are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Independent: any order, at once.
    Parallel,
    /// Independent, but run in order.
    Sequential,
    /// Each adds to what those before gave, in order.
    Reduce,
    /// Each continues what the one before it gave, in order.
    Scan,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stmt {
    /// A loop and what it repeats.
    Loop(Loop, Vec<Stmt>),
    /// A leaf.
    Leaf(Leaf),
}

/// A primitive applied to parts of buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// The primitive.
    pub form: Form,
    /// Its rows and columns; of a Move that pads also the columns with those that become zero; for a Block its rows,
    /// columns and steps.
    pub sizes: Vec<Size>,
    /// Where its operands are, in the order of the form: those of the map; from, to of a Move; A, B, C of a Block.
    pub operands: Vec<Access>,
    /// What axes 2, 3, ... of a map's expressions stand for.
    pub places: Vec<Place>,
}

/// The primitive of a leaf.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A map over a tile.
    Map(Arc<Map>),
    /// A move of a tile.
    Move(Move),
    /// A product of two matrices.
    Block(Block),
}

/// A product of matrices of any size: `C = (C or 0) + A * B`, each element one chain in rising steps, as
/// [`tilewright_loops::contract`] says. It is made of Contracts.
///
/// Rows of A and C, and steps of B, are [`Access::row`] apart. Strided steps of A are [`Access::column`] apart, its rows
/// then side by side. The columns of B and C stand side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// The dtypes.
    pub product: Product,
    /// Where the next step of a row of A is.
    pub steps: Steps,
    /// Whether C is added to.
    pub accumulate: bool,
}

/// Rows or columns of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Size {
    /// The same at every point.
    Fixed(usize),
    /// `min(block, total - block * v)`, where `v` is the variable of the loop at `depth`.
    Rest {
        /// The size of all but the last iteration.
        block: usize,
        /// What all iterations have together.
        total: usize,
        /// The loop: 0 is the outermost.
        depth: usize,
    },
}

/// Where an operand is: byte `offset + sum of steps[d] * (variable of the loop at depth d)` of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The buffer.
    pub buffer: usize,
    /// Bytes from its start.
    pub offset: i64,
    /// Bytes for each iteration of the loops around the leaf, outermost first; 0 for those that are not listed.
    pub steps: Vec<i64>,
    /// Bytes from row to row.
    pub row: i64,
    /// Bytes from column to column; for a map read only where its operand's columns are general.
    pub column: i64,
    /// The numbers of the rows, where the operand finds them through indices.
    pub indices: Option<Box<Access>>,
}

/// `offset + sum of steps[d] * (variable of the loop at depth d)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The value where all variables are 0.
    pub offset: i64,
    /// What each iteration of the loops around the leaf adds.
    pub steps: Vec<i64>,
}

impl Kernel {
    /// Iterations of the parallel loops: what threads share.
    pub fn iterations(&self) -> usize {
        self.parallel.iter().map(|l| l.trips).product()
    }

    /// Bytes of the scratch buffers, each at a multiple of 64.
    pub fn scratch(&self) -> usize {
        let scratch = self.buffers.iter().filter(|b| b.role == Role::Scratch);
        scratch.map(|b| b.bytes.next_multiple_of(64)).sum()
    }

    /// Visits every leaf, with the loops around it.
    pub fn leaves<'a>(&'a self, visit: &mut dyn FnMut(&[&'a Loop], &'a Leaf)) {
        let mut around: Vec<&Loop> = self.parallel.iter().collect();
        leaves(&self.body, &mut around, visit);
    }
}

fn leaves<'a>(body: &'a [Stmt], around: &mut Vec<&'a Loop>, visit: &mut dyn FnMut(&[&'a Loop], &'a Leaf)) {
    for stmt in body {
        match stmt {
            Stmt::Leaf(leaf) => visit(around, leaf),
            Stmt::Loop(l, inner) => {
                around.push(l);
                leaves(inner, around, visit);
                around.pop();
            }
        }
    }
}

impl Size {
    /// The size at a point of the loops.
    pub fn at(self, point: &[usize]) -> usize {
        match self {
            Self::Fixed(n) => n,
            Self::Rest { block, total, depth } => {
                let done = block.saturating_mul(point.get(depth).copied().unwrap_or(0));
                total.saturating_sub(done).min(block)
            }
        }
    }

    /// The largest that it can be.
    pub fn largest(self) -> usize {
        match self {
            Self::Fixed(n) => n,
            Self::Rest { block, total, .. } => block.min(total),
        }
    }
}

impl Access {
    /// Bytes from the start of the buffer at a point of the loops.
    pub fn at(&self, point: &[usize]) -> i64 {
        affine(self.offset, &self.steps, point)
    }
}

impl Place {
    /// The value at a point of the loops.
    pub fn at(&self, point: &[usize]) -> i64 {
        affine(self.offset, &self.steps, point)
    }
}

fn affine(offset: i64, steps: &[i64], point: &[usize]) -> i64 {
    let term = |(step, v): (&i64, &usize)| step.wrapping_mul(*v as i64);
    steps.iter().zip(point).map(term).fold(offset, i64::wrapping_add)
}

//! Constant sides, packed once: block after block of rows or columns, each with all of its sums.

use super::copy::{self, Along, start};
use super::dims::{A, Cut, volume};
use super::factors::Side;
use super::nest::{Nest, Var, along, dense, loops, size};
use crate::layout::Layout;
use crate::steps::{Planned, Steps};
use tilewright_nests::{Access, Buffer, Kernel, Kind, Role, Size, Stmt};
use tilewright_support::Result;

/// Where the parts of a side go.
struct Packed {
    /// For each loop of the product the elements that an iteration moves.
    vars: Vec<i64>,
    /// From position to position of the axes of a block: those summed, then the others.
    sums: Vec<i64>,
    own: Vec<i64>,
    /// The number of blocks, and the elements of one.
    shape: [usize; 2],
}

impl Nest {
    /// Packs a side; it is then what was packed.
    pub(super) fn once(&mut self, side: usize, steps: &mut Steps) -> Result<()> {
        let packed = self.packed(side);
        let dtype = self.problem.sides[side].dtype;
        let made = Layout::row_major(dtype, &packed.shape);
        let kernel = self.packing(side, &packed)?;
        let to = steps.make(made.clone());
        steps.kernels.push(Planned { kernel, reads: vec![self.problem.sides[side].from], writes: to });
        let moved = self.vars.iter_mut().zip(&packed.vars).filter(|(v, _)| v.steps[side] != 0);
        moved.for_each(|(v, to)| v.steps[side] = *to);
        let own = if side == A { &mut self.cuts.rows } else { &mut self.cuts.columns };
        for (cut, strides) in [(own, &packed.own), (&mut self.cuts.sums, &packed.sums)] {
            let dims = [&mut cut.cut].into_iter().chain(&mut cut.inner);
            dims.zip(strides).for_each(|(d, s)| d.strides[side] = *s);
        }
        let room = made.room;
        self.problem.sides[side] =
            Side { from: to, dtype, room, offset: 0, strides: Vec::new(), constant: true, plane: None, stored: None };
        Ok(())
    }

    fn own(&self, side: usize) -> (&'static str, &Cut) {
        if side == A { ("rows", &self.cuts.rows) } else { ("columns", &self.cuts.columns) }
    }

    /// In A steps stand side by side, in B columns.
    fn packed(&self, side: usize) -> Packed {
        let (sums, (_, own)) = (&self.cuts.sums, self.own(side));
        let (total, width) = (volume(&self.problem.dims.k), own.block());
        let (row, step) = if side == A { (total, 1) } else { (1, width) };
        let extents = sums.outer.iter().chain([&sums.cut]).chain(&sums.inner).map(|d| d.extent);
        let all = dense(&extents.collect::<Vec<_>>(), step);
        let (outer, block) = all.split_at(sums.outer.len());
        let mut outer = outer.iter();
        let moves = |v: &Var| v.steps[side] != 0 && v.kind != Kind::Reduce;
        let blocks: usize = self.vars.iter().filter(|v| moves(v)).map(|v| v.trips).product();
        let mut apart = (blocks * total * width) as i64;
        let mut to = |v: &Var| match v.name {
            "sum" => outer.next().copied().unwrap_or(0),
            "sums" => block[0] * sums.part as i64,
            _ if moves(v) => {
                apart /= v.trips as i64;
                apart
            }
            _ => 0,
        };
        let vars = self.vars.iter().map(&mut to).collect();
        let inner: Vec<usize> = own.axes().iter().map(|d| d.extent).collect();
        Packed { vars, sums: block.to_vec(), own: dense(&inner, row), shape: [blocks, total * width] }
    }

    /// The kernel that packs.
    fn packing(&self, side: usize, packed: &Packed) -> Result<Kernel> {
        let (sums, (name, own)) = (&self.cuts.sums, self.own(side));
        let Side { dtype, room, offset, .. } = self.problem.sides[side];
        let both: Vec<(Var, i64)> = self.vars.iter().cloned().zip(packed.vars.iter().copied()).collect();
        let both: Vec<(Var, i64)> = both.into_iter().filter(|(v, _)| v.steps[side] != 0).collect();
        let vars: Vec<Var> = both.iter().map(|(v, _)| Var { kind: Kind::Parallel, ..v.clone() }).collect();
        let summed = along(&vars, "sums", sums, side, &packed.sums);
        let owned = along(&vars, name, own, side, &packed.own);
        let axes: Vec<Along> = if side == A { [owned, summed].concat() } else { [summed, owned].concat() };
        let (bytes, size_of) = (dtype.bits() / 8, dtype.bits() as i64 / 8);
        let from = start(0, offset * size_of, vars.iter().map(|v| v.steps[side] * size_of).collect());
        let to = start(1, 0, both.iter().map(|(_, to)| to * size_of).collect());
        let mut body = vec![copy::copy([dtype; 2], &axes, &from, &to, vars.len())?];
        if !own.cut.extent.is_multiple_of(own.part) {
            // The last block has room that nobody reads.
            let steps = size(&vars, "sums", sums, volume(&sums.inner));
            let (sizes, row) = match side {
                A => ([Size::Fixed(own.block()), steps], packed.own[0]),
                _ => ([steps, Size::Fixed(own.block())], own.block() as i64),
            };
            let to = Access { row: row * size_of, column: size_of, ..to };
            body.insert(0, Stmt::Leaf(copy::zeros(dtype, sizes, to)));
        }
        let buffer = |name: &str, n: usize, role| Buffer { name: name.into(), dtype, bytes: n * bytes, role };
        let buffers = vec![buffer("from", room, Role::Read), buffer("to", packed.shape.iter().product(), Role::Write)];
        let name = format!("{}_pack", self.problem.name).into();
        let kernel = Kernel { name, buffers, parallel: loops(&vars), body };
        kernel.verify()?;
        Ok(kernel)
    }
}

//! The kernels of a product that is cut into blocks.

use super::copy::{self, Along, start};
use super::cuts::{Cuts, Right};
use super::dims::{A, B, C, Cut, Dim, Dims, as_one, volume};
use super::factors::{Side, extents};
use crate::steps::{Planned, Ref, Steps};
use std::sync::Arc;
use tilewright_graph::Comp;
use tilewright_loops::contract::{Product, Steps as Stepping};
use tilewright_nests::{Access, Block, Buffer, Form, Kernel, Kind, Leaf, Loop, Role, Size, Stmt};
use tilewright_support::Result;
use tilewright_tensor::DType;

/// A product of sides in memory.
pub(super) struct Problem {
    pub name: Arc<str>,
    pub product: Product,
    pub dims: Dims,
    pub sides: [Side; 3],
    pub scale: f64,
}

/// A loop around blocks, and the elements that an iteration moves in A, B and C.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub name: &'static str,
    pub kind: Kind,
    pub trips: usize,
    pub steps: [i64; 3],
}

/// Where a block of a side is.
struct View {
    access: Access,
    stepping: Stepping,
}

/// A kernel in the making.
pub(super) struct Nest {
    pub problem: Problem,
    pub cuts: Cuts,
    pub vars: Vec<Var>,
    /// Whether only the diagonal of the product is wanted.
    diagonal: bool,
    pub buffers: Vec<Buffer>,
    /// Statements before each Block.
    pub before: Vec<Stmt>,
}

/// The loop over blocks along a diagonal: over their rows and columns at once.
const DIAGONAL: &str = "diagonal";

/// Adds the kernels of a product.
///
/// # Errors
/// Unsupported, for blocks that cannot be packed.
pub(super) fn kernels(mut problem: Problem, steps: &mut Steps) -> Result<()> {
    let diagonal = problem.dims.make_diagonal();
    let cut = if diagonal { Cuts::diagonal } else { Cuts::new };
    let cuts = cut(problem.product, &problem.dims, &problem.sides[B]);
    let vars = vars(&problem.dims, &cuts, diagonal);
    let mut nest = Nest { problem, cuts, vars, diagonal, buffers: Vec::new(), before: Vec::new() };
    let a = nest.left(steps)?;
    let b = nest.right(steps)?;
    nest.finish(a, b, steps)
}

/// Adds the kernel that fills a part of the result with zeros.
///
/// # Errors
/// Internal, where the part does not lie in the result.
pub(super) fn zeros(comp: &Comp, c: &Side, steps: &mut Steps) -> Result<()> {
    let (size, sizes) = (c.dtype.bits() as i64 / 8, extents(comp));
    let rank = comp.rank();
    let var = |x: usize| Var { name: "zero", kind: Kind::Parallel, trips: sizes[x], steps: [0, 0, c.strides[x]] };
    let vars: Vec<Var> = (0..rank.saturating_sub(1)).map(var).collect();
    let (columns, stride) = if rank > 0 { (sizes[rank - 1], c.strides[rank - 1]) } else { (1, 1) };
    let to = start(0, c.offset * size, vars.iter().map(|v| v.steps[C] * size).collect());
    // Columns become rows of one column each, so that they may stand anywhere.
    let to = Access { row: stride * size, column: size, ..to };
    let leaf = copy::zeros(c.dtype, [Size::Fixed(columns), Size::Fixed(1)], to);
    let buffer = Buffer { name: "c".into(), dtype: c.dtype, bytes: c.room * size as usize, role: Role::Write };
    let body = vec![Stmt::Leaf(leaf)];
    let kernel = Kernel { name: comp.name.clone(), buffers: vec![buffer], parallel: loops(&vars), body };
    kernel.verify()?;
    steps.kernels.push(Planned { kernel, reads: Vec::new(), writes: c.from });
    Ok(())
}

fn vars(dims: &Dims, cuts: &Cuts, diagonal: bool) -> Vec<Var> {
    let mut vars = Vec::new();
    let mut add = |name, kind, trips: usize, dim: &Dim, part: usize| {
        if trips > 1 {
            vars.push(Var { name, kind, trips, steps: dim.strides.map(|s| s * part as i64) });
        }
    };
    let Cuts { rows, columns, sums, .. } = cuts;
    dims.batch.iter().for_each(|d| add("batch", Kind::Parallel, d.extent, d, 1));
    rows.outer.iter().for_each(|d| add("row", Kind::Parallel, d.extent, d, 1));
    columns.outer.iter().for_each(|d| add("column", Kind::Parallel, d.extent, d, 1));
    if diagonal {
        let both = std::array::from_fn(|side| rows.cut.strides[side] + columns.cut.strides[side]);
        add(DIAGONAL, Kind::Parallel, rows.parts(), &Dim { strides: both, ..rows.cut }, rows.part);
    } else {
        add("rows", Kind::Parallel, rows.parts(), &rows.cut, rows.part);
        add("columns", Kind::Parallel, columns.parts(), &columns.cut, columns.part);
    }
    sums.outer.iter().for_each(|d| add("sum", Kind::Reduce, d.extent, d, 1));
    add("sums", Kind::Reduce, sums.parts(), &sums.cut, sums.part);
    vars
}

/// The positions of a block along an axis that is cut, with so many below each.
pub(super) fn size(vars: &[Var], name: &str, cut: &Cut, below: usize) -> Size {
    let depth = vars.iter().position(|v| v.name == name || v.name == DIAGONAL && name != "sums");
    match depth {
        Some(depth) if !cut.cut.extent.is_multiple_of(cut.part) => {
            Size::Rest { block: cut.part * below, total: cut.cut.extent * below, depth }
        }
        _ => Size::Fixed(cut.part * below),
    }
}

/// The axes of a block that is copied; `to` says where their neighbours go.
pub(super) fn along(vars: &[Var], name: &str, cut: &Cut, side: usize, to: &[i64]) -> Vec<Along> {
    let axis = |(at, (dim, to)): (usize, (&Dim, &i64))| {
        let size = if at == 0 { size(vars, name, cut, 1) } else { Size::Fixed(dim.extent) };
        Along { size, from: dim.strides[side], to: *to }
    };
    cut.axes().iter().zip(to).enumerate().map(axis).collect()
}

/// Distances that make axes one, of which neighbours are so far apart.
pub(super) fn dense(extents: &[usize], last: usize) -> Vec<i64> {
    let mut out = vec![last as i64; extents.len()];
    for d in (1..extents.len()).rev() {
        out[d - 1] = out[d] * extents[d] as i64;
    }
    out
}

impl Nest {
    fn bytes(&self, side: usize) -> i64 {
        self.problem.sides[side].dtype.bits() as i64 / 8
    }

    /// A side as it stands.
    fn plain(&mut self, side: usize) -> Result<Access> {
        if let Some(plane) = self.problem.sides[side].plane.clone() {
            return self.plane(side, &plane);
        }
        let Side { dtype, room, offset: at, stored, .. } = self.problem.sides[side];
        let dtype = stored.unwrap_or(dtype);
        let (size, buffer) = (dtype.bits() as i64 / 8, self.buffers.len());
        let role = if side == C { Role::Write } else { Role::Read };
        self.buffers.push(Buffer { name: ["a", "b", "c"][side].into(), dtype, bytes: room * size as usize, role });
        Ok(start(buffer, at * size, self.vars.iter().map(|v| v.steps[side] * size).collect()))
    }

    pub(super) fn scratch(&mut self, name: &str, dtype: DType, elements: usize) -> Access {
        let bytes = elements * dtype.bits() / 8;
        self.buffers.push(Buffer { name: name.into(), dtype, bytes, role: Role::Scratch });
        start(self.buffers.len() - 1, 0, vec![0; self.vars.len()])
    }

    fn left(&mut self, steps: &mut Steps) -> Result<View> {
        let step = as_one(&self.cuts.sums.axes(), A);
        let row = self.cuts.rows.cut.strides[A];
        let size = self.bytes(A);
        let stepping = if step == Some(1) { Stepping::Dense } else { Stepping::Strided };
        let near = step == Some(1) || step.is_some_and(|s| s > 0) && (row == 1 || self.cuts.rows.part == 1);
        if near && self.problem.sides[A].stored.is_none() {
            let row = if stepping == Stepping::Dense { row } else { 1 };
            let access = Access { row: row * size, column: step.unwrap_or(1) * size, ..self.plain(A)? };
            return Ok(View { access, stepping });
        }
        if self.problem.sides[A].constant {
            self.once(A, steps)?;
            return self.left(steps);
        }
        let (rows, sums) = (&self.cuts.rows, &self.cuts.sums);
        // Rows that are a power of two apart would share sets of the first cache.
        let apart = sums.block().next_multiple_of(16) + 16;
        let mut axes = along(&self.vars, "rows", rows, A, &[apart as i64]);
        let inner: Vec<usize> = sums.axes().iter().map(|d| d.extent).collect();
        axes.extend(along(&self.vars, "sums", sums, A, &dense(&inner, 1)));
        let elements = rows.part * apart;
        let to = self.scratch("packed_a", self.problem.sides[A].dtype, elements);
        self.pack(A, &axes, &to)?;
        Ok(View { access: Access { row: apart as i64 * size, column: size, ..to }, stepping: Stepping::Dense })
    }

    fn right(&mut self, steps: &mut Steps) -> Result<View> {
        let size = self.bytes(B);
        let (columns, sums) = (&self.cuts.columns, &self.cuts.sums);
        let view = |access: Access, row: i64| View {
            access: Access { row: row * size, column: size, ..access },
            stepping: Stepping::Dense,
        };
        let width = columns.block().next_multiple_of(if columns.block() > 16 { 16 } else { 1 });
        match self.cuts.right {
            Right::Direct => {
                let row = as_one(&sums.axes(), B).unwrap_or(0);
                let access = self.plain(B)?;
                Ok(view(access, row))
            }
            Right::Once => {
                self.once(B, steps)?;
                let access = self.plain(B)?;
                Ok(view(access, self.cuts.columns.block() as i64))
            }
            Right::Blocks => {
                let inner: Vec<usize> = sums.axes().iter().map(|d| d.extent).collect();
                let mut axes = along(&self.vars, "sums", sums, B, &dense(&inner, width));
                let inner: Vec<usize> = columns.axes().iter().map(|d| d.extent).collect();
                axes.extend(along(&self.vars, "columns", columns, B, &dense(&inner, 1)));
                let elements = sums.block() * width;
                let to = self.scratch("packed_b", self.problem.sides[B].dtype, elements);
                self.pack(B, &axes, &to)?;
                Ok(view(to, width as i64))
            }
        }
    }

    /// Packs a block before the Block that reads it.
    fn pack(&mut self, side: usize, axes: &[Along], to: &Access) -> Result<()> {
        let from = self.plain(side)?;
        let Side { dtype, stored, .. } = self.problem.sides[side];
        let stmt = copy::copy([stored.unwrap_or(dtype), dtype], axes, &from, to, self.vars.len())?;
        self.before.push(stmt);
        Ok(())
    }

    /// The sizes of a Block.
    fn sizes(&self) -> [Size; 3] {
        let Cuts { rows, columns, sums, .. } = &self.cuts;
        [
            size(&self.vars, "rows", rows, 1),
            size(&self.vars, "columns", columns, volume(&columns.inner)),
            size(&self.vars, "sums", sums, volume(&sums.inner)),
        ]
    }

    /// Where a Block's result belongs, the step between its columns, and where its sums are until they are finished.
    fn result(&mut self) -> Result<(Access, i64, Option<Access>)> {
        let (rows, columns) = (&self.cuts.rows, &self.cuts.columns);
        let column = if self.diagonal { 1 } else { as_one(&columns.axes(), C).unwrap_or(0) };
        let (row, width, most) = (rows.cut.strides[C], columns.block(), rows.part);
        let (own, product) = (self.problem.sides[C].dtype, self.problem.product);
        let size = self.bytes(C);
        let result = Access { row: row * size, column: column * size, ..self.plain(C)? };
        let in_place = own == product.c() && column == 1 && !self.diagonal;
        let apart = (!in_place).then(|| {
            let row = (width * product.c_bytes()) as i64;
            Access { row, ..self.scratch("sums", product.c(), most * width) }
        });
        Ok((result, column, apart))
    }

    /// The statements of an iteration of the parallel loops, of which there are so many.
    fn body(&mut self, a: View, b: View, parallel: usize) -> Result<Vec<Stmt>> {
        let (product, scale, sizes) = (self.problem.product, self.problem.scale, self.sizes());
        let (result, column, apart) = self.result()?;
        let c = apart.as_ref().unwrap_or(&result);
        let reduced = self.vars.len() > parallel;
        let form = Form::Block(Block { product, steps: a.stepping, accumulate: reduced });
        let operands = vec![a.access, b.access, c.clone()];
        let mut body = std::mem::take(&mut self.before);
        body.push(Stmt::Leaf(Leaf { form, sizes: sizes.to_vec(), operands, places: Vec::new() }));
        for l in loops(&self.vars[parallel..]).into_iter().rev() {
            body = vec![Stmt::Loop(l, body)];
        }
        let outside = |access: &Access| Access { steps: access.steps[..parallel].to_vec(), ..access.clone() };
        if reduced {
            body.insert(0, Stmt::Leaf(copy::zeros(product.c(), [sizes[0], sizes[1]], outside(c))));
        }
        if apart.is_some() || scale != 1.0 {
            let mut places: Vec<Access> = apart.iter().chain([&result]).map(outside).collect();
            if self.diagonal {
                places[0].row += product.c_bytes() as i64;
            }
            let columns = if self.diagonal { Size::Fixed(1) } else { sizes[1] };
            let own = self.problem.sides[C].dtype;
            body.push(Stmt::Leaf(copy::finish(product.c(), (own, column), scale, [sizes[0], columns], places)));
        }
        Ok(body)
    }

    fn finish(mut self, a: View, b: View, steps: &mut Steps) -> Result<()> {
        let parallel = self.vars.iter().filter(|v| v.kind == Kind::Parallel).count();
        let body = self.body(a, b, parallel)?;
        let (reads, order) = self.arguments();
        let mut kernel = Kernel {
            name: self.problem.name.clone(),
            buffers: self.buffers,
            parallel: loops(&self.vars[..parallel]),
            body,
        };
        reorder(&mut kernel, &order);
        kernel.verify()?;
        steps.kernels.push(Planned { kernel, reads, writes: self.problem.sides[C].from });
        Ok(())
    }

    /// What the read buffers are, and all buffers in the order that they should have: read, written, scratch.
    fn arguments(&self) -> (Vec<Ref>, Vec<usize>) {
        let of = |role: Role| (0..self.buffers.len()).filter(move |b| self.buffers[*b].role == role);
        let side = |b: usize| if &*self.buffers[b].name == "a" { A } else { B };
        let reads = of(Role::Read).map(|b| self.problem.sides[side(b)].from).collect();
        (reads, of(Role::Read).chain(of(Role::Write)).chain(of(Role::Scratch)).collect())
    }
}

/// Puts buffers into another order.
fn reorder(kernel: &mut Kernel, order: &[usize]) {
    let place = |old: usize| order.iter().position(|b| *b == old).unwrap_or(old);
    kernel.buffers = order.iter().map(|b| kernel.buffers[*b].clone()).collect();
    fn each(body: &mut [Stmt], place: &dyn Fn(usize) -> usize) {
        for stmt in body {
            match stmt {
                Stmt::Loop(_, inner) => each(inner, place),
                Stmt::Leaf(leaf) => leaf.operands.iter_mut().for_each(|o| o.buffer = place(o.buffer)),
            }
        }
    }
    each(&mut kernel.body, &place);
}

pub(super) fn loops(vars: &[Var]) -> Vec<Loop> {
    vars.iter().map(|v| Loop { axis: v.name.into(), kind: v.kind, trips: v.trips }).collect()
}

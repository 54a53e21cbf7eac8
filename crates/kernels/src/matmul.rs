//! `C[m, n] = A[m, k] * B[k, n]` with a packed B.
//!
//! ```text
//! for each block of rows and of steps:         its part of A, and a panel's part of B, fit the second cache
//!     for each panel of columns: for each tile of rows: one kernel
//! ```

use crate::callable::Callable;
use crate::machine::Machine;
use crate::pack::{Filler, Packed};
use crate::tile::Tile;
use std::ops::Range;
use tilewright_codegen::contract::lanes;
use tilewright_loops::contract::{AHEAD, ARGS, Arg, Contract, Product, Steps};
use tilewright_loops::map::{Map, Operand};
use tilewright_runtime::pool::Pool;
use tilewright_support::target::Target;
use tilewright_support::{Diagnostic, Result};

/// The sizes of a product, and the distance in bytes between rows of A and of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Rows of A and C.
    pub m: usize,
    /// Columns of B and C.
    pub n: usize,
    /// Columns of A, rows of B.
    pub k: usize,
    /// From a row of A to the next; a row has whole steps.
    pub a_row: usize,
    /// From a row of C to the next.
    pub c_row: usize,
}

/// A matrix product of fixed sizes: its blocks, its tile, and the kernels of whole tiles and of those at the edges.
#[derive(Debug)]
pub struct Matmul {
    product: Product,
    sizes: Sizes,
    choice: Choice,
    lanes: usize,
    kernels: Kernels,
    /// The map over the sums, and the kernels that end with it.
    after: Option<(Map, Kernels)>,
}

/// Kernels by rows (whole tiles, the rest) and vectors (whole, the rest).
type Kernels = [[Option<Callable>; 2]; 2];

/// The memory of an operand of the map over the sums.
#[derive(Clone, Copy, Debug)]
pub struct Tile2d {
    /// Its first element.
    pub address: *mut u8,
    /// Bytes that belong to it.
    pub len: usize,
    /// Bytes from row to row.
    pub row: usize,
}

/// How a product is cut. No choice changes a bit of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The register tile.
    pub tile: Tile,
    /// Rows of a block, a multiple of the tile's.
    pub block_rows: usize,
    /// Steps of a block.
    pub block_steps: usize,
}

impl Choice {
    /// The choice for a machine.
    fn new(target: &Target, product: Product, sizes: &Sizes) -> Self {
        let lanes = lanes(product, target.level);
        let tile = Tile::choose(target, product, sizes.m, sizes.n.div_ceil(lanes));
        let steps = sizes.k.div_ceil(product.per_step());
        let size = product.step_bytes();
        // A panel's part of B takes a quarter of the second cache.
        let most_steps = (target.l2 / 4 / (tile.vectors * lanes * size)).max(64);
        let block_steps = steps.div_ceil(steps.div_ceil(most_steps).max(1)).max(1);
        let most_rows = target.l2 / (block_steps * size);
        Self { tile, block_rows: (most_rows / tile.rows).max(1) * tile.rows, block_steps }
    }
}

/// A part of the product: rows and steps.
#[derive(Clone, Debug)]
struct Block {
    rows: Range<usize>,
    steps: Range<usize>,
}

impl Matmul {
    /// Plans a product and emits its kernels.
    ///
    /// # Errors
    /// `Unsupported` where the machine has no such product.
    pub fn new(machine: &Machine, product: Product, sizes: Sizes) -> Result<Self> {
        let choice = Choice::new(&machine.target(), product, &sizes);
        let lanes = lanes(product, machine.target().level);
        let mut plan = Self { product, sizes, choice, lanes, kernels: Default::default(), after: None };
        plan.kernels = plan.emit(|contract| machine.contract(contract))?;
        Ok(plan)
    }

    /// A product whose sums go through a map in registers; operand 0 of the map is the sums.
    ///
    /// # Errors
    /// As [`Matmul::new`], and `Unsupported` for a map that does not fit.
    pub fn fused(machine: &Machine, product: Product, sizes: Sizes, map: &Map) -> Result<Self> {
        let mut plan = Self::new(machine, product, sizes)?;
        if map.operands.len() > OPERANDS {
            return Err(Diagnostic::unsupported(format!("more than {OPERANDS} operands after a product")));
        }
        let kernels = plan.emit(|contract| machine.fused(contract, map))?;
        plan.after = Some((map.clone(), kernels));
        Ok(plan)
    }

    fn emit(&self, emit: impl Fn(&Contract) -> Result<Callable>) -> Result<Kernels> {
        let (Sizes { m, n, .. }, tile, width) = (self.sizes, self.choice.tile, self.width());
        let rows = [Some(tile.rows).filter(|_| m >= tile.rows), Some(m % tile.rows).filter(|r| *r > 0)];
        let columns = [
            (n >= width).then_some((tile.vectors, false)),
            Some(n % width).filter(|r| *r > 0).map(|r| (r.div_ceil(self.lanes), r % self.lanes > 0)),
        ];
        let mut kernels = Kernels::default();
        for (row, rows) in kernels.iter_mut().zip(rows) {
            for (kernel, columns) in row.iter_mut().zip(columns) {
                let (Some(rows), Some((vectors, partial))) = (rows, columns) else { continue };
                let group = Contract::GROUP.min(rows as u8);
                let a_steps = Steps::Dense;
                let (rows, vectors) = (rows as u8, vectors as u8);
                let contract = Contract { product: self.product, rows, vectors, group, a_steps, partial };
                *kernel = Some(emit(&contract)?);
            }
        }
        Ok(kernels)
    }

    /// How it is cut.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Columns of a panel.
    fn width(&self) -> usize {
        self.choice.tile.vectors * self.lanes
    }

    /// Room for B as this product reads it.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn packed(&self) -> Result<Packed> {
        Packed::new(self.product, [self.sizes.k, self.sizes.n], self.width(), self.lanes)
    }

    /// Runs it on so many threads.
    ///
    /// # Errors
    /// `Usage` where an operand does not have the sizes planned for.
    pub fn run(&self, a: &[u8], b: &Packed, c: &mut [u8], threads: usize) -> Result<()> {
        // SAFETY: there is no map over the sums, so no operands of one.
        unsafe { self.run_after(a, b, c, &[], threads) }
    }

    /// Runs it, and packs each panel of a B, whose rows have `b_row` bytes, right before its tiles.
    ///
    /// # Errors
    /// As [`Matmul::run`] and [`Packed::fill`].
    pub fn run_packing(
        &self,
        machine: &Machine,
        a: &[u8],
        (b, b_row, packed): (&[u8], usize, &mut Packed),
        c: &mut [u8],
        threads: usize,
    ) -> Result<()> {
        let filler = packed.filler(machine, b, b_row)?;
        let job = Job { a, b: filler.packed(), filler: Some(&filler), c: Shared(c.as_mut_ptr()), operands: &[] };
        self.blocks(&job, c.len(), threads)
    }

    /// Runs it, and the map over the sums, whose operands but the first are `operands`. Sums of several blocks of steps
    /// wait in `c`.
    ///
    /// # Errors
    /// As [`Matmul::run`].
    ///
    /// # Safety
    /// The operands are valid for reads, those that the map stores to also for writes by several threads, and nobody
    /// else uses them meanwhile.
    pub unsafe fn run_after(
        &self,
        a: &[u8],
        b: &Packed,
        c: &mut [u8],
        operands: &[Tile2d],
        threads: usize,
    ) -> Result<()> {
        let job = Job { a, b, filler: None, c: Shared(c.as_mut_ptr()), operands };
        self.blocks(&job, c.len(), threads)
    }

    /// Checks the operands, and runs block by block; C has so many bytes.
    fn blocks(&self, job: &Job<'_>, c_len: usize, threads: usize) -> Result<()> {
        let Sizes { m, n, k, a_row, c_row } = self.sizes;
        let b = job.b;
        let enough = |len: usize, row: usize, bytes: Option<usize>| {
            let end = |bytes: usize| (m - 1).checked_mul(row)?.checked_add(bytes);
            m == 0 || bytes.is_some_and(|bytes| bytes <= row && end(bytes).is_some_and(|end| end <= len))
        };
        let fits = (b.k, b.n, b.product, b.width) == (k, n, self.product, self.width())
            && enough(job.a.len(), a_row, b.steps().checked_mul(self.product.step_bytes()))
            && enough(c_len, c_row, n.checked_mul(self.product.c_bytes()))
            && self.reaches(job.operands);
        if !fits {
            return Err(Diagnostic::usage("operands do not have the sizes that the product was planned for"));
        }
        // A part of B that is packed in the run serves all rows at once.
        let most_rows = if job.filler.is_some() { m } else { self.choice.block_rows };
        for first in (0..m).step_by(most_rows.max(1)) {
            let rows = first..(first + most_rows).min(m);
            for first in (0..b.steps().max(1)).step_by(self.choice.block_steps) {
                let steps = first..(first + self.choice.block_steps).min(b.steps());
                self.block(job, &Block { rows: rows.clone(), steps }, threads);
            }
        }
        Ok(())
    }

    /// Whether the operands of the map have room for all rows and columns.
    fn reaches(&self, operands: &[Tile2d]) -> bool {
        let Some((map, _)) = &self.after else { return operands.is_empty() };
        let Sizes { m, n, .. } = self.sizes;
        let fits = |(operand, tile): (&Operand, &Tile2d)| {
            let rows = if operand.has_rows() { m.saturating_sub(1) } else { 0 };
            let end = rows.checked_mul(tile.row).and_then(|far| far.checked_add(operand.row_bytes(n)));
            end.is_some_and(|end| end <= tile.len)
        };
        m == 0
            || n == 0
            || (map.operands.len() == operands.len() + 1 && map.operands[1..].iter().zip(operands).all(fits))
    }

    fn size(&self) -> usize {
        self.product.step_bytes()
    }

    /// A block, panel by panel; panels are cut so that threads have chunks enough.
    fn block(&self, job: &Job<'_>, block: &Block, threads: usize) {
        let panels = job.b.panels();
        let tiles = block.rows.len().div_ceil(self.choice.tile.rows);
        let whole = |panel: usize| {
            if let Some(filler) = job.filler {
                filler.part(panel, block.steps.clone());
            }
            self.panel(job, block, panel, 0..tiles);
        };
        if threads <= 1 {
            return (0..panels).for_each(whole);
        }
        if job.filler.is_some() {
            return Pool::global().run(panels, threads, &|panel, _| whole(panel));
        }
        let cuts = (8 * threads).div_ceil(panels.max(1)).clamp(1, tiles.max(1));
        let body = |chunk: usize, _: usize| {
            let (panel, cut) = (chunk / cuts, chunk % cuts);
            let tiles = tiles * cut / cuts..tiles * (cut + 1) / cuts;
            self.panel(job, block, panel, tiles);
        };
        Pool::global().run(panels * cuts, threads, &body);
    }

    /// Some tiles of a block, times a panel.
    fn panel(&self, job: &Job<'_>, block: &Block, panel: usize, tiles: Range<usize>) {
        match self.after {
            None => self.tiles::<ARGS>(job, block, panel, tiles),
            Some(_) => self.tiles::<{ ARGS + 3 * OPERANDS + 2 }>(job, block, panel, tiles),
        }
    }

    /// The same with room for so many arguments.
    fn tiles<const N: usize>(&self, job: &Job<'_>, block: &Block, panel: usize, tiles: Range<usize>) {
        let Sizes { n, a_row, c_row, .. } = self.sizes;
        let b = job.b;
        let columns = (n - panel * b.width).min(b.width);
        let which = usize::from(columns < b.width);
        let offsets = [[0u64; 2]];
        let size = self.size();
        let group = usize::from(Contract::GROUP);
        let mut args = [0u64; N];
        let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
        set(Arg::B, b.panel(panel) as usize + b.step(panel, block.steps.start));
        set(Arg::BStep, b.step(panel, 1));
        set(Arg::CRow, c_row);
        set(Arg::CGroup, c_row * group);
        set(Arg::Steps, block.steps.len());
        set(Arg::Batch, 1);
        set(Arg::Offsets, offsets.as_ptr() as usize);
        // Vectors have a power of two of lanes.
        set(Arg::Columns, ((columns - 1) & (self.lanes - 1)) + 1);
        set(Arg::Accumulate, usize::from(block.steps.start > 0));
        set(Arg::ARow, a_row);
        set(Arg::AGroup, a_row * group);
        // What the panel's tiles hint at is the next panel.
        let ahead = block.steps.len() / 4 * AHEAD as usize;
        let after = (panel + 1).min(b.panels() - 1);
        let upcoming = b.panel(after) as usize + b.step(after, block.steps.start);
        for (number, tile) in tiles.enumerate() {
            let row = block.rows.start + tile * self.choice.tile.rows;
            let rows = self.choice.tile.rows.min(block.rows.end - row);
            let kernels = match &self.after {
                Some((map, kernels)) if block.steps.end == b.steps() => {
                    job.operands_at(map, [row, panel * b.width], &mut args[ARGS..]);
                    kernels
                }
                _ => &self.kernels,
            };
            let Some(kernel) = &kernels[usize::from(rows < self.choice.tile.rows)][which] else { continue };
            args[Arg::A as usize] = job.a[row * a_row + block.steps.start * size..].as_ptr() as u64;
            args[Arg::Next as usize] = (upcoming + number * ahead) as u64;
            args[Arg::C as usize] = job.c.at(row * c_row + panel * b.width * self.product.c_bytes()) as u64;
            // SAFETY: `run` has checked that all rows and columns of A and C lie in the slices, and that B is packed for
            // this product; chunks write disjoint tiles of C.
            unsafe { kernel.call(args.as_ptr()) };
        }
    }
}

/// The most operands of a map over the sums.
const OPERANDS: usize = 8;

/// The operands of a run.
struct Job<'a> {
    a: &'a [u8],
    b: &'a Packed,
    /// What packs B on the way.
    filler: Option<&'a Filler<'a>>,
    c: Shared,
    /// Those of the map over the sums, but the first.
    operands: &'a [Tile2d],
}

// SAFETY: chunks write disjoint tiles of C and of the operands; whoever gave the operands has allowed that.
unsafe impl Sync for Job<'_> {}

impl Job<'_> {
    /// The map's arguments for the tile that starts at a row and a column.
    fn operands_at(&self, map: &Map, [row, column]: [usize; 2], args: &mut [u64]) {
        let count = map.operands.len();
        for (o, (operand, tile)) in
            map.operands.iter().zip([None].into_iter().chain(self.operands.iter().map(Some))).enumerate()
        {
            let Some(tile) = tile else { continue };
            let down = if operand.has_rows() { tile.row } else { 0 };
            let (across, _) = operand.place(column, 0);
            args[o] = tile.address.wrapping_add(row * down + across) as u64;
            args[count + o] = down as u64;
        }
    }
}

/// The start of memory of which every chunk writes its own part.
struct Shared(*mut u8);

// SAFETY: chunks write disjoint parts.
unsafe impl Sync for Shared {}

impl Shared {
    fn at(&self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }
}

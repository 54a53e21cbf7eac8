//! `C[m, n] = A[m, k] * B[k, n]`.
//!
//! ```text
//! for each block of rows and of steps:         its part of A, and a panel's part of B, fit the second cache
//!     for each panel of columns: for each tile of rows: one kernel
//! ```
//!
//! A plain B is packed part by part while the tiles of the part before hint at it, so the packed parts never leave the
//! second cache; a product of few rows reads it as it stands.

use crate::callable::Callable;
use crate::machine::Machine;
use crate::pack::{Packed, Scratch};
use crate::panels::{Panels, Part, Place, Plain, Source};
use crate::shared::Shared;
use crate::tile::Tile;
use std::ops::Range;
use tilewright_codegen::contract::lanes;
use tilewright_loops::contract::{ARGS, Arg, Contract, Product, Steps};
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
    panels: Panels,
    sizes: Sizes,
    choice: Choice,
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
        // The blocks of rows are alike; short ones would pack B too often.
        let most_rows = (target.l2 / (block_steps * size)).max(LEAST_ROWS);
        let blocks = sizes.m.div_ceil(most_rows).max(1);
        let block_rows = sizes.m.div_ceil(blocks).next_multiple_of(tile.rows);
        Self { tile, block_rows, block_steps }
    }
}

/// The least that a block of rows is cut down to.
const LEAST_ROWS: usize = 192;

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
        let panels = Panels { product, k: sizes.k, n: sizes.n, width: choice.tile.vectors * lanes, lanes };
        let mut plan = Self { panels, sizes, choice, kernels: Default::default(), after: None };
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
        let (Sizes { m, n, .. }, tile) = (self.sizes, self.choice.tile);
        let Panels { product, width, lanes, .. } = self.panels;
        let rows = [Some(tile.rows).filter(|_| m >= tile.rows), Some(m % tile.rows).filter(|r| *r > 0)];
        let columns = [
            (n >= width).then_some((tile.vectors, false)),
            Some(n % width).filter(|r| *r > 0).map(|r| (r.div_ceil(lanes), r % lanes > 0)),
        ];
        let mut kernels = Kernels::default();
        for (row, rows) in kernels.iter_mut().zip(rows) {
            for (kernel, columns) in row.iter_mut().zip(columns) {
                let (Some(rows), Some((vectors, partial))) = (rows, columns) else { continue };
                let group = Contract::GROUP.min(rows as u8);
                let a_steps = Steps::Dense;
                let (rows, vectors) = (rows as u8, vectors as u8);
                let contract = Contract { product, rows, vectors, group, a_steps, partial };
                *kernel = Some(emit(&contract)?);
            }
        }
        Ok(kernels)
    }

    /// How it is cut.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Room for B as this product reads it.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn packed(&self) -> Result<Packed> {
        Packed::new(self.panels)
    }

    /// What [`Matmul::run_plain`] needs on so many threads.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn scratch(&self, machine: &Machine, threads: usize) -> Result<Scratch> {
        let steps = if self.direct() { 0 } else { self.choice.block_steps.min(self.panels.steps()) };
        Scratch::new(machine, &self.panels, steps, threads)
    }

    /// Runs it on so many threads.
    ///
    /// # Errors
    /// `Usage` where an operand does not have the sizes planned for.
    pub fn run(&self, a: &[u8], b: &Packed, c: &mut [u8], threads: usize) -> Result<()> {
        // SAFETY: there is no map over the sums, so no operands of one.
        unsafe { self.run_after(a, b, c, &[], threads) }
    }

    /// Runs it with a B that is not packed, on the threads of the scratch.
    ///
    /// # Errors
    /// As [`Matmul::run`].
    pub fn run_plain(&self, a: &[u8], b: Plain<'_>, c: &mut [u8], scratch: &mut Scratch) -> Result<()> {
        b.check(&self.panels)?;
        let most = self.choice.block_steps.min(self.panels.steps()) * self.panels.width * self.size();
        if scratch.panels != self.panels || (most > scratch.each && !self.direct()) {
            return Err(Self::misfit());
        }
        let threads = scratch.threads;
        let room = Shared(scratch.room.as_mut_ptr());
        let source = match self.direct() {
            true => Source::Direct(b),
            false => Source::Packing { plain: b, packer: &scratch.packer, room, room_bytes: scratch.each },
        };
        self.blocks(&Job { a, b: source, c: Shared(c.as_mut_ptr()), operands: &[] }, c.len(), threads)
    }

    /// Whether a plain B is read as it stands.
    fn direct(&self) -> bool {
        self.panels.product.per_step() == 1 && self.sizes.m <= DIRECT
    }

    fn misfit() -> Box<Diagnostic> {
        Diagnostic::usage("operands do not have the sizes that the product was planned for")
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
        if *b.panels() != self.panels {
            return Err(Self::misfit());
        }
        let job = Job { a, b: Source::Packed(b), c: Shared(c.as_mut_ptr()), operands };
        self.blocks(&job, c.len(), threads)
    }

    /// Checks the operands but B, and runs block by block; C has so many bytes.
    fn blocks(&self, job: &Job<'_>, c_len: usize, threads: usize) -> Result<()> {
        let Sizes { m, n, a_row, c_row, .. } = self.sizes;
        let steps = self.panels.steps();
        let enough = |len: usize, row: usize, bytes: Option<usize>| {
            let end = |bytes: usize| (m - 1).checked_mul(row)?.checked_add(bytes);
            m == 0 || bytes.is_some_and(|bytes| bytes <= row && end(bytes).is_some_and(|end| end <= len))
        };
        let fits = enough(job.a.len(), a_row, steps.checked_mul(self.size()))
            && enough(c_len, c_row, n.checked_mul(self.panels.product.c_bytes()))
            && self.reaches(job.operands);
        if !fits {
            return Err(Self::misfit());
        }
        let [most_rows, most_steps] = match job.b {
            Source::Packed(_) => [self.choice.block_rows, self.choice.block_steps],
            // A part that is packed in the run serves all rows at once.
            Source::Packing { .. } => [m, self.choice.block_steps],
            Source::Direct(_) => [m, DIRECT_STEPS],
        };
        for first in (0..m).step_by(most_rows.max(1)) {
            let rows = first..(first + most_rows).min(m);
            for first in (0..steps.max(1)).step_by(most_steps) {
                let steps = first..(first + most_steps).min(steps);
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
        self.panels.product.step_bytes()
    }

    /// A block, panel by panel; panels are cut so that threads have chunks enough.
    fn block(&self, job: &Job<'_>, block: &Block, threads: usize) {
        let panels = self.panels.count();
        let tiles = block.rows.len().div_ceil(self.choice.tile.rows);
        let cuts = match threads <= 1 || job.b.packs() {
            true => 1,
            false => (8 * threads).div_ceil(panels.max(1)).clamp(1, tiles.max(1)),
        };
        let body = |chunk: usize, thread: usize| {
            let (panel, cut) = (chunk / cuts, chunk % cuts);
            let part = Part { panel, steps: block.steps.clone() };
            // SAFETY: `run_plain` has checked B and the room; a thread runs one chunk at a time.
            let place = unsafe { job.b.part(&self.panels, &part, thread) };
            let tiles = tiles * cut / cuts..tiles * (cut + 1) / cuts;
            self.panel(job, &Columns { part, place, rows: block.rows.clone() }, tiles);
        };
        match threads {
            0 | 1 => (0..panels).for_each(|panel| body(panel, 0)),
            _ => Pool::global().run(panels * cuts, threads, &body),
        }
    }

    /// Some tiles of a block, times a panel.
    fn panel(&self, job: &Job<'_>, columns: &Columns, tiles: Range<usize>) {
        match self.after {
            None => self.tiles::<ARGS>(job, columns, tiles),
            Some(_) => self.tiles::<{ ARGS + 3 * OPERANDS + 2 }>(job, columns, tiles),
        }
    }

    /// The part whose tiles follow those of another.
    fn after(&self, part: &Part) -> Part {
        let Part { panel, ref steps } = *part;
        if panel + 1 < self.panels.count() || steps.end == self.panels.steps() {
            return Part { panel: (panel + 1).min(self.panels.count() - 1), steps: steps.clone() };
        }
        let end = (steps.end + steps.len()).min(self.panels.steps());
        Part { panel: 0, steps: steps.end..end }
    }

    /// The same with room for so many arguments.
    fn tiles<const N: usize>(&self, job: &Job<'_>, columns: &Columns, tiles: Range<usize>) {
        let Sizes { a_row, c_row, .. } = self.sizes;
        let Columns { part, place, rows } = columns;
        let Panels { width, lanes, product, .. } = self.panels;
        let count = self.panels.columns(part.panel);
        let which = usize::from(count < width);
        let offsets = [[0u64; 2]];
        let group = usize::from(Contract::GROUP);
        let mut args = [0u64; N];
        let mut set = |arg: Arg, value: usize| args[arg as usize] = value as u64;
        set(Arg::B, place.at as usize);
        set(Arg::BStep, place.step);
        set(Arg::CRow, c_row);
        set(Arg::CGroup, c_row * group);
        set(Arg::Steps, part.steps.len());
        set(Arg::Batch, 1);
        set(Arg::Offsets, offsets.as_ptr() as usize);
        // Vectors have a power of two of lanes.
        set(Arg::Columns, ((count - 1) & (lanes - 1)) + 1);
        set(Arg::Accumulate, usize::from(part.steps.start > 0));
        set(Arg::ARow, a_row);
        set(Arg::AGroup, a_row * group);
        let next = self.after(part);
        for tile in tiles {
            let row = rows.start + tile * self.choice.tile.rows;
            let tall = self.choice.tile.rows.min(rows.end - row);
            let kernels = match &self.after {
                Some((map, kernels)) if part.steps.end == self.panels.steps() => {
                    job.operands_at(map, [row, part.panel * width], &mut args[ARGS..]);
                    kernels
                }
                _ => &self.kernels,
            };
            let Some(kernel) = &kernels[usize::from(tall < self.choice.tile.rows)][which] else { continue };
            let hint = job.b.hint(&self.panels, &next, tile);
            args[Arg::Next as usize] = hint[0] as u64;
            args[Arg::NextStep as usize] = hint[1] as u64;
            args[Arg::A as usize] = job.a[row * a_row + part.steps.start * self.size()..].as_ptr() as u64;
            args[Arg::C as usize] = job.c.at(row * c_row + part.panel * width * product.c_bytes()) as u64;
            // SAFETY: `blocks` has checked that all rows and columns of A and C lie in the slices, and whoever made the
            // source of B that it fits this product; chunks write disjoint tiles of C.
            unsafe { kernel.call(args.as_ptr()) };
        }
    }
}

/// The rows of a block, and the part of B that is multiplied with them.
struct Columns {
    part: Part,
    place: Place,
    rows: Range<usize>,
}

/// The most rows of a product that reads a plain B as it stands, and the steps of its blocks: as many rows of B as the
/// machine reads side by side.
const DIRECT: usize = 24;
const DIRECT_STEPS: usize = 16;

/// The most operands of a map over the sums.
const OPERANDS: usize = 8;

/// The operands of a run.
struct Job<'a> {
    a: &'a [u8],
    b: Source<'a>,
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

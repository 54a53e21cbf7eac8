//! `C[m, n] = A[m, k] * B[k, n]`.
//!
//! ```text
//! for each block of rows and of steps:         its part of A, and a panel's part of B, fit the second cache
//!     for each panel of columns: for each tile of rows: one kernel
//! ```
//!
//! A plain B is packed part by part while the tiles of the part before hint at it, so the packed parts never leave the
//! second cache; narrow panels side by side, so that its lines are read whole. A product of few rows reads it as it stands.

mod tiles;

use crate::after::{After, Kernels};
pub use crate::around::{Around, Operands, Right};
use crate::callable::Callable;
pub use crate::choice::{Choice, Sizes};
use crate::few::Few;
pub use crate::leaf::Tile2d;
use crate::leaf::{Reach, cut, hold};
use crate::left::{Given, Left, View};
use crate::machine::Machine;
use crate::pack::{Packed, Scratch};
use crate::panels::{Panels, Part, Plain, Source};
use crate::shared::Shared;
use std::ops::Range;
use std::sync::Mutex;
use tiles::Columns;
use tilewright_codegen::contract::lanes;
use tilewright_loops::contract::{Contract, Product};
use tilewright_loops::map::Map;
use tilewright_runtime::aligned::Buffer;
use tilewright_runtime::pool::Pool;
use tilewright_support::{Diagnostic, Result};

/// A matrix product of fixed sizes: its blocks, its tile, and the kernels of whole tiles and of those at the edges.
#[derive(Debug)]
pub struct Matmul {
    panels: Panels,
    sizes: Sizes,
    choice: Choice,
    kernels: Kernels,
    left: Left,
    after: After,
    /// The calls, of a small product without maps.
    few: Option<Few>,
    /// Tiles of a panel whose sums a map takes out of the first cache.
    some: usize,
    /// Memory for blocks of A that are made, kept from run to run.
    room: Mutex<Option<Buffer>>,
}

/// A part of the product: rows and steps.
struct Block {
    a: View,
    rows: Range<usize>,
    steps: Range<usize>,
}

impl Matmul {
    /// Plans a product and emits its kernels.
    ///
    /// # Errors
    /// `Unsupported` where the machine has no such product.
    pub fn new(machine: &Machine, product: Product, sizes: Sizes) -> Result<Self> {
        Self::around(machine, product, sizes, &Around::default())
    }

    /// A product whose sums go through a map: in registers if it is short and without reductions, else as soon as all
    /// that it has to see is there.
    ///
    /// # Errors
    /// As [`Matmul::around`].
    pub fn fused(machine: &Machine, product: Product, sizes: Sizes, map: &Map) -> Result<Self> {
        Self::around(machine, product, sizes, &Around { after: Some(map), ..Around::default() })
    }

    /// A product with what surrounds it. Its bits are those of one after the other.
    ///
    /// # Errors
    /// `Unsupported` for maps that cannot surround a product.
    pub fn around(machine: &Machine, product: Product, sizes: Sizes, around: &Around<'_>) -> Result<Self> {
        let target = machine.target();
        let lanes = lanes(product, target.level);
        let left = match (around.before, around.transposed) {
            (None, transposed) => Left::new(machine, product, transposed)?,
            (Some(map), false) => Left::mapped(machine, product, map)?,
            (Some(_), true) => return Err(Diagnostic::unsupported("a map before a product that gives A transposed")),
        };
        let mut choice = Choice::new(&target, product, &sizes);
        let panels = Panels::new(product, [sizes.k, sizes.n], choice.tile.vectors, lanes);
        choice = choice.near(&target, sizes.m, left.room(&panels, 1));
        let some = (target.l1 / 2 / (panels.width * product.c_bytes() * choice.tile.rows)).max(1);
        let (kernels, room) = (Kernels::default(), Mutex::default());
        let mut plan = Self { panels, sizes, choice, kernels, left, after: After::Nothing, few: None, some, room };
        plan.kernels = plan.emit(&|contract| machine.contract(contract))?;
        if let Some(map) = around.after {
            let sums = choice.tile.rows * choice.tile.vectors;
            plan.after = After::new(machine, (product, sums), map, |emit| plan.emit(emit))?;
        }
        if let (Left::Rows, After::Nothing) = (&plan.left, &plan.after) {
            plan.few = Few::new(&panels, &sizes, &choice, &plan.kernels);
        }
        if plan.after.leaf(Reach::Rows).is_some() {
            plan.choice = choice.near(&target, sizes.m, sizes.n.saturating_mul(product.c_bytes()));
        }
        Ok(plan)
    }

    fn emit(&self, emit: &dyn Fn(&Contract) -> Result<Callable>) -> Result<Kernels> {
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
                let a_steps = self.left.steps();
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
        Scratch::new(machine, &self.panels, threads)
    }

    /// Runs it on so many threads.
    ///
    /// # Errors
    /// `Usage` where an operand does not have the sizes planned for.
    pub fn run(&self, a: &[u8], b: &Packed, c: &mut [u8], threads: usize) -> Result<()> {
        if let Some(few) = self.few.as_ref().filter(|_| *b.panels() == self.panels) {
            // SAFETY: B is in the panels of this product.
            return if unsafe { few.run(a, b.panel(0), c) } { Ok(()) } else { Err(Self::misfit()) };
        }
        // SAFETY: there are no operands of maps.
        unsafe { self.run_around(Right::Packed(b), Operands { a, c, before: &[], after: &[] }, threads) }
    }

    /// Runs it with a B that is not packed, on the threads of the scratch.
    ///
    /// # Errors
    /// As [`Matmul::run`].
    pub fn run_plain(&self, a: &[u8], b: Plain<'_>, c: &mut [u8], scratch: &mut Scratch) -> Result<()> {
        let threads = scratch.threads;
        // SAFETY: there are no operands of maps.
        unsafe { self.run_around(Right::Plain(b, scratch), Operands { a, c, before: &[], after: &[] }, threads) }
    }

    /// Runs it with the maps that surround it.
    ///
    /// # Errors
    /// As [`Matmul::run`].
    ///
    /// # Safety
    /// The operands of the maps are valid for reads, those that a map stores to also for writes by several threads, and
    /// nobody else uses them meanwhile.
    pub unsafe fn run_around(&self, b: Right<'_>, operands: Operands<'_>, threads: usize) -> Result<()> {
        let Sizes { a_row, c_row, .. } = self.sizes;
        let Operands { a, c, before, after } = operands;
        let mut tiles = Vec::new();
        if self.after.map().is_some() {
            tiles.push(Tile2d { address: c.as_mut_ptr(), len: c.len(), row: c_row });
            tiles.extend_from_slice(after);
        } else if !after.is_empty() {
            return Err(Self::misfit());
        }
        let a = Given { bytes: a, row: a_row, operands: before };
        let job = Job { a, b: self.source(b, threads)?, c: Shared(c.as_mut_ptr()), tiles: &tiles };
        self.blocks(&job, c.len(), threads)
    }

    /// What the tiles read B from.
    fn source<'b>(&self, b: Right<'b>, threads: usize) -> Result<Source<'b>> {
        let (plain, scratch) = match b {
            Right::Packed(packed) if *packed.panels() == self.panels => return Ok(Source::Packed(packed)),
            Right::Packed(_) => return Err(Self::misfit()),
            Right::Plain(plain, scratch) => (plain, scratch),
        };
        plain.check(&self.panels)?;
        if self.direct() && !plain.transposed {
            return Ok(Source::Direct(plain));
        }
        if scratch.panels != self.panels || threads > scratch.threads {
            return Err(Self::misfit());
        }
        let room = Shared(scratch.room.as_mut_ptr());
        Ok(Source::Packing { plain, scratch, room })
    }

    /// Whether a plain B is read as it stands.
    fn direct(&self) -> bool {
        self.panels.product.per_step() == 1 && self.sizes.m <= DIRECT
    }

    fn misfit() -> Box<Diagnostic> {
        Diagnostic::usage("operands do not have the sizes that the product was planned for")
    }

    /// Checks the operands but B, and runs block by block; C has so many bytes.
    fn blocks(&self, job: &Job<'_>, c_len: usize, threads: usize) -> Result<()> {
        let Sizes { m, n, .. } = self.sizes;
        let steps = self.panels.steps;
        let [most_rows, most_steps] = match job.b {
            Source::Packed(_) => [self.choice.block_rows, self.choice.block_steps],
            // A part that is packed in the run serves all rows at once.
            Source::Packing { scratch, .. } => [m, scratch.steps],
            Source::Direct(_) => [m, DIRECT_STEPS],
        };
        if !self.fits(job, c_len) {
            return Err(Self::misfit());
        }
        if n == 0 && !matches!(self.after, After::Leaf(_)) {
            return Ok(());
        }
        let mut room = self.take_room(self.left.room(&self.panels, most_rows.min(m)))?;
        let start = Shared(room.as_mut().map_or(std::ptr::null_mut(), Buffer::as_mut_ptr));
        // Small products feel each division: blocks are counted by additions.
        let mut rows = 0..most_rows.min(m);
        while !rows.is_empty() {
            // SAFETY: A was checked, and the room suffices for these rows.
            let a = unsafe { self.left.view(&job.a, &self.panels, (start, rows.clone()), threads) };
            let mut some = 0..most_steps.min(steps);
            loop {
                self.block(job, &Block { a, rows: rows.clone(), steps: some.clone() }, threads);
                if some.end == steps {
                    break;
                }
                some = some.end..(some.end + most_steps).min(steps);
            }
            if let Some(leaf) = self.after.leaf(Reach::Rows) {
                // SAFETY: the operands hold all rows and columns; parts write their own rows.
                cut(&rows, threads, &|rows| unsafe { leaf.run(job.tiles, rows, 0..n) });
            }
            rows = rows.end..(rows.end + most_rows).min(m);
        }
        if let Some(leaf) = self.after.leaf(Reach::Whole) {
            // SAFETY: as above.
            unsafe { leaf.run(job.tiles, 0..m, 0..n) };
        }
        if let (Some(room), Ok(mut kept)) = (room, self.room.try_lock()) {
            *kept = Some(room);
        }
        Ok(())
    }

    /// Whether the operands but B have the sizes planned for.
    fn fits(&self, job: &Job<'_>, c_len: usize) -> bool {
        let Sizes { m, n, c_row, .. } = self.sizes;
        let row = n.checked_mul(self.panels.product.c_bytes());
        let end = row.and_then(|row| m.saturating_sub(1).checked_mul(c_row)?.checked_add(row));
        let c = m == 0 || row.is_some_and(|row| row <= c_row) && end.is_some_and(|end| end <= c_len);
        let map = self.after.map().is_none_or(|map| hold(&map.operands, job.tiles, [m, n]));
        c && map && self.left.fits(&job.a, &self.panels, m)
    }

    /// Memory for blocks of A, if they need any.
    fn take_room(&self, bytes: usize) -> Result<Option<Buffer>> {
        if bytes == 0 {
            return Ok(None);
        }
        // Who holds the lock does not exist in the child of a fork: nobody waits for it.
        let kept = self.room.try_lock().ok().and_then(|mut room| room.take());
        match kept.filter(|room| room.len() >= bytes) {
            None => Buffer::zeroed(bytes).map(Some),
            kept => Ok(kept),
        }
    }

    /// A block, panel by panel; panels are cut so that threads have chunks enough.
    fn block(&self, job: &Job<'_>, block: &Block, threads: usize) {
        let panels = self.panels.count;
        let tiles = block.rows.len().div_ceil(self.choice.tile.rows);
        let body = |panel: usize, tiles: Range<usize>, thread: usize| {
            let part = Part { panel, steps: block.steps.clone() };
            // SAFETY: `source` has checked B and the room; a thread runs one chunk at a time.
            let place = unsafe { job.b.part(&self.panels, &part, thread) };
            self.panel(job, &Columns { part, place, block }, tiles);
        };
        if threads <= 1 {
            return (0..panels).for_each(|panel| body(panel, 0..tiles, 0));
        }
        if let Some(together) = job.b.together() {
            let chunk = |chunk: usize, thread: usize| {
                let first = chunk * together;
                (first..(first + together).min(panels)).for_each(|panel| body(panel, 0..tiles, thread));
            };
            return Pool::global().run(panels.div_ceil(together), threads, &chunk);
        }
        let cuts = threads.saturating_mul(8).div_ceil(panels.max(1)).clamp(1, tiles.max(1));
        let chunk = |chunk: usize, thread: usize| {
            let (panel, cut) = (chunk / cuts, chunk % cuts);
            body(panel, tiles * cut / cuts..tiles * (cut + 1) / cuts, thread);
        };
        Pool::global().run(panels * cuts, threads, &chunk);
    }
}

/// The most rows of a product that reads a plain B as it stands, and the steps of its blocks: as many rows of B as the
/// machine reads side by side.
const DIRECT: usize = 24;
const DIRECT_STEPS: usize = 16;

/// The operands of a run.
struct Job<'a> {
    a: Given<'a>,
    b: Source<'a>,
    c: Shared,
    /// Those of the map over the sums, which are the first.
    tiles: &'a [Tile2d],
}

//! The Contract form: blocks of up to six rows and 64 bytes of columns, whose sums stay in registers.

use super::strip::Cell;
use super::{has_fma, map};
use tilewright_loops::contract::{ARGS, Arg, Contract, Product, Steps};
use tilewright_loops::map::{Map, Program};

/// Runs a Contract whose vectors have so many columns; `args` as [`Arg`] says.
///
/// # Safety
/// The arguments describe operands that are there.
pub unsafe fn contract(form: &Contract, lanes: usize, args: *const u64) {
    // SAFETY: as the caller promises; the second kind of loops runs only where the machine can.
    unsafe {
        let args = &*args.cast::<[u64; ARGS]>();
        match has_fma() {
            #[cfg(target_arch = "x86_64")]
            true => with_fma(form, lanes, args),
            _ => plain(form, lanes, args),
        }
    }
}

/// Runs a Contract whose sums go through a map, whose arguments follow.
///
/// # Safety
/// As [`contract`].
pub unsafe fn fused(form: &Contract, lanes: usize, then: &Map, program: &Program, args: *const u64) {
    let operands = then.operands.len();
    // SAFETY: the blocks of arguments have this length; the strides of columns and the sizes are not read.
    let all = unsafe { std::slice::from_raw_parts(args, ARGS + 2 * operands) };
    let (own, follow) = all.split_at(ARGS);
    let tile = Tile::new(form, lanes, own);
    let row = tile.columns * form.product.c_bytes();
    let mut sums = vec![0u64; (tile.rows * row).div_ceil(8)];
    let base = sums.as_mut_ptr().cast::<u8>();
    if tile.accumulate {
        for n in 0..tile.rows {
            // SAFETY: the tile of C is there, and the sums have room for it.
            unsafe { base.add(n * row).copy_from_nonoverlapping(tile.place(n, Arg::C, Arg::CGroup, Arg::CRow), row) };
        }
    }
    let mut own = own.to_vec();
    own[Arg::C as usize] = base as u64;
    own[Arg::CRow as usize] = row as u64;
    own[Arg::CGroup as usize] = (row * usize::from(form.group)) as u64;
    let mut after = follow.to_vec();
    after[0] = base as u64;
    after[operands] = row as u64;
    after.resize(3 * operands, 0);
    after.extend([tile.rows as u64, tile.columns as u64]);
    // SAFETY: as the caller promises of all but the tile of sums, which is there.
    unsafe {
        contract(form, lanes, own.as_ptr());
        map(then, program, after.as_ptr());
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_fma(form: &Contract, lanes: usize, args: &[u64; ARGS]) {
    // SAFETY: as the caller promises.
    unsafe { run(form, lanes, args) };
}

/// The same on any machine.
///
/// # Safety
/// As [`contract`].
pub(super) unsafe fn plain(form: &Contract, lanes: usize, args: &[u64; ARGS]) {
    // SAFETY: as the caller promises.
    unsafe { run(form, lanes, args) };
}

#[inline(always)]
unsafe fn run(form: &Contract, lanes: usize, args: &[u64; ARGS]) {
    let tile = Tile::new(form, lanes, args);
    // SAFETY: as the caller promises.
    unsafe {
        match form.product {
            Product::F32 => tile.run::<u32, u32, 16>(Product::F32),
            Product::F64 => tile.run::<u64, u64, 8>(Product::F64),
            Product::F16 => tile.run::<u32, u16, 16>(Product::F16),
            Product::Bf16 => tile.run::<u32, u32, 16>(Product::Bf16),
            Product::U8S8 => tile.run::<u32, u32, 16>(Product::U8S8),
            Product::S8S8 => tile.run::<u32, u32, 16>(Product::S8S8),
            Product::U8U8 => tile.run::<u32, u32, 16>(Product::U8U8),
        }
    }
}

/// The bits of a step of A or B.
trait Element: Copy + Default + Into<u64> {}

impl<T: Copy + Default + Into<u64>> Element for T {}

/// What the arguments say.
struct Tile<'a> {
    args: &'a [u64],
    rows: usize,
    columns: usize,
    group: usize,
    a_step: usize,
    accumulate: bool,
}

impl<'a> Tile<'a> {
    #[inline(always)]
    fn new(form: &Contract, lanes: usize, args: &'a [u64]) -> Self {
        let arg = |arg: Arg| args[arg as usize] as usize;
        let last = if form.partial { arg(Arg::Columns) } else { lanes };
        Self {
            args,
            rows: form.rows.into(),
            columns: (usize::from(form.vectors) - 1) * lanes + last,
            group: form.group.into(),
            a_step: if form.a_steps == Steps::Dense { form.product.step_bytes() } else { arg(Arg::AStep) },
            accumulate: arg(Arg::Accumulate) != 0,
        }
    }

    #[inline(always)]
    fn arg(&self, arg: Arg) -> usize {
        self.args[arg as usize] as usize
    }

    /// The start of a row of A or C.
    #[inline(always)]
    fn place(&self, row: usize, base: Arg, group: Arg, inner: Arg) -> *mut u8 {
        let groups = (row / self.group).wrapping_mul(self.arg(group));
        let base = self.arg(base).wrapping_add(groups);
        base.wrapping_add((row % self.group).wrapping_mul(self.arg(inner))) as *mut u8
    }

    /// Block by block of so many rows and columns as registers hold.
    ///
    /// # Safety
    /// What the arguments describe is there, with elements of these sizes.
    #[inline(always)]
    unsafe fn run<T: Cell, E: Element, const W: usize>(&self, product: Product) {
        for column in (0..self.columns).step_by(W) {
            let mut at = At { row: 0, column, count: W.min(self.columns - column) };
            while at.row < self.rows {
                // SAFETY: as the caller promises.
                at.row += unsafe {
                    match (self.rows - at.row, at.count == W) {
                        (6.., true) => self.block::<T, E, W, 6, true>(product, at),
                        (4.., true) => self.block::<T, E, W, 4, true>(product, at),
                        (2.., true) => self.block::<T, E, W, 2, true>(product, at),
                        (_, true) => self.block::<T, E, W, 1, true>(product, at),
                        (6.., false) => self.block::<T, E, W, 6, false>(product, at),
                        (4.., false) => self.block::<T, E, W, 4, false>(product, at),
                        (2.., false) => self.block::<T, E, W, 2, false>(product, at),
                        (_, false) => self.block::<T, E, W, 1, false>(product, at),
                    }
                };
            }
        }
    }

    /// `R` rows and up to `W` columns; `FULL` if there are so many. Gives the number of rows.
    ///
    /// # Safety
    /// As [`Self::run`], and the tile has these rows and columns.
    #[inline(always)]
    unsafe fn block<T: Cell, E: Element, const W: usize, const R: usize, const FULL: bool>(
        &self,
        product: Product,
        at: At,
    ) -> usize {
        let (size, step) = (size_of::<T>(), size_of::<E>());
        let rows: [usize; R] = std::array::from_fn(|r| at.row + r);
        let c = rows.map(|row| self.place(row, Arg::C, Arg::CGroup, Arg::CRow).wrapping_add(at.column * size));
        let mut sums = [[T::default(); W]; R];
        if self.accumulate {
            // SAFETY: the tile of C is there.
            sums = c.map(|c| unsafe { read::<T, W, FULL>(c, at.count) });
        }
        let a = rows.map(|row| self.place(row, Arg::A, Arg::AGroup, Arg::ARow).cast_const());
        let b = (self.arg(Arg::B) as *const u8).wrapping_add(at.column * step);
        let (a_step, b_step) = (self.a_step, self.arg(Arg::BStep));
        for product_of_batch in 0..self.arg(Arg::Batch) {
            // SAFETY: the table has so many rows.
            let offsets = unsafe { (self.arg(Arg::Offsets) as *const [u64; 2]).add(product_of_batch).read_unaligned() };
            let a = a.map(|a| a.wrapping_add(offsets[0] as usize));
            let b = b.wrapping_add(offsets[1] as usize);
            for k in 0..self.arg(Arg::Steps) {
                // SAFETY: every step of these columns and rows is there.
                let right = unsafe { read::<E, W, FULL>(b.wrapping_add(k * b_step), at.count) };
                let right = right.map(|b| T::of(product.factor(b.into())));
                for r in 0..R {
                    // SAFETY: as above.
                    let left = unsafe { a[r].wrapping_add(k * a_step).cast::<E>().read_unaligned() };
                    let left = product.factor(left.into());
                    for n in 0..W {
                        sums[r][n] = T::of(product.step(sums[r][n].bits(), left, right[n].bits()));
                    }
                }
            }
        }
        for (c, sums) in c.into_iter().zip(sums) {
            // SAFETY: the tile of C is there.
            unsafe { write::<T, W, FULL>(c, sums, at.count) };
        }
        R
    }
}

/// The first row and column of a block, and how many columns there are.
#[derive(Clone, Copy)]
struct At {
    row: usize,
    column: usize,
    count: usize,
}

/// The first elements of `W`, then zeros.
///
/// # Safety
/// So many elements are there, at most `W`, or `W` if `FULL`; every pattern of bits is a `T`.
#[inline(always)]
unsafe fn read<T: Copy + Default, const W: usize, const FULL: bool>(from: *const u8, count: usize) -> [T; W] {
    if FULL {
        // SAFETY: the caller promises so many elements.
        return unsafe { from.cast::<[T; W]>().read_unaligned() };
    }
    let mut all = [T::default(); W];
    // SAFETY: the caller promises so many bytes, and there are at most W elements.
    unsafe { all.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(from, count * size_of::<T>()) };
    all
}

/// Stores the first elements of `W`.
///
/// # Safety
/// There is memory for so many elements, at most `W`, or for `W` if `FULL`.
#[inline(always)]
unsafe fn write<T: Copy, const W: usize, const FULL: bool>(to: *mut u8, all: [T; W], count: usize) {
    let count = if FULL { W } else { count };
    // SAFETY: the caller promises room for so many elements, at most W.
    unsafe { to.copy_from_nonoverlapping(all.as_ptr().cast::<u8>(), count * size_of::<T>()) };
}

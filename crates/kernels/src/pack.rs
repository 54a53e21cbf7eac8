//! B in panels: for each panel of columns, step after step, the columns side by side.

use tilewright_loops::contract::Product;
use tilewright_runtime::aligned::Buffer;
use tilewright_support::Result;

/// A packed B.
#[derive(Debug)]
pub struct Packed {
    bytes: Buffer,
    /// Rows of B, the summed axis.
    pub k: usize,
    /// Columns of B.
    pub n: usize,
    /// Columns of a panel; the last is cut to whole vectors.
    pub width: usize,
    pub(crate) product: Product,
    steps: usize,
    panels: usize,
    /// Columns with the padding to whole vectors.
    padded: usize,
}

impl Packed {
    /// Room for a B of `k` rows and `n` columns.
    ///
    /// # Errors
    /// `Limit` where there is no memory for it.
    pub fn new(product: Product, [k, n]: [usize; 2], width: usize, lanes: usize) -> Result<Self> {
        let padded = n.next_multiple_of(lanes);
        let steps = k.div_ceil(product.per_step());
        let bytes = Buffer::zeroed(padded * steps * product.step_bytes())?;
        Ok(Self { bytes, k, n, width, product, steps, panels: n.div_ceil(width), padded })
    }

    /// Steps of the summed axis.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Panels.
    pub fn panels(&self) -> usize {
        self.panels
    }

    /// Columns of a panel, with the padding to whole vectors.
    pub fn columns(&self, panel: usize) -> usize {
        self.width.min(self.padded - panel * self.width)
    }

    /// The address of a panel.
    pub fn panel(&self, panel: usize) -> *const u8 {
        let start = panel * self.width * self.steps() * self.product.step_bytes();
        self.bytes.bytes()[start..].as_ptr()
    }

    /// Bytes from the start of a panel to a step of it.
    pub(crate) fn step(&self, panel: usize, step: usize) -> usize {
        step * self.columns(panel) * self.product.step_bytes()
    }

    /// Fills it from a row-major B of which a row has `stride` bytes.
    pub fn fill(&mut self, b: &[u8], stride: usize) {
        let product = self.product;
        let (per_step, size) = (product.per_step(), product.step_bytes());
        let element = size / per_step;
        let (steps, n, k, width) = (self.steps(), self.n, self.k, self.width);
        for panel in 0..self.panels() {
            let columns = self.columns(panel);
            let there = columns.min(n - panel * width);
            let start = panel * width * steps * size;
            let bytes = &mut self.bytes.bytes_mut()[start..start + columns * steps * size];
            for (step, to) in bytes.chunks_exact_mut(columns * size).enumerate() {
                for part in 0..per_step.min(k - step * per_step) {
                    let row = (step * per_step + part) * stride + panel * width * element;
                    let from = &b[row..row + there * element];
                    interleave(to, from, element, per_step, part);
                }
            }
        }
    }
}

/// Puts the elements of a row at every `per_step`-th place, from `part` on.
fn interleave(to: &mut [u8], from: &[u8], element: usize, per_step: usize, part: usize) {
    if per_step == 1 {
        to[..from.len()].copy_from_slice(from);
        return;
    }
    let places = to.chunks_exact_mut(element * per_step);
    for (place, value) in places.zip(from.chunks_exact(element)) {
        place[part * element..(part + 1) * element].copy_from_slice(value);
    }
}

/// A tile of A with the rows of a step side by side: `to` has room for `rows` times the steps of `from`.
pub(crate) fn transpose(from: &[u8], row_stride: usize, rows: usize, to: &mut [u8], size: usize) {
    match size {
        4 => transpose_of::<4>(from, row_stride, rows, to),
        _ => transpose_of::<8>(from, row_stride, rows, to),
    }
}

fn transpose_of<const SIZE: usize>(from: &[u8], row_stride: usize, rows: usize, to: &mut [u8]) {
    let steps = to.len() / (rows * SIZE);
    for row in 0..rows {
        let elements = from[row * row_stride..row * row_stride + steps * SIZE].chunks_exact(SIZE);
        let places = to.chunks_exact_mut(rows * SIZE);
        for (place, element) in places.zip(elements) {
            place[row * SIZE..(row + 1) * SIZE].copy_from_slice(element);
        }
    }
}

//! How the columns of B are cut into panels, and where a part of a panel is.

use crate::pack::{Packed, Scratch};
use crate::shared::Shared;
use std::ops::Range;
use tilewright_loops::contract::{AHEAD, Product};
use tilewright_support::{Diagnostic, Result};

/// The panels of a B of a product: columns that a tile reads together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panels {
    /// The dtypes.
    pub product: Product,
    /// Rows of B, the summed axis.
    pub k: usize,
    /// Columns of B.
    pub n: usize,
    /// Columns of a panel; the last may have fewer.
    pub width: usize,
    /// Columns of a vector: a power of two.
    pub lanes: usize,
    /// Steps of the summed axis.
    pub steps: usize,
    /// The number of panels.
    pub count: usize,
}

impl Panels {
    /// A B of `k` rows and `n` columns in panels of so many vectors.
    pub(crate) fn new(product: Product, [k, n]: [usize; 2], vectors: usize, lanes: usize) -> Self {
        let width = vectors * lanes;
        Self { product, k, n, width, lanes, steps: k.div_ceil(product.per_step()), count: n.div_ceil(width) }
    }

    /// Panels that are so many of these side by side.
    pub(crate) fn wide(&self, together: usize) -> Self {
        Self { width: self.width * together, count: self.count.div_ceil(together), ..*self }
    }

    /// Panels whose rows take whole lines of the caches together, or fewer where threads would have too little to share.
    pub(crate) fn together(&self, threads: usize) -> usize {
        let row = self.width * self.element();
        let mut together = (LINE >> row.trailing_zeros().min(LINE.ilog2())).min(self.count.max(1));
        while threads > 1 && together > 1 && self.count / together < threads.saturating_mul(4) {
            together /= 2;
        }
        together
    }

    /// The part that is multiplied after another.
    pub(crate) fn following(&self, part: &Part) -> Part {
        let Part { panel, ref steps } = *part;
        if panel + 1 < self.count || steps.end == self.steps {
            return Part { panel: (panel + 1).min(self.count - 1), steps: steps.clone() };
        }
        let end = (steps.end + steps.len()).min(self.steps);
        Part { panel: 0, steps: steps.end..end }
    }

    /// Columns of a panel.
    #[inline]
    pub(crate) fn columns(&self, panel: usize) -> usize {
        self.width.min(self.n - panel * self.width)
    }

    /// Columns of a packed panel: those of whole vectors.
    #[inline]
    pub(crate) fn padded(&self, panel: usize) -> usize {
        (self.columns(panel) + self.lanes - 1) & !(self.lanes - 1)
    }

    /// Columns of the last vector of a panel.
    pub(crate) fn last_vector(&self, panel: usize) -> usize {
        ((self.columns(panel) - 1) & (self.lanes - 1)) + 1
    }

    /// Where a packed panel starts, in bytes.
    pub(crate) fn start(&self, panel: usize) -> usize {
        panel * self.width * self.steps * self.product.step_bytes()
    }

    /// Bytes of a step of a packed panel.
    #[inline]
    pub(crate) fn step_bytes(&self, panel: usize) -> usize {
        self.padded(panel) * self.product.step_bytes()
    }

    /// Bytes of an element of B.
    #[inline]
    pub(crate) fn element(&self) -> usize {
        self.product.step_bytes() / self.product.per_step()
    }

    /// Rows of B in some steps; the last step may lack some.
    pub(crate) fn rows(&self, steps: &Range<usize>) -> Range<usize> {
        let per_step = self.product.per_step();
        (steps.start * per_step).min(self.k)..(steps.end * per_step).min(self.k)
    }
}

/// A B that is not packed.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    /// Its rows; its columns if it is transposed.
    pub bytes: &'a [u8],
    /// Bytes from one of them to the next.
    pub row: usize,
    /// Whether a column's elements stand side by side, instead of a row's.
    pub transposed: bool,
}

impl Plain<'_> {
    /// Whether all of it is there.
    ///
    /// # Errors
    /// `Usage` where B is too short.
    pub(crate) fn check(&self, panels: &Panels) -> Result<()> {
        let (lines, length) = if self.transposed { (panels.n, panels.k) } else { (panels.k, panels.n) };
        let end = |last: usize| last.checked_mul(self.row)?.checked_add(length.checked_mul(panels.element())?);
        let needed = lines.checked_sub(1).map_or(Some(0), end);
        match needed.is_some_and(|needed| needed <= self.bytes.len()) {
            true => Ok(()),
            false => Err(Diagnostic::usage("B is shorter than its rows or columns")),
        }
    }

    /// The address of an element in the first column of a panel.
    pub(crate) fn at(&self, panels: &Panels, panel: usize, row: usize) -> *const u8 {
        let column = panel * panels.width;
        let (line, at) = if self.transposed { (column, row) } else { (row, column) };
        self.bytes.as_ptr().wrapping_add(line * self.row + at * panels.element())
    }
}

/// Bytes of a line of the caches.
const LINE: usize = 64;

/// Some steps of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub panel: usize,
    pub steps: Range<usize>,
}

/// Where the tiles of a part find it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Its first step.
    pub at: *const u8,
    /// From a step to the next.
    pub step: usize,
}

impl Place {
    /// The hints of a part that is read once, as fast as it arrives: two pages ahead of itself, since the machine reads
    /// ahead by itself only within a page.
    pub(crate) fn further(&self) -> [usize; 2] {
        [(self.at as usize).wrapping_add(8192), self.step.wrapping_mul(4)]
    }
}

/// What a product reads B from.
pub(crate) enum Source<'a> {
    /// Packed beforehand.
    Packed(&'a Packed),
    /// As it stands; only of products with one element a step.
    Direct(Plain<'a>),
    /// Packed right before its tiles, part by part: some steps of panels side by side.
    Packing { plain: Plain<'a>, scratch: &'a Scratch, room: Shared },
}

/// What is read after the tiles of a part.
pub(crate) struct Next {
    panels: Panels,
    part: Part,
    /// Tiles that have hinted at it before.
    before: usize,
}

impl Source<'_> {
    /// Panels that are made at once, so that all their tiles should follow; none where nothing is made.
    pub(crate) fn together(&self) -> Option<usize> {
        match self {
            Self::Packing { scratch, .. } => Some(scratch.together),
            _ => None,
        }
    }

    /// Makes a part available to the tiles of a thread, which asks for those of panels that are made at once in turn.
    ///
    /// # Safety
    /// Of a B that is packed here, [`Plain::check`] was fine, the room suffices for the part, and no other thread has
    /// this number.
    #[inline]
    pub(crate) unsafe fn part(&self, panels: &Panels, part: &Part, thread: usize) -> Place {
        let Part { panel, steps } = part;
        let step = panels.step_bytes(*panel);
        match self {
            Self::Packed(packed) => Place { at: packed.panel(*panel).wrapping_add(steps.start * step), step },
            Self::Direct(plain) => Place { at: plain.at(panels, *panel, steps.start), step: plain.row },
            Self::Packing { plain, scratch, room } => {
                let (wide, to) = (&scratch.wide, room.at(thread * scratch.each));
                let (group, inside) = (panel / scratch.together, panel % scratch.together);
                if inside == 0 {
                    // SAFETY: as the caller promises.
                    unsafe { scratch.packer.pack(plain, wide, &Part { panel: group, steps: steps.clone() }, to) };
                }
                let across = inside * panels.width * panels.product.step_bytes();
                Place { at: to.cast_const().wrapping_add(across), step: wide.step_bytes(group) }
            }
        }
    }

    /// What the tiles of a part, so many, hint at.
    pub(crate) fn next(&self, panels: &Panels, part: &Part, tiles: usize) -> Next {
        match self {
            Self::Packing { scratch, .. } => {
                let (group, inside) = (part.panel / scratch.together, part.panel % scratch.together);
                let part = scratch.wide.following(&Part { panel: group, steps: part.steps.clone() });
                Next { panels: scratch.wide, part, before: inside * tiles }
            }
            _ => Next { panels: *panels, part: panels.following(part), before: 0 },
        }
    }

    /// What tile number `tile` should hint at, of a part that is read next: an address, and the distance of a hint of
    /// [`AHEAD`] bytes to the next. There is a hint for every four steps. Tiles after those that have hinted at the whole
    /// part hint at nothing, which costs nothing; more would drive A out of the cache.
    #[inline]
    pub(crate) fn hint(&self, Next { panels, part, before }: &Next, tile: usize) -> [usize; 2] {
        let (hints, tile) = (part.steps.len() / 4, before + tile);
        let ahead = AHEAD as usize;
        match self {
            Self::Packed(packed) => {
                let (step, far) = (panels.step_bytes(part.panel), tile * hints * ahead);
                let start = packed.panel(part.panel) as usize + part.steps.start * step;
                if far < part.steps.len() * step { [start + far, ahead] } else { [0, 0] }
            }
            Self::Direct(plain) | Self::Packing { plain, .. } => {
                let rows = panels.rows(&part.steps);
                let columns = panels.columns(part.panel);
                let (lines, length) = if plain.transposed { (columns, rows.len()) } else { (rows.len(), columns) };
                // Tiles that together go once through all lines.
                let once = lines.div_ceil(hints.max(1)).max(1);
                let line = tile % once * hints * plain.row;
                let across = tile / once * ahead;
                let start = plain.at(panels, part.panel, rows.start) as usize + line + across;
                if across < length * panels.element() { [start, plain.row] } else { [0, 0] }
            }
        }
    }
}

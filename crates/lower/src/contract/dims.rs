//! Axes of a product, by what they are to it, and their division into blocks.

/// An axis, and the elements from one of its positions to the next in A, B and C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dim {
    pub extent: usize,
    pub strides: [i64; 3],
}

/// A, B and C in [`Dim::strides`].
pub(super) const A: usize = 0;
pub(super) const B: usize = 1;
pub(super) const C: usize = 2;

/// The axes of a product.
#[derive(Clone, Debug, Default)]
pub(super) struct Dims {
    /// Parallel axes of both sides.
    pub batch: Vec<Dim>,
    /// Parallel axes of A.
    pub m: Vec<Dim>,
    /// Parallel axes of B.
    pub n: Vec<Dim>,
    /// Summed axes.
    pub k: Vec<Dim>,
}

impl Dims {
    /// Outer axes first by their place in C; neighbours that are one axis in every operand become one.
    pub fn joined(mut self) -> Self {
        for dims in [&mut self.batch, &mut self.m, &mut self.n] {
            dims.sort_by_key(|d| -d.strides[C].abs());
        }
        Self { batch: join(&self.batch), m: join(&self.m), n: join(&self.n), k: join(&self.k) }
    }
}

/// The fewest products beside each other that are taken as the diagonal of one.
const FEWEST: usize = 4;

impl Dims {
    /// Many products of one row and one column: the axis along which there are most of them becomes rows of A and columns
    /// of B, and the results are a diagonal. False where there are other rows or columns, or too few products.
    pub fn make_diagonal(&mut self) -> bool {
        let best = (0..self.batch.len()).max_by_key(|x| self.batch[*x].extent);
        let fits = |d: &Dim| d.extent >= FEWEST && d.strides[A] != 0 && d.strides[B] != 0;
        let Some(best) = best.filter(|x| self.m.is_empty() && self.n.is_empty() && fits(&self.batch[*x])) else {
            return false;
        };
        let Dim { extent, strides: [a, b, c] } = self.batch.remove(best);
        self.m.push(Dim { extent, strides: [a, 0, c] });
        self.n.push(Dim { extent, strides: [0, b, 0] });
        true
    }
}

fn join(dims: &[Dim]) -> Vec<Dim> {
    let mut out: Vec<Dim> = Vec::new();
    for dim in dims.iter().filter(|d| d.extent != 1) {
        match out.last_mut() {
            Some(last) if [A, B, C].iter().all(|s| follows(last, dim, *s)) => {
                *last = Dim { extent: last.extent * dim.extent, ..*dim };
            }
            _ => out.push(*dim),
        }
    }
    out
}

/// Whether two axes are one in an operand.
fn follows(outer: &Dim, inner: &Dim, side: usize) -> bool {
    outer.strides[side] == inner.strides[side] * inner.extent as i64
}

/// The positions of some axes.
pub(super) fn volume(dims: &[Dim]) -> usize {
    dims.iter().map(|d| d.extent).product()
}

/// The distance between neighbours if several axes, the first of which may be cut, are one in an operand; 1 if there are
/// no neighbours.
pub(super) fn as_one(dims: &[Dim], side: usize) -> Option<i64> {
    let dims: Vec<&Dim> = dims.iter().filter(|d| d.extent > 1).collect();
    let one = dims.windows(2).all(|pair| follows(pair[0], pair[1], side));
    one.then(|| dims.last().map_or(1, |d| d.strides[side]))
}

/// Axes cut into blocks: `outer` are loops, `cut` is a loop over parts of `part` positions, `inner` are whole in a block.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub outer: Vec<Dim>,
    pub cut: Dim,
    pub part: usize,
    pub inner: Vec<Dim>,
}

impl Cut {
    /// Blocks of at most so many positions if that is possible; the last `whole` axes belong to them as long as they fit.
    /// `choose` gives the part of the axis that is cut, of its extent, the positions below it and the most positions.
    pub fn new(dims: &[Dim], whole: usize, most: usize, choose: &dyn Fn(usize, usize, usize) -> usize) -> Self {
        let unit = Dim { extent: 1, strides: [0, 0, 1] };
        let (mut at, mut below) = (dims.len().saturating_sub(1), 1);
        while at > 0 && dims.len() - at < whole && below * dims[at].extent <= most / 2 {
            below *= dims[at].extent;
            at -= 1;
        }
        let cut = dims.get(at).copied().unwrap_or(unit);
        let part = choose(cut.extent, below, most).clamp(1, cut.extent.max(1));
        let inner = dims.get(at + 1..).unwrap_or_default().to_vec();
        Self { outer: dims[..at].to_vec(), cut, part, inner }
    }

    /// The number of parts.
    pub fn parts(&self) -> usize {
        self.cut.extent.div_ceil(self.part)
    }

    /// Positions of a whole block.
    pub fn block(&self) -> usize {
        self.part * volume(&self.inner)
    }

    /// The axes of a block.
    pub fn axes(&self) -> Vec<Dim> {
        let mut axes = vec![Dim { extent: self.part, ..self.cut }];
        axes.extend(&self.inner);
        axes
    }
}

/// The largest divisor of `n` that is at most `most`.
pub(super) fn divisor(n: usize, most: usize) -> usize {
    (1..=most.min(n).max(1)).rev().find(|d| n.is_multiple_of(*d)).unwrap_or(1)
}

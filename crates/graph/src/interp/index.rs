//! Index expressions over a strip: a run of positions along one axis with all others fixed.

use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::Tensor;
use tilewright_tensor::ix::{Atom, Ix};

/// Positions along the strip's axis.
#[derive(Clone, Debug)]
pub enum Positions {
    /// `start + step * i` for `i in 0..len`.
    Range {
        /// First position.
        start: i64,
        /// Distance.
        step: i64,
        /// Number of positions.
        len: usize,
    },
    /// Any positions.
    List(Vec<i64>),
}

impl Positions {
    /// The number of positions.
    pub fn len(&self) -> usize {
        match self {
            Self::Range { len, .. } => *len,
            Self::List(v) => v.len(),
        }
    }

    fn lanes(&self) -> StripIx {
        match self {
            Self::Range { start, step, .. } => StripIx::Affine { start: *start, step: *step },
            Self::List(v) => StripIx::Lanes(v.clone()),
        }
    }

    /// The positions whose numbers are chosen, as a range where they are evenly spaced.
    pub fn choose(&self, chosen: &[usize]) -> Self {
        let at = |i: usize| match self {
            Self::Range { start, step, .. } => start + step * i as i64,
            Self::List(v) => v[i],
        };
        let even = chosen.windows(2).all(|w| w[1] - w[0] == chosen[1] - chosen[0]);
        match (self, chosen) {
            (_, []) => Self::Range { start: 0, step: 1, len: 0 },
            (_, [one]) => Self::Range { start: at(*one), step: 1, len: 1 },
            (Self::Range { .. }, [first, second, ..]) if even => {
                Self::Range { start: at(*first), step: at(*second) - at(*first), len: chosen.len() }
            }
            _ => Self::List(chosen.iter().map(|i| at(*i)).collect()),
        }
    }

    /// The positions numbered `from..to`.
    pub fn part(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Range { start, step, .. } => {
                Self::Range { start: start + step * from as i64, step: *step, len: to - from }
            }
            Self::List(v) => Self::List(v[from..to].to_vec()),
        }
    }
}

/// The value of an index at every position of a strip.
#[derive(Clone, Debug)]
pub enum StripIx {
    /// `start + step * i`.
    Affine {
        /// At the first position.
        start: i64,
        /// Per position.
        step: i64,
    },
    /// One value a position.
    Lanes(Vec<i64>),
}

impl StripIx {
    /// The values.
    pub fn values(&self, len: usize) -> Vec<i64> {
        match self {
            Self::Affine { start, step } => (0..len as i64).map(|i| start + step * i).collect(),
            Self::Lanes(v) => v.clone(),
        }
    }

    /// The smallest and largest value over a strip that is not empty.
    pub fn bounds(&self, len: usize) -> (i64, i64) {
        match self {
            Self::Affine { start, step } => {
                let last = start + step * (len as i64 - 1);
                (*start.min(&last), *start.max(&last))
            }
            Self::Lanes(v) => (v.iter().copied().min().unwrap_or(0), v.iter().copied().max().unwrap_or(-1)),
        }
    }

    fn combine(self, other: Self, len: usize, f: impl Fn(i64, i64) -> i64) -> Self {
        if let (Self::Affine { start: a, step: 0 }, Self::Affine { start: b, step: 0 }) = (&self, &other) {
            return Self::Affine { start: f(*a, *b), step: 0 };
        }
        let (a, b) = (self.values(len), other.values(len));
        Self::Lanes(a.iter().zip(&b).map(|(x, y)| f(*x, *y)).collect())
    }

    fn add(self, other: Self, len: usize) -> Self {
        match (&self, &other) {
            (Self::Affine { start: a, step: s }, Self::Affine { start: b, step: t }) => {
                Self::Affine { start: a.wrapping_add(*b), step: s.wrapping_add(*t) }
            }
            _ => self.combine(other, len, i64::wrapping_add),
        }
    }

    fn mul(self, other: Self, len: usize) -> Self {
        match (&self, &other) {
            (Self::Affine { start: a, step: s }, Self::Affine { start: b, step: 0 })
            | (Self::Affine { start: b, step: 0 }, Self::Affine { start: a, step: s }) => {
                Self::Affine { start: a.wrapping_mul(*b), step: s.wrapping_mul(*b) }
            }
            _ => self.combine(other, len, i64::wrapping_mul),
        }
    }

    /// Floor division: still affine where the divisor divides the step.
    fn div(self, by: Self, len: usize) -> Self {
        match (&self, &by) {
            (Self::Affine { start, step }, Self::Affine { start: k, step: 0 }) if *k > 0 && step % k == 0 => {
                Self::Affine { start: start.div_euclid(*k), step: step / k }
            }
            _ => self.combine(by, len, |a, b| if b > 0 { a.div_euclid(b) } else { 0 }),
        }
    }

    fn modulo(self, by: Self, len: usize) -> Self {
        match (&self, &by) {
            (Self::Affine { start, step }, Self::Affine { start: k, step: 0 }) if *k > 0 && step % k == 0 => {
                Self::Affine { start: start.rem_euclid(*k), step: 0 }
            }
            _ => self.combine(by, len, |a, b| if b > 0 { a.rem_euclid(b) } else { 0 }),
        }
    }
}

/// A compiled index: an affine part, and products of other atoms.
#[derive(Clone, Debug)]
pub struct IxCode {
    /// The constant.
    pub konst: i64,
    /// One coefficient an axis.
    pub coefficients: Vec<i64>,
    products: Vec<(i64, Vec<AtomCode>)>,
}

#[derive(Clone, Debug)]
enum AtomCode {
    Axis(usize),
    Div(IxCode, IxCode),
    Mod(IxCode, IxCode),
    Min(IxCode, IxCode),
    Max(IxCode, IxCode),
    Load(Box<Element>),
}

/// An element of an operand: its place in row-major order, and the dims still to be checked.
#[derive(Clone, Debug)]
pub struct Element {
    /// The operand, by position.
    pub operand: usize,
    /// Place in row-major order.
    pub offset: IxCode,
    /// Indices that were not proved in range, with their dims.
    pub checks: Vec<(IxCode, i64)>,
}

/// Where a strip stands.
pub struct Site<'a> {
    /// The coordinate of every axis; that of the strip's axis is 0.
    pub point: &'a [i64],
    /// The strip's axis.
    pub axis: usize,
    /// The positions along it.
    pub positions: &'a Positions,
    /// The operands.
    pub operands: &'a [Tensor],
}

impl IxCode {
    /// Compiles an index without symbols over `axes` axes. `dims` are the operands' dims and
    /// `extents` those of the axes.
    pub fn new(ix: &Ix, shapes: &[Vec<usize>], extents: &[Ix]) -> Result<Self> {
        let mut code = Self { konst: 0, coefficients: vec![0; extents.len()], products: Vec::new() };
        for (mono, c) in ix.terms() {
            match mono.as_slice() {
                [] => code.konst = *c,
                [Atom::Axis(a)] => code.coefficients[*a as usize] = *c,
                atoms => {
                    let atoms = atoms.iter().map(|a| AtomCode::new(a, shapes, extents)).collect::<Result<_>>()?;
                    code.products.push((*c, atoms));
                }
            }
        }
        Ok(code)
    }

    /// Whether only the affine part is there.
    pub fn is_affine(&self) -> bool {
        self.products.is_empty()
    }

    /// Whether an axis occurs in a product.
    pub fn bends(&self, axis: usize) -> bool {
        self.products.iter().any(|(_, atoms)| atoms.iter().any(|a| a.uses(axis)))
    }

    fn uses(&self, axis: usize) -> bool {
        self.coefficients[axis] != 0 || self.bends(axis)
    }

    /// The value at a point, of an affine index.
    pub fn at(&self, point: &[i64]) -> i64 {
        self.konst + self.coefficients.iter().zip(point).map(|(c, p)| c * p).sum::<i64>()
    }

    /// The values over a strip.
    pub fn eval(&self, site: &Site<'_>) -> Result<StripIx> {
        let (base, c) = (self.at(site.point), self.coefficients[site.axis]);
        let len = site.positions.len();
        let mut sum = match site.positions {
            Positions::Range { start, step, .. } => StripIx::Affine { start: base + c * start, step: c * step },
            Positions::List(_) if c == 0 => StripIx::Affine { start: base, step: 0 },
            Positions::List(v) => StripIx::Lanes(v.iter().map(|p| base + c * p).collect()),
        };
        for (c, atoms) in &self.products {
            let mut product = StripIx::Affine { start: *c, step: 0 };
            for a in atoms {
                product = product.mul(a.eval(site)?, len);
            }
            sum = sum.add(product, len);
        }
        Ok(sum)
    }
}

impl AtomCode {
    fn new(atom: &Atom, shapes: &[Vec<usize>], extents: &[Ix]) -> Result<Self> {
        let code = |e: &Ix| IxCode::new(e, shapes, extents);
        Ok(match atom {
            Atom::Axis(a) => Self::Axis(*a as usize),
            Atom::Div(a, b) => Self::Div(code(a)?, code(b)?),
            Atom::Mod(a, b) => Self::Mod(code(a)?, code(b)?),
            Atom::Min(a, b) => Self::Min(code(a)?, code(b)?),
            Atom::Max(a, b) => Self::Max(code(a)?, code(b)?),
            Atom::Load(o, index) => Self::Load(Box::new(Element::new(*o as usize, index, shapes, extents)?)),
            Atom::Sym(s) => return Err(Diagnostic::internal(format!("symbol {s} is not bound"))),
        })
    }

    fn uses(&self, axis: usize) -> bool {
        match self {
            Self::Axis(a) => *a == axis,
            Self::Div(a, b) | Self::Mod(a, b) | Self::Min(a, b) | Self::Max(a, b) => a.uses(axis) || b.uses(axis),
            Self::Load(e) => e.offset.uses(axis),
        }
    }

    fn eval(&self, site: &Site<'_>) -> Result<StripIx> {
        let len = site.positions.len();
        Ok(match self {
            Self::Axis(a) if *a == site.axis => site.positions.lanes(),
            Self::Axis(a) => StripIx::Affine { start: site.point[*a], step: 0 },
            Self::Div(a, b) => a.eval(site)?.div(b.eval(site)?, len),
            Self::Mod(a, b) => a.eval(site)?.modulo(b.eval(site)?, len),
            Self::Min(a, b) => a.eval(site)?.combine(b.eval(site)?, len, i64::min),
            Self::Max(a, b) => a.eval(site)?.combine(b.eval(site)?, len, i64::max),
            Self::Load(e) => {
                let mut out = vec![0; len];
                let source = &site.operands[e.operand];
                match e.locate(site)? {
                    StripIx::Affine { start, step } if len > 0 => {
                        source.read_i64(start as usize, step as isize, &mut out);
                    }
                    StripIx::Affine { .. } => {}
                    StripIx::Lanes(v) => source.gather_i64(&v, &mut out),
                }
                match out.first() {
                    Some(first) if out.iter().all(|x| x == first) => StripIx::Affine { start: *first, step: 0 },
                    _ => StripIx::Lanes(out),
                }
            }
        })
    }
}

impl Element {
    /// Compiles an access. Indices that provably stay within their dim are not checked later.
    pub fn new(operand: usize, index: &[Ix], shapes: &[Vec<usize>], extents: &[Ix]) -> Result<Self> {
        let shape = shapes.get(operand).filter(|s| s.len() == index.len());
        let shape = shape.ok_or_else(|| Diagnostic::internal(format!("operand {operand} is read at another rank")))?;
        let (mut offset, mut checks) = (Ix::zero(), Vec::new());
        for (ix, dim) in index.iter().zip(shape) {
            let dim = Ix::from(*dim);
            offset = &(&offset * &dim) + ix;
            let below = &(&dim - ix) - &Ix::konst(1);
            if ix.ge0(extents) != Some(true) || below.ge0(extents) != Some(true) {
                checks.push((IxCode::new(ix, shapes, extents)?, dim.as_const().unwrap_or(0)));
            }
        }
        let offset = IxCode::new(&offset.simplify(extents), shapes, extents)?;
        Ok(Self { operand, offset, checks })
    }

    /// The places over a strip, checked.
    pub fn locate(&self, site: &Site<'_>) -> Result<StripIx> {
        let len = site.positions.len();
        if len > 0 {
            for (ix, dim) in &self.checks {
                let (low, high) = ix.eval(site)?.bounds(len);
                if low < 0 || high >= *dim {
                    let found = if low < 0 { low } else { high };
                    return Err(Diagnostic::value(format!("index {found} is out of bounds for a dim of size {dim}")));
                }
            }
        }
        self.offset.eval(site)
    }
}

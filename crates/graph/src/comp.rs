//! The comprehension: what every structured operation *is*.
//!
//! ```text
//! matmul { i:N, j:64 | sum k:768 : $0[i, k] * $1[k, j] }
//! ```
//!
//! A comprehension has parallel axes (the result's dims, in order), at most one reduction over
//! reduction axes or along one scanned parallel axis, and a [`Scalar`] body. Operands are the
//! node's inputs by position. Axes are numbered by position: parallel ones first.

use crate::scalar::{Kind, Scalar};
use crate::scalars::Func;
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix, Shape, Sym};

/// How values along reduction axes (or a scanned axis) are combined. The identity, NaN rule and
/// tie rule of each are in [`Combiner::doc`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Combiner {
    /// No reduction.
    Map,
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Largest.
    Max,
    /// Smallest.
    Min,
    /// Logical or.
    Any,
    /// Logical and.
    All,
    /// Row-major position of the largest over the reduction axes.
    ArgMax {
        /// The last of equal ones instead of the first.
        last: bool,
    },
    /// Row-major position of the smallest over the reduction axes.
    ArgMin {
        /// The last of equal ones instead of the first.
        last: bool,
    },
}

impl Combiner {
    /// Every combiner.
    pub const ALL: [Self; 11] = [
        Self::Map,
        Self::Sum,
        Self::Prod,
        Self::Max,
        Self::Min,
        Self::Any,
        Self::All,
        Self::ArgMax { last: false },
        Self::ArgMax { last: true },
        Self::ArgMin { last: false },
        Self::ArgMin { last: true },
    ];

    /// The word in printed comprehensions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMax { last: false } => "argmax",
            Self::ArgMax { last: true } => "argmax_last",
            Self::ArgMin { last: false } => "argmin",
            Self::ArgMin { last: true } => "argmin_last",
        }
    }

    /// Identity, NaN rule and tie rule.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Map => "no reduction",
            Self::Sum => {
                "identity 0; accumulated wider than stored, in rising order of the axes; a product summed over is not rounded"
            }
            Self::Prod => "identity 1; accumulated wider than stored, in rising order of the axes",
            Self::Max => "identity -inf, or the smallest integer; any NaN gives NaN",
            Self::Min => "identity +inf, or the largest integer; any NaN gives NaN",
            Self::Any => "identity false",
            Self::All => "identity true",
            Self::ArgMax { last: false } | Self::ArgMin { last: false } => {
                "the first of equal ones; the first NaN wins; 0 over nothing"
            }
            Self::ArgMax { last: true } | Self::ArgMin { last: true } => {
                "the last of equal ones; the last NaN wins; 0 over nothing"
            }
        }
    }

    /// Whether the result is a position.
    pub fn is_arg(self) -> bool {
        matches!(self, Self::ArgMax { .. } | Self::ArgMin { .. })
    }

    /// The dtype of the result for a body of dtype `body`.
    pub fn result(self, body: DType) -> DType {
        if self.is_arg() { DType::I64 } else { body }
    }

    fn takes(self, body: DType) -> bool {
        match self {
            Self::Map => true,
            Self::Any | Self::All => body == DType::Bool,
            _ => body.is_float() || body.is_int(),
        }
    }
}

/// The role of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A dim of the result.
    Parallel,
    /// Combined away.
    Reduce,
    /// A dim of the result along which values accumulate.
    Scan {
        /// From the last to the first.
        reverse: bool,
        /// Without the value at the position itself.
        exclusive: bool,
    },
}

/// An axis of a comprehension.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axis {
    /// The name in messages and printed form.
    pub name: Arc<str>,
    /// The number of points.
    pub extent: Ix,
    /// The role.
    pub role: Role,
}

/// Two sizes that must be equal when the comprehension runs, because they could not be compared
/// when it was made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Check {
    /// One size.
    pub left: Ix,
    /// The other.
    pub right: Ix,
    /// Which axis and operand this is about.
    pub about: Arc<str>,
}

/// A comprehension; see the module's head.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comp {
    /// The name of the operation that declared it: a label for people and templates, without
    /// meaning.
    pub name: Arc<str>,
    /// Parallel (and scanned) axes, then reduction axes.
    pub axes: Vec<Axis>,
    /// How values are combined.
    pub combiner: Combiner,
    /// The value at a point.
    pub body: Scalar,
    /// What must hold of the sizes.
    pub checks: Vec<Check>,
}

impl Comp {
    /// Makes a comprehension in normal form: axes of extent 1 are replaced by 0 in the body, and
    /// guards that the extents decide are dropped.
    pub fn new(name: impl Into<Arc<str>>, axes: Vec<Axis>, combiner: Combiner, body: Scalar) -> Self {
        let position = |(i, a): (usize, &Axis)| if a.extent.is(1) { Ix::zero() } else { Ix::axis(i as u32) };
        let mut body = body;
        if axes.iter().any(|a| a.extent.is(1)) {
            let unit: Vec<Ix> = axes.iter().enumerate().map(position).collect();
            body = body.subst_axes(&unit);
        }
        let extents: Vec<Ix> = axes.iter().map(|a| a.extent.clone()).collect();
        let body = body.simplify(&extents);
        Self { name: name.into(), axes, combiner, body, checks: Vec::new() }
    }

    /// The number of parallel and scanned axes: the rank of the result.
    pub fn rank(&self) -> usize {
        self.axes.iter().filter(|a| a.role != Role::Reduce).count()
    }

    /// The result's dims.
    pub fn shape(&self) -> Shape {
        self.axes[..self.rank()].iter().map(|a| a.extent.clone()).collect()
    }

    /// All extents, in axis order.
    pub fn extents(&self) -> Vec<Ix> {
        self.axes.iter().map(|a| a.extent.clone()).collect()
    }

    /// The scanned axis, if there is one.
    pub fn scan_axis(&self) -> Option<usize> {
        self.axes.iter().position(|a| matches!(a.role, Role::Scan { .. }))
    }

    /// The dtype of the result.
    pub fn dtype(&self) -> DType {
        self.combiner.result(self.body.dtype())
    }

    /// The same with the symbols that `f` knows replaced, in normal form again.
    pub fn bind(&self, f: &dyn Fn(&Sym) -> Option<Ix>) -> Self {
        if !self.has_syms() && self.checks.iter().all(|c| c.left != c.right) {
            return self.clone();
        }
        let bind = |e: &Ix| e.subst_syms(f);
        let axes = self.axes.iter().map(|a| Axis { extent: bind(&a.extent), ..a.clone() }).collect();
        let mut bound = Self::new(self.name.clone(), axes, self.combiner, self.body.map_ix(&bind));
        bound.checks = self
            .checks
            .iter()
            .map(|c| Check { left: bind(&c.left), right: bind(&c.right), about: c.about.clone() })
            .filter(|c| c.left != c.right)
            .collect();
        bound
    }

    /// Whether any symbol occurs.
    fn has_syms(&self) -> bool {
        let mut found = false;
        let mut look = |e: &Ix| e.visit(&mut |a| found |= matches!(a, Atom::Sym(_)));
        self.axes.iter().for_each(|a| look(&a.extent));
        self.body.visit_ix(&mut look);
        self.checks.iter().flat_map(|c| [&c.left, &c.right]).for_each(look);
        found
    }

    /// Every symbol that occurs.
    pub fn syms(&self) -> Vec<Sym> {
        let mut out = Vec::new();
        let mut add = |e: &Ix| out.extend(e.syms());
        self.axes.iter().for_each(|a| add(&a.extent));
        self.body.visit_ix(&mut add);
        for c in &self.checks {
            add(&c.left);
            add(&c.right);
        }
        out.sort();
        out.dedup();
        out
    }

    /// Checks the rules of the form: axis order, roles and combiner, dtypes, operand ranks, axis
    /// positions.
    pub fn verify(&self, operands: &[(DType, usize)]) -> Result<()> {
        let fault = |m: String| Err(Diagnostic::internal(format!("comprehension {}: {m}", self.name)));
        let rank = self.rank();
        if self.axes[rank..].iter().any(|a| a.role != Role::Reduce) {
            return fault("reduction axes must come last".into());
        }
        let scans = self.axes.iter().filter(|a| matches!(a.role, Role::Scan { .. })).count();
        let reduces = self.axes.len() - rank;
        let form = match (self.combiner, scans, reduces) {
            (Combiner::Map, 0, 0) => true,
            (Combiner::Map, ..) => false,
            (c, 1, 0) => !c.is_arg(),
            (_, 0, n) => n > 0,
            _ => false,
        };
        if !form {
            return fault(format!("{} with {scans} scanned and {reduces} reduction axes", self.combiner.name()));
        }
        if !self.combiner.takes(self.body.dtype()) {
            let message = format!("{} does not reduce {}", self.combiner.name(), self.body.dtype().name());
            return Err(Diagnostic::dtype(message));
        }
        for a in &self.axes {
            if !a.extent.is_dim() {
                return fault(format!("extent {} of axis {} is not a size", a.extent, a.name));
            }
        }
        let mut stray = None;
        self.body.visit_ix(&mut |e| {
            e.visit(&mut |a| {
                if let Atom::Axis(i) = a
                    && *i as usize >= self.axes.len()
                {
                    stray = Some(*i);
                }
            })
        });
        if let Some(i) = stray {
            return fault(format!("axis {i} does not exist"));
        }
        self.body.check(operands)
    }

    /// Floating-point operations of one evaluation: points of the domain times functions in the
    /// body, plus one for each combination. An upper bound where guards cut the domain.
    pub fn flops(&self) -> Ix {
        let mut functions = 0i64;
        self.body.visit(&mut |s| {
            if let Kind::Call(f, _) = s.kind()
                && !matches!(f, Func::Cast(..) | Func::Bitcast(_))
            {
                functions += 1;
            }
        });
        let combines = (self.combiner != Combiner::Map) as i64;
        let points = self.axes.iter().fold(Ix::konst(1), |n, a| &n * &a.extent);
        points * (functions + combines)
    }

    /// The operand positions that occur, in rising order.
    pub fn operands(&self) -> Vec<u32> {
        let mut out = Vec::new();
        self.body.visit(&mut |s| {
            if let Kind::Read(o, _) = s.kind() {
                out.push(*o);
            }
        });
        self.body.visit_ix(&mut |e| {
            e.visit(&mut |a| {
                if let Atom::Load(o, _) = a {
                    out.push(*o);
                }
            })
        });
        out.sort_unstable();
        out.dedup();
        out
    }
}

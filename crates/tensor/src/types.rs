//! Types of values: tensors with symbolic dims, sequences and optionals.

use crate::DType;
use crate::ix::{Atom, Ix, Shape, Sym, show_shape};
use tilewright_support::{Diagnostic, Result};

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A tensor of known rank; dims may be symbolic.
    Tensor(TensorType),
    /// A tensor of a rank that is known only at run time.
    Dynamic(DType),
    /// A sequence of values of one type. Dims that differ between elements are [`varying`].
    Sequence(Box<Type>),
    /// A value or nothing.
    Optional(Box<Type>),
}

/// Dtype and shape of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorType {
    /// Element dtype.
    pub dtype: DType,
    /// Dims.
    pub shape: Shape,
}

impl TensorType {
    /// A tensor type.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Self {
        Self { dtype, shape: shape.into() }
    }

    /// The number of dims.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The sizes, where all are constants that fit.
    pub fn static_shape(&self) -> Option<Vec<usize>> {
        self.shape.iter().map(|d| d.as_const().and_then(|c| usize::try_from(c).ok())).collect()
    }
}

impl Type {
    /// A tensor type.
    pub fn tensor(dtype: DType, shape: impl Into<Shape>) -> Self {
        Self::Tensor(TensorType::new(dtype, shape))
    }

    /// The tensor type of a concrete tensor.
    pub fn of(tensor: &crate::Tensor) -> Self {
        Self::tensor(tensor.dtype(), tensor.shape().iter().map(|d| Ix::from(*d)).collect::<Vec<_>>())
    }

    /// The tensor type, or an error that names what was found.
    pub fn as_tensor(&self) -> Result<&TensorType> {
        match self {
            Self::Tensor(t) => Ok(t),
            Self::Dynamic(_) => Err(Diagnostic::dynamic("the rank of a tensor is known only at run time")),
            other => Err(Diagnostic::invalid(format!("expected a tensor, found {other}"))),
        }
    }

    /// Rewrites every dim.
    pub fn map_dims(&self, f: &dyn Fn(&Ix) -> Ix) -> Self {
        match self {
            Self::Tensor(t) => Self::tensor(t.dtype, t.shape.iter().map(f).collect::<Vec<_>>()),
            Self::Dynamic(d) => Self::Dynamic(*d),
            Self::Sequence(t) => Self::Sequence(Box::new(t.map_dims(f))),
            Self::Optional(t) => Self::Optional(Box::new(t.map_dims(f))),
        }
    }

    /// Every symbol that occurs.
    pub fn syms(&self) -> Vec<Sym> {
        match self {
            Self::Tensor(t) => t.shape.iter().flat_map(Ix::syms).collect(),
            Self::Dynamic(_) => Vec::new(),
            Self::Sequence(t) | Self::Optional(t) => t.syms().into_iter().filter(|s| &**s != VARYING).collect(),
        }
    }

    /// The most precise type that both types fit: dims that differ become what `dim` makes of them,
    /// ranks that differ make the tensor [`Type::Dynamic`]. A value fits an optional of its type.
    pub fn join(&self, other: &Self, dim: &mut dyn FnMut(&Ix, &Ix) -> Ix) -> Result<Self> {
        let apart = || Err(Diagnostic::invalid(format!("the types {self} and {other} cannot be one")));
        Ok(match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) if a.dtype == b.dtype && a.rank() == b.rank() => {
                let join = |(x, y): (&Ix, &Ix)| if x == y { x.clone() } else { dim(x, y) };
                Self::tensor(a.dtype, a.shape.iter().zip(&b.shape).map(join).collect::<Vec<_>>())
            }
            (Self::Tensor(a), Self::Tensor(b)) if a.dtype == b.dtype => Self::Dynamic(a.dtype),
            (Self::Tensor(TensorType { dtype: a, .. }) | Self::Dynamic(a), Self::Dynamic(b)) if a == b => {
                Self::Dynamic(*a)
            }
            (Self::Dynamic(a), Self::Tensor(b)) if *a == b.dtype => Self::Dynamic(*a),
            (Self::Sequence(a), Self::Sequence(b)) => Self::Sequence(Box::new(a.join(b, &mut |_, _| varying())?)),
            (Self::Optional(a), Self::Optional(b)) => Self::Optional(Box::new(a.join(b, &mut |_, _| varying())?)),
            (Self::Optional(a), b) => Self::Optional(Box::new(a.join(b, &mut |_, _| varying())?)),
            (a, Self::Optional(b)) => Self::Optional(Box::new(a.join(b, &mut |_, _| varying())?)),
            _ => return apart(),
        })
    }
}

const VARYING: &str = "?";

/// The dim of sequence elements and optional contents that may differ between them.
pub fn varying() -> Ix {
    Ix::sym(VARYING)
}

/// Whether a dim is [`varying`].
pub fn is_varying(dim: &Ix) -> bool {
    dim.as_sym().is_some_and(|s| &**s == VARYING)
}

impl std::fmt::Display for TensorType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.dtype.name(), show_shape(&self.shape))
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tensor(t) => write!(f, "{t}"),
            Self::Dynamic(d) => write!(f, "{}[...]", d.name()),
            Self::Sequence(t) => write!(f, "seq({t})"),
            Self::Optional(t) => write!(f, "opt({t})"),
        }
    }
}

/// The dims that shapes broadcast to: aligned at the last, size 1 repeats. Two sizes that cannot be
/// compared are an error of code `Dynamic`: one of them may turn out to be 1.
pub fn broadcast_shape(shapes: &[&[Ix]]) -> Result<Shape> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out = vec![Ix::konst(1); rank];
    for shape in shapes {
        for (n, o) in shape.iter().rev().zip(out.iter_mut().rev()) {
            if n.is(1) || n == o {
                continue;
            }
            if o.is(1) || is_capped(o, n) {
                *o = n.clone();
                continue;
            }
            if is_capped(n, o) {
                continue;
            }
            let shown: Vec<String> = shapes.iter().map(|s| show_shape(s)).collect();
            return Err(match (n - &*o).as_const().is_some() && n.as_const().is_some() {
                true => Diagnostic::shape(format!("{} do not broadcast: {o} vs {n}", shown.join(" and "))),
                false => {
                    Diagnostic::dynamic(format!("whether {} broadcast is known only at run time", shown.join(" and ")))
                }
            });
        }
    }
    Ok(out)
}

/// Whether `a` is the smaller of `b` and a constant beyond 1. One of the two is 1 only if both are,
/// so they broadcast only where they are equal.
pub fn is_capped(a: &Ix, b: &Ix) -> bool {
    let [(factors, 1)] = a.terms() else { return false };
    let [Atom::Min(x, y)] = factors.as_slice() else { return false };
    let beyond_one = |c: &Ix| c.as_const().is_some_and(|c| c > 1);
    (x == b && beyond_one(y)) || (y == b && beyond_one(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_support::Code;

    #[test]
    fn dims_broadcast_where_the_outcome_is_known() {
        let n = || Ix::sym("n");
        let both = |a: Ix, b: Ix| broadcast_shape(&[&[a], &[b]]).map(|s| s[0].clone()).map_err(|e| e.code);
        assert_eq!(both(n(), Ix::konst(1)), Ok(n()));
        assert_eq!(both(Ix::konst(2), Ix::konst(3)), Err(Code::Shape));
        assert_eq!(both(n(), Ix::konst(3)), Err(Code::Dynamic));
        for c in [0, 1] {
            assert_eq!(both(n(), n().min_with(&Ix::konst(c))), Err(Code::Dynamic));
        }
        assert_eq!(both(n(), n().min_with(&Ix::konst(512))), Ok(n()));
        assert_eq!(both(n().min_with(&Ix::konst(512)), n()), Ok(n()));
    }
}

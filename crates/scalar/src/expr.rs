//! Scalar expressions: the one expression language of comprehension bodies.
//!
//! An expression is a shared tree whose every node knows its dtype. Reads name an operand by
//! position and an index by [`Ix`]; [`Where`](Kind::Where) is the one guard: only the taken side
//! is evaluated, so a read under a guard needs to be in bounds only where the guard holds.

use crate::func::Func;
pub use crate::pred::Pred;
pub use crate::walk::map_loads;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

/// What a node of an expression is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A constant: the bits of an `f64` for float dtypes, of an `i64` otherwise.
    Const(u64),
    /// An index used as a value, of dtype i64.
    Index(Ix),
    /// An element of an operand.
    Read(u32, Vec<Ix>),
    /// A function of the closed list.
    Call(Func, Vec<Scalar>),
    /// The first expression where all predicates hold, else the second.
    Where(Vec<Pred>, Scalar, Scalar),
}

impl Kind {
    /// The expressions right below.
    pub fn children(&self) -> impl Iterator<Item = &Scalar> {
        let (args, sides) = match self {
            Self::Call(_, args) => (args.as_slice(), None),
            Self::Where(_, then, other) => (&[][..], Some([then, other])),
            Self::Const(_) | Self::Index(_) | Self::Read(..) => (&[][..], None),
        };
        args.iter().chain(sides.into_iter().flatten())
    }
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) dtype: DType,
    pub(crate) kind: Kind,
    /// Of dtype and kind: what many share is hashed once.
    pub(crate) hash: u64,
    /// Nodes on the longest way down.
    depth: u32,
}

/// A typed scalar expression; cheap to clone.
#[derive(Clone, Debug)]
pub struct Scalar(pub(crate) Arc<Expr>);

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl Scalar {
    fn new(dtype: DType, kind: Kind) -> Self {
        let mut hasher = DefaultHasher::new();
        (dtype, &kind).hash(&mut hasher);
        let below = kind.children().map(Self::depth).max().unwrap_or(0);
        let depth = below.saturating_add(1);
        Self(Arc::new(Expr { dtype, kind, hash: hasher.finish(), depth }))
    }

    /// Nodes on the longest way from this one down to a leaf, both counted.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The dtype of the value.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// The node.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// A constant of any numeric dtype; the value is rounded or wrapped to it.
    pub fn konst(dtype: DType, value: f64) -> Self {
        if dtype.is_float() {
            let value = tilewright_tensor::convert::round_to(dtype, value, false);
            Self::new(dtype, Kind::Const(value.to_bits()))
        } else {
            Self::int(dtype, value as i64)
        }
    }

    /// A constant of an integer dtype or bool; of strings, the empty one.
    pub fn int(dtype: DType, value: i64) -> Self {
        if dtype.is_float() {
            return Self::konst(dtype, value as f64);
        }
        if dtype == DType::String {
            return Self::new(dtype, Kind::Const(0));
        }
        Self::new(dtype, Kind::Const(tilewright_tensor::convert::wrap_to(dtype, value) as u64))
    }

    /// A constant from its lane bits, as [`Kind::Const`] holds them.
    pub fn from_bits(dtype: DType, bits: u64) -> Self {
        Self::new(dtype, Kind::Const(bits))
    }

    /// A constant of this expression's dtype.
    pub fn lit(&self, value: f64) -> Self {
        Self::konst(self.dtype(), value)
    }

    /// The boolean constant.
    pub fn bool(value: bool) -> Self {
        Self::int(DType::Bool, value as i64)
    }

    /// An index as an i64 value.
    pub fn index(ix: Ix) -> Self {
        match ix.as_const() {
            Some(c) => Self::int(DType::I64, c),
            None => Self::new(DType::I64, Kind::Index(ix)),
        }
    }

    /// An element of operand `operand`, which has dtype `dtype`.
    pub fn read(operand: u32, dtype: DType, index: Vec<Ix>) -> Self {
        Self::new(dtype, Kind::Read(operand, index))
    }

    /// A function applied. Arguments of wrong dtypes are reported by [`Scalar::check`].
    pub fn call(func: Func, args: Vec<Scalar>) -> Self {
        if let Some(folded) = fold(func, &args) {
            return folded;
        }
        let dtype = func.result(&args);
        Self::new(dtype, Kind::Call(func, args))
    }

    /// The product with a weight, of an element that may be absent: `Where(p, x, 0)` and `w` are `Where(p, x * w, 0)`. A tap
    /// on padding is not multiplied by zero, which would be NaN for an infinite weight.
    pub fn taps(&self, weight: &Scalar) -> Self {
        inside(self, weight).unwrap_or_else(|| Self::call(Func::Mul, vec![self.clone(), weight.clone()]))
    }

    /// `then` where all of `preds` hold, else `otherwise`; nested guards with the same fill merge.
    pub fn guarded(preds: Vec<Pred>, then: Scalar, otherwise: Scalar) -> Self {
        let mut all = preds;
        let mut then = then;
        if let Kind::Where(inner, t, f) = then.kind()
            && *f == otherwise
        {
            all.extend(inner.iter().cloned());
            then = t.clone();
        }
        let mut seen = Vec::with_capacity(all.len());
        for p in all {
            match p.decide(&[]) {
                Some(true) => {}
                Some(false) => return otherwise,
                None if seen.contains(&p) => {}
                None => seen.push(p),
            }
        }
        if seen.is_empty() || then == otherwise {
            return then;
        }
        Self::new(then.dtype(), Kind::Where(seen, then, otherwise))
    }

    /// Whether this is the constant `value`.
    pub fn is(&self, value: f64) -> bool {
        self.as_const() == Some(value)
    }

    /// The value of a constant, as a float.
    pub fn as_const(&self) -> Option<f64> {
        match self.kind() {
            Kind::Const(bits) if self.dtype().is_float() => Some(f64::from_bits(*bits)),
            Kind::Const(bits) => Some(*bits as i64 as f64),
            _ => None,
        }
    }

    /// Checks dtypes and operand ranks over the whole tree. `operands` are dtype and rank.
    pub fn check(&self, operands: &[(DType, usize)]) -> Result<()> {
        let mut fault = Ok(());
        let check_read = |o: u32, rank: usize, dtype: Option<DType>| match operands.get(o as usize) {
            None => Err(Diagnostic::internal(format!("operand {o} does not exist"))),
            Some((_, r)) if *r != rank => {
                Err(Diagnostic::shape(format!("operand {o} of rank {r} is read with {rank} indices")))
            }
            Some((d, _)) if dtype.is_some_and(|t| t != *d) => Err(Diagnostic::internal(format!(
                "operand {o} of dtype {} is read as {}",
                d.name(),
                dtype.map_or("?", DType::name)
            ))),
            Some((d, _)) if dtype.is_none() && !d.is_int() => {
                Err(Diagnostic::dtype(format!("operand {o} of dtype {} is used as an index", d.name())))
            }
            Some(_) => Ok(()),
        };
        self.visit(&mut |s| {
            let found = match s.kind() {
                Kind::Read(o, index) => check_read(*o, index.len(), Some(s.dtype())),
                Kind::Call(f, args) => f.check(args),
                Kind::Where(_, t, e) if t.dtype() != e.dtype() => Err(Diagnostic::dtype(format!(
                    "a guard chooses between {} and {}",
                    t.dtype().name(),
                    e.dtype().name()
                ))),
                _ => Ok(()),
            };
            if fault.is_ok() {
                fault = found;
            }
        });
        self.visit_ix(&mut |e| {
            e.visit(&mut |a| {
                if let Atom::Load(o, index) = a
                    && fault.is_ok()
                {
                    fault = check_read(*o, index.len(), None);
                }
            });
        });
        fault
    }
}

/// Algebra that holds for every value. `Where(p, a, 0) * b` is `Where(p, a * b, 0)` of integers: of floats 0 times `b` may
/// be NaN or -0, see [`Scalar::taps`].
fn fold(func: Func, args: &[Scalar]) -> Option<Scalar> {
    match (func, args) {
        (Func::Mul, [a, b]) => match [(a, b), (b, a)].into_iter().find(|(x, _)| x.is(1.0)) {
            Some((_, y)) => Some(y.clone()),
            None if !a.dtype().is_float() => inside(a, b),
            None => None,
        },
        (Func::Cast(to, _), [a]) if a.dtype() == to => Some(a.clone()),
        (Func::Not, [a]) => match a.kind() {
            Kind::Call(Func::Not, inner) => Some(inner[0].clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A product inside of the guard of one of its factors, which is 0 elsewhere.
fn inside(a: &Scalar, b: &Scalar) -> Option<Scalar> {
    let guard = |x: &Scalar| matches!(x.kind(), Kind::Where(_, _, zero) if zero.is(0.0));
    let (side, first) = if guard(a) { (a, true) } else { (b, false) };
    let Kind::Where(preds, t, zero) = side.kind() else { return None };
    let sides = if first { [t, b] } else { [a, t] };
    let product = Scalar::call(Func::Mul, sides.map(Scalar::clone).to_vec());
    zero.is(0.0).then(|| Scalar::guarded(preds.clone(), product, zero.clone()))
}

macro_rules! operator {
    ($($trait:ident $method:ident $func:ident),*) => {$(
        impl std::ops::$trait for Scalar {
            type Output = Scalar;
            fn $method(self, other: Scalar) -> Scalar {
                Scalar::call(Func::$func, vec![self, other])
            }
        }
        impl std::ops::$trait<&Scalar> for &Scalar {
            type Output = Scalar;
            fn $method(self, other: &Scalar) -> Scalar {
                Scalar::call(Func::$func, vec![self.clone(), other.clone()])
            }
        }
        impl std::ops::$trait<f64> for Scalar {
            type Output = Scalar;
            fn $method(self, other: f64) -> Scalar {
                let other = self.lit(other);
                Scalar::call(Func::$func, vec![self, other])
            }
        }
        impl std::ops::$trait<f64> for &Scalar {
            type Output = Scalar;
            fn $method(self, other: f64) -> Scalar {
                Scalar::call(Func::$func, vec![self.clone(), self.lit(other)])
            }
        }
    )*};
}
operator!(Add add Add, Sub sub Sub, Mul mul Mul, Div div Div);

impl std::ops::Neg for Scalar {
    type Output = Scalar;
    fn neg(self) -> Scalar {
        Scalar::call(Func::Neg, vec![self])
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident ( $($arg:ident),* ) $func:ident;)*) => {
        impl Scalar {$(
            $(#[$doc])*
            pub fn $name(&self $(, $arg: &Scalar)*) -> Scalar {
                Scalar::call(Func::$func, vec![self.clone() $(, $arg.clone())*])
            }
        )*}
    };
}
methods! {
    /// Natural exponential.
    exp() Exp;
    /// Natural logarithm.
    ln() Log;
    /// Square root.
    sqrt() Sqrt;
    /// Hyperbolic tangent.
    tanh() Tanh;
    /// Error function.
    erf() Erf;
    /// Absolute value.
    abs() Abs;
    /// Rounds down.
    floor() Floor;
    /// Rounds up.
    ceil() Ceil;
    /// Rounds to nearest, ties to even.
    round_even() RoundEven;
    /// The larger; NaN if either is.
    maximum(other) Max;
    /// The smaller; NaN if either is.
    minimum(other) Min;
    /// Power.
    pow(other) Pow;
    /// `self < other`.
    lt(other) Lt;
    /// `self <= other`.
    le(other) Le;
    /// `self > other`.
    gt(other) Gt;
    /// `self >= other`.
    ge(other) Ge;
    /// `self == other`.
    equals(other) Eq;
    /// Logical and bitwise and.
    and(other) And;
    /// Logical and bitwise or.
    or(other) Or;
    /// Logical and bitwise not.
    not() Not;
    /// Whether the value is NaN.
    is_nan() IsNan;
    /// `then` where this is true, else `otherwise`; both are evaluated.
    select(then, otherwise) Select;
}

impl Scalar {
    /// Converts as ONNX `Cast` does with `saturate = 1`.
    pub fn cast(&self, to: DType) -> Scalar {
        Scalar::call(Func::Cast(to, crate::func::Overflow::Saturate), vec![self.clone()])
    }
}

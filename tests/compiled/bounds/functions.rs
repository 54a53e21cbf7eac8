//! Functions of sets of values: exact ones of single values by their meaning, others by their ends and the error that
//! they may have.

use super::errors::{largest, ulps, unit};
use super::range::Range;
use super::range::Range::{Float, Int};
use tilewright_graph::Func;
use tilewright_graph::interp::naive::{Numbers, Values};
use tilewright_graph::scalars::{Lanes, Rule};
use tilewright_tensor::{DType, convert};

/// A call: the function, the dtype of its result and those of its arguments.
pub struct Call<'a> {
    pub func: Func,
    pub to: DType,
    pub from: &'a [DType],
}

impl Call<'_> {
    /// What the function may give.
    pub fn range(&self, args: &[Range]) -> Range {
        let points: Option<Vec<Lanes>> = args.iter().map(|r| r.point()).collect();
        if let Some(points) = points {
            return self.at(&points);
        }
        if self.func == Func::Select {
            return match args[0] {
                Int(0, 1) => args[1].or(args[2]),
                truth => args[if truth == Int(1, 1) { 1 } else { 2 }],
            };
        }
        match (self.from[0].is_float(), self.to) {
            (true, to) if to.is_float() => self.floats(args),
            (true, DType::Bool) if self.func.rule() == Rule::Compare => self.compare(args),
            (true, to) if matches!(self.func, Func::Cast(..)) => integers(self, to, args[0]),
            (false, to) if matches!(self.func, Func::Cast(..)) && to.is_float() => match args[0] {
                Int(low, high) if self.from[0] != DType::U64 => self.ends(&[vec![low, high]]),
                _ => Range::any(to),
            },
            (_, to) => Range::any(to),
        }
    }

    /// Of single values.
    fn at(&self, args: &[Lanes]) -> Range {
        let rounded = Numbers.call(self.func, self.to, self.from, args);
        let Some(ulps) = ulps(self.func, self.to).filter(|_| self.to.is_float()) else { return rounded.into() };
        let exact = Numbers.call(self.func, DType::F64, &vec![DType::F64; args.len()], args).f()[0];
        // Powers by small constants are some products and a root or quotient.
        let simple = self.func == Func::Pow && [-1.0, 0.5, 2.0, 3.0].contains(&args[1].f()[0]);
        around(self.to, exact, if simple { ulps.max(1.5) } else { ulps })
    }

    /// The hull of what single values give.
    fn ends(&self, args: &[Vec<i64>]) -> Range {
        let points = args[0].iter().map(|x| self.at(&[Lanes::I(vec![*x])]));
        points.reduce(Range::or).unwrap_or(Range::any(self.to))
    }

    /// A float of floats.
    fn floats(&self, args: &[Range]) -> Range {
        if args.contains(&Range::NAN) && !matches!(self.func, Func::Pow) {
            return Range::NAN;
        }
        let within = |r: &Range, x: f64| matches!(r, Float(low, high, _) if *low <= x && x <= *high);
        let infinite = |r: &Range| within(r, f64::INFINITY) || within(r, f64::NEG_INFINITY);
        let mut ends: Vec<Vec<f64>> = args.iter().map(|r| ends_of(*r)).collect();
        let mut nan = args.iter().any(|r| matches!(r, Float(_, _, true)));
        match self.func {
            Func::Add | Func::Sub | Func::Min | Func::Max | Func::Neg | Func::Cast(..) => {}
            Func::Floor | Func::Ceil | Func::Trunc | Func::RoundEven | Func::Sign => {}
            Func::Exp
            | Func::Expm1
            | Func::Tanh
            | Func::Erf
            | Func::Sigmoid
            | Func::Sinh
            | Func::Asinh
            | Func::Atan => {}
            Func::Sqrt | Func::Log | Func::Log1p => {}
            Func::Mul => {
                nan |= within(&args[0], 0.0) && infinite(&args[1]) || within(&args[1], 0.0) && infinite(&args[0]);
            }
            Func::Div if !within(&args[1], 0.0) => {}
            Func::Abs | Func::Cosh => {
                if within(&args[0], 0.0) {
                    ends[0].push(0.0);
                }
            }
            Func::Sin | Func::Cos => return self.wave(args[0], nan),
            _ => return Range::any(self.to),
        }
        match self.hull(&ends).without_sign() {
            // An end is outside of where the function is defined.
            Float(_, _, true) if !nan => Range::ANY,
            Float(low, high, more) => Float(low, high, nan | more),
            other => other,
        }
    }

    /// The hull of what all combinations of these arguments give.
    fn hull(&self, args: &[Vec<f64>]) -> Range {
        let mut points: Vec<Vec<Lanes>> = vec![vec![]];
        for arg in args {
            let longer = |p: &Vec<Lanes>| arg.iter().map(|x| [p.clone(), vec![Lanes::F(vec![*x])]].concat()).collect();
            points = points.iter().flat_map(|p| -> Vec<_> { longer(p) }).collect();
        }
        points.iter().map(|p| self.at(p)).reduce(Range::or).unwrap_or(Range::ANY)
    }

    /// Sine and cosine change by no more than their argument.
    fn wave(&self, x: Range, nan: bool) -> Range {
        let Float(low, high, _) = x else { return Range::ANY };
        let middle = low / 2.0 + high / 2.0;
        match self.at(&[Lanes::F(vec![middle])]) {
            Float(a, b, false) => {
                let reach = (high - low) / 2.0;
                Float((a - reach).max(-1.0), (b + reach).min(1.0), nan)
            }
            _ => Float(-1.0, 1.0, true),
        }
    }

    fn compare(&self, args: &[Range]) -> Range {
        let [Float(a, b, n), Float(c, d, m)] = *args else { return Int(0, 1) };
        if n || m || (a <= d && c <= b) {
            return Int(0, 1);
        }
        self.at(&[Lanes::F(vec![a]), Lanes::F(vec![c])])
    }
}

fn ends_of(r: Range) -> Vec<f64> {
    match r {
        Float(low, high, _) => vec![low, high],
        Int(..) => vec![],
    }
}

/// Conversion to an integer: in order wherever both ends fit.
fn integers(call: &Call, to: DType, x: Range) -> Range {
    let (least, most) = convert::int_bounds(to);
    match x {
        Float(low, high, false) if to != DType::U64 && low > least as f64 && high < most as f64 => {
            let ends = [low, high].map(|x| call.at(&[Lanes::F(vec![x])]));
            ends[0].or(ends[1])
        }
        _ => Range::any(to),
    }
}

/// Numbers of a dtype within some units of an exact value.
pub fn around(dtype: DType, exact: f64, ulps: f64) -> Range {
    if exact.is_nan() || exact.is_infinite() || exact == 0.0 {
        return Range::float(exact);
    }
    let error = ulps * unit(dtype, exact);
    let (low, high) = (exact - error, exact + error);
    Float(inside(dtype, low, low > 0.0), inside(dtype, high, high < 0.0), false).without_sign()
}

/// An end of a range of numbers of a dtype: what is beyond the largest is infinite, unless the end is the one nearer to 0
/// and not far beyond.
fn inside(dtype: DType, x: f64, inner: bool) -> f64 {
    let most = largest(dtype);
    match x.abs() <= most {
        true => x,
        false if inner && x.abs() < most + unit(dtype, most) => most.copysign(x),
        false => f64::INFINITY.copysign(x),
    }
}

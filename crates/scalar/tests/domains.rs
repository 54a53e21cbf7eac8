//! Functions beyond the values that they are defined for.

use tilewright_scalar::Func;
use tilewright_scalar::func::Lanes;
use tilewright_tensor::DType;

#[test]
fn functions_outside_of_their_domain_are_nan() {
    let below = [f64::NEG_INFINITY, -1.6e6, -1e300, -1.5];
    let above = [1.5, 1e300, f64::INFINITY];
    let inside_one = [0.999, 0.0, -0.5];
    let cases: [(Func, &[&[f64]]); 7] = [
        (Func::Sqrt, &[&below]),
        (Func::Log, &[&below]),
        (Func::Log1p, &[&below]),
        (Func::Asin, &[&below, &above]),
        (Func::Acos, &[&below, &above]),
        (Func::Acosh, &[&below, &inside_one]),
        (Func::Atanh, &[&below, &above]),
    ];
    for (func, ranges) in cases {
        for x in ranges.iter().flat_map(|r| r.iter()) {
            let y = func.eval(DType::F64, &[DType::F64], &[&Lanes::F(vec![*x])], 1);
            assert!(y.f()[0].is_nan(), "{}({x}) = {:?}", func.name(), y.f());
        }
    }
}

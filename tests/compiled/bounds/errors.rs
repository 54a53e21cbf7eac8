//! How far kernels may be from the exact value of a function or a sum: `docs/numerics.md`, read.

use tilewright_graph::Func;
use tilewright_tensor::DType;

const PAGE: &str = include_str!("../../../docs/numerics.md");

/// Bits of precision and the least exponent of a float dtype.
pub fn format(dtype: DType) -> (i32, i32) {
    match dtype {
        DType::F64 => (53, -1022),
        DType::F32 => (24, -126),
        DType::BF16 => (8, -126),
        _ => (11, -14),
    }
}

/// The largest finite number.
pub fn largest(dtype: DType) -> f64 {
    let (precision, least) = format(dtype);
    (2.0 - 2f64.powi(1 - precision)) * 2f64.powi(1 - least)
}

/// The distance of neighbours around a finite number.
pub fn unit(dtype: DType, x: f64) -> f64 {
    let (precision, least) = format(dtype);
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let unit = 2f64.powi(exponent.clamp(least, 1 - least) - (precision - 1));
    unit.max(f64::from_bits(1))
}

/// What sums of a dtype are added up in: the relative error of one addition, the largest number, and the least one that has
/// this error.
pub fn sums(dtype: DType) -> (f64, f64, f64) {
    match dtype {
        DType::F64 => (2f64.powi(-53), f64::MAX, f64::MIN_POSITIVE),
        _ => (2f64.powi(-24), f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE)),
    }
}

/// Units of the last place by which a function may be wrong; `None` of those that round right.
pub fn ulps(func: Func, dtype: DType) -> Option<f64> {
    let mut table = PAGE.lines().take_while(|l| !l.starts_with("## "));
    let row = table.find_map(|l| l.strip_prefix(&format!("| {} |", func.name())))?;
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    let cell = match dtype {
        DType::F32 => cells[0],
        DType::F64 => cells[2],
        DType::F16 => cells[4],
        _ => cells[5],
    };
    let figure: f64 = cell.trim_end_matches(['*', '-']).parse().ok()?;
    // Figures have two places. Of samples the largest error may be larger; in f64 the reference has one unit itself.
    let sampled = if dtype == DType::F64 || func == Func::Pow { 0.5 } else { 0.0 };
    Some(figure + 0.005 + sampled + f64::from(u8::from(dtype == DType::F64)))
}

#[test]
fn the_page_is_read() {
    assert_eq!(ulps(Func::Exp, DType::F32), Some(0.925));
    assert_eq!(ulps(Func::Pow, DType::F64), Some(2.505));
    assert_eq!(ulps(Func::Add, DType::F32), None);
    assert_eq!(unit(DType::F32, 1.5), 2f64.powi(-23));
    assert_eq!(unit(DType::F32, 1e-40), 2f64.powi(-149));
    assert_eq!(unit(DType::F64, 0.0), f64::from_bits(1));
    assert_eq!([largest(DType::F16), largest(DType::F32)], [65504.0, f64::from(f32::MAX)]);
}

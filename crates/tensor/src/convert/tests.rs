//! Facts about formats and casts, from the papers, ml_dtypes, and ONNX's tables.
use super::*;
use crate::{DType, Tensor};
use DType::*;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

const NARROW: [DType; 7] = [F16, BF16, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F4E2M1];

/// Facts from ml_dtypes and the formats' papers: code, value.
#[test]
fn codes_have_the_values_of_their_formats() {
    let cases: &[(DType, u64, f64)] = &[
        (F16, 0x0001, 5.960464477539063e-8),
        (F16, 0x0400, 6.103515625e-5),
        (F16, 0x7bff, 65504.0),
        (F16, 0xfc00, -INF),
        (BF16, 0x0001, 9.183549615799121e-41),
        (BF16, 0x7f7f, 3.3895313892515355e38),
        (F8E4M3FN, 0x01, 0.001953125),
        (F8E4M3FN, 0x08, 0.015625),
        (F8E4M3FN, 0x7e, 448.0),
        (F8E4M3FN, 0x80, -0.0),
        (F8E4M3FN, 0xff, NAN),
        (F8E4M3FNUZ, 0x01, 0.0009765625),
        (F8E4M3FNUZ, 0x7f, 240.0),
        (F8E4M3FNUZ, 0x80, NAN),
        (F8E5M2, 0x01, 1.52587890625e-5),
        (F8E5M2, 0x7b, 57344.0),
        (F8E5M2, 0xfc, -INF),
        (F8E5M2, 0x7d, NAN),
        (F8E5M2FNUZ, 0x01, 7.62939453125e-6),
        (F8E5M2FNUZ, 0x7f, 57344.0),
        (F8E5M2FNUZ, 0x80, NAN),
        (F8E8M0, 0x00, 5.877471754111438e-39),
        (F8E8M0, 0xfe, 1.7014118346046923e38),
        (F8E8M0, 0xff, NAN),
        (F4E2M1, 0x1, 0.5),
        (F4E2M1, 0x7, 6.0),
        (F4E2M1, 0xb, -1.5),
    ];
    for &(dtype, code, value) in cases {
        let decoded = decode_f64(dtype, code);
        assert!(decoded.to_bits() == value.to_bits() || decoded.is_nan() && value.is_nan(), "{dtype} {code:#x}");
    }
}

/// Of every format: decoding a code and encoding it again gives the code, and each midpoint of neighbours goes to the
/// even one, a step beside it to the nearer one.
#[test]
fn every_code_survives_and_midpoints_go_to_even() {
    for dtype in NARROW {
        let codes = 1u64 << (dtype.bits() - 1);
        for code in 0..codes * 2 {
            let value = decode_f64(dtype, code);
            if !value.is_nan() {
                assert_eq!(encode_f64(dtype, value, false), code, "{dtype} {code:#x}");
                assert_eq!(round_to(dtype, value, false).to_bits(), value.to_bits());
            }
        }
        for code in 0..codes - 1 {
            let (low, high) = (decode_f64(dtype, code), decode_f64(dtype, code + 1));
            if !(high.is_finite()) {
                break;
            }
            let middle = (low + high) / 2.0;
            assert_eq!(encode_f64(dtype, middle, false), code + (code & 1), "{dtype} {code:#x}");
            assert_eq!(encode_f64(dtype, middle.next_down(), false), code, "{dtype} {code:#x}");
            assert_eq!(encode_f64(dtype, middle.next_up(), false), code + 1, "{dtype} {code:#x}");
        }
    }
}

/// ONNX Cast's two tables of special values.
#[test]
fn float8_saturates_as_the_tables_of_cast_say() {
    let specials = [0.0, -0.0, NAN, -NAN, INF, -INF, 1e6, -1e6];
    let cases: [(DType, bool, [u64; 8]); 8] = [
        (F8E4M3FN, true, [0x00, 0x80, 0x7f, 0xff, 0x7e, 0xfe, 0x7e, 0xfe]),
        (F8E4M3FNUZ, true, [0x00, 0x00, 0x80, 0x80, 0x7f, 0xff, 0x7f, 0xff]),
        (F8E5M2, true, [0x00, 0x80, 0x7e, 0xfe, 0x7b, 0xfb, 0x7b, 0xfb]),
        (F8E5M2FNUZ, true, [0x00, 0x00, 0x80, 0x80, 0x7f, 0xff, 0x7f, 0xff]),
        (F8E4M3FN, false, [0x00, 0x80, 0x7f, 0xff, 0x7f, 0xff, 0x7f, 0xff]),
        (F8E4M3FNUZ, false, [0x00, 0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]),
        (F8E5M2, false, [0x00, 0x80, 0x7e, 0xfe, 0x7c, 0xfc, 0x7c, 0xfc]),
        (F8E5M2FNUZ, false, [0x00, 0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80]),
    ];
    for (dtype, saturate, codes) in cases {
        let found = specials.map(|x| encode_f64(dtype, x, saturate));
        assert_eq!(found, codes, "{dtype}, saturate {saturate}");
    }
}

#[test]
fn types_without_saturation_overflow_to_infinity_and_float4_clamps() {
    assert_eq!(round_to(F16, 65519.9, true), 65504.0);
    assert_eq!(round_to(F16, 65520.0, true), INF);
    assert_eq!(round_to(BF16, 3.4e38, true), INF);
    assert_eq!(round_to(F32, 1e39, true), INF);
    assert_eq!(round_to(F64, 1e300, true), 1e300);
    assert_eq!(round_to(F8E4M3FN, 464.0, false), 448.0);
    assert!(round_to(F8E4M3FN, 464.1, false).is_nan());
    assert_eq!([5.0, 7.0, 0.25, 0.75, INF, -9.0].map(|x| round_to(F4E2M1, x, false)), [4.0, 6.0, 0.0, 1.0, 6.0, -6.0]);
    assert_eq!(encode_f64(F4E2M1, NAN, true), 8);
    let mut xs = [0.1, -INF, 1e-9];
    round_slice(F16, &mut xs, true);
    assert_eq!(xs, [0.0999755859375, -INF, 0.0]);
}

#[test]
fn scales_are_powers_of_two_in_three_roundings() {
    use ScaleRounding::{Down, Nearest, Up};
    let cases = [
        (1.1, true, Up, 0x80),
        (1.1, true, Down, 0x7f),
        (1.1, true, Nearest, 0x7f),
        (1.5, true, Nearest, 0x80),
        (0.124, true, Up, 0x7c),
        (0.0, true, Up, 0),
        (0.0, false, Nearest, 0xff),
        (INF, true, Up, 0xfe),
        (INF, false, Up, 0xff),
        (1.6e38, true, Up, 0xfe),
        (1.8e38, true, Up, 0xfe),
        (1.8e38, false, Up, 0xff),
        (1e-45, true, Down, 0),
        (1e-45, false, Down, 0xff),
        (NAN, true, Up, 0xff),
    ];
    for (x, saturate, rounding, code) in cases {
        assert_eq!(encode_scale(x, saturate, rounding), code, "{x} {saturate} {rounding:?}");
    }
    for code in 0..=254 {
        let value = decode_f64(F8E8M0, code);
        for rounding in [Up, Down, Nearest] {
            assert_eq!(u64::from(encode_scale(value, false, rounding)), code);
        }
    }
}

#[test]
fn integers_wrap_to_their_width() {
    let cases = [
        (I8, 200, -56),
        (U8, -1, 255),
        (I4, 20, 4),
        (I4, -20, -4),
        (U2, 7, 3),
        (I2, 2, -2),
        (U64, -1, -1),
        (I32, 1 << 31, i64::from(i32::MIN)),
        (U32, -1, 0xffff_ffff),
        (Bool, -3, 1),
        (I64, i64::MIN, i64::MIN),
    ];
    for (dtype, x, wrapped) in cases {
        assert_eq!(wrap_to(dtype, x), wrapped, "{dtype} {x}");
        let mut xs = [x, wrapped, x];
        wrap_slice(dtype, &mut xs);
        assert_eq!(xs, [wrapped; 3], "{dtype} {x}");
    }
}

/// The values that ONNX Runtime and numpy give on x86-64 where ONNX leaves them open.
#[test]
fn floats_out_of_range_become_integers_in_one_way() {
    let (min32, min64) = (i64::from(i32::MIN), i64::MIN);
    let odd = [300.0, NAN, INF, -INF, 50.9, -50.9];
    let cases: &[(DType, &[f64], &[i64])] = &[
        (I8, &odd, &[44, 0, 0, 0, 50, -50]),
        (U8, &odd, &[44, 0, 0, 0, 50, 206]),
        (I32, &[3e9, -3e9, NAN, 2147483647.9, -2147483648.9], &[min32, min32, min32, 2147483647, min32]),
        (U32, &[3e9, -1.0, -3e9, NAN, 1e10], &[3_000_000_000, 0xffff_ffff, 1 << 31, 1 << 31, 0]),
        (I64, &[1e19, -1e19, NAN, -1.5], &[min64, min64, min64, -1]),
        (U64, &[1e19, 1e20, -1.5, NAN, -1e20], &[1e19 as u64 as i64, 0, -1, min64, min64]),
        (I4, &[1.5, 2.5, -1.5, 20.0, -20.0], &[1, 2, -1, 4, -4]),
        (Bool, &[0.0, -0.0, NAN, 0.3], &[0, 0, 1, 1]),
    ];
    for &(dtype, floats, integers) in cases {
        let found: Vec<i64> = floats.iter().map(|&x| float_to_int(dtype, x)).collect();
        assert_eq!(found, integers, "{dtype}");
        let x = Tensor::from_vec(&[floats.len()], floats.to_vec()).unwrap();
        assert_eq!(cast(&x, dtype, true).unwrap().to_vec_i64(), integers, "{dtype}");
    }
}

/// A number just over a tie of the narrow type, whose excess f64 cannot hold.
#[test]
fn integers_become_floats_in_one_rounding() {
    let tie: i64 = (1 << 62) + (1 << 38);
    let x = Tensor::from_vec(&[3], vec![tie, tie + 1, -tie - 1]).unwrap();
    let up = ((1i64 << 62) + (1 << 39)) as f64;
    assert_eq!(cast(&x, F32, true).unwrap().to_vec_f64(), [(1i64 << 62) as f64, up, -up]);
    assert_eq!(cast(&x, F64, true).unwrap().to_vec_f64(), [tie as f64, tie as f64, -tie as f64]);
    let x = Tensor::from_vec(&[2], vec![u64::MAX, 1 << 63]).unwrap();
    assert_eq!(cast(&x, F32, true).unwrap().to_vec_f64(), [18446744073709551616.0, 9223372036854775808.0]);
    assert_eq!(cast(&x, I8, true).unwrap().to_vec_i64(), [-1, 0]);
    let x = Tensor::from_vec(&[2], vec![100_000i32, -3]).unwrap();
    assert_eq!(cast(&x, F8E4M3FN, true).unwrap().to_vec_f64(), [448.0, -3.0]);
    assert_eq!(cast(&x, F16, true).unwrap().to_vec_f64(), [INF, -3.0]);
}

#[test]
fn numbers_become_strings_and_are_read_back() {
    let floats: Vec<f32> = vec![0.47892547, 1e6, 1e-7, f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, 314.159_26, 1e20];
    let shown = ["0.47892547", "1000000", "1e-07", "NaN", "INF", "-INF", "-0", "314.15927", "1e+20"];
    let x = Tensor::from_vec(&[9], floats).unwrap();
    let strings = cast(&x, String, true).unwrap();
    assert_eq!(strings.strings().unwrap(), shown);
    assert!(cast(&strings, F32, true).unwrap().bit_eq(&x));
    let x = Tensor::from_vec(&[1], vec![u64::MAX]).unwrap();
    let strings = cast(&x, String, true).unwrap();
    assert_eq!(strings.strings().unwrap(), ["18446744073709551615"]);
    assert_eq!(cast(&strings, U64, true).unwrap(), x);
}

#[test]
fn strings_that_are_no_numbers_are_refused() {
    let strings = |s: &str| Tensor::from_strings(&[1], vec![s.to_owned()]).unwrap();
    let cases: &[(&str, DType, Option<f64>)] = &[
        (" 5 ", F32, Some(5.0)),
        ("+INF", F16, Some(INF)),
        ("-inf", F64, Some(-INF)),
        ("1E8", F32, Some(1e8)),
        ("1e-5", F64, Some(1e-5)),
        ("100.5", I64, Some(100.0)),
        ("-3", I8, Some(-3.0)),
        ("300", I8, Some(44.0)),
        ("0", Bool, Some(0.0)),
        ("", F32, None),
        ("Hello World!", F32, None),
        ("5abc", I32, None),
        ("nan", I32, None),
        ("99999999999999999999999", I64, None),
        ("1e30", I64, None),
    ];
    for &(text, to, value) in cases {
        let found = cast(&strings(text), to, true).ok().map(|t| t.get_f64(0));
        assert_eq!(found, value, "{text:?} to {to}");
    }
}

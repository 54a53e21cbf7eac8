//! Primitives against what they should give.

use super::*;
use crate::map::{Map, Operand, Order, Tile, interpret};
use tilewright_support::Code;
use tilewright_tensor::{DType, convert};

fn encode(dtype: DType, x: &[f64]) -> Vec<u8> {
    let size = dtype.bits() / 8;
    let bits = |x: f64| match dtype.is_float() {
        true => convert::encode_f64(dtype, x, false),
        false => x as i64 as u64,
    };
    x.iter().flat_map(|x| bits(*x).to_le_bytes()[..size].to_vec()).collect()
}

fn decode(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    let one = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(eight);
        match dtype.is_float() {
            true => convert::decode_f64(dtype, bits),
            false if dtype.is_int() && dtype.is_signed() => {
                let above = 64 - dtype.bits() as u32;
                ((bits << above) as i64 >> above) as f64
            }
            false => bits as f64,
        }
    };
    bytes.chunks_exact(dtype.bits() / 8).map(one).collect()
}

/// Runs a map over one row or tile of rows; inputs first, the results have room for `n` each.
fn run(map: &Map, [m, n]: [usize; 2], inputs: &[&[f64]]) -> Vec<Vec<u8>> {
    let mut bytes: Vec<Vec<u8>> = inputs.iter().zip(&map.operands).map(|(x, o)| encode(o.dtype, x)).collect();
    bytes.extend(map.operands[inputs.len()..].iter().map(|o| vec![0; m * o.row_bytes(n)]));
    let rows = map.operands.iter().map(|o| o.row_bytes(n));
    let tiles = bytes.iter_mut().zip(rows).map(|(bytes, row)| Tile::rows(bytes, row));
    let mut tiles: Vec<Tile> = tiles.collect();
    interpret(map, [m, n], &mut tiles).unwrap();
    bytes.split_off(inputs.len())
}

/// The results of an elementwise primitive over one row.
fn row(name: &str, inputs: &[(DType, &[f64])], outputs: &[Operand]) -> Vec<Vec<f64>> {
    let operands: Vec<Operand> = inputs.iter().map(|(d, _)| Operand::row(*d)).collect();
    let map = elementwise(name).unwrap().map(&operands, outputs, DType::F32).unwrap();
    let values: Vec<&[f64]> = inputs.iter().map(|(_, x)| *x).collect();
    let n = values[0].len();
    run(&map, [1, n], &values).iter().zip(outputs).map(|(bytes, o)| decode(o.dtype, bytes)).collect()
}

const F32: DType = DType::F32;

#[test]
fn relu_and_its_mask() {
    let x = [1.0, -2.0, 0.0, 3.0, f64::INFINITY, -0.5, 7.0, 8.0, 9.0];
    let found = row("relu_with_mask", &[(F32, &x)], &[Operand::tile(F32), Operand::bits()]);
    assert_eq!(found[0], x.map(|x| x.max(0.0)));
    assert_eq!(found[1], [f64::from(0b1101_1001u8), 1.0]);
}

#[test]
fn integers_saturate_or_wrap() {
    let (x, scale) = ([1.4, 300.0, -300.0, 2.5, 1e12, -1e12], [1.0; 6]);
    for (dtype, bounds) in [(DType::I8, [-128.0, 127.0]), (DType::U8, [0.0, 255.0]), (DType::I16, [-300.0, 300.0])] {
        let found = row("quantize", &[(F32, &x), (F32, &scale)], &[Operand::tile(dtype)]);
        assert_eq!(found[0][..4], [1.0, bounds[1], bounds[0], 2.0], "{dtype:?}");
    }
    let found = row("quantize", &[(F32, &x), (F32, &scale)], &[Operand::tile(DType::I32)]);
    assert_eq!(found[0], [1.0, 300.0, -300.0, 2.0, 2_147_483_647.0, -2_147_483_648.0]);
    let found = row("quantize_wrapped", &[(F32, &x), (F32, &scale)], &[Operand::tile(DType::I8)]);
    assert_eq!(found[0][..4], [1.0, 44.0, -44.0, 2.0]);
}

#[test]
fn parts_of_a_number_sum_to_it() {
    let x = [1.0, std::f64::consts::PI, -1e-30, 1.0 + 1.0 / 8_388_608.0, 3e38].map(|x| f64::from(x as f32));
    let bf16 = Operand::tile(DType::BF16);
    let three = row("split_bf16x3", &[(F32, &x)], &[bf16; 3]);
    let two = row("split_bf16x2", &[(F32, &x)], &[bf16; 2]);
    for (n, x) in x.iter().enumerate() {
        assert_eq!(three[0][n] + three[1][n] + three[2][n], *x);
        assert!((two[0][n] + two[1][n] - x).abs() <= x.abs() / 65536.0);
    }
    let special = row("split_bf16x3", &[(F32, &[f64::INFINITY, f64::NAN])], &[bf16; 3]);
    assert_eq!((special[0][0], special[1][0], special[2][0]), (f64::INFINITY, 0.0, 0.0));
    assert!(special[0][1].is_nan() && special[1][1] == 0.0);
}

#[test]
fn a_step_on_split_weights() {
    let weights = [1.0, -2.5, 1e-3, 100.0];
    let halves = row("unzip", &[(F32, &weights)], &[Operand::tile(DType::U16); 2]);
    let (gradient, rate) = ([1.0, 2.0, -4.0, 0.5], [0.125; 4]);
    let inputs: [(DType, &[f64]); 4] =
        [(DType::U16, &halves[0]), (DType::U16, &halves[1]), (DType::BF16, &gradient), (F32, &rate)];
    let new = row("split_sgd", &inputs, &[Operand::tile(DType::U16); 2]);
    let found = row("zip", &[(DType::U16, &new[0]), (DType::U16, &new[1])], &[Operand::tile(F32)]);
    let step = |n: usize| f64::from(weights[n] as f32 - 0.125 * gradient[n] as f32);
    assert_eq!(found[0], [0, 1, 2, 3].map(step));
}

#[test]
fn dropout_keeps_by_chance_and_scales() {
    let (x, p) = ([3.0; 1000], [0.25; 1000]);
    let (key, counter) = ([77.0; 1000], [0.0; 1000]);
    let inputs: [(DType, &[f64]); 4] = [(F32, &x), (F32, &p), (DType::I64, &key), (DType::I64, &counter)];
    let found = row("dropout", &inputs, &[Operand::tile(F32), Operand::tile(DType::Bool)]);
    let kept = found[1].iter().sum::<f64>();
    assert!((700.0..800.0).contains(&kept), "{kept}");
    assert!(found[0].iter().zip(&found[1]).all(|(y, kept)| *y == 4.0 * kept));
    let back = row("dropout_inv", &[(DType::Bool, &found[1]), (F32, &x), (F32, &p)], &[Operand::tile(F32)]);
    assert_eq!(back[0], found[0]);
}

#[test]
fn reductions_accumulate_and_reduce_whole_tiles() {
    let (tile, out) = (Operand::tile(F32), Operand::row(F32));
    let x: Vec<f64> = (0..12).map(f64::from).collect();
    let sums = reduction("reduce_add").unwrap();
    let map = sums.accumulate(&[tile], &[out], Order::Columns, F32).unwrap();
    let mut bytes = [encode(F32, &x), encode(F32, &[100.0; 4])];
    let mut tiles: Vec<Tile> = bytes.iter_mut().map(|bytes| Tile::rows(bytes, 16)).collect();
    interpret(&map, [3, 4], &mut tiles).unwrap();
    assert_eq!(decode(F32, &bytes[1]), [112.0, 115.0, 118.0, 121.0]);
    let both = reduction("reduce_add_and_square_add").unwrap();
    let [columns, rows] = both.whole(&[tile], &[Operand::column(F32); 2], F32).unwrap();
    let found = run(&columns, [3, 4], &[&x]);
    let found: Vec<Vec<f64>> = found.iter().map(|f| decode(F32, &f[..16])).collect();
    let found = run(&rows, [1, 4], &[&found[0], &found[1]]);
    assert_eq!([decode(F32, &found[0]), decode(F32, &found[1])], [[66.0], [506.0]]);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (tile, out) = (Operand::tile(DType::I32), Operand::column(DType::I32));
    let code = |found: tilewright_support::Result<Map>| found.unwrap_err().code;
    assert_eq!(code(elementwise("exp").unwrap().map(&[tile], &[tile], DType::I32)), Code::Unsupported);
    let arg = reduction("reduce_argmax").unwrap();
    assert_eq!(code(arg.accumulate(&[tile], &[out], Order::Rows, DType::I32)), Code::Unsupported);
    assert_eq!(arg.whole(&[tile], &[out], DType::I32).unwrap_err().code, Code::Unsupported);
    assert!(elementwise("add").unwrap().map(&[tile], &[tile], DType::I32).is_err());
    assert!(elementwise("relu_inv").unwrap().map(&[tile, tile], &[tile], DType::I32).is_err());
    assert!(elementwise("gt").unwrap().map(&[tile, tile], &[tile], DType::I32).is_err());
}

//! Maps of several passes along rows: softmax and the normalisations.
//!
//! They compute in f32, or in f64 where that is asked for. Sizes are known at run time, so the number of columns comes as
//! an operand: one element that holds `1 / n`.

use crate::map::{Combiner, Map, Operand, Sink};
use tilewright_scalar::Scalar;
use tilewright_tensor::DType;

fn sum(value: Scalar) -> Sink {
    Sink::Reduce { combiner: Combiner::Sum, value }
}

/// Stores a value as the operand's dtype.
fn store(map: &Map, operand: u32, value: &Scalar) -> Sink {
    Sink::Store { operand, value: value.cast(map.operands[operand as usize].dtype) }
}

fn over(operands: &[Operand]) -> Map {
    Map { operands: operands.to_vec(), ..Map::default() }
}

/// `exp(x - max) / sum exp(x - max)` of each row of operand 0 to operand 1. An output narrower than the computation
/// holds no exponentials in between; they are computed twice.
pub fn softmax(input: Operand, output: Operand, compute: DType) -> Map {
    let map = over(&[input, output]);
    let x = map.read(0).cast(compute);
    let map = map.stage([Sink::Reduce { combiner: Combiner::Max, value: x.clone() }]);
    let e = (x - map.value_of_row(0)).exp();
    let keep = output.dtype == compute;
    let kept = keep.then(|| store(&map, 1, &e));
    let map = map.stage(kept.into_iter().chain([sum(e.clone())]));
    let inverse = e.lit(1.0) / map.value_of_row(1);
    let e = if keep { map.read(1) } else { e };
    let stored = store(&map, 1, &(e * inverse));
    map.stage([stored])
}

/// `(x - mean) / sqrt(variance + epsilon) * gamma + beta` of each row. Operands: x, gamma, beta, `1 / n`, output.
pub fn layer_norm([x, gamma, beta, output]: [Operand; 4], epsilon: f64, compute: DType) -> Map {
    let map = over(&[x, gamma, beta, Operand::scalar(compute), output]);
    let [x, gamma, beta, inverse] = [0, 1, 2, 3].map(|o| map.read(o).cast(compute));
    let map = map.stage([sum(x.clone())]);
    let centred = x - map.value_of_row(0) * inverse.clone();
    let map = map.stage([sum(&centred * &centred)]);
    let scale = inverse.lit(1.0) / (map.value_of_row(1) * inverse + epsilon).sqrt();
    let stored = store(&map, 4, &(centred * scale * gamma + beta));
    map.stage([stored])
}

/// `x / sqrt(mean(x^2) + epsilon) * gamma` of each row. Operands: x, gamma, `1 / n`, output.
pub fn rms_norm([x, gamma, output]: [Operand; 3], epsilon: f64, compute: DType) -> Map {
    let map = over(&[x, gamma, Operand::scalar(compute), output]);
    let [x, gamma, inverse] = [0, 1, 2].map(|o| map.read(o).cast(compute));
    let map = map.stage([sum(&x * &x)]);
    let scale = inverse.lit(1.0) / (map.value_of_row(0) * inverse + epsilon).sqrt();
    let stored = store(&map, 3, &(x * scale * gamma));
    map.stage([stored])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Tile, interpret};

    fn floats(bytes: &[u8]) -> Vec<f64> {
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap_or_default())).collect()
    }

    fn run(map: &Map, n: usize, values: &[Vec<f64>]) -> Vec<f64> {
        let mut bytes: Vec<Vec<u8>> = values.iter().map(|v| v.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
        let mut tiles: Vec<Tile> = bytes.iter_mut().map(|b| Tile::rows(b, 8 * n)).collect();
        interpret(map, [1, n], &mut tiles).unwrap();
        floats(bytes.last().unwrap())
    }

    #[test]
    fn rows_come_out_as_defined() {
        let n = 37;
        let x: Vec<f64> = (0..n).map(|i| ((i * 29) % 17) as f64 / 3.0 - 2.0).collect();
        let (tile, row) = (Operand::tile(DType::F64), Operand::row(DType::F64));
        let (zeros, gamma, beta) = (vec![0.0; n], vec![1.5; n], vec![0.25; n]);
        let each = vec![1.0 / n as f64];
        let close = |found: Vec<f64>, expected: &dyn Fn(f64) -> f64| {
            assert!(found.iter().zip(&x).all(|(f, x)| (f - expected(*x)).abs() < 1e-14), "{found:?}");
        };
        let total: f64 = x.iter().map(|x| x.exp()).sum();
        close(run(&softmax(tile, tile, DType::F64), n, &[x.clone(), zeros.clone()]), &|x| x.exp() / total);
        let mean = x.iter().sum::<f64>() / n as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        let map = layer_norm([tile, row, row, tile], 1e-5, DType::F64);
        let inputs = [x.clone(), gamma.clone(), beta, each.clone(), zeros.clone()];
        close(run(&map, n, &inputs), &|x| (x - mean) / (variance + 1e-5).sqrt() * 1.5 + 0.25);
        let square = x.iter().map(|x| x * x).sum::<f64>() / n as f64;
        let map = rms_norm([tile, row, tile], 1e-5, DType::F64);
        close(run(&map, n, &[x.clone(), gamma, each, zeros]), &|x| x / (square + 1e-5).sqrt() * 1.5);
    }
}

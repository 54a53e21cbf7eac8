//! One total order of the elements of any dtype, as integer keys.

use std::collections::HashMap;
use tilewright_tensor::{DType, Tensor};

/// Fills `keys` with integers in the order of the elements `start`, `start + stride`, ... of a tensor of numbers.
///
/// Equal elements have equal keys: -0 is 0, all NaNs are one value, which is greater than infinity (as numpy sorts).
pub(super) fn read_keys(x: &Tensor, start: usize, stride: isize, keys: &mut [i64]) {
    if x.dtype().is_float() {
        let mut floats = vec![0.0; keys.len()];
        x.read_f64(start, stride, &mut floats);
        keys.iter_mut().zip(floats).for_each(|(k, f)| *k = float_key(f));
        return;
    }
    x.read_i64(start, stride, keys);
    if x.dtype() == DType::U64 {
        keys.iter_mut().for_each(|k| *k ^= i64::MIN);
    }
}

/// The key of one float.
pub(super) fn float_key(x: f64) -> i64 {
    if x.is_nan() {
        return i64::MAX;
    }
    // The bits of floats are ordered as sign and magnitude; adding zero turns -0 into 0.
    let bits = (x + 0.0).to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// The keys of all elements, strings too: these are ordered by code points.
pub(super) fn all_keys(x: &Tensor) -> Vec<i64> {
    let mut keys = vec![0; x.len()];
    let Some(strings) = x.strings() else {
        read_keys(x, 0, 1, &mut keys);
        return keys;
    };
    let mut sorted: Vec<&str> = strings.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let ranks: HashMap<&str, i64> = sorted.into_iter().zip(0..).collect();
    keys.iter_mut().zip(strings).for_each(|(k, s)| *k = ranks[s.as_str()]);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_order_of_values() {
        let floats = [f64::NEG_INFINITY, -2.0, -1e-300, 0.0, 1e-300, 1.0, f64::INFINITY, f64::NAN];
        let keys = all_keys(&Tensor::from_slice(&[8], &floats).unwrap());
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        let zeros = all_keys(&Tensor::from_slice(&[4], &[0.0f32, -0.0, f32::NAN, -f32::NAN]).unwrap());
        assert!(zeros[0] == zeros[1] && zeros[2] == zeros[3]);
        let big = all_keys(&Tensor::from_slice(&[3], &[0u64, 1 << 63, u64::MAX]).unwrap());
        assert!(big.is_sorted_by(|a, b| a < b), "{big:?}");
        let words = all_keys(&Tensor::from_strings(&[4], ["b", "", "é", "b"].map(String::from).to_vec()).unwrap());
        assert_eq!(words, [1, 0, 2, 1]);
    }
}

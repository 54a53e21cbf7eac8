//! Numbers that look random.

use tilewright_tensor::{DType, Tensor};

/// A state.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`, or 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }

    /// One of several.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// True in so many of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Small numbers, some of them special; whole ones in an `exact` style.
    pub fn tensor(&mut self, dtype: DType, shape: &[usize], exact: bool) -> Tensor {
        const VALUES: [f64; 9] = [0.0, -0.0, 1.0, -1.5, 3.25, 1e30, f64::INFINITY, f64::NAN, 0.1];
        let n: usize = shape.iter().product();
        if dtype == DType::Bool {
            return Tensor::from_i64(dtype, shape, &(0..n).map(|_| self.below(2) as i64).collect::<Vec<_>>()).unwrap();
        }
        let special = self.chance(25);
        let mut value = || match exact {
            true if special && self.chance(3) => self.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
            true => self.below(9) as f64 - 4.0,
            false if special || !dtype.is_float() => self.pick(&VALUES),
            false => self.below(4001) as f64 / 1000.0 - 2.0,
        };
        if dtype.is_float() {
            return Tensor::from_f64(dtype, shape, &(0..n).map(|_| value()).collect::<Vec<_>>()).unwrap();
        }
        Tensor::from_i64(dtype, shape, &(0..n).map(|_| self.below(6) as i64 - 1).collect::<Vec<_>>()).unwrap()
    }

    /// The numbers below `rank` in any order.
    pub fn permutation(&mut self, rank: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rank).collect();
        (1..rank).for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}

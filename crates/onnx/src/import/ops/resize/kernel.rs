//! Interpolation kernels: the weight of a neighbour by its distance.

use tilewright_graph::Scalar;

/// A kernel.
#[derive(Clone, Copy)]
pub enum Kernel {
    /// `1 - |d|` within distance 1.
    Linear,
    /// Cubic convolution within distance 2 (Keys 1981, equation 4), with its coefficient `a`.
    Cubic(f64),
}

impl Kernel {
    /// Neighbours at this distance and beyond have weight 0.
    pub fn radius(self) -> i64 {
        match self {
            Self::Linear => 1,
            Self::Cubic(_) => 2,
        }
    }

    /// The weight at a distance of either sign.
    pub fn weight(self, distance: &Scalar) -> Scalar {
        let d = distance.abs();
        let (zero, one) = (d.lit(0.0), d.lit(1.0));
        match self {
            Self::Linear => (one - d).maximum(&zero),
            Self::Cubic(a) => {
                let inner = (d.clone() * (a + 2.0) - (a + 3.0)) * d.clone() * d.clone() + 1.0;
                let outer = ((d.clone() * a - 5.0 * a) * d.clone() + 8.0 * a) * d.clone() - 4.0 * a;
                let far = d.lt(&d.lit(2.0)).select(&outer, &zero);
                d.le(&one).select(&inner, &far)
            }
        }
    }
}

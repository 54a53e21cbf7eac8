//! Shares of a cotangent among the values that one result was combined from.

use super::site::Site;
use crate::comp::Role;
use crate::scalar::Scalar;
use tilewright_tensor::ix::Ix;

impl Site {
    /// The row-major position of the point over its axes of a role.
    pub fn order(&self, role: Role) -> Ix {
        let own = self.axes.iter().enumerate().filter(|(_, axis)| axis.role == role);
        own.fold(Ix::zero(), |at, (a, axis)| &(&at * &axis.extent) + &Ix::axis(a as u32))
    }

    /// 1 where the point's value is the result. NaN is equal to nothing.
    pub fn winners(&self) -> Scalar {
        self.body.equals(&self.result()).select(&self.body.lit(1.0), &self.body.lit(0.0))
    }

    /// An even share for each of `count` winners.
    pub fn share(&self, count: Scalar) -> Scalar {
        self.body.equals(&self.result()).select(&(self.cotangent() / count), &self.body.lit(0.0))
    }

    /// Whether the point's value is 0.
    pub fn absent(&self) -> Scalar {
        self.body.equals(&self.body.lit(0.0))
    }

    /// 1 where the point's value is 0.
    pub fn absences(&self) -> Scalar {
        self.absent().select(&self.body.lit(1.0), &self.body.lit(0.0))
    }

    /// The point's value, but 1 for 0.
    pub fn presences(&self) -> Scalar {
        self.absent().select(&self.body.lit(1.0), &self.body)
    }

    /// The cotangent times the product of the other factors, given the number of factors that are 0
    /// and the product of the rest: the result is divided by what is not 0; for a factor that is
    /// the only 0, the rest is the product.
    pub fn co_factor(&self, zeros: Scalar, rest: Scalar) -> Scalar {
        let d = self.cotangent();
        let only = zeros.equals(&zeros.lit(1.0)).select(&(&d * &rest), &d.lit(0.0));
        self.absent().select(&only, &(d * (self.result() / self.body.clone())))
    }
}

//! Padding with a constant.

use super::{Body, Structured, f32s};
use crate::comp::Combiner;
use crate::decl::{Decl, Window};
use crate::types::TensorType;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// Places around and between the elements of an operand.
pub struct Pad {
    /// One window a dim.
    pub windows: Vec<Window>,
}

impl Structured for Pad {
    const NAME: &'static str = "pad";
    const DOC: &'static str = "`x` with places before, after and between its elements, which hold the scalar `fill`; \
        negative amounts take elements away.";
    const OPERANDS: &'static [&'static str] = &["x", "fill"];

    fn declare(&self, d: &Decl) -> Result<Body> {
        let (x, fill) = (d.operand(0)?, d.operand(1)?);
        if self.windows.len() != x.rank() {
            return Err(Diagnostic::shape(format!("{} windows for rank {}", self.windows.len(), x.rank())));
        }
        if self.windows.iter().any(|w| w.stretch < 1) {
            return Err(Diagnostic::shape("places between elements must not be negative"));
        }
        let sizes: Vec<Ix> = self.windows.iter().zip(x.shape()).map(|(w, n)| w.size(n)).collect();
        if let Some(size) = sizes.iter().find(|s| s.as_const().is_some_and(|c| c < 0)) {
            return Err(Diagnostic::shape(format!("padding takes away more than there is: {size} places are left")));
        }
        let at = d.pars_of("i", &sizes);
        let fill = fill.at(&[]);
        Ok((Combiner::Map, x.windowed(self.windows.clone(), fill).at(&at)))
    }

    fn samples() -> Vec<(Self, Vec<TensorType>)> {
        let of = |w: &[(i64, i64, i64)]| Self {
            windows: w
                .iter()
                .map(|(b, a, s)| Window { before: (*b).into(), after: (*a).into(), stretch: *s })
                .collect(),
        };
        vec![
            (of(&[(1, 2, 1), (0, 1, 1)]), vec![f32s(&[2, 3]), f32s(&[])]),
            (of(&[(-1, 2, 1)]), vec![f32s(&[4]), f32s(&[])]),
            (of(&[(1, -1, 3)]), vec![f32s(&[3]), f32s(&[])]),
            (of(&[(2, 1, 1)]), vec![f32s(&[0]), f32s(&[])]),
        ]
    }
}

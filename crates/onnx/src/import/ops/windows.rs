//! Strides, dilations and padding: what convolutions and pools have in common.

use crate::import::Call;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;

/// How a spatial dim is padded.
#[derive(Clone, Debug)]
pub enum Padding {
    /// Places before and after each dim.
    Explicit(Vec<(i64, i64)>),
    /// As many places as make the result `ceil(size / stride)`; an odd one goes to the end, or to
    /// the beginning if `lower`.
    Same {
        /// Whether the odd place goes to the beginning.
        lower: bool,
    },
    /// None.
    Valid,
}

/// Strides, dilations and padding over spatial dims.
#[derive(Clone, Debug)]
pub struct Windows {
    /// Steps, at least 1.
    pub strides: Vec<i64>,
    /// Distances between taps, at least 1.
    pub dilations: Vec<i64>,
    /// Padding.
    pub padding: Padding,
}

/// Larger strides or dilations would overflow sizes and serve nothing.
const LARGEST_STEP: i64 = 1 << 31;

/// More padding would ask for memory that no input justifies.
const LARGEST_PAD: i64 = 1 << 20;

impl Windows {
    /// The attributes of a node over `n` spatial dims. `pads` are ignored beside an `auto_pad`.
    pub fn of(c: &Call<'_>, n: usize) -> Result<Self> {
        let steps = |name: &str| -> Result<Vec<i64>> {
            let list = ints(c, name, n, 1)?;
            match list.iter().find(|s| !(1..=LARGEST_STEP).contains(*s)) {
                Some(s) => Err(c.invalid(format!("attribute \"{name}\" holds {s}, which is out of bounds"))),
                None => Ok(list),
            }
        };
        let padding = match c.str("auto_pad", "NOTSET")? {
            "NOTSET" | "" => Padding::Explicit(explicit(c, n)?),
            "SAME_UPPER" => Padding::Same { lower: false },
            "SAME_LOWER" => Padding::Same { lower: true },
            "VALID" => Padding::Valid,
            other => return Err(c.invalid(format!("auto_pad \"{other}\" is none of the known ways"))),
        };
        Ok(Self { strides: steps("strides")?, dilations: steps("dilations")?, padding })
    }

    /// Places from the first tap to the last along a spatial dim with `taps` taps.
    pub fn reach(&self, i: usize, taps: &Ix) -> Ix {
        (taps - &Ix::konst(1)) * self.dilations[i] + 1
    }

    /// Places before and after spatial dim `i` of a given size.
    pub fn pads(&self, i: usize, size: &Ix, taps: &Ix) -> (Ix, Ix) {
        match &self.padding {
            Padding::Explicit(pads) => (pads[i].0.into(), pads[i].1.into()),
            Padding::Valid => (Ix::zero(), Ix::zero()),
            Padding::Same { lower } => {
                let covered = (self.same_count(i, size) - 1) * self.strides[i] + self.reach(i, taps);
                split((&covered - size).max_with(&Ix::zero()), *lower)
            }
        }
    }

    /// The number of windows that `SAME` padding makes of a dim.
    pub fn same_count(&self, i: usize, size: &Ix) -> Ix {
        size.ceil_div(&Ix::konst(self.strides[i]))
    }
}

/// Splits padding in two; an odd place goes to the end, or to the beginning if `lower`.
pub fn split(total: Ix, lower: bool) -> (Ix, Ix) {
    let half = total.floor_div(&Ix::konst(2));
    let rest = &total - &half;
    if lower { (rest, half) } else { (half, rest) }
}

/// The attribute `pads`: all begins, then all ends.
fn explicit(c: &Call<'_>, n: usize) -> Result<Vec<(i64, i64)>> {
    let pads = ints(c, "pads", 2 * n, 0)?;
    if let Some(p) = pads.iter().find(|p| !(0..=LARGEST_PAD).contains(*p)) {
        return Err(c.invalid(format!("attribute \"pads\" holds {p}, which is out of bounds")));
    }
    Ok(pads[..n].iter().copied().zip(pads[n..].iter().copied()).collect())
}

/// A list of `n` integers; an empty one counts as absent.
pub fn ints(c: &Call<'_>, name: &str, n: usize, default: i64) -> Result<Vec<i64>> {
    match c.ints(name)? {
        Some([]) => Ok(vec![default; n]),
        _ => c.ints_of(name, n, default),
    }
}

/// The number of spatial dims of `[N, C, …]`.
pub fn spatial(rank: usize, least: usize) -> Result<usize> {
    match rank.checked_sub(2) {
        Some(n) if n >= least => Ok(n),
        _ => Err(Diagnostic::shape(format!("expected [N, C] and spatial dims, found rank {rank}"))),
    }
}

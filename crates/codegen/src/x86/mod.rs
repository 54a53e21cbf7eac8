//! x86-64: its vector operations and their encoding.

mod encode;
mod vector_ops;

pub(crate) use encode::KEPT;
pub use encode::{Code64, encode, listing};
pub use vector_ops::VecOp;

impl VecOp {
    /// Whether the destination is also a source.
    pub fn updates(self) -> bool {
        use VecOp::*;
        let sums = matches!(self, Fma231Ps | Fma231Pd | Fma213Ps | Fma213Pd | Fma132Ps | Fma132Pd | DotBusd | DotBf16);
        sums || self.gathers()
    }

    /// Whether it loads lanes from places of their own: the index of its address is a vector, and it clears the mask.
    pub fn gathers(self) -> bool {
        use VecOp::*;
        matches!(self, GatherDd | GatherDq | GatherQd | GatherQq)
    }

    /// Whether a mask that does not zero leaves other lanes of a register as they were; comparisons and blends do not.
    pub fn keeps_other_lanes(self) -> bool {
        use VecOp::*;
        !matches!(self, BlendD | BlendQ | CmpPs | CmpPd | CmpEqD | CmpEqQ | CmpGtD | CmpGtQ)
    }

    /// The widths of destination and sources as fractions of the instruction's: a half is 1, a quarter 2.
    pub fn shrinks(self) -> (u8, u8) {
        use VecOp::*;
        match self {
            PsToPd | SignDq | ZeroDq | SignWd | ZeroWd | SignBw | ZeroBw | PhToPs => (0, 1),
            SignBd | ZeroBd => (0, 2),
            PdToPs | PsToPh | StoreDw | StoreQd | Upper | UpperX | UpperY => (1, 0),
            StoreDb => (2, 0),
            GatherQd => (1, 1),
            SplatPs | SplatPd | SplatW | SplatRegPs | SplatRegPd => (0, 3),
            _ => (0, 0),
        }
    }
}

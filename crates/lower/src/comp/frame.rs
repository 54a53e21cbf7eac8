//! How the axes of a part lie around and in a leaf.

use super::part::Part;
use tilewright_nests::{Access, Kind, Loop, Size};

/// A loop over points of an axis.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The axis.
    pub axis: usize,
    /// Points of one iteration.
    pub step: i64,
    /// What iterations are to each other.
    pub kind: Kind,
}

/// Loops around a leaf, outermost first, and what its rows and columns are.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The loops.
    pub around: Vec<Around>,
    /// The axis of rows.
    pub row: Option<usize>,
    /// The axis of columns.
    pub column: Option<usize>,
}

impl Frame {
    /// The frame with further loops inside.
    pub fn inside(&self, loops: impl IntoIterator<Item = Around>) -> Self {
        let mut frame = self.clone();
        frame.around.extend(loops);
        frame
    }

    /// The loop of a number of the frame.
    pub fn ring(&self, part: &Part, at: usize) -> Loop {
        let Around { axis, step, kind } = self.around[at];
        let span = &part.axes[axis];
        Loop {
            axis: span.name.clone(),
            kind,
            trips: span.extent.div_euclid(step) as usize + usize::from(span.extent % step > 0),
        }
    }

    /// Rows and columns.
    pub fn sizes(&self, part: &Part) -> Vec<Size> {
        vec![self.size(part, self.row), self.size(part, self.column)]
    }

    fn size(&self, part: &Part, axis: Option<usize>) -> Size {
        let Some(axis) = axis else { return Size::Fixed(1) };
        let total = part.axes[axis].extent as usize;
        match self.around.iter().position(|a| a.axis == axis) {
            Some(depth) => Size::Rest { block: self.around[depth].step as usize, total, depth },
            None => Size::Fixed(total),
        }
    }

    /// Where elements of `size` bytes are that axes move by `factors` from element `offset` of a buffer.
    pub fn access(&self, buffer: usize, size: i64, (offset, factors): (i64, &[i64])) -> Access {
        let bytes = |axis: Option<usize>| axis.map_or(0, |a| factors[a] * size);
        Access {
            buffer,
            offset: offset * size,
            steps: self.around.iter().map(|a| factors[a.axis] * a.step * size).collect(),
            row: bytes(self.row),
            column: bytes(self.column),
            indices: None,
        }
    }
}

//! Where an element is, as lanes: its column, its row, and the numbers that come with the call.

use super::body::Writer;
use super::memory::At;
use crate::inst::{GprOp, Reg};
use crate::x86::VecOp;
use tilewright_loops::prim::Lane;

impl Writer<'_> {
    /// The columns of a vector as integers.
    pub(super) fn column_numbers(&mut self, at: &At) -> Reg {
        let first = self.splat_place(1);
        let places = (0..self.lanes).flat_map(|l| ((at.vector * self.lanes + l) as u32).to_le_bytes());
        let places: Vec<u8> = places.collect();
        let places = self.f.constant(&places);
        self.f.vec(VecOp::IAddD, self.width(32), &[first.into(), places.into()])
    }

    /// The row in every lane.
    pub(super) fn row_number(&mut self, at: &At) -> Reg {
        let row = self.splat_place(0);
        if at.row == 0 {
            return row;
        }
        let one = self.splat(1, Lane::I32);
        self.f.vec(VecOp::IAddD, self.width(32), &[row.into(), one])
    }

    /// A place in every lane.
    pub(super) fn place_number(&mut self, place: u32, lane: Lane) -> Reg {
        let mem = self.one_argument(self.map.first_place() + place as usize);
        let op = if lane == Lane::I64 { VecOp::SplatPd } else { VecOp::SplatPs };
        self.f.vec(op, self.width(lane.bits()), &[mem.into()])
    }

    fn splat_place(&mut self, axis: usize) -> Reg {
        let slot = self.scratch();
        self.f.gpr(GprOp::StoreDouble, self.place[axis], slot);
        self.f.vec(VecOp::SplatPs, self.width(32), &[slot.into()])
    }
}

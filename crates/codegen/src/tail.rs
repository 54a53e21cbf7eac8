//! The mask of a partial vector.

use crate::function::Function;
use crate::inst::{GprOp, ImmOp, MaskOp, Mem, Reg, Width};
use crate::x86::VecOp;
use tilewright_support::target::Level;

/// A mask of the first lanes of so many bits: a register for masks on AVX-512, else a vector with ones in these lanes.
/// At most `most` lanes are counted, which may be more than a vector has.
pub(crate) fn mask(f: &mut Function, level: Level, bits: u32, count: Reg, most: usize) -> Reg {
    if level == Level::Avx512 {
        let ones = f.general();
        f.imm(ImmOp::Set, ones, -1);
        f.gpr(GprOp::KeepLow, ones, count);
        return f.mask_op(MaskOp::FromGeneral, ones, None);
    }
    // A part of a table of ones, then zeros: so many lanes before the zeros.
    let size = bits as usize / 8;
    let mut table = vec![0xff; most * size];
    table.resize(table.len() + Width::Y.bytes(), 0);
    let table = f.constant(&table);
    let (back, address) = (f.general(), f.general());
    f.imm(ImmOp::Set, back, 0);
    f.gpr(GprOp::Sub, back, count);
    f.gpr(GprOp::Address, address, table);
    let mem = Mem::at(address, (most * size) as i32).plus(back, size as u8);
    f.vec(VecOp::Load, Width::Y, &[mem.into()])
}

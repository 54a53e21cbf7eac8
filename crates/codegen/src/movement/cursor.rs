//! Lines visited one after the other.

use crate::function::Function;
use crate::inst::{GprOp, ImmOp, Mem, Operand, Reg};

/// A place among lines.
#[derive(Clone, Copy)]
pub(super) enum Cursor {
    /// Lines at a distance in a register: a pointer that moves by two lines, and the lines visited.
    Memory { at: Reg, stride: Option<Reg>, visited: usize },
    /// Lines at a constant distance.
    Fixed { at: Mem, pitch: usize },
}

impl Cursor {
    /// Before the first line; without a distance there is only one.
    pub(super) fn memory(at: Reg, stride: Option<Reg>) -> Self {
        Self::Memory { at, stride, visited: 0 }
    }

    /// Before the first line.
    pub(super) fn fixed(at: Mem, pitch: usize) -> Self {
        Self::Fixed { at, pitch }
    }

    /// The next line.
    pub(super) fn next(&mut self, f: &mut Function) -> Mem {
        match self {
            Self::Memory { at, stride: Some(stride), visited } => {
                *visited += 1;
                if *visited % 2 == 0 {
                    return Mem::at(*at, 0).plus(*stride, 1);
                }
                if *visited > 1 {
                    f.gpr(GprOp::Address, *at, Mem::at(*at, 0).plus(*stride, 2));
                }
                Mem::at(*at, 0)
            }
            Self::Memory { at, .. } => Mem::at(*at, 0),
            Self::Fixed { at, pitch } => {
                let line = *at;
                *at = at.offset(*pitch as i32);
                line
            }
        }
    }

    /// A cursor of its own so many lines and bytes after this one, which has visited none, and its register.
    pub(super) fn after(&self, f: &mut Function, lines: usize, bytes: usize) -> (Self, Reg) {
        let base = f.general();
        match *self {
            Self::Memory { at, stride, .. } => {
                f.gpr(GprOp::Address, base, Mem::at(at, bytes as i32));
                if let Some(stride) = stride.filter(|_| lines > 0) {
                    let distance = f.copy(stride);
                    f.imm(ImmOp::Mul, distance, lines as i64);
                    f.gpr(GprOp::Add, base, distance);
                }
                (Self::memory(base, stride), base)
            }
            Self::Fixed { at, pitch } => {
                f.gpr(GprOp::Address, base, Operand::Mem(at.offset((lines * pitch + bytes) as i32)));
                (Self::fixed(Mem::at(base, 0), pitch), base)
            }
        }
    }

    /// The same place, with a pointer of its own where it moves.
    pub(super) fn again(&self, f: &mut Function) -> Self {
        match *self {
            Self::Memory { at, stride, .. } => Self::memory(f.copy(at), stride),
            fixed => fixed,
        }
    }
}

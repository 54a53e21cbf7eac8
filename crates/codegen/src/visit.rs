//! Which registers an instruction reads and writes.

use crate::inst::{Base, GprOp, ImmOp, Inst, Mem, Operand, Reg, VecInst};

/// How an instruction uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both.
    Update,
}

impl Access {
    /// Whether the old value matters.
    pub fn reads(self) -> bool {
        self != Self::Write
    }

    /// Whether there is a new value.
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

impl Mem {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Reg, Access)) {
        if let Base::Reg(r) = &mut self.base {
            f(r, Access::Read);
        }
        if let Some((r, _)) = &mut self.index {
            f(r, Access::Read);
        }
    }
}

impl Operand {
    fn visit(&mut self, access: Access, f: &mut dyn FnMut(&mut Reg, Access)) {
        match self {
            Self::Reg(r) => f(r, access),
            Self::Mem(m) | Self::Splat(m) => m.visit(f),
        }
    }
}

impl Inst {
    /// Visits every register, those read first.
    pub fn visit(&mut self, f: &mut dyn FnMut(&mut Reg, Access)) {
        match self {
            Self::Vec(v) => v.visit(f),
            Self::Fma { dst, a, b, c, .. } => {
                f(a, Access::Read);
                b.visit(Access::Read, f);
                c.visit(Access::Read, f);
                f(dst, Access::Write);
            }
            Self::Zero(dst) | Self::Argument(dst) => f(dst, Access::Write),
            Self::General(op, dst, a) => {
                a.visit(Access::Read, f);
                f(dst, op.access());
            }
            Self::Immediate(op, dst, _) => f(dst, op.access()),
            Self::Mask(_, dst, a, b) => {
                f(a, Access::Read);
                if let Some(b) = b {
                    f(b, Access::Read);
                }
                f(dst, Access::Write);
            }
            Self::MaskSlot(r, _, load) => f(r, if *load { Access::Write } else { Access::Read }),
            Self::Prefetch(m) | Self::FloatMode(m, _) => m.visit(f),
            Self::Call { code, args, .. } => {
                f(code, Access::Read);
                f(args, Access::Read);
            }
            Self::Bind(_) | Self::Jump(..) | Self::Align(_) | Self::Fence | Self::Return => {}
        }
    }
}

impl VecInst {
    fn visit(&mut self, f: &mut dyn FnMut(&mut Reg, Access)) {
        // The only source of a gather that is a register is its mask.
        let source = if self.op.gathers() { Access::Update } else { Access::Read };
        for src in self.srcs.iter_mut().flatten() {
            src.visit(source, f);
        }
        let merges = self.mask.is_some_and(|m| !m.zero) && self.op.keeps_other_lanes();
        if let Some(mask) = &mut self.mask {
            f(&mut mask.by, source);
        }
        let access = if merges || self.op.updates() { Access::Update } else { Access::Write };
        self.dst.visit(access, f);
    }
}

impl GprOp {
    fn access(self) -> Access {
        match self {
            Self::Move | Self::Address | Self::Load | Self::LoadByte | Self::LoadWord | Self::LoadDouble => {
                Access::Write
            }
            Self::Store | Self::StoreByte | Self::StoreWord | Self::StoreDouble | Self::Compare => Access::Read,
            Self::Add | Self::Sub | Self::Mul | Self::KeepLow => Access::Update,
        }
    }
}

impl ImmOp {
    fn access(self) -> Access {
        match self {
            Self::Set => Access::Write,
            Self::Compare => Access::Read,
            _ => Access::Update,
        }
    }
}

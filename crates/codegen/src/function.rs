//! A function being written: instructions over virtual registers, and its constants.

use crate::inst::{Base, Class, Cond, GprOp, ImmOp, Inst, Label, MaskOp, Masking, Mem, Operand, Reg, VecInst, Width};
use crate::x86::VecOp;
use std::collections::HashMap;

/// Instructions, constants, and the numbers of registers and labels in use.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The instructions.
    pub insts: Vec<Inst>,
    /// The constants, which stand in front of the code.
    pub pool: Vec<u8>,
    /// Bytes at the start of the frame that instructions use; values that find no register follow.
    pub frame: usize,
    constants: HashMap<Vec<u8>, i32>,
    registers: [u16; 3],
    labels: u32,
}

impl Function {
    /// An empty function.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new register.
    pub fn reg(&mut self, class: Class) -> Reg {
        let next = &mut self.registers[class as usize];
        *next = next.saturating_add(1);
        Reg { class, id: *next - 1 }
    }

    /// A new vector register.
    pub fn vector(&mut self) -> Reg {
        self.reg(Class::Vector)
    }

    /// A new mask register.
    pub fn mask(&mut self) -> Reg {
        self.reg(Class::Mask)
    }

    /// A new general register.
    pub fn general(&mut self) -> Reg {
        self.reg(Class::General)
    }

    /// The number of registers of a class.
    pub fn count(&self, class: Class) -> usize {
        self.registers[class as usize].into()
    }

    /// Whether registers ran out, so that one stands for several.
    pub fn is_too_long(&self) -> bool {
        self.registers.contains(&u16::MAX)
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// A constant, aligned to its size.
    pub fn constant(&mut self, bytes: &[u8]) -> Mem {
        let disp = match self.constants.get(bytes) {
            Some(at) => *at,
            None => {
                let align = bytes.len().next_power_of_two().min(64);
                self.pool.resize(self.pool.len().next_multiple_of(align), 0);
                let at = self.pool.len() as i32;
                self.pool.extend_from_slice(bytes);
                self.constants.insert(bytes.to_vec(), at);
                at
            }
        };
        Mem { base: Base::Pool, index: None, disp }
    }

    /// Adds an instruction.
    pub fn push(&mut self, inst: Inst) {
        self.insts.push(inst);
    }

    /// A vector operation into a given place.
    pub fn vec_to(&mut self, op: VecOp, width: Width, dst: impl Into<Operand>, srcs: &[Operand]) {
        self.vec_inst(op, width, dst.into(), srcs, None, None);
    }

    /// A vector operation with all that it may have.
    pub fn vec_inst(
        &mut self,
        op: VecOp,
        width: Width,
        dst: Operand,
        srcs: &[Operand],
        imm: Option<u8>,
        mask: Option<Masking>,
    ) {
        let mut three = [None; 3];
        three.iter_mut().zip(srcs).for_each(|(to, from)| *to = Some(*from));
        self.push(Inst::Vec(VecInst { op, width, dst, srcs: three, imm, mask }));
    }

    /// A vector operation into a new register.
    pub fn vec(&mut self, op: VecOp, width: Width, srcs: &[Operand]) -> Reg {
        let dst = self.vector();
        self.vec_to(op, width, dst, srcs);
        dst
    }

    /// A vector operation with an immediate into a new register.
    pub fn vec_imm(&mut self, op: VecOp, width: Width, srcs: &[Operand], imm: u8) -> Reg {
        let dst = self.vector();
        self.vec_inst(op, width, dst.into(), srcs, Some(imm), None);
        dst
    }

    /// A vector of zeros.
    pub fn zero(&mut self) -> Reg {
        let dst = self.vector();
        self.push(Inst::Zero(dst));
        dst
    }

    /// `dst op= a`.
    pub fn gpr(&mut self, op: GprOp, dst: Reg, a: impl Into<Operand>) {
        self.push(Inst::General(op, dst, a.into()));
    }

    /// `dst op= imm`.
    pub fn imm(&mut self, op: ImmOp, dst: Reg, imm: i64) {
        self.push(Inst::Immediate(op, dst, imm));
    }

    /// A general register with what a memory operand holds.
    pub fn load(&mut self, from: Mem) -> Reg {
        let dst = self.general();
        self.gpr(GprOp::Load, dst, from);
        dst
    }

    /// A copy of a general register.
    pub fn copy(&mut self, from: Reg) -> Reg {
        let dst = self.general();
        self.gpr(GprOp::Move, dst, from);
        dst
    }

    /// A mask operation into a new register.
    pub fn mask_op(&mut self, op: MaskOp, a: Reg, b: Option<Reg>) -> Reg {
        let to_general = matches!(op, MaskOp::ToGeneral | MaskOp::Signs32 | MaskOp::Signs64);
        let dst = if to_general { self.general() } else { self.mask() };
        self.push(Inst::Mask(op, dst, a, b));
        dst
    }

    /// The argument: the address of the block of arguments.
    pub fn argument(&mut self) -> Reg {
        let dst = self.general();
        self.push(Inst::Argument(dst));
        dst
    }

    /// A label bound here.
    pub fn bind_new(&mut self) -> Label {
        let label = self.label();
        self.push(Inst::Bind(label));
        label
    }

    /// Binds a label here.
    pub fn bind(&mut self, label: Label) {
        self.push(Inst::Bind(label));
    }

    /// Jumps if the condition holds.
    pub fn jump_if(&mut self, cond: Cond, to: Label) {
        self.push(Inst::Jump(Some(cond), to));
    }

    /// Jumps.
    pub fn jump(&mut self, to: Label) {
        self.push(Inst::Jump(None, to));
    }
}

//! From instructions over physical registers to bytes, through `iced-x86`.

use crate::allocate::Allocated;
use crate::inst::{Base, Class, Cond, GprOp, ImmOp, Inst, Label, MaskOp, Masking, Mem, Operand, Reg, VecInst, Width};
use crate::x86::VecOp;
use iced_x86::{
    Code, Decoder, DecoderOptions, Encoder, Formatter, Instruction, MemoryOperand, NasmFormatter, OpKind, Register,
};
use std::collections::HashMap;
use tilewright_support::{Diagnostic, Result};

/// General registers by number: those that a function may overwrite, then those that it must keep.
const GENERALS: [Register; 15] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::RDI,
    Register::RBX,
    Register::RBP,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

/// Bytes of a page of memory.
const PAGE: i64 = 4096;

/// The first that must be kept.
pub(crate) const KEPT: usize = 9;

/// Machine code and its constants.
#[derive(Clone, Debug)]
pub struct Code64 {
    /// Constants, then instructions.
    pub bytes: Vec<u8>,
    /// Where the instructions start.
    pub entry: usize,
}

/// Encodes a function. `evex` chooses AVX-512's encodings, which machines without it lack.
///
/// # Errors
/// Internal, when an instruction has no encoding.
pub fn encode(function: &Allocated, evex: bool) -> Result<Code64> {
    let entry = function.pool.len().next_multiple_of(64);
    let saved: Vec<Register> =
        (KEPT..GENERALS.len()).filter(|n| function.generals & (1 << n) != 0).map(|n| GENERALS[n]).collect();
    // Functions are called with the stack at a multiple of 16; the address to return to and what is saved take 8 each.
    let calls = function.insts.iter().any(|inst| matches!(inst, Inst::Call { .. }));
    let room = if calls && saved.len().is_multiple_of(2) { 8 } else { 0 };
    let mut writer = Writer {
        encoder: Encoder::new(64),
        at: entry as u64,
        evex,
        frame: (function.frame + room) as i64,
        saved,
        wide: false,
        labels: HashMap::new(),
        jumps: Vec::new(),
    };
    writer.prologue()?;
    for inst in &function.insts {
        writer.inst(inst)?;
    }
    let mut bytes = function.pool.clone();
    bytes.resize(entry, 0);
    bytes.extend(writer.encoder.take_buffer());
    for (end, label) in &writer.jumps {
        let target = writer.labels.get(label).ok_or_else(|| Diagnostic::internal("a jump to no place"))?;
        let distance = (*target as i64 - *end as i64) as i32;
        let end = *end as usize;
        bytes[end - 4..end].copy_from_slice(&distance.to_le_bytes());
    }
    Ok(Code64 { bytes, entry })
}

/// The instructions as text, one a line, without addresses.
pub fn listing(code: &Code64) -> String {
    let mut decoder = Decoder::with_ip(64, &code.bytes[code.entry..], code.entry as u64, DecoderOptions::NONE);
    let mut formatter = NasmFormatter::new();
    let mut text = String::new();
    for inst in decoder.iter() {
        formatter.format(&inst, &mut text);
        text.push('\n');
    }
    text
}

struct Writer {
    encoder: Encoder,
    at: u64,
    evex: bool,
    frame: i64,
    saved: Vec<Register>,
    wide: bool,
    labels: HashMap<Label, u64>,
    jumps: Vec<(u64, Label)>,
}

fn failed(error: impl std::fmt::Display) -> Box<Diagnostic> {
    Diagnostic::internal(format!("an instruction has no encoding: {error}"))
}

impl Writer {
    fn put(&mut self, inst: &Instruction) -> Result<()> {
        self.at += self.encoder.encode(inst, self.at).map_err(failed)? as u64;
        Ok(())
    }

    fn put_new(&mut self, inst: std::result::Result<Instruction, iced_x86::IcedError>) -> Result<()> {
        self.put(&inst.map_err(failed)?)
    }

    fn prologue(&mut self) -> Result<()> {
        for r in self.saved.clone() {
            self.put_new(Instruction::with1(Code::Push_r64, r))?;
        }
        // A page after the other, so that no frame reaches past the page that guards the stack.
        let mut left = self.frame;
        while left > PAGE {
            self.put_new(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, PAGE as i32))?;
            let mut touch = Instruction::default();
            touch.set_code(Code::Test_rm64_r64);
            self.memory(&mut touch, 0, &Mem { base: Base::Frame, index: None, disp: 0 });
            touch.set_op_kind(1, OpKind::Register);
            touch.set_op_register(1, Register::RSP);
            self.put(&touch)?;
            left -= PAGE;
        }
        if left > 0 {
            self.put_new(Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, left as i32))?;
        }
        Ok(())
    }

    fn epilogue(&mut self) -> Result<()> {
        if self.wide {
            self.put(&Instruction::with(Code::VEX_Vzeroupper))?;
        }
        if self.frame > 0 {
            self.put_new(Instruction::with2(Code::Add_rm64_imm32, Register::RSP, self.frame as i32))?;
        }
        for r in self.saved.clone().into_iter().rev() {
            self.put_new(Instruction::with1(Code::Pop_r64, r))?;
        }
        self.put(&Instruction::with(Code::Retnq))
    }

    fn inst(&mut self, inst: &Inst) -> Result<()> {
        match inst {
            Inst::Vec(v) => self.vector(v),
            Inst::Fma { wide, width, dst, a, b, c } => self.fma(*wide, *width, *dst, *a, *b, *c),
            Inst::Zero(r) => {
                let same = [Some(Operand::Reg(*r)), Some(Operand::Reg(*r)), None];
                let (op, width, dst) = (VecOp::XorD, Width::X, Operand::Reg(*r));
                self.vector(&VecInst { op, width, dst, srcs: same, imm: None, mask: None })
            }
            Inst::Argument(r) if GENERALS[usize::from(r.id)] == Register::RDI => Ok(()),
            Inst::Argument(r) => self.put_new(Instruction::with2(Code::Mov_r64_rm64, general(*r), Register::RDI)),
            Inst::General(op, dst, a) => self.general(*op, *dst, *a),
            Inst::Immediate(op, dst, imm) => self.immediate(*op, *dst, *imm),
            Inst::Mask(op, dst, a, b) => self.mask(*op, *dst, *a, *b),
            Inst::MaskSlot(r, slot, load) => {
                let mem = Mem { base: Base::Frame, index: None, disp: *slot };
                let (code, at) = if *load { (Code::VEX_Kmovq_kr_km64, 1) } else { (Code::VEX_Kmovq_m64_kr, 0) };
                let mut i = Instruction::default();
                i.set_code(code);
                i.set_op_kind(1 - at, OpKind::Register);
                i.set_op_register(1 - at, mask_register(*r));
                self.memory(&mut i, at, &mem);
                self.put(&i)
            }
            Inst::Bind(label) => {
                self.labels.insert(*label, self.at);
                Ok(())
            }
            Inst::Jump(cond, label) => self.jump(*cond, *label),
            Inst::Align(to) => self.align(u64::from(*to)),
            Inst::Prefetch(m) => {
                let mut i = Instruction::default();
                i.set_code(Code::Prefetcht1_m8);
                self.memory(&mut i, 0, m);
                self.put(&i)
            }
            Inst::FloatMode(m, load) => {
                let mut i = Instruction::default();
                i.set_code(if *load { Code::VEX_Vldmxcsr_m32 } else { Code::VEX_Vstmxcsr_m32 });
                self.memory(&mut i, 0, m);
                self.put(&i)
            }
            Inst::Call { code, args, disp } => self.call(general(*code), general(*args), *disp),
            Inst::Fence => self.put(&Instruction::with(Code::Sfence)),
            Inst::Return => self.epilogue(),
        }
    }

    fn vector(&mut self, v: &VecInst) -> Result<()> {
        let codes = v.op.codes();
        let code = if self.evex {
            codes[2 + v.width as usize]
        } else {
            *codes[..2].get(v.width as usize).unwrap_or(&Code::INVALID)
        };
        if code == Code::INVALID {
            return Err(failed(format!("{:?} of {:?}", v.op, v.width)));
        }
        self.wide |= v.width != Width::X;
        let (dst, src) = v.op.shrinks();
        let mut i = Instruction::default();
        i.set_code(code);
        self.operand(&mut i, 0, &v.dst, shrunk(v.width, dst));
        let mut count = 1;
        for operand in v.srcs.iter().flatten() {
            let block = v.op == VecOp::Insert128 && count == 2;
            self.operand(&mut i, count, operand, if block { Width::X } else { shrunk(v.width, src) });
            if let (true, Operand::Mem(Mem { index: Some((index, _)), .. })) = (v.op.gathers(), operand) {
                // Of 64-bit elements 32-bit numbers take half a vector.
                let half = u8::from(v.op == VecOp::GatherDq);
                i.set_memory_index(register(*index, shrunk(v.width, half)));
            }
            count += 1;
        }
        if let Some(imm) = v.imm {
            i.set_op_kind(count, OpKind::Immediate8);
            i.set_immediate8(imm);
        }
        if let Some(Masking { by, zero }) = v.mask {
            i.set_op_mask(mask_register(by));
            i.set_zeroing_masking(zero);
        }
        self.put(&i)
    }

    fn fma(&mut self, wide: bool, width: Width, dst: Reg, a: Reg, b: Operand, c: Operand) -> Result<()> {
        let [f231, f213, f132, load] = match wide {
            false => [VecOp::Fma231Ps, VecOp::Fma213Ps, VecOp::Fma132Ps, VecOp::Load],
            true => [VecOp::Fma231Pd, VecOp::Fma213Pd, VecOp::Fma132Pd, VecOp::LoadPd],
        };
        let inst = |op, srcs| VecInst { op, width, dst: dst.into(), srcs, imm: None, mask: None };
        let two = |op, x: Operand, y: Operand| inst(op, [Some(x), Some(y), None]);
        if c == Operand::Reg(dst) {
            return self.vector(&two(f231, a.into(), b));
        }
        match b {
            Operand::Reg(b) if dst == a => self.vector(&two(f213, b.into(), c)),
            Operand::Reg(b) if dst == b => self.vector(&two(f213, a.into(), c)),
            Operand::Reg(b) if !matches!(c, Operand::Reg(_)) => {
                self.vector(&inst(load, [Some(a.into()), None, None]))?;
                self.vector(&two(f213, b.into(), c))
            }
            _ if dst == a => self.vector(&two(f132, c, b)),
            _ => {
                self.vector(&inst(load, [Some(c), None, None]))?;
                self.vector(&two(f231, a.into(), b))
            }
        }
    }

    fn operand(&self, i: &mut Instruction, at: u32, operand: &Operand, width: Width) {
        match operand {
            Operand::Reg(r) => {
                i.set_op_kind(at, OpKind::Register);
                i.set_op_register(at, register(*r, width));
            }
            Operand::Mem(m) => self.memory(i, at, m),
            Operand::Splat(m) => {
                self.memory(i, at, m);
                i.set_is_broadcast(true);
            }
        }
    }

    fn memory(&self, i: &mut Instruction, at: u32, m: &Mem) {
        i.set_op_kind(at, OpKind::Memory);
        let base = match m.base {
            Base::Reg(r) => general(r),
            Base::Pool => Register::RIP,
            Base::Frame => Register::RSP,
        };
        i.set_memory_base(base);
        if let Some((r, scale)) = m.index {
            i.set_memory_index(register(r, Width::X));
            i.set_memory_index_scale(scale.into());
        }
        // Addresses relative to the instruction count from the start of the constants.
        let small = m.disp == 0 && base != Register::RIP && base != Register::RBP && base != Register::R13;
        i.set_memory_displacement64(m.disp as i64 as u64);
        i.set_memory_displ_size(if base == Register::RIP { 8 } else { u32::from(!small) });
    }

    fn general(&mut self, op: GprOp, dst: Reg, a: Operand) -> Result<()> {
        let (code, store) = match (op, a) {
            (GprOp::Move, Operand::Reg(r)) if r == dst => return Ok(()),
            (GprOp::Move | GprOp::Load, _) => (Code::Mov_r64_rm64, false),
            (GprOp::Address, _) => (Code::Lea_r64_m, false),
            (GprOp::LoadByte, _) => (Code::Movzx_r32_rm8, false),
            (GprOp::LoadWord, _) => (Code::Movzx_r32_rm16, false),
            (GprOp::LoadDouble, _) => (Code::Mov_r32_rm32, false),
            (GprOp::StoreByte, _) => (Code::Mov_rm8_r8, true),
            (GprOp::StoreWord, _) => (Code::Mov_rm16_r16, true),
            (GprOp::StoreDouble, _) => (Code::Mov_rm32_r32, true),
            (GprOp::Store, _) => (Code::Mov_rm64_r64, true),
            (GprOp::Add, _) => (Code::Add_r64_rm64, false),
            (GprOp::Sub, _) => (Code::Sub_r64_rm64, false),
            (GprOp::Mul, _) => (Code::Imul_r64_rm64, false),
            (GprOp::Compare, _) => (Code::Cmp_r64_rm64, false),
            (GprOp::KeepLow, _) => (Code::VEX_Bzhi_r64_rm64_r64, false),
        };
        let bits = match op {
            GprOp::LoadByte | GprOp::LoadWord | GprOp::LoadDouble | GprOp::StoreDouble => 32,
            GprOp::StoreByte => 8,
            GprOp::StoreWord => 16,
            _ => 64,
        };
        let mut i = Instruction::default();
        i.set_code(code);
        let (reg, other) = if store { (1, 0) } else { (0, 1) };
        i.set_op_kind(reg, OpKind::Register);
        i.set_op_register(reg, sized(dst, bits));
        let other = if op == GprOp::KeepLow {
            i.set_op_kind(1, OpKind::Register);
            i.set_op_register(1, general(dst));
            2
        } else {
            other
        };
        match a {
            Operand::Reg(r) => {
                i.set_op_kind(other, OpKind::Register);
                i.set_op_register(other, general(r));
            }
            Operand::Mem(m) | Operand::Splat(m) => self.memory(&mut i, other, &m),
        }
        self.put(&i)
    }

    fn immediate(&mut self, op: ImmOp, dst: Reg, imm: i64) -> Result<()> {
        let r = general(dst);
        let inst = match (op, i32::try_from(imm)) {
            (ImmOp::Set, Ok(imm)) => Instruction::with2(Code::Mov_rm64_imm32, r, imm),
            (ImmOp::Set, Err(_)) => Instruction::with2(Code::Mov_r64_imm64, r, imm),
            (ImmOp::Add, Ok(imm)) if i8::try_from(imm).is_ok() => Instruction::with2(Code::Add_rm64_imm8, r, imm),
            (ImmOp::Add, Ok(imm)) => Instruction::with2(Code::Add_rm64_imm32, r, imm),
            (ImmOp::And, Ok(imm)) => Instruction::with2(Code::And_rm64_imm32, r, imm),
            (ImmOp::Mul, Ok(imm)) => Instruction::with3(Code::Imul_r64_rm64_imm32, r, r, imm),
            (ImmOp::Compare, Ok(imm)) if i8::try_from(imm).is_ok() => Instruction::with2(Code::Cmp_rm64_imm8, r, imm),
            (ImmOp::Compare, Ok(imm)) => Instruction::with2(Code::Cmp_rm64_imm32, r, imm),
            (ImmOp::Shl, Ok(imm)) => Instruction::with2(Code::Shl_rm64_imm8, r, imm),
            (ImmOp::Shr, Ok(imm)) => Instruction::with2(Code::Shr_rm64_imm8, r, imm),
            (_, Err(_)) => return Err(failed("an immediate beyond 32 bits")),
        };
        self.put_new(inst)
    }

    fn mask(&mut self, op: MaskOp, dst: Reg, a: Reg, b: Option<Reg>) -> Result<()> {
        let signs = matches!(op, MaskOp::Signs32 | MaskOp::Signs64);
        let k = |r: Reg| match r.class {
            Class::Mask => mask_register(r),
            Class::General if signs => sized(r, 32),
            Class::General => general(r),
            Class::Vector => register(r, Width::Y),
        };
        let code = match op {
            MaskOp::FromGeneral => Code::VEX_Kmovq_kr_r64,
            MaskOp::ToGeneral => Code::VEX_Kmovq_r64_kr,
            MaskOp::Move => Code::VEX_Kmovq_kr_km64,
            MaskOp::And => Code::VEX_Kandq_kr_kr_kr,
            MaskOp::Or => Code::VEX_Korq_kr_kr_kr,
            MaskOp::Xor => Code::VEX_Kxorq_kr_kr_kr,
            MaskOp::AndNot => Code::VEX_Kandnq_kr_kr_kr,
            MaskOp::Not => Code::VEX_Knotq_kr_kr,
            MaskOp::Signs32 => Code::VEX_Vmovmskps_r32_ymm,
            MaskOp::Signs64 => Code::VEX_Vmovmskpd_r32_ymm,
        };
        match b {
            Some(b) => self.put_new(Instruction::with3(code, k(dst), k(a), k(b))),
            None => self.put_new(Instruction::with2(code, k(dst), k(a))),
        }
    }

    fn jump(&mut self, cond: Option<Cond>, label: Label) -> Result<()> {
        let code = match cond {
            None => Code::Jmp_rel32_64,
            Some(Cond::Eq) => Code::Je_rel32_64,
            Some(Cond::Ne) => Code::Jne_rel32_64,
            Some(Cond::Below) => Code::Jb_rel32_64,
            Some(Cond::NotBelow) => Code::Jae_rel32_64,
            Some(Cond::Less) => Code::Jl_rel32_64,
            Some(Cond::NotLess) => Code::Jge_rel32_64,
        };
        self.put_new(Instruction::with_branch(code, self.at))?;
        self.jumps.push((self.at, label));
        Ok(())
    }

    /// Registers that functions do not keep hold nothing that is needed afterwards.
    fn call(&mut self, mut code: Register, args: Register, disp: i32) -> Result<()> {
        if code == Register::RDI {
            code = if args == Register::RAX { Register::RCX } else { Register::RAX };
            self.put_new(Instruction::with2(Code::Mov_r64_rm64, code, Register::RDI))?;
        }
        let place = MemoryOperand::with_base_displ(args, disp.into());
        self.put_new(Instruction::with2(Code::Lea_r64_m, Register::RDI, place))?;
        self.put_new(Instruction::with1(Code::Call_rm64, code))
    }

    fn align(&mut self, to: u64) -> Result<()> {
        let mut missing = self.at.next_multiple_of(to) - self.at;
        while missing > 0 {
            let nop = NOPS[missing.min(NOPS.len() as u64) as usize - 1];
            self.put_new(Instruction::with_declare_byte(nop))?;
            missing -= nop.len() as u64;
        }
        Ok(())
    }
}

/// Instructions that do nothing, of one byte and more (Intel's manual, volume 2, NOP).
const NOPS: [&[u8]; 9] = [
    &[0x90],
    &[0x66, 0x90],
    &[0x0f, 0x1f, 0x00],
    &[0x0f, 0x1f, 0x40, 0x00],
    &[0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
    &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
    &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
    &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
];

fn shrunk(width: Width, by: u8) -> Width {
    match (width as u8).saturating_sub(by) {
        0 => Width::X,
        1 => Width::Y,
        _ => Width::Z,
    }
}

fn register(r: Reg, width: Width) -> Register {
    match (r.class, width) {
        (Class::Vector, Width::X) => Register::XMM0 + u32::from(r.id),
        (Class::Vector, Width::Y) => Register::YMM0 + u32::from(r.id),
        (Class::Vector, Width::Z) => Register::ZMM0 + u32::from(r.id),
        (Class::Mask, _) => mask_register(r),
        (Class::General, _) => general(r),
    }
}

/// `k0` means no mask, so numbering starts at `k1`.
fn mask_register(r: Reg) -> Register {
    Register::K1 + u32::from(r.id)
}

fn general(r: Reg) -> Register {
    GENERALS[usize::from(r.id)]
}

fn sized(r: Reg, bits: u32) -> Register {
    let number = general(r) as u32 - Register::RAX as u32;
    match bits {
        // After AL, CL, DL and BL stand the high bytes AH to BH.
        8 if number >= 4 => Register::SPL + (number - 4),
        8 => Register::AL + number,
        16 => Register::AX + number,
        32 => Register::EAX + number,
        _ => general(r),
    }
}

//! Loops that measure a machine: multiply-adds without memory, loads without arithmetic, and streams.
//!
//! Arguments: the number of rounds; for loads also the address, and the bytes of a round; for streams the bytes of each,
//! the addresses of those that are read, and that of the one that is written.

use crate::allocate::{Registers, allocate};
use crate::emitted::Emitted;
use crate::function::Function;
use crate::inst::{Cond, ImmOp, Inst, Mem, Width};
use crate::x86::VecOp;
use tilewright_loops::contract::Product;
use tilewright_support::target::{Level, Target};
use tilewright_support::{Diagnostic, Result};

/// Chains of multiply-adds that do not wait for each other.
const CHAINS: usize = 12;

/// Multiply-adds of a round of [`peak`], counted as two operations for each element.
pub fn peak_operations(product: Product, level: Level) -> usize {
    2 * CHAINS * level.vector_bytes() / product.c_bytes() * product.per_step()
}

/// A loop of nothing but multiply-adds.
///
/// # Errors
/// `Unsupported` on a target without them.
pub fn peak(product: Product, target: &Target) -> Result<Emitted> {
    let (op, there) = match product {
        Product::F32 | Product::F16 => (VecOp::Fma231Ps, true),
        Product::F64 => (VecOp::Fma231Pd, true),
        Product::Bf16 => (VecOp::DotBf16, target.bf16),
        Product::U8S8 | Product::S8S8 | Product::U8U8 => (VecOp::DotBusd, target.vnni),
    };
    let width = width(target)?;
    if !there {
        return Err(Diagnostic::unsupported(format!("multiply-adds of {}", product.name())));
    }
    let mut f = Function::new();
    let args = f.argument();
    let rounds = f.load(Mem::at(args, 0));
    let (a, b) = (f.zero(), f.zero());
    let sums: Vec<_> = (0..CHAINS).map(|_| f.zero()).collect();
    f.push(Inst::Align(64));
    let head = f.bind_new();
    for sum in sums {
        f.vec_to(op, width, sum, &[a.into(), b.into()]);
    }
    f.imm(ImmOp::Add, rounds, -1);
    f.jump_if(Cond::Ne, head);
    f.push(Inst::Return);
    let name = format!("peak_{}", product.name());
    Emitted::of(name, allocate(f, Registers::of_level(target.level))?, target.level)
}

/// A loop that reads memory from end to end, so many times; the bytes are a multiple of 512.
///
/// # Errors
/// `Unsupported` on a target without vectors.
pub fn read(target: &Target) -> Result<Emitted> {
    let width = width(target)?;
    let mut f = Function::new();
    let args = f.argument();
    let rounds = f.load(Mem::at(args, 0));
    let again = f.bind_new();
    let at = f.load(Mem::at(args, 8));
    let left = f.load(Mem::at(args, 16));
    f.push(Inst::Align(64));
    let head = f.bind_new();
    for disp in (0..512).step_by(width.bytes()) {
        f.vec(VecOp::Load, width, &[Mem::at(at, disp).into()]);
    }
    f.imm(ImmOp::Add, at, 512);
    f.imm(ImmOp::Add, left, -512);
    f.jump_if(Cond::Ne, head);
    f.imm(ImmOp::Add, rounds, -1);
    f.jump_if(Cond::Ne, again);
    f.push(Inst::Return);
    Emitted::of("read".into(), allocate(f, Registers::of_level(target.level))?, target.level)
}

/// A loop that copies a stream, or adds those that are read, once from end to end; the bytes are a multiple of 512.
///
/// # Errors
/// `Unsupported` on a target without vectors.
pub fn stream(reads: usize, target: &Target) -> Result<Emitted> {
    let width = width(target)?;
    let mut f = Function::new();
    let args = f.argument();
    let left = f.load(Mem::at(args, 0));
    let streams: Vec<_> = (0..=reads as i32).map(|i| f.load(Mem::at(args, 8 + 8 * i))).collect();
    f.push(Inst::Align(64));
    let head = f.bind_new();
    for disp in (0..256).step_by(width.bytes()) {
        let mut sum = f.vec(VecOp::Load, width, &[Mem::at(streams[0], disp).into()]);
        for from in &streams[1..reads] {
            sum = f.vec(VecOp::AddPs, width, &[sum.into(), Mem::at(*from, disp).into()]);
        }
        f.vec_to(VecOp::Store, width, Mem::at(streams[reads], disp), &[sum.into()]);
    }
    streams.iter().for_each(|stream| f.imm(ImmOp::Add, *stream, 256));
    f.imm(ImmOp::Add, left, -256);
    f.jump_if(Cond::Ne, head);
    f.push(Inst::Return);
    Emitted::of(format!("stream_{reads}"), allocate(f, Registers::of_level(target.level))?, target.level)
}

fn width(target: &Target) -> Result<Width> {
    match target.level {
        Level::Portable => Err(Diagnostic::unsupported("machine code for the level portable")),
        Level::Avx2 => Ok(Width::Y),
        Level::Avx512 => Ok(Width::Z),
    }
}

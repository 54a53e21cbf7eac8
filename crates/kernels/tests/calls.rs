//! Machine code that calls: what lives across a call stays, and the stack is where functions expect it.

use tilewright_codegen::Emitted;
use tilewright_codegen::allocate::{Registers, allocate};
use tilewright_codegen::function::Function;
use tilewright_codegen::inst::{Base, Class, GprOp, Inst, MaskOp, Mem, Reg, Width};
use tilewright_codegen::x86::{VecOp, encode};
use tilewright_kernels::Machine;
use tilewright_runtime::code::Kernel;
use tilewright_support::target::{Level, Target};

/// Bytes of a value in the block of arguments.
const SLOT: i32 = 64;

/// Values of each kind, at the most.
const MOST: usize = 20;

fn kernel(machine: &Machine, f: Function, registers: Registers) -> std::sync::Arc<Kernel> {
    let code = encode(&allocate(f, registers).unwrap(), machine.target().level == Level::Avx512).unwrap();
    machine.publish(&Emitted { name: "calls".into(), code, spilled: 0 }).unwrap()
}

fn slot(args: Reg, at: usize) -> Mem {
    Mem::at(args, SLOT * at as i32)
}

/// Values of a class, loaded from the slots from `at` on.
fn load(f: &mut Function, (class, width): (Class, Width), args: Reg, at: usize, count: usize) -> Vec<Reg> {
    let one = |n: usize| {
        let from = slot(args, at + n);
        match class {
            Class::Vector => f.vec(VecOp::Load, width, &[from.into()]),
            Class::General => f.load(from),
            Class::Mask => {
                let bits = f.load(from);
                f.mask_op(MaskOp::FromGeneral, bits, None)
            }
        }
    };
    (0..count).map(one).collect()
}

/// Stores values to the slots from `at` on.
fn store(f: &mut Function, width: Width, args: Reg, at: usize, values: &[Reg]) {
    for (n, value) in values.iter().enumerate() {
        let to = slot(args, at + n);
        match value.class {
            Class::Vector => f.vec_to(VecOp::Store, width, to, &[(*value).into()]),
            Class::General => f.gpr(GprOp::Store, *value, to),
            Class::Mask => {
                let bits = f.mask_op(MaskOp::ToGeneral, *value, None);
                f.gpr(GprOp::Store, bits, to);
            }
        }
    }
}

/// Overwrites all registers that it may, and stores where the stack is to slot 0 of its arguments.
fn careless(classes: &[(Class, Width)], registers: Registers) -> Function {
    let mut f = Function::new();
    let args = f.argument();
    let top = f.general();
    f.gpr(GprOp::Address, top, Mem { base: Base::Frame, index: None, disp: 0 });
    f.gpr(GprOp::Store, top, slot(args, 0));
    for kind in classes {
        let count = match kind.0 {
            Class::Vector => registers.vectors,
            Class::Mask => registers.masks,
            // Without those that functions keep, so that the stack is as it was at the start.
            Class::General => 8,
        };
        let values = load(&mut f, *kind, args, 1, count.into());
        store(&mut f, kind.1, args, 1, &values);
    }
    f.push(Inst::Return);
    f
}

#[test]
fn what_lives_across_a_call_stays() {
    for level in [Level::Avx2, Level::Avx512] {
        let machine = Machine::new(Target::detect().at_most(level));
        if machine.target().level != level {
            continue;
        }
        let all = Registers::of_level(level);
        let mut classes = vec![(Class::General, all.widest), (Class::Vector, all.widest)];
        classes.extend((level == Level::Avx512).then_some((Class::Mask, Width::X)));
        let careless = kernel(&machine, careless(&classes, all), all);
        for (count, generals) in (0..MOST).flat_map(|count| [7, 12, 15].map(|generals| (count, generals))) {
            let mut f = Function::new();
            let args = f.argument();
            let kept: Vec<Vec<Reg>> =
                classes.iter().enumerate().map(|(n, kind)| load(&mut f, *kind, args, 1 + n * MOST, count)).collect();
            let code = f.load(slot(args, 0));
            f.push(Inst::Call { code, args, disp: 100 * SLOT });
            for (n, (kept, kind)) in kept.iter().zip(&classes).enumerate() {
                store(&mut f, kind.1, args, 200 + 1 + n * MOST, kept);
            }
            f.push(Inst::Return);
            let caller = kernel(&machine, f, Registers { generals, ..all });
            let mut words = vec![0u64; 300 * SLOT as usize / 8];
            words[..800].iter_mut().enumerate().for_each(|(n, word)| *word = n as u64 * 0x0101_0101);
            words[0] = careless.address() as u64;
            // SAFETY: both functions stay in the slots.
            unsafe { caller.call(words.as_ptr()) };
            assert_eq!(words[800] % 16, 8, "the stack at a call, beside {count} values");
            for (n, kind) in classes.iter().enumerate() {
                let bytes = if kind.0 == Class::Vector { kind.1.bytes() } else { 8 };
                for at in (0..count).map(|at| 8 * (1 + n * MOST + at)) {
                    let (before, after) = (&words[at..at + bytes / 8], &words[1600 + at..1600 + at + bytes / 8]);
                    assert_eq!(before, after, "{:?} {at} of {count}, {generals} registers", kind.0);
                }
            }
        }
    }
}

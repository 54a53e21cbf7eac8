//! What kernels cost beside their leaves: emission, and a run of one small leaf.

use std::sync::Arc;
use std::time::Instant;
use tilewright_codegen::{map, nest};
use tilewright_kernels::Machine;
use tilewright_kernels::maps::ten_operations;
use tilewright_kernels::nest::Nest;
use tilewright_nests::{Access, Buffer, Form, Kernel, Kind, Leaf, Loop, Role, Size, Stmt};
use tilewright_support::target::Target;
use tilewright_tensor::DType;

/// Blocks of `rows` rows by `columns` floats.
fn kernel(blocks: usize, rows: usize, columns: usize) -> Kernel {
    let row = 4 * columns as i64;
    let access = |buffer| Access { buffer, offset: 0, steps: vec![rows as i64 * row], row, column: 4, indices: None };
    let size = |total| Size::Rest { block: rows, total, depth: 0 };
    let leaf = Leaf {
        form: Form::Map(Arc::new(ten_operations())),
        sizes: vec![size(blocks * rows), Size::Fixed(columns)],
        operands: vec![access(0), access(1)],
        places: Vec::new(),
    };
    let buffer =
        |name: &str, role| Buffer { name: name.into(), dtype: DType::F32, bytes: 4 * blocks * rows * columns, role };
    Kernel {
        name: "ten".into(),
        buffers: vec![buffer("x", Role::Read), buffer("y", Role::Write)],
        parallel: vec![Loop { axis: "block".into(), kind: Kind::Parallel, trips: blocks }],
        body: vec![Stmt::Leaf(leaf)],
    }
}

/// Nanoseconds of one of many calls, the least of some rounds.
fn time(calls: usize, call: &mut dyn FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        least = least.min(start.elapsed().as_nanos() as f64 / calls as f64);
    }
    least
}

fn main() {
    let target = Target::detect();
    let machine = Machine::new(target);
    let structure = kernel(1, 1, 1).structure();
    let alone = time(100, &mut || drop(map::emit(&ten_operations(), &target)));
    println!("emission of the map alone  {:8.1} us", alone / 1e3);
    let whole = time(100, &mut || drop(nest::emit(&structure, &target)));
    println!("emission of the nest       {:8.1} us", whole / 1e3);
    for (blocks, rows, columns) in [(1, 1, 16), (1, 1, 64), (16, 1, 16), (16, 4, 64), (256, 1, 16)] {
        let kernel = Arc::new(kernel(blocks, rows, columns));
        for (name, nest) in [
            ("machine code", Nest::new(&machine, kernel.clone())),
            ("loops in Rust", Nest::of_leaves(&machine, kernel.clone())),
        ] {
            let nest = nest.expect("a nest");
            let mut buffers = [vec![1f32; blocks * rows * columns], vec![0f32; blocks * rows * columns]];
            let addresses = buffers.each_mut().map(|b| b.as_mut_ptr().cast::<u8>());
            let took = time(1000, &mut || {
                // SAFETY: the buffers are as long as the kernel says; there is no scratch.
                unsafe { nest.run(&addresses, 0..blocks, std::ptr::null_mut()) };
            });
            println!("run of {blocks:3} blocks of {rows} x {columns:2}, {name:13} {took:8.1} ns");
        }
    }
}

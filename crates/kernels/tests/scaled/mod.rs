//! Kernels of which there are as many as numbers.

use tilewright_kernels::{Callable, Machine};
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_tensor::DType;

/// `y = x * (number + 1)`.
pub fn scaled(number: usize) -> Map {
    let map = Map { operands: vec![Operand::tile(DType::F32); 2], ..Map::default() };
    let x = map.read(0);
    let value = &x * &x.lit(number as f64 + 1.0);
    map.stage([Sink::Store { operand: 1, value }])
}

/// Whether a kernel of [`scaled`] computes what it is for.
pub fn scales(kernel: &Callable, number: usize) -> bool {
    let (x, mut y) = ([1f32, -2.0, 3.5], [0f32; 3]);
    let args = [x.as_ptr() as u64, y.as_mut_ptr() as u64, 12, 12, 0, 0, 1, 3];
    // SAFETY: one row of three floats is read, and as many are written.
    unsafe { kernel.call(args.as_ptr()) };
    y == x.map(|x| x * (number as f32 + 1.0))
}

/// Looks a kernel up, or emits it, and runs it.
pub fn works(machine: &Machine, number: usize) -> bool {
    scales(&machine.map(&scaled(number)).unwrap(), number)
}

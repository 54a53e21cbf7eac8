//! Kernels of tests.

use std::sync::Arc;
use tilewright_loops::map::{Map, Operand, Sink};
use tilewright_nests::{Access, Buffer, Form, Kernel, Kind, Leaf, Loop, Role, Size, Stmt};
use tilewright_tensor::DType;

pub fn buffer(name: &str, dtype: DType, elements: usize, role: Role) -> Buffer {
    Buffer { name: name.into(), dtype, bytes: elements * dtype.bits() / 8, role }
}

pub fn repeat(axis: &str, kind: Kind, trips: usize) -> Loop {
    Loop { axis: axis.into(), kind, trips }
}

pub fn access(buffer: usize, offset: i64, steps: &[i64], row: i64) -> Access {
    Access { buffer, offset, steps: steps.to_vec(), row, column: 0, indices: None }
}

/// `to = 2 * from + 1`.
pub fn affine(from: Operand, to: Operand) -> Form {
    let map = Map { operands: vec![from, to], ..Map::default() };
    let x = map.read(0);
    let value = &(&x * &x.lit(2.0)) + &x.lit(1.0);
    Form::Map(Arc::new(map.stage([Sink::Store { operand: 1, value }])))
}

pub fn leaf(form: Form, sizes: &[Size], operands: Vec<Access>) -> Stmt {
    Stmt::Leaf(Leaf { form, sizes: sizes.to_vec(), operands, places: Vec::new() })
}

/// Ten rows of seven floats in blocks of four rows by a parallel loop, through scratch.
pub fn through_scratch() -> Kernel {
    let tile = Operand::tile(DType::F32);
    let rows = Size::Rest { block: 4, total: 10, depth: 0 };
    let sizes = [rows, Size::Fixed(7)];
    Kernel {
        name: "twice".into(),
        buffers: vec![
            buffer("x", DType::F32, 70, Role::Read),
            buffer("kept", DType::F32, 28, Role::Scratch),
            buffer("y", DType::F32, 70, Role::Write),
        ],
        parallel: vec![repeat("i", Kind::Parallel, 3)],
        body: vec![
            leaf(affine(tile, tile), &sizes, vec![access(0, 0, &[112], 28), access(1, 0, &[], 28)]),
            leaf(affine(tile, tile), &sizes, vec![access(1, 0, &[], 28), access(2, 0, &[112], 28)]),
        ],
    }
}

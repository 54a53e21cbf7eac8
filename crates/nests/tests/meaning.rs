//! Kernels are what their loops and leaves say.

mod common;

use common::*;
use tilewright_loops::map::Operand;
use tilewright_loops::movement::{Index, Move, Order};
use tilewright_nests::{Access, Form, Kernel, Kind, Role, Size, Stmt, interpret};
use tilewright_support::target::Level;
use tilewright_tensor::DType;

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

#[test]
fn tails_and_scratch_work() {
    let kernel = through_scratch();
    let mut memory = [floats((0..70).map(|x| x as f32)), vec![0; 280]];
    interpret(&kernel, Level::Portable, &mut memory).unwrap();
    assert_eq!(memory[1], floats((0..70).map(|x| 4.0 * x as f32 + 3.0)));
}

/// A matrix of so many rows and columns of i16 that a move takes from one buffer to another.
fn moved(order: Order, sizes: &[usize], [from, to]: [Access; 2], elements: usize) -> Kernel {
    let form = Form::Move(Move { element: 2, order });
    let sizes: Vec<Size> = sizes.iter().map(|n| Size::Fixed(*n)).collect();
    Kernel {
        name: "moved".into(),
        buffers: vec![
            buffer("from", DType::I16, 12, Role::Read),
            buffer("to", DType::I16, elements, Role::Write),
            buffer("rows", DType::I32, 3, Role::Read),
        ],
        parallel: vec![],
        body: vec![leaf(form, &sizes, vec![from, to])],
    }
}

fn shorts(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn moves_work() {
    let from: Vec<i16> = (0..12).collect();
    let indices: Vec<u8> = [2i32, 0, 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    let run = |kernel: &Kernel| {
        let mut memory = [shorts(&from), vec![0x11; kernel.buffers[1].bytes], indices.clone()];
        interpret(kernel, Level::Portable, &mut memory).unwrap();
        memory[1].chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect::<Vec<i16>>()
    };
    let plain = |buffer, row| access(buffer, 0, &[], row);
    let transposed = moved(Order::Transpose, &[3, 4], [plain(0, 8), plain(1, 6)], 12);
    assert_eq!(run(&transposed), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    let padded = moved(Order::Copy { stream: false }, &[2, 3, 4], [access(0, 2, &[], 6), plain(1, 8)], 8);
    assert_eq!(run(&padded), [1, 2, 3, 0, 4, 5, 6, 0]);
    let rows = Access { indices: Some(Box::new(access(2, 0, &[], 0))), ..plain(0, 8) };
    let gathered = moved(Order::Gather(Index::I32), &[3, 4], [rows, plain(1, 8)], 12);
    assert_eq!(run(&gathered), [8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11]);
    let paired = moved(Order::Interleave { group: 2 }, &[3, 4], [plain(0, 8), plain(1, 16)], 16);
    assert_eq!(run(&paired), [0, 4, 1, 5, 2, 6, 3, 7, 8, 0, 9, 0, 10, 0, 11, 0]);
}

fn change(change: impl Fn(&mut Kernel)) -> Option<String> {
    let mut kernel = through_scratch();
    change(&mut kernel);
    kernel.verify().err().map(|e| e.message.clone())
}

#[test]
fn what_is_wrong_is_named() {
    let first = |kernel: &mut Kernel, f: &dyn Fn(&mut tilewright_nests::Leaf)| {
        if let Stmt::Leaf(leaf) = &mut kernel.body[0] {
            f(leaf);
        }
    };
    assert_eq!(change(|_| {}), None);
    type Case<'a> = (&'a dyn Fn(&mut Kernel), &'a str);
    let cases: [Case; 11] = [
        (&|k| k.parallel[0].kind = Kind::Scan, "a loop that threads share is not parallel"),
        (&|k| k.parallel[0].trips = 2, "2 blocks of 4 do not cover 10"),
        (&|k| k.buffers[0].bytes = 276, "operand 0 reaches bytes 224 to 280 of buffer x, which has 276"),
        (&|k| k.buffers[0].role = Role::Scratch, "scratch x is read before anything is written to it"),
        (&|k| k.buffers[1].role = Role::Read, "operand 1 is stored to buffer kept, which is only for reading"),
        (&|k| k.buffers[1].dtype = DType::I32, "operand 1 is not of the dtype of buffer kept"),
        (
            &|k| k.buffers[1].role = Role::Update,
            "operand 1 is written to the same bytes by several iterations of the parallel loop i",
        ),
        (&|k| first(k, &|l| l.sizes[0] = Size::Rest { block: 4, total: 4, depth: 1 }), "not around its leaf"),
        (&|k| first(k, &|l| l.operands[1].steps = vec![0, 0]), "operand 1 follows a loop that is not around its leaf"),
        (&|k| first(k, &|l| l.operands[1].buffer = 3), "operand 1 is in no buffer"),
        (&|k| first(k, &|l| drop(l.operands.pop())), "a leaf has too many or too few operands or sizes"),
    ];
    for (wrong, message) in cases {
        let found = change(wrong).expect(message);
        assert!(found.starts_with("kernel twice: ") && found.ends_with(message), "{found} instead of {message}");
    }
}

#[test]
fn operands_do_not_share_parts() {
    let tile = Operand::tile(DType::F32);
    let kernel = |offset: i64| {
        let sizes = [Size::Fixed(2), Size::Fixed(3)];
        Kernel {
            name: "shifted".into(),
            buffers: vec![buffer("x", DType::F32, 32, Role::Update)],
            parallel: vec![],
            body: vec![leaf(affine(tile, tile), &sizes, vec![access(0, 0, &[], 24), access(0, offset, &[], 24)])],
        }
    };
    for (offset, fits) in [(0, true), (12, true), (4, false), (16, false), (32, false), (36, true)] {
        assert_eq!(kernel(offset).verify().is_ok(), fits, "{offset}");
    }
}

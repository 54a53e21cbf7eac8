//! The instructions of some kernels for each level, as committed. `BLESS=1` writes them anew: read the difference.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use tilewright_codegen::allocate::Registers;
use tilewright_codegen::{Emitted, contract, map, movement, nest};
use tilewright_loops::contract::{Contract, Product, Steps};
use tilewright_loops::map::{Map, Operand, Order as Along, Sink};
use tilewright_loops::movement::{Move, Order};
use tilewright_loops::{normalize, tpp};
use tilewright_nests::{Access, Block, Form, Kernel, Kind, Leaf, Loop, Size, Stmt};
use tilewright_scalar::{Func, Pred, Scalar};
use tilewright_support::Result;
use tilewright_support::target::{Level, Target};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

const TILE: Contract =
    Contract { product: Product::F32, rows: 3, vectors: 2, group: 3, a_steps: Steps::Dense, partial: false };

fn bias_relu() -> Map {
    let (tile, row) = (Operand::tile(DType::F32), Operand::row(DType::F32));
    let map = Map { operands: vec![tile, row, tile], ..Map::default() };
    let sum = map.read(0) + map.read(1);
    let value = Scalar::call(Func::Max, vec![sum.clone(), sum.lit(0.0)]);
    map.stage([Sink::Store { operand: 2, value }])
}

/// Every third element from a place on, 0 beyond the end.
fn every_third() -> Map {
    let operands = vec![Operand::flat(DType::F32), Operand::tile(DType::F32)];
    let map = Map { operands, places: 2, narrow: true, ..Map::default() };
    let number = &(&Ix::axis(1) * &Ix::konst(3)) + &Map::place(0);
    let inside = vec![Pred::less(&number, &Map::place(1))];
    let value = map.read_flat(0, number);
    let value = Scalar::guarded(inside, value.clone(), value.lit(0.0));
    map.stage([Sink::Store { operand: 1, value }])
}

/// Rows in blocks by a parallel loop, and the last block.
fn rows_in_blocks() -> Kernel {
    in_blocks(Form::Map(Arc::new(bias_relu())), &[Size::Fixed(0)])
}

/// The same of a product.
fn product_in_blocks() -> Kernel {
    let block = Block { product: Product::F32, steps: Steps::Dense, accumulate: false };
    in_blocks(Form::Block(block), &[Size::Fixed(0); 2])
}

fn in_blocks(form: Form, others: &[Size]) -> Kernel {
    let access = |step: i64| Access { buffer: 0, offset: 0, steps: vec![step], row: 0, column: 0, indices: None };
    let rows = Size::Rest { block: 0, total: 0, depth: 0 };
    let leaf = Leaf {
        form,
        sizes: [&[rows], others].concat(),
        operands: vec![access(1), access(0), access(1)],
        places: Vec::new(),
    };
    let parallel = vec![Loop { axis: "".into(), kind: Kind::Parallel, trips: 0 }];
    Kernel { name: "".into(), buffers: Vec::new(), parallel, body: vec![Stmt::Leaf(leaf)] }
}

/// Names of files, and the kernels.
fn kernels(target: &Target) -> Vec<(&'static str, Result<Emitted>)> {
    let tile = Operand::tile(DType::F32);
    let one = |name: &str, dtype: DType| {
        let operand = Operand::tile(dtype);
        tpp::elementwise(name).unwrap().map(&[operand], &[operand], DType::F32).unwrap()
    };
    let sums = tpp::reduction("reduce_add").unwrap();
    let sums = sums.map(&[tile], &[Operand::column(DType::F32)], Along::Rows, DType::F32).unwrap();
    let strided = Contract { a_steps: Steps::Strided, rows: 2, ..TILE };
    let moved = |element, order| movement::emit(&Move { element, order }, target);
    let registers = Registers::of_level(target.level);
    vec![
        ("contract_f32", contract::emit(&TILE, target)),
        ("contract_f64_partial", contract::emit(&Contract { product: Product::F64, partial: true, ..TILE }, target)),
        ("contract_f16_partial", contract::emit(&Contract { product: Product::F16, partial: true, ..TILE }, target)),
        ("contract_bf16", contract::emit(&Contract { product: Product::Bf16, ..TILE }, target)),
        ("contract_u8s8", contract::emit(&Contract { product: Product::U8S8, ..TILE }, target)),
        ("contract_f32_strided", contract::emit(&strided, target)),
        ("contract_f32_bias_relu", contract::emit_fused(&TILE, &bias_relu(), target, registers)),
        ("map_relu_bf16", map::emit(&one("relu", DType::BF16), target)),
        ("map_exp", map::emit(&one("exp", DType::F32), target)),
        ("map_sum_of_rows", map::emit(&sums, target)),
        ("map_softmax", map::emit(&normalize::softmax(tile, tile, DType::F32), target)),
        ("map_every_third", map::emit(&every_third(), target)),
        ("nest_rows", nest::emit(&rows_in_blocks(), target)),
        ("nest_product", nest::emit(&product_in_blocks(), target)),
        ("move_copy", moved(4, Order::Copy { stream: false })),
        ("move_transpose", moved(4, Order::Transpose)),
    ]
}

#[test]
fn instructions_are_as_committed() {
    let bless = std::env::var_os("BLESS").is_some();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut changed = Vec::new();
    for level in [Level::Avx2, Level::Avx512] {
        // Emission needs no machine that runs the code.
        let target = Target { level, vnni: level == Level::Avx512, bf16: level == Level::Avx512, ..Target::PORTABLE };
        for (name, emitted) in kernels(&target) {
            let listing = emitted.unwrap().listing();
            let path = folder.join(format!("{name}.{}.asm", level.name()));
            if bless {
                fs::write(&path, &listing).unwrap();
            } else if fs::read_to_string(&path).ok().as_ref() != Some(&listing) {
                changed.push(path.display().to_string());
            }
        }
    }
    assert!(changed.is_empty(), "other instructions than those committed (BLESS=1 accepts them): {changed:#?}");
}

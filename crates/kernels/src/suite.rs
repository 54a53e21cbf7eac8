//! The kernels that the report measures.

use crate::conv::Sizes;
use crate::machine::Machine;
use crate::report::{Row, conv, gemm, kernel};
use tilewright_loops::contract::Product;
use tilewright_support::Result;

/// Products with a packed B: rows, columns, summed axis.
const GEMMS: [[usize; 3]; 14] = [
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [128, 768, 768],
    [128, 768, 3072],
    [128, 3072, 768],
    [512, 3072, 768],
    [127, 511, 509],
    [8, 3072, 768],
    [1, 768, 768],
    [1, 3072, 768],
    [32, 32, 32],
    [31, 47, 63],
    [16, 16, 16],
];

/// Tiles measured alone: rows, vectors of columns.
const TILES: [[u8; 2]; 5] = [[6, 4], [8, 3], [14, 2], [28, 1], [16, 1]];

/// Convolutions of ResNet-50: window, input channels, output channels, rows and columns of the input.
const CONVS: [[usize; 4]; 16] = [
    [3, 64, 64, 56],
    [1, 64, 64, 56],
    [1, 64, 256, 56],
    [1, 256, 64, 56],
    [1, 256, 128, 56],
    [3, 128, 128, 28],
    [1, 128, 512, 28],
    [1, 512, 128, 28],
    [1, 512, 256, 28],
    [3, 256, 256, 14],
    [1, 256, 1024, 14],
    [1, 1024, 256, 14],
    [1, 1024, 512, 14],
    [3, 512, 512, 7],
    [1, 512, 2048, 7],
    [1, 2048, 512, 7],
];

/// One measurement.
type Measure<'m> = Box<dyn Fn() -> Result<Row> + 'm>;

/// Every measurement of the report on so many threads at most; those that the machine lacks are left out.
pub fn suite<'m>(machine: &'m Machine, threads: &[usize]) -> Vec<Measure<'m>> {
    let mut list: Vec<Measure<'m>> = Vec::new();
    for product in [Product::F32, Product::Bf16, Product::U8S8] {
        for tile in TILES {
            list.push(Box::new(move || kernel(machine, product, tile, 256)));
        }
        list.push(Box::new(move || kernel(machine, product, [16, 1], 16)));
        for sizes in GEMMS {
            for threads in threads.iter().copied() {
                list.push(Box::new(move || gemm(machine, product, sizes, threads, false)));
            }
            if sizes[0] >= 128 {
                list.push(Box::new(move || gemm(machine, product, sizes, 1, true)));
            }
        }
    }
    for [window, from, to, size] in CONVS {
        let blocks = |channels: usize| channels / crate::conv::BLOCK;
        let sizes = Sizes {
            input_blocks: blocks(from),
            output_blocks: blocks(to),
            input: [size; 2],
            window: [window; 2],
            stride: 1,
            pad: window / 2,
        };
        for threads in threads.iter().copied() {
            list.push(Box::new(move || conv(machine, sizes, threads)));
        }
    }
    list
}

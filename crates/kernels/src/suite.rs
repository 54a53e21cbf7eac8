//! The kernels that the report measures.

use crate::conv::{BLOCK, Sizes};
use crate::machine::Machine;
use crate::maps;
use crate::measure::Limits;
use crate::moves;
use crate::report::{How, Row, conv, fused, gemm, kernel, row};
use tilewright_codegen::{contract, probe};
use tilewright_loops::contract::{Contract, Product, Steps};
use tilewright_support::Result;
use tilewright_support::target::Level;

/// Products with a packed B: rows, columns, summed axis.
pub const GEMMS: [[usize; 3]; 14] = [
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

/// A measurement, and what it is called beforehand.
pub type Measure<'m> = (String, Box<dyn Fn() -> Result<Row> + 'm>);

/// The most operations of a product that loops in Rust are measured on.
const FEW: usize = 1 << 21;

/// Every measurement of the report with these numbers of threads; products that the machine lacks are left out, and
/// large ones where there is no machine code.
pub fn suite<'m>(machine: &'m Machine, limits: &'m Limits, threads: &[usize]) -> Vec<Measure<'m>> {
    let mut list: Vec<Measure<'m>> = Vec::new();
    let level = machine.target().level;
    for product in [Product::F32, Product::Bf16, Product::U8S8] {
        if probe::peak(product, &machine.target()).is_ok() {
            tiles(&mut list, machine, limits, product);
        } else if level != Level::Portable || product != Product::F32 {
            continue;
        }
        for sizes in GEMMS {
            if level != Level::Portable || sizes.iter().product::<usize>() <= FEW {
                gemms(&mut list, (machine, limits), product, sizes, threads);
            }
        }
    }
    for (product, name, map) in maps::epilogues() {
        if probe::peak(product, &machine.target()).is_ok() {
            let label = format!("gemm {} 128x3072x768 + {name}", product.name());
            list.push((label, Box::new(move || fused(machine, limits, product, [128, 3072, 768], (name, &map)))));
        }
    }
    for (name, map) in maps::rows() {
        for m in [64, 128] {
            let (map, label) = (map.clone(), format!("row {name} {m}x768"));
            list.push((label, Box::new(move || row(machine, (name, &map), [m, 768]))));
        }
    }
    for case in moves::cases() {
        list.push((format!("move {}", case.name), Box::new(move || moves::movement(machine, &case))));
    }
    if level == Level::Avx512 {
        convs(&mut list, machine, limits, threads);
    }
    list
}

/// Tiles alone.
fn tiles<'m>(list: &mut Vec<Measure<'m>>, machine: &'m Machine, limits: &'m Limits, product: Product) {
    for (tile, k) in TILES.map(|tile| (tile, 256)).into_iter().chain([([16, 1], 16)]) {
        let label = format!("kernel {} {}x{} k {k}", product.name(), tile[0], tile[1]);
        list.push((label, Box::new(move || kernel(machine, limits, product, tile, k))));
    }
}

/// A product with a packed B, and packing it.
fn gemms<'m>(
    list: &mut Vec<Measure<'m>>,
    (machine, limits): (&'m Machine, &'m Limits),
    product: Product,
    sizes: [usize; 3],
    threads: &[usize],
) {
    let ([m, n, k], name) = (sizes, product.name());
    let mut add = |kind: &str, how: How| {
        let label = format!("{kind} {name} {m}x{n}x{k}");
        list.push((label, Box::new(move || gemm(machine, limits, product, sizes, how))));
    };
    threads.iter().for_each(|threads| add("gemm", How { threads: *threads, pack: false }));
    if m >= 128 {
        add("gemm_pack", How { threads: 1, pack: true });
    }
}

fn convs<'m>(list: &mut Vec<Measure<'m>>, machine: &'m Machine, limits: &'m Limits, threads: &[usize]) {
    for [window, from, to, size] in CONVS {
        let blocks = |channels: usize| channels / BLOCK;
        let sizes = Sizes {
            input_blocks: blocks(from),
            output_blocks: blocks(to),
            input: [size; 2],
            window: [window; 2],
            stride: 1,
            pad: window / 2,
        };
        for threads in threads.iter().copied() {
            let label = format!("conv f32 {window}x{window} {from}->{to} {size}x{size}");
            list.push((label, Box::new(move || conv(machine, limits, sizes, threads))));
        }
    }
}

/// The instructions of a kernel called as [`Row::name`] says; `None` if it is no name of one.
///
/// # Errors
/// `Unsupported` where the machine has no such kernel.
pub fn listing(machine: &Machine, name: &str) -> Result<Option<String>> {
    let level = machine.target().level;
    for product in Product::ALL {
        for rows in 1..=32 {
            for vectors in 1..=4 {
                let group = Contract::GROUP.min(rows);
                let contract = Contract { product, rows, vectors, group, a_steps: Steps::Dense, partial: false };
                if contract.name(contract::lanes(product, level)) == name {
                    return contract::emit(&contract, &machine.target()).map(|e| Some(e.listing()));
                }
            }
        }
    }
    Ok(None)
}

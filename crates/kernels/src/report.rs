//! What this machine reaches: its limits, and the share of them that each kernel gets.

use crate::arguments;
use crate::conv::{self, Conv};
use crate::machine::Machine;
use crate::maps::ADD_RELU;
use crate::matmul::{Matmul, Operands, Right, Sizes, Tile2d};
use crate::measure::{Limits, Stream, Sweep, Timed, cost, in_turns, median};
use crate::panels::Plain;
use tilewright_codegen::{Emitted, contract, map};
use tilewright_loops::contract::{ARGS, Arg, Contract, Product, Steps};
use tilewright_loops::map::Map;
use tilewright_runtime::aligned::Buffer;
use tilewright_support::Result;
use tilewright_support::target::Target;

/// What a row of the report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A matrix product with a packed B.
    Gemm,
    /// A matrix product that packs B.
    GemmPack,
    /// A direct convolution.
    Conv,
    /// One kernel on operands in the first caches.
    Kernel,
    /// A map over rows.
    Row,
    /// Elements in another order or place.
    Move,
}

impl Kind {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::GemmPack => "gemm_pack",
            Self::Conv => "conv",
            Self::Kernel => "kernel",
            Self::Row => "row",
            Self::Move => "move",
        }
    }
}

/// One measured kernel.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its dtypes.
    pub dtype: &'static str,
    /// Rows, columns and the summed axis.
    pub sizes: [usize; 3],
    /// Threads.
    pub threads: usize,
    /// Operations of a run.
    pub operations: f64,
    /// The median time of a run, and the share of the peak of its threads.
    pub timed: Timed,
    /// Bytes of B, which a run reads at least once; of maps and Moves those of all tiles.
    pub bytes: f64,
    /// The share of a loop that only moves as many bytes from end to end, in percent.
    pub plain: Option<f64>,
    /// By how many percent a map over the sums lengthens a run, and half of the width of the interval of that.
    pub cost: Option<(f64, f64)>,
    /// The time it took to emit the kernel, and its size, where it is one kernel.
    pub emitted: Option<(f64, usize)>,
}

impl Row {
    /// One that is yet to be measured, on one thread.
    pub(crate) fn new(name: String, kind: Kind, dtype: &'static str, sizes: [usize; 3]) -> Self {
        let timed = Timed { seconds: f64::NAN, percent: f64::NAN };
        let [operations, bytes] = [f64::NAN; 2];
        let (plain, cost, emitted) = (None, None, None);
        Self { name, kind, dtype, sizes, threads: 1, operations, timed, bytes, plain, cost, emitted }
    }

    /// 10^9 operations a second; NaN where they are not counted.
    pub fn gflops(&self) -> f64 {
        self.operations / self.timed.seconds / 1e9
    }

    /// 10^9 of its bytes a second.
    pub fn gbps(&self) -> f64 {
        self.bytes / self.timed.seconds / 1e9
    }

    /// The share of the bandwidth of the level that holds its bytes, in percent.
    pub fn percent_of_bandwidth(&self, limits: &Limits, target: &Target) -> f64 {
        let holds = [target.l1, target.l2, 32 << 20].iter().position(|size| self.bytes <= *size as f64);
        100.0 * self.gbps() / (limits.bandwidth[holds.unwrap_or(3)] * self.threads as f64)
    }
}

/// One tile on operands in the first caches, and the time to emit it.
///
/// # Errors
/// `Unsupported` where the machine has no such product.
pub(crate) fn kernel(
    machine: &Machine,
    limits: &Limits,
    product: Product,
    [rows, vectors]: [u8; 2],
    k: usize,
) -> Result<Row> {
    let group = Contract::GROUP.min(rows);
    let contract = Contract { product, rows, vectors, group, a_steps: Steps::Dense, partial: false };
    let emit = || contract::emit(&contract, &machine.target());
    let emitted = emit()?;
    let kernel = machine.publish(&emitted)?;
    let columns = usize::from(vectors) * contract::lanes(product, machine.target().level);
    let (steps, tall) = (k / product.per_step(), usize::from(rows));
    let [a_row, b_step] = [steps, columns].map(|count| count * product.step_bytes());
    let c_row = columns * product.c_bytes();
    let (a, b) = (noise(product, tall * a_row)?, noise(product, steps * b_step)?);
    let mut c = Buffer::zeroed(tall * c_row)?;
    let mut args = [0u64; ARGS];
    arguments::rows(&mut args, [a_row, c_row]);
    arguments::alone(&mut args, steps);
    args[Arg::A as usize] = a.as_ptr() as u64;
    args[Arg::B as usize] = b.as_ptr() as u64;
    args[Arg::BStep as usize] = b_step as u64;
    args[Arg::C as usize] = c.as_mut_ptr() as u64;
    let sizes = [tall, columns, k];
    let operations = 2.0 * sizes.iter().product::<usize>() as f64;
    // SAFETY: the buffers have the sizes that the arguments say.
    let timed = limits.time(product, 1, operations, || unsafe { kernel.call(args.as_ptr()) });
    Ok(Row {
        operations,
        timed,
        bytes: b.bytes().len() as f64,
        emitted: emission(emit),
        ..Row::new(emitted.name.clone(), Kind::Kernel, product.name(), sizes)
    })
}

/// How a product is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Threads.
    pub threads: usize,
    /// Whether B is packed in the run.
    pub pack: bool,
}

/// A matrix product; B is packed in each run if `pack`.
///
/// # Errors
/// `Unsupported` where the machine has no such product.
pub(crate) fn gemm(machine: &Machine, limits: &Limits, product: Product, sizes: [usize; 3], how: How) -> Result<Row> {
    let How { threads, pack } = how;
    let operations = 2.0 * sizes.iter().product::<usize>() as f64;
    let [m, n, k] = sizes;
    let (planned, [a, b, mut c]) = operands(product, sizes)?;
    let plan = Matmul::new(machine, product, planned)?;
    let mut packed = plan.packed()?;
    let plain = Plain { bytes: b.bytes(), row: b.len() / k, transposed: false };
    packed.fill(machine, plain)?;
    let mut scratch = plan.scratch(machine, threads)?;
    let mut result = Ok(());
    let mut call = || {
        let (a, c) = (a.bytes(), c.bytes_mut());
        result = match pack {
            true => plan.run_plain(a, plain, c, &mut scratch),
            false => plan.run(a, &packed, c, threads),
        };
    };
    let timed = limits.time(product, threads, operations, &mut call);
    // A product of one row is as fast as B can be read.
    let reading = (m == 1 && threads == 1).then(|| limits.share_of_reading(&b, &mut call));
    result?;
    let tile = plan.choice().tile;
    let wide = tile.vectors * contract::lanes(product, machine.target().level);
    let kind = if pack { Kind::GemmPack } else { Kind::Gemm };
    Ok(Row {
        threads,
        operations,
        timed,
        bytes: b.bytes().len() as f64,
        plain: reading,
        ..Row::new(format!("{m}x{n}x{k} by {}x{wide}", tile.rows), kind, product.name(), sizes)
    })
}

/// A matrix product with a map over its sums, against the same without; the map's operands are noise, the last its
/// result.
///
/// # Errors
/// `Unsupported` where the machine has no such product.
pub(crate) fn fused(
    machine: &Machine,
    limits: &Limits,
    product: Product,
    sizes: [usize; 3],
    (name, map): (&str, &Map),
) -> Result<Row> {
    let [m, n, k] = sizes;
    let (planned, [a, b, mut c]) = operands(product, sizes)?;
    let (plain, fused) = (Matmul::new(machine, product, planned)?, Matmul::fused(machine, product, planned, map)?);
    let mut packed = plain.packed()?;
    packed.fill(machine, Plain { bytes: b.bytes(), row: b.len() / k, transposed: false })?;
    let mut memory = Vec::new();
    for operand in &map.operands[1..] {
        let (rows, row) = (if operand.has_rows() { m } else { 1 }, operand.row_bytes(n));
        memory.push((noise(Product::F32, (rows * row).next_multiple_of(4))?, row));
    }
    let after: Vec<Tile2d> =
        memory.iter_mut().map(|(x, row)| Tile2d { address: x.as_mut_ptr(), len: x.len(), row: *row }).collect();
    let mut d = Buffer::zeroed(c.len())?;
    let mut results = [Ok(()), Ok(())];
    let [first, second] = &mut results;
    let mut without = || *first = plain.run(a.bytes(), &packed, c.bytes_mut(), 1);
    let mut with = || {
        let run = Operands { a: a.bytes(), c: d.bytes_mut(), before: &[], after: &after };
        // SAFETY: the operands are as large as they say, and nobody else uses them.
        *second = unsafe { fused.run_around(Right::Packed(&packed), run, 1) };
    };
    let operations = 2.0 * sizes.iter().product::<usize>() as f64;
    let cost = cost(&mut without, &mut with);
    let timed = limits.time(product, 1, operations, with);
    results.into_iter().collect::<Result<()>>()?;
    Ok(Row {
        operations,
        timed,
        bytes: b.bytes().len() as f64,
        cost: Some(cost),
        ..Row::new(format!("{m}x{n}x{k} + {name}"), Kind::Gemm, product.name(), sizes)
    })
}

/// A map over rows.
///
/// # Errors
/// `Unsupported` where the machine has no such kernel.
pub(crate) fn row(machine: &Machine, (name, map): (&str, &Map), [m, n]: [usize; 2]) -> Result<Row> {
    let kernel = machine.map(map)?;
    let mut tiles = Vec::new();
    for (o, operand) in map.operands.iter().enumerate() {
        let rows = if operand.has_rows() { m } else { 1 };
        let mut tile = Stream::new(o, (rows * operand.row_bytes(n)).next_multiple_of(4))?;
        fill(Product::F32, tile.bytes_mut());
        tiles.push(tile);
    }
    let count = tiles.len();
    let mut args = vec![0u64; 3 * count + 2];
    for (o, (tile, operand)) in tiles.iter_mut().zip(&map.operands).enumerate() {
        args[o] = tile.bytes_mut().as_mut_ptr() as u64;
        args[count + o] = if operand.has_rows() { operand.row_bytes(n) } else { 0 } as u64;
    }
    args[3 * count..].copy_from_slice(&[m as u64, n as u64]);
    // SAFETY: the tiles have the sizes and strides that the arguments say.
    let mut call = || unsafe { kernel.call(args.as_ptr()) };
    let mut plain = Sweep::new(machine, 2, m * n * 4)?;
    let timed = in_turns(&mut || plain.run(), &mut call);
    Ok(Row {
        timed: Timed { percent: f64::NAN, ..timed },
        bytes: tiles.iter().map(|tile| tile.bytes().len()).sum::<usize>() as f64,
        plain: Some(timed.percent).filter(|_| name == ADD_RELU),
        emitted: emission(|| map::emit(map, &machine.target())),
        ..Row::new(format!("{name} {m}x{n}"), Kind::Row, "f32", [m, n, 0])
    })
}

/// A direct convolution.
///
/// # Errors
/// `Unsupported` where the machine has no kernels for it.
pub(crate) fn conv(machine: &Machine, limits: &Limits, sizes: conv::Sizes, threads: usize) -> Result<Row> {
    let plan = Conv::new(machine, sizes)?;
    let floats = |n: usize| noise(Product::F32, n * 4);
    let [height, width] = sizes.output();
    let input = floats(sizes.input_blocks * sizes.input[0] * sizes.input[1] * conv::BLOCK)?;
    let weights = floats(plan.weights())?;
    let mut output = floats(sizes.output_blocks * height * width * conv::BLOCK)?;
    let mut result = Ok(());
    let operations = sizes.operations() as f64;
    let timed = limits.time(Product::F32, threads, operations, || {
        result = plan.run(input.elements(), weights.elements(), output.elements_mut(), threads);
    });
    result?;
    let [channels, out] = [sizes.input_blocks, sizes.output_blocks].map(|b| b * conv::BLOCK);
    let name =
        format!("{}x{} {channels}->{out} {}x{}", sizes.window[0], sizes.window[1], sizes.input[0], sizes.input[1]);
    let k = channels * sizes.window[0] * sizes.window[1];
    Ok(Row {
        threads,
        operations,
        timed,
        bytes: (plan.weights() * 4) as f64,
        ..Row::new(name, Kind::Conv, "f32", [height * width, out, k])
    })
}

/// The time it takes to emit a kernel, and its size; none where the target has no machine code.
pub(crate) fn emission(emit: impl Fn() -> Result<Emitted>) -> Option<(f64, usize)> {
    let emitted = emit().ok()?;
    Some((median(21, || drop(emit())), emitted.code.bytes.len()))
}

/// The sizes of a product with nothing between its rows; noise for A and B, and room for C.
fn operands(product: Product, [m, n, k]: [usize; 3]) -> Result<(Sizes, [Buffer; 3])> {
    let a_row = k.div_ceil(product.per_step()) * product.step_bytes();
    let sizes = Sizes { m, n, k, a_row, c_row: n * product.c_bytes() };
    let b_row = n * product.b().bits() / 8;
    Ok((sizes, [noise(product, m * a_row)?, noise(product, k * b_row)?, Buffer::zeroed(m * sizes.c_row)?]))
}

/// Numbers of a product's operand that are neither zero nor too large.
fn noise(product: Product, bytes: usize) -> Result<Buffer> {
    let mut buffer = Buffer::zeroed(bytes)?;
    fill(product, buffer.bytes_mut());
    Ok(buffer)
}

/// The same in memory that is there.
fn fill(product: Product, to: &mut [u8]) {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    match product {
        Product::F32 => to.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&next().to_le_bytes())),
        Product::F64 => to.chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&f64::from(next()).to_le_bytes())),
        Product::Bf16 => to.chunks_exact_mut(2).for_each(|c| c.copy_from_slice(&next().to_le_bytes()[2..])),
        _ => to.iter_mut().for_each(|b| *b = (next() * 255.0) as i8 as u8),
    }
}

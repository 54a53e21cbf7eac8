//! What this machine reaches: its limits, and the share of them that each kernel gets.

use crate::conv::{self, Conv};
use crate::machine::Machine;
use crate::matmul::{Matmul, Sizes};
use std::time::Instant;
use tilewright_codegen::{contract, probe};
use tilewright_loops::contract::{ARGS, Arg, Contract, Product, Steps};
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
}

impl Kind {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::GemmPack => "gemm_pack",
            Self::Conv => "conv",
            Self::Kernel => "kernel",
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
    pub product: Product,
    /// Rows, columns and the summed axis.
    pub sizes: [usize; 3],
    /// Threads.
    pub threads: usize,
    /// Operations of a run.
    pub operations: f64,
    /// The median time of a run.
    pub seconds: f64,
    /// Bytes of B, which a run reads at least once.
    pub bytes: f64,
    /// The time it took to emit the kernel, and its size, where it is one kernel.
    pub emitted: Option<(f64, usize)>,
}

impl Row {
    /// 10^9 operations a second.
    pub fn gflops(&self) -> f64 {
        self.operations / self.seconds / 1e9
    }

    /// The share of the peak of its threads, in percent.
    pub fn percent_of_peak(&self, limits: &Limits) -> f64 {
        100.0 * self.gflops() / (limits.peak(self.product) * self.threads as f64)
    }

    /// 10^9 bytes of B a second.
    pub fn gbps(&self) -> f64 {
        self.bytes / self.seconds / 1e9
    }

    /// The share of the bandwidth of the level that holds B, in percent.
    pub fn percent_of_bandwidth(&self, limits: &Limits, target: &Target) -> f64 {
        let holds = [target.l1, target.l2, 32 << 20].iter().position(|size| self.bytes <= *size as f64);
        100.0 * self.gbps() / (limits.bandwidth[holds.unwrap_or(3)] * self.threads as f64)
    }
}

/// The machine's limits on one core.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// 10^9 operations a second by product; those that it has.
    pub peak: Vec<(Product, f64)>,
    /// 10^9 bytes a second read from the first, second and third cache, and from memory.
    pub bandwidth: [f64; 4],
}

impl Limits {
    /// The peak of a product; of bytes, whatever their signs, that of U8S8.
    pub fn peak(&self, product: Product) -> f64 {
        let of = |p| self.peak.iter().find(|(q, _)| *q == p).map_or(0.0, |(_, x)| *x);
        if product.c().is_float() { of(product) } else { of(Product::U8S8) }
    }
}

/// The median time of a call, from at least `samples` samples of at least a tenth of a millisecond.
pub fn median(samples: usize, mut call: impl FnMut()) -> f64 {
    call();
    let mut rounds = 1usize;
    loop {
        let begin = Instant::now();
        (0..rounds).for_each(|_| call());
        if begin.elapsed().as_secs_f64() > 1e-4 {
            break;
        }
        rounds *= 2;
    }
    let mut times: Vec<f64> = (0..samples)
        .map(|_| {
            let begin = Instant::now();
            (0..rounds).for_each(|_| call());
            begin.elapsed().as_secs_f64() / rounds as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Measures the limits.
///
/// # Errors
/// `Unsupported` on a machine without vectors.
pub fn limits(machine: &Machine) -> Result<Limits> {
    let mut limits = Limits::default();
    for product in [Product::F32, Product::F64, Product::Bf16, Product::U8S8] {
        let Ok(emitted) = probe::peak(product, &machine.target) else { continue };
        let kernel = machine.publish(&emitted)?;
        let args = [10_000u64];
        // SAFETY: the loop reads its argument and no other memory.
        let seconds = median(21, || unsafe { kernel.call(args.as_ptr()) });
        let operations = (probe::peak_operations(product, machine.target.level) * args[0] as usize) as f64;
        limits.peak.push((product, operations / seconds / 1e9));
    }
    let kernel = machine.publish(&probe::read(&machine.target)?)?;
    let sizes = [machine.target.l1 / 2, machine.target.l2 / 2, 8 << 20, 256 << 20];
    for (bandwidth, size) in limits.bandwidth.iter_mut().zip(sizes) {
        let mut buffer = Buffer::zeroed(size)?;
        buffer.bytes_mut().fill(1);
        let args = [(4 << 20) / size as u64 + 1, buffer.bytes().as_ptr() as u64, size as u64];
        // SAFETY: the loop reads the buffer, whose size is a multiple of 512.
        let seconds = median(11, || unsafe { kernel.call(args.as_ptr()) });
        *bandwidth = (args[0] as usize * size) as f64 / seconds / 1e9;
    }
    Ok(limits)
}

/// One tile on operands in the first caches, and the time to emit it.
///
/// # Errors
/// `Unsupported` where the machine has no such product.
pub fn kernel(machine: &Machine, product: Product, [rows, vectors]: [u8; 2], k: usize) -> Result<Row> {
    let group = Contract::GROUP.min(rows);
    let contract = Contract { product, rows, vectors, group, a_steps: Steps::Dense, partial: false };
    let emit = || contract::emit(&contract, &machine.target);
    let emitted = emit()?;
    let emit_seconds = median(21, || drop(emit()));
    let kernel = machine.publish(&emitted)?;
    let (size, columns) = (product.step_bytes(), usize::from(vectors) * contract::lanes(product, machine.target.level));
    let steps = k / product.per_step();
    let (a, b) = (noise(product, usize::from(rows) * steps * size)?, noise(product, steps * columns * size)?);
    let mut c = Buffer::zeroed(usize::from(rows) * columns * size)?;
    let offsets = [[0u64; 2]];
    let mut args = [0u64; ARGS];
    args[..3].copy_from_slice(&[
        a.bytes().as_ptr() as u64,
        b.bytes().as_ptr() as u64,
        c.bytes_mut().as_mut_ptr() as u64,
    ]);
    let [row, step] = [steps * size, columns * size].map(|bytes| bytes as u64);
    let group = u64::from(group);
    args[3..9].copy_from_slice(&[row, row * group, 0, step, step, step * group]);
    args[9..12].copy_from_slice(&[steps as u64, 1, offsets.as_ptr() as u64]);
    args[Arg::Columns as usize] = 16;
    // SAFETY: the buffers have the sizes that the arguments say.
    let seconds = median(21, || unsafe { kernel.call(args.as_ptr()) });
    let sizes = [rows.into(), columns, k];
    Ok(Row {
        name: emitted.name.clone(),
        kind: Kind::Kernel,
        product,
        sizes,
        threads: 1,
        operations: 2.0 * sizes.iter().product::<usize>() as f64,
        seconds,
        bytes: b.bytes().len() as f64,
        emitted: Some((emit_seconds, emitted.code.bytes.len())),
    })
}

/// A matrix product; B is packed in each run if `pack`.
///
/// # Errors
/// `Unsupported` where the machine has no such product.
pub fn gemm(machine: &Machine, product: Product, sizes: [usize; 3], threads: usize, pack: bool) -> Result<Row> {
    let [m, n, k] = sizes;
    let a_row = k.div_ceil(product.per_step()) * product.step_bytes();
    let plan = Matmul::new(machine, product, Sizes { m, n, k, a_row, c_row: n * product.c_bytes() })?;
    let mut packed = plan.packed()?;
    let element = product.step_bytes() / product.per_step();
    let (a, b) = (noise(product, m * a_row)?, noise(product, k * n * element)?);
    let mut c = Buffer::zeroed(m * n * product.c_bytes())?;
    let mut room = plan.room()?;
    packed.fill(b.bytes(), n * element);
    let mut result = Ok(());
    let seconds = median(21, || {
        if pack {
            packed.fill(b.bytes(), n * element);
        }
        result = plan.run(a.bytes(), &packed, c.bytes_mut(), &mut room, threads);
    });
    result?;
    let tile = plan.choice().tile;
    Ok(Row {
        name: format!("{m}x{n}x{k} by {}x{}", tile.rows, tile.vectors * contract::lanes(product, machine.target.level)),
        kind: if pack { Kind::GemmPack } else { Kind::Gemm },
        product,
        sizes,
        threads,
        operations: 2.0 * (m * n * k) as f64,
        seconds,
        bytes: b.bytes().len() as f64,
        emitted: None,
    })
}

/// A direct convolution.
///
/// # Errors
/// `Unsupported` where the machine has no kernels for it.
pub fn conv(machine: &Machine, sizes: conv::Sizes, threads: usize) -> Result<Row> {
    let plan = Conv::new(machine, sizes)?;
    let floats = |n: usize| vec![0.5f32; n];
    let [height, width] = sizes.output();
    let input = floats(sizes.input_blocks * sizes.input[0] * sizes.input[1] * conv::BLOCK);
    let weights = floats(plan.weights());
    let mut output = floats(sizes.output_blocks * height * width * conv::BLOCK);
    let mut result = Ok(());
    let seconds = median(21, || result = plan.run(&input, &weights, &mut output, threads));
    result?;
    let [channels, out] = [sizes.input_blocks, sizes.output_blocks].map(|b| b * conv::BLOCK);
    let name =
        format!("{}x{} {channels}->{out} {}x{}", sizes.window[0], sizes.window[1], sizes.input[0], sizes.input[1]);
    Ok(Row {
        name,
        kind: Kind::Conv,
        product: Product::F32,
        sizes: [height * width, out, channels * sizes.window[0] * sizes.window[1]],
        threads,
        operations: sizes.operations() as f64,
        seconds,
        bytes: (plan.weights() * 4) as f64,
        emitted: None,
    })
}

/// Numbers of a product's operand that are neither zero nor too large.
fn noise(product: Product, bytes: usize) -> Result<Buffer> {
    let mut buffer = Buffer::zeroed(bytes)?;
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    let to = buffer.bytes_mut();
    match product {
        Product::F32 => to.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&next().to_le_bytes())),
        Product::F64 => to.chunks_exact_mut(8).for_each(|c| c.copy_from_slice(&f64::from(next()).to_le_bytes())),
        Product::Bf16 => to.chunks_exact_mut(2).for_each(|c| c.copy_from_slice(&next().to_le_bytes()[2..])),
        _ => to.iter_mut().for_each(|b| *b = (next() * 255.0) as i8 as u8),
    }
    Ok(buffer)
}

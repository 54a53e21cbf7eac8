//! Matrix products beside those of `gemm`, `faer`, `matrixmultiply` and, through NumPy, OpenBLAS.

use crate::turns::{PAIRS, pair};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::fmt::Write as _;
use std::process::Command;
use tilewright_kernels::matmul::{Matmul, Sizes};
use tilewright_kernels::suite::GEMMS;
use tilewright_kernels::{Machine, Plain};
use tilewright_loops::contract::Product;

type Contender = (&'static str, fn([usize; 3], &[f32], &[f32], &mut [f32]));

const OTHERS: [Contender; 3] = [("gemm", by_gemm), ("faer", by_faer), ("matrixmultiply", by_matrixmultiply)];

fn by_gemm([m, n, k]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32]) {
    let (kk, nn) = (k as isize, n as isize);
    // SAFETY: row-major matrices of these sizes.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            nn,
            false,
            a.as_ptr(),
            1,
            kk,
            b.as_ptr(),
            1,
            nn,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

fn by_faer([m, n, k]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32]) {
    let (a, b) = (MatRef::from_row_major_slice(a, m, k), MatRef::from_row_major_slice(b, k, n));
    matmul(MatMut::from_row_major_slice_mut(c, m, n), Accum::Replace, a, b, 1.0, Par::Seq);
}

fn by_matrixmultiply([m, n, k]: [usize; 3], a: &[f32], b: &[f32], c: &mut [f32]) {
    let (kk, nn) = (k as isize, n as isize);
    // SAFETY: row-major matrices of these sizes.
    unsafe {
        matrixmultiply::sgemm(m, k, n, 1.0, a.as_ptr(), kk, 1, b.as_ptr(), nn, 1, 0.0, c.as_mut_ptr(), nn, 1);
    }
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 37 % 101) as f32 / 101.0 - 0.5).collect()
}

fn bytes(x: &[f32]) -> Vec<u8> {
    x.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A row of the table: GFLOP/s of ours, ours with packing, and the others.
fn row(machine: &Machine, sizes: [usize; 3], python: Option<&str>) -> Vec<f64> {
    let [m, n, k] = sizes;
    let (a, b) = (floats(m * k), floats(k * n));
    let (a_bytes, b_bytes) = (bytes(&a), bytes(&b));
    let planned = Sizes { m, n, k, a_row: k * 4, c_row: n * 4 };
    let plan = Matmul::new(machine, Product::F32, planned).expect("a product of f32");
    let (mut packed, mut scratch) = (plan.packed().expect("memory"), plan.scratch(machine, 1).expect("memory"));
    let plain = Plain { bytes: &b_bytes, row: n * 4, transposed: false };
    packed.fill(machine, plain).expect("a whole B");
    let (mut c, mut d) = (vec![0u8; m * n * 4], vec![0u8; m * n * 4]);
    let mut ours = || plan.run(&a_bytes, &packed, &mut c, 1).expect("sizes that fit");
    let mut packing = || plan.run_plain(&a_bytes, plain, &mut d, &mut scratch).expect("sizes that fit");
    let gflops = |seconds: f64| 2.0 * (m * n * k) as f64 / seconds / 1e9;
    let (first, second) = pair(&mut ours, &mut packing);
    let mut found = vec![gflops(first), gflops(second)];
    let mut e = vec![0f32; m * n];
    for (_, call) in OTHERS {
        found.push(gflops(pair(&mut ours, &mut || call(sizes, &a, &b, &mut e)).1));
    }
    found.extend(python.map(|python| gflops(numpy(python, sizes))));
    found
}

/// Seconds of NumPy's product, on one thread.
fn numpy(python: &str, [m, n, k]: [usize; 3]) -> f64 {
    let script = format!(
        "import numpy as np, time\n\
         a = np.full(({m}, {k}), .5, np.float32); b = np.full(({k}, {n}), .25, np.float32); c = np.empty(({m}, {n}), np.float32)\n\
         r = max(1, int(2e7 / ({m} * {n} * {k})))\n\
         t = []\n\
         for _ in range({PAIRS}):\n    s = time.perf_counter()\n    for _ in range(r): np.matmul(a, b, out=c)\n    t.append((time.perf_counter() - s) / r)\n\
         print(sorted(t)[len(t) // 2])\n"
    );
    let ran = Command::new(python).args(["-c", &script]).env("OPENBLAS_NUM_THREADS", "1").output();
    ran.ok().and_then(|o| String::from_utf8(o.stdout).ok()?.trim().parse().ok()).unwrap_or(f64::NAN)
}

/// The table.
pub fn table(machine: &Machine, peak: f64, python: Option<&str>) -> String {
    let mut text = format!(
        "## Products\n\nf32 on one core with a peak of {peak:.0} GFLOP/s ({}); GFLOP/s, medians of {PAIRS} runs in turns. In the column *ours* B is packed \
         beforehand, in *packing* in each run, as the others do.\n\n| m x n x k | ours | packing |",
        machine.target().level.name()
    );
    OTHERS.iter().for_each(|(name, _)| text += &format!(" {name} |"));
    text +=
        if python.is_some() { " OpenBLAS |\n|---|---|---|---|---|---|---|\n" } else { "\n|---|---|---|---|---|---|\n" };
    for sizes in GEMMS {
        let [m, n, k] = sizes;
        let _ = write!(text, "| {m} x {n} x {k} |");
        row(machine, sizes, python).iter().for_each(|x| text += &format!(" {x:.1} |"));
        text.push('\n');
        eprintln!("{}", text.lines().last().unwrap_or_default());
    }
    text
}

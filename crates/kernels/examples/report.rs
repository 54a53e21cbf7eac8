//! Prints what this machine reaches.
use tilewright_kernels::{Machine, report, suite};
use tilewright_support::target::Target;

fn main() {
    let machine = Machine::new(Target::detect());
    let limits = report::limits(&machine).unwrap();
    println!("{limits:?}");
    let filter = std::env::args().nth(1).unwrap_or_default();
    for measure in suite::suite(&machine, &[1, 2]) {
        let row = measure().unwrap();
        let peak = limits.peak(row.product) * row.threads as f64;
        let line = format!(
            "{:9} {:5} {:28} {:?} x{}  {:7.1} {:5.1} % {:6.1} GB/s",
            row.kind.name(),
            row.product.name(),
            row.name,
            row.sizes,
            row.threads,
            row.gflops(),
            100.0 * row.gflops() / peak,
            row.bytes / row.seconds / 1e9,
        );
        if line.contains(&filter) {
            println!("{line}");
        }
    }
}

//! Our kernels beside those of other libraries, as the text of `docs/kernels.md`.
//!
//! ```text
//! cargo run --release --manifest-path bench/Cargo.toml -- [--python PYTHON] [--rows-library FILE.so] [--write FILE]
//! ```
//!
//! Each contender runs in turns with ours on one thread; the figures are medians of 21 pairs. `--python` is one with NumPy;
//! `--rows-library` has C functions over rows, `void softmax(void **tiles, size_t rows, size_t columns)` and so on.

mod layers;
mod products;
mod rows;
mod turns;

use tilewright_kernels::Machine;
use tilewright_kernels::measure::Limits;
use tilewright_support::target::Target;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut python, mut library, mut write) = (None, None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--python" => python = arguments.next(),
            "--rows-library" => library = arguments.next(),
            "--write" => write = arguments.next(),
            other => panic!("unknown argument {other}: expected --python, --rows-library or --write"),
        }
    }
    let machine = Machine::new(Target::detect());
    let limits = Limits::measure(&machine).expect("memory");
    let peak = limits.peak.first().map_or(f64::NAN, |p| p.gflops);
    let text = [
        "# Kernels beside those of other libraries\n\nMade by `cargo run --release --manifest-path bench/Cargo.toml`.\n".into(),
        products::table(&machine, peak, python.as_deref()),
        rows::table(&machine, library.as_deref()),
        layers::table(&machine, &limits),
    ]
    .join("\n");
    match write {
        Some(path) => std::fs::write(&path, text).expect("a file that can be written"),
        None => print!("{text}"),
    }
}

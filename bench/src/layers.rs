//! Direct convolutions as shares of the peak.

use std::fmt::Write as _;
use tilewright_kernels::Machine;
use tilewright_kernels::measure::Limits;
use tilewright_kernels::report::Kind;
use tilewright_kernels::suite::suite;

/// The table.
pub fn table(machine: &Machine, limits: &Limits) -> String {
    let mut text = String::from(
        "## Convolutions\n\nThe 3x3 and 1x1 layers of ResNet-50, one image in blocks of channels; multiply-adds of taps inside the image; the peak of as many \
         cores as threads, in turns.\n\n| layer | one thread, GFLOP/s | of peak | two threads, GFLOP/s | of peak |\n|---|---|---|---|---|\n",
    );
    let mut name = String::new();
    for (label, measure) in suite(machine, limits, &[1, 2]) {
        if !label.starts_with(Kind::Conv.name()) {
            continue;
        }
        let row = measure().expect("a layer that fits");
        if row.name != name {
            let _ = write!(text, "| {} |", row.name);
        }
        let end = if row.threads == 2 { "\n" } else { "" };
        let _ = write!(text, " {:.1} | {:.1} % |{end}", row.gflops(), row.timed.percent);
        name = row.name;
    }
    text
}

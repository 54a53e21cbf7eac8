//! Control flow.

use crate::import::control::{if_, loop_, scan};
use crate::import::table::{MANY, Row};

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("If", 1..=1, &["then_branch", "else_branch"], if_).outputs(1..=MANY),
    Row::new("Loop", 2..=MANY, &["body"], loop_).outputs(1..=MANY),
    Row::new(
        "Scan",
        1..=MANY,
        &[
            "body",
            "num_scan_inputs",
            "directions",
            "scan_input_axes",
            "scan_input_directions",
            "scan_output_axes",
            "scan_output_directions",
        ],
        scan,
    )
    .outputs(1..=MANY),
];

//! Values at coordinates, and blocks put back into an image.

mod affine_grid;
mod col2im;
mod crop;
mod grid;
mod grid_sample;

use crate::import::table::Row;

/// The rows of this family.
pub const ROWS: &[Row] = &[
    Row::new("AffineGrid", 2..=2, &["align_corners"], affine_grid::affine_grid).since(20),
    Row::new("Col2Im", 3..=3, &["dilations", "pads", "strides"], col2im::col2im).since(18),
    Row::new("GridSample", 2..=2, GRID_SAMPLE, grid_sample::grid_sample).since(16),
    Row::new("GridSample", 2..=2, GRID_SAMPLE, grid_sample::grid_sample).domain("com.microsoft"),
    Row::new("CropAndResize", 4..=4, &["extrapolation_value", "mode"], crop::crop_and_resize).domain("com.microsoft"),
];

const GRID_SAMPLE: &[&str] = &["align_corners", "mode", "padding_mode"];

//! Images as tensors: greys or colours from 0 to 1, in the shape that a model declares.

use std::io::Cursor;
use tilewright::{DType, Diagnostic, Result, Tensor, ValueSpec};

/// Pixels of 8 bits a channel, row by row, channels next to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// 1 for grey, 3 for red, green and blue.
    pub channels: usize,
    /// `height * width * channels` values.
    pub pixels: Vec<u8>,
}

/// Pixels that an image may have, so that no small file takes all memory.
const MOST_PIXELS: usize = 1 << 26;
/// Bytes that one compressed byte of a PNG can become.
const MOST_INFLATION: usize = 1032;

/// Decodes a PNG of any kind; 16 bits become 8, transparency is left out.
///
/// # Errors
/// `Invalid` for a broken file, `Limit` for one that is too large.
pub fn read_png(bytes: &[u8]) -> Result<Image> {
    let failed = |e: png::DecodingError| Diagnostic::invalid(format!("no readable PNG: {e}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(failed)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    check_size(width, height)?;
    if reader.info().raw_bytes() > bytes.len().saturating_mul(MOST_INFLATION) {
        let message = format!("a PNG of {} bytes cannot hold {width} x {height} pixels", bytes.len());
        return Err(Diagnostic::invalid(message));
    }
    let size = reader.output_buffer_size().ok_or_else(|| Diagnostic::limit("the PNG is too large"))?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(failed)?;
    pixels.truncate(frame.buffer_size());
    let stored = frame.color_type.samples();
    let channels = if stored < 3 { 1 } else { 3 };
    if stored != channels {
        pixels = pixels.chunks_exact(stored).flat_map(|p| p[..channels].iter().copied()).collect();
    }
    Ok(Image { width, height, channels, pixels })
}

/// Decodes a binary PGM (`P5`) or PPM (`P6`) of 8 bits.
///
/// # Errors
/// `Invalid` for a broken file, `Unsupported` for other variants, `Limit` for one that is too large.
pub fn read_pnm(bytes: &[u8]) -> Result<Image> {
    let channels = match bytes.get(..2) {
        Some(b"P5") => 1,
        Some(b"P6") => 3,
        _ => return Err(Diagnostic::unsupported("images of this kind: the file begins neither with P5 nor with P6")),
    };
    let mut at = 2;
    let [width, height, largest] =
        [pnm_number(bytes, &mut at)?, pnm_number(bytes, &mut at)?, pnm_number(bytes, &mut at)?];
    check_size(width, height)?;
    if largest != 255 {
        return Err(Diagnostic::unsupported(format!("images whose largest value is {largest}, not 255")));
    }
    let size = width * height * channels;
    match bytes.get(at + 1..).filter(|body| body.len() >= size) {
        Some(body) => Ok(Image { width, height, channels, pixels: body[..size].to_vec() }),
        None => Err(Diagnostic::invalid(format!("the image is cut off: it takes {size} bytes of pixels"))),
    }
}

/// The next number of a header, after white space and comments.
fn pnm_number(bytes: &[u8], at: &mut usize) -> Result<usize> {
    loop {
        match bytes.get(*at) {
            Some(b'#') => *at += bytes[*at..].iter().take_while(|&&b| b != b'\n').count(),
            Some(b) if b.is_ascii_whitespace() => *at += 1,
            _ => break,
        }
    }
    let digits = bytes[(*at).min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let text = std::str::from_utf8(&bytes[(*at).min(bytes.len())..][..digits]).unwrap_or("");
    *at += digits;
    text.parse().map_err(|_| Diagnostic::invalid("the header of the image has no number where one belongs"))
}

fn check_size(width: usize, height: usize) -> Result<()> {
    match width.checked_mul(height) {
        Some(0) => Err(Diagnostic::invalid("the image has no pixels")),
        Some(n) if n <= MOST_PIXELS => Ok(()),
        _ => Err(Diagnostic::limit(format!("an image of {width} x {height} pixels is too large"))),
    }
}

/// Where an input's shape keeps channels, height and width.
struct Axes {
    channels: usize,
    height: usize,
    width: usize,
}

/// The tensor of an image for an input: scaled to its height and width where they are declared, grey or coloured as it
/// has channels, floats from 0 to 1 or bytes.
///
/// # Errors
/// `Usage` for an input that no image fits.
pub fn fit(image: &Image, spec: &ValueSpec) -> Result<Tensor> {
    let unfit = || {
        let message = format!("input \"{}\" is {}: an image does not fit it", spec.name, spec.ty);
        Diagnostic::usage(message).help("images go into inputs [N, C, H, W], [N, H, W, C] or [C, H, W] with C 1 or 3")
    };
    let dims: Vec<Option<usize>> = spec.dims.as_ref().ok_or_else(unfit)?.iter().map(|d| d.parse().ok()).collect();
    let dtype = spec.dtype.filter(|d| d.is_float() || *d == DType::U8).ok_or_else(unfit)?;
    let axes = axes(&dims).ok_or_else(unfit)?;
    let channels = dims[axes.channels].unwrap_or(image.channels);
    let width = dims[axes.width].unwrap_or(image.width);
    let height = dims[axes.height].unwrap_or(image.height);
    if dims.len() == 4 && dims[0].is_some_and(|n| n != 1) {
        return Err(unfit());
    }
    check_size(width, height)?;
    let planes: Vec<Vec<f64>> =
        planes(image, channels).into_iter().map(|p| resize(&p, (image.width, image.height), (width, height))).collect();
    let last = axes.channels + 1 == dims.len();
    let mut values = Vec::with_capacity(channels * width * height);
    match last {
        true => (0..width * height).for_each(|i| values.extend(planes.iter().map(|p| p[i]))),
        false => planes.iter().for_each(|p| values.extend_from_slice(p)),
    }
    let scale = if dtype == DType::U8 { 1.0 } else { 255.0 };
    values.iter_mut().for_each(|v| *v = if dtype == DType::U8 { v.round() } else { *v / scale });
    let mut shape = vec![1; dims.len()];
    (shape[axes.channels], shape[axes.height], shape[axes.width]) = (channels, height, width);
    Tensor::from_f64(dtype, &shape, &values)
}

fn axes(dims: &[Option<usize>]) -> Option<Axes> {
    let is_channels = |i: usize| matches!(dims[i], Some(1 | 3));
    match dims.len() {
        4 if is_channels(1) => Some(Axes { channels: 1, height: 2, width: 3 }),
        4 if is_channels(3) => Some(Axes { channels: 3, height: 1, width: 2 }),
        3 if is_channels(0) => Some(Axes { channels: 0, height: 1, width: 2 }),
        _ => None,
    }
}

/// One plane of values from 0 to 255 a channel; grey repeats, colours become grey by the weights of ITU-R BT.601.
fn planes(image: &Image, channels: usize) -> Vec<Vec<f64>> {
    let plane =
        |c: usize| image.pixels.iter().skip(c).step_by(image.channels).map(|&v| f64::from(v)).collect::<Vec<_>>();
    match (image.channels, channels) {
        (1, _) => vec![plane(0); channels],
        (_, 1) => {
            let grey = |p: &[u8]| 0.299 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2]);
            vec![image.pixels.chunks_exact(3).map(grey).collect()]
        }
        _ => (0..3).map(plane).collect(),
    }
}

/// Scales a plane with a triangle filter as wide as a target pixel: linear interpolation upwards, a weighted mean
/// downwards.
fn resize(plane: &[f64], from: (usize, usize), to: (usize, usize)) -> Vec<f64> {
    let rows: Vec<f64> = (0..from.1).flat_map(|y| resize_line(&plane[y * from.0..][..from.0], to.0)).collect();
    let columns: Vec<Vec<f64>> =
        (0..to.0).map(|x| resize_line(&rows.iter().skip(x).step_by(to.0).copied().collect::<Vec<_>>(), to.1)).collect();
    (0..to.1).flat_map(|y| columns.iter().map(move |c| c[y])).collect()
}

fn resize_line(line: &[f64], to: usize) -> Vec<f64> {
    if line.len() == to {
        return line.to_vec();
    }
    let scale = line.len() as f64 / to as f64;
    let reach = scale.max(1.0);
    let at = |i: usize| {
        let centre = (i as f64 + 0.5) * scale;
        let first = (centre - reach).floor().max(0.0) as usize;
        let end = ((centre + reach).ceil() as usize).min(line.len());
        let weight = |j: usize| (1.0 - ((j as f64 + 0.5 - centre) / reach).abs()).max(0.0);
        let sum: f64 = (first..end).map(|j| weight(j) * line[j]).sum();
        sum / (first..end).map(weight).sum::<f64>()
    };
    (0..to).map(at).collect()
}

#[cfg(test)]
mod tests;

//! Images from files.

mod bmp;
mod jpeg;
#[cfg_attr(not(feature = "images"), path = "unpacked.rs")]
mod packed;
mod pnm;
#[cfg(test)]
mod tests;
mod tiff;

use super::attribute::words;
use super::operand::{MOST, expect_dtype, tensor};
use super::{Algorithm, attributes};
use std::ops::RangeInclusive;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::ix::Ix;
use tilewright_tensor::types::Type;
use tilewright_tensor::{DType, Tensor, Value};

words! {
    /// What the channels of decoded images are.
    PixelFormat {
        /// Red, green, blue.
        Rgb = "rgb",
        /// Blue, green, red.
        Bgr = "bgr",
        /// One: the luma of ITU-R 601.
        Grayscale = "grayscale",
    }
}

/// ONNX `ImageDecoder`.
///
/// Input: the bytes of a file, u8 `[n]`. Output: u8 `[height, width, channels]`, 0 high and wide when the bytes are no
/// image. It reads BMP, JPEG, PNM, TIFF without compression, and with the feature `images` PNG and WebP; what else it
/// recognizes is unsupported. Transparency is dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageDecode {
    /// What the channels are.
    pub pixels: PixelFormat,
}

/// A decoded image; one byte a channel, channels together.
struct Image {
    width: usize,
    height: usize,
    /// 1 or 3.
    channels: usize,
    samples: Vec<u8>,
}

/// Why there is no image.
enum Failure {
    /// The file breaks the rules of its format.
    Broken,
    /// The file may be right.
    Refused(Box<Diagnostic>),
}

type Decoded<T = Image> = std::result::Result<T, Failure>;

impl Failure {
    fn unsupported(what: impl Into<String>) -> Self {
        Self::Refused(Diagnostic::unsupported(what))
    }
}

impl Algorithm for ImageDecode {
    const NAME: &'static str = "imagedecode";
    const DOC: &'static str = "The pixels of an image file as u8 `[height, width, channels]`.";

    attributes!(pixels);

    fn inputs(&self) -> RangeInclusive<usize> {
        1..=1
    }

    fn infer(&self, inputs: &[Type], fresh: &mut dyn FnMut() -> Ix) -> Result<Vec<Type>> {
        let file = expect_dtype(&inputs[0], &[DType::U8], "the file")?;
        match file.rank() {
            1 => Ok(vec![Type::tensor(DType::U8, vec![fresh(), fresh(), Ix::from(self.channels())])]),
            _ => Err(Diagnostic::shape(format!("an image file is u8[n], not {file}"))),
        }
    }

    fn eval(&self, inputs: &[Value]) -> Result<Vec<Value>> {
        let file = tensor(inputs, 0)?;
        let Some(bytes) = file.as_slice::<u8>() else {
            return Err(Diagnostic::dtype(format!("an image file is u8[n], not {}", Type::of(file))));
        };
        let image = match decode(bytes) {
            Ok(image) => image,
            Err(Failure::Broken) => Image { width: 0, height: 0, channels: 3, samples: Vec::new() },
            Err(Failure::Refused(why)) => return Err(why),
        };
        let shape = [image.height, image.width, self.channels()];
        Ok(vec![Value::Tensor(Tensor::from_vec(&shape, self.convert(image))?)])
    }
}

impl ImageDecode {
    fn channels(&self) -> usize {
        if self.pixels == PixelFormat::Grayscale { 1 } else { 3 }
    }

    fn convert(&self, image: Image) -> Vec<u8> {
        let mut samples = image.samples;
        match (self.pixels, image.channels) {
            (PixelFormat::Grayscale, 3) => samples.chunks_exact(3).map(luma).collect(),
            (PixelFormat::Rgb | PixelFormat::Bgr, 1) => samples.into_iter().flat_map(|gray| [gray; 3]).collect(),
            (PixelFormat::Bgr, _) => {
                samples.chunks_exact_mut(3).for_each(|pixel| pixel.swap(0, 2));
                samples
            }
            _ => samples,
        }
    }
}

/// 0.299 red + 0.587 green + 0.114 blue, rounded.
fn luma(rgb: &[u8]) -> u8 {
    let sum: u32 = rgb.iter().zip([19595, 38470, 7471]).map(|(c, weight)| u32::from(*c) * weight).sum();
    ((sum + 0x8000) >> 16) as u8
}

/// Recognizes formats by their first bytes.
fn decode(file: &[u8]) -> Decoded {
    match file {
        [b'B', b'M', ..] => bmp::decode(file),
        [0xff, 0xd8, 0xff, ..] => jpeg::decode(file),
        [b'P', b'1'..=b'6', b' ' | b'\t' | b'\n' | b'\r' | b'#', ..] => pnm::decode(file),
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => tiff::decode(file),
        [0x89, b'P', b'N', b'G', ..] => packed::png(file),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => packed::webp(file),
        [0, 0, 0, 12, b'j', b'P', b' ', b' ', ..] | [0xff, 0x4f, 0xff, 0x51, ..] => {
            Err(Failure::unsupported("JPEG 2000 images"))
        }
        _ => Err(Failure::Broken),
    }
}

/// The number of pixels. A byte of the file must not stand for more than `dense`, so that sizes in headers are true.
fn area(width: usize, height: usize, file: &[u8], dense: usize) -> Decoded<usize> {
    let most = file.len().saturating_mul(dense).min(4 * MOST);
    match width.checked_mul(height) {
        Some(0) => Err(Failure::Broken),
        Some(area) if area <= most => Ok(area),
        _ => {
            let size = format!("an image of {width} by {height} pixels in {} bytes", file.len());
            Err(Failure::Refused(Diagnostic::limit(size)))
        }
    }
}

/// The number in `size` little-endian bytes.
fn little(file: &[u8], at: usize, size: usize) -> Decoded<usize> {
    let bytes = file.get(at..).and_then(|rest| rest.get(..size)).ok_or(Failure::Broken)?;
    Ok(bytes.iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte)))
}

/// The number in `size` big-endian bytes.
fn big(file: &[u8], at: usize, size: usize) -> Decoded<usize> {
    let bytes = file.get(at..).and_then(|rest| rest.get(..size)).ok_or(Failure::Broken)?;
    Ok(bytes.iter().fold(0, |n, byte| n << 8 | usize::from(*byte)))
}

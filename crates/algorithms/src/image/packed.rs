//! Formats that other crates decode.

use super::{Decoded, Failure, Image, area};
use std::io::Cursor;

/// The image in a `.png` file, as 8 bits a channel.
pub(super) fn png(file: &[u8]) -> Decoded {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|_| Failure::Broken)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    area(width, height, file, 8192)?;
    let mut samples = vec![0; reader.output_buffer_size().ok_or(Failure::Broken)?];
    reader.next_frame(&mut samples).map_err(|_| Failure::Broken)?;
    Ok(opaque(width, height, reader.output_color_type().0.samples(), samples))
}

/// The image in a `.webp` file; of an animation the first.
pub(super) fn webp(file: &[u8]) -> Decoded {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(file)).map_err(|_| Failure::Broken)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    area(width, height, file, usize::MAX)?;
    let mut samples = vec![0; decoder.output_buffer_size().ok_or(Failure::Broken)?];
    decoder.read_image(&mut samples).map_err(|_| Failure::Broken)?;
    Ok(opaque(width, height, if decoder.has_alpha() { 4 } else { 3 }, samples))
}

/// The image without the last of 2 or 4 channels.
fn opaque(width: usize, height: usize, channels: usize, mut samples: Vec<u8>) -> Image {
    if channels.is_multiple_of(2) {
        let mut at = 0;
        samples.retain(|_| {
            at += 1;
            at % channels != 0
        });
    }
    Image { width, height, channels: if channels < 3 { 1 } else { 3 }, samples }
}

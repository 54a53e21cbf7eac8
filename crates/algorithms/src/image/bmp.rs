//! Windows bitmaps without compression.

use super::{Decoded, Failure, Image, area, little};

/// The image in a `.bmp` file: 1, 4 or 8 bits with a palette, 24 or 32 bits.
pub(super) fn decode(file: &[u8]) -> Decoded {
    let header = little(file, 14, 4)?;
    let (bits, compression) = (little(file, 28, 2)?, little(file, 30, 4)?);
    if header < 40 || compression != 0 || !matches!(bits, 1 | 4 | 8 | 24 | 32) {
        return Err(Failure::unsupported(format!("BMP images of {bits} bits, compression {compression}")));
    }
    let signed = |at| little(file, at, 4).map(|n| n as u32 as i32);
    let (width, height) = (signed(18)?, signed(22)?);
    let (width, rows) = (usize::try_from(width).map_err(|_| Failure::Broken)?, height.unsigned_abs() as usize);
    let area = area(width, rows, file, 8)?;
    let stride = (width * bits).div_ceil(32) * 4;
    let start = little(file, 10, 4)?;
    let pixels = file.get(start..).and_then(|rest| rest.get(..stride * rows)).ok_or(Failure::Broken)?;
    let mut samples = Vec::with_capacity(area * 3);
    for row in 0..rows {
        // Rows go upwards unless the height is negative.
        let row = if height < 0 { row } else { rows - 1 - row };
        let row = &pixels[row * stride..][..stride];
        for x in 0..width {
            let bgr = match bits {
                24 | 32 => &row[x * bits / 8..],
                _ => {
                    let index = usize::from(row[x * bits / 8] >> (8 - bits - x * bits % 8)) & ((1 << bits) - 1);
                    file.get(14 + header + 4 * index..).unwrap_or_default()
                }
            };
            let [blue, green, red, ..] = bgr else { return Err(Failure::Broken) };
            samples.extend([red, green, blue]);
        }
    }
    Ok(Image { width, height: rows, channels: 3, samples })
}

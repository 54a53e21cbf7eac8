//! TIFF images without compression.

use super::{Decoded, Failure, Image, area, big, little};

const WIDTH: usize = 256;
const HEIGHT: usize = 257;
const BITS: usize = 258;
const COMPRESSION: usize = 259;
const PHOTOMETRIC: usize = 262;
const STRIPS: usize = 273;
const CHANNELS: usize = 277;
const STRIP_BYTES: usize = 279;
const PLANAR: usize = 284;

/// The first image directory of a file.
struct Directory<'a> {
    file: &'a [u8],
    read: fn(&[u8], usize, usize) -> Decoded<usize>,
    start: usize,
}

impl Directory<'_> {
    /// The values of a field; none when it is absent.
    fn values(&self, tag: usize) -> Decoded<Vec<usize>> {
        let number = |at, size| (self.read)(self.file, at, size);
        let entries = (0..number(self.start, 2)?).map(|n| self.start + 2 + 12 * n);
        for at in entries {
            if number(at, 2)? != tag {
                continue;
            }
            let size = match number(at + 2, 2)? {
                1 => 1,
                3 => 2,
                4 => 4,
                _ => return Err(Failure::Broken),
            };
            let count = number(at + 4, 4)?;
            let place = if count * size <= 4 { at + 8 } else { number(at + 8, 4)? };
            if count > self.file.len() {
                return Err(Failure::Broken);
            }
            return (0..count).map(|n| number(place + n * size, size)).collect();
        }
        Ok(Vec::new())
    }

    /// The one value of a field.
    fn value(&self, tag: usize, default: usize) -> Decoded<usize> {
        Ok(self.values(tag)?.first().copied().unwrap_or(default))
    }
}

/// The image in a file of one 8-bit gray or three RGB channels that lie together.
pub(super) fn decode(file: &[u8]) -> Decoded {
    let read = if file[0] == b'I' { little } else { big };
    let directory = Directory { file, read, start: read(file, 4, 4)? };
    let (width, height) = (directory.value(WIDTH, 0)?, directory.value(HEIGHT, 0)?);
    let (channels, photometric) = (directory.value(CHANNELS, 1)?, directory.value(PHOTOMETRIC, 1)?);
    let plain = directory.value(COMPRESSION, 1)? == 1 && directory.value(PLANAR, 1)? == 1;
    let bytes = directory.values(BITS)?.iter().all(|bits| *bits == 8);
    if !plain || !bytes || !matches!((channels, photometric), (1, 0 | 1) | (3, 2)) {
        return Err(Failure::unsupported("TIFF images that are compressed or not of 8-bit gray or RGB"));
    }
    let size = area(width, height, file, 1)? * channels;
    let mut samples: Vec<u8> = Vec::with_capacity(size);
    for (start, count) in directory.values(STRIPS)?.into_iter().zip(directory.values(STRIP_BYTES)?) {
        let strip = file.get(start..).and_then(|rest| rest.get(..count)).ok_or(Failure::Broken)?;
        samples.extend(&strip[..count.min(size - samples.len())]);
    }
    if samples.len() < size {
        return Err(Failure::Broken);
    }
    if photometric == 0 {
        samples.iter_mut().for_each(|sample| *sample = !*sample);
    }
    Ok(Image { width, height, channels, samples })
}

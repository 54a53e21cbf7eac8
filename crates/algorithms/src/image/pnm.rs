//! Portable bitmaps, graymaps and pixmaps, as text or packed.

use super::{Decoded, Failure, Image, area};

/// What is left of a file.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Decoded<u8> {
        let (first, rest) = self.rest.split_first().ok_or(Failure::Broken)?;
        self.rest = rest;
        Ok(*first)
    }

    /// The first byte after white space and comments.
    fn start(&mut self) -> Decoded<u8> {
        loop {
            match self.byte()? {
                b'#' => while self.byte()? != b'\n' {},
                space if space.is_ascii_whitespace() => {}
                other => return Ok(other),
            }
        }
    }

    /// A decimal number, and the one byte after it.
    fn number(&mut self) -> Decoded<usize> {
        let mut digit = self.start()?;
        let mut number = 0usize;
        while digit.is_ascii_digit() {
            number = number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            digit = self.byte().unwrap_or(b' ');
        }
        if digit.is_ascii_whitespace() { Ok(number) } else { Err(Failure::Broken) }
    }
}

/// The image in a `.pbm`, `.pgm` or `.ppm` file; samples are scaled to 0..=255.
pub(super) fn decode(file: &[u8]) -> Decoded {
    let kind = file[1];
    let mut reader = Reader { rest: &file[2..] };
    let (width, height) = (reader.number()?, reader.number()?);
    let bitmap = matches!(kind, b'1' | b'4');
    let most = if bitmap { 1 } else { reader.number()? };
    if most == 0 || most > 65535 {
        return Err(Failure::Broken);
    }
    let channels = if matches!(kind, b'3' | b'6') { 3 } else { 1 };
    let count = area(width, height, file, 8)? * channels;
    let mut samples = Vec::with_capacity(count);
    for at in 0..count {
        let sample = match kind {
            b'1' => match reader.start()? {
                b'0' => 1,
                b'1' => 0,
                _ => return Err(Failure::Broken),
            },
            b'2' | b'3' => reader.number()?,
            b'4' => {
                let (row, x) = (at / width, at % width);
                let byte = reader.rest.get(row * width.div_ceil(8) + x / 8).ok_or(Failure::Broken)?;
                1 - usize::from(byte >> (7 - x % 8) & 1)
            }
            _ if most > 255 => usize::from(reader.byte()?) << 8 | usize::from(reader.byte()?),
            _ => usize::from(reader.byte()?),
        };
        samples.push(((sample.min(most) * 255 + most / 2) / most) as u8);
    }
    Ok(Image { width, height, channels, samples })
}

//! The entropy-coded part of a JPEG file.

use super::{Block, Component, Decoded, Failure, Frame, ZIGZAG, big};

/// A canonical Huffman code.
pub(super) struct Huffman {
    /// How many codes have each length from 1 on.
    counts: [usize; 16],
    symbols: Vec<u8>,
}

impl Huffman {
    /// The table at the start of a segment, and the bytes it takes.
    pub(super) fn read(segment: &[u8]) -> Decoded<(Self, usize)> {
        let mut counts = [0; 16];
        for (length, count) in counts.iter_mut().enumerate() {
            *count = big(segment, length, 1)?;
        }
        let total: usize = counts.iter().sum();
        let symbols = segment.get(16..16 + total).ok_or(Failure::Broken)?.to_vec();
        Ok((Self { counts, symbols }, 16 + total))
    }
}

/// The tables of first and of other coefficients.
type Tables<'a> = [Option<&'a Huffman>; 2];

/// One pass over blocks.
pub(super) struct Scan<'a> {
    coded: &'a [u8],
    at: usize,
    byte: u8,
    /// Bits of `byte` that are left.
    left: u32,
    /// The first and last coefficient of the pass.
    band: (usize, usize),
    /// The last bit before and of this pass.
    bits: (usize, usize),
    progressive: bool,
    /// Blocks that follow without anything in the band.
    empty: usize,
    /// The last first coefficient of each component.
    previous: [i32; 4],
}

impl<'a> Scan<'a> {
    pub(super) fn new(coded: &'a [u8], band: (usize, usize), bits: (usize, usize), progressive: bool) -> Self {
        Self { coded, at: 0, byte: 0, left: 0, band, bits, progressive, empty: 0, previous: [0; 4] }
    }

    /// Reads the blocks of components, each with its tables. Gives the number of bytes read.
    pub(super) fn run(mut self, frame: &mut Frame, components: &[(usize, Tables)], restart: usize) -> Decoded<usize> {
        let alone = components.len() == 1;
        let [wide, high] = match components {
            [(index, _)] => frame.components[*index].size.map(|size| size.div_ceil(8)),
            _ => frame.units,
        };
        for unit in 0..wide * high {
            if restart > 0 && unit > 0 && unit % restart == 0 {
                self.restart()?;
            }
            let [x, y] = [unit % wide, unit / wide];
            for (index, tables) in components {
                let component = &mut frame.components[*index];
                let [h, v] = if alone { [1, 1] } else { component.sampling };
                for n in 0..h * v {
                    let at = (y * v + n / h) * component.columns + x * h + n % h;
                    self.block(component, at, (*index, tables))?;
                }
            }
        }
        Ok(self.at)
    }

    fn restart(&mut self) -> Decoded<()> {
        let marker = self.coded.get(self.at..self.at + 2).ok_or(Failure::Broken)?;
        if !matches!(marker, [0xff, 0xd0..=0xd7]) {
            return Err(Failure::Broken);
        }
        self.at += 2;
        (self.left, self.empty, self.previous) = (0, 0, [0; 4]);
        Ok(())
    }

    fn block(&mut self, component: &mut Component, at: usize, (index, tables): (usize, &Tables)) -> Decoded<()> {
        let block = component.blocks.get_mut(at).ok_or(Failure::Broken)?;
        let [first, others] = tables.map(|table| table.ok_or(Failure::Broken));
        let refines = self.bits.0 > 0;
        if self.band.0 == 0 {
            if refines {
                block[0] |= (self.bit()? << self.bits.1) as i16;
            } else {
                let size = self.symbol(first?)?;
                self.previous[index] = self.previous[index].wrapping_add(self.signed(size)?);
                block[0] = (self.previous[index] << self.bits.1) as i16;
            }
        }
        match (self.band.1 > 0, refines) {
            (false, _) => Ok(()),
            (true, false) => self.coefficients(block, others?),
            (true, true) => self.refine(block, others?),
        }
    }

    /// The other coefficients of a block for the first time.
    fn coefficients(&mut self, block: &mut Block, table: &Huffman) -> Decoded<()> {
        if self.empty > 0 {
            self.empty -= 1;
            return Ok(());
        }
        let mut k = self.band.0.max(1);
        while k <= self.band.1 {
            let symbol = self.symbol(table)?;
            let (zeros, size) = (usize::from(symbol >> 4), symbol & 15);
            if size == 0 && zeros < 15 {
                self.empty = self.run_of_empty(zeros)? - 1;
                return Ok(());
            }
            k += zeros;
            if size > 0 {
                let place = ZIGZAG.get(k).ok_or(Failure::Broken)?;
                block[*place] = (self.signed(size)? << self.bits.1) as i16;
            }
            k += 1;
        }
        Ok(())
    }

    /// One more bit of coefficients that are known, and those that become known with this bit.
    fn refine(&mut self, block: &mut Block, table: &Huffman) -> Decoded<()> {
        let mut k = self.band.0.max(1);
        while self.empty == 0 && k <= self.band.1 {
            let symbol = self.symbol(table)?;
            let (zeros, size) = (usize::from(symbol >> 4), symbol & 15);
            if size == 0 && zeros < 15 {
                self.empty = self.run_of_empty(zeros)?;
                break;
            }
            let sign = if size == 0 { 0 } else { 2 * self.bit()? - 1 };
            k = self.refine_known(block, k, Some(zeros))?;
            if k <= self.band.1 {
                block[ZIGZAG[k]] = (sign << self.bits.1) as i16;
            }
            k += 1;
        }
        if self.empty > 0 {
            self.refine_known(block, k, None)?;
            self.empty -= 1;
        }
        Ok(())
    }

    /// Goes from coefficient `k` over known ones and `zeros` unknown ones; without `zeros` to the end of the band.
    fn refine_known(&mut self, block: &mut Block, mut k: usize, zeros: Option<usize>) -> Decoded<usize> {
        let mut skipped = 0;
        while k <= self.band.1 {
            let known = &mut block[ZIGZAG[k]];
            if *known == 0 {
                if Some(skipped) == zeros {
                    break;
                }
                skipped += 1;
            } else if self.bit()? == 1 && *known & (1 << self.bits.1) == 0 {
                *known = known.wrapping_add(known.signum() << self.bits.1);
            }
            k += 1;
        }
        Ok(k)
    }

    /// The number of blocks, this one included, without anything more in the band.
    fn run_of_empty(&mut self, size: usize) -> Decoded<usize> {
        if !self.progressive && size > 0 {
            return Err(Failure::Broken);
        }
        let more = (0..size).try_fold(0, |n, _| Ok(n << 1 | self.bit()? as usize))?;
        Ok((1 << size) + more)
    }

    fn symbol(&mut self, table: &Huffman) -> Decoded<u8> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in table.counts {
            code = code << 1 | self.bit()? as usize;
            if code < first + count {
                return table.symbols.get(index + code - first).copied().ok_or(Failure::Broken);
            }
            index += count;
            first = (first + count) << 1;
        }
        Err(Failure::Broken)
    }

    /// A number of `size` bits, of which those that start with 0 are negative.
    fn signed(&mut self, size: u8) -> Decoded<i32> {
        if size > 15 {
            return Err(Failure::Broken);
        }
        let value = (0..size).try_fold(0, |n, _| Ok(n << 1 | self.bit()?))?;
        Ok(if size > 0 && value >> (size - 1) == 0 { value - (1 << size) + 1 } else { value })
    }

    fn bit(&mut self) -> Decoded<i32> {
        if self.left == 0 {
            self.byte = *self.coded.get(self.at).ok_or(Failure::Broken)?;
            self.at += 1;
            if self.byte == 0xff {
                // A zero follows a byte that would look like a marker.
                if self.coded.get(self.at) != Some(&0) {
                    return Err(Failure::Broken);
                }
                self.at += 1;
            }
            self.left = 8;
        }
        self.left -= 1;
        Ok(i32::from(self.byte >> self.left & 1))
    }
}

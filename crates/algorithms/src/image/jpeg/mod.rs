//! JPEG images, baseline and progressive, with exactly the samples that libjpeg gives.

mod pixels;
mod scan;

use super::{Decoded, Failure, Image, area, big};
use scan::{Huffman, Scan};

/// The place in a block of each coefficient in the order of the file.
const ZIGZAG: [usize; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
];

/// Encoders make about ten.
const MOST_SCANS: usize = 200;

/// One 8 by 8 block of coefficients, row-major.
type Block = [i16; 64];

/// A color channel.
struct Component {
    id: u8,
    /// Samples in the space of the largest component's `Frame::most`, per axis (x, y).
    sampling: [usize; 2],
    /// The quantization table, by number until the first scan.
    quantizer: usize,
    factors: Option<[u16; 64]>,
    /// Samples that count.
    size: [usize; 2],
    /// Blocks in a row, those of whole units included.
    columns: usize,
    blocks: Vec<Block>,
}

/// What the frame header says.
struct Frame {
    size: [usize; 2],
    progressive: bool,
    /// The greatest sampling factors.
    most: [usize; 2],
    /// Interleaved units, each of `sampling` blocks of each component.
    units: [usize; 2],
    components: Vec<Component>,
}

/// Tables and flags between the markers.
#[derive(Default)]
struct State {
    quantizers: [Option<[u16; 64]>; 4],
    /// Tables of first and of other coefficients.
    huffman: [[Option<Huffman>; 4]; 2],
    restart: usize,
    scans: usize,
    jfif: bool,
    /// The color transform by Adobe's marker.
    adobe: Option<u8>,
    frame: Option<Frame>,
}

/// The image in a `.jpg` file.
pub(super) fn decode(file: &[u8]) -> Decoded {
    let mut state = State::default();
    let mut at = 2;
    while let Some((marker, start)) = next_marker(file, at).filter(|(marker, _)| *marker != 0xd9) {
        let size = big(file, start, 2)?;
        let segment = file.get(start..).and_then(|rest| rest.get(2..size)).ok_or(Failure::Broken)?;
        at = start + size;
        match marker {
            0xc4 => state.read_huffman(segment)?,
            0xda => at += state.read_scan(segment, &file[at..])?,
            0xdb => state.read_quantizers(segment)?,
            0xdd => state.restart = big(segment, 0, 2)?,
            0xe0 => state.jfif |= segment.starts_with(b"JFIF\0"),
            0xee if segment.starts_with(b"Adobe") => state.adobe = segment.get(11).copied(),
            0xc0..=0xc2 => state.read_frame(segment, marker == 0xc2, file)?,
            0xc3 | 0xc5..=0xcf => {
                return Err(Failure::unsupported("lossless, differential and arithmetic JPEG images"));
            }
            _ => {}
        }
    }
    let transform = state.is_transformed();
    pixels::render(state.frame.ok_or(Failure::Broken)?, transform)
}

/// The next marker from `at` on, and where what follows it starts.
fn next_marker(file: &[u8], at: usize) -> Option<(u8, usize)> {
    let rest = file.get(at..)?;
    let found = rest.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff | 0xd0..=0xd7))?;
    Some((rest[found + 1], at + found + 2))
}

impl State {
    fn read_quantizers(&mut self, mut segment: &[u8]) -> Decoded<()> {
        while let Some((head, rest)) = segment.split_first() {
            let (size, number) = (1 + usize::from(head >> 4), usize::from(head & 15));
            let slot = self.quantizers.get_mut(number).filter(|_| size <= 2).ok_or(Failure::Broken)?;
            let mut factors = [0; 64];
            for (k, place) in ZIGZAG.iter().enumerate() {
                factors[*place] = big(rest, k * size, size)? as u16;
            }
            *slot = Some(factors);
            segment = &rest[64 * size..];
        }
        Ok(())
    }

    fn read_huffman(&mut self, mut segment: &[u8]) -> Decoded<()> {
        while let Some((head, rest)) = segment.split_first() {
            let class = self.huffman.get_mut(usize::from(head >> 4)).ok_or(Failure::Broken)?;
            let slot = class.get_mut(usize::from(head & 15)).ok_or(Failure::Broken)?;
            let (table, taken) = Huffman::read(rest)?;
            *slot = Some(table);
            segment = &rest[taken..];
        }
        Ok(())
    }

    fn read_frame(&mut self, segment: &[u8], progressive: bool, file: &[u8]) -> Decoded<()> {
        let (bits, height, width) = (big(segment, 0, 1)?, big(segment, 1, 2)?, big(segment, 3, 2)?);
        let count = big(segment, 5, 1)?;
        if bits != 8 || !matches!(count, 1 | 3) {
            return Err(Failure::unsupported(format!("JPEG images of {count} channels of {bits} bits")));
        }
        if self.frame.is_some() {
            return Err(Failure::Broken);
        }
        area(width, height, file, 512)?;
        let specs = segment.get(6..6 + 3 * count).ok_or(Failure::Broken)?;
        let sampling = |spec: &[u8]| [spec[1] >> 4, spec[1] & 15].map(usize::from);
        let mut most = [1, 1];
        for spec in specs.chunks_exact(3) {
            let sampling = sampling(spec);
            if sampling.iter().any(|s| !(1..=4).contains(s)) {
                return Err(Failure::Broken);
            }
            most = [0, 1].map(|d| most[d].max(sampling[d]));
        }
        let size = [width, height];
        let units = [0, 1].map(|d| size[d].div_ceil(8 * most[d]));
        let component = |spec: &[u8]| {
            let sampling = sampling(spec);
            let [columns, rows] = [0, 1].map(|d| units[d] * sampling[d]);
            Component {
                id: spec[0],
                sampling,
                quantizer: usize::from(spec[2]),
                factors: None,
                size: [0, 1].map(|d| (size[d] * sampling[d]).div_ceil(most[d])),
                columns,
                blocks: vec![[0; 64]; columns * rows],
            }
        };
        let components = specs.chunks_exact(3).map(component).collect();
        self.frame = Some(Frame { size, progressive, most, units, components });
        Ok(())
    }

    /// The number of bytes that the scan takes after its header.
    fn read_scan(&mut self, header: &[u8], coded: &[u8]) -> Decoded<usize> {
        // Each pass goes over the whole image, however few bytes it takes.
        self.scans += 1;
        if self.scans > MOST_SCANS {
            return Err(Failure::unsupported(format!("JPEG images of more than {MOST_SCANS} passes")));
        }
        let frame = self.frame.as_mut().ok_or(Failure::Broken)?;
        let count = big(header, 0, 1)?;
        let mut components = Vec::new();
        for n in 0..count {
            let (id, tables) = (big(header, 1 + 2 * n, 1)?, big(header, 2 + 2 * n, 1)?);
            let index = frame.components.iter().position(|c| usize::from(c.id) == id).ok_or(Failure::Broken)?;
            let component = &mut frame.components[index];
            if component.factors.is_none() {
                component.factors = self.quantizers.get(component.quantizer).copied().flatten();
            }
            let table = |class: usize, number: usize| self.huffman[class].get(number).and_then(Option::as_ref);
            components.push((index, [table(0, tables >> 4), table(1, tables & 15)]));
        }
        let [first, last, bits] = [0, 1, 2].map(|k| big(header, 1 + 2 * count + k, 1));
        let (first, last, bits) = (first?, last?, bits?);
        let band = if frame.progressive { (first, last) } else { (0, 63) };
        let (high, low) = if frame.progressive { (bits >> 4, bits & 15) } else { (0, 0) };
        if band.0 > band.1 || band.1 > 63 || low > 13 || (band.0 > 0 && count != 1) {
            return Err(Failure::Broken);
        }
        Scan::new(coded, band, (high, low), frame.progressive).run(frame, &components, self.restart)
    }

    /// Are the channels luma and two differences of color?
    fn is_transformed(&self) -> bool {
        let ids = self.frame.iter().flat_map(|f| &f.components).map(|c| c.id);
        match self.adobe {
            _ if self.jfif => true,
            Some(transform) => transform != 0,
            None => !ids.eq(*b"RGB"),
        }
    }
}

//! From coefficients to pixels: the inverse cosine transform, chroma upsampling and colors, in libjpeg's integers.

use super::{Block, Component, Decoded, Failure, Frame, Image};

/// The image; `transform` when its channels are luma and two differences of color.
pub(super) fn render(frame: Frame, transform: bool) -> Decoded {
    let [width, height] = frame.size;
    let planes = frame.components.iter().map(|component| plane(component, &frame)).collect::<Decoded<Vec<_>>>()?;
    let [first, blue, red] = planes.as_slice() else {
        let samples = planes.into_iter().next().ok_or(Failure::Broken)?;
        return Ok(Image { width, height, channels: 1, samples });
    };
    let pixels = first.iter().zip(blue).zip(red);
    let samples = pixels.flat_map(|((y, b), r)| if transform { rgb(*y, *b, *r) } else { [*y, *b, *r] }).collect();
    Ok(Image { width, height, channels: 3, samples })
}

fn rgb(luma: u8, blue: u8, red: u8) -> [u8; 3] {
    let (y, b, r) = (i32::from(luma), i32::from(blue) - 128, i32::from(red) - 128);
    let rounded = |sum: i32| (sum + 0x8000) >> 16;
    [rounded(91881 * r) + y, rounded(-22554 * b - 46802 * r) + y, rounded(116130 * b) + y]
        .map(|c| c.clamp(0, 255) as u8)
}

/// The samples of a component at the image's size.
fn plane(component: &Component, frame: &Frame) -> Decoded<Vec<u8>> {
    let stride = component.columns * 8;
    let mut samples = vec![0; component.blocks.len() * 64];
    let factors = component.factors.as_ref().ok_or(Failure::Broken)?;
    for (n, block) in component.blocks.iter().enumerate() {
        let start = n / component.columns * 8 * stride + n % component.columns * 8;
        for (y, row) in transform(block, factors).chunks_exact(8).enumerate() {
            samples[start + y * stride..][..8].copy_from_slice(row);
        }
    }
    let [h, v] = [0, 1].map(|d| (frame.most[d] / component.sampling[d], frame.most[d] % component.sampling[d]));
    if h.1 != 0 || v.1 != 0 {
        return Err(Failure::unsupported("JPEG images whose sampling factors do not divide each other"));
    }
    Ok(upsample(&samples, stride, component.size, [h.0, v.0], frame.size))
}

/// Each sample `scale` times: doubled ones by linear interpolation, with biases that alternate, others repeated.
fn upsample(samples: &[u8], stride: usize, size: [usize; 2], scale: [usize; 2], to: [usize; 2]) -> Vec<u8> {
    let narrow = scale[0] == 2 && size[0] <= 2;
    let smooth = matches!(scale, [2, 1 | 2] | [1, 2]) && !narrow;
    let at = |x: usize, y: usize| i32::from(samples[y * stride + x]);
    // The nearer and the farther of the two samples between which a place lies.
    let around = |place: usize, d: usize| match (scale[d], place / scale[d]) {
        (1, near) => (near, near),
        (_, near) if place.is_multiple_of(2) => (near, near.saturating_sub(1)),
        (_, near) => (near, (near + 1).min(size[d] - 1)),
    };
    let pixel = |x: usize, y: usize| {
        if !smooth {
            return samples[y / scale[1] * stride + x / scale[0]];
        }
        let ((near_x, far_x), (near_y, far_y)) = (around(x, 0), around(y, 1));
        let column = |x: usize| if scale[1] == 1 { at(x, near_y) } else { 3 * at(x, near_y) + at(x, far_y) };
        let sum = if scale[0] == 1 { column(near_x) } else { 3 * column(near_x) + column(far_x) };
        let (bias, shift) = match scale {
            [2, 2] => (8 - (x % 2) as i32, 4),
            [2, _] => (1 + (x % 2) as i32, 2),
            _ => (1 + (y % 2) as i32, 2),
        };
        ((sum + bias) >> shift) as u8
    };
    (0..to[1]).flat_map(|y| (0..to[0]).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect()
}

/// The samples of a block: columns, then rows, in fixed point with 13 bits (Loeffler, Ligtenberg and Moschytz).
fn transform(block: &Block, factors: &[u16; 64]) -> [u8; 64] {
    let mut work = [0i64; 64];
    for x in 0..8 {
        let column = std::array::from_fn(|y| i64::from(block[8 * y + x]) * i64::from(factors[8 * y + x]));
        for (y, value) in cosines(column).into_iter().enumerate() {
            work[8 * y + x] = (value + (1 << 10)) >> 11;
        }
    }
    let mut samples = [0; 64];
    for (row, out) in work.chunks_exact(8).zip(samples.chunks_exact_mut(8)) {
        let values = cosines(std::array::from_fn(|x| row[x]));
        out.iter_mut().zip(values).for_each(|(o, v)| *o = (((v + (1 << 17)) >> 18) + 128).clamp(0, 255) as u8);
    }
    samples
}

/// Eight values of an inverse cosine transform, scaled by 2^13.
fn cosines(c: [i64; 8]) -> [i64; 8] {
    let shared = (c[2] + c[6]) * 4433;
    let (low, high) = (shared + c[2] * 6270, shared - c[6] * 15137);
    let (sum, difference) = ((c[0] + c[4]) << 13, (c[0] - c[4]) << 13);
    let even = [sum + low, difference + high, difference - high, sum - low];

    let turned = (c[7] + c[3] + c[5] + c[1]) * 9633;
    let (outer, inner) = ((c[7] + c[1]) * -7373, (c[5] + c[3]) * -20995);
    let (left, right) = ((c[7] + c[3]) * -16069 + turned, (c[5] + c[1]) * -3196 + turned);
    let odd = [
        c[1] * 12299 + outer + right,
        c[3] * 25172 + inner + left,
        c[5] * 16819 + inner + right,
        c[7] * 2446 + outer + left,
    ];
    std::array::from_fn(|k| if k < 4 { even[k] + odd[k] } else { even[7 - k] - odd[7 - k] })
}

//! Tests of images.

use super::*;

fn spec(dtype: DType, dims: &[&str]) -> ValueSpec {
    let dims: Vec<String> = dims.iter().map(|d| d.to_string()).collect();
    let ty = format!("{dtype}[{}]", dims.join(", "));
    let kinds = vec![tilewright::pb::Kind::Tensor];
    ValueSpec { name: "x".into(), ty, dtype: Some(dtype), dims: Some(dims), kinds }
}

fn grey(width: usize, height: usize, pixels: &[u8]) -> Image {
    Image { width, height, channels: 1, pixels: pixels.to_vec() }
}

#[test]
fn greys_are_scaled_to_one() {
    let tensor = fit(&grey(2, 1, &[0, 255]), &spec(DType::F32, &["B", "1", "1", "2"])).unwrap();
    assert_eq!(tensor, Tensor::from_slice(&[1, 1, 1, 2], &[0.0f32, 1.0]).unwrap());
}

#[test]
fn channels_follow_the_declared_layout() {
    let image = Image { width: 2, height: 1, channels: 3, pixels: vec![1, 2, 3, 4, 5, 6] };
    let cases: [(&[&str], &[usize], &[u8]); 4] = [
        (&["1", "3", "h", "w"], &[1, 3, 1, 2], &[1, 4, 2, 5, 3, 6]),
        (&["?", "h", "w", "3"], &[1, 1, 2, 3], &[1, 2, 3, 4, 5, 6]),
        (&["3", "1", "2"], &[3, 1, 2], &[1, 4, 2, 5, 3, 6]),
        (&["1", "1", "1", "2"], &[1, 1, 1, 2], &[2, 5]),
    ];
    for (dims, shape, want) in cases {
        assert_eq!(fit(&image, &spec(DType::U8, dims)).unwrap(), Tensor::from_slice(shape, want).unwrap(), "{dims:?}");
    }
    let repeated = fit(&grey(1, 1, &[7]), &spec(DType::U8, &["1", "3", "1", "1"])).unwrap();
    assert_eq!(repeated.to_vec_i64(), [7, 7, 7]);
}

#[test]
fn sizes_are_fitted_by_a_triangle_filter() {
    let wide = fit(&grey(2, 1, &[0, 200]), &spec(DType::U8, &["1", "1", "1", "4"])).unwrap();
    assert_eq!(wide.to_vec_i64(), [0, 50, 150, 200]);
    let constant = fit(&grey(9, 7, &[80; 63]), &spec(DType::U8, &["1", "1", "3", "2"])).unwrap();
    assert_eq!(constant.to_vec_i64(), [80; 6]);
}

#[test]
fn refuses_inputs_that_are_no_images() {
    let image = grey(1, 1, &[0]);
    for (dtype, dims) in [
        (DType::F32, &["1", "784"][..]),
        (DType::F32, &["1", "7", "28", "28"]),
        (DType::I64, &["1", "1", "28", "28"]),
        (DType::F32, &["2", "1", "28", "28"]),
    ] {
        let error = fit(&image, &spec(dtype, dims)).unwrap_err();
        assert!(error.message.contains("does not fit"), "{}", error.message);
    }
}

#[test]
fn reads_png_of_every_kind() {
    let encode = |color, depth, bytes: &[u8]| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 2, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.set_palette(vec![10, 20, 30, 40, 50, 60]);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        read_png(&file).unwrap()
    };
    use png::{BitDepth, ColorType};
    assert_eq!(encode(ColorType::Grayscale, BitDepth::Eight, &[3, 9]).pixels, [3, 9]);
    assert_eq!(encode(ColorType::Grayscale, BitDepth::One, &[0b0100_0000]).pixels, [0, 255]);
    assert_eq!(encode(ColorType::Grayscale, BitDepth::Sixteen, &[7, 0, 8, 0]).pixels, [7, 8]);
    assert_eq!(encode(ColorType::GrayscaleAlpha, BitDepth::Eight, &[3, 0, 9, 0]).pixels, [3, 9]);
    assert_eq!(encode(ColorType::Rgba, BitDepth::Eight, &[1, 2, 3, 0, 4, 5, 6, 0]).pixels, [1, 2, 3, 4, 5, 6]);
    assert_eq!(encode(ColorType::Indexed, BitDepth::One, &[0b0100_0000]).pixels, [10, 20, 30, 40, 50, 60]);
    assert!(read_png(b"\x89PNG\r\n\x1a\nno").is_err());
}

#[test]
fn refuses_sizes_that_a_file_cannot_hold() {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 8000, 8000);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_chunk(png::chunk::IDAT, &[0x78, 0x9c]).unwrap();
    assert!(read_png(&file).unwrap_err().message.contains("cannot hold"));
}

#[test]
fn reads_pgm_and_ppm() {
    let image = read_pnm(b"P5 # grey\n2 1\n255\n\x01\x02").unwrap();
    assert_eq!(image, grey(2, 1, &[1, 2]));
    assert_eq!(read_pnm(b"P6 1 1 255\n\x01\x02\x03").unwrap().pixels, [1, 2, 3]);
    for broken in [
        &b"P5"[..],
        b"P5 2 1 255\n\x01",
        b"P5 x 1 255\n",
        b"P2 1 1 255\n1",
        b"P5 0 1 255\n",
        b"P5 9999999 9999999 255\n",
    ] {
        assert!(read_pnm(broken).is_err());
    }
}

//! Small files of each format, the pixels that other decoders give, and files that are damaged.

use super::*;
use crate::testing::{ints, refused, run};

/// 7 by 5 pixels, chroma halved both ways.
const BASELINE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb0043000d090a0b0a080d0b0a0b0e0e0d0f13201513121213271c1e17202e2931\
    302e292d2c333a4a3e333646372c2d405741464c4e525352323e5a615a50604a51524fffdb0043010e0e0e131113261515264f352d35\
    4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4fffc00011\
    080005000703012200021101031101ffc4001500010100000000000000000000000000000004ffc40017100100030000000000000000\
    000000000000010304ffc4001501010100000000000000000000000000000305ffc4001a110002020300000000000000000000000000\
    010214030552ffda000c03010002110311003f00a272d601aa61e514b5495589ffd9";
/// By libjpeg-turbo.
const BASELINE_PIXELS: &str = "\
    18b91326b21341a312609312837f119f7111b3651020bb2f2db52f4aa52e68952e8a822da5732cbc682c2dbd6638b66556a765749664\
    978464b27563c8696338bf9446b89462aa94809993a28692c07792d56b9141c0b94fb9b96baab98a99b8ac86b7c977b7de6bb6";
/// 7 by 5 pixels in ten passes, chroma halved in x.
const PROGRESSIVE: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb0043000a07070807060a0808080b0a0a0b0e18100e0d0d0e1d15161118231f25\
    24221f2221262b372f26293429212230413134393b3e3e3e252e4449433c48373d3e3bffdb0043010a0b0b0e0d0e1c10101c3b282228\
    3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3bffc20011\
    080005000703012100021101031101ffc4001500010100000000000000000000000000000003ffc40015010101000000000000000000\
    00000000000204ffda000c03010002100310000001a8d7ffc400161000030000000000000000000000000000000112ffda0008010100\
    010502847fffc40017110100030000000000000000000000000001000423ffda0008010301013f01a4624fffc4001611000300000000\
    00000000000000000000000214ffda0008010201013f01910fffc40014100100000000000000000000000000000000ffda0008010100\
    063f027fffc4001510010100000000000000000000000000000001ffda0008010100013f21abffda000c030100020003000000103fff\
    c4001511010100000000000000000000000000000001ffda0008010301013f109bffc400141101000000000000000000000000000000\
    00ffda0008010201013f103fffc40014100100000000000000000000000000000000ffda0008010100013f103fffd9";
/// By libjpeg-turbo.
const PROGRESSIVE_PIXELS: &str = "\
    10bf081eb8083aa8075997067a8505967504aa6b0419c02b26b72a44a82a639729858428a27427b4692629be6237b76252a861719660\
    93835fb1745fc3695e38be9945b69863a798829697a48396c07395d3689443bdbe51b6be6da7bd8c95bcae83bbca73bade69ba";
/// 8 blocks of one channel, with restart markers.
const GRAY: &str = "\
    ffd8ffe000104a46494600010100000100010000ffdb004300100b0c0e0c0a100e0d0e1211101318281a181616183123251d283a333d\
    3c3933383740485c4e404457453738506d51575f626768673e4d71797064785c656763ffc0000b080005000701011100ffc400140001\
    00000000000000000000000000000003ffc40017100003010000000000000000000000000000010204ffdd00040001ffda0008010100\
    003f00779a0fffd9";
/// By libjpeg-turbo.
const GRAY_PIXELS: &str = "\
    767675757473737d7d7c7c7b7a7a88888787868585939392929190909b9a9a99989897";
/// 2 by 2 pixels with transparency.
const PNG: &str = "\
    89504e470d0a1a0a0000000d494844520000000200000002080600000072b60d240000001a49444154789c636438c1902cff9e818185\
    97c19081978181010020bb028ade58e93d0000000049454e44ae426082";
/// 2 by 2 pixels without loss.
const WEBP: &str = "\
    5249464634000000574542505650384c270000002f014000001f2010202cf81f726347204018d0e03fcbc9c4cc7f8407e6806c803255\
    d844f43f7600";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn image(pixels: PixelFormat, file: &[u8]) -> Tensor {
    run(ImageDecode { pixels }, &[Tensor::from_slice(&[file.len()], file).unwrap()])[0].clone()
}

fn rgb(file: &[u8]) -> Tensor {
    image(PixelFormat::Rgb, file)
}

fn refuse(file: &[u8]) -> String {
    refused(ImageDecode { pixels: PixelFormat::Rgb }, &[Tensor::from_slice(&[file.len()], file).unwrap()])
}

/// A directory of a little-endian TIFF file, and a strip at 200.
fn tiff(fields: &[(u8, u8)], strip: &[u8]) -> Vec<u8> {
    let mut file = vec![b'I', b'I', 42, 0, 8, 0, 0, 0, fields.len() as u8, 0];
    for (tag, value) in fields {
        file.extend([*tag, 1, 3, 0, 1, 0, 0, 0, *value, 0, 0, 0]);
    }
    file.resize(200, 0);
    file.extend(strip);
    file
}

/// A bitmap with a palette of blue and yellow, of 1 bit, 3 by 2.
fn bmp() -> Vec<u8> {
    let header = [b'B', b'M', 70, 0, 0, 0, 0, 0, 0, 0, 62, 0, 0, 0, 40, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 1, 0];
    let mut file = header.to_vec();
    file.resize(54, 0);
    file.extend([255, 0, 0, 0, 0, 255, 255, 0, 0b101 << 5, 0, 0, 0, 0b011 << 5, 0, 0, 0]);
    file
}

#[test]
fn jpeg_files_give_the_samples_of_libjpeg() {
    for (file, pixels) in [(BASELINE, BASELINE_PIXELS), (PROGRESSIVE, PROGRESSIVE_PIXELS)] {
        let found = rgb(&bytes(file));
        assert_eq!((found.shape(), found.bytes()), (&[5, 7, 3][..], &bytes(pixels)[..]));
    }
    let gray = image(PixelFormat::Grayscale, &bytes(GRAY));
    assert_eq!((gray.shape(), gray.bytes()), (&[5, 7, 1][..], &bytes(GRAY_PIXELS)[..]));
    let swapped = image(PixelFormat::Bgr, &bytes(BASELINE));
    assert!(swapped.bytes()[..3].iter().eq(bytes(BASELINE_PIXELS)[..3].iter().rev()));
}

#[test]
fn uncompressed_formats() {
    let (blue, yellow) = ([0, 0, 255], [255, 255, 0]);
    let found = rgb(&bmp());
    assert_eq!(
        (found.shape(), found.bytes()),
        (&[2, 3, 3][..], &[blue, yellow, yellow, yellow, blue, yellow].concat()[..])
    );
    assert_eq!(image(PixelFormat::Grayscale, &bmp()).bytes(), [29, 226, 226, 226, 29, 226]);
    let cases: [(&[u8], &[u8]); 6] = [
        (b"P1 # text\n2 1\n10", &[0, 255]),
        (b"P2 2 1 3\n1 3", &[85, 255]),
        (b"P4 9 1\n\x80\x80", &[0, 255, 255, 255, 255, 255, 255, 255, 0]),
        (b"P5 2 1 255\n\x07\xff", &[7, 255]),
        (b"P5 1 1 65535\n\x80\x80", &[128]),
        (b"P3 1 1 255 1 2 3", &[2]),
    ];
    for (file, gray) in cases {
        assert_eq!(image(PixelFormat::Grayscale, file).bytes(), gray);
    }
    let fields = [(0, 2), (1, 1), (2, 8), (3, 1), (6, 2), (17, 200), (21, 3), (23, 6)];
    assert_eq!(rgb(&tiff(&fields, &[1, 2, 3, 4, 5, 6])).bytes(), [1, 2, 3, 4, 5, 6]);
    let inverse = [(0, 2), (1, 1), (2, 8), (3, 1), (6, 0), (17, 200), (23, 2)];
    assert_eq!(image(PixelFormat::Grayscale, &tiff(&inverse, &[0, 254])).bytes(), [255, 1]);
}

#[cfg(feature = "images")]
#[test]
fn formats_of_other_crates() {
    let found = rgb(&bytes(PNG));
    assert_eq!((found.shape(), found.bytes()), (&[2, 2, 3][..], &bytes("00c8001fb7000dc8312cb731")[..]));
    assert_eq!(rgb(&bytes(WEBP)).bytes(), bytes("00c8001fb7000dc8312cb731"));
}

#[cfg(not(feature = "images"))]
#[test]
fn formats_of_other_crates() {
    assert_eq!(refuse(&bytes(PNG)), "PNG images, as this build lacks the feature `images`");
    assert_eq!(refuse(&bytes(WEBP)), "WebP images, as this build lacks the feature `images`");
}

#[test]
fn no_image_and_unsupported_ones() {
    for file in [&b""[..], b"GIF89a", b"BM", b"P6 1 1 255\n\0", b"\xff\xd8\xff\xd9"] {
        assert_eq!(rgb(file).shape(), [0, 0, 3]);
    }
    assert_eq!(refuse(b"\0\0\0\x0cjP  \r\n"), "JPEG 2000 images");
    assert_eq!(refuse(b"P5 100000 100000 255\n"), "an image of 100000 by 100000 pixels in 21 bytes");
    let mut twelve = bytes(BASELINE);
    let frame = twelve.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    twelve[frame + 4] = 12;
    assert_eq!(refuse(&twelve), "JPEG images of 3 channels of 12 bits");
    let numbers = refused(ImageDecode { pixels: PixelFormat::Rgb }, &[ints(&[1], &[1])]);
    assert_eq!(numbers, "an image file is u8[n], not i64[1]");
}

#[test]
fn damaged_files_do_no_harm() {
    let tiff = tiff(&[(0, 2), (1, 1), (2, 8), (3, 1), (6, 1), (17, 200), (23, 2)], &[1, 2]);
    let texts: [&[u8]; 2] = [b"P3 1 2 9 1 2 3 4 5 6", b"P4 9 1\n\x80\x80"];
    let mut files: Vec<Vec<u8>> = [BASELINE, PROGRESSIVE, GRAY, PNG, WEBP].map(bytes).to_vec();
    files.extend([bmp(), tiff]);
    files.extend(texts.map(<[u8]>::to_vec));
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for file in &files {
        for _ in 0..300 {
            let mut file = file.clone();
            for _ in 0..=random(3) {
                let at = random(file.len());
                file[at] = random(256) as u8;
            }
            file.truncate(file.len() - random(4).saturating_sub(2) * random(file.len()));
            if let Ok(image) = decode(&file) {
                assert_eq!(image.samples.len(), image.width * image.height * image.channels);
            }
        }
    }
}

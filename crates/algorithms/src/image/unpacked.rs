//! Formats that other crates decode, without the feature `images`.

use super::{Decoded, Failure};

/// No image of a `.png` file.
pub(super) fn png(_: &[u8]) -> Decoded {
    Err(Failure::unsupported("PNG images, as this build lacks the feature `images`"))
}

/// No image of a `.webp` file.
pub(super) fn webp(_: &[u8]) -> Decoded {
    Err(Failure::unsupported("WebP images, as this build lacks the feature `images`"))
}

//! What a machine can do: plain data, found in one place and passed on, so that it can be another machine's.

/// Which instructions may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// None in particular: loops in Rust.
    Portable,
    /// AVX2, FMA and F16C: vectors of 256 bits.
    Avx2,
    /// AVX-512 F, BW, DQ and VL: vectors of 512 bits with masks.
    Avx512,
}

impl Level {
    /// Every level, the plainest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The name in options and in the names of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The level called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|l| l.name() == name)
    }

    /// Bytes of a vector register; those of a cache line where there are no vectors.
    pub fn vector_bytes(self) -> usize {
        if self == Self::Avx2 { 32 } else { 64 }
    }
}

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Its instructions.
    pub level: Level,
    /// Dot products of bytes (VNNI).
    pub vnni: bool,
    /// Dot products of bf16.
    pub bf16: bool,
    /// Bytes of a core's first cache.
    pub l1: usize,
    /// Bytes of a core's second cache.
    pub l2: usize,
}

impl Target {
    /// A machine without vector instructions.
    pub const PORTABLE: Self = Self { level: Level::Portable, vnni: false, bf16: false, l1: 32 << 10, l2: 1 << 20 };

    /// This machine.
    pub fn detect() -> Self {
        let level = detected();
        let wide = level == Level::Avx512;
        Self { level, vnni: wide && has("avx512vnni"), bf16: wide && has("avx512bf16"), ..Self::PORTABLE }
    }

    /// The same machine held to plainer instructions.
    pub fn at_most(self, level: Level) -> Self {
        let level = level.min(self.level);
        let wide = level == Level::Avx512;
        Self { level, vnni: self.vnni && wide, bf16: self.bf16 && wide, ..self }
    }
}

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "avx512vnni" => std::is_x86_feature_detected!("avx512vnni"),
        "avx512bf16" => std::is_x86_feature_detected!("avx512bf16"),
        _ => false,
    }
}

#[cfg(target_arch = "x86_64")]
fn detected() -> Level {
    macro_rules! all {
        ($($feature:tt)+) => { true $(&& std::is_x86_feature_detected!($feature))+ };
    }
    if !all!("avx2" "fma" "f16c" "bmi2") {
        Level::Portable
    } else if all!("avx512f" "avx512bw" "avx512dq" "avx512vl") {
        Level::Avx512
    } else {
        Level::Avx2
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_: &str) -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Level {
    Level::Portable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names_and_an_order() {
        for level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
        }
        let here = Target::detect();
        assert_eq!(here.at_most(Level::Portable).level, Level::Portable);
        assert!(!here.at_most(Level::Avx2).vnni);
        assert_eq!(here.at_most(Level::Avx512), here);
    }
}

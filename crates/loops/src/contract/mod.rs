//! The Contract form: a batch of products of small matrices, summed into one tile that stays in registers.
//!
//! `C[m, n] = (C[m, n] or 0) + sum over batch r and steps k : A_r[m, k] * B_r[k, n]`, where the addresses of `A_r` and
//! `B_r` come from a table of offsets (batch-reduce GEMM, "Tensor Processing Primitives" §3). An element of C is one
//! chain of fused multiply-adds in rising `r`, then rising `k`, so no choice of tile changes a bit.

mod interpret;

pub use interpret::{Operands, interpret};

use tilewright_tensor::DType;

/// The dtypes of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Product {
    /// f32 by f32 in f32.
    F32,
    /// f64 by f64 in f64.
    F64,
    /// f16 by f16 in f32, each converted exactly.
    F16,
    /// bf16 by bf16 in f32, two at a step.
    Bf16,
    /// u8 (A) by i8 (B) in i32, four at a step.
    U8S8,
    /// i8 by i8 in i32, four at a step.
    S8S8,
    /// u8 by u8 in i32, four at a step.
    U8U8,
}

impl Product {
    /// Every product.
    pub const ALL: [Self; 7] = [Self::F32, Self::F64, Self::F16, Self::Bf16, Self::U8S8, Self::S8S8, Self::U8U8];

    /// The dtype of A's elements.
    pub fn a(self) -> DType {
        match self {
            Self::F32 => DType::F32,
            Self::F64 => DType::F64,
            Self::F16 => DType::F16,
            Self::Bf16 => DType::BF16,
            Self::U8S8 | Self::U8U8 => DType::U8,
            Self::S8S8 => DType::I8,
        }
    }

    /// The dtype of B's elements.
    pub fn b(self) -> DType {
        match self {
            Self::U8S8 => DType::I8,
            other => other.a(),
        }
    }

    /// The dtype of C's elements.
    #[inline]
    pub fn c(self) -> DType {
        match self {
            Self::F32 | Self::F16 | Self::Bf16 => DType::F32,
            Self::F64 => DType::F64,
            Self::U8S8 | Self::S8S8 | Self::U8U8 => DType::I32,
        }
    }

    /// Elements of the summed axis in a step: they stand together in memory, for each row of A and each column of B.
    #[inline]
    pub fn per_step(self) -> usize {
        match self {
            Self::F32 | Self::F64 | Self::F16 => 1,
            Self::Bf16 => 2,
            Self::U8S8 | Self::S8S8 | Self::U8U8 => 4,
        }
    }

    /// Bytes of a step of one row of A, or of one column of B.
    #[inline]
    pub fn step_bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F64 => 8,
            _ => 4,
        }
    }

    /// Bytes of an element of C.
    #[inline]
    pub fn c_bytes(self) -> usize {
        if self == Self::F64 { 8 } else { 4 }
    }

    /// The name in names of kernels.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::U8S8 => "u8s8",
            Self::S8S8 => "s8s8",
            Self::U8U8 => "u8u8",
        }
    }
}

/// What is baked into the code of a Contract. Everything else is an argument: sizes, strides, offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contract {
    /// The dtypes.
    pub product: Product,
    /// Rows of the tile.
    pub rows: u8,
    /// Vectors of columns of the tile.
    pub vectors: u8,
    /// Rows at a constant distance; groups of them stand anywhere. At most [`Contract::GROUP`].
    pub group: u8,
    /// Where the next step of a row of A is.
    pub a_steps: Steps,
    /// Whether the last vector of columns is partial.
    pub partial: bool,
}

/// How the steps of A's rows stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Steps {
    /// Side by side.
    Dense,
    /// At a distance given as an argument: A is transposed or packed.
    Strided,
}

impl Contract {
    /// The most rows of a group: what one address register reaches by scaled strides.
    pub const GROUP: u8 = 5;

    /// The name in profiles: `contract_f32_8x48`.
    pub fn name(&self, lanes: usize) -> String {
        let tail = if self.partial { "_partial" } else { "" };
        format!("contract_{}_{}x{}{tail}", self.product.name(), self.rows, usize::from(self.vectors) * lanes)
    }
}

/// Positions in the block of arguments; each is 64 bits. Distances are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Arg {
    /// The address of A.
    A,
    /// The address of B.
    B,
    /// The address of C.
    C,
    /// From a row of A to the next of its group.
    ARow,
    /// From a group of rows of A to the next.
    AGroup,
    /// From a step of A to the next, if they are strided.
    AStep,
    /// From a step of B to the next; a step holds the columns side by side.
    BStep,
    /// From a row of C to the next of its group.
    CRow,
    /// From a group of rows of C to the next.
    CGroup,
    /// The number of steps.
    Steps,
    /// The number of products in the batch.
    Batch,
    /// The address of the offsets: for each product two 64-bit distances, added to A and to B.
    Offsets,
    /// Columns of the last vector that there are, if it is partial.
    Columns,
    /// Whether C is added to: 0 or 1.
    Accumulate,
    /// The address of what is read after this call: [`AHEAD`] bytes of it are hinted at for every four steps. It need
    /// not be anything.
    Next,
    /// From the bytes hinted at to those of the next four steps.
    NextStep,
}

/// Bytes hinted at for every four steps.
pub const AHEAD: i32 = 128;

/// The number of arguments.
pub const ARGS: usize = Arg::NextStep as usize + 1;

//! Instructions over registers: the seam between what is computed and how a machine encodes it.
//!
//! A [`Function`](crate::function::Function) holds them with virtual registers; [`allocate`](crate::allocate) gives
//! each a physical one.

pub use crate::visit::Access;
use crate::x86::VecOp;

/// The kind of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Lanes.
    Vector,
    /// A truth value for each lane (AVX-512); without it masks are vectors.
    Mask,
    /// An address or a count.
    General,
}

impl Class {
    /// All classes, at their place.
    pub const ALL: [Class; 3] = [Self::Vector, Self::Mask, Self::General];
}

/// A register, virtual or physical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg {
    /// The kind.
    pub class: Class,
    /// The number among its kind.
    pub id: u16,
}

/// The bits of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// 128.
    X,
    /// 256.
    Y,
    /// 512.
    Z,
}

impl Width {
    /// Bytes.
    pub fn bytes(self) -> usize {
        16 << self as usize
    }
}

/// What an address starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A register.
    Reg(Reg),
    /// The function's constants.
    Pool,
    /// The function's frame.
    Frame,
}

/// A place in memory: `base + index * scale + disp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mem {
    /// Where it starts.
    pub base: Base,
    /// A register and 1, 2, 4 or 8; a vector of a gather.
    pub index: Option<(Reg, u8)>,
    /// Bytes.
    pub disp: i32,
}

impl Mem {
    /// A register plus bytes.
    pub fn at(base: Reg, disp: i32) -> Self {
        Self { base: Base::Reg(base), index: None, disp }
    }

    /// With a scaled register added.
    pub fn plus(self, index: Reg, scale: u8) -> Self {
        Self { index: Some((index, scale)), ..self }
    }

    /// Some bytes further.
    pub fn offset(self, bytes: i32) -> Self {
        Self { disp: self.disp + bytes, ..self }
    }
}

/// An operand of a vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A vector in memory.
    Mem(Mem),
    /// One element in memory, for every lane (AVX-512).
    Splat(Mem),
}

impl From<Reg> for Operand {
    fn from(r: Reg) -> Self {
        Self::Reg(r)
    }
}

impl From<Mem> for Operand {
    fn from(m: Mem) -> Self {
        Self::Mem(m)
    }
}

/// Lanes that take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Masking {
    /// The mask register.
    pub by: Reg,
    /// Whether other lanes become zero; else they stay.
    pub zero: bool,
}

/// A vector instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VecInst {
    /// What it does.
    pub op: VecOp,
    /// Its size.
    pub width: Width,
    /// The destination.
    pub dst: Operand,
    /// Its sources.
    pub srcs: [Option<Operand>; 3],
    /// A selector: a comparison, a direction, a shuffle.
    pub imm: Option<u8>,
    /// Lanes that take part; all without it.
    pub mask: Option<Masking>,
}

/// What a general instruction does. `dst op= a` unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GprOp {
    /// `dst = a`.
    Move,
    /// `dst = &a`: the address of the memory operand.
    Address,
    /// `dst = a`, one byte of memory, zeros in front.
    LoadByte,
    /// `dst = a`, two bytes of memory, zeros in front.
    LoadWord,
    /// `dst = a`, four bytes of memory, zeros in front.
    LoadDouble,
    /// `dst = a`, eight bytes of memory.
    Load,
    /// One byte of `dst` to the memory operand.
    StoreByte,
    /// Two bytes of `dst` to the memory operand.
    StoreWord,
    /// Four bytes of `dst` to the memory operand.
    StoreDouble,
    /// `dst` to the memory operand.
    Store,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Sets the flags of `dst - a`.
    Compare,
    /// `dst`'s bits from `a` on become zero.
    KeepLow,
}

/// What a general instruction does with an immediate: `dst op= imm` unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImmOp {
    /// `dst = imm`.
    Set,
    /// Sum.
    Add,
    /// Bits.
    And,
    /// Product.
    Mul,
    /// Shift to higher bits.
    Shl,
    /// Shift to lower bits, zeros follow.
    Shr,
    /// Sets the flags of `dst - imm`.
    Compare,
}

/// What a mask instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskOp {
    /// `dst = a`, a general register's low bits.
    FromGeneral,
    /// `dst = a`, to a general register.
    ToGeneral,
    /// `dst = a`.
    Move,
    /// `dst = a & b`.
    And,
    /// `dst = a | b`.
    Or,
    /// `dst = a ^ b`.
    Xor,
    /// `dst = !a & b`.
    AndNot,
    /// `dst = !a`.
    Not,
    /// `dst =` the signs of a vector's 32-bit lanes, to a general register.
    Signs32,
    /// `dst =` the signs of a vector's 64-bit lanes, to a general register.
    Signs64,
}

/// A condition of a jump, on the last comparison; sizes compare unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cond {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Below.
    Below,
    /// Above or equal.
    NotBelow,
    /// Signed: below.
    Less,
    /// Signed: above or equal.
    NotLess,
}

/// A place to jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub u32);

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// Over lanes.
    Vec(VecInst),
    /// `dst = a * b + c` of floats, 64-bit ones if `wide`; made one of three forms when registers are known.
    Fma {
        /// Whether lanes have 64 bits.
        wide: bool,
        /// Its size.
        width: Width,
        /// The destination.
        dst: Reg,
        /// A factor.
        a: Reg,
        /// A factor.
        b: Operand,
        /// The term; memory only if `b` is a register.
        c: Operand,
    },
    /// `dst = 0`.
    Zero(Reg),
    /// `dst =` the argument of the function.
    Argument(Reg),
    /// Over addresses and counts.
    General(GprOp, Reg, Operand),
    /// With an immediate.
    Immediate(ImmOp, Reg, i64),
    /// Over masks.
    Mask(MaskOp, Reg, Reg, Option<Reg>),
    /// A mask from the frame if true, else to it.
    MaskSlot(Reg, i32, bool),
    /// A place to jump to.
    Bind(Label),
    /// A jump, always without a condition.
    Jump(Option<Cond>, Label),
    /// Starts at a multiple of so many bytes.
    Align(u8),
    /// Hints that memory will be used: brings its line to the second cache.
    Prefetch(Mem),
    /// The control word of float arithmetic: from memory if true, else to it.
    FloatMode(Mem, bool),
    /// What was stored past the caches is seen before what is stored later.
    Fence,
    /// Calls machine code with an address as its argument: all registers but those that functions keep are lost.
    Call {
        /// Where the code is.
        code: Reg,
        /// The argument, less `disp`.
        args: Reg,
        /// Bytes added to it.
        disp: i32,
    },
    /// The end.
    Return,
}

//! Primitives over strips.

use super::strip::{Cell, Strip};
use tilewright_loops::prim::Cmp::{Eq, Le, Lt, Unordered};
use tilewright_loops::prim::Rounding::{Ceil, Even, Floor, Trunc};
use tilewright_loops::prim::{Lane, Prim};

/// Computes a primitive, whose last argument is of a lane, for so many lanes of strips.
pub(super) type Apply = unsafe fn(Prim, Lane, usize, &mut Strip, [&Strip; 3]);

/// What is the fastest here.
pub(super) fn fastest() -> Apply {
    #[cfg(target_arch = "x86_64")]
    if super::has_fma() {
        return with_fma;
    }
    plain
}

/// With the instructions that make one step of a multiply-add.
///
/// # Safety
/// The machine has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_fma(prim: Prim, lane: Lane, count: usize, to: &mut Strip, args: [&Strip; 3]) {
    apply(prim, lane, count, to, args);
}

/// The same on any machine.
///
/// # Safety
/// There is nothing to promise: the type is that of the function above.
pub(super) unsafe fn plain(prim: Prim, lane: Lane, count: usize, to: &mut Strip, args: [&Strip; 3]) {
    apply(prim, lane, count, to, args);
}

/// Chooses among loops of one primitive each: cells of the first argument, of the others, and of the result.
macro_rules! choose {
    ($prim:expr, $lane:expr, $count:expr, $to:expr, $args:expr;
     $([$first:ty, $rest:ty, $result:ty]: $($name:ident $(($param:ident))?)+;)+) => {
        match $prim {
            $($(Prim::$name $(($param))? => {
                each::<$first, $rest, $result>(Prim::$name $(($param))?, $lane, $count, $to, $args)
            })+)+
            other => rare(other, $lane, $count, $to, $args),
        }
    };
}

#[inline(always)]
fn apply(prim: Prim, lane: Lane, count: usize, to: &mut Strip, args: [&Strip; 3]) {
    match lane {
        Lane::F32 => choose!(prim, Lane::F32, count, to, args;
            [u32, u32, u32]: Add Sub Mul Div Sqrt Fma Min Max Scale Round(Even) Round(Floor) Round(Ceil) Round(Trunc)
                Cmp(Lt) Cmp(Le) Cmp(Eq) Cmp(Unordered) FloatToInt FloatToIntTrunc And Or Xor AndNot Bits Select;
            [u32, u32, u64]: Extend;),
        Lane::F64 => choose!(prim, Lane::F64, count, to, args;
            [u64, u64, u64]: Add Sub Mul Div Sqrt Fma Min Max Scale Round(Even) Round(Floor) Round(Ceil) Round(Trunc)
                FloatToInt FloatToIntTrunc And Or Xor AndNot Bits;
            [u64, u64, u32]: Cmp(Lt) Cmp(Le) Cmp(Eq) Cmp(Unordered) Narrow;
            [u32, u64, u64]: Select;),
        Lane::I32 => choose!(prim, Lane::I32, count, to, args;
            [u32, u32, u32]: IAdd ISub IMul IMulHigh IMin IMax IEq IGt And Or Xor AndNot Shl(by) Shr(by) Sar(by) ShlBy
                ShrBy SarBy IntToFloat Bits Select Lookup(table);
            [u32, u32, u64]: Extend ExtendUnsigned;),
        Lane::I64 => choose!(prim, Lane::I64, count, to, args;
            [u64, u64, u64]: IAdd ISub IMul IMin IMax And Or Xor AndNot Shl(by) Shr(by) Sar(by) ShlBy ShrBy SarBy
                IntToFloat Bits;
            [u64, u64, u32]: IEq IGt Narrow;
            [u32, u64, u64]: Select;),
        Lane::Mask => choose!(prim, Lane::Mask, count, to, args; [u32, u32, u32]: MaskAnd MaskOr MaskXor MaskNot;),
    }
}

#[inline(always)]
fn each<A: Cell, B: Cell, R: Cell>(prim: Prim, lane: Lane, count: usize, to: &mut Strip, [a, b, c]: [&Strip; 3]) {
    let (a, b, c) = (A::lanes(a)[..count].iter(), B::lanes(b)[..count].iter(), B::lanes(c)[..count].iter());
    for (((to, a), b), c) in R::lanes_mut(to)[..count].iter_mut().zip(a).zip(b).zip(c) {
        *to = R::of(prim.eval(lane, [a.bits(), b.bits(), c.bits()]));
    }
}

/// Any primitive, lane by lane.
#[inline(never)]
fn rare(prim: Prim, lane: Lane, count: usize, to: &mut Strip, [a, b, c]: [&Strip; 3]) {
    let wide = lane.bits() == 64;
    let (first, result) = (wide && prim != Prim::Select, prim.result(lane).bits() == 64);
    for n in 0..count {
        to.set(n, result, prim.eval(lane, [a.get(n, first), b.get(n, wide), c.get(n, wide)]));
    }
}

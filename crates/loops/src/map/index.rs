//! Indices and predicates as steps, and elements that are read at places or by their numbers.

use super::{Map, Stride};
use crate::block::{Block, Step, Val};
use crate::expand;
use crate::prim::{Lane, Prim};
use tilewright_scalar::{Kind, Pred, Scalar};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

/// Where elements of flat operands are read; `None` everywhere.
pub(super) type Mask = Option<Val>;

/// Whether a node, apart from those below it, reads elements of flat operands.
pub(super) fn is_guarded(map: &Map, node: &Scalar) -> bool {
    match node.kind() {
        Kind::Read(o, index) => is_flat(map, *o) || index.iter().any(|ix| reads_flat(map, ix)),
        Kind::Index(ix) => reads_flat(map, ix),
        Kind::Where(preds, ..) => preds.iter().any(|p| reads_flat(map, p.ix())),
        Kind::Const(_) | Kind::Call(..) => false,
    }
}

fn is_flat(map: &Map, o: u32) -> bool {
    map.operands.get(o as usize).is_some_and(|o| o.is_flat())
}

fn reads_flat(map: &Map, ix: &Ix) -> bool {
    let mut found = false;
    ix.visit(&mut |a| found |= matches!(a, Atom::Load(o, _) if is_flat(map, *o)));
    found
}

/// An index as an i64.
pub(super) fn number(map: &Map, block: &mut Block, ix: &Ix, mask: Mask) -> Result<Val> {
    if !map.narrow {
        return Indices { map, lane: Lane::I64 }.value(block, ix, mask);
    }
    let value = Indices { map, lane: Lane::I32 }.value(block, ix, mask)?;
    Ok(block.prim(Prim::Extend, &[value]))
}

/// Where predicates hold, each read where those before it do.
pub(super) fn holds(map: &Map, block: &mut Block, preds: &[Pred], mask: Mask) -> Result<Val> {
    let (mut all, mut mask) = (None, mask);
    for pred in preds {
        let one = predicate(map, block, pred, mask)?;
        let and = |block: &mut Block, old: Mask| old.map_or(one, |old| block.prim(Prim::MaskAnd, &[old, one]));
        all = Some(and(block, all));
        if preds.iter().any(|p| reads_flat(map, p.ix())) {
            mask = Some(and(block, mask));
        }
    }
    all.ok_or_else(|| Diagnostic::internal("a guard without predicates"))
}

fn predicate(map: &Map, block: &mut Block, pred: &Pred, mask: Mask) -> Result<Val> {
    let indices = Indices::of(map, pred.ix());
    let value = indices.value(block, pred.ix(), mask)?;
    let constant = indices.constant(block, if matches!(pred, Pred::Ge0(_)) { -1 } else { 0 });
    let prim = if matches!(pred, Pred::Ge0(_)) { Prim::IGt } else { Prim::IEq };
    Ok(block.prim(prim, &[value, constant]))
}

/// The value of an element.
pub(super) fn read(map: &Map, block: &mut Block, (o, index, dtype): (u32, &[Ix], DType), mask: Mask) -> Result<Val> {
    let operand = map.operands[o as usize];
    let lane = expand::lane(dtype).ok_or_else(|| Diagnostic::unsupported(format!("{} in kernels", dtype.name())))?;
    let raw = match dtype.bits() {
        64 | 32 => lane,
        _ => Lane::I32,
    };
    let fits = operand.dtype == dtype;
    let axes: Vec<Option<u32>> = index.iter().map(Ix::as_axis).collect();
    let step = match index {
        [ix] if operand.is_flat() && fits => {
            let first = ix - &Ix::axis(1);
            // What a mask hides is 0 in some columns.
            let hidden = mask.is_some() && reads_flat(map, &first);
            let along = !hidden && !varies_by_column(map, &first);
            let index = Indices::of(map, ix).value(block, if along { &first } else { ix }, mask)?;
            let mask = mask.unwrap_or_else(|| block.number(Lane::Mask, 1.0));
            Step::Gather { operand: o, index, mask, along }
        }
        _ if !operand.is_flat() && fits && axes == [Some(0), Some(1)] => Step::Load(o),
        _ => {
            let how = if operand.is_flat() { "[index]" } else { "[i, j]" };
            return Err(Diagnostic::invalid(format!("operand {o} is not read as {} at {how}", operand.dtype.name())));
        }
    };
    if operand.column == Stride::Bits {
        return Ok(block.step(step, lane));
    }
    let raw = block.step(step, raw);
    Ok(expand::loaded(block, dtype, raw))
}

/// Whether an index differs from column to column.
fn varies_by_column(map: &Map, ix: &Ix) -> bool {
    let any = |parts: &[&Ix]| parts.iter().any(|ix| varies_by_column(map, ix));
    ix.terms().iter().flat_map(|(atoms, _)| atoms).any(|atom| match atom {
        Atom::Axis(a) => *a == 1,
        Atom::Sym(_) => false,
        Atom::Div(a, b) | Atom::Mod(a, b) | Atom::Min(a, b) | Atom::Max(a, b) => any(&[a, b]),
        Atom::Load(o, index) => match map.operands.get(*o as usize) {
            Some(operand) if !operand.is_flat() => operand.column != Stride::Zero,
            _ => index.iter().any(|ix| varies_by_column(map, ix)),
        },
    })
}

/// Indices as integers of a lane.
struct Indices<'a> {
    map: &'a Map,
    lane: Lane,
}

impl<'a> Indices<'a> {
    /// In 32 bits where those are enough.
    fn of(map: &'a Map, ix: &Ix) -> Self {
        let small = map.narrow || largest(map, ix).is_some();
        Self { map, lane: if small { Lane::I32 } else { Lane::I64 } }
    }

    fn constant(&self, block: &mut Block, x: i64) -> Val {
        if self.lane == Lane::I64 { block.i64(x) } else { block.i32(x as i32) }
    }

    /// Sums and products wrap.
    fn value(&self, block: &mut Block, ix: &Ix, mask: Mask) -> Result<Val> {
        let mut sum: Option<Val> = None;
        for (atoms, c) in ix.terms().iter().filter(|(atoms, _)| !atoms.is_empty()) {
            let mut product: Option<Val> = None;
            for atom in atoms {
                let value = self.atom(block, atom, mask)?;
                product = Some(product.map_or(value, |p| block.prim(Prim::IMul, &[p, value])));
            }
            let product = product.map(|p| self.times(block, p, *c));
            sum = sum.zip(product).map(|(a, b)| block.prim(Prim::IAdd, &[a, b])).or(product);
        }
        let last = self.constant(block, ix.constant_term());
        Ok(match sum {
            None => last,
            Some(sum) if ix.constant_term() == 0 => sum,
            Some(sum) => block.prim(Prim::IAdd, &[sum, last]),
        })
    }

    fn times(&self, block: &mut Block, value: Val, c: i64) -> Val {
        if c == 1 {
            return value;
        }
        if c > 0 && c.count_ones() == 1 && c.trailing_zeros() < self.lane.bits() {
            return block.prim(Prim::Shl(c.trailing_zeros() as u8), &[value]);
        }
        let c = self.constant(block, c);
        block.prim(Prim::IMul, &[value, c])
    }

    fn atom(&self, block: &mut Block, atom: &Atom, mask: Mask) -> Result<Val> {
        Ok(match atom {
            Atom::Axis(0) => self.place(block, Step::Row),
            Atom::Axis(1) => self.place(block, Step::Column),
            Atom::Axis(a) if *a < 2 + self.map.places => block.step(Step::Place(a - 2), self.lane),
            Atom::Axis(_) => return Err(Diagnostic::invalid("an axis that the map does not have")),
            Atom::Sym(_) => return Err(Diagnostic::unsupported("in kernels, an index with a symbol")),
            Atom::Div(e, k) => self.floor(block, (e, k), mask)?[0],
            Atom::Mod(e, k) => self.floor(block, (e, k), mask)?[1],
            Atom::Min(a, b) => self.extreme(block, Prim::IMin, [a, b], mask)?,
            Atom::Max(a, b) => self.extreme(block, Prim::IMax, [a, b], mask)?,
            Atom::Load(o, index) => self.element(block, (*o, index), mask)?,
        })
    }

    fn place(&self, block: &mut Block, step: Step) -> Val {
        let place = block.step(step, Lane::I32);
        self.of_i32(block, place)
    }

    fn of_i32(&self, block: &mut Block, value: Val) -> Val {
        if self.lane == Lane::I64 { block.prim(Prim::Extend, &[value]) } else { value }
    }

    fn floor(&self, block: &mut Block, (e, k): (&Ix, &Ix), mask: Mask) -> Result<[Val; 2]> {
        let by = k.as_const().filter(|k| *k > 0);
        let by = by.ok_or_else(|| Diagnostic::unsupported("in kernels, a division by what is no positive constant"))?;
        let value = self.value(block, e, mask)?;
        Ok(expand::floor(block, value, by))
    }

    fn extreme(&self, block: &mut Block, prim: Prim, sides: [&Ix; 2], mask: Mask) -> Result<Val> {
        let [a, b] = [self.value(block, sides[0], mask)?, self.value(block, sides[1], mask)?];
        Ok(block.prim(prim, &[a, b]))
    }

    /// An element of an integer operand.
    fn element(&self, block: &mut Block, (o, index): (u32, &[Ix]), mask: Mask) -> Result<Val> {
        let operand = self.map.operands.get(o as usize);
        let dtype = operand.map(|o| o.dtype).filter(|d| d.is_int() || *d == DType::Bool);
        let dtype = dtype.ok_or_else(|| Diagnostic::invalid(format!("operand {o} is an index, but no integer")))?;
        let value = read(self.map, block, (o, index, dtype), mask)?;
        Ok(match (block.lane(value), dtype) {
            (Lane::Mask, _) => {
                let [one, zero] = [1, 0].map(|x| self.constant(block, x));
                block.prim(Prim::Select, &[value, one, zero])
            }
            (Lane::I64, _) if self.lane == Lane::I32 => block.prim(Prim::Narrow, &[value]),
            (Lane::I64, _) => value,
            (_, DType::U32) if self.lane == Lane::I64 => block.prim(Prim::ExtendUnsigned, &[value]),
            _ => self.of_i32(block, value),
        })
    }
}

/// The largest size of an index over all tiles, where 32 bits hold it and all parts of it.
fn largest(map: &Map, ix: &Ix) -> Option<u64> {
    let mut sum = 0u64;
    for (atoms, c) in ix.terms() {
        let mut product = c.unsigned_abs();
        for atom in atoms {
            product = product.checked_mul(largest_of(map, atom)?)?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum).filter(|sum| *sum <= 1 << 30)
}

fn largest_of(map: &Map, atom: &Atom) -> Option<u64> {
    match atom {
        Atom::Axis(0 | 1) => Some(super::LARGEST),
        Atom::Axis(_) | Atom::Sym(_) => None,
        Atom::Div(e, _) => largest(map, e),
        Atom::Mod(e, k) => largest(map, e).and(largest(map, k)),
        Atom::Min(a, b) | Atom::Max(a, b) => Some(largest(map, a)?.max(largest(map, b)?)),
        Atom::Load(o, index) => {
            index.iter().try_for_each(|ix| largest(map, ix).map(|_| ()))?;
            let bits = map.operands.get(*o as usize)?.dtype.bits();
            (bits < 32).then(|| 1 << bits)
        }
    }
}

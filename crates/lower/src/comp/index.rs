//! Indices over a tile: rows, columns, and what the loops around add.

use super::leaf::Maker;
use super::part::{affine, bounds};
use tilewright_graph::scalar::Pred;
use tilewright_loops::map::{Index, Map, Operand, Stride};
use tilewright_nests::Place;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::{Atom, Ix};

impl Maker<'_> {
    /// An index over the axes of the part as one over the tile.
    pub fn local(&mut self, ix: &Ix) -> Result<Ix> {
        let (mut offset, mut factors, mut sum) = (0, vec![0; self.part.axes.len()], Ix::zero());
        for (product, c) in ix.terms() {
            match product.as_slice() {
                [] => offset = *c,
                [Atom::Axis(a)] => factors[*a as usize] = *c,
                atoms => {
                    let mut term = Ix::konst(*c);
                    for a in atoms {
                        term = term * self.atom(a)?;
                    }
                    sum = sum + term;
                }
            }
        }
        for (n, axis) in [self.frame.row, self.frame.column].into_iter().enumerate() {
            if let Some(axis) = axis {
                sum = sum + Ix::axis(n as u32) * factors[axis];
            }
        }
        Ok(sum + self.place(offset, &factors))
    }

    /// A predicate over the axes of the part as one over the tile.
    pub fn local_pred(&mut self, pred: &Pred) -> Result<Pred> {
        Ok(match pred {
            Pred::Ge0(e) => Pred::Ge0(self.local(e)?),
            Pred::Eq0(e) => Pred::Eq0(self.local(e)?),
        })
    }

    /// What loops add, and a constant.
    fn place(&mut self, offset: i64, factors: &[i64]) -> Ix {
        let steps: Vec<i64> = self.frame.around.iter().map(|a| factors[a.axis] * a.step).collect();
        if steps.iter().all(|s| *s == 0) {
            return Ix::konst(offset);
        }
        let place = Place { offset, steps };
        let at = self.places.iter().position(|p| *p == place).unwrap_or_else(|| {
            self.places.push(place);
            self.map.places += 1;
            self.places.len() - 1
        });
        Map::place(at as u32)
    }

    fn atom(&mut self, atom: &Atom) -> Result<Ix> {
        Ok(match atom {
            Atom::Div(e, k) => self.local(e)?.floor_div(k),
            Atom::Mod(e, k) => self.local(e)?.modulo(k),
            Atom::Min(a, b) => self.local(a)?.min_with(&self.local(b)?),
            Atom::Max(a, b) => self.local(a)?.max_with(&self.local(b)?),
            Atom::Load(o, index) => self.load(*o as usize, index)?,
            Atom::Axis(_) => self.local(&Ix::atom(atom.clone()))?,
            Atom::Sym(_) => return Err(Diagnostic::unsupported("a size that is not known")),
        })
    }

    fn load(&mut self, o: usize, index: &[Ix]) -> Result<Ix> {
        let [number] = index else { return Err(Diagnostic::internal("an element with more than one number")) };
        let dtype = self.operands[o].dtype;
        if let Some((offset, factors)) = self.in_room(o, number) {
            let at = self.strided(o, dtype, (offset, &factors));
            return Ok(Ix::load(at, vec![Ix::axis(0), Ix::axis(1)]));
        }
        let number = self.local(number)?;
        Ok(Ix::load(self.flat(o, dtype), vec![number]))
    }

    /// Offset and factors of an element that is there at every point, moved alike by each axis.
    pub fn in_room(&self, o: usize, number: &Ix) -> Option<(i64, Vec<i64>)> {
        let (low, high) = bounds(number, &self.extents)?;
        let room = self.operands[o].room as i64;
        affine(number, self.part.axes.len()).filter(|_| low >= 0 && high < room)
    }

    /// The operand of all elements of a buffer, by number.
    pub fn flat(&mut self, o: usize, dtype: DType) -> u32 {
        let none = vec![0; self.part.axes.len()];
        let access = self.frame.access(o, dtype.bits() as i64 / 8, (0, &none));
        self.operand(access, Operand::flat(dtype))
    }

    /// An operand whose rows are found through the elements of another one, if that is what an index says.
    pub fn gathered(&mut self, o: usize, dtype: DType, number: &Ix) -> Option<u32> {
        let (row, column) = (self.frame.row?, self.frame.column?);
        let is_load = |product: &[Atom]| matches!(product, [Atom::Load(..)]);
        let (product, c) = number.terms().iter().find(|(p, c)| is_load(p) && *c > 0)?;
        let [Atom::Load(table, index)] = product.as_slice() else { return None };
        let element = match self.operands.get(*table as usize)?.dtype {
            DType::I32 => Index::I32,
            DType::I64 => Index::I64,
            _ => return None,
        };
        let rest = number - &(Ix::atom(product[0].clone()) * *c);
        let (offset, factors) = affine(&rest, self.part.axes.len())?;
        let (first, steps) = self.in_room(*table as usize, index.first()?)?;
        if factors[row] != 0 || factors[column] != 1 || steps[row] != 1 || steps[column] != 0 {
            return None;
        }
        let size = dtype.bits() as i64 / 8;
        let mut access = self.frame.access(o, size, (offset, &factors));
        access.row = c.checked_mul(size)?;
        access.indices = Some(Box::new(self.frame.access(*table as usize, element.bytes() as i64, (first, &steps))));
        let operand = Operand::indexed(dtype, element);
        debug_assert_eq!(operand.column, Stride::Unit);
        Some(self.operand(access, operand))
    }

    /// Whether 32 bits hold an index and its parts; `number` says that it is one of an element that is there.
    pub fn is_narrow(&self, ix: &Ix, number: Option<usize>) -> bool {
        const MOST: i64 = 1 << 30;
        let fits = |ix: &Ix| bounds(ix, &self.extents).is_some_and(|(low, high)| low > -MOST && high < MOST);
        let inside = number.is_some_and(|o| (self.operands[o].room as i64) < MOST);
        let mut narrow = inside || fits(ix);
        ix.visit(&mut |a| {
            narrow &= match a {
                Atom::Div(e, k) => fits(e) && k.as_const().is_some_and(|k| k < MOST),
                Atom::Mod(e, k) => fits(e) && k.as_const().is_some_and(|k| k < MOST),
                Atom::Min(a, b) | Atom::Max(a, b) => fits(a) && fits(b),
                Atom::Load(o, _) => (self.operands[*o as usize].room as i64) < MOST,
                Atom::Axis(_) | Atom::Sym(_) => true,
            }
        });
        narrow
    }
}

//! Expressions of a part as maps over a tile.

use super::frame::Frame;
use super::part::Part;
use super::turn::Turn;
use crate::layout::Layout;
use std::collections::HashMap;
use std::sync::Arc;
use tilewright_graph::scalar::{Kind, Scalar};
use tilewright_loops::map::{Map, Operand, Order, Program, Rows, Sink, Stride};
use tilewright_nests::{Access, Form, Leaf, Place, Size, Stmt};
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// A map leaf in the making.
pub struct Maker<'a> {
    pub(super) part: &'a Part,
    pub(super) frame: &'a Frame,
    pub(super) operands: &'a [Layout],
    pub(super) extents: Vec<Ix>,
    pub(super) places: Vec<Place>,
    /// Whether reads across the tile go through transposed tiles, and those that do.
    pub(super) turns: bool,
    pub(super) turned: Vec<Turn>,
    accesses: Vec<Access>,
    /// Values of the nodes already seen, by whether they are guarded.
    known: HashMap<(*const Kind, bool), Scalar>,
    /// The map, as far as it is there.
    pub map: Map,
}

impl<'a> Maker<'a> {
    /// A leaf without operands or stages.
    pub fn new(part: &'a Part, frame: &'a Frame, operands: &'a [Layout], order: Order) -> Self {
        Self {
            part,
            frame,
            operands,
            extents: part.extents(),
            turns: false,
            turned: Vec::new(),
            accesses: Vec::new(),
            places: Vec::new(),
            known: HashMap::new(),
            map: Map { order, narrow: true, ..Map::default() },
        }
    }

    /// The number of an operand of the map.
    pub fn operand(&mut self, access: Access, operand: Operand) -> u32 {
        let found = self.accesses.iter().zip(&self.map.operands).position(|(a, o)| *a == access && *o == operand);
        found.unwrap_or_else(|| {
            // Values of rows are numbered after the operands, so no stage may read one yet.
            debug_assert!(self.map.stages.is_empty());
            self.accesses.push(access);
            self.map.operands.push(operand);
            self.accesses.len() - 1
        }) as u32
    }

    /// The operand of elements that axes move by `factors` from element `offset` of a buffer.
    pub fn strided(&mut self, buffer: usize, dtype: DType, place: (i64, &[i64])) -> u32 {
        let access = self.frame.access(buffer, dtype.bits() as i64 / 8, place);
        let factor = |axis: Option<usize>| axis.map_or(0, |a| place.1[a]);
        let operand = Operand {
            dtype,
            rows: if factor(self.frame.row) == 0 { Rows::One } else { Rows::Strided },
            column: match factor(self.frame.column) {
                0 => Stride::Zero,
                1 => Stride::Unit,
                _ => Stride::General,
            },
        };
        self.operand(access, operand)
    }

    /// The operand that stands for the result.
    pub fn result(&mut self, dtype: DType) -> u32 {
        let factors: Vec<i64> = self.part.axes.iter().map(|a| a.stride).collect();
        let at = self.strided(self.operands.len(), dtype, (self.part.offset, &factors)) as usize;
        self.map.operands[at] = self.stored(self.map.operands[at]);
        at as u32
    }

    /// An operand that takes what varies along rows and columns, where the tile has but one of either.
    pub fn stored(&self, operand: Operand) -> Operand {
        let rows = if self.frame.row.is_none() { Rows::Strided } else { operand.rows };
        let column = if self.frame.column.is_none() { Stride::Unit } else { operand.column };
        Operand { rows, column, ..operand }
    }

    /// An expression over the axes of the part, over the tile.
    ///
    /// # Errors
    /// Unsupported, for indices that maps lack.
    pub fn value(&mut self, s: &Scalar) -> Result<Scalar> {
        self.node(s, false)
    }

    fn node(&mut self, s: &Scalar, guarded: bool) -> Result<Scalar> {
        let address = (std::ptr::from_ref(s.kind()), guarded);
        if let Some(known) = self.known.get(&address) {
            return Ok(known.clone());
        }
        let value = match s.kind() {
            Kind::Const(_) => s.clone(),
            Kind::Read(o, index) => self.read(*o as usize, s.dtype(), (index, guarded))?,
            Kind::Call(f, args) => {
                let args = args.iter().map(|a| self.node(a, guarded)).collect::<Result<Vec<_>>>()?;
                Scalar::call(*f, args)
            }
            Kind::Index(ix) => {
                self.map.narrow &= self.is_narrow(ix, None);
                Scalar::index(self.local(ix)?)
            }
            Kind::Where(preds, then, otherwise) => {
                self.map.narrow &= preds.iter().all(|p| self.is_narrow(p.ix(), None));
                let preds = preds.iter().map(|p| self.local_pred(p)).collect::<Result<Vec<_>>>()?;
                Scalar::guarded(preds, self.node(then, true)?, self.node(otherwise, true)?)
            }
        };
        self.known.insert(address, value.clone());
        Ok(value)
    }

    fn read(&mut self, o: usize, dtype: DType, (index, guarded): (&[Ix], bool)) -> Result<Scalar> {
        let [number] = index else { return Err(Diagnostic::internal("an element with more than one number")) };
        if let Some((offset, factors)) = self.in_room(o, number) {
            let turned = self.turned(o, dtype, (offset, &factors));
            let at = turned.unwrap_or_else(|| self.strided(o, dtype, (offset, &factors)));
            return Ok(self.map.read(at));
        }
        if let Some(at) = (!guarded).then(|| self.gathered(o, dtype, number)).flatten() {
            return Ok(self.map.read(at));
        }
        self.map.narrow &= self.is_narrow(number, Some(o));
        let number = self.local(number)?;
        let at = self.flat(o, dtype);
        Ok(self.map.read_flat(at, number))
    }

    /// Adds a pass.
    pub fn stage(&mut self, sinks: impl IntoIterator<Item = Sink>) {
        self.map = std::mem::take(&mut self.map).stage(sinks);
    }

    /// The leaf.
    ///
    /// # Errors
    /// As [`Program::new`].
    pub fn finish(self, sizes: Vec<Size>) -> Result<Stmt> {
        Program::new(&self.map)?;
        let form = Form::Map(Arc::new(self.map));
        Ok(Stmt::Leaf(Leaf { form, sizes, operands: self.accesses, places: self.places }))
    }
}

//! A map as blocks of primitives: what the interpreter runs and codegen emits.

use super::{Combine, Map, Order, Sink, Stride, index};
use crate::block::{Block, Step, Val};
use crate::expand::{self, Leaves};
use tilewright_scalar::{Kind, Pred, Scalar};
use tilewright_support::target::Level;
use tilewright_support::{Diagnostic, Result};
use tilewright_tensor::DType;
use tilewright_tensor::ix::Ix;

/// Along which axes a step varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Varies {
    /// From row to row.
    pub row: bool,
    /// From column to column.
    pub column: bool,
}

impl Varies {
    /// Along either of two sets of axes.
    pub fn or(self, other: Self) -> Self {
        Self { row: self.row || other.row, column: self.column || other.column }
    }

    /// Whether it varies along the passes of an order.
    pub fn inner(self, order: Order) -> bool {
        if order == Order::Rows { self.column } else { self.row }
    }
}

/// A reduction of a pass.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The combiner.
    pub combine: Combine,
    /// What comes in, one for each accumulator.
    pub values: Vec<Val>,
}

/// A stage.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Steps of one element. [`Step::OfRow`] is a result of an earlier pass, numbered over the program.
    pub block: Block,
    /// Along which axes each step varies.
    pub varies: Vec<Varies>,
    /// Bits to store: the operand and the step. Where the operand does not move along the pass they are stored once,
    /// at the end of the pass.
    pub stores: Vec<(u32, Val)>,
    /// Reductions.
    pub folds: Vec<Fold>,
}

/// All stages.
#[derive(Clone, Debug)]
pub struct Program {
    /// In order.
    pub passes: Vec<Pass>,
    /// Whether any value is 64 bits wide.
    pub wide: bool,
}

impl Program {
    /// Expands a map as the loops of a machine without vectors compute it.
    ///
    /// # Errors
    /// As [`Program::for_level`].
    pub fn new(map: &Map) -> Result<Self> {
        Self::for_level(map, Level::Portable)
    }

    /// Expands a map for a level: some functions have an expansion of their own there.
    ///
    /// # Errors
    /// Unsupported, by name, for functions, dtypes and indices without an expansion; invalid, for stores that do not fit
    /// their operand.
    pub fn for_level(map: &Map, level: Level) -> Result<Self> {
        if map.operands.iter().any(|o| o.column == Stride::Bits && o.dtype != DType::Bool) {
            return Err(Diagnostic::invalid("an operand of packed bits that is not of bools"));
        }
        if map.operands.iter().any(|o| o.is_flat() && o.column != Stride::Unit) {
            return Err(Diagnostic::invalid("a flat operand whose elements are not side by side"));
        }
        let mut passes = Vec::with_capacity(map.stages.len());
        let mut values = 0;
        for stage in &map.stages {
            let mut pass = Builder { map, block: Block::for_level(level), values };
            let (mut stores, mut folds) = (Vec::new(), Vec::new());
            for sink in &stage.sinks {
                match sink {
                    Sink::Store { operand, value } => stores.push((*operand, pass.store(*operand, value)?)),
                    Sink::Reduce { combiner, value } => {
                        let combine = Combine::new(*combiner, value.dtype())?;
                        let mut vals = vec![pass.value(value)?];
                        let place = if map.order == Order::Rows { Step::Column } else { Step::Row };
                        vals.extend(combine.second(&mut pass.block, vals[0], place));
                        folds.push(Fold { combine, values: vals });
                    }
                }
            }
            values += folds.len();
            passes.push(Pass::new(map, pass.block, stores, folds)?);
        }
        Ok(Self::of(passes))
    }

    /// A program of given passes.
    pub fn of(passes: Vec<Pass>) -> Self {
        let wide = passes.iter().any(|p| {
            let blocks = p.folds.iter().flat_map(|f| [&f.combine.block, &f.combine.finish.0]);
            blocks.chain([&p.block]).any(|b| b.steps().iter().any(|(_, lane)| lane.bits() == 64))
        });
        Self { passes, wide }
    }
}

impl Pass {
    /// A pass over the operands of a map.
    ///
    /// # Errors
    /// Invalid, for stores of what varies where the operand does not.
    pub fn new(map: &Map, block: Block, stores: Vec<(u32, Val)>, folds: Vec<Fold>) -> Result<Self> {
        let varies = varies(map, &block);
        let pass = Self { block, varies, stores, folds };
        check_stores(map, &pass)?;
        Ok(pass)
    }
}

fn varies(map: &Map, block: &Block) -> Vec<Varies> {
    let mut all: Vec<Varies> = Vec::with_capacity(block.steps().len());
    for (step, _) in block.steps() {
        all.push(match step {
            Step::Const(_) | Step::Place(_) => Varies::default(),
            Step::Load(o) => {
                let operand = map.operands[*o as usize];
                Varies { row: operand.has_rows(), column: operand.column != Stride::Zero }
            }
            Step::Column => Varies { row: false, column: true },
            Step::Row => Varies { row: true, column: false },
            Step::OfRow(_) => Varies { row: map.order == Order::Rows, column: map.order == Order::Columns },
            Step::Prim(..) | Step::Gather { .. } => {
                let along = Varies { row: false, column: matches!(step, Step::Gather { along: true, .. }) };
                step.args().fold(along, |v, a| v.or(all[a.index()]))
            }
        });
    }
    all
}

/// A value stored once must not vary where its operand does not.
fn check_stores(map: &Map, pass: &Pass) -> Result<()> {
    for (o, val) in &pass.stores {
        let operand = map.operands[*o as usize];
        if operand.is_flat() {
            return Err(Diagnostic::invalid(format!("a store to operand {o}, which is flat")));
        }
        let varies = pass.varies[val.index()];
        let fits = (!varies.column || operand.column != Stride::Zero) && (!varies.row || operand.has_rows());
        if !fits {
            return Err(Diagnostic::invalid(format!("a value that varies is stored to operand {o}, which does not")));
        }
    }
    Ok(())
}

/// A pass being expanded.
struct Builder<'a> {
    map: &'a Map,
    block: Block,
    /// Values of the row that earlier passes gave.
    values: usize,
}

impl Builder<'_> {
    fn value(&mut self, value: &Scalar) -> Result<Val> {
        if value.depth() > DEEPEST {
            return Err(Diagnostic::unsupported(format!("in kernels, an expression more than {DEEPEST} levels deep")));
        }
        let mut parts = Parts { map: self.map, values: self.values, fault: None };
        let found = expand::scalar(&mut self.block, value, &mut parts);
        match (found, parts.fault) {
            (_, Some(e)) => Err(e),
            (Some(val), None) => Ok(val),
            (None, None) => Err(Diagnostic::unsupported(format!("in kernels, a function of {}", name_of(value)))),
        }
    }

    fn store(&mut self, o: u32, value: &Scalar) -> Result<Val> {
        let operand = self.map.operands.get(o as usize);
        let operand =
            operand.ok_or_else(|| Diagnostic::invalid(format!("a store to operand {o}, which is not there")))?;
        if operand.dtype != value.dtype() {
            let (to, from) = (operand.dtype.name(), value.dtype().name());
            return Err(Diagnostic::dtype(format!("a store of {from} to operand {o} of dtype {to}")));
        }
        let val = self.value(value)?;
        Ok(if operand.column == Stride::Bits { val } else { expand::stored(&mut self.block, operand.dtype, val) })
    }
}

/// The functions of an expression, for a message.
fn name_of(value: &Scalar) -> String {
    let mut names = Vec::new();
    value.visit(&mut |s| {
        if let Kind::Call(f, args) = s.kind() {
            let of = args.first().map_or("nothing", |arg| arg.dtype().name());
            let name = format!("{}.{of}", f.name());
            if !names.contains(&name) {
                names.push(name);
            }
        }
    });
    names.join(", ")
}

/// The deepest expression that is expanded: the stack has to hold the way down.
const DEEPEST: u32 = 500;

/// The parts of an expression that are neither constants nor calls.
struct Parts<'a> {
    map: &'a Map,
    values: usize,
    fault: Option<Box<Diagnostic>>,
}

impl Leaves for Parts<'_> {
    fn is_guarded(&self, node: &Scalar) -> bool {
        index::is_guarded(self.map, node)
    }

    fn leaf(&mut self, block: &mut Block, node: &Scalar, mask: Option<Val>) -> Option<Val> {
        let found = match node.kind() {
            Kind::Index(ix) => index::number(self.map, block, ix, mask),
            Kind::Read(o, index) if (*o as usize) < self.map.operands.len() => {
                index::read(self.map, block, (*o, index, node.dtype()), mask)
            }
            Kind::Read(o, index) => self.value_of_row(block, (*o, index, node.dtype())),
            _ => Err(Diagnostic::internal("an expression that is no leaf")),
        };
        self.keep(found)
    }

    fn holds(&mut self, block: &mut Block, preds: &[Pred], mask: Option<Val>) -> Option<Val> {
        let found = index::holds(self.map, block, preds, mask);
        self.keep(found)
    }
}

impl Parts<'_> {
    /// Keeps the first fault.
    fn keep(&mut self, found: Result<Val>) -> Option<Val> {
        found.map_err(|e| self.fault.get_or_insert(e).clone()).ok()
    }

    fn value_of_row(&self, block: &mut Block, (o, index, dtype): (u32, &[Ix], DType)) -> Result<Val> {
        let value = o as usize - self.map.operands.len();
        let axis = if self.map.order == Order::Rows { 0 } else { 1 };
        let known = self.map.reductions().nth(value).filter(|_| value < self.values);
        let lane = expand::lane(dtype);
        let lane = lane.filter(|_| known.is_some_and(|(c, v)| c.result(v.dtype()) == dtype));
        match lane.filter(|_| matches!(index, [ix] if ix.as_axis() == Some(axis))) {
            Some(lane) => Ok(block.step(Step::OfRow(value as u32), lane)),
            None => Err(Diagnostic::invalid(format!(
                "value {value} of the row is read before it is there, or not as it is"
            ))),
        }
    }
}
